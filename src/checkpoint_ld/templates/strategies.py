"""Which fields have to pass: the tree in the inner class `VerificationStrategy`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from checkpoint_ld.templates.literals import evaluate
from checkpoint_ld.templates.scope import NotStaticError
from checkpoint_ld.templates.showing import shown
from checkpoint_ld.templates.template import ProblemKind, Strategy
from checkpoint_ld.templates.verifying import shown_source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from checkpoint_ld.templates.scope import Scope

UNKNOWN = Strategy("unknown")
_COMPOSITES = {"AllOf": "all_of", "AnyOf": "any_of", "AtLeastN": "at_least_n"}


def read_strategy(bodies: Iterable[list[ast.stmt]], fields: Collection[str], scope: Scope) -> Strategy | None:
    """Return the strategy of a class, given the bodies of its chain and the names of its verified fields."""
    node = _assigned(bodies)
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return None
    try:
        return _read(node, fields, scope)
    except NotStaticError as error:
        reason = f" ({error.reason})" if error.reason else ""
        message = f"the strategy cannot be read without running it{reason}: {shown_source(error.node, scope)}"
        scope.report(ProblemKind.STRATEGY, error.node, message)
        return UNKNOWN


def _assigned(bodies: Iterable[list[ast.stmt]]) -> ast.expr | None:
    found: ast.expr | None = None
    for body in bodies:
        for inner in body:
            if isinstance(inner, ast.ClassDef) and inner.name == "VerificationStrategy":
                found = None
                for statement in inner.body:
                    match statement:
                        case ast.Assign(targets=[ast.Name(id="verify_strategy")], value=value):
                            found = value
                        case ast.AnnAssign(target=ast.Name(id="verify_strategy"), value=ast.expr() as value):
                            found = value
    return found


def _read(node: ast.expr, fields: Collection[str], scope: Scope) -> Strategy:
    # Each level takes two brackets, of which Python's parser takes 200: this cannot recurse too deeply.
    called = scope.names.called(node)
    if not isinstance(node, ast.Call) or node.args:
        raise NotStaticError(node)
    parts = {keyword.arg: keyword.value for keyword in node.keywords}
    if None in parts:
        raise NotStaticError(node)
    if called == "FieldCheck":
        return _leaf(node, parts.get("field"), fields, scope)
    if called not in _COMPOSITES:
        raise NotStaticError(node)
    conditions = parts.get("conditions", ast.List(elts=[]))
    if not isinstance(conditions, ast.List | ast.Tuple):
        raise NotStaticError(conditions)
    children = tuple(_read(condition, fields, scope) for condition in conditions.elts)
    if called == "AnyOf" and not children:
        scope.report(ProblemKind.STRATEGY, node, "AnyOf without conditions never passes")
    needed = _needed(node, parts.get("n"), len(children), scope) if called == "AtLeastN" else None
    return Strategy(_COMPOSITES[called], n=needed, conditions=children)


def _leaf(node: ast.Call, value: ast.expr | None, fields: Collection[str], scope: Scope) -> Strategy:
    name = None if value is None else evaluate(value, scope)
    if not isinstance(name, str):
        raise NotStaticError(node, "FieldCheck needs the name of a field")
    if name not in fields:
        scope.report(ProblemKind.STRATEGY, node, f"FieldCheck names {shown(name)}, which is no verified field")
    return Strategy("field_check", field_name=name)


def _needed(node: ast.Call, value: ast.expr | None, children: int, scope: Scope) -> int:
    needed = None if value is None else evaluate(value, scope)
    if not isinstance(needed, int) or needed < 0:
        raise NotStaticError(node, f"AtLeastN needs n, a number from 0 on, not {shown(needed)}")
    if needed > children:
        scope.report(ProblemKind.STRATEGY, node, f"AtLeastN asks for {needed} of {children} conditions: never passes")
    return int(needed)
