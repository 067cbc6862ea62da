"""Validation of many files by several processes, which live as long as the run."""

from __future__ import annotations

from collections import deque
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld import families
from checkpoint_ld.batch.bulk import pool
from checkpoint_ld.errors import ReadError, SettingsError
from checkpoint_ld.validation import profiles

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future, ProcessPoolExecutor

    from rdflib.term import Node

    from checkpoint_ld.families import Noted
    from checkpoint_ld.validation.results import Checked

_AT_ONCE: Final = 20
"""The most files of one task; the last tasks of all processes should end at about the same time."""
_TASKS: Final = 8
"""The least number of tasks of a process."""


@dataclass(frozen=True, slots=True)
class Work:
    """How files are validated. Without `has_results`, SHACL reports come back empty, as they take their time."""

    profile: str = profiles.DEFAULT
    shapes: tuple[str, ...] = ()
    syntax: str | None = None
    engine: str = "compiled"
    has_results: bool = False


@dataclass(frozen=True, slots=True)
class ValidatedFile:
    """A file with its validation, what is compared with other files, and the statements of its SHACL report.

    `results` is None where no graph could be made. `fault` is the reason why the file could not be validated.
    """

    file: str
    checked: Checked | None = None
    noted: Noted | None = None
    results: tuple[tuple[Node, Node, Node], ...] | None = None
    fault: str = ""


def outcomes(files: Sequence[str], work: Work, jobs: int) -> Iterator[ValidatedFile]:
    """Yield the outcome of each file, in their order, validated by so many processes.

    If a process dies, each file that it may have died of gets a process of its own.
    """
    size = max(1, min(_AT_ONCE, len(files) // (jobs * _TASKS)))
    waiting = deque(files[start : start + size] for start in range(0, len(files), size))
    while waiting:
        try:
            with pool(jobs) as workers:
                yield from _pooled(waiting, work, jobs, workers)
        except BrokenProcessPool:
            for _ in range(min(jobs + 1, len(waiting))):  # those that were under way
                for file in waiting.popleft():
                    yield _alone(file, work)


def _pooled(
    waiting: deque[Sequence[str]], work: Work, jobs: int, workers: ProcessPoolExecutor
) -> Iterator[ValidatedFile]:
    """Yield the outcomes of the first task that waits, again and again, while the next ones are under way."""
    under_way: deque[Future[list[ValidatedFile]]] = deque()
    while waiting:
        for files in islice(waiting, len(under_way), jobs + 1):
            under_way.append(workers.submit(validated, files, work))
        done = under_way[0].result()
        under_way.popleft()
        waiting.popleft()
        yield from done


def _alone(file: str, work: Work) -> ValidatedFile:
    try:
        with pool(1) as worker:
            [outcome] = worker.submit(validated, [file], work).result()
            return outcome
    except BrokenProcessPool:
        return ValidatedFile(file, fault=f"{file}: the process that validated it died; validate it alone")


_profiles: dict[tuple[str, tuple[str, ...]], families.Profiles] = {}
"""The profiles of this process, which take longer to make than a small file to validate."""


def validated(files: Sequence[str], work: Work) -> list[ValidatedFile]:
    """Return the outcomes of files, validated in this process."""
    key = work.profile, work.shapes
    if key not in _profiles:
        _profiles[key] = families.Profiles(*key)
    return [_outcome(file, work, _profiles[key]) for file in files]


def _outcome(file: str, work: Work, chosen: families.Profiles) -> ValidatedFile:
    together = families.Together(chosen)
    choices: Any = {"syntax": work.syntax, "engine": work.engine, "together": together}
    try:
        found = families.check(file, chosen, **choices)
    except ReadError as error:
        return ValidatedFile(file, fault=str(error))
    except SettingsError as error:  # a document may show that shapes cannot be applied
        return ValidatedFile(file, fault=f"{file}: {error}")
    results = None if found.results is None else tuple(found.results) if work.has_results else ()
    return ValidatedFile(file, replace(found, results=None), together.last, results)
