"""Identifiers: the names that Karenina and the Karenina GUI compute for questions, templates and traits.

The functions are pure. Despite the prefix `urn:uuid:`, no result is a UUID in the sense of RFC 4122. Readers treat an
identifier as opaque.
"""

from __future__ import annotations

import hashlib
import re
import struct
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container

URN = "urn:uuid:"
QUESTION = "urn:uuid:question-"
CHECKPOINT = "urn:uuid:karenina-checkpoint-"
NO_TEMPLATE = "no_template"
"""The identifier of a template that is absent or blank."""

_STEM_LENGTH = 50
_HASH_DIGITS = 8

# White space as ECMAScript defines it; that of Python differs (it has U+0085 and lacks U+FEFF).
_GUI_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_GUI_SPACES = re.compile(f"[{_GUI_SPACE}]+")
_GUI_DROPPED = re.compile(f"[^a-z0-9{_GUI_SPACE}]")


def question_id(text: str) -> str:
    """Return Karenina's identifier for a question with this text.

    It consists of the first 50 characters of the text, in lower case, and eight digits of its MD5 hash. Spaces become
    hyphens, `?`, `.` and `,` are removed, and other characters stay, including quotes and line breaks. Raises
    `UnicodeEncodeError` (a `ValueError`) for a text with a lone surrogate, which has no UTF-8 form.
    """
    words = text.lower().replace(" ", "-").replace("?", "").replace(".", "").replace(",", "")
    return f"{QUESTION}{words[:_STEM_LENGTH]}-{_md5(text)[:_HASH_DIGITS]}"


def unique_question_id(text: str, taken: Container[str]) -> str:
    """Return `question_id(text)`, with the first suffix of none, `-1`, `-2` and so on that is not in `taken`."""
    base = question_id(text)
    identifier, suffix = base, 0
    while identifier in taken:
        suffix += 1
        identifier = f"{base}-{suffix}"
    return identifier


def question_object_id(text: str) -> str:
    """Return the identifier of a `Question` object: the MD5 hash of the text, in 32 hexadecimal digits."""
    return _md5(text)


def template_id(code: str | None) -> str:
    """Return the identifier of a template's source text, which does not depend on the layout.

    Common indentation, line endings, white space at line ends and around the text do not count. An absent or blank
    template has the identifier `no_template`.
    """
    if code is None or not code.strip():
        return NO_TEMPLATE
    text = _without_margin(code).replace("\r\n", "\n").replace("\r", "\n")
    return _md5("\n".join(line.rstrip() for line in text.split("\n")).strip())


def unix_time(date: object) -> float:
    """Return an ISO 8601 date as seconds since 1970, by default in UTC; the present for an invalid date."""
    try:
        moment = datetime.fromisoformat(date) if isinstance(date, str) else datetime.now(UTC)
    except ValueError:
        moment = datetime.now(UTC)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def gui_question_id(text: str) -> str:
    """Return the identifier that the Karenina GUI gives to a question with this text."""
    kept = _GUI_DROPPED.sub("", text.lower())
    return f"{QUESTION}{_GUI_SPACES.sub('-', kept)[:_STEM_LENGTH]}-{abs(_gui_hash(text)):x}"


def gui_element_id(key: str) -> str:
    """Return the identifier of the element under `key` in the GUI's state; a prefix is not added twice."""
    return key if key.startswith(URN) else URN + key


def gui_key(identifier: str | None, index: int) -> str:
    """Return the key in the GUI's state of the element `identifier`, at `index` from 0."""
    return identifier.removeprefix(URN) if identifier else f"question_{index}"


def gui_answer_id(key: str) -> str:
    """Return the GUI's identifier for the answer to the question under `key`."""
    return f"{URN}answer-{key}"


def gui_template_id(key: str) -> str:
    """Return the GUI's identifier for the template of the question under `key`."""
    return f"{URN}template-{key}"


def gui_rating_id(name: str) -> str:
    """Return the GUI's identifier for a trait, which traits of the same name share in all questions."""
    return f"{URN}rating-{_GUI_SPACES.sub('-', name.lower())}"


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def _gui_hash(text: str) -> int:
    """Fold the UTF-16 code units of `text` into a signed 32-bit number."""
    encoded = text.encode("utf-16-le", "surrogatepass")
    folded = 0
    for (unit,) in struct.iter_unpack("<H", encoded):
        folded = (31 * folded + unit) & 0xFFFFFFFF
    return folded - (1 << 32) if folded >> 31 else folded


def _without_margin(code: str) -> str:
    """Remove the indentation that all lines share.

    `textwrap.dedent` treats a line with only a carriage return differently since Python 3.14, and an identifier must
    not depend on that. This is the former treatment, with which existing identifiers were made.
    """
    lines = [line if line.strip(" \t") else "" for line in code.split("\n")]
    margins = {line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line}
    margin = min(margins, default="")
    while not all(other.startswith(margin) for other in margins):
        margin = margin[:-1]
    return "\n".join(line[len(margin) :] for line in lines)
