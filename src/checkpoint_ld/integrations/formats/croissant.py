"""A benchmark as a Croissant data set, and questions out of such data sets (http://mlcommons.org/croissant/1.1).

The folder has `croissant.json`, which describes the tables beside it field by field, with the hash of each, and the
checkpoint itself. Tables are JSON: there every text stays a text. Data sets are read from the disk only: one that
points elsewhere is refused.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from checkpoint_ld.benchmark.editing import published_text
from checkpoint_ld.data import library
from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.files import MEDIA_TYPES, read_bytes
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.documents.values import is_iso_8601
from checkpoint_ld.errors import LookupFailedError, ReadError, SettingsError, WriteError
from checkpoint_ld.findings import Place
from checkpoint_ld.host import without_logs, without_warnings
from checkpoint_ld.integrations.formats.importing import (
    CHECKPOINT,
    Records,
    Row,
    checkpoint_of,
    lost,
    lost_beside_records,
    questions_of,
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
_LFS = b"version https://git-lfs"
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
    held = {f"data/{name}.json": dump_json(rows) for name, rows in tables.items()}
    held[CHECKPOINT] = checkpoint_of(benchmark)
    mlc = library("mlcroissant", extra="croissant")
    try:
        held[METADATA] = dump_json(_metadata(mlc, benchmark, tables, held))
    except mlc.ValidationError as error:
        reason = next((line for line in str(error).splitlines() if line.startswith("  -")), str(error))
        raise WriteError(f"Croissant does not allow this benchmark: {reason.strip(' -')}") from error
    return held, tuple(_losses(benchmark))


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
    makers = [creator for creator in as_list(benchmark.creator) if not isinstance(creator, str)]
    if any(maker.model_dump(exclude={"name", "type"}, exclude_none=True) for maker in makers):
        yield lost("of creators, only names and kinds have a place in Croissant", remedy=where)
    if any(not is_iso_8601(date) for date in _dates(benchmark)):
        yield lost("a date that is not ISO 8601 has no place in Croissant", remedy=where)
    for name in ("funder", "identifier"):
        if value := getattr(benchmark, name):
            yield lost(f"the {name} ({published_text(value)}) has no place in Croissant", remedy=where)


def _metadata(mlc: Any, benchmark: Benchmark, tables: dict[str, list[dict[str, Any]]], held: dict[str, bytes]) -> Any:
    with _quiet():
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
            for name, data in held.items()
        ]
        return mlc.Metadata(
            ctx=ctx,
            name=benchmark.name,
            description=benchmark.description or benchmark.name,
            version=benchmark.version,
            creators=[_maker(mlc, ctx, creator, n) for n, creator in enumerate(as_list(benchmark.creator), 1)],
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


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence the logs and warnings of the library, which are about optional members and its own libraries."""
    with without_logs("", "absl", "rdflib.term"), without_warnings():
        yield


def records(path: str, *, part: str | None = None, split: str | None = None) -> Records:
    """Return the records of a data set: a folder with `croissant.json`, or such a file whatever its name.

    `part` is a record set, by default `questions` or else the first. Raises SettingsError for a split,
    LookupFailedError for a missing record set, ReadError for an invalid data set and for one that refers to files
    outside of the folder.
    """
    if split is not None:
        raise SettingsError(f"{path}: a data set of Croissant is read without split: name a record set as the part")
    file = Path(path) / METADATA if Path(path).is_dir() else Path(path)
    if not file.is_file():
        raise ReadError(f"{path}: there is no {METADATA} in it")
    described = read_json(*read_bytes(str(file))).value
    _check_contexts(described, file)
    mlc = library("mlcroissant", extra="croissant")
    try:
        with _quiet():
            data = mlc.Dataset(jsonld=str(file))
            _check_files(data.metadata.distribution, file)
            names = {str(table.uuid): [str(each.uuid) for each in table.fields] for table in data.metadata.record_sets}
            chosen = part or (_QUESTIONS if _QUESTIONS in names else next(iter(names), None))
            if chosen is None:
                raise ReadError(f"{file}: it describes no record sets, and holds no questions that can be read")
            if chosen not in names:
                raise LookupFailedError(f"{path}: {unknown('record set', chosen, names)}")
            found = [*data.records(chosen)]
    except (LookupFailedError, MemoryError, ReadError):
        raise
    except Exception as error:
        reason = " ".join(str(error.__cause__ or error).split()) or type(error).__name__
        raise ReadError(f"{file}: its record sets cannot be read: {reason}") from error
    rows = [Row(_plain(record, chosen), f"record {n} of {chosen}", Place(path)) for n, record in enumerate(found, 1)]
    others = ", ".join(name for name in names if name != chosen)
    left = (lost(f"of the record sets, {others} are not read", Place(path), remedy="name one as the part"),)
    about: dict[str, Any] = {name: text for name in _ABOUT if isinstance(text := described.get(name), str) and text}
    for name in _LISTS:
        if texts := [text for text in as_list(described.get(name)) if isinstance(text, str) and text]:
            about[name] = texts if len(texts) > 1 else texts[0]
    return Records(rows, [column.removeprefix(f"{chosen}/") for column in names[chosen]], about, left if others else ())


def _check_contexts(described: Any, file: Path) -> None:
    """Refuse contexts that would be fetched when the description is read."""
    if not isinstance(described, dict) or not isinstance(described.get("@context"), dict):
        raise ReadError(f"{file}: it is no description of Croissant: it has no object as its @context")
    pending: list[Any] = [described]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            if "@import" in one or any(isinstance(each, str) for each in as_list(one.get("@context"))):
                raise ReadError(f"{file}: a part of its @context is not in the file: write it there")
            pending += one.values()
        elif isinstance(one, list):
            pending += one


def _check_files(distribution: Any, file: Path) -> None:
    """Refuse files that reading the records would fetch or unpack, and files outside of the folder."""
    folder = file.parent.resolve()
    for entry in distribution:
        for text in (*as_list(getattr(entry, "content_url", None)), *as_list(getattr(entry, "includes", None))):
            path = PurePosixPath(str(text))
            is_elsewhere = ":" in str(text) or "\\" in str(text) or path.is_absolute() or ".." in path.parts
            if is_elsewhere or not (folder / path).resolve().is_relative_to(folder):
                raise ReadError(f"{file}: it points to {str(text)!r}, which is not in the folder: fetch it yourself")
            if not (folder / path).is_file():
                raise ReadError(f"{file}: it points to {str(text)!r}, and there is no such file: fetch it yourself")
            with (folder / path).open("rb") as content:
                if content.read(len(_LFS)) == _LFS:
                    raise ReadError(f"{file}: {str(text)!r} is a pointer of Git LFS: run git lfs pull")
        if entry.contained_in or not getattr(entry, "content_url", None):
            raise ReadError(f"{file}: {entry.uuid!r} is in an archive, or several files: unpack it and name each file")


def _plain(record: dict[str, Any], table: str) -> dict[str, Any]:
    return {name.removeprefix(f"{table}/"): _value(value) for name, value in record.items()}


def _value(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, list | tuple):
        return [_value(item) for item in value]
    if hasattr(value, "item"):  # a number of NumPy
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value
