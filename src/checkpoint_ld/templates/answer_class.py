"""Answer classes as the texts of templates."""

from __future__ import annotations

import ast
import builtins
import inspect
import re

from checkpoint_ld.entities.class_source import text_of
from checkpoint_ld.errors import WriteError
from checkpoint_ld.templates.execution import PRELOADED


def template_of_class(given: type) -> str:
    """Return the source of an answer class, renamed to Answer, as Karenina requires.

    Raises WriteError for a class of which the source is not to be found, or does not hold all that it uses.
    """
    if others := [base.__name__ for base in given.__bases__ if base.__name__ != "BaseAnswer"]:
        missing = f"derives from {', '.join(others)}, which is not in its source"
        raise WriteError(f"the class {given.__qualname__} {missing}: give the text of the template")
    try:
        source = _source_of(given)
        tree = ast.parse(source)
    except (OSError, TypeError, SyntaxError):
        message = f"the source of the class {given.__qualname__} is not to be found: give the text of the template"
        raise WriteError(message) from None
    if used := sorted(_names_beside(tree)):
        raise WriteError(
            f"the class {given.__qualname__} uses {', '.join(used)}, which is not in its source: "
            "give the text of the template, or write the value into the class"
        )
    named = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == given.__name__]
    lines, old = source.encode().splitlines(keepends=True), given.__name__.encode()
    for line, column in sorted(((node.lineno - 1, node.col_offset) for node in named), reverse=True):
        lines[line] = lines[line][:column] + b"Answer" + lines[line][column + len(old) :]
    text = b"".join(lines).decode()
    return re.sub(rf"^class\s+{given.__name__}\b", "class Answer", text, count=1, flags=re.MULTILINE)


def _source_of(given: type) -> str:
    captured = getattr(given, "get_source_code", None)
    source = inspect.getsource(given) if captured is None else captured()
    if source is None:
        raise OSError
    text = _dedented(source)
    made = next((node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)), None)
    return text if made is None else text_of(made, text)


def _names_beside(tree: ast.Module) -> set[str]:
    """Return the names in the fields of a class that neither its source nor the library defines."""
    body = [statement for node in tree.body if isinstance(node, ast.ClassDef) for statement in node.body]
    fields = (statement.value for statement in body if isinstance(statement, ast.AnnAssign) and statement.value)
    used = {node.id for value in fields for node in ast.walk(value) if isinstance(node, ast.Name)}
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    bound |= {node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    return used - bound - PRELOADED.keys() - vars(builtins).keys() - {"date", "datetime"}


def _dedented(source: str) -> str:
    """Return the source of a class without its indentation, which lines inside of texts keep."""
    indentation = source[: len(source) - len(source.lstrip(" \t"))]
    tree = ast.parse(f"if True:\n{source}" if indentation else "")
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant | ast.JoinedStr)]
    inside = {line for node in texts for line in range(node.lineno - 1, (node.end_lineno or node.lineno) - 1)}
    lines = enumerate(source.split("\n"))
    return "\n".join(line if at in inside else line.removeprefix(indentation) for at, line in lines)
