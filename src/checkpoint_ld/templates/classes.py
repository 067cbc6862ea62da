"""The classes of a template: the answer, its hooks, the fields that have to pass, and other code."""

from __future__ import annotations

import ast
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checkpoint_ld.templates.fields import shown_source
from checkpoint_ld.templates.literals import evaluate
from checkpoint_ld.templates.scope import NotStaticError
from checkpoint_ld.templates.template import CustomCode, ProblemKind, RegexCheck, Strategy, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from pydantic import JsonValue

    from checkpoint_ld.templates.scope import Names, Scope


@dataclass(frozen=True, slots=True, eq=False)
class LocalClass:
    """A class at module level; `answers` if its bases lead to BaseAnswer."""

    node: ast.ClassDef
    bases: tuple[LocalClass, ...]
    answers: bool


def answer_classes(module: ast.Module, names: Names) -> list[LocalClass]:
    """Return the answer classes that no other answer class derives from, in the order of the text.

    Later definitions of a name replace earlier ones, and shadow the library's name from then on.
    """
    current: dict[str, LocalClass] = {}
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            bases, others = _split(node.bases, current)
            answers = any(names.resolve(base) == "BaseAnswer" for base in others) or any(base.answers for base in bases)
            current.pop(node.name, None)
            current[node.name] = LocalClass(node, bases, answers)
    names.rebound.update(current)
    candidates = [known for known in current.values() if known.answers]
    parents = {base for known in candidates for base in known.bases}
    return [known for known in candidates if known not in parents]


def _split(bases: list[ast.expr], current: Mapping[str, LocalClass]) -> tuple[tuple[LocalClass, ...], list[ast.expr]]:
    local = tuple(current[base.id] for base in bases if isinstance(base, ast.Name) and base.id in current)
    return local, [base for base in bases if not (isinstance(base, ast.Name) and base.id in current)]


def lineage(answer: LocalClass) -> list[LocalClass]:
    """Return a class with the local classes that it derives from, the most basic first."""
    ordered: dict[LocalClass, None] = {}
    waiting = [(answer, False)]
    while waiting:
        known, bases_done = waiting.pop()
        if bases_done:
            ordered[known] = None
        elif known not in ordered:
            waiting.append((known, True))
            waiting.extend((base, False) for base in known.bases)
    return list(ordered)


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


UNKNOWN = Strategy("unknown")
_COMPOSITES = {"AllOf": "all_of", "AnyOf": "any_of", "AtLeastN": "at_least_n"}


def read_strategy(bodies: Iterable[list[ast.stmt]], fields: Collection[str], scope: Scope) -> Strategy | None:
    """Return the strategy of a class, given the bodies of its chain and the names of its verified fields."""
    node = _strategy_value(bodies)
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return None
    try:
        return _read(node, fields, scope)
    except NotStaticError as error:
        reason = f" ({error.reason})" if error.reason else ""
        message = f"the strategy cannot be read without running it{reason}: {shown_source(error.node, scope)}"
        scope.report(ProblemKind.STRATEGY, error.node, message)
        return UNKNOWN


def _strategy_value(bodies: Iterable[list[ast.stmt]]) -> ast.expr | None:
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
