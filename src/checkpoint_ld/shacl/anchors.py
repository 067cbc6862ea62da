"""Which statements a query about given nodes reads: those that its patterns reach from its pre-bound variables.

A query about a few focus nodes of a large graph needs a few statements, not all of its predicates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from rdflib import URIRef, Variable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rdflib.term import Node

    from checkpoint_ld.shacl.data import DataGraph

Pattern: TypeAlias = "tuple[Node, Node, Node]"
_ABOVE = frozenset(("SelectQuery", "Project", "Distinct", "Reduced", "Filter", "Extend"))


@dataclass(frozen=True)
class Anchors:
    """The triple patterns of a query, each of which is reached from the variables before it.

    `patterns` have a solution in each solution of the query; `optional` are groups that may have none.
    """

    patterns: tuple[Pattern, ...]
    optional: tuple[tuple[Pattern, ...], ...]

    def pairs(self, data: DataGraph, rows: Iterable[Mapping[str, Node]]) -> Iterator[tuple[Node, Node]]:
        """Yield the nodes, each with a predicate, whose statements the query reads for the values of its variables."""
        known: dict[Node, dict[Node, None]] = {}
        for row in rows:
            for name, node in row.items():
                known.setdefault(Variable(name), {})[node] = None
        yield from _walked(self.patterns, known, data)
        for group in self.optional:
            yield from _walked(group, dict(known), data)


def _walked(
    patterns: Iterable[Pattern], known: dict[Node, dict[Node, None]], data: DataGraph
) -> Iterator[tuple[Node, Node]]:
    for subject, predicate, value in patterns:
        nodes = known.get(subject, ()) if isinstance(subject, Variable) else (subject,)
        found: dict[Node, None] = {}
        for node in nodes:
            yield node, predicate
            if isinstance(value, Variable) and value not in known:
                found.update(dict.fromkeys(data.values(node, predicate)))
        if isinstance(value, Variable):
            known.setdefault(value, found)


def anchors_of(algebra: Any, bound: Iterable[str]) -> Anchors | None:
    """Return the patterns of a query in the order in which they are reached, None if some are not, or may not be."""
    certain: list[Pattern] = []
    optional: list[list[Pattern]] = []
    if not _collect(algebra, certain, optional):
        return None
    reached = set(map(Variable, bound))
    patterns = _ordered(certain, reached)
    groups = [_ordered(one, set(reached)) for one in optional]
    if patterns is None or None in groups:
        return None
    return Anchors(patterns, tuple(one for one in groups if one is not None))


def _collect(node: Any, patterns: list[Pattern], optional: list[list[Pattern]]) -> bool:
    """Collect the triple patterns of an algebra; return whether it has nothing else."""
    if node.name == "BGP":
        patterns += node.triples
        return all(isinstance(predicate, URIRef) for _, predicate, _ in node.triples)
    if node.name == "Join":
        return _collect(node.p1, patterns, optional) and _collect(node.p2, patterns, optional)
    if node.name == "LeftJoin":
        group: list[Pattern] = []
        within: list[list[Pattern]] = []
        is_plain = _collect(node.p1, patterns, optional) and _collect(node.p2, group, within)
        optional.append(group)
        return is_plain and not within and not _looks_elsewhere(node.expr)
    return node.name in _ABOVE and not _looks_elsewhere(dict.get(node, "expr")) and _collect(node.p, patterns, optional)


def _looks_elsewhere(expression: Any) -> bool:
    """Return whether an expression has EXISTS, whose patterns are others."""
    from checkpoint_ld.guard.plans import nodes  # noqa: PLC0415 - few shapes have queries

    return any(one.name in ("Builtin_EXISTS", "Builtin_NOTEXISTS") for one in nodes(expression))


def _ordered(patterns: list[Pattern], reached: set[Variable]) -> tuple[Pattern, ...] | None:
    found: list[Pattern] = []
    left = list(patterns)
    while left:
        ready = next((one for one in left if not isinstance(one[0], Variable) or one[0] in reached), None)
        if ready is None:
            return None
        left.remove(ready)
        found.append(ready)
        if isinstance(ready[2], Variable):
            reached.add(ready[2])
    return tuple(found)
