"""Passkeys in a real browser, with Chromium's virtual authenticator in place of a device."""

import unittest

from chromium import Chromium
from selenium.webdriver.common.by import By
from stack import ADMINISTRATOR, Stack, until


class Passkeys(unittest.TestCase):
    def setUp(self):
        self.stack = Stack().start()
        self.addCleanup(self.stack.close)
        self.stack.set_up()
        self.chromium = Chromium()
        self.addCleanup(self.chromium.close)
        self.chromium.command("WebAuthn.enable", enableUI=False)
        self.authenticator = self.chromium.command("WebAuthn.addVirtualAuthenticator", options={
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
            "isUserVerified": True, "automaticPresenceSimulation": True})["authenticatorId"]

    def see(self, name, *words):
        for word in words:
            self.assertIn(word.lower(), self.chromium.text.lower(), self.chromium.url)
        self.assertEqual(self.chromium.photograph(name), 0, f"{name} is wider than the window")
        self.assertEqual(self.chromium.complaints(), [], name)

    def password(self, path="/signin"):
        self.chromium.open(self.stack.url + path)
        self.chromium.fill("username", ADMINISTRATOR[0])
        self.chromium.fill("password", ADMINISTRATOR[1])
        self.chromium.follow(self.chromium.find("form:not([data-passkey]) button"))

    def add(self, name):
        self.chromium.open(self.stack.url + "/account/security")
        self.chromium.press("Add a passkey")
        self.see("account-passkey-new", "Add a passkey", "fingerprint")
        self.chromium.fill("name", name)
        self.chromium.press("Create passkey")

    def sign_out(self):
        self.chromium.open(self.stack.url + "/signout")
        self.chromium.press("Sign out")
        self.chromium.driver.delete_all_cookies()

    def credentials(self):
        return self.chromium.command("WebAuthn.getCredentials", authenticatorId=self.authenticator)["credentials"]

    def present(self, is_there):
        """Whether somebody touches the device: without, nothing answers by itself while a page opens."""
        self.chromium.command(
            "WebAuthn.setAutomaticPresenceSimulation", authenticatorId=self.authenticator, enabled=is_there)

    def test_register_sign_in_second_step_and_remove(self):
        chromium = self.chromium
        self.present(False)
        self.password()
        self.present(True)
        self.add("Work phone")
        self.see("account-recovery-codes-passkey", "Keep these codes now")
        self.assertEqual(len(self.credentials()), 1)
        chromium.open(self.stack.url + "/account/security")
        self.see("account-security-passkey", "Work phone", "Not used yet", "10 of 10 left")

        # Alone: no name, no password.
        self.present(False)
        self.sign_out()
        chromium.open(self.stack.url + "/signin")
        self.see("sign-in-passkey", "Sign in with a passkey")
        self.present(True)
        chromium.find("form[data-passkey] button").click()
        chromium.wait_for("/account")
        chromium.open(self.stack.url + "/account/security")
        self.see("account-security-passkey-used", "Last used")

        # To the administration, too.
        self.present(False)
        chromium.open(self.stack.url + "/signin?ticket=admin")
        self.present(True)
        chromium.find("form[data-passkey] button").click()
        chromium.wait_for("/admin")

        # As the second step.
        self.present(False)
        self.sign_out()
        self.password()
        chromium.wait_for("/second-factor")
        self.see("second-factor-passkey", "Use your passkey", "Use a recovery code")
        self.present(True)
        chromium.find("form[data-passkey] button").click()
        chromium.wait_for("/account")

        chromium.open(self.stack.url + "/account/security")
        chromium.follow(chromium.find('form[action$="/remove"] button'))
        self.see("account-security-passkey-removed", "The passkey signs in no more")
        self.present(False)
        self.sign_out()
        chromium.open(self.stack.url + "/signin")
        self.present(True)
        chromium.find("form[data-passkey] button").click()
        chromium.until(lambda: "The passkey was not accepted" in chromium.text, "refusal")
        self.see("sign-in-passkey-refused", "The passkey was not accepted")
        self.password()
        chromium.wait_for("/account")

    def test_the_page_offers_passkeys_under_the_field_for_the_name(self):
        self.present(False)
        self.password()
        self.present(True)
        self.add("Laptop")
        self.see("account-recovery-codes-laptop", "Keep these codes now")
        self.present(False)
        self.sign_out()
        self.present(True)
        self.chromium.open(self.stack.url + "/signin")
        self.chromium.wait_for("/account")

    def test_a_counter_that_went_back_and_a_device_that_verifies_nobody(self):
        chromium = self.chromium
        self.present(False)
        self.password()
        self.present(True)
        self.add("Key")
        self.see("account-recovery-codes-key", "Keep these codes now")
        self.stack.query("UPDATE passkey SET counter = 1000000")
        self.present(False)
        self.sign_out()
        chromium.open(self.stack.url + "/signin")
        self.present(True)
        chromium.find("form[data-passkey] button").click()
        chromium.until(lambda: "The passkey was not accepted" in chromium.text, "refusal")
        # The log is written 200 ms later at most.
        self.assertTrue(until(lambda: "went back" in self.stack.log_path.read_text()))

    def test_with_scripts_off_the_rest_works(self):
        plain = Chromium(runs_scripts=False)
        self.addCleanup(plain.close)
        plain.open(self.stack.url + "/signin")
        self.assertFalse(plain.driver.find_element(By.CSS_SELECTOR, "form[data-passkey]").is_displayed())
        plain.fill("username", ADMINISTRATOR[0])
        plain.fill("password", ADMINISTRATOR[1])
        plain.follow(plain.find("form:not([data-passkey]) button"))
        plain.open(self.stack.url + "/account/security/passkeys/new")
        self.assertIn("Passkeys need scripts", plain.text)
