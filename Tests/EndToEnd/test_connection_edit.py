"""Changing a connection on the command line: what is named is replaced, the rest stays, and what credentials rest on cannot be."""

import json
import unittest

from stack import Browser, Stack


class ConnectionEdit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = Stack().start()
        cls.addClassCleanup(cls.stack.close)
        cls.stack.set_up()
        cls.stack.add_demo("--resource", cls.stack.portal, "--allow-network", "127.0.0.0/8", "--allow-http")

    def edit(self, *options, connection="demo", expect=0):
        answer = self.stack.cli("connection", "edit", connection, *options, "--json", expect=expect)
        return json.loads(answer) if expect == 0 else answer

    def shown(self):
        shown = json.loads(self.stack.cli("connection", "show", "demo", "--json"))
        return {name: value for name, value in shown.items() if name != "redirect_uri"}

    def test_one_thing_changes_and_the_rest_stays(self):
        before = self.shown()
        after = self.edit("--name", "City maps")
        self.assertEqual(after, {**before, "name": "City maps"})
        self.assertEqual(self.shown(), after)
        self.assertEqual(self.edit("--name", "City maps"), after)
        after = self.edit("--locale", "sv", "--force-login", "--federated-minutes", "30", "--admit", "listed", "--admit-user", "ana")
        self.assertEqual(after["options"]["locale"], "sv")
        self.assertTrue(after["options"]["forcesLogin"])
        self.assertEqual(after["admission"], "listed")
        after = self.edit("--without", "locale", "--without", "force-login", "--without", "federated-minutes", "--admit", "anyone")
        self.assertEqual(after, {**before, "name": "City maps"})
        log = self.stack.cli("audit", "verify")
        self.assertNotIn("broken", log)

    def test_resources_hold_at_once(self):
        client, browser = self.stack.add_client(), Browser()
        self.stack.sign_in(browser)
        token = self.stack.app_token(browser, client)["access_token"]
        before = self.shown()["resources"]
        self.assertIn("access_token", self.stack.vend(token).json)
        self.assertEqual(self.edit("--host", "*.maps.example")["resources"], [*before, "*.maps.example"], "prefixes stay")
        self.edit("--resource", self.stack.portal + "/other")
        self.assertEqual(self.stack.vend(token).json["error"], "invalid_target")
        self.edit(*[word for resource in before for word in ("--resource", resource)])
        self.assertIn("access_token", self.stack.vend(token).json)

    def test_what_cannot_be(self):
        before = self.shown()
        file = self.stack.directory / "secret"
        file.write_text("a secret\n")
        file.chmod(0o600)
        for options, words in [
            (("--portal-url", "https://elsewhere.example"), "--portal-url cannot be changed: what people connected"),
            (("--client-id", "x"), "--client-id cannot be changed"), (("--kind", "token"), "--kind cannot be changed"),
            (("--scope", "x"), "--scope is not for the kind oauthUser"), (("--token-minutes", "5"), "not for the kind"),
            (("--resource", "nonsense value"), "--resource"), (("--allow-network", "x"), "--allow-network"),
            (("--without", "kind"), "nothing that --without takes back, as it does scope, allow-network"),
            (("--admit-user", "ana"), "goes with --admit listed"),
        ]:
            self.assertIn(words, self.edit(*options, expect=64), options)
        for options, words in [
            (("--name", ""), "name"), (("--admit", "listed"), "List who may get an account"),
            (("--federated-minutes", "0"), "1 to 129600"),
        ]:
            self.assertIn(words, self.edit(*options, expect=1), options)
        self.assertEqual(self.shown(), before)
        self.assertIn("There is no connection called nothing", self.edit("--name", "x", connection="nothing", expect=1))
        self.assertTrue(self.edit("--client-secret-file", str(file))["has_client_secret"])


if __name__ == "__main__":
    unittest.main()
