"""The trail of an upgrade: where each part came from and what was odd about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.dialect import Upgrade, source_pointer
from checkpoint_ld.dialects.properties import property_value
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from checkpoint_ld.findings import Finding


def step(pointer: str, *keys: str | int) -> str:
    """Return `pointer` continued by `keys`, escaped as RFC 6901 asks."""
    for key in keys:
        name = str(key)
        if "~" in name or "/" in name:
            name = name.replace("~", "~0").replace("/", "~1")
        pointer = f"{pointer}/{name}"
    return pointer


class Trail:
    """Notes taken while a document of one dialect is turned into a canonical one.

    A trail that is not `kept` notes nothing, for a document of which only the canonical form is wanted. Unless it is
    `restored`, what our writer kept beyond the words of the dialect is left out.
    """

    def __init__(self, dialect: str, *, kept: bool = True, restored: bool = True) -> None:
        self.dialect = dialect
        self.restored = restored
        self._kept = kept
        self._origins: dict[str, str] = {}
        self._findings: list[Finding] = []

    def moved(self, pointer: str, source: str) -> None:
        """Note that what is at `pointer` in the canonical tree stands at `source` in the document.

        What holds it has to be noted before: only what does not follow from that is kept.
        """
        if self._kept and source_pointer(self._origins, pointer) != source:
            self._origins[pointer] = source

    def source(self, pointer: str) -> str:
        """Return where in the document stands what is at `pointer`, as far as it has been noted."""
        return source_pointer(self._origins, pointer) if self._kept else pointer

    def report(self, rule: str, message: str, source: str, subject: str = "") -> None:
        """Note an oddity at `source`, a place in the document."""
        self._findings.append(finding(rule, message, pointer=source, subject=subject, dialect=self.dialect))

    def upgrade(self, tree: dict[str, Any]) -> Upgrade:
        """Close the trail."""
        return Upgrade(tree, self._origins, tuple(self._findings))


class Listing:
    """An array in the making whose entries come from several places of the document."""

    def __init__(self, pointer: str, trail: Trail) -> None:
        self.pointer = pointer
        self.trail = trail
        self.entries: list[Any] = []

    def next_pointer(self) -> str:
        """Return the pointer that the next entry will have."""
        return f"{self.pointer}/{len(self.entries)}"

    def add(self, entry: Any, source: str) -> None:
        """Append `entry`, which stands at `source` in the document."""
        self.trail.moved(self.next_pointer(), source)
        self.entries.append(entry)

    def add_property(self, name: str, value: Any, source: str) -> None:
        """Append a property with a value that stands at `source` in some other form."""
        pointer = self.next_pointer()
        self.add(property_value(name, value), source)
        self.trail.moved(f"{pointer}/value", source)
