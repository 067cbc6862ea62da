"""The statements that follow from a checkpoint, added to it: makers, traits, questions with their templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.derivation import derived
from checkpoint_ld.enrichment.additions import Additions
from checkpoint_ld.enrichment.faults import Layered, faults
from checkpoint_ld.enrichment.makers import authors_of, creators_of, sources_of
from checkpoint_ld.enrichment.objects import object_of, parts_of, source_of
from checkpoint_ld.enrichment.templates import template_of
from checkpoint_ld.enrichment.traits import trait_of
from checkpoint_ld.graph import recursion
from checkpoint_ld.graph.building import uncollected
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.store import triples_of
from checkpoint_ld.mapping.properties import values
from checkpoint_ld.mapping.questions import is_finished
from checkpoint_ld.reading.statements import without_derived
from checkpoint_ld.vocabulary import KARENINA, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.term import Node

    from checkpoint_ld.graph.compaction import Compaction

_RATING = SCHEMA + "contentRating"
_NOTES = ("answer_notes", "workspace_path")


def with_derived(graph: CheckpointGraph) -> CheckpointGraph:
    """Return the statements of a checkpoint together with those that follow from them; `graph` stays as it is.

    Two derivations give the same statements. A predicate or class that the checkpoint uses itself is not derived on its
    nodes, so that `checkpoint_ld.reading.statements.without_derived` finds the statements of the checkpoint again. The
    result is for queries and for writing RDF: its members are no longer those of a document.
    """
    own = without_derived(graph.held)
    additions = Additions(graph if own is graph.held else CheckpointGraph(own, graph.root))
    with uncollected(), recursion.room():
        additions.is_a(graph.root, SCHEMA + "Dataset")  # of which DataFeed is a subclass
        creators_of(graph.root, additions)
        for rating in parts_of(graph.root, _RATING, additions.reader):
            trait_of(rating, additions, "GlobalTrait")
        for question in _questions(graph.root, additions.reader):
            _question(question, additions)
        found = derived(additions.graph)
        for subject, predicate, term in triples_of(found):
            additions.state(subject, predicate, term)
        for node, predicate, fault in faults(Layered(additions.index, found)):
            additions.say(node, str(predicate), fault)
        return additions.applied()


def _question(question: Node, additions: Additions) -> None:
    asked = object_of(question, additions.reader)
    properties = values(asked.get("additionalProperty"))
    additions.tell(question, "finished", is_finished(asked))
    for name in _NOTES:
        additions.tell(question, name, properties.get(name))
    authors_of(question, properties.get("author"), additions)
    sources_of(question, properties.get("sources"), additions)
    for rating in parts_of(question, _RATING, additions.reader):
        trait_of(rating, additions, "QuestionTrait")
    template_of(question, source_of(asked.get("hasPart"), additions.reader), additions)


def _questions(root: Node, reader: Compaction) -> Iterator[Node]:
    for item in parts_of(root, SCHEMA + "dataFeedElement", reader):
        yield from parts_of(item, SCHEMA + "item", reader)
    for scenario in parts_of(root, SCHEMA + "hasPart", reader):
        for turn in parts_of(scenario, KARENINA + "nodes", reader):
            yield from parts_of(turn, KARENINA + "question", reader)
