"""Benchmarks made from questions in other formats: tables, JSON lines, data sets, logs of evaluations.

The reader of a format returns the rows of a source as they are. `import_benchmark` makes questions of them, for all
formats alike: the caller names the columns of question and answer, or they are guessed. Nothing in a source is run, and
nothing it names is fetched. This module also has the functions that the exports share, such as `lost`.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.assessment.inspect_logs import is_log
from checkpoint_ld.benchmark import Benchmark
from checkpoint_ld.benchmark.question_columns import NO_QUESTIONS, ROLES, Records, lost, read_questions
from checkpoint_ld.benchmark.question_import import curated_rubric, put_questions
from checkpoint_ld.benchmark.table_import import bytes_of
from checkpoint_ld.benchmark.table_layouts import usual
from checkpoint_ld.dialects.datafeed import CREATOR_DETAILS
from checkpoint_ld.documents.files import extension_of, reading
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.errors import FindingsError, ReadError, SettingsError, WriteError
from checkpoint_ld.findings import Finding, Place
from checkpoint_ld.graph.emission import ContextStyle, jsonld_of
from checkpoint_ld.integrations.formats.transfer import TransferReport
from checkpoint_ld.phrases import unknown
from checkpoint_ld.vocabulary import FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.benchmark.question_import import ImportedQuestions


READERS = {
    "table": "checkpoint_ld.benchmark.question_sources",
    "croissant": "checkpoint_ld.integrations.formats.croissant",
    "hugging-face": "checkpoint_ld.integrations.formats.hugging_face",
    "inspect": "checkpoint_ld.integrations.formats.inspect",
}
"""The formats that can be read, and the module whose function `records` reads each."""
_EXTENSIONS = {".eval": "inspect", ".parquet": "hugging-face", ".arrow": "hugging-face"}
CHECKPOINT = "checkpoint.jsonld"
"""The name of the checkpoint in the folder of an export."""
_CROISSANT = "croissant.json"
_INSPECT = ("task.py", "dataset.jsonl")
_CRATE = "ro-crate-metadata.json"
_OURS = (FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY, CREATOR_DETAILS)


class _Imported(NamedTuple):
    benchmark: Benchmark
    findings: tuple[Finding, ...]


class ImportedBenchmark(_Imported):
    """A benchmark with the questions of another format, and findings about content that did not fit.

    `imported` says which questions were added, updated and left as they are.
    """

    imported: ImportedQuestions


def import_benchmark(  # noqa: PLR0913 - one for each column, as extract_questions_from_file has them
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - as export calls it
    name: str | None = None,
    part: str | None = None,
    split: str | None = None,
    question_column: str | None = None,
    answer_column: str | None = None,
    keywords_columns: Sequence[Mapping[str, str]] | None = None,
    answer_notes_column: str | None = None,
    author_name_column: str | None = None,
    author_email_column: str | None = None,
    url_column: str | None = None,
    custom_metadata_columns: Sequence[str] | None = None,
    into: Benchmark | None = None,
    strict: bool = False,
    report: str | os.PathLike[str] | None = None,
) -> ImportedBenchmark:
    """Make a benchmark of the questions in a file or folder, with findings about content that does not fit.

    `format` is one of `READERS`; without it the extension and the content decide. `part` is the sheet of a workbook or
    the configuration of a data set, `split` one of its splits (all of them without it). A column that is not given is
    found by the names of `USUAL`, or by a known layout; none is taken where several could be meant. Other columns
    become custom metadata, or only `custom_metadata_columns` if they are given. Rows without a question are left out;
    questions without an answer are drafts. With `into`, the questions of that benchmark are updated, by identifier or
    text, and others added. `report` is a file for a `TransferReport` in JSON.

    Raises FindingsError if there are findings with `strict`, SettingsError for an unknown format and for a missing
    extra, LookupFailedError for a column that is missing or could be several, SourceMissingError, and ReadError for a
    source that cannot be read or has no questions.
    """
    source = os.fspath(path)
    with reading(source):
        is_there = Path(source).exists()
    if not is_there:
        bytes_of(source)  # raises SourceMissingError
    if source.lower().endswith(".zip"):
        raise SettingsError(f"{source}: is an archive; unpack it, and give the folder")
    kind = format or format_of(source)
    if kind not in READERS:
        raise SettingsError(unknown("import format", kind, READERS))
    records: Records = import_module(READERS[kind]).records(source, part=part, split=split)
    read = read_questions(
        records,
        source,
        question_column=question_column,
        answer_column=answer_column,
        keywords_columns=keywords_columns,
        answer_notes_column=answer_notes_column,
        author_name_column=author_name_column,
        author_email_column=author_email_column,
        url_column=url_column,
        custom_metadata_columns=custom_metadata_columns,
    )
    beside = Path(source) / CHECKPOINT
    whole = lost("the rows are a part of the benchmark in it", Place(source), remedy=f"load {beside} to have all of it")
    findings = (*((whole,) if beside.is_file() else ()), *read.findings)
    if report is not None:
        made = TransferReport(
            "import", source, kind, len(read.questions), findings, read.rows, read.left_out, read.layout
        )
        made.write(report, columns=read.columns)
    if not read.questions:
        raise ReadError("\n".join((*map(str, read.findings), NO_QUESTIONS.format(source))), read.findings)
    if into is not None:
        benchmark = into
    else:
        about = {"name": Path(source).stem or "Questions", **records.about, **({"name": name} if name else {})}
        benchmark = Benchmark(about["name"])
        benchmark.set_metadata(**{"creator": None, **about})
    if strict and findings:
        raise FindingsError.of(findings)
    imported = put_questions(benchmark, read)
    findings += imported.findings[len(read.findings) :]
    if kind == "table":
        findings += curated_rubric(benchmark, source, read)
    result = ImportedBenchmark(benchmark, findings)
    result.imported = imported
    return result


def format_of(path: str) -> str:
    """Return the name in `READERS` for a file or folder. Raises SettingsError if none fits."""
    file = Path(path)
    if (file / _CROISSANT).is_file() or file.name == _CROISSANT:
        return "croissant"
    if (file / _CRATE).is_file() and (file / CHECKPOINT).is_file():
        raise SettingsError(f"{path} is a crate with a benchmark in it, {file / CHECKPOINT}: load that file")
    if all((file / name).is_file() for name in _INSPECT):
        return "inspect"
    if file.is_dir():
        return "hugging-face"
    if is_log(path):
        return "inspect"
    return _EXTENSIONS.get(extension_of(path), "table")


def is_table_of_questions(names: Iterable[str]) -> bool:
    """Return whether columns have names that are usual for questions and for answers."""
    roles = {ROLES.get(usual(name)) for name in names}
    return {"question", "answer"} <= roles


def refuse_link(file: Path, folder: Path) -> None:
    """Raise ReadError for a file in a folder that is a link to one outside of the folder.

    In the cache of the Hugging Face Hub, the files of a folder are links to those in the folder `blobs` above it.
    """
    root = folder.absolute()
    if root.parent.name == "snapshots" and root.parent.parent.name.startswith("datasets--"):
        root = root.parent.parent
    if not file.resolve().is_relative_to(root.resolve()):
        raise ReadError(f"{file}: is a link out of {folder}: copy the file to its place, if you trust it")


def lost_beside_records(benchmark: Benchmark, rubrics: str, place: str, remedy: str) -> Iterator[Finding]:
    """Yield findings about content without a place in records; `rubrics` is the message about rubrics."""
    if benchmark.has_rubric() or any(map(benchmark.has_rubric, benchmark.get_question_ids())):
        yield lost(rubrics, remedy=remedy)
    yield from lost_properties(benchmark, place, remedy)


def lost_properties(benchmark: Benchmark, place: str, remedy: str) -> Iterator[Finding]:
    """Yield a finding if a benchmark has custom properties, which a format, or a `place` in it, does not hold."""
    own = [name for name in benchmark.get_all_custom_properties() if name not in _OURS]
    if own:
        yield lost(f"the custom properties {', '.join(own)} have no place in {place}", remedy=remedy)


def questions_of(benchmark: Benchmark, target: str, records: str) -> list[dict[str, Any]]:
    """Return the questions that are exported as `records`. Raises WriteError where there are none."""
    questions = benchmark.get_all_questions()
    if not questions:
        what = f"its scenarios are no {records}" if benchmark.is_scenario_benchmark else "add some"
        raise WriteError(f"there are no questions to export to {target}: {what}")
    return questions


def checkpoint_of(benchmark: Benchmark) -> bytes:
    """Return the checkpoint for the folder of an export."""
    return dump_json(jsonld_of(benchmark.graph, ContextStyle.IMPROVED))
