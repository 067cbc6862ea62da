"""The survey of a large file: in one pass, which of its questions have to be seen together."""

from __future__ import annotations

from array import array
from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Any

from checkpoint_ld.graph import naming
from checkpoint_ld.streaming.elements import UnusualFileError
from checkpoint_ld.streaming.window import QUESTIONS, Window

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.streaming.elements import Element, Spot

_NOT_IN_NAMES = ("#", "%23")
"""What would make the names of objects without identifiers of their own look alike."""
_HIDING = (b"\\u0040", b"\\u0069", b"\\u0064")
"""How the characters of `@id` may be written, too."""
_SHARED = "an object inside a question, or beside the questions, has the identifier of another one"


class Survey:
    """What is kept of the questions that were seen: places, and by identifier and text the first that has it."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.windows: list[Window] = []
        self._spans = array("Q"), array("Q")
        self._names: dict[str, int] = {}
        self._below: set[str] = set()
        # Of a text its hash is enough: two texts with one hash are only seen together to no purpose.
        self._texts: dict[int, int] = {}
        self._repeated: dict[int, set[str]] = defaultdict(set)
        self._guests: dict[int, set[int]] = defaultdict(set)
        self._starts: list[Spot] = []

    def add(self, element: Element) -> None:
        """Take note of the next question."""
        starts, ends = self._spans
        at = len(starts)
        if at % self.size == 0:
            self._starts.append(element.start)
        starts.append(element.start.offset)
        ends.append(element.end)
        if not isinstance(element.value, dict):
            raise UnusualFileError(f"entry {at} of {QUESTIONS} is no object")
        self._claim(element.value.get("@id"), at)
        for name in _names_below(element):
            if name in self._below:
                raise UnusualFileError(_SHARED)
            self._below.add(name)
        text = _text(element.value)
        if text:
            first = self._texts.setdefault(hash(text), at)
            self._invite(first, at)
        if len(starts) % self.size == 0:
            self.close()

    def settled(self, root: dict[str, Any]) -> frozenset[str]:
        """Return the names of all objects. Refuses what could make windows depend on each other in other ways."""
        name, *others = map(name_of, _identifiers(root))
        if not self._names.keys().isdisjoint((*self._below, *others)) or not self._below.isdisjoint((name, *others)):
            raise UnusualFileError(_SHARED)
        return frozenset((*self._names, *self._below, name, *others))

    def _claim(self, identifier: object, at: int) -> None:
        if isinstance(identifier, str):
            name = name_of(identifier)
            first = self._names.setdefault(name, at)
            if first != at:
                self._repeated[at // self.size].add(name)
            self._invite(first, at)

    def _invite(self, first: int, at: int) -> None:
        if first // self.size != at // self.size:
            self._guests[at // self.size].add(first)

    def close(self) -> None:
        """Make a window of the questions since the last one, if there are any."""
        number, (starts, ends) = len(self.windows), self._spans
        first = number * self.size
        if first >= len(starts):
            return
        guests = sorted(self._guests.pop(number, ()))
        names = {name for name in self._repeated.pop(number, ()) if self._names[name] < first}
        self.windows.append(
            Window(
                first,
                len(starts) - first,
                self._starts[number],
                ends[-1],
                tuple((at, starts[at], ends[at]) for at in guests),
                frozenset(names),
            )
        )


def _text(element: dict[str, Any]) -> str | None:
    """Return the text of a question by which it is told to be asked twice."""
    question = element.get("item")
    text = question.get("text") if isinstance(question, dict) else None
    if isinstance(question, list) or isinstance(text, (list, dict)):
        raise UnusualFileError("an element of it holds several questions, or one with several texts")
    return text if isinstance(text, str) else None


def _names_below(element: Element) -> Iterator[str]:
    """Yield the names that objects inside a question have; most questions have none, which their text shows."""
    own = int("@id" in element.value)
    if element.text.count(b'"@id"') != own or (b"\\u00" in element.text and any(map(element.text.count, _HIDING))):
        found = _identifiers(element.value)
        yield from map(name_of, islice(found, int(isinstance(element.value.get("@id"), str)), None))


def _identifiers(value: Any) -> Iterator[str]:
    """Yield the identifiers of an object and of all below it, its own one first."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            if isinstance(one.get("@id"), str):
                yield one["@id"]
            is_property = one.get("@type") == "PropertyValue"
            waiting += (held for key, held in one.items() if not (is_property and key == "value"))


def name_of(identifier: str) -> str:
    """Return the name of the object with an identifier. Raises UnusualFileError for one with a fragment."""
    name = naming.iri_of(identifier)
    if any(one in name for one in _NOT_IN_NAMES):
        raise UnusualFileError("its identifiers have fragments")
    return name
