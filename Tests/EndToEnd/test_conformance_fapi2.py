"""The modules of the OpenID Foundation's conformance suite for the FAPI 2.0 Security Profile, with private_key_jwt and DPoP, played
against the running program; docs/conformance.md says which test stands for which module."""

import json
import secrets
import time
import unittest
import urllib.parse

from conformance_client import NOWHERE, ConformanceClient
from joserfc.jwk import ECKey, RSAKey
from stack import CALLBACK, Browser


class FAPI2(ConformanceClient):
    def setUp(self):
        # Two clients for all, whom the person has allowed to know them.
        if not hasattr(type(self), "first"):
            type(self).first, type(self).second = self.fapi_client(), self.fapi_client()
        self.app = self.first

    def test_discovery(self):
        self.assertIn("private_key_jwt", self.metadata["token_endpoint_auth_methods_supported"])
        self.assertIn("ES256", self.metadata["dpop_signing_alg_values_supported"])
        self.assertTrue(self.metadata["authorization_response_iss_parameter_supported"])
        self.assertTrue(self.metadata["pushed_authorization_request_endpoint"].startswith("https://"))
        self.assertNotIn("none", self.metadata["token_endpoint_auth_signing_alg_values_supported"])

    def test_happy_flow(self):
        for app in (self.first, self.second):
            tokens = self.sign_in(app)
            self.assertEqual(tokens["token_type"], "DPoP")
            claims = self.claims(tokens, ["ES256"])
            self.assertEqual((claims["aud"], claims["iss"]), (app.id, self.issuer))
            self.assertEqual(self.user_info(app, tokens["access_token"]).json["sub"], claims["sub"])
        # Nobody else's key opens it.
        self.assert_refused(
            self.user_info(self.first, tokens["access_token"], key=ECKey.generate_key("P-256")), "invalid_token", status=401)

    def test_user_rejects(self):
        app, browser = self.fapi_client(), self.browser
        page = browser.follow(browser.get(self.begin(app)))
        answer = browser.follow(browser.post(f"{self.issuer}/consent", {
            "csrf": page.field("csrf"), "ticket": page.field("ticket"), "answer": "deny"}))
        self.assertEqual((answer.query["error"], answer.query["iss"]), ("access_denied", self.issuer))

    def test_state_and_nonce(self):
        self.assertNotIn("state", self.authorize(self.app, state=NOWHERE))
        self.assertNotIn("nonce", self.claims(self.sign_in(self.app, nonce=NOWHERE)))
        for length in (64, 384):
            self.assertEqual(self.claims(self.sign_in(self.app, nonce="n" * length))["nonce"], "n" * length)
        state = "s" * 1000
        self.assertEqual(self.authorize(self.app, state=state)["state"], state)
        # What stands beside a pushed request means nothing (RFC 9126 §4).
        url = self.begin(self.app, state="pushed", nonce="pushed") + "&state=beside&nonce=beside"
        arrived = self.arrives(url)
        self.assertEqual(arrived["state"], "pushed")
        self.assertEqual(self.claims(self.redeem(self.app, arrived["code"]).json)["nonce"], "pushed")
        self.assertNotIn("state", self.arrives(self.begin(self.app, state=NOWHERE) + "&state=beside"))

    def test_scope_order_and_claims(self):
        self.sign_in(self.app, scope="profile openid")
        tokens = self.sign_in(self.app, scope="openid", claims='{"id_token":{"name":{"essential":true}},"userinfo":{"name":null}}')
        self.assertEqual(self.claims(tokens)["name"], "ana")
        self.assertEqual(self.user_info(self.app, tokens["access_token"]).json["name"], "ana")

    def test_case_of_the_scheme(self):
        token = self.sign_in(self.app)["access_token"]
        for scheme in ("DPoP", "dpop", "DPOP"):
            self.assertEqual(self.user_info(self.app, token, scheme=scheme).status, 200)

    # DPoP.

    def redeem_with(self, **proof):
        code = self.authorize(self.app)["code"]
        return self.redeem(self.app, code, proof=lambda: self.proof(self.app, self.url("token"), **proof))

    def test_times_of_proofs(self):
        now = int(time.time())
        for more in ({"iat": now - 10}, {"iat": int(time.time()) + 9}, {"nbf": now - 10, "exp": now + 60}):
            self.assertEqual(self.redeem_with(**more).status, 200, more)

    def test_wrong_proofs(self):
        other = ECKey.generate_key("P-256")
        for name, more in {
            "exp": {"exp": int(time.time()) - 60}, "nbf": {"nbf": int(time.time()) + 120}, "old": {"iat": int(time.time()) - 3600},
            "htm": {"method": "GET"}, "htu": {"htu": self.issuer}, "typ": {"header": {"typ": "JWT"}}, "no jti": {"jti": NOWHERE},
            "no htm": {"htm": NOWHERE}, "no htu": {"htu": NOWHERE}, "no iat": {"iat": NOWHERE},
            "a private key": {"header": {"jwk": self.app.dpop.as_dict(private=True)}},
            "another's key": {"header": {"jwk": other.as_dict(private=False)}}}.items():
            with self.subTest(name):
                self.assert_refused(self.redeem_with(**more), "invalid_dpop_proof")
        arrived = self.authorize(self.app)
        self.assert_refused(self.redeem(self.app, arrived["code"], proof=False), "invalid_dpop_proof", "invalid_request")
        used = self.proof(self.app, self.url("token"))
        self.assertEqual(self.redeem(self.app, self.authorize(self.app)["code"], proof=lambda: used).status, 200)
        self.assert_refused(self.redeem(self.app, self.authorize(self.app)["code"], proof=lambda: used), "invalid_dpop_proof")

    def test_wrong_proofs_at_the_resource(self):
        token = self.sign_in(self.app)["access_token"]
        url = self.url("userinfo")
        self.assertEqual(self.user_info(self.app, token).status, 200)
        for name, more in {
            "ath": {"ath": "x"}, "no ath": {"token": None}, "htm": {"htm": "POST"}, "htu": {"htu": self.issuer},
            "key": {"key": ECKey.generate_key("P-256")}}.items():
            with self.subTest(name):
                proof = self.proof(self.app, url, **{"method": "GET", "token": token, **more})
                self.assertEqual(self.user_info(self.app, token, DPoP=proof).status, 401)
        once = self.proof(self.app, url, "GET", token)
        self.assertEqual(self.user_info(self.app, token, DPoP=once).status, 200)
        self.assertEqual(self.user_info(self.app, token, DPoP=once).status, 401)
        answer = Browser(self.authority).get(url, headers={"Authorization": f"Bearer {token}"})
        self.assertEqual(answer.status, 401)

    def test_codes_bound_to_a_key(self):
        mine, other = self.thumbprint(self.app.dpop), ECKey.generate_key("P-256")
        # By dpop_jkt, by a proof at the pushed request, and by both when they agree.
        for more in ({"dpop_jkt": mine}, {"proof": True}, {"proof": True, "dpop_jkt": mine}):
            pushed = self.push(self.app, **more)
            self.assertEqual(pushed.status, 201, pushed.text)
            url = self.opened(self.app, pushed.json["request_uri"])
            self.assertEqual(self.redeem(self.app, self.arrives(url)["code"]).status, 200)
            code = self.arrives(self.opened(self.app, self.push(self.app, **more).json["request_uri"]))["code"]
            refused = self.redeem(self.app, code, proof=lambda: self.proof(self.app, self.url("token"), key=other))
            self.assert_refused(refused, "invalid_grant", "invalid_dpop_proof")
        self.assert_refused(self.push(self.app, proof=True, dpop_jkt=self.thumbprint(other)), "invalid_dpop_proof", "invalid_request")

    @staticmethod
    def thumbprint(key):
        return key.thumbprint()

    # The authorization request.

    def test_requests_that_are_refused(self):
        direct = self.url("authorization") + "?" + urllib.parse.urlencode(self.parameters_of(self.app))
        self.assertEqual(self.arrives(direct)["error"], "invalid_request")
        for uri in (NOWHERE, CALLBACK + "/x"):
            self.assert_refused(self.push(self.app, redirect_uri=uri), "invalid_request")
        for type in ("code id_token", "token"):
            self.assert_refused(self.push(self.app, response_type=type), "unsupported_response_type", "invalid_request")
        for more in (
            {"code_challenge": NOWHERE, "code_challenge_method": NOWHERE}, {"code_challenge_method": "plain"}, {"code_challenge_method": NOWHERE}):
            self.assert_refused(self.push(self.app, **more), "invalid_request")
        self.assert_refused(self.push(self.app, request_uri="urn:ietf:params:oauth:request_uri:x"), "invalid_request")
        answer = self.stack.browser().get(self.url("pushed_authorization_request"))
        self.assertEqual(answer.status, 405)

    def test_the_life_of_a_request_uri(self):
        url = self.begin(self.app)
        stranger = self.stack.browser()
        for _ in range(2):
            self.assertEqual(stranger.follow(stranger.get(url)).status, 200)
        self.assertIn("code", self.arrives(url))
        self.assert_page(self.arrives(url))
        # Another client's, one that nobody gave out, and one that has ended.
        pushed = self.push(self.app).json
        self.assertLess(pushed["expires_in"], 600)
        self.assert_page(self.arrives(self.opened(self.second, pushed["request_uri"])))
        self.assert_page(self.arrives(self.opened(self.app, "urn:ietf:params:oauth:request_uri:" + secrets.token_urlsafe(32))))
        self.stack.query("UPDATE authorization_request SET expires_at = 1 WHERE finished_at IS NULL")
        self.stack.restart()
        self.assert_page(self.arrives(self.opened(self.app, pushed["request_uri"])))

    # The token endpoint.

    def test_codes(self):
        arrived = self.authorize(self.app)
        self.second.verifier = self.app.verifier
        self.assert_refused(self.redeem(self.second, arrived["code"]), "invalid_grant")
        arrived = self.authorize(self.app)
        self.assert_refused(self.redeem(self.app, arrived["code"], code_verifier=NOWHERE), "invalid_grant")
        arrived = self.authorize(self.app)
        self.assert_refused(self.redeem(self.app, arrived["code"], code_verifier="w" * 43), "invalid_grant")
        arrived = self.authorize(self.app)
        tokens = self.redeem(self.app, arrived["code"]).json
        time.sleep(1)
        self.assert_refused(self.redeem(self.app, arrived["code"]), "invalid_grant")
        self.assertEqual(self.user_info(self.app, tokens["access_token"]).status, 401)
        arrived = self.authorize(self.app)
        self.stack.query("UPDATE authorization_code SET expires_at = 1 WHERE consumed_at IS NULL")
        self.stack.restart()
        self.assert_refused(self.redeem(self.app, arrived["code"]), "invalid_grant")

    def test_refresh(self):
        tokens = self.sign_in(self.app, scope="openid profile offline_access")
        for _ in range(2):
            renewed = self.post(self.app, "token", grant_type="refresh_token", refresh_token=tokens["refresh_token"])
            self.assertEqual((renewed.status, renewed.json["token_type"]), (200, "DPoP"), renewed.text)
            # It goes on as it is (FAPI 2.0 §5.3.2.1).
            self.assertIn(renewed.json.get("refresh_token"), (None, tokens["refresh_token"]))
        self.assert_refused(
            self.post(self.second, "token", grant_type="refresh_token", refresh_token=tokens["refresh_token"]), "invalid_grant")

    def test_assertions(self):
        now, rsa = int(time.time()), RSAKey.generate_key(2048)
        file = self.file("rsa.json", json.dumps({"keys": [{**rsa.as_dict(private=False), "kid": "1", "use": "sig"}]}))
        signer, _ = self.register(
            "--profile", "fapi2", "--authentication", "private_key_jwt", "--jwks", file, "--dpop", scopes=["openid"])
        for endpoint in ("token", "pushed_authorization_request"):
            for name, assertion in {
                "another's id": self.assertion(self.app, iss=self.second.id, sub=self.second.id), "missing": NOWHERE,
                "ended": self.assertion(self.app, exp=now - 300), "no sub": self.assertion(self.app, sub=NOWHERE),
                "aud": self.assertion(self.app, aud="https://other.example"), "an array": self.assertion(self.app, aud=[self.issuer]),
                "the endpoint": self.assertion(self.app, aud=self.url(endpoint)),
                "the token endpoint": self.assertion(self.app, aud=self.url("token")),
                "iat and nbf a minute ahead": self.assertion(self.app, iat=now + 90, nbf=now + 90, exp=now + 200),
                "another's key": self.assertion(self.app, key=self.second.key)}.items():
                with self.subTest(f"{endpoint} {name}"):
                    form = self.parameters_of(self.app) if "pushed" in endpoint else {"grant_type": "client_credentials"}
                    refused = self.post(self.app, endpoint, assertion=assertion, **form)
                    if name == "missing":
                        form["client_assertion_type"] = NOWHERE
                        refused = self.post(self.app, endpoint, assertion=NOWHERE, **form)
                    self.assert_refused(refused, "invalid_client", "invalid_request")
            signed = self.assertion(type(self.app)(signer, key=rsa), {"alg": "RS256"})
            answer = self.post(type(self.app)(signer, key=rsa), endpoint, assertion=signed, proof=False, grant_type="x")
            self.assert_refused(answer, "invalid_client")
        ahead = self.assertion(self.app, iat=int(time.time()) + 8, nbf=int(time.time()) + 8)
        self.assertEqual(self.push(self.app, assertion=ahead).status, 201)


if __name__ == "__main__":
    unittest.main()
