"""A server whose certificate nobody known signed is trusted by its public key, once an administrator approved exactly that."""

import json
import re
import subprocess
import time
import unittest

from apache import Apache
from certificates import Certificates
from chromium import Chromium
from stack import ADMINISTRATOR, Browser, Stack


class ServerTrust(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.apache = Apache()
        cls.addClassCleanup(cls.apache.close)
        cls.made = Certificates(cls.apache.directory)
        cls.stack = Stack()
        cls.addClassCleanup(cls.stack.close)
        cls.stack.start()
        cls.stack.set_up()
        cls.stack.add_demo()

    def key(self, name):
        """The SHA-256 of a public key, by openssl."""
        public = self.made.run("x509", "-in", f"{name}.crt", "-noout", "-pubkey")
        der = subprocess.run(["openssl", "pkey", "-pubin", "-outform", "DER"], input=public, capture_output=True, check=True)
        done = subprocess.run(["openssl", "dgst", "-sha256", "-r"], input=der.stdout, capture_output=True, check=True)
        return done.stdout.decode().split()[0]

    def create(self, id, door, *options, expect=0):
        return self.stack.cli(
            "connection", "create", "--id", id, "--kind", "certificate", "--url", self.apache.url(door, "/open/data.json"),
            *options, expect=expect)

    def server(self, door):
        return f"localhost:{self.apache.ports[door]}"

    def trust(self, id, *options, **more):
        return self.stack.cli("connection", "trust", id, *options, **more)

    def test_1_the_command_line_shows_the_chain_and_trusts_the_key(self):
        words = self.create("pinned", "https_certificate", expect=1)
        self.assertIn("is not trusted", words)
        self.assertIn("Issuer:     CN=Test authority", words)
        key = self.key("server")
        self.assertIn(f"--spki {key}", words.replace(":", "").lower())
        self.assertIn("shows the key", self.create("pinned", "https_certificate", "--spki", "00" * 32, expect=1))
        self.create("pinned", "https_certificate", "--spki", key)
        shown = json.loads(self.trust("pinned", "--json"))
        self.assertEqual((shown["trusted"], shown["server"]), (True, self.server("https_certificate")))
        self.assertEqual(shown["chain"][0]["spki_sha256"].replace(":", "").lower(), key)
        self.assertIn("is trusted by this key", self.trust("pinned"))
        # The certificate's end comes before a year is over.
        until = int(self.stack.cli("connection", "show", "pinned", "--json").split("trustedKeys")[1].split('"')[2].split()[2])
        self.assertLess(until - time.time(), 3 * 86400)
        rows = self.stack.query("SELECT count(*) FROM audit WHERE name = 'connection_created'")
        self.assertGreaterEqual(rows[0][0], 1)

    def test_2_only_the_name_and_the_dates_that_fit(self):
        self.create("names", "https_certificate", "--spki", self.key("server"), "--allow-network", "127.0.0.0/8")
        for door, name, words in [("https_expired", "expired", "has expired"), ("https_other_host", "other", "another name")]:
            refused = self.trust("names", "--host", self.server(door), "--spki", self.key(name), expect=1)
            self.assertTrue(words in refused or "has ended" in refused, refused)
        other = self.trust("names", "--host", self.server("https_self_signed"))
        self.assertIn("is not trusted", other)
        self.trust("names", "--host", self.server("https_self_signed"), "--spki", self.key("self"))
        self.assertIn("is trusted by this key", self.trust("names", "--host", self.server("https_self_signed")))
        # A key counts for its own server alone.
        self.assertIn("is not trusted", self.trust("names", "--host", self.server("https")))
        self.trust("names", "--host", self.server("https_self_signed"), "--withdraw")
        self.assertIn("is not trusted", self.trust("names", "--host", self.server("https_self_signed")))
        rows = self.stack.query("SELECT detail, resource FROM audit WHERE name = 'connection_updated' ORDER BY id")
        server = f"https://{self.server('https_self_signed')}/"
        self.assertEqual(
            [row for row in rows if row[1] == server],
            [("trust a server's key", server), ("trust a server's key no longer", server)])

    def test_3_on_the_pages_until_the_key_changes(self):
        stack, chromium = self.stack, Chromium(runs_scripts=False)
        self.addCleanup(chromium.close)
        chromium.open(stack.url + "/admin/connections/new")
        chromium.fill("username", ADMINISTRATOR[0])
        chromium.fill("password", ADMINISTRATOR[1])
        chromium.follow(chromium.find("main form button"))
        chromium.open(stack.url + "/admin/connections/new")
        chromium.find('option[value="certificate"]').click()
        chromium.fill("name", "Paged")
        chromium.fill("id", "paged")
        chromium.fill("web_address", self.apache.url("https_certificate_12", "/open/data.json"))
        chromium.press("Add connection")
        self.see(chromium, "connection-untrusted", "No authority known here has signed", "SHA-256 of the public key")
        shown = chromium.find("[name=trust]").get_attribute("value")
        self.assertEqual(shown.split()[1].replace(":", "").lower(), self.key("server"))
        chromium.find("[name=trust]").click()
        chromium.press("Add connection")
        self.see(chromium, "connection-trusted", "The connection was added", "Trusted server keys")
        server = self.server("https_certificate_12")
        chromium.open(f"{stack.url}/admin/connections/paged/trust?server={server}")
        self.see(chromium, "server-certificate", "trusted by its key")
        # The server gets another key.
        self.made.signed("server", "/CN=localhost", by="ca", extensions="subjectAltName=DNS:localhost")
        self.apache.restart()
        chromium.open(stack.url + "/admin/connections/paged")
        self.see(chromium, "connection-other-key", "Paged\nBroken", "is not trusted", "another key than the one that was approved")
        chromium.open(stack.url + "/admin")
        row = next(row for row in chromium.text.split("\n") if row.startswith("Paged"))
        self.assertIn("Broken", row + chromium.text.partition(row)[2][:80])
        chromium.open(stack.url + "/admin/connections/paged")
        refused = self.trust("paged")
        self.assertIn("shows another key than the approved one", refused)
        chromium.press("Look at its certificate")
        self.see(chromium, "server-certificate-changed", "nothing is sent to it", "Trust this key")
        chromium.fill("until", "soon")
        chromium.press("Trust this key")
        self.see(chromium, "server-certificate-error", "Enter a day such as")
        chromium.fill("until", time.strftime("%Y-%m-%d", time.gmtime(time.time() + 2 * 86400)))
        chromium.press("Trust this key")
        self.assertNotIn("is not trusted", chromium.text)
        self.assertIn("is trusted by this key", self.trust("paged"))
        # The approval comes to its end.
        options = stack.query("SELECT options FROM connection WHERE id = 'paged'")[0][0]
        ended = re.sub(r'("trustedKeys":\["[^" ]+ [^" ]+ )\d+', rf"\g<1>{int(time.time()) - 5}", options)
        self.assertNotEqual(options, ended)
        stack.stop()
        stack.query("UPDATE connection SET options = ? WHERE id = 'paged'", ended)
        stack.start()
        chromium.open(stack.url + "/admin/connections/paged")
        self.see(chromium, "connection-approval-ended", "The approval of its key has ended: approve it again")
        self.assertIn("has ended. To approve it again", self.trust("paged"))

    def see(self, chromium, name, *words):
        for word in words:
            self.assertIn(word.lower(), chromium.text.lower(), f"{name}: {chromium.url}")
        self.assertEqual(chromium.photograph(name), 0, f"{name} is wider than the window")
        self.assertEqual(chromium.complaints(), [], name)


if __name__ == "__main__":
    unittest.main()
