"""An installation whose records are in PostgreSQL: the whole main job, what stops a start, a server that goes and comes."""

import http.client
import signal
import time
import unittest

from postgresql import Cluster, SharedStack
from stack import Browser, until

GONE = (OSError, http.client.HTTPException)


def setUpModule():
    global cluster
    cluster = Cluster()


class OnPostgreSQL(unittest.TestCase):
    def setUp(self):
        self.stack = SharedStack(cluster)
        self.addCleanup(self.stack.close)
        self.stack.log_path.touch()

    def begin(self):
        """A running server with an administrator, the demo portal, an app and a person whose app holds tokens."""
        self.stack.start()
        self.stack.set_up()
        self.stack.add_demo()
        self.client = self.stack.add_client()
        self.person = Browser()
        self.stack.sign_in(self.person)
        self.tokens = self.stack.app_token(self.person, self.client)

    def vend(self):
        return self.stack.vend(self.tokens["access_token"])

    def check_vend(self):
        vended = self.vend()
        self.assertEqual(vended.status, 200, vended.text)
        self.assertIn("fields", self.stack.call(vended))

    def check_whole(self):
        self.assertIn("0 do not", self.stack.cli("keys", "verify"))
        self.assertIn("intact", self.stack.cli("audit", "verify"))


class MainJob(OnPostgreSQL):
    def test_from_the_first_start_to_sign_out(self):
        self.begin()
        self.check_vend()
        self.assertFalse((self.stack.data / "gatehouse.db").exists())

        with self.subTest("an expired token is refreshed"):
            self.stack.reset_counters()
            self.stack.age_credentials()
            self.check_vend()
            self.assertEqual(self.stack.counters()["token.refresh_token"], 1)

        with self.subTest("what was answered is there after the process died"):
            self.stack.restart(signal.SIGKILL)
            self.check_vend()
            self.assertEqual(self.person.get(self.stack.url + "/account").status, 200)

        with self.subTest("commands work while the server runs, and without it"):
            self.assertIn("ana", self.stack.cli("account", "list"))
            self.check_whole()
            self.stack.stop()
            self.assertIn("ana", self.stack.cli("account", "list"))
            self.check_whole()
            self.stack.start()

        with self.subTest("signing out ends everything"):
            held = self.vend()
            self.assertEqual(self.stack.sign_out(self.person).status, 200)
            self.assertEqual(self.vend().status, 401)
            self.assertIn("error", self.stack.call(held))
        self.check_whole()
        self.assertNotIn('"level":"error"', self.stack.log_path.read_text())


class Start(OnPostgreSQL):
    """One message that says what is wrong and what to do, and nothing is made."""

    def refuse(self, words, location=None, *command, **environment):
        if location:
            environment["GATEHOUSE_DATABASE"] = location
        text = self.stack.cli(*(command or ("serve",)), expect=1, **environment)
        self.assertIn(words, text)
        self.assertNotIn("Fatal", text)
        self.assertEqual(text.count("gatehouse: "), 1, text)
        return text

    def refuse_to_begin(self, words, location=None, **environment):
        before = sorted(self.stack.directory.iterdir())
        text = self.refuse(words, location, **environment)
        self.assertEqual(sorted(self.stack.directory.iterdir()), before)
        return text

    def test_a_wrong_password(self):
        cluster.query("CREATE ROLE locked LOGIN PASSWORD 'right'")
        self.addCleanup(cluster.query, "DROP ROLE locked")
        self.addCleanup(cluster.allow("local all locked scram-sha-256"))
        text = self.refuse_to_begin(
            "GATEHOUSE_DATABASE", cluster.location(self.stack.database, "locked", password="wrong-7Kx"))
        self.assertIn("password authentication failed", text)
        self.assertNotIn("wrong-7Kx", text)

    def test_a_role_that_is_not_there(self):
        self.assertIn("role", self.refuse_to_begin("GATEHOUSE_DATABASE", cluster.location(self.stack.database, "nobody")))

    def test_a_database_that_is_not_there(self):
        self.assertIn("CREATE DATABASE", self.refuse_to_begin("does not exist", cluster.location("nowhere")))

    def test_a_role_without_rights(self):
        cluster.query("CREATE ROLE guest LOGIN")
        self.addCleanup(cluster.query, "DROP ROLE guest")
        self.refuse("owner of the database", cluster.location(self.stack.database, "guest"))

    def test_a_database_in_another_encoding(self):
        name = cluster.make_database("ENCODING 'LATIN1' TEMPLATE template0")
        self.refuse_to_begin("ENCODING 'UTF8'", cluster.location(name))

    def test_a_server_that_is_down(self):
        self.refuse_to_begin("GATEHOUSE_DATABASE", f"host={self.stack.directory} dbname=gatehouse")
        self.refuse_to_begin("GATEHOUSE_DATABASE", "postgresql://gatehouse:secret-9Qz@127.0.0.1:1/gatehouse")

    def test_a_connection_string_that_is_none(self):
        text = self.refuse_to_begin("cannot be read", "postgresql://gatehouse:secret-9Qz@[/gatehouse")
        self.assertNotIn("secret-9Qz", text)

    def test_a_server_elsewhere_without_protection(self):
        self.refuse_to_begin("sslmode=verify-full", "postgresql://gatehouse@db.example.org/gatehouse")

    def test_a_read_only_replica(self):
        self.stack.start()
        self.stack.stop()
        replica = cluster.place / "replica"
        cluster.run(
            "pg_basebackup", f"--host={cluster.place}", "--username=gatehouse", f"--pgdata={replica}",
            "--checkpoint=fast", "--write-recovery-conf")
        sockets = cluster.place / "replica-sockets"
        sockets.mkdir(mode=0o777)
        sockets.chmod(0o777)
        options = f"--options=-c unix_socket_directories={sockets}"
        cluster.control("start", options, data=replica)
        self.addCleanup(cluster.control, "stop", "--mode=immediate", data=replica)
        self.refuse("read-only replica", cluster.location(self.stack.database).replace(str(cluster.place), str(sockets), 1))

    def test_a_database_that_is_read_only_by_default_is_written_to(self):
        cluster.query(f"ALTER DATABASE {self.stack.database} SET default_transaction_read_only = on")
        self.stack.start()

    def test_a_newer_schema(self):
        self.stack.start()
        self.stack.stop()
        self.stack.query("INSERT INTO migration VALUES (99, 99)")
        self.refuse("was written by a newer Gatehouse")

    def test_a_command_where_no_installation_is(self):
        self.stack.data.mkdir(mode=0o700)
        self.refuse("There is no installation in", None, "account", "list")

    def test_an_installation_that_is_made_by_the_command_line(self):
        self.stack.set_up()
        self.stack.start()
        self.assertFalse((self.stack.data / "setup-link").exists())

    def test_another_key_than_that_of_the_database(self):
        self.stack.start()
        self.stack.stop()
        self.refuse("is missing, and the database holds values sealed under it",
                    GATEHOUSE_KEK_FILE=str(self.stack.directory / "other.kek"))

    def test_the_setting_is_printed_without_its_password(self):
        location = "postgresql://gatehouse:secret-9Qz@127.0.0.1/gate"
        printed = self.stack.cli("config", "database", GATEHOUSE_DATABASE=location)
        self.assertIn("gate", printed)
        self.assertNotIn("secret-9Qz", printed)


class Away(OnPostgreSQL):
    """A server that goes while Gatehouse serves."""

    def is_ready(self):
        try:
            return Browser().get(self.stack.url + "/health/ready", timeout=30).status == 200
        except GONE:
            return False

    def check_refusals(self):
        vended = self.vend()
        self.assertEqual(vended.status, 503, vended.text)
        self.assertEqual(vended.json["error"], "temporarily_unavailable")
        self.assertIn("Retry-After", vended.headers)
        answer = self.stack.token(self.client, grant_type="client_credentials")
        self.assertEqual(answer.status, 503, answer.text)
        page = self.person.get(self.stack.url + "/account")
        self.assertEqual(page.status, 503)
        self.assertIn("<html", page.text)
        self.assertEqual(Browser().get(self.stack.url + "/health/live").status, 200)

    def check_recovery(self):
        self.assertTrue(until(self.is_ready, 30), self.stack.log_path.read_text())
        self.check_vend()
        self.assertIsNone(self.stack.server.poll())
        self.check_whole()

    def test_a_server_that_is_stopped_and_started(self):
        self.begin()
        self.addCleanup(lambda: (cluster.data / "postmaster.pid").exists() or cluster.start())
        cluster.stop()
        self.assertTrue(until(lambda: not self.is_ready(), 10))
        self.check_refusals()
        cluster.start()
        self.check_recovery()

    def test_a_server_that_is_restarted(self):
        self.begin()
        for _ in range(3):
            cluster.control("restart", "--mode=fast")
            self.check_recovery()

    def test_a_server_that_is_halted(self):
        # Gatehouse waits a little longer than a statement may take.
        self.stack.environment["GATEHOUSE_DATABASE"] += " options='-c statement_timeout=1000'"
        self.begin()
        self.addCleanup(cluster.resume)
        cluster.halt()
        self.assertTrue(until(lambda: not self.is_ready(), 10))
        begun = time.monotonic()
        self.check_refusals()
        self.assertLess(time.monotonic() - begun, 30)
        cluster.resume()
        self.check_recovery()

    def test_a_start_and_a_stop_while_it_is_down(self):
        self.begin()
        cluster.stop()
        self.addCleanup(lambda: (cluster.data / "postmaster.pid").exists() or cluster.start())
        self.assertEqual(self.stack.stop(), 0)
        self.stack.cli("serve", expect=1)
        cluster.start()
        self.stack.start()
        self.check_recovery()


if __name__ == "__main__":
    unittest.main()
