"""Words: what a result of validation is called as a finding, with the offending value and what to do about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rdflib import Literal

from checkpoint_ld.agent.rules.parts import Json
from checkpoint_ld.constraints import names
from checkpoint_ld.constraints.secrets import secret
from checkpoint_ld.documents.values import is_number
from checkpoint_ld.phrases import called, given
from checkpoint_ld.shacl.terms import listed, told

if TYPE_CHECKING:
    from checkpoint_ld.agent.rules.results import Result
    from checkpoint_ld.findings import Place
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.rules import Rule

_PLACEHOLDER = re.compile(r"\{[?$](\w+)\}")
_UNIT = re.compile(r"not a number from 0 to 1\Z")
_WITHHELD = "what looks like a secret"


def value_at(tree: Any, place: str) -> Any:
    """Return the value at a JSON Pointer of a tree, None where there is none."""
    value = tree
    for token in place.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            value = value[int(key)] if key.isdecimal() and int(key) < len(value) else None
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value


def message_of(rule: Rule, result: Result, value: Any) -> str:
    """Return the message of a rule about a result; `value` is what stands at its place."""
    key = _key(result.place)

    def filled(match: re.Match[str]) -> str:
        match match[1]:
            case "value":
                return _WITHHELD if is_secret(key, value) else given(value)
            case "key":
                return given(key)
            case _:
                return result.detail

    return _PLACEHOLDER.sub(filled, rule.message)


def in_words_of(message: str, result: Result, place: Place) -> str:
    """Return a message with the key that the source has for what the tree calls otherwise, as the second shape does."""
    own, key = _key(result.place), _key(place.pointer or "")
    if own == key or not own.isidentifier() or not key.isidentifier():
        return message
    return re.sub(rf"\b{own}\b", key, message, count=1)


def remedy_of(rule: Rule, result: Result, value: Any, shapes: Index) -> str:
    """Return what to do about a result: what was most likely meant, where that can be told, or what the rule says."""
    if rule.suggests and isinstance(value, str):
        known = tuple(str(one) for at in told(shapes, result.of.shape, "in") for one in listed(shapes, at))
        near = names.nearest(value, known)
        return f'did you mean "{near}"?' if near else rule.remedy
    if _UNIT.search(rule.message) and is_number(value) and 1 < value <= 100:
        return f"did you mean {value / 100:g}?"
    return rule.remedy


def is_secret(key: str, value: Any) -> bool:
    """Tell whether a value must not be repeated."""
    return isinstance(value, (str, dict, list)) and secret({key: value}) is not None


def is_withheld(result: Result) -> bool:
    """Tell whether the value of a result must not be repeated."""
    value = result.value.value if isinstance(result.value, Json) else result.value
    return is_secret(_key(result.place), value)


def subject_of(tree: Any, place: str) -> str:
    """Say which thought or call the value at a JSON Pointer belongs to."""
    match place.split("/")[1:4]:
        case ["snapshot", "thought_chain", at]:
            noun, above = "thought", f"/snapshot/thought_chain/{at}"
        case ["snapshot", "tool_state", "calls"] if len(place.split("/")) > 4:
            noun, above = "call", "/".join(place.split("/")[:5])
        case _:
            return ""
    return called(noun, value_at(tree, above + "/id"))


def text_of(result: Result, value: Any) -> str | None:
    """Return the offending value as text, None where there is none or it may be a secret."""
    if value is None or isinstance(value, (dict, list)) or is_secret(_key(result.place), value):
        return None
    return str(Literal(value)) if isinstance(value, bool) else str(value)


def _key(place: str) -> str:
    return place.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
