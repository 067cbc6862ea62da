"""A benchmark as flat records, comma-separated values, Markdown and one JSON value of plain objects."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from checkpoint_ld import emission
from checkpoint_ld.benchmark.overview import summary
from checkpoint_ld.dialects.traits import LEGACY_PROPERTIES
from checkpoint_ld.documents.files import kind_of
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.errors import SettingsError, WriteError
from checkpoint_ld.mapping.properties import text_of
from checkpoint_ld.mapping.questions import frame, frame_for, named
from checkpoint_ld.mapping.traits import family_of
from checkpoint_ld.tables import line, paragraphs, table

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterator, Mapping

    from checkpoint_ld.benchmark.content import BenchmarkContent, QuestionContent
    from checkpoint_ld.entities import AnyTrait, DynamicRubric, Rubric
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.object_reading import Frame
    from checkpoint_ld.tables import Formulas
    from checkpoint_ld.templates import TemplateField


Record = dict[str, Any]
"""A row by the names of its columns; every record of one table has the same columns."""

QUESTIONS_FRAME = frame(
    text=None,
    acceptedAnswer=None,
    dateCreated=None,
    dateModified=None,
    keywords=None,
    hasPart=None,
    additionalProperty=None,
    rating={"additionalType": None},
    globalRubric=None,
)
"""The frame of what tables of questions and of fields look at in feed items: all but the settings of traits."""
DOCUMENT_FRAME = frame(
    text=None,
    acceptedAnswer=None,
    hasPart=None,
    rating=None,
    additionalProperty=named("finished", *LEGACY_PROPERTIES),
    globalRubric=None,
)
"""The frame of what `document` looks at."""
_CSV_MEMBERS = ("question", "raw_answer", "answer_template", "finished", "author", "date_created", "date_modified")

CUSTOM = "custom."
"""What the columns of custom metadata begin with."""


def records_of(content: BenchmarkContent, table: str) -> list[Record]:
    """Return the records of a table: `questions`, `fields` or `traits`. Raises SettingsError for another one."""
    tables = {"questions": question_records, "fields": field_records, "traits": trait_records}
    if table not in tables:
        raise SettingsError(f"there is no table {table!r}: choose from {', '.join(tables)}")
    return tables[table](content)


def question_records(content: BenchmarkContent) -> list[Record]:
    """Return a record for each question.

    Texts, truth values and counts; `keywords` is a list. Each key of custom metadata is a column `custom.KEY`, None
    where a question has none; a list or object in it is JSON text.
    """
    keys = custom_keys(content)
    return [_question_record(one, keys) for one in content.questions]


def custom_keys(content: BenchmarkContent) -> list[str]:
    """Return the keys of all custom metadata, in the order in which they first occur."""
    return list(dict.fromkeys(key for one in content.questions for key in one.members["custom_metadata"] or ()))


def _question_record(one: QuestionContent, keys: list[str]) -> Record:
    asked, custom = one.members, one.members["custom_metadata"] or {}
    return {
        "question_id": one.id,
        "question": asked["question"],
        "raw_answer": asked["raw_answer"],
        "has_template": one.has_template,
        "finished": one.finished,
        "author": one.author,
        "created": asked["date_created"],
        "modified": asked["date_modified"],
        "keywords": asked["keywords"],
        "has_rubric": one.has_rubric,
        "template_mode": one.template.level.value,
        "verified_field_count": len(one.template.fields),
        **{f"{CUSTOM}{key}": flat(custom.get(key)) for key in keys},
    }


def field_records(content: BenchmarkContent) -> list[Record]:
    """Return a record for each field of a template that says how it is verified.

    `ground_truth` is a plain value or JSON text, `parameters` JSON text; `literal_values` is a list or None.
    """
    return [
        {"question_id": one.id, "question": one.members["question"], **_field_record(field)}
        for one in content.questions
        for field in one.template.fields
    ]


def _field_record(field: TemplateField) -> Record:
    return {
        "field_name": field.name,
        "field_type": field.type,
        "description": field.description,
        "extraction_hint": field.extraction_hint,
        "ground_truth": flat(field.ground_truth),
        "literal_values": None if field.literal_values is None else list(field.literal_values),
        "primitive": field.primitive,
        "parameters": flat(dict(field.parameters)),
        "weight": field.weight,
        "is_trace": field.is_trace,
    }


def trait_records(content: BenchmarkContent) -> list[Record]:
    """Return a record for each trait, those of the whole benchmark first; these have no `question_id`.

    `type` is llm, regex, callable, metric or agentic; `kind` boolean, score, literal, template or metric.
    """
    return [
        {
            "scope": "global" if question_id is None else "question",
            "question_id": question_id,
            "type": family_of(trait),
            "dynamic": dynamic,
            "name": trait.name,
            "kind": trait_kind(trait),
            "min": getattr(trait, "min_score", None),
            "max": getattr(trait, "max_score", None),
            "higher_is_better": trait.higher_is_better,
            "description": trait.description,
        }
        for question_id, dynamic, trait in _traits(content)
    ]


def _traits(content: BenchmarkContent) -> Iterator[tuple[str | None, bool, AnyTrait]]:
    scopes: list[tuple[str | None, Any, Any]] = [(None, content.global_rubric, content.global_dynamic_rubric)]
    scopes += [(one.id, one.rubric, one.dynamic_rubric) for one in content.questions]
    for question_id, static, dynamic in scopes:
        for is_dynamic, rubric in ((False, static), (True, dynamic)):
            if rubric is not None:
                yield from ((question_id, is_dynamic, trait) for trait in rubric.traits())


def trait_kind(trait: AnyTrait) -> str:
    """Return what kind of result a trait gives: boolean, score, literal, template, or metric for its metrics."""
    family = family_of(trait)
    kind = getattr(trait, "kind", "metric" if family == "metric" else "boolean")
    return kind if isinstance(kind, str) else "template"


def flat(value: Any) -> Any:
    """Return a value that fits into one cell: a list or an object as JSON text, anything else as it is."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value


CSV_COLUMNS = ("Question ID", "Question", "Raw Answer", "Has Template", "Finished", "Author", "Created", "Modified")
CSV_EXTRA = ("keywords", "sources", "custom")
"""What may be asked for beside the eight columns."""


def csv_frame(extra: Collection[str]) -> Frame | None:
    """Return the frame of what `question_table` looks at."""
    return frame_for((*_CSV_MEMBERS, *("custom_metadata" if one == "custom" else one for one in extra)))


def question_table(content: BenchmarkContent, *, extra: Collection[str] = (), formulas: Formulas = "keep") -> str:
    """Return the table of questions with the columns `CSV_COLUMNS`, and after them those asked for.

    `extra`: `keywords` (separated by `; `), `sources` (how many), `custom` (a column for each key). Raises
    SettingsError for anything else.
    """
    unknown = [name for name in extra if name not in CSV_EXTRA]
    if unknown:
        raise SettingsError(f"there is no extra column {unknown[0]!r}: choose from {', '.join(CSV_EXTRA)}")
    keys = custom_keys(content) if "custom" in extra else []
    header = [*CSV_COLUMNS, *(name.capitalize() for name in CSV_EXTRA[:2] if name in extra), *keys]
    return table([header, *(_csv_row(one, extra, keys) for one in content.questions)], formulas=formulas)


def _csv_row(one: QuestionContent, extra: Collection[str], keys: list[str]) -> list[str]:
    asked = one.members
    row = [one.id, asked["question"], asked["raw_answer"], _word(one.has_template), _word(one.finished), one.author]
    row += [asked["date_created"], asked["date_modified"]]
    if "keywords" in extra:
        row.append("; ".join(asked["keywords"]))
    if "sources" in extra:
        row.append(str(len(asked["sources"] or ())))
    return row + [text_of(flat((asked["custom_metadata"] or {}).get(key))) for key in keys]


def _word(truth: bool) -> str:
    return "Yes" if truth else "No"


def document(content: BenchmarkContent) -> str:
    """Return the benchmark: what it says about itself, counts, traits of all kinds, questions with their answers.

    Texts are escaped, so that what they hold is shown and not taken for markup.
    """
    return "\n".join(_document_lines(content)) + "\n"


def _document_lines(content: BenchmarkContent) -> Iterator[str]:
    yield f"# {line(content.name)}"
    if content.description:
        yield f"\n{paragraphs(content.description)}"
    yield "\n## Metadata\n"
    told = (("Version", content.version), ("Creator", content.creator))
    dates = (("Created", content.created_at), ("Modified", content.modified_at))
    yield from (f"- **{label}:** {line(value)}" for label, value in (*told, *dates) if value)
    yield "\n## Statistics\n"
    yield from _statistics(content)
    yield from _rubric("## Global Rubric", content.global_rubric, content.global_dynamic_rubric)
    if content.scenarios:
        yield "\n## Scenarios\n"
    yield from (_named(text_of(one.get("name")), "", text_of(one.get("description"))) for one in content.scenarios)
    if content.questions:
        yield "\n## Questions"
    for number, one in enumerate(content.questions, 1):
        yield from _question_lines(number, one)


def _statistics(content: BenchmarkContent) -> Iterator[str]:
    count, finished = len(content.questions), sum(one.finished for one in content.questions)
    yield f"- **Questions:** {count}"
    yield f"- **Finished:** {finished}"
    yield f"- **Progress:** {finished / count * 100 if count else 0:.1f}%"
    yield f"- **Has Templates:** {sum(one.has_template for one in content.questions)}"


def _question_lines(number: int, one: QuestionContent) -> Iterator[str]:
    status = "✅ finished" if one.finished else "❌ not finished"
    template = "📝 present" if one.has_template else "❌ missing"
    yield f"\n### {number}. {line(one.members['question'])}"
    yield f"\n**Status:** {status} | **Template:** {template}"
    if one.members["raw_answer"]:
        yield f"\n**Expected Answer:** {paragraphs(one.members['raw_answer'])}"
    yield from _rubric("**Rubric:**", one.rubric, one.dynamic_rubric)


def _rubric(title: str, static: Rubric | None, dynamic: DynamicRubric | None) -> Iterator[str]:
    listed = [(trait, "") for trait in (static.traits() if static else ())]
    listed += [(trait, "dynamic ") for trait in (dynamic.traits() if dynamic else ())]
    if listed:
        yield f"\n{title}\n"
    for trait, dynamic_or_not in listed:
        family, kind = family_of(trait), trait_kind(trait)
        words = f"{dynamic_or_not}{family}" if kind == family else f"{dynamic_or_not}{family}, {kind}"
        yield _named(trait.name, f" ({words})", trait.description)


def _named(name: str, what: str, description: str | None) -> str:
    return f"- **{line(name)}**{what}{f': {line(description)}' if description else ''}"


Json = dict[str, Any]


def dictionary(content: BenchmarkContent) -> Json:
    """Return metadata, statistics, questions and global rubrics; rubrics are objects with five lists of traits.

    All of it is JSON. Keys of services in the settings of agentic traits are masked.
    """
    return {
        "metadata": {
            "name": content.name,
            "description": content.description,
            "version": content.version,
            "creator": content.creator or None,
            "created_at": content.created_at or None,
            "modified_at": content.modified_at or None,
        },
        "statistics": summary(content),
        "questions": [_question_object(one) for one in content.questions],
        "global_rubric": _dumped(content.global_rubric),
        "global_dynamic_rubric": _dumped(content.global_dynamic_rubric),
    }


def _question_object(one: QuestionContent) -> Json:
    rubrics = {"question_rubric": _dumped(one.rubric), "question_dynamic_rubric": _dumped(one.dynamic_rubric)}
    members = {name: value for name, value in one.members.items() if name not in rubrics}
    return {"id": one.id, **members, **rubrics, "finished": one.finished}


def _dumped(rubric: Rubric | DynamicRubric | None) -> Json | None:
    return None if rubric is None else rubric.model_dump(mode="json")


FORMATS = ("json", "csv", "markdown", "jsonld")
EXTENSIONS: Mapping[str, str] = MappingProxyType(
    {".json": "json", ".csv": "csv", ".md": "markdown", ".markdown": "markdown", ".jsonld": "jsonld"}
)
"""The formats by the extensions of files."""


def format_of(path: str | os.PathLike[str], wanted: str) -> str:
    """Return the format to write: `wanted`, or for `auto` that of the extension. Raises SettingsError, WriteError."""
    if wanted == "auto":
        return kind_of(path, EXTENSIONS, "json")
    wanted = "markdown" if wanted == "md" else wanted
    if wanted not in FORMATS:
        raise SettingsError(f"there is no format {wanted!r} to export to: use auto, {', '.join(FORMATS)}")
    return wanted


def written(content: BenchmarkContent, graph: CheckpointGraph, kind: str) -> bytes:
    """Return a benchmark in a format of `FORMATS`. Raises WriteError for what UTF-8 or JSON cannot hold."""
    if kind == "jsonld":
        return dump_json(emission.jsonld_of(graph, emission.ContextStyle.IMPROVED))
    if kind == "json":
        return dump_json(dictionary(content))
    text = question_table(content) if kind == "csv" else document(content)
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise WriteError(f"a text holds half a surrogate pair ({error.object[error.start]!a}): correct it") from None
