"""The example agent: what it finds, and that it may be killed at any moment."""

import json
import os
import random
import runpy
import signal
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import AgentCheckpoint, CheckpointManager
from tests.conftest import REPOSITORY
from tests.forking import forked

AGENT = runpy.run_path(str(REPOSITORY / "docs" / "examples" / "folder_agent.py"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    (made / "inner").mkdir(parents=True)
    for number in range(16):
        text = "".join(f"line {line} of {number}\n" for line in range(number % 6))
        (made / ("inner" if number % 3 else ".") / f"{number:02d}.txt").write_text(text, encoding="utf-8")
    (made / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\xff")
    return made


def work(folder: Path, store: Path) -> dict[str, Any]:
    report: dict[str, Any] = AGENT["work"](str(folder), str(store / "checkpoints"), f"sqlite:///{store}/agents.db")
    return report


def work_and_note(folder: Path, store: Path) -> None:
    """Work, and write each call of a tool into a journal before it runs."""
    journal = os.open(store / "journal", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def noted(name: str, tool: Any, folder: str, **arguments: Any) -> Any:
        os.write(journal, f"{name} {json.dumps(arguments)}\n".encode())
        return tool(folder, **arguments)

    tools = AGENT["TOOLS"]
    tools.update({name: partial(noted, name, tool) for name, tool in tools.items()})
    work(folder, store)


def test_the_agent_looks_at_every_file(folder: Path, tmp_path: Path) -> None:
    found = work(folder, tmp_path / "kept")
    assert (found["files"], found["unreadable"], len(found["same"])) == (17, ["picture.png"], 1)  # the empty ones
    assert work(folder, tmp_path / "kept") == found  # it is done: nothing is looked at again


@pytest.mark.slow
def test_the_agent_loses_and_repeats_nothing_when_it_is_killed(folder: Path, tmp_path: Path) -> None:
    expected, store = work(folder, tmp_path / "quiet"), tmp_path / "store"
    store.mkdir()
    moments, kills = random.Random(7), 0
    journal = store / "journal"
    journal.touch()
    while (ended := forked(partial(work_and_note, folder, store), **moment(moments, journal))) != 0:
        assert ended == -signal.SIGKILL
        kills += 1
        assert kills < 100
    assert kills > 0
    check(store, kills, expected)


def moment(moments: random.Random, journal: Path) -> dict[str, Any]:
    """Return a moment to kill the agent: some milliseconds after some more calls of tools, however fast it works."""
    calls = len(journal.read_bytes().splitlines()) + moments.randint(0, 4)
    return {
        "kill_when": lambda: len(journal.read_bytes().splitlines()) >= calls,
        "kill_after": moments.uniform(0.0, 0.01),
    }


def check(store: Path, kills: int, expected: dict[str, Any]) -> None:
    with CheckpointManager(store / "checkpoints", f"sqlite:///{store}/agents.db") as manager:
        manager.reindex()
        assert manager.verify() == ()
        assert manager.files is not None
        assert [header.id for header in manager.list()] == [one.id for one in manager.files.headers()]
        line = manager.list(order="oldest")
        last = manager.get(line[-1].id)
    assert last.snapshot.context.variables["report"] == expected
    assert [header.parent_checkpoint_id for header in line] == [None, *(header.id for header in line[:-1])]
    assert [header.step_number for header in line] == sorted(header.step_number for header in line)
    check_calls(last, kills, Counter((store / "journal").read_text().splitlines()))


def check_calls(last: AgentCheckpoint, kills: int, journal: Counter[str]) -> None:
    given: Counter[str] = Counter()
    given_up = 0
    for call in last.snapshot.tool_state.calls:
        name = f"{call.tool_id} {json.dumps(dict(call.args or {}))}"
        given[name] += call.status != "cancelled"
        given_up += call.status == "cancelled"
    assert set(given.values()) == {1}  # each was answered once, and is remembered once
    assert set(journal) == set(given)
    assert given_up <= kills
    assert journal.total() - len(journal) <= kills  # a kill costs one call at most
    results: dict[str, Any] = last.snapshot.tool_state.results
    answered = {call.id for call in last.snapshot.tool_state.calls if call.success}
    assert set(results) == answered
