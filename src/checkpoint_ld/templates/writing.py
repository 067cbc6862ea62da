"""From a template specification to the Python text of an answer template."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.entities.template_spec import ConditionalGroundTruth
from checkpoint_ld.errors import WriteError
from checkpoint_ld.templates.source_text import LONGEST_SOURCE
from checkpoint_ld.templates.specification import COMPOSITES, validate_spec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic import JsonValue

    from checkpoint_ld.entities.template_spec import (
        GroundTruthCase,
        TemplateFieldSpec,
        TemplateSpec,
        VerifyStrategySpec,
    )

_STEP = "    "
_ANNOTATIONS = {"list_str": "list[str]", "date": "str"}


def source_of(spec: TemplateSpec) -> str:
    """Return the Python text of the template that a specification describes; the same one every time.

    What the specification holds stands in it as literals, so no value can become code. Raises `WriteError` (a
    `ValueError`) that lists what `validate_spec` finds, and for a text that would be too long to be read again.
    """
    faults = validate_spec(spec)
    if faults:
        raise WriteError("this is no template: " + "; ".join(faults))
    source = "\n".join(_lines(spec)) + "\n"
    if len(source) > LONGEST_SOURCE:
        raise WriteError(f"the template has {len(source)} characters, more than are read again ({LONGEST_SOURCE})")
    return source


def _lines(spec: TemplateSpec) -> Iterator[str]:
    if any(field.type == "literal" for field in spec.fields):
        yield from ("from typing import Literal", "")
    names = ", ".join(["BaseAnswer", "VerifiedField", *sorted(_names(spec))])
    yield from (f"from karenina.schemas.entities import {names}", "", "", f"class {spec.class_name}(BaseAnswer):")
    for field in spec.fields:
        yield from _indented(_field(field))
    if spec.verify_strategy is not None:
        first, *rest = _node(spec.verify_strategy)
        strategy = ["class VerificationStrategy:", f"{_STEP}verify_strategy = {first}", *_indented(rest)]
        yield from ("", *_indented(strategy))


def _names(spec: TemplateSpec) -> set[str]:
    """Return what has to be imported beside the names that every template has."""
    primitives = [field.verify_with for field in spec.fields]
    names: set[str] = set()
    for field in spec.fields:
        conditional = ConditionalGroundTruth.read(field.ground_truth)
        if conditional is not None:
            names |= {"ConditionalGroundTruth", "GroundTruthCase"}
            cases = (*conditional.cases.values(), conditional.default)
            primitives += [case.verify_with for case in cases if case.verify_with is not None]
    waiting = [] if spec.verify_strategy is None else [spec.verify_strategy]
    while waiting:
        node = waiting.pop()
        names.add(COMPOSITES[node.type])
        waiting += node.conditions
    return names | {str(primitive["type"]) for primitive in primitives}


def _field(field: TemplateFieldSpec) -> list[str]:
    arguments = [[f"description={field.description!r}"]]
    if field.extraction_hint:
        arguments.append([f"extraction_hint={field.extraction_hint!r}"])
    arguments.append(_prefixed("ground_truth=", _truth(field.ground_truth)))
    arguments.append([f"verify_with={_primitive(field.verify_with)}"])
    if field.weight != 1:
        arguments.append([f"weight={field.weight!r}"])
    return _prefixed(f"{field.name}: {_annotation(field)} = ", _call("VerifiedField", arguments))


def _annotation(field: TemplateFieldSpec) -> str:
    if field.type == "literal":
        return f"Literal[{', '.join(map(repr, field.literal_values or ()))}]"
    return _ANNOTATIONS.get(field.type, field.type)


def _truth(value: JsonValue) -> list[str]:
    conditional = ConditionalGroundTruth.read(value)
    if conditional is None:
        return [repr(value)]
    cases = [f"{_STEP}{name!r}: {_case(case)}," for name, case in conditional.cases.items()]
    arguments = [
        [f"source={conditional.source!r}"],
        ["cases={", *cases, "}"] if cases else ["cases={}"],
        [f"default={_case(conditional.default)}"],
    ]
    return _call("ConditionalGroundTruth", arguments)


def _case(case: GroundTruthCase) -> str:
    verify_with = "" if case.verify_with is None else f", verify_with={_primitive(case.verify_with)}"
    return f"GroundTruthCase(value={case.value!r}{verify_with})"


def _primitive(said: Mapping[str, JsonValue]) -> str:
    parameters = [f"{name}={value!r}" for name, value in said.items() if name != "type"]
    return f"{said['type']}({', '.join(parameters)})"


def _node(node: VerifyStrategySpec) -> list[str]:
    name = COMPOSITES[node.type]
    if node.type == "field_check":
        return [f"{name}(field={node.field_name!r})"]
    arguments = [] if node.n is None else [[f"n={node.n!r}"]]
    conditions = [line for condition in node.conditions for line in _indented(_ended(_node(condition)))]
    return _call(name, [*arguments, ["conditions=[", *conditions, "]"] if conditions else ["conditions=[]"]])


def _call(name: str, arguments: Iterable[list[str]]) -> list[str]:
    return [f"{name}(", *(line for argument in arguments for line in _indented(_ended(argument))), ")"]


def _prefixed(text: str, lines: list[str]) -> list[str]:
    return [text + lines[0], *lines[1:]]


def _ended(lines: list[str]) -> list[str]:
    return [*lines[:-1], lines[-1] + ","]


def _indented(lines: Iterable[str]) -> list[str]:
    return [_STEP + line for line in lines]
