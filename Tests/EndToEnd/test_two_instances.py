"""Two instances of one installation share a PostgreSQL database: what one ends or uses up, the other knows of."""

import base64
import concurrent.futures
import secrets
import signal
import time
import unittest

from joserfc.jwk import ECKey

import forged_tokens as forged
from postgresql import Cluster, SharedStack
from stack import Browser, until

# Seconds after which whatever ended at one instance has ended at every other.
EVERYWHERE = 1
CALLERS = 30


def setUpModule():
    global cluster
    cluster = Cluster()


def at_once(*works):
    """Does all of `works` at the same time; gives what each came to."""
    with concurrent.futures.ThreadPoolExecutor(len(works)) as pool:
        return [one.result() for one in [pool.submit(work) for work in works]]


class TwoInstances(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.one = SharedStack(cluster)
        cls.addClassCleanup(cls.one.close)
        cls.one.start()
        cls.one.set_up()
        cls.one.add_demo()
        cls.two = cls.one.beside()
        cls.addClassCleanup(cls.two.close)
        cls.two.start()

    def setUp(self):
        """A person and their app, whom both instances know well."""
        self.client = self.one.add_client()
        self.person = Browser()
        self.one.sign_in(self.person)
        self.tokens = self.one.app_token(self.person, self.client)
        for _ in range(3):
            self.assertEqual(self.vend(self.one).status, 200)
            self.assertEqual(self.vend(self.two).status, 200)

    def vend(self, instance):
        return instance.vend(self.tokens["access_token"])

    def at_two(self):
        """The person's browser on its way to the other instance."""
        browser = self.two.browser()
        browser.cookies = self.person.cookies
        return browser

    def account_id(self):
        return self.one.query("SELECT DISTINCT account_id FROM credential")[0][0]

    def enable_at_the_end(self, kind, id):
        self.addCleanup(lambda: (self.one.cli(kind, "enable", id), time.sleep(EVERYWHERE)))

    # What ends.

    def test_a_client_that_is_disabled(self):
        self.one.cli("client", "disable", self.client["client_id"])
        time.sleep(EVERYWHERE)
        self.assertEqual(self.vend(self.two).status, 401)
        self.assertEqual(self.two.token(self.client, grant_type="client_credentials").status, 401)

    def test_an_account_that_is_disabled(self):
        self.enable_at_the_end("account", self.account_id())
        self.one.cli("account", "disable", self.account_id())
        time.sleep(EVERYWHERE)
        self.assertEqual(self.vend(self.two).status, 401)
        self.assertEqual(self.at_two().get(self.one.url + "/account").status, 303)

    def test_a_session_that_is_signed_out(self):
        self.assertEqual(self.at_two().get(self.one.url + "/account").status, 200)
        self.assertEqual(self.one.sign_out(self.person).status, 200)
        time.sleep(EVERYWHERE)
        self.assertEqual(self.vend(self.two).status, 401)
        self.assertEqual(self.at_two().get(self.one.url + "/account").status, 303)
        refreshed = self.two.token(self.client, grant_type="refresh_token", refresh_token=self.tokens["refresh_token"])
        self.assertEqual(refreshed.json["error"], "invalid_grant")

    def test_an_instance_that_slept_believes_nothing_it_knew(self):
        self.addCleanup(self.two.server.send_signal, signal.SIGCONT)
        self.two.server.send_signal(signal.SIGSTOP)
        self.one.cli("client", "disable", self.client["client_id"])
        time.sleep(EVERYWHERE)
        with concurrent.futures.ThreadPoolExecutor(CALLERS) as pool:
            calls = [pool.submit(self.vend, self.two) for _ in range(CALLERS)]
            self.two.server.send_signal(signal.SIGCONT)
            self.assertEqual({call.result().status for call in calls}, {401})

    def test_a_signing_key_that_is_taken_back(self):
        self.one.cli("keys", "rotate-signing", "--algorithm", "ES256", "--now")
        time.sleep(EVERYWHERE)
        self.assertEqual(self.vend(self.two).status, 401)
        renewed = self.two.token(self.client, grant_type="refresh_token", refresh_token=self.tokens["refresh_token"])
        self.assertEqual(self.one.vend(renewed.json["access_token"]).status, 200)

    # What is used up.

    def test_an_expired_token_is_refreshed_once_by_both_together(self):
        for rotation in range(3):
            with self.subTest(rotation):
                self.one.age_credentials()
                time.sleep(EVERYWHERE)
                self.one.reset_counters()
                vended = at_once(*[lambda at=at: self.vend(at) for at in (self.one, self.two) for _ in range(CALLERS)])
                self.assertEqual({one.status for one in vended}, {200}, {one.text for one in vended if one.status != 200})
                self.assertEqual(self.one.counters().get("token.refresh_token"), 1)
        self.assertEqual(self.one.query("SELECT count(*) FROM refresh_attempt"), [(0,)])

    def test_a_code_is_redeemed_once(self):
        arrived, verifier = self.one.authorize(self.person, self.client)
        answers = at_once(*[
            lambda at=at: at.redeem(self.client, arrived["code"], verifier)
            for at in (self.one, self.two) for _ in range(5)])
        self.assertEqual(sorted(one.status for one in answers), [200] + 9 * [400])

    def test_a_refresh_token_has_one_successor(self):
        answers = at_once(*[
            lambda at=at: at.token(self.client, grant_type="refresh_token", refresh_token=self.tokens["refresh_token"])
            for at in (self.one, self.two) for _ in range(5)])
        given = [one.json["refresh_token"] for one in answers if one.status == 200]
        self.assertEqual(len(set(given)), 1, [one.text for one in answers])

    def test_a_proof_is_used_once(self):
        key, now = ECKey.generate_key("P-256"), int(time.time())
        claims = {"jti": secrets.token_hex(16), "htm": "POST", "htu": self.one.url + "/oauth2/token", "iat": now}
        header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": key.as_dict(private=False)}
        proof = forged.compact(header, claims, key)
        answers = at_once(*[lambda at=at: self.post_with_proof(at, proof) for at in (self.one, self.two) for _ in range(5)])
        self.assertEqual(sorted(one.status for one in answers), [200] + 9 * [400], [one.text for one in answers])
        self.assertIn("used before", next(one.text for one in answers if one.status == 400))

    def post_with_proof(self, instance, proof):
        secret = f"{self.client['client_id']}:{self.client['client_secret']}".encode()
        return instance.browser().post(
            instance.url + "/oauth2/token", {"grant_type": "client_credentials"},
            headers={"DPoP": proof, "Authorization": "Basic " + base64.b64encode(secret).decode()})

    # What they go by.

    def test_the_clock_of_the_database_server_counts(self):
        stack = SharedStack(cluster)
        self.addCleanup(stack.close)
        # One that is an hour ahead stands before the server's own.
        stack.query(
            "CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS "
            "$$ SELECT pg_catalog.clock_timestamp() + interval '1 hour' $$")
        stack.query(f"ALTER DATABASE {stack.database} SET search_path = public, pg_catalog")
        stack.start()
        self.assertTrue(until(lambda: "clock differs" in stack.log_path.read_text()))
        stack.set_up()
        ((written,),) = stack.query("SELECT max(at) FROM audit")
        self.assertAlmostEqual(written, time.time() + 3600, delta=30)

    # What is written by both.

    def test_the_audit_log_is_one(self):
        at_once(*[lambda at=at: self.vend(at) for at in (self.one, self.two) for _ in range(CALLERS)])
        self.assertIn("intact", self.two.cli("audit", "verify"))
        self.assertIn("0 do not", self.two.cli("keys", "verify"))

    def test_one_dies_and_the_other_goes_on(self):
        self.one.stop(signal.SIGKILL)
        try:
            self.assertEqual(self.vend(self.two).status, 200)
            self.assertIn("ana", self.two.cli("account", "list"))
        finally:
            self.one.start()
        self.assertEqual(self.vend(self.one).status, 200)


if __name__ == "__main__":
    unittest.main()
