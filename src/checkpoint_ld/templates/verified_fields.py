"""One field that says how it is verified: its arguments, and how they fit together."""

from __future__ import annotations

import ast
from types import MappingProxyType
from typing import TYPE_CHECKING

from checkpoint_ld.templates.arguments import bind_arguments
from checkpoint_ld.templates.conditional import read_conditional
from checkpoint_ld.templates.ground_truths import misfit
from checkpoint_ld.templates.literals import evaluate
from checkpoint_ld.templates.scope import NotStaticError
from checkpoint_ld.templates.showing import listed, shown
from checkpoint_ld.templates.template import ProblemKind, TemplateField
from checkpoint_ld.templates.verifying import read_verifier, shown_source

if TYPE_CHECKING:
    from pydantic import JsonValue

    from checkpoint_ld.templates.annotations import FieldType
    from checkpoint_ld.templates.scope import Scope
    from checkpoint_ld.templates.verifying import Verifier

_DATE_PRIMITIVES = ("DateMatch", "DateTolerance", "DateRange")


def read_verified(name: str, call: ast.Call, said: FieldType, statement: ast.AnnAssign, scope: Scope) -> TemplateField:
    """Return the field with what is static of it; report what is not, and what does not fit."""
    reader = _FieldReader(name, scope)
    arguments, options = bind_arguments(call, reader.owner, scope)
    node = arguments.get("verify_with")
    verifier = None if node is None else read_verifier(node, reader.owner, scope)
    if node is not None and (verifier is None or not verifier.static):
        reader.unread["verify_with"] = scope.excerpt(node)
    primitive = None if verifier is None else verifier.primitive
    type_ = said.name
    if type_ == "date" and (primitive is None or primitive.name not in _DATE_PRIMITIVES):
        type_ = "str"
    reader.check_type(said, statement.annotation)
    reader.check_compatible(type_, said, verifier, call)
    return TemplateField(
        name=name,
        type=type_,
        line=statement.lineno,
        description=reader.description(arguments.get("description")),
        extraction_hint=reader.hint(arguments.get("extraction_hint")),
        ground_truth=reader.ground_truth(arguments.get("ground_truth"), said, verifier),
        literal_values=said.literal_values,
        primitive=None if primitive is None else primitive.name,
        parameters=MappingProxyType({} if verifier is None else verifier.parameters),
        weight=reader.weight(arguments.get("weight")),
        is_trace=primitive is not None and primitive.trace,
        nullable=said.nullable,
        options=options,
        unread=MappingProxyType(reader.unread),
    )


class _FieldReader:
    """Reads the arguments of one field; `unread` collects the sources of those that are not static."""

    def __init__(self, name: str, scope: Scope) -> None:
        self.owner = f"field {shown(name)}"
        self.unread: dict[str, str] = {}
        self._scope = scope

    def _report(self, kind: ProblemKind, node: ast.AST, message: str) -> None:
        self._scope.report(kind, node, f"{self.owner}{message}")

    def _not_static(self, argument: str, node: ast.expr, error: NotStaticError) -> None:
        self.unread[argument] = self._scope.excerpt(node)
        reason = f" ({error.reason})" if error.reason else ""
        source = shown_source(error.node, self._scope)
        self._report(ProblemKind.NOT_STATIC, error.node, f": {argument} is not static{reason}: {source}")

    def _value(self, argument: str, node: ast.expr | None) -> JsonValue:
        if node is None:
            return None
        try:
            return evaluate(node, self._scope)
        except NotStaticError as error:
            self._not_static(argument, node, error)
            return None

    def description(self, node: ast.expr | None) -> str | None:
        value = self._value("description", node)
        if node is None or "description" in self.unread:
            return None
        if isinstance(value, str) and value.strip():
            return value
        self._report(ProblemKind.DESCRIPTION, node, f" has the description {shown(value)}; it has to be a text")
        return value if isinstance(value, str) else None

    def hint(self, node: ast.expr | None) -> str | None:
        value = self._value("extraction_hint", node)
        if node is None or value is None or isinstance(value, str):
            return value if isinstance(value, str) else None
        message = f" has the extraction hint {shown(value)}, which is not a text"
        self._report(ProblemKind.FIELD_DEFINITION, node, message)
        return None

    def weight(self, node: ast.expr | None) -> float:
        value = self._value("weight", node)
        if node is None or "weight" in self.unread:
            return 1.0
        if not isinstance(value, int | float) or value < 0:
            self._report(ProblemKind.WEIGHT, node, f" has the weight {shown(value)}; it has to be a number from 0 on")
        return _finite(value)

    def ground_truth(self, node: ast.expr | None, said: FieldType, verifier: Verifier | None) -> JsonValue:
        if isinstance(node, ast.Call) and self._scope.names.called(node) == "ConditionalGroundTruth":
            try:
                return read_conditional(node, self.owner, self._scope)
            except NotStaticError as error:
                self._not_static("ground_truth", node, error)
                return None
        value = self._value("ground_truth", node)
        if node is None or verifier is None or not verifier.sound or "ground_truth" in self.unread:
            return value
        fault = misfit(verifier.primitive, verifier.parameters, said.literal_values, value)
        if fault is not None:
            name = verifier.primitive.name
            self._report(ProblemKind.GROUND_TRUTH, node, f": the ground truth of {name} {fault}")
        return value

    def check_type(self, said: FieldType, node: ast.expr) -> None:
        faults = (
            (ProblemKind.FIELD_TYPE, not said.known, "which is treated as str"),
            (ProblemKind.NULLABLE, said.nullable, "whose None is not kept"),
            (ProblemKind.LITERAL_VALUES, said.name == "literal" and not said.literal_values, "without readable values"),
        )
        for kind, applies, fault in faults:
            if applies:
                self._report(kind, node, f" has the type {shown_source(node, self._scope)}, {fault}")

    def check_compatible(self, type_: str, said: FieldType, verifier: Verifier | None, call: ast.Call) -> None:
        if verifier is None or not verifier.sound or not said.known or type_ in verifier.primitive.types:
            return
        primitive = verifier.primitive
        kind = ProblemKind.TRACE_TYPE if primitive.trace else ProblemKind.PRIMITIVE_TYPE
        self._report(kind, call, f" has the type {type_}; {primitive.name} is for {listed(primitive.types)}")


def _finite(value: JsonValue) -> float:
    try:
        return float(value) if isinstance(value, int | float) else 1.0
    except OverflowError:
        return 1.0
