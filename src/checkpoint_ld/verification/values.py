"""Values of an answer in the types of its fields."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter, ValidationError

from checkpoint_ld.entities.primitives.primitive import named
from checkpoint_ld.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from checkpoint_ld.entities.template_spec import TemplateFieldSpec

_TYPES: Final[Mapping[str, tuple[TypeAdapter[Any], str]]] = MappingProxyType(
    {
        "bool": (TypeAdapter(bool), "neither true nor false"),
        "int": (TypeAdapter(int), "no whole number"),
        "float": (TypeAdapter(float), "no number"),
        "list_str": (TypeAdapter(list[Any]), "no list"),
    }
)


def fitted(field: TemplateFieldSpec, value: JsonValue) -> JsonValue:
    """Return a value in the type of its field, as pydantic takes it: "10" is a number, and "yes" is true.

    Texts and dates are left to the primitive, and so is null. Raises `EvaluationError` for a value that does not fit.
    """
    if value is None:
        return None
    if field.type in _TYPES:
        adapter, fault = _TYPES[field.type]
        try:
            typed: JsonValue = adapter.validate_python(value)
        except ValidationError as error:
            raise EvaluationError(f"{named(value)} is {fault}") from error
        return typed
    literals = field.literal_values or []
    if field.type == "literal" and literals and str(value) not in literals:
        raise EvaluationError(f"{named(value)} is not one of {', '.join(named(literal) for literal in literals)}")
    return value
