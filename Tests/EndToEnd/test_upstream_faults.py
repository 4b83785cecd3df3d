"""What apps see when the portal misbehaves during a refresh, when a thousand ask at once, and through a web map."""

import asyncio
import json
import signal
import time
import unittest
import urllib.parse

from stack import Browser, Stack, until

WEB_MAP = "e5039444ef3c48b8a8fdc9227f9be7c1"

# Faults after which the same refresh token goes on working, with the requests that one vend then sends.
PASSING = {
    "a server error": {"kind": "status", "value": 500},
    "an overloaded portal": {"kind": "status", "value": 503},
    "too many requests": {"kind": "status", "value": 429},
    "no JSON": {"kind": "garbage"},
    "a page of the web tier": {"kind": "html"},
    "a connection that is cut at once": {"kind": "drop"},
    "a connection that is cut after the portal acted": {"kind": "drop-after"},
    "half of an answer": {"kind": "truncate"},
}


class UpstreamFaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = Stack().start()
        cls.addClassCleanup(cls.stack.close)
        cls.stack.set_up()
        cls.stack.add_demo(
            "--resource", cls.stack.portal, "--resource", cls.stack.server_root, "--allow-network", "127.0.0.0/8",
            "--allow-network", "::1/128", "--allow-http")
        cls.client = cls.stack.add_client()
        cls.browser = Browser()
        cls.stack.sign_in(cls.browser)
        cls.tokens = cls.stack.app_token(cls.browser, cls.client)

    def setUp(self):
        self.addCleanup(self.stack.clear_faults)

    def vend(self, **parameters):
        return self.stack.vend(self.tokens["access_token"], **parameters)

    def forget_failures(self):
        """Waits until Gatehouse tries again after what failed: it pauses for a second, then for longer."""
        self.stack.clear_faults()

        def works():
            self.stack.age_credentials(-1)
            return self.vend().status == 200

        self.assertTrue(until(works, 15, 0.3))

    def test_a_token_that_still_works_is_served_while_the_portal_fails(self):
        for name, fault in PASSING.items():
            with self.subTest(name):
                self.stack.fault(endpoint="token.refresh_token", **fault)
                self.stack.age_credentials(45)
                vended = self.vend()
                self.assertEqual(vended.status, 200, vended.text)
                self.assertIn("fields", self.stack.call(vended))
                self.forget_failures()

    def test_without_one_the_app_is_told_when_to_come_back(self):
        for name, fault in PASSING.items():
            with self.subTest(name):
                self.stack.fault(endpoint="token.refresh_token", **fault)
                self.stack.age_credentials(-1)
                refused = self.vend()
                self.assertEqual(refused.status, 503, refused.text)
                self.assertEqual(refused.json["error"], "temporarily_unavailable")
                self.assertGreaterEqual(int(refused.headers["Retry-After"]), 1)
                self.assertNotIn("localhost", refused.json["error_description"])
                with self.subTest("and the portal is left alone until then"):
                    before = self.stack.counters()["token.refresh_token"]
                    self.assertEqual({self.vend().status for _ in range(20)}, {503})
                    # The first pause may end meanwhile, and is followed by a longer one.
                    self.assertLessEqual(self.stack.counters()["token.refresh_token"], before + 2)
                self.forget_failures()

    def test_a_slow_portal_is_waited_for(self):
        self.stack.fault(endpoint="token.refresh_token", kind="delay", value=1500, times=1)
        self.stack.age_credentials(-1)
        began = time.monotonic()
        self.assertEqual(self.vend().status, 200)
        self.assertGreaterEqual(time.monotonic() - began, 1.4)

    def test_a_caller_that_hangs_up_cancels_nothing(self):
        self.stack.fault(endpoint="token.refresh_token", kind="delay", value=1500, times=1)
        self.stack.age_credentials(-1)
        self.stack.reset_counters()
        with self.assertRaises(OSError):
            self.vend(timeout=0.3)
        self.assertEqual(self.vend().status, 200)
        self.assertEqual(self.stack.counters()["token.refresh_token"], 1)

    def test_a_refused_refresh_leads_the_person_back(self):
        self.stack.fault(endpoint="token.refresh_token", kind="refuse", times=1)
        self.stack.age_credentials(-1)
        refused = self.vend()
        self.assertEqual(refused.status, 400, refused.text)
        self.assertEqual(
            (refused.json["error"], refused.json["reason"]), ("interaction_required", "reauth_required"))
        with self.subTest("the portal is not asked again"):
            before = self.stack.counters()["token.refresh_token"]
            self.assertEqual(self.vend().json["reason"], "reauth_required")
            self.assertEqual(self.stack.counters()["token.refresh_token"], before)
        with self.subTest("the account page says so"):
            page = self.browser.get(self.stack.url + "/account").text
            self.assertIn("no longer accepts", page)
            self.assertIn("/connect/demo", page)
        with self.subTest("the list of connections says so"):
            listed = Browser().get(
                self.stack.url + "/v1/connections", headers={"Authorization": f"Bearer {self.tokens['access_token']}"})
            self.assertEqual(listed.json["connections"][0]["reason"], "reauth_required")
        with self.subTest("a stranger's browser is asked to sign in first"):
            stranger = Browser()
            page = stranger.get(refused.json["interaction_uri"])
            self.assertEqual(page.status, 303)
            self.assertIn("/signin", page.location)
        page = self.browser.get(refused.json["interaction_uri"])
        self.assertEqual(page.status, 200, page.text)
        page = self.browser.follow(
            self.browser.post(self.stack.url + "/connect", {**page.fields(), "do": "continue"}))
        page = self.stack.sign_in_at_portal(self.browser, page)
        self.assertEqual(page.status, 200, page.text)
        vended = self.vend()
        self.assertEqual(vended.status, 200, vended.text)
        self.assertIn("fields", self.stack.call(vended))

    def test_tokens_that_the_portal_killed_are_noticed_at_the_refresh(self):
        self.stack.kill_tokens()
        self.stack.age_credentials(-1)
        self.assertEqual(self.vend().json["reason"], "reauth_required")
        self.stack.sign_in(self.browser)
        self.assertEqual(self.vend().status, 200)

    def test_a_thousand_callers_make_one_refresh(self):
        self.stack.fault(endpoint="token.refresh_token", kind="delay", value=1000, times=1)
        self.stack.age_credentials(-1)
        self.stack.reset_counters()
        answers = asyncio.run(self.vend_at_once(1000))
        self.assertEqual({status for status, _ in answers}, {200})
        self.assertEqual(len({json.loads(body)["access_token"] for _, body in answers}), 1)
        self.assertEqual(self.stack.counters()["token.refresh_token"], 1)

    def test_callers_that_keep_coming_make_one_refresh(self):
        for _ in range(5):
            self.stack.age_credentials(-1)
            self.stack.reset_counters()
            answers = asyncio.run(self.vend_at_once(100))
            self.assertEqual({status for status, _ in answers}, {200})
            self.assertEqual(self.stack.counters()["token.refresh_token"], 1)

    async def vend_at_once(self, number):
        query = urllib.parse.urlencode({"resource": self.stack.portal + "/sharing/rest/community/self"})
        request = (
            f"GET /v1/token?{query} HTTP/1.1\r\nHost: localhost:{self.stack.port}\r\nConnection: close\r\n"
            f"Authorization: Bearer {self.tokens['access_token']}\r\n\r\n").encode()

        async def one():
            reader, writer = await asyncio.open_connection("127.0.0.1", self.stack.port)
            writer.write(request)
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
            writer.close()
            return int(head.split()[1]), body

        return await asyncio.wait_for(asyncio.gather(*(one() for _ in range(number))), 60)

    # The web map of the samples.

    def test_the_web_map_opens_through_vended_tokens(self):
        portal = f"{self.stack.portal}/sharing/rest/content/items/{WEB_MAP}"
        data = Browser().get(portal + "/data?f=json").json
        traffic = data["operationalLayers"][0]["url"]
        roads = data["baseMap"]["baseMapLayers"][0]["url"]
        self.assertTrue(traffic.startswith(self.stack.server_root))

        with self.subTest("signed out, the protected layer asks for a token and the public one does not"):
            self.assertEqual(self.stack.call(None, traffic)["error"]["code"], 499)
            self.assertEqual(self.stack.call(None, roads)["name"], "Roads")
        with self.subTest("entitled"):
            for url, name in ((traffic, "Traffic"), (roads, "Roads")):
                vended = self.stack.vend(self.tokens["access_token"], url)
                self.assertEqual(vended.status, 200, vended.text)
                self.assertEqual(self.stack.call(vended, url)["name"], name)
            features = Browser().get(
                traffic + "/query?f=json&where=1%3D1",
                headers={one["name"]: one["value"] for one in vended.json["headers"]}).json
            self.assertEqual(len(features["features"]), 3)
            item = self.stack.vend(self.tokens["access_token"], portal)
            self.assertEqual(self.stack.call(item, portal)["title"], "Traffic")
        with self.subTest("not entitled"):
            browser = Browser()
            self.stack.sign_in(browser, "ben")
            tokens = self.stack.app_token(browser, self.client)
            vended = self.stack.vend(tokens["access_token"], traffic)
            self.assertEqual(self.stack.call(vended, traffic)["error"]["code"], 403)
            self.assertEqual(self.stack.call(vended, roads)["name"], "Roads")
            self.stack.sign_out(browser)
        with self.subTest("another portal's server never gets a token"):
            stranger = f"http://stranger.localhost:{self.stack.simulator_port}/server/rest/services/X/FeatureServer"
            refused = self.stack.vend(self.tokens["access_token"], stranger)
            self.assertEqual((refused.status, refused.json["error"]), (400, "invalid_target"))
            self.assertNotIn("stranger.token", self.stack.counters())


class PortalDown(unittest.TestCase):
    def setUp(self):
        self.stack = Stack().start()
        self.addCleanup(self.stack.close)
        self.stack.set_up()
        self.stack.add_demo()
        self.client = self.stack.add_client()
        self.browser = Browser()
        self.stack.sign_in(self.browser)
        self.tokens = self.stack.app_token(self.browser, self.client)

    def test_a_portal_that_is_down_and_comes_back(self):
        stack = self.stack
        held = stack.vend(self.tokens["access_token"]).json["access_token"]
        stack.stop_simulator()
        with self.subTest("a federated server's token survives a restart"):
            stack.restart(signal.SIGKILL)
            vended = stack.vend(self.tokens["access_token"])
            self.assertEqual((vended.status, vended.json.get("access_token")), (200, held), vended.text)
        with self.subTest("what works goes on"):
            stack.age_credentials(45)
            self.assertEqual(self.vend().status, 200)
            stack.restart()
            self.assertEqual(self.vend().status, 200)
            self.assertEqual(self.browser.get(stack.url + "/account").status, 200)
        with self.subTest("what does not is said to the app, and why to the log"):
            stack.age_credentials(-1)
            refused = until(lambda: self.refused(), 5, 0.2)
            self.assertEqual((refused.status, refused.json["error"]), (503, "temporarily_unavailable"))
            self.assertIn("Retry-After", refused.headers)
            self.assertTrue(until(lambda: "cannot be reached" in stack.log_path.read_text(), 3))
        with self.subTest("nobody else's portal is needed to administer this one"):
            self.assertIn("no ArcGIS portal", stack.cli("connection", "create", "--id", "x", "--kind", "oauthUser",
                                                 "--portal-url", stack.url, "--client-id", "x", expect=1))
        with self.subTest("signing out says what did not work"):
            report = stack.sign_out(self.browser)
            self.assertEqual(report.status, 200)
            self.assertIn("Retrying", report.text)
            self.assertNotIn("Everything is finished", report.text)
            self.assertNotIn("finished its part", report.text)
            self.assertEqual(self.vend().status, 401)
            self.assertEqual(stack.query("SELECT count(*) FROM revocation"), [(1,)])
        with self.subTest("and it is done later, also after a restart"):
            stack.restart()
            stack.start_simulator()
            stack.end_delays()
            self.assertTrue(until(lambda: stack.counters().get("revokeToken") == 1, 15, 0.2))
            self.assertTrue(until(lambda: stack.query("SELECT count(*) FROM revocation") == [(0,)], 5, 0.1))
            self.assertEqual(stack.query("SELECT count(*) FROM credential"), [(0,)])

    def vend(self):
        return self.stack.vend(self.tokens["access_token"], self.stack.portal + "/sharing/rest/community/self")

    def refused(self):
        answer = self.vend()
        return answer if answer.status != 200 else None


if __name__ == "__main__":
    unittest.main()
