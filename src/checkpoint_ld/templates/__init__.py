"""Answer templates, read without running them."""

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
]
