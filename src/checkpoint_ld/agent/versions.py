"""The versions of agent checkpoints: which can be read, and the steps that lead from each to the newest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.errors import UnsupportedVersion
from checkpoint_ld.phrases import shown
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from checkpoint_ld.agent.text import Tree

NEWEST: Final = "0.0.1"
"""The version that is written."""

_NUMBERS = re.compile(r"\d{1,9}(?:\.\d{1,9})*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from a version to the next.

    `migrate` takes a canonical tree and returns a new one; it changes nothing and looks at nothing else. `summary` says
    in one line what is different.
    """

    old: str
    new: str
    summary: str
    migrate: Callable[[Tree], Tree]


MIGRATIONS: Final[list[Migration]] = []
"""The steps between released versions, in order. Every version that was ever released has a way to the newest."""


def released() -> tuple[str, ...]:
    """Return the versions that can be read, the oldest first."""
    return (*(step.old for step in MIGRATIONS), NEWEST)


def migrated(tree: Tree) -> Tree:
    """Return the same checkpoint in the newest version; `tree` is not changed.

    Raises UnsupportedVersion, each time saying why, for a version that is missing, no text, newer than this package,
    or one that was never released.
    """
    version = checked_version(tree)
    for step in MIGRATIONS[released().index(version) :]:
        tree = {**step.migrate(tree), "version": step.new}
    return tree


def checked_version(tree: dict[str, Any]) -> str:
    """Return the version that a checkpoint states, which is a released one. Raises UnsupportedVersion as `migrated`."""
    version = tree.get("version")
    if isinstance(version, str) and version in released():
        return version
    message, remedy = _refusal("version" in tree, version)
    raise UnsupportedVersion.of([finding("agent-version", message, pointer="/version", remedy=remedy)])


def _refusal(is_given: bool, version: Any) -> tuple[str, str]:
    usual = f"write the version that the file was made with, such as {shown(NEWEST)}"
    if not is_given:
        return "the checkpoint states no version", usual
    if not isinstance(version, str):
        return f"the version is {_told(version)}, not a text", usual
    if version.strip() in released():
        return f"the version {shown(version)} has white space around it", f"write {shown(version.strip())}"
    if _NUMBERS.fullmatch(version) and _numbers(version) > _numbers(NEWEST):
        return f"version {shown(version)} is newer than {shown(NEWEST)}, the newest that can be read", (
            "upgrade checkpoint-ld"
        )
    if _NUMBERS.fullmatch(version):
        return f"there is no way from version {shown(version)} to {shown(NEWEST)}", (
            f"write it anew with a program that knows it; these are read: {', '.join(released())}"
        )
    return f"{shown(version)} is no version of the format; these are read: {', '.join(released())}", usual


def _told(version: Any) -> str:
    if version is None:
        return "null"
    if isinstance(version, (bool, int, float)):
        return f"the {'boolean' if isinstance(version, bool) else 'number'} {str(version).lower()}"
    return "an array" if isinstance(version, list) else "an object"


def _numbers(version: str) -> list[int]:
    numbers = [int(part) for part in version.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return numbers
