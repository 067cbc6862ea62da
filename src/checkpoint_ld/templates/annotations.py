"""The type of a field, from its annotation."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from checkpoint_ld.templates.literals import evaluate
from checkpoint_ld.templates.scope import DEEPEST, NotStaticError
from checkpoint_ld.templates.syntax import parse_quoted

if TYPE_CHECKING:
    from checkpoint_ld.templates.scope import Scope

_PLAIN = ("bool", "int", "float", "str")
_DATES = ("date", "datetime")


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


def read_type(node: ast.expr, scope: Scope, depth: int = 0) -> FieldType:
    """Return the type that an annotation stands for."""
    if depth > DEEPEST:
        return _OTHER
    match node:
        case ast.Constant(value=str() as text):
            inner = parse_quoted(text, node)
            return _OTHER if inner is None else read_type(inner, scope, depth + 1)
        case ast.Name() | ast.Attribute():
            return _named(scope.names.resolve(node))
        case ast.Subscript(value=value, slice=argument):
            return _parametrised(scope.names.resolve(value), argument, scope, depth)
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return _union([left, right], scope, depth)
    return _OTHER


def _named(name: str | None) -> FieldType:
    match name:
        case str() if name in _PLAIN:
            return FieldType(name)
        case str() if name in _DATES:
            return FieldType("date")
        case "List":
            return FieldType("list_str")
        case "ClassVar":
            return FieldType(class_variable=True)
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
    others = [member for member in members if not _is_none(member)]
    if len(others) != 1:
        return _OTHER
    said = read_type(others[0], scope, depth + 1)
    return replace(said, nullable=said.nullable or len(others) < len(members), class_variable=False, verifying=None)


def _annotated(arguments: list[ast.expr], scope: Scope, depth: int) -> FieldType:
    said = read_type(arguments[0], scope, depth + 1)
    calls = (node for node in arguments[1:] if scope.names.called(node) == "VerifiedField")
    verifying = next((call for call in calls if isinstance(call, ast.Call)), said.verifying)
    return replace(said, verifying=verifying)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
