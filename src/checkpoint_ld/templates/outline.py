"""Templates of which the outline tells everything that the reader goes by."""

from __future__ import annotations

import ast
from itertools import chain
from typing import TYPE_CHECKING

from checkpoint_ld.checks.outlines import has_doubtful_number, has_joined_strings, outline_of

if TYPE_CHECKING:
    from collections.abc import Iterator


def is_typical(source: str) -> bool:
    """Tell whether the outline of a template tells all that the reader goes by: no value in it has to be worked out.

    Raises SyntaxError for what is not Python.
    """
    outline = outline_of(source)
    if outline is None or has_joined_strings(outline) or has_doubtful_number(outline):
        return False
    module = ast.parse(source)
    bodies = [module.body, *(one.body for one in _statements(module) if isinstance(one, ast.ClassDef))]
    statements = [statement for body in bodies for statement in body]
    bindings = [list(ast.walk(one)) for one in statements if isinstance(one, _BINDINGS)]
    bound = {
        node.id
        for nodes in bindings
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    evaluated = chain(*(nodes[1:] for nodes in bindings), *map(_evaluated, statements))
    return all(_is_plain(node, bound) for node in evaluated) and not any(map(_has_quoted_type, statements))


def _statements(module: ast.Module) -> list[ast.AST]:
    """Return a module and all statements in it, wherever they stand."""
    found: list[ast.AST] = [module]
    for node in found:
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            found += getattr(node, block, ())
    return found


_BINDINGS = (ast.Assign, ast.AnnAssign)
_PLAIN = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.Call, ast.keyword, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Load),
    *(ast.Store, ast.UnaryOp, ast.USub, ast.Subscript, ast.BinOp, ast.BitOr),
)
_HOOKS = ("ground_truth", "model_post_init")


def _evaluated(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield what the reader may evaluate in a statement that binds no value, and names that stand for others."""
    match statement:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (alias for alias in names if alias.asname is not None and _is_date(alias.name))
        case ast.FunctionDef(name=name) if name in _HOOKS:
            for inner in ast.walk(statement):
                if isinstance(inner, _BINDINGS) and inner.value is not None:
                    yield from ast.walk(inner.value)
        case ast.Assign() | ast.AnnAssign() | ast.ClassDef() | ast.FunctionDef() | ast.Pass():
            pass
        case ast.Expr(value=ast.Constant()):
            pass
        case _:
            yield from (node for part in ast.iter_child_nodes(statement) for node in ast.walk(part))


def _is_plain(node: ast.AST, bound: set[str]) -> bool:
    """Tell whether a part has a value at once, and one that is no date, which may be written in many ways."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            return name not in bound and not _is_date(name)
        case ast.Attribute(attr=name) | ast.Constant(value=str() as name):
            return not _is_date(name)
    return isinstance(node, _PLAIN)


def _is_date(name: str) -> bool:
    return name.rpartition(".")[2].startswith("Date")


def _has_quoted_type(statement: ast.stmt) -> bool:
    """Tell whether an annotation has a text in it that is no value of a Literal: it would be read as a type."""
    if not isinstance(statement, ast.AnnAssign):
        return False
    parts = list(ast.walk(statement.annotation))
    quoted = [part for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    values = {
        inner
        for node in parts
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal"
        for inner in ast.walk(node.slice)
    }
    return not values.issuperset(quoted)
