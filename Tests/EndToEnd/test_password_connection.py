"""A service that is connected by a form for user name and password, in a real browser without scripts."""

import json
import unittest

from chromium import Chromium
from stack import PASSWORD, Browser, Stack

WRONG = "Wr0ng horse battery"


class PasswordConnection(unittest.TestCase):
    def setUp(self):
        self.stack = Stack().start()
        self.addCleanup(self.stack.close)
        self.stack.add_demo()
        made = json.loads(
            self.stack.cli(
                "connection", "create", "--id", "typed", "--name", "Typed portal", "--kind", "token", "--portal-url",
                self.stack.portal, "--token-minutes", "60", "--json"))
        self.assertEqual((made["kind"], made["client_id"]), ("token", ""))
        self.client = self.stack.add_client(connection="typed")
        self.chromium = Chromium(runs_scripts=False)
        self.addCleanup(self.chromium.close)

    def see(self, name, *words):
        for word in words:
            self.assertIn(word.lower(), self.chromium.text.lower(), f"{name}: {self.chromium.url}")
        self.assertEqual(self.chromium.photograph(name), 0, f"{name} is wider than the window")
        self.assertEqual(self.chromium.complaints(), [], name)

    def test_from_the_form_to_the_sign_out_report(self):
        stack, chromium = self.stack, self.chromium
        chromium.open(stack.url + "/signin/demo")
        chromium.sign_in_at_portal()
        chromium.open(stack.url + "/connect/typed")
        self.see("connect-password", "Connect Typed portal", "capital and small letters count")
        chromium.fill("username", "ana")
        chromium.fill("password", WRONG)
        chromium.follow(chromium.find("main form button"))
        self.see("connect-password-error", "does not accept this user name and password")
        self.assertEqual(chromium.find("[name=username]").get_attribute("value"), "ana")
        self.assertEqual(chromium.find("[name=password]").get_attribute("value"), "")
        chromium.fill("password", PASSWORD)
        chromium.find("[name=keep]").click()
        chromium.follow(chromium.find("main form button"))
        self.see("account-typed", "Typed portal is connected.", "signed in as ana", "automatically")
        self.use()
        self.assert_unreadable()
        self.sign_out()

    def test_a_token_that_was_made_elsewhere(self):
        stack, chromium = self.stack, self.chromium
        stack.cli(
            "connection", "create", "--id", "made", "--name", "Made elsewhere", "--kind", "pregeneratedToken",
            "--portal-url", stack.portal, "--json")
        form = {
            "f": "json", "username": "ana", "password": PASSWORD, "client": "referer", "referer": "https://own.example"}
        made = Browser().post(stack.portal + "/sharing/rest/generateToken", form).json
        chromium.open(stack.url + "/signin/demo")
        chromium.sign_in_at_portal()
        chromium.open(stack.url + "/connect/made")
        self.see("connect-token", "Connect Made elsewhere", "another token when it ends")
        chromium.fill("token", made["token"])
        chromium.fill("expires", str(made["expires"]))
        chromium.follow(chromium.find("main form button"))
        self.see("connect-token-error", "the referer is not the one")
        self.assertEqual(chromium.find("[name=token]").get_attribute("value"), "")
        chromium.fill("token", made["token"])
        chromium.fill("referer", "https://own.example")
        chromium.follow(chromium.find("main form button"))
        self.see("account-made", "Made elsewhere is connected.", "ArcGIS token, signed in as ana")
        browser = Browser()
        stack.sign_in(browser)
        access = stack.app_token(browser, stack.add_client(connection="made"), allow=("made",))["access_token"]
        vended = stack.vend(access)
        self.assertEqual(vended.json["referer"], "https://own.example", vended.text)
        self.assertIn("fields", stack.call(vended))

    def use(self):
        """An app gets a token bound to the referer, also after the first one has ended."""
        stack, browser = self.stack, Browser()
        stack.sign_in(browser)
        access = stack.app_token(browser, self.client, allow=("typed",))["access_token"]
        vended = stack.vend(access)
        self.assertEqual(vended.status, 200, vended.text)
        self.assertEqual((vended.json["connection"], vended.json["referer"]), ("typed", stack.url))
        self.assertIn("fields", stack.call(vended))
        asked = stack.counters()["generateToken"]
        stack.restart()
        stack.age_credentials()
        self.assertIn("fields", stack.call(stack.vend(access)))
        self.assertGreater(stack.counters()["generateToken"], asked)

    def assert_unreadable(self):
        """What was typed stands in no file."""
        for file in [*self.stack.data.iterdir(), self.stack.log_path]:
            if file.is_file():
                content = file.read_bytes()
                for secret in (PASSWORD, WRONG):
                    self.assertNotIn(secret.encode(), content, file.name)

    def sign_out(self):
        chromium = self.chromium
        chromium.open(self.stack.url + "/disconnect/typed")
        self.see("disconnect-typed", "no way to cancel the token, which works until")
        chromium.open(self.stack.url + "/signout")
        self.see("sign-out-typed", "Will be deleted")
        chromium.press("Sign out")
        self.see("sign-out-report-typed", "offers no way to cancel the sign-in", "stops by itself on")
        self.assertEqual(self.stack.query("SELECT count(*) FROM credential")[0][0], 0)


if __name__ == "__main__":
    unittest.main()
