"""Starts the real programs on free ports of the loopback interface, and talks to them as apps and browsers do."""

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
import subprocess
import tempfile
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARTEFACTS = ROOT / "artefacts"
PASSWORD = "correct horse battery"
ADMINISTRATOR = ("root", "a long enough password for once")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def program(name, configuration="release"):
    return str(ROOT / ".build" / configuration / name)


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

    def field(self, name):
        """The value of a hidden field of the page's form."""
        for tag in re.findall(r"<input[^>]*>", self.text):
            if f'name="{name}"' in tag:
                match = re.search(r'value="([^"]*)"', tag)
                return html.unescape(match.group(1)) if match else ""
        raise AssertionError(f"no field {name} in {self.text[:2000]}")


class Browser:
    """Keeps cookies per host, as a browser does; follows nothing by itself."""

    def __init__(self):
        self.cookies = {}

    def request(self, method, url, body=None, headers=None):
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=30)
        sent = {"Host": parts.netloc, "User-Agent": "end-to-end test"}
        jar = self.cookies.setdefault(parts.hostname, {})
        if jar:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in jar.items())
        if isinstance(body, (dict, list)):
            body = urllib.parse.urlencode(body)
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        sent.update(headers or {})
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request(method, target or "/", body, sent)
        response = connection.getresponse()
        answer = Answer(response, response.read(), url)
        connection.close()
        for line in response.headers.get_all("Set-Cookie") or []:
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

    def follow(self, answer, limit=10):
        """Follows redirects until something else comes, or a host that is not one of ours."""
        while answer.status in (302, 303) and limit:
            target = urllib.parse.urljoin(answer.url, answer.location)
            if urllib.parse.urlsplit(target).port in (None, 9999):
                return answer
            answer = self.get(target)
            limit -= 1
        return answer


class Stack:
    """A simulator and a Gatehouse with a fresh data directory."""

    def __init__(self, configuration="release", simulator_options=(), **environment):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-e2e-"))
        self.configuration = configuration
        self.simulator_port = free_port()
        self.port = free_port()
        self.url = f"http://localhost:{self.port}"
        self.portal = f"http://portal.localhost:{self.simulator_port}"
        self.layer = f"{self.portal}/server/rest/services/Traffic/FeatureServer/0"
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GATEHOUSE_")},
            "GATEHOUSE_LISTEN": f"127.0.0.1:{self.port}",
            "GATEHOUSE_EXTERNAL_URL": self.url,
            "GATEHOUSE_DATA": str(self.directory / "data"),
            "GATEHOUSE_KEK_FILE": str(self.directory / "gatehouse.kek"),
            "GATEHOUSE_PUBLIC": str(ROOT / "Public"),
            **environment,
        }
        self.log_path = self.directory / "gatehouse.log"
        self.server = None
        self.simulator = self._start_simulator(simulator_options)

    def _start_simulator(self, options):
        with open(self.directory / "simulator.log", "ab") as log:
            process = subprocess.Popen(
                [
                    program("upstream-simulator", self.configuration),
                    "--listen", f"127.0.0.1:{self.simulator_port}",
                    "--client", f"gatehouse-demo:{self.url}/callback/demo",
                    *options,
                ],
                stdout=log, stderr=log)
        self._wait(self.portal + "/_counters", process, self.directory / "simulator.log")
        return process

    def start(self, **environment):
        with open(self.log_path, "ab") as log:
            self.server = subprocess.Popen(
                [program("gatehouse", self.configuration), "serve"],
                env={**self.environment, **environment}, cwd=self.directory, stdout=log, stderr=log)
        self._wait(self.url + "/health/ready", self.server, self.log_path)
        return self

    def _wait(self, url, process, log):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise AssertionError(f"the program ended: {log.read_text()}")
            try:
                if Browser().get(url).status == 200:
                    return
            except OSError:
                pass
            time.sleep(0.05)
        raise AssertionError(f"{url} does not answer: {log.read_text()}")

    def stop(self, how=signal.SIGTERM):
        if self.server and self.server.poll() is None:
            self.server.send_signal(how)
            return self.server.wait(30)
        return None

    def close(self):
        self.stop()
        self.simulator.terminate()
        self.simulator.wait(10)
        ARTEFACTS.mkdir(exist_ok=True)
        shutil.copy(self.log_path, ARTEFACTS / f"gatehouse-{self.port}.log")
        shutil.rmtree(self.directory)

    def cli(self, *words, expect=0, **environment):
        done = subprocess.run(
            [program("gatehouse", self.configuration), *words],
            env={**self.environment, **environment}, cwd=self.directory, capture_output=True, text=True, timeout=60)
        assert done.returncode == expect, f"{words} gave {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout if expect == 0 else done.stderr

    def setup_link(self):
        return (self.directory / "data" / "setup-link").read_text().strip()

    def add_demo(self):
        return self.cli(
            "connection", "create", "--id", "demo", "--name", "Demo portal", "--kind", "oauthUser",
            "--portal-url", self.portal, "--client-id", "gatehouse-demo", "--admit", "anyone", "--json")

    def add_client(self, *options):
        return json.loads(
            self.cli(
                "client", "create", "--name", "Test app", "--type", "confidential", "--grant", "authorization_code",
                "--grant", "refresh_token", "--grant", "client_credentials", "--grant", "token-exchange",
                "--redirect-uri", "http://localhost:9999/callback", "--scope", "vend", "--connection", "demo", "--json",
                *options))

    # The simulator's switches.

    def counters(self):
        return Browser().get(self.portal + "/_counters").json

    def fault(self, **fault):
        answer = Browser().request(
            "PUT", self.portal + "/_faults", json.dumps(fault), {"Content-Type": "application/json"})
        assert answer.status in (200, 204), answer.text

    def clear_faults(self):
        Browser().request("DELETE", self.portal + "/_faults")

    # What a person does.

    def sign_in(self, browser, user="ana", path="/signin/demo"):
        """Signs in at the demo portal; gives the page at which the browser ends."""
        page = browser.follow(browser.get(self.url + path))
        return self.sign_in_at_portal(browser, page, user)

    def sign_in_at_portal(self, browser, page, user="ana"):
        action = html.unescape(re.search(r'<form[^>]*action="([^"]*)"', page.text).group(1))
        fields = {
            match.group(1): html.unescape(match.group(2))
            for match in re.finditer(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', page.text)
        }
        fields.update({"username": user, "password": PASSWORD})
        return browser.follow(browser.post(urllib.parse.urljoin(page.url, action), fields))

    def authorize(self, browser, client, allow=("demo",)):
        """Goes through consent; gives the parameters that arrive at the app, and the verifier."""
        verifier = secrets.token_urlsafe(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": client["client_id"], "scope": "vend", "state": "s-1",
            "redirect_uri": "http://localhost:9999/callback", "code_challenge": challenge,
            "code_challenge_method": "S256"})
        page = browser.follow(browser.get(f"{self.url}/oauth2/authorize?{query}"))
        if page.status == 200:
            form = [("csrf", page.field("csrf")), ("ticket", page.field("ticket")), ("answer", "allow")]
            page = browser.follow(browser.post(self.url + "/consent", form + [("connection", one) for one in allow]))
        assert page.status in (302, 303), f"{page.status} {page.text[:2000]}"
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page.location).query)), verifier

    # What an app does.

    def token(self, client, **form):
        basic = base64.b64encode(f"{client['client_id']}:{client['client_secret']}".encode()).decode()
        return Browser().post(self.url + "/oauth2/token", form, headers={"Authorization": f"Basic {basic}"})

    def redeem(self, client, code, verifier):
        return self.token(
            client, grant_type="authorization_code", code=code, code_verifier=verifier,
            redirect_uri="http://localhost:9999/callback")

    def vend(self, access_token, resource=None, **parameters):
        query = urllib.parse.urlencode({"resource": resource or self.layer, **parameters})
        return Browser().get(f"{self.url}/v1/token?{query}", headers={"Authorization": f"Bearer {access_token}"})

    def call(self, vended, url=None):
        """Calls a service as an app would: with the headers that it was given."""
        headers = {one["name"]: one["value"] for one in vended.json["headers"]} if vended else {}
        return Browser().get((url or self.layer) + "?f=json", headers=headers).json

    def app_token(self, browser, client):
        """A person signed in as `browser` lets `client` act for them: what the app holds afterwards."""
        arrived, verifier = self.authorize(browser, client)
        answer = self.redeem(client, arrived["code"], verifier)
        assert answer.status == 200, answer.text
        return answer.json
