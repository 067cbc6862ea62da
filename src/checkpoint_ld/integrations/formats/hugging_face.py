"""A benchmark as a folder of Hugging Face `datasets`, and questions from such folders.

The folder has Parquet files, a dataset card (`README.md`, https://huggingface.co/docs/hub/datasets-cards) whose YAML
head names them, and the checkpoint itself, which holds what tables do not. Folders are read from the disk only: one
whose card points elsewhere is refused, and so is every kind of file that could hold code.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from checkpoint_ld.benchmark import question_sources
from checkpoint_ld.benchmark.editing import PUBLISHED, published_text
from checkpoint_ld.benchmark.exports import no_encoding
from checkpoint_ld.benchmark.question_columns import Records, Row, lost
from checkpoint_ld.data import library
from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.documents.values import is_small
from checkpoint_ld.errors import LookupFailedError, ReadError
from checkpoint_ld.findings import Place
from checkpoint_ld.integrations.formats import importing
from checkpoint_ld.integrations.formats.arrow_rows import arrow_rows, decoded, parquet_rows, zones
from checkpoint_ld.integrations.formats.citation import spdx_name
from checkpoint_ld.integrations.formats.credit import makers_of
from checkpoint_ld.integrations.formats.importing import (
    CHECKPOINT,
    checkpoint_of,
    lost_beside_records,
    questions_of,
)
from checkpoint_ld.phrases import unknown
from checkpoint_ld.tables import line, paragraphs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.findings import Finding

CARD = "README.md"
_QUESTIONS = "questions"
_ARROW = (".parquet", ".arrow")
_KINDS = (*_ARROW, ".json", ".jsonl", ".ndjson", ".csv", ".tsv")
"""The kinds of files that are read. None of them can hold code."""
_CONFIGS = "https://huggingface.co/docs/hub/datasets-manual-configuration"
_TAGS = ("checkpoint-ld", "karenina", "evaluation")
_FACTS = (("Licence", "license"), ("Cite as", "citation"), ("Funded by", "funder"), ("Identifier", "identifier"))
_NAMES = ("name", "value", "url", "@id")
_FAMILY = re.compile(r"-only$|-or-later$|(?<=odbl|pddl|gfdl)-1\.\d|(?<=odc-by)-1\.0")
"""The suffixes of SPDX's names that those of Hugging Face do not have."""
_LICENCES = """
    apache-2.0 mit afl-3.0 artistic-2.0 bsl-1.0 bsd-2-clause bsd-3-clause bsd-3-clause-clear cc0-1.0 cc-by-2.0 cc-by-2.5
    cc-by-3.0 cc-by-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nd-4.0 cc-by-nc-nd-3.0
    cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cdla-sharing-1.0 cdla-permissive-1.0
    cdla-permissive-2.0 wtfpl ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1 eupl-1.2 agpl-3.0 gfdl gpl-2.0 gpl-3.0
    lgpl-2.1 lgpl-3.0 isc lppl-1.3c ms-pl mpl-2.0 odc-by odbl osl-3.0 postgresql ofl-1.1 ncsa unlicense zlib pddl
"""
"""The licences of SPDX's list that Hugging Face knows, as it writes them; any other is called `other`."""
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def files(benchmark: Benchmark) -> tuple[dict[str, bytes], tuple[Finding, ...]]:
    """Return the files of the folder by name, and findings about content that the tables do not hold.

    Raises WriteError for a benchmark without questions and for texts that UTF-8 cannot hold, SettingsError where
    `datasets` is not installed.
    """
    datasets = library("datasets", extra="hugging-face")
    questions = [_question(question) for question in questions_of(benchmark, "Hugging Face", "rows")]
    keys = dict.fromkeys(name for question in questions for name in question)
    tables = {
        _QUESTIONS: [{name: question.get(name) for name in keys} for question in questions],
        "fields": [{**record, "ground_truth": _json(record["ground_truth"])} for record in benchmark.fields_records()],
        "traits": benchmark.traits_records(),
    }
    tables = {name: rows for name, rows in tables.items() if rows}
    findings = [*_losses(benchmark)]
    written = {f"data/{name}.parquet": _parquet(datasets, name, rows, findings) for name, rows in tables.items()}
    written[CHECKPOINT] = checkpoint_of(benchmark)
    written[CARD] = _card(benchmark, tables)
    return written, tuple(findings)


def _question(question: dict[str, Any]) -> dict[str, Any]:
    author = question["author"] or {}
    return {
        "question_id": question["id"],
        "question": question["question"],
        "answer": question["raw_answer"],
        "keywords": question["keywords"],
        "answer_template": question["answer_template"],
        "answer_notes": question["answer_notes"],
        "author": author.get("name"),
        "author_email": author.get("email"),
        "sources": _json(question["sources"]) if question["sources"] else None,
        "few_shot_examples": _json(question["few_shot_examples"]) if question["few_shot_examples"] else None,
        "created": question["date_created"],
        "modified": question["date_modified"],
        "finished": question["finished"],
        **{f"custom.{key}": value for key, value in (question["custom_metadata"] or {}).items()},
    }


def _losses(benchmark: Benchmark) -> Iterator[Finding]:
    where = f"{CHECKPOINT}, beside the tables, has them"
    rubrics = "of rubrics, the table has names and ranges of traits only"
    yield from lost_beside_records(benchmark, rubrics, "a data set", where)
    for stated, licence in zip(as_list(benchmark.license), as_list(_licence(benchmark).get("license")), strict=False):
        if isinstance(stated, str) and licence != "other" and (spdx_name(stated) or "").lower() != licence:
            yield lost(f"the licence {stated} is called {licence} by Hugging Face", remedy=where)
    published = {name: as_list(getattr(benchmark, name)) for name in ("creator", *PUBLISHED)}
    for name, values in published.items():
        if any(_members(value).keys() - {"@type", *_NAMES} for value in values):
            yield lost(f"of the {name}, the card has names only", remedy=f"{CHECKPOINT}, beside the tables, has it")


def _members(value: Any) -> dict[str, Any]:
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True, exclude_none=True)
    return value if isinstance(value, dict) else {}


def _parquet(datasets: Any, table: str, rows: Sequence[dict[str, Any]], findings: list[Finding]) -> bytes:
    arrow = library("pyarrow", extra="hugging-face")
    columns = {}
    for name in rows[0]:
        values = [row[name] for row in rows]
        try:
            column = _column(arrow, datasets, values)
            if column is None:
                message = (
                    f"the values of {name!r} in the table {table} are texts: they have no common type that keeps them"
                )
                findings.append(lost(message))
                texts = [value if value is None or isinstance(value, str) else _json(value) for value in values]
                column = arrow.array(texts, arrow.string())
        except UnicodeEncodeError as error:
            raise no_encoding(error) from None
        columns[name] = column
    made, file = arrow.table(columns), io.BytesIO()
    features = datasets.Features.from_arrow_schema(made.schema).arrow_schema.metadata
    # Not by `Dataset.to_parquet`, whose bar of progress can be switched off for the whole process only.
    library("pyarrow.parquet", extra="hugging-face").write_table(made.replace_schema_metadata(features), file)
    return file.getvalue()


def _column(arrow: Any, datasets: Any, values: list[Any]) -> Any:
    """Return a column that gives these values when it is loaded, None if there is none.

    Values of several types, and objects, are of the feature `Json`. It reads numbers with `ujson`, which changes the
    last digit of some and refuses integers of more than 64 bits.
    """
    written = _json(values)
    if not any(map(_has_objects, values)):
        with contextlib.suppress(arrow.ArrowException, OverflowError):
            column = arrow.array(values)
            if column.type == "null":
                return arrow.array(values, arrow.string())
            if _json(column.to_pylist()) == written:
                return column
    texts = [None if value is None else _json(value) for value in values]
    with contextlib.suppress(ValueError):
        if _json([None if text is None else datasets.Json().decode_example(text) for text in texts]) == written:
            return arrow.ExtensionArray.from_storage(arrow.json_(), arrow.array(texts, arrow.string()))
    return None


def _has_objects(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_has_objects, value)))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _card(benchmark: Benchmark, tables: dict[str, Any]) -> bytes:
    hub = library("huggingface_hub", extra="hugging-face")
    count = len(tables[_QUESTIONS])
    words = (published_text(value) for value in as_list(benchmark.keywords))
    head = hub.DatasetCardData(
        pretty_name=benchmark.name,
        description=benchmark.description,
        version=benchmark.version,
        **_licence(benchmark),
        size_categories=next((name for most, name in _SIZES if count < most), "1M<n<10M"),
        task_categories=["question-answering"],
        tags=[*dict.fromkeys((*_TAGS, *filter(None, words)))],
        configs=[
            {
                "config_name": name,
                "data_files": [{"split": "test", "path": f"data/{name}.parquet"}],
                **({"default": True} if name == _QUESTIONS else {}),
            }
            for name in tables
        ],
    )
    rows = "".join(f"| `{name}` | {len(questions)} |\n" for name, questions in tables.items())
    makers = [value if isinstance(value, str) else value.name for value in makers_of(benchmark)]
    facts = {
        "Version": benchmark.version,
        "Made by": makers,
        **{name: getattr(benchmark, member) for name, member in _FACTS},
    }
    about = "".join(f"- {name}: {line(text)}\n" for name, value in facts.items() if (text := published_text(value)))
    body = (
        f"# {line(benchmark.name)}\n\n{paragraphs(benchmark.description)}\n\n{about}\n"
        f"| table | rows |\n|---|---|\n{rows}\n"
        f"`{CHECKPOINT}` is the benchmark as a whole: templates, rubrics, and all that the tables leave out.\n"
    )
    return f"---\n{head.to_yaml()}\n---\n\n{body}".encode()


def _licence(benchmark: Benchmark) -> dict[str, Any]:
    """Return the licences for the head of a card (https://huggingface.co/docs/hub/repositories-licenses)."""
    stated = [text for licence in as_list(benchmark.license) if (text := published_text(licence))]
    names = [_FAMILY.sub("", (spdx_name(licence) or "").lower()) for licence in stated]
    if set(names) <= set(_LICENCES.split()):
        return {"license": names[0] if len(names) == 1 else names} if names else {}
    addresses = [licence for licence in stated if licence.startswith(("http://", "https://"))]
    link = {"license_link": addresses[0]} if addresses else {}
    return {"license": "other", "license_name": ", ".join(stated), **link}


def _stated(head: dict[str, Any]) -> dict[str, Any]:
    own = [head.get("license_link") or head.get("license_name")] if head.get("license") == "other" else []
    licences = [
        licence
        for licence in (own or as_list(head.get("license")))
        if isinstance(licence, str) and licence != "unknown"
    ]
    words = [tag for tag in as_list(head.get("tags")) if isinstance(tag, str) and tag not in _TAGS]
    names = [spdx_name(licence) or licence for licence in licences]
    members = {"name": "pretty_name", "description": "description", "version": "version"}
    given = ((name, head.get(member)) for name, member in members.items())
    texts = {name: str(value) for name, value in given if isinstance(value, str | int | float)}
    about = {**texts, "license": names[0] if len(names) == 1 else names, "keywords": words}
    return {name: value for name, value in about.items() if value}


def records(path: str, *, part: str | None = None, split: str | None = None) -> Records:
    """Return the rows of a data set: a folder, with a card or without, or a single file.

    `part` is a configuration, by default the one that the card marks as default. Without `split` all rows are read,
    each with its split in the column `split` where there are several. Raises LookupFailedError for a configuration or
    a missing split, ReadError for an invalid data set and for a card that refers to files outside of the folder.
    """
    datasets = library("datasets", extra="hugging-face")
    about, features, chosen, others = _chosen(datasets, path, part)
    findings = [*others]
    if split is not None and split not in chosen:
        raise LookupFailedError(f"{path}: {unknown('split', split, chosen)}")
    rows, columns = list[Row](), dict[str, None]()
    for name, listed in chosen.items():
        if split in {None, name}:
            for number, values in enumerate(_rows(path, listed, features, findings), 1):
                extra = {"split": name} if split is None and len(chosen) > 1 else {}
                rows.append(Row({**extra, **values}, f"row {number} of {name}", Place(path)))
                columns |= dict.fromkeys(rows[-1].values)
    return Records(rows, [*columns], about, tuple(findings))


def _chosen(
    datasets: Any, path: str, part: str | None
) -> tuple[dict[str, Any], dict[str, Any], dict[str, list[str]], tuple[Finding, ...]]:
    """Return what the card states, its features, the files of each split of a configuration, and other ones."""
    folder = Path(path).absolute()
    if folder.is_file():
        if part is not None:
            raise LookupFailedError(f"{path} is a file and has no configuration {part!r}: give the folder")
        return {}, {}, {"train": [str(folder)]}, ()
    card = folder / CARD
    importing.refuse_link(card, folder)
    head = _head(card) if card.is_file() else {}
    configs = {str(config.get("config_name", "default")): config for config in head.get("configs") or ()}
    name = part or next((config for config, about in configs.items() if about.get("default")), None)
    name = name or ("default" if "default" in configs or not configs else next(iter(configs)))
    if name not in configs and (configs or part is not None):
        raise LookupFailedError(f"{path}: {unknown('configuration', name, configs)}")
    about = _stated(head)
    others = ", ".join(config for config in configs if config != name)
    findings = (lost(f"of the configurations, {others} are not read", Place(path), remedy="name one as the part"),)
    config = configs.get(name, {})
    stated = config.get("data_files")
    root = folder
    folder /= _inside(path, str(config.get("data_dir") or ""))
    patterns = _patterns(datasets, path, stated) if stated else _usual(datasets, path, folder)
    files_of = {
        split: [file for pattern in listed for file in _files(datasets, folder, pattern)]
        for split, listed in patterns.items()
    }
    if not stated:  # whatever else lies there
        files_of = {split: [*_data(listed)] for split, listed in files_of.items()}
    if not any(files_of.values()):
        named = ", ".join(pattern for listed in patterns.values() for pattern in listed)
        wanted = f"no file is called {named}" if stated else f"give files {', '.join(_KINDS)}"
        raise ReadError(f"{path}: there is no data set in it: {wanted}")
    for listed in files_of.values():
        for file in listed:
            importing.refuse_link(Path(file), root)
    return (
        about,
        _stated_features(head, name),
        {split: listed for split, listed in files_of.items() if listed},
        findings if others else (),
    )


_MOST_VALUES = 100_000
"""The values in the head of a card, each counted as often as aliases repeat it."""


def _head(card: Path) -> dict[str, Any]:
    hub = library("huggingface_hub", extra="hugging-face")
    try:
        head = hub.metadata_load(card)
    except Exception as error:
        raise ReadError(f"{card}: its YAML head cannot be read: {str(error).partition(chr(10))[0]}") from error
    if not is_small(head, _MOST_VALUES):
        message = f"{card}: its YAML head has aliases that repeat one another to more than {_MOST_VALUES:,} values"
        raise ReadError(f"{message}: write it without aliases")
    configs = (head or {}).get("configs") or []
    if not isinstance(configs, list) or not all(isinstance(config, dict) for config in configs):
        raise ReadError(f"{card}: configs is no list of objects: see {_CONFIGS}")
    return head or {}


def _stated_features(head: dict[str, Any], config: str) -> dict[str, Any]:
    """Return the features that the head of a card states for a configuration, as a file of Parquet states them."""
    infos = [info for info in as_list(head.get("dataset_info")) if isinstance(info, dict)]
    fitting = [info for info in infos if info.get("config_name", config if len(infos) == 1 else "default") == config]
    return _feature({"struct": fitting[0].get("features")}) if fitting else {}


def _feature(stated: Any) -> Any:
    """Return a feature of a card, which has another form there; only class labels, JSON and what holds them matter."""
    if not isinstance(stated, dict):
        return {"_type": "Json"} if stated == "json" else {"_type": "Value"}
    if isinstance(parts := stated.get("struct"), list):
        return {str(part.get("name")): _feature(part) for part in parts if isinstance(part, dict)}
    for series in ("list", "sequence", "large_list"):
        if series in stated:
            inner = stated[series]
            return {"_type": "List", "feature": _feature({"struct": inner} if isinstance(inner, list) else inner)}
    if isinstance(label := stated.get("class_label"), dict):
        names = label.get("names") or []
        return {"_type": "ClassLabel", "names": [*names.values()] if isinstance(names, dict) else names}
    return (
        _feature(stated["dtype"])
        if "dtype" in stated
        else {"_type": "Json"}
        if "json" in stated
        else {"_type": "Value"}
    )


def _patterns(datasets: Any, path: str, stated: Any) -> dict[str, list[str]]:
    try:
        sane = datasets.data_files.sanitize_patterns(stated)
        patterns = {str(split): [listed] if isinstance(listed, str) else [*listed] for split, listed in sane.items()}
        return {split: [_inside(path, pattern) for pattern in listed] for split, listed in patterns.items()}
    except (TypeError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise ReadError(f"{path}: data_files of the card cannot be read: {reason}; see {_CONFIGS}") from error


def _inside(path: str, name: str) -> str:
    """Return the pattern or the folder that a card names. Raises ReadError for one out of the folder of the card."""
    is_elsewhere = PurePath(name).is_absolute() or ".." in PurePath(name).parts
    if is_elsewhere or "://" in name or "::" in name:
        raise ReadError(f"{path}: the card points to {name!r}, which is not in the folder: fetch it yourself")
    return name


def _usual(datasets: Any, path: str, folder: Path) -> dict[str, list[str]]:
    try:
        patterns = datasets.data_files.get_data_patterns(str(folder))
    except Exception as error:
        raise ReadError(f"{path}: there is no data set in it: {str(error).partition(chr(10))[0]}") from error
    return {str(split): list(listed) for split, listed in patterns.items()}


def _files(datasets: Any, folder: Path, pattern: str) -> list[str]:
    """Return the paths of the files that match a pattern as in `datasets`, where `**` matches all files."""
    try:
        return sorted(map(str, datasets.data_files.resolve_pattern(pattern, str(folder))))
    except FileNotFoundError:
        return []


def _data(listed: list[str]) -> Iterator[str]:
    """Yield the files of data. Beside tables of Arrow, `save_to_disk` writes a file about them."""
    is_saved = ".arrow" in map(_kind, listed)
    for file in listed:
        if _kind(file) in _KINDS and not (is_saved and PurePath(file).name == "state.json"):
            yield file


def _kind(file: str) -> str:
    return PurePath(file).suffix.lower()


def _rows(path: str, listed: list[str], features: Mapping[str, Any], findings: list[Finding]) -> Iterator[Any]:
    """Yield the rows of the files of a split. Texts are read as elsewhere: no value is taken for a number or a date."""
    if others := {*map(_kind, listed)} - {*_KINDS}:
        raise ReadError(f"{path}: has files {', '.join(sorted(others))}: {', '.join(_KINDS)} can be read")
    for file in listed:
        if _kind(file) in _ARROW:
            rows = (parquet_rows if _kind(file) == ".parquet" else arrow_rows)(file, file, features)
            for name, zone in zones(rows).items():
                findings.append(
                    lost(f"of the dates in {name!r}, the offsets are kept, not the zone {zone}", Place(file))
                )
            yield from rows
        else:
            table_rows = question_sources.records(file)
            findings += table_rows.findings
            for row in table_rows.rows:
                yield {name: decoded(value, features.get(name)) for name, value in row.values.items()}
