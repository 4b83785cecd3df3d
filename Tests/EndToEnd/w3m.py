"""The text browser w3m in a terminal: no scripts, no styles, no pictures."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[()][A-Z0-9]|\x1b[=>78]|\x0f")


class W3M:
    """One w3m with an empty profile; must be closed."""

    def __init__(self, url, home):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="vt100", HOME=str(home), LANG="C.UTF-8")
            os.execvp("w3m", ["w3m", "-cookie", "-o", "accept_cookie=1", "-o", "confirm_qq=0", "-o", "display_link_number=0", url])
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 120, 0, 0))
        self.screen = ""

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)

    def see(self, words, seconds=20):
        """Waits until the terminal has shown `words`, with a line break for any space."""
        pattern = re.compile(r"\s+".join(re.escape(word) for word in words.split()))
        deadline = time.monotonic() + seconds
        while not pattern.search(self.screen):
            assert time.monotonic() < deadline, f"w3m never shows “{words}”:\n{self.screen[-3000:]}"
            if select.select([self.terminal], [], [], 0.2)[0]:
                # Moves of the cursor stand where a page has spaces.
                self.screen += CONTROL.sub(" ", os.read(self.terminal, 65536).decode(errors="replace"))

    def press(self, keys, words):
        """Presses `keys`, and waits until the terminal then shows `words`."""
        self.screen = ""
        os.write(self.terminal, keys.encode())
        self.see(words)

    def find(self, words):
        """Moves to the next place that reads so."""
        self.press(f"/{words}\r", words)
        time.sleep(0.3)
