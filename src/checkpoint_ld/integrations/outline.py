"""The outline of a benchmark's text: its questions, scenarios and traits. Those of unchanged feed items stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lsprotocol import types

from checkpoint_ld.documents.text import Spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from checkpoint_ld.documents.text import Extent, Path
    from checkpoint_ld.integrations.feed_items import FeedItems
    from checkpoint_ld.integrations.positions import Positions


class _OutlineEntry(NamedTuple):
    """An entry of an outline, with offsets from the beginning of its feed item on, or from that of the text."""

    name: str
    kind: types.SymbolKind
    start: int
    end: int
    children: list[_OutlineEntry]

    def symbol(self, places: Positions, shift: int) -> types.DocumentSymbol:
        place = places.span(self.start + shift, self.end + shift)
        children = [one.symbol(places, shift) for one in self.children]
        return types.DocumentSymbol(
            self.name, self.kind, place, types.Range(place.start, place.start), children=children
        )


def _entry(span: Callable[[Path], Extent], path: Path, held: Any, kind: types.SymbolKind) -> _OutlineEntry | None:
    item = held.get("item", held) if isinstance(held, dict) else None
    if not isinstance(item, dict):
        return None
    name = next((item[key] for key in ("text", "name") if isinstance(item.get(key), str) and item[key]), "…")
    below = (*path, "rating") if item is held else (*path, "item", "rating")
    children = _entries(span, below, item.get("rating"), types.SymbolKind.Property)
    return _OutlineEntry(name, kind, *span(path), [*children])


def _entries(span: Callable[[Path], Extent], path: Path, held: Any, kind: types.SymbolKind) -> Iterator[_OutlineEntry]:
    for at, one in enumerate(held if isinstance(held, list) else ()):
        entry = _entry(span, (*path, at), one, kind)
        if entry is not None:
            yield entry


class TextOutline:
    """The outlines of the texts of one document, one after the other."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, _OutlineEntry | None]] = {}

    def symbols(self, items: FeedItems, places: Positions) -> list[types.DocumentSymbol]:
        """Return the symbols of a text."""
        known, self._known = self._known, {}
        elements: list[types.DocumentSymbol] = []
        for value, (start, end) in zip(items.values, items.spans, strict=True):
            found = known.get(id(value))
            if found is None:
                span = Spans(items.text[start:end]).value
                found = value, _entry(span, (), value, types.SymbolKind.Object)
            self._known[id(value)] = found
            if found[1] is not None:
                elements.append(found[1].symbol(places, start))
        return [
            *self._of_head(items, places, "rating", types.SymbolKind.Property),
            *elements,
            *self._of_head(items, places, "hasPart", types.SymbolKind.Module),
        ]

    @staticmethod
    def _of_head(
        items: FeedItems, places: Positions, member: str, kind: types.SymbolKind
    ) -> Iterator[types.DocumentSymbol]:
        for one in _entries(items.span, (member,), items.tree.get(member), kind):
            yield one.symbol(places, 0)
