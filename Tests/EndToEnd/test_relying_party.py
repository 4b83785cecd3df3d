"""A site whose visitors sign in by Gatehouse: Apache with mod_auth_openidc, in a real browser."""

import json
import unittest

from chromium import Chromium
from relying_party import RelyingParty
from stack import Stack, until


class Site(unittest.TestCase):
    def setUp(self):
        self.stack = Stack().start()
        self.addCleanup(self.stack.close)
        self.stack.set_up()
        self.stack.add_demo()
        self.site = RelyingParty()
        self.addCleanup(self.site.close)
        client = json.loads(self.stack.cli(
            "client", "create", "--name", "Town site", "--type", "confidential", "--grant", "authorization_code",
            "--scope", "openid", "--scope", "profile", "--redirect-uri", self.site.callback,
            "--post-logout-redirect-uri", self.site.outside,
            "--backchannel-logout-uri", f"{self.site.callback}?logout=backchannel", "--json"))
        self.client = client
        self.chromium = Chromium()
        self.addCleanup(self.chromium.close)

    def come_in(self):
        """Opens the site; who is new signs in at the portal, and allows the site to know them."""
        self.chromium.open(f"{self.site.url}/inside/")
        if self.chromium.title == "inside":
            return
        self.chromium.press("Demo portal")
        self.chromium.sign_in_at_portal()
        self.chromium.photograph("consent-to-sign-in")
        self.chromium.follow(self.chromium.find("button[value=allow]"))
        self.chromium.until(lambda: self.chromium.title == "inside", "inside")

    def asks_who_it_is(self):
        self.chromium.open(f"{self.site.url}/inside/")
        self.chromium.until(lambda: self.chromium.url.startswith(self.stack.url), "the sign-in page")

    def test_answers_that_are_posted(self):
        self.site.start(self.stack.url, self.client, "OIDCResponseMode form_post")
        self.come_in()
        self.assertIn("You are inside.", self.chromium.text)
        self.assertTrue(any(line.startswith("POST /inside/callback 302 ") for line in self.site.requests), self.site.requests)
        self.assertFalse(any("code=" in line for line in self.site.requests), self.site.requests)
        self.assertEqual(self.chromium.complaints(), [])

    def test_signing_in_and_out_at_both_ends(self):
        self.site.start(self.stack.url, self.client)
        self.come_in()
        self.assertIn("You are inside.", self.chromium.text)
        self.assertTrue(any(line.startswith("GET /inside/index.html 200 ana") for line in self.site.requests), self.site.requests)

        # Out at the site: it sends the browser here with its ID token, and gets it back.
        self.chromium.open(f"{self.site.callback}?logout={self.site.outside}")
        self.chromium.until(lambda: self.chromium.title == "outside", "outside")
        self.asks_who_it_is()
        self.chromium.open(f"{self.stack.url}/account")
        self.chromium.wait_for("/signin")

        # Out here: the site is told, and knows nobody any more.
        self.chromium.open(f"{self.site.url}/inside/")
        self.chromium.press("Demo portal")
        self.chromium.until(lambda: self.chromium.title == "inside", "inside")
        self.chromium.open(f"{self.stack.url}/signout")
        self.chromium.follow(self.chromium.find("form button"))
        self.chromium.photograph("sign-out-report-with-an-app")
        told = until(lambda: [line for line in self.site.requests if line.startswith("POST /inside/callback?logout=backchannel")])
        self.assertTrue(told and all(" 200 " in line for line in told), f"{told} {self.site.log}")
        self.asks_who_it_is()
        self.assertEqual(self.chromium.complaints(), [])
