"""The verdict on the text of a benchmark while somebody types: only the question that changes is read again.

An edit inside one feed item leaves the text of all others as it is. A document of the same head and that item alone
shows what is found in it. That holds for the whole if the item was judged alike before the edit, alone and among the
others, and if it shares neither identifier nor text with another question. Otherwise the whole text is validated.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from checkpoint_ld import families
from checkpoint_ld.dialects.reading import CANONICAL
from checkpoint_ld.integrations.feed_items import ELEMENTS, FeedItems, difference
from checkpoint_ld.validation.validator import by_place

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from checkpoint_ld.families import Profiles
    from checkpoint_ld.findings import Finding, Place
    from checkpoint_ld.validation.results import Checked

_ITEM = re.compile(rf"/{ELEMENTS}/(\d+)(?=/|\Z)")
_FIRST = re.compile(rf"(?<=#/{ELEMENTS}/)0(?=/|\Z)")
"""The place of the only item, in the name of a node that has none of its own."""
_REFERENCE = re.compile(r'\{\s*"@id"\s*:\s*"[^"]*"\s*\}')
"""An object that only names another one, which may be anywhere."""


@dataclass
class _ValidatedText:
    """A text that was validated, with its feed items, their keys, and the findings by item.

    Findings of the head are those under None. `keys` count identifiers and texts of questions. `last` is the item that
    was edited last, with what was found in it alone.
    """

    items: FeedItems
    keys: Counter[Hashable]
    by_item: dict[int | None, list[Finding]] = field(default_factory=dict)
    last: tuple[int, _Alone | None] = -1, None


class EditedText:
    """The verdicts on the texts of one document, one after the other."""

    def __init__(self) -> None:
        self._last: tuple[str, Checked, Hashable] | None = None
        """The last JSON text that was validated as a whole, its verdict and the rules."""
        self._known: _ValidatedText | None = None

    def check(self, text: str, profiles: Profiles) -> Checked:
        """Return what `families.check` returns for a text."""
        rules, known = _of(profiles), self._known
        self._known = None  # until all is done
        if self._last is not None and self._last[2] == rules:
            known = known or _begun(*self._last[:2])
            if known is not None and _follows(known, text, profiles):
                self._known = known
                findings = sorted((one for several in known.by_item.values() for one in several), key=by_place)
                return replace(self._last[1], findings=tuple(findings), text=text if findings else None)
        checked = families.check(text.encode("utf-8", "surrogatepass"), profiles)
        if checked.dialect is not None:
            self._last = text, checked, rules
        elif self._last is not None and self._last[2] == rules:
            self._known = known  # the text is no JSON while somebody types
        return checked


def _of(profiles: Profiles) -> Hashable:
    """Return what tells two choices of rules apart."""
    own = profiles.first.own_shapes
    return profiles.name, own, tuple((one.stat().st_mtime_ns, one.stat().st_size) for one in own)


def _begun(text: str, checked: Checked) -> _ValidatedText | None:
    """Return what is needed to follow a text, None for one that cannot be followed."""
    if checked.dialect != CANONICAL or text.startswith("\ufeff"):
        return None
    items = FeedItems.of(text)
    if items is None or not items.values:
        return None
    try:
        keys = Counter(key for element in items.values for key in _keys(element))
    except AttributeError:  # an item that is no object
        return None
    known = _ValidatedText(items, keys)
    for one in checked.findings:
        place = _ITEM.match(one.place.pointer or "")
        known.by_item.setdefault(None if place is None else int(place[1]), []).append(one)
    return known


def _keys(element: Any) -> Iterator[Hashable]:
    """Yield what questions may have in common: identifiers and texts."""
    question = element.get("item")
    for key, holder in (("@id", element), ("text", question)):
        if isinstance(holder, dict) and holder.get(key) is not None:
            yield key, str(holder[key])


def _follows(known: _ValidatedText, text: str, profiles: Profiles) -> bool:
    """Let a text that was validated become an edited one, with its findings; return whether that is possible."""
    old_items, items = known.items, known.items.edited(text)
    if items is None or len(items.values) != len(old_items.values):
        return False
    pairs = enumerate(zip(old_items.values, items.values, strict=True))
    changed = [at for at, (one, other) in pairs if one is not other]
    if len(changed) > 1:
        return False
    for at in changed:
        old = known.last[1] if known.last[0] == at else _alone(old_items, at, profiles)
        new = _alone(items, at, profiles)
        if old is None or new is None or old.head != new.head or old.has_references or new.has_references:
            return False
        shared = [key for key in old.keys if known.keys[key] > 1]
        shared += [key for key in {*new.keys} - {*old.keys} if known.keys[key]]
        was = _among_others(old_items, at, old)
        if shared or sorted(map(repr, known.by_item.get(at, ()))) != sorted(map(repr, was)):
            return False
        known.keys.subtract(old.keys)
        known.keys.update(new.keys)
        known.by_item[at] = _among_others(items, at, new)
        known.last = at, new
    _, old_end, new_end = difference(old_items.text, text)
    behind = _Moved(old_items.text, old_end, text, new_end)
    for item in known.by_item.keys() - changed:
        known.by_item[item] = behind.findings(known.by_item[item])
    known.items = items
    return True


@dataclass
class _Alone:
    """A feed item in a document of its own: its findings and keys.

    `head` has the findings of the head. `has_references` is whether it may refer to other items.
    """

    text: str
    findings: list[Finding]
    keys: list[Hashable]
    head: list[tuple[str, str, str | None]]
    has_references: bool


def _alone(items: FeedItems, at: int, profiles: Profiles) -> _Alone | None:
    """Validate an item alone, None for one that is no question, or that has to be read with the others."""
    element, text = items.values[at], items.text
    if not isinstance(element, dict) or not isinstance(element.get("item"), dict):
        return None
    offset, (start, end) = items.spans[0].start, items.spans[at]
    alone = text[:offset] + text[start:end] + text[items.spans[-1].end :]
    checked = families.check(alone.encode("utf-8", "surrogatepass"), profiles)
    if checked.dialect != CANONICAL:
        return None
    of_item: list[Finding] = []
    head: list[tuple[str, str, str | None]] = []
    for one in checked.findings:
        if _ITEM.match(one.place.pointer or ""):
            of_item.append(one)
        else:
            head.append((one.code, one.message, one.place.pointer))
    return _Alone(alone, of_item, [*_keys(element)], head, _REFERENCE.search(text, start, end) is not None)


def _among_others(items: FeedItems, at: int, alone: _Alone) -> list[Finding]:
    """Return the findings of an item as they are in the whole text, with its places and names."""
    moved = _Moved(alone.text, items.spans[0].start, items.text, items.spans[at].start).findings(alone.findings, at)
    return [replace(one, node=_FIRST.sub(str(at), one.node, count=1) if one.node else None) for one in moved]


class _Moved:
    """Places from one offset of a text on, as places from another offset of another text on; those before it stay."""

    def __init__(self, old: str, at: int, new: str, to: int) -> None:
        self._line, self._column = _line_and_column(old, at)
        line, column = _line_and_column(new, to)
        self._lines, self._columns = line - self._line, column - self._column

    def findings(self, findings: Iterable[Finding], item: int | None = None) -> list[Finding]:
        """Return findings at their places, which are in the item of this number if one is given."""
        return [replace(one, place=self._place(one.place, item)) for one in findings]

    def _place(self, place: Place, item: int | None) -> Place:
        if item is not None:
            place = replace(place, pointer=_ITEM.sub(f"/{ELEMENTS}/{item}", place.pointer or "", count=1))
        line, column = place.line, place.column
        if line is None or column is None or (line, column) < (self._line, self._column):
            return place
        return replace(place, line=line + self._lines, column=column + (self._columns if line == self._line else 0))


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - start + 1
