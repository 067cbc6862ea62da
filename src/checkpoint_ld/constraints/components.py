"""Our constraint components as Python functions, which find what the queries in `components.ttl` find.

Each distinct value is judged once, whatever the number of focus nodes that have it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rdflib import Literal

from checkpoint_ld.constraints import names, relations
from checkpoint_ld.constraints.forms import FORMS, unsettled
from checkpoint_ld.constraints.values import value_of
from checkpoint_ld.graph.expansion import RDF_TYPE, named
from checkpoint_ld.graph.literals import XSD_STRING
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, KARENINA, SCHEMA, SHAPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.shacl import Column, Component, DataGraph

    Rows = Iterator[tuple[int, Node]]
    Parameters = Mapping[str, Any]

_TEXT, _REPEATS = named(SCHEMA + "text"), named(KARENINA + "repeats")


def _well_formed(column: Column, parameters: Parameters, _data: DataGraph) -> Rows:
    """Find the values that are not as the named form asks."""
    values = column.mapped(value_of)
    form = FORMS[str(parameters["wellFormed"])]
    if values and unsettled([form], values):
        pairs = zip(column.distinct, values, strict=True)
        yield from column.rows_with([one for one, value in pairs if form(value) is not None])


def _pairs(name: str, holds: Callable[[Any, Any], bool], *beyond: Node, unless: Node | None = None) -> Component:
    """Return the component for a relation between each value and those of the property that a parameter names.

    Where there are properties `beyond` it, the values are those at the end of the path. A focus node that has the
    property `unless` may have any value.
    """

    def component(column: Column, parameters: Parameters, data: DataGraph) -> Rows:
        judged: dict[tuple[int, int], bool] = {}
        predicate = parameters[name]
        for at, values in column.filled():
            others: Sequence[Node] = data.values(column.nodes[at], predicate)
            for step in beyond:
                others = [one for other in others for one in data.values(other, step)]
            for value in values:
                for other in others:
                    key = id(value), id(other)
                    if key not in judged:
                        judged[key] = holds(value_of(value), value_of(other))
                    if not judged[key] and not (unless is not None and data.values(column.nodes[at], unless)):
                        yield at, value
                        break

    return component


def _in_role(name: str, is_odd: Callable[[Any, str], object]) -> Component:
    """Return the component for what no value may be in any role of its node."""

    def component(column: Column, parameters: Parameters, data: DataGraph) -> Rows:
        is_asked = parameters[name].value
        for at, values in column.filled() if is_asked else ():
            roles = [str(one).removeprefix(KARENINA) for one in data.values(column.nodes[at], RDF_TYPE)]
            yield from ((at, one) for one in values if any(is_odd(one, role) for role in roles))

    return component


def _same_in(column: Column, parameters: Parameters, data: DataGraph) -> Rows:
    """Find texts that are not among those of the part which a property leads to.

    Where the part has all of them and more, the first of them stands for what is missing.
    """
    for at, values in column.filled():
        texts = list(filter(_is_text, values))
        for part in data.values(column.nodes[at], parameters["sameIn"]) if texts and column.path else ():
            held = list(column.path.ends(data, part)) if column.path else []
            others = list(filter(_is_text, held))
            if not others:
                continue
            known = set(held)
            missing = [one for one in texts if one not in known]
            yield from ((at, one) for one in missing)
            if not missing and known.issuperset(values) and not set(others) <= set(values):
                yield at, min(texts, key=str)


def _reached(column: Column, _parameters: Parameters, data: DataGraph) -> Iterator[tuple[int, None]]:
    """Find the nodes of scenarios that no way along the edges leads to, where no edge has a fault of its own."""
    reached = dict.fromkeys(data.instances(_ENTRY))
    left = list(reached)
    while left:
        for node in data.values(left.pop(), _LEADS_TO):
            if node not in reached:
                reached[node] = None
                left.append(node)
    is_clear: dict[Node, bool] = {}
    for at, node in enumerate(column.nodes):
        for scenario in data.subjects(_NODES, node) if node not in reached else ():
            if scenario not in is_clear:
                is_clear[scenario] = _is_clear(data, scenario)
            if is_clear[scenario]:
                yield at, None


def _is_clear(data: DataGraph, scenario: Node) -> bool:
    """Tell whether each edge of a scenario has two ends, and leads somewhere."""
    edges = data.values(scenario, _EDGES)
    return not data.values(scenario, _MALFORMED) and not any(
        data.values(edge, _NOWHERE[0])
        or data.values(edge, _NOWHERE[1])
        or not all(any(map(_is_text, data.values(edge, end))) for end in _ENDS)
        for edge in edges
    )


def _is_text(term: Node) -> bool:
    return isinstance(term, Literal) and term.language is None and term.datatype in (None, XSD_STRING)


_ENTRY, _LEADS_TO, _NODES, _EDGES, _MALFORMED = (
    named(KARENINA + name) for name in ("EntryNode", "leadsTo", "nodes", "edges", "malformedMember")
)
_NOWHERE = named(KARENINA + "unresolvedSource"), named(KARENINA + "unresolvedTarget")
_ENDS = named(KARENINA + "source"), named(KARENINA + "target")

COMPONENTS: Mapping[str, Component] = {
    **{
        f"{CHECKPOINT_SHACL}{name}ConstraintComponent": component
        for name, component in {
            "WellFormed": _well_formed,
            "NotBefore": _pairs("notBefore", lambda value, other: not relations.is_before(value, other)),
            "Below": _pairs("below", relations.is_below),
            "SameNumber": _pairs("sameNumber", relations.is_same_number),
            "Identifies": _pairs("identifies", relations.is_identifier_of, _TEXT, unless=_REPEATS),
            "SameAmong": _same_in,
            "Spelling": _in_role("spelling", lambda key, role: names.misspelt(str(key), role)),
            "Placement": _in_role("placement", lambda key, role: names.misplaced(str(key), role)),
            "Typed": _in_role("typed", names.expected_type),
        }.items()
    },
    SHAPES + "node-reachable": _reached,
}
"""The functions by the IRIs of the components, or of the shapes whose queries they stand for."""
