"""What follows from the statements of a whole checkpoint."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from rdflib import URIRef

from checkpoint_ld.graph.compaction import Ref
from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.literals import literal_of
from checkpoint_ld.inference.statements import Statements
from checkpoint_ld.inference.traits import rubric_name, say_rubrics, say_settings
from checkpoint_ld.vocabulary import KARENINA, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.inference.statements import Described


def infer(source: Described) -> Index:
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


END = "__end__"
"""The target of an edge that ends the conversation."""


def say_questions(said: Statements, questions: Sequence[Node]) -> None:
    """Say what follows about questions, be they of the feed or of a scenario."""
    said.play(questions, "Question")
    said.parts_of(questions, SCHEMA + "acceptedAnswer", "Answer")
    said.parts_of(questions, SCHEMA + "hasPart", "Template")


def say_scenario(said: Statements, scenario: Node) -> None:
    """Say what follows about a scenario, its nodes and its edges."""
    said.plays(scenario, "Scenario")
    members = said.reader.shallow(scenario)
    # A plain value is no node and no edge, which other rules say.
    for member, wrong in (("nodes", list), ("edges", dict | Ref)):
        if members.get(member) is None or isinstance(members[member], wrong):
            said.say(scenario, "malformedMember", literal_of(member))
    nodes = {said.reader.map_key(node): node for node in _nodes_of(said, scenario)}
    told = members.get("nodes")
    keys = frozenset(told) if isinstance(told, dict) else frozenset(nodes)
    if isinstance(told, dict) and any(one is None or one == [] for one in told.values()):
        said.say(scenario, "nullIn", literal_of("nodes"))
    _entry(said, scenario, nodes, keys)
    for edge in said.parts(scenario, KARENINA + "edges", "Edge"):
        _edge(said, edge, nodes, keys)
    criteria = said.parts(scenario, KARENINA + "outcomeCriteria", "Criterion")
    said.repeated((one, said.plain(one, SCHEMA + "name")) for one in criteria)


def _nodes_of(said: Statements, scenario: Node) -> list[Node]:
    """Return the nodes of a scenario; the members of one without its type mean nothing, so little is said of it."""
    kind = URIRef(KARENINA + "ScenarioNode")
    nodes = [one for one in said.terms(scenario, KARENINA + "nodes") if one in said.index]
    for node in nodes:
        said.is_a(node, "NodeObject")
        if kind not in said.terms(node, RDF_TYPE):
            said.is_a(node, "UntypedNode")
            continue
        said.plays(node, "Node")
        said.say(node, "key", literal_of(said.reader.map_key(node)))
        say_questions(said, said.parts(node, KARENINA + "question", "ScenarioQuestion"))
    return nodes


def _entry(said: Statements, scenario: Node, nodes: dict[str, Node], keys: frozenset[str]) -> None:
    """Say where a scenario starts."""
    entry = said.plain(scenario, KARENINA + "entryNode")
    if not keys:
        if said.reader.shallow(scenario).get("nodes") == {}:
            said.say(scenario, "hasNoNodes", literal_of(True))
    elif not isinstance(entry, str) or not entry:
        return
    elif entry not in keys:
        said.say(scenario, "unresolvedEntryNode", literal_of(entry))
    elif entry in nodes:
        said.is_a(nodes[entry], "EntryNode")
        for node in nodes.values():
            said.is_a(node, "EnterableNode")


def _edge(said: Statements, edge: Node, nodes: dict[str, Node], keys: frozenset[str]) -> None:
    """Say which nodes an edge links."""
    ends: dict[str, Node] = {}
    for name in ("source", "target"):
        end = said.plain(edge, KARENINA + name)
        if not isinstance(end, str):
            continue
        if end in nodes:
            ends[name] = nodes[end]
        elif keys and end not in keys and not (name == "target" and end == END):
            said.say(edge, f"unresolved{name.capitalize()}", literal_of(end))
    if len(ends) == 2:
        said.say(ends["source"], "leadsTo", ends["target"])
