"""Every page for people, as those meet it who read it in another language, at another size, or not with their eyes."""

import unittest
import urllib.parse

from accessibility import mistakes, violations
from chromium import Chromium
from stack import ADMINISTRATOR, CALLBACK, Browser, Stack

LANGUAGES = {"en": "ltr", "ar": "rtl"}


class Pages(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        # Nobody takes mail there, but the pages that need a mail server stand.
        cls.stack = Stack(
            GATEHOUSE_SMTP_URL="smtp://localhost:1", GATEHOUSE_MAIL_FROM="gatehouse@mail.example").start()
        cls.addClassCleanup(cls.stack.close)
        cls.set_up_page = cls.stack.setup_link().removeprefix(cls.stack.url)
        cls.early = {language: cls.stack.browser().get(
            cls.stack.url + cls.set_up_page, headers={"Accept-Language": language}).text for language in LANGUAGES}
        cls.stack.set_up()
        cls.stack.add_demo()
        cls.client = cls.stack.add_client("--grant", "device_code", "--scope", "openid", "--scope", "profile")
        cls.person = Browser()
        cls.stack.sign_in(cls.person)
        token = cls.stack.app_token(cls.person, cls.client)["access_token"]
        answer = cls.stack.vend(token)
        assert answer.status == 200, answer.text
        cls.connect_more()

    @classmethod
    def connect_more(cls):
        """A connection of each kind that has a form of its own."""
        create = ("connection", "create", "--json")
        cls.stack.cli(*create, "--id", "typed", "--name", "Typed portal", "--kind", "token", "--portal-url", cls.stack.portal)
        cls.stack.cli(
            *create, "--id", "made", "--name", "Made elsewhere", "--kind", "pregeneratedToken", "--portal-url", cls.stack.portal)

    def local(self):
        """A browser in which the administrator has just signed in as a person."""
        browser = Browser()
        page = browser.get(self.stack.url + "/signin")
        form = {**page.fields(), "username": ADMINISTRATOR[0], "password": ADMINISTRATOR[1]}
        assert browser.post(self.stack.url + "/signin", form).location == "/account"
        return browser

    def paths(self):
        """Pages by name: for anybody, for who came by a service, for who has a password here."""
        authorize = "/oauth2/authorize?" + urllib.parse.urlencode({
            "response_type": "code", "client_id": self.client["client_id"], "scope": "openid profile vend", "state": "s",
            "redirect_uri": CALLBACK, "code_challenge": "x" * 43, "code_challenge_method": "S256", "prompt": "consent"})
        return {
            "home": "/", "sign-in": "/signin", "not-found": "/nothing", "signed-out": "/signed-out",
            "invitation-over": "/invitation?ticket=none", "forgotten": "/forgotten", "email-over": "/email?ticket=none",
        }, {
            "account": "/account", "apps": "/account/apps", "ledger": f"/account/apps/{self.client['client_id']}/ledger",
            "withdraw": f"/account/apps/{self.client['client_id']}", "consent": authorize, "device": "/device?user_code=WDJB-MJHT",
            "device-answered": "/device?answer=allowed", "connect": "/connect/demo", "connect-typed": "/connect/typed",
            "connect-token": "/connect/made", "address": "/connect", "disconnect": "/disconnect/demo", "sign-out": "/signout",
            "end-session": "/oauth2/end_session", "security": "/account/security", "notices": "/account/notices",
        }, {
            "security-local": "/account/security", "password": "/account/security/password", "email": "/account/security/email",
            "authenticator": "/account/security/authenticator", "passkey-new": "/account/security/passkeys/new",
            "recovery-codes": "/account/security/recovery-codes",
        }

    def source(self, path, language, browser):
        """The page as it is sent."""
        wanted = {"Accept-Language": language}
        answer = browser.get(self.stack.url + path, headers=wanted)
        while answer.location:
            answer = browser.get(urllib.parse.urljoin(self.stack.url + path, answer.location), headers=wanted)
        return answer.text

    def test_no_violation_and_no_mistake_in_any_language(self):
        sources, found = {}, []
        for language, direction in LANGUAGES.items():
            sources[f"{language}-setup"] = self.early[language]
            chromium = Chromium()
            self.addCleanup(chromium.close)
            chromium.speak(language)
            for browser, paths in zip((Browser, lambda: self.person, self.local), self.paths()):
                browser = browser()
                chromium.adopt(self.stack.url, browser)
                for name, path in paths.items():
                    with self.subTest(language=language, page=name):
                        chromium.open(self.stack.url + path)
                        html = chromium.driver.find_element("tag name", "html")
                        self.assertEqual((html.get_attribute("lang"), html.get_attribute("dir")), (language, direction))
                        self.assertEqual(chromium.photograph(f"{name}-{language}"), 0)
                        self.assertEqual(violations(chromium), [])
                        self.assertEqual(chromium.complaints(), [])
                        sources[f"{language}-{name}"] = self.source(path, language, browser)
        self.assertEqual("\n".join(mistakes(sources)), "")

    def test_an_organisations_own_colour_and_logo(self):
        """A colour that nobody could read on white is made darker."""
        stack = Stack()
        self.addCleanup(stack.close)
        logo = stack.directory / "city.svg"
        logo.write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4" fill="#c60"/></svg>')
        stack.start(
            GATEHOUSE_ORGANISATION="City of Ana", GATEHOUSE_ACCENT="#ffcc00", GATEHOUSE_LOGO=str(logo),
            GATEHOUSE_HELP_URL="https://help.example/", GATEHOUSE_PRIVACY_URL="https://example.org/privacy")
        stack.set_up()
        stack.add_demo()
        chromium = Chromium()
        self.addCleanup(chromium.close)
        chromium.open(stack.url + "/signin")
        self.assertEqual(violations(chromium), [])
        self.assertEqual(chromium.photograph("own-colour"), 0)
        self.assertIn("City of Ana runs this page", chromium.text)
        links = [link.get_attribute("href") for link in chromium.driver.find_elements("css selector", ".foot a")]
        self.assertEqual(links, ["https://help.example/", "https://example.org/privacy"])
        drawn = chromium.driver.execute_script("return document.querySelector('.org img').naturalWidth")
        self.assertGreater(drawn, 0)
        self.assertEqual(chromium.complaints(), [])


if __name__ == "__main__":
    unittest.main()
