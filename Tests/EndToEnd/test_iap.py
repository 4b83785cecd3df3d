"""A portal behind an application proxy: both sign-ins in a real browser, one vend with the headers of both layers."""

import json
import unittest
import urllib.parse

from chromium import Chromium
from selenium.webdriver.support.ui import Select
from stack import ADMINISTRATOR, PASSWORD, TENANT, Browser, Stack


class ApplicationProxy(unittest.TestCase):
    def setUp(self):
        self.stack = Stack().start()
        self.addCleanup(self.stack.close)
        port = self.stack.simulator_port
        self.login, self.apps = f"http://login.localhost:{port}", f"http://apps.localhost:{port}"
        self.layer = self.apps + "/server/rest/services/Traffic/FeatureServer/0"
        self.stack.stop_simulator()
        self.stack.simulator_options = [
            "--client", f"city-app:{self.stack.url}/callback/entra", "--client",
            f"behind-app:{self.stack.url}/callback/behind"]
        self.stack.start_simulator()
        self.chromium = Chromium(runs_scripts=False)
        self.addCleanup(self.chromium.close)

    def file(self, **changes):
        """What an app's project keeps for the SDKs."""
        root = f"{self.login}/{TENANT}/oauth2/v2.0"
        members = {
            "authorize_url": root + "/authorize", "token_url": root + "/token", "logout_url": root + "/logout",
            "client_id": "city-app", "redirect_url": "city://back", "scope": ["openid", "profile", "offline_access"],
            "hosts_behind_proxy": ["*.apps.city.example"], **changes}
        return json.dumps({name: value for name, value in members.items() if value is not None}, indent=2)

    def see(self, name, *words):
        for word in words:
            self.assertIn(word.lower(), self.chromium.text.lower(), f"{name}: {self.chromium.url}")
        self.assertEqual(self.chromium.photograph(name), 0, f"{name} is wider than the window")
        self.assertEqual(self.chromium.complaints(), [], name)

    # By the administrator.

    def begin_administration(self):
        self.stack.set_up()
        self.chromium.open(self.stack.url + "/admin/connections/new")
        self.chromium.fill("username", ADMINISTRATOR[0])
        self.chromium.fill("password", ADMINISTRATOR[1])
        self.chromium.follow(self.chromium.find("main form button"))

    def make_proxy(self):
        chromium = self.chromium
        chromium.open(self.stack.url + "/admin/connections/new")
        Select(chromium.find("#kind")).select_by_value("iap")
        self.see("connection-new-iap", "Configuration file", "Tenant", "The host * is meant")
        chromium.fill("name", "City proxy")
        chromium.fill("id", "entra")
        chromium.fill("config", self.file(token_url=None, logout_uri="x", hosts_behind_proxy=["*"]))
        self.chromium.choose("admission", "anyone")
        chromium.press("Add connection")
        self.see(
            "connection-new-iap-error", "token_url is missing.", "There is no key logout_uri.",
            "would send the token to every host")
        chromium.fill("config", self.file())
        chromium.fill("resources", self.apps)
        chromium.press("Add connection")
        chromium.wait_for("/admin/connections/entra")
        self.see(
            "connection-iap", "The connection was added", "Microsoft Entra Application Proxy", "*.apps.city.example",
            f"{self.login}/{TENANT}/oauth2/v2.0/logout", self.stack.url + "/callback/entra",
            self.stack.url + "/signed-out")

    def make_portal(self):
        chromium = self.chromium
        chromium.open(self.stack.url + "/admin/connections/new")
        chromium.fill("name", "City maps")
        chromium.fill("id", "behind")
        chromium.fill("portal_url", self.apps)
        chromium.fill("client_id", "behind-app")
        chromium.press("Add connection")
        chromium.wait_for("/admin/connections/behind")
        self.assertIn("Nobody: people with an account connect it", chromium.text)

    def add_connections(self):
        self.begin_administration()
        self.make_proxy()
        self.make_portal()

    # By a person.

    def connect(self):
        chromium = self.chromium
        chromium.open(self.stack.url + "/signin")
        self.assertNotIn("City maps", chromium.text)
        chromium.open(self.stack.url + "/signin/behind")
        self.assertIn("City maps, which stands behind City proxy", chromium.text)
        chromium.open(self.stack.url + "/signin/entra")
        chromium.sign_in_at_portal()
        chromium.wait_for("/account")
        chromium.open(self.stack.url + "/connect/behind")
        chromium.press("Go to apps.localhost")
        # The proxy knows the browser by now; the portal behind it does not.
        chromium.sign_in_at_portal()
        chromium.wait_for("/account")
        self.see("account-iap", "City proxy", "City maps")

    def allow(self, client, connections=("entra", "behind")):
        url, verifier = self.stack.authorization_url(client)
        self.chromium.open(url)
        for connection in connections:
            self.chromium.choose("connection", connection)
        self.see("consent-iap", "City proxy", "City maps")
        self.chromium.find("button[value=allow]").click()
        arrived = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.chromium.arrived_at_app()).query))
        answer = self.stack.redeem(client, arrived["code"], verifier)
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json["access_token"]

    def ask(self, headers):
        return Browser().get(self.layer + "?f=json", headers=headers)

    def test_both_layers_from_the_form_to_the_sign_out_report(self):
        stack = self.stack
        self.add_connections()
        self.assertIn("It can be met by the connection entra (City proxy).", stack.cli("probe", self.layer))
        client = stack.add_client("--connection", "behind", connection="entra")
        self.connect()
        access = self.allow(client)
        vended = stack.vend(access, self.layer)
        self.assertEqual(vended.status, 200, vended.text)
        headers = {one["name"]: one["value"] for one in vended.json["headers"]}
        self.assertEqual(list(headers), ["Authorization", "X-Esri-Authorization"])
        both = self.ask(headers)
        self.assertEqual((both.status, "fields" in both.json), (200, True), both.text)
        for sent in ({}, {"X-Esri-Authorization": headers["X-Esri-Authorization"]}, {"Authorization": "Bearer x"}):
            answer = self.ask(sent)
            self.assertEqual(answer.status, 302)
            self.assertTrue(answer.location.startswith(self.login + "/"), answer.location)
        self.assertEqual(self.ask({"Authorization": headers["Authorization"]}).json["error"]["code"], 499)
        self.sign_out()
        self.assertEqual(self.ask(headers).json["error"]["code"], 498)
        self.assertEqual(stack.vend(access, self.layer).status, 401)
        self.chromium.press("sign out of City proxy")
        self.chromium.wait_for(stack.url + "/signed-out")

    def test_a_portal_behind_it_by_user_name_and_password(self):
        stack, chromium = self.stack, self.chromium
        self.begin_administration()
        secret = stack.directory / "secret"
        secret.write_text("gatehouse-demo-secret\n")
        secret.chmod(0o600)
        typed = ["connection", "create", "--id", "typed", "--name", "City maps", "--kind", "token", "--portal-url", self.apps]
        self.assertIn("make a connection of that first", stack.cli(*typed, expect=1))
        self.make_proxy()
        stack.cli(*typed)
        refused = stack.cli(
            "connection", "create", "--id", "jobs", "--name", "Jobs", "--kind", "oauthApplication", "--portal-url",
            self.apps, "--client-id", "gatehouse-demo", "--client-secret-file", str(secret), expect=1)
        self.assertIn("lets people through and nothing that acts for none", refused)
        client = stack.add_client("--connection", "typed", connection="entra")
        chromium.open(stack.url + "/signin/entra")
        chromium.sign_in_at_portal()
        chromium.wait_for("/account")
        chromium.open(stack.url + "/connect/typed")
        chromium.fill("username", "ana")
        chromium.fill("password", PASSWORD)
        chromium.find("[name=keep]").click()
        chromium.follow(chromium.find("main form button"))
        self.see("account-typed-iap", "City maps is connected.", "signed in as ana")
        access = self.allow(client, ("entra", "typed"))
        stack.age_credentials()
        vended = stack.vend(access, self.layer)
        self.assertEqual(vended.status, 200, vended.text)
        headers = {one["name"]: one["value"] for one in vended.json["headers"]}
        self.assertEqual(list(headers), ["Authorization", "X-Esri-Authorization", "Referer"])
        answer = self.ask(headers)
        self.assertEqual((answer.status, "fields" in answer.json), (200, True), answer.text)
        chromium.open(stack.url + "/signout")
        chromium.press("Sign out")
        self.see("sign-out-report-typed-iap", "offers no way to cancel the sign-in")
        self.assertEqual(stack.query("SELECT count(*) FROM credential")[0][0], 0)

    def sign_out(self):
        chromium = self.chromium
        chromium.open(self.stack.url + "/signout")
        self.see("sign-out-iap", "City proxy", "City maps", "Will be deleted", "Will be revoked")
        chromium.press("Sign out")
        self.see(
            "sign-out-report-iap", "apps.localhost has confirmed that the sign-in is cancelled",
            "offers no way to cancel the sign-in", "stops by itself on", "sign out of City proxy")
        self.assertEqual(self.stack.counters()["revokeToken"], 1)
        self.assertEqual(self.stack.query("SELECT count(*) FROM credential")[0][0], 0)

    def test_a_revocation_that_waits_for_the_proxy(self):
        stack, chromium = self.stack, self.chromium
        self.add_connections()
        self.connect()
        stack.fault(endpoint="revokeToken", kind="status", value=503, times=1)
        chromium.open(stack.url + "/signout")
        chromium.press("Sign out")
        self.see(
            "sign-out-report-iap-waiting", "has not confirmed yet", "told only through City proxy",
            "if that is connected again")

    def test_the_command_line_takes_the_same_file(self):
        stack = self.stack
        path = stack.directory / "iap.json"
        create = ["connection", "create", "--id", "entra", "--kind", "iap", "--config", str(path), "--json"]
        path.write_text(self.file(client_id=None, scope=None))
        refused = stack.cli(*create, expect=64)
        for words in ("client_id is missing.", "scope is missing."):
            self.assertIn(words, refused)
        path.write_text(self.file(client_secret="s3cr3t"))
        path.chmod(0o644)
        self.assertIn("can be read by other users", stack.cli(*create, expect=1))
        path.write_text(self.file())
        made = json.loads(stack.cli(*create))
        self.assertEqual((made["kind"], made["client_id"], made["has_client_secret"]), ("iap", "city-app", False))
        self.assertEqual(made["resources"], ["*.apps.city.example"])


if __name__ == "__main__":
    unittest.main()
