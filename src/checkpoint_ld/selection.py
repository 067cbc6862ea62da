"""Selection: which findings count, by rules that are selected or ignored, everywhere or in certain files."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from checkpoint_ld import globs
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.phrases import unknown
from checkpoint_ld.templates.source_text import code_hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.report import Checked
    from checkpoint_ld.rules import Rule

Codes = frozenset[str]


@dataclass(frozen=True)
class Selection:
    """Codes of rules: those that are `selected` (None for all) without those that are `ignored`.

    `per_file` holds globs, relative to `folder`, and the codes that are ignored in the files that match. `accepted` are
    the hashes of code that may stand in checkpoints.
    """

    selected: Codes | None = None
    ignored: Codes = frozenset()
    per_file: tuple[tuple[str, Codes], ...] = ()
    folder: Path = field(default_factory=Path)
    accepted: frozenset[str] = frozenset()

    def allows(self, code: str, source: str | None = None) -> bool:
        """Tell whether findings of the rule `code` count in the file `source`."""
        if self.selected is not None and code not in self.selected:
            return False
        return code not in self.ignored_in(source)

    def ignored_in(self, source: str | None) -> Codes:
        """Return the codes that are ignored in the file `source`."""
        if source is None or not self.per_file:
            return self.ignored
        path = os.path.relpath(Path(source).absolute(), self.folder.absolute())
        return self.ignored.union(*(codes for glob, codes in self.per_file if globs.matches(glob, path)))

    def applied(self, checked: Checked) -> Checked:
        """Return `checked` with the findings that count.

        What keeps a file from being read counts whatever is selected, or the file would seem to be clean; it can
        still be ignored.
        """
        ignored = self.ignored_in(checked.source)
        selected = self.selected if checked.results is not None else None
        kept = [
            found
            for found in checked.findings
            if found.code not in ignored and (selected is None or found.code in selected) and not self._accepts(found)
        ]
        return replace(checked, findings=tuple(kept))

    def _accepts(self, found: Finding) -> bool:
        """Tell whether a finding is about code that was accepted; code that holds a secret has no value to compare."""
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
    """Return the selection that is meant by names of `rules`, which are given by code.

    A name is a code (KQ003), the beginning of codes (KQ), a slug (question-text) or a condition (E-TEXT). Raises
    SettingsError for a name that means nothing.
    """
    wanted = list(select)
    return Selection(
        codes_of(wanted, rules) if wanted else None,
        codes_of(ignore, rules),
        tuple((glob, codes_of(names, rules)) for glob, names in (per_file or {}).items()),
        folder or Path(),
    )


def codes_of(names: Iterable[str], rules: Mapping[str, Rule]) -> Codes:
    """Return the codes of the `rules` that are meant by `names`, any of which may hold several with commas."""
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
