"""The README word for word: ./scripts/run, the pages in a browser, and its shell blocks in one shell."""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

from chromium import Chromium
from selenium.webdriver.common.by import By
from stack import ADMINISTRATOR, ROOT, free_port, until


def runs_on(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class ReadMe(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-readme-"))
        self.addCleanup(shutil.rmtree, self.directory)
        self.port, self.portal_port = free_port(), free_port()
        self.log = self.directory / "run.log"
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GATEHOUSE_")},
            "GATEHOUSE_LISTEN": f"127.0.0.1:{self.port}", "SIMULATOR_LISTEN": f"127.0.0.1:{self.portal_port}",
            # Paths are meant from where the caller stands, which is not the repository.
            "GATEHOUSE_DATA": "data", "GATEHOUSE_KEK_FILE": "gatehouse.kek"}

    def run_script(self, *options, **environment):
        """Starts ./scripts/run as from a terminal; gives the process, which leads a group of its own."""
        with open(self.log, "wb") as log:
            process = subprocess.Popen(
                [ROOT / "scripts" / "run", *options], env={**self.environment, **environment}, cwd=self.directory,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        self.addCleanup(self.stop, process)
        until(lambda: process.poll() is not None or "Stop with Ctrl-C" in self.log.read_text(), seconds=300)
        return process

    def stop(self, process):
        """Presses Ctrl-C; gives the exit code."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        return process.wait(30)

    def test_options(self):
        script = str(ROOT / "scripts" / "run")
        done = subprocess.run([script, "--help"], capture_output=True, text=True, timeout=60, check=True)
        for words in ("--no-demo", "--client ID:REDIRECT-URI", "GATEHOUSE_DATA", "SIMULATOR_LISTEN"):
            self.assertIn(words, done.stdout)
        for options in (("--nodemo",), ("--client",), ("--no-demo", "--client", "a:http://localhost/b")):
            done = subprocess.run([script, *options], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 64, done.stderr)
            self.assertIn(options[0], done.stderr)

    def test_ports_that_are_taken(self):
        for variable in ("GATEHOUSE_LISTEN", "SIMULATOR_LISTEN"):
            with self.subTest(variable), socket.create_server(("127.0.0.1", 0)) as taken:
                port = taken.getsockname()[1]
                process = self.run_script(**{variable: f"127.0.0.1:{port}"})
                self.assertEqual(process.wait(30), 1)
                self.assertIn(f"port {port} on 127.0.0.1 is in use", self.log.read_text())
                self.assertIn(variable, self.log.read_text())
                self.assertFalse(runs_on(self.port) or runs_on(self.portal_port))

    def test_word_for_word(self):
        process = self.run_script("--client", "my-app:http://localhost:9998/back")
        said = self.log.read_text()
        self.chromium = Chromium()
        self.addCleanup(self.chromium.close)
        self.first_sign_in(re.search(r"Make the administrator: *(\S+)", said).group(1))
        portal_log = re.search(r"demo portal's log: *(\S+)", said).group(1)
        self.assertIn("my-app → http://localhost:9998/back", pathlib.Path(portal_log).read_text())
        self.first_token()
        self.assertEqual(self.stop(process), 0)
        self.assertFalse(runs_on(self.port) or runs_on(self.portal_port))
        with self.subTest("a second start"):
            process = self.run_script()
            self.assertIsNone(process.poll(), self.log.read_text())
            self.assertNotIn("Make the administrator", self.log.read_text())
            self.assertEqual(self.stop(process), 0)

    def first_sign_in(self, link):
        chromium = self.chromium
        chromium.open(link)
        chromium.fill("username", ADMINISTRATOR[0])
        chromium.fill("display_name", "Root")
        chromium.fill("password", ADMINISTRATOR[1])
        chromium.fill("password_again", ADMINISTRATOR[1])
        chromium.press("Create")
        chromium.wait_for("/admin")
        chromium.open(f"http://localhost:{self.port}/signin/demo")
        chromium.sign_in_at_portal()
        chromium.wait_for("/account")
        self.assertIn("Demo portal", chromium.text)

    def first_token(self):
        register, authorize, use = self.blocks("## A first token")
        with open(self.directory / "shell.log", "wb") as log:
            self.shell = subprocess.Popen(
                ["bash"], cwd=ROOT, stdin=subprocess.PIPE, stdout=log, stderr=log,
                env={**self.environment, "GATEHOUSE_DATA": str(self.directory / "data"),
                     "GATEHOUSE_KEK_FILE": str(self.directory / "gatehouse.kek")})
        self.addCleanup(self.shell.wait, 30)
        self.addCleanup(self.shell.stdin.close)
        self.type(register)
        link = self.type(authorize, r"http://localhost\S+S256")
        self.assertEqual((self.directory / "client.json").stat().st_mode & 0o777, 0o600)
        chromium = self.chromium
        chromium.open(link)
        chromium.driver.find_element(By.CSS_SELECTOR, '[name="connection"]').find_element(
            By.XPATH, "./ancestor::label").click()
        chromium.follow(chromium.find("button[value=allow]"))
        address = chromium.arrived_at_app()
        self.assertIn("iss=", address)
        first, rest = use.split("\n", 1)
        self.type(f"{first}\n{address}#_\n{rest}", r'"name": ?"[^"]+"')
        chromium.open(f"http://localhost:{self.port}/signout")
        chromium.follow(chromium.find("form button"))
        self.assertIn("Demo portal", chromium.text)
        self.type("\n".join(use.strip().split("\n")[-1:]) + "\n", r'"error"')

    def blocks(self, heading):
        """The shell blocks of a section, moved to the ports and the directory of this test."""
        section = (ROOT / "README.md").read_text().split(heading + "\n", 1)[1].split("\n## ", 1)[0]
        moved = section.replace(":8080", f":{self.port}").replace(":8090", f":{self.portal_port}")
        moved = moved.replace("client.json", str(self.directory / "client.json"))
        return re.findall(r"```sh\n(.*?)```", moved, re.S)

    def type(self, text, expected=None):
        """Types into the shell; gives what it then prints that looks as expected."""
        log = self.directory / "shell.log"
        start = log.stat().st_size
        self.shell.stdin.write(text.encode())
        self.shell.stdin.flush()
        if expected is None:
            return None
        found = until(lambda: re.search(expected, log.read_bytes()[start:].decode()), seconds=20)
        self.assertTrue(found, log.read_text())
        return found.group(0)


if __name__ == "__main__":
    unittest.main()
