"""A job that runs at night: a person allows it in Chromium, goes away, and joserfc signs what the job asks with."""

import json
import re
import secrets
import subprocess
import time
import unittest

from chromium import Chromium
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet
from stack import ADMINISTRATOR, CALLBACK, ROOT, Browser, Stack, program

JWT = "urn:ietf:params:oauth:token-type:jwt"
REASON = "Nightly sync of the parcels"


class Unattended(unittest.TestCase):
    def setUp(self):
        self.stack = Stack().start()
        self.addCleanup(self.stack.close)
        self.stack.set_up()
        self.stack.add_demo()
        self.key = ECKey.generate_key("P-256", {"use": "sig", "kid": "jobs"}, private=True)
        self.chromium = Chromium()
        self.addCleanup(self.chromium.close)

    def write_keys(self, name, private=False):
        file = self.stack.directory / name
        file.write_text(json.dumps(KeySet([self.key]).as_dict(private=private)))
        return str(file)

    def create(self, *options, expect=0):
        """What the command line says to an administrator who registers the app."""
        return self.stack.cli(
            "client", "create", "--name", "Night batch", "--type", "confidential", "--grant", "authorization_code",
            "--grant", "token-exchange", "--redirect-uri", CALLBACK, "--scope", "vend", "--scope", "vend:unattended",
            "--connection", "demo", "--json", *options, expect=expect)

    def run_job(self, **changes):
        """What the job gets, with claims of its own."""
        now = int(time.time())
        claims = {
            "iss": self.client["client_id"], "sub": self.account, "aud": self.stack.url, "iat": now, "exp": now + 120,
            "jti": secrets.token_urlsafe(16), "reason": REASON, **changes}
        token = jwt.encode({"alg": "ES256", "kid": "jobs", "typ": "gatehouse-vend-req+jwt"}, claims, self.key)
        return self.stack.token(
            self.client, grant_type="urn:ietf:params:oauth:grant-type:token-exchange", subject_token=token,
            subject_token_type=JWT, resource=self.stack.layer)

    def see(self, name, *words):
        for word in words:
            self.assertIn(word.lower(), self.chromium.text.lower(), f"{name}: {self.chromium.url}")
        self.assertEqual(self.chromium.photograph(name), 0, f"{name} is wider than the window")
        self.assertEqual(self.chromium.complaints(), [], name)

    def test_a_person_lets_a_job_go_on_while_they_are_away(self):
        stack, chromium, see = self.stack, self.chromium, self.see
        public, pinned = self.write_keys("jobs.json"), ("--unattended-connection", "demo")
        self.assertIn("networks that its jobs run in", self.create("--unattended-jwks", public, *pinned, expect=1))
        networks = ("--unattended-network", "127.0.0.0/8", "--unattended-network", "fd00::/8")
        private = self.write_keys("private.json", private=True)
        self.assertIn("private or secret key", self.create("--unattended-jwks", private, *networks, *pinned, expect=1))
        self.client = json.loads(self.create("--unattended-jwks", public, *networks, *pinned))
        shown = json.loads(stack.cli("client", "show", self.client["client_id"], "--json"))
        self.assertEqual(shown["connections"], [{"id": "demo", "raw_tokens": True, "unattended": True}])
        self.assertEqual(shown["metadata"]["unattended_networks"], ["127.0.0.0/8", "fd00::/8"])

        url, _ = stack.authorization_url(self.client)
        chromium.open(url.replace("scope=vend", "scope=vend+vend%3Aunattended"))
        chromium.press("Demo portal")
        chromium.sign_in_at_portal()
        chromium.wait_for("/consent")
        self.account = stack.query("SELECT id FROM account WHERE username IS NULL AND role = 'person'")[0][0]
        self.assertFalse(chromium.find("[name=unattended]").is_selected())
        self.assertEqual(self.run_job().status, 400, "before anybody allowed it")
        see("consent-unattended", "Also use it while you are not here")
        chromium.choose("connection", "demo")
        chromium.choose("unattended", "demo")
        chromium.find("button[value=allow]").click()
        chromium.until(lambda: "code=" in chromium.url, "the way back")

        stack.query("DELETE FROM session")
        stack.query("UPDATE token_family SET revoked_at = 1")
        stack.restart()
        vended = self.run_job()
        self.assertEqual(vended.status, 200, vended.text)
        self.assertIn("fields", stack.call(vended))
        self.assertNotIn("refresh_token", vended.json)
        self.assertEqual(self.run_job(reason="").json["error"], "invalid_request")
        ledger = json.loads(stack.cli("ledger", "--json"))["entries"]
        self.assertEqual(ledger[0]["unattended"], REASON)
        why = ("why", "--client", "Night batch", "--user", self.account, "--url", stack.layer, "--unattended-from")
        self.assertIn("unattended_consent", stack.cli(*why, "127.0.0.1"))
        stack.cli(*why, "203.0.113.7", expect=2)

        chromium.open(stack.url + "/account/apps")
        chromium.press("Demo portal")
        chromium.until(lambda: "/account" in chromium.url, "the account")
        chromium.open(stack.url + "/account/apps")
        see("account-apps-unattended", "Also while you are not here")
        chromium.press("See what it took")
        see("account-ledger-unattended", "Unattended, while you were not here", REASON)
        chromium.open(f"{stack.url}/account/apps/{self.client['client_id']}")
        see("withdraw-unattended", "Stop its jobs only")
        chromium.press("Stop its jobs only")
        see("account-apps-stopped", "gets nothing more while you are not here")
        self.assertEqual(self.run_job().json["error"], "invalid_request")

    def test_an_administrator_registers_it_in_the_dashboard(self):
        stack, chromium = self.stack, self.chromium
        chromium.open(stack.url + "/admin/clients/new")
        chromium.fill("username", ADMINISTRATOR[0])
        chromium.fill("password", ADMINISTRATOR[1])
        chromium.follow(chromium.find("form button"))
        chromium.open(stack.url + "/admin/clients/new")
        chromium.fill("name", "Night batch")
        chromium.choose("type", "confidential")
        chromium.fill("redirect_uris", CALLBACK)
        for field, value in (
            ("grant", "authorization_code"), ("grant", "token_exchange"), ("scope", "vend"),
            ("scope", "vend:unattended"), ("connection", "demo"), ("unattended", "demo"),
        ):
            chromium.choose(field, value)
        chromium.press("Register client")
        self.see("admin-client-unattended-error", "needs public keys of its own", "needs the networks")
        chromium.fill("unattended_keys", json.dumps(KeySet([self.key]).as_dict(private=False)))
        chromium.fill("unattended_networks", "10.20.0.0/16")
        chromium.press("Register client")
        client = stack.query("SELECT id FROM client")[0][0]
        chromium.open(f"{stack.url}/admin/clients/{client}")
        self.see("admin-client-unattended", "also unattended", "10.20.0.0/16")
        chromium.open(f"{stack.url}/admin/why?client={client}&url={stack.layer}&account=root&unattended_from=10.20.0.7")
        self.see("admin-why-unattended", "Where it comes from", "10.20.0.7 is in one of the networks")
        self.assertEqual(Browser().get(stack.url + "/openapi.json").status, 200)

    def documented(self, block, **variables):
        """Runs one of the examples of docs/clients.md, with what this stack is called in place of what stands there."""
        text = (ROOT / "docs" / "clients.md").read_text().split("## Jobs that run while nobody is there")[1]
        lines = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)[block]
        for there, here in (
            ("https://maps.example/server/rest/services/Parcels/FeatureServer/0", self.stack.layer),
            ("https://gatehouse.example", self.stack.url), ("https://batch.example/back", CALLBACK),
            ("10.20.0.0/16", "127.0.0.0/8"), ("-connection maps", "-connection demo"),
            ("gatehouse client", f"{program('gatehouse')} client"),
        ):
            lines = lines.replace(there, here)
        helper = "base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }\n"
        done = subprocess.run(
            ["bash", "-euc", helper + lines], env={**self.stack.environment, **variables}, cwd=self.stack.directory,
            capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_example_of_the_documentation_works(self):
        stack, browser = self.stack, Browser()
        made = dict(line.split(": ") for line in self.documented(0).splitlines() if line.startswith("client_"))
        stack.sign_in(browser)
        url, _ = stack.authorization_url(made)
        page = browser.follow(browser.get(url.replace("scope=vend", "scope=openid+vend+vend%3Aunattended")))
        answer = [*page.fields().items(), ("answer", "allow"), ("connection", "demo"), ("unattended", "demo")]
        self.assertIn("code", browser.follow(browser.post(stack.url + "/consent", answer)).query)
        account = stack.query("SELECT account_id FROM consent")[0][0]
        vended = json.loads(self.documented(1, sub=account, **made))
        self.assertEqual(vended.get("connection"), "demo", vended)


if __name__ == "__main__":
    unittest.main()
