"""Starts the real programs on free ports of the loopback interface, and talks to them as apps and browsers do.

`GATEHOUSE_BIN` names the directory of the programs under test, `GATEHOUSE_DEBUG_BIN` that of the debug build, which
knows failpoints; without them they are taken from .build.
"""

import base64
import hashlib
import html
import http.client
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import tempfile
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARTEFACTS = ROOT / "artefacts"
PASSWORD = "correct horse battery"
ADMINISTRATOR = ("root", "a long enough password for once")
CALLBACK = "http://localhost:9999/callback"
# The simulator's.
TENANT = "6f0c1a52-9d3b-4a7e-8c21-5b1d7e3f9a04"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def program(name, configuration="release"):
    chosen = os.environ.get("GATEHOUSE_BIN")
    if configuration == "debug":
        chosen = os.environ.get("GATEHOUSE_DEBUG_BIN", chosen)
    return str(pathlib.Path(chosen or ROOT / ".build" / configuration) / name)


def until(condition, seconds=10, pause=0.05):
    """Waits until `condition` gives something true, and gives that back; the last value when it never does."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > deadline:
            return value
        time.sleep(pause)


def curl(url, headers):
    """The JSON that curl gets at `url`, as an app on a command line would."""
    words = [word for name, value in headers.items() for word in ("--header", f"{name}: {value}")]
    done = subprocess.run(
        ["curl", "--silent", "--show-error", "--fail-with-body", *words, url], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def make_certificate(directory, name="localhost"):
    """A self-signed certificate and its key for localhost; gives both file names."""
    certificate, key = directory / f"{name}.crt", directory / f"{name}.key"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-keyout", str(key), "-out", str(certificate), "-subj", f"/CN={name}",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        check=True, capture_output=True)
    return certificate, key


class Answer:
    def __init__(self, response, body, url):
        self.status = response.status
        self.headers = response.headers
        self.body = body
        self.url = url

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def location(self):
        return self.headers["Location"]

    @property
    def query(self):
        """The parameters of the address that the answer leads to."""
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.location).query))

    @property
    def set_cookies(self):
        return self.headers.get_all("Set-Cookie") or []

    def fields(self):
        """The hidden fields of the page's forms."""
        return {
            match.group(1): html.unescape(match.group(2))
            for match in re.finditer(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', self.text)
        }

    def field(self, name):
        """The value of a field of the page's form."""
        for tag in re.findall(r"<input[^>]*>", self.text):
            if f'name="{name}"' in tag:
                match = re.search(r'value="([^"]*)"', tag)
                return html.unescape(match.group(1)) if match else ""
        raise AssertionError(f"no field {name} in {self.text[:2000]}")


class Browser:
    """Keeps cookies per host, as a browser does; follows nothing by itself.

    `certificate` is the one file that it trusts over https.
    """

    def __init__(self, certificate=None):
        self.cookies = {}
        self.certificate = certificate

    def connect(self, parts, timeout):
        if parts.scheme == "https":
            context = ssl.create_default_context(cafile=self.certificate)
            return http.client.HTTPSConnection("localhost", parts.port, timeout=timeout, context=context)
        return http.client.HTTPConnection("127.0.0.1", parts.port, timeout=timeout)

    def request(self, method, url, body=None, headers=None, timeout=30):
        parts = urllib.parse.urlsplit(url)
        connection = self.connect(parts, timeout)
        sent = {"Host": parts.netloc, "User-Agent": "end-to-end test"}
        jar = self.cookies.setdefault(parts.hostname, {})
        if jar:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in jar.items())
        if isinstance(body, (dict, list)):
            body = urllib.parse.urlencode(body)
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        sent.update(headers or {})
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        try:
            connection.request(method, target or "/", body, sent)
            response = connection.getresponse()
            answer = Answer(response, response.read(), url)
        finally:
            connection.close()
        for line in answer.set_cookies:
            name, _, rest = line.partition("=")
            value = rest.split(";")[0]
            if "max-age=0" in line.lower():
                jar.pop(name, None)
            else:
                jar[name] = value
        return answer

    def get(self, url, **options):
        return self.request("GET", url, **options)

    def post(self, url, form, **options):
        return self.request("POST", url, form, **options)

    def upload(self, url, fields, **files):
        """Sends a form with files, which goes in a body of its own kind."""
        border = secrets.token_hex(16)
        parts = [f'name="{name}"\r\n\r\n{value}'.encode() for name, value in fields.items()]
        parts += [
            f'name="{name}"; filename="{name}"\r\nContent-Type: application/octet-stream\r\n\r\n'.encode() + content
            for name, content in files.items()]
        body = b"".join(
            f"--{border}\r\nContent-Disposition: form-data; ".encode() + part + b"\r\n" for part in parts)
        return self.request(
            "POST", url, body + f"--{border}--\r\n".encode(),
            {"Content-Type": f"multipart/form-data; boundary={border}"})

    def follow(self, answer, limit=10):
        """Follows redirects until something else comes, or a host that is not one of ours."""
        while answer.status in (302, 303) and limit:
            target = urllib.parse.urljoin(answer.url, answer.location)
            if urllib.parse.urlsplit(target).port in (None, 9999):
                return answer
            answer = self.get(target)
            limit -= 1
        return answer


class Elsewhere(Browser):
    """Sends each request from another address of this machine, so that none has to wait for the failures of others."""

    def connect(self, parts, timeout):
        connection = super().connect(parts, timeout)
        connection.source_address = (f"127.{secrets.randbelow(254) + 1}.{secrets.randbelow(256)}.{secrets.randbelow(254) + 1}", 0)
        return connection


class Stack:
    """A simulator and a Gatehouse with a fresh data directory.

    - `path`: the path of the external URL, such as `/gate`.
    - `certificate`, `key`: files with which Gatehouse serves https.
    - `data`: another place for the data directory.
    - the rest: settings for the environment.
    """

    def __init__(
        self, configuration="release", simulator_options=(), path="", certificate=None, key=None, data=None,
        **environment,
    ):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-e2e-"))
        self.data = pathlib.Path(data or self.directory / "data")
        self.configuration = configuration
        self.certificate = certificate
        self.simulator_port = free_port()
        self.port = free_port()
        self.origin = f"{'https' if certificate else 'http'}://localhost:{self.port}"
        self.url = self.origin + path
        self.portal = f"http://portal.localhost:{self.simulator_port}"
        self.server_root = f"http://server.localhost:{self.simulator_port}/server"
        self.layer = f"{self.portal}/server/rest/services/Traffic/FeatureServer/0"
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GATEHOUSE_")},
            "GATEHOUSE_LISTEN": f"127.0.0.1:{self.port}",
            "GATEHOUSE_EXTERNAL_URL": self.url,
            "GATEHOUSE_DATA": str(self.data),
            "GATEHOUSE_KEK_FILE": str(self.directory / "gatehouse.kek"),
            "GATEHOUSE_PUBLIC": str(ROOT / "Public"),
            **({"GATEHOUSE_TLS_CERTIFICATE": str(certificate), "GATEHOUSE_TLS_KEY": str(key)} if certificate else {}),
            **environment,
        }
        self.log_path = self.directory / "gatehouse.log"
        self.server = None
        self.simulator_options = simulator_options
        self.simulator = None
        self.start_simulator()

    def browser(self):
        """A browser that trusts the certificate, if there is one."""
        return Browser(self.certificate)

    # The programs.

    def start_simulator(self):
        """Starts the simulator, which remembers nothing of before."""
        log = self.directory / "simulator.log"
        command = [
            program("upstream-simulator", self.configuration), "--listen", f"127.0.0.1:{self.simulator_port}",
            "--client", f"gatehouse-demo:{self.url}/callback/demo", *self.simulator_options]
        with open(log, "ab") as sink:
            self.simulator = subprocess.Popen(command, stdout=sink, stderr=sink)
        self._wait(self.portal + "/_counters", self.simulator, log)

    def stop_simulator(self):
        self.simulator.terminate()
        self.simulator.wait(10)

    def start(self, *options, **environment):
        try:
            with open(self.log_path, "ab") as log:
                self.server = subprocess.Popen(
                    [program("gatehouse", self.configuration), "serve", *options],
                    env={**self.environment, **environment}, cwd=self.directory, stdout=log, stderr=log)
            self._wait(self.url + "/health/ready", self.server, self.log_path)
            assert until(self._takes_commands), self.log_path.read_text()
        except BaseException:
            self.close()
            raise
        return self

    def _takes_commands(self):
        """Whether the command line reaches the server, which may be a moment after the first request."""
        with socket.socket(socket.AF_UNIX) as control:
            try:
                control.connect(str(self.data / "gatehouse.sock"))
            except OSError:
                return False
            return True

    def _wait(self, url, process, log):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise AssertionError(f"the program ended: {log.read_text()}")
            try:
                if self.browser().get(url, timeout=5).status == 200:
                    return
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.02)
        process.kill()
        process.wait()
        raise AssertionError(f"{url} does not answer: {log.read_text()}")

    def stop(self, how=signal.SIGTERM):
        """Stops Gatehouse; gives its exit code, or nothing when it did not run."""
        if self.server and self.server.poll() is None:
            self.server.send_signal(how)
            return self.server.wait(30)
        return None

    def restart(self, how=signal.SIGTERM, **environment):
        self.stop(how)
        return self.start(**environment)

    def close(self):
        """Stops everything and keeps the log; once is enough."""
        if not self.directory.exists():
            return
        self.stop()
        self.stop_simulator()
        if self.log_path.exists():
            ARTEFACTS.mkdir(exist_ok=True)
            shutil.copy(self.log_path, ARTEFACTS / f"gatehouse-{self.port}.log")
        shutil.rmtree(self.directory)

    def cli(self, *words, expect=0, warnings=False, **environment):
        """What a command says; what it warns of with `warnings`, and its errors where it is to fail."""
        done = subprocess.run(
            [program("gatehouse", self.configuration), *words],
            env={**self.environment, **environment}, cwd=self.directory, capture_output=True, text=True, timeout=60)
        assert done.returncode == expect, f"{words} gave {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout if expect == 0 and not warnings else done.stderr

    # What an administrator does.

    def setup_link(self):
        return (self.data / "setup-link").read_text().strip()

    def set_up(self):
        """Makes the administrator by the command line."""
        file = self.directory / "password"
        file.write_text(ADMINISTRATOR[1] + "\n")
        file.chmod(0o600)
        return self.cli("setup", "--user", ADMINISTRATOR[0], "--password-file", str(file))

    def add_demo(self, *options):
        return self.cli(
            "connection", "create", "--id", "demo", "--name", "Demo portal", "--kind", "oauthUser",
            "--portal-url", self.portal, "--client-id", "gatehouse-demo", "--admit", "anyone", "--json", *options)

    def add_client(self, *options, connection="demo"):
        return json.loads(
            self.cli(
                "client", "create", "--name", f"Test app {secrets.token_hex(3)}", "--type", "confidential",
                "--grant", "authorization_code", "--grant", "refresh_token", "--grant", "client_credentials",
                "--grant", "token-exchange",
                "--redirect-uri", CALLBACK, "--scope", "vend", "--connection", connection, "--json", *options))

    # The database, from beside the running program.

    def query(self, statement, *values):
        """Rows of the database; changes are committed."""
        connection = sqlite3.connect(self.data / "gatehouse.db", timeout=10)
        try:
            with connection:
                return connection.execute(statement, values).fetchall()
        finally:
            connection.close()

    def age_credentials(self, seconds_left=-1, user="%"):
        """Makes stored access tokens look as if they lived half an hour and had this much left."""
        ends = int(time.time()) + seconds_left
        self.query(
            "UPDATE credential SET access_expires_at = ?, refreshed_at = ? WHERE display_name LIKE ?", ends,
            ends - 1800, user)
        self.query("UPDATE server_token SET expires_at = 0")
        self.let_read_again()

    def let_read_again(self):
        """Lets the program write: until then it keeps what it read, since nobody else may write beside it."""
        if self.server is None or self.server.poll() is not None:
            return
        for (connection,) in self.query("SELECT id FROM connection WHERE kind IN ('oauthUser', 'oidc') LIMIT 1"):
            before = self.query("SELECT count(*) FROM sign_in_attempt")
            self.browser().get(f"{self.url}/signin/{connection}")
            assert self.query("SELECT count(*) FROM sign_in_attempt") != before

    def end_delays(self):
        """Makes delays of revocations run out, so that no test waits for them."""
        self.query("UPDATE revocation SET next_attempt_at = 0")

    # The simulator's switches.

    def counters(self):
        return Browser().get(self.portal + "/_counters").json

    def reset_counters(self):
        Browser().request("DELETE", self.portal + "/_counters")

    def fault(self, **fault):
        answer = Browser().request(
            "PUT", self.portal + "/_faults", json.dumps(fault), {"Content-Type": "application/json"})
        assert answer.status in (200, 204), answer.text

    def clear_faults(self):
        Browser().request("DELETE", self.portal + "/_faults")

    def kill_tokens(self, user="ana"):
        """Ends all tokens of a user at the portal, as an administrator there would."""
        answer = Browser().request("POST", self.portal + "/_revoke", json.dumps({"user": user}))
        assert answer.status == 200, answer.text

    # What a person does.

    def sign_in(self, browser, user="ana", path="/signin/demo"):
        """Signs in at the demo portal; gives the page at which the browser ends."""
        page = browser.follow(browser.get(self.url + path))
        return self.sign_in_at_portal(browser, page, user)

    def sign_in_at_portal(self, browser, page, user="ana"):
        """Fills in the portal's form, unless the portal knew the browser and the way led on."""
        if 'name="oauth_state"' not in page.text:
            return page
        return browser.follow(self.send_portal_form(browser, page, user))

    def send_portal_form(self, browser, page, user="ana"):
        """Sends the portal's form; gives the redirect that leads back."""
        action = html.unescape(re.search(r'<form[^>]*action="([^"]*)"', page.text).group(1))
        fields = {**page.fields(), "username": user, "password": PASSWORD}
        return browser.post(urllib.parse.urljoin(page.url, action), fields)

    def authorize(self, browser, client, allow=("demo",)):
        """Goes through consent; gives the parameters that arrive at the app, and the verifier."""
        url, verifier = self.authorization_url(client)
        page = browser.follow(browser.get(url))
        if page.status == 200:
            form = [*page.fields().items(), ("answer", "allow")]
            page = browser.follow(browser.post(self.url + "/consent", form + [("connection", one) for one in allow]))
        assert page.status in (302, 303), f"{page.status} {page.text[:2000]}"
        return page.query, verifier

    def authorization_url(self, client, redirect_uri=CALLBACK):
        verifier = secrets.token_urlsafe(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": client["client_id"], "scope": "vend", "state": "s-1",
            "redirect_uri": redirect_uri, "code_challenge": challenge, "code_challenge_method": "S256"})
        return f"{self.url}/oauth2/authorize?{query}", verifier

    def sign_out(self, browser):
        """Presses the button on the sign-out page; gives the report."""
        page = browser.get(self.url + "/signout")
        return browser.post(self.url + "/signout", {"csrf": page.field("csrf"), "ticket": page.field("ticket")})

    # What an app does.

    def token(self, client, **form):
        basic = base64.b64encode(f"{client['client_id']}:{client['client_secret']}".encode()).decode()
        return self.browser().post(self.url + "/oauth2/token", form, headers={"Authorization": f"Basic {basic}"})

    def redeem(self, client, code, verifier, redirect_uri=CALLBACK):
        return self.token(
            client, grant_type="authorization_code", code=code, code_verifier=verifier, redirect_uri=redirect_uri)

    def vend(self, access_token, resource=None, timeout=60, **parameters):
        query = urllib.parse.urlencode({"resource": resource or self.layer, **parameters})
        return self.browser().get(
            f"{self.url}/v1/token?{query}", headers={"Authorization": f"Bearer {access_token}"}, timeout=timeout)

    def call(self, vended, url=None):
        """Calls a service as an app would: with the headers that it was given."""
        headers = {one["name"]: one["value"] for one in vended.json["headers"]} if vended else {}
        return Browser().get((url or self.layer) + "?f=json", headers=headers).json

    def app_token(self, browser, client, allow=("demo",)):
        """A person signed in as `browser` lets `client` act for them: what the app holds afterwards."""
        arrived, verifier = self.authorize(browser, client, allow)
        answer = self.redeem(client, arrived["code"], verifier)
        assert answer.status == 200, answer.text
        return answer.json
