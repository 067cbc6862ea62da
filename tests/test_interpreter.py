"""What is set of the interpreter is as it was afterwards; the collector of garbage is held off, but not for ever."""

import contextlib
import gc
import json
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import checkpoint_ld
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import building, interpreter
from checkpoint_ld.graph.interpreter import room, uncollected
from checkpoint_ld.validation import validator
from tests.documents import canonical, item

PARTS = 6_000


def test_the_limit_of_recursion_is_set_back_when_the_last_thread_leaves() -> None:
    before = sys.getrecursionlimit()
    first, second = threading.Event(), threading.Event()

    def other() -> None:
        with room():
            first.set()
            second.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    first.wait(10)
    with room():
        second.set()
        thread.join()
        assert sys.getrecursionlimit() > before
    assert sys.getrecursionlimit() == before


class Ring:
    """Garbage that only the collector finds: it refers to itself, and to many objects."""

    def __init__(self) -> None:
        self.itself = self
        self.parts: list[list[int]] = [[] for _ in range(PARTS)]


@pytest.fixture
def _collecting() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.enable()
    yield
    gc.unfreeze()
    (gc.enable if was_enabled else gc.disable)()


def built() -> Ring:
    """Build a ring and let go of it elsewhere."""
    with uncollected():
        return Ring()


def deep() -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for _ in range(5000):
        tree = {"unknown": tree}
    return {**canonical(), **tree}


@pytest.mark.usefixtures("_collecting")
@pytest.mark.parametrize("is_enabled", [True, False])
@pytest.mark.parametrize(
    "job",
    [
        lambda: building.built(canonical()),
        lambda: building.built(deep()),
        lambda: validator.read(json.dumps(canonical()).encode()),
        lambda: validator.read(b"{"),
        lambda: validator.read(b'{"@type": "Recipe"}'),
    ],
    ids=["built", "too deep", "read", "no JSON", "no checkpoint"],
)
def test_the_collector_is_left_as_it_was(job: Callable[[], object], is_enabled: bool) -> None:
    (gc.enable if is_enabled else gc.disable)()
    with contextlib.suppress(ReadError):
        job()
    assert gc.isenabled() is is_enabled


@pytest.mark.slow
@pytest.mark.usefixtures("_collecting")
def test_what_was_built_is_examined_seldom_but_is_examined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "_LEAST", 10 * PARTS)
    monkeypatch.setattr(interpreter, "_unseen", interpreter._Unseen())  # noqa: SLF001 - as in a new process
    alive = [weakref.ref(built()) for _ in range(60)]
    left = sum(ring() is not None for ring in alive)
    assert left <= 20 + len(gc.get_objects()) // 4 // PARTS
    assert interpreter._unseen.known > 0  # noqa: SLF001 - the collector has looked at everything


@pytest.mark.slow
@pytest.mark.usefixtures("_collecting")
@pytest.mark.parametrize(("times", "looked_at"), [(3, False), (4, True)])
def test_the_collector_waits_for_several_times_what_was_built_at_once(
    monkeypatch: pytest.MonkeyPatch, times: int, looked_at: bool
) -> None:
    monkeypatch.setattr(interpreter, "_LEAST", PARTS)
    monkeypatch.setattr(interpreter, "_unseen", interpreter._Unseen())  # noqa: SLF001 - as in a new process
    kept = [built() for _ in range(times)]
    assert len(kept) == times
    assert (interpreter._unseen.known > 0) is looked_at  # noqa: SLF001 - as above


@pytest.mark.usefixtures("_collecting")
def test_what_was_built_is_not_examined_at_once() -> None:
    seen: list[str] = []
    kept = []
    interpreter._unseen.objects = 0  # noqa: SLF001 - as in a new process
    gc.callbacks.append(lambda phase, _: seen.append(phase))
    try:
        kept.append(built())
        seen.clear()
        kept[0].parts.append([])  # one more object, at which the collector would begin
        assert seen == []
    finally:
        gc.callbacks.pop()


@pytest.mark.slow
@pytest.mark.usefixtures("_collecting")
def test_what_others_have_frozen_stays_frozen() -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()
    assert built().parts
    assert gc.get_freeze_count() >= frozen * 0.9


# --- How many files of ours a call runs through: the shorter the road, the easier it is to follow.


COUNTING = """
import sys
import checkpoint_ld
from checkpoint_ld import Benchmark, load, validate
path = sys.argv[1]
work = {"validate": validate, "load": Benchmark.load}[sys.argv[2]]
files = set()
ours = checkpoint_ld.__file__.removesuffix("__init__.py")
def called(frame, event, argument):
    # What a module does when it is imported is no part of the road.
    if event == "call" and frame.f_code.co_name != "<module>" and frame.f_code.co_filename.startswith(ours):
        files.add(frame.f_code.co_filename)
sys.setprofile(called)
work(path)
sys.setprofile(None)
print(len(files))
"""

TEMPLATE = """from karenina.schemas.entities import BaseAnswer


class Answer(BaseAnswer):
    metal: str

    def verify(self) -> bool:
        return self.metal == "gold"
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "is_faulty", "most"), [("validate", False, 45), ("validate", True, 46), ("load", False, 38)]
)
def test_a_call_runs_through_few_files(call: str, is_faulty: bool, most: int, tmp_path: Path) -> None:
    """The bounds are what holds on the day on which they were written; 30 is the aim."""
    document = canonical(item("What is it?"))
    question = document["dataFeedElement"][0]["item"]
    question["hasPart"]["text"] = TEMPLATE
    if is_faulty:
        question["acceptedAnser"] = question.pop("acceptedAnswer")
    file = tmp_path / "one.jsonld"
    file.write_text(json.dumps(document, indent=2), encoding="utf-8")
    command = [sys.executable, "-c", COUNTING, str(file), call]
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    assert int(done.stdout) <= most


# --- The public door: what it offers, and that nobody waits for what they do not use.


HEAVY = ("rdflib", "pyld", "pydantic", "pyshacl")


def test_the_names_are_sorted_and_all_there() -> None:
    names = vars(checkpoint_ld)["__all__"]
    assert names == sorted(names)
    assert all(getattr(checkpoint_ld, name) is not None for name in names)
    assert set(names) <= set(dir(checkpoint_ld))
    stub = Path(checkpoint_ld.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    assert "__all__" not in stub  # without its value, mypy takes no name by `from checkpoint_ld import *`


def test_a_name_that_is_not_offered_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Bench'"):
        checkpoint_ld.Bench  # type: ignore[attr-defined] # noqa: B018 - the access is the test


def test_an_exception_is_its_class() -> None:
    assert checkpoint_ld.ReadError.__module__ == "checkpoint_ld.errors"
    assert issubclass(checkpoint_ld.FindingsWarning, UserWarning)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("import checkpoint_ld", ""),
        ("import checkpoint_ld.cli.app", ""),
        ("import checkpoint_ld; checkpoint_ld.validate", "rdflib"),
        ("import checkpoint_ld; checkpoint_ld.Benchmark", "pydantic rdflib"),
    ],
)
def test_importing_does_not_import_what_takes_long(code: str, wanted: str) -> None:
    found = f"import sys; {code}; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", found], capture_output=True, encoding="utf-8", check=True)

    assert done.stdout.strip() == wanted


def test_loading_and_validation_leave_no_part_of_a_document_to_the_garbage_collector(tmp_path: Path) -> None:
    file = tmp_path / "benchmark.jsonld"
    file.write_text(json.dumps(canonical(*(item(str(number)) for number in range(PARTS // 100)))))
    checkpoint_ld.Benchmark.load(file)
    assert checkpoint_ld.validate(file).findings
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        checkpoint_ld.Benchmark.load(file)
        checkpoint_ld.validate(file)
        assert gc.collect() < PARTS // 100
    finally:
        (gc.enable if was_enabled else gc.disable)()
