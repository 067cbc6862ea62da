"""What is wrong with a text that is not JSON, in the reader's words (RFC 8259)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from checkpoint_ld.documents.places import Places
from checkpoint_ld.documents.values import shown
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from json import JSONDecodeError

    from checkpoint_ld.findings import Finding

_JSON_SPACE = " \t\n\r"
_SHOWN_TEXT = 20
_CONFLICT = re.compile(r"(?:<{7}|\|{7}|={7}|>{7})(?: .*)?$", re.MULTILINE)
"""The lines that git puts around the two sides of a merge (git-merge, "How conflicts are presented")."""

# By the beginning of the json module's own message; what is found at the place follows.
_EXPECTED = {
    "Expecting value": "a value is expected",
    "Expecting property name": "a key in double quotes is expected",
    "Expecting ':'": "a colon is expected after the key",
    "Expecting ','": "a comma or the closing bracket is expected",
    "Extra data": "the document is complete, but more text follows",
    "Invalid control character": "a control character inside a string must be written as an escape",
    "Invalid \\escape": "JSON has no such escape",
    "Invalid \\uXXXX escape": "\\u must be followed by four hexadecimal digits",
}


def syntax_fault(error: JSONDecodeError, source: str | None = None) -> Finding:
    """Return the E-JSON finding for `error`, with the line and column where the text stops being JSON."""
    text, offset = error.doc, error.pos
    if not text.strip(_JSON_SPACE):
        message, remedy = "the document is empty", "pass the file that holds the checkpoint"
        offset = 0
    elif error.msg.startswith("Unterminated string"):
        message = f"the text ends inside the string that starts here: {shown(text[offset : offset + _SHOWN_TEXT])}"
        remedy = "add the missing quote, or restore the file if it was cut off"
    elif offset >= len(text.rstrip(_JSON_SPACE)):
        message, remedy = "the text ends before the document is complete", "restore the file: it was cut off"
    elif conflict := _CONFLICT.match(text, text.rfind("\n", 0, offset) + 1):
        message = f"a conflict marker of git stands here: {shown(conflict[0][:_SHOWN_TEXT])}"
        remedy, offset = "resolve the merge: keep one side, or both, and take the markers out", conflict.start()
    else:
        return _misplaced(text, offset, error.msg, source)
    return replace(finding("json", message, remedy=remedy), place=Places(text, source).at(offset))


def _misplaced(text: str, offset: int, reason: str, source: str | None) -> Finding:
    before = text[:offset].rstrip(_JSON_SPACE)
    if reason.startswith("Illegal trailing comma") or (text[offset] in "}]" and before.endswith(",")):
        # Newer versions of Python point at the comma, older ones at the bracket after it.
        offset = offset if text[offset] == "," else len(before) - 1
        found = finding("json", "a comma stands before the closing bracket", remedy="delete the comma")
    else:
        if text[offset - 1 : offset + 1] == r"\u":
            offset -= 1
        expected = next((words for start, words in _EXPECTED.items() if reason.startswith(start)), reason)
        found = finding("json", f"{expected}; found {shown(text[offset : offset + _SHOWN_TEXT])}")
    return replace(found, place=Places(text, source).at(offset))
