"""What others may try against the running programs."""

import pathlib
import re
import shutil
import socket
import tempfile
import time
import unittest

from stack import Stack, make_certificate


class Attacks(unittest.TestCase):
    def stack(self, **options):
        stack = Stack(**options)
        self.addCleanup(stack.close)
        return stack

    def test_the_command_line_signs_nobody_in(self):
        stack = self.stack().start()
        stack.set_up()
        self.assertEqual(stack.query("SELECT count(*) FROM session"), [(0,)])

    def test_a_silent_caller_of_the_control_socket_holds_up_neither_commands_nor_the_stop(self):
        stack = self.stack().start()
        with socket.socket(socket.AF_UNIX) as silent:
            silent.connect(str(stack.data / "gatehouse.sock"))
            self.assertIn("[]", stack.cli("client", "list", "--json"))
        with socket.socket(socket.AF_UNIX) as silent:
            silent.connect(str(stack.data / "gatehouse.sock"))
            self.assertEqual(stack.stop(), 0)

    def test_sign_out_leaves_nothing_of_the_sealed_tokens_in_the_files_of_a_running_server(self):
        stack = self.stack().start()
        stack.set_up()
        stack.add_demo()
        browser = stack.browser()
        stack.sign_in(browser)
        client = stack.add_client()
        stack.vend(stack.app_token(browser, client)["access_token"])
        sealed = [value for row in stack.query("SELECT wrapped_key, box FROM credential") for value in row]
        self.assertTrue(sealed)
        self.assertTrue(any(sealed[0] in path.read_bytes() for path in stack.data.glob("gatehouse.db*")))
        stack.sign_out(browser)
        for path in stack.data.glob("gatehouse.db*"):
            content = path.read_bytes()
            self.assertFalse([value for value in sealed if value in content], f"{path.name} still holds sealed tokens")

    def test_rows_swapped_in_the_database_open_nowhere(self):
        stack = self.stack(simulator_options=("--user", "ana:correct horse battery", "--user", "bo:correct horse battery"))
        stack.start()
        stack.set_up()
        stack.add_demo()
        client, apps = stack.add_client(), {}
        for user in ("ana", "bo"):
            browser = stack.browser()
            stack.sign_in(browser, user)
            apps[user] = stack.app_token(browser, client)["access_token"]
            self.assertEqual(stack.vend(apps[user]).status, 200)

        def assert_nothing_opens():
            for token in apps.values():
                answer = stack.vend(token)
                self.assertEqual((answer.status, answer.json["error"]), (400, "interaction_required"))
                self.assertEqual(answer.json["reason"], "reauth_required")

        (first, ana, *one), (second, bo, *two) = stack.query("SELECT id, account_id, wrapped_key, box FROM credential")
        # Under the hands of the running program, which keeps what it has just opened.
        for id, owner in ((first, "nobody"), (second, ana), (first, bo)):
            stack.query("UPDATE credential SET account_id = ? WHERE id = ?", owner, id)
        assert_nothing_opens()
        for id, owner in ((first, "nobody"), (second, bo), (first, ana)):
            stack.query("UPDATE credential SET account_id = ? WHERE id = ?", owner, id)
        stack.stop()
        for id, values in ((first, two), (second, one)):
            stack.query("UPDATE credential SET wrapped_key = ?, box = ? WHERE id = ?", *values, id)
        stack.start()
        assert_nothing_opens()
        broken = stack.cli("keys", "verify", expect=1)
        self.assertIn(f"credential {first}", broken)
        self.assertIn(f"credential {second}", broken)

    def test_every_answer_over_https_demands_https_and_its_cookies_stay_on_this_host(self):
        directory = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-e2e-"))
        self.addCleanup(shutil.rmtree, directory)
        certificate, key = make_certificate(directory)
        stack = self.stack(certificate=certificate, key=key, path="/gate").start("--init")
        browser = stack.browser()
        page = browser.get(stack.url + "/")
        style = re.search(r'href="([^"]*/assets/style[^"]*)"', page.text).group(1)
        for path in (stack.url + "/", stack.origin + style, stack.url + "/oauth2/jwks", stack.url + "/nothing"):
            answer = browser.get(path)
            self.assertIn("max-age=", answer.headers["Strict-Transport-Security"] or "", path)
            self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff", path)
            self.assertEqual(answer.headers["Cross-Origin-Resource-Policy"], "same-origin", path)
        self.assertTrue(page.set_cookies)
        for line in page.set_cookies:
            self.assertTrue(line.startswith("__Host-gh_"), line)
            for attribute in ("Path=/", "Secure", "HttpOnly", "SameSite=Lax"):
                self.assertIn(attribute, line.split("; "))
            self.assertNotIn("Domain", line)

    def test_a_data_directory_that_others_can_enter_or_redirect_is_refused(self):
        stack = self.stack()
        stack.log_path.touch()
        stack.data.mkdir(mode=0o700)
        stack.data.chmod(0o755)
        self.assertIn("is open to other users", stack.cli("client", "list", expect=1))
        stack.data.chmod(0o700)
        moved = stack.data.with_name("elsewhere")
        stack.data.rename(moved)
        stack.data.symlink_to(moved)
        self.assertIn("symbolic links are refused", stack.cli("client", "list", expect=1))
        self.assertEqual(list(moved.iterdir()), [])
        stack.data.unlink()
        moved.rename(stack.data)
        victim = stack.directory / "victim"
        victim.write_text("untouched")
        (stack.data / "lock").symlink_to(victim)
        self.assertIn("cannot open the lock", stack.cli("serve", expect=1))
        self.assertEqual(victim.read_text(), "untouched")

    def test_names_from_an_upstream_are_shown_as_text(self):
        name = "<b>x</b>&'"
        stack = self.stack(simulator_options=("--user", f"{name}:correct horse battery")).start()
        stack.set_up()
        stack.add_demo()
        browser = stack.browser()
        page = stack.sign_in(browser, name)
        self.assertEqual(page.status, 200)
        for path in ("/account", "/connect/demo", "/disconnect/demo", "/signout"):
            text = browser.get(stack.url + path).text
            self.assertNotIn("<b>x", text, path)
        self.assertIn("&lt;b&gt;x", browser.get(stack.url + "/account").text)

    def test_a_stolen_signing_key_is_taken_back_with_all_that_it_signed(self):
        stack = self.stack().start()
        stack.set_up()
        stack.add_demo()
        browser = stack.browser()
        stack.sign_in(browser)
        client = stack.add_client()
        access = stack.app_token(browser, client)["access_token"]
        said = stack.cli("keys", "rotate-signing", "--algorithm", "ES256", "--now")
        self.assertIn("Taken back: ", said)
        self.assertIn("What breaks: every token that the former keys signed is refused from now on", said)
        self.assertEqual(stack.vend(access).status, 401)

    def test_a_clock_set_back_revives_nothing(self):
        stack = self.stack().start()
        stack.set_up()
        stack.add_demo()
        browser = stack.browser()
        stack.sign_in(browser)
        stack.stop()
        stack.query("INSERT INTO setting (name, value) VALUES ('clock', ?) ON CONFLICT (name) "
                    "DO UPDATE SET value = excluded.value", str(int(time.time()) + 2 * 24 * 3600))
        stack.start()
        self.assertEqual(browser.get(stack.url + "/account").location, "/signin")


if __name__ == "__main__":
    unittest.main()
