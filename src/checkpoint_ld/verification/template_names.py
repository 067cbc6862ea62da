"""What a template finds when it is run: the library's names, with and without imports, and all of them are ours."""

from __future__ import annotations

import sys
import typing
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import pydantic

from checkpoint_ld import entities
from checkpoint_ld.entities.answer import BaseAnswer
from checkpoint_ld.entities.primitives import PRIMITIVES, SynonymMap
from checkpoint_ld.entities.template_spec import (
    AllOf,
    AnyOf,
    AtLeastN,
    ConditionalGroundTruth,
    FieldCheck,
    GroundTruthCase,
)
from checkpoint_ld.entities.verified_field import VerificationMeta, VerifiedField

if TYPE_CHECKING:
    from collections.abc import Sequence

_LIBRARY: Final = "karenina"

_OURS: Final[dict[str, Any]] = {
    "VerificationMeta": VerificationMeta,
    "capture_answer_source": lambda answer: answer,  # the source is in the checkpoint
}

PRELOADED: Final[dict[str, Any]] = {
    **PRIMITIVES,
    **{name: getattr(typing, name) for name in ("Any", "Dict", "List", "Literal", "Optional", "Union")},
    "AllOf": AllOf,
    "AnyOf": AnyOf,
    "AtLeastN": AtLeastN,
    "BaseAnswer": BaseAnswer,
    "ConditionalGroundTruth": ConditionalGroundTruth,
    "Field": pydantic.Field,
    "FieldCheck": FieldCheck,
    "GroundTruthCase": GroundTruthCase,
    "SynonymMap": SynonymMap,
    "VerifiedField": VerifiedField,
}
"""The names that templates use without an import."""


class _Library(MetaPathFinder, Loader):
    """Every module that is called like one of Karenina's has all names; where they live has changed over time."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        parts = fullname.split(".")
        # `from karenina.x import Name` looks for a module Name when there is no such name.
        known = parts[0] == _LIBRARY and all(part.islower() for part in parts)
        return ModuleSpec(fullname, self, is_package=True) if known else None

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update({"__getattr__": _library_name, "__all__": [*PRELOADED]})


def template_module(name: str) -> ModuleType:
    """Return a new module for a template to be run in; from then on imports of Karenina find our names."""
    sys.meta_path.insert(0, _Library())
    module = ModuleType(name)
    vars(module).update(PRELOADED)
    sys.modules[name] = module  # where pydantic looks for the names in annotations that are texts
    return module


def _library_name(name: str) -> Any:
    for known in (_OURS, PRELOADED):
        if name in known:
            return known[name]
    if name in entities.__all__:
        return getattr(entities, name)
    raise AttributeError(f"checkpoint-ld has nothing that is called {name!r} in Karenina")
