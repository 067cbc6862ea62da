"""The process of a program that uses the package stays as it is: warnings, logs, CSV, limits; in threads too."""

import contextlib
import csv
import gc
import json
import logging
import os
import stat
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from checkpoint_ld import Benchmark, import_benchmark, validate
from checkpoint_ld.errors import CheckpointLdError
from checkpoint_ld.host import LONGEST_FIELD, csv_of, uncollected, without_logs, without_warnings
from tests.documents import Json, canonical, item

LEVELS = 190
"""As deep as a document may be, together with the levels above."""


def nested() -> dict[str, object]:
    value: object = "x"
    for _ in range(LEVELS):
        value = {"https://example.org/p": value, "@type": "https://example.org/T"}
    return {**canonical(item()), "deep": value}


def table(folder: Path) -> Path:
    file = folder / "questions.csv"
    file.write_text(f'Question,Answer\nWhich?,"{"long " * 40_000}"\n', encoding="utf-8")
    return file


def escaped() -> Json:
    document = canonical(item())
    document["dataFeedElement"][0]["item"]["hasPart"]["text"] = 'class Answer(BaseAnswer):\n    """\\d"""\n    m: str\n'
    return document


def state() -> tuple[object, ...]:
    rdflib = logging.getLogger("rdflib.term")
    return (
        gc.isenabled(),
        gc.get_threshold(),
        gc.get_freeze_count(),
        sys.getrecursionlimit(),
        csv.field_size_limit(),
        logging.root.manager.disable,
        (rdflib.disabled, [*rdflib.filters], [*logging.root.filters]),
        [*warnings.filters],
        os.getcwd(),  # noqa: PTH109 - what the process has
    )


JOBS: dict[str, Callable[[Path], object]] = {
    "validate": lambda _: validate(json.dumps(canonical(item())).encode()),
    "load": lambda _: Benchmark.load(json.dumps(escaped()).encode()),
    "deep": lambda _: validate(json.dumps(nested()).encode()),
    "table": lambda folder: import_benchmark(table(folder)),
    "no JSON": lambda _: validate(b"{"),
}


def do(job: Callable[[Path], object], folder: Path) -> None:
    with contextlib.suppress(CheckpointLdError):
        job(folder)


@pytest.fixture
def _collecting(tmp_path: Path) -> Iterator[None]:
    for job in JOBS.values():  # packages of others add filters when they are imported
        do(job, tmp_path)
    was_enabled = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if was_enabled else gc.disable)()


@pytest.mark.usefixtures("_collecting")
@pytest.mark.parametrize("job", JOBS)
def test_a_call_sets_nothing_for_the_process(job: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the process is not ours")

    before = state()
    with monkeypatch.context() as patched:
        for module, name in (
            (sys, "setrecursionlimit"),
            (gc, "freeze"),
            (gc, "set_threshold"),
            (csv, "field_size_limit"),
            (os, "umask"),
            (logging, "disable"),
            (warnings, "simplefilter"),
        ):
            patched.setattr(module, name, refuse)
        do(JOBS[job], tmp_path)
    assert state() == before


@pytest.mark.usefixtures("_collecting")
def test_several_threads_leave_the_process_as_it_was(tmp_path: Path) -> None:
    before = state()
    seen = set()
    faults: list[BaseException] = []

    def work() -> None:
        try:
            for job in JOBS.values():
                do(job, tmp_path)
        except BaseException as error:  # noqa: BLE001 - shown below
            faults.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        seen.add((sys.getrecursionlimit(), csv.field_size_limit(), logging.root.manager.disable, gc.get_freeze_count()))
        threads[0].join(0.001)
    assert not faults
    assert seen <= {(before[3], before[4], before[5], before[2])}
    assert state() == before


def test_warnings_and_logs_of_other_threads_still_come(caplog: pytest.LogCaptureFixture) -> None:
    def warn() -> None:
        warnings.warn("of the host", UserWarning, stacklevel=1)
        logging.getLogger("host").warning("of the host")

    filters = [*warnings.filters]
    caught: list[type[BaseException]] = []

    def other() -> None:
        try:
            warn()
        except UserWarning as error:  # filterwarnings = error
            caught.append(type(error))
            logging.getLogger("host").warning("of the host")

    with without_warnings(), without_warnings(UserWarning), without_logs("host", ""):
        warn()
        assert not caplog.messages
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert caught == [UserWarning]
    assert caplog.messages == ["of the host"]
    assert [*warnings.filters] == filters
    assert not logging.getLogger("host").filters
    with pytest.raises(UserWarning, match="of the host"):
        warn()


def test_blocks_that_overlap_leave_no_filter_behind() -> None:
    before = [*warnings.filters]
    first, second = without_warnings(), without_warnings(DeprecationWarning)
    first.__enter__()
    thread_is_in, may_leave = threading.Event(), threading.Event()

    def other() -> None:
        with without_warnings():
            thread_is_in.set()
            may_leave.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    thread_is_in.wait(10)
    second.__enter__()
    first.__exit__(None, None, None)
    may_leave.set()
    thread.join()
    second.__exit__(None, None, None)
    assert [*warnings.filters] == before


def test_fields_of_any_length_are_read_beside_the_limit_of_the_process() -> None:
    own = csv_of(LONGEST_FIELD)
    limit = csv.field_size_limit()
    [row] = own.reader(["a," + "b" * (limit + 1)])
    assert len(row[1]) == limit + 1
    assert csv.field_size_limit() == limit
    with pytest.raises(csv.Error, match="field larger"):
        list(csv.reader(["b" * (limit + 1)]))


@pytest.mark.usefixtures("_collecting")
def test_the_collector_is_paused_once_and_resumed() -> None:
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    with uncollected():
        pass
    assert not gc.isenabled()


@pytest.mark.usefixtures("_collecting")
def test_garbage_of_a_call_is_found_by_the_collector() -> None:
    class Ring:
        itself: object

    with uncollected():
        ring = Ring()
        ring.itself = ring
    seen = weakref.ref(ring)
    del ring
    gc.collect()
    assert seen() is None


def test_a_folder_has_the_permissions_that_the_umask_leaves(tmp_path: Path) -> None:
    from checkpoint_ld import write_site  # noqa: PLC0415 - it takes long to import

    file = tmp_path / "one.jsonld"
    file.write_text(json.dumps(canonical(item())), encoding="utf-8")
    (tmp_path / "plain").mkdir()
    write_site([file], tmp_path / "site")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "site")]
    assert modes[0] == modes[1]
