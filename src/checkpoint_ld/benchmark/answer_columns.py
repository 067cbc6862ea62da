"""Columns about an answer as its template: type, tolerance, synonyms, unit, values; and fields that curators edit."""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from checkpoint_ld.benchmark.table_import import cell_text
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.entities.template_spec import TemplateFieldSpec, TemplateSpec
from checkpoint_ld.errors import ReadError, WriteError
from checkpoint_ld.mapping.traits import faults_of
from checkpoint_ld.phrases import BOOLEAN_WORDS, shown
from checkpoint_ld.templates import read_template, source_of, spec_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from checkpoint_ld.templates import TemplateField

Fields = list[list[Any]]
"""Rows of a table for curators: name, type, instruction, reference value and method of each field."""

ROLES = {
    "answer_type": ("answer_type", "type_of_answer", "value_type"),
    "tolerance": ("tolerance", "answer_tolerance"),
    "synonyms": ("synonyms", "aliases", "alternative_answers", "accepted_answers"),
    "unit": ("unit", "units"),
    "allowed_values": ("allowed_values", "allowed_answers", "allowed"),
}
"""The usual names of these columns, in small letters with `_` for spaces."""
TYPES = {
    **dict.fromkeys(("text", "string", "str", "exact"), "str"),
    **dict.fromkeys(("number", "numeric", "float", "decimal", "real"), "float"),
    **dict.fromkeys(("integer", "int", "whole number", "count"), "int"),
    **dict.fromkeys(("yes/no", "yes or no", "true/false", "boolean", "bool"), "bool"),
    "date": "date",
    **dict.fromkeys(("list", "set", "list_str", "several"), "list_str"),
    **dict.fromkeys(("choice", "literal", "category", "one of", "class"), "literal"),
}
"""The words for types of answers, and the types of fields."""
_NUMBER = re.compile(r"([-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*(.*)", re.DOTALL)
_TOLERANCE = re.compile(r"(?:±|\+/-|\+-)?\s*(\d+(?:\.\d+)?|\.\d+)\s*(.*)", re.DOTALL)
_PARTS = re.compile(r"[;\n]")


class UnfitAnswerError(Exception):
    """The reason why cells make no template, and what to do about it."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


def template_source(answer: str, cells: Mapping[str, Any]) -> str | None:
    """Return the template for an answer and the cells of `ROLES`, None where no cell says anything.

    Raises UnfitAnswerError for cells that contradict the answer or each other.
    """
    texts = {role: cell_text(cells.get(role)).strip() for role in ROLES}
    if not any(texts.values()):
        return None
    field = _field(answer, texts, _type(answer, texts))
    try:
        return source_of(TemplateSpec(fields=[field]))
    except WriteError as error:
        raise UnfitAnswerError(str(error), "correct the cells about the answer") from None


def _type(answer: str, texts: Mapping[str, str]) -> str:
    if word := texts["answer_type"].lower():
        if word not in TYPES:
            words = "text, number, integer, yes/no, date, list or choice"
            raise UnfitAnswerError(f"{shown(word)} is no type of answer", f"write {words}")
        return TYPES[word]
    if texts["allowed_values"]:
        return "literal"
    if texts["tolerance"] or texts["unit"]:
        number, _ = number_in(answer)
        return "int" if isinstance(number, int) and not texts["tolerance"] else "float"
    return "str"


def _field(answer: str, texts: Mapping[str, str], kind: str) -> TemplateFieldSpec:
    made: dict[str, Any] = {"name": "answer", "type": kind}
    uses = {"str": {"synonyms"}, "literal": {"allowed_values"}, "date": {"tolerance"}}
    uses |= {number: {"tolerance", "unit"} for number in ("int", "float")}
    for role in ("tolerance", "synonyms", "unit", "allowed_values"):
        if texts[role] and role not in uses.get(kind, ()):
            name = role.replace("_", " ")
            raise UnfitAnswerError(f"an answer of the type {kind} has no {name}", "empty one of both cells")
    what = "The answer to the question"
    match kind:
        case "int" | "float":
            made |= _numeric(answer, texts, kind)
        case "bool":
            if answer.strip().lower() not in BOOLEAN_WORDS:
                raise UnfitAnswerError(f"the answer {shown(answer)} is neither yes nor no", "write yes or no")
            truth = BOOLEAN_WORDS[answer.strip().lower()]
            made |= {
                "ground_truth": truth,
                "verify_with": {"type": "BooleanMatch"},
                "description": f"{what}, yes or no",
            }
        case "date":
            made |= {
                "ground_truth": answer,
                "description": f"{what}, a date as YYYY-MM-DD",
                **_dated(texts["tolerance"]),
            }
        case "list_str":
            made |= {"ground_truth": parts_of(answer), "verify_with": {"type": "SetContainment", "mode": "exact"}}
            made["description"] = f"{what}, all parts of it"
        case "literal":
            made |= _chosen(answer, parts_of(texts["allowed_values"]))
        case _:
            normal: list[Any] = ["lowercase", "strip"]
            if others := parts_of(texts["synonyms"]):
                normal.append({"mapping": {other.lower(): answer.strip().lower() for other in others}})
            made |= {
                "ground_truth": answer,
                "verify_with": {"type": "ExactMatch", "normalize": normal},
                "description": what,
            }
    return TemplateFieldSpec.model_validate(made)


def parts_of(text: str) -> list[str]:
    """Return the parts of a text, at semicolons and line ends, or else at commas."""
    parts = _PARTS.split(text)
    return [part.strip() for part in (parts if len(parts) > 1 else text.split(",")) if part.strip()]


def number_in(text: str) -> tuple[float, str]:
    """Return the number at the beginning of a text, and what follows it. Raises UnfitAnswerError for none."""
    found = _NUMBER.fullmatch(text.strip())
    if not found or not found[1].strip("+-"):
        raise UnfitAnswerError(
            f"the answer {shown(text)} is no number", "write a number, perhaps with its unit, or another type"
        )
    digits = found[1].replace(",", "").removeprefix("+")
    return (float(digits) if set(digits) & set(".eE") else int(digits)), found[2].strip()


def _numeric(answer: str, texts: Mapping[str, str], kind: str) -> dict[str, Any]:
    number, beside = number_in(answer)
    unit = texts["unit"] or beside
    if beside and beside != unit:
        raise UnfitAnswerError(
            f"the answer has the unit {shown(beside)}, and the column {shown(unit)}", "write one of both"
        )
    if kind == "int" and not isinstance(number, int):
        raise UnfitAnswerError(f"the answer {shown(answer)} is no whole number", "write number as its type")
    description = f"The answer to the question, as a {'whole ' if kind == 'int' else ''}number"
    description += f" in {unit}" if unit else ""
    made = {"ground_truth": number, "verify_with": {"type": "NumericExact"}, "description": description}
    if texts["tolerance"]:
        found = _TOLERANCE.fullmatch(texts["tolerance"])
        is_share = found is not None and found[2] == "%"
        if not found or not (is_share or found[2] in ("", unit)) or not float(found[1]):
            message = f"{shown(texts['tolerance'])} is no tolerance"
            raise UnfitAnswerError(message, "write a number above 0, such as 0.5, or a share, such as 5%")
        size = float(found[1]) / 100 if is_share else float(found[1])
        if is_share and (size >= 1 or number == 0):
            why = "of 0 is 0" if number == 0 else "lets every answer from 0 on pass"
            raise UnfitAnswerError(f"a tolerance of {texts['tolerance']} {why}", "write the tolerance as a number")
        made["verify_with"] = {
            "type": "NumericTolerance",
            "tolerance": size,
            "mode": "relative" if is_share else "absolute",
        }
    return made


def _dated(tolerance: str) -> dict[str, Any]:
    if not tolerance:
        return {"verify_with": {"type": "DateMatch"}}
    found = _TOLERANCE.fullmatch(tolerance)
    if not found or found[2] not in ("", "day", "days") or not found[1].isdigit():
        raise UnfitAnswerError(f"{shown(tolerance)} is no tolerance of a date", "write a number of days, such as 3")
    return {"verify_with": {"type": "DateTolerance", "tolerance": int(found[1]), "unit": "days"}}


def _chosen(answer: str, allowed: list[str]) -> dict[str, Any]:
    if not allowed:
        raise UnfitAnswerError("a choice needs its allowed values", "list them in the column, separated by semicolons")
    truth = next((value for value in allowed if value.lower() == answer.strip().lower()), None)
    if truth is None:
        raise UnfitAnswerError(f"the answer {shown(answer)} is none of the allowed values", "add it, or correct it")
    description = "The answer to the question, one of the allowed values"
    values = [*dict.fromkeys(allowed)]
    return {
        "ground_truth": truth,
        "literal_values": values,
        "verify_with": {"type": "LiteralMatch"},
        "description": description,
    }


def rows_of_fields(fields: Sequence[TemplateField]) -> Fields:
    """Return the rows of a table for curators about the fields of a template."""
    return [
        [
            field.name,
            field.type,
            field.description or "",
            field.ground_truth,
            _method(field.primitive, field.parameters),
        ]
        for field in fields
    ]


def _method(primitive: str | None, parameters: Mapping[str, Any]) -> str:
    listed = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    return "" if primitive is None else f"{primitive}({listed})"


def edited_template(original: str | None, rows: Fields) -> str | None:
    """Return a template with the fields as curators left them: the original text where they left them as they were.

    Raises UnfitAnswerError where a row is no field, and where the original holds code that no table can edit.
    """
    read = read_template(original or "")
    if original and [_compared(row) for row in rows_of_fields(read.fields)] == [_compared(row) for row in rows]:
        return original
    if not rows:
        return original
    spec = spec_of(read) if original else TemplateSpec(fields=[])
    if spec is None or read.custom_code or read.plain_fields:
        raise UnfitAnswerError("its template holds code, which the table cannot edit", "edit the template itself")
    known = {field.name: field for field in spec.fields}
    fields = [_edited(row, known.get(cell_text(row[0]).strip())) for row in rows]
    try:
        return source_of(spec.model_copy(update={"fields": fields}))
    except WriteError as error:
        raise UnfitAnswerError(str(error), "correct the rows of the question") from None


def _compared(row: Sequence[Any]) -> list[str]:
    return [_flat(cell).strip() for cell in row]


def _flat(value: Any) -> str:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value) if isinstance(value, bool) else cell_text(value)


def _edited(row: Sequence[Any], known: TemplateFieldSpec | None) -> TemplateFieldSpec:
    name, kind, description, reference, method = (_flat(cell).strip() for cell in row)
    if (
        known is not None
        and _compared(row)[1:] == _compared([known.name, kind, known.description, known.ground_truth, method])[1:]
        and _call(method) == known.verify_with
    ):
        return known
    members = {} if known is None else known.model_dump()
    truth = members.get("ground_truth")
    if truth is None or _flat(truth).strip() != reference:
        truth = _typed(row[3], kind)
    members |= {"name": name, "type": kind, "description": description, "ground_truth": truth}
    members["verify_with"] = _call(method)
    if known is not None and known.type == "date" and kind == "str":
        members["type"] = "date"
    try:
        return TemplateFieldSpec.model_validate(members)
    except ValidationError as error:
        raise UnfitAnswerError(f"the field {shown(name)} does not fit: {faults_of(error)}", "correct its row") from None


def _typed(cell: Any, kind: str) -> Any:
    text = _flat(cell).strip()
    if kind in ("int", "float"):
        return number_in(text)[0]
    if kind == "bool":
        if text.lower() not in BOOLEAN_WORDS:
            raise UnfitAnswerError(
                f"the reference value {shown(text)} is neither true nor false", "write True or False"
            )
        return BOOLEAN_WORDS[text.lower()]
    if kind.startswith("list") or text.startswith("{"):
        try:
            return read_json(text.encode()).value
        except (ReadError, UnicodeEncodeError):
            return parts_of(text)
    return text


def _call(method: str) -> dict[str, Any]:
    """Return the primitive that a text such as `NumericTolerance(tolerance=1)` names; it is read, never run."""
    try:
        node = ast.parse(method, mode="eval").body
        if isinstance(node, ast.Name):
            return {"type": node.id}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.args:
            given = {part.arg: ast.literal_eval(part.value) for part in node.keywords if part.arg}
            return {**given, "type": node.func.id}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    remedy = "write a primitive with its parameters, such as NumericTolerance(tolerance=1, mode='absolute')"
    raise UnfitAnswerError(f"the verification method {shown(method)} is none", remedy)
