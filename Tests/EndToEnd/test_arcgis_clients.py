"""Gatehouse named as their portal by clients that were written against ArcGIS: each shape of request that they are known
to send (docs/arcgis-clients.md)."""

import json
import pathlib
import secrets
import shutil
import tempfile
import unittest
import urllib.parse

from arcgis_client import ArcGISClient
from stack import CALLBACK, Browser, Stack, make_certificate

SECRET = "gatehouse-demo-secret"


class ArcGISPortal(unittest.TestCase):
    """Over https, as the API for Python wants it; the portal stands at the root and below its name."""

    @classmethod
    def setUpClass(cls):
        directory = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-arcgis-"))
        cls.addClassCleanup(shutil.rmtree, directory)
        certificate, key = make_certificate(directory)
        cls.stack = Stack(
            simulator_options=["--client-secret", f"gatehouse-demo:{SECRET}"], certificate=certificate, key=key,
            GATEHOUSE_ROOT_PORTAL="demo")
        cls.addClassCleanup(cls.stack.close)
        cls.stack.set_up()
        cls.stack.start()
        cls.stack.add_demo("--resource", cls.stack.portal, "--resource", cls.stack.server_root, "--allow-network",
            "127.0.0.0/8", "--allow-http")
        file = cls.stack.directory / "secret"
        file.write_text(SECRET + "\n")
        file.chmod(0o600)
        cls.stack.cli(
            "connection", "create", "--id", "jobs", "--name", "Jobs", "--kind", "oauthApplication", "--portal-url",
            cls.stack.portal + "/spare", "--client-id", "gatehouse-demo", "--client-secret-file", str(file), "--json")
        cls.application = cls.client("public", "authorization_code", "refresh_token")
        cls.service = cls.client("confidential", "client_credentials", connection="jobs")

    @classmethod
    def client(cls, kind, *grants, connection="demo"):
        words = [word for grant in grants for word in ("--grant", grant)]
        if "authorization_code" in grants:
            words += ["--redirect-uri", CALLBACK]
        return json.loads(cls.stack.cli(
            "client", "create", "--name", f"Map app {secrets.token_hex(3)}", "--type", kind, *words, "--scope", "arcgis",
            "--connection", connection, "--json"))

    def setUp(self):
        self.portals = [self.stack.url, f"{self.stack.url}/demo"]

    def app(self, portal=None, client=None, **options):
        return ArcGISClient(portal or self.portals[1], (client or self.application)["client_id"],
            (client or {}).get("client_secret"), certificate=self.stack.certificate, **options)

    def signed_in(self, portal=None, browser=None, **parameters):
        """An app whose person has signed in, with its tokens."""
        app = self.app(portal)
        arrived = self.arrive(app, browser or self.stack.browser(), **parameters)
        self.assertEqual(arrived["state"], app.state)
        answer = app.redeem(arrived["code"])
        self.assertEqual(answer.status, 200, answer.text)
        self.assertIn("access_token", answer.json)
        return app, answer.json

    def arrive(self, app, browser, **parameters):
        """Where the browser of a person ends: the parameters that the app gets."""
        page = browser.follow(browser.get(app.authorize_url(CALLBACK, **parameters)))
        if "/signin" in page.url and "oauth_state" not in page.text:
            link = page.text.split(f'href="{urllib.parse.urlsplit(self.stack.url).path}/signin/demo')[1].split('"')[0]
            page = browser.follow(browser.get(f"{self.stack.url}/signin/demo{link}".replace("&amp;", "&")))
        page = self.stack.sign_in_at_portal(browser, page)
        if page.status == 200:
            self.assertIn("Use <bdi>Demo portal</bdi> as you", page.text)
        if "have to sign in there again" in page.text:
            ticket = page.text.split("/connect/demo?ticket=")[1].split('"')[0]
            asked = browser.get(f"{self.stack.url}/connect/demo?ticket={ticket}")
            form = {**asked.fields(), "kept": "sign_out"}
            page = browser.follow(browser.post(f"{self.stack.url}/connect/demo", form))
            page = self.stack.sign_in_at_portal(browser, page)
        if page.status == 200:
            page = browser.follow(browser.post(self.stack.url + "/consent", [*page.fields().items(), ("answer", "allow")]))
        self.assertIn(page.status, (302, 303), page.text[:2000])
        return page.query

    def refused(self, answer, code, words="", status=200):
        self.assertEqual(answer.status, status, answer.text)
        self.assertEqual(answer.json["error"]["code"], code, answer.text)
        self.assertIn(words, json.dumps(answer.json))


class Shapes(ArcGISPortal):
    def test_probes_before_any_sign_in(self):
        for portal in self.portals:
            app = self.app(portal)
            for path in ["/info", "/rest/info", "/sharing/rest/info"]:
                answer = app.get(path)
                self.assertEqual(answer.status, 200, answer.text)
                self.assertIsNone(answer.headers["WWW-Authenticate"])
                self.assertEqual(answer.json.get("owningSystemUrl"), portal, path + answer.text)
                self.assertEqual(answer.json["authInfo"], {
                    "isTokenBasedSecurity": True, "tokenServicesUrl": f"{portal}/sharing/rest/generateToken"})
            self.assertIn("currentVersion", app.get("/sharing/rest/").json)
            self.assertIn("currentVersion", app.get("/sharing/rest").json)
            self.assertEqual(app.get("/rest/services").status, 404)
            nobody = app.get("/sharing/rest/portals/self").json
            self.assertTrue(nobody["supportsOAuth"])
            self.assertNotIn("user", nobody)
            self.assertEqual(nobody["portalHostname"], portal.split("://")[1])

    def test_a_person_signs_in_by_code_and_uses_the_portal(self):
        for portal in self.portals:
            app, given = self.signed_in(portal)
            self.assertEqual((given["username"], given["ssl"], given["expires_in"]), ("ana", True, 1800))
            self.assertAlmostEqual(given["refresh_token_expires_in"], 14 * 86400, delta=5)
            app.referer = "http"
            own = app.with_header("/sharing/rest/portals/self")
            self.assertEqual(own.json.get("user", {}).get("username"), "ana", own.text)
            self.assertEqual(own.json["portalHostname"], portal.split("://")[1])
            self.assertNotIn("customBaseUrl", own.json)
            self.assertEqual(app.with_header("/sharing/rest/community/users/ana").json["fullName"], "Ana")
            self.assertEqual(app.get("/sharing/rest/community/self", token=app.token).json["username"], "ana")
            self.assertEqual(app.post("/sharing/rest/community/self", token=app.token).json["username"], "ana")
            bearer = {"Authorization": f"Bearer {app.token}"}
            self.assertEqual(
                app.send("GET", "/sharing/rest/community/self?f=json", headers=bearer).json["username"], "ana")

    def test_a_web_map_leads_to_its_layers_here(self):
        for portal in self.portals:
            app, _ = self.signed_in(portal)
            found = app.with_header("/sharing/rest/search", q="type:Web Map").json["results"]
            maps = [item for item in found if item["type"] == "Web Map"]
            self.assertEqual(len(maps), 1)
            for service in [item["url"] for item in found if "url" in item]:
                self.assertTrue(service.startswith(f"{portal}/servers/"), service)
            data = app.with_header(f"/sharing/rest/content/items/{maps[0]['id']}/data").json
            layer = data["operationalLayers"][0]["url"]
            self.assertTrue(layer.startswith(f"{portal}/servers/server.localhost:"), layer)
            self.assertEqual(app.with_header(layer).json.get("type"), "Feature Layer", app.with_header(layer).text)
            query = app.post(layer + "/query", where="1=1", outFields="*", token=app.token).json
            self.assertEqual(len(query["features"]), 3)
            servers = app.with_header("/sharing/rest/portals/self/servers").json["servers"]
            self.assertTrue(servers[0]["url"].startswith(f"{portal}/servers/"), servers)
            # The client finds out that the server belongs to this portal, and gets a token for it.
            root = layer.split("/rest/services")[0]
            info = app.post(root + "/rest/info").json
            self.assertEqual(info["owningSystemUrl"], portal)
            for name in ["serverUrl", "serverURL"]:
                given = app.post(
                    "/sharing/rest/generateToken", token=app.token, request="getToken", expiration=1440,
                    referer="http", **{name: root}).json
                self.assertTrue(given["ssl"] and given["expires"] > 1.7e12, given)
                self.assertEqual(app.get(layer, token=given["token"]).json["type"], "Feature Layer")

    def test_refreshing_exchanging_and_ending(self):
        app, given = self.signed_in()
        token = "/sharing/rest/oauth2/token"
        for _ in range(2):
            again = app.post(
                token, client_id=app.client_id, grant_type="refresh_token", refresh_token=app.refresh_token).json
            self.assertNotIn("refresh_token", again)
            self.assertEqual(app.get("/sharing/rest/community/self", token=again["access_token"]).json["username"], "ana")
        self.refused(
            app.post(
                token, client_id=app.client_id, grant_type="exchange_refresh_token", refresh_token=app.refresh_token),
            400, "redirect_uri not specified")
        # As the API for Python, which was given the refresh token as a password.
        by_hand = app.send("POST", token, {
            "client_id": app.client_id, "grant_type": "refresh_token", "refresh_token": app.refresh_token,
            "redirect_uri": "urn:ietf:wg:oauth:2.0:oob"}).json
        self.assertEqual(by_hand["username"], "ana")
        # At another portal it is refused, and stays good at its own.
        self.refused(
            self.app(f"{self.stack.url}/jobs").post(
                token, client_id=app.client_id, grant_type="exchange_refresh_token", refresh_token=app.refresh_token,
                redirect_uri=CALLBACK), 400, "invalid_scope")
        own, server = "/sharing/rest/community/self", f"{app.portal}/servers/{self.stack.server_root.split('://')[1]}"
        layer = "/rest/services/Traffic/FeatureServer/0"
        for_server = app.post(
            "/sharing/rest/generateToken", token=given["access_token"], serverUrl=self.stack.server_root).json["token"]
        exchanged = app.post(
            token, client_id=app.client_id, grant_type="exchange_refresh_token", refresh_token=app.refresh_token,
            redirect_uri=CALLBACK).json
        self.assertNotEqual(exchanged["refresh_token"], app.refresh_token)
        self.assertLessEqual(exchanged["refresh_token_expires_in"], given["refresh_token_expires_in"])
        # What came before ends at once; clients go on with a server's token until it expires.
        for old in [given["access_token"], by_hand["access_token"], again["access_token"]]:
            self.refused(app.get(own, token=old), 498, "Invalid token.")
            self.refused(app.post("/sharing/rest/generateToken", token=old), 498, "Invalid token.")
        self.assertEqual(app.get(own, token=exchanged["access_token"]).json["username"], "ana")
        self.assertIn("name", app.get(server + layer, token=for_server).json)
        # A lost answer: the same once more, and the token that it came with goes on.
        repeated = app.post(
            token, client_id=app.client_id, grant_type="exchange_refresh_token", refresh_token=app.refresh_token,
            redirect_uri=CALLBACK).json
        self.assertEqual(repeated["refresh_token"], exchanged["refresh_token"])
        for new in [exchanged, repeated]:
            self.assertEqual(app.get(own, token=new["access_token"]).json["username"], "ana")
        # With a trailing slash, as ArcGIS REST JS destroys.
        for _ in range(2):
            ended = app.post(
                "/sharing/rest/oauth2/revokeToken/", client_id=app.client_id, auth_token=exchanged["refresh_token"])
            self.assertEqual(ended.json, {"success": True})
        for ended in [exchanged["access_token"], for_server]:
            self.refused(app.get(own, token=ended), 498, "Invalid token.")
        self.refused(
            app.post(
                token, client_id=app.client_id, grant_type="refresh_token", refresh_token=exchanged["refresh_token"]),
            498, "refresh")

    def test_a_code_at_the_wrong_portal_stays_good(self):
        app = self.app()
        code = self.arrive(app, self.stack.browser())["code"]
        own, app.portal = app.portal, f"{self.stack.url}/jobs"
        for _ in range(2):
            self.refused(app.redeem(code), 400, "given for something else than this portal")
        app.portal = own
        self.assertEqual(app.redeem(code).json["username"], "ana")

    def test_an_app_of_its_own(self):
        app = self.app(f"{self.stack.url}/jobs", self.service)
        form = {"grant_type": "client_credentials", "client_id": app.client_id, "client_secret": app.secret}
        # As the API for Python asks: before every call, without f, with a redirect URI that means nothing here.
        for path, more in [
            ("/sharing/rest/oauth2/token", {"redirect_uri": "urn:ietf:wg:oauth:2.0:oob"}),
            ("/sharing/rest/oauth2/token/", {"f": "json", "expiration": 7200}),
        ]:
            given = app.send("POST", path, {**form, **more}).json
            self.assertLessEqual(given["expires_in"], 7200, given)
            self.assertNotIn("refresh_token", given)
            app.token = given["access_token"]
            own = app.with_header("/sharing/rest/portals/self").json
            self.assertEqual(own["appInfo"]["appId"], "gatehouse-demo")
            self.assertNotIn("user", own)
        self.refused(
            app.send("POST", "/sharing/rest/oauth2/token", {**form, "client_secret": "wrong"}), 400, "invalid_client_id")

    def test_what_is_off_says_so(self):
        app = self.app()
        for form in [
            # A password typed into an app.
            {"username": "ana", "password": "correct horse battery", "expiration": 20160, "client": "referer",
             "referer": "@esri/arcgis-rest-js"},
            {"username": "ana", "password": "correct horse battery", "client": "referer", "referer": "http", "expiration": 60},
        ]:
            self.refused(app.post("/sharing/rest/generateToken", **form), 400, "Passwords typed into apps are not taken")
        for path in ["/sharing/oauth2/signin", "/sharing/rest/oauth2/signin"]:
            self.refused(
                app.post(path, oauth_state="x", username="ana", password="y"), 400, "Passwords typed into apps are not taken")
        for query, words in [
            ({"client_id": "pythonapi", "response_type": "token", "redirect_uri": self.stack.url}, "Invalid client_id"),
            ({"client_id": app.client_id, "response_type": "code", "redirect_uri": "urn:ietf:wg:oauth:2.0:oob",
              "expiration": -1, "allow_verification": "false"}, "Invalid redirect_uri. Codes to be copied by hand"),
        ]:
            page = self.stack.browser().get(
                f"{app.portal}/sharing/rest/oauth2/authorize?{urllib.parse.urlencode(query)}")
            self.assertEqual(page.status, 400)
            self.assertIn(words, page.text)
        implicit = self.stack.browser().get(app.authorize_url(CALLBACK, response_type="token"))
        self.assertEqual(implicit.query["error"], "unsupported_response_type")
        plain = self.stack.browser().get(app.authorize_url(CALLBACK, code_challenge_method="plain"))
        self.assertEqual((plain.query["error"], plain.query["state"]), ("invalid_request", app.state))
        self.refused(
            app.post("/sharing/rest/oauth2/token", client_id=app.client_id, grant_type="client_credentials"),
            400, "kind oauthApplication")


class Refusals(ArcGISPortal):
    own = "/sharing/rest/community/self"

    def test_tokens_that_do_not_count(self):
        app, _ = self.signed_in()
        self.refused(app.get(self.own), 499, "Token Required.")
        for wrong in ["x", app.token[:-3] + "abc", app.refresh_token]:
            self.refused(app.get(self.own, token=wrong), 498, "Invalid token.")
        self.refused(app.get(self.own + "?token=x&token=y"), 400, "several tokens")
        self.refused(
            app.send("GET", self.own + "?token=x", headers=app.esri_header), 400, "several tokens")
        same = app.send("GET", f"{self.own}?f=json&token={app.token}", headers=app.esri_header)
        self.assertEqual(same.json["username"], "ana")
        # A token is good for the portal that it was given for, and for nothing else of ours.
        self.refused(self.app(f"{self.stack.url}/jobs").get(self.own, token=app.token), 498)
        for path in ["/v1/token?resource=https://a.example/", "/v1/connections", "/oauth2/userinfo"]:
            answer = app.send("GET", self.stack.url + path, headers={"Authorization": f"Bearer {app.token}"})
            self.assertEqual(answer.status, 401, answer.text)
        vending = self.stack.add_client()
        browser = self.stack.browser()
        self.stack.sign_in(browser)
        tokens = self.stack.app_token(browser, vending)
        self.refused(app.get(self.own, token=tokens["access_token"]), 498)

    def test_paths_that_are_not_passed_on(self):
        app, _ = self.signed_in()
        server = self.stack.server_root.split("://")[1]
        for path in [
            "/sharing/rest/oauth2/apps/x", "/sharing/rest/generatetoken", "/sharing/rest/Content/items/x",
            "/sharing/rest/%63ontent/items", "/sharing/rest//content/items", "/sharing/rest/tokens", "/sharing/rest/content/..;/generateToken",
            f"/servers/{server}/admin/services", f"/servers/{server}/tokens/generateToken",
            f"/servers/{server}/rest/admin", "/servers/",
        ]:
            self.refused(app.with_header(path), 404, "nothing at this path")
        for path in [
            f"/servers/{server}/rest/services/a/generateToken", f"/servers/{server}/rest/services/%2e%2e/x",
            f"/servers/{server}/rest/services/a%2Fb", f"/servers/{server}/rest/services/a%5Cb",
            "/servers/elsewhere.example/rest/services", "/servers/a@elsewhere.example/rest/services", "/servers/http://a.example/rest/services",
            "/sharing/rest/content/users/ana/items/x/registeredAppInfo", 
        ]:
            answer = app.with_header(path)
            # The server itself refuses some of them before anything of ours sees them.
            self.refused(answer, 400 if answer.status == 400 else 403, status=answer.status)
        self.assertEqual(self.stack.counters().get("stranger.token", 0), 0)

    def test_what_the_server_refuses_reads_the_same(self):
        app = self.app()
        page = {"Origin": CALLBACK.rsplit("/", 1)[0]}
        for method, path, body, code in [
            ("GET", "/sharing/rest/content/../x", None, 400), ("GET", "/sharing/rest/content/%2e%2e/x", None, 400),
            ("GET", "/servers/a/rest/services/a%5Cb", None, 400), ("GET", "/sharing/rest/content/%zz", None, 400),
            ("GET", "/sharing/rest/search?q=" + 9000 * "x", None, 414),
            ("POST", "/sharing/rest/content/users/ana/addItem", {"text": 1100000 * "x"}, 413),
        ]:
            for headers in [page, {"Origin": "https://evil.example"}]:
                answer = app.send(method, path, body, headers)
                self.refused(answer, code, status=code)
                self.assertEqual(
                    answer.headers.get("Access-Control-Allow-Origin"), headers["Origin"] if headers is page else None)

    def test_parameters_that_are_wrong(self):
        app, _ = self.signed_in()
        self.refused(app.with_header(self.own, callback="f"), 400, "JSONP")
        self.refused(app.send("GET", self.own + "?%ff=%ff"), 400)
        for form, words in [
            ({"client": "referer"}, "needs referer"), ({"client": "ip", "ip": "x"}, "needs ip"), ({"client": "x"}, "client is"),
            ({"expiration": "soon"}, "expiration"), ({"serverUrl": "https://elsewhere.example/server"}, "does not belong"),
        ]:
            self.refused(app.post("/sharing/rest/generateToken", token=app.token, **form), 400, words)
        self.refused(app.post("/sharing/rest/oauth2/token", client_id=app.client_id, grant_type="password"), 400, "grant_type")
        self.refused(app.get("/sharing/rest/oauth2/token", client_id=app.client_id), 400, "POST")
        self.refused(app.post("/sharing/rest/oauth2/revokeToken", client_id="client_x", auth_token="x"), 400, "invalid_client_id")
        for use, form in [("document", "json"), ("script", "html"), ("serviceworker", "html"), ("iframe", "html")]:
            opened = app.send("GET", f"{self.own}?f={form}", headers={**app.esri_header, "Sec-Fetch-Dest": use})
            self.assertIn(f"A browser does not open this as a {use}; add f=html to read JSON.", opened.text)
        for method in ["PUT", "DELETE"]:
            self.refused(app.send(method, self.own + "?f=json"), 400, "answers GET", status=405)

    def test_tokens_that_are_bound(self):
        app, _ = self.signed_in()

        def bound(**form):
            return app.post("/sharing/rest/generateToken", token=app.token, **form).json["token"]

        page = bound(client="referer", referer="https://maps.example/app")
        for referer, counts in [
            ("https://maps.example/app", True), ("https://maps.example/app/x?y", True), ("https://maps.example/apple", False),
            ("https://maps.example", False), (None, False),
        ]:
            app.referer = referer
            answer = app.get(self.own, token=page)
            self.assertEqual(answer.json.get("username"), "ana" if counts else None, f"{referer} {answer.text}")
        app.referer = None
        # What is bound stays so.
        self.assertEqual(app.get(self.own, token=bound(client="requestip")).json["username"], "ana")
        self.refused(app.get(self.own, token=bound(client="ip", ip="192.0.2.7")), 498)
        app.referer = "https://maps.example/app"
        again = app.post("/sharing/rest/generateToken", token=page, client="requestip").json["token"]
        app.referer = None
        self.refused(app.get(self.own, token=again), 498)

    def test_what_a_page_got_is_bound_to_its_origin(self):
        app, page = self.app(), "http://localhost:9999"
        answer = app.redeem(self.arrive(app, self.stack.browser())["code"], origin=page)
        self.assertEqual(answer.headers["Access-Control-Allow-Origin"], page)
        call = f"{self.own}?f=json&token={app.token}"
        for headers, counts in [
            ({"Origin": page}, True), ({"Referer": page + "/map"}, True), ({}, False),
            ({"Origin": "https://elsewhere.example"}, False), ({"Referer": "http://localhost:99990/"}, False),
        ]:
            answer = app.send("GET", call, headers=headers)
            self.assertEqual(answer.json.get("username"), "ana" if counts else None, f"{headers} {answer.text}")
            shared = answer.headers["Access-Control-Allow-Origin"]
            self.assertEqual(shared, page if headers.get("Origin") == page else None)
        form = {"client_id": app.client_id, "grant_type": "refresh_token", "refresh_token": app.refresh_token}
        self.refused(app.post("/sharing/rest/oauth2/token", **form), 498, "bound")
        again = app.send("POST", "/sharing/rest/oauth2/token", form, {"Origin": page})
        self.assertEqual(again.json["username"], "ana")

    def test_api_keys(self):
        key = json.loads(self.stack.cli(
            "key", "create", "--client", self.service["client_id"], "--name", "Tiles", "--connection", "jobs",
            "--method", "GET", "--json"))["key"]
        app = self.app(f"{self.stack.url}/jobs")
        path = "/sharing/rest/search"
        self.assertIn("results", app.send("GET", path + "?f=json&q=x", headers={"X-Esri-Authorization": f"Bearer {key}"}).json)
        self.refused(app.get(path, token=key), 400, "does not belong in a URL")
        self.refused(app.post(path, token=key, q="x"), 403, "GWM_0003")

    def test_an_end_is_an_end_here_too(self):
        browser = self.stack.browser()
        app, _ = self.signed_in(browser=browser)
        self.assertEqual(app.get(self.own, token=app.token).json["username"], "ana")
        # The portal itself ended what Gatehouse holds: the person has to sign in there again, and the app is told so.
        self.stack.kill_tokens()
        self.stack.age_credentials(900)
        self.refused(app.get(self.own, token=app.token), 498, "The person can mend it at https://localhost:")
        refresh = self.stack.counters()["token"]
        self.refused(app.get(self.own, token=app.token), 498)
        self.assertEqual(self.stack.counters()["token"], refresh)
        app, _ = self.signed_in(browser=browser)
        self.assertEqual(app.get(self.own, token=app.token).json.get("username"), "ana", app.get(self.own, token=app.token).text)
        self.stack.sign_out(browser)
        self.refused(app.get(self.own, token=app.token), 498)
        self.refused(
            app.post("/sharing/rest/oauth2/token", client_id=app.client_id, grant_type="refresh_token",
                refresh_token=app.refresh_token), 498)

    def test_a_portal_is_for_people_or_for_apps(self):
        stack, app = self.stack, self.client("public", "authorization_code", connection="jobs")
        query = {
            "client_id": app["client_id"], "response_type": "code", "scope": "arcgis:jobs", "redirect_uri": CALLBACK,
            "code_challenge": "a" * 43, "code_challenge_method": "S256"}
        answer = stack.browser().get(f"{stack.url}/oauth2/authorize?{urllib.parse.urlencode(query)}")
        self.assertEqual(answer.query["error"], "invalid_scope", answer.text)
        page = stack.browser().get(self.app(f"{stack.url}/jobs", app).authorize_url(CALLBACK))
        self.assertIn("has no people", page.text)
        machine = self.client("confidential", "client_credentials")
        refused = stack.token(machine, grant_type="client_credentials", scope="arcgis:demo")
        self.assertEqual(refused.json["error"], "invalid_scope", refused.text)

    def test_resources_that_leave_out_the_portal(self):
        for resources, is_warned in [([self.stack.server_root], True), ([self.stack.portal, self.stack.server_root], False)]:
            told = self.stack.cli(
                "connection", "create", "--id", "part", "--name", "Part", "--kind", "token", "--portal-url",
                self.stack.portal, *[word for resource in resources for word in ("--resource", resource)],
                "--allow-network", "127.0.0.0/8", "--allow-http", warnings=True)
            self.assertEqual("leave out the portal itself" in told, is_warned, told)
            self.stack.cli("connection", "delete", "part", "--yes")

    def test_why_an_app_gets_something(self):
        self.signed_in()
        told = self.stack.cli(
            "why", "--client", self.application["client_id"], "--user", "ana", "--url", self.stack.layer)
        self.assertIn("may ask for ArcGIS portals", told)
        self.assertIn("ana", told)

    def test_pages_and_forms_with_files(self):
        app, _ = self.signed_in()
        shown = app.send("GET", f"{self.own}?f=html&token={app.token}", headers={"Sec-Fetch-Dest": "document"})
        self.assertIn('"username": "ana"', shown.text.replace("&quot;", '"'))
        self.assertEqual(shown.headers["Content-Type"], "text/html; charset=utf-8")
        self.assertIn("sandbox", shown.headers["Content-Security-Policy"])
        self.assertIn("<pre>", app.send("GET", "/sharing/rest/info?f=html").text)
        border = "limit"
        body = "".join(
            f'--{border}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in [("text", "Größe"), ("token", app.token)]) + f"--{border}--\r\n"
        posted = self.stack.browser().request(
            "POST", f"{app.portal}{self.own}?f=json", body.encode(), {"Content-Type": f"multipart/form-data; boundary={border}"})
        self.assertEqual(posted.json.get("username"), "ana", posted.text)


if __name__ == "__main__":
    unittest.main()
