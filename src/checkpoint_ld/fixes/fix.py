"""What a fix is, and how fixes get into a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from checkpoint_ld.documents.document import Document


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """The characters from `start` up to `end` of a text, replaced by `text`; offsets count from 0."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """One repair: which rules of the catalogue it satisfies (by slug), where (RFC 6901), and what it does.

    `edits` are about the whole text of the document, a byte order mark included. Edits of different fixes of one
    document never overlap.
    """

    rules: tuple[str, ...]
    pointer: str
    title: str
    edits: tuple[Edit, ...]


def apply(document: Document, fixes: Iterable[Fix]) -> bytes:
    """Return the text of `document` with `fixes`, which were found in it; all other characters stay as they are."""
    text = document.data.decode("utf-8")
    return edited(text, (edit for fix in fixes for edit in fix.edits), 0, len(text)).encode()


def edited(text: str, edits: Iterable[Edit], start: int, end: int) -> str:
    """Return the part of `text` from `start` up to `end` with `edits`, all of which are within it."""
    parts, at = [], start
    # At one and the same offset, what ends there comes before what is put in.
    for edit in sorted(edits):
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join((*parts, text[at:end]))
