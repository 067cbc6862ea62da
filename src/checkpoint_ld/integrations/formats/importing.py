"""Benchmarks made from questions in other formats: tables, JSON lines, data sets, logs of evaluations.

The reader of a format returns the rows of a source as they are. `import_benchmark` makes questions of them, for all
formats alike: the caller names the columns of question and answer, or they are guessed. Nothing in a source is run, and
nothing it names is fetched. This module also has the functions that the exports share, such as `lost`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.assessment.inspect_logs import (
    IDENTIFIER,
    answer_text,
    choices_of,
    has_several,
    is_log,
    question_text,
)
from checkpoint_ld.benchmark import Benchmark
from checkpoint_ld.benchmark.table_import import COMPUTE, bytes_of, cell_text, cell_value, table_rows
from checkpoint_ld.dialects.datafeed import CREATOR_DETAILS
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.files import extension_of, reading
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.entities.entity import json_value
from checkpoint_ld.errors import FindingsError, LookupFailedError, ReadError, SettingsError, WriteError
from checkpoint_ld.findings import Finding, Place
from checkpoint_ld.graph.emission import ContextStyle, jsonld_of
from checkpoint_ld.integrations.formats.layouts import TableLayout, layout_of, usual
from checkpoint_ld.integrations.formats.transfer import TransferReport
from checkpoint_ld.phrases import BOOLEAN_WORDS, some_of, unknown
from checkpoint_ld.rules import finding
from checkpoint_ld.vocabulary import FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


_LINES = (".jsonl", ".ndjson")
_RUBRICS = ("global_rubric", "global_dynamic_rubric", "question_rubric", "question_dynamic_rubric")
"""The members of a benchmark that was exported as JSON, and of its questions, that are not imported."""
_ABOUT = ("name", "description", "version")
"""The texts about such a benchmark that are imported."""


def records(path: str, *, part: str | None = None, split: str | None = None) -> Records:
    """Return the rows of `.csv`, `.tsv`, `.txt` (tabs), `.xlsx`, `.jsonl`, `.ndjson`, or of a list or lines in `.json`.

    `part` is the sheet of a workbook. Raises SettingsError for another extension, ReadError for a file without a table.
    """
    if split is not None:
        raise SettingsError(f"{path}: a table has no splits: leave out split")
    extension = extension_of(path)
    if extension in _LINES or (extension == ".json" and _is_lines(bytes_of(path)[0])):
        return of_objects(_lines(path))
    if extension == ".json":
        value = read_json(*bytes_of(path)).value
        if (
            isinstance(value, dict)
            and isinstance(value.get("metadata"), dict)
            and isinstance(value.get("questions"), list)
        ):
            return _exported(value, path)
        if isinstance(value, dict) and isinstance(value.get("results"), dict) and "evalId" in value:
            value = value["results"].get("results")  # of promptfoo
        listed = value if isinstance(value, list) else [value]
        return of_objects(
            (item, f"item {number}", Place(path, f"/{number - 1}")) for number, item in enumerate(listed, 1)
        )
    faults = list[str]()
    header, *rows = [*table_rows(path, part, faults)] or [[]]
    names = [cell_text(name).strip() for name in header]
    columns = {name: at for at, name in reversed([*enumerate(names)]) if name}  # of several with one name the first
    columns = dict(reversed(columns.items()))
    held = [
        Row({name: cell_value(row[at]) for name, at in columns.items() if at < len(row)}, f"row {number}", Place(path))
        for number, row in enumerate(rows, 2)
        if any(cell not in (None, "") for cell in row)
    ]
    read = {*columns.values()}
    unread = {at + 1 for row in rows for at, cell in enumerate(row) if cell not in (None, "") and at not in read}
    findings = [lost(fault, Place(path), remedy=COMPUTE) for fault in faults]
    if unread:
        message = f"column {', '.join(map(str, sorted(unread)))}: has no name of its own, and is left out"
        findings.append(lost(message, Place(path), remedy="give each column a name of its own in the first row"))
    return Records(held, [*columns], findings=tuple(findings))


def _exported(value: dict[str, Any], path: str) -> Records:
    """Return the questions of a benchmark that was exported as JSON, without its rubrics."""
    questions = [one if isinstance(one, dict) else {} for one in value["questions"]]
    rubrics = [*map(value.get, _RUBRICS), *(one.get(name) for one in questions for name in _RUBRICS)]
    rows = of_objects(
        (
            {name: cell for name, cell in one.items() if name not in _RUBRICS},
            f"item {at + 1}",
            Place(path, f"/questions/{at}"),
        )
        for at, one in enumerate(questions)
    )
    about = {name: text for name in _ABOUT if isinstance(text := value["metadata"].get(name), str) and text}
    missing = lost("its rubrics are not read", Place(path), remedy="export the benchmark as .jsonld to keep them")
    return replace(rows, about=about, findings=(missing,) if any(rubrics) else ())


def _lines(path: str) -> Iterable[tuple[Any, str, Place]]:
    data, _ = bytes_of(path)
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                value = read_json(line).value
            except ReadError as error:
                fault = error.findings[0]
                raise ReadError(f"{Place(path, line=number)} line {number} is no JSON: {fault.message}") from None
            yield value, f"line {number}", Place(path, line=number)


def _is_lines(data: bytes) -> bool:
    """Return whether a text holds JSON lines: its first line is an object, and more follows."""
    first, _, others = data.partition(b"\n")
    with suppress(ReadError):
        return bool(others.strip()) and isinstance(read_json(first).value, dict)
    return False


def of_objects(objects: Iterable[tuple[Any, str, Place]]) -> Records:
    """Return objects as rows. The members of `metadata`, as Inspect's samples have it, are columns, too.

    Metadata are custom metadata where the objects have a column of the same name or use: a sample's target is its
    answer, whatever its metadata call so.
    """
    held = []
    for value, subject, place in objects:
        if not isinstance(value, dict):
            raise ReadError(f"{place}: {subject} is no object: write one JSON object for each question")
        own, inner = value, value.get("metadata")
        if isinstance(inner, dict):
            own = {name: cell for name, cell in value.items() if name != "metadata"}
        held.append((own, inner if isinstance(inner, dict) else {}, subject, place))
    names = {name for own, *_ in held for name in own}
    taken = {_ROLES.get(usual(name)) for name in names} - {None}
    rows = [
        Row(
            own
            | {
                f"{_CUSTOM}{name}" if name in names or _ROLES.get(usual(name)) in taken else name: cell
                for name, cell in inner.items()
            },
            subject,
            place,
        )
        for own, inner, subject, place in held
    ]
    return Records(rows, [*dict.fromkeys(name for row in rows for name in row.values)])


READERS = {
    "table": "checkpoint_ld.integrations.formats.importing",
    "croissant": "checkpoint_ld.integrations.formats.croissant",
    "hugging-face": "checkpoint_ld.integrations.formats.hugging_face",
    "inspect": "checkpoint_ld.integrations.formats.inspect",
}
"""The formats that can be read, and the module whose function `records` reads each."""
_EXTENSIONS = {".eval": "inspect", ".parquet": "hugging-face", ".arrow": "hugging-face"}
USUAL = {
    "question": ("question", "input", "prompt", "problem", "query", "instruction", "question_text", "user_input"),
    "answer": (
        *("raw_answer", "answer", "target", "reference_answer", "expected_answer", "correct_answer", "ideal"),
        *("answers", "final_answer", "solution", "output", "response", "completion", "answerkey"),
        *("expected_output", "expected", "reference", "ground_truth", "gold", "gold_answer", "correct_response"),
    ),
    "question_id": ("question_id", "id"),
    "keywords": ("keywords", "tags", "topics"),
    "choices": ("choices", "options"),
    "answer_notes": ("answer_notes", "notes"),
    "answer_template": ("answer_template",),
    "author": ("author", "author_name"),
    "author_email": ("author_email",),
    "url": ("url",),
    "date_created": ("created", "date_created"),
    "date_modified": ("modified", "date_modified"),
    "finished": ("finished", "curation_status"),
    "sources": ("sources",),
    "few_shot_examples": ("few_shot_examples",),
    "custom_metadata": ("custom_metadata",),
}
"""The usual names of columns, in small letters with `_` for spaces; the first name of a column counts."""
_OWN = {"question": ("question",), "answer": ("raw_answer",)}
"""The names that benchmarks have for question and answer; beside them no other column could be meant."""
_ROLES = {name: role for role, names in USUAL.items() for name in names}
CHECKPOINT = "checkpoint.jsonld"
"""The name of the checkpoint in the folder of an export."""
_TEXTS = ("answer_notes", "answer_template", "date_created", "date_modified")
_FINISHED = {**BOOLEAN_WORDS, "finished": True, "not finished": False, "draft": False}
_NO_QUESTIONS = "{}: no questions are in it; give a file with a row for each"
_CROISSANT = "croissant.json"
_INSPECT = ("task.py", "dataset.jsonl")
_CRATE = "ro-crate-metadata.json"
_CUSTOM = "custom."
_OURS = (FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY, CREATOR_DETAILS)
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Row:
    """A row by the names of its columns; `subject` is its name in messages, `place` its place in the source."""

    values: Mapping[str, Any]
    subject: str
    place: Place


@dataclass(frozen=True, slots=True)
class Records:
    """The content of a source: its rows, the columns in their order, and its metadata.

    `about` has members of `Benchmark.set_metadata`. `findings` are about content that no row holds.
    """

    rows: Iterable[Row]
    columns: Sequence[str]
    about: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


class ImportedBenchmark(NamedTuple):
    """A benchmark made from the questions of another format, and findings about content that did not fit."""

    benchmark: Benchmark
    findings: tuple[Finding, ...]


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
    strict: bool = False,
    report: str | os.PathLike[str] | None = None,
) -> ImportedBenchmark:
    """Make a benchmark of the questions in a file or folder, with findings about content that does not fit.

    `format` is one of `READERS`; without it the extension and the content decide. `part` is the sheet of a workbook or
    the configuration of a data set, `split` one of its splits (all of them without it). A column that is not given is
    found by the names of `USUAL`, or by a layout of `layouts.LAYOUTS`; none is taken where several could be meant.
    Other columns become custom metadata, or only `custom_metadata_columns` if they are given. Rows without a question
    or an answer are left out. `report` is a file for a `TransferReport` in JSON.

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
    found: Records = import_module(READERS[kind]).records(source, part=part, split=split)
    given = {
        "question": question_column,
        "answer": answer_column,
        "answer_notes": answer_notes_column,
        "author": author_name_column,
        "author_email": author_email_column,
        "url": url_column,
    }
    layout = layout_of(found.columns) if question_column is None and answer_column is None else None
    if layout is not None:
        found = _laid_out(found, layout)
    columns = _Columns(found.columns, given, keywords_columns, custom_metadata_columns, source)
    noted, rows = _Noted(), 0
    questions = list[dict[str, Any]]()
    for rows, row in enumerate(found.rows, 1):  # noqa: B007 - their number is reported
        if (members := columns.question(row, noted)) is not None:
            questions.append(members)
    beside = Path(source) / CHECKPOINT
    whole = lost("the rows are a part of the benchmark in it", Place(source), remedy=f"load {beside} to have all of it")
    findings = (
        *((whole,) if beside.is_file() else ()),
        *(found.findings + columns.findings),
        *noted.findings(),
    )
    if report is not None:
        name_of_layout = layout.name if layout else None
        made = TransferReport("import", source, kind, len(questions), findings, rows, noted.left_out, name_of_layout)
        made.write(report, columns=columns.used())
    if not questions:
        raise ReadError("\n".join((*map(str, noted.findings()), _NO_QUESTIONS.format(source))), noted.findings())
    if strict and findings:
        raise FindingsError.of(findings)
    about = {"name": Path(source).stem or "Questions", **found.about, **({"name": name} if name else {})}
    benchmark = Benchmark(about["name"])
    benchmark.set_metadata(**about)
    benchmark.add_questions(questions)
    return ImportedBenchmark(benchmark, findings)


def _laid_out(found: Records, layout: TableLayout) -> Records:
    """Return rows with the columns `question`, `answer` and `choices` in the place of those that a layout uses."""

    def kept(name: str) -> str:
        of = usual(name)
        is_taken = of in layout.answers or _ROLES.get(of) in ("question", "answer", "choices")
        return f"{_CUSTOM}{name}" if is_taken else name

    names = [name for name in found.columns if usual(name) not in layout.uses]
    rows, seen = list[Row](), set[tuple[str, str]]()
    for row in found.rows:
        held = {usual(name): _read(value) for name, value in row.values.items()}
        roles = layout.read(held)
        if layout.key:
            key = (_text(held.get(layout.key)), _text(roles.get("question")))
            if key in seen:
                continue
            seen.add(key)
        rows.append(replace(row, values=roles | {kept(name): row.values[name] for name in names if name in row.values}))
    made = dict.fromkeys(name for row in rows for name in row.values if name in ("question", "answer", "choices"))
    return replace(found, rows=rows, columns=[*made, *map(kept, names)])


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
    roles = {_ROLES.get(usual(name)) for name in names}
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


def lost(message: str, place: Place | None = None, subject: str = "", remedy: str = "") -> Finding:
    """Return the finding (W-LOSS) that a benchmark, or the format to write, has no place for something."""
    return replace(finding("loss", message, subject=subject, remedy=remedy), place=place or Place())


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


class _Noted:
    """Collects the faults of rows, in one finding for all rows with the same fault."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], list[Row]] = {}
        self.left_out: list[tuple[str, str]] = []
        """The names of rows that are left out, and why."""

    def add(self, row: Row, message: str, remedy: str = "") -> None:
        self._rows.setdefault((message, remedy), []).append(row)

    def findings(self) -> Iterator[Finding]:
        for (message, remedy), (first, *rows) in self._rows.items():
            named = ", ".join(row.subject for row in rows[:_MOST_NAMED])
            more = f" and {len(rows) - _MOST_NAMED} more" if len(rows) > _MOST_NAMED else ""
            others = f" (as in {named}{more})" if rows else ""
            yield lost(message + others, first.place, first.subject, remedy)


class _Columns:
    """The columns of a source by their role in a question."""

    def __init__(
        self,
        names: Sequence[str],
        given: Mapping[str, str | None],
        keywords: Sequence[Mapping[str, str]] | None,
        custom: Sequence[str] | None,
        source: str,
    ) -> None:
        wanted = [*given.values(), *(keyword.get("column") for keyword in keywords or ()), *(custom or ())]
        for name in wanted:
            if name is not None and name not in names:
                raise LookupFailedError(f"{source}: {unknown('column', name, names)}")
        by_name = {usual(name): name for name in reversed(names)}
        self._of = {
            role: given.get(role) or next((by_name[name] for name in known if name in by_name), None)
            for role, known in USUAL.items()
        }
        if not names:
            raise ReadError(_NO_QUESTIONS.format(source))
        for role in ("question", "answer"):
            able = [name for known, name in by_name.items() if _ROLES.get(known) == role]
            if given.get(role) is None and len(able) > 1 and by_name.keys().isdisjoint(_OWN[role]):
                raise LookupFailedError(_which(source, role, able))
            if self._of[role] is None:
                raise LookupFailedError(_which(source, role, names))
        guessed = self._of["keywords"]
        self._keywords = [*keywords] if keywords is not None else [{"column": guessed}] if guessed else []
        self._is_guessed = keywords is None
        self._identifiers = set[str | None]()
        used = {*self._of.values(), *(keyword["column"] for keyword in self._keywords)}
        rest = [name for name in names if name not in used]
        # Of `level` and `custom.level` the first has the name, and the second keeps its own.
        self._custom = sorted(rest if custom is None else custom, key=lambda name: name.startswith(_CUSTOM))
        self._rank = {name: at for at, name in enumerate(self._custom)}
        passed_over = [name for name in rest if name not in self._rank]
        message = f"the columns {some_of(passed_over)} were not requested and are left out"
        self.findings = (lost(message, Place(source)),) if passed_over else ()

    def used(self) -> dict[str, Any]:
        """Return the columns by their roles."""
        roles = {role: name for role, name in self._of.items() if name is not None and role != "keywords"}
        return {**roles, "keywords": [one["column"] for one in self._keywords], "custom_metadata": [*self._custom]}

    def question(self, row: Row, noted: _Noted) -> dict[str, Any] | None:
        values = row.values
        cells = {role: values.get(name) if name else None for role, name in self._of.items()}
        choices = _read(cells["choices"])
        text, unfit = question_text(cells["question"], choices)
        answer = answer_text(cells["answer"], choices)
        if not text or not answer:
            missing = "question" if not text else "answer"
            noted.add(row, f"no {missing} is in the column {self._of[missing]!r}, and the row is left out")
            noted.left_out.append((row.subject, f"no {missing}"))
            return None
        if unfit:
            noted.add(row, f"of the messages in {self._of['question']!r} only the user's text is kept, not {unfit}")
        if has_several(cells["answer"]):
            noted.add(row, f"of several answers in {self._of['answer']!r} the first counts; custom metadata keeps all")
        used = {role: use(cells[role]) for role, use in _USES.items()}
        named = cells["question_id"]
        is_kept = isinstance(named, str) and IDENTIFIER.fullmatch(named) and named not in self._identifiers
        used["question_id"] = named if is_kept else None
        self._identifiers.add(used["question_id"])
        unused = [role for role, value in used.items() if value is None and cells[role] not in _EMPTY]
        unused += ["answer"] if has_several(cells["answer"]) else []
        custom = {**(used.pop("custom_metadata") or {})}
        # By the columns of the row: the rows of a source may have different ones.
        of_row = sorted(filter(self._rank.__contains__, values), key=self._rank.__getitem__)
        held = {str(self._of[role]): cells[role] for role in unused} | {name: values[name] for name in of_row}
        for name, value in held.items():
            if value is not None:
                key = name.removeprefix(_CUSTOM)
                custom[f"{_CUSTOM}{key}" if key in custom else key] = value
        custom["url"] = cells["url"] or custom.get("url")
        for name, value in custom.items():
            if _has_bytes(value):
                noted.add(row, f"the column {name!r} holds binary data, which is left out")
        kept = {name: json_value(value, finite=True) for name, value in custom.items() if not _has_bytes(value)}
        author = used.pop("author") or {}
        if email := _text(cells["author_email"]):
            author.setdefault("email", email)
        return {
            "question": text,
            "raw_answer": answer,
            "keywords": self._words(values),
            "author": {"@type": "Person", **author} if author else None,
            "custom_metadata": {name: value for name, value in kept.items() if value not in (None, "")} or None,
            **{role: value for role, value in used.items() if role != "choices"},
            **{role: _text(cells[role]) for role in _TEXTS if cells[role]},
        }

    def _words(self, values: Mapping[str, Any]) -> list[str]:
        found = list[str]()
        for keyword in self._keywords:
            cell = _read(values.get(keyword["column"]))
            text = "" if isinstance(cell, list) else _text(cell)
            usual = ";" if self._is_guessed and ";" in text else ","  # the first is how exports separate them
            parts = cell if isinstance(cell, list) else text.split(keyword.get("separator") or usual)
            found += [_text(part).strip() for part in parts]
        return sorted({*found} - {""})


def _which(source: str, role: str, names: Sequence[str]) -> str:
    named = some_of(names) or "none"
    return f"which column of {source} holds the {role}? name one of {named} ({role}_column, --{role})"


def _read(value: Any) -> Any:
    """Return the array or object that a cell holds as JSON text; any other value as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        with suppress(ReadError, UnicodeEncodeError):
            return read_json(value.encode()).value
    return value


def _text(value: Any) -> str:
    plain = json_value(value)
    return plain if isinstance(plain, str) else "" if plain is None else json.dumps(plain, ensure_ascii=False)


def _state(value: Any) -> bool | None:
    return value if isinstance(value, bool) else _FINISHED.get(_text(value).strip().lower())


def _author(value: Any) -> dict[str, Any] | None:
    held = json_value(_read(value))
    if isinstance(held, dict | list) or held in _EMPTY:
        return held if isinstance(held, dict) and held else None
    return {"name": _text(held)}


def _objects(value: Any) -> list[Any] | None:
    held = json_value(_read(value))
    return held if isinstance(held, list) and held and all(isinstance(item, dict) for item in held) else None


def _examples(value: Any) -> list[Any] | None:
    held = _objects(value) or []
    return held if all(isinstance(text, str) for item in held for text in item.values()) and held else None


def _object(value: Any) -> dict[str, Any] | None:
    held = _read(value)
    return held if isinstance(held, dict) else None


_EMPTY: tuple[Any, ...] = (None, "", [], {})
_USES: dict[str, Callable[[Any], Any]] = {
    "finished": _state,
    "choices": lambda value: choices_of(_read(value)) or None,
    "author": _author,
    "sources": _objects,
    "few_shot_examples": _examples,
    "custom_metadata": _object,
}
"""What a question takes from the cells of columns; None for a cell that becomes custom metadata as it is."""


def _has_bytes(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_bytes, value.values()))
    return any(map(_has_bytes, value)) if isinstance(value, list | tuple) else isinstance(value, bytes | bytearray)
