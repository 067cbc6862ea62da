"""From a template that was read to its specification."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.entities.template_spec import (
    ConditionalGroundTruth,
    TemplateFieldSpec,
    TemplateSpec,
    VerifyStrategySpec,
)
from checkpoint_ld.templates.primitives import registry
from checkpoint_ld.templates.strategies import UNKNOWN
from checkpoint_ld.templates.template import Level, ProblemKind

if TYPE_CHECKING:
    from checkpoint_ld.templates.template import Strategy, Template, TemplateField

_HIDING = {ProblemKind.FIELD_DEFINITION, ProblemKind.LITERAL_VALUES}
"""Problems after which a field says less than its author meant."""

_HIDING_CASES = {ProblemKind.NOT_STATIC, ProblemKind.UNKNOWN_PRIMITIVE}
"""The same, of the primitives in a conditional ground truth, which do not tell of themselves."""


def spec_of(template: Template) -> TemplateSpec | None:
    """Return the specification of a template, None if not all of it can be read without running it.

    Fields that do not say how they are verified are left out, and so are methods of the class: where there are any
    (`Template.plain_fields`, `Template.custom_code`), the specification is not the whole template. It may break rules;
    `validate_spec` tells. A field that is compared as a date has the type date, since Python has it as text.
    """
    if template.level not in {Level.VERIFIED, Level.MIXED} or template.class_name is None or _hides(template):
        return None
    fields = [_field_spec(field) for field in template.fields]
    strategy = None if template.strategy is None else _strategy_spec(template.strategy)
    return TemplateSpec(fields=fields, verify_strategy=strategy, class_name=template.class_name)


def _hides(template: Template) -> bool:
    kinds = {problem.kind for problem in template.problems}
    if template.strategy == UNKNOWN or kinds & _HIDING:
        return True
    if kinds & _HIDING_CASES and any(ConditionalGroundTruth.marks(field.ground_truth) for field in template.fields):
        return True
    return any(field.unread or field.primitive is None or field.description is None for field in template.fields)


def _field_spec(field: TemplateField) -> TemplateFieldSpec:
    return TemplateFieldSpec(
        name=field.name,
        type="date" if field.type == "str" and _compares_dates(field) else field.type,
        description=field.description or "",
        extraction_hint=field.extraction_hint or None,
        ground_truth=field.ground_truth,
        literal_values=None if field.literal_values is None else list(field.literal_values),
        verify_with=field.verify_with or {},
        weight=field.weight,
        is_trace=field.is_trace,
    )


def _compares_dates(field: TemplateField) -> bool:
    return field.primitive is not None and "date" in registry()[field.primitive].types


def _strategy_spec(node: Strategy) -> VerifyStrategySpec:
    conditions = [_strategy_spec(condition) for condition in node.conditions]
    return VerifyStrategySpec(type=node.type, n=node.n, field_name=node.field_name, conditions=conditions)
