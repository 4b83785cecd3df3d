"""Systems of administrators that are told what happens, by messages as Standard Webhooks sends them."""

import base64
import hashlib
import hmac
import http.server
import json
import signal
import threading
import time
import unittest

from stack import ADMINISTRATOR, Browser, Stack, free_port, until


class Receiver:
    """Takes messages whose signature it has checked; answers with `status` and remembers what came."""

    def __init__(self, port=None):
        self.port = port or free_port()
        self.status, self.seen, self.secrets = 204, [], []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.seen.append((self.path, dict(self.headers), body))
                self.send_response(outer.status)
                if 300 <= outer.status < 400:
                    self.send_header("Location", f"http://localhost:{outer.port}/elsewhere")
                self.end_headers()

            def log_message(self, *words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://localhost:{self.port}/hook"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def messages(self, secret):
        """What came, each with a signature that is right and a time that is now."""
        key = base64.b64decode(secret.removeprefix("whsec_"))
        found = []
        for _, headers, body in list(self.seen):
            headers = {name.lower(): value for name, value in headers.items()}
            stamp = headers["webhook-timestamp"]
            assert abs(time.time() - int(stamp)) < 60
            signed = f"{headers['webhook-id']}.{stamp}.".encode() + body
            mac = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
            assert headers["webhook-signature"] == f"v1,{mac}", headers
            assert headers["content-type"] == "application/json"
            found.append((headers["webhook-id"], json.loads(body)))
        return found


class Webhooks(unittest.TestCase):
    def setUp(self):
        self.stack = Stack().start()
        self.addCleanup(self.stack.close)
        self.stack.set_up()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)

    def create(self, *options):
        return json.loads(self.stack.cli("webhook", "create", self.receiver.url, "--json", *options))

    def types(self, hook):
        return [message["type"] for _, message in self.receiver.messages(hook["secret"])]

    def test_a_life_of_a_credential(self):
        hook = self.create()
        self.stack.add_demo()
        browser = Browser()
        self.stack.sign_in(browser)
        client = self.stack.add_client()
        token = self.stack.app_token(browser, client)["access_token"]
        for _ in range(2):
            self.assertEqual(self.stack.vend(token).status, 200)
        self.stack.kill_tokens()
        self.stack.age_credentials()
        for _ in range(2):
            self.assertNotEqual(self.stack.vend(token).status, 200)
        self.stack.sign_in(browser)
        self.assertTrue(until(lambda: len(self.types(hook)) >= 3), self.types(hook))
        self.assertEqual(
            sorted(self.types(hook)), ["credential.broken", "credential.new_client", "credential.recovered"])
        data = {message["type"]: message["data"] for _, message in self.receiver.messages(hook["secret"])}
        self.assertEqual(data["credential.new_client"]["client"], client["client_id"])
        self.assertEqual(data["credential.broken"]["connection"], "demo")
        self.assertNotIn(hook["secret"], json.dumps([str(row) for row in self.stack.query("SELECT * FROM webhook")]))

    def test_a_message_comes_once_it_is_taken_also_after_a_crash_and_follows_no_redirect(self):
        self.receiver.status = 307
        hook = self.create("--events", "credential.new_client")
        self.stack.add_demo()
        browser = Browser()
        self.stack.sign_in(browser)
        client = self.stack.add_client()
        self.assertEqual(self.stack.vend(self.stack.app_token(browser, client)["access_token"]).status, 200)
        until(lambda: self.stack.query("SELECT answer FROM webhook_delivery") == [("307",)])
        self.stack.stop(signal.SIGKILL)
        self.receiver.status = 200
        self.stack.start()
        delivered = lambda: self.stack.query("SELECT state, attempts FROM webhook_delivery") == [("delivered", 2)]
        self.assertTrue(until(delivered), self.stack.query("SELECT state, attempts, answer FROM webhook_delivery"))
        self.assertEqual({path for path, _, _ in self.receiver.seen}, {"/hook"})
        ids = {name for name, _ in self.receiver.messages(hook["secret"])}
        self.assertEqual(len(ids), 1, "both tries are one message")

    def test_what_is_not_allowed(self):
        for url in ("http://10.0.0.1/x", "ftp://a.example", "nothing", "http://a.example/", "https://u:p@a.example/"):
            self.stack.cli("webhook", "create", url, expect=1)
        self.stack.cli("webhook", "create", self.receiver.url, "--events", "nothing", expect=64)
        hook = json.loads(self.stack.cli("webhook", "create", "https://10.0.0.1/x", "--json"))
        self.assertIn("cannot be reached", self.stack.cli("webhook", "test", hook["id"], expect=1))

    def test_the_command_line_and_the_page(self):
        hook = self.create("--events", "credential.broken,sign_out.incomplete")
        self.assertIn("was taken: 204", self.stack.cli("webhook", "test", hook["id"]))
        self.assertEqual(self.types(hook), ["test"])
        self.assertIn(self.receiver.url, self.stack.cli("webhook", "list"))
        browser = Browser()
        page = browser.get(self.stack.url + "/signin?ticket=admin")
        fields = {**page.fields(), "username": ADMINISTRATOR[0], "password": ADMINISTRATOR[1]}
        browser.post(self.stack.url + "/signin", fields)
        page = browser.get(self.stack.url + "/admin/webhooks")
        self.assertIn("sign_out.incomplete", page.text)
        self.assertNotIn(hook["secret"], page.text)
        form = {"csrf": page.field("csrf")}
        self.receiver.status = 500
        tested = browser.follow(browser.post(f"{self.stack.url}/admin/webhooks/{hook['id']}/test", form))
        self.assertIn("The test message was not taken: 500.", tested.text)
        made = browser.follow(browser.post(self.stack.url + "/admin/webhooks", [
            ("csrf", page.field("csrf")), ("webhook_url", self.receiver.url + "2"), ("event", "credential.broken")]))
        self.assertRegex(made.text, r'<code id="secret">whsec_[A-Za-z0-9+/]{43}=</code>')
        browser.post(f"{self.stack.url}/admin/webhooks/{hook['id']}/delete", form)
        self.assertEqual(len(self.stack.query("SELECT id FROM webhook")), 1)
        self.stack.cli("webhook", "delete", hook["id"], "--yes", expect=1)


if __name__ == "__main__":
    unittest.main()
