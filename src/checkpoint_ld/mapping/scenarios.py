"""Scenarios: benchmarks of several turns."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from checkpoint_ld.entities import LENIENT, Scenario
from checkpoint_ld.errors import ReadError
from checkpoint_ld.mapping.faults import faults_of

Json = dict[str, Any]

SCENARIO_TYPE = "karenina:Scenario"


def scenario_of(part: Json) -> Scenario:
    """Return the scenario that an object holds. Raises ReadError for one that breaks a rule which no file may break."""
    try:
        return Scenario.model_validate(part, context=LENIENT)
    except ValidationError as error:
        raise ReadError(f"the scenario {part.get('name')!r} cannot be read: {faults_of(error)}") from None


def scenario_object(scenario: Scenario) -> Json:
    """Return the object of a scenario as Karenina writes it."""
    members: Json = scenario.model_dump(mode="json", by_alias=True, exclude_none=True)
    return members
