"""Answer templates, read without running them, as specifications, and written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.templates.reading import read_template
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
    from checkpoint_ld.templates.specification import source_of, spec_of, validate_spec

__all__ = ["CustomCode", "Level", "PlainField", "Problem", "ProblemKind", "RegexCheck", "Strategy", "Template"]
__all__ += ["TemplateField", "read_template", "source_of", "spec_of", "validate_spec"]


def __getattr__(name: str) -> Any:
    # Specifications are pydantic models, for which a check of shapes does not wait (PEP 562).
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from checkpoint_ld.templates import specification  # noqa: PLC0415 - as above

    return getattr(specification, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
