"""The usual layout: most documents are laid out in one way, and those are read in a third of the time.

Where the value that orjson reads, written again in that layout, gives the same bytes, nothing can have been lost or
bent: neither a key that stands twice nor a digit of a number. Any other text is read by `parsing`, which says what is
wrong with it.
"""

from __future__ import annotations

import json
from typing import Any

import orjson

_TRAILING = b" \t\r\n"
_INDENT = 2


def value_of(data: bytes, depth: int) -> dict[str, Any] | None:
    """Return the object that a JSON text in the usual layout holds, None for any other text.

    That is an object over several lines, indented by two blanks, as Karenina and its GUI write it. `depth` is how many
    objects and arrays may stand inside one another; where that might not be so, the answer is None, too.
    """
    # Members on the level of `depth` are indented so far; there is no line break inside a string.
    if not data.startswith(b"{\n") or b"\n" + b" " * (_INDENT * depth) in data:
        return None
    try:
        value = orjson.loads(data)
        again = orjson.dumps(value, option=orjson.OPT_INDENT_2)
    except (json.JSONDecodeError, TypeError, RecursionError):  # TypeError: an integer of more than 64 bits
        return None
    return value if data.startswith(again) and not data[len(again) :].strip(_TRAILING) else None
