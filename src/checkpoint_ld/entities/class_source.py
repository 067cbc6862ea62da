"""Sources of classes: their texts in files and in cells of notebooks. Nothing is run."""

from __future__ import annotations

import ast
import contextlib
import inspect
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

CELLS = 10
"""How many cells of a notebook are searched for the text of a class."""


def line_of(module: str) -> int:
    """Return the line of a module that is being executed, 0 if it is not."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - the function of the module sys has no other name
    while frame is not None and frame.f_globals.get("__name__") != module:
        frame = frame.f_back
    return 0 if frame is None else frame.f_lineno


def source_in_file(made: type, line: int) -> str | None:
    """Return the text of a class in its file: of several of one name the one at `line`."""
    with contextlib.suppress(OSError, TypeError, SyntaxError):
        text = "".join(inspect.findsource(made)[0])
        return next((text_of(node, text) for node in _classes(text, made.__name__) if _is_at(node, line)), None)
    return None


def source_in_notebook(name: str, line: int) -> str | None:
    """Return the text of a class from the newest of the last cells of the notebook (IPython) that defines it.

    Of several of one name in a cell it is the one at `line`, or else the last.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    cells = getattr(shell, "user_ns", {}).get("In", ())
    for cell in cells[: -CELLS - 1 : -1]:
        with contextlib.suppress(SyntaxError, TypeError, ValueError):
            if found := _classes(cell, name):
                return text_of(next((node for node in found if _is_at(node, line)), found[-1]), cell)
    return None


def text_of(made: ast.ClassDef, text: str) -> str:
    """Return the lines of a class in a Python text, without the decorator `capture_answer_source`.

    No template knows that decorator.
    """
    names = (part for part in made.decorator_list if isinstance(part, ast.Name))
    left_out = {name.lineno for name in names if name.id == "capture_answer_source"}
    lines = enumerate(text.split("\n"), 1)
    kept = [line for at, line in lines if _first(made) <= at <= (made.end_lineno or 0) and at not in left_out]
    return "".join(f"{line}\n" for line in kept)


def _classes(text: str, name: str) -> list[ast.ClassDef]:
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef) and node.name == name]


def _first(made: ast.ClassDef) -> int:
    return min((part.lineno for part in made.decorator_list), default=made.lineno)


def _is_at(made: ast.ClassDef, line: int) -> bool:
    return _first(made) <= line <= (made.end_lineno or 0)
