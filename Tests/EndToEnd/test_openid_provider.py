"""A connection to an OpenID provider that others wrote: Glewlwyd, over HTTP and in a browser."""

import hashlib
import json
import time
import unittest
import urllib.parse

from chromium import Chromium
from glewlwyd import CLIENT, USER, Glewlwyd
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from stack import Browser, Stack, until


class OpenIDProvider(unittest.TestCase):
    """Access tokens live three seconds, so that every test sees refreshes that rotate the refresh token."""

    @classmethod
    def setUpClass(cls):
        cls.stack = Stack()
        cls.addClassCleanup(cls.stack.close)
        cls.provider = Glewlwyd(
            [cls.stack.url + "/callback/op", cls.stack.url + "/callback/plain"], cls.stack.url + "/signed-out",
            access_seconds=3, logout_uri=cls.stack.url + "/backchannel-logout/op")
        cls.addClassCleanup(cls.provider.close)
        cls.stack.start()
        cls.stack.set_up()
        cls.secret_file = cls.stack.directory / "secret"
        cls.secret_file.write_text(CLIENT[1] + "\n")
        cls.secret_file.chmod(0o600)
        # Its logout tokens are those of a draft.
        cls.connect("op", "--no-logout-expiry")
        cls.client = cls.stack.add_client(connection="op")
        cls.userinfo = cls.provider.issuer + "/userinfo"

    @classmethod
    def connect(cls, name, *options, issuer=None, client=CLIENT[0], expect=0):
        return cls.stack.cli(
            "connection", "create", "--id", name, "--name", f"Glewlwyd {name}", "--kind", "oidc", "--issuer",
            issuer or cls.provider.issuer, "--client-id", client, "--client-secret-file", str(cls.secret_file),
            "--admit", "anyone", *options, expect=expect)

    @classmethod
    def connect_plain(cls):
        """The same provider as one without discovery: what its document would say is typed."""
        endpoints = {"authorization": "auth", "token": "token", "user": "userinfo", "revocation": "revoke"}
        typed = [
            word for name, path in endpoints.items()
            for word in (f"--{name}-endpoint", f"{cls.provider.issuer}/{path}")]
        scopes = [word for scope in ("openid", "profile", "offline_access") for word in ("--scope", scope)]
        made = json.loads(cls.stack.cli(
            "connection", "create", "--id", "plain", "--name", "Plain Glewlwyd", "--kind", "oidc", *typed, *scopes,
            "--resource", cls.provider.issuer, "--client-id", CLIENT[0], "--client-secret-file", str(cls.secret_file), "--admit", "anyone", "--json"))
        assert made["options"]["endpoints"]["user"] == cls.provider.issuer + "/userinfo", made

    def sign_in(self, connection="op"):
        """Signs in without a browser that runs scripts; gives the browser."""
        browser = Browser()
        start = browser.get(self.stack.url + "/signin/" + connection)
        page = browser.get(start.location)
        self.assertIn("login.html", page.location or "", page.text)
        page = browser.follow(self.provider.sign_in(browser, page.location))
        self.assertEqual(page.status, 200, page.text)
        self.assertIn("alice", page.text)
        return browser

    def vend(self, tokens, **parameters):
        answer = self.stack.vend(tokens["access_token"], self.userinfo, **parameters)
        self.assertEqual(answer.status, 200, answer.text)
        return answer

    def test_an_issuer_that_is_not_there_or_says_another_name_is_refused(self):
        self.assertIn("404", self.connect("wrong", issuer=self.provider.root, expect=1))
        other = self.provider.issuer.replace("provider.localhost", "127.0.0.1")
        self.assertIn(self.provider.issuer, self.connect("other", issuer=other, expect=1))

    def test_an_app_calls_the_provider_and_signing_out_revokes_there(self):
        browser = self.sign_in()
        tokens = self.stack.app_token(browser, self.client, allow=("op",))
        vended = self.vend(tokens)
        self.assertEqual(vended.json["connection"], "op")
        self.assertEqual(self.stack.call(vended, self.userinfo)["name"], "Alice")
        self.assertTrue(self.provider.introspect(vended.json["access_token"]))
        self.assertIn("Test app", browser.get(self.stack.url + "/account").text)

        report = self.stack.sign_out(browser)
        self.assertEqual(report.status, 200)
        self.assertIn("Glewlwyd", report.text)
        self.assertIn(self.provider.issuer + "/end_session", report.text)
        self.assertFalse(self.provider.introspect(vended.json["access_token"]))
        self.assertEqual(self.stack.vend(tokens["access_token"], self.userinfo).status, 401)
        self.assertTrue(until(lambda: self.stack.query("SELECT count(*) FROM revocation") == [(0,)]))
        self.assertEqual(self.stack.query("SELECT count(*) FROM credential"), [(0,)])

    def test_a_token_that_runs_out_is_refreshed_again_and_again(self):
        browser = self.sign_in()
        tokens = self.stack.app_token(browser, self.client, allow=("op",))
        seen = set()
        for _ in range(3):
            vended = self.vend(tokens)
            self.assertNotIn(vended.json["access_token"], seen)
            seen.add(vended.json["access_token"])
            self.assertEqual(self.stack.call(vended, self.userinfo)["name"], "Alice")
            time.sleep(3.1)
        with self.subTest("also after a crash"):
            self.stack.stop(9)
            self.stack.start()
            self.assertEqual(self.stack.call(self.vend(tokens), self.userinfo)["name"], "Alice")
        self.stack.sign_out(browser)

    def test_typed_endpoints_do_the_same_without_discovery(self):
        self.connect_plain()
        client = self.stack.add_client(connection="plain")
        browser = self.sign_in("plain")
        tokens = self.stack.app_token(browser, client, allow=("plain",))
        first = self.vend(tokens)
        self.assertEqual((first.json["connection"], self.stack.call(first, self.userinfo)["name"]), ("plain", "Alice"))
        time.sleep(3.1)
        second = self.vend(tokens)
        self.assertNotEqual(first.json["access_token"], second.json["access_token"])
        self.assertEqual(self.stack.call(second, self.userinfo)["name"], "Alice")

        report = self.stack.sign_out(browser)
        self.assertIn("has confirmed that the sign-in is cancelled", report.text)
        self.assertNotIn("end_session", report.text)
        self.assertFalse(self.provider.introspect(second.json["access_token"]))

    def test_templates_fill_in_what_is_known(self):
        listed = json.loads(self.stack.cli("connection", "templates", "--json"))
        self.assertEqual(len(listed), 10)
        self.assertIn("--set tenant", self.stack.cli("connection", "templates") and self.stack.cli(
            "connection", "create", "--id", "x", "--template", "entra", "--client-id", "x", expect=64))
        made = json.loads(self.stack.cli(
            "connection", "create", "--id", "known", "--template", "generic", "--set",
            f"issuer={self.provider.issuer}", "--client-id", CLIENT[0], "--client-secret-file", str(self.secret_file),
            "--json"))
        self.assertEqual((made["kind"], made["origin"]), ("oidc", self.provider.issuer))
        self.stack.cli("connection", "delete", "known", "--yes")

    def test_signing_out_there_signs_out_here(self):
        shown = json.loads(self.stack.cli("connection", "show", "op", "--json"))
        self.assertEqual(shown["backchannel_logout_uri"], self.provider.logout_uri)
        self.assertIn("offline_access", shown["scopes"])
        browser, other = self.sign_in(), self.sign_in()
        tokens = self.stack.app_token(browser, self.client, allow=("op",))
        self.vend(tokens)
        session = self.session_of(browser)
        self.assertNotEqual(session, self.session_of(other))

        self.provider.end_session(browser, session)
        account = self.stack.url + "/account"
        self.assertTrue(until(lambda: browser.get(account).status == 303))
        self.assertEqual(self.stack.vend(tokens["access_token"], self.userinfo).status, 401)
        self.assertEqual(other.get(account).status, 200)
        row = self.stack.query("SELECT outcome, connection_id, detail FROM audit WHERE name = 'session_logout_upstream'")
        self.assertEqual(row, [("success", "op", "browser sessions ended: 1")])

        with self.subTest("what is for the time when the person is away stays, until they disconnect"):
            self.provider.end_session(other, self.session_of(other))
            self.assertTrue(until(lambda: other.get(account).status == 303))
            self.assertEqual(self.stack.query("SELECT count(*) FROM credential"), [(1,)])
            (detail,), = self.stack.query(
                "SELECT detail FROM audit WHERE name = 'session_logout_upstream' ORDER BY id DESC LIMIT 1")
            self.assertEqual(detail, "browser sessions ended: 1, the credential stays: offline_access")
        self.stack.sign_out(self.sign_in())

    def session_of(self, browser):
        """The provider's name of the session that a browser signed in by."""
        token = hashlib.sha256(browser.cookies["localhost"]["gh_s"].encode()).digest()
        (session,), = self.stack.query("SELECT sid FROM upstream_session WHERE session_hash = ?", token)
        return session

    def test_a_sign_in_that_was_ended_there_asks_the_person(self):
        browser = self.sign_in()
        tokens = self.stack.app_token(browser, self.client, allow=("op",))
        held = self.vend(tokens)
        self.end_at_provider()
        time.sleep(3.1)
        refused = self.stack.vend(tokens["access_token"], self.userinfo)
        self.assertEqual(refused.status, 400, refused.text)
        self.assertEqual(refused.json["error"], "interaction_required")
        self.assertEqual(refused.json["reason"], "reauth_required")
        self.assertIsNotNone(held)

        page = browser.get(refused.json["interaction_uri"])
        self.assertEqual(page.status, 200, page.text)
        page = browser.post(self.stack.url + "/connect", {**page.fields(), "do": "continue"})
        page = browser.get(page.location)
        page = browser.follow(self.provider.sign_in(browser, page.location))
        self.assertEqual(page.status, 200, page.text)
        self.assertEqual(self.stack.call(self.vend(tokens), self.userinfo)["name"], "Alice")
        self.stack.sign_out(browser)

    def end_at_provider(self):
        """The person ends all sign-ins of apps at the provider's own page."""
        browser = Browser()
        headers = {"Content-Type": "application/json"}
        browser.post(self.provider.root + "/api/auth/", f'{{"username":"{USER[0]}","password":"{USER[1]}"}}',
                     headers=headers)
        held = browser.get(self.provider.issuer + "/token?limit=100").json
        self.assertTrue(any(one["enabled"] for one in held))
        for one in [one for one in held if one["enabled"]]:
            name = urllib.parse.quote(one["token_hash"], safe="")
            answer = browser.request("DELETE", f"{self.provider.issuer}/token/{name}")
            self.assertEqual(answer.status, 200, answer.text)

    def test_a_person_signs_in_and_out_in_a_real_browser(self):
        chromium = Chromium()
        self.addCleanup(chromium.close)
        chromium.open(self.stack.url + "/signin")
        chromium.press("Glewlwyd")
        chromium.find("#username").send_keys(USER[0])
        chromium.find("#password").send_keys(USER[1])
        chromium.find("button[name=loginbut], button[type=submit]").click()
        self.allow(chromium)
        self.assertIn("alice", chromium.text)
        self.assertIn("Glewlwyd", chromium.text)
        chromium.photograph("account-of-an-openid-provider")
        chromium.open(self.stack.url + "/signout")
        chromium.press("Sign out")
        until(lambda: "end_session" in chromium.driver.page_source)
        self.assertIn("end_session", chromium.driver.page_source)

    def allow(self, chromium):
        """Presses on through the provider's pages until the browser is back."""
        def step():
            if chromium.url.startswith(self.stack.url):
                return True
            for words in ("Continue", "Grant access"):
                if self.press(chromium, words):
                    break
            return False
        self.assertTrue(until(step, 15, 0.2), f"{chromium.url} {chromium.text}")

    def press(self, chromium, words):
        """Presses an enabled button, unless the page's script takes it away in that moment."""
        try:
            for one in chromium.driver.find_elements(By.CSS_SELECTOR, "button:not([disabled])"):
                if one.text == words and one.is_displayed():
                    one.click()
                    return True
        except StaleElementReferenceException:
            pass
        return False


if __name__ == "__main__":
    unittest.main()
