"""Writes docs/conformance.md from Tests/conformance.tsv, which lists the modules of the OpenID Foundation's conformance suite, and
Tests/standards.tsv, which says which test stands for which; with --check says what is wrong instead.

Each module either has a test or a reason why it is not played.
"""
import pathlib
import sys

SUITE = "https://gitlab.com/openid/conformance-suite"
PAGE = pathlib.Path("docs/conformance.md")
HEAD = """# Conformance

The test plans of the OpenID Foundation's [conformance suite]({suite}) for what Gatehouse offers, module by module, with the
test of ours that plays the same. The suite itself, which needs Java, Docker and a public address, has not been run against
Gatehouse, and Gatehouse is not certified.

This page is made from `Tests/conformance.tsv` and `Tests/standards.tsv` by `python3 scripts/lib/conformance.py`. Each test named
here passes in `./scripts/test`.
"""


def table(name):
    path = pathlib.Path(f"Tests/{name}.tsv")
    return [line.split("\t") for line in path.read_text().splitlines()[1:]] if path.exists() else []


wrong = []
tests = {}
for _, test, _, modules in table("standards"):
    for module in filter(None, modules.split(",")):
        tests.setdefault(module, [])
        if test not in tests[module]:
            tests[module].append(test)

page, plan, played, seen = [], None, 0, set()
for title, module, reason in table("conformance"):
    if title != plan:
        plan = title
        name, identifier = title.split(": ")
        page += ["", f"## {name}", "", f"`{identifier}`", "", "| module | test |", "|---|---|"]
    found = tests.get(module, [])
    if bool(found) == bool(reason):
        wrong.append(f"{module} needs either a test in Tests/standards.tsv or a reason why it is not played")
    if (plan, module) in seen:
        wrong.append(f"{module} stands twice")
    seen.add((plan, module))
    played += bool(found)
    page.append(f"| {module} | {', '.join(f'`{test}`' for test in found) or f'Not played. {reason}'} |")
summary = f"\n{played} modules have a test, {len(seen) - played} are not played for the reason given.\n"
text = HEAD.format(suite=SUITE) + summary + "\n".join(page) + "\n"

if "--check" in sys.argv:
    if not PAGE.exists() or PAGE.read_text() != text:
        wrong.append("docs/conformance.md is not what python3 scripts/lib/conformance.py makes")
else:
    PAGE.write_text(text)
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
