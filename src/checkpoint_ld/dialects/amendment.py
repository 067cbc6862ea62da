"""Amendment: an edit applied to the JSON of a document, so that nothing else in it changes.

A document may have another form than our writer's. The writer's output before and after an edit shows what changed, and
`amended` changes only that in the JSON value. `patched` does the same for the text: unchanged values keep their
characters and the white space around them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import is_
from typing import TYPE_CHECKING, Any, TypeVar

from checkpoint_ld.documents.text import Spans, dump_json
from checkpoint_ld.documents.values import inside
from checkpoint_ld.graph.literals import same
from checkpoint_ld.vocabulary import ordered

if TYPE_CHECKING:
    from checkpoint_ld.documents.document import Document
    from checkpoint_ld.documents.text import Extent, Layout, Member


Json = Any
Entry = TypeVar("Entry")

_FOLLOWED = {"dateCreated": "dateModified", "date_created": "last_modified"}
"""Members whose default is another member: when that member is edited, they are written out."""
_KEYS = ("@id", "name")
"""Members that identify an entry of an array."""


def changed(source: dict[str, Json], members: dict[str, Json], slot: str | None) -> dict[str, Json]:
    """Return an object with other members, in canonical order; `source` itself where it has all of them."""
    new = {
        key: value
        for key, value in members.items()
        if key not in source or not (source[key] is value or _is_same(source[key], value))
    }
    if not new:
        return source
    whole = {**source, **new}
    return whole if len(whole) == len(source) else ordered(whole, slot)


def _is_same(value: Json, other: Json) -> bool:
    """Return whether values are the same, those of arrays the same objects."""
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(is_, value, other))
    return value is other or same(value, other)


def without_contexts(value: Json) -> Json:
    """Return a value without the contexts that its objects have."""
    if isinstance(value, dict):
        return {key: without_contexts(member) for key, member in value.items() if key != "@context"}
    return [without_contexts(member) for member in value] if isinstance(value, list) else value


def amended(source: Json, before: Json, after: Json) -> Json:
    """Return `source` with what changed between `before` and `after`, members and entries in the order of `source`."""
    if same(before, after):
        return source
    if isinstance(source, dict) and isinstance(before, dict) and isinstance(after, dict):
        return _object(source, before, after)
    if isinstance(source, list) and isinstance(before, list) and isinstance(after, list):
        return _array(source, before, after)
    return after


def _object(source: dict[str, Json], before: dict[str, Json], after: dict[str, Json]) -> dict[str, Json]:
    whole = {}
    kept = [key for key in source if key in after or key not in before]
    # Backwards, so that a new last member stays last.
    for key in reversed(_merged(kept[::-1], list(after)[::-1])):
        if key not in after:
            whole[key] = source[key]
        elif key not in before:
            whole[key] = after[key]
        elif key in source:
            whole[key] = amended(source[key], before[key], after[key])
        elif key in _FOLLOWED and before[key] == before.get(_FOLLOWED[key]) == after[key] != after.get(_FOLLOWED[key]):
            whole[key] = after[key]
        elif not same(before[key], after[key]):
            # Only the changed part of a member is added that the document does not have.
            whole[key] = amended(type(after[key])(), before[key], after[key])
    return whole


def _array(source: list[Json], before: list[Json], after: list[Json]) -> list[Json]:
    """Amend an array, whose entries are identified by identifier, name or else place."""
    in_before, in_source = matches(after, before), matches(before, source)
    origins = [None if at is None else in_source[at] for at in in_before]
    places = {at: place for place, at in enumerate(origins) if at is not None}
    gone = {at for at in in_source if at is not None} - places.keys()
    # An entry is its index in the source, or, if it is new, -1 minus its index in `after`.
    wanted = [-1 - place if at is None else at for place, at in enumerate(origins)]
    whole = []
    for entry in _merged(wanted, [at for at in range(len(source)) if at not in gone]):
        if entry >= 0 and entry not in places:
            whole.append(source[entry])
            continue
        place = places[entry] if entry >= 0 else -1 - entry
        at = in_before[place]
        if entry >= 0 and at is not None:
            whole.append(amended(source[entry], before[at], after[place]))
        elif at is None or not same(before[at], after[place]):
            whole.append(after[place])
    return whole


def _merged(order: list[Entry], others: list[Entry]) -> list[Entry]:
    """Return `order` with the `others` that it lacks, each after its predecessor among the others."""
    merged = list(order)
    known = set(order)
    for place, entry in enumerate(others):
        if entry not in known:
            merged.insert(merged.index(others[place - 1]) + 1 if place else 0, entry)
            known.add(entry)
    return merged


def matches(left: list[Json], right: list[Json]) -> list[int | None]:
    """Return for each entry of `left` the index in `right` of the entry with its identifier, name or index."""
    found: list[int | None] = [None] * len(left)
    free = dict.fromkeys(range(len(right)))
    for key in _KEYS:
        places: dict[str, int] = {}
        for place in free:
            places.setdefault(_text_member(right[place], key) or "", place)
        for at, entry in enumerate(left):
            text = _text_member(entry, key)
            if found[at] is None and text and places.get(text) in free:
                found[at] = places[text]
                del free[places[text]]
    for at, entry in enumerate(left):
        if found[at] is None and at in free:
            names = [(_text_member(entry, key), _text_member(right[at], key)) for key in _KEYS]
            if all(own == other or None in (own, other) for own, other in names):
                found[at] = at
    return found


def _text_member(value: Json, key: str) -> str | None:
    text = value.get(key) if isinstance(value, dict) else None
    return text if isinstance(text, str) else None


def patched(document: Document, value: Any) -> bytes:
    """Return the text of `document` with `value` in the place of its own.

    Objects and arrays that `value` shares with the document, by identity, keep their text. New text has the layout of
    the document. Raises WriteError for what cannot be written.
    """
    text = document.data.decode("utf-8")
    spans = Spans(text)
    start, end = place = spans.value(())
    return (text[:start] + _Text(spans, document.layout).of(value, document.value, place, "") + text[end:]).encode()


@dataclass(frozen=True, slots=True)
class _Text:
    spans: Spans
    layout: Layout

    def of(self, value: Any, own: Any, place: Extent, margin: str | None, depth: int = 0) -> str:
        """Return the text of `value`, which replaces `own`, in lines that begin with `margin`."""
        if value is own:
            return self.spans.text[place.start : place.end]
        if value and own and type(value) is type(own) and isinstance(value, (dict, list)):
            return self._container(value, own, place, depth + 1)
        return self.new(value, margin, depth)

    def _container(self, value: Any, own: Any, place: Extent, depth: int) -> str:
        """Return the text of an object or array some of whose members are new, changed or removed."""
        source, members = self.spans.text, list(self.spans.members(place.start))
        opening = source[place.start : members[0].key.start]
        margin = opening.rpartition("\n")[2] if "\n" in opening else None
        keys = list(value) if isinstance(value, dict) else None
        models = matches(value, own) if keys is None else [*map({key: at for at, key in enumerate(own)}.get, keys)]
        text = [opening]
        for at, model in enumerate(models):
            key = at if keys is None else keys[at]
            if at:
                text.append(self._gap(members, models[at - 1], model, opening))
            if model is None:
                colon = source[members[0].key.end : members[0].start]
                text.append("" if keys is None else self.new(key, None, depth) + colon)
                text.append(self.new(value[key], margin, depth))
            else:
                held = members[model]
                text.append(source[held.key.start : held.start])
                text.append(self.of(value[key], own[model if keys is None else key], held.value, margin, depth))
        return "".join((*text, source[members[-1].value.end : place.end]))

    def _gap(self, members: list[Member], before: int | None, after: int | None, opening: str) -> str:
        """Return the text between two members: that of the document, or else a separator of the same layout."""
        source = self.spans.text
        if before is not None and after == before + 1:
            return source[members[before].value.end : members[after].key.start]
        if "\n" in opening:
            return "," + opening[1:]
        if len(members) > 1:
            return source[members[0].value.end : members[1].key.start]
        return self.layout.separators[0] if self.layout.separators and self.layout.indent is None else ", "

    def new(self, value: Any, margin: str | None, depth: int) -> str:
        """Return the text of a new value, on one line if `margin` is None."""
        layout = replace(self.layout, newline="\n", end="", bom=False)
        if margin is None and layout.indent is not None:
            layout = replace(layout, indent=None, separators=None)
        lines = dump_json(value, layout, inside(depth)).decode().split("\n")
        return f"{self.layout.newline}{margin}".join(lines)
