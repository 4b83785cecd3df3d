"""Whatever comes over the socket gets a clear refusal, and a full disk loses nothing."""

import base64
import json
import pathlib
import re
import socket
import ssl
import subprocess
import tempfile
import unittest
import urllib.parse

from stack import Browser, Stack, make_certificate, until

HOST = b"Host: localhost\r\n"
FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"


def request(head, *fields, body=b""):
    return head + b"\r\n" + b"".join(fields) + b"\r\n" + body


# Requests that are malformed, and the statuses that may answer them; an empty set means that the connection ends.
MALFORMED = {
    "no host": (request(b"GET / HTTP/1.1"), {400}),
    "two hosts": (request(b"GET / HTTP/1.1", HOST, HOST), {400}),
    "a foreign host": (request(b"GET / HTTP/1.1", b"Host: evil.example\r\n"), {421}),
    "a foreign absolute target": (request(b"GET http://evil.example/ HTTP/1.1", HOST), {400, 421}),
    "a bare line feed in a field": (request(b"GET / HTTP/1.1", HOST, b"X: a\nb: c\r\n"), {400}),
    "a field that is folded": (request(b"GET / HTTP/1.1", HOST, b"X: a\r\n b\r\n"), {400}),
    "a space before the colon": (request(b"GET / HTTP/1.1", HOST, b"X : a\r\n"), {400}),
    "a NUL in the target": (request(b"GET /\x00 HTTP/1.1", HOST), {400}),
    "a bad escape in the path": (request(b"GET /%zz HTTP/1.1", HOST), {400, 404}),
    "an encoded slash and dots": (request(b"GET /assets/..%2f..%2fetc/passwd HTTP/1.1", HOST), {400, 404}),
    "dots out of the assets": (request(b"GET /assets/../../etc/passwd HTTP/1.1", HOST), {400, 404}),
    "length and chunks": (
        request(b"POST /signin HTTP/1.1", HOST, b"Content-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n",
                body=b"0\r\n\r\n"), {400}),
    "two lengths": (
        request(b"POST /signin HTTP/1.1", HOST, b"Content-Length: 3\r\n", b"Content-Length: 4\r\n", body=b"abc"),
        {400}),
    "a negative length": (request(b"POST /signin HTTP/1.1", HOST, b"Content-Length: -1\r\n"), {400}),
    "an enormous length": (request(b"POST /signin HTTP/1.1", HOST, b"Content-Length: 99999999999\r\n"), {413}),
    "a bad chunk": (
        request(b"POST /signin HTTP/1.1", HOST, b"Transfer-Encoding: chunked\r\n", body=b"zz\r\nabc\r\n"), {400}),
    "an unknown coding": (request(b"POST /signin HTTP/1.1", HOST, b"Transfer-Encoding: gzip\r\n"), {400, 501}),
    "a long target": (request(b"GET /" + b"a" * 20_000 + b" HTTP/1.1", HOST), {414, 431}),
    "a long field": (request(b"GET / HTTP/1.1", HOST, b"X: " + b"a" * 100_000 + b"\r\n"), {431}),
    "very many fields": (request(b"GET / HTTP/1.1", HOST, *[b"X%d: a\r\n" % n for n in range(2000)]), {431}),
    "an unknown version": (request(b"GET / HTTP/3.7", HOST), {400, 505}),
    "the preface of HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {400, 505}),
    "the greeting of TLS": (bytes.fromhex("160301020001000001fc0303") + bytes(500), {400}),
    "noise": (bytes(range(256)) * 4, {400}),
    "an unknown method": (request(b"BREW /account HTTP/1.1", HOST), {400, 405, 501}),
    "a tunnel": (request(b"CONNECT evil.example:443 HTTP/1.1", b"Host: evil.example:443\r\n"), {400, 405, 421, 501}),
}

# Forms to the token endpoint, by what is wrong; each gets an OAuth error.
TOKEN_FORMS = {
    "nothing": b"",
    "no grant": b"client_id=x",
    "an unknown grant": b"grant_type=magic",
    "a parameter twice": b"grant_type=client_credentials&grant_type=client_credentials",
    "a bad escape": b"grant_type=%zz",
    "no UTF-8": b"grant_type=%ff%fe",
    "a NUL": b"grant_type=client_credentials%00",
    "a hundred parameters": b"&".join(b"p%d=1" % number for number in range(100)),
    "a code of nobody": b"grant_type=authorization_code&code=x&code_verifier=" + b"v" * 43,
    "a verifier that is too short": b"grant_type=authorization_code&code=x&code_verifier=v",
    "a refresh token of nobody": b"grant_type=refresh_token&refresh_token=x",
    "a token exchange of nothing": b"grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange",
    "a scope with quotes": b"grant_type=client_credentials&scope=%22",
}

# What no app can mean to call.
RESOURCES = [
    "", "x", "//host/x", "ftp://host/x", "http://", "http://user:pw@portal.localhost/x", "http://portal.localhost:0/",
    "http://portal.localhost:99999/", "http://portal.localhost/#f", "javascript:alert(1)", "http://[::1", "http://a b/",
    "file:///etc/passwd", "http://portal.localhost/\x00", "https://" + "a" * 5000 + "/", "http://%70ortal.localhost/",
    "http://portal.localhost/..;/", "http://169.254.169.254/latest/meta-data",
]


def encoded(part):
    return base64.urlsafe_b64encode(part).decode().rstrip("=")


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = Stack().start()
        cls.addClassCleanup(cls.stack.close)
        cls.stack.set_up()
        cls.stack.add_demo()
        cls.client = cls.stack.add_client()
        cls.browser = Browser()
        cls.stack.sign_in(cls.browser)
        cls.tokens = cls.stack.app_token(cls.browser, cls.client)

    def tearDown(self):
        self.assertEqual(Browser().get(self.stack.url + "/health/ready").status, 200)
        log = self.stack.log_path.read_text()
        self.assertNotIn("failed on our side", log)
        for line in log.splitlines():
            self.assertNotIn(self.tokens["access_token"], line)

    def send(self, data):
        """The status of the first answer to raw bytes; nothing when there is none."""
        with socket.create_connection(("127.0.0.1", self.stack.port), timeout=20) as connection:
            try:
                connection.sendall(data)
                answer = connection.recv(65536)
            except ConnectionError:
                return None
            return int(answer.split()[1]) if answer else None

    def test_malformed_requests(self):
        for name, (data, statuses) in MALFORMED.items():
            with self.subTest(name):
                self.assertIn(self.send(data), statuses or {None})

    def test_a_request_that_never_ends_does_not_stop_others(self):
        with socket.create_connection(("127.0.0.1", self.stack.port)) as slow:
            slow.sendall(b"GET / HTTP/1.1\r\nHost: loc")
            self.assertEqual(Browser().get(self.stack.url + "/health/live").status, 200)

    def test_forms_for_people(self):
        long = "x" * 200_000
        forms = {
            "no form token": ("/signin", {"username": "a", "password": "b"}, 403),
            "a form token of nobody": ("/signin", {"username": "a", "password": "b", "csrf": "x"}, 403),
            "sign-out by another page": ("/signout", {"csrf": "x"}, 403),
            "disconnect by another page": ("/disconnect/demo", {"csrf": "x"}, 403),
            "consent by another page": ("/consent", {"csrf": "x", "ticket": "y", "answer": "allow"}, 403),
            "setup after the setup": ("/setup", {"csrf": "x", "ticket": "y"}, 403),
            "too much": ("/signin", {"username": long, "password": long}, 400),
            "administration without a session": ("/admin/clients/new", {"csrf": "x"}, None),
        }
        for name, (path, form, status) in forms.items():
            with self.subTest(name):
                answer = self.browser.post(self.stack.url + path, form)
                if status:
                    self.assertEqual(answer.status, status, answer.text[:500])
                self.assertLess(answer.status, 500)
        with self.subTest("nothing was done"):
            self.assertEqual(self.browser.get(self.stack.url + "/account").status, 200)
        for body, kind in ((b"{}", "application/json"), (b"a=b", "text/plain"), (b"a=%ff", "x-www-form-urlencoded")):
            with self.subTest(kind):
                answer = self.browser.request(
                    "POST", self.stack.url + "/signin", body, {"Content-Type": kind})
                self.assertIn(answer.status, (400, 403, 415), answer.text[:500])

    def test_a_page_of_another_origin_posts_in_vain(self):
        page = self.browser.get(self.stack.url + "/signout")
        form = {"csrf": page.field("csrf"), "ticket": page.field("ticket")}
        for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            with self.subTest(str(headers)):
                answer = self.browser.post(self.stack.url + "/signout", form, headers=headers)
                self.assertEqual(answer.status, 403)
        self.assertEqual(self.browser.get(self.stack.url + "/account").status, 200)

    def test_forms_of_apps(self):
        basic = base64.b64encode(f"{self.client['client_id']}:{self.client['client_secret']}".encode()).decode()
        for name, body in TOKEN_FORMS.items():
            with self.subTest(name):
                answer = Browser().request(
                    "POST", self.stack.url + "/oauth2/token", body,
                    {"Authorization": "Basic " + basic, "Content-Type": "application/x-www-form-urlencoded"})
                self.assertEqual(answer.status, 400, answer.text)
                self.assertIn("error_description", answer.json)
                self.assertEqual(answer.headers["Cache-Control"], "no-store")
        with self.subTest("JSON"):
            answer = Browser().request(
                "POST", self.stack.url + "/oauth2/token", json.dumps({"grant_type": "client_credentials"}),
                {"Authorization": "Basic " + basic, "Content-Type": "application/json"})
            self.assertIn(answer.status, (400, 415), answer.text)
        for name, value in {
            "no base64": "Basic %%%", "no colon": "Basic " + base64.b64encode(b"abc").decode(), "nothing": "Basic",
            "a wrong secret": "Basic " + base64.b64encode(f"{self.client['client_id']}:no".encode()).decode(),
            "another scheme": "Digest x", "no UTF-8": "Basic " + base64.b64encode(b"\xff:\xff").decode(),
        }.items():
            with self.subTest(name):
                answer = Browser().post(
                    self.stack.url + "/oauth2/token", {"grant_type": "client_credentials"},
                    headers={"Authorization": value})
                self.assertEqual((answer.status, answer.json["error"]), (401, "invalid_client"), answer.text)
                self.assertIn("WWW-Authenticate", answer.headers)

    def test_authorization_requests_that_may_not_be_sent_back(self):
        good = {
            "response_type": "code", "client_id": self.client["client_id"], "scope": "vend", "code_challenge": "c" * 43,
            "redirect_uri": "http://localhost:9999/callback", "code_challenge_method": "S256"}
        for change in (
            {"client_id": "nobody"}, {"redirect_uri": "http://evil.example/"}, {"redirect_uri": "javascript:alert(1)"},
            {"redirect_uri": "http://localhost:9999/callback/"}, {"redirect_uri": "http://localhost:9999/callback#x"},
            {"client_id": "<script>alert(1)</script>"},
        ):
            with self.subTest(str(change)):
                query = urllib.parse.urlencode({**good, **change})
                answer = self.browser.get(f"{self.stack.url}/oauth2/authorize?{query}")
                self.assertEqual(answer.status, 400, answer.text[:500])
                self.assertNotIn("<script>alert", answer.text)
        for change in ({"code_challenge_method": "plain"}, {"code_challenge": "x"}, {"response_type": "token"},
                       {"scope": "root"}):
            with self.subTest(str(change)):
                query = urllib.parse.urlencode({**good, **change})
                answer = self.browser.get(f"{self.stack.url}/oauth2/authorize?{query}")
                self.assertIn(answer.status, (302, 303), answer.text[:500])
                self.assertIn("error", answer.query)

    def test_urls_that_no_app_can_mean(self):
        for resource in RESOURCES:
            with self.subTest(resource[:60]):
                answer = self.stack.vend(self.tokens["access_token"], resource or " ")
                self.assertEqual(answer.status, 400, answer.text)
                self.assertIn(answer.json["error"], ("invalid_target", "invalid_request"))
        for name, query in {"none": "", "two": "resource=http://a/&resource=http://b/", "a bad escape": "resource=%zz",
                            "a long wish": "resource=http://a/&min_ttl=99999999999999999999"}.items():
            with self.subTest(name):
                answer = Browser().get(
                    f"{self.stack.url}/v1/token?{query}",
                    headers={"Authorization": "Bearer " + self.tokens["access_token"]})
                self.assertEqual(answer.status, 400, answer.text)

    def test_tokens_that_do_not_count(self):
        head, claims, signature = self.tokens["access_token"].split(".")
        payload = json.loads(base64.urlsafe_b64decode(claims + "=="))
        none = encoded(b'{"alg":"none","typ":"at+jwt"}')
        forged = encoded(json.dumps({**payload, "sub": "somebody else"}).encode())
        for name, token in {
            "noise": "x", "an algorithm of none": f"{none}.{claims}.", "other claims": f"{head}.{forged}.{signature}",
            "another signature": f"{head}.{claims}.{signature[::-1]}", "no signature": f"{head}.{claims}.",
            "four parts": self.tokens["access_token"] + ".x", "a refresh token": self.tokens["refresh_token"],
            "very long": "a." * 4000,
        }.items():
            with self.subTest(name):
                answer = self.stack.vend(token)
                self.assertIn(answer.status, (400, 401), answer.text)
                if answer.status == 401:
                    self.assertIn("invalid_token", answer.headers["WWW-Authenticate"])
        with self.subTest("in the query"):
            answer = Browser().get(
                f"{self.stack.url}/v1/token?resource={self.stack.layer}&access_token={self.tokens['access_token']}")
            self.assertEqual(answer.status, 401)

    def test_cookies_that_do_not_count(self):
        session = self.browser.cookies["localhost"]["gh_s"]
        for name, cookie in {
            "noise": "gh_s=x", "empty": "gh_s=", "twice": f"gh_s={session}; gh_s=x", "changed": f"gh_s={session[::-1]}",
            "long": "gh_s=" + "a" * 6000, "no pair": ";;;=;gh_s", "quoted": f'gh_s="{session}"',
            "for the administration": f"gh_a={session}",
        }.items():
            with self.subTest(name):
                answer = Browser().get(self.stack.url + "/account", headers={"Cookie": cookie})
                self.assertIn(answer.status, (303, 400), answer.text[:300])
        with self.subTest("a person is no administrator"):
            self.assertEqual(self.browser.get(self.stack.url + "/admin").status, 303)

    def test_callbacks_that_nobody_waits_for(self):
        for query in ("", "code=x", "state=x", "code=x&state=y", "error=access_denied&state=y", "state=%00&code=%00",
                      "code=a&code=b&state=c", "state=" + "a" * 5000 + "&code=x"):
            with self.subTest(query[:40]):
                answer = self.browser.get(f"{self.stack.url}/callback/demo?{query}")
                self.assertIn(answer.status, (400, 403, 404), answer.text[:300])


class FullDisk(unittest.TestCase):
    def setUp(self):
        self.mount = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-tmpfs-"))
        self.addCleanup(self.mount.rmdir)
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(self.mount)], capture_output=True, text=True)
        if done.returncode:
            self.skipTest(f"a small file system cannot be mounted here: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", str(self.mount)], check=True)
        self.data = self.mount / "data"

    def fill(self):
        """Takes all room, to the last byte."""
        with open(self.mount / "ballast", "ab", buffering=0) as ballast:
            for size in (65536, 4096, 1):
                try:
                    while True:
                        ballast.write(bytes(size))
                except OSError:
                    continue

    def test_a_full_disk_is_said_clearly_and_loses_nothing(self):
        stack = Stack(data=self.data)
        self.addCleanup(stack.close)
        stack.start()
        stack.set_up()
        stack.add_demo()
        client, browser = stack.add_client(), Browser()
        stack.sign_in(browser)
        tokens = stack.app_token(browser, client)
        self.assertEqual(stack.vend(tokens["access_token"]).status, 200)
        # Somebody whose token has run out.
        other = Browser()
        stack.sign_in(other, "ben")
        expired = stack.app_token(other, client)
        stack.age_credentials(-1, "ben")
        self.fill()

        with self.subTest("the app is told to come back"):
            refused = until(lambda: self.not_vended(stack, tokens), 30, 0)
            self.assertIsNotNone(refused, "the disk is full and everything goes on")
            self.assertEqual((refused.status, refused.json["error"]), (503, "temporarily_unavailable"), refused.text)
            self.assertIn("Retry-After", refused.headers)
        with self.subTest("no refresh is begun that could not be stored"):
            stack.reset_counters()
            self.assertEqual(stack.vend(expired["access_token"]).status, 503)
            self.assertEqual(stack.counters().get("token.refresh_token", 0), 0)
        with self.subTest("a person is told the same"):
            page = Browser().get(stack.url + "/signin/demo")
            self.assertEqual(page.status, 503, page.text[:500])
            self.assertNotIn("SQLITE", page.text)
        with self.subTest("what needs no room goes on"):
            self.assertEqual(Browser().get(stack.url + "/health/live").status, 200)
            self.assertEqual(Browser().get(stack.url + "/.well-known/oauth-authorization-server").status, 200)
            self.assertEqual(browser.get(stack.url + "/account").status, 200)

        (self.mount / "ballast").unlink()
        with self.subTest("it recovers without a restart"):
            vended = until(lambda: self.vended(stack, tokens), 10, 0.2)
            self.assertIsNotNone(vended)
            self.assertIn("fields", stack.call(vended))
            self.assertTrue(until(lambda: self.vended(stack, expired), 10, 0.2))
            self.assertEqual(stack.counters()["token.refresh_token"], 1)
            self.assertEqual(stack.sign_in(Browser(), "ben").status, 200)
        self.assertEqual(stack.stop(), 0)
        self.assertEqual(stack.query("PRAGMA integrity_check"), [("ok",)])
        stack.start()
        self.assertIn("intact", stack.cli("audit", "verify"))
        self.assertIn("0 do not", stack.cli("keys", "verify"))
        self.assertEqual(stack.vend(tokens["access_token"]).status, 200)
        self.assertEqual(stack.stop(), 0)

    def vended(self, stack, tokens):
        answer = stack.vend(tokens["access_token"])
        return answer if answer.status == 200 else None

    def not_vended(self, stack, tokens):
        answer = stack.vend(tokens["access_token"])
        return answer if answer.status != 200 else None

    def test_a_start_on_a_full_disk_says_so(self):
        self.data.mkdir(mode=0o700)
        self.fill()
        stack = Stack(data=self.data)
        self.addCleanup(stack.close)
        text = stack.cli("serve", expect=1)
        self.assertRegex(text, "(?i)full|no space")
        (self.mount / "ballast").unlink()
        stack.start()
        self.assertEqual(stack.stop(), 0)


class UnderAPath(unittest.TestCase):
    """The external URL has a path."""

    @classmethod
    def setUpClass(cls):
        cls.stack = Stack(path="/gate").start()
        cls.addClassCleanup(cls.stack.close)
        cls.stack.set_up()
        cls.stack.add_demo()
        cls.client = cls.stack.add_client()

    def check_links(self, page):
        self.assertEqual(page.status, 200, page.text[:500])
        links = re.findall(r'(?:href|action|src)="(/[^"]*)"', page.text)
        self.assertTrue(links)
        self.assertEqual([link for link in links if not link.startswith("/gate/") and link != "/gate"], [])
        for line in page.set_cookies:
            self.assertIn("Path=/", line)

    def test_the_main_job(self):
        stack, browser = self.stack, Browser()
        self.check_links(browser.get(stack.url + "/signin"))
        page = stack.sign_in(browser)
        self.assertEqual(urllib.parse.urlsplit(page.url).path, "/gate/account")
        self.check_links(page)
        for path in ("/", "/connect/demo", "/disconnect/demo", "/signout"):
            self.check_links(browser.follow(browser.get(stack.url + path)))
        tokens = stack.app_token(browser, self.client)
        self.assertIn("fields", stack.call(stack.vend(tokens["access_token"])))
        with self.subTest("the way back to a person has the path"):
            stack.fault(endpoint="token.refresh_token", kind="refuse", times=1)
            stack.age_credentials(-1)
            refused = stack.vend(tokens["access_token"])
            self.assertTrue(refused.json["interaction_uri"].startswith(stack.url + "/connect?resource="))
            self.check_links(browser.get(refused.json["interaction_uri"]))
        report = stack.sign_out(browser)
        self.check_links(report)

    def test_every_asset_is_there(self):
        page = Browser().get(self.stack.url + "/signin")
        for asset in re.findall(r'(?:href|src)="(/[^"]*/assets/[^"]*)"', page.text):
            with self.subTest(asset):
                self.assertEqual(Browser().get(self.stack.origin + asset).status, 200)

    def test_the_documents_for_apps(self):
        ours = Browser().get(self.stack.url + "/.well-known/oauth-authorization-server").json
        inserted = Browser().get(self.stack.origin + "/.well-known/oauth-authorization-server/gate")
        self.assertEqual(inserted.json, ours)
        self.assertEqual(ours["issuer"], self.stack.url)
        for name, value in ours.items():
            if name.endswith("_endpoint") or name == "jwks_uri":
                self.assertTrue(value.startswith(self.stack.url + "/"), name)
        self.assertEqual(Browser().get(ours["jwks_uri"]).status, 200)

    def test_nothing_is_elsewhere(self):
        for path in ("/account", "/signin", "/oauth2/token", "/v1/token", "/gatehouse", "/gate/../account"):
            with self.subTest(path):
                self.assertIn(Browser().get(self.stack.origin + path).status, (400, 404))


class OverTLS(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-tls-"))
        self.addCleanup(subprocess.run, ["rm", "-r", str(self.directory)], check=True)
        self.certificate, self.key = make_certificate(self.directory)
        self.stack = Stack(certificate=self.certificate, key=self.key)
        self.addCleanup(self.stack.close)

    def test_the_main_job_and_a_new_certificate(self):
        stack = self.stack
        self.assertIn("--init", stack.cli("serve", expect=1))
        stack.start("--init")
        stack.set_up()
        stack.add_demo()
        client, browser = stack.add_client(), stack.browser()
        cookies = []
        page = browser.get(stack.url + "/signin/demo")
        cookies += page.set_cookies
        landing = browser.get(stack.send_portal_form(browser, browser.get(page.location)).location)
        cookies += landing.set_cookies
        page = browser.follow(landing)
        self.assertEqual(page.status, 200, page.text)
        self.assertIn("Strict-Transport-Security", page.headers)
        cookies += page.set_cookies
        self.assertTrue(any("gh_s=" in line for line in cookies), cookies)
        for line in cookies:
            self.assertTrue(line.startswith("__Host-"), line)
            for attribute in ("Secure", "HttpOnly", "Path=/"):
                self.assertIn(attribute, line)
            self.assertNotIn("Domain", line)
        tokens = stack.app_token(browser, client)
        self.assertIn("fields", stack.call(stack.vend(tokens["access_token"])))

        with self.subTest("plain http is not answered"):
            with socket.create_connection(("127.0.0.1", stack.port), timeout=10) as plain:
                plain.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try:
                    self.assertNotIn(b"HTTP/1.1 200", plain.recv(4096))
                except ConnectionError:
                    pass
        with self.subTest("old versions of TLS are not spoken"):
            for version, works in (("-tls1_1", False), ("-tls1_2", True), ("-tls1_3", True)):
                done = subprocess.run(
                    ["openssl", "s_client", "-connect", f"localhost:{stack.port}", version, "-cipher",
                     "DEFAULT:@SECLEVEL=0"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)
                self.assertEqual("Cipher is (NONE)" not in done.stdout, works, version)
        with self.subTest("a new certificate is used without a restart, a broken one is not"):
            before = self.presented()
            self.certificate.write_text("not a certificate\n")
            self.assertTrue(until(lambda: self.presented() and "not reloaded" in stack.log_path.read_text(), 15, 0.5))
            self.assertEqual(self.presented(), before)
            make_certificate(self.directory)
            self.assertTrue(until(lambda: self.presented() != before, 15, 0.5))
            self.assertEqual(stack.vend(tokens["access_token"]).status, 200)
        self.assertEqual(stack.sign_out(browser).status, 200)

    def presented(self):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", self.stack.port), timeout=10) as raw:
            with context.wrap_socket(raw, server_hostname="localhost") as session:
                return session.getpeercert(binary_form=True)


if __name__ == "__main__":
    unittest.main()
