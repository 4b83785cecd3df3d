"""A web server behind Windows authentication on a free port of the loopback interface: NTLM, judged by PyPI's pyspnego.

Like the real ones it authenticates connections: what comes on one later needs no proof, whoever sends it.
"""

import base64
import http.server
import json
import os
import pathlib
import tempfile
import threading

import spnego

DOMAIN = "NORRVIK"
USERS = {"ana": "pässword of ana", "ben": "password of ben"}


class NTLM:
    def __init__(self, protocol="ntlm"):
        self.file = pathlib.Path(tempfile.mkstemp(prefix="gatehouse-ntlm-")[1])
        self.file.write_text("".join(f"{DOMAIN}:{name}:{password}\n" for name, password in USERS.items()))
        os.environ["NTLM_USER_FILE"] = str(self.file)
        # (connection, who, method, bytes of body) of each request that was answered.
        self.answered = []
        # How often a connection tried to prove who it is for, and could not.
        self.refused = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            who = context = None

            def log_message(self, *words):
                pass

            def body(self):
                if self.headers.get("Transfer-Encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("Content-Length") or 0))
                whole = b""
                while size := int(self.rfile.readline(), 16):
                    whole += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return whole

            def answer(self, status, words, challenge=None):
                content = json.dumps(words).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                if challenge:
                    self.send_header("WWW-Authenticate", challenge)
                self.end_headers()
                self.wfile.write(content)

            def prove(self, message):
                try:
                    self.context = self.context or spnego.server(protocol=protocol)
                    reply = self.context.step(message)
                except spnego.exceptions.SpnegoError:
                    self.context = None
                    outer.refused += 1
                    return self.answer(401, {"error": "refused"}, "NTLM")
                if not self.context.complete:
                    return self.answer(401, {"error": "go on"}, "NTLM " + base64.b64encode(reply).decode())
                self.who = self.context.client_principal
                return None

            def do_GET(self):
                body = self.body()
                scheme, _, token = (self.headers.get("Authorization") or "").partition(" ")
                if token and scheme == "NTLM":
                    self.who = None
                    self.prove(base64.b64decode(token))
                elif not self.who:
                    self.answer(401, {"error": "who?"}, "NTLM")
                if self.who:
                    outer.answered.append((self.client_address[1], self.who, self.command, len(body)))
                    self.answer(200, {"user": self.who, "bytes": len(body)})

            do_POST = do_PUT = do_GET

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, request, client_address):
                """A client that goes away is nothing to talk of."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://localhost:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.file.unlink()
