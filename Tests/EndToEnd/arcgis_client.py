"""The requests that existing ArcGIS clients send, call by call: order, fields, headers and slashes as they were recorded of
the ArcGIS API for Python and ArcGIS REST JS, and what they read in the answers."""

import base64
import hashlib
import json
import secrets
import urllib.parse

from stack import Browser


class ArcGISClient:
    """An app that knows nothing but the address of its portal: `portal` is our URL, with the connection's name or alone."""

    def __init__(self, portal, client_id=None, secret=None, referer=None, certificate=None):
        self.portal = portal
        self.client_id = client_id
        self.secret = secret
        self.referer = referer
        self.certificate = certificate
        self.token = None

    def send(self, method, path, form=None, headers=None):
        """`path` is relative to the portal, or an absolute URL."""
        url = path if path.startswith("http") else self.portal + path
        headers = {**({"Referer": self.referer} if self.referer is not None else {}), **(headers or {})}
        body = None
        if form is not None:
            body = urllib.parse.urlencode(form)
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        return Browser(self.certificate).request(method, url, body, headers)

    def get(self, path, **query):
        joint = "&" if "?" in path else "?"
        return self.send("GET", path + joint + urllib.parse.urlencode({"f": "json", **query}))

    def post(self, path, **form):
        return self.send("POST", path, {"f": "json", **form})

    def with_header(self, path, **query):
        """As the API for Python calls: the token in the header of Esri's own, never in the URL."""
        return self.send(
            "GET", path + "?" + urllib.parse.urlencode({"f": "json", **query}), headers=self.esri_header)

    @property
    def esri_header(self):
        return {"X-Esri-Authorization": f"Bearer {self.token}"}

    # Signing a person in, by code and PKCE.

    def authorize_url(self, redirect_uri, **parameters):
        self.redirect_uri = redirect_uri
        self.verifier = secrets.token_urlsafe(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")
        self.state = json.dumps({"id": secrets.token_hex(4), "originalUrl": "http://localhost:9999/?a=b&c=d"})
        query = {
            "client_id": self.client_id, "response_type": "code", "expiration": 20160, "redirect_uri": redirect_uri,
            "state": self.state, "locale": "", "style": "", "code_challenge_method": "S256", "code_challenge": challenge,
            **parameters}
        return f"{self.portal}/sharing/rest/oauth2/authorize?{urllib.parse.urlencode(query)}"

    def redeem(self, code, origin=None):
        """`origin` is that of the page which the app is, if it runs in a browser."""
        answer = self.send("POST", "/sharing/rest/oauth2/token", {
            "f": "json", "client_id": self.client_id, "grant_type": "authorization_code", "code": code,
            "redirect_uri": self.redirect_uri, "code_verifier": self.verifier}, {"Origin": origin} if origin else {})
        self.token = answer.json.get("access_token")
        self.refresh_token = answer.json.get("refresh_token")
        return answer
