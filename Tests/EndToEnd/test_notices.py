"""What people are told: on the page, and by a real mail server."""

import re
import signal
import time
import unittest

from mailbox import Mailbox
from stack import ADMINISTRATOR, Browser, Stack, make_certificate, until

ANA = "ana@mail.example"


def text(mail):
    return mail.get_content()


class OnThePage(unittest.TestCase):
    def test_a_service_that_breaks_and_is_mended(self):
        stack = Stack().start()
        self.addCleanup(stack.close)
        stack.set_up()
        stack.add_demo()
        browser = Browser()
        stack.sign_in(browser)
        client = stack.add_client()
        token = stack.app_token(browser, client)["access_token"]
        self.assertEqual(stack.vend(token).status, 200)
        page = browser.get(stack.url + "/account").text
        self.assertRegex(page, r"Test app \w+ used Demo portal for the first time\.")
        self.assertEqual(stack.vend(token).status, 200)

        stack.kill_tokens()
        stack.age_credentials()
        for _ in range(3):
            self.assertNotEqual(stack.vend(token).status, 200)
        stack.restart(signal.SIGKILL)
        kinds = [kind for (kind,) in stack.query("SELECT kind FROM notice ORDER BY at, id")]
        self.assertEqual(sorted(kinds), ["app_first_use", "service_broken"])
        page = browser.get(stack.url + "/account")
        self.assertIn("Demo portal no longer accepts the stored sign-in.", page.text)
        self.assertIn('href="/connect/demo"', page.text)

        stack.sign_in(browser)
        page = browser.get(stack.url + "/account")
        self.assertIn("Demo portal works again.", page.text)
        self.assertNotIn("no longer accepts", page.text)
        shown = re.findall(r'name="notice" value="([^"]+)"', page.text)
        form = [("csrf", page.field("csrf")), *(("notice", one) for one in shown)]
        done = browser.post(stack.url + "/account/notices", form)
        self.assertEqual((done.status, done.location), (303, "/account"))
        self.assertNotIn("What is new", browser.get(stack.url + "/account").text)
        self.assertIn("Demo portal works again.", browser.get(stack.url + "/account/notices").text)


class ByMail(unittest.TestCase):
    def setUp(self):
        self.stack = Stack()
        self.addCleanup(self.stack.close)

    def serve(self, mailbox, **settings):
        self.addCleanup(mailbox.close)
        self.settings = {
            "GATEHOUSE_SMTP_URL": f"smtp://localhost:{mailbox.port}", "GATEHOUSE_MAIL_FROM": "gatehouse@mail.example",
            "GATEHOUSE_ORGANISATION": "Stadt München & Söhne", **settings}
        self.stack.environment.update(self.settings)
        self.stack.start()
        self.stack.set_up()
        (account,) = self.stack.query("SELECT id FROM account WHERE username = ?", ADMINISTRATOR[0])[0]
        self.stack.cli("account", "email", account, "--email", ANA)
        return account

    def sign_in(self, browser=None, language="en"):
        browser = browser or Browser()
        page = browser.get(self.stack.url + "/signin")
        fields = {**page.fields(), "username": ADMINISTRATOR[0], "password": ADMINISTRATOR[1]}
        answer = browser.post(self.stack.url + "/signin", fields, headers={"Accept-Language": language})
        self.assertEqual(answer.status, 303, answer.text)
        return browser

    def test_a_mail_in_the_language_of_its_reader_by_starttls_with_a_login(self):
        certificate, key = make_certificate(self.stack.directory)
        password = self.stack.directory / "smtp-password"
        password.write_text("smtp geheim\n")
        password.chmod(0o400)
        mailbox = Mailbox(certificate, key, login=("gate", "smtp geheim"))
        self.serve(
            mailbox, GATEHOUSE_SMTP_TLS="required", GATEHOUSE_AUTHORITIES=str(certificate), GATEHOUSE_SMTP_USER="gate",
            GATEHOUSE_SMTP_PASSWORD_FILE=str(password))
        mailbox.to(ANA)
        self.sign_in()
        self.sign_in(language="de")
        mails = mailbox.to(ANA, 2)
        self.assertTrue(all(mailbox.was_protected))
        mail = mails[-1]
        self.assertEqual(mail["From"].addresses[0].display_name, "Stadt München & Söhne")
        self.assertEqual(mail["From"].addresses[0].addr_spec, "gatehouse@mail.example")
        self.assertEqual(mail["Auto-Submitted"], "auto-generated")
        self.assertEqual(mail.get_content_type(), "text/plain")
        self.assertTrue(mail["Date"].datetime)
        self.assertRegex(mail["Message-ID"], r"^<mail_\w+@mail\.example>$")
        self.assertIn("Jemand hat sich in einem Browser", text(mail))
        self.assertIn(self.stack.url + "/account/security", text(mail))
        self.assertNotIn("smtp geheim", self.stack.log_path.read_text())
        self.assertIn("has taken", self.stack.cli("mail", "test", "bo@mail.example"))
        self.assertEqual(len(mailbox.to("bo@mail.example")), 1)

    def test_a_mail_comes_once_the_server_is_there_again_also_after_a_crash(self):
        mailbox = Mailbox()
        mailbox.refuses = True
        self.serve(mailbox)
        self.sign_in()
        begun = time.monotonic()
        self.sign_in()
        self.assertLess(time.monotonic() - begun, 3)
        until(lambda: self.stack.query("SELECT count(*) FROM outgoing_mail WHERE attempts > 0")[0][0] == 2)
        self.stack.stop(signal.SIGKILL)
        mailbox.refuses = False
        self.assertEqual(mailbox.mails, [])
        self.stack.start()
        mails = mailbox.to(ANA, 2)
        self.assertEqual(len(mails), 2)
        self.assertTrue(until(lambda: self.stack.query("SELECT count(*) FROM outgoing_mail")[0][0] == 0))

    def test_a_server_that_does_not_offer_tls_gets_nothing(self):
        mailbox = Mailbox()
        self.serve(mailbox, GATEHOUSE_SMTP_TLS="required")
        said = self.stack.cli("mail", "test", "bo@mail.example", expect=1)
        self.assertIn("did not take the mail", said)
        self.assertEqual(mailbox.mails, [])

    def test_a_person_gives_another_address_which_counts_once_it_is_confirmed(self):
        mailbox = Mailbox()
        self.serve(mailbox)
        mailbox.to(ANA)
        browser = self.sign_in()
        page = browser.get(self.stack.url + "/account/security/email")
        form = {"csrf": page.field("csrf"), "email": "no address\r\nBcc: x@y.example"}
        self.assertEqual(browser.post(self.stack.url + "/account/security/email", form).status, 422)
        page = browser.get(self.stack.url + "/account/security/email")
        form = {"csrf": page.field("csrf"), "email": "ana2@mail.example"}
        answer = browser.post(self.stack.url + "/account/security/email", form)
        self.assertEqual(answer.status, 303, answer.text)
        self.assertIn("waits to be opened", browser.follow(answer).text)
        mail = mailbox.to("ana2@mail.example")[0]
        link = re.search(r"http\S+/email\?ticket=\S+", text(mail))[0]
        self.assertEqual(self.stack.query("SELECT email FROM contact"), [(ANA,)])
        reader = Browser()
        page = reader.get(link)
        self.assertIn("ana2@mail.example", page.text)
        self.assertEqual(self.stack.query("SELECT email FROM contact"), [(ANA,)], "looking changes nothing")
        done = reader.post(self.stack.url + "/email", page.fields())
        self.assertEqual(done.status, 303, done.text)
        self.assertEqual(self.stack.query("SELECT email FROM contact"), [("ana2@mail.example",)])
        self.assertIn("not sent to this address any more", text(mailbox.to(ANA, 2)[-1]))
        self.assertEqual(reader.get(link).status, 404)

    def test_a_forgotten_password_is_set_by_a_link_that_comes_by_mail(self):
        mailbox = Mailbox()
        self.serve(mailbox)
        mailbox.to(ANA)
        self.assertIn("Forgotten your password?", Browser().get(self.stack.url + "/signin").text)
        old = self.sign_in()
        answers = []
        for name in ("nobody", ADMINISTRATOR[0]):
            browser = Browser()
            page = browser.get(self.stack.url + "/forgotten")
            answer = browser.post(self.stack.url + "/forgotten", {"csrf": page.field("csrf"), "username": name})
            self.assertEqual(answer.status, 200, answer.text)
            answers.append(re.sub(r"<time.*|<code>.*", "", answer.text))
        self.assertEqual(*answers)

        def links():
            return [found for mail in mailbox.to(ANA, 1) for found in re.findall(r"http\S+/password\?ticket=\S+", text(mail))]

        self.assertTrue(until(links, 20))
        link = links()[0]
        self.assertEqual(len(links()), 1)
        (ends,) = self.stack.query("SELECT expires_at FROM password_link")[0]
        self.assertLessEqual(ends, time.time() + 3600)
        browser = Browser()
        page = browser.get(link)
        password = "nine violet umbrellas dancing"
        form = {**page.fields(), "password": password, "password_again": password}
        self.assertEqual(browser.post(self.stack.url + "/password", form).status, 303)
        self.assertEqual(old.get(self.stack.url + "/account").status, 303, "other browsers are signed out")
        page = browser.get(self.stack.url + "/signin")
        fields = {**page.fields(), "username": ADMINISTRATOR[0], "password": password}
        self.assertEqual(browser.post(self.stack.url + "/signin", fields).status, 303)
        self.assertEqual(Browser().get(link).status, 404)

    def test_links_for_forgotten_passwords_are_few(self):
        mailbox = Mailbox()
        self.serve(mailbox)
        statuses = []
        for _ in range(11):
            browser = Browser()
            page = browser.get(self.stack.url + "/forgotten")
            form = {"csrf": page.field("csrf"), "username": ADMINISTRATOR[0]}
            statuses.append(browser.post(self.stack.url + "/forgotten", form).status)
        self.assertEqual(statuses, [200] * 10 + [429])
        until(lambda: self.stack.query("SELECT count(*) FROM outgoing_mail")[0][0] == 0, 20)
        asked = self.stack.query("SELECT count(*) FROM audit WHERE name = 'authn_password_forgotten'")
        self.assertEqual(asked, [(3,)])

    def test_settings_that_do_not_fit_are_told_at_the_start(self):
        wrong = {
            "GATEHOUSE_SMTP_URL is \"http://x\"": {"GATEHOUSE_SMTP_URL": "http://x"},
            "GATEHOUSE_MAIL_FROM is \"\"": {"GATEHOUSE_MAIL_FROM": ""},
            "GATEHOUSE_SMTP_URL is not": {"GATEHOUSE_SMTP_URL": ""},
            "GATEHOUSE_SMTP_PASSWORD_FILE is not": {"GATEHOUSE_SMTP_USER": "gate"},
            "would go in clear to mail.example": {
                "GATEHOUSE_SMTP_TLS": "none", "GATEHOUSE_SMTP_USER": "gate", "GATEHOUSE_SMTP_PASSWORD_FILE": "x"},
        }
        for sentence, settings in wrong.items():
            base = {"GATEHOUSE_SMTP_URL": "smtp://mail.example", "GATEHOUSE_MAIL_FROM": "gatehouse@mail.example"}
            self.assertIn(sentence, self.stack.cli("serve", expect=1, **{**base, **settings}))


if __name__ == "__main__":
    unittest.main()
