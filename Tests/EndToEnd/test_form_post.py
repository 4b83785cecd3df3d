"""Answers that are posted to the app: its own server gets them from a real browser, with and without scripts."""

import http.server
import threading
import unittest
import urllib.parse

from accessibility import mistakes, violations
from chromium import Chromium
from stack import Browser, Stack, until


class App(http.server.ThreadingHTTPServer):
    """The app's own web server; `posted` is what came, each with its headers."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://app.localhost:{self.server_port}"
        self.redirect_uri = f"{self.url}/signin-oidc"
        self.posted = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.posted.append((self.path, dict(urllib.parse.parse_qsl(body)), self.headers))
        # As an app does that has redeemed its code.
        self.send_response(303)
        self.send_header("Location", "/home")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self):
        body = b"<!doctype html><html lang=en><title>App</title><h1>Back at the app</h1>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class FormPost(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = Stack().start()
        cls.addClassCleanup(cls.stack.close)
        cls.stack.set_up()
        cls.stack.add_demo()
        cls.app = App()
        cls.addClassCleanup(cls.app.close)
        cls.client = cls.stack.add_client("--redirect-uri", cls.app.redirect_uri)
        cls.person = Browser()
        cls.stack.sign_in(cls.person)

    def open(self, runs_scripts=True):
        chromium = Chromium(runs_scripts)
        self.addCleanup(chromium.close)
        chromium.adopt(self.stack.url, self.person)
        self.app.posted.clear()
        return chromium

    def ask(self, **more):
        url, verifier = self.stack.authorization_url(self.client, self.app.redirect_uri)
        return f"{url}&{urllib.parse.urlencode({'response_mode': 'form_post', **more})}", verifier

    def arrived(self, chromium):
        """What the app got, once the browser stands at the page to which it led."""
        until(lambda: self.app.posted)
        chromium.until(lambda: chromium.title == "App", "the app")
        self.assertEqual(chromium.url, f"{self.app.url}/home")
        (path, fields, headers), = self.app.posted
        self.assertEqual(path, "/signin-oidc")
        self.assertEqual(headers["Content-Type"], "application/x-www-form-urlencoded")
        self.assertEqual(headers["Origin"], self.stack.url)
        self.assertIn(headers["Referer"], [None, f"{self.stack.url}/"])
        self.app.posted.clear()
        return fields

    def redeem(self, fields, verifier):
        self.assertEqual((sorted(fields), fields["state"], fields["iss"]), (["code", "iss", "state"], "s-1", self.stack.url))
        answer = self.stack.redeem(self.client, fields["code"], verifier, self.app.redirect_uri)
        self.assertEqual(answer.status, 200, answer.text)

    def test_a_code_after_consent_and_by_the_consent_of_before(self):
        chromium = self.open()
        url, verifier = self.ask(prompt="consent")
        chromium.open(url)
        chromium.choose("connection", "demo")
        chromium.find("button[value=allow]").click()
        self.redeem(self.arrived(chromium), verifier)
        url, verifier = self.ask()
        chromium.open(url)
        self.redeem(self.arrived(chromium), verifier)
        self.assertEqual(chromium.complaints(), [])

    def test_errors(self):
        chromium = self.open()
        url, _ = self.ask(prompt="consent")
        chromium.open(url)
        chromium.follow(chromium.find("button[value=deny]"))
        denied = self.arrived(chromium)
        self.assertEqual((denied["error"], denied["state"], denied["iss"]), ("access_denied", "s-1", self.stack.url))
        fresh = Chromium()
        self.addCleanup(fresh.close)
        fresh.open(self.ask(prompt="none")[0])
        self.assertEqual(self.arrived(fresh)["error"], "login_required")

    def test_without_scripts_by_the_button(self):
        chromium = self.open(runs_scripts=False)
        url, verifier = self.ask(prompt="consent")
        chromium.open(url)
        chromium.choose("connection", "demo")
        chromium.follow(chromium.find("button[value=allow]"))
        self.assertIn("Back to the app", chromium.text)
        self.assertEqual(self.app.posted, [])
        self.assertIn(f"It leads to {urllib.parse.urlsplit(self.app.url).netloc}.", chromium.text)
        chromium.press("Continue")
        self.redeem(self.arrived(chromium), verifier)
        self.assertEqual(chromium.complaints(), [])

    def test_the_page_by_itself(self):
        for language, direction in {"en": "ltr", "ar": "rtl"}.items():
            url, _ = self.ask(request="e30.e30.")
            chromium = self.open()
            chromium.speak(language)
            chromium.command("Network.enable")
            chromium.command("Network.setBlockedURLs", urls=["*/assets/form-post*"])
            chromium.open(url)
            html = chromium.driver.find_element("tag name", "html")
            self.assertEqual((html.get_attribute("lang"), html.get_attribute("dir")), (language, direction))
            self.assertEqual(chromium.photograph(f"form-post-{language}"), 0)
            self.assertEqual(violations(chromium), [])
            self.assertEqual([one for one in chromium.complaints() if "/assets/form-post" not in one], [])
            answer = self.person.get(url, headers={"Accept-Language": language})
            while answer.location:
                answer = self.person.get(urllib.parse.urljoin(url, answer.location), headers={"Accept-Language": language})
            self.assertIn('name="error"', answer.text)
            self.assertEqual("\n".join(mistakes({f"{language}-form-post": answer.text})), "")


if __name__ == "__main__":
    unittest.main()
