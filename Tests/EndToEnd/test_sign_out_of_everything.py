"""One person connects a service of every kind, one upstream goes down, and they sign out of everything.

Every counterpart is real or the simulator. The service's own credentials stand in the same installation, and stay.
"""

import json
import re
import time
import unittest

from apache import USER, Apache
from certificates import Certificates
from chromium import Chromium
from glewlwyd import CLIENT, Glewlwyd
from kdc import KDC, REALM, USERS
from stack import ADMINISTRATOR, PASSWORD, TENANT, Browser, Stack, until

PASSPHRASE = "a passphrase of Ana's"
REFERER = "https://own.example"
SECRET = "a secret of the jobs"
LAYER = "/server/rest/services/Traffic/FeatureServer/0"

# What a person connects, by the connection's id; City maps stands behind City proxy.
NAMES = {
    "demo": "Demo portal", "op": "Glewlwyd", "typed": "Typed portal", "made": "Made elsewhere", "entra": "City proxy",
    "maps": "City maps", "archive": "Archive", "realm": "Realm", "pki": "City network"}
SERVICE_OWNED = ("jobs", "keys")
PORTAL_DOWN = {"endpoint": "revokeToken", "kind": "status", "value": 503}
# What the report says of each, where everything works.
REVOKED = "Revoked Deleted here, and {} has confirmed that the sign-in is cancelled."
DELETED = "Deleted Deleted here. The service offers no way to cancel the sign-in. Its token stops by itself on"
FORGOTTEN = (
    "Forgotten Forgotten here, and the connections that Gatehouse opened with it are closed. There is nothing to "
    "cancel at localhost: the sign-in itself goes on working there.")
WAITING = "Retrying Deleted here, but {} has not confirmed yet. Gatehouse tries again for up to 24 hours."
BEHIND = (
    "Retrying Deleted here, but apps.localhost has not confirmed yet. It can be told only through City proxy, where "
    "the sign-in has ended: Gatehouse tells it if that is connected again within 24 hours. Its token stops by itself")
REPORT = {
    "demo": REVOKED.format("portal.localhost"), "op": REVOKED.format("provider.localhost"), "typed": DELETED,
    "made": DELETED, "entra": DELETED, "maps": REVOKED.format("apps.localhost"), "archive": FORGOTTEN,
    "realm": FORGOTTEN, "pki": FORGOTTEN}


class SignOutOfEverything(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kdc = KDC()
        cls.addClassCleanup(cls.kdc.close)
        cls.apache = Apache(cls.kdc)
        cls.addClassCleanup(cls.apache.close)
        cls.files = Certificates(cls.apache.directory)
        cls.stack = stack = Stack()
        cls.addClassCleanup(stack.close)
        cls.provider = Glewlwyd(stack.url + "/callback/op", stack.url + "/signed-out")
        cls.addClassCleanup(cls.provider.close)
        cls.apps = f"http://apps.localhost:{stack.simulator_port}"
        cls.resources = {
            "demo": stack.layer, "op": cls.provider.issuer + "/userinfo", "typed": stack.layer, "made": stack.layer,
            "maps": cls.apps + LAYER, "archive": cls.apache.url("http", "/basic/data.json"),
            "realm": cls.apache.url("http", "/negotiate/data.json"),
            "pki": cls.apache.url("https_certificate", "/open/data.json"), "jobs": stack.layer,
            "keys": stack.portal + "/sharing/rest/portals/self"}
        stack.stop_simulator()
        apps = [f"{app}-app:{stack.url}/callback/{app}" for app in ("jobs", "entra", "maps")]
        stack.simulator_options = [word for app in apps for word in ("--client", app)]
        stack.simulator_options += ["--client-secret", f"jobs-app:{SECRET}"]
        stack.start_simulator()
        stack.start()
        stack.set_up()
        cls.add_connections()
        cls.clients = {id: stack.add_client(connection=id) for id in cls.resources if id != "maps"}
        cls.clients["maps"] = stack.add_client("--connection", "maps", connection="entra")

    # What the administrator made.

    @classmethod
    def add_connections(cls):
        portal = cls.stack.portal
        entra = f"http://login.localhost:{cls.stack.simulator_port}/{TENANT}/oauth2/v2.0"
        addresses = [word for name in ("authorize", "token", "logout") for word in (f"--{name}-url", f"{entra}/{name}")]
        cls.stack.add_demo()
        cls.add("op", "oidc", "--issuer", cls.provider.issuer, "--client-id", CLIENT[0],
                "--client-secret-file", cls.file("op", CLIENT[1]))
        cls.add("typed", "token", "--portal-url", portal)
        cls.add("made", "pregeneratedToken", "--portal-url", portal)
        cls.add("entra", "iap", "--client-id", "entra-app", "--scope", "offline_access", "--resource", cls.apps,
                *addresses)
        cls.add("maps", "oauthUser", "--portal-url", cls.apps, "--client-id", "maps-app")
        cls.add("archive", "password", "--url", cls.apache.url("http", "/basic/"))
        cls.add("realm", "kerberos", "--url", cls.apache.url("http", "/negotiate/"), "--realm", REALM,
                "--kdc", cls.kdc.address)
        certificate = ["--url", cls.resources["pki"], "--resource", cls.apache.url("https_certificate")]
        # The server's key is nobody's credential: an administrator trusts it.
        untrusted = cls.add("pki", "certificate", *certificate, expect=1)
        cls.add("pki", "certificate", *certificate, "--spki", re.search(r"--spki (\S+)", untrusted)[1])
        cls.add("jobs", "oauthApplication", "--portal-url", portal, "--client-id", "jobs-app",
                "--client-secret-file", cls.file("jobs", SECRET))
        key = Browser().post(portal + "/sharing/rest/oauth2/token", {
            "f": "json", "grant_type": "client_credentials", "client_id": "jobs-app", "client_secret": SECRET}).json
        end = time.strftime("%Y-%m-%d %H:%M", time.gmtime(time.time() + 3600))
        cls.add("keys", "apiKey", "--portal-url", portal, "--key-file", cls.file("keys", key["access_token"]),
                "--key-expires", end, "--resource", portal)

    @classmethod
    def add(cls, id, kind, *options, expect=0):
        return cls.stack.cli(
            "connection", "create", "--id", id, "--name", NAMES.get(id, id), "--kind", kind, *options, expect=expect)

    @classmethod
    def file(cls, name, secret):
        file = cls.stack.directory / name
        file.write_text(secret + "\n")
        file.chmod(0o600)
        return str(file)

    # What the person did.

    def setUp(self):
        self.addCleanup(self.stack.query, "DELETE FROM revocation")
        self.chromium = Chromium(runs_scripts=False)
        self.addCleanup(self.chromium.close)
        self.chromium.open(self.stack.url + "/signin/demo")
        self.chromium.sign_in_at_portal()
        self.chromium.wait_for("/account")
        self.person = self.stack.query("SELECT id FROM account WHERE role = 'person'")[0][0]
        self.addCleanup(self.stack.cli, "account", "sign-out", self.person)
        self.addCleanup(self.stack.clear_faults)
        # The forms are filled in without it, in the same session.
        self.browser = Browser()
        self.browser.cookies["localhost"] = {one["name"]: one["value"] for one in self.chromium.driver.get_cookies()}
        self.connect_everything()
        self.access = {id: self.allow(id) for id in self.resources if id not in SERVICE_OWNED}
        for id in SERVICE_OWNED:
            granted = self.stack.token(self.clients[id], grant_type="client_credentials")
            self.access[id] = granted.json["access_token"]
        self.vended = {id: self.stack.vend(access, self.resources[id]) for id, access in self.access.items()}
        for id in self.vended:
            self.assertTrue(self.opens(id), f"{id}: {self.vended[id].text}")
        self.stack.reset_counters()

    def connect_everything(self):
        stack, browser = self.stack, self.browser
        for id in ("entra", "maps"):
            self.connect_in_browser(id)
        page = browser.get(self.send_form("op").location)
        self.assert_connected("op", browser.follow(self.provider.sign_in(browser, page.location)))
        login = {"username": "ana", "password": PASSWORD}
        self.assert_connected("typed", self.send_form("typed", **login))
        token = browser.post(stack.portal + "/sharing/rest/generateToken", {
            **login, "f": "json", "client": "referer", "referer": REFERER}).json
        self.assert_connected(
            "made", self.send_form("made", token=token["token"], expires=token["expires"], referer=REFERER))
        self.assert_connected("archive", self.send_form("archive", username=USER[0], password=USER[1]))
        ticket = {"username": "ana", "password": USERS["ana"]}
        self.assert_connected("realm", self.send_form("realm", {"keytab": b""}, **ticket))
        certificate = {"file": self.files.file(PASSPHRASE)}
        self.assert_connected("pki", self.send_form("pki", certificate, passphrase=PASSPHRASE))

    def connect_in_browser(self, id):
        page = self.browser.follow(self.send_form(id))
        self.assert_connected(id, self.stack.sign_in_at_portal(self.browser, page))

    def send_form(self, id, files=None, **typed):
        page = self.browser.get(f"{self.stack.url}/connect/{id}")
        fields = {**page.fields(), **typed}
        return self.browser.upload(page.url, fields, **files) if files else self.browser.post(page.url, fields)

    def assert_connected(self, id, page):
        self.assertIn(f"connected={id}", page.location or page.url, page.text)

    def allow(self, id):
        allowed = ("entra", "maps") if id == "maps" else (id,)
        return self.stack.app_token(self.browser, self.clients[id], allowed)["access_token"]

    def opens(self, id):
        """Whether what the app has got opens the service: a token, or the way through Gatehouse where it gets none."""
        vended = self.vended[id].json
        if "proxy_url" in vended:
            answer = Browser().get(vended["proxy_url"], headers={"Authorization": f"Bearer {self.access[id]}"})
            return answer.status == 200 and answer.json == {"hello": "world"}
        if id == "op":
            return self.provider.introspect(vended["access_token"])
        answer = self.stack.call(self.vended[id], self.resources[id])
        self.assertIn(answer.get("error", {}).get("code"), (None, 498), id)
        return "error" not in answer

    # What the sign-out must say and do.

    def sign_out(self, name):
        """Presses the button in the browser; gives what the report says of each service."""
        self.chromium.open(self.stack.url + "/signout")
        self.photograph(f"sign-out-{name}")
        planned = list(self.services())
        self.chromium.press("Sign out")
        self.photograph(f"sign-out-report-{name}")
        said = self.services()
        self.assertEqual(planned, list(said))
        return {id: said[name] for id, name in NAMES.items()}

    def services(self):
        """What the page says of each item of its list, by their headings."""
        items = self.chromium.driver.find_elements("css selector", "ul.items li")
        return {name: " ".join(text.split()) for name, text in (item.text.split("\n", 1) for item in items)}

    def photograph(self, name):
        self.assertEqual(self.chromium.photograph(name), 0, f"{name} is wider than the window")
        self.assertEqual(self.chromium.complaints(), [], name)

    def assert_report(self, report, **otherwise):
        for id, words in {**REPORT, **otherwise}.items():
            with self.subTest(id):
                self.assertIn(words, report[id])

    def assert_ended_here(self):
        """Nothing of the person's opens anything through Gatehouse any more; what is the service's own goes on."""
        for id, access in self.access.items():
            with self.subTest(id):
                answer = self.stack.vend(access, self.resources[id])
                if id in SERVICE_OWNED:
                    self.assertEqual((answer.status, self.opens(id)), (200, True), answer.text)
                else:
                    self.assertEqual((answer.status, answer.json["error"]), (401, "invalid_token"))
        self.assertFalse([id for id in ("archive", "realm", "pki") if self.opens(id)])
        self.assertEqual(self.browser.get(self.stack.url + "/account").status, 303)
        held = self.stack.query("SELECT connection_id FROM credential ORDER BY 1")
        self.assertEqual(held, [(id,) for id in SERVICE_OWNED])
        told = self.stack.query("SELECT DISTINCT connection_id FROM audit WHERE name = 'upstream_revoked'")
        self.assertLessEqual(set(told), {("demo",), ("op",), ("maps",)})
        self.assertIn("is trusted by this key", self.stack.cli("connection", "trust", "pki"))

    def taken_upstream(self):
        """Whose tokens, got before, the services themselves still take."""
        return {id for id in ("demo", "op", "typed", "made", "maps") if self.opens(id)}

    def deliver(self, left=()):
        """Lets the background try again at once, until revocations wait at the connections `left` alone."""
        self.stack.end_delays()
        waiting = lambda: self.stack.query("SELECT connection_id, next_attempt_at > 0 FROM revocation ORDER BY 1")
        self.assertTrue(until(lambda: waiting() == [(id, 1) for id in left], 15), waiting())

    def waiting(self):
        """Which services have yet to be told, by the administrator's overview."""
        self.chromium.open(self.stack.url + "/admin")
        if self.chromium.driver.find_elements("name", "password"):
            self.chromium.fill("username", ADMINISTRATOR[0])
            self.chromium.fill("password", ADMINISTRATOR[1])
            self.chromium.follow(self.chromium.find("main form button"))
        return re.findall("(.+) has yet to cancel 1 sign-in that ended here", self.chromium.text)

    # The tests.

    def test_the_portal_is_down(self):
        stack = self.stack
        stack.fault(**PORTAL_DOWN)
        self.assert_report(self.sign_out("portal-down"), demo=WAITING.format("portal.localhost"), maps=BEHIND)
        self.assert_ended_here()
        self.assertEqual(self.taken_upstream(), {"demo", "maps", "typed", "made"})
        self.deliver(left=["demo", "maps"])
        self.assertEqual(self.waiting(), ["City maps", "Demo portal"])
        self.photograph("admin-portal-down")
        # Both at the sign-out; what stands behind the proxy is out of reach since then.
        self.assertEqual(stack.counters()["revokeToken"], 3)
        stack.clear_faults()
        stack.reset_counters()
        self.deliver(left=["maps"])
        self.assertEqual(stack.counters()["revokeToken"], 1)
        self.assertEqual(self.taken_upstream(), {"maps", "typed", "made"})
        self.assertEqual(self.waiting(), ["City maps"])
        # It is told once the person can pass the proxy again.
        stack.sign_in(self.browser)
        self.connect_in_browser("entra")
        self.deliver()
        self.assertEqual(stack.counters()["revokeToken"], 2)
        self.assertEqual(self.taken_upstream(), {"typed", "made"})
        self.assertEqual(self.waiting(), [])
        for id in set(NAMES) - {"demo", "entra"}:
            refused = stack.vend(self.allow(id), self.resources[id])
            self.assertEqual((refused.status, refused.json.get("error")), (400, "interaction_required"), refused.text)

    def test_the_provider_is_down(self):
        self.provider.stop()
        try:
            self.assert_report(self.sign_out("provider-down"), op=WAITING.format("provider.localhost"))
            # Both portals were told, one of them through the proxy, which was forgotten after it.
            self.assertEqual(self.stack.counters()["revokeToken"], 2)
            self.assert_ended_here()
            self.deliver(left=["op"])
            self.assertEqual(self.waiting(), ["Glewlwyd"])
        finally:
            self.provider.start()
        self.assertEqual(self.taken_upstream(), {"op", "typed", "made"})
        self.deliver()
        self.assertEqual(self.taken_upstream(), {"typed", "made"})
        self.assertEqual(self.waiting(), [])

    def test_the_command_line_says_the_same(self):
        self.stack.fault(**PORTAL_DOWN)
        services = json.loads(self.stack.cli("account", "sign-out", self.person, "--json"))["services"]
        said = lambda name: {one["connection"]: one[name] for one in services if one[name]}
        outcomes = {id: words.split()[0].lower() for id, words in REPORT.items()}
        self.assertEqual(said("outcome"), {**outcomes, "demo": "retrying", "maps": "retrying"})
        self.assertEqual(set(said("tokens_end")), {"demo", "typed", "made", "entra", "maps"})
        self.assertEqual(set(said("federated_tokens_end")), {"demo", "typed", "made", "maps"})
        self.assertEqual(said("waits_for"), {"maps": "entra"})
        self.assert_ended_here()


if __name__ == "__main__":
    unittest.main()
