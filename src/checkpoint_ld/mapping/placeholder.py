"""The placeholder: the template that Karenina writes for a question that has none."""

from __future__ import annotations

import ast
import warnings

_DESCRIPTION = "The answer response"
_LONGEST = 2_000


def is_placeholder(source: str) -> bool:
    """Tell whether a template is the placeholder, by what it does: one field `response`, and `verify` returns False.

    What the docstring says does not count, since it has the text that the question had when it was added. The text is
    parsed, never run.
    """
    if _DESCRIPTION not in source or len(source) > _LONGEST:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in a docstring are the author's matter
            module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    match [node for node in module.body if not isinstance(node, ast.Import | ast.ImportFrom)]:
        case [ast.ClassDef(bases=[_], keywords=[], decorator_list=[], body=body)]:
            return _does_nothing(_without_docstring(body))
    return False


def _does_nothing(body: list[ast.stmt]) -> bool:
    match body:
        case [
            ast.AnnAssign(target=ast.Name(id="response"), annotation=ast.Name(id="str"), value=ast.Call() as field),
            ast.FunctionDef(name="verify", decorator_list=[], body=statements),
        ]:
            match field, _without_docstring(statements):
                case (
                    ast.Call(args=[], keywords=[ast.keyword(arg="description", value=ast.Constant(value=described))]),
                    [ast.Return(value=ast.Constant(value=False))],
                ):
                    return bool(described == _DESCRIPTION)
    return False


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
    return body
