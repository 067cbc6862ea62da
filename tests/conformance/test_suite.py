"""The suite itself: how large it is, and that it finds what is wrong with a store."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import AgentCheckpoint, CheckpointNotFound, DatabaseStore, FileStore, Filter
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.stores.protocol import CAPABILITIES, Header, Put
from tests.conformance.suite import Case, Subject, cases, conformance
from tests.trials import some

LEAST = {
    "put": 12,
    "get": 10,
    "list": 16,
    "update": 6,
    "delete": 6,
    "prune": 10,
    "fork": 8,
    "diff": 8,
    "restore": 12,
    "verify": 8,
    "concurrency": 6,
}


def test_there_are_as_many_cases_as_promised() -> None:
    counted = Counter(case.capability for case in cases())
    assert counted.keys() == LEAST.keys()
    assert all(counted[capability] >= least for capability, least in LEAST.items())
    assert len({(case.capability, case.name) for case in cases()}) == len(cases())


class Forgetful(FileStore):
    """Loses what is unknown to it."""

    def get(self, checkpoint_id: str, /) -> AgentCheckpoint:
        tree = super().get(checkpoint_id).tree()
        return AgentCheckpoint.of_tree(
            {key: value for key, value in tree.items() if key in AgentCheckpoint.model_fields}
        )


class Overwriting(FileStore):
    """Gives an id to whatever comes last."""

    def put(self, checkpoint: AgentCheckpoint, **names: Any) -> Put:
        self.delete(checkpoint.id)
        return super().put(checkpoint, **names)


class Unsorted(FileStore):
    """Lists in an order of its own."""

    def headers(self, wanted: Filter = Filter(), /) -> Iterator[Header]:  # noqa: B008 - a frozen value
        return iter(sorted(super().headers(wanted), key=lambda header: header.id))


class Stuck(FileStore):
    """Begins each page anew."""

    def headers(self, wanted: Filter = Filter(), /) -> Iterator[Header]:  # noqa: B008 - a frozen value
        return super().headers(replace(wanted, cursor=None))


class Silent(FileStore):
    """Gives out another checkpoint for one that is not there."""

    def get(self, checkpoint_id: str, /) -> AgentCheckpoint:
        try:
            return super().get(checkpoint_id)
        except CheckpointNotFound:
            return super().get("ckpt_1")


class Careless(FileStore):
    """Says that everything is well."""

    def verify(self, *, repair: bool = False) -> Iterator[Any]:  # noqa: ARG002 - as in the protocol
        return iter(())


@pytest.mark.parametrize(
    ("store", "case"),
    [
        (Forgetful, "what_is_put_comes_back-unknown"),
        (Overwriting, "other_content_is_refused"),
        (Unsorted, "a_cursor_goes_on-newest"),
        (Stuck, "a_cursor_goes_on-oldest"),
        (Silent, "only_the_whole_id_finds_one-case"),
        (Careless, "harm_is_found_without_files-unreadable"),
    ],
)
def test_what_is_wrong_with_a_store_is_found(store: type[FileStore], case: str, tmp_path: Path) -> None:
    def tear(folder: Path, name: str) -> None:
        (folder / "kept" / f"{name}.json").write_bytes(b"{")

    held = by_name(case)
    held.run(Subject(lambda folder: FileStore(folder / "kept"), made(tmp_path / "good"), {"unreadable": tear}))
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        held.run(Subject(lambda folder: store(folder / "kept"), made(tmp_path / "bad"), {"unreadable": tear}))


def by_name(name: str) -> Case:
    return next(case for case in cases() if case.name == name)


def made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_a_case_names_what_a_store_lacks() -> None:
    assert by_name("a_fork_has_the_same_snapshot").lacks(frozenset({"put", "list"})) == {"get"}
    assert by_name("deleting_twice_does_nothing").lacks(frozenset({"put", "delete"})) == frozenset()
    assert by_name("others_are_not_touched").lacks(CAPABILITIES - {"verify"}) == {"verify"}


@pytest.mark.slow
def test_a_store_is_never_requested_to_do_what_it_cannot(tmp_path: Path) -> None:
    called: set[str] = set()

    def noting(capability: str, name: str) -> Callable[..., object]:
        def noted(*given: object, **named: object) -> object:
            called.add(capability)
            return getattr(FileStore, name)(*given, **named)

        return noted

    methods = {"verify": "verify", "update": "update_metadata", "delete": "delete", "list": "headers"}
    store = type("Noting", (FileStore,), {name: noting(capability, name) for capability, name in methods.items()})
    for number, case in enumerate(some([case for case in cases() if not case.damage], 3)):
        called.clear()
        case.run(Subject(lambda folder: store(folder / "kept"), made(tmp_path / f"{number}"), {}))
        assert called <= case.lacks(frozenset()), case.name


def test_another_kind_of_harm_is_refused() -> None:
    with pytest.raises(SettingsError, match='there is no kind of harm "change"; did you mean changed'):
        conformance(files, damages={"change": tear_file})


# --- Our own stores, held to the published suite.


def database(folder: Path) -> DatabaseStore:
    return DatabaseStore(f"sqlite:///{folder}/agents.db")


def files(folder: Path) -> FileStore:
    return FileStore(folder / "checkpoints")


def tear_file(folder: Path, name: str) -> None:
    file = folder / "checkpoints" / f"{name}.json"
    file.write_bytes(file.read_bytes()[:-20])


def in_database(statement: str, folder: Path, name: str) -> None:
    with sqlite3.connect(folder / "agents.db") as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(statement, (name,))
    connection.close()


ROWS = {
    "missing": "DELETE FROM saved_checkpoints WHERE id = ?",
    "changed": "UPDATE saved_checkpoints SET layout_json = replace(layout_json, 'version', 'versoin') WHERE id = ?",
    "unreadable": "UPDATE saved_checkpoints SET layout_json = '[]' WHERE id = ?",
}

test_files = conformance(files, damages={"unreadable": tear_file}, follows=False)
test_database = conformance(
    database, damages={kind: partial(in_database, statement) for kind, statement in ROWS.items()}
)
