"""Whether the time of a refused sign-in tells that an account exists; run by scripts/prove enumeration [ROUNDS].

Each round tries a name that nobody has, one with a password and the administrator's, each from a network of its own, so that
no throttle is met. The medians may differ by 5 per cent.
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


def main(rounds):
    stack = Stack()
    try:
        stack.start()
        stack.set_up()
        times = {"an account": [], "nobody": [], "nobody either": []}
        names = {"an account": ADMINISTRATOR[0], "nobody": "rood", "nobody either": "zyx"}
        for _ in range(rounds):
            for kind in random.sample(list(times), len(times)):
                times[kind].append(refused(stack, names[kind]))
    finally:
        stack.close()
    medians = {kind: statistics.median(taken) for kind, taken in times.items()}
    for kind, median in medians.items():
        print(f"{kind}: {median * 1000:.2f} ms")
    spread = max(medians.values()) / min(medians.values()) - 1
    print(f"the medians differ by {spread:.1%} of {ALLOWED:.0%} allowed, over {rounds} rounds")
    return 0 if spread <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
