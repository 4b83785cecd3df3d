"""Changing a registered client on the command line: what is named is replaced, the rest stays."""

import json
import unittest

from stack import CALLBACK, Browser, Stack


class ClientEdit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = Stack().start()
        cls.addClassCleanup(cls.stack.close)
        cls.stack.set_up()
        cls.stack.add_demo()

    def edit(self, client, *options, expect=0):
        answer = self.stack.cli("client", "edit", client["client_id"], *options, "--json", expect=expect)
        return json.loads(answer) if expect == 0 else answer

    def shown(self, client):
        return json.loads(self.stack.cli("client", "show", client["client_id"], "--json"))

    def test_one_thing_changes_and_the_rest_stays(self):
        client = self.stack.add_client("--dpop", "--post-logout-redirect-uri", "https://a.example/out")
        before = self.shown(client)
        after = self.edit(client, "--name", "Renamed app")
        self.assertEqual(after, {**before, "name": "Renamed app"})
        self.assertEqual(self.shown(client), after)
        after = self.edit(client, "--without", "dpop", "--id-token-algorithm", "ES256")
        metadata = {**before["metadata"]}
        self.assertNotEqual(metadata, after["metadata"])
        self.assertEqual(after["metadata"]["id_token_signed_response_alg"], "ES256")
        self.assertEqual(after["metadata"]["post_logout_redirect_uris"], ["https://a.example/out"])
        self.assertFalse(after["metadata"].get("dpop_bound_access_tokens", False))

    def test_a_connection_without_its_tokens(self):
        client, browser = self.stack.add_client(), Browser()
        self.stack.sign_in(browser)
        tokens = self.stack.app_token(browser, client)
        self.assertIn("access_token", self.stack.vend(tokens["access_token"]).json)
        after = self.edit(client, "--proxied-connection", "demo")
        self.assertEqual(after["connections"], [{"id": "demo", "raw_tokens": False, "unattended": False}])
        vended = self.stack.vend(tokens["access_token"]).json
        self.assertEqual(vended["proxy_reason"], "raw_token_not_allowed", vended)
        self.assertNotIn("access_token", vended)
        self.assertEqual(self.edit(client, "--without", "connection")["connections"], [])
        self.assertEqual(self.stack.vend(tokens["access_token"]).json["error"], "invalid_target")

    def test_what_is_taken_away_ends_its_tokens(self):
        client, browser = self.stack.add_client("--scope", "openid"), Browser()
        self.stack.sign_in(browser)
        tokens = self.stack.app_token(browser, client)
        self.edit(client, "--scope", "openid")
        self.assertEqual(self.stack.vend(tokens["access_token"]).status, 401)

    def test_what_may_not_be(self):
        client = self.stack.add_client()
        before = self.shown(client)
        for options, words in [
            (["--without", "type"], "--without takes the name of an option"),
            (["--connection", "demo", "--proxied-connection", "demo"], "choose one"),
            (["--unattended-connection", "demo"], "needs --connection demo"),
            (["--type", "public"], "--type"),
        ]:
            self.assertIn(words, self.edit(client, *options, expect=64))
        for options, words in [
            (["--scope", "nonsense"], "nonsense is not known"), (["--without", "redirect-uri"], "at least one redirect URI"),
            (["--connection", "nowhere"], "There is no connection called nowhere"),
        ]:
            self.assertIn(words, self.edit(client, *options, expect=1))
        self.assertIn("There is no client", self.edit({"client_id": "client_unknown"}, "--name", "x", expect=1))
        self.assertEqual(self.shown(client), before)
        added = self.edit(client, "--redirect-uri", CALLBACK, "--redirect-uri", "https://a.example/back")
        self.assertEqual(added["redirect_uris"], [CALLBACK, "https://a.example/back"])


if __name__ == "__main__":
    unittest.main()
