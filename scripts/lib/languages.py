"""Brings the catalogues Public/languages/*.po up to date with what our pages say; see scripts/languages.

What templates say comes from the program page-messages. What the code says stands in its sources: in files that speak to
people, every literal of more than one word, and the refusals that pages may show.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CATALOGUES = ROOT / "Public" / "languages"
# Files whose sentences stand on pages for people.
SPEAKING = [
    *(ROOT / "Sources" / "Web" / "Portal").glob("*.swift"), *(ROOT / "Sources" / "Web" / "Security").glob("*.swift"),
    *(ROOT / "Sources" / "Flows" / "Notices").glob("*.swift"), ROOT / "Sources" / "Flows" / "Mail" / "MailText.swift",
    ROOT / "Sources" / "Web" / "ErrorPages.swift",
]
# Where refusals and objections are thrown that such pages repeat word for word.
REFUSING = [
    *(ROOT / "Sources" / "Flows" / "SignIn").glob("*.swift"), *(ROOT / "Sources" / "Flows" / "SignOut").glob("*.swift"),
    *(ROOT / "Sources" / "Flows" / "People").glob("*.swift"), *(ROOT / "Sources" / "Flows" / "Challenge").glob("*.swift"),
    *(ROOT / "Sources" / "Flows" / "Security").glob("*.swift"),
    *(ROOT / "Sources" / "Flows" / "Apps" / name for name in ("DecideConsent.swift", "EnterUserCode.swift")),
    *(ROOT / "Sources" / "Domain" / name for name in ("LocalPassword.swift", "TypedLogin.swift", "TypedToken.swift")),
    ROOT / "Sources" / "Web" / "App.swift", ROOT / "Sources" / "Web" / "Call.swift",
]
MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]
LITERAL = re.compile(r'"((?:[^"\\\n]|\\(?!\()|\\\((?:[^()"]|"[^"]*"|\([^()]*(?:\([^()]*\)[^()]*)*\))*\))*)"(\s*\n?\s*\+ (?="))?')
COUNTING = re.compile(r'\.counting\((?:[^"]|\n)*?, "([a-z ]+)"\)')
FORMS = {"ar": 6}
PLURAL_RULES = {
    "ar": "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5;",
    "fr": "nplurals=2; plural=n>1;",
}


def unescaped(text):
    return re.sub(r"\\u\{([0-9a-fA-F]+)\}", lambda mark: chr(int(mark[1], 16)), text).replace('\\"', '"').replace("\\\\", "\\")


def numbered(literal):
    """A literal as catalogues know it: each interpolation is the number of its place."""
    places = 0
    key, position = "", 0
    while position < len(literal):
        if literal.startswith("\\(", position):
            depth, end = 1, position + 2
            while depth:
                depth += {"(": 1, ")": -1}.get(literal[end], 0)
                end += 1
            places += 1
            key += f"%{places}"
            position = end
        else:
            key += literal[position]
            position += 1
    return unescaped(key)


def spoken(source):
    """The sentences of a source file: literals that hold a space or end like a sentence, joined where `+` joins them."""
    source = re.sub(r"^\s*//.*$", "", source, flags=re.M)
    joined = ""
    for match in LITERAL.finditer(source):
        joined += match[1]
        if not match[2]:
            yield source[: match.start()], joined
            joined = ""


# What stands before a literal that nobody reads on a page.
UNREAD = re.compile(
    r'(logRefusal\([^)]*|log\.\w+\([^)]*|form: |separator: |\.error\(\s*|hasPrefix\(|\["|case |== |\?\? |-> String \{ |'
    r'named: |reason = )$', re.S)


def code_messages():
    for path in sorted(SPEAKING):
        if not path.exists():
            continue
        source = path.read_text()
        for before, literal in spoken(source):
            key = numbered(literal)
            if path.name == "BrowserName.swift" and " " not in key:
                continue
            if UNREAD.search(before[-120:]) or not is_sentence(key):
                continue
            yield key, None
        for match in COUNTING.finditer(source):
            yield f"%1 {match[1]}", f"%1 {match[1]}s"
    for path in sorted(REFUSING):
        if not path.exists():
            continue
        for before, literal in spoken(path.read_text()):
            if "\\(" not in literal and re.search(r'[.]$', literal) and is_sentence(literal):
                yield numbered(literal), None
    yield from (("%1 and %2", None), ("%1 or %2", None), ("%1 %2 %3, %4 UTC", None), *((month, None) for month in MONTHS))


def is_sentence(key):
    words = re.sub(r"%\d+", "", key)
    return bool(re.search(r"[A-Za-z]{2,} [a-z]|^[A-Z][a-z]+( [a-z]+)*\.?$|[a-z] %|% [a-z]|^%\d+ [a-z]", key)) and bool(
        re.search(r"[A-Za-z]{2}", words)) and not re.search(r"^[a-z_]+( [a-z_%\d]+)*$", key) or key in FRAGMENTS


# Parts of sentences, which no rule above finds.
FRAGMENTS = {
    "less than a day", "an ArcGIS token, and does not say whose", "an ArcGIS token of its own, for a user name and password",
    "an ArcGIS token of the portal %1", "an OAuth 2 access token", "an OAuth 2 access token (%1)", "a client certificate",
    "a client certificate of %1", "trust in a certificate that nobody here has approved", "nothing that can be shown",
    "a password over plain http, which anybody on the way could read", "your Kerberos sign-in (Negotiate)",
    "a user name and password (Digest)", "a user name and password (NTLM)", "a user name and password (Basic)", "%1 for “%2”",
    "your sign-in at %1: an application proxy stands in front and wants to know who you are", "%1 to %2", "%1 or %2", "%1 on %2",
    "Network", "Application proxy", "ArcGIS", "Service", "Now: %1.",
}


def template_messages():
    program = ROOT / ".build" / "debug" / "page-messages"
    if not program.exists():
        sys.exit("Build it first: swift build --product page-messages")
    output = subprocess.run([program, ROOT / "Public" / "pages"], check=True, capture_output=True, text=True).stdout
    for line in output.splitlines():
        yield json.loads(re.sub(r"\\u\{([0-9A-Fa-f]+)\}", lambda mark: f"\\u{int(mark[1], 16):04x}", line).replace("\\'", "'")), None


def messages():
    """Every message with its plural or None, in order, each once."""
    found = {}
    for key, plural in [*template_messages(), *code_messages()]:
        found.setdefault(key, plural)
        if plural:
            found[key] = plural
    return found


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def read(path):
    """The forms of each message of a catalogue."""
    forms, key = {}, None
    for line in path.read_text().splitlines() if path.exists() else []:
        match = re.match(r'(msgid|msgid_plural|msgstr(?:\[\d\])?) (".*")$', line)
        if not match:
            continue
        text = json.loads(match[2].replace("\t", "\\t"))
        if match[1] == "msgid":
            key = text
            forms[key] = []
        elif match[1].startswith("msgstr"):
            forms[key].append(text)
    return forms


def write(path, wanted, known):
    language = path.stem
    rule = PLURAL_RULES.get(language, "nplurals=2; plural=n!=1;")
    lines = [
        "# What the pages for people say. Keep every {{slot}}, tag and %1 as it is; the order is free.", 'msgid ""',
        f'msgstr "Language: {language}\\nContent-Type: text/plain; charset=UTF-8\\nPlural-Forms: {rule}\\n"']
    for key, plural in wanted.items():
        forms = known.get(key, [])
        lines += ["", f"msgid {quoted(key)}"]
        if plural:
            count = FORMS.get(language, 2)
            forms = (forms + [""] * count)[:count]
            lines.append(f"msgid_plural {quoted(plural)}")
            lines += [f"msgstr[{number}] {quoted(form)}" for number, form in enumerate(forms)]
        else:
            lines.append(f"msgstr {quoted(forms[0] if forms else '')}")
    path.write_text("\n".join(lines) + "\n")


def marks(text):
    """What a translation has to keep: slots, tags and places."""
    return set(re.findall(r"\{\{[^}]*\}\}|<[^>]*>|%\d+", text))


def faults(language, wanted, known):
    for key, plural in wanted.items():
        forms = [form for form in known.get(key, []) if form]
        if not forms or plural and len(forms) != FORMS.get(language, 2):
            yield f"{language}: not translated: {key}"
        for form in forms:
            # A form for one or two of something may leave the number out.
            missing = marks(key) - marks(form) - ({"%1"} if plural else set())
            if missing or marks(form) - marks(key):
                yield f"{language}: other slots, tags or places than in English: {key}"
    for key in known.keys() - wanted.keys() - {""}:
        yield f"{language}: nobody says this any more: {key}"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--new", metavar="TAG", help="begin a catalogue for another language")
    given = arguments.parse_args()
    wanted = messages()
    paths = sorted(CATALOGUES.glob("*.po")) + ([CATALOGUES / f"{given.new}.po"] if given.new else [])
    found = []
    for path in paths:
        known = read(path)
        if not given.check:
            write(path, wanted, known)
            known = read(path)
        found += faults(path.stem, wanted, known)
    print("\n".join(found) if found else f"{len(wanted)} messages in {1 + len(paths)} languages")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
