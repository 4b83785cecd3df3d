"""Every page of the dashboard, as administrators meet it who read it at another size or not with their eyes."""

import json
import unittest

from accessibility import mistakes, violations
from chromium import Chromium
from stack import ADMINISTRATOR, Browser, Stack

SECRET = "gatehouse-demo-secret"


class Dashboard(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.stack = Stack(simulator_options=["--client-secret", f"gatehouse-demo:{SECRET}"]).start()
        cls.addClassCleanup(cls.stack.close)
        cls.stack.set_up()
        secret = cls.stack.directory / "secret"
        secret.write_text(SECRET + "\n")
        secret.chmod(0o600)
        cls.stack.cli(
            "connection", "create", "--id", "jobs", "--name", "Nightly jobs", "--kind", "oauthApplication", "--portal-url",
            cls.stack.portal, "--client-id", "gatehouse-demo", "--client-secret-file", str(secret), "--json")
        cls.stack.add_demo()
        cls.client = cls.stack.add_client("--connection", "jobs")
        person = Browser()
        cls.stack.sign_in(person)
        cls.account = cls.stack.query("SELECT account_id FROM credential")[0][0]
        token = cls.stack.app_token(person, cls.client)["access_token"]
        assert cls.stack.vend(token).status == 200
        assert cls.stack.vend(token, "https://elsewhere.example/").status != 200
        cls.key = json.loads(cls.stack.cli(
            "key", "create", "--client", cls.client["client_id"], "--name", "Nightly", "--connection", "jobs", "--json"))
        cls.stack.cli("webhook", "create", "https://alerts.example/gatehouse")
        cls.administrator = Browser()
        page = cls.administrator.get(cls.stack.url + "/signin?ticket=admin")
        form = {**page.fields(), "username": ADMINISTRATOR[0], "password": ADMINISTRATOR[1]}
        cls.administrator.post(cls.stack.url + "/signin", form)

    def paths(self):
        client, account = f"clients/{self.client['client_id']}", f"accounts/{self.account}"
        return {
            "": "", "connections": "connections", "connection-new": "connections/new", "connection": "connections/demo",
            "connection-app-passwords": "connections/demo/app-passwords", "clients": "clients", "client-new": "clients/new",
            "client": client, "client-edit": f"{client}/edit", "client-rotate": f"{client}/rotate",
            "keys": f"{client}/keys", "key-edit": f"{client}/keys/{self.key['id']}/edit", "registration": "registration",
            "accounts": "accounts", "account-signout": f"{account}/signout", "account-factors": f"{account}/factors",
            "account-app-passwords": f"{account}/app-passwords", "ledger": "ledger", "why": "why", "usage": "usage",
            "audit": "audit", "webhooks": "webhooks",
        }

    def test_no_violation_and_no_mistake(self):
        chromium, sources = Chromium(), {}
        self.addCleanup(chromium.close)
        chromium.adopt(self.stack.url, self.administrator)
        for name, path in self.paths().items():
            with self.subTest(page=name):
                address = f"{self.stack.url}/admin/{path}".rstrip("/")
                answer = self.administrator.get(address)
                self.assertEqual(answer.status, 200)
                sources[f"dashboard-{name}"] = answer.text
                chromium.open(address)
                self.assertEqual(chromium.photograph(f"dashboard-{name}"), 0)
                self.assertEqual(violations(chromium), [])
                self.assertEqual(chromium.complaints(), [])
        self.assertEqual("\n".join(mistakes(sources)), "")


if __name__ == "__main__":
    unittest.main()
