"""Collections: what agent checkpoints say against each other, told while they pass by."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.agent.reading import AgentReading
from checkpoint_ld.agent.rules import successors
from checkpoint_ld.agent.rules.successors import PLACES, Seen
from checkpoint_ld.agent.text import sha256_of
from checkpoint_ld.findings import Finding, Place
from checkpoint_ld.phrases import called, given, shown
from checkpoint_ld.rules import by_slug, finding

if TYPE_CHECKING:
    from checkpoint_ld.agent.checkpoint import AgentCheckpoint

Tree = dict[str, Any]


@dataclass(frozen=True)
class KnownBenchmark:
    """What is known of a benchmark: the `@id`s of its questions, and the hash of its file, None if it is not known."""

    questions: Container[str]
    sha256: str | None = None


Lookup = Mapping[str, KnownBenchmark] | Callable[[str], KnownBenchmark | None]
"""Benchmarks by their `@id`; about one that is not there nothing is said."""


def check_collection(
    checkpoints: Iterable[AgentReading | AgentCheckpoint | Tree], benchmarks: Lookup | None = None
) -> Iterator[Finding]:
    """Yield what agent checkpoints say against each other, in the order in which it comes to light.

    Give them oldest first: each is held against its parent or, where that is unknown, against the one before it in its
    execution. Of the newest one of each execution the thoughts are remembered, of all others a few numbers. That a
    parent is absent is told at the end. Findings point into the source of a reading, and into the tree of others.
    """
    look = _Look(benchmarks)
    for one in checkpoints:
        yield from look.at(one)
    yield from look.absent()


class _Orphan(NamedTuple):
    """A checkpoint whose parent was not seen yet, and where in its source its numbers and its link stand."""

    seen: Seen
    places: Mapping[str, Place]


class _Look:
    """One look at a collection."""

    def __init__(self, benchmarks: Lookup | None) -> None:
        self.known = benchmarks.get if isinstance(benchmarks, Mapping) else benchmarks
        self.seen: dict[str, Seen] = {}
        self.newest: dict[str, successors.Newest] = {}
        self.orphans: dict[str, list[_Orphan]] = {}
        self.asked: set[tuple[Any, ...]] = set()

    def at(self, one: AgentReading | AgentCheckpoint | Tree) -> Iterator[Finding]:
        """Yield what is found when a checkpoint passes by."""
        tree, sha256, place = _parts(one)
        if not isinstance(tree.get("id"), str) or not isinstance(tree.get("execution_id"), str):
            return
        seen = successors.seen_of(tree, sha256)
        before = self.seen.get(seen.identifier)
        if before is not None:
            if before.sha256 != sha256:
                yield _finding("agent-id-twice", "/id", seen, place("/id"))
            return
        self.seen[seen.identifier] = seen
        for slug, at, detail in (*self._within(seen, tree), *self._questions(seen)):
            yield _finding(slug, at, seen, place(at), detail)
        for orphan in self.orphans.pop(seen.identifier, ()):
            for slug, at, detail in successors.below(orphan.seen, seen):
                yield _finding(slug, at, orphan.seen, orphan.places[at], detail)
        if seen.parent is not None and seen.parent not in self.seen:
            places = {at: place(at) for at in PLACES}
            self.orphans.setdefault(seen.parent, []).append(_Orphan(seen, places))

    def absent(self) -> Iterator[Finding]:
        """Yield the checkpoints whose parents did not pass by."""
        for orphans in self.orphans.values():
            for seen, places in orphans:
                at = "/parent/checkpoint_id"
                yield _finding("agent-parent-absent", at, seen, places[at])

    def _within(self, seen: Seen, tree: Tree) -> Iterator[successors.Told]:
        """Hold a checkpoint against its parent, or against the one before it in its execution."""
        newest = self.newest.get(seen.execution)
        before = None if newest is None else newest.seen
        parent = self.seen.get(seen.parent) if seen.parent is not None else None
        earlier = parent or before
        if earlier is not None and (parent is not None or earlier.key <= seen.key):
            yield from successors.below(seen, earlier)
        if newest is not None and before is not None:
            yield from successors.changed(seen, before)
            if earlier is before:
                yield from successors.rethought(tree, newest)
        if before is None or before.key <= seen.key:
            self.newest[seen.execution] = successors.Newest(seen, successors.contents(tree))

    def _questions(self, seen: Seen) -> Iterator[successors.Told]:
        """Hold what a checkpoint says of its question against the benchmark, once for each execution."""
        asked = (seen.execution, *seen.about)
        if self.known is None or asked in self.asked:
            return
        self.asked.add(asked)
        benchmark, question, sha256 = seen.about
        known = self.known(benchmark) if isinstance(benchmark, str) else None
        if known is None:
            return
        if isinstance(question, str) and question not in known.questions:
            yield "agent-question-unknown", "/about/question", ""
        if isinstance(sha256, str) and known.sha256 not in (None, sha256):
            yield "agent-benchmark-changed", "/about/benchmark_sha256", shown(known.sha256)


def _parts(one: AgentReading | AgentCheckpoint | Tree) -> tuple[Tree, str, Callable[[str], Place]]:
    """Return the tree of a checkpoint, its hash, and what tells where in its source a value stands."""
    if isinstance(one, dict):
        return one, sha256_of(one), _in_tree
    if isinstance(one, AgentReading):
        return one.tree, sha256_of(one.tree), one.place
    return one.tree(), one.sha256, _in_tree


def _in_tree(pointer: str) -> Place:
    return Place(pointer=pointer)


def _finding(slug: str, at: str, seen: Seen, place: Place, detail: str = "") -> Finding:
    rule = by_slug()[slug]
    message = rule.message.replace("{?value}", given(seen.values.get(at))).replace("{?detail}", detail)
    return replace(finding(slug, message, subject=called("checkpoint", seen.identifier)), place=place)
