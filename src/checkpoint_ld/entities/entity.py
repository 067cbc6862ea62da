"""The base of all entities: checks, JSON, and the kinds of scores and traits."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, Self, TypeAlias, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    AllowInfNan,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    JsonValue,
    PlainSerializer,
    Tag,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticOmit, PydanticSerializationError, to_jsonable_python

from checkpoint_ld import rules
from checkpoint_ld.errors import EvaluationError
from checkpoint_ld.findings import Finding, Severity
from checkpoint_ld.notebook import NOTHING, Card, Rows, Shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pydantic.fields import FieldInfo
    from pydantic_core import CoreSchema


LENIENT: Mapping[str, Any] = MappingProxyType({"lenient": True})
"""Validation context for data from a file: `Question.model_validate(data, context=LENIENT)`.

It accepts the faults that `Entity.problems` lists. Values of a wrong type are still refused."""

_TOLERATED = "tolerated"


class Entity(BaseModel, Shown):
    """A value of a benchmark: mutable, compared by content, with no members but the declared ones.

    Building one and assigning to one of its fields raise `pydantic.ValidationError` (a `ValueError`) for values that
    break a rule; a refused assignment changes nothing. An entity that was built with the context `LENIENT` may break
    the rules that `problems` checks. It can be edited and so repaired, but no edit may add a problem.
    """

    # A model is compiled when it is first used: most commands use few of them.
    model_config = ConfigDict(extra="forbid", defer_build=True)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Yield the fields that differ from their defaults, for `repr`."""
        fields = type(self).model_fields
        for name, value in super().__repr_args__():
            field = fields.get(name or "")
            if field is None or field.is_required() or value != field.get_default(call_default_factory=True):
                yield name, value

    def _card(self) -> Card:
        facts: dict[str, object] = {}
        tables = []
        for name, value in self._shown():
            if isinstance(value, list) and value and all(isinstance(item, Entity) for item in value):
                tables.append(_table_of(str(name).replace("_", " "), value))
            elif name != "name":
                facts[str(name).replace("_", " ")] = value
        return Card(type(self).__name__, getattr(self, "name", ""), "", facts, tables)

    def _shown(self) -> Iterable[tuple[str | None, Any]]:
        """Yield the fields that a card has: by default those of `repr`."""
        return self.__repr_args__()

    def problems(self) -> tuple[Finding, ...]:
        """Return the findings of the rules that a file may break; findings below warnings are remarks."""
        return ()

    def _derive(self) -> None:
        """Fill in the fields that follow from others; called before `problems`."""

    @model_validator(mode="after")
    def _refuse_problems(self, info: ValidationInfo) -> Self:
        self._derive()
        if not is_lenient(info):
            tolerated = _context(info).get(_TOLERATED, ())
            found = (problem for problem in self.problems() if problem.severity >= Severity.WARNING)
            if refused := [problem for problem in found if problem not in tolerated]:
                raise ValueError("; ".join(f"{problem.message} ({problem.remedy})" for problem in refused))
        return self

    if not TYPE_CHECKING:  # a declared __setattr__ would make type checkers accept any attribute

        def __setattr__(self, name: str, value: object) -> None:
            # Pydantic's own validate_assignment keeps a new value that a rule between fields refuses.
            if name not in type(self).model_fields:
                super().__setattr__(name, value)
                return
            members = {**self.__dict__, **(self.__pydantic_extra__ or {}), name: value}
            edited = type(self).model_validate(members, context={_TOLERATED: self.problems()})
            for field, new in edited.__dict__.items():
                if field == name or new != self.__dict__[field]:
                    self.__dict__[field] = new
            self.__pydantic_fields_set__.add(name)


def _table_of(caption: str, entities: Sequence[Entity]) -> Rows:
    """Return entities as a table: a column that one of them needs has the values of all, defaults too."""
    shown = (entity._shown() for entity in entities)  # noqa: SLF001 - of this module
    columns = list(dict.fromkeys(str(name) for fields in shown for name, _ in fields))

    def cell(entity: Entity, name: str) -> object:
        value = getattr(entity, name, None)
        return NOTHING if value in (None, "", [], {}) else value

    titles = [name.replace("_", " ") for name in columns]
    return Rows(caption, titles, ([cell(entity, name) for name in columns] for entity in entities))


def is_lenient(info: ValidationInfo) -> bool:
    """Return whether data from a file is being validated."""
    return info.context is LENIENT or bool(_context(info).get("lenient"))


def problem(rule: str, message: str, remedy: str, *, subject: str = "") -> Finding:
    """Make a finding of a rule of the catalogue about an entity, which has no place in a file."""
    return replace(rules.finding(rule, message, remedy=remedy, subject=subject), severity=Severity.WARNING)


def _context(info: ValidationInfo) -> Mapping[str, Any]:
    return info.context if isinstance(info.context, Mapping) else {}


def json_value(value: Any, *, finite: bool = False) -> JsonValue:
    """Return a value as JSON: tuples as lists, sets as lists in the order of their texts, dates in ISO 8601.

    A value without a form in JSON becomes its text; so do numbers that are not finite, if `finite`. Raises
    `EvaluationError` for a value that is nested too deeply for Python.
    """
    try:
        return _json_value(value, finite=finite)
    except RecursionError as error:
        raise EvaluationError("the value is nested too deeply: give a flatter one") from error


def _json_value(value: Any, *, finite: bool) -> JsonValue:
    if value is None or type(value) in {bool, int, str}:
        scalar: JsonValue = value
        return scalar
    if isinstance(value, float):
        return float(value) if not finite or math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(name): _json_value(part, finite=finite) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(part, finite=finite) for part in value]
    if isinstance(value, set | frozenset):
        return [_json_value(part, finite=finite) for part in sorted(value, key=str)]
    try:
        plain: JsonValue = to_jsonable_python(value, fallback=str)
    except (PydanticSerializationError, ValueError):
        return str(value)
    return plain


TraitKind: TypeAlias = Literal["boolean", "score", "literal"]

Score: TypeAlias = Annotated[
    int | Annotated[float, AllowInfNan(False)],
    AfterValidator(lambda score: int(score) if score == int(score) else score),
]
"""A bound of a range of scores: an integer, except in some files."""

Count: TypeAlias = Annotated[Score, WithJsonSchema({"type": "integer"})]
"""A count: an integer, except in some files."""

Share: TypeAlias = Annotated[int | float, WithJsonSchema({"type": "number"})]
"""A number that should be from 0 to 1."""

Above0: TypeAlias = Annotated[Score, Field(gt=0), WithJsonSchema({"type": "integer", "exclusiveMinimum": 0})]
"""A count above 0."""

_FIELD_TYPES = (int, float, str, bool)
_TEMPLATE_SCHEMA = {
    "type": "object",
    "properties": {"type": {"const": "template"}, "schema": {"type": "object"}},
    "required": ["type", "schema"],
}


def template_kind(model: type[BaseModel]) -> dict[str, JsonValue]:
    """Return the template kind with the fields of a pydantic model.

    Raises `ValueError` unless each field is an int, float, str or bool, a list of one of these, or one of them that may
    be null with a default.
    """
    for name, field in model.model_fields.items():
        if not _is_allowed(field):
            raise ValueError(
                f"field {name!r} of {model.__name__} is {field.annotation}: a template trait takes int, float, str, "
                "bool, lists of one of them, and any of these or None if there is a default"
            )
    return {"type": "template", "schema": model.model_json_schema()}


def serialised(kind: Any) -> Any:
    """Return the form of a kind in a file: a pydantic model becomes the template kind with its fields."""
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
        annotation = next(iter(get_args(annotation)), None)
    return annotation in _FIELD_TYPES


def _allowed(model: type[BaseModel]) -> type[BaseModel]:
    template_kind(model)
    return model


class _Unwritten:
    """Leaves a type out of JSON Schemas, because it is written as another type."""

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
"""`{"type": "template", "schema": {…}}`; the JSON Schema object is kept unchanged."""

Form: TypeAlias = Annotated[type[BaseModel], AfterValidator(_allowed), PlainSerializer(serialised), _Unwritten]
"""A pydantic model, which is kept as a class and written as a `Template`."""

Kind: TypeAlias = Annotated[
    Annotated[TraitKind, Tag("scalar")] | Annotated[Template, Tag("template")] | Annotated[Form, Tag("form")],
    Discriminator(
        lambda kind: "template" if isinstance(kind, dict) else "form" if isinstance(kind, type) else "scalar"
    ),
]
