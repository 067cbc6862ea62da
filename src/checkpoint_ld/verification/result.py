"""What verifying an answer gives, as data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from checkpoint_ld.entities.entity import json_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from checkpoint_ld.templates import Level


@dataclass(frozen=True, slots=True)
class FieldResult:
    """What was found about one field.

    `passed` and `score`, the credit from 0.0 to 1.0, are None if nobody can tell without something that is missing;
    `reason` says in words why. `primitive` is the name of the primitive that decided; `value` is the value of the
    answer in the type of the field, `expected` the ground truth that counted. A field of the answer that the template
    does not have is listed as well, without a result and without weight.
    """

    name: str
    passed: bool | None
    score: float | None
    reason: str
    weight: float = 1.0
    primitive: str | None = None
    value: JsonValue = None
    expected: JsonValue = None

    def as_json(self) -> dict[str, JsonValue]:
        """Return the result as a JSON object."""
        members: dict[str, JsonValue] = {
            "name": self.name,
            "passed": self.passed,
            "score": self.score,
            "reason": self.reason,
            "weight": _number(self.weight),
            "primitive": self.primitive,
            "value": json_value(self.value, finite=True),
            "expected": json_value(self.expected, finite=True),
        }
        return members


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """What was found about one answer.

    `passed` is whether the fields pass and, where the template has regular expressions, these as well; None if nobody
    can tell, and then `reason` says why and what to do about it. `level` is that of the template.
    `fields` are in the template's order. `granular_score` says how right the answer is, from 0.0 to 1.0, by the rules
    of `checkpoint_ld.entities.template_spec`; `karenina_granular_score` is what Karenina computes, which looks at the
    root of the strategy only. Both are None if they cannot be told. `regex` is what the expressions of the template
    found in the response, as `checkpoint_ld.entities.verified_field.check_regexes` returns it, None if there are none.
    `executed` tells whether code of the template was run.
    """

    passed: bool | None
    reason: str
    level: Level
    fields: tuple[FieldResult, ...] = ()
    granular_score: float | None = None
    karenina_granular_score: float | None = None
    regex: Mapping[str, Any] | None = None
    executed: bool = False

    def as_json(self) -> dict[str, JsonValue]:
        """Return the result as a JSON object."""
        return {
            "passed": self.passed,
            "reason": self.reason,
            "level": self.level.value,
            "fields": [field.as_json() for field in self.fields],
            "granular_score": _number(self.granular_score),
            "karenina_granular_score": _number(self.karenina_granular_score),
            "regex": json_value(self.regex, finite=True),
            "executed": self.executed,
        }


def _number(value: float | None) -> float | None:
    return value if value is None or math.isfinite(value) else None
