"""A command line that has no browser: curl asks, a person allows it in Chromium (RFC 8628)."""

import json
import subprocess
import time
import unittest

from chromium import Chromium
from stack import Stack

GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class Device(unittest.TestCase):
    def setUp(self):
        self.stack = Stack().start()
        self.addCleanup(self.stack.close)
        self.stack.set_up()
        self.stack.add_demo()
        self.client = json.loads(self.stack.cli(
            "client", "create", "--name", "Survey tool", "--type", "confidential", "--grant", "device_code",
            "--grant", "refresh_token", "--scope", "vend", "--connection", "demo", "--json"))
        self.chromium = Chromium()
        self.addCleanup(self.chromium.close)

    def curl(self, path, **form):
        """What curl gets, as the tool would send it."""
        fields = [part for name, value in form.items() for part in ("--data-urlencode", f"{name}={value}")]
        answer = subprocess.run(
            ["curl", "-s", "--user", f"{self.client['client_id']}:{self.client['client_secret']}", *fields,
             f"{self.stack.url}{path}"], capture_output=True, text=True, timeout=30, check=True)
        return json.loads(answer.stdout)

    def poll(self, ask, interval):
        """The tokens, asked for as RFC 8628 §3.5 wants it: five seconds more between two questions after `slow_down`."""
        for _ in range(4):
            time.sleep(interval)
            answer = self.curl("/oauth2/token", **ask)
            if answer.get("error") == "slow_down":
                interval += 5
            elif answer.get("error") != "authorization_pending":
                return answer
        self.fail(f"still {answer}")

    def test_a_person_allows_what_a_device_asks(self):
        codes = self.curl("/oauth2/device_authorization", scope="vend")
        ask = {"grant_type": GRANT, "device_code": codes["device_code"]}
        self.assertEqual(self.curl("/oauth2/token", **ask)["error"], "authorization_pending")

        self.chromium.open(codes["verification_uri"])
        self.chromium.press("Demo portal")
        self.chromium.sign_in_at_portal()
        self.chromium.wait_for("/device")
        self.chromium.photograph("device")
        self.chromium.fill("user_code", "wdjb mjht")
        self.chromium.press("Continue")
        self.chromium.until(lambda: "No device waits with this code" in self.chromium.text, "the refusal")
        self.chromium.photograph("device-refused")

        self.chromium.open(codes["verification_uri_complete"])
        self.assertEqual(self.chromium.find("#user_code").get_attribute("value"), codes["user_code"])
        self.chromium.press("Continue")
        self.chromium.until(lambda: "Do you have it in front of you" in self.chromium.text, "the question")
        self.assertIn("127.0.0.1", self.chromium.text)
        self.chromium.photograph("consent-device")
        self.chromium.find("input[value=demo]").click()
        self.chromium.follow(self.chromium.find("button[value=allow]"))
        self.assertIn("Go back to your device", self.chromium.text)
        self.chromium.photograph("device-answered")
        self.assertEqual(self.chromium.complaints(), [])

        tokens = self.poll(ask, codes["interval"])
        vended = self.stack.vend(tokens["access_token"]).json
        self.assertIn("access_token", vended)
        self.assertEqual(self.curl("/oauth2/token", **ask)["error"], "invalid_grant")
