"""What follows from a data graph by the rules of shapes (SHACL Advanced Features §8).

Shapes come in the order of their sh:order, and the rules of a shape in that of theirs; each rule sees what the rules
before it stated.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from rdflib import URIRef

from checkpoint_ld.errors import ShapesError
from checkpoint_ld.graph.contexts import named
from checkpoint_ld.graph.store import copied, put
from checkpoint_ld.shacl.live import LiveGraph
from checkpoint_ld.shacl.shape import shown
from checkpoint_ld.shacl.shapes import Validation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.shacl.data import DataGraph
    from checkpoint_ld.shacl.dependencies import Statement
    from checkpoint_ld.shacl.rules import InferenceRule
    from checkpoint_ld.shacl.shapes import Shapes

_MOST_ROUNDS = 100


def expanded(data: DataGraph, shapes: Shapes, prefixes: Mapping[str, str], *, iterate_rules: bool = False) -> LiveGraph:
    """Return a data graph with the statements that the rules of a shapes graph infer.

    With `iterate_rules`, the rules of a shape are repeated until nothing new follows. Raises ShapesError for rules that
    cannot be applied, and where that has no end.
    """
    index = copied(data.index)
    live = LiveGraph(index)
    queries = Validation(shapes, live, prefixes=prefixes).queries if shapes.has_queries else None
    by_shape: dict[Node, list[InferenceRule]] = defaultdict(list)
    for rule in sorted(shapes.rules, key=lambda one: one.order):
        by_shape[rule.shape].append(rule)
    for shape, rules in by_shape.items():
        for _ in range(_MOST_ROUNDS):
            is_changed = False
            nodes: Sequence[Node] | None = None
            for rule in rules:
                run = Validation(shapes, live, prefixes=prefixes, queries=queries)
                if nodes is None:
                    nodes = run.focus_nodes(shapes.by_node[shape])
                new = [one for one in _applied(rule, run, nodes) if put(index, *one)]
                if new:
                    live.change((index,), new)
                    is_changed = True
                    nodes = None
                    if queries is not None:
                        queries.add(new)
            if not (iterate_rules and is_changed):
                break
        else:
            raise ShapesError(
                f"the rules of {shown(shape)} state something new {_MOST_ROUNDS} times: repeat only rules that come to "
                "an end"
            )
    return live


def _applied(rule: InferenceRule, run: Validation, nodes: Sequence[Node]) -> Iterator[Statement]:
    for condition in rule.conditions:
        faulty = run.results_of(condition, nodes)
        nodes = [one for one in nodes if not faulty.get(one)]
    if nodes:
        for subject, predicate, value in list(rule.statements(run, nodes)):
            yield _shared(subject), _shared(predicate), _shared(value)


def _shared(term: Node) -> Node:
    return named(str(term)) if isinstance(term, URIRef) else term
