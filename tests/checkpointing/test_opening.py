"""What a manager takes as its stores, and what it refuses at once."""

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import Collection, RuntimeState, SettingsError, WrongTypeError
from checkpoint_ld.checkpointing import CheckpointManager
from checkpoint_ld.errors import IntegrityError
from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.files import FileStore


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("text", encoding="utf-8")
    return tmp_path


def test_nothing_given_is_the_usual_folder(here: Path) -> None:
    with CheckpointManager() as manager:
        saved = manager.save(RuntimeState("agent"))
    assert saved.path == Path("checkpoints") / f"{saved.id}.json"
    assert (here / "checkpoints" / f"{saved.id}.json").is_file()


def test_a_database_has_the_files_beside_it_unless_there_shall_be_none(here: Path) -> None:
    with CheckpointManager(database="agents.db") as manager:
        saved = manager.save(RuntimeState("agent"))
    assert (here / "checkpoints" / f"{saved.id}.json").is_file()
    with CheckpointManager(files=None, database="agents.db") as manager:
        assert manager.get(saved.id) == saved.checkpoint
        alone = manager.save(RuntimeState("agent"))
    assert [path.stem for path in (here / "checkpoints").glob("*.json")] == [saved.id]
    assert alone.path is None
    with pytest.raises(SettingsError, match="there is no store: give files, database or graph"):
        CheckpointManager(None)


@pytest.mark.parametrize(
    ("database", "graph"),
    [("sqlite:///agents.db", "graphs"), ("agents.db", Path("graphs")), (Path("agents.db"), "./graphs")],
)
def test_texts_and_paths_name_all_stores(database: str | Path, graph: str | Path) -> None:
    with CheckpointManager("files", database, graph) as manager:
        saved = manager.save(RuntimeState("agent"))
        assert manager.verify() == ()
        assert [store.get(saved.id) for store in manager.store.stores.values()] == [saved.checkpoint] * 3
    assert sorted(map(str, Path().iterdir())) == ["agents.db", "file", "files", "folder", "graphs"]
    with Collection.open("graphs") as collection, CheckpointManager(None, graph=collection) as manager:
        assert manager.get(saved.id) == saved.checkpoint
        assert manager.save(RuntimeState("agent")).created
        assert len(collection) == 2


@pytest.mark.parametrize("kind", ["files", "database", "graph"])
@pytest.mark.parametrize("given", [5, 1.5, True, b"folder", ["folder"], {}, object(), FileStore, DatabaseStore])
def test_what_is_no_store_is_refused_at_once(kind: str, given: Any) -> None:
    with pytest.raises(WrongTypeError, match=rf"{kind} is .*of type {type(given).__name__}\b.*: give "):
        CheckpointManager(**{kind: given})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"files": "file"}, "file is a file, not a folder"),
        ({"graph": "file"}, "file is a file, not a folder"),
        ({"database": "folder"}, "folder is a folder, not a file"),
        ({"database": "sqlite:///folder"}, "folder is a folder, not a file"),
        ({"files": ""}, '"" is no path of a folder'),
        ({"graph": "a\0b"}, "is no path of a folder"),
        ({"database": ""}, '"" is no path of a file'),
        ({"files": "a" * 5000}, 'a…" is no path of a folder'),
        ({"graph": "\ud800"}, "is no path of a folder"),
        ({"files": "sqlite:///agents.db"}, "a URL of this kind is no path of a folder"),
        ({"files": "https://me:secret@example.org/"}, "^a URL of this kind is no path of a folder: give a path$"),
        ({"graph": "sqlite:///agents.db"}, "a URL of this kind is no path of a folder"),
        ({"database": "postgresql://example.org/agents"}, "cannot be used yet: write sqlite:///PATH"),
    ],
)
def test_a_place_that_cannot_be_that_of_the_store_is_refused_at_once(given: dict[str, str], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        CheckpointManager(**given)  # type: ignore[arg-type] # a table of cases
    assert sorted(map(str, Path().iterdir())) == ["file", "folder"]


def test_a_small_file_that_is_no_database_is_left_alone(here: Path) -> None:
    with CheckpointManager(None, "file") as manager, pytest.raises(IntegrityError, match="is no database"):
        manager.save(RuntimeState("agent"))
    assert (here / "file").read_text(encoding="utf-8") == "text"


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
@pytest.mark.parametrize("opened", [lambda: RuntimeState("agent"), lambda: CheckpointManager("folder")])
def test_states_and_managers_state_what_to_do_instead_of_copying_them(copied: Any, opened: Any) -> None:
    with pytest.raises(WrongTypeError, match=r"pass its snapshot|open one there"):
        copied(opened())
