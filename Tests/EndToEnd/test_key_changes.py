"""What an API key is for is changed while it is in use, and why it gets something or not is told beforehand."""

import json
import subprocess
import time
import unittest
import urllib.parse

from chromium import Chromium
from stack import ADMINISTRATOR, Browser, Stack, program, until

SECRET = "gatehouse-demo-secret"


class KeyChanges(unittest.TestCase):
    def setUp(self):
        self.stack = Stack(simulator_options=["--client-secret", f"gatehouse-demo:{SECRET}"]).start()
        self.addCleanup(self.stack.close)
        self.stack.set_up()
        file = self.stack.directory / "secret"
        file.write_text(SECRET + "\n")
        file.chmod(0o600)
        self.stack.cli(
            "connection", "create", "--id", "jobs", "--name", "Nightly jobs", "--kind", "oauthApplication",
            "--portal-url", self.stack.portal, "--client-id", "gatehouse-demo", "--client-secret-file", str(file), "--json")
        self.client = self.stack.add_client(connection="jobs")["client_id"]
        self.url = self.stack.portal + "/sharing/rest/portals/self"
        self.made = self.make("Night")
        self.key = self.made["id"]

    def make(self, name, *options):
        return json.loads(self.stack.cli(
            "key", "create", "--client", self.client, "--name", name, "--connection", "jobs", "--json", *options))

    def take(self):
        query = urllib.parse.urlencode({"resource": self.url})
        return Browser().get(f"{self.stack.url}/v1/token?{query}", headers={"X-API-Key": self.made["key"]})

    def edit(self, *options):
        return json.loads(self.stack.cli("key", "edit", self.key, "--json", *options))

    def why(self, *options, expect=0, key=None):
        """The verdict, and the steps as questions with their answers."""
        words = ["why", "--key", key or self.key, "--url", self.url, *options]
        if expect not in (0, 2):
            return self.stack.cli(*words, expect=expect)
        done = subprocess.run(
            [program("gatehouse"), *words, "--json"], env=self.stack.environment, cwd=self.stack.directory,
            capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def changes(self):
        rows = self.stack.query("SELECT detail FROM audit WHERE name = 'api_key_updated' ORDER BY id")
        return [row[0].removeprefix(f"{self.key}: ") for row in rows]

    def test_a_change_by_the_command_line_holds_at_once(self):
        self.assertTrue(self.take().json["access_token"])
        shown = self.edit("--name", "Day", "--method", "get", "--network", "127.0.0.0/8", "--per-day", "100")
        self.assertEqual((shown["name"], shown["methods"], shown["networks"]), ("Day", ["GET"], ["127.0.0.0/8"]))
        self.assertEqual(shown["connections"], ["jobs"])
        self.assertEqual(self.take().json["proxy_reason"], "api_key_scope")
        self.edit("--method", "any", "--network", "192.0.2.0/24")
        self.assertEqual((self.take().status, self.take().json["error"]), (403, "network_not_allowed"))
        shown = self.edit("--network", "any", "--per-day", "any", "--per-minute", "1000")
        self.assertEqual((shown["networks"], shown["per_day"], shown["per_minute"]), ([], None, 1000))
        self.assertTrue(self.take().json["access_token"], "with the secret that it had from the beginning")
        self.edit("--referrer", "https://app.example")
        self.assertEqual(self.take().json["error"], "referrer_not_allowed")
        self.assertEqual(self.changes(), [
            "name, methods, networks, calls a day any to 100", "methods, networks",
            "networks, calls a minute any to 1000, calls a day 100 to any", "referrers"])
        with self.subTest("and nothing is changed by what cannot be"):
            for options, words in [
                    (["--connection", "nowhere"], "may not use"), (["--network", "many"], "must be a network"),
                    (["--method", "BREW"], "no method"), (["--per-day", "0"], "at least 1"), (["--name", ""], "name")]:
                self.assertIn(words, self.stack.cli("key", "edit", self.key, *options, expect=64))
            self.stack.cli("key", "revoke", self.key)
            self.assertIn("was revoked before", self.stack.cli("key", "edit", self.key, "--name", "Late", expect=1))
            self.assertEqual(len(self.changes()), 4)

    def calls(self):
        return sum(day["calls"] for day in json.loads(self.stack.cli("key", "show", self.key))["uses"])

    def test_why_says_what_a_key_would_get(self):
        told = self.why()
        self.assertTrue(told["granted"])
        self.assertEqual(told["key_id"], self.key)
        self.assertIn("gets a token", told["steps"][-1]["finding"])
        self.assertEqual(self.take().status, 200)
        self.edit("--method", "GET", "--network", "192.0.2.0/24", "--per-minute", "5")
        self.assertIn("api_key_scope", self.why()["steps"][-1]["finding"])
        self.assertEqual(self.why("--method", "POST", expect=2)["error"], "insufficient_scope")
        self.assertTrue(self.why("--from", "192.0.2.7", key="Night")["granted"])
        self.assertEqual(self.why("--from", "127.0.0.1", expect=2)["error"], "network_not_allowed")
        self.assertEqual(self.why(key="Nobody", expect=2)["error"], "invalid_token")
        self.assertIn("begins with key_", self.why(key=self.made["key"], expect=1))
        for wrong in [["--client", "x"], ["--user", "x"]]:
            self.assertIn("exclude each other", self.why(*wrong, expect=64))
        self.assertIn("--client or --key", self.stack.cli("why", "--url", self.url, expect=64))
        # To be told why is no use of the key; what was one is written down within a second.
        self.assertTrue(until(lambda: self.calls() == 1, 5), self.calls())
        time.sleep(1)
        self.assertEqual(self.calls(), 1)
        self.stack.cli("key", "revoke", self.key)
        self.assertIn("was revoked", self.why(expect=2)["steps"][-1]["finding"])

    def see(self, name, *words):
        for word in words:
            self.assertIn(word.lower(), self.chromium.text.lower(), f"{name}: {self.chromium.url}")
        self.assertEqual(self.chromium.photograph(name), 0, f"{name} is wider than the window")
        self.assertEqual(self.chromium.complaints(), [], name)

    def test_a_change_in_the_dashboard_holds_at_once(self):
        self.chromium = Chromium(runs_scripts=False)
        self.addCleanup(self.chromium.close)
        chromium = self.chromium
        chromium.open(self.stack.url + "/admin")
        chromium.fill("username", ADMINISTRATOR[0])
        chromium.fill("password", ADMINISTRATOR[1])
        chromium.follow(chromium.find("form button"))
        chromium.open(f"{self.stack.url}/admin/clients/{self.client}/keys")
        self.see("admin-client-keys", "Change", "Ask why")
        chromium.follow(chromium.find(f"a[href$='{self.key}/edit']"))
        self.see("admin-client-key-edit", "Change Night", "Only by these methods")
        chromium.fill("name", "Day")
        chromium.fill("method", "get, head")
        chromium.fill("network", "many")
        chromium.press("Save changes")
        self.see("admin-client-key-edit-error", "Nothing was changed yet", "many is no network")
        chromium.fill("network", "127.0.0.0/8")
        chromium.press("Save changes")
        self.see("admin-client-keys-changed", "Day", "GET, HEAD", "127.0.0.0/8")
        self.assertEqual(self.take().json["proxy_reason"], "api_key_scope")
        self.assertEqual(self.changes(), ["name, methods, networks"])
        chromium.follow(chromium.find(f"a[href*='why?key={self.key}']"))
        chromium.fill("url", self.url)
        chromium.fill("from", "192.0.2.7")
        chromium.press("Ask")
        self.see("admin-why-key", "It would be refused", "network_not_allowed", "192.0.2.7 is in none of its networks")


if __name__ == "__main__":
    unittest.main()
