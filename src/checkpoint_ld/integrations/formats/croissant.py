"""A benchmark as a Croissant data set, and questions out of such data sets (http://mlcommons.org/croissant/1.1).

The folder has `croissant.json`, which describes the tables beside it field by field, with the hash of each, and the
checkpoint itself. Tables are JSON: there every text stays a text. Data sets are read from the disk only: one that
points elsewhere is refused.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from checkpoint_ld.benchmark.editing import published_text
from checkpoint_ld.benchmark.question_columns import Records, Row, lost
from checkpoint_ld.data import library
from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.documents.files import MEDIA_TYPES
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.documents.values import is_iso_8601
from checkpoint_ld.errors import LookupFailedError, ReadError, SettingsError, WriteError
from checkpoint_ld.findings import Place
from checkpoint_ld.host import without_logs, without_warnings
from checkpoint_ld.integrations.formats.credit import makers_of
from checkpoint_ld.integrations.formats.croissant_records import Description
from checkpoint_ld.integrations.formats.importing import (
    CHECKPOINT,
    checkpoint_of,
    is_table_of_questions,
    lost_beside_records,
    questions_of,
    refuse_link,
)
from checkpoint_ld.phrases import unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.entities.question import Creator
    from checkpoint_ld.findings import Finding

METADATA = "croissant.json"
_VERSION = "http://mlcommons.org/croissant/1.1"
_QUESTIONS = "questions"
_LISTED = frozenset(("cr:Split", "sc:Enumeration"))
"""The types of record sets that list the values of a field, such as the splits."""
_ABOUT = ("name", "description", "version")
_LISTS = ("license", "keywords")
_AS_JSON = ("author", "sources", "few_shot_examples", "custom_metadata")
"""Columns of objects. Croissant has no type for them, so they are JSON texts."""


def files(benchmark: Benchmark) -> tuple[dict[str, bytes], tuple[Finding, ...]]:
    """Return the files of the folder by name, and findings about content that the record sets do not hold.

    Raises WriteError for a benchmark without questions and for texts that UTF-8 cannot hold, SettingsError where
    `mlcroissant` is not installed.
    """
    questions = questions_of(benchmark, "Croissant", "records")
    tables: dict[str, list[dict[str, Any]]] = {
        _QUESTIONS: [_question(question) for question in questions],
        "answers": [
            {
                "question_id": question["id"],
                "answer": question["raw_answer"],
                "answer_template": question["answer_template"],
            }
            for question in questions
        ],
        "keywords": [
            {"question_id": question["id"], "keyword": word}
            for question in questions
            for word in question["keywords"] or ()
        ],
        "traits": [
            {name: value if value is None or isinstance(value, bool) else str(value) for name, value in record.items()}
            for record in benchmark.traits_records()
        ],
    }
    tables = {name: rows for name, rows in tables.items() if rows}
    contents = {f"data/{name}.json": dump_json(rows) for name, rows in tables.items()}
    contents[CHECKPOINT] = checkpoint_of(benchmark)
    mlc = library("mlcroissant", extra="croissant")
    try:
        contents[METADATA] = dump_json(_metadata(mlc, benchmark, tables, contents))
    except mlc.ValidationError as error:
        reason = next((line for line in str(error).splitlines() if line.startswith("  -")), str(error))
        raise WriteError(f"Croissant does not allow this benchmark: {reason.strip(' -')}") from error
    return contents, tuple(_losses(benchmark))


def _question(question: dict[str, Any]) -> dict[str, Any]:
    plain = ("question", "answer_notes", "finished", *_AS_JSON)
    return {
        "question_id": question["id"],
        "answer": question["raw_answer"],
        "created": question["date_created"],
        "modified": question["date_modified"],
        **{
            name: json.dumps(question[name], ensure_ascii=False)
            if name in _AS_JSON and question[name]
            else question[name]
            for name in plain
        },
        "keywords": question["keywords"] or [],
        "answer_template": question["answer_template"],
    }


def _losses(benchmark: Benchmark) -> Iterator[Finding]:
    where = f"{CHECKPOINT}, beside the tables, has them"
    rubrics = "of rubrics, the record set has names and ranges of traits only"
    yield from lost_beside_records(benchmark, rubrics, "Croissant", where)
    for name in _LISTS:
        if any(not isinstance(value, str) for value in as_list(getattr(benchmark, name))):
            yield lost(f"of the {name}, only texts have a place in Croissant", remedy=where)
    makers = [creator for creator in makers_of(benchmark) if not isinstance(creator, str)]
    if any(maker.model_dump(exclude={"name", "type"}, exclude_none=True) for maker in makers):
        yield lost("of creators, only names and kinds have a place in Croissant", remedy=where)
    if any(not is_iso_8601(date) for date in _dates(benchmark)):
        yield lost("a date that is not ISO 8601 has no place in Croissant", remedy=where)
    for name in ("funder", "identifier"):
        if value := getattr(benchmark, name):
            yield lost(f"the {name} ({published_text(value)}) has no place in Croissant", remedy=where)


def _metadata(mlc: Any, benchmark: Benchmark, tables: dict[str, list[dict[str, Any]]], kept: dict[str, bytes]) -> Any:
    # The library's logs and warnings are about optional members and its own libraries.
    with without_logs("", "absl", "rdflib.term"), without_warnings():
        ctx = mlc.Context(conforms_to=_VERSION)
        distribution = [
            mlc.FileObject(
                ctx=ctx,
                id=name,
                name=name,
                content_url=name,
                encoding_formats=[MEDIA_TYPES[PurePosixPath(name).suffix]],
                sha256=hashlib.sha256(data).hexdigest(),
            )
            for name, data in kept.items()
        ]
        return mlc.Metadata(
            ctx=ctx,
            name=benchmark.name,
            description=benchmark.description or benchmark.name,
            version=benchmark.version,
            creators=[_maker(mlc, ctx, creator, n) for n, creator in enumerate(makers_of(benchmark), 1)],
            license=[licence for licence in as_list(benchmark.license) if isinstance(licence, str)] or None,
            keywords=[keyword for keyword in as_list(benchmark.keywords) if isinstance(keyword, str)] or None,
            cite_as=published_text(benchmark.citation),
            date_published=next(filter(is_iso_8601, _dates(benchmark)), None),
            distribution=distribution,
            record_sets=[_record_set(mlc, ctx, name, rows) for name, rows in tables.items()],
        ).to_json()


def _dates(benchmark: Benchmark) -> list[Any]:
    candidates = (
        benchmark.graph.content(benchmark.graph.root, "datePublished"),
        benchmark.modified_at,
        benchmark.created_at,
    )
    return [date for date in candidates if date]


def _maker(mlc: Any, ctx: Any, creator: Creator, number: int) -> Any:
    name, kind = (creator, "Person") if isinstance(creator, str) else (creator.name, creator.type)
    return getattr(mlc, kind)(ctx=ctx, id=f"creator-{number}", name=name)


def _record_set(mlc: Any, ctx: Any, table: str, rows: list[dict[str, Any]]) -> Any:
    fields = []
    for name in rows[0]:
        is_bool = any(isinstance(row[name], bool) for row in rows)
        more: dict[str, Any] = {}
        if isinstance(rows[0][name], list):
            more = {"repeated": True}
        elif name == "question_id" and table != _QUESTIONS:
            more = {"references": mlc.Source(ctx=ctx, field=f"{_QUESTIONS}/question_id")}
        fields.append(
            mlc.Field(
                ctx=ctx,
                id=f"{table}/{name}",
                name=name,
                data_types=[mlc.DataType.BOOL if is_bool else mlc.DataType.TEXT],
                source=mlc.Source(
                    ctx=ctx,
                    file_object=f"data/{table}.json",
                    extract=mlc.Extract(ctx=ctx, json_path=f"$[*].{name}"),
                ),
                **more,
            )
        )
    return mlc.RecordSet(ctx=ctx, id=table, name=table, fields=fields)


def records(path: str, *, part: str | None = None, split: str | None = None) -> Records:
    """Return the records of a data set: a folder with `croissant.json`, or such a file whatever its name.

    `part` is a record set, by default `questions` or else the one that has questions and answers. Raises SettingsError
    for a split, LookupFailedError for a missing record set and where several have questions, ReadError for an invalid
    data set and for one that refers to files outside of the folder.
    """
    if split is not None:
        raise SettingsError(f"{path}: a data set of Croissant is read without split: name a record set as the part")
    file = Path(path) / METADATA if Path(path).is_dir() else Path(path)
    if not file.is_file():
        raise ReadError(f"{path}: there is no {METADATA} in it")
    refuse_link(file, file.parent)
    described = Description.read(file)
    sets = described.record_sets()
    if not sets:
        raise ReadError(f"{file}: it describes no record sets, and holds no questions that can be read")
    if part is not None and part not in sets:
        raise LookupFailedError(f"{path}: {unknown('record set', part, sets)}")
    chosen = part if part is not None else _set_of_questions(path, described, sets)
    columns = [field.name for field in described.fields(sets[chosen])]
    rows = [
        Row(record, f"record {number} of {chosen}", Place(path))
        for number, record in enumerate(described.records(sets[chosen]), 1)
    ]
    findings = [lost(note, Place(path)) for note in described.notes]
    if others := ", ".join(name for name in sets if name != chosen):
        left = lost(f"of the record sets, {others} are not read", Place(path), remedy="name one as the part")
        findings.insert(0, left)
    return Records(rows, columns, _about(described), tuple(findings))


def _set_of_questions(path: str, described: Description, sets: dict[str, Any]) -> str:
    """Return the record set that has questions. Raises LookupFailedError where that could be several."""
    if _QUESTIONS in sets:
        return _QUESTIONS
    others = [name for name, node in sets.items() if not _LISTED & {*described.types(node)}]
    fitting = [name for name in others if is_table_of_questions([each.name for each in described.fields(sets[name])])]
    candidates = fitting or others or [*sets]
    if len(candidates) > 1:
        raise LookupFailedError(
            f"which record set of {path} has the questions? name one of {', '.join(candidates)} (part, --part)"
        )
    return candidates[0]


def _about(described: Description) -> dict[str, Any]:
    dataset = described.dataset
    about: dict[str, Any] = {}
    for name in (*_ABOUT, *_LISTS):
        if texts := [text for text in dataset.get(f"sc:{name}", ()) if isinstance(text, str) and text]:
            about[name] = texts if name in _LISTS and len(texts) > 1 else texts[0]
    makers = [
        {"@type": "Organization" if "sc:Organization" in node.get("@type", ()) else "Person", "name": names[0]}
        for node in described.of(dataset, "sc:creator")
        if (names := [name for name in node.get("sc:name", ()) if isinstance(name, str) and name])
    ]
    if makers:
        about["creator"] = makers if len(makers) > 1 else makers[0]
    if cited := [text for text in dataset.get("cr:citeAs", ()) if isinstance(text, str) and text]:
        about["citation"] = cited[0]
    return about
