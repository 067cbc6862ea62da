"""Differences between two benchmarks, as data and as lines for people."""

from checkpoint_ld.difference.change import Change, PartDiff, PartsDiff
from checkpoint_ld.difference.questions import QuestionDiff, QuestionName
from checkpoint_ld.difference.semantic_diff import SemanticDiff, semantic_diff
from checkpoint_ld.difference.templates import TemplateDiff

__all__ = [
    "Change",
    "PartDiff",
    "PartsDiff",
    "QuestionDiff",
    "QuestionName",
    "SemanticDiff",
    "TemplateDiff",
    "semantic_diff",
]
