"""The trail of an upgrade: where each part came from and what was odd about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.conditions import finding
from checkpoint_ld.dialects.dialect import Upgrade, source_pointer

if TYPE_CHECKING:
    from checkpoint_ld.findings import Finding


def step(pointer: str, *keys: str | int) -> str:
    """Return `pointer` continued by `keys`, escaped as RFC 6901 asks."""
    return pointer + "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)


class Trail:
    """Notes taken while a document of one dialect is turned into a canonical one."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self._origins: dict[str, str] = {}
        self._findings: list[Finding] = []

    def moved(self, pointer: str, source: str) -> None:
        """Note that what is at `pointer` in the canonical tree stands at `source` in the document."""
        self._origins[pointer] = source

    def source(self, pointer: str) -> str:
        """Return where in the document stands what is at `pointer`, as far as it has been noted."""
        return source_pointer(self._origins, pointer)

    def report(self, code: str, message: str, source: str, subject: str = "") -> None:
        """Note an oddity at `source`, a place in the document."""
        self._findings.append(finding(code, message, pointer=source, subject=subject, dialect=self.dialect))

    def upgrade(self, tree: dict[str, Any]) -> Upgrade:
        """Close the trail: keep of the origins only those that do not follow from shorter ones."""
        telling: dict[str, str] = {}
        for pointer in sorted(self._origins, key=len):
            if source_pointer(telling, pointer) != self._origins[pointer]:
                telling[pointer] = self._origins[pointer]
        return Upgrade(tree, telling, tuple(self._findings))


class Listing:
    """An array in the making whose entries come from several places of the document."""

    def __init__(self, pointer: str, trail: Trail) -> None:
        self.pointer = pointer
        self.trail = trail
        self.entries: list[Any] = []

    def next_pointer(self) -> str:
        """Return the pointer that the next entry will have."""
        return step(self.pointer, len(self.entries))

    def add(self, entry: Any, source: str) -> None:
        """Append `entry`, which stands at `source` in the document."""
        self.trail.moved(self.next_pointer(), source)
        self.entries.append(entry)
