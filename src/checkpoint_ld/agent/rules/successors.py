"""Successors: a checkpoint held against the one that it goes on from."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from checkpoint_ld.agent.rules.wording import value_at
from checkpoint_ld.documents.values import is_number
from checkpoint_ld.phrases import called, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
_REMEMBERED: Final = (*PLACES, *_ABOUT, "/id", "/agent_id", "/execution_id")


class Seen(NamedTuple):
    """What is remembered of a checkpoint: its hash, and the values at some places."""

    sha256: str
    values: Mapping[str, Any]

    @property
    def identifier(self) -> str:
        """The id of the checkpoint."""
        return str(self.values["/id"])

    @property
    def execution(self) -> str:
        """The id of its execution."""
        return str(self.values["/execution_id"])

    @property
    def parent(self) -> str | None:
        """The id of its parent."""
        parent = self.values[_PARENT]
        return parent if isinstance(parent, str) else None

    @property
    def about(self) -> tuple[Any, Any, Any]:
        """The benchmark, the question, and the hash of the benchmark."""
        benchmark, question, sha256 = (self.values[at] for at in _ABOUT)
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


def seen_of(tree: Tree, sha256: str) -> Seen:
    """Return what is to be remembered of a checkpoint."""
    return Seen(sha256, {at: value_at(tree, at) for at in _REMEMBERED})


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


def contents(tree: Tree) -> dict[str, bytes]:
    """Return the hashes of the contents of thoughts by their ids."""
    return {identifier: digest for _, identifier, digest in _thoughts(tree)}


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
