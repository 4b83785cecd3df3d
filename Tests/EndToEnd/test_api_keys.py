"""API keys: what the same URL answers to keys of different scope, and every way in which one is refused."""

import base64
import json
import threading
import time
import unittest
import urllib.parse
import zlib

from stack import Browser, Stack, until

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

    def test_the_same_list_holds_less_for_a_narrower_key(self):
        services, root = self.stack.portal + "/server/rest/services", self.stack.portal + "/sharing/rest"
        roads = self.make("--resource", services + "/Roads", "--resource", root + "/search", "--method", "GET")["key"]
        some = self.make("--resource", services + "/Roads", "--resource", services + "/Traffic/FeatureServer",
                         "--resource", services + "/Utilities/Geometry", "--method", "GET")["key"]
        wide = self.make("--method", "GET")["key"]
        directory = self.proxied(services)

        def named(key, path=directory, **parameters):
            answer = self.get(f"{path}?{urllib.parse.urlencode({'f': 'json', **parameters})}", key)
            self.assertEqual(answer.status, 200, answer.text)
            return [one["name"] for one in answer.json["services"]], answer.json["folders"]

        self.assertEqual(named(wide), (["Traffic", "Roads"], ["Utilities"]))
        self.assertEqual(named(some), (["Traffic", "Roads"], ["Utilities"]))
        self.assertEqual(named(roads), (["Roads"], []))
        self.assertEqual(named(roads, f="pjson"), (["Roads"], []))
        self.assertEqual(named(some, directory + "/Utilities"), (["Utilities/Geometry"], []))
        self.refused(self.get(directory + "/Utilities?f=json", roads), 403, "insufficient_scope")
        # Asked for in part or in another form, it would be passed on as it comes.
        whole = self.get(directory + "?f=json", roads)
        part = self.get(directory + "?f=json", roads, **{
            "Range": "bytes=0-9", "If-None-Match": "*", "Accept-Encoding": "gzip"})
        self.assertEqual((part.status, part.text), (200, whole.text))
        self.assertEqual(whole.headers["content-length"], str(len(whole.text)))
        post = self.make("--resource", services + "/Roads")["key"]
        head = self.get(directory + "?f=json", post, method="HEAD")
        self.assertEqual((head.status, head.headers["content-length"]), (200, str(len(whole.text))))
        for query in ["", "?f=html", "?f=json&f=html", "?f=json&callback=x", "?F=html&f=json"]:
            self.refused(self.get(directory + query, roads), 400, "invalid_request", "f=json")
        self.refused(self.get(directory + "?f=json", post, method="POST"), 400, "invalid_request", "by GET")
        self.assertEqual(self.get(directory + "?f=html", wide).status, 200)

    def test_a_search_finds_what_the_key_may_see(self):
        services, root = self.stack.server_root + "/rest/services", self.stack.portal + "/sharing/rest"
        search = self.proxied(root + "/search")
        users = self.proxied(root + "/content/users/simulator")
        keys = {
            "all": self.make("--method", "GET"),
            "roads": self.make("--resource", services + "/Roads", "--resource", root + "/search", "--resource",
                               root + "/content/groups"),
            "own": self.make("--resource", root + "/content/users/simulator"),
            "search": self.make("--resource", root + "/search"),
        }
        item = self.get(search + "?q=x&f=json", keys["all"]["key"]).json["results"][1]
        keys["item"] = self.make("--resource", f"{root}/content/items/{item['id']}", "--resource", root + "/search")

        def found(name, **parameters):
            answer = self.get(
                f"{search}?{urllib.parse.urlencode({'q': 'x', 'f': 'json', **parameters})}", keys[name]["key"])
            self.assertEqual(answer.status, 200, answer.text)
            told = answer.json
            return [one["title"] for one in told["results"]], told["total"], told["num"], told["nextStart"]

        self.assertEqual(found("all"), (["Traffic", "Traffic", "Roads"], 3, 3, -1))
        self.assertEqual(found("roads"), (["Roads"], 1, 1, -1))
        self.assertEqual(found("item"), (["Traffic"], 1, 1, -1))
        self.assertEqual(found("search"), ([], 0, 0, -1))
        # Pages are cut of what the key may see: how many there are beside that, and where, is not told.
        self.assertEqual(found("roads", num=2), (["Roads"], 1, 1, -1))
        self.assertEqual(found("roads", num=2, start=3), ([], 1, 0, -1))
        own = self.get(users + "?f=json", keys["own"]["key"]).json
        self.assertEqual(([one["title"] for one in own["items"]], own["total"]), (["Traffic", "Traffic"], 2))
        self.assertEqual([one["title"] for one in own["folders"]], ["Roads"])
        self.refused(self.get(users + "?f=json", keys["search"]["key"]), 403, "insufficient_scope")
        group = self.proxied(root + "/content/groups/0c9e8d7b6a5f4e3d2c1b0a9f8e7d6c5b") + "?f=json"
        counts = [self.get(group, keys[name]["key"]).json["total"] for name in ["all", "roads"]]
        self.assertEqual(counts, [2, 1])

    def test_a_list_that_cannot_be_read_is_not_passed_on(self):
        services = self.stack.portal + "/server/rest/services"
        directory, key = self.proxied(services), self.make("--resource", services + "/Roads")["key"]
        for kind in ["garbage", "html", "truncate"]:
            self.stack.fault(endpoint="server.services", kind=kind, times=1)
            self.refused(self.get(directory + "?f=json", key), 502, "upstream_error")
        self.assertEqual(self.get(directory + "?f=json", key).status, 200)

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
        escaped = key.replace("g", "%67", 1)
        for place in [f"?{key}", f"?a={escaped}", f"?q=a%20{key}", f"/{key}?a=b"]:
            answer = self.get(self.proxied(self.stack.portal + "/sharing/rest/search") + place, key)
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

    def verify(self, items, client=None, **body):
        client = client or self.client
        return Browser().request(
            "POST", self.stack.url + "/v1/keys/verify", body=json.dumps({"keys": items, **body}).encode(),
            headers={"Content-Type": "application/json", "Authorization": self.basic(client)})

    @staticmethod
    def basic(client):
        pair = f"{client['client_id']}:{client['client_secret']}"
        return "Basic " + base64.b64encode(pair.encode()).decode()

    def test_resource_servers_ask_which_keys_count(self):
        services = f"{self.stack.portal}/server/rest/services/Roads"
        made = self.make(
            "--resource", services, "--method", "GET", "--referrer", "https://app.example", "--network", "192.0.2.0/24")
        key, gone, old, used = made["key"], self.make(), self.make(), self.make("--per-day", "1")
        self.stack.cli("key", "revoke", gone["id"])
        self.assertEqual([self.get("/v1/key", used["key"]).status for _ in range(2)], [200, 429])
        self.stack.query("UPDATE api_key_slot SET expires_at = 1 WHERE key_id = ?", old["id"])
        time.sleep(1.5)
        never = f"gh_sk_{'0' * 32}_{'A' * 43}_"
        never += f"{zlib.crc32(never.encode()):08x}"
        rows = "SELECT (SELECT count(*) FROM audit), (SELECT sum(calls + refusals) FROM api_key_day)"
        before = self.stack.query(rows)
        asked = [
            ({}, None), ({"url": services + "/MapServer", "method": "GET"}, None), ({"method": "POST"}, "insufficient_scope"),
            ({"url": self.stack.portal + "/sharing/rest"}, "insufficient_scope"), ({"url": "no URL"}, "insufficient_scope"),
            ({"referrer": "https://app.example/1"}, None), ({"referrer": None}, "referrer_not_allowed"),
            ({"referrer": "https://evil.example"}, "referrer_not_allowed"), ({"ip": "192.0.2.9"}, None),
            ({"ip": "198.51.100.1"}, "network_not_allowed"), ({"ip": "here"}, "network_not_allowed"),
        ]
        answer = self.verify([{"key": key, **context} for context, _ in asked])
        self.assertEqual(answer.status, 200, answer.text)
        for (context, reason), told in zip(asked, answer.json["keys"], strict=True):
            self.assertEqual((told["active"], told.get("reason")), (reason is None, reason), context)
            self.assertEqual((told["id"], told["scope"]["resources"]), (made["id"], [services]))
        others = [gone["key"], old["key"], used["key"], never, key[:-1], "garbage", ""]
        answer = self.verify([{"key": text} for text in others])
        self.assertEqual(
            [told["reason"] for told in answer.json["keys"]], ["revoked", "expired", "slow_down"] + 4 * ["unknown"])
        self.assertEqual(answer.json["keys"][3:], 4 * [{"active": False, "reason": "unknown"}])
        self.assertNotIn("gh_", answer.text)
        self.assertEqual(self.stack.query(rows), before)
        # Another client learns nothing of them.
        other = json.loads(self.stack.cli(
            "client", "create", "--name", "Stranger", "--type", "confidential", "--grant", "client_credentials", "--scope",
            "vend", "--connection", "jobs", "--json"))
        self.assertEqual(self.verify([{"key": key}], other).json["keys"], [{"active": False, "reason": "unknown"}])
        self.refused(self.verify([{"key": key}], {**other, "client_secret": "wrong"}), 401, "invalid_client")
        for items in [[], [{"key": "x"}] * 101, "x", [{"key": 1}], [{"key": "x", "adress": "y"}], [{"key": "x", "ip": 1}]]:
            self.refused(self.verify(items), 400, "invalid_request")
        self.assertEqual(self.verify([{"key": "x" * 5000}] * 100).status, 200)
        self.refused(self.verify([{"key": "x" * 6000}] * 100), 400, "invalid_request", "longer than")

    def exchange(self, key, body=None, **headers):
        return Browser().request(
            "POST", self.stack.url + "/v1/key/tokens", body=json.dumps(body).encode() if body is not None else None,
            headers={"X-API-Key": key, "Content-Type": "application/json", **headers})

    def child(self, key, body=None):
        answer = self.exchange(key, body)
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json["token"]

    def test_a_key_is_exchanged_for_a_token_that_is_for_less(self):
        root = self.stack.portal + "/sharing/rest"
        made = self.make("--method", "GET", "--method", "POST", "--resource", root, "--network", "127.0.0.0/8")
        path, other = self.proxied(root + "/portals/self"), self.proxied(root + "/community/self")
        answer = self.exchange(made["key"], {
            "expires_in": 60, "scope": {"resources": [root + "/portals"], "methods": ["GET"]},
            "limits": {"referrers": ["https://app.example/maps"]}})
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual((answer.json["expires_in"], answer.json["scope"]["methods"]), (60, ["GET"]))
        token, page = answer.json["token"], {"Referer": "https://app.example/maps/1"}
        self.assertTrue(token.startswith("gh_ck_"))
        for headers in [{"X-API-Key": token}, {"Authorization": f"Bearer {token}"}]:
            called = Browser().get(self.stack.url + path + "?f=json", headers={**headers, **page})
            self.assertEqual(called.status, 200, called.text)
        self.assertEqual(self.get(other + "?f=json", made["key"]).status, 200)
        self.refused(self.get(other + "?f=json", token, **page), 403, "insufficient_scope")
        self.refused(self.get(path + "?f=json", token, method="POST", **page), 403, "insufficient_scope")
        self.refused(self.get(path + "?f=json", token), 403, "referrer_not_allowed")
        shown = self.get("/v1/key", token, **page).json
        self.assertEqual((shown["id"], shown["token"]["id"]), (made["id"], answer.json["id"]))
        self.assertNotIn("secrets", shown)
        self.assertLessEqual(shown["token"]["expires_in"], 60)
        # It makes no other, and ends nothing.
        self.refused(self.exchange(token, **page), 403, "insufficient_scope", "makes no other")
        self.refused(self.get("/v1/key", token, method="DELETE", **page), 403, "insufficient_scope")
        told = self.verify([{"key": token, "referrer": page["Referer"]}]).json["keys"][0]
        self.assertEqual((told["active"], told["id"], told["scope"]["methods"]), (True, made["id"], ["GET"]))
        # What was called with it says so.
        details = [row[0] for row in self.stack.query("SELECT detail FROM audit WHERE resource IS NOT NULL")]
        self.assertTrue(any(text.endswith(f"; by {made['id']}, {answer.json['id']}") for text in details), details)

    def test_a_token_of_a_key_is_never_for_more(self):
        root = self.stack.portal + "/sharing/rest"
        key = self.make("--method", "GET", "--resource", root, "--longest-answer", "1000", "--network", "127.0.0.0/8",
                        "--referrer", "https://app.example")["key"]
        page = {"Referer": "https://app.example/"}
        for wish, member in [
                ({"scope": {"connections": ["spare"]}}, "scope.connections"), ({"scope": {"connections": []}}, "scope.connections"),
                ({"scope": {"resources": [self.stack.portal]}}, "scope.resources"), ({"scope": {"resources": []}}, "scope.resources"),
                ({"scope": {"methods": ["GET", "POST"]}}, "scope.methods"), ({"scope": {"longest_answer": 1001}}, "longest_answer"),
                ({"limits": {"referrers": ["https://evil.example"]}}, "limits.referrers"),
                ({"limits": {"networks": ["0.0.0.0/0"]}}, "limits.networks")]:
            self.refused(self.exchange(key, wish, **page), 400, "invalid_scope", member)
        for wish in [{"expires_in": 3601}, {"expires_in": 0}, {"expires_in": "60"}, {"scopes": {}}, {"scope": {"method": ["GET"]}},
                     {"scope": {"methods": ["BREW"]}}, {"limits": {"networks": ["all"]}}, {"limits": {"per_day": 1}}, [], "x"]:
            self.refused(self.exchange(key, wish, **page), 400, "invalid_request")
        same = self.exchange(key, **page).json
        self.assertEqual(same["expires_in"], 900)
        shown = self.get("/v1/key", key, **page).json
        self.assertEqual((same["scope"], same["limits"]), (shown["scope"], shown["limits"]))
        self.assertEqual(self.exchange(key, {"scope": shown["scope"], "limits": shown["limits"]}, **page).status, 200)
        publishable = self.make("--publishable")["key"]
        self.refused(self.exchange(publishable), 403, "insufficient_scope", "secret keys")
        # Whatever is changed in it, it is none of ours.
        token = self.make()["key"]
        token = self.child(token)
        for wrong in [token[:-1], token + "A", token[:20] + ("A" if token[20] != "A" else "B") + token[21:], "gh_ck_", "gh_ck_a.b",
                      token.replace(".", "")]:
            self.refused(self.get("/v1/key", wrong), 401, "invalid_token")
        self.refused(Browser().get(f"{self.stack.url}{self.token_path()}&key={token}"), 400, "invalid_request", "URL")
        # A token ends in minutes, and what the upstream gave would not.
        told = self.get(self.token_path(), token)
        self.assertEqual((told.status, told.json.get("proxy_reason")), (200, "api_key_scope"), told.text)

    def test_a_token_ends_with_its_key(self):
        made = self.make("--per-day", "6")
        token = self.child(made["key"])
        self.assertEqual(self.get("/v1/key", token).status, 200)
        following = json.loads(self.stack.cli("key", "next", made["id"], "--json"))
        self.stack.cli("key", "revoke", made["id"], "--slot", "1")
        self.refused(self.get("/v1/key", token), 401, "invalid_token", "was revoked")
        later = self.child(following["key"])
        # The secret that follows in the slot is another one.
        self.stack.cli("key", "next", made["id"], "--json")
        self.refused(self.get("/v1/key", token), 401, "invalid_token", "no such API key")
        # Its calls are the key's.
        self.assertEqual([self.get("/v1/key", later).status for _ in range(4)], [200, 200, 200, 429])
        self.stack.cli("key", "revoke", made["id"])
        self.refused(self.get("/v1/key", later), 401, "invalid_token", "was revoked")
        short = self.child(self.make()["key"], {"expires_in": 1})
        time.sleep(1.5)
        self.refused(self.get("/v1/key", short), 401, "invalid_token", "has expired")
        other = json.loads(self.stack.cli(
            "client", "create", "--name", "Other", "--type", "confidential", "--grant", "client_credentials", "--scope",
            "vend", "--connection", "jobs", "--json"))
        key = json.loads(self.stack.cli(
            "key", "create", "--client", other["client_id"], "--name", "k", "--connection", "jobs", "--json"))["key"]
        token = self.child(key)
        self.stack.cli("client", "disable", other["client_id"])
        self.refused(self.get("/v1/key", token), 401, "invalid_token", "disabled")

    def test_keys_follow_each_other_under_load(self):
        """Whoever calls with the current key is never refused, nor is what is under way broken off."""
        path = self.proxied(self.stack.portal + "/sharing/rest/portals/self") + "?f=json"
        made = self.make("--method", "GET")
        current, stop, failed, rounds = [made["key"]], threading.Event(), [], [0] * 4

        def call(number):
            while not stop.is_set():
                key = current[0]
                answer = self.get(["/v1/key", path, self.token_path(), "/v1/connections"][number], key)
                if answer.status != 200:
                    failed.append((number, answer.status, answer.text))
                rounds[number] += 1

        def everybody_has_called(more):
            before = list(rounds)
            until(lambda: all(now >= then + more for now, then in zip(rounds, before)))

        callers = [threading.Thread(target=call, args=(number,)) for number in range(4)]
        for caller in callers:
            caller.start()
        try:
            for _ in range(3):
                everybody_has_called(3)
                following = json.loads(self.stack.cli("key", "next", made["id"], "--json"))
                current[0] = following["key"]
                everybody_has_called(2)
                self.stack.fault(endpoint="portals.self", kind="delay", value=400, times=1)
                time.sleep(0.1)
                self.stack.cli("key", "revoke", made["id"], "--slot", str(3 - following["slot"]))
            everybody_has_called(3)
        finally:
            stop.set()
            for caller in callers:
                caller.join()
        self.assertEqual(failed, [])

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
