"""Prints imports of package modules that Package.swift does not list for the importing target."""
import pathlib
import re
import sys

manifest = pathlib.Path("Package.swift").read_text()
allowed = {}
for match in re.finditer(r'(?:module|program|library)\(\s*"([^"]+)"(.*?)\)(?=,\n|\n)', manifest, re.S):
    name, rest = match.groups()
    uses = re.search(r"uses: \[(.*?)\]", rest, re.S)
    allowed[name] = set(re.findall(r'"([^"]+)"', uses.group(1))) if uses else set()
for name in re.findall(r'\.systemLibrary\(name: "([^"]+)"', manifest):
    allowed[name] = set()
modules = set(allowed)

found = []
for path in sorted(pathlib.Path("Sources").rglob("*.swift")):
    target = path.parts[1]
    if target not in allowed:
        found.append(f"{path}: Package.swift has no target {target}")
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r"\s*(?:@\w+(?:\([^)]*\))? )*(?:public |internal |private |package )?import (?:\w+ )?(\w+)", line)
        if match and match.group(1) in modules - allowed[target] - {target}:
            found.append(f"{path}:{number}: {target} may not import {match.group(1)}")
print("\n".join(found))
sys.exit(1 if found else 0)
