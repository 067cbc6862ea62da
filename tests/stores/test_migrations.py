"""A database of an older schema is brought to that of today, with all its rows."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.protocol import Filter
from tests.agent import documents
from tests.stores.documents import checkpoint

SCHEMA_1 = """
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
        driver.executescript(SCHEMA_1)
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
def test_several_may_come_first_at_once(path: Path) -> None:
    with closing(sqlite3.connect(path)) as driver:
        driver.executescript(SCHEMA_1)
    stores = [DatabaseStore(path) for _ in range(4)]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda store: len(list(store.headers())), stores)) == [0] * 4
    assert sum(store.put(checkpoint()).created for store in stores) == 1


def test_several_may_make_it_at_once(path: Path) -> None:
    stores = [DatabaseStore(path) for _ in range(6)]

    with ThreadPoolExecutor(6) as pool:
        put = list(pool.map(lambda store: store.put(checkpoint()).created, stores))
    assert sorted(put) == [False] * 5 + [True]
