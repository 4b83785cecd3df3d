"""Apps that register themselves, and the forms of the dashboard for a client: in a real browser, photographed."""

import json
import unittest
import urllib.error
import urllib.request

from chromium import Chromium
from selenium.webdriver.support.ui import Select
from stack import ADMINISTRATOR, Browser, Stack

METADATA = {
    "client_name": "Garden", "redirect_uris": ["http://localhost:9999/callback"], "client_uri": "https://garden.example/",
    "tos_uri": "https://terms.example/garden", "token_endpoint_auth_method": "none", "contacts": ["ana@garden.example"],
    "software_id": "garden", "software_version": "4.2",
}


class Registering(unittest.TestCase):
    def setUp(self):
        self.stack = Stack(GATEHOUSE_REGISTRATION="token").start()
        self.addCleanup(self.stack.close)
        self.stack.set_up()
        self.chromium = Chromium()
        self.addCleanup(self.chromium.close)

    def see(self, name, *words):
        """The page reads so, fits the width, and keeps its own content security policy."""
        for word in words:
            self.assertIn(word.lower(), self.chromium.text.lower(), f"{name}: {self.chromium.url}")
        self.assertEqual(self.chromium.photograph(name), 0, f"{name} is wider than the window")
        self.assertEqual(self.chromium.complaints(), [], name)

    def sign_in(self, path):
        self.chromium.open(self.stack.url + path)
        self.chromium.fill("username", ADMINISTRATOR[0])
        self.chromium.fill("password", ADMINISTRATOR[1])
        self.chromium.follow(self.chromium.find("form button"))
        self.chromium.wait_for(path)

    def ask(self, method, url, body=None, token=None):
        """The status and the JSON of an answer."""
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        request = urllib.request.Request(
            url, method=method, headers=headers, data=json.dumps(body).encode() if body else None)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.loads(answer.read() or "{}")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def register(self):
        """What an app is told that registered itself with a token of the command line."""
        made = json.loads(self.stack.cli("registration-token", "create", "--name", "Garden team", "--json"))
        metadata = json.loads(urllib.request.urlopen(self.stack.url + "/.well-known/openid-configuration").read())
        endpoint = metadata["registration_endpoint"]
        self.assertEqual(self.ask("POST", endpoint, METADATA)[0], 401)
        self.stack.cli(
            "client", "create", "--name", "Roses", "--type", "confidential", "--grant", "client_credentials", "--json")
        status, refused = self.ask("POST", endpoint, {**METADATA, "client_name": "Roses"}, made["token"])
        self.assertEqual((status, refused["error"]), (400, "invalid_client_metadata"), "a refusal uses up nothing")
        status, app = self.ask("POST", endpoint, METADATA, made["token"])
        self.assertEqual(status, 201, app)
        self.assertEqual(self.ask("POST", endpoint, METADATA, made["token"])[0], 401, "one use")
        listed = json.loads(self.stack.cli("registration-token", "list", "--json"))
        self.assertEqual([(one["name"], one["used"], one["uses"]) for one in listed], [("Garden team", 1, 1)])
        self.assertIn("itself", self.stack.cli("client", "list"))
        return app

    def test_an_app_registers_itself_and_an_administrator_checks_it(self):
        see, chromium, stack = self.see, self.chromium, self.stack
        app = self.register()
        self.sign_in("/admin")
        chromium.open(stack.url + "/admin/clients")
        see("admin-clients-registered", "Garden", "Registered itself")
        chromium.press("Registration tokens")
        see("admin-registration", "Garden team", "1 of 1")
        chromium.fill("token_name", "Gardeners")
        chromium.press("Make a token")
        see("admin-registration-new", "Copy the token now", "Gardeners")
        chromium.open(stack.url + "/admin/clients")
        chromium.press("Garden")
        see("admin-client-registered", "registered itself, and nobody has checked it", "Garden team", "terms.example")
        client = {"client_id": app["client_id"]}
        url, _ = stack.authorization_url(client, METADATA["redirect_uris"][0])
        chromium.open(url)  # It asks for vend, which it may not have.
        see("leave", "Go back to Garden?", "registered itself", "localhost:9999")
        self.sign_in("/account")
        url = url.replace("scope=vend", "scope=openid")
        chromium.open(url)
        see("consent-registered", "Garden registered itself", "terms.example", "garden.example")
        chromium.open(f"{stack.url}/admin/clients/{app['client_id']}")
        chromium.press("I have checked this app")
        self.assertNotIn("nobody has checked it", chromium.text)
        chromium.open(url)
        self.assertNotIn("registered itself", chromium.text.lower())
        answer = Browser().get(url.replace("scope=openid", "scope=vend"))
        self.assertIn("localhost:9999/callback?error=invalid_scope", answer.location)
        status, _ = self.ask("DELETE", app["registration_client_uri"], token=app["registration_access_token"])
        self.assertEqual(status, 204)
        self.assertEqual(
            self.ask("GET", app["registration_client_uri"], token=app["registration_access_token"])[0], 401)

    def test_the_options_of_a_client_are_set_and_changed(self):
        see, chromium = self.see, self.chromium
        self.sign_in("/admin")
        chromium.open(self.stack.url + "/admin/clients/new")
        chromium.fill("name", "Night batch")
        chromium.choose("type", "confidential")
        chromium.fill("redirect_uris", "https://batch.example/back")
        chromium.choose("grant", "authorization_code")
        chromium.choose("scope", "openid")
        chromium.find("details.more > summary").click()
        Select(chromium.find("#authentication")).select_by_value("private_key_jwt")
        chromium.fill("backchannel_logout_uri", "http://batch.example/out")
        see("admin-client-new-options", "Back-channel sign-out")
        chromium.press("Register client")
        see("admin-client-new-options-error", "private_key_jwt needs the client's keys", "logout URI is https")
        chromium.fill("jwks_uri", "https://batch.example/keys")
        chromium.fill("backchannel_logout_uri", "https://batch.example/out")
        chromium.choose("dpop", "1")
        chromium.press("Register client")
        client = self.stack.query("SELECT id FROM client")[0][0]
        chromium.open(f"{self.stack.url}/admin/clients/{client}")
        see("admin-client-options", "private_key_jwt", "https://batch.example/out", "dpop_bound_access_tokens")
        chromium.press("Change…")
        self.assertEqual(chromium.find("[name=jwks_uri]").get_attribute("value"), "https://batch.example/keys")
        see("admin-client-edit", "Change Night batch")
        chromium.fill("name", "")
        chromium.driver.execute_script("document.querySelector('[name=name]').removeAttribute('required')")
        chromium.press("Save changes")
        see("admin-client-edit-error", "Give the client a name")
        chromium.fill("name", "Day batch")
        Select(chromium.find("#id_token_algorithm")).select_by_value("EdDSA")
        chromium.press("Save changes")
        see("admin-client-changed", "The changes were saved", "Day batch", "EdDSA")


if __name__ == "__main__":
    unittest.main()
