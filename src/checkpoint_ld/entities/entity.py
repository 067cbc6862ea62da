"""What all entities share: checked when built and when edited, strictly or as leniently as a file needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from pydantic import BaseModel, ConfigDict, ValidationInfo, model_validator

from checkpoint_ld import rules
from checkpoint_ld.findings import Finding, Severity

LENIENT: Mapping[str, Any] = MappingProxyType({"lenient": True})
"""Validation context for data out of a file: `Question.model_validate(data, context=LENIENT)`.

What `Entity.problems` lists is then kept instead of refused. Faults of type stay errors.
"""

_TOLERATED = "tolerated"


class Entity(BaseModel):
    """A value of a benchmark: mutable, compared by content, with no members but the declared ones.

    Building one and assigning to one of its fields raise `pydantic.ValidationError` (a `ValueError`) for what breaks
    a rule; a refused assignment changes nothing. An entity that was built with the context `LENIENT` may break the
    rules that `problems` checks. It can be edited and so repaired, but no edit may add a problem.
    """

    model_config = ConfigDict(extra="forbid")

    def problems(self) -> tuple[Finding, ...]:
        """Return the broken rules that a file may break; what weighs less than a warning is a mere remark."""
        return ()

    def _derive(self) -> None:
        """Fill in the fields that follow from others; called before `problems` is asked."""

    @model_validator(mode="after")
    def _refuse_problems(self, info: ValidationInfo) -> Self:
        self._derive()
        if not is_lenient(info):
            tolerated = _context(info).get(_TOLERATED, ())
            refused = [one for one in self.problems() if one.severity >= Severity.WARNING and one not in tolerated]
            if refused:
                raise ValueError("; ".join(f"{one.message} ({one.remedy})" for one in refused))
        return self

    if not TYPE_CHECKING:  # a declared __setattr__ would make type checkers accept any attribute

        def __setattr__(self, name: str, value: object) -> None:
            # Pydantic's own validate_assignment leaves the new value in place when a rule between fields refuses it.
            if name not in type(self).model_fields:
                super().__setattr__(name, value)
                return
            members = {**self.__dict__, **(self.__pydantic_extra__ or {}), name: value}
            edited = type(self).model_validate(members, context={_TOLERATED: self.problems()})
            for field, new in edited.__dict__.items():
                if field == name or new != self.__dict__[field]:
                    self.__dict__[field] = new
            self.__pydantic_fields_set__.add(name)


def is_lenient(info: ValidationInfo) -> bool:
    """Tell whether data out of a file is being validated."""
    return info.context is LENIENT or bool(_context(info).get("lenient"))


def problem(rule: str, message: str, remedy: str, *, subject: str = "") -> Finding:
    """Make a finding of a rule of the catalogue about an entity, which has no place in a file."""
    return replace(rules.finding(rule, message, remedy=remedy, subject=subject), severity=Severity.WARNING)


def now() -> str:
    """Return the present moment as ISO 8601 text with microseconds and the offset from UTC."""
    return datetime.now().astimezone().isoformat(timespec="microseconds")


def _context(info: ValidationInfo) -> Mapping[str, Any]:
    return info.context if isinstance(info.context, Mapping) else {}
