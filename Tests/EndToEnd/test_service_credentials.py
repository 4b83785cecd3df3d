"""Credentials that are no person's: an application of a portal and an API key, made in a real browser without scripts."""

import json
import time
import unittest

from selenium.webdriver.support.ui import Select

from chromium import Chromium
from stack import ADMINISTRATOR, Browser, Stack

SECRET = "gatehouse-demo-secret"


class ServiceCredentials(unittest.TestCase):
    def setUp(self):
        self.stack = Stack(simulator_options=["--client-secret", f"gatehouse-demo:{SECRET}"]).start()
        self.addCleanup(self.stack.close)
        self.chromium = Chromium(runs_scripts=False)
        self.addCleanup(self.chromium.close)
        self.chromium.open(self.stack.setup_link())
        self.chromium.fill("username", ADMINISTRATOR[0])
        self.chromium.fill("display_name", "Root")
        self.chromium.fill("password", ADMINISTRATOR[1])
        self.chromium.fill("password_again", ADMINISTRATOR[1])
        self.chromium.press("Create")

    def see(self, name, *words):
        for word in words:
            self.assertIn(word.lower(), self.chromium.text.lower(), f"{name}: {self.chromium.url}")
        self.assertEqual(self.chromium.photograph(name), 0, f"{name} is wider than the window")
        self.assertEqual(self.chromium.complaints(), [], name)

    def begin(self, kind, name, identifier):
        chromium = self.chromium
        chromium.open(self.stack.url + "/admin/connections/new")
        Select(chromium.find("#kind")).select_by_value(kind)
        chromium.fill("name", name)
        chromium.fill("id", identifier)
        chromium.fill("portal_url", self.stack.portal)

    def vended(self, connection):
        """What a client that acts for itself gets."""
        client = self.stack.add_client(connection=connection)
        access = self.stack.token(client, grant_type="client_credentials").json["access_token"]
        return self.stack.vend(access)

    def test_an_application(self):
        self.begin("oauthApplication", "Nightly jobs", "jobs")
        self.chromium.fill("client_id", "gatehouse-demo")
        self.chromium.fill("client_secret", "wrong")
        self.chromium.press("Add connection")
        self.see("admin-application-error", "Invalid client_secret")
        self.chromium.fill("client_secret", SECRET)
        self.chromium.press("Add connection")
        self.see("admin-application", "The connection was added", "acts for no person", "owner of the application")
        vended = self.vended("jobs")
        self.assertEqual(vended.status, 200, vended.text)
        self.assertIn("fields", self.stack.call(vended))
        self.stack.age_credentials()
        again = self.vended("jobs")
        self.assertNotEqual(again.json["access_token"], vended.json["access_token"])
        self.assertIn("fields", self.stack.call(again))

    def test_a_key(self):
        self.begin("apiKey", "Geocoding", "keys")
        self.chromium.fill("token", "AAPKretired")
        self.chromium.fill("expires", "2099-12-31 14:30")
        self.see("admin-key-new", "Services that the key is for")
        self.chromium.press("Add connection")
        self.see("admin-key-error", "of the retired kind")
        self.chromium.fill("token", self.key())
        self.chromium.fill("resources", self.stack.portal)
        self.chromium.press("Add connection")
        self.see("admin-key", "The connection was added", "Replace the key", "owner of the key", "API key, ends ")
        vended = self.vended("keys")
        self.assertEqual(vended.status, 200, vended.text)
        second = self.key()
        file = self.stack.directory / "key"
        file.write_text(second + "\n")
        file.chmod(0o600)
        end = time.strftime("%Y-%m-%d %H:%M", time.gmtime(time.time() + 86400))
        self.stack.cli("connection", "replace-key", "keys", "--key-file", str(file), "--key-expires", end)
        self.assertEqual(self.vended("keys").json["access_token"], second)
        files = [self.stack.log_path, *self.stack.data.glob("gatehouse.db*")]
        for key in [second, vended.json["access_token"]]:
            for file in files:
                self.assertNotIn(key.encode(), file.read_bytes(), str(file))

    def key(self):
        """A long-lived token of the application, which is what an API key is."""
        form = {
            "f": "json", "grant_type": "client_credentials", "client_id": "gatehouse-demo", "client_secret": SECRET,
            "expiration": "20160"}
        return json.loads(Browser().post(self.stack.portal + "/sharing/rest/oauth2/token", form).text)["access_token"]


if __name__ == "__main__":
    unittest.main()
