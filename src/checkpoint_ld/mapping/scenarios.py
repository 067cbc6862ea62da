"""Scenarios: benchmarks of several turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from checkpoint_ld import entities
from checkpoint_ld.entities import LENIENT
from checkpoint_ld.errors import ReadError
from checkpoint_ld.mapping.faults import faults_of

if TYPE_CHECKING:
    from checkpoint_ld.entities import Scenario

Json = dict[str, Any]

SCENARIO_TYPE = "karenina:Scenario"


def is_scenario(part: object) -> bool:
    """Tell whether an object among a root's parts is a scenario."""
    if not isinstance(part, dict):
        return False
    return "nodes" in part if part.get("@type") is None else part["@type"] in (SCENARIO_TYPE, "Scenario")


def scenario_of(part: Json) -> Scenario:
    """Return the scenario that an object holds. Raises ReadError for one that breaks a rule which no file may break."""
    nodes = part.get("nodes")
    if isinstance(nodes, dict):
        # The key counts, whatever the node says.
        named = {key: {**node, "nodeId": key} if isinstance(node, dict) else node for key, node in nodes.items()}
        part = {**part, "nodes": named}
    try:
        return entities.Scenario.model_validate(part, context=LENIENT)
    except ValidationError as error:
        raise ReadError(f"the scenario {part.get('name')!r} cannot be read: {faults_of(error)}") from None


def scenario_object(scenario: Scenario) -> Json:
    """Return the object of a scenario as Karenina writes it."""
    members: Json = scenario.model_dump(mode="json", by_alias=True, exclude_none=True)
    return members
