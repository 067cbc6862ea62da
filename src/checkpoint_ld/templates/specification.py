"""Specifications of templates: made from a template that was read, checked, and written as Python source.

`spec_of` makes one, `validate_spec` checks it, and `source_of` writes it. The model is
`checkpoint_ld.entities.template_spec.TemplateSpec`.
"""

from __future__ import annotations

import keyword
import math
import unicodedata
from collections import Counter
from textwrap import indent
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ValidationError

from checkpoint_ld.entities.template_spec import (
    ConditionalGroundTruth,
    TemplateFieldSpec,
    TemplateSpec,
    VerifyStrategySpec,
    require_shallow,
)
from checkpoint_ld.errors import WriteError
from checkpoint_ld.mapping.traits import faults_of
from checkpoint_ld.templates.expressions import DEEPEST, LONGEST_INTEGER
from checkpoint_ld.templates.fields import RESERVED
from checkpoint_ld.templates.primitives import (
    FIELD_TYPES,
    MisfitError,
    Patterns,
    Primitive,
    compared_as,
    misfit,
    registry,
    settle,
)
from checkpoint_ld.templates.reading import COMPOSITES, UNKNOWN
from checkpoint_ld.templates.template import LONGEST_SOURCE, Level, ProblemKind, Template, listed, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from pydantic import JsonValue

    from checkpoint_ld.entities.template_spec import GroundTruthCase
    from checkpoint_ld.templates.template import Strategy


_HIDING = {ProblemKind.FIELD_DEFINITION, ProblemKind.LITERAL_VALUES}
"""Problems after which a field lacks a part of its definition."""

_HIDING_CASES = {ProblemKind.NOT_STATIC, ProblemKind.UNKNOWN_PRIMITIVE}
"""Problems after which a case of a conditional ground truth lacks a part of its definition."""


def spec_of(template: Template) -> TemplateSpec | None:
    """Return the specification of a template, None if not all of it can be read without running it.

    Fields that are not verified and methods of the class are left out: with any of them (`Template.plain_fields`,
    `Template.custom_code`), the specification is not the whole template. It may break rules, which `validate_spec`
    lists. A field that is compared as a date has the type date; in Python its type is `str`.
    """
    kinds = {problem.kind for problem in template.problems}
    is_conditional = any(ConditionalGroundTruth.marks(field.ground_truth) for field in template.fields)
    if (
        template.level not in {Level.VERIFIED, Level.MIXED}
        or template.class_name is None
        or template.strategy == UNKNOWN
        or kinds & _HIDING
        or (is_conditional and kinds & _HIDING_CASES)
        or any(field.unread or field.primitive is None or field.description is None for field in template.fields)
    ):
        return None
    fields = [
        TemplateFieldSpec(
            name=field.name,
            type=compared_as(field),
            description=field.description or "",
            extraction_hint=field.extraction_hint or None,
            ground_truth=field.ground_truth,
            literal_values=None if field.literal_values is None else list(field.literal_values),
            verify_with=field.verify_with or {},
            weight=field.weight,
            is_trace=field.is_trace,
        )
        for field in template.fields
    ]
    strategy = None if template.strategy is None else _strategy_spec(template.strategy)
    return TemplateSpec(fields=fields, verify_strategy=strategy, class_name=template.class_name)


def _strategy_spec(node: Strategy) -> VerifyStrategySpec:
    conditions = [_strategy_spec(condition) for condition in node.conditions]
    return VerifyStrategySpec(type=node.type, n=node.n, field_name=node.field_name, conditions=conditions)


_COMPOSITES: Final = {**{kind: name for name, kind in COMPOSITES.items()}, "field_check": "FieldCheck"}
"""The classes of a strategy's nodes, by the types of the nodes."""

_WRITTEN = {
    *("BaseAnswer", "VerifiedField", "VerificationStrategy", "ConditionalGroundTruth", "GroundTruthCase", "Literal"),
    *("bool", "str", "int", "float", "list"),
    *_COMPOSITES.values(),
    *registry(),
}
"""Names with another meaning in the source of a template."""

_METHODS = {
    *("verify", "verify_granular", "verify_regex", "ground_truth", "set_question_id", "get_source_code"),
    *("set_source_code_from_notebook",),
    *(name for name in dir(BaseModel) if name.startswith("model_")),
}
"""Names that every answer class gives a meaning of their own."""


def _name_fault(name: str, taken: Collection[str], what: str) -> str | None:
    if not name.isidentifier() or keyword.iskeyword(name):
        return f"{what} {shown(name)} is not a name in Python"
    normal = unicodedata.normalize("NFKC", name)
    if normal != name:
        return f"{what} {shown(name)} is read as {shown(normal)} by Python"
    return f"{what} {shown(name)} stands for something else in a template" if name in taken else None


def validate_spec(spec: TemplateSpec) -> list[str]:
    """Return the faults of a specification; without faults, its source can be written.

    The faults of each field come first, in order: type, literal values, primitive with parameters, and their
    combination, then name, texts, weight and ground truth. Those of the class name, field names and strategy follow.
    """
    patterns = Patterns()
    faults = [
        f"field {shown(field.name)}: {fault}" for field in spec.fields for fault in _field_faults(field, patterns)
    ]
    return [*faults, *_whole_faults(spec)]


def _field_faults(field: TemplateFieldSpec, patterns: Patterns) -> Iterator[str]:
    if field.type not in FIELD_TYPES:
        yield f"the type is {shown(field.type)}, not one of {listed(FIELD_TYPES)}"
    if field.type == "literal" and not field.literal_values:
        yield "a literal field needs literal_values"
    built = None
    try:
        built = _built(field.verify_with, patterns)
    except MisfitError as error:
        yield str(error)
    if built is not None:
        yield from _type_faults(field, built[0])
    yield from _member_faults(field)
    members = ("description", "extraction_hint", "literal_values", "verify_with", "ground_truth")
    unwritable = [f"{name} {fault}" for name in members if (fault := _unwritable(getattr(field, name))) is not None]
    yield from unwritable
    if built is not None and not unwritable:
        yield from _truth_faults(field, *built, patterns)


def _type_faults(field: TemplateFieldSpec, primitive: Primitive) -> Iterator[str]:
    if field.type not in primitive.types:
        yield f"the type is {shown(field.type)}; {primitive.name} is for {listed(primitive.types)}"
    if field.is_trace and field.type != "bool":
        yield f"the type is {shown(field.type)}; a field that looks at the raw response has the type bool"
    if field.is_trace is not primitive.trace:
        verb = "looks" if primitive.trace else "does not look"
        yield f"is_trace is {str(field.is_trace).lower()}, and {primitive.name} {verb} at the raw response"


def _built(settings: Mapping[str, JsonValue], patterns: Patterns) -> tuple[Primitive, dict[str, JsonValue]]:
    """Return the primitive that an object stands for, with all its parameters. Raises MisfitError."""
    name = settings.get("type")
    if not name:
        raise MisfitError("verify_with has no type")
    primitive = registry().get(name) if isinstance(name, str) else None
    if primitive is None:
        raise MisfitError(f"verify_with has the type {shown(name)}, which is no known primitive")
    known = [parameter.name for parameter in primitive.parameters]
    for key in settings:
        if key != "type" and key not in known:
            raise MisfitError(f"{primitive.name} has no parameter {shown(key)}; there are {listed(known) or 'none'}")
    values, faults = settle(primitive, {key: value for key, value in settings.items() if key != "type"}, patterns)
    if faults:
        raise MisfitError(f"{primitive.name}: {faults[0]}")
    return primitive, values


def _member_faults(field: TemplateFieldSpec) -> Iterator[str]:
    if field.name in RESERVED:
        yield f"the name {shown(field.name)} is reserved, {RESERVED[field.name]}"
    elif field.name.startswith("_"):
        yield f"the name {shown(field.name)} begins with an underscore, so it is no field's"
    elif (fault := _name_fault(field.name, _WRITTEN | _METHODS, "the name")) is not None:
        yield fault
    if not field.description.strip():
        yield "the description is empty"
    values = field.literal_values or []
    if values and field.type != "literal":
        yield f"literal_values are for the type literal, not for {shown(field.type)}"
    if len(set(values)) < len(values):
        yield f"literal_values has a value twice: {listed(values)}"
    if not math.isfinite(field.weight) or field.weight < 0:
        yield f"the weight is {field.weight}; it has to be a number from 0 on"


def _truth_faults(
    field: TemplateFieldSpec, primitive: Primitive, parameters: Mapping[str, JsonValue], patterns: Patterns
) -> Iterator[str]:
    literals = tuple(field.literal_values or ()) if field.type == "literal" else None
    try:
        conditional = ConditionalGroundTruth.read(field.ground_truth)
    except ValidationError as error:
        yield f"the ground truth is marked as conditional and is not: {faults_of(error)}"
        return
    if conditional is None:
        fault = _misfit(primitive, parameters, literals, field.ground_truth)
        if fault is not None:
            yield f"the ground truth of {primitive.name} {fault}"
        return
    cases = [(f"case {shown(name)}", case) for name, case in conditional.cases.items()]
    for name, case in [*cases, ("default case", conditional.default)]:
        used, given = primitive, parameters
        if case.verify_with is not None:
            try:
                used, given = _built(case.verify_with, patterns)
            except MisfitError as error:
                yield f"{name}: {error}"
                continue
            yield from (f"{name}: {fault}" for fault in _type_faults(field, used))
        fault = _misfit(used, given, literals, case.value)
        if fault is not None:
            yield f"{name}: the ground truth of {used.name} {fault}"


def _misfit(
    primitive: Primitive, parameters: Mapping[str, JsonValue], literals: tuple[str, ...] | None, truth: JsonValue
) -> str | None:
    """Return what `misfit` does; of a specification, the literal values are texts, and nothing else equals one."""
    if literals and not isinstance(truth, str):
        return f"is {shown(truth)}, not one of the texts {listed(literals)}"
    return misfit(primitive, parameters, literals, truth)


def _unwritable(value: object, depth: int = 0) -> str | None:
    """Return why no literal of Python is read as exactly this value, None if there is one."""
    if depth >= DEEPEST:
        return f"is nested more than {DEEPEST} levels deep"
    kind = type(value)
    if isinstance(value, dict | list) and kind in {dict, list}:
        if isinstance(value, dict) and any(type(key) is not str for key in value):
            return "has a key that is no text"
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        return next((fault for part in parts if (fault := _unwritable(part, depth + 1)) is not None), None)
    if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
        return f"has {shown(value)} in it, which is no text: half of a surrogate pair"
    if isinstance(value, float) and not math.isfinite(value):
        return f"has {value} in it, which is no number of JSON"
    if isinstance(value, int) and value.bit_length() > LONGEST_INTEGER:
        return f"has a number of more than {LONGEST_INTEGER} bits in it"
    return (
        None if kind in {str, int, float, bool, type(None)} else f"has a {kind.__name__} in it, which is no JSON value"
    )


def _whole_faults(spec: TemplateSpec) -> Iterator[str]:
    names = Counter(field.name for field in spec.fields)
    fault = _name_fault(spec.class_name, _WRITTEN, "the class name")
    if fault is not None:
        yield fault
    if not names:
        yield "there are no fields"
    yield from (f"{count} fields have the name {shown(name)}" for name, count in names.items() if count > 1)
    if spec.verify_strategy is None:
        return
    try:
        require_shallow(spec.verify_strategy)
    except ValueError as error:
        yield f"strategy: {error}"
        return
    yield from (f"strategy: {fault}" for fault in _strategy_faults(spec.verify_strategy, names))


def _strategy_faults(node: VerifyStrategySpec, names: Collection[str]) -> Iterator[str]:
    if node.type not in _COMPOSITES:
        yield f"the type is {shown(node.type)}, not one of {listed(list(_COMPOSITES))}"
    if node.type == "field_check":
        if node.field_name not in names:
            yield f"field_check names {shown(node.field_name)}, which is no field"
        if node.conditions:
            yield "field_check has conditions, which are for the other types"
    elif node.field_name is not None:
        yield f"{shown(node.type)} has the field_name {shown(node.field_name)}, which is for field_check"
    if node.type == "at_least_n":
        if node.n is None or node.n < 0 or _unwritable(node.n):
            yield f"at_least_n has the n {shown(node.n)}; it has to be a number from 0 on"
    elif node.n is not None:
        yield f"{shown(node.type)} has the n {shown(node.n)}, which is for at_least_n"
    for condition in node.conditions:
        yield from _strategy_faults(condition, names)


_STEP = "    "


def source_of(spec: TemplateSpec) -> str:
    """Return the Python text of the template that a specification describes; the result is always the same.

    All values are written as literals, so that no value can become code. Raises `WriteError` (a `ValueError`) with the
    faults that `validate_spec` finds, and for a text that would be too long to be read again.
    """
    faults = validate_spec(spec)
    if faults:
        raise WriteError("this is no template: " + "; ".join(faults))
    source = _TemplateWriter().template(spec)
    if len(source) > LONGEST_SOURCE:
        raise WriteError(f"the template has {len(source)} characters, more than are read again ({LONGEST_SOURCE})")
    return source


class _TemplateWriter:
    """Writes the source of a template, and collects the names that it has to import."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def template(self, spec: TemplateSpec) -> str:
        body = "".join(self._field(field) for field in spec.fields)
        if spec.verify_strategy is not None:
            strategy = f"verify_strategy = {self._node(spec.verify_strategy)}\n"
            body += f"\nclass VerificationStrategy:\n{indent(strategy, _STEP)}"
        names = ", ".join(["BaseAnswer", "VerifiedField", *sorted(self._names - {"VerifiedField"})])
        has_literals = any(field.type == "literal" for field in spec.fields)
        return (
            ("from typing import Literal\n\n" if has_literals else "")
            + f"from karenina.schemas.entities import {names}\n\n\n"
            + f"class {spec.class_name}(BaseAnswer):\n{indent(body, _STEP)}"
        )

    def _field(self, field: TemplateFieldSpec) -> str:
        annotation = {"list_str": "list[str]", "date": "str"}.get(field.type, field.type)
        if field.type == "literal":
            annotation = f"Literal[{', '.join(map(repr, field.literal_values or ()))}]"
        arguments = [f"description={field.description!r}"]
        if field.extraction_hint:
            arguments.append(f"extraction_hint={field.extraction_hint!r}")
        arguments.append(f"ground_truth={self._truth(field.ground_truth)}")
        arguments.append(f"verify_with={self._primitive(field.verify_with)}")
        if field.weight != 1:
            arguments.append(f"weight={field.weight!r}")
        return f"{field.name}: {annotation} = {self._call('VerifiedField', arguments)}\n"

    def _truth(self, value: JsonValue) -> str:
        conditional = ConditionalGroundTruth.read(value)
        if conditional is None:
            return repr(value)
        cases = _block("{", [f"{name!r}: {self._case(case)}" for name, case in conditional.cases.items()], "}")
        arguments = [f"source={conditional.source!r}", f"cases={cases}", f"default={self._case(conditional.default)}"]
        return self._call("ConditionalGroundTruth", arguments)

    def _case(self, case: GroundTruthCase) -> str:
        self._names.add("GroundTruthCase")
        verify_with = "" if case.verify_with is None else f", verify_with={self._primitive(case.verify_with)}"
        return f"GroundTruthCase(value={case.value!r}{verify_with})"

    def _primitive(self, serialised: Mapping[str, JsonValue]) -> str:
        self._names.add(str(serialised["type"]))
        parameters = [f"{name}={value!r}" for name, value in serialised.items() if name != "type"]
        return f"{serialised['type']}({', '.join(parameters)})"

    def _node(self, node: VerifyStrategySpec) -> str:
        if node.type == "field_check":
            self._names.add("FieldCheck")
            return f"FieldCheck(field={node.field_name!r})"
        arguments = [] if node.n is None else [f"n={node.n!r}"]
        arguments.append(f"conditions={_block('[', map(self._node, node.conditions), ']')}")
        return self._call(_COMPOSITES[node.type], arguments)

    def _call(self, name: str, arguments: list[str]) -> str:
        self._names.add(name)
        return _block(f"{name}(", arguments, ")")


def _block(start: str, parts: Iterable[str], end: str) -> str:
    text = indent("".join(f"{part},\n" for part in parts), _STEP)
    return f"{start}\n{text}{end}" if text else f"{start}{end}"
