"""Client certificates from the upload to the sign-out report, against a real Apache that requires one."""

import re
import secrets
import unittest
import urllib.parse

from apache import CA, Apache
from certificates import Certificates
from chromium import Chromium
from stack import PASSWORD, Browser, Stack, until
from test_certificate_files import costlier, der, elements

PASSPHRASE = "a passphrase of Ana's"


class CertificateConnection(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.apache = Apache()
        cls.addClassCleanup(cls.apache.close)
        cls.made = Certificates(cls.apache.directory)
        cls.made.signed("ben", "/CN=Ben", key=Certificates.RSA)
        cls.stack = Stack(
            simulator_options=("--user", f"ana:{PASSWORD}", "--user", f"ben:{PASSWORD}"),
            GATEHOUSE_AUTHORITIES=str(cls.apache.authority))
        cls.addClassCleanup(cls.stack.close)
        cls.stack.start()
        cls.stack.add_demo()
        for id, door in [("pki", "https_certificate"), ("older", "https_certificate_12")]:
            cls.stack.cli(
                "connection", "create", "--id", id, "--name", f"Service {id}", "--kind", "certificate", "--url",
                cls.apache.url(door, "/open/data.json"), "--resource", cls.apache.url(door))
        cls.clients = {id: cls.stack.add_client(connection=id) for id in ["pki", "older"]}

    def upload(self, browser, file, passphrase=PASSPHRASE, connection="pki", **more):
        """Sends the form as browsers do; gives the page that answers."""
        page = browser.get(f"{self.stack.url}/connect/{connection}")
        fields = {"csrf": page.field("csrf"), "ticket": page.field("ticket"), "passphrase": passphrase, **more}
        return browser.upload(page.url, fields, file=file)

    def signed_in(self, user="ana"):
        browser = Browser()
        self.stack.sign_in(browser, user)
        return browser

    def see(self, chromium, name, *words):
        for word in words:
            self.assertIn(word.lower(), chromium.text.lower(), f"{name}: {chromium.url}")
        self.assertEqual(chromium.photograph(name), 0, f"{name} is wider than the window")
        self.assertEqual(chromium.complaints(), [], name)

    def proxied(self, browser, connection="pki", door="https_certificate"):
        """Vends for a URL; gives what calls it through the proxy."""
        stack = self.stack
        access = stack.app_token(browser, self.clients[connection], allow=(connection,))["access_token"]
        vended = stack.vend(access, self.apache.url(door, "/open/data.json"))
        self.assertEqual(vended.status, 200, vended.text)
        self.assertEqual(vended.json["proxy_reason"], "certificate")
        self.assertEqual(set(vended.json) & {"access_token", "headers", "token_type"}, set())
        return lambda mark="": Browser().get(
            f"{vended.json['proxy_url']}?{mark}", headers={"Authorization": f"Bearer {access}"})

    def shown(self, mark):
        """Whose certificate the server saw at the request with `mark`."""
        lines = until(lambda: [line for line in self.apache.requests if f"?{mark} " in line])
        return lines[0].split()[-1]

    def test_1_from_the_upload_to_the_sign_out_report(self):
        stack, chromium = self.stack, Chromium(runs_scripts=False)
        self.addCleanup(chromium.close)
        file = self.made.folder / "ana.p12"
        file.write_bytes(self.made.file(PASSPHRASE, "-legacy", chain="ca"))
        chromium.open(stack.url + "/signin/demo")
        chromium.sign_in_at_portal()
        chromium.open(stack.url + "/connect/pki")
        self.see(chromium, "connect-certificate", "Connect Service pki", ".p12 or .pfx", "client certificate")
        chromium.find("[name=file]").send_keys(str(file))
        chromium.fill("passphrase", "wrong")
        chromium.follow(chromium.find("main form button"))
        self.see(chromium, "connect-certificate-error", "The passphrase does not open this file")
        self.assertEqual(chromium.find("[name=passphrase]").get_attribute("value"), "")
        chromium.find("[name=file]").send_keys(str(file))
        chromium.fill("passphrase", PASSPHRASE)
        chromium.follow(chromium.find("main form button"))
        fingerprint = self.made.run("x509", "-in", "leaf.crt", "-noout", "-fingerprint", "-sha256").decode()
        self.see(
            chromium, "account-certificate", "Service pki is connected.", "CN=Ana,O=Örter", f"CN={CA}",
            fingerprint.strip().split("=")[1])
        browser = self.signed_in()
        call = self.proxied(browser)
        answer = call("first")
        self.assertEqual((answer.status, answer.json), (200, {"hello": "world"}), answer.text)
        self.assertEqual(self.shown("first"), "Ana")
        self.assert_kept_secret()
        chromium.open(stack.url + "/disconnect/pki")
        self.see(chromium, "disconnect-certificate")
        chromium.open(stack.url + "/signout")
        self.see(chromium, "sign-out-certificate", "Service pki", "deleted")
        chromium.press("Sign out")
        self.see(chromium, "sign-out-report-certificate", "Service pki")
        self.assertEqual(stack.query("SELECT count(*) FROM credential WHERE connection_id = 'pki'")[0][0], 0)
        self.assertEqual(call().status, 401)

    def assert_kept_secret(self):
        """Neither the key nor the passphrase stands in a file or in the log."""
        key = (self.made.folder / "leaf.key").read_text()
        lines = [line.encode() for line in key.splitlines() if len(line) > 40]
        for file in [*self.stack.data.iterdir(), self.stack.log_path]:
            if file.is_file():
                content = file.read_bytes()
                for secret in [*lines, b"PRIVATE KEY", PASSPHRASE.encode()]:
                    self.assertNotIn(secret, content, file.name)

    def test_2_two_people_share_no_connection_and_no_tls_session(self):
        # The first server keeps connections, the other one closes each, so that only TLS sessions could be shared.
        for connection, door in [("pki", "https_certificate"), ("older", "https_certificate_12")]:
            calls = {}
            for user, name, cn in [("ana", "leaf", "Ana"), ("ben", "ben", "Ben")]:
                browser = self.signed_in(user)
                page = self.upload(browser, self.made.file(PASSPHRASE, name=name, chain="ca"), connection=connection)
                self.assertEqual(page.status, 303, page.text)
                calls[cn] = self.proxied(browser, connection, door)
            for turn in range(3):
                for cn, call in calls.items():
                    mark = f"{connection}{cn}{turn}"
                    self.assertEqual(call(mark).status, 200)
                    self.assertEqual(self.shown(mark), cn)

    def test_3_tls_1_2(self):
        browser = self.signed_in()
        self.made.own("stranger", "Stranger")
        refused = self.upload(
            browser, self.made.file(PASSPHRASE, name="stranger"), connection="older", any_authority="1")
        self.assertEqual(refused.status, 422)
        self.assertIn("does not know the authority", refused.text)
        taken = self.upload(browser, self.made.file(PASSPHRASE), connection="older")
        self.assertEqual(taken.status, 303, taken.text)

    def test_4_what_is_wrong_is_said(self):
        browser = self.signed_in()
        good = self.made.file(PASSPHRASE, chain="ca")
        self.made.signed("expired", "/CN=Late", days=-1)
        self.made.later("later")
        for words, file, passphrase in [
            ("passphrase does not open", good, "wrong"), ("damaged or not whole", good[:-10], PASSPHRASE),
            ("damaged or not whole", secrets.token_bytes(2000), PASSPHRASE), ("Choose the file", b"", PASSPHRASE),
            ("larger than 64 KiB", secrets.token_bytes(65 * 1024), PASSPHRASE),
            ("This certificate ended on 2", self.made.file(PASSPHRASE, name="expired"), PASSPHRASE),
            ("valid from 2100-01-01 on", self.made.file(PASSPHRASE, name="later"), PASSPHRASE),
            ("no private key", self.made.file(PASSPHRASE, "-nokeys"), PASSPHRASE),
            ("more work than", der(*costlier(elements(good))[0]), PASSPHRASE),
        ]:
            with self.subTest(words):
                before = len(self.apache.requests)
                page = self.upload(browser, file, passphrase)
                self.assertEqual(page.status, 422, page.text)
                self.assertIn(words, page.text)
                self.assertEqual(len(self.apache.requests), before, "nothing was asked")

    def test_5_other_authorities_are_said_before_the_certificate_is_shown(self):
        browser = self.signed_in()
        self.made.own("stranger", "Stranger")
        file = self.made.file(PASSPHRASE, name="stranger")
        page = self.upload(browser, file)
        self.assertEqual(page.status, 422)
        self.assertIn(f"accepts certificates of CN={CA}, and this one was issued by CN=Stranger", page.text)
        self.assertNotIn("unknown ca", self.apache_errors())
        shown = self.upload(browser, file, any_authority="1")
        self.assertEqual(shown.status, 422)
        self.assertIn("does not know the authority", shown.text)

    def apache_errors(self):
        return (self.apache.directory / "error.log").read_text().lower()

    def test_6_connections_are_made_only_to_what_asks(self):
        create = ["connection", "create", "--id", "other", "--kind", "certificate", "--url"]
        words = self.stack.cli(*create, self.apache.url("https", "/open/data.json"), expect=1)
        self.assertIn("does not ask for a client certificate", words)
        self.assertIn("in TLS alone", self.stack.cli(*create, self.apache.url("http"), expect=1))
        self.assertIn("not trusted", self.stack.cli(*create, self.apache.url("https_self_signed"), expect=1))
        made = self.stack.cli(*create, self.apache.url("https", "/certificate/data.json"))
        self.assertRegex(made, re.compile("connect it at .*/connect/other"))

    def test_7_a_certificate_of_an_authority_that_the_server_does_not_accept_any_more(self):
        stack, made, chromium = self.stack, self.made, Chromium(runs_scripts=False, trusts_everybody=True)
        self.addCleanup(chromium.close)
        browser = self.signed_in()
        self.assertEqual(self.upload(browser, made.file(PASSPHRASE, chain="ca")).status, 303)
        made.own("new", "New authority")
        made.signed("newer", "/CN=Ana the newer", by="new")
        configuration = self.apache.directory / "httpd.conf"
        configuration.write_text(configuration.read_text().replace(
            f'SSLCACertificateFile "{self.apache.authority}"', f'SSLCACertificateFile "{made.folder}/new.crt"'))
        self.apache.restart()
        resource = self.apache.url("https_certificate", "/open/data.json")
        address = stack.url + "/connect?" + urllib.parse.urlencode({"resource": resource})
        chromium.open(stack.url + "/signin/demo")
        chromium.sign_in_at_portal()
        chromium.open(address)
        self.see(
            chromium, "challenge-other-authority", "The server accepts certificates of CN=New authority; yours in Service pki",
            f"is of CN={CA}.", "Choose another certificate", "Continue to Service pki")
        self.assertEqual(stack.query("SELECT DISTINCT state FROM credential WHERE connection_id = 'pki'"), [("active",)])
        stack.cli(
            "connection", "create", "--id", "renewed", "--name", "Service renewed", "--kind", "certificate", "--url", resource,
            "--resource", self.apache.url("https_certificate"))
        chromium.open(address)
        chromium.press("Continue to Service renewed")
        file = made.folder / "newer.p12"
        file.write_bytes(made.file(PASSPHRASE, name="newer", chain="new"))
        chromium.find("[name=file]").send_keys(str(file))
        chromium.fill("passphrase", PASSPHRASE)
        chromium.press("Connect")
        self.see(chromium, "challenge-own-authority", "localhost is ready", "Service renewed")
        self.clients["renewed"] = stack.add_client(connection="renewed")
        call = self.proxied(browser, "renewed")
        self.assertEqual(call("seventh").status, 200)
        self.assertEqual(self.shown("seventh"), "newer")


if __name__ == "__main__":
    unittest.main()
