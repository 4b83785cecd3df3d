"""Keys, certificates and files of both, made by openssl in a folder."""

import pathlib
import subprocess


class Certificates:
    """An authority `ca` (CN=Test authority), unless there is one, with `leaf` (CN=Ana), and whatever else is asked for."""

    EC = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    RSA = ["-newkey", "rsa:2048", "-nodes"]

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        if not (self.folder / "ca.key").exists():
            self.own("ca", "Test authority")
        self.signed("leaf", "/O=Örter/CN=Ana")

    def run(self, *words):
        done = subprocess.run(["openssl", *words], cwd=self.folder, capture_output=True)
        assert done.returncode == 0, (words, done.stderr.decode())
        return done.stdout

    def own(self, name, subject, days=3, key=EC, *more):
        """A certificate that its own key signed."""
        self.run("req", "-x509", *key, "-keyout", f"{name}.key", "-out", f"{name}.crt", "-utf8", "-subj", f"/CN={subject}",
                 "-days", str(days), *more)

    def signed(self, name, subject, days=10, by="ca", key=EC, extensions=""):
        self.run("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-utf8", "-subj", subject)
        (self.folder / "extensions").write_text(extensions)
        self.run("x509", "-req", "-in", f"{name}.csr", "-CA", f"{by}.crt", "-CAkey", f"{by}.key", "-CAcreateserial",
                 "-days", str(days), "-extfile", "extensions", "-out", f"{name}.crt")

    def later(self, name):
        """A certificate that is valid in another century."""
        self.signed(name, f"/CN={name}")
        (self.folder / "index.txt").write_text("")
        (self.folder / "later.conf").write_text(
            "[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nrand_serial=yes\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\n"
            "[p]\ncommonName=supplied\n")
        self.run("ca", "-batch", "-notext", "-config", "later.conf", "-cert", "ca.crt", "-keyfile", "ca.key", "-startdate",
                 "21000101000000Z", "-enddate", "21010101000000Z", "-in", f"{name}.csr", "-out", f"{name}.crt")

    def file(self, passphrase, *options, name="leaf", key=None, chain=None):
        """A .p12 file with the key and certificate of `name`."""
        words = ["-in", f"{name}.crt", "-inkey", f"{key or name}.key"]
        if chain:
            words += ["-certfile", f"{chain}.crt"]
        self.run("pkcs12", "-export", *words, "-out", "made.p12", "-passout", f"pass:{passphrase}", *options)
        return (self.folder / "made.p12").read_bytes()
