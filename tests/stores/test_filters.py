"""All stores give the answers that filters define in plain Python."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.protocol import Filter, header_of
from tests.agents import documents
from tests.stores.documents import MOMENT, checkpoint
from tests.trials import examples

MEMBERS = [one.name for one in fields(Filter) if one.init]

few = st.sampled_from
texts = few(["a", "b", "é%_", ""])
ids = few(["a", "b", "B", "\x00", "é%_"])


def maybe(of: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | of


@st.composite
def agent_checkpoints(draw: st.DrawFn, identifier: str) -> AgentCheckpoint:
    calls = [
        documents.call(f"c{at}", tool_id=tool, success=success)
        for at, (tool, success) in enumerate(draw(st.lists(st.tuples(ids, st.booleans()), max_size=2)))
    ]
    confidences = draw(st.lists(maybe(few([0, 0.3, 0.5, 1])), max_size=2))
    thoughts = [
        documents.thought(f"t{at}", **({} if one is None else {"confidence": one}))
        for at, one in enumerate(confidences)
    ]
    optional = {
        "name": draw(maybe(texts)),
        "about": draw(maybe(st.fixed_dictionaries({"question": texts}, optional={"benchmark": texts}))),
        "parent": draw(
            maybe(st.fixed_dictionaries({"checkpoint_id": few(["p", "q"])}, optional={"is_branch": st.booleans()}))
        ),
    }
    return checkpoint(
        identifier,
        step=draw(st.integers(0, 2)),
        reason=draw(few(["manual", "paused", "odd"])),
        timestamp=MOMENT + draw(st.integers(0, 2)),
        execution_id=draw(ids),
        agent_id=draw(ids),
        thoughts=thoughts,
        calls=calls,
        results={},
        **{name: value for name, value in optional.items() if value is not None},
    )


identifiers = st.lists(few(["a", "b", "c", "C", "é", "\x00z", "z" * 200]), unique=True, max_size=6)
stocks = identifiers.flatmap(lambda found: st.tuples(*map(agent_checkpoints, found)))
times = st.integers(MOMENT - 1, MOMENT + 3)
filters = st.builds(
    Filter,
    execution_id=maybe(ids),
    agent_id=maybe(ids),
    reason=maybe(few(["manual", "paused", "odd"])),
    since=maybe(times),
    until=maybe(times),
    name=maybe(texts),
    tool=maybe(ids),
    failed=maybe(st.booleans()),
    confidence_below=maybe(few([0, 0.3, 0.31, 1, 2])),
    question=maybe(texts),
    benchmark=maybe(texts),
    branch_of=maybe(few(["p", "q"])),
    limit=maybe(st.integers(0, 3)),
    cursor=maybe(st.tuples(times, st.integers(0, 2), few(["a", "C", "é"]))),
    order=few(["newest", "oldest"]),
)


def loosened(wanted: Filter, kept: list[str]) -> Filter:
    """Return a filter that requests less, since one that requests everything finds nothing."""
    names = [name for name in MEMBERS if name not in ("order", *kept)]
    none: dict[str, Any] = dict.fromkeys(names)
    return replace(wanted, **none)


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(stocks, st.lists(st.tuples(filters, st.lists(few(MEMBERS), max_size=3)), min_size=1, max_size=12))
def test_files_and_database_answer_as_plain_python_does(
    tmp_path_factory: pytest.TempPathFactory,
    stock: tuple[AgentCheckpoint, ...],
    requested: list[tuple[Filter, list[str]]],
) -> None:
    folder = tmp_path_factory.mktemp("stores")
    files, database = FileStore(folder / "files"), DatabaseStore(folder / "index.db")
    for one in stock:
        files.put(one)
        database.put(one)
    for whole, kept in requested:
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
    ("requested", "words"),
    [
        ({"order": "random"}, "there is no order 'random'"),
        ({"limit": -1}, "the limit -1 is negative"),
        ({"cursor": (1, "x", 2)}, "the cursor"),
        ({"cursor": (1, 2)}, "the cursor"),
        ({"since": 2**70}, "no time in milliseconds"),
        ({"name": "\ud800"}, "half a surrogate pair"),
    ],
)
def test_filters_that_make_no_sense_are_refused(requested: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        Filter(**requested)
