"""Integrity: whether a collection holds what its manifest says, and mending what does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyoxigraph import NamedNode

from checkpoint_ld.collection import loading
from checkpoint_ld.collection.holdings import digest
from checkpoint_ld.collection.outcome import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.collection.entry import Entry
    from checkpoint_ld.collection.holdings import Holdings


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about the graph `graph` that the manifest does not say; `repair` tells what was done about it.

    Empty as `repair` means that nothing was done, be it that nothing was asked for or that nothing could be done.
    """

    graph: str
    message: str
    repair: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the problem as a JSON object."""
        return {"graph": self.graph, "message": self.message, "repair": self.repair}


def verify(holdings: Holdings, *, repair: bool) -> tuple[Problem, ...]:
    """Hold every graph against its entry, statement by statement.

    With `repair`, what was interrupted or damaged is loaded again from its file. What was interrupted and has no file
    any more is taken out, and so are graphs that the manifest does not know.
    """
    problems = list(_of_entries(holdings, repair=repair))
    is_damaged = any(not one.repair for one in problems)
    return (*problems, *_of_strays(holdings, repair=repair, in_merge=not is_damaged))


def _of_entries(holdings: Holdings, *, repair: bool) -> Iterator[Problem]:
    for entry in list(holdings.entries.values()):
        message = _fault(holdings, entry)
        if message:
            yield Problem(entry.graph, message) if not repair else _repaired(holdings, entry, message)


def _fault(holdings: Holdings, entry: Entry) -> str:
    if not entry.is_done:
        return "its loading was interrupted"
    counted = holdings.count(entry.graph)
    if counted != entry.triples:
        return f"holds {counted} statements, not {entry.triples}"
    if digest(holdings.statements(entry.graph)) != entry.sha256:
        return "holds other statements than those that were loaded"
    if not holdings.is_merged(entry.graph):
        return "is not in the default graph as a whole"
    return ""


def _repaired(holdings: Holdings, entry: Entry, message: str) -> Problem:
    outcome = loading.reload(holdings, entry)
    if outcome.kind is not Kind.REFUSED:
        return Problem(entry.graph, message, f"loaded again from {outcome.source}")
    if entry.is_done:
        return Problem(entry.graph, f"{message}, and cannot be loaded again: {outcome.message}")
    holdings.drop([entry.graph])
    return Problem(entry.graph, message, f"taken out, for it cannot be loaded again: {outcome.message}")


def _of_strays(holdings: Holdings, *, repair: bool, in_merge: bool) -> Iterator[Problem]:
    # What a damaged graph lacks, the merge of all has too much: that would be nothing new.
    for graph in holdings.strays(in_merge=in_merge):
        name, what = (graph.value, "is not in the manifest") if isinstance(graph, NamedNode) else ("", "")
        message = what or "the default graph holds statements that are in no checkpoint"
        if repair:
            holdings.take_out(graph)
        yield Problem(name, message, "taken out" if repair else "")
