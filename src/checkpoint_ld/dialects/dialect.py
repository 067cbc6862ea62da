"""What a dialect is: how to recognise it, how to read and write it, and where each part of it came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.dialects.properties import property_value
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from checkpoint_ld.findings import Finding


@dataclass(frozen=True)
class Upgrade:
    """A document of any dialect as one of the canonical dialect.

    `tree` shares with the document what is the same in both. `findings` holds what cannot be seen in the tree any more;
    their pointers are those of the document, which nobody may change before `origins` is read.
    """

    tree: dict[str, Any]
    findings: tuple[Finding, ...]
    _trail: Callable[[], Trail] = field(repr=False, compare=False)

    @cached_property
    def origins(self) -> Mapping[str, str]:
        """JSON Pointers (RFC 6901) into the document by those into the tree, where they differ: see `source_pointer`.

        Few readers want a place, and the notes take longer than the upgrade: it is done again for them.
        """
        return self._trail().origins


class Downgrade(NamedTuple):
    """A canonical document as one of another dialect.

    `findings` lists, each with the code W-LOSS and a pointer into the canonical document, everything that the dialect
    has no place for, be it kept under a member of ours or not.
    """

    value: dict[str, Any]
    findings: tuple[Finding, ...]


class Dialect(NamedTuple):
    """One way in which checkpoints have been written.

    `signs` says in words what gives the dialect away. `recognises` takes the JSON value of the root with literal keys;
    `read` takes whatever `recognises` accepts, with a trail for notes, returns the canonical tree and never raises.
    `downgrade` is None for a dialect that is only read. `is_loaded_by_karenina` is about the newest Karenina.
    """

    name: str
    title: str
    signs: str
    recognises: Callable[[Any], bool]
    read: Callable[[dict[str, Any], Trail], dict[str, Any]]
    downgrade: Callable[..., Downgrade] | None = None
    is_loaded_by_karenina: bool = False

    def upgrade(self, value: dict[str, Any], *, restored: bool = True) -> Upgrade:
        """Return a document of this dialect as a canonical one.

        Unless it is `restored`, what our writer kept in a Dataset beyond the words of that dialect is left out.
        """

        def trail() -> Trail:
            noted = Trail(self.name, kept=True, restored=restored)
            self.read(value, noted)
            return noted

        bare = Trail(self.name, restored=restored)
        tree = self.read(value, bare)
        # Without notes a finding has no place.
        return Upgrade(tree, tuple(trail().findings if bare.findings else ()), trail)


def step(pointer: str, *keys: str | int) -> str:
    """Return `pointer` continued by `keys`, escaped as RFC 6901 asks."""
    for key in keys:
        name = str(key)
        if "~" in name or "/" in name:
            name = name.replace("~", "~0").replace("/", "~1")
        pointer = f"{pointer}/{name}"
    return pointer


def source_pointer(origins: Mapping[str, str], pointer: str) -> str:
    """Return the place in the source document of `pointer` (RFC 6901) in the canonical one.

    The longest prefix of `pointer` that `origins` knows decides, whole segments only; the rest of it is appended.
    """
    prefix = pointer
    while prefix:
        if prefix in origins:
            return origins[prefix] + pointer[len(prefix) :]
        prefix = prefix[: prefix.rfind("/")]
    return origins.get("", "") + pointer


class Trail:
    """Notes taken while a document of one dialect is turned into a canonical one.

    Unless it is `kept`, no place is noted, for a document of which only the canonical form is wanted; then the places
    of its `findings` are those in the tree. Unless it is `restored`, what our writer kept beyond the words of the
    dialect is left out.
    """

    def __init__(self, dialect: str, *, kept: bool = False, restored: bool = True) -> None:
        self.dialect = dialect
        self.kept = kept
        self.restored = restored
        self.origins: dict[str, str] = {}
        self.findings: list[Finding] = []

    def moved(self, pointer: str, source: str) -> None:
        """Note that what is at `pointer` in the canonical tree stands at `source` in the document."""
        if self.kept:
            self.origins[pointer] = source

    def source(self, pointer: str) -> str:
        """Return where in the document stands what is at `pointer`, as far as it has been noted."""
        return source_pointer(self.origins, pointer) if self.kept else pointer

    def report(self, rule: str, message: str, source: str, subject: str = "") -> None:
        """Note what is unusual at `source`, a place in the document."""
        self.findings.append(finding(rule, message, pointer=source, subject=subject, dialect=self.dialect))


class Listing:
    """An array in the making whose entries come from several places of the document."""

    def __init__(self, pointer: str, trail: Trail) -> None:
        self.pointer = pointer
        self.trail = trail
        self.entries: list[Any] = []

    def next_pointer(self) -> str:
        """Return the pointer that the next entry will have."""
        return f"{self.pointer}/{len(self.entries)}"

    def add(self, entry: Any, source: str, *keys: str | int) -> None:
        """Append `entry`, which stands at `source`, continued by `keys`, in the document."""
        if self.trail.kept:
            self.trail.moved(self.next_pointer(), step(source, *keys))
        self.entries.append(entry)

    def extend(self, entries: list[Any], source: str, *keys: str | int) -> None:
        """Append what is made of the entries of the array at `source`, continued by `keys`, in the document."""
        if self.trail.kept:
            for at in range(len(entries)):
                self.trail.moved(f"{self.pointer}/{len(self.entries) + at}", step(source, *keys, at))
        self.entries += entries

    def add_property(self, name: str, value: Any, source: str, *keys: str | int) -> None:
        """Append a property with a value that stands at `source`, continued by `keys`, in some other form."""
        if self.trail.kept:
            self.trail.moved(f"{self.next_pointer()}/value", step(source, *keys))
        self.add(property_value(name, value), source, *keys)
