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
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.text import Spans
from checkpoint_ld.errors import ReadError
from checkpoint_ld.validation.validator import by_place

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from checkpoint_ld.families import Profiles
    from checkpoint_ld.findings import Finding, Place
    from checkpoint_ld.validation.results import Checked

_ELEMENTS = "dataFeedElement"
_ITEM = re.compile(rf"/{_ELEMENTS}/(\d+)(?=/|\Z)")
_REFERENCE = re.compile(r'\{\s*"@id"\s*:\s*"[^"]*"\s*\}')
"""An object that only names another one, which may be anywhere."""


@dataclass
class _ValidatedText:
    """A text that was validated, with the spans and the keys of its feed items, and the findings by item.

    Findings of the head are those under None. `keys` count identifiers and texts of questions.
    """

    text: str
    spans: list[tuple[int, int]]
    keys: Counter[Hashable]
    by_item: dict[int | None, list[Finding]] = field(default_factory=dict)


class EditedText:
    """The verdicts on the texts of one document, one after the other."""

    def __init__(self) -> None:
        self._last: tuple[str, Checked, Hashable] | None = None
        self._known: _ValidatedText | None = None

    def check(self, text: str, profiles: Profiles) -> Checked:
        """Return what `families.check` returns for a text."""
        last, known = self._last, self._known
        self._last = self._known = None
        rules = _of(profiles)
        if last is not None and last[2] == rules:
            known = known or _begun(*last[:2])
            if known is not None and _follows(known, text, profiles):
                findings = sorted((one for several in known.by_item.values() for one in several), key=by_place)
                checked = replace(last[1], findings=tuple(findings), text=text if findings else None)
                self._last, self._known = (text, checked, rules), known
                return checked
        checked = families.check(text.encode("utf-8", "surrogatepass"), profiles)
        self._last = text, checked, rules
        return checked


def _of(profiles: Profiles) -> Hashable:
    """Return what tells two choices of rules apart."""
    own = profiles.first.own_shapes
    return profiles.name, own, tuple((one.stat().st_mtime_ns, one.stat().st_size) for one in own)


def _begun(text: str, checked: Checked) -> _ValidatedText | None:
    """Return what is needed to follow a text, None for one that cannot be followed."""
    if checked.dialect != CANONICAL or text.startswith("\ufeff"):
        return None
    try:
        value = read_json(text.encode("utf-8", "surrogatepass")).value
        elements = value[_ELEMENTS]
        spans = Spans(text)
        found = [spans.value((_ELEMENTS, at)) for at in range(len(elements))]
        keys = Counter(key for element in elements for key in _keys(element))
    except (ReadError, KeyError, TypeError, AttributeError):  # a document of another form
        return None
    known = _ValidatedText(text, [(start, end) for start, end in found], keys)
    for one in checked.findings:
        place = _ITEM.match(one.place.pointer or "")
        known.by_item.setdefault(None if place is None else int(place[1]), []).append(one)
    return known


def _keys(element: Any) -> Iterator[Hashable]:
    """Yield what questions may have in common: identifiers and texts."""
    question = element.get("item")
    yield "@id", str(element.get("@id"))
    if isinstance(question, dict):
        yield "text", str(question.get("text"))


def _edit(old: str, new: str) -> tuple[int, int, int]:
    """Return where two texts begin to differ, and the ends of the difference in the old one and in the new one."""
    start = _common(old, new, min(len(old), len(new)))
    most = min(len(old), len(new)) - start
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if old[len(old) - middle :] == new[len(new) - middle :]:
            low = middle
        else:
            high = middle - 1
    return start, len(old) - low, len(new) - low


def _common(old: str, new: str, most: int) -> int:
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _follows(known: _ValidatedText, text: str, profiles: Profiles) -> bool:
    """Let a text that was validated become an edited one, with its findings; return whether that is possible."""
    start, old_end, new_end = _edit(known.text, text)
    if start == old_end == new_end:
        return True
    at = next((at for at, (first, last) in enumerate(known.spans) if first < start and old_end < last), None)
    if at is None:
        return False
    first, last = known.spans[at]
    shift = new_end - old_end
    before, after = known.text[first:last], text[first : last + shift]
    old, new = (_alone(known, one, profiles) for one in (before, after))
    if old is None or new is None or old.head != new.head or _REFERENCE.search(after) or _REFERENCE.search(before):
        return False
    shared = [key for key in old.keys if known.keys[key] > 1] + [
        key for key in {*new.keys} - {*old.keys} if known.keys[key]
    ]
    was = known.by_item.get(at, [])
    places = _ItemPlaces(known.text, first, old.offset, old.text)
    if shared or _plain(was) != _plain(places.moved(old.findings, at)):
        return False
    known.keys.subtract(old.keys)
    known.keys.update(new.keys)
    known.by_item[at] = _ItemPlaces(text, first, new.offset, new.text).moved(new.findings, at)
    lines = _Shift(known.text, text, old_end, new_end)
    for item, several in known.by_item.items():
        if item != at:
            known.by_item[item] = [replace(one, place=lines.moved(one.place)) for one in several]
    known.text = text
    known.spans[at] = first, last + shift
    for later in range(at + 1, len(known.spans)):
        begin, end = known.spans[later]
        known.spans[later] = begin + shift, end + shift
    return True


def _plain(findings: Iterable[Finding]) -> list[str]:
    """Return findings in one order, without the names of nodes, which depend on the place among all items."""
    return sorted(repr(replace(one, node=None)) for one in findings)


@dataclass
class _Alone:
    """A feed item in a document of its own: its offset there, its findings, its keys, and the findings of the head."""

    text: str
    offset: int
    findings: list[Finding]
    keys: list[Hashable]
    head: list[tuple[str, str, str | None]]


def _alone(known: _ValidatedText, item: str, profiles: Profiles) -> _Alone | None:
    """Validate an item alone, None for a text that is no item, or that has to be read with the others."""
    text = known.text
    offset = known.spans[0][0]
    alone = text[:offset] + item + text[known.spans[-1][1] :]
    try:
        document = read_json(alone.encode("utf-8", "surrogatepass"))
        [element] = document.value[_ELEMENTS]
        if not isinstance(element.get("item"), dict):
            return None
        keys = list(_keys(element))
    except (ReadError, ValueError, KeyError, TypeError, AttributeError):
        return None
    checked = families.check(alone.encode("utf-8", "surrogatepass"), profiles)
    if checked.dialect != CANONICAL:
        return None
    of_item = [one for one in checked.findings if _ITEM.match(one.place.pointer or "")]
    head = [one for one in checked.findings if not _ITEM.match(one.place.pointer or "")]
    return _Alone(alone, offset, of_item, keys, [(one.code, one.message, one.place.pointer) for one in head])


class _ItemPlaces:
    """Places in a document of one item, as places in the text in which that item begins at `first`."""

    def __init__(self, text: str, first: int, offset: int, alone: str) -> None:
        self._line, self._column = _line_and_column(text, first)
        self._own_line, self._own_column = _line_and_column(alone, offset)

    def moved(self, findings: Iterable[Finding], at: int) -> list[Finding]:
        """Return findings of the item, which is the one with the number `at` in the text."""
        return [replace(one, place=self._place(one.place, at)) for one in findings]

    def _place(self, place: Place, at: int) -> Place:
        line, column = place.line, place.column
        if line is not None and column is not None:
            column += self._column - self._own_column if line == self._own_line else 0
            line += self._line - self._own_line
        pointer = _ITEM.sub(f"/{_ELEMENTS}/{at}", place.pointer or "", count=1)
        return replace(place, line=line, column=column, pointer=pointer)


class _Shift:
    """Places in a text as places in the edited text; they are outside of what was edited."""

    def __init__(self, old: str, new: str, old_end: int, new_end: int) -> None:
        self._line, self._column = _line_and_column(old, old_end)
        line, column = _line_and_column(new, new_end)
        self._lines, self._columns = line - self._line, column - self._column

    def moved(self, place: Place) -> Place:
        line, column = place.line, place.column
        if line is None or column is None or (line, column) < (self._line, self._column):
            return place
        return replace(place, line=line + self._lines, column=column + (self._columns if line == self._line else 0))


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - start + 1
