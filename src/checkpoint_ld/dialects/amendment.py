"""Amendment: an edit brought into the JSON that a document has, so that nothing else in it changes.

A document may say the same in other words than our writer does. What the writer makes of a checkpoint before and after
an edit tells what the edit changed; only that is changed in the document.

Patching is the same for a text: whatever stayed the same stands as it stood, to the last space.
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
    from checkpoint_ld.documents.text import Layout, Member, Span


Json = Any
Entry = TypeVar("Entry")

_FOLLOWED = {"dateCreated": "dateModified", "date_created": "last_modified"}
"""Members that are read as another one where they are missing: an edit of that one writes them down."""
_KEYS = ("@id", "name")
"""Members by which an entry of an array is known."""


def changed(source: dict[str, Json], members: dict[str, Json], slot: str | None) -> dict[str, Json]:
    """Return an object with other members, in canonical order; `source` itself where it has all of them."""
    new = {
        key: one
        for key, one in members.items()
        if key not in source or not (source[key] is one or _is_same(source[key], one))
    }
    if not new:
        return source
    whole = {**source, **new}
    return whole if len(whole) == len(source) else ordered(whole, slot)


def _is_same(one: Json, other: Json) -> bool:
    """Return whether values are the same, those of arrays the same objects."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_, one, other))
    return one is other or same(one, other)


def without_contexts(value: Json) -> Json:
    """Return a value without the contexts that its objects have."""
    if isinstance(value, dict):
        return {key: without_contexts(one) for key, one in value.items() if key != "@context"}
    return [without_contexts(one) for one in value] if isinstance(value, list) else value


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
    # Backwards, so that a member which is new at the end comes to stand there.
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
            # What the document does without stays out, however large the member that the change is in.
            whole[key] = amended(type(after[key])(), before[key], after[key])
    return whole


def _array(source: list[Json], before: list[Json], after: list[Json]) -> list[Json]:
    """Amend an array: its entries are known by identifier or name, or else by their place."""
    in_before, in_source = matches(after, before), matches(before, source)
    origins = [None if at is None else in_source[at] for at in in_before]
    places = {at: place for place, at in enumerate(origins) if at is not None}
    gone = {at for at in in_source if at is not None} - places.keys()
    # An entry is known by its place in the source, or else by its place in `after`, from the other end of the numbers.
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
    """Return `order` with the `others` that it lacks, each after the one that it follows among the others."""
    merged = list(order)
    known = set(order)
    for place, one in enumerate(others):
        if one not in known:
            merged.insert(merged.index(others[place - 1]) + 1 if place else 0, one)
            known.add(one)
    return merged


def matches(left: list[Json], right: list[Json]) -> list[int | None]:
    """Return for each entry of `left` the place of its counterpart in `right`: of equal identifier, name, or place."""
    found: list[int | None] = [None] * len(left)
    free = dict.fromkeys(range(len(right)))
    for key in _KEYS:
        places: dict[str, int] = {}
        for place in free:
            places.setdefault(_text_member(right[place], key) or "", place)
        for at, one in enumerate(left):
            text = _text_member(one, key)
            if found[at] is None and text and places.get(text) in free:
                found[at] = places[text]
                del free[places[text]]
    for at, one in enumerate(left):
        if found[at] is None and at in free:
            names = [(_text_member(one, key), _text_member(right[at], key)) for key in _KEYS]
            if all(own == other or None in (own, other) for own, other in names):
                found[at] = at
    return found


def _text_member(value: Json, key: str) -> str | None:
    text = value.get(key) if isinstance(value, dict) else None
    return text if isinstance(text, str) else None


def patched(document: Document, value: Any) -> bytes:
    """Return the text of `document` with `value` in the place of its own.

    Objects and arrays of `value` that are those of the document, the very same, keep their text, and so does what
    surrounds the others. New text is laid out like the document. Raises WriteError for what cannot be written.
    """
    text = document.data.decode("utf-8")
    spans = Spans(text)
    start, end = place = spans.value(())
    return (text[:start] + _Text(spans, document.layout).of(value, document.value, place, "") + text[end:]).encode()


@dataclass(frozen=True, slots=True)
class _Text:
    spans: Spans
    layout: Layout

    def of(self, value: Any, own: Any, place: Span, margin: str | None, depth: int = 0) -> str:
        """Return the text of `value`, which takes the place of `own`, in lines that begin with `margin`."""
        if value is own:
            return self.spans.text[place.start : place.end]
        if value and own and type(value) is type(own) and isinstance(value, (dict, list)):
            return self._container(value, own, place, depth + 1)
        return self.new(value, margin, depth)

    def _container(self, value: Any, own: Any, place: Span, depth: int) -> str:
        """Return the text of an object or array of which some members are new, some different, some gone."""
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
        """Return what stands between two members: what stood there, or else something of the same kind."""
        source = self.spans.text
        if before is not None and after == before + 1:
            return source[members[before].value.end : members[after].key.start]
        if "\n" in opening:
            return "," + opening[1:]
        if len(members) > 1:
            return source[members[0].value.end : members[1].key.start]
        return self.layout.separators[0] if self.layout.separators and self.layout.indent is None else ", "

    def new(self, value: Any, margin: str | None, depth: int) -> str:
        """Return the text of a value that the document does not have; None as margin keeps it on one line."""
        layout = replace(self.layout, newline="\n", end="", bom=False)
        if margin is None and layout.indent is not None:
            layout = replace(layout, indent=None, separators=None)
        lines = dump_json(value, layout, inside(depth)).decode().split("\n")
        return f"{self.layout.newline}{margin}".join(lines)
