"""Measures API keys beside our own answer of fixed JSON, and keys that do not count beside one that does; see scripts/bench."""

import json
import secrets
import statistics
import zlib

from bench_peers import Rate

SECRET = "gatehouse-demo-secret"


def unknown_key():
    """One of the right form, of which nobody has heard."""
    body = f"gh_sk_{secrets.token_hex(16)}_{secrets.token_urlsafe(32)}_"
    return f"{body}{zlib.crc32(body.encode()):08x}"


class Keys:
    def __init__(self, bench):
        self.bench, self.seconds = bench, bench.seconds

    def measure(self):
        stack = self.bench.start(simulator_options=["--client-secret", f"gatehouse-demo:{SECRET}"])
        try:
            self.lines(stack, self.key(stack))
        finally:
            stack.close()

    @staticmethod
    def key(stack):
        file = stack.directory / "secret"
        file.write_text(SECRET + "\n")
        file.chmod(0o600)
        stack.cli(
            "connection", "create", "--id", "jobs", "--name", "Jobs", "--kind", "oauthApplication", "--portal-url",
            stack.portal, "--client-id", "gatehouse-demo", "--client-secret-file", str(file), "--json")
        client = json.loads(stack.cli(
            "client", "create", "--name", "Measured app", "--type", "confidential", "--grant", "client_credentials",
            "--scope", "vend", "--connection", "jobs", "--json"))
        made = json.loads(stack.cli(
            "key", "create", "--client", client["client_id"], "--name", "Measured key", "--connection", "jobs", "--json"))
        return made["key"]

    def lines(self, stack, key):
        def shown(text, refused=False):
            return Rate(
                stack.server.pid, stack.url + "/v1/key", self.seconds, headers=[f"X-API-Key: {text}"], refused=refused)

        def fixed():
            return Rate(stack.server.pid, stack.url + "/health/live", self.seconds)

        mine, most = self.bench.pairs(lambda: shown(key), fixed)
        self.say("api-key", mine, most, "fixed-json")
        for name, text in (("unknown", unknown_key()), ("garbage", key[:-1])):
            wrong, right = self.bench.pairs(lambda: shown(text, refused=True), lambda: shown(key))
            self.say(f"api-key-{name}", wrong, right, "a-good-key")

    def say(self, name, mine, other, to):
        ratio = statistics.median(a.per_second / b.per_second for a, b in zip(mine, other))
        self.bench.say(name, statistics.median(one.per_second for one in mine), "per-s", ratio, to)
