"""Answer templates read without running them: the answer class, its fields, its hooks, and other code.

`read_template` makes a `Template` (`checkpoint_ld.templates.template`); `faults` lists the reasons to refuse a text.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.datafeed import is_default_template
from checkpoint_ld.templates.expressions import NotStaticError, Scope, bound_names, parse
from checkpoint_ld.templates.fields import read_fields
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
    from collections.abc import Collection, Iterator

    from pydantic import JsonValue

HOOKS = ("ground_truth", "model_post_init")
"""The methods in which a template assigns `self.correct` and `self.regex`."""
COMPOSITES = {"AllOf": "all_of", "AnyOf": "any_of", "AtLeastN": "at_least_n"}
UNKNOWN = Strategy("unknown")

_MATCH_TYPES = ("exact", "contains", "count", "all")
_LITERAL = (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp, ast.unaryop, ast.expr_context)
_CHANGING = re.compile(r"str_|strict\b|coerce_numbers_to_str\b")
"""The settings of pydantic that change or refuse values."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def read_template(source: str | None) -> Template:
    """Return the content of an answer template, with its level and its problems in the order of lines.

    Any text gives a template and nothing is raised: for a text that is no template, `level` is the reason.
    """
    if source is None or not source.strip():
        return Template(Level.EMPTY)
    module = parse(source)
    if isinstance(module, Problem) and is_default_template(source):
        problem = Problem(ProblemKind.PLACEHOLDER, 1, "class 'Answer' is the placeholder for a missing template")
        return Template(Level.PLACEHOLDER, problems=(problem,))
    if isinstance(module, Problem):
        return Template(Level.SYNTAX_ERROR, problems=(module,))
    try:
        return _read(source, module)
    except (RecursionError, MemoryError):
        problem = Problem(ProblemKind.LIMIT, None, "the text is nested too deeply to be read")
        return Template(Level.SYNTAX_ERROR, problems=(problem,))


def _read(source: str, module: ast.Module) -> Template:
    scope = Scope(source, module)
    found = _answer_classes(module, scope)
    if not found:
        classes = [node.name for node in module.body if isinstance(node, ast.ClassDef)]
        there = f"; there is {listed(classes)}" if classes else ""
        scope.report(ProblemKind.NO_ANSWER_CLASS, None, f"no class derives from BaseAnswer{there}")
        return Template(Level.NO_ANSWER_CLASS, problems=tuple(scope.problems))
    answer = next((known for known in found if known.node.name == "Answer"), found[-1])
    if len(found) > 1:
        names = listed([known.node.name for known in found])
        message = f"{len(found)} classes derive from BaseAnswer: {names}; {shown(answer.node.name)} is read"
        scope.report(ProblemKind.SEVERAL_ANSWER_CLASSES, answer.node, message)
    lineage = _lineage(answer)
    fields = read_fields((node.body for node in lineage), scope)
    verified = tuple(field for field in fields if isinstance(field, TemplateField))
    plain = tuple(field for field in fields if isinstance(field, PlainField) and field.name not in ("id", "correct"))
    code = tuple(_custom_code(module, lineage, scope))
    level = _level(answer.node, verified, plain, code, scope)
    strategy = _strategy(lineage, {field.name for field in verified}, scope)
    ground_truth = _object("correct", list(_assigned("correct", lineage)), ProblemKind.GROUND_TRUTH, scope)
    regexes = _regexes(lineage, scope)
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


@dataclass(frozen=True, slots=True, eq=False)
class _LocalClass:
    """A class at module level; `answers` if its bases lead to BaseAnswer."""

    node: ast.ClassDef
    bases: tuple[_LocalClass, ...]
    answers: bool


def _answer_classes(module: ast.Module, scope: Scope) -> list[_LocalClass]:
    """Return the answer classes that no other answer class derives from, in the order of the text.

    Later definitions of a name replace earlier ones, and shadow the library's name from then on.
    """
    current: dict[str, _LocalClass] = {}
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            local = {base: current.get(base.id) if isinstance(base, ast.Name) else None for base in node.bases}
            bases = tuple(base for base in local.values() if base is not None)
            foreign = any(scope.resolve(base) == "BaseAnswer" for base, known in local.items() if known is None)
            answers = foreign or any(base.answers for base in bases)
            current.pop(node.name, None)
            current[node.name] = _LocalClass(node, bases, answers)
    scope.rebound.update(current)
    candidates = [known for known in current.values() if known.answers]
    parents = {base for known in candidates for base in known.bases}
    return [known for known in candidates if known not in parents]


def _lineage(answer: _LocalClass) -> list[ast.ClassDef]:
    """Return a class with the local classes that it derives from, the most basic first."""
    ordered: dict[_LocalClass, None] = {}
    waiting = [(answer, False)]
    while waiting:
        known, bases_done = waiting.pop()
        if bases_done:
            ordered[known] = None
        elif known not in ordered:
            waiting.append((known, True))
            waiting.extend((base, False) for base in known.bases)
    return [known.node for known in ordered]


def _level(
    answer: ast.ClassDef,
    verified: tuple[TemplateField, ...],
    plain: tuple[PlainField, ...],
    code: tuple[CustomCode, ...],
    scope: Scope,
) -> Level:
    """Return the level of a template, and report the problems of that level."""
    name = shown(answer.name)
    if verified:
        for part in code:
            if part.kind == "method" and part.name in {"verify", "verify_granular"}:
                decides = "decides, whatever the fields and their primitives say"
                scope.report(ProblemKind.CUSTOM_VERIFY, part.line, f"the method {part.name} of class {name} {decides}")
        return Level.MIXED if plain else Level.VERIFIED
    if _is_placeholder(answer, plain):
        scope.report(ProblemKind.PLACEHOLDER, answer, f"class {name} is the placeholder for a missing template")
        return Level.PLACEHOLDER
    fields = [field.name for field in plain if field.name != "regex"]
    if not fields or any(part.kind == "method" and part.name == "verify" for part in code):
        return Level.CLASSIC
    message = f"class {name} has no method verify, and its fields do not say how they are verified: {listed(fields)}"
    scope.report(ProblemKind.INCOMPLETE, answer, message)
    return Level.INCOMPLETE


def _is_placeholder(answer: ast.ClassDef, plain: tuple[PlainField, ...]) -> bool:
    if [(field.name, field.type, field.description) for field in plain] != [("response", "str", "The answer response")]:
        return False
    match [node for node in answer.body if isinstance(node, ast.FunctionDef)]:
        case [ast.FunctionDef(name="verify", body=[*docstring, ast.Return(value=ast.Constant(value=False))])]:
            return all(isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) for node in docstring)
    return False


def _custom_code(module: ast.Module, lineage: list[ast.ClassDef], scope: Scope) -> Iterator[CustomCode]:
    """Yield the methods, decorators and statements that are no fields, and what changes the values of fields."""
    classes = {statement.name for statement in module.body if isinstance(statement, ast.ClassDef)}
    for statement in module.body:
        if not isinstance(statement, ast.Import | ast.ImportFrom | ast.ClassDef) and not _is_idle(statement):
            kind = "constant" if _names_of_constant(statement).isdisjoint(classes | {""}) else "statement"
            yield CustomCode(kind, type(statement).__name__, statement.lineno)
    for node in lineage:
        yield from _code_of_class(node, scope)


def _code_of_class(node: ast.ClassDef, scope: Scope) -> Iterator[CustomCode]:
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        yield CustomCode("decorator", name, decorator.lineno)
    yield from _settings(node)
    for statement in node.body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield CustomCode("method", name, statement.lineno)
            case ast.Assign(targets=[ast.Name(id="verify" | "verify_granular" as name)]):
                yield CustomCode("method", name, statement.lineno)
            case ast.AnnAssign(annotation=annotation):
                validators = scope.validators(annotation)
                yield from (CustomCode("annotation", name, statement.lineno) for name in validators)
            case ast.Assign(value=ast.Lambda() | ast.Call(func=ast.Call())):  # a method, or a validator
                yield CustomCode("statement", "Assign", statement.lineno)
            case ast.Assign() | ast.ClassDef():
                pass
            case _ if not _is_idle(statement):
                yield CustomCode("statement", type(statement).__name__, statement.lineno)


def _settings(node: ast.ClassDef) -> Iterator[CustomCode]:
    """Yield the settings of pydantic with which the class changes or refuses values."""
    holders: list[ast.AST] = [*node.keywords]
    for statement in node.body:
        match statement:
            case ast.Assign(targets=targets) if any(getattr(one, "id", "") == "model_config" for one in targets):
                holders.append(statement)
            case ast.AnnAssign(target=ast.Name(id="model_config")):
                holders.append(statement)
            case ast.ClassDef(name="Config"):
                holders.append(statement)
    for part in (part for holder in holders for part in ast.walk(holder)):
        match part:
            case ast.keyword(arg=str(name)) | ast.Name(id=name) | ast.Constant(value=str(name)):
                if _CHANGING.match(name):
                    yield CustomCode("setting", name, part.lineno)


def _names_of_constant(statement: ast.stmt) -> set[str]:
    """Return the names that a statement gives to a literal; the empty name if it does anything else."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    if value is None or not all(isinstance(node, _LITERAL) for node in ast.walk(value)):
        return {""}
    return {target.id if isinstance(target, ast.Name) else "" for target in targets}


def _is_idle(statement: ast.stmt) -> bool:
    """Return whether a statement does nothing: a docstring, `...` or `pass`."""
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _assigned(attribute: str, lineage: list[ast.ClassDef]) -> Iterator[ast.expr]:
    """Yield what the hooks of a class assign to an attribute of the instance, and any other use of the attribute."""
    methods = (method for node in lineage for method in node.body if isinstance(method, _Function))
    for hook in {method.name: method for method in methods if method.name in HOOKS}.values():
        arguments = [*hook.args.posonlyargs, *hook.args.args]
        this = arguments[0].arg if arguments else ""
        targets: set[ast.expr] = set()
        for node in ast.walk(hook):
            match node:
                case (
                    ast.Assign(targets=[ast.Attribute(value=ast.Name(id=owner), attr=name) as target], value=value)
                    | ast.AnnAssign(
                        target=ast.Attribute(value=ast.Name(id=owner), attr=name) as target, value=ast.expr() as value
                    )
                ) if owner == this and name == attribute:
                    targets.add(target)
                    yield value
                case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner == this and name == attribute:
                    if node not in targets:
                        yield node


def _object(attribute: str, found: list[ast.expr], kind: ProblemKind, scope: Scope) -> dict[str, JsonValue] | None:
    """Return the one object that is assigned to an attribute; report any other value."""
    if not found:
        return None
    if len(found) > 1:
        message = f"self.{attribute} is set or used {len(found)} times, so that only the running template has its value"
        scope.report(ProblemKind.NOT_STATIC, found[-1], message)
        return None
    try:
        value = scope.evaluate(found[0])
    except NotStaticError as error:
        message = f"self.{attribute} is not static: `{scope.excerpt(error.node)}`"
        scope.report(ProblemKind.NOT_STATIC, error.node, message)
        return None
    if isinstance(value, dict):
        return value
    scope.report(kind, found[0], f"self.{attribute} is {shown(value)}, not a dictionary")
    return None


def _regexes(lineage: list[ast.ClassDef], scope: Scope) -> dict[str, RegexCheck] | None:
    """Return the expressions that the class assigns to `self.regex`, or that its field `regex` has as default."""
    found = list(_assigned("regex", lineage))
    for statement in () if found else (statement for node in lineage for statement in node.body):
        match statement:
            case ast.AnnAssign(target=ast.Name(id="regex"), value=ast.Call() as call):
                if scope.called(call) is None:
                    found.append(call)
                elif scope.called(call) == "Field":
                    found += [keyword.value for keyword in call.keywords if keyword.arg == "default"]
            case ast.AnnAssign(target=ast.Name(id="regex"), value=ast.expr() as value):
                found.append(value)
    checks = _object("regex", found, ProblemKind.REGEX, scope)
    if checks is None:
        return None
    read = {}
    for name, check_source in checks.items():
        check, fault = _regex(check_source, scope)
        if fault is not None:
            scope.report(ProblemKind.REGEX, found[-1], f"the expression {shown(name)} of self.regex {fault}")
        if check is not None:
            read[name] = check
    return read


def _regex(value: JsonValue, scope: Scope) -> tuple[RegexCheck | None, str | None]:
    """Return the expression that a value describes, None if it describes none, and its fault."""
    if not isinstance(value, dict):
        return None, f"is {shown(value)}, not a dictionary"
    pattern, expected, match_type = value.get("pattern", ""), value.get("expected"), value.get("match_type", "exact")
    if not isinstance(pattern, str) or not isinstance(match_type, str):
        return None, f"has no text as pattern or match_type: {shown(value)}"
    wanted = {"count": int, "all": list}.get(match_type, object)
    fault = scope.patterns.fault(pattern)
    if fault is not None:
        fault = f"has the pattern {shown(pattern)}, which does not compile: {fault}"
    elif match_type not in _MATCH_TYPES:
        fault = f"has the match_type {shown(match_type)}, with which it never passes"
    elif not isinstance(expected, wanted):
        fault = f"expects {shown(expected)}, with which the match_type {match_type} never passes"
    return RegexCheck(pattern, expected, match_type), fault


def _strategy(lineage: list[ast.ClassDef], fields: Collection[str], scope: Scope) -> Strategy | None:
    """Return the strategy of a class, given its lineage and the names of its verified fields."""
    node: Any = None
    for inner in (statement for known in lineage for statement in known.body):
        if isinstance(inner, ast.ClassDef) and inner.name == "VerificationStrategy":
            node = inner.bases[0] if inner.bases else None
            for statement in inner.body:
                if "verify_strategy" in bound_names(statement):
                    node = getattr(statement, "value", statement)
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return None
    try:
        return _node(node, fields, scope)
    except NotStaticError as error:
        reason = f" ({error.reason})" if error.reason else ""
        message = f"the strategy cannot be read without running it{reason}: `{scope.excerpt(error.node)}`"
        scope.report(ProblemKind.STRATEGY, error.node, message)
        return UNKNOWN


def _node(node: ast.expr, fields: Collection[str], scope: Scope) -> Strategy:  # noqa: C901 - one case for each class
    # Each level takes two brackets, of which Python's parser takes 200: this cannot recurse too deeply.
    called = scope.called(node)
    if not isinstance(node, ast.Call) or node.args:
        raise NotStaticError(node)
    parts = {keyword.arg: keyword.value for keyword in node.keywords}
    if None in parts or called not in {*COMPOSITES, "FieldCheck"}:
        raise NotStaticError(node)
    if called == "FieldCheck":
        name = scope.evaluate(parts["field"]) if "field" in parts else None
        if not isinstance(name, str):
            raise NotStaticError(node, "FieldCheck needs the name of a field")
        if name not in fields:
            scope.report(ProblemKind.STRATEGY, node, f"FieldCheck names {shown(name)}, which is no verified field")
        return Strategy("field_check", field_name=name)
    conditions = parts.get("conditions", ast.List(elts=[]))
    if not isinstance(conditions, ast.List | ast.Tuple):
        raise NotStaticError(conditions)
    children = tuple(_node(condition, fields, scope) for condition in conditions.elts)
    if called == "AnyOf" and not children:
        scope.report(ProblemKind.STRATEGY, node, "AnyOf without conditions never passes")
    needed = None
    if called == "AtLeastN":
        given = scope.evaluate(parts["n"]) if "n" in parts else None
        if not isinstance(given, int) or given < 0:
            raise NotStaticError(node, f"AtLeastN needs n, a number from 0 on, not {shown(given)}")
        needed = int(given)
        if needed > len(children):
            message = f"AtLeastN asks for {given} of {len(children)} conditions: never passes"
            scope.report(ProblemKind.STRATEGY, node, message)
    return Strategy(COMPOSITES[called], n=needed, conditions=children)


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
"""The remedies of the problems with which a template fails as soon as it is run."""

_UNUSABLE = frozenset({Level.SYNTAX_ERROR, Level.NO_ANSWER_CLASS, Level.INCOMPLETE})


@lru_cache(maxsize=4096)
def faults(source: str) -> tuple[str, ...]:
    """Return the reasons why a text cannot be used as a template, with lines and remedies; empty if it can."""
    template = read_template(source)
    if template.level is Level.EMPTY:
        return ("the template is empty; give the text of one",)
    serious = _REMEDIES if template.level in _UNUSABLE else _REMEDIES.keys() - {ProblemKind.LIMIT}
    return tuple(
        f"{f'line {problem.line}: ' if problem.line else ''}{problem.message}; {_REMEDIES[problem.kind]}"
        for problem in template.problems
        if problem.kind in serious
    )
