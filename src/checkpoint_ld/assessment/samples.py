"""How evaluation frameworks write a question and its answer: texts, messages of a chat, choices, lists of answers."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Mapping, Sequence
from typing import Any, Final

IRI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+")
"""What an identifier is that a question can keep: an IRI (RFC 3987, roughly), and not merely a number or a name."""

_TEXT = ("text", "value", "content")
"""The members in which objects keep a text: SQuAD's answers, TriviaQA's, parts of messages."""


def question_text(value: Any, choices: Any = None) -> tuple[str, str]:
    """Return the text of a question, and what else stands in it as words.

    `value` is a text, or the messages of a chat, of which the user's texts count. Choices follow the text, each on a
    line with its letter, since the question could not be asked without them.
    """
    unfit = ""
    if isinstance(value, Sequence) and not isinstance(value, str):
        messages = [one if isinstance(one, Mapping) else {"role": "user", "content": one} for one in value]
        asked = [one.get("content") for one in messages if one.get("role", "user") == "user"]
        others = sorted({f"the {one.get('role')}'s messages" for one in messages if one.get("role", "user") != "user"})
        parts = [part for one in asked for part in (one if isinstance(one, list) else [one])]
        texts = [_text(part) for part in parts]
        others += ["what is no text"] if not all(texts) else []
        value, unfit = "\n\n".join(filter(None, texts)), " and ".join(others)
    text = _text(value)
    listed = choices_of(choices)
    if text and listed:
        text += "\n\n" + "\n".join(f"{letter}) {choice}" for letter, choice in listed.items())
    return text, unfit


def answer_text(value: Any, choices: Any = None) -> str:
    """Return the reference answer: a text, a number, or the first of several; of choices, the one that it names."""
    listed = choices_of(choices)
    first = value
    if isinstance(first, Mapping):
        first = next((first[name] for name in _TEXT if name in first), None)
    if isinstance(first, list):
        first = first[0] if first else None
    if listed and type(first) is int and 0 <= first < len(listed):
        return [*listed.values()][first]
    text = _text(first)
    return listed.get(text, text)


def has_several(value: Any) -> bool:
    """Return whether a value says more than one answer."""
    return len(value) > 1 if isinstance(value, list | Mapping) else False


def choices_of(value: Any) -> dict[str, str]:
    """Return choices by their letters: a list, or an object with the lists `label` and `text` (as ARC has them)."""
    labels: Any = string.ascii_uppercase
    if isinstance(value, Mapping):
        labels, value = value.get("label") or labels, value.get("text")
    if not isinstance(value, list):
        return {}
    return {str(label): _text(one) for label, one in zip(labels, value, strict=False)}


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return next((_text(value[name]) for name in _TEXT if name in value), "")
    if value is None or isinstance(value, bytes | list):
        return ""
    return (value if isinstance(value, str) else json.dumps(value, default=str)).strip()
