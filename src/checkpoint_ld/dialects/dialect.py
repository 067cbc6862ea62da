"""The types that all dialects share: `Dialect`, `Upgrade`, `Downgrade`, `Trail`, and helpers for additional properties.

A `Trail` maps pointers into the canonical tree to pointers into the source, so that findings have the place in the
source. An additional property (PropertyValue) is a named value for which schema.org has no term; some values are JSON
as text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from checkpoint_ld.documents.text import pointer as pointer_of
from checkpoint_ld.documents.values import STRICT, walk
from checkpoint_ld.phrases import called, shown
from checkpoint_ld.rules import finding
from checkpoint_ld.vocabulary import SCHEMA_HTTP, TRAIT_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from checkpoint_ld.findings import Finding


@dataclass(frozen=True)
class Upgrade:
    """A document of any dialect as one of the canonical dialect.

    `tree` shares unchanged values with the document. `unplaced` are the findings about what the tree no longer shows,
    with pointers into the tree. The document must not change before `findings` and `origins` are read.
    """

    tree: dict[str, Any]
    unplaced: tuple[Finding, ...]
    _recorded: Callable[[], Trail] = field(repr=False, compare=False)

    @cached_property
    def _trail(self) -> Trail:
        # Recording places takes longer than the upgrade, so the upgrade is repeated when they are needed.
        return self._recorded()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings with pointers into the document."""
        return tuple(self._trail.findings) if self.unplaced else ()

    @property
    def origins(self) -> Mapping[str, str]:
        """JSON Pointers (RFC 6901) into the document by those into the tree, where they differ (`source_pointer`)."""
        return self._trail.origins

    def __reduce__(self) -> tuple[Any, ...]:
        return Upgrade, (self.tree, self.unplaced, partial(_itself, self._trail))  # functions cannot be pickled


def _itself(trail: Trail) -> Trail:
    return trail


class Downgrade(NamedTuple):
    """A canonical document as one of another dialect.

    `findings` lists everything that the dialect has no place for, kept under `x_karenina` or not. Each finding has the
    code W-LOSS and a pointer into the canonical document.
    """

    value: dict[str, Any]
    findings: tuple[Finding, ...]


class Dialect(NamedTuple):
    """One JSON layout of checkpoints.

    `signs` describes how a document of the dialect is recognised. `recognises` takes the JSON value of the root in
    plain keys. `read` takes what `recognises` accepts and a trail; it returns the canonical tree and never raises.
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

        Without `restored`, the leftovers that our writer keeps in a Dataset are ignored.
        """

        def recorded() -> Trail:
            trail = Trail(self.name, kept=True, restored=restored)
            self.read(value, trail)
            return trail

        bare = Trail(self.name, restored=restored)
        return Upgrade(self.read(value, bare), tuple(bare.findings), recorded)


def step(pointer: str, *keys: str | int) -> str:
    """Return the JSON Pointer `pointer` (RFC 6901) continued by `keys`."""
    return pointer + pointer_of(keys)


def source_pointer(origins: Mapping[str, str], pointer: str) -> str:
    """Return the place in the source document of `pointer` (RFC 6901) in the canonical one.

    `origins` has the source of the longest prefix of whole segments; the rest of `pointer` is appended.
    """
    prefix = pointer if origins else ""
    while prefix:
        if prefix in origins:
            return origins[prefix] + pointer[len(prefix) :]
        prefix = prefix[: prefix.rfind("/")]
    return origins.get("", "") + pointer


class Trail:
    """The places and findings that are recorded while a document is turned into a canonical one.

    Without `kept`, no places are recorded, and `findings` point into the tree. Without `restored`, the leftovers that
    our writer keeps are ignored.
    """

    def __init__(self, dialect: str, *, kept: bool = False, restored: bool = True) -> None:
        self.dialect = dialect
        self.kept = kept
        self.restored = restored
        self.origins: dict[str, str] = {}
        self.findings: list[Finding] = []

    def moved(self, pointer: str, source: str) -> None:
        """Record that the value at `pointer` in the canonical tree stands at `source` in the document."""
        if self.kept:
            self.origins[pointer] = source

    def reordered(self, owner: str, member: str, places: list[int]) -> None:
        """Record that the array `member` of the object at `owner`, read last, gets the entries of `places` in order."""
        if not self.kept:
            return
        prefix = f"{owner}/{member}/"
        ranks = {str(place): str(rank) for rank, place in enumerate(places)}
        held: dict[str, str] = {}
        recent = takewhile(lambda place: place.startswith(owner), reversed(self.origins))
        for place in [place for place in recent if place.startswith(prefix)]:
            index, *rest = place[len(prefix) :].split("/", 1)
            held["/".join((prefix + ranks[index], *rest))] = self.origins.pop(place)
        self.origins.update(held)

    def source(self, pointer: str) -> str:
        """Return the place in the document of the value at `pointer`, as far as it has been recorded."""
        return source_pointer(self.origins, pointer) if self.kept else pointer

    def report(self, rule: str, message: str, source: str, subject: str = "") -> None:
        """Add a finding at `source`, a place in the document."""
        self.findings.append(finding(rule, message, pointer=source, subject=subject, dialect=self.dialect))


class Listing:
    """An array under construction whose entries come from several places of the document."""

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
        """Append the converted entries of the array at `source`, continued by `keys`, in the document."""
        if self.trail.kept:
            for at in range(len(entries)):
                self.trail.moved(f"{self.pointer}/{len(self.entries) + at}", step(source, *keys, at))
        self.entries += entries

    def add_property(self, name: str, value: Any, source: str, *keys: str | int) -> None:
        """Append a property with a value that stands at `source`, continued by `keys`, in some other form."""
        if self.trail.kept:
            pointer, origin = self.next_pointer(), step(source, *keys)
            self.trail.moved(f"{pointer}/value", origin)
            self.trail.moved(pointer, origin)
        self.entries.append(property_value(name, value))


ABSENT: Final = object()
"""Stands for no value at all, which is how Karenina writes null."""


def property_value(name: str, value: Any = ABSENT) -> dict[str, Any]:
    """Return the PropertyValue `name`; without a value it has no `value` member."""
    if value is ABSENT:
        return {"@type": "PropertyValue", "name": name}
    return {"@type": "PropertyValue", "name": name, "value": value}


def name_of(entry: object) -> str | None:
    """Return the name of a PropertyValue, None for anything that is not one."""
    name = entry.get("name") if isinstance(entry, dict) else None
    return name if isinstance(name, str) else None


def stated(members: dict[str, Any]) -> dict[str, Any]:
    """Return the members of an object without nulls and without an identifier that is no text."""
    if None not in members.values() and isinstance(members.get("@id", ""), str):
        return {**members}
    return {
        name: value
        for name, value in members.items()
        if value is not None and (name != "@id" or isinstance(value, str))
    }


def typed(entry: Any) -> Any:
    """Return a PropertyValue with its type, anything else as it is."""
    if not isinstance(entry, dict) or entry.get("@type") == "PropertyValue":
        return entry
    return {**entry, "@type": "PropertyValue"}


def is_plain(entry: dict[str, Any]) -> bool:
    """Return whether a PropertyValue has nothing beyond its name and its value."""
    return entry.keys() <= _MEMBERS and entry.get("@type", "PropertyValue") == "PropertyValue"


def values(entries: object) -> dict[str, Any]:
    """Return the values of a list of properties by name.

    Of several with one name the last counts, as it does in Karenina; one without a value has the value None.
    """
    listed = entries if isinstance(entries, list) else ()
    try:
        found = {entry["name"]: entry.get("value") for entry in listed}
    except (AttributeError, KeyError, TypeError):
        found = {None: None}
    if _TEXTS.issuperset(map(type, found)):
        return found
    return {name: entry.get("value") for entry in listed if (name := name_of(entry)) is not None}


def container(text: object) -> dict[str, Any] | list[Any] | None:
    """Return the object or array that `text` encodes as JSON, or None.

    A text that would not be written back unchanged (a repeated key, a number that JSON does not have) is no JSON.
    """
    if not isinstance(text, str) or not _CONTAINER.match(text):
        return None
    try:
        value = STRICT.decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def encoded(value: object) -> Any:
    """Return `value` as Karenina writes it: an object or array as text, every other value as it is.

    A text that encodes an object or array gets the same layout.
    """
    if isinstance(value, str):
        if not _CONTAINER.match(value):
            return value
        try:
            if json.dumps(orjson.loads(value)) == value:  # no key stands twice, and no number changes
                return value
        except (ValueError, RecursionError):
            pass
    found = value if isinstance(value, dict | list) else container(value)
    return value if found is None else json.dumps(found)


def gui_encoded(value: object) -> Any:
    """Return `value` as the Karenina GUI writes it: without spaces and with every character as itself."""
    found = value if isinstance(value, dict | list) else container(value)
    return value if found is None else json.dumps(found, ensure_ascii=False, separators=(",", ":"))


def as_text(value: object) -> Any:
    """Return a text or null as it is, every other value as JSON text."""
    return value if isinstance(value, str | None) else json.dumps(value)


def text_of(value: Any) -> str:
    """Return a value as text: null as none, what is no text as its JSON."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def as_list(value: Any) -> list[Any]:
    """Return a member's value as a list, whether the file has an array, one value or none."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def decoded(value: object) -> Any:
    """Return the object or array that `value` encodes as JSON text, or `value` itself."""
    found = container(value)
    return value if found is None else found


_TEXTS = frozenset((str,))
_MEMBERS = frozenset(("@type", "name", "value"))
_CONTAINER = re.compile(r"\s*[{\[]")


def old_name_findings(tree: Any) -> Iterator[Finding]:
    """Yield findings about old names in a DataFeed: the http IRI of schema.org, and trait types without a prefix.

    The pointers lead into `tree`, which has plain keys.
    """
    names = (value for _, value in walk(tree.get("@context")) if isinstance(value, str))
    old = next((name for name in names if f"{name}/".startswith(SCHEMA_HTTP)), None)
    if old is not None:
        yield finding("vocabulary-http", f"the @context has {shown(old)} for schema.org", pointer="/@context")
    elements = _objects(tree, "dataFeedElement")
    for *steps, holder in ((tree,), *(("dataFeedElement", at, "item", one.get("item")) for at, one in elements)):
        for at, rating in _objects(holder, "rating"):
            kind = rating.get("additionalType")
            if isinstance(kind, str) and kind in TRAIT_TYPES:
                of_question = f"{called('question', holder.get('text'))}, " if steps else ""
                subject = f"{of_question}{called('trait', rating.get('name'))}"
                message = f"the type of the trait is {shown(kind)}, without the prefix karenina:"
                place = pointer_of((*steps, "rating", at, "additionalType"))
                yield finding("trait-prefix", message, pointer=place, subject=subject, remedy=f"write karenina:{kind}")


def _objects(holder: Any, member: str) -> list[tuple[int, dict[str, Any]]]:
    """Return the objects in an array that an object has, with their indexes."""
    entries = holder.get(member) if isinstance(holder, dict) else None
    return (
        [(at, entry) for at, entry in enumerate(entries) if isinstance(entry, dict)]
        if isinstance(entries, list)
        else []
    )
