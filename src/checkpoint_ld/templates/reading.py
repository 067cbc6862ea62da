"""Answer templates, read without running them: the text is parsed, and nothing in it is imported or evaluated.

What is read is what a template says plainly. Names stand for the library's classes as they would when the template is
run, whether it imports them or not.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

from checkpoint_ld.arguments import checked
from checkpoint_ld.templates.classes import (
    answer_classes,
    custom_code,
    lineage,
    read_ground_truth,
    read_regexes,
    read_strategy,
)
from checkpoint_ld.templates.fields import read_fields
from checkpoint_ld.templates.scope import Scope, parse
from checkpoint_ld.templates.template import (
    Level,
    PlainField,
    Problem,
    ProblemKind,
    Template,
    TemplateField,
    listed,
    shown,
)
from checkpoint_ld.templates.text_outlines import has_doubtful_number, has_joined_strings, outline_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from checkpoint_ld.templates.classes import LocalClass
    from checkpoint_ld.templates.template import CustomCode


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
    strategy = read_strategy((known.node.body for known in chain), _names(verified), scope)
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


def _names(fields: tuple[TemplateField, ...]) -> Collection[str]:
    return {field.name for field in fields}


def _chosen(found: list[LocalClass], scope: Scope) -> LocalClass:
    chosen = next((known for known in found if known.node.name == "Answer"), found[-1])
    if len(found) > 1:
        names = listed([known.node.name for known in found])
        message = f"{len(found)} classes derive from BaseAnswer: {names}; {shown(chosen.node.name)} is read"
        scope.report(ProblemKind.SEVERAL_ANSWER_CLASSES, chosen.node, message)
    return chosen


def _level(
    answer: LocalClass,
    verified: tuple[TemplateField, ...],
    plain: tuple[PlainField, ...],
    code: tuple[CustomCode, ...],
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


def is_typical(source: str) -> bool:
    """Tell whether the outline of a template tells all that the reader goes by: no value in it has to be worked out.

    Raises SyntaxError for what is not Python.
    """
    outline = outline_of(source)
    if outline is None or has_joined_strings(outline) or has_doubtful_number(outline):
        return False
    module = ast.parse(source)
    bodies = [module.body, *(one.body for one in _statements(module) if isinstance(one, ast.ClassDef))]
    statements = [statement for body in bodies for statement in body]
    bindings = [list(ast.walk(one)) for one in statements if isinstance(one, _BINDINGS)]
    bound = {
        node.id
        for nodes in bindings
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    evaluated = chain(*(nodes[1:] for nodes in bindings), *map(_evaluated, statements))
    return all(_is_plain(node, bound) for node in evaluated) and not any(map(_has_quoted_type, statements))


def _statements(module: ast.Module) -> list[ast.AST]:
    """Return a module and all statements in it, wherever they stand."""
    found: list[ast.AST] = [module]
    for node in found:
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            found += getattr(node, block, ())
    return found


_BINDINGS = (ast.Assign, ast.AnnAssign)
_PLAIN = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.Call, ast.keyword, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Load),
    *(ast.Store, ast.UnaryOp, ast.USub, ast.Subscript, ast.BinOp, ast.BitOr),
)
_HOOKS = ("ground_truth", "model_post_init")


def _evaluated(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield what the reader may evaluate in a statement that binds no value, and names that stand for others."""
    match statement:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (alias for alias in names if alias.asname is not None and _is_date(alias.name))
        case ast.FunctionDef(name=name) if name in _HOOKS:
            for inner in ast.walk(statement):
                if isinstance(inner, _BINDINGS) and inner.value is not None:
                    yield from ast.walk(inner.value)
        case ast.Assign() | ast.AnnAssign() | ast.ClassDef() | ast.FunctionDef() | ast.Pass():
            pass
        case ast.Expr(value=ast.Constant()):
            pass
        case _:
            yield from (node for part in ast.iter_child_nodes(statement) for node in ast.walk(part))


def _is_plain(node: ast.AST, bound: set[str]) -> bool:
    """Tell whether a part has a value at once, and one that is no date, which may be written in many ways."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            return name not in bound and not _is_date(name)
        case ast.Attribute(attr=name) | ast.Constant(value=str() as name):
            return not _is_date(name)
    return isinstance(node, _PLAIN)


def _is_date(name: str) -> bool:
    return name.rpartition(".")[2].startswith("Date")


def _has_quoted_type(statement: ast.stmt) -> bool:
    """Tell whether an annotation has a text in it that is no value of a Literal: it would be read as a type."""
    if not isinstance(statement, ast.AnnAssign):
        return False
    parts = list(ast.walk(statement.annotation))
    quoted = [part for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    values = {
        inner
        for node in parts
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal"
        for inner in ast.walk(node.slice)
    }
    return not values.issuperset(quoted)


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
    return tuple(_told(problem) for problem in template.problems if problem.kind in serious)


def _told(problem: Problem) -> str:
    place = f"line {problem.line}: " if problem.line else ""
    return f"{place}{problem.message}; {_REMEDIES[problem.kind]}"
