"""Shortcuts: ways that come to what the plain ways come to, in less time. Each can be left out.

The environment variable `CHECKPOINT_LD_PLAIN` names those that are not taken, with commas between them, or `all`: to
tell whether one of them is at fault, and what it saves. Nothing else depends on it.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Final

from checkpoint_ld.errors import SettingsError

VARIABLE: Final = "CHECKPOINT_LD_PLAIN"
ALL: Final = "all"

SHORTCUTS: Final = {
    "built-questions": "questions put together without pydantic where it would find nothing",
    "compiled-context": "statements by what PyLD says of each kind of key once, not of each document",
    "direct-lines": "N-Triples without a graph",
    "dumped-rubrics": "groups of settings of traits that were mapped before",
    "lined-elements": "questions of large files found by the lines that they begin and end with",
    "object-plans": "objects read from a graph by what is the same for all of their kind",
    "parsed-shapes": "shapes of ours that were parsed beforehand",
    "paused-collector": "building without Python's garbage collector",
    "questions-ahead": "questions built some hundred at a time",
    "remembered-tree": "entities from the tree that a graph was built from",
    "resolved-context": "what PyLD says of our own context, known beforehand",
    "template-outlines": "templates that are like others in all but their author's words",
    "tree-look": "elements of a feed that surely break no rule, told from the tree",
    "usual-form": "JSON-LD that needs no expansion, told by a look at its keys",
    "usual-layout": "JSON laid out as Karenina does, read by orjson",
}
"""What there is, and what it does."""


def is_taken(shortcut: str) -> bool:
    """Tell whether one of `SHORTCUTS` is to be taken. Raises SettingsError where the variable names none of them."""
    return shortcut not in left_out()


@cache
def left_out() -> frozenset[str]:
    """Return those that the environment variable names."""
    named = frozenset(filter(None, map(str.strip, os.environ.get(VARIABLE, "").split(","))))
    for one in sorted(named - {ALL} - SHORTCUTS.keys()):
        raise SettingsError(f"{VARIABLE}: there is no shortcut {one!r}: use {ALL}, or some of {', '.join(SHORTCUTS)}")
    return frozenset(SHORTCUTS) if ALL in named else named
