"""The fields of an answer class."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checkpoint_ld.templates.annotations import read_type
from checkpoint_ld.templates.literals import evaluate
from checkpoint_ld.templates.scope import NotStaticError
from checkpoint_ld.templates.showing import shown
from checkpoint_ld.templates.template import PlainField, ProblemKind, TemplateField
from checkpoint_ld.templates.verified_fields import read_verified

if TYPE_CHECKING:
    from checkpoint_ld.templates.annotations import FieldType
    from checkpoint_ld.templates.classes import LocalClass
    from checkpoint_ld.templates.scope import Scope

RESERVED = {
    "correct": "with which the class cannot be made",
    "id": "which holds the question's identifier",
    "regex": "which holds expressions to search for in the raw response",
}
"""Names that a verified field cannot have, with the reason."""

_NO_FIELDS = ("model_config",)


@dataclass(frozen=True, slots=True)
class _Declared:
    statement: ast.AnnAssign
    owner: LocalClass


def read_fields(lineage: list[LocalClass], scope: Scope) -> list[TemplateField | PlainField]:
    """Return the fields that the classes declare, in order; the field of a derived class takes its base's place."""
    declared: dict[str, _Declared] = {}
    for known in lineage:
        own: set[str] = set()
        for statement in known.node.body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=name)) if name not in _NO_FIELDS:
                    if name in own:
                        message = f"field {shown(name)} is declared twice; the last declaration counts"
                        scope.report(ProblemKind.DUPLICATE_FIELD, statement, message)
                    own.add(name)
                    declared[name] = _Declared(statement, known)
                case ast.Assign(targets=targets, value=value) if scope.names.called(value) == "VerifiedField":
                    _report_bare(targets, scope)
    read = (_field(name, found, scope) for name, found in declared.items())
    return [field for field in read if field is not None]


def _report_bare(targets: list[ast.expr], scope: Scope) -> None:
    for target in targets:
        message = f"field `{scope.excerpt(target)}` has no annotation, so it is no field"
        scope.report(ProblemKind.FIELD_DEFINITION, target, message)


def _field(name: str, declared: _Declared, scope: Scope) -> TemplateField | PlainField | None:
    statement = declared.statement
    with scope.inside(declared.owner.node.body):
        said = read_type(statement.annotation, scope)
        if said.class_variable:
            return None
        call = statement.value if scope.names.called(statement.value) == "VerifiedField" else said.verifying
        is_verified = isinstance(call, ast.Call)
        if name == "correct" or (is_verified and name in RESERVED):
            message = f"field {shown(name)} has a reserved name, {RESERVED[name]}"
            scope.report(ProblemKind.FIELD_NAME, statement, message)
        if name.startswith("_"):
            if is_verified:
                message = f"field {shown(name)} begins with an underscore, so it is no field"
                scope.report(ProblemKind.FIELD_NAME, statement, message)
            return None
        if isinstance(call, ast.Call):
            return read_verified(name, call, said, statement, scope)
        return _plain(name, said, statement, scope)


def _plain(name: str, said: FieldType, statement: ast.AnnAssign, scope: Scope) -> PlainField:
    type_ = "str" if said.name == "date" else said.name
    description = None
    if scope.names.called(statement.value) == "Field" and isinstance(statement.value, ast.Call):
        for keyword in statement.value.keywords:
            if keyword.arg == "description":
                description = _text(keyword.value, scope)
    return PlainField(name, type_, statement.lineno, description)


def _text(node: ast.expr, scope: Scope) -> str | None:
    try:
        value = evaluate(node, scope)
    except NotStaticError:
        return None
    return value if isinstance(value, str) else None
