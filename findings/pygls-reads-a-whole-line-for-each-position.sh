#!/bin/sh
# Library: pygls 2.1.1 (lsprotocol 2025.0.0), the usual library for language servers in Python.
# Behaviour: to turn a position of an editor into an offset, pygls counts the code units of each character of the line
# in Python, and those before the position once more. In a JSON file of one line (what `json.dumps` writes without an
# indent), one position in 1 MB costs 0.1 to 0.2 s; on many lines the same text costs an eighth of that or less, although
# pygls splits all of it into lines each time. An incremental change has two positions.
# Why a good guess is wrong: a position is two small numbers, and Python's texts are indexed in no time; incremental
# changes are chosen because they are small.
# Whom it hurts: authors of servers for JSON, minified JavaScript or notebooks. An editor seems to hang while one types.
# A table of the characters that take two code units, and a bisection, give the same offset.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pygls==2.1.1 lsprotocol==2025.0.0
"$folder/venv/bin/python" - <<'PYTHON'
import json
import sys
from time import process_time

from lsprotocol.types import Position
from pygls.workspace import TextDocument

value = [{"id": number, "text": f"question {number}"} for number in range(25_000)]


def seconds(text: str) -> float:
    document = TextDocument("file:///a.json", text)
    position = Position(len(document.lines) - 1, len(document.lines[-1]))
    start = process_time()
    for _ in range(3):
        document.offset_at_position(position)
    return (process_time() - start) / 3


one, many = (seconds(json.dumps(value, indent=indent)) for indent in (None, 0))
print(f"one position in {len(json.dumps(value)):,} characters: {one * 1000:.0f} ms on one line, {many * 1000:.1f} ms on many")
if one < 4 * many:
    sys.exit("changed: a position in a long line costs about what it costs in a text of short lines")
PYTHON
