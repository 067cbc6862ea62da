"""A checkpoint as lines of text that git compares: what its authors see, one thing under another, without dates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.properties import as_list
from checkpoint_ld.phrases import harmless
from checkpoint_ld.secrets import secret

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.families import Source

_PASSED = frozenset(("@type", "@context", "dateCreated", "dateModified"))
_FLAT = frozenset(("item", "snapshot", "tool_state"))
"""Objects whose members stand where they do."""
_TEXTS = {"acceptedAnswer": "answer", "hasPart": "template"}
"""Objects of a question of which the text is what counts."""
_ENTRIES = {
    "dataFeedElement": ("question", "@id"),
    "rating": ("trait", "name"),
    "hasPart": ("scenario", "name"),
    "thought_chain": ("thought", "id"),
    "calls": ("call", "id"),
}
_STRUCTURE = frozenset(("additionalProperty", *_FLAT, *_TEXTS, *_ENTRIES))
_WITHHELD = "(withheld: it looks like a secret)"


def outline_of(source: Source) -> str:
    """Return a checkpoint as lines of text. Values that look like secrets are withheld."""
    lines = _members(source.tree, 0)
    return "".join(f"{harmless(line)}\n" for line in lines)


def _members(holder: dict[str, Any], depth: int, *, is_question: bool = False) -> Iterator[str]:
    for key, value in holder.items():
        held = [one for one in as_list(value) if isinstance(one, dict)]
        if key in _PASSED:
            continue
        if len(held) < len(as_list(value)) or key not in _STRUCTURE:
            yield from _value(key, value, depth)
        elif key in _FLAT:
            yield from _members(held[0], depth, is_question=key == "item")
        for one in held if len(held) == len(as_list(value)) else ():
            if key == "additionalProperty":
                yield from _value(str(one.get("name")), one.get("value"), depth)
            elif is_question and key in _TEXTS:
                yield from _value(_TEXTS[key], one.get("text"), depth)
            elif key in _ENTRIES:
                word, name = _ENTRIES[key]
                yield f"{'  ' * depth}{word} {one.get(name, '')}"
                yield from _members({k: v for k, v in one.items() if k != name}, depth + 1)


def _value(key: str, value: Any, depth: int) -> Iterator[str]:
    margin = "  " * depth
    if secret({key: value}):
        yield f"{margin}{key}: {_WITHHELD}"
    elif isinstance(value, dict) and value:
        yield f"{margin}{key}:"
        for name, one in value.items():
            yield from _value(name, one, depth + 1)
    elif isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value):
        yield f"{margin}{key}:"
        for one in value:
            yield from _value("-", one, depth + 1)
    elif isinstance(value, str) and "\n" in value:
        yield f"{margin}{key}:"
        yield from (f"{margin}  {line}" for line in value.splitlines())
    else:
        yield f"{margin}{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
