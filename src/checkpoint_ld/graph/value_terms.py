"""What the values of a document become in its statements: names and literals, each made once.

A walk that writes text makes texts of them instead. The makers know no walk, so that what they made is free as soon as
nobody needs it, without the garbage collector.
"""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any

from rdflib import URIRef

from checkpoint_ld.graph.literals import DATETIME, DOUBLE, Made, literal_of, text_literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rdflib import Literal
    from rdflib.term import Node


class Scalars(dict[object, "Node"]):
    """Terms of numbers and truth values by type and value, each made when it is first asked for."""

    def __init__(self, make: Callable[[Literal], Node], datatype: str | None = None) -> None:
        super().__init__()
        self._make = make
        self._datatype = datatype

    def __missing__(self, said: tuple[type, Any]) -> Node:
        kind, value = said
        place = said if value or kind is not float else repr(value)  # 0.0 equals -0.0
        term = self.get(place)
        if term is None:
            term = self[place] = self._make(literal_of(value, self._datatype))
        return term


class ValueTerms:
    """Terms as rdflib has them; `texts`, `dates`, `scalars` and `doubles` remember theirs."""

    def __init__(self) -> None:
        self.texts = Made(self.text)
        self.dates = Made(self.date)
        self.scalars = Scalars(self.literal)
        self.doubles = Scalars(self.literal, DOUBLE)

    @staticmethod
    def named(names: Iterable[str]) -> list[Node]:
        """Return the nodes of objects whose names are IRIs."""
        # Looking whether they are, as URIRef does, takes as long as the rest of the work on an object.
        return [*map(str.__new__, repeat(URIRef), names)]

    @staticmethod
    def iri(iri: URIRef) -> Node:
        """Return the term of a type, or of another name in the vocabulary."""
        return iri

    @staticmethod
    def text(text: str) -> Node:
        """Make the literal of a text."""
        return text_literal(text)

    @staticmethod
    def date(text: str) -> Node:
        """Make the literal of a text that should be a date and time."""
        return literal_of(text, DATETIME)

    @staticmethod
    def json(value: Any) -> Node:
        """Make the literal of any JSON value."""
        return literal_of(value, "@json")

    @staticmethod
    def literal(literal: Literal) -> Node:
        """Return the term of a literal with a datatype."""
        return literal
