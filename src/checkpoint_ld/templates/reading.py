"""Answer templates, read without running them: the text is parsed, and nothing in it is imported or evaluated.

What is read is what a template says plainly. Names stand for the library's classes as they would when the template is
run, whether it imports them or not.
"""

from __future__ import annotations

import ast
from types import MappingProxyType
from typing import TYPE_CHECKING

from checkpoint_ld.arguments import checked
from checkpoint_ld.templates.classes import answer_classes, lineage
from checkpoint_ld.templates.classic import custom_code, read_ground_truth, read_regexes
from checkpoint_ld.templates.fields import read_fields
from checkpoint_ld.templates.scope import Scope
from checkpoint_ld.templates.showing import listed, shown
from checkpoint_ld.templates.strategies import read_strategy
from checkpoint_ld.templates.syntax import parse
from checkpoint_ld.templates.template import Level, PlainField, Problem, ProblemKind, Template, TemplateField

if TYPE_CHECKING:
    from collections.abc import Collection

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
