"""What stops a start or a command says what, where and what to do, and makes or changes nothing."""

import fcntl
import os
import pathlib
import shutil
import socket
import subprocess
import threading
import unittest

from stack import Stack, program


class Start(unittest.TestCase):
    def setUp(self):
        self.stack = Stack()
        self.addCleanup(self.stack.close)
        self.stack.log_path.touch()

    def refuse(self, words, *command, **environment):
        text = self.stack.cli(*(command or ("serve",)), expect=1, **environment)
        self.assertIn(words, text)
        self.assertNotIn("Fatal", text)
        return text

    def refuse_to_begin(self, words, **environment):
        """A first start that fails leaves no directory, database or key behind."""
        before = sorted(self.stack.directory.iterdir())
        self.refuse(words, **environment)
        self.assertEqual(sorted(self.stack.directory.iterdir()), before)

    def test_a_setting_that_is_not_known(self):
        self.refuse_to_begin("GATEHOUSE_LISTN is not a setting. Did you mean 'GATEHOUSE_LISTEN'?", GATEHOUSE_LISTN="1")

    def test_a_public_address_without_tls(self):
        self.refuse_to_begin("must be https", GATEHOUSE_EXTERNAL_URL="http://gate.example.org")
        self.refuse_to_begin("gatehouse serve --init", GATEHOUSE_EXTERNAL_URL="https://gate.example.org")

    def test_plain_http_where_other_machines_reach_it(self):
        self.refuse_to_begin("but GATEHOUSE_EXTERNAL_URL is plain http", GATEHOUSE_LISTEN=f"0.0.0.0:{self.stack.port}")

    def test_a_malformed_configuration_file(self):
        file = self.stack.directory / "broken.json"
        file.write_text('{"listen": }')
        self.refuse("broken.json: invalid JSON at byte 11", GATEHOUSE_CONFIG=str(file))
        file.write_text('{"lisen": "127.0.0.1:1"}')
        self.refuse('"lisen" is not a setting', GATEHOUSE_CONFIG=str(file))

    def test_a_port_that_is_taken(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            self.refuse_to_begin(f"port {port}", GATEHOUSE_LISTEN=f"127.0.0.1:{port}")

    def test_a_certificate_that_is_not_there(self):
        missing = str(self.stack.directory / "none.pem")
        self.refuse_to_begin("none.pem", GATEHOUSE_TLS_CERTIFICATE=missing, GATEHOUSE_TLS_KEY=missing)
        self.refuse_to_begin("GATEHOUSE_TLS_KEY is not", GATEHOUSE_TLS_CERTIFICATE=missing)

    def test_a_key_file_that_cannot_be_made(self):
        self.refuse_to_begin("write to the directory", GATEHOUSE_KEK_FILE=str(self.stack.directory / "none" / "kek"))

    def test_a_data_directory_that_cannot_be_made(self):
        self.refuse_to_begin("GATEHOUSE_DATA", GATEHOUSE_DATA=str(self.stack.directory / "none" / "data"))

    def test_a_second_server_on_the_same_data(self):
        self.stack.start()
        self.refuse("Another Gatehouse uses")

    def test_a_key_file_that_is_missing_or_wrong(self):
        self.stack.start()
        self.stack.stop()
        kek = pathlib.Path(self.stack.environment["GATEHOUSE_KEK_FILE"])
        self.assertEqual(kek.stat().st_mode & 0o777, 0o400)
        before = (self.stack.directory / "data" / "gatehouse.db").read_bytes()
        kept = kek.with_suffix(".kept")
        kek.rename(kept)
        self.refuse("is missing, and the database holds values sealed under it")
        other = Stack()
        other.start()
        other.stop()
        shutil.copy(other.environment["GATEHOUSE_KEK_FILE"], kek)
        other.close()
        self.refuse("but the database was sealed under")
        kek.unlink()
        kek.write_text("not a key\n")
        kek.chmod(0o644)
        self.refuse("can be read by other users")
        kek.chmod(0o400)
        self.refuse("is not a key file")
        kek.unlink()
        kept.rename(kek)
        self.assertEqual((self.stack.directory / "data" / "gatehouse.db").read_bytes(), before)
        self.stack.start()

    def test_a_database_of_a_newer_program(self):
        self.stack.start()
        self.stack.stop()
        database = self.stack.directory / "data" / "gatehouse.db"
        subprocess.run(
            ["sqlite3", str(database), "INSERT INTO migration VALUES (99, 99)"], check=True, capture_output=True)
        self.refuse("was written by a newer Gatehouse")

    def test_a_database_of_another_program(self):
        data = self.stack.directory / "data"
        data.mkdir(mode=0o700)
        subprocess.run(["sqlite3", str(data / "gatehouse.db"), "CREATE TABLE t (x)"], check=True)
        os.chmod(data / "gatehouse.db", 0o600)
        self.refuse("gatehouse.db")

    def test_pages_that_are_not_there(self):
        self.refuse_to_begin("Point GATEHOUSE_PUBLIC at", GATEHOUSE_PUBLIC=str(self.stack.directory))

    def test_a_command_where_no_installation_is(self):
        """Only serve and setup make one: a mistyped setting must not."""
        before = sorted(self.stack.directory.iterdir())
        mistyped = self.stack.directory / "dta"
        for command in (
                ("client", "list"), ("connection", "delete", "x"), ("account", "list"), ("keys", "status"),
                ("audit", "verify"), ("client", "create", "--name", "x", "--type", "public", "--grant", "refresh_token")):
            self.refuse(f"no directory {mistyped}", *command, GATEHOUSE_DATA=str(mistyped))
        self.assertEqual(sorted(self.stack.directory.iterdir()), before)
        mistyped.mkdir(mode=0o700)
        self.refuse(f"no database {mistyped}/gatehouse.db", "client", "list", GATEHOUSE_DATA=str(mistyped))
        self.assertEqual(list(mistyped.iterdir()), [])

    def test_a_password_file_that_cannot_be_used(self):
        before = sorted(self.stack.directory.iterdir())
        self.refuse("none", "setup", "--user", "root", "--password-file", "none")
        self.assertEqual(sorted(self.stack.directory.iterdir()), before)

    def test_a_second_administrator_by_accident(self):
        self.stack.set_up()
        password = str(self.stack.directory / "password")
        for _ in ("alone", "through the server"):
            self.refuse("add --another", "setup", "--user", "second", "--password-file", password)
            self.assertEqual(self.stack.query("SELECT count(*) FROM account"), [(1,)])
            self.stack.restart()
        self.stack.cli("setup", "--user", "second", "--password-file", password, "--another")
        self.assertEqual(self.stack.query("SELECT count(*) FROM account"), [(2,)])

    def test_a_start_while_a_command_is_at_work(self):
        """A command holds the data directory for a moment; the server waits for it."""
        self.stack.set_up()
        with open(self.stack.data / "lock", "r+", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            release = threading.Timer(1, lambda: fcntl.flock(lock, fcntl.LOCK_UN))
            release.start()
            self.stack.start()
            release.join()

    def test_a_stop_right_after_the_first_answer_is_clean(self):
        for _ in range(5):
            self.stack.start()
            self.assertEqual(self.stack.stop(), 0)

    def test_an_answer_that_cannot_be_written(self):
        self.stack.set_up()
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [program("gatehouse"), "account", "list"], env=self.stack.environment, cwd=self.stack.directory,
                stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write the answer: No space left on device", done.stderr)
        done = subprocess.run(
            ["bash", "-c", f"{program('gatehouse')} account list >&-"], env=self.stack.environment,
            cwd=self.stack.directory, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        self.assertIn("cannot write the answer: Bad file descriptor", done.stderr)
        # What was closed is not taken by a file that is opened later.
        self.assertEqual((self.stack.data / "lock").read_bytes(), b"")

    def test_a_command_that_is_not_understood(self):
        self.assertIn("Did you mean 'client'?", self.stack.cli("clint", "list", expect=64))
        text = self.stack.cli("client", "create", "--nme", "x", expect=64)
        self.assertIn("Did you mean '--name'?", text)
        self.assertIn("gatehouse help client create", text)
        self.stack.set_up()
        create = ("connection", "create", "--id", "x", "--client-id", "x", "--kind")
        for _ in ("alone", "through the server"):
            self.assertIn("--portal-url is missing", self.stack.cli(*create, "oauthUser", expect=64))
            self.assertIn('--kind is "saml", but must be oauthUser', self.stack.cli(*create, "saml", expect=64))
            self.assertIn("is not the id of an account", self.stack.cli("account", "show", "x", expect=64))
            self.stack.restart()


if __name__ == "__main__":
    unittest.main()
