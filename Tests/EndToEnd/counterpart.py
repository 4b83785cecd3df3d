"""What the tests of other people's libraries share: one Gatehouse over https, a person who is signed in, and registered apps."""

import http.server
import json
import os
import pathlib
import secrets
import shutil
import tempfile
import threading
import unittest
import unittest.mock
import urllib.parse

from stack import CALLBACK, Stack, make_certificate, until


class Counterpart(unittest.TestCase):
    """The libraries use the network as they would anywhere: over https. `ana` stays signed in; `bo` is for signing out."""

    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-counterpart-"))
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        cls.authority, key = (str(file) for file in make_certificate(cls.directory))
        trusted = unittest.mock.patch.dict(os.environ, REQUESTS_CA_BUNDLE=cls.authority)
        trusted.start()
        cls.addClassCleanup(trusted.stop)
        cls.stack = Stack(
            certificate=cls.authority, key=key,
            simulator_options=["--user", "ana:correct horse battery", "--user", "bo:correct horse battery"])
        cls.addClassCleanup(cls.stack.close)
        cls.stack.set_up()
        cls.stack.start()
        # The first start makes its keys, one after the other.
        assert until(lambda: cls.stack.query("SELECT count(*) FROM signing_key") == [(4,)], 60)
        cls.stack.add_demo()
        cls.issuer = cls.stack.url
        cls.metadata_url = f"{cls.issuer}/.well-known/openid-configuration"
        cls.metadata = cls.stack.browser().get(cls.metadata_url).json
        cls.browser = cls.stack.browser()
        cls.stack.sign_in(cls.browser)

    def register(self, *options, type="confidential", grants=("authorization_code", "refresh_token"), scopes=(), callback=CALLBACK):
        """A new client; gives its id and, where it has one, its secret."""
        words = [word for grant in grants for word in ("--grant", grant)]
        words += [word for scope in scopes for word in ("--scope", scope)]
        if "authorization_code" in grants:
            words += ["--redirect-uri", callback]
        made = json.loads(self.stack.cli(
            "client", "create", "--name", f"App {secrets.token_hex(3)}", "--type", type, *words, "--json",
            *options))
        return made["client_id"], made.get("client_secret")

    def file(self, name, content):
        path = self.directory / name
        path.write_text(content)
        return str(path)

    def visit(self, url, browser=None):
        """A person opens `url` of an app, signs in and allows what is asked; gives the address at the app where that ends."""
        browser = browser or self.browser
        page = browser.follow(browser.get(url))
        if page.status == 200:
            page = browser.follow(browser.post(
                self.stack.url + "/consent",
                {**page.fields(), "answer": "allow"}))
        self.assertIn(page.status, (302, 303), page.text[:2000])
        # The fragment, which keeps another one from being carried over, stays in the browser.
        location, fragment = urllib.parse.urldefrag(page.location)
        self.assertEqual(fragment, "_")
        return location

    def receive(self):
        """The address of a place of an app that takes posts, and the list of the bodies that come."""
        bodies = []

        class Receiver(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                bodies.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        return f"http://localhost:{server.server_port}/out", bodies

    @staticmethod
    def parameters(url):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
