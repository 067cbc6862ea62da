"""Cases about the operations of a manager with a store: prune, fork, compare, restore, and verify."""

from __future__ import annotations

import gzip
import json
from contextlib import suppress
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.json_patch import applied
from checkpoint_ld.agents.state import RuntimeState
from checkpoint_ld.checkpointing import CheckpointManager, Retention
from checkpoint_ld.documents.values import same
from checkpoint_ld.errors import (
    CheckpointLdError,
    CheckpointNotFound,
    InvalidCheckpoint,
    SettingsError,
    UnsupportedVersion,
)
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.protocol import RESET, Filter
from tests.conformance.suite import Subject, harm, variants
from tests.conformance.suite.documents import DOCUMENTS, HOSTILE_IDS, START, call, checkpoint, line, thought, tree

if TYPE_CHECKING:
    from checkpoint_ld.agents.values import Shape


LAST = Retention(keep_last=1)
_BRANCH = {"checkpoint_id": "ckpt_2", "is_branch": True}


class Prune(Subject):
    """Old checkpoints go."""

    def only_the_newest_stay(self) -> None:
        made = [*line(4), *line(3, execution="exec_2", prefix="other")]
        with self.holding(*made).manager() as manager:
            pruned = manager.prune(Retention(keep_last=2))
            assert {header.id for header in manager.list()} == {"ckpt_3", "ckpt_4", "other_2", "other_3"}
            assert set(pruned.going) == {"ckpt_1", "ckpt_2", "other_1"}
            with pytest.raises(CheckpointNotFound):
                manager.get("ckpt_1")
            assert manager.verify() == ()

    def a_dry_run_changes_nothing(self) -> None:
        with self.holding(*line(3)).manager() as manager:
            planned = manager.prune(LAST, dry_run=True)
            assert set(planned.going) == {"ckpt_1", "ckpt_2"}
            assert all(decision.reason for decision in planned.decisions)
            assert len(manager.list()) == 3

    @variants(
        named=({"name": "named"}, {}),
        final=({"metadata": {"checkpoint_reason": "execution_completed"}}, {}),
        failed=({"metadata": {"checkpoint_reason": "execution_failed"}}, {}),
        linked=({"about": {"question": "urn:q"}}, {}),
        reason=({"metadata": {"checkpoint_reason": "paused"}}, {"keep_reasons": frozenset({"paused"})}),
        id=({}, {"keep": frozenset({"ckpt_2"})}),
    )
    def what_is_protected_stays(self, members: dict[str, Any], settings: dict[str, Any]) -> None:
        made = line(3)
        made[1] = checkpoint("ckpt_2", step=2, parent={"checkpoint_id": "ckpt_1"}, **members)
        with self.holding(*made).manager() as manager:
            manager.prune(Retention(keep_last=1, **settings))
            assert {header.id for header in manager.list()} == {"ckpt_2", "ckpt_3"}

    def the_parent_of_a_branch_stays(self) -> None:
        branch = checkpoint("branch", step=3, execution_id="exec_2", parent=_BRANCH)
        with self.holding(*line(4), branch).manager() as manager:
            manager.prune(LAST)
            assert {header.id for header in manager.list()} == {"ckpt_2", "ckpt_4", "branch"}

    def links_to_questions_can_be_given_up(self) -> None:
        made = [checkpoint(f"ckpt_{step}", step=step, about={"question": "urn:q"}) for step in (1, 2, 3)]
        with self.holding(*made).manager() as manager:
            manager.prune(Retention(keep_last=1, protect_linked=False))
            assert [header.id for header in manager.list()] == ["ckpt_3"]

    def what_is_young_stays(self) -> None:
        made = [checkpoint(f"ckpt_{step}", step=step, timestamp=START + step) for step in (1, 2)]
        with self.holding(*made).manager() as manager:
            assert manager.prune(Retention(max_age=timedelta(days=365_000))).going == ()
            manager.prune(Retention(max_age=timedelta(0)))
            assert [header.id for header in manager.list()] == ["ckpt_2"]

    def what_goes_can_be_archived_first(self) -> None:
        made = line(3)
        with self.holding(*made).manager() as manager:
            archive = self.folder / "archive"
            manager.prune(LAST, archive=archive)
            texts = {gzip.decompress(file.read_bytes()) for file in archive.iterdir()}
            assert texts == {made[0].content(), made[1].content()}
            assert all(result.error is None for result in manager.import_(archive))
            assert all(manager.get(one.id).content() == one.content() for one in made)

    def nothing_goes_unless_something_says_so(self) -> None:
        with self.holding(*line(2)).manager() as manager:
            with pytest.raises(SettingsError):
                manager.prune(Retention())
            assert len(manager.list()) == 2


class Fork(Subject):
    """Checkpoints branch."""

    def the_origin_stays_as_it_is(self) -> None:
        made = line(3)
        with self.holding(*made).manager() as manager:
            manager.fork("ckpt_2")
            assert all(manager.get(one.id).content() == one.content() for one in made)

    def a_fork_has_the_same_snapshot(self) -> None:
        given = AgentCheckpoint.of_tree(DOCUMENTS["everything"])
        with self.holding(given).manager() as manager:
            forked = manager.get(manager.fork(given.id).id)
            assert forked.snapshot == given.snapshot
            assert forked.about == given.about

    def a_fork_names_where_it_comes_from(self) -> None:
        with self.holding(*line(2)).manager() as manager:
            forked = manager.get(manager.fork("ckpt_1", "exec_9", "to try", "a name").id)
        assert forked.parent is not None
        assert forked.parent.tree() == {"checkpoint_id": "ckpt_1", "is_branch": True, "branch_reason": "to try"}
        assert forked.metadata.checkpoint_reason == "branch"
        assert (forked.execution_id, forked.name) == ("exec_9", "a name")
        assert forked.id not in ("ckpt_1", "ckpt_2")

    def a_fork_begins_an_execution_of_its_own(self) -> None:
        with self.holding(checkpoint()).manager() as manager:
            forks = [manager.fork("ckpt_1").checkpoint for _ in range(3)]
            assert len({fork.execution_id for fork in forks} | {"exec_1"}) == 4
            assert all(manager.latest(fork.execution_id) is not None for fork in forks)

    def forks_are_found_by_what_they_branch_off(self) -> None:
        with self.holding(*line(3)).manager() as manager:
            forks = {manager.fork("ckpt_1").id for _ in range(2)}
            found = {header.id for header in manager.store.headers(Filter(branch_of="ckpt_1"))}
            assert found == forks

    def a_fork_can_be_forked(self) -> None:
        with self.holding(checkpoint()).manager() as manager:
            first = manager.fork("ckpt_1")
            second = manager.get(manager.fork(first.id).id)
            assert second.parent is not None
            assert second.parent.checkpoint_id == first.id
            assert second.snapshot == manager.get("ckpt_1").snapshot
            assert manager.verify() == ()

    def a_fork_goes_on_by_itself(self) -> None:
        with self.holding(*line(2)).manager() as manager:
            forked = manager.fork("ckpt_2")
            restored = manager.restore(forked.id, continue_execution=True)
            restored.state.thought_chain.add("decision", "another way")
            saved = manager.save(restored.state)
            assert saved.checkpoint.execution_id == forked.checkpoint.execution_id
            assert [header.id for header in manager.list(execution_id="exec_1")] == ["ckpt_2", "ckpt_1"]

    def what_is_not_there_cannot_be_forked(self) -> None:
        with self.open() as store:
            assert list(store.headers()) == []
        with self.manager() as manager:
            with pytest.raises(CheckpointNotFound):
                manager.fork("ckpt_1")
            assert manager.list() == []


_BEFORE: dict[str, Any] = {
    "thoughts": [thought(0, confidence=0.9), thought(1)],
    "calls": [call(0), call(1, success=None, completed_at=None)],
    "variables": {"task": "read", "gone": None, "a/b~c": [1]},
}
_AFTER: dict[str, Any] = {
    "thoughts": [thought(0, confidence=0.5), thought(2)],
    "calls": [call(0), call(1), call(2)],
    "variables": {"task": "write", "a/b~c": [1, 2], "new": None},
    "results": {"call_1": None},
}


class Diff(Subject):
    """Two checkpoints are compared."""

    def a_step_is_described(self) -> None:
        before, after = checkpoint("one", **_BEFORE), checkpoint("two", step=2, **_AFTER)
        with self.holding(before, after).manager() as manager:
            difference = manager.diff("one", "two").to_dict()
        assert [one["id"] for one in difference["thoughts_added"]] == ["thought_2"]
        assert [one["id"] for one in difference["thoughts_removed"]] == ["thought_1"]
        assert difference["thoughts_changed"] == {"thought_0": {"/confidence": {"before": 0.9, "after": 0.5}}}
        assert [one["id"] for one in difference["tool_calls_added"]] == ["call_2"]
        assert set(difference["tool_calls_changed"]) == {"call_1"}
        assert difference["results_changed"] == {"/snapshot/tool_state/results/call_1": {"after": None}}
        assert difference["context_changes"] == {
            "/snapshot/context/variables/task": {"before": "read", "after": "write"},
            "/snapshot/context/variables/gone": {"before": None},
            "/snapshot/context/variables/a~1b~0c/1": {"after": 2},
            "/snapshot/context/variables/new": {"after": None},
        }
        assert (difference["steps"], difference["tokens"], difference["elapsed_ms"]) == (1, 10, 1000)

    def patches_apply(self) -> None:
        made = [AgentCheckpoint.of_tree(tree) for name, tree in DOCUMENTS.items() if name != "long"]
        with self.holding(*made).manager() as manager:
            for before, after in pairwise([*made, made[0]]):
                patch = manager.diff(before.id, after.id).to_json_patch()
                assert same(applied(before.tree(), patch), after.tree()), (before.id, after.id)

    def guarded_patches_apply_to_their_document_only(self) -> None:
        before, after, other = checkpoint("one", **_BEFORE), checkpoint("two", **_AFTER), checkpoint("three", **_BEFORE)
        with self.holding(before, after, other).manager() as manager:
            patch = manager.diff("one", "two").to_json_patch(tests=True)
            assert same(applied(before.tree(), patch), after.tree())
            with pytest.raises(ValueError, match="test"):
                applied(manager.get("three").tree(), patch)

    def one_is_not_different_from_itself(self) -> None:
        with self.holding(*line(2)).manager() as manager:
            diff = manager.diff("ckpt_2", "ckpt_2")
            assert diff.is_empty
            assert diff.to_json_patch() == []

    def both_directions_are_described(self) -> None:
        with self.holding(checkpoint("one", **_BEFORE), checkpoint("two", step=2, **_AFTER)).manager() as manager:
            there, back = manager.diff("one", "two"), manager.diff("two", "one")
            assert there.thoughts_added == back.thoughts_removed
            assert there.tool_calls_added == back.tool_calls_removed
            assert there.steps == -back.steps

    def a_change_of_order_is_described(self) -> None:
        thoughts = [thought(number) for number in range(4)]
        before = checkpoint("one", thoughts=thoughts)
        after = checkpoint("two", thoughts=[thoughts[3], *thoughts[:3]])
        with self.holding(before, after).manager() as manager:
            assert manager.diff("one", "two").thoughts_moved == ("thought_3",)

    def two_executions_are_compared_on_request(self) -> None:
        other = checkpoint("other", execution_id="exec_2")
        branch = checkpoint("branch", execution_id="exec_3", parent={"checkpoint_id": "ckpt_1", "is_branch": True})
        with self.holding(*line(1), other, branch).manager() as manager:
            with pytest.raises(SettingsError):
                manager.diff("ckpt_1", "other")
            assert not manager.diff("ckpt_1", "other", allow_other_execution=True).same_execution
            assert not manager.diff("ckpt_1", "branch").same_execution

    def what_is_not_there_cannot_be_compared(self) -> None:
        with self.holding(*line(1)).manager() as manager, pytest.raises(CheckpointNotFound):
            manager.diff("ckpt_1", "ckpt_9")


class Restore(Subject):
    """A state comes back."""

    @variants(**{name: (name,) for name in DOCUMENTS if name != "long"})
    def all_of_the_state_comes_back(self, name: str) -> None:
        given = AgentCheckpoint.of_tree(DOCUMENTS[name])
        with self.holding(given).manager() as manager:
            state = manager.restore(given.id).state
        snapshot, expected = state.snapshot(), given.snapshot
        assert snapshot.thought_chain == expected.thought_chain
        assert snapshot.context == expected.context
        assert snapshot.tool_state == expected.tool_state
        assert snapshot.progress.step_number == given.metadata.step_number

    def what_was_saved_is_restored(self) -> None:
        state = RuntimeState("agent_1")
        state.thought_chain.add("reasoning", "first", confidence=0.5)
        done = state.tool_state.start("ls", {"path": "."})
        state.tool_state.complete(done.id, ["a", None])
        state.context.variables["known"] = {"a": [1, 1.0, None]}
        with self.manager() as manager:
            saved = manager.save(state)
        with self.manager() as manager:
            restored = manager.restore(saved.id)
        assert restored.state.snapshot().tree()["context"] == state.snapshot().tree()["context"]
        assert restored.state.snapshot().tool_state == state.snapshot().tool_state
        assert restored.interrupted == ()

    def calls_in_flight_come_back_as_they_were(self) -> None:
        running = call(1, success=None, completed_at=None, status="running")
        with self.holding(checkpoint(calls=[call(0), running])).manager() as manager:
            restored = manager.restore("ckpt_1")
        assert [one.id for one in restored.interrupted] == ["call_1"]
        assert [one.id for one in restored.state.tool_state.in_flight] == ["call_1"]
        restored.state.tool_state.fail("call_1", "interrupted")
        assert restored.state.tool_state.in_flight == ()

    def a_restored_run_is_another_execution(self) -> None:
        with self.holding(*line(2)).manager() as manager:
            restored = manager.restore("ckpt_2")
            assert restored.state.execution_id != "exec_1"
            saved = manager.save(restored.state).checkpoint
            assert saved.parent is not None
            assert saved.parent.checkpoint_id == "ckpt_2"
            assert manager.restore("ckpt_2", continue_execution=True).state.execution_id == "exec_1"

    def going_on_from_an_older_one_is_a_branch(self) -> None:
        with self.holding(*line(3)).manager() as manager:
            newest = manager.save(manager.restore("ckpt_3").state).checkpoint
            older = manager.save(manager.restore("ckpt_1").state).checkpoint
        assert newest.parent is not None
        assert older.parent is not None
        assert not newest.parent.is_branch
        assert older.parent.is_branch

    def counters_go_on(self) -> None:
        given = checkpoint(step=7, timestamp=START + 10_000_000_000_000)
        with self.holding(given).manager() as manager:
            state = manager.restore("ckpt_1").state
            state.thought_chain.add("reasoning", "next")
            state.progress.add_tokens(5)
            saved = manager.save(state).checkpoint
        assert saved.metadata.step_number == 8
        assert saved.metadata.tokens_used == given.metadata.tokens_used + 5
        assert saved.timestamp >= given.timestamp

    @variants(canonical=("canonical",), second=("second",))
    def a_file_is_taken_in_and_restored(self, shape: Shape) -> None:
        given = AgentCheckpoint.of_tree(DOCUMENTS["everything"])
        file = self.folder / "given.json"
        file.write_bytes(given.content(shape))
        with self.manager() as manager:
            restored = manager.restore(file)
            assert manager.get(given.id).content() == given.content()
        assert restored.state.snapshot().thought_chain == given.snapshot.thought_chain

    @variants(newer=("9.0.0",), number=(1,), blank=("0.0.1 ",))
    def a_version_that_cannot_be_read_stops(self, version: object) -> None:
        file = self.folder / "given.json"
        file.write_text(json.dumps({**tree(), "version": version}), encoding="utf-8")
        with self.manager() as manager:
            with pytest.raises(UnsupportedVersion):
                manager.restore(file)
            assert manager.list() == []

    def what_breaks_a_rule_is_not_restored(self) -> None:
        file = self.folder / "given.json"
        file.write_text(json.dumps(tree(metadata={"tokens_used": -1})), encoding="utf-8")
        with self.manager() as manager:
            with pytest.raises(InvalidCheckpoint, match="tokens_used"):
                manager.restore(file)
            assert manager.list() == []

    def what_is_not_there_is_not_restored(self) -> None:
        self.holding(checkpoint("ckpt_1"))
        with self.manager() as manager, pytest.raises(CheckpointNotFound, match="ckpt_1"):
            manager.restore("ckpt_2")

    def a_run_that_broke_off_goes_on(self) -> None:
        with self.manager() as manager:
            state = RuntimeState("agent_1", "exec_1")
            for number in range(3):
                state.thought_chain.add("reasoning", f"thought {number}")
                manager.save(state)
            state.thought_chain.add("reasoning", "lost")
        with self.manager() as manager:
            newest = manager.latest("exec_1")
            assert newest is not None
            restored = manager.restore(newest.id, continue_execution=True)
            contents = [one.content for one in restored.state.thought_chain]
            assert contents == ["thought 0", "thought 1", "thought 2"]
            saved = manager.save(restored.state).checkpoint
            assert saved.parent is not None
            assert (saved.parent.checkpoint_id, saved.execution_id) == (newest.id, "exec_1")


class Verify(Subject):
    """Verification finds damage."""

    def an_empty_store_is_sound(self) -> None:
        with self.open() as store:
            assert list(store.verify()) == []

    def whatever_was_put_is_sound(self) -> None:
        made = [AgentCheckpoint.of_tree(tree) for name, tree in DOCUMENTS.items() if name != "long"]
        with self.holding(*made, *map(checkpoint, HOSTILE_IDS)).open() as store:
            assert list(store.verify()) == []

    def changed_and_deleted_ones_leave_it_sound(self) -> None:
        with self.holding(*line(4)).open() as store:
            store.update_metadata("ckpt_2", name="new")
            store.delete("ckpt_3")
            assert list(store.verify()) == []

    def looking_changes_nothing(self) -> None:
        made = line(3)
        with self.holding(*made).open() as store:
            assert list(store.verify(repair=True)) == []
            assert all(store.get(one.id).content() == one.content() for one in made)

    @harm("missing", "changed", "unreadable", needs=RESET)
    def harm_is_found_and_put_right_from_the_files(self, kind: str) -> None:
        made = line(3)
        files = FileStore(self.folder / "files")
        for each in made:
            files.put(each)
        self.holding(*made).harm(kind, "ckpt_2")
        with self.open() as store, CheckpointManager(self.folder / "files", store) as manager:
            assert manager.verify() != ()
            manager.verify(repair=True)
            assert manager.verify() == ()
            assert all(store.get(one.id).content() == one.content() for one in made)
            assert len(list(store.headers())) == len(made)

    @harm("changed", "unreadable")
    def harm_is_found_without_files(self, kind: str) -> None:
        made = line(2)
        self.holding(*made).harm(kind, "ckpt_1")
        with self.open() as store:
            assert list(store.verify()) != []
            found = None
            with suppress(CheckpointLdError):
                found = store.get("ckpt_1").content()
            assert found in (None, made[0].content())

    def what_no_file_has_is_reported(self) -> None:
        made = line(2)
        FileStore(self.folder / "files").put(made[0])
        with self.holding(*made).open() as store, CheckpointManager(self.folder / "files", store) as manager:
            assert [finding.rule for finding in manager.verify()] == ["agent-row-orphan"]
            manager.verify(repair=True)
            assert manager.verify() == ()
            assert [header.id for header in store.headers()] == ["ckpt_1"]
            assert not store.delete("ckpt_2")
