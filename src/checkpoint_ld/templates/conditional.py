"""Conditional ground truths: which one counts depends on the state of a conversation."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from checkpoint_ld.templates.literals import evaluate
from checkpoint_ld.templates.scope import NotStaticError
from checkpoint_ld.templates.showing import shown
from checkpoint_ld.templates.verifying import read_serialised, read_verifier

if TYPE_CHECKING:
    from pydantic import JsonValue

    from checkpoint_ld.templates.scope import Scope


def read_conditional(node: ast.Call, owner: str, scope: Scope) -> JsonValue:
    """Return a ConditionalGroundTruth in its serialised form. Raises NotStaticError where it cannot be read."""
    parts = {keyword.arg: keyword.value for keyword in node.keywords}
    cases = parts.get("cases")
    if node.args or set(parts) != {"source", "cases", "default"} or not isinstance(cases, ast.Dict):
        raise NotStaticError(node, "a conditional ground truth has source, cases and default")
    read: dict[str, JsonValue] = {}
    for key, case in zip(cases.keys, cases.values, strict=True):
        name = None if key is None else evaluate(key, scope)
        if not isinstance(name, str):
            raise NotStaticError(cases, "a case is named by a text")
        read[name] = _case(case, f"{owner}, case {shown(name)}", scope)
    source = evaluate(parts["source"], scope)
    if not isinstance(source, str):
        raise NotStaticError(parts["source"], "the source is a path")
    default = _case(parts["default"], f"{owner}, default case", scope)
    return {"source": source, "cases": read, "default": default, "__conditional__": True}


def _case(node: ast.expr, owner: str, scope: Scope) -> JsonValue:
    parts = {keyword.arg: keyword.value for keyword in node.keywords} if isinstance(node, ast.Call) else {}
    if (
        scope.names.called(node) != "GroundTruthCase"
        or "value" not in parts
        or not set(parts) <= {"value", "verify_with"}
    ):
        raise NotStaticError(node, "a case is a GroundTruthCase")
    verify_with = parts.get("verify_with")
    serialised: JsonValue = None
    if verify_with is not None and not (isinstance(verify_with, ast.Constant) and verify_with.value is None):
        if isinstance(verify_with, ast.Dict):
            verifier = read_serialised(verify_with, owner, scope)
        else:
            verifier = read_verifier(verify_with, owner, scope)
        serialised = None if verifier is None else {**verifier.parameters, "type": verifier.primitive.name}
    return {"value": evaluate(parts["value"], scope), "verify_with": serialised}
