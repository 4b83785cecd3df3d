"""Prints what is wrong with Tests/standards.tsv: a test that is not there, a statement twice by the same test, a line out of form.

Each line names a statement of a standard that Gatehouse keeps, the test that shows it (TARGET/SUITE/FUNCTION), the clause, and
the modules of the conformance suites that look for the same, with commas between them.
"""
import pathlib
import re
import sys

STATEMENT = re.compile(r"[A-Z]+-\d+")
SUITE = re.compile(r"\s*(?:@Suite\(.*\) )?(?:private )?(?:final )?(?:struct|class) (\w+)")
FUNCTION = re.compile(r"\s*(?:func|def) (\w+)")

tests = set()
for path in [*pathlib.Path("Tests").rglob("*.swift"), *pathlib.Path("Tests/EndToEnd").glob("*.py")]:
    suite = None
    for line in path.read_text().splitlines():
        if found := SUITE.match(line):
            suite = found.group(1)
        elif (found := FUNCTION.match(line)) and suite:
            tests.add(f"{path.parts[1]}/{suite}/{found.group(1)}")

found, seen = [], set()
lines = pathlib.Path("Tests/standards.tsv").read_text().splitlines()
for number, line in enumerate(lines[1:], 2):
    parts = line.split("\t")
    if len(parts) != 4 or not STATEMENT.fullmatch(parts[0]) or not parts[2]:
        found.append(f"line {number}: not of the form statement, test, clause, module")
        continue
    if parts[1] not in tests:
        found.append(f"line {number}: {parts[0]} names {parts[1]}, which is no test")
    if (parts[0], parts[1]) in seen:
        found.append(f"line {number}: {parts[0]} by {parts[1]} stands twice")
    seen.add((parts[0], parts[1]))
print("\n".join(found))
sys.exit(1 if found else 0)
