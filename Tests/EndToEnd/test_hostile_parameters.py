"""Each parameter of each endpoint for apps, sent in every wrong way: refused as the standards say, and nothing comes of it."""

import base64
import concurrent.futures
import hashlib
import json
import secrets
import socket
import time
import unittest
import urllib.parse

import forged_tokens as forged
from hostile_values import CALLBACK, CHANGED, REDIRECTS, UNREADABLE, quote
from joserfc.jwk import ECKey
from stack import ADMINISTRATOR, Elsewhere, Stack

FORM = "application/x-www-form-urlencoded"
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
ACCESS = "urn:ietf:params:oauth:token-type:access_token"
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
VERIFIER = secrets.token_urlsafe(32)
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")

# What an answer may be: fine, or a status with an error code.
FINE = (200, None)
REQUEST, GRANT, TARGET = (400, "invalid_request"), (400, "invalid_grant"), (400, "invalid_target")
CLIENT, SCOPE = (400, "invalid_client"), (400, "invalid_scope")
# Where browsers come: a page of ours, a redirect to the app, or the consent page.
PAGE, CONSENT = "page", "consent"


class HostileParameters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = Stack(GATEHOUSE_REGISTRATION="open")
        cls.addClassCleanup(cls.stack.close)
        cls.stack.start()
        cls.stack.set_up()
        cls.stack.add_demo()
        cls.secrets = {VERIFIER}
        cls.client = cls.register("--authentication", "client_secret")
        cls.browser = cls.stack.browser()
        cls.stack.sign_in(cls.browser)
        cls.access = cls.redeem(cls.code()).json["access_token"]

    @classmethod
    def register(cls, *options):
        made = json.loads(cls.stack.cli(
            "client", "create", "--name", f"App {secrets.token_hex(3)}", "--type", "confidential", "--grant", "authorization_code",
            "--grant", "refresh_token", "--grant", "client_credentials", "--grant", "token-exchange", "--grant", DEVICE, "--redirect-uri", CALLBACK,
            "--redirect-uri", "https://app.example/own?tenant=1", "--redirect-uri", "http://127.0.0.1/native",
            "--post-logout-redirect-uri", "https://app.example/bye",
            "--scope", "openid", "--scope", "profile", "--scope", "offline_access", "--scope", "vend", "--connection", "demo",
            "--json", *options))
        cls.secrets.add(made["client_secret"] or VERIFIER)
        return made

    # What goes over the wire.

    @classmethod
    def send(cls, method, path, query="", body="", basic=True, **headers):
        """`query` and `body` as they are; headers with underscores for hyphens."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if basic and "Authorization" not in sent:
            pair = f"{cls.client['client_id']}:{cls.client['client_secret']}"
            sent["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        if method == "POST":
            sent.setdefault("Content-Type", FORM)
        sent = {name: value for name, value in sent.items() if value is not None}
        return Elsewhere().request(method, f"{cls.stack.url}{path}" + (f"?{query}" if query else ""), body or None, sent)

    @staticmethod
    def joined(fields):
        return "&".join(f"{name}={value}" for name, value in fields)

    @classmethod
    def encoded(cls, parameters):
        return [(name, quote(value)) for name, value in parameters.items()]

    # What is issued in between.

    @classmethod
    def authorization(cls, **more):
        return {
            "response_type": "code", "client_id": cls.client["client_id"], "redirect_uri": CALLBACK, "state": "s-1",
            "scope": "openid profile offline_access vend", "code_challenge": CHALLENGE, "code_challenge_method": "S256",
            **more}

    @classmethod
    def code(cls):
        url = f"{cls.stack.url}/oauth2/authorize?{urllib.parse.urlencode(cls.authorization())}"
        page = cls.browser.get(url)
        if page.location.startswith("/"):
            page = cls.browser.get(cls.stack.url + page.location)
        if page.status == 200:
            page = cls.browser.post(cls.stack.url + "/consent", {
                **page.fields(), "answer": "allow", "connection": "demo"})
        cls.secrets.add(page.query["code"])
        return page.query["code"]

    @classmethod
    def redeem(cls, code):
        answer = cls.send("POST", "/oauth2/token", body=cls.joined(cls.encoded({
            "grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, "code_verifier": VERIFIER})))
        assert answer.status == 200, answer.text
        cls.secrets |= {answer.json[name] for name in ("access_token", "refresh_token", "id_token")}
        return answer

    def issued(self):
        """How much has been given out so far."""
        return [self.stack.query(statement)[0][0] for statement in (
            "SELECT count(*) FROM token_family", "SELECT count(*) FROM refresh_chain", "SELECT count(*) FROM authorization_request",
            "SELECT count(*) FROM audit WHERE name = 'authn_token_created' AND outcome = 'success'", "SELECT count(*) FROM revoked_token")]

    # What is expected.

    def assert_json(self, answer, expected, issued):
        """The answer of an endpoint for apps: status, error, shape and headers; a refusal gave nothing out."""
        status, error = expected
        self.assertEqual((answer.status, answer.json.get("error") if answer.body else None), (status, error), answer.text[:300])
        self.assertEqual(answer.headers["Cache-Control"], "no-store")
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        self.assertTrue(answer.headers["X-Request-Id"])
        if answer.body:
            self.assertEqual(answer.headers["Content-Type"].split(";")[0], "application/json")
        if error:
            text = answer.json["error_description"]
            self.assertRegex(text, r"\A[ !#-\[\]-~]*\Z")
            self.assertEqual(self.issued(), issued)
            if status == 401:
                self.assertTrue(answer.headers["WWW-Authenticate"])

    def assert_browser(self, answer, expected, issued):
        """The answer of an endpoint for browsers: an error page, a redirect with an error, or the way on."""
        if expected == CONSENT:
            self.assertEqual(answer.status, 303, answer.text[:300])
            self.assertTrue(answer.location.startswith("/consent?ticket="), answer.location)
            return
        self.assertEqual(self.issued(), issued)
        if expected == PAGE:
            self.assertEqual((answer.status, answer.location), (400, None), answer.text[:300])
            self.assertIn("default-src", answer.headers["Content-Security-Policy"])
            self.assertEqual(answer.headers["Referrer-Policy"], "no-referrer")
            self.assertNotIn("<script>alert", answer.text)
            return
        self.assertEqual(answer.status, 303, answer.text[:300])
        self.assertTrue(answer.location.startswith(CALLBACK + "?"), answer.location)
        self.assertEqual((answer.query["error"], answer.query["iss"]), (expected[1], self.stack.url))
        self.assertNotIn("code", answer.query)
        self.assertEqual(answer.set_cookies, [])

    def run_table(self, send, base, table, check, twice=REQUEST, unreadable=REQUEST, changes=CHANGED):
        """Sends `base` with each parameter of `table` in every wrong way.

        `table` maps a parameter to what it gives when it is empty, when it is another value, and when it stands twice (where
        that is not `twice`).
        """
        for parameter, (empty, changed, *own) in table.items():
            tries = [("twice", None, own[0] if own else twice), ("empty", "", empty)]
            tries += [(name, value, unreadable) for name, value in UNREADABLE.items()]
            tries += [(name, change, changed) for name, change in changes.items()]
            for name, value, expected in tries:
                with self.subTest(f"{parameter} {name}"):
                    fields = dict(self.encoded(base()))
                    value = value(urllib.parse.unquote_plus(fields.get(parameter, ""))) if callable(value) else value
                    if value is None:
                        sent = [*fields.items(), (parameter, fields.get(parameter, "a"))]
                        sent += [] if parameter in fields else [(parameter, "a")]
                    else:
                        sent = list({**fields, parameter: value}.items())
                    before = self.issued()
                    check(send(self.joined(sent)), expected, before)

    @classmethod
    def tearDownClass(cls):
        # Whatever was sent, the program lives, and its log tells no secret and of no fault.
        assert Elsewhere().get(cls.stack.url + "/health/ready").status == 200
        assert cls.stack.server.poll() is None
        log = cls.stack.log_path.read_text()
        assert "failed on our side" not in log and "Fatal error" not in log, log[-3000:]
        told = [secret for secret in cls.secrets if secret and secret in log]
        assert not told, told
        assert all(json.loads(line) for line in log.splitlines() if line.startswith("{"))

    # The token endpoint, grant by grant.

    def token(self, body):
        return self.send("POST", "/oauth2/token", body=body)

    COMMON = {
        "grant_type": (REQUEST, (400, "unsupported_grant_type")), "client_id": (FINE, REQUEST), "client_secret": (FINE, REQUEST),
        "client_assertion": (FINE, REQUEST), "client_assertion_type": (FINE, REQUEST), "extra": (FINE, FINE)}

    def test_redeeming_a_code(self):
        self.run_table(self.token, lambda: {
            "grant_type": "authorization_code", "code": self.code(), "redirect_uri": CALLBACK, "code_verifier": VERIFIER}, {
            **self.COMMON, "code": (REQUEST, GRANT), "redirect_uri": (FINE, GRANT), "code_verifier": (GRANT, GRANT)},
            self.assert_json)

    def test_refreshing(self):
        self.run_table(self.token, lambda: {
            "grant_type": "refresh_token", "refresh_token": self.redeem(self.code()).json["refresh_token"]}, {
            **self.COMMON, "refresh_token": (REQUEST, GRANT), "scope": (FINE, SCOPE)}, self.assert_json)

    def test_a_token_for_the_app_itself(self):
        self.run_table(self.token, lambda: {"grant_type": "client_credentials"}, {**self.COMMON, "scope": (FINE, SCOPE)}, self.assert_json)

    def test_exchanging_a_token(self):
        self.run_table(
            self.token, lambda: {
                "grant_type": EXCHANGE, "subject_token": self.access, "subject_token_type": ACCESS, "resource": self.stack.layer}, {
                **self.COMMON, "subject_token": (REQUEST, REQUEST), "subject_token_type": (REQUEST, REQUEST),
                "resource": (REQUEST, TARGET, TARGET), "audience": (FINE, TARGET, TARGET), "requested_token_type": (FINE, REQUEST),
                "actor_token": (FINE, REQUEST), "actor_token_type": (FINE, REQUEST), "scope": (FINE, SCOPE), "min_ttl": (FINE, REQUEST)},
            self.assert_json, changes={name: change for name, change in CHANGED.items() if name != "markup"})

    def test_asking_for_a_device(self):
        self.run_table(
            lambda body: self.send("POST", "/oauth2/device_authorization", body=body), lambda: {"scope": "openid"}, {
                "scope": (FINE, SCOPE), "client_id": (FINE, REQUEST), "client_secret": (FINE, REQUEST), "extra": (FINE, FINE)},
            self.assert_json)

    def test_redeeming_a_device_code(self):
        pending = (400, "authorization_pending")

        def base():
            code = self.send("POST", "/oauth2/device_authorization", body="scope=openid").json["device_code"]
            self.secrets.add(code)
            return {"grant_type": DEVICE, "device_code": code}

        common = {name: tuple(pending if one == FINE else one for one in expected) for name, expected in self.COMMON.items()}
        self.run_table(self.token, base, {**common, "device_code": (REQUEST, GRANT)}, self.assert_json)

    # The other endpoints that clients authenticate at.

    def test_introspection(self):
        def check(answer, expected, issued):
            self.assert_json(answer, expected, issued)
            if expected == FINE:
                self.assertIn(answer.json["active"], (True, False))

        send = lambda body: self.send("POST", "/oauth2/introspect", body=body)  # noqa: E731
        base = lambda: {"token": self.access}  # noqa: E731
        self.run_table(send, base, {"token": (REQUEST, FINE), "token_type_hint": (FINE, FINE), "client_id": (FINE, REQUEST)}, check)
        for change in CHANGED.values():
            self.assertEqual(send("token=" + change(self.access)).json, {"active": False})

    def test_revocation(self):
        self.run_table(
            lambda body: self.send("POST", "/oauth2/revoke", body=body), lambda: {"token": secrets.token_urlsafe(32)},
            {"token": (REQUEST, FINE), "token_type_hint": (FINE, FINE), "client_id": (FINE, REQUEST)}, self.assert_json)
        self.assertEqual(self.send("GET", "/oauth2/userinfo", Authorization=f"Bearer {self.access}").status, 200)

    def test_pushed_requests(self):
        made = (201, None)
        self.run_table(
            lambda body: self.send("POST", "/oauth2/par", body=body), self.authorization, {
                "response_type": (REQUEST, (400, "unsupported_response_type")), "redirect_uri": (REQUEST, REQUEST),
                "client_id": (made, REQUEST), "scope": (made, SCOPE), "state": (made, None), "code_challenge": (REQUEST, REQUEST),
                "code_challenge_method": (REQUEST, REQUEST), "response_mode": (made, REQUEST), "prompt": (made, made),
                "nonce": (made, None), "max_age": (made, REQUEST), "login_hint": (made, made), "id_token_hint": (made, REQUEST),
                "claims": (made, REQUEST), "dpop_jkt": (made, REQUEST), "request": (made, (400, "request_not_supported")),
                "request_uri": (made, REQUEST), "registration": (made, (400, "registration_not_supported")),
                "acr_values": (made, made), "ui_locales": (made, made), "display": (made, made), "extra": (made, made)},
            self.check_pushed)

    def check_pushed(self, answer, expected, issued):
        if expected is None:  # Opaque to us: kept as it is, or too long.
            expected = (201, None) if answer.status == 201 else REQUEST
        self.assert_json(answer, expected, issued)
        if answer.status == 201:
            self.assertRegex(answer.json["request_uri"], r"\Aurn:ietf:params:oauth:request_uri:[\w-]{43}\Z")

    # Where browsers come.

    AUTHORIZATION = {
        "response_type": (REQUEST, (400, "unsupported_response_type")), "redirect_uri": (PAGE, PAGE, PAGE), "client_id": (PAGE, PAGE, PAGE),
        "scope": (CONSENT, SCOPE), "state": (CONSENT, None), "code_challenge": (REQUEST, REQUEST), "code_challenge_method": (REQUEST, REQUEST),
        "response_mode": (CONSENT, PAGE, None), "prompt": (CONSENT, CONSENT), "nonce": (CONSENT, None), "max_age": (CONSENT, REQUEST),
        "login_hint": (CONSENT, CONSENT), "id_token_hint": (CONSENT, REQUEST), "claims": (CONSENT, REQUEST), "dpop_jkt": (CONSENT, REQUEST),
        "request": (CONSENT, (400, "request_not_supported")), "request_uri": (CONSENT, (400, "request_uri_not_supported")),
        "registration": (CONSENT, (400, "registration_not_supported")), "acr_values": (CONSENT, CONSENT), "ui_locales": (CONSENT, CONSENT),
        "display": (CONSENT, CONSENT), "extra": (CONSENT, CONSENT, CONSENT)}

    def check_authorization(self, answer, expected, issued):
        if expected is None:
            expected = CONSENT if (answer.location or "").startswith("/consent") else REQUEST
        self.assert_browser(answer, expected, issued)

    def test_authorization_by_get(self):
        changes = {name: change for name, change in CHANGED.items() if name != "long"}
        self.run_table(
            lambda query: self.send("GET", "/oauth2/authorize", query, basic=False), self.authorization, self.AUTHORIZATION,
            self.check_authorization, unreadable=PAGE, changes=changes)

    def test_authorization_by_post(self):
        self.run_table(
            lambda body: self.send("POST", "/oauth2/authorize", body=body, basic=False), self.authorization, self.AUTHORIZATION,
            self.check_authorization, unreadable=PAGE)

    def test_redirect_uris(self):
        self.assertEqual(len(REDIRECTS), len(set(REDIRECTS)))
        before = self.issued()
        for uri in REDIRECTS:
            with self.subTest(uri):
                query = urllib.parse.urlencode(self.authorization(redirect_uri=uri))
                self.assert_browser(self.send("GET", "/oauth2/authorize", query, basic=False), PAGE, before)
                self.assert_browser(self.send("POST", "/oauth2/authorize", body=query, basic=False), PAGE, before)
                self.assert_json(self.send("POST", "/oauth2/par", body=query), REQUEST, before)
        for uri in (CALLBACK, "https://app.example/own?tenant=1", "http://127.0.0.1/native", "http://127.0.0.1:1/native", "http://127.0.0.1:65535/native"):
            with self.subTest(uri):
                query = urllib.parse.urlencode(self.authorization(redirect_uri=uri))
                self.assert_browser(self.send("GET", "/oauth2/authorize", query, basic=False), CONSENT, None)

    def test_ending_a_session(self):
        """Nobody is signed in here, so that every request leads on, and never to an address that is not registered."""
        base = {"client_id": self.client["client_id"], "post_logout_redirect_uri": "https://app.example/bye", "state": "s"}
        for method in ("GET", "POST"):
            for parameter in (*base, "id_token_hint"):
                tries = {**UNREADABLE, **{name: change(base.get(parameter, "")) for name, change in CHANGED.items() if name != "long"}}
                for name, value in tries.items():
                    with self.subTest(f"{method} {parameter} {name}"):
                        fields = self.joined({**dict(self.encoded(base)), parameter: value}.items())
                        answer = self.send(
                            method, "/oauth2/end_session", **({"query": fields} if method == "GET" else {"body": fields}), basic=False)
                        if name in UNREADABLE:
                            self.assertEqual((answer.status, answer.location), (400, None))
                            continue
                        for _ in range(3):
                            if answer.status not in (302, 303) or not answer.location.startswith("/oauth2/end_session"):
                                break
                            answer = Elsewhere().get(self.stack.url + answer.location)
                        self.assertIn(answer.status, (200, 303, 400), answer.text[:300])
                        place = answer.location or ""
                        self.assertTrue(not place or place.startswith(("/signed-out", "https://app.example/bye?")), place)
                        self.assertNotIn("<script>alert", answer.text)

    # What apps call with a token.

    def test_vending_by_get(self):
        send = lambda query: self.send("GET", "/v1/token", query, Authorization=f"Bearer {self.access}")  # noqa: E731
        changes = {name: change for name, change in CHANGED.items() if name not in ("long", "markup", "a query in SQL", "another parameter")}
        self.run_table(
            send, lambda: {"resource": self.stack.layer},
            {"resource": (REQUEST, TARGET, TARGET), "min_ttl": (FINE, REQUEST), "extra": (FINE, FINE)}, self.assert_json, changes=changes)

    def test_probing_by_json(self):
        def send(body, type="application/json"):
            return self.send("POST", "/v1/probe", body=body, Authorization=f"Bearer {self.access}", Content_Type=type)

        before = self.issued()
        for body in (
            "", "null", "[]", "{}", '"x"', "{", '{"url":null}', '{"url":7}', '{"url":[]}', '{"url":"a","url":"b"}', '{"url":"\\ud800"}',
            '{"url":"a\0b"}', "{'url':'a'}", '{"url":"a",}', "[" * 5000 + "]" * 5000, b"\xff\xfe", b'{"url":"\xc0\xaf"}', b"\xef\xbb\xbf{}",
            '{"url":1e999999}'):
            with self.subTest(str(body)[:40]):
                self.assert_json(send(body), REQUEST, before)
        for url in ("", "x", "/", "ftp://a.example", "https://a@b.example", "https://a.example/#b", "https://", "https://a b.example", "https://a.example/\r\nX: y"):
            with self.subTest(url):
                answer = send(json.dumps({"url": url}))
                self.assert_json(answer, TARGET if answer.json["error"] == "invalid_target" else REQUEST, before)
        for type in ("text/plain", FORM, None, "application/json; charset=utf-16"):
            self.assert_json(send(json.dumps({"url": self.stack.layer}), type), REQUEST, before)

    def test_tokens_in_every_wrong_place(self):
        good, none, bad = f"Bearer {self.access}", (401, "invalid_request"), (401, "invalid_token")
        resource = "resource=" + quote(self.stack.layer)
        for path, query in (("/oauth2/userinfo", ""), ("/v1/token", resource), ("/v1/connections", "")):
            before = self.issued()
            for value, expected in {
                None: none, "": none, "Basic x": none, "Bearer": REQUEST, "Bearer ": REQUEST, "Bearer  ": REQUEST, "Bearer a b": REQUEST,
                f"{good} x": REQUEST, f"{good},": REQUEST, f'Bearer "{self.access}"': REQUEST, "Bearer \u00e9": REQUEST, f"{good}x": bad, "Bearer x": bad,
                "Bearer =": REQUEST, f"DPoP {self.access}": bad, f"Token {self.access}": none, self.access: none, "Bearer " + "A" * 15_000: bad,
                f"Bearer\t{self.access}": none}.items():
                with self.subTest(f"{path} {(value or '')[:30]!r}"):
                    answer = self.send("GET", path, query, basic=False, **({"Authorization": value} if value is not None else {}))
                    self.assert_json(answer, expected, before)
            answer = self.send("GET", path, f"{query}&access_token={self.access}", basic=False)
            self.assert_json(answer, none, before)
            self.assertNotIn("error=", answer.headers["WWW-Authenticate"])
            self.assert_json(self.send("GET", path, f"{query}&access_token={self.access}", Authorization=good), REQUEST, before)
        token = f"access_token={self.access}"
        self.assert_json(self.send("POST", "/oauth2/userinfo", body=token, basic=False), none, before)
        self.assert_json(self.send("POST", "/oauth2/userinfo", body=token, Authorization=good), REQUEST, before)
        for scheme in ("bearer", "BEARER"):
            self.assert_json(self.send("POST", "/oauth2/userinfo", Authorization=f"{scheme} {self.access}"), FINE, None)

    def test_registering_by_json(self):
        good = {"client_name": "Hostile app", "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"}
        made = (201, None)

        def send(body, type="application/json"):
            return self.send("POST", "/oauth2/register", body=body, basic=False, Content_Type=type)

        def registered():
            return self.stack.query("SELECT count(*) FROM client")

        def refused(answer, *errors):
            before = registered()
            self.assertIn(answer.json["error"], errors, answer.text)
            self.assert_json(answer, (400, answer.json["error"]), self.issued())
            self.assertEqual(registered(), before)

        self.assert_json(send(json.dumps(good)), made, None)
        for body in ("", "null", "[]", '"x"', "{", "[" * 5000 + "]" * 5000, b"\xff\xfe", b'{"client_name":"\xc0\xaf"}', '{"client_name":"a","client_name":"b"}'):
            with self.subTest(str(body)[:40]):
                refused(send(body), "invalid_client_metadata", "invalid_request")
        for type in ("text/plain", FORM, None, "application/json; charset=utf-16"):
            refused(send(json.dumps(good), type), "invalid_request")
        for name in (
            "client_name", "redirect_uris", "grant_types", "response_types", "scope", "token_endpoint_auth_method", "jwks", "jwks_uri",
            "id_token_signed_response_alg", "userinfo_signed_response_alg", "subject_type", "application_type", "post_logout_redirect_uris",
            "backchannel_logout_uri", "client_uri", "logo_uri", "tos_uri", "policy_uri", "software_id", "software_version"):
            for value in (7, True, {"a": []}, [[]], [7], "\x00", "\r\nX: y", ["javascript:alert(1)"], "A" * 60_000):
                with self.subTest(f"{name} {str(value)[:20]!r}"):
                    answer = send(json.dumps({**good, name: value}))
                    if answer.status == 201:  # What means nothing to us may be anything; nothing of it may come back.
                        self.assertNotIn(name, [one for one, kept in answer.json.items() if kept == value])
                    else:
                        refused(answer, "invalid_client_metadata", "invalid_redirect_uri", "invalid_request")
        for uri in (
            "", "x", "http://app.example/", "https://app.example/#a", "https://a@app.example/", "https://*.example/", "javascript:alert(1)",
            "data:text/html,x", "https://app.example\\@evil.example/", "https://app.example/\r\nX: y", "https://\uff41pp.example/", "app:/x"):
            with self.subTest(uri):
                refused(send(json.dumps({**good, "redirect_uris": [uri]})), "invalid_redirect_uri")
        self.assertIn(self.raw("POST", "/oauth2/register", "a" * 1_200_000), (400, 413))

    # How a request can be wrong as a whole.

    def test_other_bodies_and_methods(self):
        form = self.joined(self.encoded({"grant_type": "client_credentials"}))
        pair = urllib.parse.urlencode({"client_id": self.client["client_id"], "client_secret": self.client["client_secret"]})
        before = self.issued()
        for endpoint in ("token", "introspect", "revoke", "par", "device_authorization"):
            path = f"/oauth2/{endpoint}"
            for type in (
                "application/json", "text/plain", "multipart/form-data; boundary=x", "application/xml", None, "x", FORM + "; charset=utf-16",
                FORM + "; charset=iso-8859-1", FORM + ", application/json", "application/x-www-form-urlencodedx"):
                with self.subTest(f"{endpoint} {type}"):
                    self.assert_json(self.send("POST", path, body=form, Content_Type=type), REQUEST, before)
            self.assert_json(self.send("POST", path, body=json.dumps({"grant_type": "client_credentials"}), Content_Type="application/json"), REQUEST, before)
            for method in ("GET", "PUT", "DELETE", "PATCH"):
                with self.subTest(f"{endpoint} {method}"):
                    answer = self.send(method, path, form)
                    self.assert_json(answer, (405, "invalid_request"), before)
                    self.assertIn("POST", answer.headers["Allow"])
            # Whatever stands in the address counts as not sent (OAuth 2.1 §3.2).
            self.assertIn(self.send("POST", path, f"{form}&{pair}&token=x", basic=False).json["error"], ("invalid_client", "invalid_request"))
            if endpoint != "device_authorization":
                self.assertIn(self.send("POST", path, form).json["error"], ("invalid_request", "unsupported_grant_type"))
        self.assertEqual(self.issued(), before)
        for type in (FORM.upper(), FORM + ";charset=UTF-8", FORM + " ; charset=\"utf-8\""):
            self.assert_json(self.send("POST", "/oauth2/token", body=form, Content_Type=type), FINE, None)

    def test_too_much(self):
        before, million = self.issued(), "A" * 1_000_000
        for path in ("token", "introspect", "revoke", "par"):
            with self.subTest(path):
                self.assert_json(self.send("POST", f"/oauth2/{path}", body="token=" + million), REQUEST, before)
                self.assert_json(self.send("POST", f"/oauth2/{path}", body="&".join(f"a{number}=b" for number in range(65))), REQUEST, before)
                self.assert_json(self.send("POST", f"/oauth2/{path}", body="a" * 129 + "=b"), REQUEST, before)
                self.assertEqual(self.raw("POST", f"/oauth2/{path}", "a=" + "A" * 1_200_000), 413)
        self.assertEqual(self.send("POST", "/oauth2/authorize", body="state=" + million, basic=False).status, 400)
        for path in ("/oauth2/authorize?state=", "/v1/token?resource=", "/oauth2/end_session?state="):
            self.assertEqual(self.raw("GET", path + million, ""), 414)
        self.assertEqual(self.issued(), before)

    def raw(self, method, target, body):
        """The status of an answer that may come before all was sent."""
        with socket.create_connection(("127.0.0.1", self.stack.port), 20) as wire:
            head = f"{method} {target} HTTP/1.1\r\nHost: localhost:{self.stack.port}\r\nContent-Type: {FORM}\r\nContent-Length: {len(body)}\r\n\r\n"
            try:
                wire.sendall((head + body).encode())
            except OSError:
                pass
            return int(wire.recv(64).split(b" ")[1])

    def test_headers_of_authentication(self):
        id, secret = self.client["client_id"], self.client["client_secret"]
        body = self.joined(self.encoded({"grant_type": "client_credentials"}))

        def basic(text):
            return "Basic " + base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()

        before = self.issued()
        for value in (
            "", "Basic", "Basic ", "Basic =", "Basic !!!!", "Basic \u00e9", basic(""), basic(":"), basic(id), basic(f"{id}:"), basic(f":{secret}"),
            basic(f"{id}:{secret} "), basic(f" {id}:{secret}"), basic(f"{id}:{secret}:"), basic(f"{id}\0:{secret}"), basic(b"\xff:\xfe"), basic("%zz:%zz"),
            basic(f"{id}:{secret}") + "====", basic(f"{id}:{secret}") + ", Basic x", "Bearer " + self.access, "DPoP x", "Digest username=x",
            basic(f"{id.upper()}x:{secret}"), basic(f"{id}:{secret.upper()}x"), basic(f"{id}:" + "A" * 8000), basic(f"{ADMINISTRATOR[0]}:{ADMINISTRATOR[1]}")):
            with self.subTest(value[:40]):
                answer = self.send("POST", "/oauth2/token", body=body, Authorization=value)
                self.assertIn(answer.status, (400, 401))
                self.assert_json(answer, (answer.status, "invalid_client"), before)
                if answer.status == 401:
                    self.assertTrue(answer.headers["WWW-Authenticate"].startswith("Basic realm="))

    # Many at once.

    def together(self, count, send):
        """What `count` sockets are answered that all send at the same moment."""
        sockets = [socket.create_connection(("127.0.0.1", self.stack.port), 30) for _ in range(count)]
        requests = [send(number) for number in range(count)]
        for wire, request in zip(sockets, requests):
            wire.sendall(request[:-1])
        for wire, request in zip(sockets, requests):
            wire.sendall(request[-1:])

        def read(wire):
            data = b""
            with wire:
                while piece := wire.recv(65536):
                    data += piece
            head, _, body = data.partition(b"\r\n\r\n")
            return int(head.split(b" ")[1]), json.loads(body) if body else None

        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            return list(pool.map(read, sockets))

    def request(self, endpoint, basic=True, **form):
        body = urllib.parse.urlencode(form)
        pair = base64.b64encode(f"{self.client['client_id']}:{self.client['client_secret']}".encode()).decode()
        return (
            f"POST /oauth2/{endpoint} HTTP/1.1\r\nHost: localhost:{self.stack.port}\r\nConnection: close\r\nContent-Type: {FORM}\r\n"
            + (f"Authorization: Basic {pair}\r\n" if basic else "") + f"Content-Length: {len(body)}\r\n\r\n{body}").encode()

    def active(self, token):
        return self.send("POST", "/oauth2/introspect", body=f"token={token}").json["active"]

    def test_one_code_by_fifty_sockets(self):
        code = self.code()
        answers = self.together(50, lambda _: self.request(
            "token", grant_type="authorization_code", code=code, redirect_uri=CALLBACK, code_verifier=VERIFIER))
        good = [body for status, body in answers if status == 200]
        self.assertEqual(len(good), 1, [body for _, body in answers])
        self.assertEqual({(status, body["error"]) for status, body in answers if status != 200}, {GRANT})
        # Whoever holds a code twice may have stolen it: what came of it has ended.
        self.assertFalse(self.active(good[0]["access_token"]))
        self.assertFalse(self.active(good[0]["refresh_token"]))

    def test_one_refresh_token_by_twenty_sockets(self):
        token = self.redeem(self.code()).json["refresh_token"]
        answers = self.together(20, lambda _: self.request("token", grant_type="refresh_token", refresh_token=token))
        self.assertEqual({status for status, _ in answers}, {200}, [body for status, body in answers if status != 200])
        successors = {body["refresh_token"] for _, body in answers}
        self.secrets |= successors
        self.assertEqual(len(successors), 1)
        self.assertTrue(self.active(successors.pop()))
        self.assertTrue(all(self.active(body["access_token"]) for _, body in answers))

    def test_a_long_chain_of_refreshes_costs_no_more_than_a_short_one(self):
        """A refresh changes one row and adds none, and an old token of the chain still tells that somebody copied it."""
        def refresh(token):
            return self.send("POST", "/oauth2/token", body=f"grant_type=refresh_token&refresh_token={token}").json

        tokens = [self.redeem(self.code()).json["refresh_token"]]
        before = self.issued()[:2]
        for _ in range(12):
            tokens.append(refresh(tokens[-1])["refresh_token"])
        self.secrets |= set(tokens)
        self.assertEqual(self.issued()[:2], before)
        self.assertEqual(len(set(tokens)), 13)
        self.assertEqual(refresh(tokens[4])["error"], "invalid_grant")
        self.assertFalse(self.active(tokens[-1]))

    def test_one_assertion_at_two_endpoints_at_once(self):
        key = ECKey.generate_key("P-256")
        file = self.stack.directory / "keys.json"
        file.write_text(json.dumps({"keys": [{**key.as_dict(private=False), "kid": "1", "alg": "ES256", "use": "sig"}]}))
        id = self.register("--authentication", "private_key_jwt", "--jwks", str(file))["client_id"]
        now = int(time.time())
        assertion = forged.compact(
            {"alg": "ES256", "kid": "1"}, {
                "iss": id, "sub": id, "aud": self.stack.url, "exp": now + 60, "jti": secrets.token_hex(8)}, key)
        # Ten: after ten failures in a row the client would have to wait.
        answers = self.together(10, lambda number: self.request(
            ("token", "introspect")[number % 2], basic=False, grant_type="client_credentials", token="x", client_assertion=assertion,
            client_assertion_type=ASSERTION))
        self.assertEqual(len([status for status, _ in answers if status == 200]), 1, answers)
        self.assertEqual({body.get("error") for status, body in answers if status != 200}, {"invalid_client"})


if __name__ == "__main__":
    unittest.main()
