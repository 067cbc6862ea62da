"""Leftovers: what a document says beyond its translation into a dialect with fewer words.

They are a part of a canonical object: the members that differ, and of its properties those that the translation lacks
or gives another value. Laid over the object that is read from the translation they give the original again.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from checkpoint_ld.dialects.dialect import Trail, is_plain, name_of, plain_values, step, values
from checkpoint_ld.documents.values import same
from checkpoint_ld.rules import finding
from checkpoint_ld.vocabulary import BY_TYPE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from checkpoint_ld.findings import Finding


Silent: TypeAlias = "Callable[[str, Any], bool]"
KEPT = "x_karenina"
"""Member of an object of a dialect with fewer words: what it says in the canonical dialect beyond the translation."""

PARKED = "x_v2"
"""Member of a canonical object with what has a meaning in the GUI's state, or a shape, that leaves no place for it."""

_KNOWN = {kind: frozenset(members) for kind, members in BY_TYPE.items()}
_MEANING = {KEPT, PARKED, "keywords", "rubric", "globalRubric", "author", "item", "acceptedAnswer", "hasPart", "rating"}
"""Members that mean something on one object or another, wherever they stand."""
_NOTHING = {"@type": "PropertyValue", "value": None}
"""What a property says that says nothing."""
_INNER = {"item", "acceptedAnswer", "hasPart"}
"""Members that hold one object and are compared within."""


def park(target: dict[str, Any], members: dict[str, Any], place: str = PARKED) -> None:
    """Put members under `place` of an object: leftovers, and what JSON-LD would read otherwise, as a JSON literal."""
    if members:
        held = {**parked_in(target, place), **members}
        target[place] = {"@type": "@json", "@value": held} if place == KEPT or has_keywords(held) else held


def parked_in(target: dict[str, Any], place: str = PARKED) -> dict[str, Any]:
    """Return the members that `park` put there."""
    held = target.get(place)
    if isinstance(held, dict) and held.keys() == {"@type", "@value"}:
        held = held["@value"]
    return held if isinstance(held, dict) else {}


def has_keywords(value: Any) -> bool:
    """Return whether a member at any depth has the name of a keyword of JSON-LD (§1.7), apart from ids and types."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            for name, content in one.items():
                is_name = name in ("@id", "@type") and isinstance(content, str) and not content.startswith("@")
                if name.startswith("@") and not is_name:
                    return True
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return False


def is_meaningless(name: str, value: Any) -> bool:
    """Return whether the property `name` of a question says no more with this value than its absence does."""
    return value is None and name in ("finished", "author", "sources", "few_shot_examples")


def is_usual(members: Any, kind: str, *, may_have_others: bool = False) -> bool:
    """Return whether an object of a `kind` has only members that Karenina knows, all of them with values.

    If it `may_have_others`, those that mean nothing in any dialect are usual too.
    """
    return (
        isinstance(members, dict)
        and members.get("@type", kind) == kind
        and (
            _KNOWN[kind].issuperset(members)
            or (may_have_others and all(map(_means_nothing, members.keys() - _KNOWN[kind])))
        )
        and None not in members.values()
    )


def _means_nothing(name: str) -> bool:
    return not name.startswith(("@", "deep_judgment_")) and name not in _MEANING


def are_usual(element: Any, *, may_have_others: bool = False) -> bool:
    """Return whether an element, its question, and the answer and template of that are usual, ratings left aside."""
    usual = partial(is_usual, may_have_others=may_have_others)
    if not usual(element, "DataFeedItem") or "keywords" in element or not usual(element.get("item"), "Question"):
        return False
    question = element["item"]
    return (
        isinstance(question.get("rating", []), list)
        and usual(question.get("acceptedAnswer", {}), "Answer")
        and usual(question.get("hasPart", {}), "SoftwareSourceCode")
    )


def is_whole(element: dict[str, Any], written: dict[str, Any], plain: set[int], has_place: Silent) -> bool:
    """Return whether reading what was `written` of an element gives all of it again; of an unusual one, say no.

    `plain` has the identities of the ratings that come back. `has_place` tells whether a property of a question does.
    """
    if not are_usual(element, may_have_others=True):
        return False
    question, other = element["item"], written["item"]
    entries = plain_values(question.get("additionalProperty", []))
    return (
        entries is not None
        and all(has_place(name, value) for name, value in entries.items())
        and all(isinstance(one.get("@id", ""), str) for one in (element, question))
        and all(element[name] == written[name] for name in ("dateCreated", "dateModified") if name in element)
        and all(
            question[name].items() <= other[name].items() for name in ("acceptedAnswer", "hasPart") if name in question
        )
        and plain.issuperset(map(id, question.get("rating", ())))
    )


def plain_settings(rating: dict[str, Any], kind: str) -> dict[str, Any] | None:
    """Return the settings of a canonical rating by name; None for one that is not usual, or not of the type `kind`."""
    if (
        is_usual(rating, "Rating", may_have_others=True)
        and rating.get("additionalType") == kind
        and isinstance(rating.get("@id", ""), str)
        and all(type(rating[bound]) is float for bound in ("bestRating", "worstRating") if bound in rating)
    ):
        return plain_values(rating.get("additionalProperty", []))
    return None


def beyond(have: dict[str, Any], want: dict[str, Any], is_silent: Silent = is_meaningless) -> dict[str, Any]:
    """Return what `want` says and `have` does not; what only `have` says does not count.

    Properties whose name and value are silent do not count either, unless they have members beside these.
    """
    rest: dict[str, Any] = {}
    for member, value in want.items():
        held = have.get(member)
        if member in have and same(held, value):
            continue
        if member == "additionalProperty" and isinstance(value, list) and isinstance(held, list | None):
            missing: Any = _missing(held or [], value, is_silent)
        elif member in _INNER and isinstance(value, dict) and isinstance(held, dict):
            missing = beyond(held, value, is_silent)
        else:
            rest[member] = value
            continue
        if missing:
            rest[member] = missing
    return rest


def restored(
    have: dict[str, Any], rest: dict[str, Any], pointer: str = "", source: str = "", trail: Trail | None = None
) -> dict[str, Any]:
    """Return `have` with leftovers laid over it: the reverse of `beyond`. Ratings are added, never replaced.

    With a `trail`, `have` will be at `pointer`, and the leftovers stand at `source`.
    """
    whole = dict(have)
    for member, value in rest.items():
        held = have.get(member)
        place, origin = step(pointer, member), step(source, member)
        if member in _INNER and isinstance(value, dict) and isinstance(held, dict):
            whole[member] = restored(held, value, place, origin, trail)
            continue
        kept: list[Any] = []
        if member == "additionalProperty" and isinstance(value, list) and isinstance(held, list):
            names = {name_of(entry) for entry in value}
            kept = [entry for entry in held if name_of(entry) not in names]
        elif member == "rating" and isinstance(value, list) and isinstance(held, list):
            kept = held
        whole[member] = [*kept, *value] if kept else value
        if trail is not None and not kept:
            trail.moved(place, origin)
        elif trail is not None:
            for index in range(len(value)):
                trail.moved(step(place, len(kept) + index), step(origin, index))
    return whole


def laid_over(have: dict[str, Any], pointer: str, trail: Trail) -> dict[str, Any]:
    """Return an object as it was read from a document of the GUI or a Dataset, with its leftovers laid over it."""
    rest = parked_in(have, KEPT) if KEPT in have else {}
    if not rest or not trail.dialect.startswith(("gui-", "dataset-")):
        return have
    bare = {member: value for member, value in have.items() if member != KEPT}
    if not trail.restored:
        return bare
    place = step(trail.source(pointer), KEPT, *([] if rest is have[KEPT] else ["@value"]))
    return restored(bare, rest, pointer, place, trail)


def _missing(have: list[Any], want: list[Any], is_silent: Silent) -> list[Any]:
    """Return the properties in `want` that `have` lacks or gives otherwise; with one of a name, all of that name."""
    wanted = [
        entry
        for entry in want
        if (name := name_of(entry)) is None or not is_plain(entry) or not is_silent(name, entry.get("value"))
    ]
    if len(values(have)) == len(have) and len(values(wanted)) == len(wanted):
        known = {entry["name"]: entry for entry in have}
        return [entry for entry in wanted if not _is_same(known.get(entry["name"]), entry)]
    held = _by_name(have)
    missing = {name for name, entries in _by_name(wanted).items() if not same(entries, held.get(name, []))}
    return [entry for entry in wanted if name_of(entry) in missing] if missing else []


def _is_same(held: dict[str, Any] | None, entry: dict[str, Any]) -> bool:
    """Return whether properties of one name say the same."""
    if held is None:
        return False
    if held.get("value") is entry.get("value") and is_plain(held) and is_plain(entry):
        return True
    return same({**_NOTHING, **held}, {**_NOTHING, **entry})


def _by_name(entries: list[Any]) -> dict[str | None, list[Any]]:
    """Group properties by name, each without what all properties share and with its null written out."""
    groups: dict[str | None, list[Any]] = {}
    for entry in entries:
        name = name_of(entry)
        groups.setdefault(name, []).append(entry if name is None else {**_NOTHING, **entry})
    return groups


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
    """What a document of `dialect` does not say of a canonical one: found by reading again what is unusual in it.

    `read` reads an element of the dialect, `whole` has the indexes of the elements of which the writer knows that
    nothing is lost. `is_made` tells the properties of the root that every writer makes anew, `is_idle_in` returns how
    to tell the settings of a canonical rating that say nothing.
    """

    dialect: str
    is_made: Silent
    is_idle_in: Callable[[dict[str, Any]], Silent]
    read: Callable[[Any, str, Trail], Any]
    whole: set[int]

    def set_apart(self, value: Tree, elements: Any, read: Tree, feed: Tree, tree: Tree) -> Iterator[Finding]:
        """Put what is lacking under x_karenina of the root `value`, of its `elements` and ratings; yield what it is.

        `read` is what reading `value` without its elements gives, `feed` what all of it should give, `tree` the
        canonical document, into which the findings point.
        """
        want = {name: content for name, content in _unrated(feed).items() if name not in _APART}
        yield from self._of_ratings((value, read, feed, tree), "")
        yield from self._of((value, read, want, tree), "", self.is_made)
        forms = (elements, *(one.get("dataFeedElement") for one in (feed, tree)))
        if all(isinstance(one, list) for one in forms):
            for index, (written, want, original) in enumerate(zip(*forms, strict=True)):
                if index not in self.whole:
                    again = self.read(written, "", Trail(self.dialect))
                    yield from self._of_element((written, again, want, original), step("/dataFeedElement", index))

    def _of_element(self, forms: Forms, pointer: str) -> Iterator[Finding]:
        items = tuple(one.get("item") if isinstance(one, dict) else None for one in forms)
        if all(isinstance(one, dict) for one in items):
            written, read, want, original = forms
            yield from self._of_ratings(items, step(pointer, "item"))
            want = {**want, "item": _unrated(want["item"])}
            yield from self._of((written, read, want, original), pointer, is_meaningless)

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
        apart = parked_in(written, KEPT).get("item")  # ratings for which the dialect has no words
        item = {"item": {**apart, **left["item"]}} if apart and isinstance(left.get("item"), dict) else {}
        park(written, {**left, **item}, KEPT)
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
