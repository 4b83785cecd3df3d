"""Prints Swift files over 400 lines and functions over 60 lines among the files named."""
import re
import sys

FILE_LIMIT, FUNCTION_LIMIT = 400, 60
START = re.compile(r"^(\s*)(?:@\w+(?:\([^)]*\))?\s+)*(?:[a-z]+(?:\([a-z]+\))?\s+)*(func\s+\S+|init[?(<]|deinit)")

for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    if len(lines) > FILE_LIMIT:
        print(f"{path}: {len(lines)} lines (limit {FILE_LIMIT})")
    for index, line in enumerate(lines):
        match = START.match(line)
        if not match:
            continue
        # The formatter closes a body with a brace at the indentation of its declaration.
        closing = match.group(1) + "}"
        if line.rstrip().endswith("}"):
            continue
        for end in range(index + 1, len(lines)):
            if lines[end].rstrip() == closing or lines[end].startswith(closing + " "):
                if end - index + 1 > FUNCTION_LIMIT:
                    print(f"{path}:{index + 1}: {match.group(2)} has {end - index + 1} lines (limit {FUNCTION_LIMIT})")
                break
            if START.match(lines[end]) and len(START.match(lines[end]).group(1)) <= len(match.group(1)):
                break
