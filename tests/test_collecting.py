"""Building without the garbage collector leaves no more garbage behind than is agreed, and nobody else's objects."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from checkpoint_ld.graph import interpreter
from checkpoint_ld.graph.interpreter import uncollected

PARTS = 6_000


class Ring:
    """Garbage that only the collector finds: it refers to itself, and to many objects."""

    def __init__(self) -> None:
        self.itself = self
        self.parts: list[list[int]] = [[] for _ in range(PARTS)]


@pytest.fixture
def _collecting() -> Iterator[None]:
    gc.collect()
    was_enabled = gc.isenabled()
    gc.enable()
    yield
    gc.unfreeze()
    (gc.enable if was_enabled else gc.disable)()


def built() -> Ring:
    """Build a ring and let go of it elsewhere."""
    with uncollected():
        return Ring()


@pytest.mark.slow
@pytest.mark.usefixtures("_collecting")
def test_what_was_built_is_looked_at_seldom_but_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_what_was_built_is_not_looked_at_at_once() -> None:
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
