"""Measures the endpoints that apps call most, beside limits of this machine and beside Glewlwyd; see scripts/bench.

The limits: our own answer of fixed JSON for what only reads, P-256 signatures by OpenSSL for what signs, our own sign-in page
for what a browser does.
"""

import base64
import hashlib
import json
import pathlib
import secrets
import statistics
import urllib.parse

from bench_peers import Rate
from glewlwyd import CLIENT, Glewlwyd
from stack import CALLBACK, Browser

LIBRARY = pathlib.Path(__file__).resolve().parent
CONNECTIONS = 64
# Some more than connections: wrk takes one for itself, and a chain that is cut off at the end is lost.
CHAINS = CONNECTIONS + 16
VERIFIER = secrets.token_urlsafe(32)
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
SCOPE = "openid profile offline_access"
# Without an ID token, so that a refresh makes one signature, as a token of client credentials does.
REFRESH_SCOPE = "offline_access"


def basic(id, secret):
    return base64.b64encode(f"{id}:{secret}".encode()).decode()


def question(client_id, scope=SCOPE, **more):
    return urllib.parse.urlencode({
        "response_type": "code", "client_id": client_id, "redirect_uri": CALLBACK, "scope": scope, "state": "s",
        "nonce": "n", "code_challenge": CHALLENGE, "code_challenge_method": "S256", **more})


class Party:
    """A provider under measurement, one client of it and a person who is signed in and has allowed it."""

    def __init__(self, pid, port, client, root):
        self.pid, self.port, self.client, self.root = pid, port, client, root
        self.url = f"http://127.0.0.1:{port}"
        self.browser = Browser()
        self.environment = {"BENCH_BASIC": basic(*client)}

    def tokens(self, scope=SCOPE):
        answer = Browser().post(
            self.url + self.token_path, {
                "grant_type": "authorization_code", "code": self.code(scope), "redirect_uri": CALLBACK, "code_verifier": VERIFIER},
            headers={"Authorization": f"Basic {basic(*self.client)}"})
        assert answer.status == 200, f"{answer.status} {answer.text}"
        return answer.json

    def introspection(self, seconds, token):
        form = urllib.parse.urlencode({"token": token})
        return self.run(seconds, "token.lua", BENCH_PATH=self.introspection_path, BENCH_BODY=form)

    def user_info(self, seconds, token):
        return Rate(self.pid(), self.url + self.user_info_path, seconds, headers=[f"Authorization: Bearer {token}"])

    def refresh(self, seconds, file):
        file.write_text("".join(self.tokens(REFRESH_SCOPE)["refresh_token"] + "\n" for _ in range(CHAINS)))
        return self.run(seconds, "refresh.lua", BENCH_PATH=self.token_path, BENCH_TOKENS=str(file))

    def authorization(self, seconds):
        jar = next(iter(self.browser.cookies.values()))
        cookies = "; ".join(f"{name}={value}" for name, value in jar.items())
        return self.run(seconds, "authorize.lua", BENCH_PATH=self.silent(SCOPE), BENCH_COOKIE=cookies)

    def run(self, seconds, script, **environment):
        return Rate(
            self.pid(), self.url, seconds, CONNECTIONS, script=LIBRARY / script,
            environment={**self.environment, **environment})


class Ours(Party):
    token_path, introspection_path, user_info_path = "/oauth2/token", "/oauth2/introspect", "/oauth2/userinfo"

    def __init__(self, stack):
        self.stack = stack
        stack.add_demo()
        made = json.loads(stack.cli(
            "client", "create", "--name", "Measured app", "--type", "confidential", "--grant", "authorization_code", "--grant",
            "refresh_token", "--redirect-uri", CALLBACK, "--scope", "openid", "--scope", "profile", "--scope", "offline_access",
            "--json"))
        super().__init__(
            lambda: stack.server.pid, stack.port, (made["client_id"], made["client_secret"]), stack.url)
        stack.set_up()
        stack.sign_in(self.browser)
        page = self.browser.follow(self.browser.get(f"{stack.url}/oauth2/authorize?{question(self.client[0])}"))
        self.browser.post(
            stack.url + "/consent", {**page.fields(), "answer": "allow"})

    def silent(self, scope):
        return "/oauth2/authorize?" + question(self.client[0], scope, prompt="none")

    def code(self, scope=SCOPE):
        return self.browser.follow(self.browser.get(self.stack.url + self.silent(scope))).query["code"]


class Theirs(Party):
    token_path, introspection_path, user_info_path = "/api/oidc/token", "/api/oidc/introspect", "/api/oidc/userinfo"

    def __init__(self, peer):
        super().__init__(lambda: peer.process.pid, peer.port, CLIENT, peer.root)
        page = f"{peer.root}/api/oidc/auth?{question(CLIENT[0])}"
        peer.sign_in(self.browser, self.browser.get(page).location)

    def silent(self, scope):
        return f"/api/oidc/auth?{question(CLIENT[0], scope)}&g_continue"

    def code(self, scope=SCOPE):
        return self.browser.get(self.root + self.silent(scope)).query["code"]

    # Where it writes, it takes its time for the first answers.

    def refresh(self, seconds, file):
        return super().refresh(seconds + 5, file)

    def authorization(self, seconds):
        return super().authorization(seconds + 5)


class OAuth:
    """The lines, each with its ratio to the limit and to Glewlwyd in the same rounds."""

    def __init__(self, bench):
        self.bench, self.seconds = bench, bench.seconds

    def measure(self):
        stack = self.bench.start()
        try:
            ours = Ours(stack)
            with Glewlwyd(CALLBACK, "http://localhost/", for_apps=True) as peer:
                self.lines(stack, ours, Theirs(peer))
        finally:
            stack.close()

    def lines(self, stack, ours, theirs):
        # Before its set-up, the address of the page only leads to another.
        assert Browser().get(ours.url + "/signin").status == 200
        seconds, files = self.seconds, [self.bench.directory / f"tokens-{number}" for number in (0, 1)]
        mine, other = ours.tokens()["access_token"], theirs.tokens()["access_token"]

        def fixed():
            return Rate(stack.server.pid, ours.url + "/health/live", seconds)

        def page():
            return Rate(stack.server.pid, ours.url + "/signin", seconds)

        self.line(
            "introspection", lambda: ours.introspection(seconds, mine), fixed, "fixed-json",
            lambda: theirs.introspection(seconds, other))
        self.line(
            "userinfo", lambda: ours.user_info(seconds, mine), fixed, "fixed-json",
            lambda: theirs.user_info(seconds, other))
        self.line(
            "refresh", lambda: ours.refresh(seconds, files[0]), self.bench.signatures, "openssl-speed-p256",
            lambda: theirs.refresh(seconds, files[1]))
        self.line(
            "silent-authorization", lambda: ours.authorization(seconds), page, "sign-in-page",
            lambda: theirs.authorization(seconds))

    def line(self, name, ours, limit, to, theirs):
        """A rate beside a limit and beside the peer, the three in turn; `limit` gives a run of its own or a rate."""
        rounds = []
        ours(), limit(), theirs()
        for _ in range(self.bench.rounds):
            rounds.append((ours(), limit(), theirs()))
        rates = [(mine.per_second, self.rate(most), other.per_second) for mine, most, other in rounds]
        median = statistics.median(rate for rate, _, _ in rates)
        best = max(rate for rate, _, _ in rates) / max(most for _, most, _ in rates)
        self.bench.say(
            name, median, "per-s", statistics.median(rate / most for rate, most, _ in rates), f"{to} (best {best:.3g})")
        self.bench.say(
            name + "-beside", median, "per-s", statistics.median(rate / other for rate, _, other in rates),
            f"glewlwyd ({statistics.median(other for _, _, other in rates):.4g} per-s)")
        costs = [(mine.cpu, getattr(most, "cpu", None)) for mine, most, _ in rounds]
        ratio = None if costs[0][1] is None else statistics.median(cost / least for cost, least in costs)
        self.bench.say(name + "-cpu", statistics.median(cost for cost, _ in costs), "cpu-us", ratio, to)

    @staticmethod
    def rate(limit):
        return getattr(limit, "per_second", limit)
