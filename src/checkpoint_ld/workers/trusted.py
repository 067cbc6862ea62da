"""Code that is stored in a document, run because somebody trusts it: in a worker, under limits, and loudly."""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.errors import EvaluationError, SettingsError, StoredCodeWarning, warn
from checkpoint_ld.workers import confined
from checkpoint_ld.workers.process import START_LIMIT, TimeLimitError, Worker, WorkerError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

LONGEST_REPLY = 1_000_000
"""How many bytes a reply may have; verdicts are short."""

PASSED_ON: Final = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""The variables of the environment without which Python may not start; the code sees no others of ours."""

_LONGEST = 3600.0
"""More seconds than this are no limit."""

_LEAST_MEMORY = 128
"""Python with this package needs half of these megabytes for itself."""

_MOST_MEMORY = 1_048_576
"""More megabytes than this are no limit."""


@dataclass(frozen=True, slots=True)
class Trust:
    """I have read the code that I am about to run, and I trust it.

    `seconds` is how long each run may take, `megabytes` how much memory it may have, Python itself included. Both are
    limits for accidents: code that means harm is to be kept from running at all. Raises `SettingsError` (a ValueError)
    for limits that are none.
    """

    seconds: float = 10.0
    megabytes: int = 512

    def __post_init__(self) -> None:
        seconds, megabytes = self.seconds, self.megabytes
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= _LONGEST:
            raise SettingsError(
                f"code cannot be trusted for {seconds!r} seconds: give more than 0, {_LONGEST:g} at most"
            )
        if type(megabytes) is not int or not _LEAST_MEMORY <= megabytes <= _MOST_MEMORY:
            raise SettingsError(
                f"code cannot be trusted with {megabytes!r} megabytes: give a whole number from {_LEAST_MEMORY} on"
            )


def run(module: str, request: Mapping[str, JsonValue], trust: Trust, *, what: str) -> Any:
    """Have the function `answer` of a module answer a request in a process of its own; return its answer.

    `module` is the full name of a module that can be imported, `request` and the answer are JSON; `what` names the
    stored code in messages, such as `the template 'Answer'`. The process is isolated (`python -I`): its folder is an
    empty one, its environment holds next to nothing, and what the code prints is lost. The limits are those of
    `trust`; how they are kept, and what they do not protect from, stands in `checkpoint_ld.workers.confined`.

    Warns with `StoredCodeWarning`. Raises `EvaluationError`, which says what happened, for whatever is no answer.
    """
    warn(StoredCodeWarning(f"{what} is code that is stored in a document, and is run because it was trusted"))
    setup = {"module": module, "seconds": trust.seconds, "megabytes": trust.megabytes}
    inherited = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    try:
        with tempfile.TemporaryDirectory(prefix="checkpoint-ld-", ignore_cleanup_errors=True) as folder:
            worker = Worker(
                confined.start,
                setup,
                start_limit=START_LIMIT,
                longest_reply=LONGEST_REPLY,
                folder=folder,
                # Libraries for numbers start a thread for each core otherwise, and threads are not to be had.
                environment={**inherited, "OMP_NUM_THREADS": "1"},
            )
            with contextlib.closing(worker):
                reply = worker.ask(dict(request), trust.seconds)
    except OSError as error:
        raise EvaluationError(f"{what} cannot be run: no process can be started ({error})") from error
    except TimeLimitError as error:
        limit = f"{trust.seconds:g} s"
        raise EvaluationError(f"{what} took longer than {limit}: correct it, or trust it for more seconds") from error
    except WorkerError as error:
        raise EvaluationError(f"{what} {error}") from error
    if reply == {"fault": "memory"}:
        raise EvaluationError(
            f"{what} needed more than {trust.megabytes} MB: correct it, or trust it with more megabytes"
        )
    if not isinstance(reply, dict) or not reply.keys() & {"answer", "fault"}:
        raise EvaluationError(f"{what} gave a reply that is none")
    if "fault" in reply:
        raise EvaluationError(f"{what} {reply['fault']}")
    return reply["answer"]
