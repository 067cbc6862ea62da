"""The statements about one object of a tree and about its parts, for shapes that look at several of them together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rdflib import URIRef

from checkpoint_ld.graph.compaction import POSITION
from checkpoint_ld.graph.expansion import IDENTIFIER, RDF_TYPE
from checkpoint_ld.graph.literals import DATETIME, DOUBLE, literal_of
from checkpoint_ld.graph.plans import NotCoveredError, Reading
from checkpoint_ld.graph.residue import RESIDUE
from checkpoint_ld.validation.usual import AS_THEY_STAND

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rdflib.term import Node

    from checkpoint_ld.graph.plans import KeyPlan, Plans
    from checkpoint_ld.graph.plans import Plan as Meaning
    from checkpoint_ld.validation.sorts import Sort

_DATATYPES = {Reading.DATE: DATETIME, Reading.DOUBLE: DOUBLE}
_UNSAID = frozenset({RDF_TYPE, IDENTIFIER, POSITION, RESIDUE})


def term_of(value: Any, reading: Reading, plans: Plans) -> Node:
    """Return the term of a value that is read as it stands. Raises NotCoveredError for what is none."""
    if type(value) not in AS_THEY_STAND.get(reading, ()):
        raise NotCoveredError
    if reading is Reading.NAME:
        return plans.name(value)[0]
    if value is None or isinstance(value, (list, dict)):
        return literal_of(value, "@json")
    return literal_of(value, _DATATYPES.get(reading))


class Near:
    """What is said of the one object of a sort, and of the objects in its members.

    `names` are those of what is derived, by its properties.
    """

    def __init__(self, sort: Sort, names: Mapping[Node, str], plans: Plans) -> None:
        self.node = URIRef("")
        self._sort = sort
        self._names = names
        self._plans = plans
        [source] = sort.objects
        self._objects: dict[Node, tuple[dict[str, Any], Meaning]] = {self.node: (source, sort.meaning)}

    def terms(self, subject: Node, predicate: Node) -> list[Node]:
        """Return all values of a property, each once.

        Raises KeyError for what is not known here, NotCoveredError for what says something unusual.
        """
        source, meaning = self._objects[subject]
        if predicate in _UNSAID:
            raise KeyError(predicate)
        if subject is self.node and predicate in self._names:
            return [term_of(self._sort.derived(self._names[predicate])[0], Reading.PROPERTY, self._plans)]
        for known in meaning.members(tuple(key for key in source if key != "@context")):
            if known is not None and known.predicate == predicate:
                return self._terms(source[known.key], known, meaning)
        return []

    def _terms(self, value: Any, known: KeyPlan, meaning: Meaning) -> list[Node]:
        if known.reading is Reading.PROPERTY:
            return [term_of(value, known.reading, self._plans)]
        found: list[Node] = []
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                if not isinstance(one.get("@type"), str):
                    raise NotCoveredError
                node = URIRef(f"/{len(self._objects)}")
                self._objects[node] = one, self._plans.at(one.get("@type"), known.term, meaning)
                found.append(node)
            else:
                found.append(term_of(one, known.reading, self._plans))
        return list(dict.fromkeys(found))
