"""The earliest 2.0 shape, of July 2025: an array of questions, their templates beside it, and no answers."""

from __future__ import annotations

from typing import Any

from checkpoint_ld.dialects.dialect import Upgrade
from checkpoint_ld.dialects.state import PARKED, element_of, root_of
from checkpoint_ld.dialects.trail import Trail, step

_NAMES = {"isFinished": "finished", "rubric": "question_rubric"}
_CUSTOM = ("category", "hasGeneratedTemplate")
