"""A throw-away PostgreSQL cluster, and the programs on a database of it."""

import copy
import http.client
import os
import pathlib
import secrets
import signal
import subprocess
import tempfile

from stack import ROOT, Browser, Stack, free_port


def quoted(value):
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"


class Cluster:
    """Ends with this process, whatever happens to it."""

    def __init__(self, *settings):
        done = subprocess.run(
            [str(ROOT / "scripts" / "lib" / "postgresql"), str(os.getpid()), *settings],
            check=True, capture_output=True, text=True)
        self.place = pathlib.Path(done.stdout.split()[0].removeprefix("host="))
        self.data = self.place / "data"
        programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        self.programs = programs[-1] if programs else pathlib.Path("/usr/bin")

    def location(self, database, user="gatehouse", **settings):
        """A connection string."""
        words = {"host": self.place, "user": user, "dbname": database, **settings}
        return " ".join(f"{name}={value}" for name, value in words.items())

    def make_database(self, options=""):
        """The name of an empty database."""
        name = "test" + secrets.token_hex(6)
        self.query(f"CREATE DATABASE {name} {options}")
        return name

    def query(self, statement, *values, database="postgres"):
        """Rows of texts, with numbers as such; changes are committed."""
        for value in values:
            statement = statement.replace("?", quoted(value), 1)
        done = subprocess.run(
            ["psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--field-separator=\x1f",
             "--set=ON_ERROR_STOP=1", "--command", statement, self.location(database)],
            capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        rows = [line.split("\x1f") for line in done.stdout.splitlines()]
        return [tuple(int(cell) if cell.lstrip("-").isdigit() else cell for cell in row) for row in rows]

    def run(self, program, *words):
        """Runs a program of PostgreSQL as the user that the cluster belongs to."""
        change = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.getuid() == 0 else []
        # A server that is started keeps its output open, so that nobody may wait for the end of a pipe.
        with open(self.place / "output", "w+") as output:
            done = subprocess.run(
                [*change, str(self.programs / program), *words], cwd="/", timeout=60, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output)
            output.seek(0)
            assert done.returncode == 0, output.read()

    def control(self, action, *words, data=None):
        data = data or self.data
        words = [*words, f"--log={self.place / 'log'}"] if action in ("start", "restart") else words
        self.run("pg_ctl", f"--pgdata={data}", "--wait", "--silent", action, *words)

    def stop(self):
        self.control("stop", "--mode=immediate")

    def start(self):
        self.control("start")

    def allow(self, *lines):
        """Puts rules before all others that say who may come in how, and reads them."""
        file = self.data / "pg_hba.conf"
        kept = file.read_text()
        file.write_text("".join(line + "\n" for line in lines) + kept)
        self.control("reload")
        return lambda: (file.write_text(kept), self.control("reload"))

    def signal(self, number):
        """Halts all processes of the server, or lets them go on."""
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (process / "cwd").readlink() == self.data:
                    os.kill(int(process.name), number)
            except OSError:
                continue

    def halt(self):
        self.signal(signal.SIGSTOP)

    def resume(self):
        self.signal(signal.SIGCONT)


class SharedStack(Stack):
    """A simulator and a Gatehouse on a PostgreSQL database of its own."""

    def __init__(self, cluster, *arguments, **environment):
        self.cluster = cluster
        self.database = cluster.make_database()
        super().__init__(*arguments, GATEHOUSE_DATABASE=cluster.location(self.database), **environment)

    def query(self, statement, *values):
        return self.cluster.query(statement, *values, database=self.database)

    def beside(self):
        """Another instance of the same installation: the same address and key, but a port, data and log of its own."""
        other = copy.copy(self)
        other.__class__ = Instance
        other.directory = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-e2e-"))
        other.data = other.directory / "data"
        other.port = free_port()
        other.environment = {
            **self.environment, "GATEHOUSE_LISTEN": f"127.0.0.1:{other.port}", "GATEHOUSE_DATA": str(other.data)}
        other.log_path = other.directory / "gatehouse.log"
        other.server = None
        return other


class Instance(SharedStack):
    """One that does not own the simulator, and is reached at the address of the first one through its own port."""

    def browser(self):
        return Detour(self.origin, self.port)

    def stop_simulator(self):
        pass


class Detour(Browser):
    """Comes to another port wherever an address leads to `origin`."""

    def __init__(self, origin, port):
        super().__init__()
        self.origin, self.port = origin, port

    def connect(self, parts, timeout):
        if f"{parts.scheme}://{parts.netloc}" == self.origin:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        return super().connect(parts, timeout)
