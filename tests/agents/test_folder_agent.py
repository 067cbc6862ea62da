"""The example agent: what it finds, and that it may be killed at any moment."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import AgentCheckpoint, CheckpointManager
from tests.conftest import REPOSITORY
from tests.trials import kills

EXAMPLE = REPOSITORY / "docs" / "examples" / "folder_agent.py"
KILLS = kills(60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    (made / "inner").mkdir(parents=True)
    for number in range(16):
        text = "".join(f"line {line} of {number}\n" for line in range(number % 6))
        (made / ("inner" if number % 3 else ".") / f"{number:02d}.txt").write_text(text, encoding="utf-8")
    (made / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\xff")
    return made


def run(*arguments: object) -> dict[str, str]:
    result = subprocess.run([sys.executable, EXAMPLE, *map(str, arguments)], check=True, capture_output=True, text=True)
    return dict(line.split(": ", 1) for line in result.stdout.splitlines())


@pytest.mark.slow
def test_the_agent_looks_at_every_file(folder: Path, tmp_path: Path) -> None:
    found = run(folder, tmp_path / "kept")
    assert found["files"] == "17"
    assert found["unreadable"] == "['picture.png']"
    assert len(json.loads(found["same"].replace("'", '"'))) == 1  # the empty ones
    assert run(folder, tmp_path / "kept") == found  # it is done: nothing is looked at again


@pytest.mark.slow
def test_the_agent_loses_and_repeats_nothing_when_it_is_killed(folder: Path, tmp_path: Path) -> None:
    expected = run(folder, tmp_path / "quiet")
    killing = Path(__file__).with_name("killing.py")
    arguments = [killing, EXAMPLE, folder, tmp_path / "stores", KILLS, "7"]
    result = subprocess.run([sys.executable, *map(str, arguments)], check=True, capture_output=True, text=True)
    runs = json.loads(result.stdout)
    assert sum(one["kills"] for one in runs) == KILLS
    for one in runs:
        check(Path(one["store"]), one["kills"], expected)


def check(store: Path, kills: int, expected: dict[str, str]) -> None:
    with CheckpointManager(store / "checkpoints", f"sqlite:///{store}/agents.db") as manager:
        manager.reindex()
        assert manager.verify() == ()
        assert manager.files is not None
        assert [header.id for header in manager.list()] == [one.id for one in manager.files.headers()]
        line = manager.list(order="oldest")
        last = manager.get(line[-1].id)
    assert {key: str(value) for key, value in last.snapshot.context.variables["report"].items()} == expected
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
