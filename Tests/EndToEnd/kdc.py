"""Starts MIT Kerberos' key distribution centre for a realm of its own, on a free port of the loopback interface."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile

from stack import free_port, until

REALM = "NORRVIK.EXAMPLE"
USERS = {"ana": "correct horse of ana", "ben": "correct horse of ben"}

CLIENT = """
[libdefaults]
  default_realm = {realm}
  dns_lookup_kdc = false
  dns_lookup_realm = false
  dns_canonicalize_hostname = false
  rdns = false
  udp_preference_limit = 1
[realms]
  {realm} = {{
    kdc = 127.0.0.1:{port}
  }}
"""

CENTRE = """
[kdcdefaults]
  kdc_listen = 127.0.0.1:{port}
  kdc_tcp_listen = 127.0.0.1:{port}
[realms]
  {realm} = {{
    database_name = {directory}/principal
    key_stash_file = {directory}/stash
    acl_file = {directory}/acl
    max_life = 10h 0m 0s
    supported_enctypes = aes256-cts:normal aes128-cts:normal
  }}
[logging]
  kdc = FILE:{directory}/kdc.log
"""


class KDC:
    """Knows `USERS`, each with a keytab, and the service HTTP/localhost, whose keytab is `service`."""

    realm = REALM

    def __init__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-kdc-"))
        # Apache's workers read the service's keytab without the rights of the superuser.
        self.directory.chmod(0o755)
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.service = self.directory / "http.keytab"
        self.configuration = self.directory / "krb5.conf"
        words = {"realm": REALM, "port": self.port, "directory": self.directory}
        self.configuration.write_text(CLIENT.format(**words))
        (self.directory / "kdc.conf").write_text(CENTRE.format(**words))
        self.environment = {
            **os.environ, "KRB5_CONFIG": str(self.configuration), "KRB5_KDC_PROFILE": str(self.directory / "kdc.conf")}
        try:
            self._prepare()
            self.process = None
            self.start()
        except BaseException:
            shutil.rmtree(self.directory)
            raise

    def _prepare(self):
        subprocess.run(
            ["kdb5_util", "-r", REALM, "create", "-s", "-P", "the master key of a test"], env=self.environment, check=True,
            capture_output=True)
        for name, password in USERS.items():
            # What a real directory demands: no ticket for somebody who has not shown the password.
            self.administer(f'addprinc +requires_preauth -pw "{password}" {name}')
            self.administer(f"ktadd -norandkey -k {self.keytab(name)} {name}")
        self.administer("addprinc -randkey HTTP/localhost")
        self.administer(f"ktadd -k {self.service} HTTP/localhost")
        self.service.chmod(0o644)

    def keytab(self, name):
        return self.directory / f"{name}.keytab"

    def administer(self, query):
        """One command of kadmin."""
        done = subprocess.run(
            ["kadmin.local", "-r", REALM, "-q", query], env=self.environment, check=True, capture_output=True, text=True)
        return done.stdout

    def start(self, *prefix):
        with open(self.directory / "output.log", "ab") as log:
            self.process = subprocess.Popen(
                [*prefix, "krb5kdc", "-n", "-r", REALM], env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True)

        until(lambda: self.process.poll() is not None or self._is_listening(), 15)
        assert self.process.poll() is None, (self.directory / "output.log").read_text()

    def stop(self):
        # A program that was started by another one goes with it.
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        assert until(lambda: not self._is_listening(), 10)

    def _is_listening(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True

    @property
    def log(self):
        return (self.directory / "kdc.log").read_text().splitlines()

    def close(self):
        self.stop()
        shutil.rmtree(self.directory)
