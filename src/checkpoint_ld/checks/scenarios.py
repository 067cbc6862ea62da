"""Checks on scenarios: conversations of several questions, linked by edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.checks.questions import check_question
from checkpoint_ld.checks.readings import given, local_name, shown
from checkpoint_ld.checks.sources import code_told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.checks.spot import Spot

END = "__end__"
"""The target of an edge that ends the conversation."""

_REQUIRED: dict[str, tuple[type, str]] = {
    "name": (str, "text"),
    "entryNode": (str, "text"),
    "nodes": (dict, "an object"),
    "edges": (list, "an array"),
}


_RULES = {
    "name": "scenario-name",
    "entryNode": "scenario-entry",
    "nodes": "scenario-members",
    "edges": "scenario-members",
}
_CODE = {"stateUpdateSource": "node-code", "conditionSource": "edge-code", "evaluateSource": "criterion-code"}


def check_parts(spot: Spot, parts: object) -> bool:
    """Check the parts of the root, which should be scenarios, and tell whether any is one."""
    has_scenarios = False
    for place, part in spot.entries(parts):
        if isinstance(part, dict) and _is_scenario(part):
            has_scenarios = True
            _check_scenario(place.about("scenario", part.get("name")), part)
        else:
            kind = f"of type {given(part.get('@type'))}" if isinstance(part, dict) else shown(part)
            place.report("benchmark-part", f"the part is {kind}, not a scenario")
    return has_scenarios


def _is_scenario(part: dict[str, object]) -> bool:
    kind = part.get("@type")
    return "nodes" in part if kind is None else local_name(kind) == "Scenario"


def _check_scenario(spot: Spot, scenario: dict[str, object]) -> None:
    for member, (kind, wanted) in _REQUIRED.items():
        value = scenario.get(member)
        if not isinstance(value, kind) or value == "":
            spot.at(member).report(_RULES[member], f"{member} is {given(value)}", f"write {member} as {wanted}")
    nodes = scenario.get("nodes")
    if isinstance(nodes, dict):
        _check_entry(spot.at("entryNode"), scenario.get("entryNode"), nodes)
        for node_id, node in nodes.items():
            _check_node(spot.at("nodes", node_id).about("node", node_id), node, node_id)
    for place, edge in _objects(spot.at("edges"), scenario.get("edges"), "edge-object"):
        _check_edge(place, edge, nodes)
    criteria = scenario.get("outcomeCriteria")
    for place, criterion in _objects(spot.at("outcomeCriteria"), criteria, "criterion-object"):
        _check_code(place, criterion, "evaluateSource")


def _check_entry(spot: Spot, entry: object, nodes: dict[str, object]) -> None:
    if not nodes:
        spot.report("scenario-without-nodes", "the scenario has no nodes to enter", "add a node")
    elif isinstance(entry, str) and entry not in nodes:
        spot.report("scenario-entry-node", f"entryNode {shown(entry)} is no node of the scenario")


def _check_node(spot: Spot, node: object, node_id: str) -> None:
    if not isinstance(node, dict):
        spot.report("node-object", f"the node is {shown(node)}", "write the node as an object")
        return
    if node.get("nodeId") != node_id:
        message = f"nodeId is {given(node.get('nodeId'))}; the key {shown(node_id)} counts"
        spot.at("nodeId").report("node-id", message, "repeat the key in nodeId")
    question = node.get("question")
    if isinstance(question, dict):
        check_question(spot.at("question"), question)
    else:
        spot.at("question").report("node-question", f"the question is {given(question)}", "write it as an object")
    _check_code(spot, node, "stateUpdateSource")


def _check_edge(spot: Spot, edge: dict[str, object], nodes: object) -> None:
    for member in ("source", "target"):
        end = edge.get(member)
        if not isinstance(end, str):
            spot.at(member).report(f"edge-{member}", f"the {member} of the edge is {given(end)}", "name a node")
        elif isinstance(nodes, dict) and end not in nodes and not (member == "target" and end == END):
            spot.at(member).report(f"edge-{member}-node", f"the {member} {shown(end)} is no node of the scenario")
    _check_code(spot, edge, "conditionSource")


def _check_code(spot: Spot, holder: dict[str, object], member: str) -> None:
    code = holder.get(member)
    if code is None or code == "":
        return
    if isinstance(code, str):
        spot.at(member).report(_CODE[member], f"{member} holds Python {code_told(code, may_be_encoded=False)}")
    else:
        spot.at(member).report(f"{_CODE[member]}-text", f"{member} is {shown(code)}, not text", "write it as text")


def _objects(spot: Spot, value: object, rule: str) -> Iterator[tuple[Spot, dict[str, object]]]:
    for place, entry in spot.entries(value if isinstance(value, list) else None):
        if isinstance(entry, dict):
            yield place, entry
        else:
            place.report(rule, f"there is {shown(entry)} where an object is asked for", "write an object")
