"""The classes of a template: the answer, its hooks, the fields that have to pass, and other code."""

from __future__ import annotations

import ast
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from checkpoint_ld.arguments import checked
from checkpoint_ld.templates.fields import read_fields, shown_source
from checkpoint_ld.templates.literals import evaluate
from checkpoint_ld.templates.scope import NotStaticError, Scope, parse
from checkpoint_ld.templates.template import (
    CustomCode,
    Level,
    PlainField,
    Problem,
    ProblemKind,
    RegexCheck,
    Strategy,
    Template,
    TemplateField,
    listed,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pydantic import JsonValue

    from checkpoint_ld.templates.scope import Names


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
            local = {base: current.get(base.id) if isinstance(base, ast.Name) else None for base in node.bases}
            bases = tuple(base for base in local.values() if base is not None)
            foreign = any(names.resolve(base) == "BaseAnswer" for base, known in local.items() if known is None)
            answers = foreign or any(base.answers for base in bases)
            current.pop(node.name, None)
            current[node.name] = LocalClass(node, bases, answers)
    names.rebound.update(current)
    candidates = [known for known in current.values() if known.answers]
    parents = {base for known in candidates for base in known.bases}
    return [known for known in candidates if known not in parents]


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
        return _node(node, fields, scope)
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


def _node(node: ast.expr, fields: Collection[str], scope: Scope) -> Strategy:
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
    children = tuple(_node(condition, fields, scope) for condition in conditions.elts)
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


_NOT_COUNTED = ("id", "correct")


@checked
def read_template(source: str | None) -> Template:
    """Return what an answer template says, with its level and its problems in the order of lines.

    Any text gives a template and nothing is raised, so a text that is no template has a level that says so.
    """
    if source is None or not source.strip():
        return Template(Level.EMPTY)
    module = parse(source)
    if isinstance(module, Problem):
        return Template(Level.SYNTAX_ERROR, problems=(module,))
    try:
        return _read(source, module)
    except (RecursionError, MemoryError):
        return Template(
            Level.SYNTAX_ERROR, problems=(Problem(ProblemKind.LIMIT, None, "the text is nested too deeply to be read"),)
        )


def _read(source: str, module: ast.Module) -> Template:
    scope = Scope(source, module)
    found = answer_classes(module, scope.names)
    if not found:
        classes = [node.name for node in module.body if isinstance(node, ast.ClassDef)]
        there = f"; there is {listed(classes)}" if classes else ""
        scope.report(ProblemKind.NO_ANSWER_CLASS, None, f"no class derives from BaseAnswer{there}")
        return Template(Level.NO_ANSWER_CLASS, problems=tuple(scope.problems))
    answer = _chosen(found, scope)
    chain = lineage(answer)
    fields = read_fields(chain, scope)
    verified = tuple(field for field in fields if isinstance(field, TemplateField))
    plain = tuple(field for field in fields if isinstance(field, PlainField) and field.name not in _NOT_COUNTED)
    code = tuple(custom_code(module, chain))
    level = _level(answer, verified, plain, code)
    _report_level(level, answer, plain, code, scope)
    strategy = read_strategy((known.node.body for known in chain), {field.name for field in verified}, scope)
    ground_truth, regexes = read_ground_truth(chain, scope), read_regexes(chain, scope)
    if scope.patterns.skipped:
        message = f"{scope.patterns.skipped} regular expressions were not tried: there is too much to compile"
        scope.report(ProblemKind.LIMIT, None, message)
    return Template(
        level,
        class_name=answer.node.name,
        fields=verified,
        plain_fields=plain,
        strategy=strategy,
        ground_truth=None if ground_truth is None else MappingProxyType(ground_truth),
        regexes=None if regexes is None else MappingProxyType(regexes),
        custom_code=code,
        problems=tuple(sorted(scope.problems, key=lambda problem: problem.line or 0)),
        line=answer.node.lineno,
    )


def _chosen(found: list[LocalClass], scope: Scope) -> LocalClass:
    chosen = next((known for known in found if known.node.name == "Answer"), found[-1])
    if len(found) > 1:
        names = listed([known.node.name for known in found])
        message = f"{len(found)} classes derive from BaseAnswer: {names}; {shown(chosen.node.name)} is read"
        scope.report(ProblemKind.SEVERAL_ANSWER_CLASSES, chosen.node, message)
    return chosen


def _level(
    answer: LocalClass, verified: tuple[TemplateField, ...], plain: tuple[PlainField, ...], code: tuple[CustomCode, ...]
) -> Level:
    if verified:
        return Level.MIXED if plain else Level.VERIFIED
    if _is_placeholder(answer, plain):
        return Level.PLACEHOLDER
    has_verify = any(part.kind == "method" and part.name == "verify" for part in code)
    has_fields = any(field.name != "regex" for field in plain)
    return Level.INCOMPLETE if has_fields and not has_verify else Level.CLASSIC


def _is_placeholder(answer: LocalClass, plain: tuple[PlainField, ...]) -> bool:
    if [(field.name, field.type, field.description) for field in plain] != [("response", "str", "The answer response")]:
        return False
    methods = [node for node in answer.node.body if isinstance(node, ast.FunctionDef)]
    match methods:
        case [ast.FunctionDef(name="verify", body=[*docstring, ast.Return(value=ast.Constant(value=False))])]:
            return all(isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) for node in docstring)
    return False


def _report_level(
    level: Level, answer: LocalClass, plain: tuple[PlainField, ...], code: tuple[CustomCode, ...], scope: Scope
) -> None:
    name = shown(answer.node.name)
    if level is Level.PLACEHOLDER:
        scope.report(ProblemKind.PLACEHOLDER, answer.node, f"class {name} is the placeholder for a missing template")
    if level is Level.INCOMPLETE:
        fields = listed([field.name for field in plain if field.name != "regex"])
        message = f"class {name} has no method verify, and its fields do not say how they are verified: {fields}"
        scope.report(ProblemKind.INCOMPLETE, answer.node, message)
    if level in {Level.VERIFIED, Level.MIXED}:
        for part in code:
            if part.kind == "method" and part.name in {"verify", "verify_granular"}:
                message = (
                    f"the method {part.name} of class {name} decides, whatever the fields and their primitives say"
                )
                scope.report(ProblemKind.CUSTOM_VERIFY, part.line, message)


_REMEDIES = {
    ProblemKind.SYNTAX: "correct the text",
    ProblemKind.LIMIT: "write a smaller template",
    ProblemKind.NO_ANSWER_CLASS: "derive a class from BaseAnswer",
    ProblemKind.INCOMPLETE: "give the class a method verify, or define the fields with VerifiedField",
    ProblemKind.FIELD_NAME: "rename the field",
    ProblemKind.FIELD_DEFINITION: "correct the arguments of VerifiedField",
    ProblemKind.DESCRIPTION: "say in a text what the field is about",
    ProblemKind.UNKNOWN_PRIMITIVE: "use one of the primitives",
    ProblemKind.PRIMITIVE_PARAMETERS: "correct the parameters",
}
"""Problems with which a template fails as soon as it is run, each with what to do about it."""

_UNUSABLE = frozenset({Level.SYNTAX_ERROR, Level.NO_ANSWER_CLASS, Level.INCOMPLETE})


@lru_cache(maxsize=4096)
def faults(source: str) -> tuple[str, ...]:
    """Say why a text cannot be used as a template, with lines and what to do; empty if nothing speaks against it."""
    template = read_template(source)
    if template.level is Level.EMPTY:
        return ("the template is empty; give the text of one",)
    serious = _REMEDIES if template.level in _UNUSABLE else _REMEDIES.keys() - {ProblemKind.LIMIT}
    return tuple(
        f"{f'line {problem.line}: ' if problem.line else ''}{problem.message}; {_REMEDIES[problem.kind]}"
        for problem in template.problems
        if problem.kind in serious
    )
