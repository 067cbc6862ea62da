"""The kinds of result that a trait can have."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, TypeAlias, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    AllowInfNan,
    BaseModel,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    JsonValue,
    PlainSerializer,
    Tag,
    WithJsonSchema,
)
from pydantic_core import PydanticOmit

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo
    from pydantic_core import CoreSchema

TraitKind: TypeAlias = Literal["boolean", "score", "literal"]

Score: TypeAlias = Annotated[
    int | Annotated[float, AllowInfNan(False)],
    AfterValidator(lambda score: int(score) if score == int(score) else score),
]
"""A bound of a range of scores: whole, but for some files."""

Count: TypeAlias = Annotated[Score, WithJsonSchema({"type": "integer"})]
"""A count: whole, but for some files."""

Share: TypeAlias = Annotated[int | float, WithJsonSchema({"type": "number"})]
"""A number that is meant to be from 0 to 1."""

Above0: TypeAlias = Annotated[Score, Field(gt=0), WithJsonSchema({"type": "integer", "exclusiveMinimum": 0})]
"""A count of what there has to be some of."""

_FIELD_TYPES = {int, float, str, bool}
_TEMPLATE_SCHEMA = {
    "type": "object",
    "properties": {"type": {"const": "template"}, "schema": {"type": "object"}},
    "required": ["type", "schema"],
}


def template_kind(model: type[BaseModel]) -> dict[str, JsonValue]:
    """Return the template kind that asks for the fields of a pydantic model.

    Raises `ValueError` unless every field is an int, float, str or bool, a list of one of them, or one of these or
    null with null, or another value, as its default.
    """
    for name, field in model.model_fields.items():
        if not _is_allowed(field):
            raise ValueError(
                f"field {name!r} of {model.__name__} is {field.annotation}: a template trait takes int, float, str, "
                "bool, lists of one of them, and any of these or None if there is a default"
            )
    return {"type": "template", "schema": model.model_json_schema()}


def serialised(kind: Any) -> Any:
    """Return a kind as a file has it: a pydantic model as the template kind that asks for its fields."""
    return template_kind(kind) if isinstance(kind, type) else kind


def template_fields(kind: object) -> tuple[str, ...]:
    """Return the names of a template kind's fields in order, nothing for other kinds."""
    written = serialised(kind)
    schema = written.get("schema") if isinstance(written, dict) else None
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return tuple(properties) if isinstance(properties, dict) else ()


def _is_allowed(field: FieldInfo) -> bool:
    annotation = field.annotation
    if get_origin(annotation) in {Union, types.UnionType}:
        members = [member for member in get_args(annotation) if member is not types.NoneType]
        return len(members) == 1 and not field.is_required() and _is_plain(members[0])
    return _is_plain(annotation)


def _is_plain(annotation: Any) -> bool:
    if get_origin(annotation) is list:
        return get_args(annotation)[0] in _FIELD_TYPES
    return annotation in _FIELD_TYPES


def _allowed(model: type[BaseModel]) -> type[BaseModel]:
    template_kind(model)
    return model


class _Unwritten:
    """Leaves a type out of JSON Schemas, since it is written as another one."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> NoReturn:
        del core_schema, handler
        raise PydanticOmit


def _checked(kind: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if kind.get("type") != "template" or not isinstance(kind.get("schema"), dict):
        raise ValueError(
            f'the kind {kind} is no template: write {{"type": "template", "schema": {{…}}}} with a JSON Schema object'
        )
    return kind


Template: TypeAlias = Annotated[dict[str, JsonValue], AfterValidator(_checked), WithJsonSchema(_TEMPLATE_SCHEMA)]
"""`{"type": "template", "schema": {…}}`; the JSON Schema object is kept as it is written."""

Form: TypeAlias = Annotated[type[BaseModel], AfterValidator(_allowed), PlainSerializer(serialised), _Unwritten]
"""A pydantic model, which is kept as a class and written as a `Template`."""

Kind: TypeAlias = Annotated[
    Annotated[TraitKind, Tag("scalar")] | Annotated[Template, Tag("template")] | Annotated[Form, Tag("form")],
    Discriminator(
        lambda kind: "template" if isinstance(kind, dict) else "form" if isinstance(kind, type) else "scalar"
    ),
]
