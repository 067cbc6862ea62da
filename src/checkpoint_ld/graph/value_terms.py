"""What the values of a document become in its statements: names and literals, each made once.

A walk that writes text makes texts of them instead.
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

    def __init__(self, make: Callable[[Any], Node]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, said: tuple[type, Any]) -> Node:
        kind, value = said
        place = said if value or kind is not float else repr(value)  # 0.0 equals -0.0
        term = self.get(place)
        if term is None:
            term = self[place] = self._make(value)
        return term


class ValueTerms:
    """Terms as rdflib has them."""

    def __init__(self) -> None:
        self.texts = Made(self.text)
        self.dates = Made(self.date)
        self.scalars = Scalars(lambda value: self.literal(literal_of(value)))
        self.doubles = Scalars(lambda value: self.literal(literal_of(value, DOUBLE)))

    def named(self, names: Iterable[str]) -> list[Node]:
        """Return the nodes of objects whose names are IRIs."""
        # Looking whether they are, as URIRef does, takes as long as the rest of the work on an object.
        return [*map(str.__new__, repeat(URIRef), names)]

    def iri(self, iri: URIRef) -> Node:
        """Return the term of a type, or of another name in the vocabulary."""
        return iri

    def text(self, text: str) -> Node:
        """Make the literal of a text; `texts` remembers it."""
        return text_literal(text)

    def date(self, text: str) -> Node:
        """Make the literal of a text that should be a date and time; `dates` remembers it."""
        return literal_of(text, DATETIME)

    def json(self, value: Any) -> Node:
        """Return the literal of any JSON value."""
        return self.literal(literal_of(value, "@json"))

    def literal(self, literal: Literal) -> Node:
        """Return the term of a literal with a datatype."""
        return literal
