"""Values and types that a template states plainly: literals, names that stand for one all the time, annotations."""

from __future__ import annotations

import ast
import datetime as dt
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from checkpoint_ld.templates.scope import DEEPEST, NotStaticError, parse_quoted

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


@dataclass(frozen=True, slots=True)
class FieldType:
    """What an annotation says.

    `name` is one of the vocabulary of types. `known` is False where the annotation is outside of it, so that `name` is
    only what the library makes of it. `verifying` is the call in `Annotated[T, VerifiedField(…)]`.
    """

    name: str = "str"
    known: bool = True
    nullable: bool = False
    class_variable: bool = False
    literal_values: tuple[str, ...] | None = None
    verifying: ast.Call | None = None


_OTHER = FieldType(known=False)
_NAMED_TYPES = {
    **{name: FieldType(name) for name in ("bool", "int", "float", "str")},
    **dict.fromkeys(_DATES, FieldType("date")),
    "List": FieldType("list_str"),
    "ClassVar": FieldType(class_variable=True),
}


def read_type(node: ast.expr, scope: Scope, depth: int = 0) -> FieldType:
    """Return the type that an annotation stands for."""
    if depth > DEEPEST:
        return _OTHER
    match node:
        case ast.Constant(value=str() as text):
            inner = parse_quoted(text, node)
            return _OTHER if inner is None else read_type(inner, scope, depth + 1)
        case ast.Name() | ast.Attribute():
            return _NAMED_TYPES.get(scope.names.resolve(node) or "", _OTHER)
        case ast.Subscript(value=value, slice=argument):
            return _parametrised(scope.names.resolve(value), argument, scope, depth)
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return _union([left, right], scope, depth)
    return _OTHER


def _parametrised(name: str | None, argument: ast.expr, scope: Scope, depth: int) -> FieldType:
    arguments = argument.elts if isinstance(argument, ast.Tuple) else [argument]
    match name:
        case "list" | "List":
            return FieldType("list_str")
        case "Literal":
            return _literal(arguments, scope)
        case "Optional":
            return _union([argument, ast.Constant(None)], scope, depth)
        case "Union":
            return _union(arguments, scope, depth)
        case "ClassVar":
            return FieldType(class_variable=True)
        case "Annotated" if arguments:
            return _annotated(arguments, scope, depth)
    return _OTHER


def _literal(arguments: list[ast.expr], scope: Scope) -> FieldType:
    values: list[str] = []
    for argument in arguments:
        try:
            value = evaluate(argument, scope)
        except NotStaticError:
            return FieldType("literal")
        if isinstance(value, list | dict | float):
            return FieldType("literal")
        values.append(str(value))
    return FieldType("literal", literal_values=tuple(dict.fromkeys(values)))


def _union(members: list[ast.expr], scope: Scope, depth: int) -> FieldType:
    others = [member for member in members if not (isinstance(member, ast.Constant) and member.value is None)]
    if len(others) != 1:
        return _OTHER
    said = read_type(others[0], scope, depth + 1)
    return replace(said, nullable=said.nullable or len(others) < len(members), class_variable=False, verifying=None)


def _annotated(arguments: list[ast.expr], scope: Scope, depth: int) -> FieldType:
    said = read_type(arguments[0], scope, depth + 1)
    calls = (node for node in arguments[1:] if scope.names.called(node) == "VerifiedField")
    verifying = next((call for call in calls if isinstance(call, ast.Call)), said.verifying)
    return replace(said, verifying=verifying)
