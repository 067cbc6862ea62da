"""A folder that cannot be read is named, and the exit status is that of a failure: nothing passes unseen."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import SettingsError, validate
from checkpoint_ld.errors import CheckpointLdError
from checkpoint_ld.stores.collection import Collection
from tests.cli.conftest import Run
from tests.documents import canonical, item


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a checkpoint, and another one in a subfolder."""
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(("in/a.jsonld", "in/locked/b.jsonld")):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        document = canonical(item(f"What {number}?", f"urn:uuid:question-{number}"))
        document["@id"] = f"urn:uuid:karenina-checkpoint-{number}"
        file.write_text(json.dumps(document), encoding="utf-8")
    return tmp_path


def lock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse to list `locked`, as the system does to all but the administrator."""
    listed = os.scandir

    def scandir(path: Any = ".") -> Any:
        if Path(path).name == "locked":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)


MESSAGE = "in/locked: cannot be read: permission denied; ask for permission to read it\n"
COMMANDS = {
    "validate": ("validate", "in", "--fail-on", "never"),
    "nothing else": ("validate", "in/locked"),
    "pattern": ("validate", "in/**/*.jsonld", "--fail-on", "never"),
    "shallow pattern": ("validate", "in/a*", "in/*/*.jsonld", "--fail-on", "never"),
    "query": ("query", "in", "--name", "questions"),
    "store add": ("store", "add", "collection", "in"),
    "store sync": ("store", "sync", "collection", "in"),
    "site": ("site", "in", "-o", "pages"),
    "push": ("push", "in", "--to", "http://127.0.0.1:9/sparql", "--profile", "generic", "--dry-run"),
    "bulk": ("bulk", "convert", "in", "-o", "out"),
    "fingerprint": ("fingerprint", "in"),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_that_cannot_be_read_is_named_and_the_command_fails(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    lock(monkeypatch)
    outcome = run(*COMMANDS[name])
    assert MESSAGE in outcome.err
    assert outcome.code == 2


@pytest.mark.usefixtures("folder")
def test_an_excluded_folder_need_not_be_readable(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".checkpoint-ld.toml").write_text('exclude = ["locked"]', encoding="utf-8")
    lock(monkeypatch)
    outcome = run("validate", "in", "--fail-on", "never")
    assert (outcome.code, "locked" in outcome.err) == (0, False)


@pytest.mark.usefixtures("folder")
def test_sync_keeps_what_it_cannot_see(monkeypatch: pytest.MonkeyPatch) -> None:
    with Collection.open("collection") as collection:
        assert len(collection.add("in").outcomes) == 2
        lock(monkeypatch)
        report = collection.sync("in", prune=True)
        assert report.unreadable == (MESSAGE.rstrip(),)
        assert len(collection) == 2


def test_shapes_that_are_half_the_disk_are_refused(tmp_path: Path) -> None:
    for number in range(10_001):
        (tmp_path / f"{number}.ttl").touch()
    with pytest.raises(SettingsError, match="more than 10,000 files and folders are in it: name the folder inside"):
        validate(b"{}", shapes=[str(tmp_path)])
    with pytest.raises(CheckpointLdError, match=r"^/"):
        validate(b"{}", shapes=["/"])


@pytest.mark.usefixtures("folder")
def test_pipes_among_shapes_are_not_waited_for(run: Run) -> None:
    Path("shapes").mkdir()
    os.mkfifo("shapes/pipe.ttl")
    outcome = run("validate", "in/a.jsonld", "--shapes", "shapes")
    assert (outcome.code, outcome.err) == (
        2,
        "there are no shapes in shapes: it holds no file with the extension .ttl\n",
    )
    outcome = run("validate", "in/a.jsonld", "--shapes", "shapes/pipe.ttl")
    assert outcome.code == 2
    assert "no such file or folder" in outcome.err
