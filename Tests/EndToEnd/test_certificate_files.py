"""Certificate files of every kind, read by the program in the process that it starts for each of them."""

import os
import resource
import subprocess
import tempfile
import time
import unittest

from certificates import Certificates
from stack import program

DAMAGED, WRONG, NO_KEY, NO_CERTIFICATE, OTHER_KEY, COSTLY, UNSUITABLE, UNKNOWN = range(1, 9)


class CertificateFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.made = Certificates(cls.folder.name)

    def read(self, file, passphrase):
        """The PEM text, or the number of the failure."""
        passphrase = passphrase.encode()
        done = subprocess.run(
            [program("gatehouse"), "read-certificate-file"], input=len(passphrase).to_bytes(2, "big") + passphrase + file,
            capture_output=True, timeout=30, env={})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout[1:] if done.stdout[:1] == b"\0" else done.stdout[0]

    def check(self, file, passphrase, *subjects):
        pem = self.read(file, passphrase)
        self.assertIsInstance(pem, bytes, f"failure {pem}")
        (self.made.folder / "out.pem").write_bytes(pem)
        end = b"-----END CERTIFICATE-----\n"
        found = []
        for block in pem.split(end)[:-1]:
            (self.made.folder / "one.pem").write_bytes(block + end)
            found.append(self.made.run("x509", "-in", "one.pem", "-noout", "-subject", "-nameopt", "RFC2253,-esc_msb").decode())
        self.assertEqual(found, [f"subject={subject}\n" for subject in subjects])
        key = self.made.run("pkey", "-in", "out.pem", "-pubout")
        self.assertEqual(self.made.run("x509", "-in", "out.pem", "-noout", "-pubkey"), key, "the leaf comes first")

    def test_right_passphrases(self):
        for options in [
            "", "-legacy", "-legacy -certpbe PBE-SHA1-RC2-40 -keypbe PBE-SHA1-3DES", "-keypbe NONE -certpbe NONE",
            "-nomac", "-nomaciter -noiter", "-keypbe AES-256-CBC -certpbe AES-256-CBC -macalg sha256 -iter 100000",
            "-macalg sha512 -iter 600000",
        ]:
            with self.subTest(options):
                file = self.made.file("a pässword", *options.split(), chain="ca")
                self.check(file, "a pässword", "CN=Ana,O=Örter", "CN=Test authority")

    def test_rsa_keys_and_no_passphrase(self):
        self.made.own("rsa", "Rsa", key=Certificates.RSA)
        for passphrase, options in [("x", []), ("", []), ("", ["-legacy"])]:
            with self.subTest((passphrase, options)):
                self.check(self.made.file(passphrase, *options, name="rsa"), passphrase, "CN=Rsa")

    def test_a_wrong_passphrase_and_a_damaged_file_are_told_apart(self):
        for options in [[], ["-legacy"]]:
            file = self.made.file("right", *options, chain="ca")
            for passphrase in ["wrong", "", "Right", "right "]:
                self.assertEqual(self.read(file, passphrase), WRONG, passphrase)
            for damaged in [file[:-1], file[: len(file) // 2], file + b"\0", b"", b"\x30", os.urandom(300), os.urandom(65536)]:
                self.assertEqual(self.read(damaged, "right"), DAMAGED, len(damaged))
            for place in [len(file) // 3, len(file) // 2, len(file) - 60]:
                changed = bytearray(file)
                changed[place] ^= 1
                self.assertEqual(self.read(bytes(changed), "right"), DAMAGED, place)
        self.assertEqual(self.read(self.made.file("right", "-nomac"), "wrong"), WRONG)
        self.assertEqual(self.read(self.made.run("x509", "-in", "leaf.crt"), "x"), DAMAGED)

    def test_what_is_missing(self):
        self.assertEqual(self.read(self.made.file("x", "-nokeys"), "x"), NO_KEY)
        self.assertEqual(self.read(self.made.file("x", "-nocerts"), "x"), NO_CERTIFICATE)
        self.made.own("weak", "Weak", 3, ["-newkey", "rsa:1024", "-nodes"])
        self.assertEqual(self.read(self.made.file("x", name="weak"), "x"), UNSUITABLE)

    def test_a_key_that_belongs_to_another_certificate(self):
        # openssl refuses to write one: the certificate of such a file is exchanged for one of the same length.
        file = self.made.file("x", "-keypbe", "NONE", "-certpbe", "NONE", "-nomac")
        der = self.made.run("x509", "-in", "leaf.crt", "-outform", "DER")
        while True:
            self.made.signed("other", "/O=Örter/CN=Ana")
            other = self.made.run("x509", "-in", "other.crt", "-outform", "DER")
            if len(other) == len(der):
                break
        self.assertEqual(file.count(der), 1)
        self.assertEqual(self.read(file.replace(der, other), "x"), OTHER_KEY)

    def test_a_file_that_asks_for_hours_of_work_is_given_up_within_seconds(self):
        file = der(*costlier(elements(self.made.file("x")))[0])
        begin = time.monotonic()
        self.assertEqual(self.read(file, "x"), COSTLY)
        self.assertLess(time.monotonic() - begin, 5, "that shows before anything is decrypted")
        # What is within is seen only by decrypting: there the limit on processor time holds.
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run(
            [program("gatehouse"), "read-certificate-file"], input=b"\0\1x" + nested(self.made), capture_output=True, timeout=30)
        self.assertEqual((done.returncode, done.stdout), (-9, b""))
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 8)


def elements(der):
    """Tags with their contents, which are lists where the tag says so."""
    found = []
    while der:
        tag, count, start = der[0], der[1], 2
        if count & 0x80:
            start += count & 0x7F
            count = int.from_bytes(der[2:start], "big")
        content = der[start:start + count]
        found.append((tag, elements(content) if tag & 0x20 else content))
        der = der[start + count:]
    return found


def der(tag, content):
    body = content if isinstance(content, bytes) else b"".join(der(*one) for one in content)
    size = len(body).to_bytes((len(body).bit_length() + 7) // 8 or 1, "big")
    return bytes([tag]) + (size if len(body) < 0x80 else bytes([0x80 | len(size)]) + size) + body


def costlier(tree):
    """The tree with 2048 rounds made to 2147483647."""
    return [
        (tag, costlier(content) if isinstance(content, list) else
         b"\x7f\xff\xff\xff" if (tag, content) == (2, b"\x08\x00") else content) for tag, content in tree]


def nested(made):
    """A file whose key stands in a bag within a bag, with rounds for half an hour."""
    [(_, [version, (_, [data, (_, [(_, safes)])])])] = elements(made.file("x", "-nomac"))
    content = [content for _, content in elements(safes)[0][1] if content[0] == data][-1]
    inner = costlier(elements(content[1][1][0][1]))
    bag = (0x30, [(6, bytes.fromhex("2a864886f70d010c0a0106")), (0xA0, inner)])
    wrap = lambda tree: (0x30, [data, (0xA0, [(4, der(0x30, tree))])])
    return der(0x30, [version, wrap([wrap([bag])])])


if __name__ == "__main__":
    unittest.main()
