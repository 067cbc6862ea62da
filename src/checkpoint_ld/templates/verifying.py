"""What a field is verified with: calls of primitives."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from checkpoint_ld.templates.literals import evaluate
from checkpoint_ld.templates.parameters import MisfitError, check_together, fitted
from checkpoint_ld.templates.primitives import registry
from checkpoint_ld.templates.scope import NotStaticError
from checkpoint_ld.templates.showing import shown
from checkpoint_ld.templates.template import ProblemKind

if TYPE_CHECKING:
    from pydantic import JsonValue

    from checkpoint_ld.templates.primitives import Primitive
    from checkpoint_ld.templates.scope import Scope


@dataclass(slots=True)
class Verifier:
    """A primitive with its parameters as far as they could be read.

    `sound` if it can be built from them, `static` if none of them was left out because only running would tell it.
    """

    primitive: Primitive
    parameters: dict[str, JsonValue] = field(default_factory=dict)
    sound: bool = True
    static: bool = True


def read_verifier(node: ast.expr, owner: str, scope: Scope) -> Verifier | None:
    """Return the primitive that `node` calls, None (and a problem) if it calls none. `owner` begins each message."""
    primitive = registry().get(scope.names.called(node) or "")
    if primitive is None or not isinstance(node, ast.Call):
        _report_unknown(shown_source(node, scope), node, owner, scope)
        return None
    verifier = Verifier(primitive)
    _settle(verifier, _given(node, owner, verifier, scope), node, owner, scope)
    return verifier


def read_serialised(node: ast.Dict, owner: str, scope: Scope) -> Verifier | None:
    """Return the primitive that a dictionary with `type` stands for, None (and a problem) if there is none."""
    said = evaluate(node, scope)
    given = {key: value for key, value in said.items() if key != "type"} if isinstance(said, dict) else {}
    name = said.get("type") if isinstance(said, dict) else None
    primitive = registry().get(name) if isinstance(name, str) else None
    if primitive is None:
        _report_unknown(shown(name), node, owner, scope)
        return None
    verifier = Verifier(primitive)
    _settle(verifier, given, node, owner, scope)
    return verifier


def _report_unknown(said: str, node: ast.expr, owner: str, scope: Scope) -> None:
    scope.report(ProblemKind.UNKNOWN_PRIMITIVE, node, f"{owner} is verified with {said}, which is no known primitive")


def _settle(verifier: Verifier, given: dict[str, JsonValue], node: ast.expr, owner: str, scope: Scope) -> None:
    """Give a verifier all its parameters, and report those that do not fit."""
    primitive = verifier.primitive
    owner = f"{owner}: {primitive.name}"
    if primitive.needs:
        scope.report(ProblemKind.PRIMITIVE_NEEDS, node, f"{owner} needs {primitive.needs}")
    for parameter in primitive.parameters:
        if parameter.name not in given:
            verifier.parameters[parameter.name] = _copied(parameter.default)
            if parameter.required and verifier.sound:
                _unsound(verifier, node, f"{owner}: parameter {parameter.name} is missing", scope)
            continue
        value = given.pop(parameter.name)
        try:
            verifier.parameters[parameter.name] = fitted(parameter, value)
        except MisfitError as error:
            verifier.parameters[parameter.name] = value
            _unsound(verifier, node, f"{owner}: parameter {parameter.name} {error}", scope)
    for name in given:
        message = f"{owner} has no parameter {shown(name)}; it is ignored"
        scope.report(ProblemKind.UNKNOWN_PARAMETER, node, message)
    if verifier.sound:
        _check_whole(verifier, node, owner, scope)


def shown_source(node: ast.expr, scope: Scope) -> str:
    """Return the source of an expression for a message."""
    return f"`{scope.excerpt(node)}`"


def _given(node: ast.Call, owner: str, verifier: Verifier, scope: Scope) -> dict[str, JsonValue]:
    owner = f"{owner}: {verifier.primitive.name}"
    given: dict[str, JsonValue] = {}
    if node.args:
        _unsound(
            verifier, node, f"{owner} takes its parameters by name, not {shown_source(node.args[0], scope)}", scope
        )
    for keyword in node.keywords:
        name = keyword.arg
        try:
            if name is None:
                raise NotStaticError(keyword.value, "unpacks parameters")
            given[name] = evaluate(keyword.value, scope)
        except NotStaticError as error:
            verifier.sound = verifier.static = False
            message = f"{owner}: parameter {name or '**'} is not static: {shown_source(error.node, scope)}"
            scope.report(ProblemKind.NOT_STATIC, keyword, message)
    return given


def _check_whole(verifier: Verifier, node: ast.expr, owner: str, scope: Scope) -> None:
    values = verifier.parameters
    try:
        check_together(verifier.primitive, values)
    except MisfitError as error:
        _unsound(verifier, node, f"{owner}: {error}", scope)
    pattern, flags = values.get("pattern"), values.get("flags", [])
    if isinstance(pattern, str) and isinstance(flags, list):
        fault = scope.patterns.fault(pattern, [str(flag) for flag in flags])
        if fault is not None:
            _unsound(verifier, node, f"{owner}: pattern {shown(pattern)} does not compile: {fault}", scope)


def _unsound(verifier: Verifier, node: ast.AST, message: str, scope: Scope) -> None:
    verifier.sound = False
    scope.report(ProblemKind.PRIMITIVE_PARAMETERS, node, message)


def _copied(default: JsonValue) -> JsonValue:
    return list(default) if isinstance(default, list) else default
