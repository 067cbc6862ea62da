"""The statements of one window as lines: what the lines of the whole file say about its questions.

The questions are walked through with the names and positions that they have in the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rdflib import URIRef

from checkpoint_ld.emission.sorted_lines import TRIPLE, blocks_of, quad
from checkpoint_ld.emission.term_texts import iri
from checkpoint_ld.graph import interpreter
from checkpoint_ld.graph.building import built
from checkpoint_ld.graph.columns import Objects, Place, stem_of
from checkpoint_ld.graph.interpreter import uncollected
from checkpoint_ld.graph.plans import NotCoveredError
from checkpoint_ld.graph.walk import Walk
from checkpoint_ld.streaming.elements import UnusualFileError
from checkpoint_ld.streaming.excerpt import REFERRING
from checkpoint_ld.streaming.window import QUESTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from checkpoint_ld.streaming.excerpt import Excerpt


class Told(NamedTuple):
    """The lines about each node, those about the root one by one: other windows have some, too.

    `mentioned` are the names that something is said to be, which nothing in the file may have.
    """

    blocks: list[str]
    mentioned: set[str]


def told(part: Excerpt, syntax: str) -> Told:
    """Return the statements about the questions of a window in a syntax of lines, in no order.

    The first window has those about all around the questions, too. Raises UnusualFileError where the whole file has to
    be seen, WriteError for names that are no IRIs.
    """
    end = TRIPLE if syntax == "nt" else quad(part.frame.root)
    with interpreter.room(), uncollected():
        try:
            found = _about_questions(part, end)
            if part.window.first == 0:
                around = _about_the_rest(part, end)
                found = Told(found.blocks + around.blocks, found.mentioned | around.mentioned)
        except NotCoveredError:
            raise UnusualFileError(REFERRING) from None
    return found


def _about_questions(part: Excerpt, end: str) -> Told:
    context = part.reading.tree.get("@context")
    taken = {URIRef(part.frame.root), *map(URIRef, part.window.names)}
    walk = Walk(context, taken)
    lines = _held(walk, part, end)
    walk.complete()
    return Told([*lines, *blocks_of(walk.index, end)], walk.mentioned)


def _held(walk: Walk, part: Excerpt, end: str) -> Iterable[str]:
    """Let a walk hold the statements about the questions; return the lines that say that the root has them."""
    root, first = part.frame.root, part.window.first
    plan = walk.plans.at(part.reading.tree.get("@type"), None, None)
    [known] = plan.members((QUESTIONS,))
    if known is None or not known.is_set or not known.has_objects:
        raise NotCoveredError
    stem = stem_of(root, known)
    places = range(first, first + part.window.count)
    found = Objects(part.own, [f"{stem}/{at}" for at in places], places)
    nodes = walk.in_turn(found, Place(known.term, plan, 1))
    about = f"{iri(root)} {iri(known.predicate)} "
    return [f"{about}{iri(str(node))}{end}" for node in nodes]


def _about_the_rest(part: Excerpt, end: str) -> Told:
    tree = {key: value for key, value in part.reading.tree.items() if key != QUESTIONS}
    walk = Walk(tree.get("@context"))
    walk.root(tree)
    index, root = built(tree)
    lines = "".join(blocks_of({root: index.pop(root)}, end)).split("\n")[:-1]
    return Told([*(f"{line}\n" for line in lines), *blocks_of(index, end)], walk.mentioned)
