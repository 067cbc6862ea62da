"""Our constraint components as Python functions, with the same results as the queries in `components.ttl`.

Each distinct value is checked once, whatever the number of focus nodes that have it. Relations between two values are
those of dates, of numbers, and of identifiers to the texts from which they are computed.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

from rdflib import Literal, URIRef

from checkpoint_ld.documents.values import is_iso_8601
from checkpoint_ld.graph.contexts import RDF_TYPE, named
from checkpoint_ld.graph.literals import XSD_STRING
from checkpoint_ld.graph.store import SPARQL_LOCK
from checkpoint_ld.identifiers import QUESTION, gui_question_id, question_id, question_object_id
from checkpoint_ld.phrases import number, quantity
from checkpoint_ld.shacl.data import Predicate, Steps
from checkpoint_ld.shacl.shape import VALUES_ALONE, LocalComponent, ReadStatements
from checkpoint_ld.templates.self_checks import contradiction
from checkpoint_ld.validation.constraints import forms
from checkpoint_ld.validation.constraints.forms import FORMS, faulty, value_of
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, KARENINA, SCHEMA, SHAPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.shacl import Component, DataGraph, ValueNodes
    from checkpoint_ld.shacl.data import PropertyPath

    Rows = Iterator[tuple[int, Node]]
    Parameters = Mapping[str, Any]
    Judge = Callable[[Any, str], object]

_COMPUTED = re.compile(r"urn:uuid:question-.*-[0-9a-f]{6,8}(?:-\d+)?", re.DOTALL)
"""The form of identifiers that Karenina and its GUI compute: words of the question, a hash, and a number if ids
collide."""
_SUFFIX = re.compile(r"-\d+\Z")
_DIGEST = re.compile(r"[0-9a-f]{32}")
_ALIKE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?", re.ASCII)
"""Dates of this form with the same length and offset sort like their texts."""
_ZONES = timedelta(hours=14)
"""The largest offset from UTC of any place on Earth."""


def is_before(one: Any, other: Any) -> bool:
    """Return whether a date is certainly before another, whatever the offset of a date without one may be."""
    if one == other or _is_evidently_later(one, other) or not is_iso_8601(one) or not is_iso_8601(other):
        return False
    first, second = datetime.fromisoformat(one), datetime.fromisoformat(other)
    if (first.tzinfo is None) == (second.tzinfo is None):
        return first < second
    return first.replace(tzinfo=None) + 2 * _ZONES < second.replace(tzinfo=None)


def _is_evidently_later(one: Any, other: Any) -> bool:
    """Return whether a date is not before another one of the same form, by comparing their texts."""
    if not isinstance(one, str) or not isinstance(other, str) or len(one) != len(other) or one < other:
        return False
    first, second = _ALIKE.fullmatch(one), _ALIKE.fullmatch(other)
    return first is not None and second is not None and first[1] == second[1]


def is_below(one: Any, other: Any) -> bool:
    """Return whether a number is below another; also true for a value that is no number, which other rules report."""
    first, second = quantity(one), quantity(other)
    return first is None or second is None or first < second


def is_same_number(one: Any, other: Any) -> bool:
    """Return whether two numbers are equal; also true for a value that is no number, which other rules report."""
    first, second = number(one), quantity(other)
    return first is None or second is None or first == second


def is_identifier_of(identifier: Any, text: Any) -> bool:
    """Return whether an identifier may belong to a question with this text: only a computed one can be wrong."""
    if not isinstance(identifier, str) or not isinstance(text, str) or not text.strip():
        return True
    if identifier.startswith(QUESTION):
        computed = question_id(text)
        return (
            identifier == computed
            or _COMPUTED.fullmatch(identifier) is None
            or (identifier.startswith(computed) and bool(_SUFFIX.fullmatch(identifier[len(computed) :])))
            or identifier == gui_question_id(text)
        )
    return not _DIGEST.fullmatch(identifier) or identifier == question_object_id(text)


def is_accordant(reference: Any, source: Any) -> bool:
    """Return whether a reference answer may be the ground truth of a template; other rules report what is no text."""
    return not isinstance(reference, str) or not isinstance(source, str) or contradiction(source, reference) is None


def is_same_answer(one: Any, other: Any) -> bool:
    """Return whether two reference answers are the same but for case, white space and a full stop."""
    return not isinstance(one, str) or not isinstance(other, str) or _folded(one) == _folded(other)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


_TEXT, _REPEATS, _ANSWER = named(SCHEMA + "text"), named(KARENINA + "repeats"), named(SCHEMA + "acceptedAnswer")


def _well_formed(column: ValueNodes, parameters: Parameters, _data: DataGraph) -> Rows:
    """Find the values that do not have the named form."""
    found = faulty(FORMS[str(parameters["wellFormed"])], column.mapped(value_of))
    return column.rows_with([column.distinct[at] for at in found])


def _pairs(name: str, holds: Callable[[Any, Any], bool], *beyond: Node, unless: Node | None = None) -> Component:
    """Return the component for a relation between each value and those of the property that a parameter names.

    With properties `beyond` it, the values are those at the end of the path. A focus node that has the property
    `unless` may have any value.
    """

    def component(column: ValueNodes, parameters: Parameters, data: DataGraph) -> Rows:
        judged: dict[tuple[int, int], bool] = {}
        beside = column.beside(parameters[name])
        for at, values in () if beside.is_empty else column.filled():
            others: Sequence[Node] = beside.values(at)
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


def _in_role(name: str, fault: Judge) -> Component:
    """Return the component that finds values which are wrong in some role of their node."""

    def component(column: ValueNodes, parameters: Parameters, _data: DataGraph) -> Rows:
        judged: dict[tuple[object, ...], bool] = {}
        roles_of = column.beside(RDF_TYPE)
        for at, values in column.filled() if parameters[name].value else ():
            roles = roles_of.values(at)
            for one in values:
                key = str(one), one.__class__, *map(id, roles)  # many objects have the same few keys
                if key not in judged:
                    judged[key] = any(fault(one, str(role).removeprefix(KARENINA)) for role in roles)
                if judged[key]:
                    yield at, one

    return component


def _same_in(column: ValueNodes, parameters: Parameters, data: DataGraph) -> Rows:
    """Find texts that the object at the end of a property does not have.

    If the object has all of them and more, its first text is the value of the result.
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


def _reached(column: ValueNodes, _parameters: Parameters, data: DataGraph) -> Iterator[tuple[int, None]]:
    """Find the nodes of scenarios that no path along the edges reaches, if no edge has a fault of its own."""
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
    """Return whether each edge of a scenario has two ends that exist."""
    edges = data.values(scenario, _EDGES)
    return not data.values(scenario, _MALFORMED) and not any(
        any(data.values(edge, one) for one in _NOWHERE)
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


def _of_pair(name: str, *beyond: Node, unless: Node | None = None) -> Callable[[Parameters, object], ReadStatements]:
    """Return what the component of `_pairs` looks at."""

    def reads(parameters: Parameters, _path: object) -> ReadStatements:
        steps = tuple(map(Predicate, (parameters[name], *beyond)))
        other: PropertyPath = Steps(steps) if beyond else steps[0]
        return ReadStatements(beside=(other,) if unless is None else (other, Predicate(unless)))

    return reads


def _of_part(parameters: Parameters, path: PropertyPath | None) -> ReadStatements:
    """Return what `_same_in` looks at."""
    part = Predicate(parameters["sameIn"])
    return ReadStatements(beside=(part,) if path is None else (Steps((part, path)),))


_PAIRS: Mapping[str, tuple[Callable[[Any, Any], bool], tuple[Node, ...], Node | None]] = {
    "notBefore": (lambda value, other: not is_before(value, other), (), None),
    "below": (is_below, (), None),
    "sameNumber": (is_same_number, (), None),
    "identifies": (is_identifier_of, (_TEXT,), _REPEATS),
    "accordsWith": (is_accordant, (_TEXT,), None),
    "sameAnswerAs": (is_same_answer, (_ANSWER, _TEXT), None),
}
_ROLES = {
    "spelling": forms.misspelt,
    "placement": forms.misplaced,
    "familiar": forms.unfamiliar,
    "typed": forms.expected_type,
}
_OF_ROLE = ReadStatements(beside=(Predicate(RDF_TYPE),))
_OF_SCENARIO = ReadStatements(anywhere=frozenset((RDF_TYPE, _LEADS_TO, _NODES, _EDGES, _MALFORMED, *_NOWHERE, *_ENDS)))


def _component(name: str) -> str:
    return f"{CHECKPOINT_SHACL}{name[0].upper()}{name[1:]}ConstraintComponent"


COMPONENTS: Mapping[str, Component] = {
    _component("wellFormed"): LocalComponent(_well_formed, lambda _parameters, _path: VALUES_ALONE),
    _component("sameAmong"): LocalComponent(_same_in, _of_part),
    **{
        _component(name): LocalComponent(
            _pairs(name, holds, *beyond, unless=unless), _of_pair(name, *beyond, unless=unless)
        )
        for name, (holds, beyond, unless) in _PAIRS.items()
    },
    **{
        _component(name): LocalComponent(_in_role(name, fault), lambda _parameters, _path: _OF_ROLE)
        for name, fault in _ROLES.items()
    },
    SHAPES + "node-reachable": LocalComponent(_reached, lambda _parameters, _path: _OF_SCENARIO),
}
"""The functions by the IRIs of the components, or of the shapes whose queries they replace."""


def register() -> None:
    """Register the functions that queries call with rdflib; several threads may do it."""
    with SPARQL_LOCK:
        _register_once()


@cache
def _register_once() -> None:
    from rdflib.plugins.sparql.operators import register_custom_function  # noqa: PLC0415 - it takes long to import

    def of_values(holds: Callable[[Any, Any], bool]) -> Callable[..., Literal]:
        return lambda one, other: Literal(holds(value_of(one), value_of(other)))

    def in_role(fault: Judge) -> Callable[..., Literal]:
        return lambda term, role: Literal(fault(term, str(role).removeprefix(KARENINA)) is not None)

    functions: dict[str, Callable[..., Literal]] = {
        "isWellFormed": lambda term, form: Literal(FORMS[str(form)](value_of(term)) is None),
        "isBefore": of_values(is_before),
        "isBelow": of_values(is_below),
        "isSameNumber": of_values(is_same_number),
        "isIdentifierOf": of_values(is_identifier_of),
        "isAccordant": of_values(is_accordant),
        "isSameAnswer": of_values(is_same_answer),
        "isMisspelt": in_role(forms.misspelt),
        "isMisplaced": in_role(forms.misplaced),
        "isUnfamiliar": in_role(forms.unfamiliar),
        "isMistyped": in_role(forms.expected_type),
    }
    for name, function in functions.items():
        register_custom_function(URIRef(CHECKPOINT_SHACL + name), function)
