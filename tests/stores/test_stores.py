"""What every store does alike, beside the cases of the conformance suite, and the answers that filters define."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.errors import CheckpointNotFound, InvalidCheckpoint, SettingsError
from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.graphs import GraphStore
from checkpoint_ld.stores.protocol import CAPABILITIES, CheckpointStore, Filter, header_of
from tests.agent import documents
from tests.conftest import REPOSITORY
from tests.stores.documents import HARD, MOMENT, checkpoint
from tests.trials import examples


@pytest.mark.slow
@settings(max_examples=examples(25), deadline=None)
@given(st.lists(documents.checkpoints, max_size=4))
def test_whatever_is_valid_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, trees: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("stores")
    stores: list[CheckpointStore] = [FileStore(folder / "files"), DatabaseStore(folder / "index.db")]
    kept = {HARD.id: HARD}
    for tree in trees:
        with suppress(InvalidCheckpoint):
            one = AgentCheckpoint.of_tree(tree)
            kept.setdefault(one.id, one)
    for store in (*stores, GraphStore(folder / "collection")):
        for one in kept.values():
            assert store.put(one).created
        assert all(store.get(one.id).content() == one.content() for one in kept.values())
        expected = Filter().arranged(map(header_of, kept.values()))
        assert [replace(one, sha256=None) for one in store.headers()] == [replace(one, sha256=None) for one in expected]
        assert list(store.verify()) == []
        store.close()


def test_an_empty_store_makes_nothing_and_a_closed_one_is_used_again(store: CheckpointStore, tmp_path: Path) -> None:
    assert (list(store.headers()), list(store.verify()), store.delete("ckpt_1")) == ([], [], False)
    with pytest.raises(CheckpointNotFound, match="the store is empty"):
        store.get("ckpt_1")
    assert list(tmp_path.iterdir()) == []

    store.put(checkpoint("ckpt_abc1"))
    store.put(checkpoint("exec"))
    store.close()
    assert store.get("ckpt_abc1") == checkpoint("ckpt_abc1")
    assert store.capabilities >= CAPABILITIES
    with pytest.raises(CheckpointNotFound, match='there is no checkpoint "ckpt_abd1"; did you mean ckpt_abc1'):
        store.get("ckpt_abd1")
    with pytest.raises(CheckpointNotFound):
        store.update_metadata("ckpt_abd1", name="x")


MEMBERS = [one.name for one in fields(Filter) if one.init]

few = st.sampled_from
texts = few(["a", "b", "é%_", ""])
ids = few(["a", "b", "B", "\x00", "é%_"])


def maybe(of: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | of


ABOUT = maybe(st.fixed_dictionaries({"question": texts}, optional={"benchmark": texts}))
PARENT = maybe(st.fixed_dictionaries({"checkpoint_id": few(["p", "q"])}, optional={"is_branch": st.booleans()}))


@st.composite
def agent_checkpoints(draw: st.DrawFn, identifier: str) -> AgentCheckpoint:
    used = draw(st.lists(st.tuples(ids, st.booleans()), max_size=2))
    sure = draw(st.lists(maybe(few([0, 0.3, 0.5, 1])), max_size=2))
    optional = {"name": draw(maybe(texts)), "about": draw(ABOUT), "parent": draw(PARENT)}
    return checkpoint(
        identifier,
        step=draw(st.integers(0, 2)),
        reason=draw(few(["manual", "paused", "odd"])),
        timestamp=MOMENT + draw(st.integers(0, 2)),
        execution_id=draw(ids),
        agent_id=draw(ids),
        thoughts=[
            documents.thought(f"t{at}", **({} if one is None else {"confidence": one})) for at, one in enumerate(sure)
        ],
        calls=[documents.call(f"c{at}", tool_id=tool, success=success) for at, (tool, success) in enumerate(used)],
        results={},
        **{name: value for name, value in optional.items() if value is not None},
    )


identifiers = st.lists(few(["a", "b", "c", "C", "é", "\x00z", "z" * 200]), unique=True, max_size=6)
stocks = identifiers.flatmap(lambda found: st.tuples(*map(agent_checkpoints, found)))
times = st.integers(MOMENT - 1, MOMENT + 3)
filters = st.builds(
    Filter,
    **dict.fromkeys(("execution_id", "agent_id", "tool"), maybe(ids)),
    **dict.fromkeys(("name", "question", "benchmark"), maybe(texts)),
    **dict.fromkeys(("since", "until"), maybe(times)),
    reason=maybe(few(["manual", "paused", "odd"])),
    failed=maybe(st.booleans()),
    confidence_below=maybe(few([0, 0.3, 0.31, 1, 2])),
    branch_of=maybe(few(["p", "q"])),
    limit=maybe(st.integers(0, 3)),
    cursor=maybe(st.tuples(times, st.integers(0, 2), few(["a", "C", "é"]))),
    order=few(["newest", "oldest"]),
)


def loosened(wanted: Filter, kept: list[str]) -> Filter:
    """Return a filter that asks for less, since one that asks for everything finds nothing."""
    none: dict[str, Any] = dict.fromkeys(name for name in MEMBERS if name not in ("order", *kept))
    return replace(wanted, **none)


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(stocks, st.lists(st.tuples(filters, st.lists(few(MEMBERS), max_size=3)), min_size=1, max_size=12))
def test_files_and_database_answer_as_plain_python_does(
    tmp_path_factory: pytest.TempPathFactory, stock: tuple[AgentCheckpoint, ...], asked: list[tuple[Filter, list[str]]]
) -> None:
    folder = tmp_path_factory.mktemp("stores")
    files, database = FileStore(folder / "files"), DatabaseStore(folder / "index.db")
    for one in stock:
        files.put(one)
        database.put(one)
    for whole, kept in asked:
        wanted = loosened(whole, kept)
        expected = wanted.arranged(header_of(one) for one in stock if wanted.matches(one))
        assert list(database.headers(wanted)) == expected
        assert list(files.headers(wanted)) == [replace(header, sha256=None) for header in expected]
    database.close()


def test_a_list_goes_on_while_its_reader_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checkpoint_ld.stores.database._PAGE", 5)
    store = DatabaseStore(tmp_path / "index.db")
    for at in range(30):
        store.put(checkpoint(f"ckpt_{at:02}", at))
    for header in store.headers(Filter(limit=23)):
        store.update_metadata(header.id, name="seen")
    assert len(list(store.headers(Filter(name="seen")))) == 23
    assert len(list(store.headers())) == 30


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"order": "random"}, "there is no order 'random'"),
        ({"limit": -1}, "the limit -1 is negative"),
        ({"cursor": (1, "x", 2)}, "the cursor"),
        ({"cursor": (1, 2)}, "the cursor"),
        ({"since": 2**70}, "no time in milliseconds"),
        ({"name": "\ud800"}, "half a surrogate pair"),
    ],
)
def test_filters_that_make_no_sense_are_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        Filter(**asked)


@pytest.mark.slow
def test_what_agents_cost_can_be_measured() -> None:
    """The stores are asked the same there, and it fails unless they agree."""
    command = [sys.executable, "benchmarks/agents.py", "30", "--thoughts", "20", "--steps", "3"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    for row in ("save one", "all headers, first time", "that used a tool", "restore", "diff"):
        assert row in done.stdout
