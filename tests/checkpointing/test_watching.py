"""The page of runs: what it shows, that it follows, and who may read it."""

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import httpx
import pytest

from checkpoint_ld import CheckpointManager, RuntimeState
from checkpoint_ld.checkpointing.watching import WatchedRuns, WatchServer, table_of_runs
from checkpoint_ld.errors import SettingsError
from tests.agents.states import START, HandClock


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[CheckpointManager]:
    with CheckpointManager(tmp_path / "kept") as made:
        yield made


def test_runs_are_shown_with_what_matters_the_newest_first(manager: CheckpointManager) -> None:
    clock = HandClock()
    old = RuntimeState("<b>old</b>", "first", clock=clock.clock())
    old.tool_state.fail(old.tool_state.start("http", {}).id, "refused")
    old.progress.add_tokens(2_000)
    manager.save(old, "execution_failed")
    clock.tick()
    new = RuntimeState("new", "second", clock=clock.clock())
    new.tool_state.start("http", {})
    manager.save(new)
    runs = WatchedRuns(manager, price=3.0)
    now = START + 10_000
    found = {row["execution_id"]: row for row in runs.rows(now)}
    assert [*found] == ["second", "first"]
    assert (found["first"]["status"], found["first"]["failed_calls"], found["first"]["cost"]) == ("failed", 1, 0.006)
    assert (found["second"]["status"], found["second"]["calls"]) == ("running", 1)
    assert runs.rows(now + 120_000)[0]["status"] == "silent"
    with CheckpointManager(manager.files.directory) as elsewhere:  # type: ignore[union-attr] # another process
        new.tool_state.start("http", {})
        elsewhere.save(new, "paused")
    newest = runs.rows(now)[0]
    assert (newest["status"], newest["calls"]) == ("paused", 2)
    table = table_of_runs(runs.rows(now))
    assert "<b>old" not in table
    assert "&lt;b&gt;old" in table


def test_the_page_is_served_to_this_machine_alone(manager: CheckpointManager) -> None:
    manager.save(RuntimeState("agent", "run-1"))
    with WatchServer(WatchedRuns(manager)) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            page = httpx.get(server.url)
            assert (page.status_code, "run-1" in page.text) == (200, True)
            manager.save(RuntimeState("agent", "run-2"))
            table = httpx.get(f"{server.url}table").text
            assert table.index("run-2") < table.index("run-1")
            assert httpx.get(server.url, headers={"Host": "evil.example"}).status_code == 421
            assert httpx.get(f"{server.url}other").status_code == 404
            assert httpx.post(server.url).status_code == 501
            with pytest.raises(SettingsError, match="give --port 0"):
                WatchServer(WatchedRuns(manager), server.server_port)
        finally:
            server.shutdown()
            thread.join()
