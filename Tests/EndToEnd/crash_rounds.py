"""Kills Gatehouse at random moments of its work and checks after each death what must hold.

    python crash_rounds.py ROUNDS [SEED]

Two people sign in, let an app act for them, are refreshed and sign out, over and over, while the process dies.
Half of the rounds run at a portal whose refresh tokens are used up by a refresh: there, and only there, an answer that
was on its way when the process died is lost, and the person has to sign in again. Such losses are counted.
"""

import http.client
import random
import signal
import sqlite3
import sys
import threading
import time

from stack import Browser, Stack

GONE = (OSError, http.client.HTTPException)
# An ArcGIS refresh token with less than a day left is exchanged, which uses it up.
ROTATES = ("--refresh-ttl", "3600")


class Life:
    """What one person and their app did, and how far they got when the process died."""

    def __init__(self, stack, client, user):
        self.stack, self.client, self.user = stack, client, user
        self.browser = Browser()
        self.code = self.verifier = self.tokens = None
        self.is_signing_out = False
        self.failure = None

    def run(self):
        """Lives until the process is gone."""
        try:
            while True:
                self.live_once()
        except GONE:
            return
        except Exception as failure:  # shown by the main thread, together with the seed
            self.failure = failure

    def live_once(self):
        self.code = self.tokens = None
        self.is_signing_out = False
        self.browser = Browser()
        page = self.stack.sign_in(self.browser, self.user)
        assert page.status == 200, f"sign-in: {page.status} {page.text[:500]}"
        arrived, self.verifier = self.stack.authorize(self.browser, self.client)
        self.code = arrived["code"]
        answer = self.stack.redeem(self.client, self.code, self.verifier)
        assert answer.status == 200, f"redeem: {answer.status} {answer.text}"
        self.tokens = answer.json
        for _ in range(3):
            self.age()
            self.vend()
        answer = self.stack.token(
            self.client, grant_type="refresh_token", refresh_token=self.tokens["refresh_token"])
        assert answer.status == 200, f"refresh: {answer.status} {answer.text}"
        self.tokens = answer.json
        self.is_signing_out = True
        report = self.stack.sign_out(self.browser)
        assert report.status == 200, f"sign-out: {report.status} {report.text[:500]}"

    def age(self):
        try:
            self.stack.age_credentials(-1, self.user)
        except sqlite3.OperationalError:
            return  # the file is being written to; the next turn ages it

    def vend(self):
        answer = self.stack.vend(self.tokens["access_token"])
        assert answer.status == 200, f"vend: {answer.status} {answer.text}"

    def check(self, may_lose=False):
        """What must hold for this person after the next start; gives whether a rotated token was lost."""
        is_lost = False
        if self.tokens and not self.is_signing_out:
            # Neither the person nor the app has to do anything again.
            answer = self.stack.vend(self.tokens["access_token"])
            is_lost = may_lose and answer.status == 400 and answer.json.get("reason") == "reauth_required"
            assert is_lost or answer.status == 200, f"vend after a crash: {answer.status} {answer.text}"
        if self.code:
            redeemed = 1 if self.tokens else 0
            for _ in range(2):
                redeemed += self.stack.redeem(self.client, self.code, self.verifier).status == 200
            assert redeemed <= 1, f"a code was redeemed {redeemed} times"
        return is_lost


class Rounds:
    def __init__(self, seed, *simulator_options):
        self.random = random.Random(seed)
        self.rotates = simulator_options == ROTATES
        self.stack = Stack("debug", simulator_options)
        self.deaths = self.losses = 0

    def prepare(self):
        self.stack.start()
        self.stack.set_up()
        self.stack.add_demo()
        self.client = self.stack.add_client()
        self.stack.stop()
        return self

    def close(self):
        self.stack.close()

    def run(self):
        """One death and what must hold after it."""
        stack = self.stack
        stack.start()
        lives = [Life(stack, self.client, user) for user in ("ana", "ben")]
        threads = [threading.Thread(target=life.run) for life in lives]
        for thread in threads:
            thread.start()
        time.sleep(self.random.uniform(0.01, 1.2))
        stack.stop(signal.SIGKILL)
        for thread in threads:
            thread.join(60)
        for life in lives:
            if life.failure:
                raise life.failure
        self.deaths += 1
        self.check_file()
        stack.end_delays()
        stack.start()
        self.check_installation()
        for life in lives:
            self.losses += life.check(may_lose=self.rotates)
        assert stack.stop() == 0
        self.check_file()

    def check_file(self):
        assert self.stack.query("PRAGMA integrity_check") == [("ok",)]
        assert self.stack.query("PRAGMA foreign_key_check") == []
        accounts = self.stack.query("SELECT count(*) FROM account WHERE role = 'person'")[0][0]
        identities = self.stack.query("SELECT count(*) FROM identity")[0][0]
        assert accounts == identities <= 2, f"{accounts} accounts for {identities} identities"

    def check_installation(self):
        keys = self.stack.cli("keys", "verify")
        assert "0 do not" in keys, keys
        audit = self.stack.cli("audit", "verify")
        assert "intact" in audit, audit


def prove(name, rounds, seed, *simulator_options):
    proof = Rounds(seed, *simulator_options).prepare()
    began = time.monotonic()
    try:
        for number in range(1, rounds + 1):
            try:
                proof.run()
            except BaseException:
                print(f"{name}: failed in round {number}; repeat with seed {seed}", file=sys.stderr)
                raise
            if number % 25 == 0:
                print(f"{name}: {number} deaths survived, {time.monotonic() - began:.0f} s", flush=True)
    finally:
        proof.close()
    print(f"{name}: {proof.deaths} deaths survived, {proof.losses} rotations lost, seed {seed}")


def main(rounds, seed):
    prove("lasting refresh tokens", rounds - rounds // 2, seed)
    prove("rotating refresh tokens", rounds // 2, seed, *ROTATES)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30))
