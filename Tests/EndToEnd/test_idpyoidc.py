"""An app that uses idpyoidc, unchanged: it finds the provider, signs people in with PKCE, asks about them and signs them out.

Two of its add-ons speak another language than the standards. Pushed requests wrap everything in a request object and take 201,
which RFC 9126 §2.2 demands, for a failure; proofs of a DPoP key carry `ath` in hexadecimal, where RFC 9449 §4.2 has base64url.
"""

import logging
import unittest

from counterpart import Counterpart
from idpyoidc.client.defaults import DEFAULT_OIDC_SERVICES
from idpyoidc.client.rp_handler import RPHandler
from stack import CALLBACK

PKCE = {
    "pkce": {
        "function": "idpyoidc.client.oauth2.add_on.pkce.add_support",
        "kwargs": {"code_challenge_length": 64, "code_challenge_method": "S256"}}}
DPOP = {
    "dpop": {
        "function": "idpyoidc.client.oauth2.add_on.dpop.add_support",
        "kwargs": {"dpop_signing_alg_values_supported": ["ES256"], "with_dpop_header": ["accesstoken"]}}}
# In memory: by itself it writes them into the current directory.
KEYS = {"key_defs": [{"type": "EC", "crv": "P-256", "use": ["sig"]}]}
# It complains of answers that are as they should be.
logging.getLogger("idpyoidc").setLevel(logging.CRITICAL)
AFTER = "http://localhost:9999/bye"


class Idpyoidc(Counterpart):
    def handler(self, client, scope=("openid", "profile"), add_ons=PKCE):
        names = {**DEFAULT_OIDC_SERVICES, "end_session": {"class": "idpyoidc.client.oidc.end_session.EndSession"}}
        return RPHandler(
            "http://localhost:9999",
            client_configs={self.issuer: {
                "issuer": self.issuer, "client_type": "oidc", "client_id": client[0], "client_secret": client[1],
                "key_conf": KEYS, "client_authn_methods": ["client_secret_basic", "bearer_header"], "redirect_uris": [CALLBACK], "base_url": "http://localhost:9999",
                "preference": {
                    "response_types_supported": ["code"], "scopes_supported": list(scope),
                    "token_endpoint_auth_methods_supported": ["client_secret_basic"],
                    "post_logout_redirect_uris": [AFTER]},
                "add_ons": add_ons, "services": names}},
            services=names, key_conf=KEYS)

    def sign_in(self, handler, browser=None):
        arrived = self.visit(handler.begin(self.issuer), browser)
        done = handler.finalize(self.issuer, self.parameters(arrived))
        self.assertNotIn("error", done)
        return done

    def test_signing_in_and_refreshing(self):
        handler = self.handler(
            self.register(scopes=["openid", "profile", "offline_access"]), ["openid", "profile", "offline_access"])
        done = self.sign_in(handler)
        self.assertEqual(done["issuer"], self.issuer)
        self.assertEqual(done["id_token"]["iss"], self.issuer)
        self.assertEqual((done["userinfo"]["sub"], done["userinfo"]["name"]), (done["id_token"]["sub"], "ana"))
        self.assertTrue(handler.has_active_authentication(done["state"]))
        renewed = handler.refresh_access_token(done["state"])
        self.assertNotEqual(renewed["access_token"], done["token"])
        known = handler.issuer2rp[self.issuer].get_user_info(done["state"], renewed["access_token"])
        self.assertEqual(known["sub"], done["userinfo"]["sub"])

    def test_signing_out_at_the_app(self):
        client = self.register(
            "--post-logout-redirect-uri", AFTER, grants=["authorization_code"], scopes=["openid", "profile"])
        handler, browser = self.handler(client), self.stack.browser()
        self.stack.sign_in(browser, "bo")
        done = self.sign_in(handler, browser)
        request = handler.logout(done["state"], post_logout_redirect_uri=AFTER)
        answer = browser.follow(browser.get(request["url"]))
        self.assertTrue(answer.location.startswith(f"{AFTER}?state="), answer.location)
        self.assertEqual(browser.get(f"{self.issuer}/account").location, "/signin")

    def test_tokens_bound_to_a_key(self):
        client = self.register("--dpop", grants=["authorization_code"], scopes=["openid", "profile"])
        handler = self.handler(client, add_ons={**PKCE, **DPOP})
        arrived = self.visit(handler.begin(self.issuer))
        rp = handler.issuer2rp[self.issuer]
        answer = rp.finalize_auth(self.parameters(arrived))
        tokens = rp.get_tokens(answer["state"])
        self.assertEqual(tokens["token_type"], "DPoP")
        # Without the proof the token is worth nothing.
        refused = self.stack.browser().get(
            self.metadata["userinfo_endpoint"], headers={"Authorization": f"Bearer {tokens['access_token']}"})
        self.assertEqual((refused.status, refused.json["error"]), (401, "invalid_token"))


if __name__ == "__main__":
    unittest.main()
