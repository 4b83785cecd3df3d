"""joserfc, unchanged, as the judge of every signed token that Gatehouse makes, and as the maker of those that it must refuse."""

import base64
import hashlib
import json
import secrets
import time
import unittest
import urllib.parse

import forged_tokens as forged
from counterpart import Counterpart
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OctKey, OKPKey, RSAKey
from stack import CALLBACK, Elsewhere, until

ALGORITHMS = ("RS256", "PS256", "ES256", "EdDSA")
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


def half_hash(text, algorithm):
    """`at_hash`: the left half of the digest, by the hash of the signature's algorithm (Core §3.1.3.6)."""
    digest = (hashlib.sha512 if algorithm == "EdDSA" else hashlib.sha256)(text.encode()).digest()
    return forged.encoded(digest[:len(digest) // 2])


class Joserfc(Counterpart):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.jwks = cls.stack.browser().get(cls.metadata["jwks_uri"]).json
        cls.keys = KeySet.import_key_set(cls.jwks)

    def verified(self, token, algorithm, type, **claims):
        """The claims of a token, when joserfc finds nothing wrong with it."""
        read = jwt.decode(token, self.keys, algorithms=[algorithm])
        self.assertEqual((read.header["alg"], read.header.get("typ", "JWT")), (algorithm, type))
        self.assertIn(read.header["kid"], [key["kid"] for key in self.jwks["keys"]])
        wanted = {name: {"essential": True, "value": value} for name, value in claims.items()}
        jwt.JWTClaimsRegistry(iss={"essential": True, "value": self.issuer}, exp={"essential": True}, **wanted).validate(read.claims)
        return read.claims

    def sign_in(self, client, scope, browser=None):
        verifier = secrets.token_urlsafe(32)
        challenge = forged.encoded(hashlib.sha256(verifier.encode()).digest())
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": client[0], "redirect_uri": CALLBACK, "scope": scope, "nonce": "n-1",
            "code_challenge": challenge, "code_challenge_method": "S256"})
        code = self.parameters(self.visit(f"{self.metadata['authorization_endpoint']}?{query}", browser))["code"]
        answer = self.post(
            "token", client, grant_type="authorization_code", code=code, redirect_uri=CALLBACK, code_verifier=verifier)
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def post(self, endpoint, client=None, headers=(), **form):
        headers = dict(headers)
        if client:
            headers["Authorization"] = "Basic " + base64.b64encode(":".join(client).encode()).decode()
        return Elsewhere(self.authority).post(f"{self.issuer}/oauth2/{endpoint}", form, headers=headers)

    def get(self, path, authorization, **headers):
        return Elsewhere(self.authority).get(self.issuer + path, headers={"Authorization": authorization, **headers})

    def assert_alive(self):
        self.assertEqual(self.stack.browser().get(f"{self.issuer}/health/ready").status, 200)

    # What Gatehouse makes.

    def test_the_keys(self):
        self.assertEqual(sorted(key["alg"] for key in self.jwks["keys"]), sorted(ALGORITHMS))
        self.assertEqual(len({key["kid"] for key in self.jwks["keys"]}), len(self.jwks["keys"]))
        for key in self.keys:
            self.assertFalse(key.is_private)

    def test_every_id_token_and_access_token(self):
        for algorithm in ALGORITHMS:
            with self.subTest(algorithm):
                client = self.register(
                    "--id-token-algorithm", algorithm, scopes=["openid", "profile", "offline_access"])
                tokens = self.sign_in(client, "openid profile offline_access")
                access = self.verified(tokens["access_token"], "ES256", "at+jwt", aud=self.issuer, client_id=client[0])
                identity = self.verified(tokens["id_token"], algorithm, "JWT", aud=client[0], nonce="n-1", sub=access["sub"])
                self.assertEqual(identity["at_hash"], half_hash(tokens["access_token"], algorithm))
                answer = self.post("token", client, grant_type="refresh_token", refresh_token=tokens["refresh_token"])
                again = self.verified(answer.json["id_token"], algorithm, "JWT", aud=client[0], sub=access["sub"])
                self.assertEqual(again["auth_time"], identity["auth_time"])
        client = self.register(grants=["client_credentials"])
        own = self.verified(
            self.post("token", client, grant_type="client_credentials").json["access_token"], "ES256", "at+jwt",
            client_id=client[0])
        self.assertNotEqual(own["sub"], access["sub"])

    def test_a_logout_token(self):
        place, received = self.receive()
        client = self.register(
            "--backchannel-logout-uri", place, "--backchannel-logout-session",
            grants=["authorization_code"], scopes=["openid"])
        browser = self.stack.browser()
        self.stack.sign_in(browser, "bo")
        tokens = self.sign_in(client, "openid", browser)
        self.stack.sign_out(browser)
        self.assertTrue(until(lambda: received))
        token = urllib.parse.parse_qs(received[0])["logout_token"][0]
        identity = jwt.decode(tokens["id_token"], self.keys, algorithms=["RS256"]).claims
        claims = self.verified(token, "RS256", "logout+jwt", aud=client[0], sub=identity["sub"], sid=identity["sid"])
        self.assertIn("http://schemas.openid.net/event/backchannel-logout", claims["events"])
        self.assertNotIn("nonce", claims)
        # It is no access token, whoever signed it.
        self.assertEqual(self.get("/oauth2/userinfo", f"Bearer {token}").status, 401)

    # What it must refuse.

    def forgeries(self, token):
        """Forged copies of a token of ours, by somebody who knows all that is public."""
        header, claims = forged.parts(token)
        public = next(key for key in self.keys if key.as_dict(private=False)["kid"] == header["kid"])
        yield from forged.by_public_key(header, claims, public)
        yield from forged.unsigned(header, claims)
        yield from forged.foreign(header, claims, header["alg"])
        yield from forged.tampered(token)

    def test_forged_access_tokens_open_nothing(self):
        client = self.register(
            "--connection", "demo", grants=["authorization_code", "token-exchange"], scopes=["openid", "vend"])
        tokens = self.sign_in_with_connection(client)
        good, identity = tokens["access_token"], tokens["id_token"]
        self.assertEqual(self.get("/oauth2/userinfo", f"Bearer {good}").status, 200)
        self.assertTrue(self.post("introspect", client, token=good).json["active"])
        self.assertEqual(self.exchange(client, good).status, 200)
        before = self.stack.counters()
        tries = [*self.forgeries(good), ("an ID token", identity)]
        self.assertGreater(len(tries), 30)
        for name, token in tries:
            with self.subTest(name):
                answer = self.get("/oauth2/userinfo", f"Bearer {token}")
                # What is no token68 at all is a malformed request (RFC 6750 §3.1).
                self.assertIn((answer.status, answer.json["error"]), [(401, "invalid_token"), (400, "invalid_request")])
                vended = self.get(f"/v1/token?resource={urllib.parse.quote(self.stack.layer)}", f"Bearer {token}")
                self.assertEqual((vended.status, vended.json["error"]), (answer.status, answer.json["error"]))
                told = self.post("introspect", client, token=token)
                self.assertEqual((told.status, told.json), (200, {"active": False}))
                refused = self.exchange(client, token)
                self.assertEqual((refused.status, refused.json["error"]), (400, "invalid_request"))
        self.assertEqual(self.stack.counters(), before)
        self.assert_alive()

    def exchange(self, client, token):
        return self.post(
            "token", client, grant_type="urn:ietf:params:oauth:grant-type:token-exchange", subject_token=token,
            subject_token_type="urn:ietf:params:oauth:token-type:access_token", resource=self.stack.layer)

    def sign_in_with_connection(self, client):
        verifier = secrets.token_urlsafe(32)
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": client[0], "redirect_uri": CALLBACK, "scope": "openid vend",
            "code_challenge": forged.encoded(hashlib.sha256(verifier.encode()).digest()), "code_challenge_method": "S256"})
        page = self.browser.follow(self.browser.get(f"{self.metadata['authorization_endpoint']}?{query}"))
        page = self.browser.follow(self.browser.post(f"{self.issuer}/consent", {
            **page.fields(), "answer": "allow", "connection": "demo"}))
        answer = self.post(
            "token", client, grant_type="authorization_code", code=page.query["code"], redirect_uri=CALLBACK,
            code_verifier=verifier)
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def test_forged_client_assertions_authenticate_nobody(self):
        key = ECKey.generate_key("P-256")
        other = RSAKey.generate_key(2048)
        public = [
            {**one.as_dict(private=False), "kid": name, "alg": name, "use": "sig"}
            for one, name in ((key, "ES256"), (other, "PS256"))]
        id, _ = self.register(
            "--authentication", "private_key_jwt", "--jwks", self.file("keys.json", json.dumps({"keys": public})),
            grants=["client_credentials"])

        def claims(**more):
            now = int(time.time())
            return {
                "iss": id, "sub": id, "aud": self.issuer, "iat": now, "exp": now + 240, "jti": secrets.token_hex(16), **more}

        def answer(assertion, endpoint="token"):
            return self.post(
                endpoint, grant_type="client_credentials", token="x", client_id=id, client_assertion_type=ASSERTION,
                client_assertion=assertion)

        header = {"alg": "ES256", "kid": "ES256", "typ": "JWT"}
        self.assertEqual(answer(forged.compact(header, claims(), key)).status, 200)
        read = ECKey.import_key(public[0])
        tries = [
            *forged.by_public_key(header, claims(), read), *forged.unsigned(header, claims()),
            *forged.extended(header, claims(), key), *forged.foreign(header, claims(), "ES256"),
            *forged.tampered(forged.compact(header, claims(), key)),
            ("jwk beside the right key", forged.compact({**header, "jwk": public[0]}, claims(), key)),
            ("the key of another algorithm", forged.compact({**header, "kid": "PS256"}, claims(), key)),
            ("a key with another algorithm", forged.compact({"alg": "RS256", "kid": "PS256", "typ": "JWT"}, claims(), other)),
            *((f"typ {type}", forged.compact({**header, "typ": type}, claims(), key))
              for type in ("at+jwt", "dpop+jwt", "logout+jwt", "JOSE", "JWTX", "")),
            *((f"{name} {value}", forged.compact(header, claims(**{name: value}), key)) for name, value in [
                ("aud", [self.issuer]), ("aud", self.issuer + "/"), ("aud", self.metadata["token_endpoint"]),
                ("aud", self.issuer.upper()), ("iss", "another"), ("sub", "another"), ("exp", int(time.time()) - 1),
                ("exp", int(time.time()) + 3600), ("exp", "soon"), ("exp", None), ("exp", 1e300), ("iat", int(time.time()) + 120),
                ("nbf", int(time.time()) + 120), ("jti", ""), ("jti", 7), ("jti", "j" * 300)]),
            *((f"without {name}", forged.compact(
                header, {one: value for one, value in claims().items() if one != name}, key))
              for name in ("iss", "sub", "aud", "exp", "jti")),
        ]
        for name, assertion in tries:
            with self.subTest(name):
                refused = answer(assertion)
                self.assertEqual((refused.status, refused.json["error"]), (400, "invalid_client"), refused.text)
                # At introspection whoever has not authenticated is told so by the status (RFC 7662 §2.3).
                refused = answer(assertion, "introspect")
                self.assertEqual((refused.status, refused.json["error"]), (401, "invalid_client"))
        # One that counts counts once, wherever it is shown again.
        once = forged.compact(header, claims(), key)
        self.assertEqual(answer(once).status, 200)
        for endpoint in ("token", "introspect", "revoke", "par"):
            again = answer(once, endpoint).json
            self.assertEqual(again["error"], "invalid_client")
            self.assertIn("jti was used before", again["error_description"])
        # Whoever holds the key learns what to mend, and nobody else does.
        self.assertIn(f"aud is not {self.issuer}, as a string", answer(
            forged.compact(header, claims(aud=self.issuer + "/"), key)).json["error_description"])
        self.assertNotIn("aud", answer(
            forged.compact(header, claims(aud=self.issuer + "/"), ECKey.generate_key("P-256"))).json["error_description"])
        self.assert_alive()

    def test_forged_proofs_of_a_key_bind_nothing(self):
        client = self.register("--dpop", grants=["authorization_code", "client_credentials"], scopes=["openid"])
        url = self.metadata["token_endpoint"]
        key = ECKey.generate_key("P-256")
        public = key.as_dict(private=False)

        def claims(target=url, method="POST", **more):
            return {"jti": secrets.token_hex(16), "htm": method, "htu": target, "iat": int(time.time()), **more}

        def answer(proof):
            return self.post("token", client, {"DPoP": proof}, grant_type="client_credentials")

        header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": public}
        bound = answer(forged.compact(header, claims(), key))
        self.assertEqual((bound.status, bound.json["token_type"]), (200, "DPoP"), bound.text)
        ed = OKPKey.generate_key("Ed25519")
        self.assertEqual(answer(forged.compact(
            {"typ": "dpop+jwt", "alg": "EdDSA", "jwk": ed.as_dict(private=False)}, claims(), ed)).status, 200)
        tries = [
            *forged.by_public_key(header, claims(), key), *forged.unsigned(header, claims()),
            *forged.extended(header, claims(), key), *forged.tampered(forged.compact(header, claims(), key)),
            ("signed by another key", forged.compact(header, claims(), ECKey.generate_key("P-256"))),
            ("a private key in jwk", forged.compact({**header, "jwk": key.as_dict(private=True)}, claims(), key)),
            ("a secret in jwk", forged.compact(
                {**header, "alg": "HS256", "jwk": {"kty": "oct", "k": forged.encoded("k" * 32)}}, claims(),
                OctKey.import_key("k" * 32))),
            ("no jwk", forged.compact({"typ": "dpop+jwt", "alg": "ES256"}, claims(), key)),
            ("kid instead of jwk", forged.compact({"typ": "dpop+jwt", "alg": "ES256", "kid": "1"}, claims(), key)),
            ("jwk of another curve", forged.compact({**header, "jwk": {**public, "crv": "P-384"}}, claims(), key)),
            ("jwk off the curve", forged.compact({**header, "jwk": {**public, "y": public["x"]}}, claims(), key)),
            *((f"typ {type}", forged.compact({**header, "typ": type}, claims(), key))
              for type in ("JWT", "at+jwt", "dpop", "")),
            *((f"{name} {str(value)[:40]}", forged.compact(header, claims(**{name: value}), key)) for name, value in [
                ("htm", "GET"), ("htm", "post"), ("htu", self.issuer), ("htu", url + "/"), ("htu", "x"), ("htu", url.upper()),
                ("htu", url.replace("https", "http")), ("iat", int(time.time()) - 120), ("iat", int(time.time()) + 120),
                ("iat", "now"), ("iat", 1e300), ("jti", ""), ("jti", 7), ("jti", "j" * 300), ("exp", int(time.time()) - 1),
                ("nbf", int(time.time()) + 120)]),
            *((f"without {name}", forged.compact(
                header, {one: value for one, value in claims().items() if one != name}, key))
              for name in ("htm", "htu", "iat", "jti")),
        ]
        for name, proof in tries:
            with self.subTest(name):
                refused = answer(proof)
                self.assertEqual((refused.status, refused.json["error"]), (400, "invalid_dpop_proof"), refused.text)
        # A proof counts once, and for a token only with that token's hash.
        once = forged.compact(header, claims(), key)
        self.assertEqual(answer(once).status, 200)
        self.assertEqual(answer(once).json["error"], "invalid_dpop_proof")
        token = bound.json["access_token"]
        where = self.metadata["userinfo_endpoint"]
        right = forged.encoded(hashlib.sha256(token.encode()).digest())

        def called(**more):
            return self.get(
                "/oauth2/userinfo", f"DPoP {token}", DPoP=forged.compact(header, claims(where, "GET", **more), key))

        # The token is the app's own and tells of nobody; but it is taken.
        self.assertEqual(called(ath=right).json["error"], "insufficient_scope")
        for ath in ({}, {"ath": right[:-1]}, {"ath": hashlib.sha256(token.encode()).hexdigest()}, {"ath": right + "="}):
            refused = called(**ath)
            self.assertEqual((refused.status, refused.json["error"]), (401, "invalid_dpop_proof"))
        self.assert_alive()


if __name__ == "__main__":
    unittest.main()
