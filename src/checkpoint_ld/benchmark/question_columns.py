"""The columns of a source by their role in a question, named by the caller or guessed from usual names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from checkpoint_ld.benchmark import answer_columns
from checkpoint_ld.benchmark.answer_columns import UnfitAnswerError, template_source
from checkpoint_ld.benchmark.choices import IDENTIFIER, answer_text, choices_of, has_several, question_text
from checkpoint_ld.benchmark.table_import import CURATION_COLUMNS, FIELD_COLUMNS
from checkpoint_ld.benchmark.table_layouts import TableLayout, layout_of, usual
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.entities.entity import json_value
from checkpoint_ld.errors import LookupFailedError, ReadError
from checkpoint_ld.findings import Finding, Place
from checkpoint_ld.phrases import BOOLEAN_WORDS, some_of, unknown
from checkpoint_ld.rules import finding

Json = dict[str, Any]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from checkpoint_ld.benchmark.answer_columns import Fields

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
ROLES: dict[str, str] = {}
for _role, _names in USUAL.items():
    ROLES |= dict.fromkeys(_names, _role)

_TEXTS = ("answer_notes", "answer_template", "date_created", "date_modified")
_FINISHED = {**BOOLEAN_WORDS, "finished": True, "not finished": False, "draft": False}
NO_QUESTIONS = "{}: no questions are in it; give a file with a row for each"
CUSTOM = "custom."
DRAFT_ANSWER = "(no reference answer yet)"
"""The reference answer of a draft: Karenina refuses a file with an empty one."""
_COUNTED = ("Item Number", "Template Parse Status")
"""The columns of a table for curators that follow from the others."""
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


@dataclass(frozen=True, slots=True)
class QuestionsRead:
    """The questions of a source: mappings for `Benchmark.add_questions`, and the members that the source has.

    `fields` has the rows of a table for curators by the place of the question in `questions`. `rows` counts the rows of
    the source, `left_out` names those that are no questions, each with the reason. `columns` has the columns by their
    roles, `layout` the name of the layout of a known table. `named` is the column with identifiers.
    """

    questions: list[dict[str, Any]]
    members: frozenset[str]
    findings: tuple[Finding, ...]
    rows: int
    left_out: Sequence[tuple[str, str]]
    columns: Mapping[str, Any]
    layout: str | None = None
    named: str | None = None
    fields: Mapping[int, Fields] = field(default_factory=dict)
    places: Sequence[Row] = ()


def read_questions(  # noqa: PLR0913 - one for each column, as extract_questions_from_file has them
    found: Records,
    source: str,
    *,
    question_column: str | None = None,
    answer_column: str | None = None,
    keywords_columns: Sequence[Mapping[str, str]] | None = None,
    answer_notes_column: str | None = None,
    author_name_column: str | None = None,
    author_email_column: str | None = None,
    url_column: str | None = None,
    custom_metadata_columns: Sequence[str] | None = None,
) -> QuestionsRead:
    """Return the questions in the rows of a source; columns that are not given are found by their usual names.

    Rows without a question are left out. A question without an answer is a draft, which is not finished. Raises
    LookupFailedError for a column that is missing or could be several, and ReadError for a source without columns.
    """
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
    questions, places = list[dict[str, Any]](), list[Row]()
    fields: dict[int, Fields] = {}
    for rows, row in enumerate(found.rows, 1):  # noqa: B007 - their number is reported
        if (members := columns.question(row, noted)) is not None:
            if edited := columns.fields(row):
                fields[len(questions)] = edited
            questions.append(members)
            places.append(row)
    return QuestionsRead(
        questions,
        columns.members(),
        (*found.findings, *columns.findings, *noted.findings()),
        rows,
        noted.left_out,
        columns.used(),
        layout.name if layout else None,
        columns.named,
        fields,
        places,
    )


def _laid_out(found: Records, layout: TableLayout) -> Records:
    """Return rows with the columns `question`, `answer` and `choices` in the place of those that a layout uses."""

    def kept(name: str) -> str:
        of = usual(name)
        is_taken = of in layout.answers or ROLES.get(of) in ("question", "answer", "choices")
        return f"{CUSTOM}{name}" if is_taken else name

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


def lost(message: str, place: Place | None = None, subject: str = "", remedy: str = "") -> Finding:
    """Return the finding (W-LOSS) that a benchmark, or the format to write, has no place for something."""
    return replace(finding("loss", message, subject=subject, remedy=remedy), place=place or Place())


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
            raise ReadError(NO_QUESTIONS.format(source))
        for role in ("question", "answer"):
            able = [name for known, name in by_name.items() if ROLES.get(known) == role]
            if given.get(role) is None and len(able) > 1 and by_name.keys().isdisjoint(_OWN[role]):
                raise LookupFailedError(_which(source, role, able))
            if self._of[role] is None:
                raise LookupFailedError(_which(source, role, names))
        self.named = self._of["question_id"]
        self._about = {
            role: name
            for role, known in answer_columns.ROLES.items()
            if (name := next((by_name[one] for one in known if one in by_name), None)) and name not in self._of.values()
        }
        self._is_curated = {*CURATION_COLUMNS} <= {*names}
        guessed = self._of["keywords"]
        self._keywords = [*keywords] if keywords is not None else [{"column": guessed}] if guessed else []
        self._identifiers = set[str | None]()
        self._named_before = set[str]()
        used = {*self._of.values(), *self._about.values(), *(keyword["column"] for keyword in self._keywords)}
        used |= {*FIELD_COLUMNS, *_COUNTED} if self._is_curated else set()
        rest = [name for name in names if name not in used]
        # Of `level` and `custom.level` the first has the name, and the second keeps its own.
        self._custom = sorted(rest if custom is None else custom, key=lambda name: name.startswith(CUSTOM))
        self._rank = {name: at for at, name in enumerate(self._custom)}
        passed_over = [name for name in rest if name not in self._rank]
        message = f"the columns {some_of(passed_over)} were not requested and are left out"
        self.findings = (lost(message, Place(source)),) if passed_over else ()

    def used(self) -> dict[str, Any]:
        """Return the columns by their roles."""
        roles = {role: name for role, name in self._of.items() if name is not None and role != "keywords"}
        keywords = [one["column"] for one in self._keywords]
        return {**roles, **self._about, "keywords": keywords, "custom_metadata": [*self._custom]}

    def members(self) -> frozenset[str]:
        """Return the members of questions that the source has columns for."""
        found = {role for role, name in self._of.items() if name is not None} & {*_TEXTS, *_USES}
        found |= {"keywords"} if self._keywords else set()
        found |= {"author"} if self._of["author"] or self._of["author_email"] else set()
        return frozenset(found | {"question", "raw_answer", "custom_metadata", "answer_template"})

    def fields(self, row: Row) -> Fields:
        """Return the rows about fields of the question of a row in a table for curators."""
        if not self._is_curated:
            return []
        cells = [row.values.get(name) for name in FIELD_COLUMNS]
        is_several = isinstance(cells[0], list)
        rows = [list(one) for one in zip(*cells, strict=False)] if is_several else [cells]
        return [one for one in rows if one[0] not in (None, "")]

    def question(self, row: Row, noted: _Noted) -> dict[str, Any] | None:
        values = row.values
        cells = {role: values.get(name) if name else None for role, name in self._of.items()}
        choices = _read(cells["choices"])
        text, unfit = question_text(cells["question"], choices)
        answer = answer_text(cells["answer"], choices)
        if not text:
            noted.add(row, f"no question is in the column {self._of['question']!r}, and the row is left out")
            noted.left_out.append((row.subject, "no question"))
            return None
        is_draft = answer in ("", DRAFT_ANSWER)
        if answer == "":
            message = f"no answer is in the column {self._of['answer']!r}, and the question is kept as a draft"
            noted.add(row, message, "write the reference answer, and import the table --into the benchmark")
        if unfit:
            noted.add(row, f"of the messages in {self._of['question']!r} only the user's text is kept, not {unfit}")
        if has_several(cells["answer"]):
            noted.add(row, f"of several answers in {self._of['answer']!r} the first counts; custom metadata keeps all")
        used = {role: use(cells[role]) for role, use in _USES.items()}
        named = cells["question_id"]
        if named not in _EMPTY and str(named) in self._named_before:
            message = f"the identifier {str(named)!r} stands in a row above, too: both questions are kept"
            noted.add(row, message, "give each question an identifier of its own")
        self._named_before.add(str(named))
        is_kept = isinstance(named, str) and IDENTIFIER.fullmatch(named) and named not in self._identifiers
        used["question_id"] = named if is_kept else None
        self._identifiers.add(used["question_id"])
        kept = self._kept(row, cells, used, noted)
        template = None if is_draft else self._template(row, answer, kept, noted)
        author = used.pop("author") or {}
        if email := _text(cells["author_email"]):
            author.setdefault("email", email)
        texts = {role: _text(cells[role]) for role in _TEXTS if cells[role]}
        if template is not None:
            texts.setdefault("answer_template", template)
        if is_draft:
            used["finished"] = False
        return {
            "question": text,
            "raw_answer": answer or DRAFT_ANSWER,
            "keywords": self._words(values),
            "author": {"@type": "Person", **author} if author else None,
            "custom_metadata": {name: value for name, value in kept.items() if value not in (None, "")} or None,
            **{role: value for role, value in used.items() if role != "choices"},
            **texts,
        }

    def _kept(self, row: Row, cells: Json, used: Json, noted: _Noted) -> Json:
        """Return the custom metadata of a row: the columns without a role, and cells that their role has no use for."""
        values = row.values
        unused = [role for role, value in used.items() if value is None and cells[role] not in _EMPTY]
        unused += ["answer"] if has_several(cells["answer"]) else []
        custom = {**(used.pop("custom_metadata") or {})}
        # By the columns of the row: the rows of a source may have different ones.
        of_row = sorted(filter(self._rank.__contains__, values), key=self._rank.__getitem__)
        held = {str(self._of[role]): cells[role] for role in unused} | {name: values[name] for name in of_row}
        for name, value in held.items():
            if value is not None:
                key = name.removeprefix(CUSTOM)
                custom[f"{CUSTOM}{key}" if key in custom else key] = value
        custom["url"] = cells["url"] or custom.get("url")
        for name, value in custom.items():
            if _has_bytes(value):
                noted.add(row, f"the column {name!r} holds binary data, which is left out")
        return {name: json_value(value, finite=True) for name, value in custom.items() if not _has_bytes(value)}

    def _template(self, row: Row, answer: str, custom: dict[str, Any], noted: _Noted) -> str | None:
        """Return the template that the cells about the answer make; cells that do not fit become custom metadata."""
        cells = {
            role: "; ".join(map(_text, cell)) if isinstance(cell := row.values.get(name), list) else cell
            for role, name in self._about.items()
        }
        try:
            return template_source(answer, cells)
        except UnfitAnswerError as error:
            held = {name: row.values[name] for name in self._about.values() if row.values.get(name) not in _EMPTY}
            custom |= {name: json_value(value, finite=True) for name, value in held.items()}
            noted.add(
                row,
                f"{error}: the question gets no template, but {some_of([*held])} as custom metadata",
                error.remedy,
            )
            return None

    def _words(self, values: Mapping[str, Any]) -> list[str]:
        found = list[str]()
        for keyword in self._keywords:
            cell = _read(values.get(keyword["column"]))
            text = "" if isinstance(cell, list) else _text(cell)
            usual = ";" if ";" in text else ","  # the first is how exports separate them
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
