"""Versions of agent checkpoints: what is read, what is refused, and how old ones become new ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from checkpoint_ld.agents import values
from checkpoint_ld.agents.values import MIGRATIONS, NEWEST, Migration, Tree, migrated, released
from checkpoint_ld.errors import ReadError, UnsupportedVersion
from tests.agents.documents import Json, checkpoint

PAGE = Path(__file__).parents[2] / "docs" / "agent-checkpoints.md"


def test_the_newest_version_stays_as_it_is_and_a_missing_one_is_refused() -> None:
    tree = checkpoint()
    assert migrated(tree) == tree
    assert tree.pop("version") == NEWEST == "0.0.1"
    with pytest.raises(UnsupportedVersion, match="states no version"):
        migrated(tree)


@pytest.mark.parametrize(
    ("version", "message", "remedy"),
    [
        (1, "the version is the number 1, not a text", '"0.0.1"'),
        (True, "the boolean true", '"0.0.1"'),
        (None, "is null", '"0.0.1"'),
        (["0.0.1"], "an array", '"0.0.1"'),
        ("0.0.1 ", 'the version "0.0.1 " has white space around it', 'write "0.0.1"'),
        ("9.0.0", 'version "9.0.0" is newer than "0.0.1", the newest that can be read', "upgrade checkpoint-ld"),
        ("0.0.10", "newer", "upgrade checkpoint-ld"),
        ("0.0.0", 'there is no way from version "0.0.0" to "0.0.1"', "these are read: 0.0.1"),
        ("0", "there is no way", "these are read"),
        ("latest", '"latest" is no version', '"0.0.1"'),
        ("", '"" is no version', '"0.0.1"'),
    ],
)
def test_each_version_that_cannot_be_read_is_refused_in_its_own_words(version: Json, message: str, remedy: str) -> None:
    with pytest.raises(UnsupportedVersion) as refused:
        migrated(checkpoint(version=version))
    (found,) = refused.value.findings
    assert message in found.message
    assert remedy in found.remedy
    assert (found.rule, found.place.pointer) == ("agent-version", "/version")
    assert isinstance(refused.value, ReadError)


def test_old_versions_go_step_by_step_to_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    def renamed(tree: Tree) -> Tree:
        return {("name" if key == "title" else key): value for key, value in tree.items()}

    def shouted(tree: Tree) -> Tree:
        return {**tree, "name": tree["name"].upper()}

    steps = [
        Migration("0.0.1", "0.1.0", "title becomes name", renamed),
        Migration("0.1.0", "0.2.0", "names are in capitals", shouted),
    ]
    monkeypatch.setattr(values, "MIGRATIONS", steps)
    monkeypatch.setattr(values, "NEWEST", "0.2.0")
    old = {"version": "0.0.1", "title": "one"}
    assert released() == ("0.0.1", "0.1.0", "0.2.0")
    assert migrated(old) == {"version": "0.2.0", "name": "ONE"}
    assert migrated({"version": "0.1.0", "name": "two"}) == {"version": "0.2.0", "name": "TWO"}
    assert old == {"version": "0.0.1", "title": "one"}


def test_the_steps_are_one_chain_to_the_newest_and_the_documentation_shows_them() -> None:
    ways = [*(step.old for step in MIGRATIONS), NEWEST]
    assert [step.new for step in MIGRATIONS] == ways[1:]
    assert ways[0] == "0.0.1"
    page = PAGE.read_text(encoding="utf-8")
    assert [
        one for one in (*(f"`{one}`" for one in released()), *(step.summary for step in MIGRATIONS)) if one not in page
    ] == []
