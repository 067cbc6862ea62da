"""What every store does alike, beside the cases of the conformance suite."""

import gzip
import hashlib
import json
import re
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.values import bytes_of
from checkpoint_ld.errors import CheckpointNotFound, InvalidCheckpoint, ReadError, SettingsError
from checkpoint_ld.stores import folder_index
from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.files import FileStore, file_name
from checkpoint_ld.stores.folder import hashed_name, is_checkpoint
from checkpoint_ld.stores.graphs import GraphStore
from checkpoint_ld.stores.protocol import CAPABILITIES, CheckpointStore, Filter, Header, header_of
from tests.agents import documents
from tests.conftest import REPOSITORY
from tests.stores.documents import HARD, checkpoint
from tests.trials import examples


@pytest.mark.slow
@settings(max_examples=examples(25), deadline=None)
@given(st.lists(documents.checkpoints, max_size=4))
def test_whatever_is_valid_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, trees: list[object]) -> None:
    folder = tmp_path_factory.mktemp("stores")
    stores: list[CheckpointStore] = [
        FileStore(folder / "files"),
        DatabaseStore(folder / "index.db"),
        GraphStore(folder / "collection"),
    ]
    kept = {HARD.id: HARD}
    for tree in trees:
        with suppress(InvalidCheckpoint):
            one = AgentCheckpoint.of_tree(tree)  # type: ignore[arg-type]
            kept.setdefault(one.id, one)
    for store in stores:
        for one in kept.values():
            assert store.put(one).created
        assert all(store.get(one.id).content() == one.content() for one in kept.values())
        expected = Filter().arranged(map(header_of, kept.values()))
        assert [replace(one, sha256=None) for one in store.headers()] == [replace(one, sha256=None) for one in expected]
        assert list(store.verify()) == []
        store.close()


def test_an_id_that_is_not_there_is_answered_with_those_that_are_near(store: CheckpointStore) -> None:
    with pytest.raises(CheckpointNotFound, match="the store is empty"):
        store.get("ckpt_x")
    store.put(checkpoint("ckpt_abc1"))
    store.put(checkpoint("exec"))

    with pytest.raises(CheckpointNotFound, match='there is no checkpoint "ckpt_abd1"; did you mean ckpt_abc1'):
        store.get("ckpt_abd1")
    with pytest.raises(CheckpointNotFound):
        store.update_metadata("ckpt_abd1", name="x")


def test_a_store_without_checkpoints_answers_and_makes_nothing(store: CheckpointStore, tmp_path: Path) -> None:
    assert list(store.headers()) == []
    assert list(store.verify()) == []
    assert not store.delete("ckpt_1")
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_was_closed_can_be_used_again(store: CheckpointStore) -> None:
    store.put(checkpoint())
    store.close()

    assert store.get("ckpt_1") == checkpoint()
    assert store.capabilities >= CAPABILITIES


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
        ({"order": "random"}, 'there is no order "random"; use one of newest, oldest'),
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


# --- Every id has a file name that is safe on every disk.


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("ckpt_01-a.b", "ckpt_01-a.b.json"),
        ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd.json"),
        ("a/b", "a%2Fb.json"),
        (".", "%2E.json"),
        ("..", "%2E%2E.json"),
        (".hidden", "%2Ehidden.json"),
        ("x\u0000", "x%00.json"),
        ("é ~", "%C3%A9%20%7E.json"),
        ("x" * 120, "x" * 120 + ".json"),
    ],
)
def test_what_is_not_plain_is_percent_encoded(identifier: str, name: str) -> None:
    assert file_name(identifier) == name


@pytest.mark.parametrize("identifier", ["CON", "con", "nul.txt", "Lpt9", "x" * 121, "é" * 21])
def test_names_of_devices_and_long_names_end_in_a_hash(identifier: str) -> None:
    digest = hashlib.sha256(identifier.encode()).hexdigest()[:12]

    assert file_name(identifier).endswith(f"~{digest}.json")
    assert len(file_name(identifier)) <= 64 + 13 + 5


@given(st.text(min_size=1, max_size=300), st.text(min_size=1, max_size=300))
def test_names_are_safe_and_differ_where_ids_do(one: str, other: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_%-](?:[A-Za-z0-9._%~-]*[A-Za-z0-9_%~-])?\.json", file_name(one))
    assert len(file_name(one).encode()) <= 125
    assert (file_name(one) == file_name(other)) == (one == other)
    assert is_checkpoint(hashed_name(one))


@pytest.mark.parametrize("identifier", ["../../etc/passwd", "a/b", "CON", "x\u0000", "y" * 900, "é", ".", "a.json"])
def test_no_id_leads_out_of_the_folder_and_every_one_comes_back(identifier: str, tmp_path: Path) -> None:
    store = FileStore(tmp_path / "in" / "checkpoints")

    path = store.put(checkpoint(identifier)).path

    assert path is not None
    assert path.parent == store.directory
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [path]
    assert FileStore(store.directory).get(identifier).id == identifier
    assert list(store.verify()) == []


def test_ids_that_differ_in_case_only_have_names_that_differ_in_more(tmp_path: Path) -> None:
    store = FileStore(tmp_path)

    for identifier in ("abc", "ABC", "Abc"):
        store.put(checkpoint(identifier))
        FileStore(tmp_path).put(checkpoint(identifier))

    assert len({path.name.lower() for path in tmp_path.iterdir()}) == 3
    assert {one: store.path(one).name for one in ("abc", "ABC")} == {"abc": "abc.json", "ABC": hashed_name("ABC")}
    assert [store.get(one).id for one in ("abc", "ABC", "Abc")] == ["abc", "ABC", "Abc"]
    assert list(store.verify()) == []


# --- The header of a file from its two ends is the one that reading all of it gives.


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("length", [0, 300_000])
def test_only_the_ends_of_a_file_in_the_text_form_are_read(
    length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = HARD.but(snapshot=checkpoint(thoughts=[documents.thought(content="x" * length)]).snapshot)
    path = written(tmp_path / "a.json", one.content())
    monkeypatch.setattr("checkpoint_ld.agents.serialization.examine", lambda _: pytest.fail("all of it was read"))

    assert folder_index.header_at(path) == Header.of(one)


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(documents.checkpoints)
def test_the_ends_show_what_all_of_it_shows(tmp_path_factory: pytest.TempPathFactory, tree: documents.Json) -> None:
    path = written(tmp_path_factory.mktemp("one") / "a.json", bytes_of(tree))
    try:
        expected = Header.of(AgentCheckpoint.of_tree(tree))
    except InvalidCheckpoint:
        return

    assert folder_index.header_at(path) == expected


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(HARD.tree()).encode(),
        json.dumps(HARD.tree(), indent=4).encode(),
        json.dumps(dict(reversed(HARD.tree().items())), indent=2, ensure_ascii=False).encode() + b"\n",
        HARD.content().replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + HARD.content(),
        HARD.dumps("second").encode(),
    ],
    ids=["one line", "four spaces", "another order", "CRLF", "BOM", "second shape"],
)
def test_files_in_other_forms_are_read_whole(text: bytes, tmp_path: Path) -> None:
    assert folder_index.header_at(written(tmp_path / "a.json", text)) == Header.of(HARD)
    packed = written(tmp_path / "a.json.gz", gzip.compress(text))
    assert folder_index.header_at(packed) == Header.of(HARD)
    assert folder_index.facts_at(packed) == folder_index.facts_at(tmp_path / "a.json")


def test_members_between_the_snapshot_and_the_metadata_are_not_missed(tmp_path: Path) -> None:
    tree = HARD.tree()
    names = ["version", "id", "timestamp", "execution_id", "agent_id", "snapshot", "parent", "about", "metadata"]
    text = json.dumps({name: tree[name] for name in names}, indent=2, ensure_ascii=False).encode() + b"\n"

    header = folder_index.header_at(written(tmp_path / "a.json", text))

    assert (header.parent_checkpoint_id, header.about_question) == ("../x", "q?")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        checkpoint().content()[:-40],
        checkpoint().content().replace(b'"step_number": 1,\n    "tokens', b'"step_number": -1,\n    "tokens'),
        checkpoint().content().replace(b'"duration_ms": 20', b'"duration_ms": NaN'),
        checkpoint().content().replace(b'"id": "ckpt_1"', b'"id": ""'),
        checkpoint().content().replace(b'"id": "ckpt_1"', b'"id": "\\ud800"'),
        checkpoint().content().replace(b'"0.0.1"', b'"9.0.0"'),
    ],
)
def test_a_file_that_is_no_checkpoint_has_no_header(text: bytes, tmp_path: Path) -> None:
    with pytest.raises((ReadError, ValueError)):
        folder_index.header_at(written(tmp_path / "a.json", text))


# --- The measurements of agent checkpoints run, and say what they promise.


@pytest.mark.slow
def test_what_agents_cost_can_be_measured() -> None:
    """The stores are queried the same there, and it fails unless they agree."""
    command = [sys.executable, "benchmarks/agents.py", "30", "--thoughts", "20"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=200)

    assert done.returncode == 0, done.stderr
    for row in ("save one", "all headers, first time", "that used a tool", "restore", "diff"):
        assert row in done.stdout
