"""What a dialect cannot hold, as findings with a place in the canonical document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from checkpoint_ld.dialects.dialect import step
from checkpoint_ld.dialects.leftovers import KEPT, beyond, park, says_nothing
from checkpoint_ld.dialects.properties import name_of
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from checkpoint_ld.dialects.leftovers import Silent
    from checkpoint_ld.findings import Finding

Tree: TypeAlias = dict[str, Any]
Forms: TypeAlias = tuple[Any, ...]
"""One object as it was written, as it was read from there, as it should be, and as it stands in the document."""

_APART = {"@context", "@type", "dataFeedElement"}
"""Members of the root that are looked at on their own, or that every dialect has in its own way."""
_LISTS = {"additionalProperty": "property", "rating": "trait"}


def loss(message: str, pointer: str, dialect: str) -> Finding:
    """Return the finding that `dialect` has no place for what is at `pointer` in the canonical document."""
    return finding("loss", message, pointer=pointer, dialect=dialect)


class Losses(NamedTuple):
    """What a document of `dialect` does not say of a canonical one: found by reading it again.

    `is_made` tells the properties of the root that every writer makes anew, `is_idle_in` returns how to tell the
    settings of a canonical rating that say nothing.
    """

    dialect: str
    is_made: Silent
    is_idle_in: Callable[[dict[str, Any]], Silent]

    def set_apart(self, value: Tree, elements: Any, read: Tree, feed: Tree, tree: Tree) -> Iterator[Finding]:
        """Put what is lacking under x_karenina of the root `value`, of its `elements` and ratings; yield what it is.

        `read` is what reading `value` gives, `feed` what it should give, `tree` the canonical document, into which the
        findings point.
        """
        want = {name: content for name, content in _unrated(feed).items() if name not in _APART}
        yield from self._of_ratings((value, read, feed, tree), "")
        yield from self._of((value, read, want, tree), "", self.is_made)
        forms = (elements, *(one.get("dataFeedElement") for one in (read, feed, tree)))
        if all(isinstance(one, list) for one in forms):
            for index, element in enumerate(zip(*forms, strict=True)):
                yield from self._of_element(element, step("/dataFeedElement", index))

    def _of_element(self, forms: Forms, pointer: str) -> Iterator[Finding]:
        items = tuple(one.get("item") if isinstance(one, dict) else None for one in forms)
        if all(isinstance(one, dict) for one in items):
            written, read, want, original = forms
            yield from self._of_ratings(items, step(pointer, "item"))
            want = {**want, "item": _unrated(want["item"])}
            yield from self._of((written, read, want, original), pointer, says_nothing)

    def _of_ratings(self, forms: Forms, pointer: str) -> Iterator[Finding]:
        """Look at the ratings of one object, the one at `pointer`."""
        *lists, held = (one.get("rating") for one in forms)
        # Ratings that a dialect has no words for come last, and are not written where the others are.
        for written, read, want in zip(*lists, strict=False) if all(isinstance(one, list) for one in lists) else ():
            if isinstance(written, dict):
                name = name_of(want)
                original = next((one for one in held or () if name_of(one) == name), None)
                place = named_place(held, name, step(pointer, "rating"))
                yield from self._of((written, read, want, original), place, self.is_idle_in(want))

    def _of(self, forms: Forms, pointer: str, is_silent: Silent) -> Iterator[Finding]:
        written, read, want, original = forms
        left = beyond(read, want, is_silent)
        if KEPT in want:
            left[KEPT] = want[KEPT]
        park(written, left, KEPT)
        return losses_of(left, original, pointer, self.dialect)


def _unrated(members: Tree) -> Tree:
    """Return an object without its ratings, which are looked at on their own."""
    return {name: one for name, one in members.items() if name != "rating" or not isinstance(one, list)}


def losses_of(left: dict[str, Any], original: Any, pointer: str, dialect: str) -> Iterator[Finding]:
    """Yield a finding for everything in `left`, which could not be mapped of the object `original` at `pointer`."""
    for member, value in left.items():
        place = step(pointer, member)
        held = original.get(member) if isinstance(original, dict) else None
        if member in _LISTS and isinstance(value, list):
            for entry in value:
                name = entry.get("name") if isinstance(entry, dict) else None
                message = f'the {_LISTS[member]} "{name}" has no place in {dialect}; it is kept under x_karenina'
                yield loss(message, named_place(held, name, place), dialect)
        elif isinstance(value, dict) and isinstance(held, dict) and member in ("item", "acceptedAnswer", "hasPart"):
            yield from losses_of(value, held, place, dialect)
        else:
            yield loss(f"{member} has no place in {dialect}; it is kept under x_karenina", place, dialect)


def named_place(entries: Any, name: object, pointer: str) -> str:
    """Return the pointer of the entry called `name` in the array at `pointer`, or of the array if it has none."""
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict) and entry.get("name") == name:
            return step(pointer, index)
    return pointer
