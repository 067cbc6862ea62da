"""The content of an answer template as data, and the analysis of program text in documents, which never runs it.

`checkpoint_ld.templates.reading` makes a `Template` from a text. Checks of documents use `python_fault`,
`pattern_fault` and `code_message`.
"""

from __future__ import annotations

import ast
import hashlib
import re
import reprlib
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from checkpoint_ld.documents.values import base64_bytes
from checkpoint_ld.host import without_warnings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

LONGEST_SOURCE = 200_000
"""Longer texts are not parsed; answer templates have a few thousand characters."""

_SIMPLE_PATTERN = re.compile(r"(?:(?:[^\\\[\](){}*+?|^$]|\\[dDsSwW\[\](){}*+?|^$.\\/-])[*+?]?|\\[bB]|[|^$])*")
"""Patterns that certainly compile: characters and classes, each perhaps repeated. Matching is 100 times faster."""


def python_fault(source: str) -> str | None:
    """Return why `source` is not Python, with the line, or None if it parses."""
    if len(source) > LONGEST_SOURCE:
        return f"{len(source)} characters are too many to parse ({LONGEST_SOURCE} at most)"
    try:
        parsed(source)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)
    except ValueError as error:  # NUL in some versions of Python, lone surrogates in all
        return str(error)
    except (RecursionError, MemoryError):
        return "nested too deeply to parse"
    return None


def parsed(source: str) -> ast.Module:
    """Return the tree of a text. Raises the same as `ast.parse`."""
    with without_warnings():  # Python's warnings, such as about invalid escapes, do not matter here
        return ast.parse(source)


def pattern_fault(pattern: str) -> str | None:
    """Return why `pattern` is no regular expression of Python, or None if it compiles."""
    if _SIMPLE_PATTERN.fullmatch(pattern):
        return None
    try:
        with without_warnings():
            re.compile(pattern)
    except (re.error, OverflowError, ValueError) as error:
        return str(error)
    except (RecursionError, MemoryError):
        return "nested too deeply to compile"
    return None


def code_message(code: str, *, may_be_encoded: bool = True) -> str:
    """Return the description of a code text: its form, its imports and functions, and the hash to accept it by."""
    form, source = "source text", code
    payload = base64_bytes(code) if may_be_encoded else None
    if payload is not None:
        form, source = "bytes in base64", ""
        with suppress(UnicodeDecodeError):
            text = payload.decode("utf-8")
            if text.replace("\n", " ").replace("\t", " ").isprintable():
                form, source = "source text in base64", text
        if payload.startswith(b"\x80"):
            form = "a pickled function in base64"
    names = list(dict.fromkeys(" ".join(name.split()) for name in _DECLARATION.findall(source)))[:_MOST_NAMES]
    about = f" with {', '.join(names)}" if names else "" if source else ", which shows what it does only when it runs"
    return f"{form}{about} ({code_hash(code)})"


def code_hash(code: str) -> str:
    """Return the hash that a code text is accepted by: SHA-256 of its UTF-8 bytes, as `sha256:` and hexadecimal."""
    return f"sha256:{hashlib.sha256(code.encode('utf-8', 'surrogatepass')).hexdigest()}"


_DECLARATION = re.compile(r"^\s*((?:import|from)\s+[\w.]+|(?:async\s+)?def\s+\w+|class\s+\w+)", re.MULTILINE)
_MOST_NAMES = 5


class Level(StrEnum):
    """How far a text is an answer template."""

    EMPTY = "empty"
    SYNTAX_ERROR = "syntax-error"
    NO_ANSWER_CLASS = "no-answer-class"
    PLACEHOLDER = "placeholder"
    """The text for a missing template: one field `response`, and `verify` that returns False."""
    CLASSIC = "classic"
    """The answer is verified by a method of the class, or by regular expressions alone."""
    INCOMPLETE = "incomplete"
    """There are fields, and nothing verifies them."""
    VERIFIED = "verified"
    """Every field is verified."""
    MIXED = "mixed"
    """Some fields are verified."""


class ProblemKind(StrEnum):
    """The kinds of problems; the set is closed."""

    SYNTAX = "syntax"
    LIMIT = "limit"
    """It is too large or too deeply nested to be read."""
    NO_ANSWER_CLASS = "no-answer-class"
    SEVERAL_ANSWER_CLASSES = "several-answer-classes"
    PLACEHOLDER = "placeholder"
    INCOMPLETE = "incomplete"
    CUSTOM_VERIFY = "custom-verify"
    """There are verified fields, but a method of the class decides."""
    FIELD_NAME = "field-name"
    DUPLICATE_FIELD = "duplicate-field"
    FIELD_DEFINITION = "field-definition"
    """The field cannot be made: an argument is missing, given twice or not known, or there is no annotation."""
    FIELD_TYPE = "field-type"
    NULLABLE = "nullable"
    """The type admits None, which the vocabulary of types cannot express."""
    LITERAL_VALUES = "literal-values"
    DESCRIPTION = "description"
    WEIGHT = "weight"
    NOT_STATIC = "not-static"
    """A value is known only by running the template."""
    GROUND_TRUTH = "ground-truth"
    UNKNOWN_PRIMITIVE = "unknown-primitive"
    PRIMITIVE_PARAMETERS = "primitive-parameters"
    UNKNOWN_PARAMETER = "unknown-parameter"
    PRIMITIVE_TYPE = "primitive-type"
    PRIMITIVE_NEEDS = "primitive-needs"
    """The primitive needs a stage of evaluation that a template cannot bring along."""
    TRACE_TYPE = "trace-type"
    STRATEGY = "strategy"
    REGEX = "regex"
    """The expressions of `self.regex`, which are searched in the raw response."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of a template; `line` counts from 1 in the template's text, None if not known."""

    kind: ProblemKind
    line: int | None
    message: str


@dataclass(frozen=True, slots=True)
class TemplateField:
    """A verified field.

    `type` is one of the vocabulary bool, str, int, float, list_str, literal, date. `ground_truth` is a JSON value; a
    conditional one is an object with the member `__conditional__`. `taken_as` is the type that values are
    converted to: `type`, with the type of the items for a list (`list_int`), or any for a type out of the vocabulary.
    `parameters` has all parameters of `primitive`, with their defaults, in declared order. `unread` has the source,
    shortened, of each argument that is not static, by the argument's name; the field then has that argument's default.
    `options` names the arguments for pydantic.
    """

    name: str
    type: str
    line: int
    description: str | None = None
    extraction_hint: str | None = None
    ground_truth: JsonValue = None
    literal_values: tuple[str, ...] | None = None
    primitive: str | None = None
    parameters: Mapping[str, JsonValue] = field(default_factory=lambda: MappingProxyType({}))
    weight: float = 1.0
    is_trace: bool = False
    nullable: bool = False
    options: tuple[str, ...] = ()
    unread: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    taken_as: str = "any"

    @property
    def verify_with(self) -> dict[str, JsonValue] | None:
        """The primitive in its serialised form: its parameters, then `type`; None if it could not be read."""
        return None if self.primitive is None else {**self.parameters, "type": self.primitive}


@dataclass(frozen=True, slots=True)
class PlainField:
    """A field that is not verified."""

    name: str
    type: str
    line: int
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Strategy:
    """A node of the tree of fields that have to pass: all_of, any_of, at_least_n, field_check.

    A strategy that cannot be read without running it is one node of the type unknown.
    """

    type: str
    field_name: str | None = None
    n: int | None = None
    conditions: tuple[Strategy, ...] = ()


@dataclass(frozen=True, slots=True)
class RegexCheck:
    """One expression of `self.regex`; `match_type` is exact, contains, count or all."""

    pattern: str
    expected: JsonValue = None
    match_type: str = "exact"


@dataclass(frozen=True, slots=True)
class CustomCode:
    """Code beside the fields, of one of the kinds method, decorator, setting, annotation, statement and constant.

    A setting of pydantic changes or refuses values; an annotation is what `Annotated` adds to a type. The name of a
    statement is its kind. A statement that gives a name to a literal, and does nothing else, is a constant.
    """

    kind: str
    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Template:
    """An answer template as far as it can be read without running it. The text remains the authoritative copy.

    `fields` and `plain_fields` are in order, inherited ones first. `ground_truth` and `regexes` are the values that the
    class assigns to `self.correct` and `self.regex`; None where there is no static one. `strategy` None means that all
    fields have to pass.
    """

    level: Level
    class_name: str | None = None
    fields: tuple[TemplateField, ...] = ()
    plain_fields: tuple[PlainField, ...] = ()
    strategy: Strategy | None = None
    ground_truth: Mapping[str, JsonValue] | None = None
    regexes: Mapping[str, RegexCheck] | None = None
    custom_code: tuple[CustomCode, ...] = ()
    problems: tuple[Problem, ...] = ()
    line: int | None = None


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60

LONGEST_EXCERPT = 200
"""Bytes of source that are shown of an expression."""


def shown(value: object) -> str:
    """Return `value` as Python writes it, shortened."""
    return _SHORT.repr(value)


def listed(values: object) -> str:
    """Return names, separated by commas and shortened."""
    text = ", ".join(values) if isinstance(values, (list, tuple)) else str(values)
    return text if len(text) <= LONGEST_EXCERPT else text[:LONGEST_EXCERPT] + "…"
