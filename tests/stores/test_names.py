"""Every id has a file name that is safe on every disk."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.stores.files import FileStore, file_name
from checkpoint_ld.stores.folder import hashed_name, is_checkpoint
from tests.stores.documents import checkpoint


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
