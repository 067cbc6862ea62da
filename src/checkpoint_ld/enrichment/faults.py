"""Faults that only Python tells, stated as predicates, so that shapes in SHACL Core can speak of them.

`shapes/published/python-only.ttl` names the shapes and the predicates. What a shape asks in checkpoint-ld is judged
here for each of its values; a fault is stated as the text that says what is wrong.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from rdflib import BNode, URIRef

from checkpoint_ld import profiles, published
from checkpoint_ld.constraints import names, relations
from checkpoint_ld.constraints.forms import FORMS
from checkpoint_ld.constraints.values import value_of
from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, KARENINA, RDF, SCHEMA, SHACL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rdflib.term import Node

    Values = Mapping[Node, list[Node]]
    Judge = Callable[["Layered", Node, Node], str | None]

_IDENTIFIES, _SPELLING = (URIRef(CHECKPOINT_SHACL + name) for name in ("identifies", "spelling"))
_REPEATS, _TEXT = URIRef(KARENINA + "repeats"), URIRef(SCHEMA + "text")


class Layered:
    """What a checkpoint states and what follows from it, in two indexes."""

    def __init__(self, *indexes: Mapping[Node, Mapping[Node, Node | list[Node]]]) -> None:
        self._indexes = indexes

    def values(self, subject: Node, predicate: Node) -> list[Node]:
        """Return the values of a property."""
        return [term for index in self._indexes for term in terms_of(index.get(subject, {}).get(predicate))]

    def subjects_of(self) -> dict[tuple[Node | None, Node], dict[Node, None]]:
        """Return the nodes of each class, by the class, and those with each property, by None and the property."""
        found: dict[tuple[Node | None, Node], dict[Node, None]] = {}
        for index in self._indexes:
            for subject, predicates in index.items():
                for predicate in predicates:
                    found.setdefault((None, predicate), {})[subject] = None
                for kind in terms_of(predicates.get(RDF_TYPE)):
                    found.setdefault((RDF_TYPE, kind), {})[subject] = None
        return found


class _Rule(NamedTuple):
    targets: tuple[tuple[Node | None, Node], ...]
    paths: tuple[Node, ...]
    judge: Judge
    stated_as: URIRef


def faults(layered: Layered) -> Iterator[tuple[Node, URIRef, str]]:
    """Yield the faults of a checkpoint: the node, the predicate, and what is wrong."""
    subjects = layered.subjects_of()
    for rule in _rules():
        for node in {node: None for target in rule.targets for node in subjects.get(target, ())}:
            for value in (value for path in rule.paths for value in layered.values(node, path)):
                fault = rule.judge(layered, node, value)
                if fault is not None:
                    yield node, rule.stated_as, fault


@cache
def _rules() -> tuple[_Rule, ...]:
    """Return the shapes of which only Python tells, compiled."""
    index = profiles.profile().statements()
    return tuple(
        _Rule(
            tuple(
                (kind, target)
                for name, kind in (("targetClass", RDF_TYPE), ("targetSubjectsOf", None))
                for target in terms_of(index[shape].get(URIRef(SHACL + name)))
            ),
            tuple(_paths(index, terms_of(index[shape][URIRef(SHACL + "path")])[0])),
            _judge(index[shape]),
            predicate,
        )
        for shape, predicate in published.python_only().items()
    )


def _paths(index: Mapping[Node, Mapping[Node, Node | list[Node]]], path: Node) -> Iterator[Node]:
    if not isinstance(path, BNode):
        yield path
        return
    at = terms_of(index[path][URIRef(SHACL + "alternativePath")])[0]
    while at in index:
        yield from terms_of(index[at][URIRef(RDF + "first")])
        at = terms_of(index[at][URIRef(RDF + "rest")])[0]


def _judge(shape: Mapping[Node, Node | list[Node]]) -> Judge:
    for form in terms_of(shape.get(published.WELL_FORMED)):
        judged = FORMS[str(form)]
        return lambda _, __, value: judged(value_of(value))
    return _of_other_text if _IDENTIFIES in shape else _misspelt


def _of_other_text(layered: Layered, node: Node, value: Node) -> str | None:
    questions = layered.values(node, URIRef(SCHEMA + "item"))
    texts = [value_of(text) for question in questions for text in layered.values(question, _TEXT)]
    is_another = any(not relations.is_identifier_of(value_of(value), text) for text in texts)
    return str(value) if is_another and not layered.values(node, _REPEATS) else None


def _misspelt(layered: Layered, node: Node, value: Node) -> str | None:
    roles = (str(role).removeprefix(KARENINA) for role in layered.values(node, RDF_TYPE))
    meant = next((near for role in roles if (near := names.misspelt(str(value), role))), None)
    return f"{value}: did you mean {meant}?" if meant else None
