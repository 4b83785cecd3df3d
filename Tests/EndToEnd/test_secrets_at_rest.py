"""Nothing secret stands in clear in the files, the log or the process's answers."""

import subprocess
import unittest

from stack import ADMINISTRATOR, PASSWORD, Browser, Stack


class SecretsAtRest(unittest.TestCase):
    def test_no_token_secret_or_password_in_clear_before_and_after_sign_out(self):
        stack = Stack().start()
        self.addCleanup(stack.close)
        stack.set_up()
        stack.add_demo()
        client, browser = stack.add_client(), Browser()
        stack.sign_in(browser)
        tokens = stack.app_token(browser, client)
        vended = stack.vend(tokens["access_token"]).json
        markers = [
            client["client_secret"], tokens["access_token"], tokens["refresh_token"], vended["access_token"],
            PASSWORD, ADMINISTRATOR[1], *browser.cookies["localhost"].values()]
        self.scan(stack, markers)
        self.assertIn("0 do not", stack.cli("keys", "verify"))
        stack.sign_out(browser)
        self.scan(stack, markers)
        stack.stop()
        self.scan(stack, markers)
        credentials = self.dump(stack, "SELECT count(*) FROM credential")
        self.assertEqual(credentials.strip(), "0")

    def dump(self, stack, statement=".dump"):
        return subprocess.run(
            ["sqlite3", str(stack.directory / "data" / "gatehouse.db"), statement],
            check=True, capture_output=True, text=True).stdout

    def scan(self, stack, markers):
        text = self.dump(stack)
        files = [path for path in (stack.directory / "data").rglob("*") if path.is_file() and path.name != "setup-link"]
        files.append(stack.log_path)
        for marker in markers:
            self.assertNotIn(marker, text)
            self.assertNotIn(marker.encode().hex(), text.lower())
            for path in files:
                self.assertNotIn(marker.encode(), path.read_bytes(), f"{path.name} holds a secret in clear")


if __name__ == "__main__":
    unittest.main()
