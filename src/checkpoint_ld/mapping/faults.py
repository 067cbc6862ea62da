"""The faults that pydantic finds in an entity, in one line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

_LABEL = re.compile(r"[\w-]+\[.*\]|str|int|float|bool|bytes|none|scalar", re.DOTALL)
"""What pydantic puts into a place for the branch of a union or for a function around it; no member is called so."""
_INNER = re.compile(r"^Value error, | or instance of \w+$")
_OF_CLASS = re.compile(r"^Input should be an instance of \w+$")


def faults_of(error: ValidationError) -> str:
    """Return what is wrong with the members of an entity, each named with its place; values stay out of it.

    What pydantic says about each branch of a union is one fault.
    """
    found: dict[str, list[str]] = {}
    for one in error.errors(include_url=False, include_input=False, include_context=False):
        found.setdefault(".".join(map(str, place_of(one["loc"]))), []).append(words_of(one["msg"]))
    return "; ".join(": ".join(filter(None, (at, " or ".join(dict.fromkeys(words))))) for at, words in found.items())


def place_of(steps: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Return the members and indices that lead to a fault, without the branches that pydantic took."""
    return tuple(one for one in steps if isinstance(one, int) or not _LABEL.fullmatch(one))


def words_of(message: str) -> str:
    """Return what pydantic says about a value without the names of classes that are not the reader's."""
    return _OF_CLASS.sub("Input should be of another kind", _INNER.sub("", message))
