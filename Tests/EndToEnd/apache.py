"""Starts Debian's Apache, a web server that asks for credentials, on free ports of the loopback interface."""

import hashlib
import pathlib
import shutil
import socket
import subprocess
import tempfile

from stack import free_port, until

MODULES = pathlib.Path("/usr/lib/apache2/modules")
REALM = "web tier"
USER = ("alice", "a password of alice")
CA = "Test authority"

CONFIGURATION = """
ServerRoot "{directory}"
PidFile "{directory}/httpd.pid"
DefaultRuntimeDir "{directory}"
Mutex file:{directory} default
ServerName localhost
ErrorLog "{directory}/error.log"
CustomLog "{directory}/access.log" "%p \\"%r\\" %>s %{{Authorization}}i %{{SSL_CLIENT_S_DN_CN}}x"
LogLevel warn
{modules}
StartServers 1
ServerLimit 1
ThreadsPerChild 16
MaxRequestWorkers 16
DocumentRoot "{directory}/www"
SSLSessionCache none
TypesConfig "{directory}/mime.types"
<Directory "{directory}/www">
  Require all granted
  Options None
</Directory>
<Location /basic>
  AuthType Basic
  AuthName "{realm}"
  AuthUserFile "{directory}/users.basic"
  Require valid-user
</Location>
<Location /basic/others>
  Require user nobody
</Location>
<Location /digest>
  AuthType Digest
  AuthName "{realm}"
  AuthDigestProvider file
  AuthUserFile "{directory}/users.digest"
  Require valid-user
</Location>
DavLockDB "{directory}/locks/dav"
<Location /digest/store>
  DAV On
</Location>
<Location /proxied>
  Redirect 302 /proxied https://login.example.org/authorize?client_id=proxy&response_type=code&state=AppProxyState:1
</Location>
Listen 127.0.0.1:{http}
{listeners}
{kerberos}
"""

KERBEROS = """
LoadModule auth_gssapi_module {modules}/mod_auth_gssapi.so
<Location /negotiate>
  AuthType GSSAPI
  AuthName "{realm}"
  GssapiCredStore keytab:{keytab}
  GssapiAllowedMech krb5
  Require valid-user
</Location>
<Location /negotiate/ben>
  Require user ben@{kerberos_realm}
</Location>
"""

LISTENER = """
Listen 127.0.0.1:{port}
<VirtualHost 127.0.0.1:{port}>
  SSLEngine on
  SSLCertificateFile "{directory}/{certificate}.crt"
  SSLCertificateKeyFile "{directory}/{certificate}.key"
  {more}
</VirtualHost>
"""


BEHIND = """
  <Location /server>
    SSLVerifyClient require
  </Location>
  ProxyPreserveHost On
  ProxyPass / http://127.0.0.1:{port}/
"""


def start_apache(directory, port, environment=None):
    """Starts Apache by the httpd.conf in `directory`, and returns its process once it answers at `port`."""
    with open(directory / "output.log", "wb") as log:
        process = subprocess.Popen(
            ["apache2", "-d", str(directory), "-f", str(directory / "httpd.conf"), "-D", "FOREGROUND"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)

    def answers():
        if process.poll() is not None:
            return True
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            return False
        return True

    until(answers, 15)
    assert process.poll() is None, "".join(file.read_text() for file in directory.glob("*.log"))
    return process


def stop_apache(process):
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Apache:
    """Plain http at `http`, and https with certificates that nobody trusts yet; `authority` signed those of `https`.

    - `https`: a good certificate; below `/certificate` a client certificate is asked for after the handshake.
    - `https_certificate`, and `https_certificate_12` over TLS 1.2 and with a connection for each request: a good
      certificate, and a client certificate is required.
    - `https_self_signed`, `https_expired`, `https_other_host`: a certificate that is not to be trusted.
    """

    def __init__(self, kdc=None, behind=None):
        """`behind` is the port of a server on this machine that `https` shows, below `/server` to certificates alone."""
        self.kdc, self.behind = kdc, behind
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-apache-"))
        # Apache's workers give up the rights of the superuser, if it was started with them.
        self.directory.chmod(0o755)
        self.authority = self.directory / "ca.crt"
        names = ["http", "https", "https_certificate", "https_certificate_12", "https_self_signed", "https_expired", "https_other_host"]
        self.ports = {name: free_port() for name in names}
        try:
            self._prepare()
            self.process = self._start()
        except BaseException:
            shutil.rmtree(self.directory)
            raise

    def url(self, door, path="/", host="localhost"):
        return f"{'http' if door == 'http' else 'https'}://{host}:{self.ports[door]}{path}"

    def _prepare(self):
        for door in ["open", "basic", "basic/others", "digest", "digest/store", "certificate", "negotiate", "negotiate/ben"]:
            (self.directory / "www" / door).mkdir(parents=True)
            (self.directory / "www" / door / "data.json").write_text('{"hello": "world"}')
        # Where the workers put what is uploaded.
        for written in ["www/digest/store", "locks"]:
            (self.directory / written).mkdir(exist_ok=True)
            (self.directory / written).chmod(0o777)
        (self.directory / "mime.types").write_text("application/json json\n")
        run = lambda *words: subprocess.run(words, check=True, capture_output=True, text=True, cwd=self.directory).stdout
        (self.directory / "users.basic").write_text(f"{USER[0]}:{run('openssl', 'passwd', '-apr1', USER[1])}")
        digest = hashlib.md5(f"{USER[0]}:{REALM}:{USER[1]}".encode()).hexdigest()
        (self.directory / "users.digest").write_text(f"{USER[0]}:{REALM}:{digest}\n")
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        local = ["-addext", "subjectAltName=DNS:localhost"]

        def make(name, subject, days, *more):
            run("openssl", "req", "-x509", *key, "-keyout", f"{name}.key", "-out", f"{name}.crt", "-subj", f"/CN={subject}",
                "-days", str(days), *more)

        def sign(name, subject_name, days):
            run("openssl", "req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={subject_name}")
            (self.directory / "names").write_text(f"subjectAltName=DNS:{subject_name}")
            run("openssl", "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                "-days", str(days), "-extfile", "names", "-out", f"{name}.crt")

        make("ca", CA, 3)
        make("self", "localhost", 2, *local)
        sign("server", "localhost", 2)
        sign("expired", "localhost", -1)
        sign("other", "elsewhere.example", 2)
        (self.directory / "httpd.conf").write_text(self._configuration())

    def _configuration(self):
        modules = [
            "mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "auth_digest", "mime", "dir",
            "alias", "ssl", "socache_shmcb", "dav", "dav_fs", *(["proxy", "proxy_http"] if self.behind else [])]
        authority = f'SSLCACertificateFile "{self.authority}"\n  SSLVerifyDepth 1'
        listeners = {
            "https": ("server", f"{authority}\n  <Location /certificate>\n    SSLVerifyClient require\n  </Location>"
                      + (BEHIND.format(port=self.behind) if self.behind else "")),
            "https_certificate": ("server", f"{authority}\n  SSLVerifyClient require"),
            "https_certificate_12": ("server", f"{authority}\n  SSLVerifyClient require\n  SSLProtocol TLSv1.2\n  KeepAlive Off"),
            "https_self_signed": ("self", ""), "https_expired": ("expired", ""), "https_other_host": ("other", "")}
        return CONFIGURATION.format(
            kerberos=self._kerberos(), directory=self.directory, realm=REALM, http=self.ports["http"],
            modules="\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in modules),
            listeners="".join(
                LISTENER.format(port=self.ports[door], directory=self.directory, certificate=certificate, more=more)
                for door, (certificate, more) in listeners.items()))

    def _kerberos(self):
        if not self.kdc:
            return ""
        return KERBEROS.format(
            modules=MODULES, realm=REALM, keytab=self.kdc.service, kerberos_realm=self.kdc.realm)

    def _start(self):
        return start_apache(
            self.directory, self.ports["https_other_host"], self.kdc.environment if self.kdc else None)

    @property
    def requests(self):
        """The lines of the access log: port, request line, status, what `Authorization` said, whose the certificate was."""
        return (self.directory / "access.log").read_text().splitlines()

    def restart(self):
        """Stops and starts, so that changed keys and certificates count."""
        self.stop()
        self.process = self._start()

    def stop(self):
        stop_apache(self.process)

    def close(self):
        self.stop()
        shutil.rmtree(self.directory)
