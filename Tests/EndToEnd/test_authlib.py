"""Apps that use Authlib, unchanged: signing people in, refreshing, asking about tokens, ending them, and keys instead of secrets."""

import json
import time
import unittest

from authlib.integrations.base_client import OAuthError
from authlib.integrations.base_client.sync_app import BaseApp, OAuth2Mixin
from authlib.integrations.base_client.sync_openid import OpenIDMixin
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from counterpart import Counterpart
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OKPKey, RSAKey
from stack import CALLBACK


class App(OAuth2Mixin, OpenIDMixin, BaseApp):
    """What Authlib's integrations for web frameworks are made of."""

    client_cls = OAuth2Session


class Authlib(Counterpart):
    def app(self, client, scope="openid profile", **more):
        return App(
            None, client_id=client[0], client_secret=client[1], server_metadata_url=self.metadata_url,
            client_kwargs={"scope": scope, "code_challenge_method": "S256", **more})

    def sign_in(self, app, browser=None):
        """The tokens, and the nonce that was asked for."""
        begun = app.create_authorization_url(CALLBACK)
        arrived = self.visit(begun["url"], browser)
        self.assertEqual(self.parameters(arrived)["iss"], self.issuer)
        tokens = app.fetch_access_token(
            CALLBACK, authorization_response=arrived, state=begun["state"], code_verifier=begun["code_verifier"])
        return tokens, begun["nonce"]

    def session(self, client, **more):
        return OAuth2Session(*client, token_endpoint=self.metadata["token_endpoint"], **more)

    def test_code_with_pkce_and_an_id_token_of_each_algorithm(self):
        for algorithm in ("RS256", "PS256", "ES256", "EdDSA"):
            with self.subTest(algorithm):
                app = self.app(self.register(
                    "--id-token-algorithm", algorithm, grants=["authorization_code"], scopes=["openid", "profile"]))
                tokens, nonce = self.sign_in(app)
                person = app.parse_id_token(tokens, nonce)
                self.assertEqual(person["iss"], self.issuer)
                self.assertEqual(person["nonce"], nonce)
                known = app.userinfo(token=tokens)
                self.assertEqual((known["sub"], known["name"]), (person["sub"], "ana"))
                with self.assertRaises(JoseError):
                    app.parse_id_token(tokens, "another nonce")

    def test_refresh_by_itself_when_the_access_token_has_ended(self):
        app = self.app(
            self.register(scopes=["openid", "offline_access"]), "openid offline_access")
        tokens, nonce = self.sign_in(app)
        renewed = []
        session = self.session(
            (app.client_id, app.client_secret), token={**tokens, "expires_at": time.time() - 1},
            update_token=lambda token, **_: renewed.append(token))
        answer = session.get(self.metadata["userinfo_endpoint"])
        self.assertEqual(answer.status_code, 200, answer.text)
        self.assertEqual(len(renewed), 1)
        self.assertNotEqual(renewed[0]["refresh_token"], tokens["refresh_token"])
        # The refreshed ID token is of the same person and repeats no nonce.
        again = app.parse_id_token(renewed[0], None)
        self.assertEqual(again["sub"], app.parse_id_token(tokens, nonce)["sub"])
        self.assertNotIn("nonce", again)
        # The former refresh token came back long after: all that came of it ends.
        self.stack.query("UPDATE refresh_chain SET rotated_at = rotated_at - 3600")
        self.stack.restart()
        with self.assertRaises(OAuthError) as refused:
            session.refresh_token(refresh_token=tokens["refresh_token"])
        self.assertEqual(refused.exception.error, "invalid_grant")
        self.assertEqual(session.get(self.metadata["userinfo_endpoint"]).status_code, 401)

    def test_introspection_and_revocation(self):
        app = self.app(self.register(scopes=["openid", "offline_access"]), "openid offline_access")
        tokens, _ = self.sign_in(app)
        session = self.session((app.client_id, app.client_secret), token=tokens)

        def active(token):
            answer = session.introspect_token(self.metadata["introspection_endpoint"], token=token)
            self.assertEqual(answer.status_code, 200)
            return answer.json()

        for name in ("access_token", "refresh_token"):
            known = active(tokens[name])
            self.assertEqual((known["active"], known["client_id"]), (True, app.client_id), name)
        answer = session.revoke_token(
            self.metadata["revocation_endpoint"], token=tokens["refresh_token"], token_type_hint="refresh_token")
        self.assertEqual((answer.status_code, answer.text), (200, ""))
        for name in ("access_token", "refresh_token"):
            self.assertEqual(active(tokens[name]), {"active": False}, name)

    def test_secrets_in_the_header_and_in_the_form(self):
        for method in ("client_secret_basic", "client_secret_post"):
            with self.subTest(method):
                client = self.register("--authentication", method, grants=["client_credentials"])
                session = self.session(client, token_endpoint_auth_method=method, scope=None)
                token = session.fetch_token(grant_type="client_credentials")
                self.assertEqual(token["token_type"], "Bearer")
                other = {"client_secret_basic": "client_secret_post", "client_secret_post": "client_secret_basic"}[method]
                with self.assertRaises(OAuthError) as refused:
                    self.session(client, token_endpoint_auth_method=other).fetch_token(grant_type="client_credentials")
                self.assertEqual(refused.exception.error, "invalid_client")

    def test_a_key_instead_of_a_secret(self):
        keys = {
            "ES256": ECKey.generate_key("P-256"), "PS256": RSAKey.generate_key(2048), "RS256": RSAKey.generate_key(2048),
            "EdDSA": OKPKey.generate_key("Ed25519")}
        for algorithm, key in keys.items():
            with self.subTest(algorithm):
                public = {**key.as_dict(private=False), "kid": algorithm, "alg": algorithm, "use": "sig"}
                file = self.file(f"{algorithm}.json", json.dumps({"keys": [public]}))
                id, _ = self.register(
                    "--authentication", "private_key_jwt", "--jwks", file, grants=["client_credentials"])

                def token(audience, life):
                    session = self.session((id, key), token_endpoint_auth_method="private_key_jwt")
                    session.register_client_auth_method(PrivateKeyJWT(
                        audience, {"exp": int(time.time()) + life}, {"kid": algorithm}, algorithm))
                    return session.fetch_token(grant_type="client_credentials")

                self.assertEqual(token(self.issuer, 240)["token_type"], "Bearer")
                # An hour, which is what Authlib says by itself, and a token endpoint as the audience are refused.
                for audience, life in ((self.issuer, 3600), (self.metadata["token_endpoint"], 240)):
                    with self.assertRaises(OAuthError) as refused:
                        token(audience, life)
                    self.assertEqual(refused.exception.error, "invalid_client")

    def test_a_public_app_on_this_machine(self):
        client = self.register(type="public", grants=["authorization_code"], scopes=["openid", "profile"])
        app = self.app(client, token_endpoint_auth_method="none")
        tokens, nonce = self.sign_in(app)
        self.assertIn("sub", app.parse_id_token(tokens, nonce))

    def test_signing_out_at_the_app(self):
        client = self.register(
            "--post-logout-redirect-uri", "http://localhost:9999/bye", grants=["authorization_code"],
            scopes=["openid", "profile"])
        app, browser = self.app(client), self.stack.browser()
        self.stack.sign_in(browser, "bo")
        tokens, _ = self.sign_in(app, browser)
        begun = app.create_logout_url("http://localhost:9999/bye", tokens["id_token"])
        answer = browser.follow(browser.get(begun["url"]))
        self.assertEqual(answer.location, f"http://localhost:9999/bye?state={begun['state']}")
        self.assertEqual(browser.get(f"{self.issuer}/account").location, "/signin")


if __name__ == "__main__":
    unittest.main()
