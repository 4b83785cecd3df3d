"""Measures Gatehouse beside nginx, OpenSSL and Glewlwyd; see scripts/bench."""

import argparse
import base64
import os
import pathlib
import re
import secrets
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "EndToEnd"))

from bench_keys import Keys  # noqa: E402
from bench_oauth import OAuth  # noqa: E402
from bench_peers import (  # noqa: E402
    CLIENT_CPU, SERVER_CPU, Nginx, Proxied, Rate, Watch, cpu_seconds, memory, peak, pinned, transfer, wait_for)
from glewlwyd import CLIENT as GLEWLWYD_CLIENT, Glewlwyd  # noqa: E402
from stack import ADMINISTRATOR, TENANT, Browser, Stack, program, until  # noqa: E402


class Bench:
    def __init__(self, rounds, seconds):
        self.rounds, self.seconds = rounds, seconds
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-bench-"))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-keyout", str(self.directory / "key.pem"), "-out", str(self.directory / "cert.pem"), "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
        (self.directory / "key.pem").chmod(0o600)
        self.lines = []

    def say(self, name, value, unit, ratio=None, to=""):
        line = f"{name} {value:.4g} {unit}" + (f" {ratio:.3g} x {to}" if ratio is not None else "")
        print(line, flush=True)

    def pairs(self, ours, theirs):
        """Runs two measurements in turn; gives both lists.

        Many short rounds, because a shared machine changes its speed from second to second; the first of each only warms
        up."""
        results = ([], [])
        ours(), theirs()
        for _ in range(self.rounds):
            results[0].append(ours())
            results[1].append(theirs())
        return results

    def compare_cpu(self, name, ours, theirs, to):
        mine, other = self.pairs(ours, theirs)
        median = statistics.median(one.cpu for one in mine)
        ratio = statistics.median(a.cpu / b.cpu for a, b in zip(mine, other))
        best = min(one.cpu for one in mine) / min(one.cpu for one in other)
        self.say(name, median, "cpu-us/request", ratio, f"{to} (best {best:.3g})")
        rate = statistics.median(a.per_second / b.per_second for a, b in zip(mine, other))
        self.say(name + "-rate", statistics.median(one.per_second for one in mine), "requests/s", rate, to)

    def start(self, **environment):
        stack = Stack(**environment)
        # The server is pinned like its peers.
        with open(stack.log_path, "ab") as log:
            stack.server = subprocess.Popen(
                pinned(SERVER_CPU, program("gatehouse"), "serve"), env=stack.environment, cwd=stack.directory,
                stdout=log, stderr=log)
        wait_for(stack.port)
        return self.settle(stack)

    # The measurements, each by its name.

    def http(self):
        stack = self.start()
        body = Browser().get(stack.url + "/health/live").text
        nginx = Nginx(self.directory, ROOT / "Public" / "assets" / "style.css", body, self.directory)
        try:
            pid, ours, theirs = stack.server.pid, f"http://127.0.0.1:{stack.port}", f"http://127.0.0.1:{nginx.port}"
            self.compare_cpu(
                "fixed-json", lambda: Rate(pid, ours + "/health/live", self.seconds),
                lambda: Rate(nginx.pid, theirs + "/json", self.seconds), "nginx")
            self.compare_cpu(
                "static-page", lambda: Rate(pid, ours + "/assets/style.css", self.seconds),
                lambda: Rate(nginx.pid, theirs + "/page.css", self.seconds), "nginx")
            self.sign_in_page(pid, ours)
            self.say("idle-memory", memory(pid) / 1024, "MiB")
            self.idle(stack)
        finally:
            nginx.close()
            stack.close()

    def sign_in_page(self, pid, ours):
        """How long somebody alone waits for the sign-in page, beside the fixed answer."""
        page, fixed = self.pairs(
            lambda: Rate(pid, ours + "/signin", self.seconds, connections=1),
            lambda: Rate(pid, ours + "/health/live", self.seconds, connections=1))
        ratio = statistics.median(b.per_second / a.per_second for a, b in zip(page, fixed))
        self.say(
            "sign-in-page-time", statistics.median(1e6 / one.per_second for one in page), "us", ratio, "fixed-json-time")

    def idle(self, stack):
        count, sockets = 5000, []
        before = memory(stack.server.pid)
        for _ in range(count):
            one = socket.create_connection(("127.0.0.1", stack.port))
            one.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
            one.recv(4096)
            sockets.append(one)
        self.say("idle-connection", (memory(stack.server.pid) - before) / count, "KiB")
        for one in sockets:
            one.close()

    def tls(self):
        certificate = {
            "GATEHOUSE_TLS_CERTIFICATE": str(self.directory / "cert.pem"),
            "GATEHOUSE_TLS_KEY": str(self.directory / "key.pem")}
        stack = self.start(**certificate)
        nginx = Nginx(self.directory, ROOT / "Public" / "assets" / "style.css", '{"status":"live"}', self.directory)
        try:
            pid, ours, theirs = stack.server.pid, f"https://127.0.0.1:{stack.port}", f"https://127.0.0.1:{nginx.tls_port}"
            self.compare_cpu(
                "tls-keep-alive", lambda: Rate(pid, ours + "/health/live", self.seconds),
                lambda: Rate(nginx.pid, theirs + "/json", self.seconds), "nginx")
            mine, other = self.pairs(
                lambda: self.handshakes(pid, stack.port), lambda: self.handshakes(nginx.pid, nginx.tls_port))
            ratio = statistics.median(a / b for a, b in zip(mine, other))
            self.say(
                "tls13-handshake", statistics.median(mine), "cpu-us/connection", ratio,
                f"nginx (best {min(mine) / min(other):.3g})")
        finally:
            nginx.close()
            stack.close()

    def handshakes(self, pid, port):
        """CPU time of the server for one new TLS 1.3 connection."""
        before = cpu_seconds(pid)
        done = subprocess.run(
            pinned(CLIENT_CPU, "openssl", "s_time", "-connect", f"127.0.0.1:{port}", "-new", "-tls1_3", "-time",
                   str(self.seconds)), capture_output=True, text=True, check=True)
        used = cpu_seconds(pid) - before
        return used / int(re.search(r"(\d+) connections in [\d.]+s;", done.stdout).group(1)) * 1e6

    def tokens(self):
        stack = self.start()
        client = self.client(stack)
        environment = {
            "BENCH_PATH": "/oauth2/token",
            "BENCH_BASIC": base64.b64encode(f"{client['client_id']}:{client['client_secret']}".encode()).decode()}
        url, script = f"http://127.0.0.1:{stack.port}", ROOT / "scripts" / "lib" / "token.lua"
        pid = stack.server.pid

        def ours():
            return Rate(pid, url, self.seconds, script=script, environment=environment)

        try:
            mine, limit = self.pairs(ours, self.signatures)
            ratio = statistics.median(a.per_second / b for a, b in zip(mine, limit))
            best = max(one.per_second for one in mine) / max(limit)
            self.say(
                "client-credentials", statistics.median(one.per_second for one in mine), "tokens/s", ratio,
                f"openssl-speed-p256 (best {best:.3g})")
            self.say("client-credentials-p99", statistics.median(one.p99 for one in mine), "ms")
            self.say("client-credentials-cpu", statistics.median(one.cpu for one in mine), "cpu-us/token")
            self.provider(ours)
            self.vending(stack, ours)
            self.passwords(stack, ours)
            self.say("peak-memory", peak(pid) / 1024, "MiB")
        finally:
            stack.close()

    def provider(self, ours):
        """The same script against Glewlwyd, which signs with the same algorithm and keeps its tokens in SQLite, too."""
        with Glewlwyd("http://localhost/callback", "http://localhost/", for_apps=True) as peer:
            environment = {
                "BENCH_PATH": "/api/oidc/token", "BENCH_MORE": "&scope=profile",
                "BENCH_BASIC": base64.b64encode(":".join(GLEWLWYD_CLIENT).encode()).decode()}
            url, script = f"http://127.0.0.1:{peer.port}", ROOT / "scripts" / "lib" / "token.lua"
            mine, other = self.pairs(
                ours, lambda: Rate(peer.process.pid, url, self.seconds, script=script, environment=environment))
            ratio = statistics.median(a.per_second / b.per_second for a, b in zip(mine, other))
            self.say(
                "client-credentials-beside", statistics.median(one.per_second for one in mine), "tokens/s", ratio,
                f"glewlwyd ({statistics.median(one.per_second for one in other):.4g} tokens/s)")

    def oauth(self):
        """What apps ask most besides new tokens: introspection, userinfo, refresh and silent authorization."""
        OAuth(self).measure()

    def keys(self):
        Keys(self).measure()

    def client(self, stack):
        stack.add_demo()
        return stack.add_client()

    def signatures(self):
        done = subprocess.run(
            pinned(SERVER_CPU, "openssl", "speed", "-seconds", "1", "ecdsap256"), capture_output=True, text=True, check=True)
        return float(re.search(r"256 bits ecdsa \(nistp256\)\s+[\d.]+s\s+[\d.]+s\s+([\d.]+)", done.stdout).group(1))

    def vending(self, stack, tokens):
        browser = Browser()
        stack.sign_in(browser)
        token = stack.app_token(browser, stack.add_client())["access_token"]
        runs, others = self.pairs(lambda: self.vends(stack, token, stack.portal), tokens)
        ratio = statistics.median(a.per_second / b.per_second for a, b in zip(runs, others))
        self.say(
            "cached-vend", statistics.median(one.per_second for one in runs), "vends/s", ratio, "client-credentials")
        self.say("cached-vend-p99", statistics.median(one.p99 for one in runs), "ms")

    def vends(self, stack, access, portal):
        url = f"http://127.0.0.1:{stack.port}/v1/token?resource={portal}/sharing/rest/portals/self"
        return Rate(stack.server.pid, url, self.seconds, headers=[f"Authorization: Bearer {access}"])

    def layers(self):
        """A vend for a portal behind an application proxy beside one for a portal without: headers of two against one."""
        stack = self.start()
        port, browser = stack.simulator_port, Browser()
        entra, apps = f"http://login.localhost:{port}/{TENANT}/oauth2/v2.0", f"http://apps.localhost:{port}"
        stack.stop_simulator()
        stack.simulator_options = [
            word for app in ("entra", "behind") for word in ("--client", f"{app}-app:{stack.url}/callback/{app}")]
        stack.start_simulator()
        try:
            stack.add_demo()
            stack.cli(
                "connection", "create", "--id", "entra", "--name", "City proxy", "--kind", "iap", "--client-id",
                "entra-app", "--scope", "offline_access", "--resource", apps, "--authorize-url", entra + "/authorize",
                "--token-url", entra + "/token", "--logout-url", entra + "/logout")
            stack.cli(
                "connection", "create", "--id", "behind", "--name", "City maps", "--kind", "oauthUser", "--portal-url",
                apps, "--client-id", "behind-app")
            stack.sign_in(browser)
            for id in ("entra", "behind"):
                page = browser.get(f"{stack.url}/connect/{id}")
                stack.sign_in_at_portal(browser, browser.follow(browser.post(page.url, page.fields())))
            client = stack.add_client("--connection", "entra", "--connection", "behind")
            access = stack.app_token(browser, client, ("demo", "entra", "behind"))["access_token"]
            for portal, count in ((apps, 2), (stack.portal, 1)):
                vended = stack.vend(access, portal + "/sharing/rest/portals/self")
                assert len(vended.json["headers"]) == count, vended.text
            stack.reset_counters()
            self.compare_cpu(
                "stacked-vend", lambda: self.vends(stack, access, apps),
                lambda: self.vends(stack, access, stack.portal), "single-vend")
            self.say("stacked-vend-upstream-calls", sum(stack.counters().values()), "calls")
        finally:
            stack.close()

    def passwords(self, stack, ours):
        """The token rate while people sign in with passwords as fast as the queue lets them."""
        file = stack.directory / "password"
        file.write_text(ADMINISTRATOR[1] + "\n")
        file.chmod(0o600)
        stack.cli("setup", "--user", ADMINISTRATOR[0], "--password-file", str(file))

        def sign_in(stop):
            os.sched_setaffinity(0, {int(CLIENT_CPU)})  # This thread, which is a client like wrk.
            browser = Browser()
            while not stop.is_set():
                page = browser.get(stack.url + "/signin")
                # Each attempt of another person, or all but the first ones would be refused without any hashing.
                browser.post(stack.url + "/signin", {
                    "csrf": page.field("csrf"), "ticket": "", "username": secrets.token_hex(8),
                    "password": "wrong but long enough"})

        def hashing():
            stop = threading.Event()
            workers = [threading.Thread(target=sign_in, args=[stop]) for _ in range(4)]
            for worker in workers:
                worker.start()
            try:
                return ours()
            finally:
                stop.set()
                for worker in workers:
                    worker.join()

        busy, quiet = self.pairs(hashing, ours)
        ratio = statistics.median(a.per_second / b.per_second for a, b in zip(busy, quiet))
        self.say(
            "tokens-while-hashing", statistics.median(one.per_second for one in busy), "tokens/s", ratio,
            "client-credentials")
        ratio = statistics.median(a.p99 / b.p99 for a, b in zip(busy, quiet))
        self.say(
            "tokens-while-hashing-p99", statistics.median(one.p99 for one in busy), "ms", ratio, "client-credentials-p99")

    def proxy(self):
        """A body of 100 MB through the proxy, beside nginx's proxy_pass to the same upstream."""
        stack = self.start()
        server = Proxied(self.directory, stack.simulator_port)
        try:
            stack.portal = server.portal
            self.client(stack)
            browser = Browser()
            stack.sign_in(browser)
            token = stack.app_token(browser, stack.add_client())["access_token"]
            ours = ["-H", f"Authorization: Bearer {token}", f"http://127.0.0.1:{stack.port}/v1/proxy/demo"]
            theirs = ["-H", f"Host: {server.authority}", f"http://127.0.0.1:{server.proxy_port}"]
            pid, idle = stack.server.pid, None
            for name, way in [("proxy", []), ("proxy-upload", ["-T", str(server.file)])]:
                def run(target):
                    return transfer(*target[:-1], *way, target[-1] + ("/home/upload/body" if way else "/home/files/body"))

                idle = idle or memory(pid)
                with Watch(pid) as watch:
                    mine, other = self.pairs(lambda: run(ours), lambda: run(theirs))
                ratio = statistics.median(a / b for a, b in zip(mine, other))
                self.say(
                    f"{name}-throughput", statistics.median(mine) / 1e6, "MB/s", ratio,
                    f"nginx (best {max(mine) / max(other):.3g})")
                self.say(f"{name}-memory", (watch.most - idle) / 1024, "MiB-above-idle")
        finally:
            server.close()
            stack.close()

    @staticmethod
    def settle(stack):
        """Waits until the first start has made its signing keys, which takes seconds of computing once."""
        until(lambda: stack.query("SELECT count(*) FROM signing_key") == [(4,)], 60, 0.1)
        return stack

    def start_up(self):
        times = []
        stack = Stack()
        self.settle(stack.start())
        stack.stop()
        for _ in range(max(self.rounds, 5)):
            began = time.monotonic()
            with open(stack.log_path, "ab") as log:
                stack.server = subprocess.Popen(
                    [program("gatehouse"), "serve"], env=stack.environment, cwd=stack.directory, stdout=log, stderr=log)
            while True:
                try:
                    if Browser().get(stack.url + "/health/ready").status == 200:
                        break
                except OSError:
                    time.sleep(0.0005)
            times.append((time.monotonic() - began) * 1000)
            stack.stop()
        self.say("start-to-first-answer", statistics.median(times), f"ms (best {min(times):.3g})")
        stack.close()

    def commits(self):
        """Durable rows that 64 callers get, beside those of one caller who waits for each."""
        runs = []
        for number in range(self.rounds):
            done = subprocess.run(
                [program("store-bench"), str(self.directory / f"rows-{number}.db"), str(self.seconds)],
                capture_output=True, text=True, check=True)
            rates = dict(line.split() for line in done.stdout.splitlines())
            runs.append((float(rates["group"]), float(rates["single"])))
        ratio = statistics.median(group / single for group, single in runs)
        best = max(group for group, _ in runs) / max(single for _, single in runs)
        self.say(
            "group-commit", statistics.median(group for group, _ in runs), "rows/s", ratio,
            f"single-commits (best {best:.3g})")

    def size(self):
        stripped = self.directory / "stripped"
        subprocess.run(["strip", "-o", str(stripped), program("gatehouse")], check=True)
        self.say("stripped-binary", stripped.stat().st_size / 1e6, "MB")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=int, default=1)
    parser.add_argument("names", nargs="*", help="http tls tokens oauth keys layers proxy commits start_up size")
    options = parser.parse_args()
    bench = Bench(options.rounds, options.seconds)
    try:
        for name in options.names or ["size", "start_up", "http", "tls", "commits", "tokens", "oauth", "keys", "layers", "proxy"]:
            getattr(bench, name)()
    finally:
        shutil.rmtree(bench.directory)


if __name__ == "__main__":
    main()
