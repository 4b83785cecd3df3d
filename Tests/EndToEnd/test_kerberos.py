"""A web server that asks for Kerberos: Apache with mod_auth_gssapi, and a realm of MIT Kerberos."""

import concurrent.futures
import unittest

from apache import Apache
from chromium import Chromium
from kdc import KDC, REALM, USERS
from stack import Browser, Stack


class Kerberos(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kdc = KDC()
        cls.addClassCleanup(cls.kdc.close)
        cls.apache = Apache(cls.kdc)
        cls.addClassCleanup(cls.apache.close)

    def setUp(self):
        self.stack = Stack().start()
        self.addCleanup(self.stack.close)
        self.stack.add_demo()
        self.stack.cli(
            "connection", "create", "--id", "archive", "--name", "Archive", "--kind", "kerberos", "--url",
            self.apache.url("http", "/negotiate/"), "--realm", REALM, "--kdc", self.kdc.address, "--json")

    def person(self, user="ana"):
        browser = self.stack.browser()
        self.stack.sign_in(browser, user)
        return browser

    def connect(self, browser, username="ana", password="", keytab=b""):
        page = browser.get(f"{self.stack.url}/connect/archive")
        fields = {
            "csrf": page.field("csrf"), "ticket": page.field("ticket"), "username": username, "password": password,
            "kept": "sign_out", "kept_until": ""}
        return browser.upload(page.url, fields, keytab=keytab)

    def access(self, browser, client):
        return self.stack.app_token(browser, client, allow=("archive",))["access_token"]

    def call(self, access, path="/data.json"):
        return Browser().get(f"{self.stack.url}/v1/proxy/archive{path}", headers={"Authorization": f"Bearer {access}"})

    def failures(self):
        """How often the realm was shown a wrong key."""
        return sum("PREAUTH_FAILED" in line for line in self.kdc.log)

    def assert_connected(self, answer):
        self.assertIn("connected=archive", answer.location or "", answer.text.partition("summary-title")[2][:600])

    def test_with_a_password(self):
        browser, client = self.person(), self.stack.add_client(connection="archive")
        before = self.failures()
        self.assertIn("does not accept this user name", self.connect(browser, password="not this one").text)
        self.assertEqual(self.failures(), before + 1)
        self.assertIn("does not know this user name", self.connect(browser, "nobody", "x").text)
        self.assert_connected(self.connect(browser, password=USERS["ana"]))
        access = self.access(browser, client)
        self.assertEqual(self.call(access).json, {"hello": "world"})
        vended = self.stack.vend(access, self.apache.url("http", "/negotiate/data.json"))
        self.assertEqual(vended.json["proxy_reason"], "kerberos", vended.text)
        shown = [line for line in self.apache.requests if "Negotiate " in line]
        self.assertTrue(shown)
        # A fresh proof for each request, of one ticket.
        asked = sum("TGS_REQ" in line for line in self.kdc.log)
        for _ in range(3):
            self.assertEqual(self.call(access).status, 200)
        self.assertEqual(sum("TGS_REQ" in line for line in self.kdc.log), asked)
        proofs = [line for line in self.apache.requests if "Negotiate " in line]
        self.assertEqual(len(set(proofs)), len(proofs))
        for file in [*self.stack.data.iterdir(), self.stack.log_path]:
            if file.is_file():
                self.assertNotIn(USERS["ana"].encode(), file.read_bytes(), file.name)

    def test_with_a_keytab(self):
        browser, client = self.person(), self.stack.add_client(connection="archive")
        self.assertIn("This file is no keytab", self.connect(browser, keytab=b"PK\x03\x04 not one").text)
        content = self.kdc.keytab("ana").read_bytes()
        self.assertIn("no key of this user name", self.connect(browser, "ben", keytab=content).text)
        self.assertIn("no keytab", self.connect(browser, keytab=content[:20]).text)
        self.assertIn("64 KiB", self.connect(browser, keytab=content + bytes(65536)).text)
        self.assert_connected(self.connect(browser, keytab=content))
        self.assertEqual(self.call(self.access(browser, client)).json, {"hello": "world"})

    def test_two_people_at_once(self):
        client = self.stack.add_client(connection="archive")
        tokens = []
        for name, password in USERS.items():
            browser = self.person(name)
            self.assert_connected(self.connect(browser, name, password))
            tokens.append(self.access(browser, client))
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda number: self.call(tokens[number % 2], "/ben/data.json").status, range(24)))
        self.assertEqual(set(answers[1::2]), {200})
        self.assertEqual(set(answers[0::2]), {401})
        # That was not for ana, and ended nothing of hers.
        self.assertEqual(self.call(tokens[0]).status, 200)

    def test_a_realm_that_does_not_answer_and_one_whose_clock_is_wrong(self):
        browser, client = self.person(), self.stack.add_client(connection="archive")
        self.assert_connected(self.connect(browser, password=USERS["ana"]))
        access = self.access(browser, client)
        self.kdc.stop()
        try:
            # The ticket that is held still opens the door, and another one is not to be had.
            self.assertIn("does not answer at the moment", self.connect(self.person("ben"), "ben", USERS["ben"]).text)
            self.stack.restart()
            self.assertEqual(self.call(access).status, 503)
        finally:
            self.kdc.start()
        self.assertEqual(self.call(access).status, 200)
        self.kdc.stop()
        self.kdc.start("faketime", "-f", "+2h")
        try:
            self.assertIn("clocks of Gatehouse and of the realm", self.connect(browser, password=USERS["ana"]).text)
        finally:
            self.kdc.stop()
            self.kdc.start()

    def test_a_changed_password_asks_the_person(self):
        browser, client = self.person(), self.stack.add_client(connection="archive")
        self.assert_connected(self.connect(browser, password=USERS["ana"]))
        access = self.access(browser, client)
        self.kdc.administer('change_password -pw "another one for now" ana')
        self.addCleanup(self.kdc.administer, f'change_password -pw "{USERS["ana"]}" ana')
        # The ticket goes on working; without one, the password is shown once.
        self.stack.restart()
        before = self.failures()
        for _ in range(3):
            self.assertEqual(self.call(access).json["reason"], "reauth_required")
        self.assertEqual(self.failures(), before + 1)

    def test_in_a_browser(self):
        chromium = Chromium(runs_scripts=False)
        self.addCleanup(chromium.close)
        chromium.open(self.stack.url + "/signin/demo")
        chromium.sign_in_at_portal()
        chromium.open(self.stack.url + "/connect/archive")
        self.see(chromium, "connect-kerberos", "Connect Archive", REALM, "Keytab")
        chromium.fill("username", "ana@" + REALM)
        chromium.fill("password", USERS["ana"])
        chromium.follow(chromium.find("main form button"))
        self.see(chromium, "connect-kerberos-error", "Enter the user name alone")
        chromium.find("[name=username]").clear()
        chromium.fill("username", "ana")
        chromium.find("[name=keytab]").send_keys(str(self.kdc.keytab("ana")))
        chromium.follow(chromium.find("main form button"))
        self.see(chromium, "account-kerberos", "Archive is connected.", f"ana@{REALM}")
        chromium.open(self.stack.url + "/signout")
        chromium.press("Sign out")
        self.see(chromium, "sign-out-report-kerberos", "Forgotten here")

    def see(self, chromium, name, *words):
        for word in words:
            self.assertIn(word.lower(), chromium.text.lower(), f"{name}: {chromium.url}")
        self.assertEqual(chromium.photograph(name), 0, f"{name} is wider than the window")
        self.assertEqual(chromium.complaints(), [], name)


if __name__ == "__main__":
    unittest.main()
