"""Prints what is wrong with Tests/standards.tsv, or with --count how many statements it keeps and by how many tests.

Tests/statements.tsv lists the statements of the standards: id, level, section, one sentence. The levels are M (a must), S (a
should), B (beyond the standards) and MR, a must of which a ruling of ours leaves out a part. Its first line names the sections
of which every statement has its row.

Each line of Tests/standards.tsv names a statement, a test that shows it, the part that this test shows, and the modules of
the conformance suites that look for the same, with commas between them. A test is TARGET/SUITE/FUNCTION; without a suite, the
file stands in its place. Where the test would be, "-" says that Gatehouse does not do this part, and the third column says why; a plain must
has no such line.
"""
import pathlib
import re
import sys

STATEMENT = re.compile(r"[A-Z]+-\d+")
SUITE = re.compile(r"(?:@\w+(?:\(.*\))? )*(?:private |fileprivate )?(?:final )?(?:struct|class|enum|extension) (\w+)")
FUNCTION = re.compile(r"(?:func|def) (\w+)")


def tests_of(path):
    """The tests of one file of Swift or Python."""
    found, suite, is_test = set(), path.stem, False
    for line in path.read_text().splitlines():
        bare = line.strip()
        if line == bare and (begin := SUITE.match(line)):
            suite = begin.group(1)
        is_test = is_test or bare.startswith(("@Test", "def test_"))
        if is_test and (function := FUNCTION.search(bare)):
            found.add(f"{path.parts[1]}/{path.stem if line == bare else suite}/{function.group(1)}")
            is_test = False
    return found


def rows(name):
    """The lines of a table below Tests, each with its number, without their heading."""
    lines = pathlib.Path("Tests", name).read_text().splitlines()
    return [(number, line.split("\t")) for number, line in enumerate(lines, 1) if not line.startswith(("#", "id\t"))]


def finished():
    """The sections that the first line of Tests/statements.tsv names."""
    first = pathlib.Path("Tests/statements.tsv").read_text().split("\n", 1)[0]
    return tuple(word + "." for word in first.removeprefix("# finished:").split())


tests = set().union(*map(tests_of, [*pathlib.Path("Tests").rglob("*.swift"), *pathlib.Path("Tests/EndToEnd").glob("*.py")]))
found, statements, kept = [], {}, {}
for number, parts in rows("statements.tsv"):
    if len(parts) != 4 or not STATEMENT.fullmatch(parts[0]) or parts[1] not in ("M", "MR", "S", "B") or not parts[3]:
        found.append(f"statements.tsv, line {number}: not of the form id, level, section, statement")
    elif parts[0] in statements:
        found.append(f"statements.tsv, line {number}: {parts[0]} stands twice")
    else:
        statements[parts[0]] = parts
for number, parts in rows("standards.tsv"):
    if len(parts) != 4 or not STATEMENT.fullmatch(parts[0]) or not parts[2]:
        found.append(f"line {number}: not of the form statement, test, part, module")
        continue
    statement, test, part, _ = parts
    if test == "-":
        if statements.get(statement, parts)[1] == "M":
            found.append(f"line {number}: {statement} is a must, which is not left out without a ruling")
    elif test not in tests:
        found.append(f"line {number}: {statement} names {test}, which is no test")
    if statement not in statements:
        found.append(f"line {number}: {statement} does not stand in Tests/statements.tsv")
    elif (test, part) in kept.setdefault(statement, set()):
        found.append(f"line {number}: {statement}, {part}: stands twice")
    else:
        kept[statement].add((test, part))

shown = {test for lines in kept.values() for test, _ in lines} - {"-"}
count = f"{len([lines for lines in kept.values() if any(test != '-' for test, _ in lines)])} statements, {len(shown)} tests"
if finished():
    found += [
        f"{id} has no line" for id, parts in statements.items() if parts[2].startswith(finished()) and id not in kept
    ]
    if count not in pathlib.Path("README.md").read_text():
        found.append(f'README.md does not say "{count}"')
print(count if "--count" in sys.argv[1:] else "\n".join(found))
sys.exit(1 if found else 0)
