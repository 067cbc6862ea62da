"""A benchmark as a data set and a task of Inspect (https://inspect.aisi.org.uk), and questions from its logs.

The folder has `dataset.jsonl`, a `Sample` to a line as `json_dataset` reads it, the task file `task.py`, and the
checkpoint itself, by whose templates the task's scorer verifies what a model answers. The task file is the same for
every checkpoint: nothing of a document becomes code.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from checkpoint_ld.assessment.inspect_logs import failure_of, invalidation_of, is_log, messages_of, read_log
from checkpoint_ld.benchmark import Benchmark, question_sources
from checkpoint_ld.benchmark.exports import no_encoding
from checkpoint_ld.benchmark.question_columns import Records, lost
from checkpoint_ld.errors import ReadError, SettingsError, WriteError
from checkpoint_ld.findings import Place
from checkpoint_ld.integrations.formats import importing
from checkpoint_ld.integrations.formats.importing import (
    CHECKPOINT,
    checkpoint_of,
    lost_beside_records,
    questions_of,
)

if TYPE_CHECKING:
    from checkpoint_ld.findings import Finding

DATASET = "dataset.jsonl"
TASK = "task.py"
_REMEDY = f"{CHECKPOINT}, by which the task scores, has them"
_WHOLE = "give the log of a run that was not stopped"
_KEPT = (
    *("keywords", "answer_template", "answer_notes", "author", "sources", "few_shot_examples", "finished"),
    *("date_created", "date_modified", "custom_metadata"),
)
"""The members of a question in the metadata of a sample, which Inspect shows to no model."""


def files(benchmark: Benchmark) -> tuple[dict[str, bytes], tuple[Finding, ...]]:
    """Return the files of the folder by name, and findings about content that the samples do not hold.

    Raises WriteError for a benchmark without questions, and for texts that UTF-8 cannot hold.
    """
    questions = questions_of(benchmark, "Inspect", "samples")
    findings = [
        lost("the question has no text, and is no sample", subject=question["id"])
        for question in questions
        if not question["question"]
    ]
    findings += lost_beside_records(benchmark, "rubrics have no place in a sample", "a task", _REMEDY)
    try:
        lines = "".join(_line(question) for question in questions if question["question"]).encode()
    except UnicodeEncodeError as error:
        raise no_encoding(error) from None
    written = {
        DATASET: lines,
        TASK: Path(__file__).with_name("inspect_task.py.txt").read_bytes(),
        CHECKPOINT: checkpoint_of(benchmark),
    }
    return written, tuple(findings)


def _line(question: dict[str, Any]) -> str:
    sample = {
        "input": question["question"],
        "target": question["raw_answer"],
        "id": question["id"],
        "metadata": {name: question[name] for name in _KEPT if question[name] not in (None, [], {})},
    }
    return json.dumps(sample, ensure_ascii=False) + "\n"


def _about(log: Any) -> dict[str, Any]:
    """Return the metadata of a benchmark in a log, as the task of `files` writes them, or else the task's name."""
    stated = (log.eval.metadata or {}).get("benchmark")
    about = {"name": log.eval.task}
    for name, value in stated.items() if isinstance(stated, dict) else ():
        with contextlib.suppress(WriteError):  # other tasks may write anything there
            Benchmark("any").set_metadata(**{str(name): value})
            about[name] = value
    about.pop("id", None)  # the questions of a log are another benchmark, or a part of one
    return about


def records(path: str, *, part: str | None = None, split: str | None = None) -> Records:
    """Return the samples of a log (each once, whatever the number of epochs) or of a data set as rows.

    A folder is one that `files` made. Raises SettingsError for a part or a split, which neither has, ReadError for a
    log without samples.
    """
    if part is not None or split is not None:
        raise SettingsError(f"{path}: samples of Inspect have no parts and no splits: leave them out")
    if Path(path).is_dir():
        importing.refuse_link(Path(path) / DATASET, Path(path))
        path = str(Path(path) / DATASET)
    if not is_log(path):
        return question_sources.records(path)
    log = read_log(path)
    failure = failure_of(log)
    if not log.samples:
        why = f": {failure}" if failure else ""
        raise ReadError(
            f"{path}: the log has no samples{why}: give one of a whole run that was written with its samples"
        )
    order = {name: number for number, name in enumerate(log.eval.dataset.sample_ids or ())}
    inner = sorted(log.samples, key=lambda sample: order.get(sample.id, 0), reverse=True)
    valid = {str(sample.id): sample for sample in inner if sample.invalidation is None}
    left = {str(sample.id): sample for sample in inner if str(sample.id) not in valid}
    rows = question_sources.of_objects(
        (_members(sample), f"sample {name}", Place(path)) for name, sample in reversed(valid.items())
    )
    about = {"name": PurePath(path).stem, **{name: value for name, value in _about(log).items() if value}}
    findings = [
        lost(f"{invalidation_of(sample)}, and is no question", Place(path), subject=f"sample {name}")
        for name, sample in reversed(left.items())
    ]
    if missing := len({str(name) for name in order} - valid.keys() - left.keys()):
        message = f"of the {len(order)} samples of the data set {missing} are not in the log"
        findings.append(lost(f"{message}{f': {failure}' if failure else ''}", Place(path), remedy=_WHOLE))
    if any(sample.files for sample in valid.values()):
        message = "of the files of sandboxes, a log has the names only, which are in the custom metadata"
        findings.append(lost(message, Place(path), remedy="take them from the data set"))
    return replace(rows, about=about, findings=tuple(findings))


def _members(sample: Any) -> dict[str, Any]:
    """Return the members of a sample that a question takes; what else it states is custom metadata."""
    sandbox = sample.sandbox.model_dump(mode="json", exclude_none=True) if sample.sandbox else None
    more = {"sandbox": sandbox, "files": sample.files, "setup": sample.setup}
    return {
        "input": messages_of(sample),
        "target": sample.target,
        "choices": sample.choices,
        "id": sample.id,
        **{name: value for name, value in more.items() if value},
        "metadata": sample.metadata or {},
    }
