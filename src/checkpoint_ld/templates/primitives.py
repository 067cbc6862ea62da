"""The verification primitives: their names, parameters and the field types that they fit, as data.

What a primitive does with an answer is no matter of this module; here is what a template may say about it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

FIELD_TYPES = ("bool", "str", "int", "float", "list_str", "literal", "date")
"""The types that a field of a template specification may have."""

NORMALIZERS: Final = ("lowercase", "strip", "remove_punctuation", "collapse_whitespace")
"""The normalisers that have a name; a synonym map is the other kind."""

_FLAGS = ("ASCII", "IGNORECASE", "MULTILINE", "DOTALL", "VERBOSE")
FLAGS: Final[Mapping[str, str]] = MappingProxyType(
    {name: letter for letters in (_FLAGS, "AIMSX") for name, letter in zip(letters, "AIMSX", strict=True)}
)
"""The letter of each flag of Python's `re` that a pattern may be given, by both of its names."""


@dataclass(frozen=True, slots=True)
class Parameter:
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

    @property
    def nullable(self) -> bool:
        """Whether null may be given."""
        return not self.required and self.default is None


@dataclass(frozen=True, slots=True)
class Primitive:
    """One primitive: the parameters in their declared order and the types of field that it fits.

    `truth` says what the ground truth has to be: number, boolean (or a word for it), flag (true or false and nothing
    else), list, date, or empty for anything. `trace` primitives look at the raw response instead of an extracted value.
    `needs` names a stage without which the primitive cannot be used.
    """

    name: str
    types: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    truth: str = ""
    trace: bool = False
    needs: str = ""


@cache
def registry() -> Mapping[str, Primitive]:
    """Return the primitives that a template may use, by their exact names."""
    text = resources.files(__package__).joinpath("primitives.json").read_text(encoding="utf-8")
    return MappingProxyType({name: _primitive(name, said) for name, said in json.loads(text).items()})


def _primitive(name: str, said: dict[str, Any]) -> Primitive:
    parameters = tuple(_parameter(key, value) for key, value in said["parameters"].items())
    return Primitive(**{**said, "name": name, "types": tuple(said["types"]), "parameters": parameters})


def _parameter(name: str, said: dict[str, Any]) -> Parameter:
    choices = tuple(said.get("choices", ()))
    return Parameter(**{**said, "name": name, "choices": choices, "required": "default" not in said})
