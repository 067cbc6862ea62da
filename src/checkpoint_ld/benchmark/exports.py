"""Exports of a benchmark as records, tables, Markdown, JSON, and the table for curators: methods of `Benchmark`.

Each reads the `BenchmarkContent` of the graph; `checkpoint_ld.tables` writes the tables. `written` is the door for
`Benchmark.export_to_file` and the command `export`.
"""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from checkpoint_ld.benchmark.answer_columns import rows_of_fields
from checkpoint_ld.benchmark.content import traits_of
from checkpoint_ld.benchmark.overview import summary
from checkpoint_ld.benchmark.question_import import CUSTOM_ALIASES
from checkpoint_ld.benchmark.table_import import CURATION_COLUMNS, RUBRIC_SHEET, TEMPLATE_COLUMNS, TEMPLATE_SHEET
from checkpoint_ld.dialects.dialect import text_of
from checkpoint_ld.dialects.traits import LEGACY_PROPERTIES
from checkpoint_ld.documents.files import kind_of, replace_file
from checkpoint_ld.documents.text import Layout, dump_json
from checkpoint_ld.entities.traits import ScoredTrait
from checkpoint_ld.errors import SettingsError, WriteError
from checkpoint_ld.frames import cell_of, columns_of, data_frame
from checkpoint_ld.mapping.questions import MEMBERS, TEXT, TRAITS, TYPE, frame, frame_for, named
from checkpoint_ld.mapping.traits import PROPERTY, RATING, family_of
from checkpoint_ld.phrases import unknown
from checkpoint_ld.tables import Sheet, line, paragraphs, parquet, workbook
from checkpoint_ld.tables import table as comma_separated
from checkpoint_ld.templates import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.benchmark.content import BenchmarkContent, QuestionContent
    from checkpoint_ld.entities import AnyTrait, DynamicRubric, Rubric
    from checkpoint_ld.frames import FrameLibrary
    from checkpoint_ld.tables import Formulas
    from checkpoint_ld.templates import TemplateField

    Rubrics: TypeAlias = tuple[Rubric | None, DynamicRubric | None]

Json = dict[str, Any]
Cell: TypeAlias = str | int | float
Table: TypeAlias = Literal["questions", "fields", "traits"]
Record = dict[str, Any]
"""A row by the names of its columns; every record of one table has the same columns."""

_QUESTIONS = frame(
    text=None,
    acceptedAnswer=TEXT,
    dateCreated=None,
    dateModified=None,
    keywords=None,
    hasPart=TEXT,
    additionalProperty=PROPERTY,
    rating=TYPE,
    globalRubric=None,
)
"""The frame of feed items for tables of questions and of fields: all but the settings of traits."""
_DOCUMENT = frame(
    text=None,
    acceptedAnswer=TEXT,
    hasPart=TEXT,
    rating=RATING,
    additionalProperty=named("finished", *LEGACY_PROPERTIES),
    globalRubric=None,
)
"""The frame of feed items for a document."""
_CSV_COLUMNS = {
    "Question": "question",
    "Raw Answer": "raw_answer",
    "Has Template": "answer_template",
    "Finished": "finished",
    "Author": "author",
    "Created": "date_created",
    "Modified": "date_modified",
}
"""The members for the columns after that of the identifier."""
_CSV_EXTRA = {"keywords": "keywords", "sources": "sources", "custom": "custom_metadata"}
"""The members for the optional columns after them."""
_QUESTION_COLUMNS: dict[str, Callable[[QuestionContent], Any]] = {
    "question_id": lambda question: question.id,
    "question": lambda question: question.members["question"],
    "raw_answer": lambda question: question.members["raw_answer"],
    "has_template": lambda question: question.has_template,
    "finished": lambda question: question.finished,
    "author": lambda question: question.author,
    "created": lambda question: question.members["date_created"],
    "modified": lambda question: question.members["date_modified"],
    "keywords": lambda question: question.members["keywords"],
    "has_rubric": lambda question: question.has_rubric,
    "template_mode": lambda question: question.template.level.value,
    "verified_field_count": lambda question: len(question.template.fields),
}
_FIELD_COLUMNS: dict[str, Callable[[QuestionContent, TemplateField], Any]] = {
    "question_id": lambda question, _: question.id,
    "question": lambda question, _: question.members["question"],
    "field_name": lambda _, field: field.name,
    "field_type": lambda _, field: field.type,
    "description": lambda _, field: field.description,
    "extraction_hint": lambda _, field: field.extraction_hint,
    "ground_truth": lambda _, field: cell_of(field.ground_truth),
    "literal_values": lambda _, field: None if field.literal_values is None else list(field.literal_values),
    "primitive": lambda _, field: field.primitive,
    "parameters": lambda _, field: cell_of(dict(field.parameters)),
    "weight": lambda _, field: field.weight,
    "is_trace": lambda _, field: field.is_trace,
}
_TRAIT_COLUMNS: dict[str, Callable[[str | None, AnyTrait, bool], Any]] = {
    "scope": lambda question_id, *_: "global" if question_id is None else "question",
    "question_id": lambda question_id, *_: question_id,
    "type": lambda _, trait, __: family_of(trait),
    "dynamic": lambda _, __, is_dynamic: is_dynamic,
    "name": lambda _, trait, __: trait.name,
    "kind": lambda _, trait, __: _kind_of(trait),
    "min": lambda _, trait, __: getattr(trait, "min_score", None),
    "max": lambda _, trait, __: getattr(trait, "max_score", None),
    "higher_is_better": lambda _, trait, __: trait.higher_is_better,
    "description": lambda _, trait, __: trait.description,
}
"""The columns of the three tables, which a table without rows has as well."""
_LINE = Layout(indent=None, end="\n")
_UNREADABLE = (Level.SYNTAX_ERROR, Level.NO_ANSWER_CLASS)
EXTENSIONS = {
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".markdown": "markdown",
    ".jsonld": "jsonld",
    ".xlsx": "workbook",
    ".jsonl": "records",
    ".ndjson": "records",
    ".parquet": "parquet",
}
_FORMATS = tuple(dict.fromkeys(EXTENSIONS.values()))


def to_records(self: Benchmark) -> list[Record]:
    """Return a flat record for each question; custom metadata are columns `custom.KEY`."""
    return _question_records(self._content(_QUESTIONS))


def fields_records(self: Benchmark) -> list[Record]:
    """Return a flat record for each verified field of a template."""
    return _field_records(self._content(_QUESTIONS))


def traits_records(self: Benchmark) -> list[Record]:
    """Return a flat record for each trait, those of the whole benchmark first."""
    return _trait_records(self._content(TRAITS))


def to_dataframe(self: Benchmark, table: Table = "questions", *, library: FrameLibrary = "pandas") -> Any:
    """Return the records of a table (`questions`, `fields`, `traits`) as a data frame of pandas or polars.

    Raises SettingsError for another table or library, and where the library is not installed.
    """
    tables: dict[str, tuple[Callable[[Benchmark], list[Record]], Iterable[str]]] = {
        "questions": (to_records, _QUESTION_COLUMNS),
        "fields": (fields_records, _FIELD_COLUMNS),
        "traits": (traits_records, _TRAIT_COLUMNS),
    }
    if table not in tables:
        raise SettingsError(unknown("table", table, tables))
    records, columns = tables[table]
    return data_frame(columns_of(records(self), columns), library)


def to_csv(self: Benchmark, *, extra: Collection[str] = (), formulas: Formulas = "keep") -> str:
    """Return the table of questions as comma-separated values with CRLF line ends (RFC 4180).

    There are eight columns, and then those of `extra`: `keywords`, `sources` (their number), `custom` (custom
    metadata). `formulas="escape"` puts an apostrophe before texts that a spreadsheet would run. Raises SettingsError.
    """
    wanted = tuple(extra)
    members = {name: _CSV_EXTRA[name] for name in wanted if name in _CSV_EXTRA}
    unknown = [name for name in wanted if name not in members]
    if unknown:
        raise SettingsError(f"there is no extra column {unknown[0]!r}: choose from {', '.join(_CSV_EXTRA)}")
    content = self._content(frame_for((*_CSV_COLUMNS.values(), *members.values())))
    keys = _custom_keys(content) if "custom" in wanted else []
    counted = [name for name in ("keywords", "sources") if name in wanted]
    rows = [["Question ID", *_CSV_COLUMNS, *map(str.capitalize, counted), *keys]]
    for question in content.questions:
        stated, custom = question.members, question.members["custom_metadata"] or {}
        own = {
            **stated,
            "answer_template": "Yes" if question.has_template else "No",
            "finished": "Yes" if question.finished else "No",
            "author": question.author,
            "keywords": "; ".join(stated["keywords"]),
            "sources": str(len(stated["sources"] or ())),
        }
        row = [own[name] for name in (*_CSV_COLUMNS.values(), *counted)]
        rows.append([question.id, *row, *(text_of(cell_of(custom.get(key))) for key in keys)])
    return comma_separated(rows, formulas=formulas)


def to_markdown(self: Benchmark) -> str:
    """Return the benchmark as a document in Markdown, with the traits of all kinds."""
    return "\n".join(_document_lines(self._content(_DOCUMENT))) + "\n"


def to_dict(self: Benchmark) -> Json:
    """Return metadata, statistics, questions and global rubrics as plain JSON."""
    content = self._content(MEMBERS)
    static, dynamic = map(_dumped, content.rubrics)
    return {
        "metadata": {**content.metadata},
        "statistics": summary(content),
        "questions": [
            {
                "id": question.id,
                **{name: value for name, value in question.members.items() if "rubric" not in name},
                **dict(
                    zip(("question_rubric", "question_dynamic_rubric"), map(_dumped, question.rubrics), strict=True)
                ),
                "finished": question.finished,
            }
            for question in content.questions
        ],
        "global_rubric": static,
        "global_dynamic_rubric": dynamic,
    }


def export_curation_workbook(self: Benchmark, path: str | os.PathLike[str]) -> Json:
    """Write the table for curators, a row for each verified field, to exactly `path`.

    `.xlsx` is a workbook with a second sheet of counts (extra `openpyxl`), `.csv` the table alone, in which
    formulas are escaped. Returns the counts. Raises SettingsError for other extensions, and WriteError.
    """
    extension = PurePath(os.fspath(path)).suffix.lower()
    if extension not in (".xlsx", ".csv"):
        raise SettingsError(f"{os.fspath(path)}: a curation table is written as .xlsx or .csv")
    data, counts = _curation_table(self._content(MEMBERS if extension == ".xlsx" else _QUESTIONS), extension)
    replace_file(path, data)
    return {"output_path": os.fspath(path), **counts}


def format_of(path: str | os.PathLike[str], wanted: str) -> str:
    """Return the format to write: `wanted`, or for `auto` that of the extension. Raises SettingsError, WriteError."""
    if wanted == "auto":
        return kind_of(path, EXTENSIONS, "json")
    wanted = "markdown" if wanted == "md" else wanted
    if wanted not in _FORMATS:
        raise SettingsError(unknown("export format", wanted, ("auto", *_FORMATS)))
    return wanted


def written(benchmark: Benchmark, kind: str) -> bytes:
    """Return a benchmark in a format that `format_of` returns.

    Raises WriteError for texts that UTF-8 or JSON cannot hold, SettingsError where openpyxl or polars is not installed.
    """
    made: dict[str, Callable[[], bytes]] = {
        "json": lambda: dump_json(benchmark.to_dict()),
        "csv": lambda: benchmark.to_csv().encode(),
        "markdown": lambda: benchmark.to_markdown().encode(),
        "jsonld": lambda: dump_json(benchmark.to_jsonld()),
        "workbook": lambda: _curation_table(benchmark._content(MEMBERS), ".xlsx")[0],  # noqa: SLF001 - as its methods
        "records": lambda: b"".join(dump_json(record, _LINE) for record in benchmark.to_records()),
        "parquet": lambda: parquet(columns_of(benchmark.to_records(), _QUESTION_COLUMNS)),
    }
    try:
        return made[kind]()
    except UnicodeEncodeError as error:
        raise no_encoding(error) from None


def no_encoding(error: UnicodeEncodeError) -> WriteError:
    """Return the exception for a text that UTF-8 cannot hold."""
    return WriteError(f"a text holds half a surrogate pair ({error.object[error.start]!a}): correct it")


def _question_records(content: BenchmarkContent) -> list[Record]:
    keys = _custom_keys(content)
    return [
        {
            **{name: cell(question) for name, cell in _QUESTION_COLUMNS.items()},
            **{f"custom.{key}": cell_of((question.members["custom_metadata"] or {}).get(key)) for key in keys},
        }
        for question in content.questions
    ]


def _custom_keys(content: BenchmarkContent) -> list[str]:
    return list(
        dict.fromkeys(key for question in content.questions for key in question.members["custom_metadata"] or ())
    )


def _field_records(content: BenchmarkContent) -> list[Record]:
    return [
        {name: cell(question, field) for name, cell in _FIELD_COLUMNS.items()}
        for question in content.questions
        for field in question.template.fields
    ]


def _trait_records(content: BenchmarkContent) -> list[Record]:
    scopes: list[tuple[str | None, Rubrics]] = [(None, content.rubrics)]
    scopes += [(question.id, question.rubrics) for question in content.questions]
    return [
        {name: cell(question_id, trait, is_dynamic) for name, cell in _TRAIT_COLUMNS.items()}
        for question_id, rubrics in scopes
        for trait, is_dynamic in traits_of(rubrics)
    ]


def _kind_of(trait: AnyTrait) -> str:
    """Return the kind of result of a trait: boolean, score, literal, template, or metric for its metrics."""
    kind = getattr(trait, "kind", "metric" if family_of(trait) == "metric" else "boolean")
    return kind if isinstance(kind, str) else "template"


def scale_of(trait: AnyTrait) -> str:
    """Return what results a trait can have, in words: the whole range of scores, the classes, or the metrics."""
    kind = _kind_of(trait)
    match kind:
        case "boolean":
            return "yes or no"
        case "metric":
            return ", ".join(getattr(trait, "metrics", ()))
        case "literal":
            return ", ".join(getattr(trait, "classes", None) or ())
        case "score":
            lowest, highest = getattr(trait, "min_score", None), getattr(trait, "max_score", None)
            if isinstance(trait, ScoredTrait):
                lowest, highest = trait.score_range()
            return "score" if lowest is None and highest is None else f"{_bound(lowest)} to {_bound(highest)}"
    return kind


def _bound(bound: float | None) -> str:
    return "any" if bound is None else f"{bound:g}"


def _document_lines(content: BenchmarkContent) -> Iterator[str]:
    about, listed = content.metadata, content.questions
    finished = sum(question.finished for question in listed)
    yield f"# {line(about['name'] or '')}"
    if about["description"]:
        yield f"\n{paragraphs(about['description'])}"
    yield "\n## Metadata\n"
    labels = {"Version": "version", "Creator": "creator", "Created": "created_at", "Modified": "modified_at"}
    yield from (f"- **{label}:** {line(value)}" for label, name in labels.items() if (value := about[name]))
    yield "\n## Statistics\n"
    yield f"- **Questions:** {len(listed)}"
    yield f"- **Finished:** {finished}"
    yield f"- **Progress:** {finished / len(listed) * 100 if listed else 0:.1f}%"
    yield f"- **Has Templates:** {sum(question.has_template for question in listed)}"
    yield from _rubric("## Global Rubric", content.rubrics)
    if content.scenarios:
        yield "\n## Scenarios\n"
    yield from (
        _named(text_of(scenario.get("name")), "", text_of(scenario.get("description")))
        for scenario in content.scenarios
    )
    if listed:
        yield "\n## Questions"
    for number, question in enumerate(listed, 1):
        status = "✅ finished" if question.finished else "❌ not finished"
        template = "📝 present" if question.has_template else "❌ missing"
        yield f"\n### {number}. {line(question.members['question'])}"
        yield f"\n**Status:** {status} | **Template:** {template}"
        if question.members["raw_answer"]:
            yield f"\n**Expected Answer:** {paragraphs(question.members['raw_answer'])}"
        yield from _rubric("**Rubric:**", question.rubrics)


def _rubric(title: str, rubrics: Rubrics) -> Iterator[str]:
    listed = traits_of(rubrics)
    if listed:
        yield f"\n{title}\n"
    for trait, is_dynamic in listed:
        words = ", ".join(dict.fromkeys((family_of(trait), _kind_of(trait))))
        yield _named(trait.name, f" ({'dynamic ' if is_dynamic else ''}{words})", trait.description)


def _named(name: str, what: str, description: str | None) -> str:
    return f"- **{line(name)}**{what}{f': {line(description)}' if description else ''}"


def _dumped(rubric: Rubric | DynamicRubric | None) -> Json | None:
    return None if rubric is None else rubric.model_dump(mode="json")


def _curation_table(content: BenchmarkContent, extension: str) -> tuple[bytes, Json]:
    rows: list[list[Cell]] = [list(CURATION_COLUMNS)]
    for number, question in enumerate(content.questions, 1):
        about, status = _about(number, question), _status(question)
        fields = [[*map(_cell, row)] for row in rows_of_fields(question.template.fields)] or [[""] * 5]
        rows += [[*about, *field, status] for field in fields]
    finished = sum(question.finished for question in content.questions)
    unreadable = [
        question for question in content.questions if question.has_template and question.template.level in _UNREADABLE
    ]
    counts = {
        "question_count": len(content.questions),
        "field_count": sum(len(question.template.fields) for question in content.questions),
        "draft_count": len(content.questions) - finished,
        "finished_count": finished,
        "template_parse_error_count": len(unreadable),
    }
    if extension == ".csv":
        return comma_separated(rows, formulas="escape").encode(errors="replace"), counts
    labels = ("Questions", "Fields", "Drafts", "Finished", "Template Parse Errors")
    totals: list[list[Cell]] = [["Benchmark", content.metadata["name"] or ""]]
    totals += [[label, count] for label, count in zip(labels, counts.values(), strict=True)]
    templates: list[list[Cell]] = [list(TEMPLATE_COLUMNS)]
    templates += [
        [number, question.id, question.members["answer_template"] if question.has_template else ""]
        for number, question in enumerate(content.questions, 1)
    ]
    sheets = [Sheet("Curation Review", rows), Sheet("Summary", totals), Sheet(TEMPLATE_SHEET, templates)]
    traits = _rubric_rows(content)
    return workbook([*sheets, Sheet(RUBRIC_SHEET, traits)] if len(traits) > 1 else sheets), counts


def _rubric_rows(content: BenchmarkContent) -> list[list[Cell]]:
    """Return the traits as a table for `Benchmark.import_rubrics`, with the settings that differ from usual."""
    scopes: list[tuple[str, Rubrics]] = [("", content.rubrics)]
    scopes += [(question.id, question.rubrics) for question in content.questions]
    found = [
        {"question_id": name, "type": family_of(trait), "dynamic": "true" if is_dynamic else "", **_settings(trait)}
        for name, rubrics in scopes
        for trait, is_dynamic in traits_of(rubrics)
    ]
    names = [*dict.fromkeys(name for row in found for name in row)]
    return [[*names], *([_cell(row.get(name, "")) for name in names] for row in found)]


def _settings(trait: AnyTrait) -> Json:
    """Return the members of a trait that are needed to make it again, `kind` among them."""
    held = trait.model_dump(mode="json", exclude_defaults=True)
    if getattr(trait, "kind", None) == "literal":
        held = {name: value for name, value in held.items() if name not in ("min_score", "max_score")}
    if "higher_is_better" in type(trait).model_fields and trait.higher_is_better is None:
        held["higher_is_better"] = "none"
    return {name: value for name, value in held.items() if value is not None}


def _about(number: int, question: QuestionContent) -> list[Cell]:
    custom = question.members["custom_metadata"] or {}
    source, *about = (
        next((_cell(custom[key]) for key in keys if custom.get(key) is not None), "") for keys in CUSTOM_ALIASES
    )
    texts = (question.members["question"], question.members["raw_answer"])
    return [number, source, *texts, *about, "Finished" if question.finished else "Draft"]


def _cell(value: Any) -> Cell:
    """Return a value as a cell: a number stays a number, a boolean is True or False, as in Karenina."""
    if isinstance(value, bool):
        return str(value)
    return value if isinstance(value, int | float) else text_of(cell_of(value))


def _status(question: QuestionContent) -> str:
    if not question.has_template:
        return "No generated template"
    if question.template.level in _UNREADABLE:
        return f"Parse error: {'; '.join(problem.message for problem in question.template.problems)}"
    return "Parsed" if question.template.fields else "No verified fields found"
