"""Names that a template's class and its fields can have."""

from __future__ import annotations

import keyword
import unicodedata
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel

from checkpoint_ld.templates.fields import RESERVED
from checkpoint_ld.templates.primitives import registry
from checkpoint_ld.templates.showing import shown

if TYPE_CHECKING:
    from collections.abc import Collection

COMPOSITES: Final = {"all_of": "AllOf", "any_of": "AnyOf", "at_least_n": "AtLeastN", "field_check": "FieldCheck"}
"""The classes of a strategy's nodes, by the types of the nodes."""

_WRITTEN = {
    *("BaseAnswer", "VerifiedField", "VerificationStrategy", "ConditionalGroundTruth", "GroundTruthCase", "Literal"),
    *("bool", "str", "int", "float", "list"),
    *COMPOSITES.values(),
    *registry(),
}
"""Names that stand for something else in the source of a template."""

_METHODS = {
    *("verify", "verify_granular", "verify_regex", "ground_truth", "set_question_id", "get_source_code"),
    *("set_source_code_from_notebook",),
    *(name for name in dir(BaseModel) if name.startswith("model_")),
}
"""Names that every answer class gives a meaning of their own."""


def class_name_fault(name: str) -> str | None:
    """Return why a class cannot have a name, None if it can."""
    return _fault(name, _WRITTEN, "the class name")


def field_name_fault(name: str) -> str | None:
    """Return why a verified field cannot have a name, None if it can."""
    if name in RESERVED:
        return f"the name {shown(name)} is reserved, {RESERVED[name]}"
    if name.startswith("_"):
        return f"the name {shown(name)} begins with an underscore, so it is no field's"
    return _fault(name, _WRITTEN | _METHODS, "the name")


def _fault(name: str, taken: Collection[str], what: str) -> str | None:
    if not name.isidentifier() or keyword.iskeyword(name):
        return f"{what} {shown(name)} is not a name in Python"
    normal = unicodedata.normalize("NFKC", name)
    if normal != name:
        return f"{what} {shown(name)} is read as {shown(normal)} by Python"
    if name in taken:
        return f"{what} {shown(name)} stands for something else in a template"
    return None
