"""Starts Debian's Glewlwyd, an OpenID provider written by others, on a free port of the loopback interface."""

import base64
import http.cookiejar
import json
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request

from stack import Browser, free_port, until

SCHEMA = pathlib.Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
WEB_ROOT = pathlib.Path("/usr/share/glewlwyd/webapp")
# Plain characters: Glewlwyd does not undo the encoding that RFC 6749 §2.3.1 asks for.
CLIENT = ("gatehouse", "a-secret-of-gatehouse.1")
USER = ("alice", "a password of alice")
ROOT_USER = ("admin", "password")
SCOPES = ["openid", "profile", "offline_access"]
LOGOUT = ("backchannel_logout_uri", "backchannel_logout_session_required")

CONFIGURATION = """
port={port}
bind_address="127.0.0.1"
external_url="{root}"
login_url="login.html"
api_prefix="api"
static_files_path="{directory}/webapp/"
allow_origin="*"
log_mode="file"
log_level="ERROR"
log_file="{directory}/glewlwyd.log"
cookie_secure=0
cookie_same_site="lax"
session_expiration=1440
session_key="GLEWLWYD2_SESSION_ID"
admin_session_authentication="cookie"
profile_session_authentication="cookie"
allow_multiple_user_per_session=true
login_api_enabled=true
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="/usr/lib/glewlwyd/user"
user_middleware_module_path="/usr/lib/glewlwyd/user_middleware"
client_module_path="/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
plugin_module_path="/usr/lib/glewlwyd/plugin"
hash_algorithm="SHA512"
database={{ type="sqlite3" path="{directory}/glewlwyd.db" }};
static_files_mime_types=(
  {{ extension=".html" mime_type="text/html" compress=0 }},
  {{ extension=".css" mime_type="text/css" compress=0 }},
  {{ extension=".js" mime_type="application/javascript" compress=0 }},
  {{ extension=".json" mime_type="application/json" compress=0 }},
  {{ extension=".png" mime_type="image/png" compress=0 }},
  {{ extension=".woff2" mime_type="font/woff2" compress=0 }}
)
"""


class Glewlwyd:
    """A provider with one user and one client, whose callback and place to return to after sign-out are given.

    With `for_apps` the client gets tokens for itself, too, and all are signed with a P-256 key. `logout_uri` is told when a
    session of the user ends.
    """

    def __init__(self, redirect_uri, signed_out_uri, access_seconds=3600, for_apps=False, logout_uri=None):
        self.for_apps = for_apps
        self.logout_uri = logout_uri
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-glewlwyd-"))
        self.port = free_port()
        # A host of its own: cookies know no ports, and Gatehouse is localhost.
        self.root = f"http://provider.localhost:{self.port}"
        self.issuer = self.root + "/api/oidc"
        opener = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(opener)
        self._prepare()
        self.start()
        try:
            self._configure(redirect_uri, signed_out_uri, access_seconds)
        except BaseException:
            self.close()
            raise

    def _prepare(self):
        database = sqlite3.connect(self.directory / "glewlwyd.db")
        database.executescript(SCHEMA.read_text())
        # The packaged data format lacks the properties that end_session reads.
        select = "SELECT gcmi_parameters FROM g_client_module_instance WHERE gcmi_name = 'database'"
        parameters = json.loads(database.execute(select).fetchone()[0])
        for name in ("post_logout_redirect_uris", *LOGOUT):
            parameters["data-format"][name] = {"multiple": name not in LOGOUT, "read": True, "write": True}
        database.execute(
            "UPDATE g_client_module_instance SET gcmi_parameters = ? WHERE gcmi_name = 'database'",
            (json.dumps(parameters),))
        database.commit()
        database.close()
        # A copy: links that lead out of the web root are refused, and the package is made of them.
        web = self.directory / "webapp"
        shutil.copytree(WEB_ROOT, web)
        if (web / "config.json").is_dir():
            text = (web / "config.json" / "config.json").read_text()
            shutil.rmtree(web / "config.json")
            (web / "config.json").write_text(text)
        (self.directory / "glewlwyd.conf").write_text(
            CONFIGURATION.format(port=self.port, root=self.root, directory=self.directory))
        key, public = self.directory / "key.pem", self.directory / "key.pub"
        curve = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
        kind = curve if self.for_apps else ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
        subprocess.run(["openssl", "genpkey", *kind, "-out", str(key)], check=True, capture_output=True)
        subprocess.run(
            ["openssl", "pkey", "-in", str(key), "-pubout", "-out", str(public)], check=True, capture_output=True)

    def start(self):
        with open(self.directory / "output.log", "ab") as log:
            self.process = subprocess.Popen(
                ["glewlwyd", "-c", str(self.directory / "glewlwyd.conf")], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log)

        def answers():
            try:
                return self.process.poll() is not None or self.api("GET", "/scope/")[0] in (200, 401)
            except OSError:
                return False

        until(answers, 15)
        assert self.process.poll() is None, (self.directory / "output.log").read_text()

    def api(self, method, path, body=None):
        """Calls Glewlwyd's own API; gives the status and the JSON or text."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api{path}", method=method,
            data=None if body is None else json.dumps(body).encode(), headers={"Content-Type": "application/json"})
        try:
            with self.opener.open(request, timeout=10) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text[:1] in (b"{", b"[") else text.decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def must(self, method, path, body=None):
        status, answer = self.api(method, path, body)
        assert status == 200, f"{method} {path}: {status} {answer}"
        return answer

    def _configure(self, redirect_uri, signed_out_uri, access_seconds):
        self.must("POST", "/auth/", {"username": ROOT_USER[0], "password": ROOT_USER[1]})
        self.must("POST", "/mod/plugin/", {
            "module": "oidc", "name": "oidc", "display_name": "Test", "enabled": True,
            "parameters": self._plugin(access_seconds)})
        for scope in SCOPES[1:]:
            self.must("POST", "/scope/", {
                "name": scope, "display_name": scope, "description": scope, "password_required": True, "scheme": {}})
        self.must("PUT", "/scope/openid", {
            "display_name": "OpenID", "description": "OpenID", "password_required": True, "scheme": {}})
        self.must("POST", "/user/?source=database", {
            "username": USER[0], "password": USER[1], "name": "Alice", "email": "alice@example.org", "enabled": True,
            "scope": [*SCOPES, "g_profile"]})
        self.must("POST", "/client/?source=database", {
            "client_id": CLIENT[0], "client_secret": CLIENT[1], "name": "Gatehouse", "confidential": True,
            "enabled": True, "redirect_uri": redirect_uri if isinstance(redirect_uri, list) else [redirect_uri], "post_logout_redirect_uris": [signed_out_uri],
            "authorization_type": ["code", "refresh_token", *(["client_credentials"] if self.for_apps else [])],
            "scope": SCOPES, "token_endpoint_auth_method": ["client_secret_basic"],
            **(dict(zip(LOGOUT, (self.logout_uri, "true"))) if self.logout_uri else {})})

    def _plugin(self, access_seconds):
        return {
            "iss": self.issuer, "jwt-type": "ecdsa" if self.for_apps else "rsa", "jwt-key-size": "256", "jwks-show": True,
            "key": (self.directory / "key.pem").read_text(), "cert": (self.directory / "key.pub").read_text(),
            "subject-type": "public", "allowed-scope": SCOPES, "code-duration": 60,
            "access-token-duration": access_seconds, "refresh-token-duration": 86400, "refresh-token-rolling": True,
            "refresh-token-one-use": "always", "auth-type-code-enabled": True, "auth-type-code-revoke-replayed": True,
            "auth-type-token-enabled": False, "auth-type-id-token-enabled": True, "auth-type-refresh-enabled": True,
            "auth-type-implicit-enabled": False, "auth-type-password-enabled": False,
            "auth-type-client-enabled": self.for_apps, "allow-non-oidc": self.for_apps, "auth-type-device-enabled": False,
            "pkce-allowed": True, "pkce-required": True, "pkce-method-plain-allowed": False,
            "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True,
            "session-management-allowed": True, "back-channel-logout-allowed": True, "session-cookie-name": "GLEWLWYD2_OIDC_SID",
            "session-cookie-expiration": 86400, "name-claim": "mandatory", "email-claim": "mandatory",
            "claims": [{
                "name": "preferred_username", "user-property": "username", "type": "string", "mandatory": True,
                "on-demand": False, "scope": []}],
        }

    # What a person does without a browser that runs scripts.

    def sign_in(self, browser, page_url):
        """Signs in by the API that Glewlwyd's page uses, allows the client, and goes on as the page would."""
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page_url).query))
        headers = {"Content-Type": "application/json"}
        answer = browser.post(
            self.root + "/api/auth/", json.dumps({"username": USER[0], "password": USER[1]}), headers=headers)
        assert answer.status == 200, answer.text
        granted = browser.request(
            "PUT", f"{self.root}/api/auth/grant/{CLIENT[0]}", json.dumps({"scope": query["scope"]}), headers)
        assert granted.status == 200, granted.text
        return browser.get(query["callback_url"] + "&g_continue")

    def end_session(self, browser, session):
        """Ends a session of this browser's user, as the page does to which the provider's end_session leads."""
        answer = browser.request("DELETE", f"{self.issuer}/session/{urllib.parse.quote(session, safe='')}/")
        assert answer.status == 200, f"{answer.status} {answer.text}"

    # What only the client may ask.

    def introspect(self, token, hint="access_token"):
        """Whether Glewlwyd holds a token for good."""
        pair = ":".join(CLIENT)
        answer = Browser().post(
            self.issuer + "/introspect", {"token": token, "token_type_hint": hint},
            headers={"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()})
        assert answer.status == 200, f"{answer.status} {answer.text}"
        return answer.json["active"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def close(self):
        self.stop()
        shutil.rmtree(self.directory)
