"""A checkpoint graph together with all that follows from it, for queries, and for shapes in other tools."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from rdflib import BNode

from checkpoint_ld import profiles, shacl
from checkpoint_ld.constraints import names
from checkpoint_ld.constraints.components import COMPONENTS
from checkpoint_ld.constraints.forms import FORMS, value_of
from checkpoint_ld.graph import interpreter
from checkpoint_ld.graph.building import uncollected
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.expansion import RDF_TYPE, named
from checkpoint_ld.graph.store import triples_of
from checkpoint_ld.inference.additions import Additions, object_of, parts_of, source_of
from checkpoint_ld.inference.benchmark import infer
from checkpoint_ld.inference.nodes import authors_of, creators_of, sources_of, template_of, trait_of
from checkpoint_ld.mapping.properties import values
from checkpoint_ld.mapping.questions import is_finished
from checkpoint_ld.reading.statements import without_derived
from checkpoint_ld.shacl import DataGraph
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, KARENINA, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.term import Node

    from checkpoint_ld.graph.compaction import Compaction

_SPELLING = named(CHECKPOINT_SHACL + "SpellingConstraintComponent")
_RATING = SCHEMA + "contentRating"
_NOTES = ("answer_notes", "workspace_path")


def with_inferred(graph: CheckpointGraph) -> CheckpointGraph:
    """Return the statements of a checkpoint together with those that follow from them; `graph` stays as it is.

    Two derivations give the same statements. A predicate or class that the checkpoint uses itself is not derived on its
    nodes, so that `checkpoint_ld.reading.statements.without_derived` finds the statements of the checkpoint again. The
    result is for queries and for writing RDF: its members are no longer those of a document.
    """
    own = without_derived(graph.held)
    additions = Additions(graph if own is graph.held else CheckpointGraph(own, graph.root))
    with uncollected(), interpreter.room():
        additions.is_a(graph.root, SCHEMA + "Dataset")  # of which DataFeed is a subclass
        creators_of(graph.root, additions)
        for rating in parts_of(graph.root, _RATING, additions.reader):
            trait_of(rating, additions, "GlobalTrait")
        for question in _questions(graph.root, additions.reader):
            _question(question, additions)
        found = infer(additions.graph)
        for subject, predicate, term in triples_of(found):
            additions.state(subject, predicate, term)
        for node, stated_as, fault in _faults(DataGraph(additions.index, found)):
            additions.say(node, stated_as, fault)
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


def _faults(data: DataGraph) -> Iterator[tuple[Node, str, str | None]]:
    """Yield the faults that only Python tells: the node, the predicate that states it, and what is wrong."""
    stated_as = profiles.python_only()
    for result in shacl.results(data, _python_shapes()):
        if str(result.component).startswith(CHECKPOINT_SHACL) and result.value is not None:
            yield result.focus, stated_as[result.shape], _fault(result, result.value, data)


def _fault(result: shacl.Result, value: Node, data: DataGraph) -> str | None:
    """Return what is wrong with a value: what its form says of it, which key was meant, or else the value alone."""
    form = _python_shapes().index[result.shape].get(profiles.WELL_FORMED)
    if form is not None:
        return FORMS[str(form)](value_of(value))
    if result.component != _SPELLING:
        return str(value)
    roles = (str(role).removeprefix(KARENINA) for role in data.values(result.focus, RDF_TYPE))
    meant = next(filter(None, (names.misspelt(str(value), role) for role in roles)))
    return f"{value}: did you mean {meant}?"


@cache
def _python_shapes() -> shacl.Shapes:
    """Return the shapes of which only Python tells, compiled, with the constraint components that they use."""
    kept = profiles.python_only()
    index = {
        node: said
        for node, said in profiles.profile().statements().items()
        if node in kept or isinstance(node, BNode) or str(node).startswith(CHECKPOINT_SHACL)
    }
    return shacl.compile_shapes(index, components=COMPONENTS)
