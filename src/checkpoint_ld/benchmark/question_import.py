"""Questions put into a benchmark from a table, a data frame or mappings: added, or updated by identifier or text."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.benchmark.answer_columns import UnfitAnswerError, edited_template
from checkpoint_ld.benchmark.editing import question_edit
from checkpoint_ld.benchmark.question_columns import DRAFT_ANSWER, lost, read_questions
from checkpoint_ld.benchmark.question_sources import of_mappings, records
from checkpoint_ld.benchmark.table_import import RUBRIC_SHEET, import_rubrics, sheets_of
from checkpoint_ld.phrases import counted, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from checkpoint_ld.benchmark.benchmark import Benchmark
    from checkpoint_ld.benchmark.question_columns import QuestionsRead
    from checkpoint_ld.findings import Finding

Json = dict[str, Any]

CUSTOM_ALIASES = (
    ("Source ID", "source_id", "id"),
    ("Area", "Functional Area", "functional_area"),
    ("Subcategories", "Subcategory", "subcategory"),
    ("Complexity", "complexity"),
)
"""The keys of custom metadata for source, area, subcategory and complexity; the first that is present counts."""
_ALIASES: dict[str, tuple[str, ...]] = {}
for _names in CUSTOM_ALIASES:
    _ALIASES |= dict.fromkeys(_names, _names)


class ImportedQuestions(NamedTuple):
    """The identifiers of the questions of an import: added, updated, and left as they are.

    `changes` describes what was updated, a line for each member. `absent` counts the questions of the benchmark that
    the source does not mention, which stay. `findings` are about content that does not fit.
    """

    added: tuple[str, ...]
    updated: tuple[str, ...]
    unchanged: tuple[str, ...]
    changes: tuple[str, ...]
    absent: int
    findings: tuple[Finding, ...]

    def summary(self) -> str:
        """Return the counts as one sentence."""
        parts = [f"{counted(len(self.added), 'question')} added", f"{len(self.updated)} updated"]
        parts += [f"{len(self.unchanged)} unchanged"]
        parts += [f"{self.absent} not in it and left as they are"] if self.absent else []
        return ", ".join(parts)


def import_questions(  # noqa: PLR0913 - one for each column, as extract_questions_from_file has them
    self: Benchmark,
    source: str | os.PathLike[str] | Iterable[Mapping[str, Any]] | Any,
    *,
    part: str | None = None,
    question_column: str | None = None,
    answer_column: str | None = None,
    keywords_columns: Sequence[Mapping[str, str]] | None = None,
    answer_notes_column: str | None = None,
    author_name_column: str | None = None,
    author_email_column: str | None = None,
    url_column: str | None = None,
    custom_metadata_columns: Sequence[str] | None = None,
) -> ImportedQuestions:
    """Add the questions of a table, or update those that are there already, by identifier or else by text.

    `source` is the path of a table (`.csv`, `.tsv`, `.txt`, `.xlsx` with `part` as its sheet, `.jsonl`, `.json`), a
    data frame of pandas or polars, or mappings by the names of columns. Columns that are not given are found by their
    usual names; further columns become custom metadata. Columns about the answer (type, tolerance, synonyms, unit,
    allowed values) become a template, and the fields in a table for curators change it. An empty cell changes nothing.
    A question without an answer is a draft, which is not finished.

    Raises LookupFailedError for a column that is missing or could be several, ReadError for what is no table.
    """
    path = os.fspath(source) if isinstance(source, str | os.PathLike) else None
    name = path or "the table"
    found = of_mappings(source) if path is None else records(path, part=part)
    read = read_questions(
        found,
        name,
        question_column=question_column,
        answer_column=answer_column,
        keywords_columns=keywords_columns,
        answer_notes_column=answer_notes_column,
        author_name_column=author_name_column,
        author_email_column=author_email_column,
        url_column=url_column,
        custom_metadata_columns=custom_metadata_columns,
    )
    imported = put_questions(self, read)
    if path is not None and (rubric := curated_rubric(self, path, read)):
        return imported._replace(findings=(*imported.findings, *rubric))
    return imported


def curated_rubric(benchmark: Benchmark, path: str, read: QuestionsRead) -> tuple[Finding, ...]:
    """Take the traits of the workbook for curators that questions were read from; return findings about them."""
    is_there = bool(read.fields) and RUBRIC_SHEET in sheets_of(path)
    return import_rubrics(benchmark, path, RUBRIC_SHEET) if is_there else ()


def put_questions(benchmark: Benchmark, read: QuestionsRead) -> ImportedQuestions:
    """Put the questions of a source into a benchmark, all of them or none if one is refused."""
    held = _HeldQuestions(benchmark, read.named)
    added, updates, unchanged = list[Json](), list[tuple[str, Json]](), list[str]()
    changes: list[str] = []
    findings: list[Finding] = []
    for at, question in enumerate(read.questions):
        identifier = held.match(question)
        current = benchmark.get_question(identifier) if identifier is not None else None
        if at in read.fields:
            before = question.get("answer_template") or (current or {}).get("answer_template")
            try:
                question["answer_template"] = edited_template(before, read.fields[at])
            except UnfitAnswerError as error:
                question["answer_template"] = before
                row = read.places[at]
                findings.append(lost(f"{error}: its template stays as it is", row.place, row.subject, error.remedy))
        if identifier is None or current is None:
            added.append(question)
            continue
        edit = _edit(question, current, read.members, is_finished=identifier in held.finished)
        if edit:
            updates.append((identifier, edit))
            changes += _described(current, edit)
        else:
            unchanged.append(identifier)
    for identifier, edit in updates:  # refuses before anything is changed
        question_edit(edit, lambda identifier=identifier: benchmark.get_question_as_object(identifier))  # type: ignore[misc]
    new = benchmark.add_questions(added)
    for identifier, edit in updates:
        benchmark.update_question_metadata(identifier, **edit)
    absent = len(held.identifiers) - len(updates) - len(unchanged)
    updated = tuple(identifier for identifier, _ in updates)
    return ImportedQuestions(tuple(new), updated, tuple(unchanged), tuple(changes), absent, (*read.findings, *findings))


class _HeldQuestions:
    """The questions of a benchmark before an import, by identifier, by a number of their own, and by text."""

    def __init__(self, benchmark: Benchmark, named: str | None) -> None:
        self.identifiers = benchmark.get_question_ids()
        self._named = named
        self._left = {*self.identifiers}
        self.finished = {*benchmark.get_finished_questions(ids_only=True)}
        self._texts, self._numbers = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
        for question in benchmark.get_all_questions() if self.identifiers else ():
            self._texts[question["question"].strip()].append(question["id"])
            number = (question["custom_metadata"] or {}).get(named) if named else None
            if number not in (None, ""):
                self._numbers[str(number)].append(question["id"])

    def match(self, question: Json) -> str | None:
        """Return the question that is meant, which is then taken, None for a new one."""
        number = (question.get("custom_metadata") or {}).get(self._named) if self._named else None
        able: list[str | None] = [question.get("question_id"), *self._numbers.get(str(number), ())]
        # A number that others have with another text is only followed where the text is not there.
        texts = self._texts.get(question["question"].strip(), [])
        for identifier in (*able[:1], *(one for one in texts if one in able), *able[1:], *texts):
            if identifier is not None and identifier in self._left:
                self._left.discard(identifier)
                return identifier
        return None


def _edit(question: Json, current: Json, members: frozenset[str], *, is_finished: bool) -> Json:
    """Return the members that differ from those of a question; an empty cell changes nothing."""
    edit: Json = {}
    for name in sorted(members - {"finished"}):
        new, old = question.get(name), current.get(name)
        match name:
            case "raw_answer" if new == DRAFT_ANSWER:
                continue
            case "custom_metadata":
                new = {**(old or {}), **_renamed(new or {}, old or {})}
            case "author":
                new = {**(old or {}), **(new or {})}
            case "keywords" if sorted(new or ()) == sorted(old or ()):
                continue
        if new not in (None, "", [], {}) and new != old:
            edit[name] = new
    stated = question.get("finished") if "finished" in members and question["raw_answer"] != DRAFT_ANSWER else None
    # A draft that gets its answer and its template is what a new question with both would be.
    is_whole = current["raw_answer"] == DRAFT_ANSWER and {"raw_answer", "answer_template"} <= edit.keys()
    wanted = is_whole or is_finished if stated is None else stated
    return edit if wanted is is_finished else {**edit, "finished": wanted}


def _renamed(new: Json, old: Json) -> Json:
    """Return custom metadata under the keys that the question has for the same thing."""
    return {next((key for key in _ALIASES.get(name, ()) if key in old), name): value for name, value in new.items()}


def _described(current: Json, edit: Json) -> list[str]:
    lines = []
    for name, new in edit.items():
        old: Any = not new if name == "finished" else current.get(name)
        pairs: list[tuple[str, Any, Any]] = [(name.replace("_", " "), old, new)]
        if name == "custom_metadata":
            pairs = [(key, (old or {}).get(key), value) for key, value in new.items() if (old or {}).get(key) != value]
        for label, before, after in pairs:
            what = "changed" if name == "answer_template" else f"{_short(before)} → {_short(after)}"
            lines.append(f"{shown(current['question'])}: {label} {what}")
    return lines


def _short(value: Any) -> str:
    """Return a value in a few words: a text as it is, a list of texts as one."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        value = ", ".join(value)
    return "nothing" if value in (None, "", {}) else shown(value)
