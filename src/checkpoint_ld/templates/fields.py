"""The fields of an answer class, and what they are verified with."""

from __future__ import annotations

import ast
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from checkpoint_ld.templates.literals import evaluate, read_type
from checkpoint_ld.templates.primitives import misfit, registry, settle
from checkpoint_ld.templates.scope import NotStaticError
from checkpoint_ld.templates.template import PlainField, ProblemKind, TemplateField, listed, shown

if TYPE_CHECKING:
    from pydantic import JsonValue

    from checkpoint_ld.templates.literals import FieldType
    from checkpoint_ld.templates.primitives import Primitive
    from checkpoint_ld.templates.reading import LocalClass
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


@dataclass(slots=True)
class Verifier:
    """A primitive with its parameters as far as they could be read.

    `sound` if it can be built from them, `static` if none of them was left out because only running would tell it.
    """

    primitive: Primitive
    parameters: dict[str, JsonValue] = field(default_factory=dict)
    sound: bool = True
    static: bool = True


def read_verifier(node: ast.expr, owner: str, scope: Scope) -> Verifier | None:
    """Return the primitive that `node` calls, None (and a problem) if it calls none. `owner` begins each message."""
    primitive = registry().get(scope.names.called(node) or "")
    if primitive is None or not isinstance(node, ast.Call):
        _report_unknown(shown_source(node, scope), node, owner, scope)
        return None
    verifier = Verifier(primitive)
    _settle(verifier, _given(node, owner, verifier, scope), node, owner, scope)
    return verifier


def read_serialised(node: ast.Dict, owner: str, scope: Scope) -> Verifier | None:
    """Return the primitive that a dictionary with `type` stands for, None (and a problem) if there is none."""
    said = evaluate(node, scope)
    given = {key: value for key, value in said.items() if key != "type"} if isinstance(said, dict) else {}
    name = said.get("type") if isinstance(said, dict) else None
    primitive = registry().get(name) if isinstance(name, str) else None
    if primitive is None:
        _report_unknown(shown(name), node, owner, scope)
        return None
    verifier = Verifier(primitive)
    _settle(verifier, given, node, owner, scope)
    return verifier


def _report_unknown(said: str, node: ast.expr, owner: str, scope: Scope) -> None:
    scope.report(ProblemKind.UNKNOWN_PRIMITIVE, node, f"{owner} is verified with {said}, which is no known primitive")


def _settle(verifier: Verifier, given: dict[str, JsonValue], node: ast.expr, owner: str, scope: Scope) -> None:
    """Give a verifier all its parameters, and report those that do not fit."""
    primitive = verifier.primitive
    owner = f"{owner}: {primitive.name}"
    if primitive.needs:
        scope.report(ProblemKind.PRIMITIVE_NEEDS, node, f"{owner} needs {primitive.needs}")
    verifier.parameters, faults = settle(primitive, given, scope.patterns, is_whole=verifier.sound)
    for fault in faults:
        verifier.sound = False
        scope.report(ProblemKind.PRIMITIVE_PARAMETERS, node, f"{owner}: {fault}")
    for name in (one for one in given if one not in verifier.parameters):
        message = f"{owner} has no parameter {shown(name)}; it is ignored"
        scope.report(ProblemKind.UNKNOWN_PARAMETER, node, message)


def shown_source(node: ast.expr, scope: Scope) -> str:
    """Return the source of an expression for a message."""
    return f"`{scope.excerpt(node)}`"


def _given(node: ast.Call, owner: str, verifier: Verifier, scope: Scope) -> dict[str, JsonValue]:
    owner = f"{owner}: {verifier.primitive.name}"
    given: dict[str, JsonValue] = {}
    if node.args:
        verifier.sound = False
        message = f"{owner} takes its parameters by name, not {shown_source(node.args[0], scope)}"
        scope.report(ProblemKind.PRIMITIVE_PARAMETERS, node, message)
    for keyword in node.keywords:
        name = keyword.arg
        try:
            if name is None:
                raise NotStaticError(keyword.value, "unpacks parameters")
            given[name] = evaluate(keyword.value, scope)
        except NotStaticError as error:
            verifier.sound = verifier.static = False
            message = f"{owner}: parameter {name or '**'} is not static: {shown_source(error.node, scope)}"
            scope.report(ProblemKind.NOT_STATIC, keyword, message)
    return given


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


RESERVED = {
    "correct": "with which the class cannot be made",
    "id": "which holds the question's identifier",
    "regex": "which holds expressions to search for in the raw response",
}
"""Names that a verified field cannot have, with the reason."""

_NO_FIELDS = ("model_config",)


def read_fields(lineage: list[LocalClass], scope: Scope) -> list[TemplateField | PlainField]:
    """Return the fields that the classes declare, in order; the field of a derived class takes its base's place."""
    declared: dict[str, tuple[ast.AnnAssign, LocalClass]] = {}
    for known in lineage:
        own: set[str] = set()
        for statement in known.node.body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=name)) if name not in _NO_FIELDS:
                    if name in own:
                        message = f"field {shown(name)} is declared twice; the last declaration counts"
                        scope.report(ProblemKind.DUPLICATE_FIELD, statement, message)
                    own.add(name)
                    declared[name] = (statement, known)
                case ast.Assign(targets=targets, value=value) if scope.names.called(value) == "VerifiedField":
                    for target in targets:
                        message = f"field `{scope.excerpt(target)}` has no annotation, so it is no field"
                        scope.report(ProblemKind.FIELD_DEFINITION, target, message)
    read = (_field(name, *found, scope) for name, found in declared.items())
    return [field for field in read if field is not None]


def _field(name: str, statement: ast.AnnAssign, owner: LocalClass, scope: Scope) -> TemplateField | PlainField | None:
    with scope.inside(owner.node.body):
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
    description = None
    if scope.names.called(statement.value) == "Field" and isinstance(statement.value, ast.Call):
        for keyword in statement.value.keywords:
            if keyword.arg == "description":
                with suppress(NotStaticError):
                    description = evaluate(keyword.value, scope)
    type_ = "str" if said.name == "date" else said.name
    return PlainField(name, type_, statement.lineno, description if isinstance(description, str) else None)
