"""Samples of evaluation frameworks, and logs of Inspect, whose samples are recorded answers.

A log (https://inspect.aisi.org.uk/eval-logs.html) is read by Inspect's own `read_eval_log`. The values of a template's
fields are those of the last JSON object in a completion; no judge interprets it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from checkpoint_ld.assessment.answers import RecordedAnswer
from checkpoint_ld.benchmark.choices import question_text
from checkpoint_ld.data import library
from checkpoint_ld.errors import ReadError, SourceMissingError
from checkpoint_ld.findings import Place
from checkpoint_ld.host import without_warnings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BEGINNING = 4096
_MOST_OBJECTS = 1000


def is_log(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a log of Inspect: one called `.eval`, or JSON that begins as its logs do."""
    file = Path(path)
    if file.suffix.lower() == ".eval":
        return True
    if file.suffix.lower() != ".json" or not file.is_file():
        return False
    with file.open("rb") as opened:
        beginning = opened.read(_BEGINNING)
    return b'"version"' in beginning and b'"status"' in beginning and b'"eval"' in beginning


def read_log(path: str | os.PathLike[str]) -> Any:
    """Return the `EvalLog` in a file, with its samples.

    Raises SourceMissingError for a missing file, ReadError for a file that is no log, SettingsError if Inspect is not
    installed.
    """
    name = os.fspath(path)
    if not Path(name).is_file():
        raise SourceMissingError(f"{name}: cannot be read: no such file; check the path")
    library("inspect_ai", extra="inspect")
    from inspect_ai.log import read_eval_log  # noqa: PLC0415 - takes seconds to import

    try:
        # Inspect warns about logs of older versions, which it reads. They are read as bytes: a name such as s3://…
        # could otherwise belong to another file system.
        with without_warnings(), Path(name).open("rb") as opened:
            kind: Literal["eval", "json"] = "eval" if Path(name).suffix.lower() == ".eval" else "json"
            return read_eval_log(opened, format=kind, resolve_attachments="core")
    except Exception as error:  # zipfile, pydantic and Inspect raise classes of their own
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise ReadError(f"{name}: is no log of Inspect: {reason}; give an .eval or .json log that it wrote") from error


_NO_MODEL = ("", "none/none")
"""What a log states as its model where its task names none; its solver may ask one by name."""


def read_log_answers(path: str | os.PathLike[str]) -> Iterator[RecordedAnswer]:
    """Yield the answers of the models to the samples of a log, each epoch an answer of its own.

    `replicate` is the epoch, `trace` the completion, `model` the model that was evaluated; `extra` has the name by
    which its provider calls it. The question of a sample is that of its identifier, or else that of its text. The
    answer to a sample that was invalidated is faulty, and counts as neither right nor wrong. Raises as `read_log` does,
    and ReadError for the log of a run that failed before its first sample.
    """
    log, name = read_log(path), os.fspath(path)
    if not log.samples and (failure := failure_of(log)):
        raise ReadError(f"{name}: the log has no samples: {failure}; run it again")
    # Providers call a model by the name of a version. A sample without an output does not have that name.
    evaluated = log.eval.model if log.eval.model not in _NO_MODEL else None
    for number, sample in enumerate(log.samples or (), 1):
        fault = ""
        if sample.error is not None:
            fault = f"the model was not heard out: {sample.error.message.partition(chr(10))[0]}"
        if sample.invalidation is not None:
            fault = invalidation_of(sample)
        yield RecordedAnswer(
            question_id=str(sample.id),
            question_text=text_of(sample),
            values=values_in(sample.output.completion),
            trace=sample.output.completion,
            answer_id=sample.uuid,
            model=evaluated or sample.output.model,
            replicate=sample.epoch,
            date=None if log.eval.created is None else str(log.eval.created),
            extra={"task": log.eval.task, "run": log.eval.run_id, "output_model": sample.output.model},
            place=Place(name, line=number),
            fault=fault,
        )


def failure_of(log: Any) -> str:
    """Return what stopped a run, empty for one that came to its end."""
    if log.status == "success":
        return ""
    reason = "" if log.error is None else f": {log.error.message.partition(chr(10))[0]}"
    return {"error": f"its run failed{reason}", "cancelled": "its run was cancelled"}.get(
        log.status, "its run has not ended"
    )


def invalidation_of(sample: Any) -> str:
    """Return who invalidated a sample, and why."""
    invalidation = sample.invalidation
    by, why = getattr(invalidation, "author", None), getattr(invalidation, "reason", None)
    return f"the sample was invalidated{f' by {by}' if by else ''}{f': {why}' if why else ''}"


def text_of(sample: Any) -> str:
    """Return the text of the question of a sample in a data set or a log."""
    return question_text(messages_of(sample), sample.choices)[0]


def messages_of(sample: Any) -> Any:
    """Return the input of a sample as JSON: a text, or the messages of a chat."""
    if isinstance(sample.input, str):
        return sample.input
    return [message.model_dump(include={"role", "content"}) for message in sample.input]


def values_in(completion: str) -> Mapping[str, Any]:
    """Return the last JSON object in a text, alone, in a fence or after an explanation; {} if there is none.

    At most a thousand places that may begin an object are tried.
    """
    decoder, values, start = json.JSONDecoder(parse_constant=_refuse), dict[str, Any](), 0
    for _ in range(_MOST_OBJECTS):
        start = completion.find("{", start)
        if start < 0:
            break
        try:
            value, start = decoder.raw_decode(completion, start)
        except (ValueError, RecursionError):
            start += 1
        else:
            values = value
    return values


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
