"""What follows from the statements of a whole checkpoint."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from rdflib import URIRef

from checkpoint_ld.derivation.scenarios import say_questions, say_scenario
from checkpoint_ld.derivation.statements import Statements
from checkpoint_ld.derivation.traits import rubric_name, say_rubrics, say_settings
from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.literals import literal_of
from checkpoint_ld.graph.residue import Ref
from checkpoint_ld.vocabulary import KARENINA, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rdflib.term import Node

    from checkpoint_ld.derivation.statements import Described
    from checkpoint_ld.graph.store import Index


def derived(source: Described) -> Index:
    """Return the statements that follow from those of a checkpoint, and none of these."""
    said = Statements(source)
    _benchmark(said, source.root)
    return said.index_of_all()


def _asked(said: Statements, question: Node) -> str | None:
    """Return the text of a question, None for one that asks nothing or says it in a language of its own."""
    text = said.plain(question, SCHEMA + "text")
    return text if isinstance(text, str) and text.strip() else None


def _benchmark(said: Statements, root: Node) -> None:
    said.plays(root, "Benchmark")
    list(say_settings(said, [root], "Benchmark"))
    say_rubrics(said, [root], "GlobalTrait")
    items = said.reader.in_order(said.parts(root, SCHEMA + "dataFeedElement", "Item"))
    identifiers = [(item, said.reader.identifier(item)) for item in items]
    said.repeated(identifiers, is_ordered=True)
    for item, identifier in identifiers:
        if identifier is not None:
            said.say(item, "itemId", literal_of(identifier))
    questions = list(chain.from_iterable(said.parts_of(items, SCHEMA + "item", "FeedQuestion")))
    say_questions(said, questions)
    list(say_settings(said, questions, "Question"))
    say_rubrics(said, questions, "QuestionTrait")
    said.repeated(((one, _asked(said, one)) for one in questions), "repeatsText", is_ordered=True)
    _clashing(said, root, questions)
    said.parts(root, SCHEMA + "creator", "Creator")
    _contents(said, root)


def _contents(said: Statements, root: Node) -> None:
    """Say what the benchmark consists of: scenarios, or a feed of questions."""
    has_scenarios = False
    parts = said.parts(root, SCHEMA + "hasPart", "Part")
    said.repeated((one, said.plain(one, SCHEMA + "name")) for one in parts)
    for part in parts:
        if URIRef(KARENINA + "Scenario") in said.terms(part, RDF_TYPE) or said.terms(part, KARENINA + "nodes"):
            has_scenarios = True
            say_scenario(said, part)
    elements = said.members(root, "dataFeedElement").get("dataFeedElement")
    if has_scenarios:
        said.is_a(root, "ScenarioBenchmark")
    if isinstance(elements, list | dict | Ref):
        said.is_a(root, "FeedBenchmark")
    elif elements is not None or not has_scenarios:
        said.is_a(root, "FeedlessBenchmark")


def _clashing(said: Statements, root: Node, questions: Iterable[Node]) -> None:
    """Say of each trait of a question that it has the name of a global one of its rubric."""
    names = {rubric_name(said, one): one for one in said.terms(root, SCHEMA + "contentRating")}
    for question in questions if names else ():
        for rating in said.terms(question, SCHEMA + "contentRating"):
            name = rubric_name(said, rating)
            if name is not None and name in names:
                said.say(rating, "clashesWith", names[name])
