"""What a dialect is: how to tell it, how to read it as the canonical one, how to write it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.dialects.trail import Trail

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
