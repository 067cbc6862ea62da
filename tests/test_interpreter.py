"""What is set of the interpreter is as it was afterwards; the collector of garbage is held off, but not for ever."""

from __future__ import annotations

import contextlib
import gc
import json
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import building, interpreter
from checkpoint_ld.graph.interpreter import room, uncollected
from checkpoint_ld.validation import validator
from tests.documents import canonical

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
