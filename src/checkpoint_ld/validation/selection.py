"""Selection: the findings that count, by rules that are selected or ignored, everywhere or in certain files."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import takewhile
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.phrases import unknown
from checkpoint_ld.templates.template import code_hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from checkpoint_ld.findings import Finding, Severity
    from checkpoint_ld.rules import Rule
    from checkpoint_ld.validation.results import Checked

MAGIC = re.compile(r"[*?\[]")
"""The characters that make a path a pattern."""

_PARTS = re.compile(r"(?P<folders>\*\*/)|(?P<all>\*\*)|(?P<any>\*)|(?P<one>\?)|\[(?P<not>!?)(?P<set>\]?[^\]/]*)\]")


def matches(pattern: str, path: str) -> bool:
    """Return whether the relative `path` or a folder above it matches `pattern`.

    A pattern without a slash matches names at any depth, one with a slash the whole path.
    """
    pattern = pattern.removeprefix("./").rstrip("/")
    if "/" not in pattern:
        pattern = f"**/{pattern}"
    parents = (parent.as_posix() for parent in PurePath(path).parents)
    return any(_compiled(pattern).fullmatch(one) for one in (PurePath(path).as_posix(), *parents))


def base_of(pattern: str) -> str:
    """Return the folder that contains everything that matches `pattern`: its steps before the first wildcard."""
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


Codes = frozenset[str]


@dataclass(frozen=True)
class Selection:
    """The codes of the rules that count: those that are `selected` (None for all), without those that are `ignored`.

    `per_file` holds globs, relative to `folder`, and the codes that are ignored in matching files. `accepted` are the
    hashes of code that checkpoints may contain. `severities` are those of findings, by code, where they differ.
    """

    selected: Codes | None = None
    ignored: Codes = frozenset()
    per_file: tuple[tuple[str, Codes], ...] = ()
    folder: Path = field(default_factory=Path)
    accepted: frozenset[str] = frozenset()
    severities: Mapping[str, Severity] = field(default_factory=dict)

    def allows(self, code: str, source: str | None = None) -> bool:
        """Return whether findings of the rule `code` count in the file `source`."""
        if self.selected is not None and code not in self.selected:
            return False
        return code not in self.ignored_in(source)

    def ignored_in(self, source: str | None) -> Codes:
        """Return the codes that are ignored in the file `source`."""
        if source is None or not self.per_file:
            return self.ignored
        path = os.path.relpath(Path(source).absolute(), self.folder.absolute())
        return self.ignored.union(*(codes for glob, codes in self.per_file if matches(glob, path)))

    def applied(self, checked: Checked) -> Checked:
        """Return `checked` with the findings that count.

        A fault that prevents reading always counts unless it is ignored; otherwise the file would seem to be clean.
        """
        ignored = self.ignored_in(checked.source)
        selected = self.selected if checked.results is not None else None
        kept = [
            found
            for found in checked.findings
            if found.code not in ignored and (selected is None or found.code in selected) and not self._accepts(found)
        ]
        if self.severities:
            kept = [replace(found, severity=self.severities.get(found.code, found.severity)) for found in kept]
        return replace(checked, findings=tuple(kept))

    def _accepts(self, found: Finding) -> bool:
        """Return whether a finding is about accepted code; code that contains a secret has no value to compare."""
        if not self.accepted or found.condition != "W-CODE" or found.value is None:
            return False
        return code_hash(found.value) in self.accepted


def selection(
    rules: Mapping[str, Rule],
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    per_file: Mapping[str, Iterable[str]] | None = None,
    folder: Path | None = None,
) -> Selection:
    """Return the selection for names of `rules`, which are given by code.

    A name is a code (KQ003), the beginning of codes (KQ), a slug (question-text) or a condition (E-TEXT). Raises
    SettingsError for an unknown name.
    """
    return Selection(
        codes_of(select, rules) or None,  # all rules, where the texts hold no name
        codes_of(ignore, rules),
        tuple((glob, codes_of(names, rules)) for glob, names in (per_file or {}).items()),
        folder or Path(),
    )


def codes_of(names: Iterable[str], rules: Mapping[str, Rule]) -> Codes:
    """Return the codes of the `rules` that `names` mean; each text may hold several names with commas."""
    parts = (part.strip() for name in names for part in name.split(","))
    return frozenset(code for part in parts if part for code in _codes(part, rules))


def _codes(name: str, rules: Mapping[str, Rule]) -> list[str]:
    wanted = name.casefold()
    named = [rule.code for rule in rules.values() if wanted in {rule.slug.casefold(), rule.condition.casefold()}]
    found = named or [code for code in rules if code.casefold().startswith(wanted)]
    if not found:
        known = [one for rule in rules.values() for one in (rule.code, rule.slug, rule.condition) if one]
        raise SettingsError(unknown("rule", name, known, "`checkpoint-ld rules` lists all of them"))
    return found
