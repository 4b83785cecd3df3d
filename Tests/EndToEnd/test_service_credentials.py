"""Credentials that are no person's: an application of a portal and an API key, made in a real browser without scripts."""

import json
import time
import unittest

from selenium.webdriver.support.ui import Select

from chromium import Chromium
from stack import ADMINISTRATOR, Browser, Stack

SECRET = "gatehouse-demo-secret"
KEY_SECRET = "key-item-secret"


class ServiceCredentials(unittest.TestCase):
    def setUp(self):
        self.stack = Stack(simulator_options=[
            "--client-secret", f"gatehouse-demo:{SECRET}", "--api-key", f"key-item:{KEY_SECRET}"]).start()
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

    def test_the_keys_of_a_client(self):
        chromium, stack = self.chromium, self.stack
        self.begin("oauthApplication", "Nightly jobs", "jobs")
        chromium.fill("client_id", "gatehouse-demo")
        chromium.fill("client_secret", SECRET)
        chromium.press("Add connection")
        client = stack.add_client(connection="jobs")["client_id"]

        def status(key):
            answer = Browser().get(stack.url + "/v1/key", headers={"X-API-Key": key})
            return answer.status, answer.json

        chromium.open(f"{stack.url}/admin/clients/{client}")
        chromium.press("API keys…")
        self.see("admin-keys-none", "There is none.", "New key")
        chromium.fill("name", "Tile cache")
        chromium.fill("resource", "not a place")
        chromium.press("Make a key")
        self.see("admin-keys-error", "No key was made", "not a place is no beginning of a URL")
        chromium.fill("resource", stack.portal + "/sharing/rest/portals")
        chromium.press("Make a key")
        self.see("admin-keys-error-again", "Name the connections that the key is for")
        chromium.find("input[name=connection]").click()
        chromium.find("input[name=method]").click()
        chromium.fill("per_day", "50")
        chromium.press("Make a key")
        self.see("admin-key-made", "Copy the key now", "Tile cache", "GET, HEAD", "50 a day", "Not used yet")
        first = chromium.find("#key").text
        self.assertEqual(status(first)[0], 200)
        chromium.press("Make the next secret")
        self.see("admin-key-next-secret", "Copy the key now", "Secret, slot 2")
        second = chromium.find("#key").text
        self.assertEqual((status(first)[0], status(second)[0]), (200, 200))
        chromium.press("I have copied it, hide it")
        self.assertNotIn(second, chromium.text)
        chromium.press("End this secret")
        self.see("admin-key-ended", "Secret, slot 1", "Ended")
        self.assertEqual((status(first)[0], status(second)[0]), (401, 200))
        chromium.press("Revoke the key")
        self.see("admin-key-revoked", "Revoked")
        self.assertIn("revoked", status(second)[1]["error_description"])
        chromium.open(stack.url + "/admin/audit")
        self.see("admin-audit-keys", "API key made", "Next secret of an API key made", "API key revoked")

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
        self.see("admin-key", "The connection was added", "Replace the key in use", "owner of the key", "API key, ends ")
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

    def test_both_slots_of_a_key(self):
        chromium = self.chromium
        first, second = self.made(1), self.made(2)
        self.begin("apiKey", "Geocoding", "keys")
        chromium.fill("token", first)
        chromium.fill("expires", self.days(20))
        chromium.fill("resources", self.stack.portal)
        chromium.press("Add connection")
        chromium.fill("token", first)
        chromium.fill("expires", self.days(60))
        chromium.press("Add as next key")
        self.see("admin-key-next-error", "This is the key in use")
        chromium.fill("token", second)
        chromium.press("Add as next key")
        self.see("admin-key-next", "Next key", "Slot 2", "Use it now", "Remove it")
        shown = json.loads(self.stack.cli("connection", "show", "keys", "--json"))
        self.assertEqual([(key["slot"], key["state"]) for key in shown["keys"]], [(1, "in_use"), (2, "next")])
        self.assertIn(self.days(60).replace(" ", "T"), shown["keys"][1]["expires_at"])
        self.assertEqual(self.vended("keys").json["access_token"], first)

        chromium.open(self.stack.url + "/admin/connections/keys")
        chromium.fill("key_client_id", "key-item")
        chromium.fill("key_client_secret", KEY_SECRET)
        chromium.press("Save the client secret")
        self.see("admin-key-item", "Keys are cancelled with the client ID key-item", "and cancel it at ArcGIS")
        chromium.find("form[action$='/key/use'] input[name=cancel]").click()
        chromium.press("Use it now")
        self.see("admin-key-used", "It was cancelled at ArcGIS and no longer works", "Slot 2")
        self.assertEqual(self.refusal(first), 498)
        vended = self.vended("keys")
        self.assertEqual(vended.json["access_token"], second)
        self.assertEqual(self.refusal(second), None)

        third = self.stack.directory / "third"
        third.write_text(self.made(1) + "\n")
        third.chmod(0o600)
        self.stack.cli("connection", "next-key", "keys", "--key-file", str(third), "--key-expires", self.days(90))
        # As when the key in use has come to its end.
        self.stack.query("UPDATE credential SET access_expires_at = ?", int(time.time()) + 1)
        time.sleep(1)
        self.assertEqual(self.vended("keys").json["access_token"], third.read_text().strip())
        removed = self.stack.cli("connection", "remove-next-key", "keys", expect=1)
        self.assertIn("has no next key", removed)
        for file in [self.stack.log_path, *self.stack.data.glob("gatehouse.db*")]:
            for secret in [first, second, third.read_text().strip(), KEY_SECRET]:
                self.assertNotIn(secret.encode(), file.read_bytes(), str(file))

    def days(self, number):
        return time.strftime("%Y-%m-%d 12:00", time.gmtime(time.time() + number * 86400))

    def made(self, slot):
        """A new key in a slot of the API key credential, which ends the one that stood there."""
        form = {
            "f": "json", "grant_type": "client_credentials", "client_id": "key-item", "client_secret": KEY_SECRET,
            "apiToken": str(slot), "regenerateApiToken": "true"}
        return json.loads(Browser().post(self.stack.portal + "/sharing/rest/oauth2/token", form).text)["access_token"]

    def refusal(self, key):
        """With which number the portal refuses a key."""
        answer = Browser().get(self.stack.portal + f"/sharing/rest/portals/self?f=json&token={key}")
        return json.loads(answer.text).get("error", {}).get("code")

    def key(self):
        """A long-lived token of the application, which is what an API key is."""
        form = {
            "f": "json", "grant_type": "client_credentials", "client_id": "gatehouse-demo", "client_secret": SECRET,
            "expiration": "20160"}
        return json.loads(Browser().post(self.stack.portal + "/sharing/rest/oauth2/token", form).text)["access_token"]


if __name__ == "__main__":
    unittest.main()
