"""A probe says what real servers demand: Apache's authentication and certificates, and a portal with a federated server."""

import json
import unittest

from apache import CA, REALM, Apache
from stack import Browser, Stack


class Probe(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.apache = Apache()
        cls.addClassCleanup(cls.apache.close)
        cls.stack = Stack()
        cls.addClassCleanup(cls.stack.close)
        cls.stack.start()
        cls.stack.add_demo()
        cls.client = cls.stack.add_client()

    def probe(self, url, *options):
        return json.loads(self.stack.cli("probe", url, "--json", *options))

    def words(self, url):
        return self.stack.cli("probe", url)

    def network(self, door, path="/open/data.json", trusts=False):
        options = ["--authority", str(self.apache.authority)] if trusts else []
        answer = self.probe(self.apache.url(door, path), *options)
        self.assertEqual(answer["challenge"], "network", answer)
        self.assertEqual(answer["connections"], [])
        return answer["network"]

    def ask(self, url, token=None):
        token = token or self.stack.token(self.client, grant_type="client_credentials", scope="vend").json["access_token"]
        return Browser().request(
            "POST", self.stack.url + "/v1/probe", json.dumps({"url": url}),
            {"Content-Type": "application/json", "Authorization": f"Bearer {token}"})

    # Apache.

    def test_nothing(self):
        url = self.apache.url("http", "/open/data.json")
        self.assertEqual(self.probe(url), {"url": url, "challenge": "none", "connections": []})
        self.assertIn("No connection is needed.", self.words(url))

    def test_basic_over_plain_http_is_named_and_not_recommended(self):
        self.assertEqual(
            self.network("http", "/basic/data.json"),
            {"demands": "authentication", "best": None, "offers": [{"scheme": "basic", "realm": REALM}]})
        words = self.words(self.apache.url("http", "/basic/data.json"))
        self.assertIn(f'asks for Basic (realm "{REALM}")', words)
        self.assertIn("None of that may be used", words)

    def test_digest(self):
        self.assertEqual(
            self.network("http", "/digest/data.json"),
            {"demands": "authentication", "best": "digest", "offers": [{"scheme": "digest", "realm": REALM}]})

    def test_a_proxy_that_sends_people_to_sign_in(self):
        answer = self.probe(self.apache.url("http", "/proxied/data.json"))
        self.assertEqual((answer["challenge"], answer["iap"]), ("iap", {"host": "login.example.org"}))

    def test_certificates_that_are_not_trusted(self):
        for door, trusts, reason in [
            ("https", False, "unknown_authority"), ("https_self_signed", True, "unknown_authority"),
            ("https_expired", True, "expired"), ("https_other_host", True, "other_host"),
        ]:
            with self.subTest(door):
                self.assertEqual(self.network(door, trusts=trusts), {"demands": "server_trust", "reason": reason})
        self.assertIn("no authority known here has signed it", self.words(self.apache.url("https_self_signed")))

    def test_what_lies_behind_a_certificate_that_the_administrator_trusts(self):
        self.assertEqual(self.network("https", "/basic/data.json", trusts=True)["best"], "basic")
        authority = ["--authority", str(self.apache.authority)]
        self.assertEqual(self.probe(self.apache.url("https", "/open/data.json"), *authority)["challenge"], "none")
        missing = self.stack.cli("probe", self.apache.url("https"), "--authority", "/nowhere.pem", expect=1)
        self.assertIn("cannot be reached", missing)

    def test_a_client_certificate_in_the_handshake_and_after_it(self):
        demanded = {"demands": "client_certificate", "authorities": [f"CN={CA}"]}
        for door, path in [("https_certificate", "/open/data.json"), ("https", "/certificate/data.json")]:
            for _ in range(2):
                self.assertEqual(self.network(door, path, trusts=True), demanded, door)
        words = self.stack.cli("probe", self.apache.url("https_certificate"), "--authority", str(self.apache.authority))
        self.assertIn(f"asks for a client certificate of CN={CA}.", words)
        self.assertIn("gatehouse connection create --kind certificate --url", words)

    def test_nothing_that_could_be_a_credential_is_sent(self):
        self.probe(self.apache.url("http", "/basic/data.json?once"))
        lines = [line for line in self.apache.requests if "?once" in line]
        self.assertEqual(len(lines), 1)
        self.assertTrue(lines[0].endswith(" 401 - -"), lines[0])

    # ArcGIS.

    def test_a_federated_server_is_met_by_the_connection_to_its_portal(self):
        self.stack.reset_counters()
        answer = self.probe(self.stack.layer)
        self.assertEqual(answer["challenge"], "arcgis")
        self.assertEqual(
            answer["arcgis"], {
                "portal": self.stack.portal, "sign_in": "oauth",
                "token_service": self.stack.portal + "/sharing/rest/generateToken"})
        self.assertEqual([one["id"] for one in answer["connections"]], ["demo"])
        self.assertLessEqual(sum(self.stack.counters().values()), 5)
        self.assertIn("It can be met by the connection demo (Demo portal).", self.words(self.stack.layer))

    def test_a_public_service_and_a_server_that_no_connection_covers(self):
        self.assertEqual(self.probe(self.stack.layer.replace("Traffic", "Roads"))["challenge"], "none")
        elsewhere = f"http://server.localhost:{self.stack.simulator_port}/maps/rest/services/Traffic/FeatureServer/0"
        self.stack.cli("connection", "disable", "demo")
        try:
            words = self.words(elsewhere)
        finally:
            self.stack.cli("connection", "enable", "demo")
        self.assertIn(f"gatehouse connection create --kind oauthUser --portal-url {self.stack.portal}", words)
        root = elsewhere.partition("/rest/")[0]
        self.assertIn(f"--resource {root} --id", words, "the server alone, not its whole host")

    def test_what_the_portal_answers_to_a_dead_or_forbidden_token_asks_for_a_token(self):
        for kind, value in [("refuse", 0), ("status", 403)]:
            with self.subTest(kind):
                self.stack.fault(endpoint="server.layer", kind=kind, value=value)
                try:
                    self.assertEqual(self.probe(self.stack.layer)["challenge"], "arcgis")
                finally:
                    self.stack.clear_faults()

    # Apps.

    def test_an_app_is_told_of_what_its_connections_cover_and_of_nothing_private(self):
        answer = self.ask(self.stack.layer)
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual([one["id"] for one in answer.json["connections"]], ["demo"])
        before = len(self.apache.requests)
        for url in [self.apache.url("http", "/basic/data.json"), self.apache.url("https"), "http://169.254.169.254/"]:
            refused = self.ask(url)
            self.assertEqual((refused.status, refused.json["error"]), (400, "invalid_target"), refused.text)
        self.assertEqual(len(self.apache.requests), before)
        self.assertEqual(self.ask(self.stack.layer, token="x").status, 401)

    # The command line.

    def test_what_cannot_be_probed_says_why(self):
        self.assertIn("is no plain http or https URL", self.stack.cli("probe", "ftp://x", expect=64))
        gone = self.stack.cli("probe", "http://localhost:1/", expect=1)
        self.assertIn("http://localhost:1 cannot be reached", gone)



if __name__ == "__main__":
    unittest.main()
