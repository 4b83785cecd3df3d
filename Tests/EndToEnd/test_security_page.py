"""What a person does about the safety of their own account, in a real browser with scripts off."""

import re
import subprocess
import time
import unittest

from chromium import Chromium
from stack import ADMINISTRATOR, ARTEFACTS, Browser, Stack

NEW_PASSWORD = "nine violet umbrellas dancing"


class SecurityPage(unittest.TestCase):
    def setUp(self):
        self.stack = Stack().start()
        self.addCleanup(self.stack.close)
        self.stack.set_up()

    def sign_in(self, password=ADMINISTRATOR[1]):
        """Another browser, and the answer to its sign-in."""
        browser = Browser()
        page = browser.get(self.stack.url + "/signin")
        fields = {**page.fields(), "username": ADMINISTRATOR[0], "password": password}
        return browser, browser.post(self.stack.url + "/signin", fields)

    def see(self, name, *words):
        for word in words:
            self.assertIn(word.lower(), self.chromium.text.lower(), self.chromium.url)
        self.assertEqual(self.chromium.photograph(name), 0, f"{name} is wider than the window")
        self.assertEqual(self.chromium.complaints(), [], name)

    def test_password_and_browsers(self):
        other, _ = self.sign_in()
        third, _ = self.sign_in()
        self.chromium = chromium = Chromium(runs_scripts=False)
        self.addCleanup(chromium.close)
        chromium.open(self.stack.url + "/signin")
        chromium.fill("username", ADMINISTRATOR[0])
        chromium.fill("password", ADMINISTRATOR[1])
        chromium.follow(chromium.find("form button"))
        chromium.open(self.stack.url + "/account/security")
        self.see("account-security", "Where you are signed in", "This browser", "Chrome on Linux", "127.0.0.1")

        chromium.follow(chromium.find('form[action*="/sessions/"] button'))
        self.see("account-security-ended", "That browser is signed out.")
        self.assertEqual([b.get(self.stack.url + "/account").status for b in (other, third)].count(200), 1)

        chromium.press("Change password")
        self.see("account-password", "At least 15 characters")
        chromium.fill("present_password", "not this one at all")
        chromium.fill("password", NEW_PASSWORD)
        chromium.fill("password_again", NEW_PASSWORD)
        chromium.press("Change password")
        self.see("account-password-wrong", "This is not your present password")
        chromium.fill("present_password", ADMINISTRATOR[1])
        chromium.fill("password", "Password1234567!")
        chromium.fill("password_again", "Password1234567!")
        chromium.press("Change password")
        self.see("account-password-common", "Many people use a password like this one")
        chromium.fill("present_password", ADMINISTRATOR[1])
        chromium.fill("password", NEW_PASSWORD)
        chromium.fill("password_again", NEW_PASSWORD)
        chromium.press("Change password")
        self.see("account-password-changed", "Your password is changed. The other browsers are signed out.")
        self.assertEqual({b.get(self.stack.url + "/account").status for b in (other, third)}, {303})
        self.assertEqual(self.sign_in()[1].status, 422)
        self.assertEqual(self.sign_in(NEW_PASSWORD)[1].status, 303)

        # Later than five minutes after the sign-in it has to be repeated, in this browser alone.
        self.stack.query("UPDATE session SET authenticated_at = authenticated_at - 301")
        chromium.open(self.stack.url + "/account/security")
        chromium.press("Sign out all other browsers")
        self.see("sign-in-again", "Sign in once more")
        chromium.fill("password", NEW_PASSWORD)
        chromium.press("Sign in")
        chromium.press("Sign out all other browsers")
        self.see("account-security-alone", "The other browsers are signed out.")

    def open_account(self):
        """A browser that is signed in with the password alone, on the security page."""
        self.chromium = chromium = Chromium(runs_scripts=False)
        self.addCleanup(chromium.close)
        chromium.open(self.stack.url + "/signin")
        chromium.fill("username", ADMINISTRATOR[0])
        chromium.fill("password", ADMINISTRATOR[1])
        chromium.follow(chromium.find("form button"))
        chromium.open(self.stack.url + "/account/security")
        return chromium

    def scan(self, name):
        """What a phone reads off the picture of the page."""
        picture = ARTEFACTS / "screenshots" / f"{name}.png"
        done = subprocess.run(["zbarimg", "--quiet", "--raw", str(picture)], capture_output=True, text=True, timeout=30)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def code(self, secret, later=0):
        """What a real authenticator shows, from the middle of its time on so that it stays for a while."""
        if time.time() % 30 > 25:
            time.sleep(6)
        done = subprocess.run(
            ["oathtool", "--totp", "--base32", "--now", f"@{int(time.time()) + later}", secret],
            capture_output=True, text=True, timeout=30, check=True)
        return done.stdout.strip()

    def test_authenticator_app_and_recovery_codes(self):
        chromium = self.open_account()
        chromium.press("Set up")
        self.see("account-authenticator", "Scan this with the app", "Key")
        address = self.scan("account-authenticator-1280-light")
        self.assertEqual(self.scan("account-authenticator-390-dark"), address)
        secret = re.fullmatch(r"otpauth://totp/Gatehouse:root\?secret=([A-Z2-7]{32})&issuer=Gatehouse", address)[1]
        self.assertIn(secret, chromium.text.replace(" ", ""))
        chromium.fill("code", "000000")
        chromium.press("Turn on")
        self.see("account-authenticator-wrong", "This is not the code of now")
        first = self.code(secret)
        chromium.fill("code", first)
        chromium.press("Turn on")
        self.see("account-recovery-codes", "Keep these codes now")
        codes = re.findall(r"[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}", chromium.text)
        self.assertEqual(len(codes), 10)
        chromium.press("I have kept them")
        self.see("account-security-on", "10 of 10 left")

        self.chromium = chromium = Chromium(runs_scripts=False)
        self.addCleanup(chromium.close)
        chromium.open(self.stack.url + "/signin?ticket=admin")
        chromium.fill("username", ADMINISTRATOR[0])
        chromium.fill("password", ADMINISTRATOR[1])
        chromium.follow(chromium.find("form button"))
        self.see("second-factor", "Confirm that it is you")
        chromium.fill("code", first)
        chromium.press("Sign in")
        self.see("second-factor-wrong", "it was used before")
        chromium.fill("code", self.code(secret, later=30))
        chromium.press("Sign in")
        chromium.wait_for("/admin")

        chromium.open(self.stack.url + "/signin")
        chromium.fill("username", ADMINISTRATOR[0])
        chromium.fill("password", ADMINISTRATOR[1])
        chromium.follow(chromium.find("form button"))
        chromium.find("summary").click()
        chromium.fill("recovery_code", codes[0].lower())
        chromium.press("Sign in with it")
        chromium.open(self.stack.url + "/account/security")
        self.see("account-security-nine", "9 of 10 left")
        chromium.open(self.stack.url + "/admin/accounts")
        self.see("admin-accounts-root")
        self.assertNotIn(secret.encode(), self.database())
        self.assertNotIn(codes[1].replace("-", "").encode(), self.database())

        # Whoever has lost everything asks whoever may run commands.
        account = self.stack.query("SELECT id FROM account WHERE username = ?", ADMINISTRATOR[0])[0][0]
        self.assertIn('"recovery_codes": 9', self.stack.cli("account", "remove-factors", account))
        self.assertEqual(self.sign_in()[1].location, "/account")
        self.stack.cli("account", "remove-factors", account, expect=1)

    def database(self):
        return b"".join(file.read_bytes() for file in self.stack.data.glob("gatehouse.db*"))
