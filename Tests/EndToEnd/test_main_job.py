"""The whole main job over real sockets: set up, sign in, consent, token, call, restart, sign out."""

import unittest

from stack import ADMINISTRATOR, Browser, Stack


class MainJob(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = Stack().start()
        cls.addClassCleanup(cls.stack.close)
        cls.stack.add_demo()
        cls.client = cls.stack.add_client()

    def test_the_setup_link_makes_one_administrator_and_works_once(self):
        browser = Browser()
        page = browser.get(self.stack.setup_link())
        self.assertEqual(page.status, 200)
        form = {
            "csrf": page.field("csrf"), "ticket": page.field("ticket"), "username": ADMINISTRATOR[0],
            "display_name": "Root", "password": ADMINISTRATOR[1], "password_again": ADMINISTRATOR[1]}
        done = browser.post(self.stack.url + "/setup", form)
        self.assertEqual(done.status, 303, done.text)
        self.assertEqual(browser.get(self.stack.url + "/admin").status, 200)
        again = Browser()
        self.assertNotEqual(again.get(self.stack.setup_link()).status, 200)

    def test_a_person_signs_in_and_an_app_calls_the_protected_service(self):
        stack, browser = self.stack, Browser()
        page = stack.sign_in(browser)
        self.assertEqual(page.status, 200)
        self.assertIn("Demo portal", page.text)
        self.assertEqual(stack.call(None)["error"]["code"], 499)
        tokens = stack.app_token(browser, self.client)
        vended = stack.vend(tokens["access_token"])
        self.assertEqual(vended.status, 200, vended.text)
        self.assertEqual(vended.json["connection"], "demo")
        self.assertNotIn("refresh_token", vended.json)
        self.assertIn("fields", stack.call(vended))

        with self.subTest("a restart asks nobody to sign in again"):
            stack.stop()
            stack.start()
            self.assertIn("fields", stack.call(stack.vend(tokens["access_token"])))

        with self.subTest("the account page shows the use"):
            self.assertIn("Test app", browser.get(stack.url + "/account").text)

        with self.subTest("signing out ends everything and says so"):
            held = stack.vend(tokens["access_token"])
            preview = browser.get(stack.url + "/signout")
            self.assertIn("Demo portal", preview.text)
            report = browser.post(
                stack.url + "/signout", {"csrf": preview.field("csrf"), "ticket": preview.field("ticket")})
            self.assertEqual(report.status, 200)
            self.assertIn("Demo portal", report.text)
            self.assertIn("error", stack.call(held))
            self.assertEqual(stack.vend(tokens["access_token"]).status, 401)
            refreshed = stack.token(self.client, grant_type="refresh_token", refresh_token=tokens["refresh_token"])
            self.assertEqual(refreshed.json["error"], "invalid_grant")
            self.assertEqual(browser.get(stack.url + "/account").status, 303)

    def test_a_client_gets_a_token_for_itself_and_nothing_of_any_person(self):
        answer = self.stack.token(self.client, grant_type="client_credentials")
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(self.stack.vend(answer.json["access_token"]).json["error"], "invalid_target")

    def test_the_audit_log_is_intact(self):
        self.assertIn("intact", self.stack.cli("audit", "verify"))


if __name__ == "__main__":
    unittest.main()
