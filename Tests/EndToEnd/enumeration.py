"""Whether the time of an answer tells that an account exists; run by scripts/prove enumeration [ROUNDS].

Each round tries to sign in with names that nobody has and one that somebody has, and asks for links for forgotten passwords of
the same kinds, each from a network of its own and for an account of its own, so that no throttle is met. The medians may differ
by 5 per cent.
"""

import http.client
import random
import secrets
import statistics
import sys
import time

from stack import ADMINISTRATOR, Browser, Stack

ALLOWED = 0.05


class Stranger(Browser):
    """A browser somewhere else on the loopback interface."""

    def __init__(self):
        super().__init__()
        self.address = f"127.{random.randrange(1, 255)}.{random.randrange(256)}.{random.randrange(1, 255)}"

    def connect(self, parts, timeout):
        return http.client.HTTPConnection("127.0.0.1", parts.port, timeout=timeout, source_address=(self.address, 0))


def refused(stack, name):
    """Seconds until a wrong password for `name` is refused."""
    browser = Stranger()
    page = browser.get(stack.url + "/signin")
    form = {**page.fields(), "username": name, "password": "not " + secrets.token_hex(12)}
    begun = time.perf_counter()
    answer = browser.post(stack.url + "/signin", form)
    taken = time.perf_counter() - begun
    assert answer.status == 422, f"{name}: {answer.status}"
    return taken


def asked(stack, name):
    """Seconds until a wish for a link for `name` is answered, as each is."""
    browser = Stranger()
    page = browser.get(stack.url + "/forgotten")
    form = {**page.fields(), "username": name}
    begun = time.perf_counter()
    answer = browser.post(stack.url + "/forgotten", form)
    taken = time.perf_counter() - begun
    assert answer.status == 200, f"{name}: {answer.status}"
    return taken


def spread(what, rounds, ask, names):
    """How far the medians of the kinds of names are apart; `names` gives one of each for a round."""
    times = {}
    for number in range(rounds):
        kinds = names(number)
        for kind in random.sample(list(kinds), len(kinds)):
            times.setdefault(kind, []).append(ask(kinds[kind]))
    medians = {kind: statistics.median(taken) for kind, taken in times.items()}
    for kind, median in medians.items():
        print(f"{what}, {kind}: {median * 1000:.2f} ms")
    apart = max(medians.values()) / min(medians.values()) - 1
    print(f"{what}: the medians differ by {apart:.1%} of {ALLOWED:.0%} allowed, over {rounds} rounds")
    return apart


def main(rounds):
    # Nobody takes mail there, so that every link waits.
    stack = Stack(GATEHOUSE_SMTP_URL="smtp://localhost:1", GATEHOUSE_MAIL_FROM="gatehouse@mail.example")
    try:
        stack.start()
        stack.set_up()
        for number in range(rounds):
            stack.cli("account", "create", "--user", f"person{number:04}", "--email", f"person{number}@mail.example")
        found = [
            spread("sign-in", rounds, lambda name: refused(stack, name), lambda number: {
                "an account": ADMINISTRATOR[0], "nobody": "rood", "nobody either": "zyx"}),
            spread("forgotten password", rounds, lambda name: asked(stack, name), lambda number: {
                "an account": f"person{number:04}", "nobody": f"nobody{number:04}", "nobody either": f"parson{number:04}"}),
        ]
    finally:
        stack.close()
    return 0 if max(found) <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
