"""API keys: what the same URL answers to keys of different scope, and every way in which one is refused."""

import json
import time
import unittest
import urllib.parse

from stack import Browser, Stack

SECRET = "gatehouse-demo-secret"


class APIKeys(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = Stack(simulator_options=["--client-secret", f"gatehouse-demo:{SECRET}"]).start()
        cls.addClassCleanup(cls.stack.close)
        cls.stack.set_up()
        file = cls.stack.directory / "secret"
        file.write_text(SECRET + "\n")
        file.chmod(0o600)
        for name in ["jobs", "spare"]:
            cls.stack.cli(
                "connection", "create", "--id", name, "--name", name, "--kind", "oauthApplication", "--portal-url",
                cls.stack.portal + ("" if name == "jobs" else "/spare"), "--client-id", "gatehouse-demo",
                "--client-secret-file", str(file), "--json")
        cls.client = json.loads(cls.stack.cli(
            "client", "create", "--name", "Nightly jobs", "--type", "confidential", "--grant", "client_credentials",
            "--scope", "vend", "--connection", "jobs", "--connection", "spare", "--json"))

    def make(self, *options, connection="jobs"):
        return json.loads(self.stack.cli(
            "key", "create", "--client", self.client["client_id"], "--name", "Test key", "--connection", connection,
            "--json", *options))

    def get(self, path, key, method="GET", **headers):
        return Browser().request(method, self.stack.url + path, headers={"X-API-Key": key, **headers})

    def token_path(self, resource=None):
        return "/v1/token?" + urllib.parse.urlencode({"resource": resource or self.stack.portal + "/sharing/rest/portals/self"})

    def refused(self, answer, status, error, words=""):
        self.assertEqual((answer.status, answer.json["error"]), (status, error), answer.text)
        self.assertIn(words, answer.json["error_description"])

    def proxied(self, url):
        """The way by the proxy, as a narrowed key is told it."""
        told = self.get(self.token_path(url), self.make("--method", "GET")["key"])
        self.assertEqual(told.status, 200, told.text)
        self.assertNotIn("access_token", told.json)
        self.assertEqual(told.json["proxy_reason"], "api_key_scope")
        return told.json["proxy_url"].removeprefix(self.stack.url)

    def test_a_key_for_everything_gets_the_token_itself(self):
        key = self.make()["key"]
        self.assertRegex(key, r"^gh_sk_[0-9a-f]{32}_[A-Za-z0-9_-]{43}_[0-9a-f]{8}$")
        for headers in [{"X-API-Key": key}, {"Authorization": f"Bearer {key}"}]:
            vended = Browser().get(self.stack.url + self.token_path(), headers=headers)
            self.assertEqual(vended.status, 200, vended.text)
            self.assertTrue(vended.json["access_token"])
            self.assertNotIn("proxy_url", vended.json)

    def test_the_same_url_answers_less_to_a_narrower_key(self):
        users, groups = (f"{self.stack.portal}/sharing/rest/{part}" for part in ["portals/self", "community/self"])
        path, other = self.proxied(users), self.proxied(groups)
        narrow = self.make("--resource", f"{self.stack.portal}/sharing/rest/portals", "--method", "GET")["key"]
        wide = self.make("--method", "GET")["key"]
        self.assertEqual(self.get(path + "?f=json", narrow).status, 200)
        self.assertEqual(self.get(path + "?f=json", wide).status, 200)
        self.assertEqual(self.get(other + "?f=json", wide).status, 200)
        self.refused(self.get(other + "?f=json", narrow), 403, "insufficient_scope", "does not reach this resource")
        self.refused(self.get(self.token_path(groups), narrow), 403, "insufficient_scope")
        self.refused(self.get(path, wide, method="POST"), 403, "insufficient_scope", "only GET")
        short = self.make("--longest-answer", "10")["key"]
        self.refused(self.get(path + "?f=json", short), 403, "insufficient_scope", "longer than this API key")

    def test_lists_hold_what_the_key_may_see(self):
        def seen(key):
            return [(one["id"], one["raw_token"]) for one in self.get("/v1/connections", key).json["connections"]]

        both = self.make("--connection", "spare")["key"]
        self.assertEqual(seen(both), [("jobs", True), ("spare", True)])
        self.assertEqual(seen(self.make("--method", "GET")["key"]), [("jobs", False)])

    def test_a_publishable_key_only_reads_and_never_vends(self):
        made = self.make("--publishable", "--referrer", "https://app.example/maps")
        self.assertTrue(made["key"].startswith("gh_pk_"))
        path = self.proxied(self.stack.portal + "/sharing/rest/portals/self")
        page = {"Referer": "https://app.example/maps/1"}
        self.assertEqual(self.get(path + "?f=json", made["key"], **page).status, 200)
        self.refused(self.get(path, made["key"], method="POST", **page), 403, "insufficient_scope")
        self.refused(self.get(self.token_path(), made["key"], **page), 400, "invalid_scope", "through the proxy")
        # Anybody who reads the page holds it, and shall not end it for everybody.
        self.refused(self.get("/v1/key", made["key"], method="DELETE", **page), 403, "insufficient_scope", "administrator")
        self.assertEqual(self.get("/v1/key", made["key"], **page).status, 200)
        for referrer in ["https://app.example/mapsnot", "https://evil.example/", "nonsense"]:
            answer = self.get(path, made["key"], Referer=referrer)
            self.refused(answer, 403, "referrer_not_allowed")
        self.refused(self.get(path, made["key"]), 403, "referrer_not_allowed")
        said = self.stack.cli(
            "key", "create", "--client", self.client["client_id"], "--name", "Wrong", "--connection", "jobs",
            "--publishable", "--method", "POST", expect=64)
        self.assertIn("only reads", said)

    def test_what_is_no_key_is_refused_without_a_look_up(self):
        key = self.make()["key"]
        changed = key[:50] + ("A" if key[50] != "A" else "B") + key[51:]
        for wrong in [key[:-1], key + "0", changed, "gh_sk_", "gh_", key.upper(), "x" * 5000]:
            self.refused(self.get("/v1/key", wrong), 401, "invalid_token", "no API key")
        self.refused(Browser().get(self.stack.url + "/v1/key"), 401, "invalid_token")
        for parameter in ["token", "api_key", "key"]:
            answer = Browser().get(f"{self.stack.url}{self.token_path()}&{parameter}={key}")
            self.refused(answer, 400, "invalid_request", "does not belong in a URL")
        both = {"X-API-Key": key, "Authorization": f"Bearer {key}"}
        self.refused(Browser().get(self.stack.url + "/v1/key", headers=both), 400, "invalid_request", "one API key")
        # A field of this name that is meant for somebody else does not stand in a token's way.
        access = self.stack.token(self.client, grant_type="client_credentials").json["access_token"]
        other = {"X-API-Key": "of-another-service", "Authorization": f"Bearer {access}"}
        self.assertEqual(Browser().get(self.stack.url + "/v1/connections", headers=other).status, 200)

    def test_an_end_of_a_key_is_told_to_its_holder_alone(self):
        made = self.make()
        self.assertEqual(self.get("/v1/key", made["key"]).status, 200)
        self.stack.cli("key", "revoke", made["id"])
        self.refused(self.get("/v1/key", made["key"]), 401, "invalid_token", "was revoked")
        self.refused(self.get(self.token_path(), made["key"]), 401, "invalid_token", "was revoked")
        old = self.make()
        self.stack.query("UPDATE api_key_slot SET expires_at = 1 WHERE key_id = ?", old["id"])
        time.sleep(1)
        self.refused(self.get("/v1/key", old["key"]), 401, "invalid_token", "has expired")

    def test_its_holder_can_end_it(self):
        made = self.make()
        self.assertEqual(self.get("/v1/key", made["key"], method="DELETE").status, 204)
        self.refused(self.get("/v1/key", made["key"]), 401, "invalid_token", "was revoked")

    def test_a_key_comes_from_its_networks_alone(self):
        self.refused(self.get("/v1/key", self.make("--network", "192.0.2.0/24")["key"]), 403, "network_not_allowed")
        self.assertEqual(self.get("/v1/key", self.make("--network", "127.0.0.0/8")["key"]).status, 200)

    def test_quotas_end_and_outlive_a_restart(self):
        minute = self.make("--per-minute", "3")["key"]
        answers = [self.get("/v1/key", minute) for _ in range(8)]
        # A minute may end in between.
        self.assertLessEqual([one.status for one in answers].count(200), 6)
        self.refused(answers[-1], 429, "slow_down", "3 times a minute")
        self.assertLessEqual(int(answers[-1].headers["retry-after"]), 60)
        made = self.make("--per-day", "2")
        self.assertEqual([self.get("/v1/key", made["key"]).status for _ in range(3)], [200, 200, 429])
        self.stack.restart()
        self.refused(self.get("/v1/key", made["key"]), 429, "slow_down", "2 times a day")
        time.sleep(1.5)
        shown = json.loads(self.stack.cli("key", "show", made["id"]))
        self.assertEqual([(day["calls"], day["refusals"]) for day in shown["uses"]], [(2, 2)])
        self.assertTrue(shown["slots"][0]["last_used_at"])

    def test_one_secret_follows_the_other_without_a_gap(self):
        made = self.make()
        following = json.loads(self.stack.cli("key", "next", made["id"], "--json"))
        self.assertEqual(following["slot"], 2)
        for key in [made["key"], following["key"]]:
            self.assertEqual(self.get("/v1/key", key).status, 200)
        self.assertIn("Both secrets", self.stack.cli("key", "next", made["id"], expect=1))
        self.stack.cli("key", "revoke", made["id"], "--slot", "1")
        self.refused(self.get("/v1/key", made["key"]), 401, "invalid_token", "was revoked")
        self.assertEqual(self.get("/v1/key", following["key"]).status, 200)
        third = json.loads(self.stack.cli("key", "next", made["id"], "--json"))
        self.assertEqual(third["slot"], 1)
        self.refused(self.get("/v1/key", made["key"]), 401, "invalid_token", "no such API key")
        self.assertEqual(self.get("/v1/key", third["key"]).status, 200)

    def test_a_key_ends_with_its_client(self):
        other = json.loads(self.stack.cli(
            "client", "create", "--name", "Other", "--type", "confidential", "--grant", "client_credentials", "--scope",
            "vend", "--connection", "jobs", "--json"))
        key = json.loads(self.stack.cli(
            "key", "create", "--client", other["client_id"], "--name", "k", "--connection", "jobs", "--json"))["key"]
        self.assertEqual(self.get(self.token_path(), key).status, 200)
        self.stack.cli("client", "disable", other["client_id"])
        self.refused(self.get(self.token_path(), key), 401, "invalid_token")
        self.stack.cli("client", "delete", other["client_id"], "--yes")
        self.refused(self.get(self.token_path(), key), 401, "invalid_token", "no such API key")

    def test_what_a_key_cannot_be_for_is_said_at_once(self):
        self.stack.add_demo()
        for options, words in [
                (["--connection", "demo"], "may not use"), (["--connection", "nowhere"], "may not use"),
                (["--days", "400"], "1 to 365"), (["--network", "many"], "must be a network"),
                (["--method", "BREW"], "no method")]:
            said = self.stack.cli(
                "key", "create", "--client", self.client["client_id"], "--name", "Wrong", "--connection", "jobs",
                *options, expect=64)
            self.assertIn(words, said)

    def test_no_key_is_kept_or_written_down(self):
        key = self.make()["key"]
        self.get(self.token_path(), key)
        self.get(self.token_path(), key[:-1])
        for file in [self.stack.log_path, *self.stack.data.glob("gatehouse.db*")]:
            self.assertNotIn(key[39:60].encode(), file.read_bytes(), str(file))


if __name__ == "__main__":
    unittest.main()
