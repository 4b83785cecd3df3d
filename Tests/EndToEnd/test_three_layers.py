"""A service behind a client certificate, an application proxy and ArcGIS, from its address to its answer."""

import json
import unittest
import urllib.parse

from apache import Apache
from certificates import Certificates
from chromium import Chromium
from stack import TENANT, Stack, curl

PASSPHRASE = "a passphrase of Ana's"


class ThreeLayers(unittest.TestCase):
    def setUp(self):
        self.stack = stack = Stack()
        self.addCleanup(stack.close)
        self.apache = Apache(behind=stack.simulator_port)
        self.addCleanup(self.apache.close)
        self.files = Certificates(self.apache.directory)
        self.front = self.apache.url("https").rstrip("/")
        self.layer = self.front + "/server/rest/services/Traffic/FeatureServer/0"
        self.login = f"http://login.localhost:{stack.simulator_port}"
        stack.environment["GATEHOUSE_AUTHORITIES"] = str(self.apache.authority)
        stack.simulator_options = [
            "--published", f"{self.front.removeprefix('https://')}=apps.localhost:{stack.simulator_port}",
            *(word for name in ("entra", "maps") for word in ("--client", f"{name}-app:{stack.url}/callback/{name}"))]
        stack.stop_simulator()
        stack.start_simulator()
        stack.start()
        stack.set_up()
        stack.add_demo()
        self.add_connections()
        self.client = stack.add_client(*(word for id in ("pki", "entra", "maps") for word in ("--connection", id)))
        self.chromium = Chromium(runs_scripts=False, trusts_everybody=True)
        self.addCleanup(self.chromium.close)

    def add_connections(self):
        cli, root = self.stack.cli, f"{self.login}/{TENANT}/oauth2/v2.0"
        file = self.stack.directory / "iap.json"
        file.write_text(json.dumps({
            "authorize_url": root + "/authorize", "token_url": root + "/token", "logout_url": root + "/logout",
            "client_id": "entra-app", "redirect_url": "city://back", "scope": ["openid", "profile", "offline_access"],
            "hosts_behind_proxy": ["*.apps.city.example"]}))
        file.chmod(0o600)
        cli("connection", "create", "--id", "pki", "--name", "City network", "--kind", "certificate",
            "--url", self.layer, "--resource", self.front + "/server")
        cli("connection", "create", "--id", "entra", "--name", "City proxy", "--kind", "iap", "--config", str(file),
            "--resource", self.front)
        cli("connection", "create", "--id", "maps", "--name", "City maps", "--kind", "oauthUser", "--portal-url", self.front,
            "--client-id", "maps-app")

    def see(self, name, *words):
        for word in words:
            self.assertIn(word.lower(), self.chromium.text.lower(), f"{name}: {self.chromium.url}")
        self.assertEqual(self.chromium.photograph(name), 0, f"{name} is wider than the window")

    def test_from_the_address_to_the_answer(self):
        stack, chromium = self.stack, self.chromium
        chromium.open(stack.url + "/signin/demo")
        chromium.sign_in_at_portal()
        chromium.wait_for("/account")
        chromium.open(stack.url + "/connect?" + urllib.parse.urlencode({"resource": self.layer}))
        self.see("layers-network", "client certificate", "City network")
        chromium.press("Continue to City network")
        self.files.file(PASSPHRASE)
        file = self.files.folder / "made.p12"
        chromium.driver.find_element("css selector", "[name=file]").send_keys(str(file))
        chromium.fill("passphrase", PASSPHRASE)
        chromium.press("Connect")
        self.see("layers-proxy", "asks for your sign-in at login.localhost")
        chromium.press("Continue to City proxy")
        chromium.sign_in_at_portal()
        chromium.wait_for("/connect?ticket=")
        self.see("layers-portal", "an ArcGIS token of the portal")
        chromium.press("Continue to City maps")
        chromium.sign_in_at_portal()
        chromium.wait_for("/connect?ticket=")
        self.see("layers-ready", "localhost is ready")
        access = chromium.app_token(stack, self.client, allow=("pki", "entra", "maps"))["access_token"]
        vended = stack.vend(access, self.layer)
        self.assertEqual(vended.status, 200, vended.text)
        self.assertEqual(vended.json["proxy_reason"], "certificate")
        self.assertEqual(
            [one["name"] for one in vended.json["headers"]], ["Authorization", "X-Esri-Authorization"])
        self.assertIn("fields", curl(vended.json["proxy_url"] + "?f=json", {"Authorization": f"Bearer {access}"}))


if __name__ == "__main__":
    unittest.main()
