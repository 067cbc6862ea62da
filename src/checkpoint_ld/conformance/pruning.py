"""Cases about pruning: what always stays, and that what goes is gone."""

from __future__ import annotations

import gzip
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from checkpoint_ld.checkpointing import Retention
from checkpoint_ld.conformance.documents import START, checkpoint, line
from checkpoint_ld.conformance.suite import variants
from checkpoint_ld.errors import CheckpointNotFound, SettingsError

if TYPE_CHECKING:
    from checkpoint_ld.conformance.subject import Subject

LAST = Retention(keep_last=1)
_BRANCH = {"checkpoint_id": "ckpt_2", "is_branch": True}


def only_the_newest_stay(subject: Subject) -> None:
    """So many of each execution stay, all others go and are found by nothing."""
    made = [*line(4), *line(3, execution="exec_2", prefix="other")]
    with subject.holding(*made).manager() as manager:
        pruned = manager.prune(Retention(keep_last=2))
        assert {header.id for header in manager.list()} == {"ckpt_3", "ckpt_4", "other_2", "other_3"}
        assert set(pruned.going) == {"ckpt_1", "ckpt_2", "other_1"}
        with pytest.raises(CheckpointNotFound):
            manager.get("ckpt_1")
        assert manager.verify() == ()


def a_dry_run_changes_nothing(subject: Subject) -> None:
    """It says what would go, and why each of the others stays."""
    with subject.holding(*line(3)).manager() as manager:
        planned = manager.prune(LAST, dry_run=True)
        assert set(planned.going) == {"ckpt_1", "ckpt_2"}
        assert all(one.reason for one in planned.decisions)
        assert len(manager.list()) == 3


@variants(
    named=({"name": "named"}, {}),
    final=({"metadata": {"checkpoint_reason": "execution_completed"}}, {}),
    failed=({"metadata": {"checkpoint_reason": "execution_failed"}}, {}),
    linked=({"about": {"question": "urn:q"}}, {}),
    reason=({"metadata": {"checkpoint_reason": "paused"}}, {"keep_reasons": frozenset({"paused"})}),
    id=({}, {"keep": frozenset({"ckpt_2"})}),
)
def what_is_protected_stays(subject: Subject, members: dict[str, Any], settings: dict[str, Any]) -> None:
    """A checkpoint that must not go stays, and only that one."""
    made = line(3)
    made[1] = checkpoint("ckpt_2", step=2, parent={"checkpoint_id": "ckpt_1"}, **members)
    with subject.holding(*made).manager() as manager:
        manager.prune(Retention(keep_last=1, **settings))
        assert {header.id for header in manager.list()} == {"ckpt_2", "ckpt_3"}


def the_parent_of_a_branch_stays(subject: Subject) -> None:
    """What another execution or a branch goes on from is not taken away from under it."""
    branch = checkpoint("branch", step=3, execution_id="exec_2", parent=_BRANCH)
    with subject.holding(*line(4), branch).manager() as manager:
        manager.prune(LAST)
        assert {header.id for header in manager.list()} == {"ckpt_2", "ckpt_4", "branch"}


def links_to_questions_can_be_given_up(subject: Subject) -> None:
    """Without the protection of linked ones, they go like others."""
    made = [checkpoint(f"ckpt_{step}", step=step, about={"question": "urn:q"}) for step in (1, 2, 3)]
    with subject.holding(*made).manager() as manager:
        manager.prune(Retention(keep_last=1, protect_linked=False))
        assert [header.id for header in manager.list()] == ["ckpt_3"]


def what_is_young_stays(subject: Subject) -> None:
    """An age may be given instead of a number; the newest of an execution stays in any case."""
    made = [checkpoint(f"ckpt_{step}", step=step, timestamp=START + step) for step in (1, 2)]
    with subject.holding(*made).manager() as manager:
        assert manager.prune(Retention(max_age=timedelta(days=365_000))).going == ()
        manager.prune(Retention(max_age=timedelta(0)))
        assert [header.id for header in manager.list()] == ["ckpt_2"]


def what_goes_can_be_archived_first(subject: Subject) -> None:
    """The archive has the text form of each, which can be taken in again."""
    made = line(3)
    with subject.holding(*made).manager() as manager:
        archive = subject.folder / "archive"
        manager.prune(LAST, archive=archive)
        texts = {gzip.decompress(file.read_bytes()) for file in archive.iterdir()}
        assert texts == {made[0].content(), made[1].content()}
        assert all(one.error is None for one in manager.import_(archive))
        assert all(manager.get(one.id).content() == one.content() for one in made)


def nothing_goes_unless_something_says_so(subject: Subject) -> None:
    """There is no number that is taken for granted."""
    with subject.holding(*line(2)).manager() as manager:
        with pytest.raises(SettingsError):
            manager.prune(Retention())
        assert len(manager.list()) == 2


CHECKS = (
    only_the_newest_stay,
    a_dry_run_changes_nothing,
    what_is_protected_stays,
    the_parent_of_a_branch_stays,
    links_to_questions_can_be_given_up,
    what_is_young_stays,
    what_goes_can_be_archived_first,
    nothing_goes_unless_something_says_so,
)
