"""Examples: for each rule a document that keeps it and one that breaks it, and where the fault stands.

They are data, `shapes/examples/<code>.json`: a document by name and the changes that break it, or the text itself.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from checkpoint_ld import data
from checkpoint_ld.rules import FOLDER

_FOLDER = "examples"
_LEFT_OUT = "…"


@dataclass(frozen=True, slots=True)
class Example:
    """One rule by example.

    `valid` and `invalid` are the texts of two documents that differ in what the rule is about; `pointer` is where the
    finding points (RFC 6901). `profile` is the one whose rule it is. `good` and `bad` are the parts of the two that
    matter, for reading.
    """

    code: str
    valid: bytes
    invalid: bytes
    pointer: str
    good: str
    bad: str
    profile: str = "karenina"
    file: str = "example.jsonld"


@cache
def example(code: str) -> Example | None:
    """Return the example of the rule `code`, None for a rule that is not shipped."""
    path = data.folder(FOLDER) / _FOLDER / f"{code}.json"
    if not path.is_file():
        return None
    told = json.loads(path.read_text(encoding="utf-8"))
    file, profile = told.get("file", "example.jsonld"), told.get("profile", "karenina")
    if "invalid" in told:
        valid, invalid = told["valid"], told["invalid"]
        encoded = valid.encode(), invalid.encode(told.get("encoding", "utf-8"))
        return Example(code, *encoded, told["pointer"], valid.strip(), invalid.strip(), profile, file)
    valid = document(told["document"])
    patch(valid, told.get("prepare", []))
    broken = copy.deepcopy(valid)
    patch(broken, told["change"])
    shown = told.get("shown", told["pointer"])
    return Example(
        code,
        _text(valid),
        _text(broken),
        told["pointer"],
        _part(valid, broken, shown),
        _part(broken, valid, shown),
        profile,
        file,
    )


def document(name: str) -> Any:
    """Return the valid document called `name` that examples start from."""
    return json.loads(data.text(FOLDER, f"{_FOLDER}/{name}.jsonld"))


def patch(tree: Any, operations: list[dict[str, Any]]) -> None:
    """Carry out the operations add, replace and remove of a JSON Patch (RFC 6902) on `tree`."""
    for operation in operations:
        *steps, last = _tokens(operation["path"])
        holder = tree
        for step in steps:
            holder = holder[_key(holder, step)]
        key = _key(holder, last)
        if operation["op"] == "remove":
            del holder[key]
        elif operation["op"] == "add" and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(operation["value"]))
        else:
            holder[key] = copy.deepcopy(operation["value"])


def _part(tree: Any, other: Any, pointer: str) -> str:
    """Return the object nearest to `pointer` as JSON text; what `other` has just so is left out, as …."""
    found, same = tree, other
    value, counterpart = tree, other
    for step in _tokens(pointer):
        try:
            value = value[_key(value, step)]
        except (KeyError, IndexError, TypeError):
            break
        counterpart = _member(counterpart, step)
        if isinstance(value, dict):
            found, same = value, counterpart
    return json.dumps(_abridged(found, same), indent=2, ensure_ascii=False).replace(f'"{_LEFT_OUT}"', _LEFT_OUT)


def _abridged(value: Any, other: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _LEFT_OUT
            if isinstance(one, (dict, list)) and one and one == _member(other, key)
            else _abridged(one, _member(other, key))
            for key, one in value.items()
            if key != "@context"
        }
    if isinstance(value, list):
        return [
            _LEFT_OUT
            if isinstance(one, (dict, list)) and one == _member(other, str(at))
            else _abridged(one, _member(other, str(at)))
            for at, one in enumerate(value)
        ]
    return value


def _member(holder: Any, step: str) -> Any:
    try:
        return holder[_key(holder, step)]
    except (KeyError, IndexError, TypeError, ValueError):
        return None


def _text(tree: Any) -> bytes:
    return (json.dumps(tree, indent=2, ensure_ascii=False) + "\n").encode()


def _tokens(pointer: str) -> list[str]:
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def _key(holder: Any, step: str) -> Any:
    if not isinstance(holder, list):
        return step
    return len(holder) if step == "-" else int(step)
