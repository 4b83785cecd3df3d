"""What stops a start says what, where and what to do, and changes nothing."""

import os
import pathlib
import shutil
import socket
import subprocess
import unittest

from stack import Stack


class Start(unittest.TestCase):
    def setUp(self):
        self.stack = Stack()
        self.addCleanup(self.stack.close)
        self.stack.log_path.touch()

    def refuse(self, words, *command, **environment):
        text = self.stack.cli(*(command or ("serve",)), expect=1, **environment)
        self.assertIn(words, text)
        self.assertNotIn("Fatal", text)

    def test_a_setting_that_is_not_known(self):
        self.refuse("GATEHOUSE_LISTN is not a setting", GATEHOUSE_LISTN="1")

    def test_a_public_address_without_tls(self):
        self.refuse("must be https", GATEHOUSE_EXTERNAL_URL="http://gate.example.org")

    def test_plain_http_where_other_machines_reach_it(self):
        self.refuse("but external_url is plain http", GATEHOUSE_LISTEN=f"0.0.0.0:{self.stack.port}")

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
            self.refuse(f"port {port}", GATEHOUSE_LISTEN=f"127.0.0.1:{port}")

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
        self.refuse("Public", GATEHOUSE_PUBLIC=str(self.stack.directory))

    def test_a_command_that_is_not_understood(self):
        self.stack.cli("clint", "list", expect=64)
        text = self.stack.cli("client", "create", "--nme", "x", expect=64)
        self.assertIn("--type is missing", text)


if __name__ == "__main__":
    unittest.main()
