"""Starts Debian's Apache with mod_auth_openidc: a site whose visitors sign in at an OpenID provider."""

import pathlib
import shutil
import tempfile

from apache import MODULES, start_apache, stop_apache
from stack import free_port

CONFIGURATION = """
ServerRoot "{directory}"
PidFile "{directory}/httpd.pid"
DefaultRuntimeDir "{directory}"
Mutex file:{directory} default
ServerName localhost
ErrorLog "{directory}/error.log"
CustomLog "{directory}/access.log" "%m %U%q %>s %u"
LogLevel warn auth_openidc:info
{modules}
StartServers 1
ServerLimit 1
ThreadsPerChild 16
MaxRequestWorkers 16
DocumentRoot "{directory}/www"
TypesConfig "{directory}/mime.types"
Listen 127.0.0.1:{port}
<Directory "{directory}/www">
  Require all granted
  Options None
</Directory>
OIDCProviderMetadataURL {provider}/.well-known/openid-configuration
OIDCClientID {client_id}
OIDCClientSecret {client_secret}
OIDCRedirectURI {url}/inside/callback
OIDCCryptoPassphrase "{passphrase}"
OIDCScope "openid profile"
OIDCPKCEMethod S256
OIDCSessionType server-cache
OIDCRemoteUserClaim name
<Location /inside>
  AuthType openid-connect
  Require valid-user
  # Without a word on caching, a browser may keep a page for a tenth of its age (RFC 9111, section 4.2.2)
  # and show it to whoever has signed out.
  Header always set Cache-Control no-store
</Location>
"""


class RelyingParty:
    """A site at `url`: `/inside/` is for people who have signed in, `/outside/` for everybody."""

    def __init__(self):
        self.port = free_port()
        self.url = f"http://localhost:{self.port}"
        self.callback = f"{self.url}/inside/callback"
        self.outside = f"{self.url}/outside/"
        self.process = None

    def start(self, provider, client, *further):
        """`provider` is the issuer, `client` what it gave this site: `client_id` and `client_secret`; `further` are directives."""
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-relying-party-"))
        # Apache's workers give up the rights of the superuser, if it was started with them.
        self.directory.chmod(0o755)
        for door in ["inside", "outside"]:
            (self.directory / "www" / door).mkdir(parents=True)
            (self.directory / "www" / door / "index.html").write_text(f"<title>{door}</title><p>You are {door}.</p>")
        (self.directory / "mime.types").write_text("text/html html\n")
        names = ["mpm_event", "authn_core", "authz_core", "authz_user", "mime", "dir", "headers", "auth_openidc"]
        (self.directory / "httpd.conf").write_text(CONFIGURATION.format(
            directory=self.directory, port=self.port, url=self.url, provider=provider, passphrase="for this test alone",
            modules="\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in names), **client)
            + "\n".join(further) + "\n")
        self.process = start_apache(self.directory, self.port)
        return self

    @property
    def log(self):
        return "".join(file.read_text() for file in sorted(self.directory.glob("*.log")))

    @property
    def requests(self):
        """The lines of the access log: method, target, status, who it was."""
        return (self.directory / "access.log").read_text().splitlines()

    def close(self):
        if not self.process:
            return
        stop_apache(self.process)
        shutil.rmtree(self.directory)
