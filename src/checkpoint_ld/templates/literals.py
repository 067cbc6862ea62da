"""Values that a template states plainly: literals, and names that stand for one all the time."""

from __future__ import annotations

import ast
import datetime as dt
import math
from typing import TYPE_CHECKING, Any

from checkpoint_ld.templates.scope import DEEPEST, NotStaticError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import JsonValue

    from checkpoint_ld.templates.scope import Scope

LONGEST_INTEGER = 4096  # bits; Python itself refuses to write integers of some 14 000 bits as text
_DATES = {"date": dt.date, "datetime": dt.datetime}


def evaluate(node: ast.expr, scope: Scope, depth: int = 0) -> JsonValue:
    """Return the JSON value of an expression; tuples and sets become lists, sets in the order of their items' text.

    Raises NotStaticError for what is no literal, and for literals that JSON cannot hold.
    """
    if depth > DEEPEST:
        raise NotStaticError(node, f"nested more than {DEEPEST} levels deep")
    scope.charge(node, 1)
    reader = _READERS.get(type(node))
    if reader is None:
        raise NotStaticError(node)
    return reader(node, scope, depth)


def _constant(node: ast.Constant, scope: Scope, _depth: int) -> JsonValue:
    match node.value:
        case None | bool() as value:
            return value
        case int() as value if value.bit_length() <= LONGEST_INTEGER:
            return value
        case float() as value if math.isfinite(value):
            return value
        case str() as value:
            scope.charge(node, len(value))
            if value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value):
                return value
            raise NotStaticError(node, "half of a surrogate pair is no text")
    raise NotStaticError(node)


def _signed(node: ast.UnaryOp, scope: Scope, depth: int) -> JsonValue:
    number = evaluate(node.operand, scope, depth + 1)
    if isinstance(number, bool) or not isinstance(number, int | float) or not isinstance(node.op, ast.USub | ast.UAdd):
        raise NotStaticError(node)
    return -number if isinstance(node.op, ast.USub) else number


def _named(node: ast.Name, scope: Scope, depth: int) -> JsonValue:
    constant = scope.constant(node.id)
    if constant is None or id(constant) in scope.unreadable:
        raise NotStaticError(node)
    try:
        return evaluate(constant, scope, depth + 1)
    except NotStaticError:
        scope.unreadable.add(id(constant))
        raise


def _list(node: ast.List | ast.Tuple, scope: Scope, depth: int) -> JsonValue:
    return [evaluate(item, scope, depth + 1) for item in node.elts]


def _set(node: ast.Set, scope: Scope, depth: int) -> JsonValue:
    values = {repr(value): value for value in (evaluate(item, scope, depth + 1) for item in node.elts)}
    return [values[text] for text in sorted(values)]


def _dictionary(node: ast.Dict, scope: Scope, depth: int) -> JsonValue:
    pairs = zip(node.keys, node.values, strict=True)
    return {_key(node, key, scope, depth): evaluate(value, scope, depth + 1) for key, value in pairs}


def _joined(node: ast.JoinedStr, scope: Scope, depth: int) -> JsonValue:
    return "".join(_text(part, node, scope, depth) for part in node.values)


def _text(part: ast.expr, whole: ast.expr, scope: Scope, depth: int) -> str:
    value = evaluate(part, scope, depth + 1)
    if not isinstance(value, str):
        raise NotStaticError(whole)
    return value


def _concatenation(node: ast.BinOp, scope: Scope, depth: int) -> JsonValue:
    if not isinstance(node.op, ast.Add):
        raise NotStaticError(node)
    parts: list[ast.expr] = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
        parts.append(left.right)
        left = left.left
    parts.append(left)
    return "".join(_text(part, node, scope, depth) for part in reversed(parts))


def _key(node: ast.Dict, key: ast.expr | None, scope: Scope, depth: int) -> str:
    if key is None:
        raise NotStaticError(node, "unpacks another dictionary")
    value = evaluate(key, scope, depth + 1)
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NotStaticError(key, "is no key of a JSON object")
    return str(value)


def _call(node: ast.Call, scope: Scope, depth: int) -> JsonValue:
    called = scope.names.resolve(node.func)
    if any(keyword.arg is None for keyword in node.keywords):
        raise NotStaticError(node)
    named = {keyword.arg or "": evaluate(keyword.value, scope, depth + 1) for keyword in node.keywords}
    if called == "SynonymMap" and not node.args and list(named) == ["mapping"]:
        return named
    if called not in _DATES:
        raise NotStaticError(node)
    numbers: list[int] = []
    for value in [*(evaluate(argument, scope, depth + 1) for argument in node.args), *named.values()]:
        if isinstance(value, bool) or not isinstance(value, int):
            raise NotStaticError(node)
        numbers.append(value)
    given = len(node.args)
    try:
        moment = _DATES[called](*numbers[:given], **dict(zip(named, numbers[given:], strict=True)))
    except (TypeError, ValueError, OverflowError) as error:
        raise NotStaticError(node, str(error)) from None
    return moment.isoformat()


_READERS: dict[type[ast.AST], Callable[[Any, Scope, int], JsonValue]] = {
    ast.Constant: _constant,
    ast.UnaryOp: _signed,
    ast.BinOp: _concatenation,
    ast.JoinedStr: _joined,
    ast.List: _list,
    ast.Tuple: _list,
    ast.Set: _set,
    ast.Dict: _dictionary,
    ast.Name: _named,
    ast.Call: _call,
}
