"""Web servers that ask for user name and password: Apache by Basic and Digest, and one with Windows authentication."""

import concurrent.futures
import json
import re
import secrets
import unittest

from apache import REALM, USER, Apache
from chromium import Chromium
from ntlm import DOMAIN, USERS, NTLM
from stack import Browser, Stack


class WebServerPassword(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.apache = Apache()
        cls.addClassCleanup(cls.apache.close)

    def setUp(self):
        self.stack = Stack().start()
        self.addCleanup(self.stack.close)
        self.stack.add_demo()
        self.passwords = set()

    def tearDown(self):
        """Nothing that was typed stands in a file."""
        for file in [*self.stack.data.iterdir(), self.stack.log_path]:
            if file.is_file():
                content = file.read_bytes()
                for password in self.passwords:
                    self.assertNotIn(password.encode(), content, file.name)

    def add(self, url, name="archive", expect=0):
        return self.stack.cli(
            "connection", "create", "--id", name, "--name", name.capitalize(), "--kind", "password", "--url", url, "--json",
            expect=expect)

    def person(self, user="ana"):
        browser = self.stack.browser()
        self.stack.sign_in(browser, user)
        return browser

    def connect(self, browser, username, password, name="archive"):
        self.passwords.add(password)
        page = browser.get(f"{self.stack.url}/connect/{name}")
        return browser.post(
            f"{self.stack.url}/connect/{name}",
            {"csrf": page.field("csrf"), "ticket": page.field("ticket"), "username": username, "password": password})

    def access(self, browser, client):
        return self.stack.app_token(browser, client, allow=("archive",))["access_token"]

    def call(self, access, path, method="GET", body=None):
        return Browser().request(
            method, f"{self.stack.url}/v1/proxy/archive{path}", body=body, headers={"Authorization": f"Bearer {access}"})

    def use(self, browser, client, path="/data.json"):
        answer = self.call(self.access(browser, client), path)
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def attempts(self, path):
        """How often Apache was shown a login below `path`."""
        return [line for line in self.apache.requests if path in line and re.search(r'" \d{3} (Basic|Digest) ', line)]

    def test_basic(self):
        made = json.loads(self.add(self.apache.url("http", "/basic/")))
        self.assertEqual((made["options"]["scheme"], made["options"]["realm"]), ("basic", REALM))
        browser, client = self.person(), self.stack.add_client(connection="archive")
        before = len(self.attempts("/basic"))
        wrong = self.connect(browser, USER[0], "not this one")
        self.assertIn("does not accept this user name and password", wrong.text)
        self.assertEqual(len(self.attempts("/basic")), before + 1)
        self.assertIn("connected=archive", self.connect(browser, *USER).location)
        self.assertEqual(self.use(browser, client), {"hello": "world"})
        access = self.access(browser, client)
        vended = self.stack.vend(access, self.apache.url("http", "/basic/data.json"))
        self.assertEqual(vended.json["proxy_reason"], "password", vended.text)
        self.assertNotIn(USER[1], vended.text)

    def test_digest_with_an_upload(self):
        made = json.loads(self.add(self.apache.url("http", "/digest/")))
        self.assertEqual(made["options"]["scheme"], "digest")
        browser, client = self.person(), self.stack.add_client(connection="archive")
        before = len(self.attempts("/digest"))
        self.assertIn("does not accept", self.connect(browser, USER[0], "not this one").text)
        self.assertEqual(len(self.attempts("/digest")), before + 1)
        self.assertIn("connected=archive", self.connect(browser, *USER).location)
        content = secrets.token_bytes(3 << 20)
        answer = self.call(self.access(browser, client), "/store/upload.bin", "PUT", content)
        self.assertEqual(answer.status, 201, answer.text)
        self.assertEqual((self.apache.directory / "www/digest/store/upload.bin").read_bytes(), content)

    def test_two_people_at_once_never_share_an_ntlm_connection(self):
        server = NTLM()
        self.addCleanup(server.close)
        self.assertEqual(json.loads(self.add(server.url))["options"]["scheme"], "ntlm")
        people = [(self.person(name), name) for name in USERS]
        client = self.stack.add_client(connection="archive")
        self.assertIn("DOMAIN\\name", people[0][0].get(f"{self.stack.url}/connect/archive").text)
        self.assertIn("does not accept", self.connect(people[0][0], f"{DOMAIN}\\ana", "not this one").text)
        self.assertEqual(server.refused, 1)
        for browser, name in people:
            self.assertIn("connected=archive", self.connect(browser, f"{DOMAIN}\\{name}", USERS[name]).location)
        tokens = [(self.access(browser, client), name) for browser, name in people]

        def call(number):
            access, name = tokens[number % 2]
            body = b"x" * (number * 1000)
            answer = self.call(access, f"/{number}", "POST" if number % 3 else "GET", body if number % 3 else None)
            return answer.status, answer.json["user"], f"{DOMAIN}\\{name}", answer.json["bytes"], len(body) if number % 3 else 0

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for status, who, wanted, received, sent in pool.map(call, range(40)):
                self.assertEqual((status, who, received), (200, wanted, sent))
        owners = {}
        for connection, who, _, _ in server.answered:
            owners.setdefault(connection, set()).add(who)
        self.assertTrue(all(len(who) == 1 for who in owners.values()), owners)
        self.assertEqual(server.refused, 1)

    def test_a_changed_password_asks_the_person_and_is_tried_no_more(self):
        self.add(self.apache.url("http", "/basic/"))
        browser, client = self.person(), self.stack.add_client(connection="archive")
        self.connect(browser, *USER)
        access = self.access(browser, client)
        users = self.apache.directory / "users.basic"
        kept = users.read_text()
        users.write_text("")
        self.addCleanup(users.write_text, kept)
        before = len(self.attempts("/basic"))
        for _ in range(3):
            answer = self.call(access, "/data.json")
            self.assertEqual(answer.json["reason"], "reauth_required", answer.text)
        # Once at the URL, and once at the connection's own address.
        self.assertEqual(len(self.attempts("/basic")), before + 2)

    def test_a_url_for_others_ends_nothing(self):
        """Apache answers 401, not 403, to a right login that it does not let have a path."""
        self.add(self.apache.url("http", "/basic/"))
        browser, client = self.person(), self.stack.add_client(connection="archive")
        self.connect(browser, *USER)
        access = self.access(browser, client)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: self.call(access, "/others/data.json"), range(8)))
        self.assertEqual({answer.status for answer in answers}, {401})
        self.assertIn("Unauthorized", answers[0].text)
        self.assertEqual(self.call(access, "/data.json").status, 200)
        page = browser.get(f"{self.stack.url}/connect?resource={self.apache.url('http', '/basic/others/data.json')}")
        self.assertIn("knows who you are, and does not let you have this", page.text)
        self.assertEqual(self.call(access, "/data.json").status, 200)

    def test_what_makes_no_connection(self):
        self.assertIn("asks for no user name and password", self.add(self.apache.url("http", "/open/"), expect=1))
        self.assertIn("certificate", self.add(self.apache.url("https", "/basic/"), expect=1))

    def test_in_a_browser(self):
        self.add(self.apache.url("http", "/digest/"))
        with_browser = Chromium(runs_scripts=False)
        self.addCleanup(with_browser.close)
        with_browser.open(self.stack.url + "/signin/demo")
        with_browser.sign_in_at_portal()
        with_browser.open(self.stack.url + "/connect/archive")
        self.see(with_browser, "connect-login", "Connect Archive", REALM, "HTTP Digest", "No app gets them")
        with_browser.fill("username", USER[0])
        with_browser.fill("password", "not this one")
        with_browser.follow(with_browser.find("main form button"))
        self.see(with_browser, "connect-login-error", "does not accept this user name and password")
        with_browser.fill("password", USER[1])
        with_browser.follow(with_browser.find("main form button"))
        self.see(with_browser, "account-login", "Archive is connected.", "until you sign out or disconnect it")
        with_browser.open(self.stack.url + "/disconnect/archive")
        self.see(with_browser, "disconnect-login", "goes on working at localhost")
        with_browser.open(self.stack.url + "/signout")
        self.see(with_browser, "sign-out-login", "Will be forgotten")
        with_browser.press("Sign out")
        self.see(with_browser, "sign-out-report-login", "there is nothing to cancel", "forgotten")
        self.assertEqual(self.stack.query("SELECT count(*) FROM credential WHERE connection_id = 'archive'")[0][0], 0)

    def see(self, chromium, name, *words):
        for word in words:
            self.assertIn(word.lower(), chromium.text.lower(), f"{name}: {chromium.url}")
        self.assertEqual(chromium.photograph(name), 0, f"{name} is wider than the window")
        self.assertEqual(chromium.complaints(), [], name)


if __name__ == "__main__":
    unittest.main()
