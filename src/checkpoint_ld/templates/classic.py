"""What a class assigns to `self.correct` and `self.regex`, and what other code it has."""

from __future__ import annotations

import ast
from collections import deque
from typing import TYPE_CHECKING

from checkpoint_ld.templates.literals import evaluate
from checkpoint_ld.templates.scope import NotStaticError
from checkpoint_ld.templates.showing import shown
from checkpoint_ld.templates.template import CustomCode, ProblemKind, RegexCheck
from checkpoint_ld.templates.verifying import shown_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic import JsonValue

    from checkpoint_ld.templates.classes import LocalClass
    from checkpoint_ld.templates.scope import Scope

MATCH_TYPES = ("exact", "contains", "count", "all")

_LITERAL = (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp, ast.unaryop, ast.expr_context)
_HOOKS = ("ground_truth", "model_post_init")
_HOLDERS = (ast.stmt, ast.excepthandler, ast.match_case)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def read_ground_truth(lineage: list[LocalClass], scope: Scope) -> dict[str, JsonValue] | None:
    """Return the object that the class assigns to `self.correct`."""
    return _object("correct", list(_assigned("correct", lineage)), ProblemKind.GROUND_TRUTH, scope)


def read_regexes(lineage: list[LocalClass], scope: Scope) -> dict[str, RegexCheck] | None:
    """Return the expressions that the class assigns to `self.regex`, or that its field `regex` has as default."""
    found = list(_assigned("regex", lineage)) or list(_defaults("regex", lineage, scope))
    said = _object("regex", found, ProblemKind.REGEX, scope)
    if said is None:
        return None
    return {name: check for name, value in said.items() if (check := _regex(name, value, found[-1], scope)) is not None}


def custom_code(module: ast.Module, lineage: list[LocalClass]) -> Iterator[CustomCode]:
    """Yield the methods, decorators and statements that say more than fields do."""
    classes = {statement.name for statement in module.body if isinstance(statement, ast.ClassDef)}
    for statement in module.body:
        if not isinstance(statement, ast.Import | ast.ImportFrom | ast.ClassDef) and not _is_idle(statement):
            kind = "constant" if _names_of_constant(statement).isdisjoint(classes | {""}) else "statement"
            yield CustomCode(kind, type(statement).__name__, statement.lineno)
    for known in lineage:
        for decorator in known.node.decorator_list:
            yield CustomCode("decorator", _name_of(decorator), decorator.lineno)
        for statement in known.node.body:
            match statement:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    yield CustomCode("method", name, statement.lineno)
                case ast.Assign(targets=[ast.Name(id="verify" | "verify_granular" as name)]):
                    yield CustomCode("method", name, statement.lineno)
                case ast.Assign() | ast.AnnAssign() | ast.ClassDef():
                    pass
                case _ if not _is_idle(statement):
                    yield CustomCode("statement", type(statement).__name__, statement.lineno)


def _names_of_constant(statement: ast.stmt) -> set[str]:
    """Return the names that a statement gives to a literal; the empty name if it does anything else."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    if value is None or not all(isinstance(node, _LITERAL) for node in ast.walk(value)):
        return {""}
    return {target.id if isinstance(target, ast.Name) else "" for target in targets}


def _is_idle(statement: ast.stmt) -> bool:
    """Tell whether a statement does nothing: a docstring, `...` or `pass`."""
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _name_of(decorator: ast.expr) -> str:
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _assigned(attribute: str, lineage: Iterable[LocalClass]) -> Iterator[ast.expr]:
    hooks: dict[str, _Function] = {}
    for known in lineage:
        hooks |= {node.name: node for node in known.node.body if isinstance(node, _Function) and node.name in _HOOKS}
    for hook in hooks.values():
        arguments = [*hook.args.posonlyargs, *hook.args.args]
        this = arguments[0].arg if arguments else ""
        for node in _statements(hook):
            match node:
                case (
                    ast.Assign(targets=[ast.Attribute(value=ast.Name(id=owner), attr=name)], value=value)
                    | ast.AnnAssign(
                        target=ast.Attribute(value=ast.Name(id=owner), attr=name), value=ast.expr() as value
                    )
                ) if owner == this and name == attribute:
                    yield value


def _statements(hook: _Function) -> Iterator[ast.AST]:
    """Yield the statements of a function in the order of `ast.walk`, without what stands in expressions."""
    waiting: deque[ast.AST] = deque([hook])
    while waiting:
        node = waiting.popleft()
        yield node
        for field in node._fields:
            parts = getattr(node, field, None)
            if isinstance(parts, list):
                waiting.extend(part for part in parts if isinstance(part, _HOLDERS))


def _defaults(name: str, lineage: Iterable[LocalClass], scope: Scope) -> Iterator[ast.expr]:
    for known in lineage:
        for statement in known.node.body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value) if target == name:
                    called = scope.names.called(value)
                    if called is None:
                        yield value
                    elif called == "Field" and isinstance(value, ast.Call):
                        yield from (keyword.value for keyword in value.keywords if keyword.arg == "default")


def _object(attribute: str, found: list[ast.expr], kind: ProblemKind, scope: Scope) -> dict[str, JsonValue] | None:
    if not found:
        return None
    if len(found) > 1:
        message = f"self.{attribute} is assigned {len(found)} times, so that only running the template tells its value"
        scope.report(ProblemKind.NOT_STATIC, found[-1], message)
        return None
    try:
        value = evaluate(found[0], scope)
    except NotStaticError as error:
        message = f"self.{attribute} is not static: {shown_source(error.node, scope)}"
        scope.report(ProblemKind.NOT_STATIC, error.node, message)
        return None
    if isinstance(value, dict):
        return value
    scope.report(kind, found[0], f"self.{attribute} is {shown(value)}, not a dictionary")
    return None


def _regex(name: str, value: JsonValue, node: ast.expr, scope: Scope) -> RegexCheck | None:
    owner = f"the expression {shown(name)} of self.regex"
    if not isinstance(value, dict):
        scope.report(ProblemKind.REGEX, node, f"{owner} is {shown(value)}, not a dictionary")
        return None
    pattern, expected, match_type = value.get("pattern", ""), value.get("expected"), value.get("match_type", "exact")
    if not isinstance(pattern, str) or not isinstance(match_type, str):
        scope.report(ProblemKind.REGEX, node, f"{owner} has no text as pattern or match_type: {shown(value)}")
        return None
    fault = _regex_fault(pattern, expected, match_type, scope)
    if fault is not None:
        scope.report(ProblemKind.REGEX, node, f"{owner} {fault}")
    return RegexCheck(pattern, expected, match_type)


def _regex_fault(pattern: str, expected: JsonValue, match_type: str, scope: Scope) -> str | None:
    fault = scope.patterns.fault(pattern)
    if fault is not None:
        return f"has the pattern {shown(pattern)}, which does not compile: {fault}"
    if match_type not in MATCH_TYPES:
        return f"has the match_type {shown(match_type)}, with which it never passes"
    wanted = {"count": int, "all": list}.get(match_type)
    if wanted is not None and not isinstance(expected, wanted):
        return f"expects {shown(expected)}, with which the match_type {match_type} never passes"
    return None
