"""Globs: patterns of paths, in which `**` stands for any number of folders, as in .gitignore and pathlib."""

from __future__ import annotations

import re
from functools import cache
from itertools import takewhile
from pathlib import PurePath

MAGIC = re.compile(r"[*?\[]")
"""What makes a path a pattern."""

_PARTS = re.compile(r"(?P<folders>\*\*/)|(?P<all>\*\*)|(?P<any>\*)|(?P<one>\?)|\[(?P<not>!?)(?P<set>\]?[^\]/]*)\]")


def matches(pattern: str, path: str) -> bool:
    """Return whether the relative `path` or a folder above it matches `pattern`.

    A pattern without a slash is about names at any depth, one with a slash about the whole path.
    """
    pattern = pattern.removeprefix("./").rstrip("/")
    if "/" not in pattern:
        pattern = f"**/{pattern}"
    parents = (parent.as_posix() for parent in PurePath(path).parents)
    return any(_compiled(pattern).fullmatch(one) for one in (PurePath(path).as_posix(), *parents))


def base_of(pattern: str) -> str:
    """Return the folder that everything which matches `pattern` is in: its steps before the first wildcard."""
    steps = takewhile(lambda step: not MAGIC.search(step), PurePath(pattern).parts)
    return str(PurePath(*steps))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    parts, at = [], 0
    for found in _PARTS.finditer(pattern):
        parts += [re.escape(pattern[at : found.start()]), _expression(found)]
        at = found.end()
    return re.compile("".join((*parts, re.escape(pattern[at:]))), re.DOTALL)


def _expression(found: re.Match[str]) -> str:
    if found["folders"]:
        return "(?:.*/)?"
    if found["all"]:
        return ".*"
    if found["any"]:
        return "[^/]*"
    if found["one"]:
        return "[^/]"
    members = re.sub(r"([\\\[\]^&~|])", r"\\\1", found["set"])
    return f"[{'^' if found['not'] else ''}{members}]" if members else re.escape(found[0])
