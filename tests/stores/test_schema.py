"""The tables are as described, strict, and every query is a search by an index."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import assume, given, settings
from sqlalchemy import Select, create_engine, select

from checkpoint_ld import AgentCheckpoint
from checkpoint_ld.agents.shapes import to_second
from checkpoint_ld.checkpointing import CheckpointManager
from checkpoint_ld.errors import InvalidCheckpoint, StoreError
from checkpoint_ld.stores import tables
from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.protocol import Filter
from checkpoint_ld.stores.tables import loaded
from tests.agents import documents
from tests.stores.documents import HARD, MOMENT, checkpoint
from tests.trials import examples

COLUMNS = {
    "executions": "id agent_id task started_at completed_at status",
    "checkpoints": "id version timestamp execution_id agent_id step_number tokens_used duration_ms checkpoint_reason "
    "parent_checkpoint_id is_branch branch_reason name description about_benchmark about_question sha256 source_sha256 "
    "file_name snapshot_json metadata_json extra_json",
    "thoughts": "checkpoint_id id seq type content confidence parent_id created_at",
    "tool_calls": "checkpoint_id id seq tool_id args_json result_json status success error started_at completed_at",
}

DOCUMENTED = {
    "executions": "id agent_id task started_at status",
    "checkpoints": "id execution_id timestamp step_number snapshot_json",
    "thoughts": "id checkpoint_id type content created_at",
    "tool_calls": "id checkpoint_id tool_id args_json success started_at",
}
"""Columns that are never NULL."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "index.db"
    store = DatabaseStore(path)
    calls = [documents.call("c1", success=False), documents.call("c2", tool_id="bash")]
    for at in range(40):
        about: dict[str, Any] = {"about": {"question": f"q{at % 7}"}} if at % 2 else {}
        parent: dict[str, Any] = {"parent": {"checkpoint_id": f"ckpt_{at - 1}", "is_branch": at % 5 == 0}} if at else {}
        store.put(
            checkpoint(f"ckpt_{at}", at, execution_id=f"exec_{at % 4}", calls=calls, results={}, **about, **parent)
        )
    store.put(HARD, file_name="hard.json", source_sha256="f" * 64)
    store.close()
    return path


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path))


@pytest.fixture
def driver(path: Path) -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(path)
    opened.execute("PRAGMA foreign_keys = ON")
    yield opened
    opened.close()


def test_tables_are_strict_and_have_the_columns_that_are_described(driver: sqlite3.Connection) -> None:
    for table, columns in COLUMNS.items():
        result = driver.execute(f"PRAGMA table_info({table})").fetchall()
        assert [column[1] for column in result] == columns.split()
        assert {column[2] for column in result} <= {"TEXT", "INTEGER", "REAL", "NUM", ""}
    listed = {row[1]: (row[4], row[5]) for row in driver.execute("PRAGMA table_list") if row[1] in COLUMNS}
    assert listed["executions"] == (0, 1)
    for table, columns in DOCUMENTED.items():
        for column in columns.split():
            assert driver.execute(f"SELECT count(*) FROM {table} WHERE {column} IS NULL").fetchone() == (0,)
    strict = {row[1] for row in driver.execute("PRAGMA table_list") if row[5]}
    assert strict == {"executions", "saved_checkpoints", "parts", "tools"}
    assert driver.execute("PRAGMA user_version").fetchone() == (2,)
    assert driver.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE saved_checkpoints SET timestamp = 'soon'",
        "UPDATE saved_checkpoints SET sha256 = 'short'",
        "UPDATE saved_checkpoints SET layout_json = '{'",
        "UPDATE saved_checkpoints SET metadata_json = 'x'",
        "UPDATE saved_checkpoints SET is_branch = 2",
        "UPDATE saved_checkpoints SET execution_id = 'nobody'",
        "UPDATE executions SET status = 'odd'",
        "UPDATE executions SET task = NULL",
        "INSERT INTO tools VALUES ('bash', 'nobody')",
        "INSERT INTO parts SELECT 0, hash, body FROM parts LIMIT 1",
    ],
)
def test_rows_that_make_no_sense_are_refused_by_the_database_itself(driver: sqlite3.Connection, change: str) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        driver.execute(change)


def test_a_checkpoint_is_given_in_columns(driver: sqlite3.Connection) -> None:
    driver.row_factory = sqlite3.Row
    [row] = driver.execute("SELECT * FROM checkpoints WHERE id = ?", [HARD.id])
    [execution] = driver.execute("SELECT * FROM executions WHERE id = ?", [HARD.execution_id])
    calls = driver.execute("SELECT * FROM tool_calls WHERE checkpoint_id = ? ORDER BY seq", [HARD.id]).fetchall()
    thoughts = driver.execute("SELECT * FROM thoughts WHERE checkpoint_id = ? ORDER BY seq", [HARD.id]).fetchall()

    assert (row["sha256"], row["source_sha256"], row["file_name"]) == (HARD.sha256, "f" * 64, "hard.json")
    assert (row["parent_checkpoint_id"], row["is_branch"], row["branch_reason"]) == ("../x", 1, "try")
    assert list(json.loads(row["extra_json"])) == [
        "parent", "name", "description", "about", "diff", "extra",
    ]  # fmt: skip
    assert (execution["task"], execution["status"]) == ("sort", "running")
    assert [(one["id"], one["status"], one["success"], one["result_json"]) for one in calls] == [
        ("null", "completed", 1, "null"),
        ("none", "completed", 1, None),
        ("bad", "failed", 0, '{"@id":1.0}'),
        ("open", "running", -1, None),
    ]
    assert [(one["id"], one["confidence"]) for one in thoughts] == [("a b", 1.0), ("@id", None)]


@settings(max_examples=examples(40), deadline=None)
@given(documents.checkpoints)
def test_views_show_what_a_checkpoint_holds(tree: Any) -> None:
    try:
        given = AgentCheckpoint.of_tree(tree)
    except InvalidCheckpoint:
        return
    assume(b"\\u0000" not in given.content())  # where functions of SQLite end a text
    with TemporaryDirectory() as folder:
        path = Path(folder) / "index.db"
        with closing(DatabaseStore(path)) as store:
            store.put(given)
            assert store.get(given.id).content() == given.content()
            assert not list(store.verify())
        with closing(sqlite3.connect(path)) as driver:
            [(snapshot,)] = driver.execute("SELECT snapshot_json FROM checkpoints")
            assert loaded(snapshot.encode()) == given.snapshot.tree()
            thoughts = driver.execute("SELECT id, type, content, parent_id, created_at FROM thoughts ORDER BY seq")
            assert thoughts.fetchall() == [
                (one.id, one.type, one.content, one.parent_id, one.created_at) for one in given.snapshot.thought_chain
            ]
            calls = driver.execute("SELECT id, args_json, result_json FROM tool_calls ORDER BY seq").fetchall()
    tools = given.snapshot.tool_state
    assert [
        (name, loaded(args.encode()), None if result is None else loaded(result.encode()))
        for name, args, result in calls
    ] == [(call.id, call.args or {}, tools.results.get(call.id)) for call in tools.calls]


def test_a_parent_beside_the_chain_is_a_finding(tmp_path: Path) -> None:
    chain = [documents.thought("child", parent_id="later"), documents.thought("later", parent_id="pruned")]
    with CheckpointManager(None, tmp_path / "index.db") as manager:
        manager.import_(checkpoint("ckpt_1", 1, thoughts=chain))
        saved = manager.save(manager.restore("ckpt_1").state)
        assert [found.code for found in saved.findings if found.value == "pruned"] == ["AK033"]
        assert manager.get(saved.id).snapshot.thought_chain[1].parent_id == "pruned"
        assert manager.verify() == ()
    with closing(sqlite3.connect(tmp_path / "index.db")) as driver:
        result = driver.execute(
            "SELECT id, parent_id FROM thoughts WHERE checkpoint_id = 'ckpt_1' ORDER BY seq"
        ).fetchall()
    assert result == [("child", "later"), ("later", "pruned")]


def test_what_belongs_to_a_checkpoint_goes_with_it(path: Path, driver: sqlite3.Connection) -> None:
    store = DatabaseStore(path)
    for at in range(0, 40, 4):
        store.delete(f"ckpt_{at}")

    left = {table: driver.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in COLUMNS}
    assert left == {"executions": 3, "checkpoints": 31, "thoughts": 30 + 2, "tool_calls": 60 + 4}
    assert "exec_0" not in {row[0] for row in driver.execute("SELECT id FROM executions")}
    store.close()


def test_an_execution_is_what_its_newest_checkpoint_states(tmp_path: Path) -> None:
    store = DatabaseStore(tmp_path / "index.db")
    driver = sqlite3.connect(tmp_path / "index.db", isolation_level=None)

    def held() -> Any:
        return driver.execute("SELECT agent_id, task, started_at, completed_at, status FROM executions").fetchall()

    store.put(checkpoint("b", 2, "execution_completed"))
    assert held() == [("agent_1", "sort", MOMENT + 2000, MOMENT + 2000, "completed")]
    store.put(checkpoint("a", 1, "paused"))
    assert held() == [("agent_1", "sort", MOMENT + 1000, MOMENT + 2000, "completed")]
    store.delete("b")
    assert held() == [("agent_1", "sort", MOMENT + 1000, None, "paused")]
    store.put(checkpoint("c", 3, "execution_failed"))
    assert held()[0][2:] == (MOMENT + 1000, MOMENT + 3000, "failed")
    store.update_metadata("c", metadata={"checkpoint_reason": "manual"})
    assert held()[0][2:] == (MOMENT + 1000, None, "running")
    driver.close()
    store.close()


QUERIES = {
    "by id": (select(tables.checkpoints).where(tables.checkpoints.c.id == "ckpt_1"), "checkpoints_1 (id=?)"),
    "newest of an execution": (tables.headers(Filter(execution_id="exec_1", limit=1)), "checkpoints_of_execution"),
    "children": (tables.children("ckpt_1"), "checkpoints_of_parent"),
    "branches": (tables.headers(Filter(branch_of="ckpt_1")), "checkpoints_of_parent"),
    "of an agent": (tables.headers(Filter(agent_id="agent_1", since=MOMENT)), "checkpoints_of_agent"),
    "unsure": (tables.headers(Filter(confidence_below=0.5)), "checkpoints_in_order"),
    "failed": (tables.headers(Filter(failed=True)), "checkpoints_that_failed"),
    "failed of an execution": (
        tables.headers(Filter(execution_id="exec_1", failed=True)),
        "checkpoints_of_execution",
    ),
    "a page": (tables.headers(Filter(cursor=(MOMENT, 1, "x"), limit=50)), "checkpoints_in_order"),
    "about a question": (tables.headers(Filter(question="q1")), "checkpoints_of_question"),
    "that used a tool": (tables.headers(Filter(tool="bash")), "SEARCH tools USING"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", QUERIES)
def test_queries_search_by_an_index(name: str, driver: sqlite3.Connection) -> None:
    query, expected = QUERIES[name]
    plan = [row[3] for row in explained(driver, query)]

    assert any(expected in step for step in plan), plan
    scans = [step for step in plan if step.startswith("SCAN")]
    # The index of those that failed holds nothing else, and a page is the beginning of an index in its order.
    known = {
        f"SCAN saved_checkpoints USING INDEX {name}" for name in ("checkpoints_that_failed", "checkpoints_in_order")
    }
    assert set(scans) <= known, plan


def explained(driver: sqlite3.Connection, query: Select[Any]) -> list[Any]:
    compiled = query.compile(create_engine("sqlite://"), compile_kwargs={"render_postcompile": True})
    return driver.execute(
        f"EXPLAIN QUERY PLAN {compiled}", [compiled.params[one] for one in compiled.positiontup or ()]
    ).fetchall()


def test_a_page_is_found_without_sorting(driver: sqlite3.Connection) -> None:
    for wanted in (Filter(limit=50), Filter(limit=50, order="oldest"), Filter(execution_id="exec_1", limit=50)):
        plan = [row[3] for row in explained(driver, tables.headers(wanted))]
        assert not any("TEMP B-TREE" in step for step in plan), plan


# --- Databases of CAF's own program are read, and never changed.


CAF = """
CREATE TABLE `executions` (`id` text PRIMARY KEY NOT NULL, `agent_id` text NOT NULL, `task` text NOT NULL,
  `status` text DEFAULT 'running' NOT NULL, `started_at` integer NOT NULL, `completed_at` integer);
CREATE TABLE `checkpoints` (`id` text PRIMARY KEY NOT NULL, `execution_id` text NOT NULL, `timestamp` integer NOT NULL,
  `step_number` integer NOT NULL, `snapshot_json` text NOT NULL, `metadata_json` text);
CREATE TABLE `thoughts` (`id` text PRIMARY KEY NOT NULL, `checkpoint_id` text NOT NULL, `type` text NOT NULL,
  `content` text NOT NULL, `confidence` real, `timestamp` integer NOT NULL);
CREATE TABLE `tool_calls` (`id` text PRIMARY KEY NOT NULL, `checkpoint_id` text NOT NULL, `tool_id` text NOT NULL,
  `arguments_json` text NOT NULL, `result_json` text, `status` text NOT NULL, `timestamp` integer NOT NULL);
INSERT INTO executions VALUES ('exec_1', 'agent_1', 'sort', 'working', 5, NULL);
INSERT INTO tool_calls VALUES ('c1', 'ckpt_1', 'bash', '{"p":1}', NULL, 'completed', 5);
"""
"""Tables as an object-relational mapper of another language makes them."""


@pytest.fixture(params=["DELETE", "WAL"])
def caf_path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "caf.db"
    with closing(sqlite3.connect(path)) as driver, driver:
        driver.execute(f"PRAGMA journal_mode = {request.param}")
        driver.executescript(CAF)
    return path


def add(path: Path, identifier: str, step: int, *, shape: str = "second", whole: bool = False, **members: Any) -> None:
    tree = checkpoint(identifier, step, **members).tree()
    if shape == "second":
        tree = to_second(tree)
    snapshot, metadata = (tree, None) if whole else (tree["snapshot"], json.dumps(tree["metadata"]))
    row = [identifier, tree["execution_id"], tree["timestamp"], step, json.dumps(snapshot), metadata]
    with closing(sqlite3.connect(path)) as driver, driver:
        driver.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?)", row)


def files_of(path: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in path.parent.iterdir()}


@pytest.mark.parametrize("shape", ["canonical", "second"])
@pytest.mark.parametrize("whole", [False, True])
def test_a_database_of_caf_is_read_and_stays_byte_for_byte(caf_path: Path, shape: str, whole: bool) -> None:
    for at in (1, 2):
        add(caf_path, f"ckpt_{at}", at, shape=shape, whole=whole, calls=[documents.call("c1", args={"p": 1})])
    before = files_of(caf_path)
    with closing(DatabaseStore(caf_path)) as store:
        assert [one.id for one in store.headers()] == ["ckpt_2", "ckpt_1"]
        assert [one.id for one in store.headers(Filter(tool="weather", limit=1))] in ([], ["ckpt_2"])
        assert store.get("ckpt_1").snapshot.tool_state.calls[0].args == {"p": 1}
        assert store.get("ckpt_1").snapshot.thought_chain[0].content == "look first"
        assert list(store.verify(repair=True)) == []
        for write in (
            lambda: store.put(checkpoint("ckpt_3", 3)),
            lambda: store.replace(checkpoint("ckpt_1", 3)),
            lambda: store.delete("ckpt_1"),
            lambda: store.update_metadata("ckpt_1", name="a"),
            store.reset,
        ):
            with pytest.raises(StoreError, match="is a database of CAF, which is only read"):
                write()
    assert files_of(caf_path) == before


def test_what_caf_adds_is_seen_and_a_broken_row_is_reported(caf_path: Path) -> None:
    with closing(DatabaseStore(caf_path)) as store:
        assert list(store.headers()) == []
        add(caf_path, "ckpt_1", 1)
        assert [one.id for one in store.headers()] == ["ckpt_1"]
        with closing(sqlite3.connect(caf_path)) as driver, driver:
            driver.execute("INSERT INTO checkpoints VALUES ('x', 'exec_1', 5, 7, '{', NULL)")
            driver.execute("INSERT INTO checkpoints VALUES ('y', 'exec_1', 5, 7, '{\"thought_chain\": []}', NULL)")
        before = files_of(caf_path)
        assert [one.id for one in store.headers()] == ["ckpt_1"]
        assert ["the row of 'x'" in str(one) or "the row of 'y'" in str(one) for one in store.verify()] == [True] * 2
    assert files_of(caf_path) == before


def test_what_metadata_do_not_state_is_taken_from_columns(caf_path: Path) -> None:
    snapshot = json.dumps(checkpoint("x", 7).tree()["snapshot"])
    with closing(sqlite3.connect(caf_path)) as driver, driver:
        driver.execute("INSERT INTO checkpoints VALUES ('x', 'unknown execution', 5, 7, ?, NULL)", [snapshot])
    with closing(DatabaseStore(caf_path)) as store:
        [header] = store.headers()
        assert (header.step_number, header.checkpoint_reason) == (7, "manual")
        assert (header.agent_id, header.execution_id) == ("unknown", "unknown execution")
        assert store.get("x").snapshot.progress.step_number == 7


@pytest.mark.parametrize("number", [0, 1, 2])
def test_tables_that_only_look_alike_are_refused_and_stay(tmp_path: Path, number: int) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as driver, driver:
        driver.executescript("CREATE TABLE checkpoints (id TEXT, blob BLOB); CREATE TABLE executions (id TEXT);")
        driver.execute(f"PRAGMA user_version = {number}")
    before = files_of(path)
    for use in (
        lambda store: list(store.headers()),
        lambda store: store.get("a"),
        lambda store: store.put(checkpoint()),
        lambda store: list(store.verify(repair=True)),
        lambda store: store.reset(),
    ):
        with closing(DatabaseStore(path)) as store, pytest.raises(StoreError, match="none of agent checkpoints"):
            use(store)
    assert files_of(path) == before


def test_several_may_make_it_at_once(tmp_path: Path) -> None:
    stores = [DatabaseStore(tmp_path / "index.db") for _ in range(6)]

    with ThreadPoolExecutor(6) as pool:
        put = list(pool.map(lambda store: store.put(checkpoint()).created, stores))
    assert sorted(put) == [False] * 5 + [True]
