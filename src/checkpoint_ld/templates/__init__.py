"""Answer templates, read without running them, as specifications, and written."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from checkpoint_ld.templates.template import (
    CustomCode,
    Level,
    PlainField,
    Problem,
    ProblemKind,
    RegexCheck,
    Strategy,
    Template,
    TemplateField,
)

if TYPE_CHECKING:
    from checkpoint_ld.templates.reading import read_template
    from checkpoint_ld.templates.specification import spec_of, validate_spec
    from checkpoint_ld.templates.writing import source_of

__all__ = [
    "CustomCode",
    "Level",
    "PlainField",
    "Problem",
    "ProblemKind",
    "RegexCheck",
    "Strategy",
    "Template",
    "TemplateField",
    "read_template",
    "source_of",
    "spec_of",
    "validate_spec",
]

_HOMES = {
    "read_template": "reading",
    "source_of": "writing",
    "spec_of": "specification",
    "validate_spec": "specification",
}


def __getattr__(name: str) -> Any:
    # Specifications and the primitives that templates name are pydantic models: nobody waits for what they do not use
    # (PEP 562).
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
