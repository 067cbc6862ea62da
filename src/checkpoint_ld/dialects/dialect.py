"""What a dialect is: how to tell it, how to read it as the canonical one, how to write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from checkpoint_ld.findings import Finding


class Upgrade(NamedTuple):
    """A document of any dialect as one of the canonical dialect.

    `tree` shares with the document what is the same in both. `origins` leads from JSON Pointers (RFC 6901) into the
    tree to those into the document, where they differ: see `source_pointer`. `findings` holds what cannot be seen in
    the tree any more; their pointers are those of the document.
    """

    tree: dict[str, Any]
    origins: Mapping[str, str]
    findings: tuple[Finding, ...]


class Downgrade(NamedTuple):
    """A canonical document as one of another dialect.

    `findings` lists, each with the code W-LOSS and a pointer into the canonical document, everything that the dialect
    has no place for, be it kept under a member of ours or not.
    """

    value: dict[str, Any]
    findings: tuple[Finding, ...]


class Dialect(NamedTuple):
    """One way in which checkpoints have been written.

    `signs` says in words what gives the dialect away. `recognises` and `upgrade` take the JSON value of the root with
    literal keys; `upgrade` takes whatever `recognises` accepts and never raises; that of a Dataset leaves out what our
    writer kept there beyond its words, unless that is to be `restored`. `downgrade` is None for a dialect that
    is only read. `is_loaded_by_karenina` is about the newest Karenina.
    """

    name: str
    title: str
    signs: str
    recognises: Callable[[Any], bool]
    upgrade: Callable[..., Upgrade]
    downgrade: Callable[..., Downgrade] | None = None
    is_loaded_by_karenina: bool = False


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
