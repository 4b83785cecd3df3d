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

    # Passwords typed into the app, as the API for Python and ArcGIS REST JS send them.

    OUT_OF_BAND = "urn:ietf:wg:oauth:2.0:oob"

    def generate_token(self, username, password, **more):
        """`GIS(…, use_gen_token=True)`; with other values of `referer` and `expiration` as ArcGIS REST JS asks."""
        answer = self.send("POST", "/sharing/rest/generateToken", {
            "username": username, "password": password, "client": "referer", "referer": "http", "expiration": 60,
            "f": "json", **more})
        self.token = answer.json.get("token")
        return answer

    @staticmethod
    def told(page):
        """The JSON between the only braces of a page, which stand on one line."""
        lines = [line for line in page.text.splitlines() if "{" in line or "}" in line]
        assert len(lines) == 1, page.text
        return json.loads(lines[0][lines[0].index("{"):lines[0].rindex("}") + 1])

    def authorize_page(self, **query):
        return self.send("GET", "/sharing/rest/oauth2/authorize?" + urllib.parse.urlencode(query))

    def built_in_query(self, **changes):
        origin = "/".join(self.portal.split("/")[:3])
        return {
            "response_type": "token", "client_id": "pythonapi", "redirect_uri": origin, "state": secrets.token_hex(8),
            "expiration": 600, "allow_verification": "false", "style": "dark", "locale": "en-US", **changes}

    def built_in(self, username, password):
        """`GIS(url, username, password)`: the implicit grant; gives the answer to the form, and the state that was sent."""
        query = self.built_in_query()
        for _ in range(2):
            page = self.authorize_page(**query)
        answer = self.send("POST", "/sharing/oauth2/signin", {
            "expiration": 600, "oauth_state": self.told(page)["oauth_state"], "username": username,
            "password": password})
        if answer.status == 302:
            given = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.location).fragment))
            self.token = given["access_token"]
        return answer, query["state"]

    def sign_in_to_page(self, page, username, password):
        """Sends the form of the page for a client of the app's own; the answer leads to the code."""
        return self.send("POST", "/sharing/rest/oauth2/signin", {
            "user_orgkey": "", "username": username, "password": password,
            "oauth_state": self.told(page)["oauth_state"]})

    def out_of_band(self, username, password):
        """`GIS(url, username, password, client_id=…)`: a code that is read from the title of a page."""
        page = self.authorize_page(
            client_id=self.client_id, response_type="code", expiration=-1, redirect_uri=self.OUT_OF_BAND,
            allow_verification="false")
        answer = self.sign_in_to_page(page, username, password)
        assert answer.status == 302 and "oauth2/approval" in answer.location, answer.text
        return self.read_code(self.send("GET", answer.location))

    @staticmethod
    def read_code(page):
        return page.text.split("<title>SUCCESS code=")[1].split("</title>")[0]

    def redeem_read_code(self, code, **more):
        answer = self.send("POST", "/sharing/rest/oauth2/token", {
            "grant_type": "authorization_code", "client_id": self.client_id, "code": code,
            "redirect_uri": self.OUT_OF_BAND, **more})
        self.token = answer.json.get("access_token")
        self.refresh_token = answer.json.get("refresh_token")
        return answer

    def with_proof_key(self, username, password):
        """`EsriPKCEAuth`: a fixed client, a verifier in hexadecimal, and the portal as the redirect URI."""
        verifier = secrets.token_hex(22)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        page = self.authorize_page(
            client_id="arcgisonline", redirect_uri=self.portal, response_type="code", code_challenge=challenge,
            code_challenge_method="S256", f="json", expiration=1440)
        state = page.text.split('"oauth_state":"')[1].split('"')[0]
        answer = self.send("POST", "/sharing/rest/oauth2/signin", {
            "oauth_state": state, "username": username, "password": password})
        code = answer.location.split("?code=")[1].split("&")[0]
        answer = self.send("POST", "/sharing/rest/oauth2/token", {
            "client_id": "arcgisonline", "grant_type": "authorization_code", "redirect_uri": self.portal,
            "code_verifier": verifier, "code": code})
        self.token = answer.json.get("access_token")
        return answer
