"""Collections: what agent checkpoints say against each other, found while they pass by."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from checkpoint_ld.agent.rules import value_at
from checkpoint_ld.agent.serialization import AgentReading
from checkpoint_ld.agent.text import sha256_of
from checkpoint_ld.documents.values import is_number
from checkpoint_ld.findings import Finding, Place
from checkpoint_ld.phrases import called, given, shown
from checkpoint_ld.rules import by_slug, finding

if TYPE_CHECKING:
    from checkpoint_ld.agent.checkpoint import AgentCheckpoint

Tree = dict[str, Any]
Told = tuple[str, str, str]
"""The name of a rule, the place in the tree, and what there is to say."""

_FALLING: Final = {
    "/metadata/step_number": "agent-step-falls",
    "/metadata/tokens_used": "agent-tokens-fall",
    "/timestamp": "agent-older-than-parent",
}
_PARENT: Final = "/parent/checkpoint_id"
PLACES: Final = (*_FALLING, _PARENT)
"""The places that findings about a parent point to."""
_ABOUT: Final = ("/about/benchmark", "/about/question", "/about/benchmark_sha256")
_REMEMBERED: Final = (*PLACES, *_ABOUT, "/id", "/agent_id")


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


class _Look:
    """One look at a collection."""

    def __init__(self, benchmarks: Lookup | None) -> None:
        self.known = benchmarks.get if isinstance(benchmarks, Mapping) else benchmarks
        self.seen: dict[str, Seen] = {}
        self.newest: dict[str, Newest] = {}
        self.orphans: dict[str, list[tuple[Seen, Mapping[str, Place]]]] = {}
        """By their parents, checkpoints whose parent was not seen yet, and where their numbers and links stand."""
        self.asked: set[tuple[Any, ...]] = set()

    def at(self, one: AgentReading | AgentCheckpoint | Tree) -> Iterator[Finding]:
        """Yield what is found when a checkpoint passes by."""
        tree = one if isinstance(one, dict) else one.tree if isinstance(one, AgentReading) else one.tree()
        sha256 = sha256_of(tree) if isinstance(one, (dict, AgentReading)) else one.sha256
        place = one.place if isinstance(one, AgentReading) else _in_tree
        if not isinstance(tree.get("id"), str) or not isinstance(tree.get("execution_id"), str):
            return
        values = {at: value_at(tree, at) for at in _REMEMBERED}
        parent = values[_PARENT] if isinstance(values[_PARENT], str) else None
        seen = Seen(tree["id"], tree["execution_id"], parent, sha256, values)
        before = self.seen.get(seen.identifier)
        if before is not None:
            if before.sha256 != sha256:
                yield _finding("agent-id-twice", "/id", seen, place("/id"))
            return
        self.seen[seen.identifier] = seen
        for slug, at, detail in (*self._within(seen, tree), *self._questions(seen)):
            yield _finding(slug, at, seen, place(at), detail)
        for orphan, places in self.orphans.pop(seen.identifier, ()):
            for slug, at, detail in below(orphan, seen):
                yield _finding(slug, at, orphan, places[at], detail)
        if seen.parent is not None and seen.parent not in self.seen:
            self.orphans.setdefault(seen.parent, []).append((seen, {at: place(at) for at in PLACES}))

    def absent(self) -> Iterator[Finding]:
        """Yield the checkpoints whose parents did not pass by."""
        for orphans in self.orphans.values():
            for seen, places in orphans:
                yield _finding("agent-parent-absent", _PARENT, seen, places[_PARENT])

    def _within(self, seen: Seen, tree: Tree) -> Iterator[Told]:
        """Hold a checkpoint against its parent, or against the one before it in its execution."""
        newest = self.newest.get(seen.execution)
        before = None if newest is None else newest.seen
        parent = self.seen.get(seen.parent) if seen.parent is not None else None
        earlier = parent or before
        if earlier is not None and (parent is not None or earlier.key <= seen.key):
            yield from below(seen, earlier)
        if newest is not None and before is not None:
            yield from changed(seen, before)
            if earlier is before:
                yield from rethought(tree, newest)
        if before is None or before.key <= seen.key:
            self.newest[seen.execution] = Newest(seen, {known: digest for _, known, digest in _thoughts(tree)})

    def _questions(self, seen: Seen) -> Iterator[Told]:
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


def _in_tree(pointer: str) -> Place:
    return Place(pointer=pointer)


def _finding(slug: str, at: str, seen: Seen, place: Place, detail: str = "") -> Finding:
    rule = by_slug()[slug]
    message = rule.message.replace("{?value}", given(seen.values.get(at))).replace("{?detail}", detail)
    return replace(finding(slug, message, subject=called("checkpoint", seen.identifier)), place=place)


class Seen(NamedTuple):
    """What is remembered of a checkpoint: ids of it, its execution and its parent, its hash, and some values."""

    identifier: str
    execution: str
    parent: str | None
    sha256: str
    values: Mapping[str, Any]

    @property
    def about(self) -> tuple[Any, Any, Any]:
        """The benchmark, the question, and the hash of the benchmark."""
        benchmark, question, sha256 = map(self.values.get, _ABOUT)
        return benchmark, question, sha256

    @property
    def key(self) -> tuple[float, float, str]:
        """What checkpoints are ordered by: timestamp, step_number, id."""
        timestamp, step = (self.values[at] for at in ("/timestamp", "/metadata/step_number"))
        return timestamp if is_number(timestamp) else 0, step if is_number(step) else 0, self.identifier


class Newest(NamedTuple):
    """The newest checkpoint of an execution, with the hashes of its thoughts' contents by their ids."""

    seen: Seen
    thoughts: Mapping[str, bytes]


def below(seen: Seen, earlier: Seen) -> Iterator[Told]:
    """Yield the numbers that are below those of an earlier checkpoint."""
    for at, slug in _FALLING.items():
        one, other = seen.values[at], earlier.values[at]
        if is_number(one) and is_number(other) and one < other:
            yield slug, at, shown(other)


def changed(seen: Seen, before: Seen) -> Iterator[Told]:
    """Yield what should be the same all through an execution and is not."""
    if seen.values["/agent_id"] != before.values["/agent_id"]:
        yield "agent-changes", "/agent_id", shown(before.values["/agent_id"])
    if seen.about[:2] != before.about[:2]:
        yield "agent-about-changes", "/about", ""


def rethought(tree: Tree, newest: Newest) -> Iterator[Told]:
    """Yield the thoughts of the checkpoint before that have another content now, or are gone."""
    left = dict(newest.thoughts)
    for at, identifier, digest in _thoughts(tree):
        if left.pop(identifier, digest) != digest:
            yield (
                "agent-thought-changed",
                f"/snapshot/thought_chain/{at}/content",
                called("checkpoint", newest.seen.identifier),
            )
    if left:
        named = f"{shown(next(iter(left)))}, in {called('checkpoint', newest.seen.identifier)},"
        yield "agent-thought-gone", "/snapshot/thought_chain", named


def _thoughts(tree: Tree) -> Iterator[tuple[int, str, bytes]]:
    chain = value_at(tree, "/snapshot/thought_chain")
    for at, thought in enumerate(chain if isinstance(chain, list) else ()):
        identifier = thought.get("id") if isinstance(thought, dict) else None
        content = thought.get("content") if isinstance(thought, dict) else None
        if isinstance(identifier, str) and isinstance(content, str):
            yield at, identifier, blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).digest()
