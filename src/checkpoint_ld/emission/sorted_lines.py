"""N-Triples and N-Quads, one line a statement, in the order of their bytes.

The lines of one subject are sorted by themselves and then the subjects: no name with what ends it begins another name,
so that this is the order of all lines. For 1,000 questions this takes a sixth of the time that pyoxigraph's serializer
takes with the making of its terms, and it writes the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.emission.term_texts import TermTexts, iri, name
from checkpoint_ld.graph.columns import TOGETHER, grouped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index, StatementGraph

TRIPLE = " .\n"
"""How a line of N-Triples ends."""


def ntriples_of(graph: StatementGraph) -> bytes:
    """Return N-Triples, one line a statement, sorted. Raises WriteError for names that are no IRIs."""
    return _joined(graph.held, TRIPLE)


def nquads_of(graph: StatementGraph) -> bytes:
    """Return N-Quads, sorted, in one graph that is named by the root. Raises WriteError as above."""
    return _joined(graph.held, quad(str(graph.root)))


def _joined(index: Index, end: str) -> bytes:
    blocks = sorted(blocks_of(index, end), reverse=True)
    # Encoded one by one: most are ASCII, which takes no time, where one other character slows down all of a text. Each
    # is taken out, so that its room is free for the next.
    return b"".join([blocks.pop().encode() for _ in range(len(blocks))])


def quad(graph: str) -> str:
    """Return how a line of N-Quads ends about a statement in the graph with this name. Raises WriteError as above."""
    return f" {iri(graph)}{TRIPLE}"


def blocks_of(index: Index, end: str) -> Iterator[str]:
    """Yield the lines about each node, all of which end with `end`. Raises WriteError as above."""
    texts = TermTexts()
    known, added = texts.known, texts.added
    for subjects in _alike(index):
        names = [name(one) for one in subjects]
        known.update(zip(map(id, subjects), names, strict=True))
        held_by = [index[one] for one in subjects]
        columns = {}
        for predicate, column in zip(held_by[0], zip(*map(dict.values, held_by), strict=True), strict=True):
            columns[f" {iri(str(predicate))} "] = [
                [known.get(id(one)) or added(one) for one in held]
                if isinstance(held, list)
                else known.get(id(held)) or added(held)
                for held in column
            ]
        yield from _blocks(names, columns, end)


def _blocks(subjects: Sequence[str], columns: Mapping[str, Sequence[Any]], end: str) -> list[str]:
    """Return the lines about each of `subjects`, sorted.

    `columns` has what is said of each, a text or a list of texts, by what stands between subject and object. The lines
    have one pattern, in which only names and values differ, and what is sorted is the pattern: that takes half the time
    of making and sorting the lines of each node.
    """
    pattern = ""
    slots: list[Sequence[Any]] = []
    for start, column in sorted(columns.items()):
        pattern += f"%s{start.replace('%', '%%')}%s{end.replace('%', '%%')}"
        slots += [subjects, _objects(subjects, start, column, end)]
    return [*map(pattern.__mod__, zip(*slots, strict=True))]


def _objects(subjects: Sequence[str], start: str, column: Sequence[Any], end: str) -> Sequence[str]:
    """Return what stands between `start` and `end` if each node has one text there: several make several lines."""
    if list not in map(type, column):
        return column
    return [
        f"{end}{subject}{start}".join(sorted(one)) if type(one) is list else one
        for subject, one in zip(subjects, column, strict=True)
    ]


def _alike(index: Index) -> Iterator[Sequence[Node]]:
    """Yield the subjects of which the same predicates say something, in the same order, some at a time."""
    every = list(index)
    for _, members in grouped([*map(tuple, index.values())]):
        for start in range(0, len(members), TOGETHER):
            yield [every[at] for at in members[start : start + TOGETHER]]
