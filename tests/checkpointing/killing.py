"""Processes that are killed while they save, amend or clear away checkpoints, to be run as a program of its own.

It has no store open when it forks: each kill costs no start of Python. At the end it prints how many steps there are.
"""

import gc
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from checkpoint_ld import RuntimeState
from checkpoint_ld.checkpointing import CheckpointManager, Retention
from checkpoint_ld.documents.packed import Pack, PackedParts
from checkpoint_ld.stores import files
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.tables import PreparedStatement
from tests.forking import forked

CALLS = ("open", "write", "fsync", "link", "unlink", "replace", "rename", "close")
setattr(files, "_BATCH", 1)  # noqa: B010 - so that each save packs the one before it
STATEMENTS = ("before_cursor_execute", "after_cursor_execute", "commit", "rollback")


class Fuse:
    """Kills the process at the `last` step: before or after a call of the operating system, a statement, a COMMIT."""

    def __init__(self, last: int) -> None:
        self.left = last

    def step(self, *_: Any) -> None:
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)

    def arm(self) -> None:
        for name in CALLS:
            setattr(os, name, self._around(getattr(os, name)))
        for name in STATEMENTS:
            event.listen(Engine, name, self.step)
        for kind, name in (
            (Pack, "add"),
            (Pack, "remove"),
            (Pack, "_open"),
            (PackedParts, "layout"),
            (PackedParts, "_number"),
        ):
            setattr(kind, name, self._around(getattr(kind, name)))
        setattr(PreparedStatement, "on", self._around(PreparedStatement.on))  # noqa: B010 - statements that SQLAlchemy does not see

    def _around(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def stepped(*args: Any, **kwargs: Any) -> Any:
            self.step()
            result = call(*args, **kwargs)
            self.step()
            return result

        return stepped


def manager(folder: Path) -> CheckpointManager:
    """Return a manager of files, a database, and files of another folder in the place of a graph store."""
    return CheckpointManager(
        FileStore(folder / "files", whole=1), f"sqlite:///{folder}/c.db", FileStore(folder / "graph")
    )


def confirm(folder: Path, checkpoint_id: str, sha256: str) -> None:
    """Note that the agent was reported that a checkpoint is kept."""
    with (folder / "confirmed").open("a") as file:
        file.write(f"{checkpoint_id} {sha256}\n")


def confirmed(folder: Path) -> dict[str, str]:
    return dict(line.split() for line in (folder / "confirmed").read_text().splitlines())


def prepare(folder: Path) -> None:
    """Save two checkpoints."""
    folder.mkdir()
    state = RuntimeState("agent", "exec")
    with manager(folder) as keeper:
        for number in range(2):
            state.thought_chain.add("reasoning", f"thought {number}")
            state.tool_state.complete(state.tool_state.start("ls", {}).id, [number])
            saved = keeper.save(state)
            confirm(folder, saved.id, saved.sha256)


def resumed(keeper: CheckpointManager) -> RuntimeState:
    newest = keeper.latest("exec")
    assert newest is not None
    state = keeper.restore(newest.id, continue_execution=True).state
    state.thought_chain.add("reasoning", "one more")
    return state


def save(folder: Path, fuse: Fuse) -> None:
    with manager(folder) as keeper:
        state = resumed(keeper)
        fuse.arm()
        keeper.save(state)


def amend(folder: Path, fuse: Fuse) -> None:
    with manager(folder) as keeper:
        newest = keeper.latest("exec")
        assert newest is not None
        fuse.arm()
        keeper.update_metadata(newest.id, name="another name")


def prune(folder: Path, fuse: Fuse) -> None:
    with manager(folder) as keeper:
        fuse.arm()
        keeper.prune(Retention(keep_last=1), archive=folder / "archive")


def held(folder: Path) -> dict[str, set[str]]:
    """Return the hashes that each store has for each checkpoint."""
    found: dict[str, set[str]] = {}
    with manager(folder) as keeper:
        for store in keeper.store.stores.values():
            for header in store.headers():
                found.setdefault(header.id, set()).add(store.get(header.id).sha256)
    return found


def check(folder: Path, *, amended: bool = False, pruned: bool = False) -> None:
    """Look at what a killed process left: wholly there or wholly absent, and put right by repairing."""
    with manager(folder) as keeper:
        assert keeper.files is not None
        files = {header.id: keeper.files.get(header.id).sha256 for header in keeper.files.headers()}
        before = confirmed(folder)
        if pruned:
            archived = {path.name.removesuffix(".json.gz") for path in (folder / "archive").glob("*.json.gz")}
            assert set(before) <= set(files) | archived, "a checkpoint is gone that was not archived"
        else:
            assert set(before) <= set(files), "a checkpoint is lost that the agent knows of"
        for one in set(before) & set(files):
            assert amended or files[one] == before[one], "a checkpoint is not what it was"
        for store in keeper.store.followers.values():
            assert {header.id for header in store.headers()} <= set(files), "a row has no file"
        keeper.verify(repair=True)
        assert keeper.verify() == (), keeper.verify()
        assert keeper.save(resumed(keeper)).created
        assert keeper.verify() == (), keeper.verify()
    assert all(len(hashes) == 1 for hashes in held(folder).values()), "stores disagree"


def killed_everywhere(base: Path, work: Callable[[Path, Fuse], None], every: int, **expected: bool) -> int:
    """Kill `work` at its first step, so many further on, and so on, on fresh copies; return how many there are."""
    kills = 0
    while True:
        folder = base.with_name(f"{work.__name__}{kills}")
        shutil.copytree(base, folder)
        ended = forked(lambda: work(folder, Fuse(kills + 1)))  # noqa: B023 - it is called at once
        if ended == 0:
            return kills
        assert ended == -signal.SIGKILL, ended
        assert forked(lambda: check(folder, **expected)) == 0, f"{work.__name__}, step {kills + 1}"  # noqa: B023 - as above
        shutil.rmtree(folder)
        kills += every


def main(folder: Path, kind: str, number: int) -> None:
    base = folder / "base"
    prepare(base)
    shutil.copytree(base, folder / "warm")
    check(folder / "warm")  # here, so that all that is imported at need is there in every process that is forked
    gc.freeze()  # or the collector of each process copies what it shares with this one
    match kind:
        case "save":
            shown = killed_everywhere(base, save, number)
        case "amend":
            shown = killed_everywhere(base, amend, number, amended=True)
        case _:
            shown = killed_everywhere(base, prune, number, pruned=True)
    print(shown)  # noqa: T201 - what the test reads


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
