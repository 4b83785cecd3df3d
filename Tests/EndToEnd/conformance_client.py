"""An OpenID Connect client as the conformance suite plays one: every step by itself, so that each can be done wrong."""

import base64
import hashlib
import json
import secrets
import time
import urllib.parse

import forged_tokens as forged
from counterpart import Counterpart
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet
from stack import CALLBACK, Browser, Elsewhere

ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
NOWHERE = "a parameter that is left out"


class App:
    """A registered client with what it knows of itself; `key` instead of a secret for the profile fapi2."""

    def __init__(self, id, secret=None, key=None):
        self.id, self.secret, self.key = id, secret, key
        self.dpop = ECKey.generate_key("P-256") if key else None
        self.nonce = None


class ConformanceClient(Counterpart):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.keys = KeySet.import_key_set(cls.stack.browser().get(cls.metadata["jwks_uri"]).json)

    def url(self, endpoint):
        return self.metadata[endpoint + "_endpoint"]

    def basic_client(self, *options):
        return App(*self.register("--profile", "oidc-basic", *options, scopes=["openid", "profile", "offline_access"]))

    def fapi_client(self, *options):
        key = ECKey.generate_key("P-256")
        public = {**key.as_dict(private=False), "kid": "1", "alg": "ES256", "use": "sig"}
        file = self.file(f"{secrets.token_hex(4)}.json", json.dumps({"keys": [public]}))
        id, _ = self.register(
            "--profile", "fapi2", "--authentication", "private_key_jwt", "--jwks", file, "--dpop", *options,
            scopes=["openid", "profile", "offline_access"])
        return App(id, key=key)

    # What a client signs.

    def assertion(self, app, header=None, key=None, **changed):
        now = int(time.time())
        claims = {
            "iss": app.id, "sub": app.id, "aud": self.issuer, "iat": now, "exp": now + 60, "jti": secrets.token_hex(16), **changed}
        claims = {name: value for name, value in claims.items() if value is not NOWHERE}
        return forged.compact({"alg": "ES256", "kid": "1", **(header or {})}, claims, key or app.key)

    def proof(self, app, url, method="POST", token=None, key=None, header=None, **changed):
        key = key or app.dpop
        claims = {"jti": secrets.token_hex(16), "htm": method, "htu": url, "iat": int(time.time()), **changed}
        if token:
            claims.setdefault("ath", forged.encoded(hashlib.sha256(token.encode()).digest()))
        if app.nonce:
            claims.setdefault("nonce", app.nonce)
        claims = {name: value for name, value in claims.items() if value is not NOWHERE}
        return forged.compact({"typ": "dpop+jwt", "alg": "ES256", "jwk": key.as_dict(private=False), **(header or {})}, claims, key)

    # What it sends.

    def post(self, app, endpoint, proof=True, assertion=None, secret_in_form=False, **form):
        """Posts a form as `app` authenticates; with a nonce as soon as one is asked for."""
        url = self.url(endpoint)
        for _ in range(2):
            headers, sent = {}, {name: value for name, value in form.items() if value is not NOWHERE}
            if app.key:
                sent |= {
                    "client_id": app.id, "client_assertion_type": ASSERTION,
                    "client_assertion": self.assertion(app) if assertion is None else assertion}
                sent = {name: value for name, value in sent.items() if value is not NOWHERE}
            elif secret_in_form:
                sent |= {"client_id": app.id, "client_secret": app.secret}
            else:
                headers["Authorization"] = "Basic " + base64.b64encode(f"{app.id}:{app.secret}".encode()).decode()
            if app.key and proof:
                headers["DPoP"] = self.proof(app, url) if proof is True else proof()
            answer = Elsewhere(self.authority).post(url, sent, headers=headers)
            if answer.headers["DPoP-Nonce"]:
                app.nonce = answer.headers["DPoP-Nonce"]
            if answer.status == 200 or not answer.body or answer.json.get("error") != "use_dpop_nonce" or assertion is not None:
                break
        return answer

    def parameters_of(self, app, **changed):
        app.verifier = secrets.token_urlsafe(32)
        parameters = {
            "response_type": "code", "client_id": app.id, "redirect_uri": CALLBACK, "scope": "openid profile",
            "state": secrets.token_hex(8), "nonce": secrets.token_hex(8)}
        if app.key:
            parameters |= {
                "code_challenge": forged.encoded(hashlib.sha256(app.verifier.encode()).digest()), "code_challenge_method": "S256"}
        parameters |= changed
        return {name: value for name, value in parameters.items() if value is not NOWHERE}

    def push(self, app, proof=False, assertion=None, **changed):
        return self.post(app, "pushed_authorization_request", proof=proof, assertion=assertion, **self.parameters_of(app, **changed))

    def begin(self, app, **changed):
        """The address to which the client sends the browser."""
        if not app.key:
            app.asked = self.parameters_of(app, **changed)
            return self.url("authorization") + "?" + urllib.parse.urlencode(app.asked)
        pushed = self.push(app, **changed)
        self.assertEqual(pushed.status, 201, pushed.text)
        return self.opened(app, pushed.json["request_uri"])

    def opened(self, app, request_uri):
        return self.url("authorization") + "?" + urllib.parse.urlencode({"client_id": app.id, "request_uri": request_uri})

    def authorize(self, app, browser=None, **changed):
        """What arrives at the client once the person agreed."""
        return self.parameters(self.visit(self.begin(app, **changed), browser))

    def arrives(self, url, browser=None):
        """What arrives at the client without anybody being asked anything, or the page that comes instead."""
        browser = browser or self.browser
        answer = browser.follow(browser.get(url))
        return answer.query if answer.status in (302, 303) else answer

    def redeem(self, app, code, proof=True, assertion=None, secret_in_form=False, **changed):
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK}
        if app.key:
            form["code_verifier"] = app.verifier
        return self.post(app, "token", proof, assertion, secret_in_form, **{**form, **changed})

    def sign_in(self, app, browser=None, **changed):
        arrived = self.authorize(app, browser, **changed)
        self.assertEqual(arrived["iss"], self.issuer)
        answer = self.redeem(app, arrived["code"])
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def claims(self, tokens, algorithms=("RS256", "PS256", "ES256", "EdDSA")):
        read = jwt.decode(tokens["id_token"], self.keys, algorithms=list(algorithms))
        self.assertIn("kid", read.header)
        return read.claims

    def user_info(self, app, token, method="GET", scheme=None, key=None, **headers):
        scheme = scheme or ("DPoP" if app.key else "Bearer")
        for _ in range(2):
            sent = {"Authorization": f"{scheme} {token}", **headers}
            if app.key and "DPoP" not in sent:
                sent["DPoP"] = self.proof(app, self.url("userinfo"), method, token, key)
            answer = Browser(self.authority).request(method, self.url("userinfo"), headers=sent)
            if answer.headers["DPoP-Nonce"]:
                app.nonce = answer.headers["DPoP-Nonce"]
            if answer.status == 200 or "use_dpop_nonce" not in answer.text:
                break
        return answer

    def assert_refused(self, answer, *errors, status=400):
        self.assertEqual(answer.status, status, answer.text)
        self.assertIn(answer.json["error"], errors)

    def assert_page(self, answer):
        """An error page of ours: nothing arrives anywhere."""
        self.assertNotIsInstance(answer, dict)
        self.assertEqual((answer.status, answer.location), (400, None), answer.text[:500])
