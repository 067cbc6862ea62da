"""Databases from before schemas were numbered are brought to the schema of today, with all their rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld.errors import InvalidCheckpoint, StoreError
from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.protocol import Filter
from tests.agents import documents
from tests.stores.documents import MOMENT, checkpoint

FIRST = """
CREATE TABLE executions (id TEXT PRIMARY KEY, agent_id TEXT NOT NULL, task TEXT NOT NULL,
  started_at INTEGER NOT NULL, completed_at INTEGER, status TEXT NOT NULL);
CREATE TABLE checkpoints (id TEXT PRIMARY KEY, execution_id TEXT NOT NULL, timestamp INTEGER NOT NULL,
  step_number INTEGER NOT NULL, snapshot_json TEXT NOT NULL, metadata_json TEXT,
  FOREIGN KEY (execution_id) REFERENCES executions(id));
CREATE TABLE thoughts (id TEXT PRIMARY KEY, checkpoint_id TEXT NOT NULL, type TEXT NOT NULL, content TEXT NOT NULL,
  confidence REAL, parent_id TEXT, created_at INTEGER NOT NULL,
  FOREIGN KEY (checkpoint_id) REFERENCES checkpoints(id), FOREIGN KEY (parent_id) REFERENCES thoughts(id));
CREATE TABLE tool_calls (id TEXT PRIMARY KEY, checkpoint_id TEXT NOT NULL, tool_id TEXT NOT NULL,
  args_json TEXT NOT NULL, result_json TEXT, success INTEGER NOT NULL, error TEXT, started_at INTEGER NOT NULL,
  completed_at INTEGER, FOREIGN KEY (checkpoint_id) REFERENCES checkpoints(id));
"""
"""The four tables without numbers, versions, hashes, cascades and checks."""


SECOND = """
CREATE TABLE executions (id TEXT NOT NULL, agent_id TEXT NOT NULL, task TEXT, started_at INTEGER, completed_at INTEGER,
  status TEXT NOT NULL, PRIMARY KEY (id),
  CHECK (status IN ('pending', 'running', 'paused', 'completed', 'failed', 'cancelled'))) STRICT;
CREATE TABLE checkpoints (id TEXT NOT NULL, version TEXT NOT NULL, timestamp INTEGER NOT NULL,
  execution_id TEXT NOT NULL, agent_id TEXT NOT NULL, step_number INTEGER NOT NULL, tokens_used INTEGER NOT NULL,
  duration_ms REAL NOT NULL,
  checkpoint_reason TEXT NOT NULL, parent_checkpoint_id TEXT, is_branch INTEGER NOT NULL, branch_reason TEXT, name TEXT,
  description TEXT, about_benchmark TEXT, about_question TEXT, sha256 TEXT NOT NULL, source_sha256 TEXT, file_name TEXT,
  snapshot_json TEXT NOT NULL, metadata_json TEXT NOT NULL, extra_json TEXT, PRIMARY KEY (id),
  CHECK (is_branch IN (0, 1)), CHECK (length(sha256) = 64), CHECK (json_valid(snapshot_json)),
  CHECK (json_valid(metadata_json)), FOREIGN KEY(execution_id) REFERENCES executions (id) ON DELETE CASCADE) STRICT;
CREATE INDEX checkpoints_in_order ON checkpoints (timestamp, step_number, id);
CREATE TABLE thoughts (checkpoint_id TEXT NOT NULL, id TEXT NOT NULL, seq INTEGER NOT NULL, type TEXT NOT NULL,
  content TEXT NOT NULL, confidence REAL, parent_id TEXT, created_at INTEGER NOT NULL, PRIMARY KEY (checkpoint_id, id),
  CHECK (confidence BETWEEN 0 AND 1),
  FOREIGN KEY(checkpoint_id) REFERENCES checkpoints (id) ON DELETE CASCADE) WITHOUT ROWID, STRICT;
CREATE INDEX thoughts_by_id ON thoughts (id, checkpoint_id);
CREATE TABLE tool_calls (checkpoint_id TEXT NOT NULL, id TEXT NOT NULL, seq INTEGER NOT NULL, tool_id TEXT,
  args_json TEXT, result_json TEXT, status TEXT NOT NULL, success INTEGER, error TEXT, started_at INTEGER,
  completed_at INTEGER, PRIMARY KEY (checkpoint_id, id), CHECK (success IN (0, 1)),
  FOREIGN KEY(checkpoint_id) REFERENCES checkpoints (id) ON DELETE CASCADE) WITHOUT ROWID, STRICT;
CREATE INDEX failed_calls ON tool_calls (checkpoint_id) WHERE success = 0;
PRAGMA user_version = 1;
"""
"""Schema 1, in which what is unknown is NULL and a thought may have a parent beside the chain."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "first.db"


@pytest.fixture
def driver(path: Path) -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(path, isolation_level=None)
    opened.executescript(FIRST)
    opened.execute("INSERT INTO executions VALUES ('exec_1', 'agent_1', 'sort', ?, NULL, 'working')", [MOMENT])
    yield opened
    opened.close()


def add(driver: sqlite3.Connection, identifier: str, step: int, **members: Any) -> None:
    tree = checkpoint(identifier, step, **members).tree()
    row = [
        identifier,
        tree["execution_id"],
        tree["timestamp"],
        step,
        json.dumps(tree["snapshot"]),
        json.dumps(tree["metadata"]),
    ]
    driver.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?)", row)


def test_checkpoints_come_back_whole_with_their_hashes(path: Path, driver: sqlite3.Connection) -> None:
    add(driver, "ckpt_1", 1)
    add(driver, "ckpt_2", 2, thoughts=[documents.thought(), documents.thought("t2", confidence=0.2)])
    driver.execute("INSERT INTO thoughts VALUES ('t1', 'ckpt_1', 'reasoning', 'look first', 0.8, NULL, 1)")
    driver.execute("INSERT INTO thoughts VALUES ('lost', 'ckpt_1', 'reasoning', 'only here', 0.5, 't1', 2)")
    driver.execute("INSERT INTO tool_calls VALUES ('lost', 'ckpt_2', 'bash', '{}', NULL, 0, 'boom', 3, NULL)")
    store = DatabaseStore(path)

    assert store.get("ckpt_1") == checkpoint("ckpt_1", 1)
    assert [(one.id, one.sha256) for one in store.headers()] == [
        ("ckpt_2", store.get("ckpt_2").sha256),
        ("ckpt_1", checkpoint("ckpt_1", 1).sha256),
    ]
    assert [one.id for one in store.holding("t1")] == ["ckpt_1", "ckpt_2"]
    assert [one.id for one in store.holding("lost")] == ["ckpt_1"]
    result = driver.execute(
        "SELECT id, status, error FROM tool_calls WHERE checkpoint_id = 'ckpt_2' ORDER BY seq"
    ).fetchall()
    assert result == [("c1", "completed", None), ("lost", "failed", "boom")]
    assert driver.execute("SELECT * FROM executions").fetchall() == [
        ("exec_1", "agent_1", "sort", MOMENT, None, "running")
    ]
    tables = {row[0] for row in driver.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert tables == {"executions", "checkpoints", "thoughts", "tool_calls"}
    assert driver.execute("PRAGMA user_version").fetchone() == (2,)
    assert driver.execute("PRAGMA foreign_key_check").fetchall() == []
    assert store.put(checkpoint("ckpt_3", 3)).created
    store.close()


def test_what_metadata_do_not_state_is_taken_from_columns(path: Path, driver: sqlite3.Connection) -> None:
    snapshot = json.dumps(checkpoint("x", 7).tree()["snapshot"])
    driver.execute("INSERT INTO checkpoints VALUES ('x', 'unknown execution', 5, 7, ?, NULL)", [snapshot])

    [header] = DatabaseStore(path).headers()

    assert (header.step_number, header.tokens_used, header.checkpoint_reason) == (7, 0, "manual")
    assert (header.agent_id, header.execution_id) == ("unknown", "unknown execution")
    assert DatabaseStore(path).get("x").snapshot.progress.step_number == 7


def test_a_snapshot_that_breaks_rules_is_kept_and_not_restored(path: Path, driver: sqlite3.Connection) -> None:
    driver.execute("INSERT INTO checkpoints VALUES ('x', 'exec_1', 5, 7, '{\"thought_chain\": []}', NULL)")
    driver.execute("INSERT INTO thoughts VALUES ('t', 'x', 'reasoning', 'kept', NULL, NULL, 1)")
    store = DatabaseStore(path)

    assert [one.id for one in store.holding("t")] == ["x"]
    with pytest.raises(InvalidCheckpoint):
        store.get("x")
    assert [found.code for found in store.verify()] == ["AS006"]


def test_a_row_that_is_no_checkpoint_stops_it_and_nothing_is_changed(path: Path, driver: sqlite3.Connection) -> None:
    add(driver, "ckpt_1", 1)
    driver.execute("INSERT INTO checkpoints VALUES ('x', 'exec_1', 5, 7, '{', NULL)")
    before = list(driver.iterdump())

    for _ in range(2):
        with pytest.raises(StoreError, match=r"its checkpoint 'x' .* nothing was changed"):
            list(DatabaseStore(path).headers())
    assert list(driver.iterdump()) == before
    driver.execute("DELETE FROM checkpoints WHERE id = 'x'")
    assert [one.id for one in DatabaseStore(path).headers()] == ["ckpt_1"]


def test_schema_1_becomes_the_newest_with_all_its_rows(path: Path, tmp_path: Path) -> None:
    """The rows are those of a new database, but for what schema 1 has in their place."""
    stub = {"id": "stub", "status": "pending"}
    chain = [documents.thought("t1", parent_id="pruned"), documents.thought("t2", parent_id="t1")]
    saved = [
        checkpoint("ckpt_1", 1, thoughts=chain, calls=[documents.call("c1", success=False), stub], results={}),
        checkpoint("ckpt_2", 2, "execution_completed"),
    ]
    new = tmp_path / "new.db"
    with closing(DatabaseStore(new)) as store:
        for one in saved:
            store.put(one)
    with closing(sqlite3.connect(path)) as driver, driver:
        driver.executescript(SECOND)
        driver.execute("ATTACH ? AS new", [str(new)])
        for table in ("executions", "checkpoints", "thoughts", "tool_calls"):
            driver.execute(f"INSERT INTO main.{table} SELECT * FROM new.{table} WHERE id <> 'stub'")
        driver.execute("UPDATE executions SET task = NULL, started_at = NULL")
        driver.execute("UPDATE thoughts SET parent_id = 'pruned' WHERE id = 't1'")
        stubbed = (
            "INSERT INTO tool_calls VALUES ('ckpt_1', 'stub', 1, NULL, NULL, NULL, 'pending', NULL, NULL, NULL, NULL)"
        )
        driver.execute(stubbed)
    with closing(DatabaseStore(path)) as store:
        assert [store.get(one.id) for one in saved] == saved
        assert list(store.verify()) == []
        assert [one.id for one in store.headers(Filter(failed=True))] == ["ckpt_1"]
        assert store.put(checkpoint("ckpt_3", 3)).created
    with closing(sqlite3.connect(path)) as driver, closing(sqlite3.connect(new)) as other:
        assert driver.execute("PRAGMA user_version").fetchone() == (2,)
        assert driver.execute("PRAGMA foreign_key_check").fetchall() == []
        tables = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
        assert driver.execute(tables).fetchall() == other.execute(tables).fetchall()
        for rows in ("thoughts", "tool_calls"):
            query = f"SELECT * FROM {rows} WHERE checkpoint_id <> 'ckpt_3' ORDER BY 1, 2"
            assert driver.execute(query).fetchall() == other.execute(query).fetchall()


@pytest.mark.slow
@pytest.mark.usefixtures("_patient")
def test_several_may_come_first_at_once(path: Path, driver: sqlite3.Connection) -> None:
    for at in range(20):
        add(driver, f"ckpt_{at}", at)
    driver.close()
    stores = [DatabaseStore(path) for _ in range(4)]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda store: len(list(store.headers())), stores))
    assert found == [20] * 4


def test_several_may_make_it_at_once(path: Path) -> None:
    stores = [DatabaseStore(path) for _ in range(6)]

    with ThreadPoolExecutor(6) as pool:
        put = list(pool.map(lambda store: store.put(checkpoint()).created, stores))
    assert sorted(put) == [False] * 5 + [True]
