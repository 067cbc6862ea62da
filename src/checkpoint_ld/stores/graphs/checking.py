"""What is wrong with the graphs of agent checkpoints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyoxigraph import NamedNode

from checkpoint_ld.documents.values import shown
from checkpoint_ld.errors import IntegrityError
from checkpoint_ld.findings import Place
from checkpoint_ld.rules import finding
from checkpoint_ld.stores.graphs import listing
from checkpoint_ld.stores.graphs.statements import graph_of, restored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.stores.graphs.graphs import Graphs


def findings(graphs: Graphs, *, repair: bool) -> Iterator[Finding]:
    """Yield what is wrong; with `repair`, take out what is unfinished, and make derived statements again."""
    where = Place(graphs.where)
    with graphs.working(writing=False):
        names = {term.value for (term,) in graphs.select(listing.NAMES) if isinstance(term, NamedNode)}
        names |= graphs.listed() | graphs.unfinished()
    for name in sorted(names):
        known = listing.identifier_of(name)
        if known is not None:
            found = _of_graph(graphs, name, known, repair=repair)
            if found is not None:
                yield replace(found, place=where)


def _of_graph(graphs: Graphs, name: str, known: str, *, repair: bool) -> Finding | None:
    subject = shown(known)
    with graphs.working(writing=repair):
        if name in graphs.unfinished():
            if repair:
                graphs.drop(name)
            message = f"the writing of its graph was interrupted{', which was taken out' if repair else ''}"
            return finding("agent-graph-unfinished", message, subject=subject)
        triples = graphs.read(name)
        if triples is None:  # deleted meanwhile
            return None
        try:
            checkpoint = restored(triples, known, graphs.where)
        except IntegrityError as error:
            return finding("agent-graph-damaged", str(error), subject=subject)
        whole = graph_of(checkpoint)
        if graphs.holds(whole):
            return None
        if repair:
            graphs.replace(whole, checkpoint.name or "")
    message = f"other statements than those that its checkpoint makes{', which were made again' if repair else ''}"
    return finding("agent-graph-statements", message, subject=subject)
