"""The text of a question and of its reference answer in the samples of other programs, multiple choice included."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Mapping, Sequence
from itertools import chain, product
from typing import Any, Final

from checkpoint_ld.entities.entity import json_value
from checkpoint_ld.identifiers import QUESTION

IDENTIFIER: Final = re.compile(rf"{QUESTION}(?s:.)+|[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{{}}|\\^`]+")
"""The identifiers that a question keeps: those computed from texts, and IRIs (RFC 3987, roughly), not mere numbers."""

_TEXT = ("text", "value", "content")
"""The members that hold a text: of SQuAD's answers, TriviaQA's, parts of messages."""


def question_text(value: Any, choices: Any = None) -> tuple[str, str]:
    """Return the text of a question, and a description of the content that is left out.

    `value` is a text, or the messages of a chat, of which the user's texts count. Choices are part of the question:
    they follow the text, each on a line with its letter.
    """
    unfit = ""
    if isinstance(value, Sequence) and not isinstance(value, str):
        messages = [
            message if isinstance(message, Mapping) else {"role": "user", "content": message} for message in value
        ]
        contents = [message.get("content") for message in messages if message.get("role", "user") == "user"]
        others = sorted(
            {f"the {message.get('role')}'s messages" for message in messages if message.get("role", "user") != "user"}
        )
        parts = [part for content in contents for part in (content if isinstance(content, list) else [content])]
        texts = [_text(part) for part in parts]
        others += ["content other than text"] if not all(texts) else []
        value, unfit = "\n\n".join(filter(None, texts)), " and ".join(others)
    text = _text(value)
    listed = choices_of(choices)
    if text and listed:
        text += "\n\n" + "\n".join(f"{letter}) {choice}" for letter, choice in listed.items())
    return text, unfit


def answer_text(value: Any, choices: Any = None) -> str:
    """Return the reference answer: a text, a number, the first of several, or the choice that it names."""
    listed = choices_of(choices)
    first = value
    if isinstance(first, Mapping):
        first = next((first[name] for name in _TEXT if name in first), None)
    if isinstance(first, list):
        first = first[0] if first else None
    # A column of whole numbers in which one is missing is a column of floats for many programs.
    if listed and isinstance(first, int | float) and first in range(len(listed)) and not isinstance(first, bool):
        return [*listed.values()][int(first)]
    text = _text(first)
    if text.isdecimal() and text not in {*listed, *listed.values()}:  # the number of a choice in a table of text
        text = dict(enumerate(listed.values())).get(int(text), text)
    return listed.get(text, text)


def has_several(value: Any) -> bool:
    """Return whether a value holds more than one answer."""
    return len(value) > 1 if isinstance(value, list | Mapping) else False


def choices_of(value: Any) -> dict[str, str]:
    """Return choices by letters: a list, an object by letters, or one of the lists `label` and `text` (as in ARC)."""
    letters = string.ascii_uppercase
    labels: Any = chain(letters, map("".join, product(letters, repeat=2)))  # A to Z, AA, AB, as columns of a workbook
    if isinstance(value, Mapping):
        if all(len(label) == 1 for label in value):
            return {label: text for label, choice in value.items() if (text := _text(choice))}
        labels, value = value.get("label") or labels, value.get("text")
    if not isinstance(value, list):
        return {}
    return {str(label): _text(choice) for label, choice in zip(labels, value, strict=False)}


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return next((_text(value[name]) for name in _TEXT if name in value), "")
    if value is None or isinstance(value, bytes | list):
        return ""
    plain = json_value(value)
    return (plain if isinstance(plain, str) else json.dumps(plain)).strip()
