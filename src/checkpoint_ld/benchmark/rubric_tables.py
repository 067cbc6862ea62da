"""Rubrics out of tables: a trait to a row, of the whole benchmark or of one question."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from checkpoint_ld.benchmark.question_names import QuestionNames
from checkpoint_ld.benchmark.table_import import NUMBER, cell_text, table_rows
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.entities import DynamicRubric, Rubric
from checkpoint_ld.errors import CheckpointLdError, LookupFailedError
from checkpoint_ld.findings import Place
from checkpoint_ld.mapping.traits import FAMILIES
from checkpoint_ld.phrases import shown
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.benchmark.benchmark import Benchmark
    from checkpoint_ld.entities import AnyTrait
    from checkpoint_ld.findings import Finding

    Cells = Mapping[str, Any]
    Scope = tuple[str | None, bool]
    """The question whose rubric it is, None for that of the benchmark, and whether it is the dynamic one."""

_OTHER_NAMES = {
    "question": "question_id",
    "trait": "name",
    "trait_name": "name",
    "trait_type": "type",
    "min": "min_score",
    "max": "max_score",
    "direction": "higher_is_better",
    "code": "callable_code",
}
"""What columns are called besides, in small letters with `_` for spaces."""
_OWN = frozenset(("question_id", "type", "dynamic", "scope"))
_TEXTS = frozenset(
    ("name", "description", "summary", "pattern", "callable_code", "evaluation_mode", "context_mode", "kind")
)
_LISTS = frozenset(("metrics", "tp_instructions", "tn_instructions"))
_WORDS = {"true": True, "yes": True, "false": False, "no": False, "higher": True, "lower": False, "none": None}
_TELLING = {"pattern": "regex", "callable_code": "callable", "metrics": "metric", "tp_instructions": "metric"}
"""The columns that tell of which type a trait is where no column says so."""
_PARTS = re.compile(r"[;\n]")
_KINDS = ("boolean", "score", "literal", "template")
_SETTINGS = frozenset(name for model in FAMILIES.values() for name in model.model_fields)
_NEEDED = frozenset(("callable_code", "pattern"))
"""What a trait has to say, be it that it has none, of which the message is then better."""


class _UnfitError(Exception):
    """Why a row is left out: the column, if it is one, what is wrong, and what to do."""

    def __init__(self, column: str, message: str, remedy: str) -> None:
        super().__init__(message)
        self.column, self.remedy = column, remedy


def import_rubrics(benchmark: Benchmark, file: str | os.PathLike[str], sheet: str | None) -> tuple[Finding, ...]:
    """Put the traits of a table into the rubrics of a benchmark; see `Benchmark.import_rubrics`."""
    path = os.fspath(file)
    rows = table_rows(path, sheet)
    written = [cell_text(one).strip() for one in next(rows, ())]
    columns = [_column(one) for one in written]
    if "name" not in columns:
        listed = ", ".join(map(repr, filter(None, written))) or "none"
        raise LookupFailedError(f"there is no column 'name', with the names of traits, in {path}: there are {listed}")
    table = _Table(path, dict(reversed([*zip(columns, written, strict=True)])), QuestionNames(benchmark.graph))
    for number, row in enumerate(rows, 2):
        cells = {one: cell for one, cell in zip(columns, row, strict=False) if one and cell_text(cell).strip()}
        if cells:
            table.add(number, cells)
    for (question, is_dynamic), traits in table.traits.items():
        _put(benchmark, question, traits, is_dynamic=is_dynamic)
    return tuple(table.findings)


def _column(name: str) -> str:
    plain = re.sub(r"[\s-]+", "_", name.lower())
    return _OTHER_NAMES.get(plain, plain)


def _put(benchmark: Benchmark, question: str | None, traits: Mapping[str, AnyTrait], *, is_dynamic: bool) -> None:
    """Put traits into a rubric: each in the place of the one with its name, or at the end."""
    if question is None:
        held = benchmark.get_global_dynamic_rubric() if is_dynamic else benchmark.get_global_rubric()
        change = benchmark.set_global_dynamic_rubric if is_dynamic else benchmark.set_global_rubric
        change([*{**_by_name(held), **traits}.values()])
        return
    held = (benchmark.get_question_dynamic_rubric if is_dynamic else benchmark.get_question_rubric)(question)
    wanted = [*{**_by_name(held), **traits}.values()]
    (benchmark.set_question_dynamic_rubric if is_dynamic else benchmark.set_question_rubric)(question, wanted)


def _by_name(rubric: Rubric | DynamicRubric | None) -> dict[str, AnyTrait]:
    return {} if rubric is None else {one.name: one for one in rubric.traits()}


class _Table:
    """What was read of a table so far: traits by rubric and name, and what did not fit."""

    def __init__(self, path: str, written: Mapping[str, str], names: QuestionNames) -> None:
        self.traits: dict[Scope, dict[str, AnyTrait]] = {}
        self.findings: list[Finding] = []
        self._path, self._written, self._names = path, written, names
        for column, name in written.items():
            if column and column not in _SETTINGS | _OWN:
                message = f"the column {name!r} says nothing about a trait and is left out"
                self._note(message, "call it as the field of a trait is called, if it is one")

    def _note(self, message: str, remedy: str) -> None:
        self.findings.append(replace(finding("loss", message, remedy=remedy), place=Place(self._path)))

    def add(self, number: int, cells: Cells) -> None:
        """Add the trait of a row, or note why it is left out."""
        try:
            scope = self._scope(cells)
            trait = self._trait(number, cells)
            try:
                (DynamicRubric if scope[1] else Rubric).from_traits([trait])
            except ValidationError as error:
                raise _unfit(error) from None
            if trait.name in self.traits.setdefault(scope, {}):
                message = f"a row above has a trait {trait.name!r} of the same rubric"
                raise _UnfitError("name", message, "keep one of both")
            self.traits[scope][trait.name] = trait
        except _UnfitError as error:
            self._note(f"{self._where(number, error.column)}: {error}, and the row is left out", error.remedy)

    def _where(self, number: int, column: str) -> str:
        return f"row {number}" + (f", column {self._written.get(column, column)!r}" if column else "")

    def _scope(self, cells: Cells) -> Scope:
        asked, is_dynamic = cell_text(cells.get("question_id")).strip(), _plain(cells.get("dynamic", False))
        if not isinstance(is_dynamic, bool):
            raise _UnfitError("dynamic", f"{shown(str(is_dynamic))} is no truth value", "write true or false")
        if not asked:
            if cell_text(cells.get("scope")).strip().lower().startswith("question"):
                raise _UnfitError("question_id", "the question is not named", "give its identifier or its text")
            return None, is_dynamic
        try:
            return self._names.identifier(asked, asked), is_dynamic
        except LookupFailedError as error:
            message = str(error).partition(": give")[0]
            remedy = "give the identifier of a question or its text, or nothing for a trait of the whole benchmark"
            raise _UnfitError("question_id", message, remedy) from None

    def _trait(self, number: int, cells: Cells) -> AnyTrait:
        family = _family(cells)
        model = FAMILIES[family]
        settings = {name: _setting(name, cell) for name, cell in cells.items() if name in model.model_fields}
        for name in (cells.keys() & _SETTINGS) - settings.keys():
            if not (name == "kind" and cell_text(cells[name]).lower() in {family, *_KINDS}):
                where = self._where(number, name)
                message = f"{where}: a trait of type {family} has no {name}, which is left out"
                self._note(message, "empty the cell, or give the trait another type")
        if "kind" in model.model_fields and settings.get("kind", family) == family:
            ranged = {"min_score", "max_score"} & settings.keys()
            settings["kind"] = "literal" if "classes" in settings else "score" if ranged else "boolean"
        try:
            return model.model_validate({**dict.fromkeys(_NEEDED & model.model_fields.keys()), **settings})
        except ValidationError as error:
            raise _unfit(error) from None


def _family(cells: Cells) -> str:
    """Return the type of a trait: what `type` says, or `kind`, or else what the cells that are filled are about."""
    for column in ("type", "kind"):
        said = cell_text(cells.get(column)).strip().lower()
        if said in FAMILIES:
            return said
        if said and column == "type":
            raise _UnfitError("type", f"{shown(said)} is no type of trait", f"write one of {', '.join(FAMILIES)}")
    return next((family for column, family in _TELLING.items() if column in cells), "llm")


def _setting(name: str, cell: Any) -> Any:
    """Return what a cell says as the value of a setting: texts, lists, JSON, numbers, truth values."""
    text = cell_text(cell).strip()
    if text.startswith(("[", "{")) and name not in _TEXTS - {"kind"}:
        try:
            return read_json(text.encode()).value
        except (CheckpointLdError, UnicodeEncodeError) as error:
            raise _UnfitError(name, f"{shown(text)} is no JSON", "correct it, or write a part to a line") from error
    if name in _TEXTS:
        return text.lower() if name == "kind" else text
    if name in _LISTS:
        return _parts(text)
    if name == "classes":
        parts = (part.partition(":") for part in _parts(text))
        return {before.strip(): after.strip() for before, _, after in parts}
    return _plain(cell)


def _parts(text: str) -> list[str]:
    return [one.strip() for one in _PARTS.split(text) if one.strip()]


def _plain(cell: Any) -> Any:
    """Return the number or the truth value that a cell says, or else what it holds."""
    text = cell_text(cell).strip()
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    return json.loads(text) if NUMBER.fullmatch(text) else cell


def _unfit(error: ValidationError) -> _UnfitError:
    """Return why a row is left out, by what the model of its trait refuses."""
    fault = error.errors()[0]
    column = str(fault["loc"][0]) if fault["loc"] else ""
    message, value = fault["msg"].removeprefix("Value error, "), shown(str(fault.get("input")))
    if fault["type"] == "missing":
        return _UnfitError(column, f"the trait has no {column}", "fill the cell")
    if fault["type"] == "value_error":  # what to do is said in the message
        return _UnfitError(column, message, "")
    if column == "higher_is_better":
        return _UnfitError(column, f"{value} is no direction", "write higher, lower or none")
    return _UnfitError(column, f"{value} does not fit: {message[:1].lower()}{message[1:]}", "correct it")
