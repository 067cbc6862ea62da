"""The fields of an answer class, read from its syntax tree: their types, primitives, ground truths and weights."""

from __future__ import annotations

import ast
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from checkpoint_ld.templates.expressions import NotStaticError
from checkpoint_ld.templates.primitives import misfit, registry, settle
from checkpoint_ld.templates.template import PlainField, ProblemKind, TemplateField, listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import JsonValue

    from checkpoint_ld.templates.expressions import FieldType, Scope
    from checkpoint_ld.templates.primitives import Primitive

RESERVED = {
    "correct": "with which the class cannot be made",
    "id": "which holds the question's identifier",
    "regex": "which holds expressions to search for in the raw response",
}
"""Names that a verified field cannot have, with the reason."""

_ORDER = ("description", "ground_truth", "verify_with", "weight", "extraction_hint")
_REQUIRED = _ORDER[:3]
_DATE_PRIMITIVES = ("DateMatch", "DateTolerance", "DateRange")


def read_fields(bodies: Iterable[list[ast.stmt]], scope: Scope) -> list[TemplateField | PlainField]:
    """Return the fields of classes, in order; a field of a derived class replaces the field of its base."""
    declared: dict[str, tuple[ast.AnnAssign, list[ast.stmt]]] = {}
    for body in bodies:
        own: set[str] = set()
        for statement in body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=name)) if name != "model_config":
                    if name in own:
                        message = f"field {shown(name)} is declared twice; the last declaration counts"
                        scope.report(ProblemKind.DUPLICATE_FIELD, statement, message)
                    own.add(name)
                    declared[name] = (statement, body)
                case ast.Assign(targets=targets, value=value) if scope.called(value) == "VerifiedField":
                    for target in targets:
                        message = f"field `{scope.excerpt(target)}` has no annotation, so it is no field"
                        scope.report(ProblemKind.FIELD_DEFINITION, target, message)
    found = []
    for name, (statement, body) in declared.items():
        with scope.inside(body):
            read = _read_field(name, statement, scope)
        if read is not None:
            found.append(read)
    return found


def _read_field(name: str, statement: ast.AnnAssign, scope: Scope) -> TemplateField | PlainField | None:
    type_ = scope.read_type(statement.annotation)
    if type_.class_variable:
        return None
    call = statement.value if scope.called(statement.value) == "VerifiedField" else type_.verifying
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
        return _FieldReader(f"field {shown(name)}", scope).verified(name, call, type_, statement)
    description = None
    if scope.called(statement.value) == "Field" and isinstance(statement.value, ast.Call):
        for keyword in statement.value.keywords:
            if keyword.arg == "description":
                with suppress(NotStaticError):
                    description = scope.evaluate(keyword.value)
    kind = "str" if type_.name == "date" else type_.name
    return PlainField(name, kind, statement.lineno, description if isinstance(description, str) else None)


@dataclass(slots=True)
class _Verifier:
    """A primitive with its parameters as far as they could be read.

    It is `sound` if it can be built from them, `static` if all of them could be read without running the template.
    """

    primitive: Primitive
    parameters: dict[str, JsonValue] = field(default_factory=dict)
    sound: bool = True
    static: bool = True


class _FieldReader:
    """Reads the arguments of a verified field; `owner` begins the messages.

    `unread` collects the sources of the arguments that are not static.
    """

    def __init__(self, owner: str, scope: Scope) -> None:
        self.unread: dict[str, str] = {}
        self._owner = owner
        self._scope = scope

    def verified(self, name: str, call: ast.Call, type_: FieldType, statement: ast.AnnAssign) -> TemplateField:
        """Return the field with its static arguments; report arguments that are not static or do not fit."""
        arguments, options = self._arguments(call)
        if statement.value not in (None, call):
            options += ("default",)
        node = arguments.get("verify_with")
        verifier = None if node is None else self._verifier(node)
        if node is not None and (verifier is None or not verifier.static):
            self.unread["verify_with"] = self._scope.excerpt(node)
        primitive = None if verifier is None else verifier.primitive
        kind = type_.name
        if kind == "date" and (primitive is None or primitive.name not in _DATE_PRIMITIVES):
            kind = "str"
        self._check_type(kind, type_, statement.annotation, verifier, call)
        return TemplateField(
            name=name,
            type=kind,
            line=statement.lineno,
            description=self._description(arguments.get("description")),
            extraction_hint=self._hint(arguments.get("extraction_hint")),
            ground_truth=self._ground_truth(arguments.get("ground_truth"), type_, verifier),
            literal_values=type_.literal_values,
            primitive=None if primitive is None else primitive.name,
            parameters=MappingProxyType({} if verifier is None else verifier.parameters),
            weight=self._weight(arguments.get("weight")),
            is_trace=primitive is not None and primitive.trace,
            nullable=type_.nullable,
            options=options,
            unread=MappingProxyType(self.unread),
            taken_as=f"list_{type_.items}" if kind == "list_str" else kind if type_.known else "any",
        )

    def _report(self, kind: ProblemKind, node: ast.AST, message: str) -> None:
        self._scope.report(kind, node, f"{self._owner}{message}")

    def _shown(self, node: ast.expr) -> str:
        return f"`{self._scope.excerpt(node)}`"

    def _arguments(self, call: ast.Call) -> tuple[dict[str, ast.expr], tuple[str, ...]]:
        """Return the arguments of VerifiedField itself, and the names of those for pydantic."""
        bound: dict[str, ast.expr] = {}
        options: list[str] = []
        unpacked = False
        for position, value in enumerate(call.args):
            if isinstance(value, ast.Starred):
                unpacked = True
                self._misdefined(value, f"unpacks arguments: {self._shown(value)}")
                break
            if position >= len(_ORDER):
                message = f"has more than {len(_ORDER)} arguments without a name: {self._shown(value)}"
                self._misdefined(value, message)
                break
            bound[_ORDER[position]] = value
        for keyword in call.keywords:
            if keyword.arg is None:
                unpacked = True
                self._misdefined(keyword.value, f"unpacks arguments: {self._shown(keyword.value)}")
            elif keyword.arg not in _ORDER:
                options.append(keyword.arg)
            elif keyword.arg in bound:
                self._misdefined(keyword.value, f"has the argument {shown(keyword.arg)} twice")
            else:
                bound[keyword.arg] = keyword.value
        missing = [name for name in _REQUIRED if name not in bound]
        if missing and not unpacked:
            self._misdefined(call, f"lacks {listed(missing)}")
        return bound, tuple(options)

    def _misdefined(self, node: ast.AST, message: str) -> None:
        self._report(ProblemKind.FIELD_DEFINITION, node, f" {message}")

    def _verifier(self, node: ast.expr, *, serialised: bool = False) -> _Verifier | None:
        """Return the primitive that is called or, `serialised`, that a dictionary is; None (and a problem) if none."""
        value = self._scope.evaluate(node) if serialised else None
        given = dict(value) if isinstance(value, dict) else {}
        name = given.pop("type", None) if serialised else self._scope.called(node)
        primitive = registry().get(name) if isinstance(name, str) else None
        if primitive is None:
            source = shown(name) if serialised else self._shown(node)
            message = f" is verified with {source}, which is no known primitive"
            self._report(ProblemKind.UNKNOWN_PRIMITIVE, node, message)
            return None
        verifier = _Verifier(primitive)
        if isinstance(node, ast.Call):
            given = self._parameters(node, verifier)
        owner = f": {primitive.name}"
        if primitive.needs:
            self._report(ProblemKind.PRIMITIVE_NEEDS, node, f"{owner} needs {primitive.needs}")
        verifier.parameters, faults = settle(primitive, given, self._scope.patterns, is_whole=verifier.sound)
        for fault in faults:
            verifier.sound = False
            self._report(ProblemKind.PRIMITIVE_PARAMETERS, node, f"{owner}: {fault}")
        for unknown in (key for key in given if key not in verifier.parameters):
            message = f"{owner} has no parameter {shown(unknown)}; it is ignored"
            self._report(ProblemKind.UNKNOWN_PARAMETER, node, message)
        return verifier

    def _parameters(self, node: ast.Call, verifier: _Verifier) -> dict[str, JsonValue]:
        owner = f": {verifier.primitive.name}"
        given: dict[str, JsonValue] = {}
        if node.args:
            verifier.sound = verifier.static = False
            message = f"{owner} takes its parameters by name, not {self._shown(node.args[0])}"
            self._report(ProblemKind.PRIMITIVE_PARAMETERS, node, message)
        for keyword in node.keywords:
            try:
                if keyword.arg is None:
                    raise NotStaticError(keyword.value, "unpacks parameters")
                given[keyword.arg] = self._scope.evaluate(keyword.value)
            except NotStaticError as error:
                verifier.sound = verifier.static = False
                message = f"{owner}: parameter {keyword.arg or '**'} is not static: {self._shown(error.node)}"
                self._report(ProblemKind.NOT_STATIC, keyword, message)
        return given

    def _value(self, argument: str, node: ast.expr | None) -> JsonValue:
        if node is None:
            return None
        try:
            if argument == "ground_truth" and self._is_conditional(node):
                return self._conditional(node)
            return self._scope.evaluate(node)
        except NotStaticError as error:
            self.unread[argument] = self._scope.excerpt(node)
            reason = f" ({error.reason})" if error.reason else ""
            message = f": {argument} is not static{reason}: {self._shown(error.node)}"
            self._report(ProblemKind.NOT_STATIC, error.node, message)
            return None

    def _description(self, node: ast.expr | None) -> str | None:
        value = self._value("description", node)
        if node is None or "description" in self.unread:
            return None
        if not isinstance(value, str) or not value.strip():
            message = f" has the description {shown(value)}; it has to be a text"
            self._report(ProblemKind.DESCRIPTION, node, message)
        return value if isinstance(value, str) else None

    def _hint(self, node: ast.expr | None) -> str | None:
        value = self._value("extraction_hint", node)
        if node is None or value is None or isinstance(value, str):
            return value if isinstance(value, str) else None
        self._misdefined(node, f"has the extraction hint {shown(value)}, which is not a text")
        return None

    def _weight(self, node: ast.expr | None) -> float:
        value = self._value("weight", node)
        if node is None or "weight" in self.unread:
            return 1.0
        if not isinstance(value, int | float) or value < 0:
            self._report(ProblemKind.WEIGHT, node, f" has the weight {shown(value)}; it has to be a number from 0 on")
        try:
            return float(value) if isinstance(value, int | float) else 1.0
        except OverflowError:
            return 1.0

    def _ground_truth(self, node: ast.expr | None, type_: FieldType, verifier: _Verifier | None) -> JsonValue:
        value = self._value("ground_truth", node)
        if node is None or verifier is None or not verifier.sound or "ground_truth" in self.unread:
            return value
        fault = misfit(verifier.primitive, verifier.parameters, type_.literal_values, value)
        if fault is not None and not self._is_conditional(node):
            message = f": the ground truth of {verifier.primitive.name} {fault}"
            self._report(ProblemKind.GROUND_TRUTH, node, message)
        return value

    def _is_conditional(self, node: ast.expr) -> bool:
        return self._scope.called(node) == "ConditionalGroundTruth"

    def _conditional(self, node: ast.expr) -> JsonValue:
        """Return a ConditionalGroundTruth in its serialised form. Raises NotStaticError where it cannot be read."""
        parts = {} if isinstance(node, ast.Call) and node.args else _named(node)
        cases = parts.get("cases")
        if set(parts) != {"source", "cases", "default"} or not isinstance(cases, ast.Dict):
            raise NotStaticError(node, "a conditional ground truth has source, cases and default")
        read: dict[str, JsonValue] = {}
        for key, case in zip(cases.keys, cases.values, strict=True):
            name = None if key is None else self._scope.evaluate(key)
            if not isinstance(name, str):
                raise NotStaticError(cases, "a case is named by a text")
            read[name] = self._case(case, f"case {shown(name)}")
        source = self._scope.evaluate(parts["source"])
        if not isinstance(source, str):
            raise NotStaticError(parts["source"], "the source is a path")
        default = self._case(parts["default"], "default case")
        return {"source": source, "cases": read, "default": default, "__conditional__": True}

    def _case(self, node: ast.expr, name: str) -> JsonValue:
        parts = _named(node)
        is_case = self._scope.called(node) == "GroundTruthCase" and "value" in parts
        if not is_case or not set(parts) <= {"value", "verify_with"}:
            raise NotStaticError(node, "a case is a GroundTruthCase")
        given = parts.get("verify_with")
        verifier = None
        if given is not None and not (isinstance(given, ast.Constant) and given.value is None):
            reader = _FieldReader(f"{self._owner}, {name}", self._scope)
            verifier = reader._verifier(given, serialised=isinstance(given, ast.Dict))
            if verifier is not None and not verifier.static:
                self.unread["ground_truth"] = self._scope.excerpt(given)
        serialised = None if verifier is None else {**verifier.parameters, "type": verifier.primitive.name}
        return {"value": self._scope.evaluate(parts["value"]), "verify_with": serialised}

    def _check_type(
        self, kind: str, type_: FieldType, annotation: ast.expr, verifier: _Verifier | None, call: ast.Call
    ) -> None:
        faults = (
            (ProblemKind.FIELD_TYPE, not type_.known, "which is treated as str"),
            (ProblemKind.NULLABLE, type_.nullable, "whose None is not kept"),
            (
                ProblemKind.LITERAL_VALUES,
                type_.name == "literal" and not type_.literal_values,
                "without readable values",
            ),
        )
        for problem, applies, fault in faults:
            if applies:
                self._report(problem, annotation, f" has the type {self._shown(annotation)}, {fault}")
        if verifier is None or not verifier.sound or not type_.known or kind in verifier.primitive.types:
            return
        primitive = verifier.primitive
        problem = ProblemKind.TRACE_TYPE if primitive.trace else ProblemKind.PRIMITIVE_TYPE
        self._report(problem, call, f" has the type {kind}; {primitive.name} is for {listed(primitive.types)}")


def _named(node: ast.expr) -> dict[str | None, ast.expr]:
    return {keyword.arg: keyword.value for keyword in node.keywords} if isinstance(node, ast.Call) else {}
