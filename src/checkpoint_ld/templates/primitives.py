"""The verification primitives: their names, parameters and the field types that they fit, as data.

Templates are checked against these descriptions. The primitives themselves are in `checkpoint_ld.entities.primitives`.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.documents.values import means_number, means_truth_value
from checkpoint_ld.host import without_warnings
from checkpoint_ld.templates.template import listed, pattern_fault, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic import JsonValue, TypeAdapter

    from checkpoint_ld.templates.template import TemplateField


FIELD_TYPES = ("bool", "str", "int", "float", "list_str", "literal", "date")
"""The types that a field of a template specification may have."""

NORMALIZERS: Final = ("lowercase", "strip", "remove_punctuation", "collapse_whitespace")
"""The normalisers that have a name; a synonym map is the other kind."""

_FLAGS = ("ASCII", "IGNORECASE", "MULTILINE", "DOTALL", "VERBOSE")
FLAGS: Final[Mapping[str, str]] = MappingProxyType(
    {name: letter for letters in (_FLAGS, "AIMSX") for name, letter in zip(letters, "AIMSX", strict=True)}
)
"""The letter of each flag of Python's `re` that a pattern may have, by both of its names."""


@dataclass(frozen=True, slots=True)
class PrimitiveParameter:
    """One parameter of a primitive.

    `kind` is one of text, texts, pattern, flags, normalizers, number, integer, boolean, choice. A parameter that is
    not required has a `default`, and takes null where that is its default. `above` and `at_least` are lower bounds,
    `below` names the parameter that this one has to be smaller than.
    """

    name: str
    kind: str
    required: bool
    default: JsonValue = None
    choices: tuple[str, ...] = ()
    above: float | None = None
    at_least: float | None = None
    below: str | None = None


@dataclass(frozen=True, slots=True)
class Primitive:
    """One primitive: the parameters in their declared order and the types of field that it fits.

    `truth` is the kind of its ground truth: number, boolean (or a word for it), flag (true or false and nothing else),
    list, date, or empty for anything. `trace` primitives check the raw response instead of an extracted value. `needs`
    names a stage without which the primitive cannot be used.
    """

    name: str
    types: tuple[str, ...]
    parameters: tuple[PrimitiveParameter, ...]
    truth: str = ""
    trace: bool = False
    needs: str = ""


@cache
def registry() -> Mapping[str, Primitive]:
    """Return the primitives that a template may use, by their exact names."""
    text = resources.files(__package__).joinpath("primitives.json").read_text(encoding="utf-8")
    found = {}
    for name, members in json.loads(text).items():
        parameters = []
        for key, each in members.pop("parameters").items():
            choices = tuple(each.pop("choices", ()))
            parameters.append(PrimitiveParameter(key, required="default" not in each, choices=choices, **each))
        types = tuple(members.pop("types"))
        found[name] = Primitive(name, types, tuple(parameters), **members)
    return MappingProxyType(found)


def compared_as(field: TemplateField) -> str:
    """Return the type of a field. A date is a text in Python; only its primitive shows that it is one."""
    types = () if field.primitive is None else registry()[field.primitive].types
    return "date" if field.type == "str" and "date" in types else field.type


_EXACT = 2**53
"""The largest integer up to which a float has all integers exactly (IEEE 754 binary64)."""


class MisfitError(Exception):
    """A value does not fit; the message has the values that would."""


def fitted(parameter: PrimitiveParameter, value: JsonValue) -> JsonValue:
    """Return the value in the type of the parameter: 1 becomes 1.0 for a number, as in pydantic. Raises MisfitError."""
    if value is None:
        if not parameter.required and parameter.default is None:
            return None
        raise MisfitError("is null")
    match parameter.kind:
        case "number":
            return _number(parameter, value)
        case "integer":
            return value if type(value) is int else _as_pydantic_has_it(int, value, "an integer")
        case "boolean":
            return value if type(value) is bool else _as_pydantic_has_it(bool, value, "true or false")
        case "choice":
            if value not in parameter.choices:
                raise MisfitError(f"is {shown(value)}, not one of {listed(parameter.choices)}")
        case "text" | "pattern":
            if not isinstance(value, str):
                raise MisfitError(f"is {shown(value)}, not a text")
        case _:
            _check_items(parameter.kind, value)
    return value


def settle(
    primitive: Primitive, given: Mapping[str, JsonValue], patterns: Patterns, *, is_whole: bool = True
) -> tuple[dict[str, JsonValue], list[str]]:
    """Return all parameters of a primitive in their types, and the faults of the given ones.

    Unless `is_whole`, some of the given parameters could not be read, and a missing parameter is no fault.
    """
    settled: dict[str, JsonValue] = {}
    faults: list[str] = []
    for parameter in primitive.parameters:
        name, default = parameter.name, parameter.default
        settled[name] = given.get(name, list(default) if isinstance(default, list) else default)
        if name not in given:
            if parameter.required and is_whole and not faults:
                faults.append(f"parameter {name} is missing")
            continue
        try:
            settled[name] = fitted(parameter, given[name])
        except MisfitError as error:
            faults.append(f"parameter {name} {error}")
    if not faults and is_whole:
        faults += _faults_together(primitive, settled, patterns)
    return settled, faults


def _faults_together(primitive: Primitive, values: Mapping[str, JsonValue], patterns: Patterns) -> Iterator[str]:
    for parameter in primitive.parameters:
        value, bound = values.get(parameter.name), values.get(parameter.below or "")
        if isinstance(value, float) and isinstance(bound, float) and value >= bound:
            yield f"parameter {parameter.name} is {value}, not below {parameter.below} ({bound})"
    pattern, flags = values.get("pattern"), values.get("flags")
    if isinstance(pattern, str):
        fault = patterns.fault(pattern, map(str, flags) if isinstance(flags, list) else ())
        if fault is not None:
            yield f"pattern {shown(pattern)} does not compile: {fault}"


def _number(parameter: PrimitiveParameter, value: JsonValue) -> float:
    if (type(value) is float and math.isfinite(value)) or (type(value) is int and abs(value) <= _EXACT):
        number = float(value)
    else:
        number = float(_as_pydantic_has_it(float, value, "a number"))
    if parameter.above is not None and number <= parameter.above:
        raise MisfitError(f"is {number}, not above {parameter.above}")
    if parameter.at_least is not None and number < parameter.at_least:
        raise MisfitError(f"is {number}, below {parameter.at_least}")
    return number


def _as_pydantic_has_it(kind: type, value: JsonValue, wanted: str) -> Any:
    """Return a value of another type as pydantic converts it, because pydantic decides what a primitive accepts."""
    from pydantic import ValidationError  # noqa: PLC0415 - it takes longer to import than a checkpoint to read

    try:
        return _adapter(kind).validate_python(value)
    except ValidationError:
        raise MisfitError(f"is {shown(value)}, not {wanted}") from None


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    from pydantic import FiniteFloat, TypeAdapter  # noqa: PLC0415 - as above

    return TypeAdapter(FiniteFloat if kind is float else kind)


def _check_items(kind: str, value: JsonValue) -> None:
    if not isinstance(value, list):
        raise MisfitError(f"is {shown(value)}, not a list")
    for item in value:
        if kind == "normalizers" and not isinstance(item, str):
            mapping = item.get("mapping") if isinstance(item, dict) else None
            if not isinstance(mapping, dict) or not all(isinstance(text, str) for text in mapping.values()):
                raise MisfitError(
                    f"has the item {shown(item)}, which is neither a normaliser's name nor a map of synonyms"
                )
        elif not isinstance(item, str):
            raise MisfitError(f"has the item {shown(item)}, which is not a text")
        elif kind == "normalizers" and item not in NORMALIZERS:
            raise MisfitError(f"has the unknown normaliser {shown(item)}; there are {listed(NORMALIZERS)}")
        elif kind == "flags" and item not in FLAGS:
            raise MisfitError(f"has the unknown flag {shown(item)}; there are {listed(tuple(FLAGS))}")


_LONGEST_DATE = 100
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_OTHER_WORDS = ("am", "pm", "a", "p", "m", "h", "t", "z", "utc", "gmt", "st", "nd", "rd", "th", "of", "and", "at", "on")


def misfit(
    primitive: Primitive, parameters: Mapping[str, JsonValue], literal_values: tuple[str, ...] | None, value: JsonValue
) -> str | None:
    """Return why a ground truth will probably not be met as its author means it, None if it fits.

    Some primitives convert values of the wrong type, so that a misfit is probable, not certain.
    """
    if literal_values and str(value) not in literal_values:
        return f"is {shown(value)}, not one of the literal values {listed(literal_values)}"
    fits, wanted = {
        "number": (means_number, "a number"),
        "boolean": (means_truth_value, "true or false"),
        "flag": (lambda truth: isinstance(truth, bool), "true or false"),
        "list": (lambda truth: isinstance(truth, list), "a list"),
        "date": (lambda truth: is_date(truth, parameters.get("format")), "a whole date"),
    }.get(primitive.truth, (lambda _: True, ""))
    return None if fits(value) else f"is {shown(value)}, not {wanted}"


def is_date(value: JsonValue, form: JsonValue = None) -> bool:
    """Return whether a text may be a whole date, with day, month and year.

    It has the format `form` of strptime if that is given, else any usual format.
    """
    if not isinstance(value, str) or len(value) > _LONGEST_DATE:
        return False
    try:
        if not isinstance(form, str):
            dt.datetime.fromisoformat(value)
        elif len(form) > _LONGEST_DATE:
            return False
        else:
            with without_warnings():  # Python warns of a form without a year, which is allowed here
                dt.datetime.strptime(value, form)
    except (ValueError, re.error):
        return not isinstance(form, str) and _resembles_date(value)
    return True


def _resembles_date(text: str) -> bool:
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", text)]
    months = sum(word.startswith(_MONTHS) for word in words)
    if any(not word.startswith(_MONTHS + _DAYS) and word not in _OTHER_WORDS for word in words):
        return False
    numbers = re.findall(r"\d+", text)
    return len(numbers) + months >= 3 or any(len(number) in {8, 12, 14} for number in numbers)


MOST_WORK = 200_000
"""The limit of characters to compile for one template; about a quarter of a second."""

_SET_WORK = 1_000
_RANGE_WORK = 500
_RANGE_WORK_IGNORING_CASE = 3_000
_WIDE = re.compile(r"[^\x00-\x7f]|\\[uUN]")
_IGNORES_CASE = re.compile(r"\(\?[aLmsux]*i")


class Patterns:
    """Compiles the patterns of one template, up to a limit of work that a hostile template cannot exceed."""

    def __init__(self) -> None:
        self.skipped = 0
        self._left = MOST_WORK

    def fault(self, pattern: str, flags: Iterable[str] = ()) -> str | None:
        """Return why `pattern` does not compile under the named flags, None if it does.

        Patterns beyond the amount of work are not tried; `skipped` counts them.
        """
        letters = {FLAGS.get(flag, "") for flag in flags}
        self._left -= len(pattern)
        if _WIDE.search(pattern) is not None:  # sets and ranges beyond ASCII are expanded to characters
            ignores_case = "I" in letters or _IGNORES_CASE.search(pattern) is not None
            range_work = _RANGE_WORK_IGNORING_CASE if ignores_case else _RANGE_WORK
            self._left -= pattern.count("[") * _SET_WORK + pattern.count("-") * range_work
        if self._left < 0:
            self.skipped += 1
            return None
        if "X" in letters and pattern_fault(f"(?x:{pattern}\n)") is None:
            return None
        return pattern_fault(pattern)
