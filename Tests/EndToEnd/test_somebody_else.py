"""Another person at the same browser: an app's request goes on with whoever signs in, and nobody else loses anything."""

import re
import unittest
import urllib.parse

from stack import Stack


class SomebodyElse(unittest.TestCase):
    def setUp(self):
        self.stack = Stack().start()
        self.addCleanup(self.stack.close)
        self.stack.set_up()
        self.stack.add_demo()
        self.client = self.stack.add_client()

    def test_not_you_goes_on_with_the_app(self):
        browser = self.stack.browser()
        self.stack.sign_in(browser, "ana")
        elsewhere = self.stack.browser()
        self.stack.sign_in(elsewhere, "ana")
        url, verifier = self.stack.authorization_url(self.client)
        page = browser.follow(browser.get(url))
        self.assertIn("<bdi>ana</bdi>", page.text)
        way = re.search(r'href="([^"]*)">Not you\?', page.text).group(1)
        signin = browser.get(urllib.parse.urljoin(page.url, way))
        self.assertEqual(signin.status, 200, signin.text)
        to_portal = re.search(r'href="([^"]*/signin/demo[^"]*)"', signin.text).group(1).replace("&amp;", "&")
        trip = browser.get(urllib.parse.urljoin(signin.url, to_portal))
        # The portal would let ana in again without a question.
        self.assertIn("force_login=true", trip.location)
        page = browser.follow(self.stack.sign_in_at_portal(browser, browser.follow(trip), "ben"))
        self.assertIn("<bdi>ben</bdi>", page.text)
        form = [*page.fields().items(), ("answer", "allow"), ("connection", "demo")]
        arrived = browser.follow(browser.post(self.stack.url + "/consent", form)).query
        self.assertEqual(self.stack.redeem(self.client, arrived["code"], verifier).status, 200)
        self.assertEqual(elsewhere.get(self.stack.url + "/account").status, 200, "ana is signed in elsewhere")
        state, = self.stack.query("SELECT state FROM credential WHERE display_name LIKE 'ana%'")
        self.assertEqual(state, ("active",))


if __name__ == "__main__":
    unittest.main()
