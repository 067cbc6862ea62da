"""The arguments of a call of VerifiedField, by their names."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from checkpoint_ld.templates.showing import listed, shown
from checkpoint_ld.templates.template import ProblemKind
from checkpoint_ld.templates.verifying import shown_source

if TYPE_CHECKING:
    from checkpoint_ld.templates.scope import Scope

_ORDER = ("description", "ground_truth", "verify_with", "weight", "extraction_hint")
_REQUIRED = _ORDER[:3]


def bind_arguments(call: ast.Call, owner: str, scope: Scope) -> tuple[dict[str, ast.expr], tuple[str, ...]]:
    """Return the arguments that are VerifiedField's own, and the names of those that are pydantic's.

    What makes the call fail is reported; `owner` begins the messages.
    """

    def fault(node: ast.AST, message: str) -> None:
        scope.report(ProblemKind.FIELD_DEFINITION, node, f"{owner} {message}")

    bound: dict[str, ast.expr] = {}
    options: list[str] = []
    unpacked = False
    for position, value in enumerate(call.args):
        if isinstance(value, ast.Starred):
            unpacked = True
            fault(value, f"unpacks arguments: {shown_source(value, scope)}")
            break
        if position >= len(_ORDER):
            fault(value, f"has more than {len(_ORDER)} arguments without a name: {shown_source(value, scope)}")
            break
        bound[_ORDER[position]] = value
    for keyword in call.keywords:
        if keyword.arg is None:
            unpacked = True
            fault(keyword.value, f"unpacks arguments: {shown_source(keyword.value, scope)}")
        elif keyword.arg not in _ORDER:
            options.append(keyword.arg)
        elif keyword.arg in bound:
            fault(keyword.value, f"has the argument {shown(keyword.arg)} twice")
        else:
            bound[keyword.arg] = keyword.value
    missing = [name for name in _REQUIRED if name not in bound]
    if missing and not unpacked:
        fault(call, f"lacks {listed(missing)}")
    return bound, tuple(options)
