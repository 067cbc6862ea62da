"""A database: its settings, its errors, and what happens when somebody else was at it."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from checkpoint_ld.errors import IntegrityError, SettingsError, StoreBusyError, StoreError, UnsupportedVersion
from checkpoint_ld.stores import sqlite
from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.protocol import Filter
from tests.agents import documents
from tests.stores.documents import HARD, checkpoint


@pytest.fixture
def path(tmp_path: Path) -> Path:
    store = DatabaseStore(tmp_path / "index.db")
    store.put(checkpoint())
    store.put(HARD)
    store.close()
    return tmp_path / "index.db"


def changed(path: Path, *statements: str) -> None:
    driver = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        driver.execute(statement)
    driver.close()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("postgresql://user:secret@host/db", "databases of the kind postgresql"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite://runs/index.db", "names no file"),
        ("://", "is no URL"),
    ],
)
def test_other_databases_are_refused_without_a_word_about_passwords(url: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words) as raised:
        DatabaseStore(url)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("name", ["new folder/index.db", "why?50%41#.db"])
def test_a_database_is_made_at_first_use_and_named_by_url_or_path(tmp_path: Path, name: str) -> None:
    by_url = DatabaseStore(f"sqlite:///{quote(f'{tmp_path}/{name}')}")
    assert not by_url.path.exists()
    by_url.put(checkpoint())
    assert by_url.path == tmp_path / name

    assert DatabaseStore(by_url.path).get("ckpt_1") == checkpoint()
    assert DatabaseStore(str(by_url.path)).get("ckpt_1") == checkpoint()


@pytest.mark.parametrize("follows", [False, True])
def test_connections_have_the_settings_that_keep_data_whole(path: Path, follows: bool) -> None:
    store = DatabaseStore(path)
    store.follows_files = follows

    with store._database.writing() as connection:  # noqa: SLF001 - what a connection was set to is seen nowhere else
        held = [connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in
                ("foreign_keys", "journal_mode", "busy_timeout", "synchronous")]  # fmt: skip
    assert held == [1, "wal", 5000, 1 if follows else 2]
    assert store.follows_files == follows


@pytest.mark.slow
def test_a_newer_database_is_refused_and_left_as_it_is(path: Path) -> None:
    changed(path, "PRAGMA user_version = 3")
    before = path.read_bytes()
    store = DatabaseStore(path)

    for use in (
        lambda: store.get("ckpt_1"),
        lambda: store.put(checkpoint("x")),
        lambda: list(store.headers()),
        store.reset,
    ):
        with pytest.raises(UnsupportedVersion, match="has schema 3, the newest that can be read is 2; upgrade"):
            use()
    store.close()
    assert path.read_bytes() == before


@pytest.mark.parametrize("number", [0, 1, 7])
def test_a_database_of_somebody_else_is_refused_and_left_as_it_is(number: int, tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    changed(path, "CREATE TABLE songs (title TEXT)", f"PRAGMA user_version = {number}")
    store = DatabaseStore(path)

    for use in (lambda: store.get("x"), lambda: store.put(checkpoint()), lambda: list(store.verify()), store.reset):
        with pytest.raises(StoreError, match="none of agent checkpoints; name another file"):
            use()
    store.close()
    driver = sqlite3.connect(path)
    assert driver.execute("SELECT name FROM sqlite_schema").fetchall() == [("songs",)]
    driver.close()


def damage_pages(path: Path) -> None:
    changed(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(path.read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    path.write_bytes(data)


def overwrite(path: Path) -> None:
    path.write_bytes(b"not a database at all " * 400)


@pytest.mark.parametrize("damage", [damage_pages, overwrite])
def test_a_damaged_database_is_reported_and_can_be_made_again(path: Path, damage: Any, caplog: Any) -> None:
    damage(path)
    store = DatabaseStore(path)

    with pytest.raises(IntegrityError, match=r"damaged.*reindex"):
        store.put(checkpoint("x"))
    assert [found.code for found in store.verify()][:1] == ["AS005"]
    store.reset()

    assert list(store.headers()) == []
    assert store.put(checkpoint()).created
    assert store.get("ckpt_1") == checkpoint()
    [aside] = [
        one for one in path.parent.iterdir() if ".corrupt-" in one.name and not one.name.endswith(("wal", "shm"))
    ]
    assert aside.name in caplog.text


def test_a_whole_database_is_emptied_in_place(path: Path) -> None:
    store = DatabaseStore(path)
    store.reset()

    assert list(store.headers()) == []
    assert [one.name for one in path.parent.iterdir() if "corrupt" in one.name] == []


def test_a_database_that_others_write_to_is_busy_and_readable(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_PATIENCE_MS", 200)
    store = DatabaseStore(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreBusyError, match="another process has been writing"):
        store.put(checkpoint("x"))
    with pytest.raises(StoreBusyError):
        store.delete("ckpt_1")
    assert store.get("ckpt_1") == checkpoint()
    other.execute("ROLLBACK")
    other.close()
    assert store.put(checkpoint("x")).created


def test_a_writer_waits_for_another_one(path: Path) -> None:
    store = DatabaseStore(path)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    threading.Timer(0.3, lambda: other.execute("COMMIT")).start()

    assert store.put(checkpoint("x")).created
    other.close()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE saved_checkpoints SET layout_json = replace(layout_json, 'sort', 'mort')",
        "UPDATE saved_checkpoints SET timestamp = timestamp + 1",
        "UPDATE saved_checkpoints SET extra_json = '{'",
        "UPDATE saved_checkpoints SET metadata_json = '[]'",
    ],
)
def test_what_does_not_fit_its_hash_is_not_given_out(path: Path, change: str) -> None:
    changed(path, change + " WHERE id = 'ckpt_1'")
    store = DatabaseStore(path)

    with pytest.raises(IntegrityError, match="the row of 'ckpt_1'"):
        store.get("ckpt_1")
    assert [(found.code, found.subject) for found in store.verify(repair=True)] == [("AS006", "ckpt_1")]
    assert store.get(HARD.id) == HARD
    store.replace(checkpoint(), file_name="ckpt_1.json")
    assert store.get("ckpt_1") == checkpoint()
    assert list(store.verify()) == []


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE saved_checkpoints SET thoughts_json = '[]'",
        "UPDATE saved_checkpoints SET calls_json = '[[1, null]]'",
        "UPDATE saved_checkpoints SET has_failed = 1 - has_failed",
        "UPDATE saved_checkpoints SET lowest_confidence = 0.25",
        "DELETE FROM tools",
    ],
)
def test_thoughts_and_calls_that_are_not_those_of_the_snapshot_are_found_and_made_again(
    path: Path, change: str
) -> None:
    changed(path, change)
    store = DatabaseStore(path)

    for _ in range(2):  # to find them changes nothing
        assert {found.code for found in store.verify()} == {"AS007"}
    assert all("which were made again" in found.message for found in list(store.verify(repair=True)))
    assert list(store.verify()) == []
    assert list(store.headers(Filter(failed=True))) == [one for one in store.headers() if one.id == HARD.id]


def test_rows_that_belong_to_nothing_are_found(path: Path) -> None:
    changed(path, "DELETE FROM saved_checkpoints WHERE id = 'ckpt_1'")

    [found, *_] = DatabaseStore(path).verify()
    assert (found.code, "belongs to no row of saved_checkpoints" in found.message) == ("AS005", True)


def test_a_text_that_is_missing_is_found(path: Path) -> None:
    changed(path, "DELETE FROM parts")
    store = DatabaseStore(path)
    assert {found.code for found in store.verify()} == {"AS006"}
    with pytest.raises(IntegrityError, match="is missing"):
        store.get("ckpt_1")


def test_what_was_deleted_leaves_no_text_behind(path: Path) -> None:
    with closing(DatabaseStore(path)) as store:
        store.put(checkpoint("other", thoughts=[documents.thought("t9", content="a thought of its own")]))
        store.delete("other")
        assert store.put(checkpoint("third", 3)).created
    with closing(sqlite3.connect(path)) as driver:
        assert not driver.execute("SELECT * FROM parts WHERE body LIKE '%a thought of its own%'").fetchall()
    with closing(DatabaseStore(path)) as store:
        assert store.get("third") == checkpoint("third", 3)
        assert not list(store.verify())


def test_a_database_that_vanished_is_reported(path: Path) -> None:
    store = DatabaseStore(path)
    store.put(checkpoint("x"))
    for one in path.parent.iterdir():
        one.unlink()

    with pytest.raises(StoreError, match=r"vanished.*reindex"):
        store.put(checkpoint("y"))
    store.reset()
    assert store.put(checkpoint("y")).created


def test_another_database_in_its_place_is_opened(path: Path, tmp_path: Path) -> None:
    store, other = DatabaseStore(path), DatabaseStore(tmp_path / "other.db")
    assert len(list(store.headers())) == 2
    other.put(checkpoint("x"))
    other.close()
    store.close()
    other.path.replace(path)

    assert [header.id for header in store.headers()] == ["x"]


def test_children_and_holders_of_a_thought_are_found(path: Path) -> None:
    store = DatabaseStore(path)
    store.put(checkpoint("next", 2, parent={"checkpoint_id": "ckpt_1"}, thoughts=[documents.thought("new")]))

    assert [header.id for header in store.children("ckpt_1")] == ["next"]


def test_the_name_of_a_file_follows_and_its_origin_stays(path: Path) -> None:
    store = DatabaseStore(path)
    store.put(checkpoint("x"), source_sha256="a" * 64)
    assert not store.put(checkpoint("x"), file_name="x.json").created
    store.replace(store.update_metadata("x", name="n"))
    store.close()

    driver = sqlite3.connect(path)
    result = driver.execute("SELECT file_name, source_sha256, name FROM checkpoints WHERE id = 'x'").fetchall()
    driver.close()
    assert result == [("x.json", "a" * 64, "n")]
