"""Scenarios: benchmarks of several turns."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from checkpoint_ld.entities import LENIENT, Scenario
from checkpoint_ld.errors import ReadError
from checkpoint_ld.mapping.properties import as_list

Json = dict[str, Any]

SCENARIO_TYPE = "karenina:Scenario"


def is_scenario(part: object) -> bool:
    """Tell whether an object among a root's parts is a scenario."""
    return isinstance(part, dict) and part.get("@type") == SCENARIO_TYPE


def scenarios_of(root: Json) -> list[Scenario]:
    """Return the scenarios of a root object in their order."""
    return [_scenario(part) for part in as_list(root.get("hasPart")) if is_scenario(part)]


def _scenario(part: Json) -> Scenario:
    try:
        return Scenario.model_validate(part, context=LENIENT)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False))
        msg = f"the scenario {part.get('name')!r} cannot be read: {faults}"
        raise ReadError(msg) from None


def scenario_object(scenario: Scenario) -> Json:
    """Return the object of a scenario as Karenina writes it."""
    members: Json = scenario.model_dump(mode="json", by_alias=True, exclude_none=True)
    return members
