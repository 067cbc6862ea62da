"""Scenarios: where they start, and which of their nodes lead to which."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rdflib import URIRef

from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.literals import literal_of
from checkpoint_ld.graph.residue import Ref
from checkpoint_ld.vocabulary import KARENINA, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rdflib.term import Node

    from checkpoint_ld.derivation.statements import Statements

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
