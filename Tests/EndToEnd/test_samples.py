"""The two authentication samples of the ArcGIS Maps SDK, by Gatehouse: a web map of a public base layer and a protected one.

"Authenticate with OAuth" signs in on the portal's page, "Authenticate with token" with a user name and password that are
typed on Gatehouse's.
"""

import unittest

from chromium import Chromium
from stack import PASSWORD, Stack

WEB_MAP = "/sharing/rest/content/items/e5039444ef3c48b8a8fdc9227f9be7c1"


class SampleApp:
    """Shows the web map with what the person may see of it, and keeps what Gatehouse refused."""

    def __init__(self, stack, access_token):
        self.stack, self.access_token = stack, access_token
        self.refusals = {}

    def open(self):
        """The layers of the web map, by their titles, each as its service answers."""
        web_map = self.load("Web map", self.stack.portal + WEB_MAP + "/data")
        layers = web_map["operationalLayers"] + web_map["baseMap"]["baseMapLayers"]
        return {layer["title"]: self.load(layer["title"], layer["url"]) for layer in layers}

    def load(self, title, url):
        """Calls `url` with what Gatehouse gives for it, and with nothing where it refuses."""
        vended = self.stack.vend(self.access_token, url)
        self.refusals[title] = vended.json if vended.status != 200 else {}
        return self.stack.call(vended if vended.status == 200 else None, url)


class Sample:
    """What both samples go through; who the person is here, another portal says."""

    name = ""
    kind = ()

    def setUp(self):
        self.stack = stack = Stack()
        self.addCleanup(stack.close)
        stack.stop_simulator()
        stack.simulator_options = ["--client", f"city:{stack.url}/callback/city"]
        stack.start_simulator()
        stack.start()
        stack.cli(
            "connection", "create", "--id", "city", "--name", "City sign-in", "--kind", "oauthUser", "--portal-url",
            f"http://city.localhost:{stack.simulator_port}", "--client-id", "city", "--admit", "anyone")
        stack.cli(
            "connection", "create", "--id", "demo", "--name", "Demo portal", "--kind", *self.kind, "--portal-url",
            stack.portal, "--resource", stack.portal, "--resource", stack.server_root,
            *(word for network in ("127.0.0.0/8", "::1/128") for word in ("--allow-network", network)), "--allow-http")
        self.chromium = Chromium(runs_scripts=False)
        self.addCleanup(self.chromium.close)
        self.chromium.open(stack.url + "/signin/city")
        self.chromium.sign_in_at_portal()
        self.chromium.wait_for("/account")
        tokens = self.chromium.app_token(stack, stack.add_client())
        self.app = SampleApp(stack, tokens["access_token"])

    def see(self, name, *words):
        for word in words:
            self.assertIn(word.lower(), self.chromium.text.lower(), f"{name}: {self.chromium.url}")
        name = f"sample-{self.name}-{name}"
        self.assertEqual(self.chromium.photograph(name), 0, f"{name} is wider than the window")
        self.assertEqual(self.chromium.complaints(), [], name)

    def see_base_layer_only(self, code=499, **refusal):
        """The map without its traffic: the service refuses that layer, for which the app was told `refusal`."""
        layers = self.app.open()
        self.assertEqual(layers["Roads"]["name"], "Roads")
        self.assertEqual(layers["Traffic"]["error"]["code"], code)
        told = self.app.refusals["Traffic"]
        self.assertEqual({name: told.get(name) for name in refusal}, refusal)

    def see_whole_map(self):
        layers = self.app.open()
        self.assertEqual([layers[title]["name"] for title in ("Roads", "Traffic")], ["Roads", "Traffic"])
        self.assertEqual(self.app.refusals, {"Web map": {}, "Traffic": {}, "Roads": {}})

    def follow_link(self, title="Traffic"):
        """Goes where the app sends the person, who is connected to nothing yet."""
        self.see_base_layer_only(error="interaction_required", reason="not_connected")
        self.chromium.open(self.app.refusals[title]["interaction_uri"])

    def test_signed_in_for_the_web_map_the_person_sees_all_of_it(self):
        self.follow_link("Web map")
        self.see(
            "public", "needs Demo portal for this address", "portal.localhost itself asks for nothing",
            "What the app asked for", "Demo portal gives the app what it needs", "gets nothing from Gatehouse")
        self.assertNotIn("portal.localhost asks for a sign-in", self.chromium.text)
        self.chromium.press("Continue to Demo portal")
        self.sign_in("ana")
        self.see("public-ready", "portal.localhost is ready", "gets this for the address", "As ana")
        self.see_whole_map()

    def test_a_person_without_the_right_sees_the_base_layer(self):
        self.follow_link()
        self.chromium.press("Continue to Demo portal")
        self.sign_in("ben")
        self.see("forbidden", "You may not have this", "knows who you are", "As ben", "gets the same answer")
        self.see_base_layer_only(code=403)
        self.assertEqual(self.app.refusals["Traffic"], {})

    def test_without_signing_in_the_person_sees_the_base_layer(self):
        self.follow_link()
        self.see("asked", "server.localhost asks for an ArcGIS token of the portal", "Demo portal answers it")
        self.chromium.press("Continue without")
        self.see("skipped", "You go on without signing in", "is told so")
        self.see_base_layer_only(error="upstream_error")
        self.follow_link()
        self.chromium.press("Cancel")
        self.see("cancelled", "Cancelled", "is told that you cancelled")
        self.see_base_layer_only(error="access_denied")
        self.see_base_layer_only(error="interaction_required")

    def test_cancelling_the_sign_in_leads_back_to_the_choice(self):
        self.follow_link()
        self.chromium.press("Continue to Demo portal")
        self.cancel_sign_in()
        self.see_base_layer_only(error="interaction_required", reason="not_connected")
        self.chromium.press("Continue to Demo portal")
        self.sign_in("ana")
        self.see("ready", "server.localhost is ready", "gets this for the address", "As ana")
        self.see_whole_map()


class AuthenticateWithOAuth(Sample, unittest.TestCase):
    name = "oauth"
    kind = ("oauthUser", "--client-id", "gatehouse-demo")

    def sign_in(self, user):
        self.chromium.sign_in_at_portal(user)
        self.chromium.wait_for("/connect?ticket=")

    def cancel_sign_in(self):
        self.chromium.press("Cancel")
        self.see("upstream-cancelled", "You cancelled the sign-in")
        self.chromium.press("Try again")


class AuthenticateWithToken(Sample, unittest.TestCase):
    name = "token"
    kind = ("token",)

    def sign_in(self, user):
        self.see("form", "Connect Demo portal")
        self.chromium.fill("username", user)
        self.chromium.fill("password", PASSWORD)
        self.chromium.press("Connect")
        self.chromium.wait_for("/connect?ticket=")

    def cancel_sign_in(self):
        self.chromium.press("Not now")


if __name__ == "__main__":
    unittest.main()
