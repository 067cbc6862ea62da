"""Queries within limits: one that takes too long ends, and the others go on."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.sparql.service import Pool, QueryOperation, Server, Settings
from tests.remote.oxigraph_server import free_port

ENDLESS = "SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o }"
QUICK = QueryOperation("ASK { ?s ?p ?o }")


@pytest.mark.slow
@pytest.mark.parametrize("text", [ENDLESS, f"SELECT * {{ VALUES ?x {{ {'1 ' * 400_000} }} }}"], ids=["long", "large"])
def test_what_takes_too_long_to_answer_or_to_read_is_ended_and_the_next_is_answered(location: Path, text: str) -> None:
    with closing(Pool(lambda: str(location), size=1, timeout=1.0)) as pool:
        found = [pool.answer(one) for one in (QUICK, QueryOperation(text), QUICK)]
    assert [one.status for one in found] == [200, 500, 200]
    assert found[1].text == "the query took longer than 1 s, or more memory than there is: ask for less\n"


@pytest.mark.slow
def test_when_all_are_busy_it_states_so(location: Path) -> None:
    with closing(Pool(lambda: str(location), size=1, timeout=2.0)) as pool:
        pool.answer(QUICK)
        # The first takes the worker for 2 s, the second the one that comes after it.
        waiting = [threading.Thread(target=pool.answer, args=(QueryOperation(ENDLESS),)) for _ in range(2)]
        for one in waiting:
            one.start()
            time.sleep(0.3)
        found = pool.answer(QUICK)
        for one in waiting:
            one.join()
        assert (found.status, found.text) == (503, "too many queries at a time: ask again later\n")
        assert pool.answer(QUICK).status == 200


@pytest.mark.slow
def test_a_worker_that_died_is_replaced(location: Path) -> None:
    with closing(Pool(lambda: str(location), size=1, timeout=5.0)) as pool:
        pool.answer(QUICK)
        (worker,) = pool._all  # noqa: SLF001 - nobody else knows it
        worker._popen.kill()  # noqa: SLF001 - as above
        assert [pool.answer(QUICK).status for _ in range(2)] == [500, 200]


def test_a_port_that_is_taken_is_reported(location: Path) -> None:
    port = free_port()
    with Server(location, Settings(port=port, workers=1)), pytest.raises(SettingsError, match=f"port {port}.*in use"):
        Server(location, Settings(port=port))
