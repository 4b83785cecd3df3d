"""The way through the layers of a URL, in a real browser: an application proxy and the portal behind it."""

import json
import unittest
import urllib.parse

from chromium import Chromium
from stack import TENANT, Browser, Stack, curl


class Challenge(unittest.TestCase):
    def setUp(self):
        self.stack = Stack().start()
        self.addCleanup(self.stack.close)
        port = self.stack.simulator_port
        self.login, self.apps = f"http://login.localhost:{port}", f"http://apps.localhost:{port}"
        self.layer = self.apps + "/server/rest/services/Traffic/FeatureServer/0"
        self.stack.stop_simulator()
        self.stack.simulator_options = [
            *(word for name in ("entra", "behind", "other")
              for word in ("--client", f"{name}-app:{self.stack.url}/callback/{name}"))]
        self.stack.start_simulator()
        self.stack.set_up()
        self.stack.add_demo()
        self.add_connections()
        self.client = self.stack.add_client("--connection", "entra", "--connection", "behind")
        self.chromium = Chromium(runs_scripts=False)
        self.addCleanup(self.chromium.close)

    def add_connections(self):
        root = f"{self.login}/{TENANT}/oauth2/v2.0"
        file = self.stack.directory / "iap.json"
        file.write_text(json.dumps({
            "authorize_url": root + "/authorize", "token_url": root + "/token", "logout_url": root + "/logout",
            "client_id": "entra-app", "redirect_url": "city://back", "scope": ["openid", "profile", "offline_access"],
            "hosts_behind_proxy": ["*.apps.city.example"]}))
        file.chmod(0o600)
        self.stack.cli(
            "connection", "create", "--id", "entra", "--name", "City proxy", "--kind", "iap", "--config", str(file),
            "--resource", self.apps, "--json")
        self.add_portal("behind", "City maps")

    def add_portal(self, name, title):
        self.stack.cli(
            "connection", "create", "--id", name, "--name", title, "--kind", "oauthUser", "--portal-url", self.apps,
            "--client-id", f"{name}-app", "--json")

    def see(self, name, *words):
        for word in words:
            self.assertIn(word.lower(), self.chromium.text.lower(), f"{name}: {self.chromium.url}")
        self.assertEqual(self.chromium.photograph(name), 0, f"{name} is wider than the window")
        self.assertEqual(self.chromium.complaints(), [], name)

    def challenge(self, url):
        return self.stack.url + "/connect?" + urllib.parse.urlencode({"resource": url})

    def sign_in(self):
        """A person with an account, connected to neither layer."""
        self.chromium.open(self.stack.url + "/signin/demo")
        self.chromium.sign_in_at_portal()
        self.chromium.wait_for("/account")

    def app_token(self):
        """What the app holds that the person lets use nothing yet but the demo portal."""
        return self.chromium.app_token(self.stack, self.client)["access_token"]

    def test_both_layers_one_after_another_and_the_headers_work(self):
        stack, chromium = self.stack, self.chromium
        chromium.open(self.challenge(self.layer))
        self.assertIn("/signin?ticket=challenge", chromium.url)
        self.sign_in()
        access = self.app_token()
        chromium.open(stack.url + "/connect")
        self.see("challenge-address", "Reach an address")
        chromium.fill("resource", self.layer)
        stack.reset_counters()
        chromium.press("Find out what it needs")
        self.see("challenge-proxy", "apps.localhost asks for your sign-in at login.localhost", "City proxy answers it")
        self.assertEqual(stack.counters(), {"apps": 1})
        chromium.press("Continue to City proxy")
        chromium.sign_in_at_portal()
        chromium.wait_for("/connect?ticket=")
        self.see("challenge-portal", "Signed in to City proxy as", f"an ArcGIS token of the portal {self.apps}")
        chromium.press("Continue to City maps")
        chromium.sign_in_at_portal()
        chromium.wait_for("/connect?ticket=")
        self.see("challenge-ready", "apps.localhost is ready", "Authorization", "X-Esri-Authorization")
        refused = stack.vend(access, self.layer)
        self.assertEqual(refused.json["error"], "interaction_required")
        chromium.open(refused.json["interaction_uri"])
        self.see("challenge-allow", "to use City proxy and City maps?")
        chromium.follow(chromium.find("button[value=allow]"))
        self.assertIn("gets this for the address", chromium.text)
        vended = stack.vend(access, self.layer)
        self.assertEqual(vended.status, 200, vended.text)
        headers = {one["name"]: one["value"] for one in vended.json["headers"]}
        self.assertEqual(list(headers), ["Authorization", "X-Esri-Authorization"])
        self.assertIn("fields", curl(self.layer + "?f=json", headers))
        self.check_layers(access)

    def check_layers(self, access):
        """An app that may use both learns both layers by one call, with five requests at most."""
        self.stack.reset_counters()
        answer = Browser().request(
            "POST", self.stack.url + "/v1/probe", json.dumps({"url": self.layer}),
            {"Content-Type": "application/json", "Authorization": f"Bearer {access}"}).json
        self.assertEqual(answer["challenge"], "iap")
        self.assertEqual(
            [(one["challenge"], one["state"], one["connections"][0]["id"]) for one in answer["layers"]],
            [("iap", "satisfied", "entra"), ("arcgis", "satisfied", "behind")])
        self.assertTrue(answer["answers"])
        self.assertLessEqual(self.stack.counters()["apps"], 5)

    def test_ways_out(self):
        stack, chromium = self.stack, self.chromium
        self.sign_in()
        access = self.app_token()
        link = stack.vend(access, self.layer).json["interaction_uri"]
        chromium.open(link)
        chromium.press("Continue without")
        self.see("challenge-skipped", "You go on without signing in", "is told so")
        told = stack.vend(access, self.layer).json
        self.assertEqual(told["error"], "upstream_error")
        self.assertIn("asks for your sign-in at login.localhost", told["error_description"])
        chromium.open(stack.vend(access, self.layer).json["interaction_uri"])
        chromium.press("Cancel")
        self.see("challenge-cancelled", "Cancelled", "access_denied")
        self.assertEqual(stack.vend(access, self.layer).json["error"], "access_denied")
        chromium.open(self.challenge(self.layer))
        self.assertNotIn("Try another way", chromium.text)

    def test_another_way_and_the_end_of_tries(self):
        stack, chromium = self.stack, self.chromium
        self.sign_in()
        self.add_portal("other", "Other maps")
        chromium.open(self.challenge(self.layer))
        chromium.press("Continue to City proxy")
        chromium.sign_in_at_portal()
        self.assertIn("Continue to City maps", chromium.text)
        chromium.press("Try another way")
        self.assertIn("Continue to Other maps", chromium.text)
        place = chromium.url
        for _ in range(4):
            chromium.press("Continue to Other maps")
            chromium.press("Cancel")
            self.assertIn("You cancelled the sign-in", chromium.text)
            chromium.press("Try again")
            self.assertEqual(chromium.url, place)
        self.see("challenge-exhausted", "Five sign-ins did not open it")


if __name__ == "__main__":
    unittest.main()
