"""The process dies at every point that matters, and the next start finds a legal state."""

import http.client
import re
import time
import unittest

from crash_rounds import ROTATES, Rounds
from stack import ROOT, Browser, Stack, until

FAILPOINTS = ROOT / "Sources" / "Flows" / "Refresh" / "Failpoint.swift"
GONE = (OSError, http.client.HTTPException)
DIED = 86


class Crash(unittest.TestCase):
    def prepare(self, *simulator_options):
        self.stack = Stack("debug", simulator_options)
        self.addCleanup(self.stack.close)
        self.stack.start()
        self.stack.set_up()
        self.stack.add_demo()
        self.client = self.stack.add_client()
        self.browser = Browser()
        return self.stack

    def sign_in(self):
        self.stack.sign_in(self.browser)
        self.tokens = self.stack.app_token(self.browser, self.client)

    def die(self, point, act):
        """Starts anew with a failpoint, does what leads there, and leaves the process dead."""
        reached.add(point)
        self.stack.restart(GATEHOUSE_FAILPOINT=point)
        self.stack.reset_counters()
        with self.assertRaises(GONE):
            act()
        self.assertEqual(self.stack.server.wait(10), DIED, "needs the debug build: GATEHOUSE_DEBUG_BIN")

    def die_refreshing(self, point, *simulator_options):
        self.prepare(*simulator_options)
        self.sign_in()
        self.stack.age_credentials(-1)
        self.die(point, lambda: self.stack.vend(self.tokens["access_token"]))

    def check_whole(self):
        self.assertIn("0 do not", self.stack.cli("keys", "verify"))
        self.assertIn("intact", self.stack.cli("audit", "verify"))
        self.assertEqual(self.stack.query("PRAGMA integrity_check"), [("ok",)])

    def check_refresh(self, grant, calls):
        """After the next start the app goes on without anybody's doing, and the portal was asked `calls` times."""
        self.stack.start()
        vended = self.stack.vend(self.tokens["access_token"])
        self.assertEqual(vended.status, 200, vended.text)
        self.assertIn("fields", self.stack.call(vended))
        self.assertEqual(self.stack.counters().get("token." + grant, 0), calls)
        self.assertEqual(self.stack.query("SELECT count(*) FROM refresh_attempt"), [(0,)])
        self.assertEqual(self.stack.query("SELECT count(*) FROM revocation"), [(0,)])
        self.assertEqual(self.stack.query("SELECT state FROM credential"), [("active",)])
        self.check_whole()

    # Refreshes that leave the refresh token as it is.

    def test_before_the_portal_is_asked(self):
        self.die_refreshing("refresh.intended")
        self.check_refresh("refresh_token", 1)

    def test_after_the_portal_answered(self):
        self.die_refreshing("refresh.answered")
        self.check_refresh("refresh_token", 2)

    def test_after_the_answer_was_recorded(self):
        self.die_refreshing("refresh.recorded")
        self.check_refresh("refresh_token", 1)

    def test_after_the_tokens_were_stored(self):
        self.die_refreshing("refresh.applied")
        self.check_refresh("refresh_token", 1)

    # Refreshes that use the refresh token up.

    def test_before_an_exchange(self):
        self.die_refreshing("refresh.intended", *ROTATES)
        self.stack.start()
        self.assertEqual(self.stack.vend(self.tokens["access_token"]).status, 200)
        counted = self.stack.counters()
        self.assertLessEqual(
            counted.get("token.refresh_token", 0) + counted.get("token.exchange_refresh_token", 0), 1)

    def test_after_an_exchange_was_recorded(self):
        self.die_refreshing("refresh.recorded", *ROTATES)
        self.check_refresh("exchange_refresh_token", 1)

    def test_after_an_exchange_was_stored(self):
        self.die_refreshing("refresh.applied", *ROTATES)
        self.check_refresh("exchange_refresh_token", 1)

    def test_an_exchange_whose_answer_was_lost_asks_the_person_and_nobody_twice(self):
        self.die_refreshing("refresh.answered", *ROTATES)
        self.stack.start()
        refused = self.stack.vend(self.tokens["access_token"])
        self.assertEqual(refused.status, 400, refused.text)
        self.assertEqual(refused.json["reason"], "reauth_required")
        self.assertEqual(self.stack.counters()["token.exchange_refresh_token"], 1)
        self.assertEqual(self.stack.counters()["token.refresh_token"], 1)
        self.stack.sign_in(self.browser)
        self.assertEqual(self.stack.vend(self.tokens["access_token"]).status, 200)
        self.check_whole()

    def test_nobody_waits_for_the_lease_of_a_process_that_was_killed(self):
        """Who waits for a lease gives up before an hour; an answer proves that nobody did."""
        for left in (-1, 45):
            with self.subTest(f"a token with {left} seconds left"):
                self.prepare()
                self.sign_in()
                self.stack.age_credentials(left)
                self.die("refresh.intended", lambda: self.stack.vend(self.tokens["access_token"]))
                self.stack.query("UPDATE refresh_attempt SET lease_until = ?", int(time.time()) + 3600)
                self.stack.start()
                vended = self.stack.vend(self.tokens["access_token"])
                self.assertEqual(vended.status, 200, vended.text)
                settled = lambda: self.stack.query("SELECT count(*) FROM refresh_attempt") == [(0,)]
                self.assertTrue(until(settled), "the interrupted refresh is finished without anybody asking")
                self.assertEqual(self.stack.counters()["token.refresh_token"], 1)

    # Sign-in.

    def test_a_sign_in_that_was_never_stored_can_be_done_again(self):
        stack = self.prepare()
        page = self.browser.follow(self.browser.get(stack.url + "/signin/demo"))
        callback = {}

        def come_back():
            answer = stack.sign_in_at_portal(self.browser, page)
            raise AssertionError(f"still there: {answer.status}")

        class Remembering(Browser):
            def request(self, method, url, *rest, **options):
                if "/callback/" in url:
                    callback["url"] = url
                return super().request(method, url, *rest, **options)

        remembering = Remembering()
        remembering.cookies = self.browser.cookies
        self.browser = remembering
        self.die("signin.redeemed", come_back)
        stack.end_delays()
        stack.start()
        with self.subTest("the tokens that nobody got are revoked"):
            self.assertTrue(until(lambda: stack.query("SELECT count(*) FROM revocation") == [(0,)], 15, 0.2))
            self.assertEqual(stack.counters()["revokeToken"], 1)
        self.assertEqual(stack.query("SELECT count(*) FROM credential"), [(0,)])
        again = self.browser.follow(self.browser.get(callback["url"]))
        self.assertEqual(again.status, 200, again.text)
        self.assertEqual(stack.counters()["token.authorization_code"], 1)
        self.sign_in()
        self.assertEqual(stack.vend(self.tokens["access_token"]).status, 200)
        self.assertEqual(stack.query("SELECT count(*) FROM account WHERE role = 'person'"), [(1,)])
        self.assertEqual(stack.query("SELECT count(*) FROM credential"), [(1,)])
        self.check_whole()

    # Sign-out.

    def die_signing_out(self, point):
        stack = self.prepare()
        self.sign_in()
        held = stack.vend(self.tokens["access_token"])
        self.assertIn("fields", stack.call(held))
        self.die(point, lambda: stack.sign_out(self.browser))
        stack.end_delays()
        stack.start()
        self.assertEqual(stack.vend(self.tokens["access_token"]).status, 401)
        self.assertEqual(self.browser.get(stack.url + "/account").status, 303)
        left = "SELECT (SELECT count(*) FROM credential) + (SELECT count(*) FROM revocation)"
        self.assertTrue(until(lambda: stack.query(left) == [(0,)], 15, 0.2), stack.query(left))
        self.assertIn("error", stack.call(held))
        self.assertLessEqual(stack.counters()["revokeToken"], 2)
        self.check_whole()

    def test_a_sign_out_before_the_portal_was_told(self):
        self.die_signing_out("signout.closed")

    def test_a_sign_out_after_the_portal_was_told(self):
        self.die_signing_out("signout.revoked")

    def test_a_sign_out_before_its_report(self):
        self.die_signing_out("signout.deleted")

    # Anywhere.

    def test_ten_deaths_at_random_moments(self):
        seed = int(time.time())
        rounds = Rounds(seed).prepare()
        self.addCleanup(rounds.close)
        for number in range(10):
            with self.subTest(f"round {number} of seed {seed}"):
                rounds.run()

    @classmethod
    def tearDownClass(cls):
        names = set(re.findall(r'^  case \w+ = "([a-z.]+)"$', FAILPOINTS.read_text(), re.MULTILINE))
        assert names, "no failpoints found"
        if len(reached) > 5:
            assert names == reached, f"no test dies at {names - reached}"


reached = set()


if __name__ == "__main__":
    unittest.main()
