"""Python text to syntax tree: parsed and never compiled."""

from __future__ import annotations

import ast
import warnings

from checkpoint_ld.checks.sources import LONGEST_SOURCE
from checkpoint_ld.templates.template import Problem, ProblemKind


def parse(source: str) -> ast.Module | Problem:
    """Return the tree of a template's text, or what keeps it from being Python."""
    if len(source) > LONGEST_SOURCE:
        message = f"the text has {len(source)} characters, which are too many to parse ({LONGEST_SOURCE} at most)"
        return Problem(ProblemKind.LIMIT, None, message)
    try:
        return _tree(source)
    except SyntaxError as error:
        return Problem(ProblemKind.SYNTAX, error.lineno or None, f"the text is not Python: {error.msg}")
    except ValueError as error:  # NUL in some versions of Python, lone surrogates in all
        return Problem(ProblemKind.SYNTAX, None, f"the text is not Python: {error}")
    except (RecursionError, MemoryError):
        return Problem(ProblemKind.LIMIT, None, "the text is nested too deeply to parse")


def _tree(source: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes and the like are the author's, not the reader's
        return ast.parse(source)


def parse_quoted(text: str, at: ast.expr) -> ast.expr | None:
    """Return the expression that stands in a string, such as an annotation; None if it is none.

    All of it gets the position of the string, `at`.
    """
    match parse(text.strip()):
        case ast.Module(body=[ast.Expr(value=value)]):
            for node in ast.walk(value):
                ast.copy_location(node, at)
            return value
    return None
