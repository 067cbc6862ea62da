"""Outcomes: what became of each file that was to be put into a collection."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """What became of a file, or of the graph of one that is gone."""

    ADDED = "added"
    REPLACED = "replaced"
    KEPT_BOTH = "kept-both"
    """It was loaded under a name of its own, beside another checkpoint of the same IRI."""
    MOVED = "moved"
    """It holds what another file held that is gone; only the manifest changed."""
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    """Another file's checkpoint of the same IRI stays."""
    REFUSED = "refused"
    """It could not be read, or its findings weigh too much, or it is in conflict with another file."""
    VANISHED = "vanished"
    """The file is gone; its graph is still there."""
    DROPPED = "dropped"
    """The graph was taken out."""


class OnConflict(StrEnum):
    """What to do about two files with different checkpoints of one IRI."""

    ERROR = "error"
    REPLACE = "replace"
    SKIP = "skip"
    KEEP_BOTH = "keep-both"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of `source`, a path; `graph` is its graph as far as that is known, `message` says why."""

    source: str
    kind: Kind
    graph: str = ""
    triples: int = 0
    message: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as a JSON object."""
        return {"source": self.source, "kind": str(self.kind), "graph": self.graph, "triples": self.triples} | (
            {"message": self.message} if self.message else {}
        )


@dataclass(frozen=True, slots=True)
class LoadReport:
    """The outcomes in the order of the files; patterns that matched none; how many files were no checkpoints."""

    outcomes: tuple[Outcome, ...]
    unmatched: tuple[str, ...] = ()
    passed_over: int = 0

    @property
    def counts(self) -> dict[Kind, int]:
        """How many outcomes there are of each kind that there is."""
        counted = Counter(one.kind for one in self.outcomes)
        return {kind: counted[kind] for kind in Kind if counted[kind]}

    @property
    def refused(self) -> tuple[Outcome, ...]:
        """The files that were not loaded although they were meant to be."""
        return tuple(one for one in self.outcomes if one.kind is Kind.REFUSED)
