"""Apps that use oauthlib through requests-oauthlib, unchanged."""

import time
import unittest

from counterpart import Counterpart
from oauthlib.oauth2 import BackendApplicationClient, InvalidGrantError, MismatchingStateError
from requests_oauthlib import OAuth2Session
from stack import CALLBACK


class RequestsOAuthlib(Counterpart):
    def begin(self, client, scope, **more):
        """The session, and the address at which the person comes back."""
        session = OAuth2Session(client[0], scope=scope, redirect_uri=CALLBACK, pkce="S256", **more)
        url, _ = session.authorization_url(self.metadata["authorization_endpoint"])
        return session, self.visit(url)

    def redeem(self, session, client, arrived):
        return session.fetch_token(
            self.metadata["token_endpoint"], client_secret=client[1], authorization_response=self.over_https(arrived))

    @staticmethod
    def over_https(url):
        """oauthlib takes answers over https alone; these came to a port at which nobody listens."""
        return url.replace("http://", "https://", 1)

    def test_code_with_pkce_and_a_call(self):
        client = self.register(grants=["authorization_code"], scopes=["openid", "profile"])
        session, arrived = self.begin(client, ["openid", "profile"])
        token = self.redeem(session, client, arrived)
        self.assertEqual(set(token.scopes), {"openid", "profile"})
        self.assertEqual(session.get(self.metadata["userinfo_endpoint"]).json()["name"], "ana")
        # A code is used once.
        with self.assertRaises(InvalidGrantError):
            self.redeem(session, client, arrived)
        self.assertEqual(session.get(self.metadata["userinfo_endpoint"]).status_code, 401)

    def test_refresh_by_itself_when_the_access_token_has_ended(self):
        client = self.register(scopes=["openid", "profile", "offline_access"])
        renewed = []
        session, arrived = self.begin(
            client, ["openid", "profile", "offline_access"], auto_refresh_url=self.metadata["token_endpoint"],
            auto_refresh_kwargs={"client_id": client[0], "client_secret": client[1]}, token_updater=renewed.append)
        token = self.redeem(session, client, arrived)
        for round in range(3):
            session.token = {**(renewed[-1] if renewed else token), "expires_at": time.time() - 1}
            answer = session.get(self.metadata["userinfo_endpoint"])
            self.assertEqual((answer.status_code, len(renewed)), (200, round + 1), answer.text)
        self.assertEqual(len({one["refresh_token"] for one in [token, *renewed]}), 4)

    def test_an_answer_to_another_request_is_not_taken(self):
        client = self.register(grants=["authorization_code"], scopes=["openid"])
        session, arrived = self.begin(client, ["openid"])
        with self.assertRaises(MismatchingStateError):
            self.redeem(session, client, arrived.replace("state=", "state=x"))

    def test_a_token_for_the_app_itself(self):
        id, secret = self.register(grants=["client_credentials"])
        session = OAuth2Session(client=BackendApplicationClient(client_id=id))
        token = session.fetch_token(self.metadata["token_endpoint"], client_id=id, client_secret=secret)
        self.assertNotIn("refresh_token", token)
        self.assertEqual(session.get(self.metadata["userinfo_endpoint"]).status_code, 403)


if __name__ == "__main__":
    unittest.main()
