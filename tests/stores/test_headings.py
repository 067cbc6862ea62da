"""The header of a file from its two ends is the one that reading all of it gives."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.values import bytes_of
from checkpoint_ld.errors import InvalidCheckpoint, ReadError
from checkpoint_ld.stores import files
from checkpoint_ld.stores.protocol import Header
from tests.agents import documents
from tests.stores.documents import HARD, checkpoint
from tests.trials import examples


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

    assert files.header_at(path) == Header.of(one)


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(documents.checkpoints)
def test_the_ends_show_what_all_of_it_shows(tmp_path_factory: pytest.TempPathFactory, tree: documents.Json) -> None:
    path = written(tmp_path_factory.mktemp("one") / "a.json", bytes_of(tree))
    try:
        expected = Header.of(AgentCheckpoint.of_tree(tree))
    except InvalidCheckpoint:
        return

    assert files.header_at(path) == expected


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
    assert files.header_at(written(tmp_path / "a.json", text)) == Header.of(HARD)
    packed = written(tmp_path / "a.json.gz", gzip.compress(text))
    assert files.header_at(packed) == Header.of(HARD)
    assert files.facts_at(packed) == files.facts_at(tmp_path / "a.json")


def test_members_between_the_snapshot_and_the_metadata_are_not_missed(tmp_path: Path) -> None:
    tree = HARD.tree()
    names = ["version", "id", "timestamp", "execution_id", "agent_id", "snapshot", "parent", "about", "metadata"]
    text = json.dumps({name: tree[name] for name in names}, indent=2, ensure_ascii=False).encode() + b"\n"

    header = files.header_at(written(tmp_path / "a.json", text))

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
        files.header_at(written(tmp_path / "a.json", text))
