"""The modules of the OpenID Foundation's conformance suite for Basic OP, Config OP and the two logout profiles, played against
the running program; docs/conformance.md says which test stands for which module."""

import hashlib
import html
import re
import time
import unittest
import urllib.parse

import forged_tokens as forged
from conformance_client import NOWHERE, ConformanceClient
from joserfc import jwt
from stack import CALLBACK, Elsewhere, until

BYE = "http://localhost:9999/bye"


class Basic(ConformanceClient):
    def setUp(self):
        # One client for all, whom the person has allowed to know them.
        if not hasattr(type(self), "app"):
            type(self).app = self.basic_client()

    # Config OP.

    def test_discovery(self):
        answer = self.stack.browser().get(self.metadata_url)
        self.assertEqual((answer.status, answer.headers["Content-Type"].split(";")[0]), (200, "application/json"))
        metadata = answer.json
        self.assertEqual(metadata["issuer"], self.issuer)
        for name, value in metadata.items():
            if name.endswith(("_endpoint", "_uri")):
                self.assertTrue(value.startswith("https://"), name)
            if name.endswith("_supported") and isinstance(value, list):
                self.assertTrue(value, f"{name} is empty")
                self.assertEqual(len(value), len(set(value)), name)
        self.assertIn("openid", metadata["scopes_supported"])
        self.assertIn("RS256", metadata["id_token_signing_alg_values_supported"])
        self.assertEqual(metadata["response_types_supported"], ["code"])
        self.assertEqual(metadata["code_challenge_methods_supported"], ["S256"])
        self.assertTrue({"client_secret_basic", "client_secret_post"} <= set(metadata["token_endpoint_auth_methods_supported"]))
        keys = self.stack.browser().get(metadata["jwks_uri"]).json["keys"]
        self.assertEqual(len({key["kid"] for key in keys}), len(keys))
        self.assertFalse([name for key in keys for name in ("d", "p", "q", "k") if name in key])
        self.assertTrue(metadata["backchannel_logout_supported"] and metadata["backchannel_logout_session_supported"])

    # Basic OP.

    def test_server(self):
        tokens = self.sign_in(self.app)
        claims = self.claims(tokens, ["RS256"])
        self.assertEqual((claims["iss"], claims["aud"], claims["nonce"]), (self.issuer, self.app.id, self.app.asked["nonce"]))
        self.assertTrue(abs(time.time() - claims["iat"]) < 60 < claims["exp"] - claims["iat"])
        self.assertFalse({"name", "preferred_username", "email"} & set(claims))
        self.assertEqual(self.user_info(self.app, tokens["access_token"]).json["sub"], claims["sub"])

    def test_response_type_missing(self):
        arrived = self.arrives(self.begin(self.app, response_type=NOWHERE))
        self.assertEqual((arrived["error"], arrived["state"]), ("invalid_request", self.app.asked["state"]))

    def test_userinfo(self):
        token = self.sign_in(self.app)["access_token"]
        for method, scheme in (("GET", "Bearer"), ("POST", "Bearer"), ("GET", "bearer")):
            answer = self.user_info(self.app, token, method, scheme)
            self.assertEqual((answer.status, answer.json["name"]), (200, "ana"))

    def test_without_nonce(self):
        self.assertNotIn("nonce", self.claims(self.sign_in(self.app, nonce=NOWHERE)))

    def test_scopes(self):
        for scope, told in (("openid", False), ("openid profile", True), ("profile openid", True)):
            known = self.user_info(self.app, self.sign_in(self.app, scope=scope)["access_token"]).json
            self.assertEqual("name" in known, told, scope)

    def test_what_is_not_understood_does_no_harm(self):
        for more in (
            {"display": "page"}, {"display": "popup"}, {"ui_locales": "se"}, {"claims_locales": "se"}, {"acr_values": "1 2"},
            {"extra": "foobar"}, {"login_hint": "buffy@" + urllib.parse.urlsplit(self.issuer).netloc}):
            with self.subTest(more):
                self.claims(self.sign_in(self.app, **more))

    def test_prompt_login(self):
        browser = self.stack.browser()
        self.stack.sign_in(browser, "bo")
        first = self.claims(self.sign_in(self.app, browser, max_age="10000"))
        time.sleep(1.1)  # Times are in seconds.
        page = browser.follow(browser.get(self.begin(self.app, prompt="login", max_age="10000")))
        self.assertEqual(page.status, 200)
        self.assertIn('name="password"', page.text)
        time.sleep(1.1)
        # The portal remembers the person and would not ask again by itself.
        trip = browser.get(urllib.parse.urljoin(page.url, self.way(page)))
        self.assertIn("force_login=true", trip.location)
        again = self.stack.sign_in_at_portal(browser, browser.follow(trip), "bo")
        self.assertIn("code", again.query)
        second = self.claims(self.redeem(self.app, again.query["code"]).json)
        self.assertEqual(second["sub"], first["sub"])
        self.assertGreater(second["auth_time"], first["auth_time"])

    @staticmethod
    def way(page):
        """Where the sign-in page leads to the demo portal."""
        return html.unescape(re.search(r'href="(/signin/demo[^"]*)"', page.text).group(1))

    def test_prompt_none(self):
        stranger = self.stack.browser()
        arrived = self.arrives(self.begin(self.app, prompt="none"), stranger)
        self.assertEqual((arrived["error"], arrived["state"]), ("login_required", self.app.asked["state"]))
        first = self.claims(self.sign_in(self.app, max_age="10000"))
        arrived = self.arrives(self.begin(self.app, prompt="none", max_age="10000"))
        second = self.claims(self.redeem(self.app, arrived["code"]).json)
        self.assertEqual((second["sub"], second["auth_time"]), (first["sub"], first["auth_time"]))

    def test_max_age(self):
        first = self.claims(self.sign_in(self.app, max_age="10000"))
        second = self.claims(self.sign_in(self.app, max_age="10000"))
        self.assertEqual(second["auth_time"], first["auth_time"])
        time.sleep(2.1)
        self.assertEqual(self.arrives(self.begin(self.app, max_age="1", prompt="none"))["error"], "login_required")

    def test_id_token_hint(self):
        hint = self.sign_in(self.app)["id_token"]
        arrived = self.arrives(self.begin(self.app, prompt="none", id_token_hint=hint))
        self.assertEqual(self.claims(self.redeem(self.app, arrived["code"]).json)["sub"], self.claims({"id_token": hint})["sub"])

    def test_code_reuse(self):
        arrived = self.authorize(self.app)
        tokens = self.redeem(self.app, arrived["code"]).json
        self.assertEqual(self.user_info(self.app, tokens["access_token"]).status, 200)
        self.assert_refused(self.redeem(self.app, arrived["code"]), "invalid_grant")
        self.assertEqual(self.user_info(self.app, tokens["access_token"]).status, 401)

    def test_redirect_uri(self):
        for uri in (CALLBACK + "/x", CALLBACK + "?foo=bar", "http://localhost:9999/", NOWHERE):
            self.assert_page(self.arrives(self.begin(self.app, redirect_uri=uri)))
        own = CALLBACK + "?foo=bar"
        id, secret = self.register("--profile", "oidc-basic", scopes=["openid", "profile"], callback=own)
        app = type(self.app)(id, secret)
        arrived = self.authorize(app, redirect_uri=own)
        self.assertEqual((arrived["foo"], self.redeem(app, arrived["code"], redirect_uri=own).status), ("bar", 200))
        self.assert_page(self.arrives(self.begin(app, redirect_uri=CALLBACK)))
        self.assert_page(self.arrives(self.begin(app, redirect_uri=CALLBACK + "?bar=foo")))

    def test_post_request(self):
        self.begin(self.app)
        answer = self.browser.follow(self.browser.post(self.url("authorization"), self.app.asked))
        self.assertEqual(self.redeem(self.app, answer.query["code"]).status, 200)

    def test_client_secret_post(self):
        app = self.basic_client("--authentication", "client_secret_post")
        arrived = self.authorize(app)
        self.assertEqual(self.redeem(app, arrived["code"], secret_in_form=True).status, 200)

    def test_request_objects(self):
        unsigned = forged.compact({"alg": "none"}, {"client_id": self.app.id, "redirect_uri": CALLBACK, "state": "inside"})
        for name, value, error in (
            ("request", unsigned, "request_not_supported"), ("request_uri", "https://app.example/request", "request_uri_not_supported")):
            arrived = self.arrives(self.begin(self.app, **{name: value}))
            self.assertEqual((arrived["error"], arrived["state"]), (error, self.app.asked["state"]))
            # Nothing of the object counts: without a redirect URI beside it there is nowhere to go.
            self.assert_page(self.arrives(self.begin(self.app, **{name: value}, redirect_uri=NOWHERE)))

    def test_claims_essential(self):
        tokens = self.sign_in(self.app, scope="openid", claims='{"userinfo":{"name":{"essential":true}}}')
        self.assertEqual(self.user_info(self.app, tokens["access_token"]).json["name"], "ana")

    def test_refresh_token(self):
        tokens = self.sign_in(self.app, scope="openid profile offline_access", prompt="consent")
        second = self.basic_client()
        self.assert_refused(self.post(second, "token", grant_type="refresh_token", refresh_token=tokens["refresh_token"]), "invalid_grant")
        renewed = self.post(self.app, "token", grant_type="refresh_token", refresh_token=tokens["refresh_token"]).json
        before, after = self.claims(tokens), self.claims(renewed)
        for name in ("iss", "sub", "aud", "auth_time"):
            self.assertEqual(before.get(name), after.get(name))
        self.assertNotIn("nonce", after)
        self.assertEqual(self.user_info(self.app, renewed["access_token"]).status, 200)

    def test_pkce(self):
        verifier = "a" * 43
        challenge = forged.encoded(hashlib.sha256(verifier.encode()).digest())
        arrived = self.authorize(self.app, code_challenge=challenge, code_challenge_method="S256")
        self.assertEqual(self.redeem(self.app, arrived["code"], code_verifier=verifier).status, 200)

    # RP-Initiated and Back-Channel Logout.

    def end_session(self, browser, **parameters):
        query = urllib.parse.urlencode(parameters)
        return browser.follow(browser.get(self.url("end_session") + (f"?{query}" if query else "")))

    def signed_in(self, browser):
        return browser.get(f"{self.issuer}/account").status == 200

    def session(self, app):
        browser = self.stack.browser()
        self.stack.sign_in(browser, "bo")
        return browser, self.sign_in(app, browser)

    def test_rp_initiated_logout(self):
        app = self.basic_client("--post-logout-redirect-uri", BYE)
        for more, place in (({"post_logout_redirect_uri": BYE, "state": "s1"}, f"{BYE}?state=s1"), ({"post_logout_redirect_uri": BYE}, BYE)):
            browser, tokens = self.session(app)
            answer = self.end_session(browser, id_token_hint=tokens["id_token"], **more)
            self.assertEqual(answer.location, place)
            self.assertFalse(self.signed_in(browser))
            arrived = self.arrives(self.begin(app, prompt="none"), browser)
            self.assertEqual(arrived["error"], "login_required")

    def test_rp_initiated_logout_that_leads_nowhere(self):
        app = self.basic_client("--post-logout-redirect-uri", BYE)
        browser, tokens = self.session(app)
        hint = tokens["id_token"]
        header, claims, signature = hint.split(".")
        modified = f"{header}.{forged.encoded({**forged.parts(hint)[1], 'sub': 'another'})}.{signature}"
        for more in (
            {"id_token_hint": hint, "post_logout_redirect_uri": BYE + "x", "state": "s"},
            {"id_token_hint": hint, "post_logout_redirect_uri": BYE + "?foo=bar", "state": "s"},
            {"id_token_hint": modified, "post_logout_redirect_uri": BYE, "state": "s"},
            {"id_token_hint": "nonsense", "post_logout_redirect_uri": BYE, "state": "s"},
            {"post_logout_redirect_uri": BYE, "state": "s"}, {"state": "s"}, {}):
            with self.subTest(sorted(more)):
                answer = self.end_session(browser, **more)
                self.assertFalse((answer.location or "").startswith(BYE), answer.location)
                self.assertIn(answer.status, (200, 303, 400))
        answer = self.end_session(browser, id_token_hint=hint, state="s") if self.signed_in(browser) else None
        self.assertTrue(answer is None or not (answer.location or "").startswith(BYE))

    def test_back_channel_logout(self):
        place, told = self.receive()
        app = self.basic_client(
            "--post-logout-redirect-uri", BYE, "--backchannel-logout-uri", place,
            "--backchannel-logout-session")
        browser, tokens = self.session(app)
        self.end_session(browser, id_token_hint=tokens["id_token"], post_logout_redirect_uri=BYE)
        self.assertTrue(until(lambda: told))
        token = urllib.parse.parse_qs(told[0])["logout_token"][0]
        claims, identity = jwt.decode(token, self.keys, algorithms=["RS256"]).claims, self.claims(tokens)
        self.assertEqual((claims["sid"], claims["sub"], claims["aud"], claims["iss"]), (
            identity["sid"], identity["sub"], app.id, self.issuer))
        self.assertEqual(Elsewhere(self.authority).get(self.metadata_url).status, 200)


if __name__ == "__main__":
    unittest.main()
