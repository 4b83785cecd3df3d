"""Apps that take nothing but a user name and a password, at a portal where an administrator allows app passwords: the shapes
of docs/arcgis-clients.md that are refused everywhere else."""

import html
import json
import re
import unittest
import urllib.parse

from stack import ADMINISTRATOR, PASSWORD
from test_arcgis_clients import ArcGISPortal


class AppPasswords(ArcGISPortal):
    own = "/sharing/rest/community/self"

    def setUp(self):
        super().setUp()
        self.switch("--client", self.application["client_id"])
        self.browser = self.stack.browser()
        self.stack.sign_in(self.browser)
        self.password = self.make()

    def switch(self, *words):
        return self.stack.cli("connection", "app-passwords", "demo", *words)

    def make(self, client=None):
        """Makes an app password at the page of the account, in place of a former one."""
        page = self.browser.get(self.stack.url + "/account/apps")
        place = f"{(client or self.application)['client_id']} demo"
        self.assertIn(f'value="{place}"', page.text)
        answer = self.browser.post(
            self.stack.url + "/account/app-passwords", {"csrf": page.field("csrf"), "place": place})
        self.assertEqual(answer.status, 303, answer.text)
        page = self.browser.follow(answer)
        self.assertIn("<dd><bdi>ana</bdi></dd>", page.text)
        self.assertIn(f"<dd><bdi>{self.stack.url}/demo</bdi></dd>", page.text)
        # Shown this once.
        self.assertNotIn("gh_ap_", self.browser.get(page.url).text)
        return re.search(r"<code>(gh_ap_[^<]*)</code>", page.text).group(1)

    def end(self):
        page = self.browser.get(self.stack.url + "/account/apps")
        path = re.search(r'action="([^"]*/account/app-passwords/[^"]*/end)"', page.text).group(1)
        answer = self.browser.post(self.stack.url + path, {"csrf": page.field("csrf")})
        self.assertIn("has ended", self.browser.follow(answer).text)

    def is_ana(self, app):
        app.referer = "http"
        answer = app.with_header(self.own)
        self.assertEqual(answer.json.get("username"), "ana", answer.text)

    def test_generate_token(self):
        for portal in self.portals:
            app = self.app(portal)
            given = app.generate_token("ana", self.password).json
            self.assertTrue(given["ssl"] and given["expires"] > 1.7e12, given)
            self.is_ana(app)
            app.referer = None
            self.refused(app.with_header(self.own), 498, "bound")
            # As ArcGIS REST JS, with its token in the query; longer than it may be gives just that.
            app.generate_token("ana", self.password, referer="@esri/arcgis-rest-js", expiration=20160)
            app.referer = "@esri/arcgis-rest-js"
            self.assertEqual(app.get(self.own, token=app.token).json["username"], "ana")
            server = app.post(
                "/sharing/rest/generateToken", token=app.token, serverUrl=self.stack.server_root).json
            self.assertIn("token", server)
        shown = self.browser.get(self.stack.url + "/account/apps").text
        self.assertNotIn("Not yet</td><td><form", shown)

    def test_built_in_sign_in(self):
        for portal in self.portals:
            app = self.app(portal)
            answer, state = app.built_in("ana", self.password)
            self.assertEqual(answer.status, 302, answer.text)
            target = urllib.parse.urlsplit(answer.location)
            self.assertEqual(f"{target.scheme}://{target.netloc}{target.path}", self.stack.url)
            given = dict(urllib.parse.parse_qsl(target.fragment))
            self.assertEqual(
                {name: given[name] for name in ["state", "username", "ssl", "token_type", "expires_in"]},
                {"state": state, "username": "ana", "ssl": "true", "token_type": "bearer", "expires_in": "7200"})
            self.is_ana(app)

    def test_a_code_that_is_read_from_a_page(self):
        for portal in self.portals:
            app = self.app(portal)
            given = app.redeem_read_code(app.out_of_band("ana", self.password)).json
            self.assertIn("refresh_token", given)
            self.assertIn("expires_in", given)
            self.is_ana(app)
            again = app.send("POST", "/sharing/rest/oauth2/token", {
                "client_id": app.client_id, "grant_type": "refresh_token", "refresh_token": app.refresh_token,
                "redirect_uri": app.OUT_OF_BAND}).json
            self.assertEqual(again["username"], "ana")
            # A fixed client, as when everything else has failed.
            for fixed in ["pythonapi", "arcgisonline"]:
                other = self.app(portal, {"client_id": fixed})
                other.redeem_read_code(other.out_of_band("ana", self.password))
                self.is_ana(other)

    def test_a_fixed_client_with_a_proof_key(self):
        for portal in self.portals:
            app = self.app(portal)
            answer = app.with_proof_key("ana", self.password)
            self.assertEqual(answer.json.get("username"), "ana", answer.text)
            self.is_ana(app)

    def test_a_code_that_is_copied_by_hand(self):
        app = self.app()
        page = app.authorize_page(
            client_id=app.client_id, response_type="code", expiration=-1, redirect_uri=app.OUT_OF_BAND, state="s",
            allow_verification="false")
        link = html.unescape(re.search(r'href="([^"]*in_browser=1)"', page.text).group(1))
        page = self.browser.follow(self.browser.get(link))
        self.assertIn("You will get a code to type into the app", page.text)
        answer = [*page.fields().items(), ("answer", "allow")]
        page = self.browser.follow(self.browser.post(self.stack.url + "/consent", answer))
        given = app.redeem_read_code(app.read_code(page), authorization_response="authorization_code").json
        self.assertIn("refresh_token", given)
        self.is_ana(app)
        # The page shows only codes that can be redeemed, and nothing once the person refuses.
        self.assertEqual(self.browser.get(page.url).status, 404)
        page = self.browser.follow(self.browser.get(link))
        refused = self.browser.post(self.stack.url + "/consent", [*page.fields().items(), ("answer", "deny")])
        self.assertIn("Nothing was allowed", self.browser.follow(refused).text)
        # An administrator who takes it back meanwhile is heard.
        page = self.browser.follow(self.browser.get(link))
        self.switch("--off")
        answer = [*page.fields().items(), ("answer", "allow")]
        self.assertNotIn("SUCCESS", self.browser.follow(self.browser.post(self.stack.url + "/consent", answer)).text)
        self.assertIn("Invalid redirect_uri", self.browser.follow(self.browser.get(link)).text)

    def test_an_ended_password_ends_everything_at_once(self):
        app, other, third = self.app(), self.app(), self.app()
        app.generate_token("ana", self.password)
        other.built_in("ana", self.password)
        third.redeem_read_code(third.out_of_band("ana", self.password))
        for one in [app, other, third]:
            self.is_ana(one)
        self.end()
        for one in [app, other, third]:
            self.refused(one.with_header(self.own), 498)
        self.refused(
            third.post(
                "/sharing/rest/oauth2/token", client_id=third.client_id, grant_type="refresh_token",
                refresh_token=third.refresh_token), 498)
        self.refused(app.generate_token("ana", self.password), 400, "Invalid username or password.")

    def test_signing_out_leaves_it_without_use(self):
        app = self.app()
        app.generate_token("ana", self.password)
        self.is_ana(app)
        self.stack.sign_out(self.browser)
        self.refused(app.with_header(self.own), 498)
        self.refused(app.generate_token("ana", self.password), 400, "Invalid username or password.")
        self.stack.sign_in(self.browser)
        app.generate_token("ana", self.password)
        self.is_ana(app)

    def test_one_made_anew_and_taking_back_consent(self):
        app = self.app()
        app.generate_token("ana", self.password)
        new = self.make()
        self.refused(app.with_header(self.own), 498)
        self.refused(app.generate_token("ana", self.password), 400)
        app.generate_token("ana", new)
        self.is_ana(app)
        path = f"{self.stack.url}/account/apps/{self.application['client_id']}"
        self.browser.post(path, {"csrf": self.browser.get(path).field("csrf")})
        self.refused(app.with_header(self.own), 498)
        self.refused(app.generate_token("ana", new), 400)

    def test_of_one_app_alone(self):
        another = self.client("public", "authorization_code", "refresh_token")
        theirs = self.make(another)
        app = self.app(client=another)
        app.redeem_read_code(app.out_of_band("ana", theirs))
        self.is_ana(app)
        self.refused(app.generate_token("ana", theirs), 400, "Invalid username or password.")
        page = app.authorize_page(client_id=app.client_id, response_type="code", redirect_uri=app.OUT_OF_BAND)
        self.assertEqual(app.sign_in_to_page(page, "ana", self.password).status, 200)
        self.refused(self.app(f"{self.stack.url}/jobs").generate_token("ana", self.password), 400, "not taken here")

    def test_passwords_of_accounts_are_never_taken(self):
        app = self.app()
        for username, password in [("ana", PASSWORD), ADMINISTRATOR, ("ana", ""), ("bo", self.password)]:
            answer = app.generate_token(username, password)
            self.refused(answer, 400, "Invalid username or password.")
            self.assertEqual(answer.json["error"]["message"], "Unable to generate token.")
            for _ in range(2):
                page, _ = app.built_in(username, password)
                self.assertEqual(page.status, 200)
                told = app.told(page)
                self.assertEqual(told["messages"][0], "Invalid username or password.")
                self.assertIn("OAUTH_0015", page.text)
                self.assertIn("oauth_state", told)

    def test_wrong_passwords_are_slowed_and_the_right_one_is_not(self):
        app, name = self.app(), "somebody"
        for _ in range(11):
            self.refused(app.generate_token(name, "wrong"), 400)
        slowed = app.generate_token(name, "wrong")
        self.refused(slowed, 429, "Too many wrong passwords", status=429)
        self.assertGreater(int(slowed.headers["Retry-After"]), 0)
        page, _ = app.built_in(name, "wrong")
        self.assertEqual((page.status, app.told(page)["messageCode"]), (429, "OAUTH_0015"))
        for _ in range(12):
            app.generate_token("ana", "wrong")
        app.generate_token("ana", self.password)
        self.is_ana(app)

    def test_requests_that_are_wrong(self):
        app = self.app()
        for changes, words in [
            ({"redirect_uri": "https://evil.example"}, "Invalid redirect_uri"),
            ({"redirect_uri": app.OUT_OF_BAND}, "Invalid redirect_uri"),
            ({"client_id": "client_x", "redirect_uri": app.OUT_OF_BAND}, "Invalid client_id"),
            ({"client_id": self.service["client_id"], "redirect_uri": app.OUT_OF_BAND}, "Invalid redirect_uri"),
            ({"client_id": app.client_id, "redirect_uri": app.OUT_OF_BAND}, "response_type"),
            ({"response_type": "id_token"}, "response_type"), ({"expiration": "soon"}, "expiration"),
            ({"response_type": "code", "code_challenge": "x", "code_challenge_method": "plain"}, "S256"),
            ({"state": "x" * 5000}, "state is longer"),
        ]:
            page = app.authorize_page(**app.built_in_query(**changes))
            self.assertEqual(page.status, 400, f"{changes} {page.text}")
            self.assertIn(words, page.text)
        state = app.told(app.authorize_page(**app.built_in_query()))["oauth_state"]
        form = {"username": "ana", "password": self.password}
        for wrong in ["", "x", state[:-2] + "xx", state[1:]]:
            self.refused(app.send("POST", "/sharing/oauth2/signin", {**form, "oauth_state": wrong}), 400, "oauth_state")
        # In a URL logs would keep it.
        query = urllib.parse.urlencode({**form, "oauth_state": state})
        self.refused(app.send("GET", "/sharing/oauth2/signin?" + query), 400, "by POST")
        self.refused(app.send("POST", "/sharing/oauth2/signin?" + query, {}), 400, "by POST")
        self.refused(app.send("GET", "/sharing/rest/generateToken?" + query), 400, "by POST")
        for shape in [{"client": "referer", "referer": ""}, {"expiration": "soon"}]:
            self.refused(app.generate_token("ana", self.password, **shape), 400)

    def test_off_again_everything_is_refused_and_says_so(self):
        app = self.app()
        page = app.authorize_page(**app.built_in_query())
        app.generate_token("ana", self.password)
        self.is_ana(app)
        self.assertIn("no app passwords are taken", self.switch("--off"))
        self.refused(app.with_header(self.own), 498)
        self.refused(app.generate_token("ana", self.password), 400, "Passwords typed into apps are not taken here")
        self.refused(app.sign_in_to_page(page, "ana", self.password), 400, "Passwords typed into apps are not taken here")
        self.assertIn("Error: Invalid client_id", app.authorize_page(**app.built_in_query()).text)
        page = app.authorize_page(client_id=app.client_id, response_type="code", redirect_uri=app.OUT_OF_BAND)
        self.assertIn("Invalid redirect_uri. Codes to be copied by hand", page.text)
        self.assertNotIn("App passwords", self.browser.get(self.stack.url + "/account/apps").text)
        # Those that there were do not come back.
        self.switch("--client", self.application["client_id"])
        self.refused(app.generate_token("ana", self.password), 400, "Invalid username or password.")

    def test_it_stands_nowhere_in_clear(self):
        app = self.app()
        app.generate_token("ana", self.password[:-1])
        app.built_in("ana", self.password)
        self.switch("--client", self.application["client_id"])
        files = [path for path in self.stack.data.rglob("*") if path.is_file()] + [self.stack.log_path]
        for path in files:
            for secret in [self.password, self.password[:-9], app.token]:
                self.assertNotIn(secret.encode(), path.read_bytes(), f"{path.name} holds a secret in clear")

    def test_the_switch(self):
        told = self.stack.cli("connection", "app-passwords", "jobs", "--client", self.application["client_id"], expect=1)
        self.assertIn("no ArcGIS portal to which people sign in", told)
        self.assertIn("confidential", self.stack.cli(
            "connection", "app-passwords", "demo", "--client", self.service["client_id"], expect=1))
        self.assertEqual(
            json.loads(self.switch("--client", self.application["client_id"], "--json")),
            {"id": "demo", "app_password_client": self.application["client_id"]})
        shown = json.loads(self.stack.cli("connection", "show", "demo", "--json"))
        self.assertEqual(shown["options"]["appPasswordClient"], self.application["client_id"])


if __name__ == "__main__":
    unittest.main()
