"""A mail server that keeps what it is given, on the loopback interface."""

import email
import email.policy
import ssl

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from stack import free_port, until


class Mailbox:
    """`certificate` and `key` make it offer STARTTLS and take nothing without; `login` is the one that it takes.

    While `refuses` is set, it takes no mail.
    """

    def __init__(self, certificate=None, key=None, login=None, port=None):
        self.port = port or free_port()
        self.mails, self.refuses, self.was_protected = [], False, []
        options = {}
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            options = {"tls_context": context, "require_starttls": True}
        if login:
            self.login = login
            options |= {"authenticator": self.authenticate, "auth_required": True, "auth_require_tls": bool(certificate)}
        self.controller = Controller(self, hostname="127.0.0.1", port=self.port, **options)
        self.controller.start()

    def authenticate(self, server, session, envelope, mechanism, data):
        given = (data.login.decode(), data.password.decode())
        return AuthResult(success=given == self.login, handled=given == self.login)

    async def handle_DATA(self, server, session, envelope):
        if self.refuses:
            return "451 Not now"
        self.was_protected.append(session.ssl is not None)
        self.mails.append((envelope, email.message_from_bytes(envelope.content, policy=email.policy.default)))
        return "250 OK"

    def close(self):
        self.controller.stop()

    def to(self, address, count=1, seconds=20):
        """The mails that came for an address, once there are so many."""
        def found():
            return [mail for envelope, mail in list(self.mails) if envelope.rcpt_tos == [address]]
        until(lambda: len(found()) >= count, seconds)
        return found()
