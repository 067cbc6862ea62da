"""Leftovers: the parts of a canonical object that a dialect has no place for.

`missing_from` computes them: the members and properties that are absent or different when the written document is read
again. Writers keep them under `x_karenina`; `restored` merges them into the object that is read, which gives the
original. `Losses` does this for whole documents and reports each leftover as a finding.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from checkpoint_ld.dialects.dialect import Trail, as_list, is_plain, name_of, step, values
from checkpoint_ld.documents.values import same
from checkpoint_ld.phrases import shown
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.findings import Finding


IsIgnored: TypeAlias = "Callable[[str, Any], bool]"
KEPT = "x_karenina"
"""Member of an object of another dialect that holds its leftovers."""

ORDER = "rating_order"
"""Member of leftovers with the names of all traits of an object, where another order is read again.

A static and a dynamic trait may have one name: the second one that is read again is `[name, 1]`, and so on.
"""

PARKED = "x_v2"
"""Member of a canonical object for members of the GUI's state that the canonical dialect has no place for."""

_EMPTY_PROPERTY = {"@type": "PropertyValue", "value": None}
_INNER = {"item", "acceptedAnswer", "hasPart"}
"""Members that hold a single object, which is compared member by member."""


def park(target: dict[str, Any], members: dict[str, Any], place: str = PARKED) -> None:
    """Put members under `place` of an object; leftovers, and members with keywords of JSON-LD, as a JSON literal."""
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
    """Return whether a member at any depth is a keyword of JSON-LD (§1.7) other than @id and @type."""
    waiting = [value]
    while waiting:
        current = waiting.pop()
        if isinstance(current, dict):
            for name, content in current.items():
                is_name = name in ("@id", "@type") and isinstance(content, str) and not content.startswith("@")
                if name.startswith("@") and not is_name:
                    return True
            waiting.extend(current.values())
        elif isinstance(current, list):
            waiting.extend(current)
    return False


def take_foreign(members: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Take those of the members `names`, which are texts, that have keywords of JSON-LD out of `members`; return them.

    A dialect that is no JSON-LD has plain objects there, which would mean something else in a canonical document.
    """
    return {name: members.pop(name) for name in names if has_keywords(members.get(name))}


def report_foreign(taken: dict[str, Any], rules: Mapping[str, str], source: str, trail: Trail) -> None:
    """Report members that `take_foreign` took from the object at `source`, each by the rule that asks for text."""
    for name in taken.keys() & rules.keys():
        trail.report(rules[name], f"{name} is {shown(taken[name])}, where text is expected", step(source, name))


def is_meaningless(name: str, value: Any) -> bool:
    """Return whether the property `name` of a question has the same meaning with this value as its absence."""
    return value is None and name in ("finished", "author", "sources", "few_shot_examples")


def missing_from(have: dict[str, Any], want: dict[str, Any], is_ignored: IsIgnored = is_meaningless) -> dict[str, Any]:
    """Return the members and properties of `want` that are missing from `have` or differ there.

    Properties that have only a name and a value are left out where `is_ignored` returns True for these.
    """
    rest: dict[str, Any] = {}
    for member, value in want.items():
        held = have.get(member)
        if member in have and same(held, value):
            continue
        if member == "additionalProperty" and isinstance(value, list) and isinstance(held, list | None):
            missing: Any = _missing(held or [], value, is_ignored)
        elif member in _INNER and isinstance(value, dict) and isinstance(held, dict):
            missing = missing_from(held, value, is_ignored)
        else:
            rest[member] = value
            continue
        if missing:
            rest[member] = missing
    return rest


def restored(
    have: dict[str, Any], rest: dict[str, Any], pointer: str = "", source: str = "", trail: Trail | None = None
) -> dict[str, Any]:
    """Return `have` with the leftovers `rest` merged in, the reverse of `missing_from`.

    Ratings are only added, and put into the order of `rest`.

    With a `trail`, `have` will be at `pointer`, and the leftovers stand at `source`.
    """
    whole = dict(have)
    recorded = trail if trail is not None and trail.kept else None
    for member, value in rest.items():
        held = have.get(member)
        place, origin = (step(pointer, member), step(source, member)) if recorded is not None else ("", "")
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
        if recorded is not None and not kept:
            recorded.moved(place, origin)
        elif recorded is not None:
            for index in range(len(value)):
                recorded.moved(step(place, len(kept) + index), step(origin, index))
    return _ordered(whole, pointer, trail) if ORDER in whole else whole


def with_order(left: dict[str, Any], ratings: list[Any], read: list[Any]) -> dict[str, Any]:
    """Return the leftovers of an object with the order of its `ratings`, if they are `read` again in another one."""
    if all(one is other for one, other in zip(ratings, read, strict=True)):
        return left
    labels = dict(zip(map(id, read), _numbered(map(name_of, read)), strict=True))
    found = [labels[id(rating)] for rating in ratings]
    return {**left, ORDER: [[name, number] if number else name for name, number in found]}


def _numbered(names: Iterable[Any]) -> Iterator[tuple[Any, int]]:
    """Yield each name with how many equal ones come before it."""
    before = Counter[Any]()
    for name in names:
        yield name, before[name]
        before[name] += 1


def _ordered(whole: dict[str, Any], pointer: str, trail: Trail | None) -> dict[str, Any]:
    """Return an object with its ratings in the order of their names in its leftovers, others last."""
    names, ratings = whole.pop(ORDER), whole.get("rating")
    if not isinstance(names, list) or not isinstance(ratings, list):
        return whole
    # An older file has names alone; equal ones count in their order there. A file may hold any JSON, hence the repr.
    alone = _numbered(name if isinstance(name, str) else None for name in names if not isinstance(name, list))
    known = {repr(tuple(name) if isinstance(name, list) else next(alone)): rank for rank, name in enumerate(names)}
    ranks = [known.get(repr(label), len(names)) for label in _numbered(map(name_of, ratings))]
    places = sorted(range(len(ratings)), key=ranks.__getitem__)
    if trail is not None:
        trail.reordered(pointer, "rating", places)
    return {**whole, "rating": [ratings[place] for place in places]}


def with_leftovers(have: dict[str, Any], pointer: str, trail: Trail) -> dict[str, Any]:
    """Return an object that was read from a document of the GUI or a Dataset, with its leftovers restored."""
    rest = parked_in(have, KEPT) if KEPT in have else {}
    if not rest or not trail.dialect.startswith(("gui-", "dataset-")):
        return have
    bare = {member: value for member, value in have.items() if member != KEPT}
    if not trail.restored:
        return bare
    place = step(trail.source(pointer), KEPT, *([] if rest is have[KEPT] else ["@value"]))
    return restored(bare, rest, pointer, place, trail)


def _missing(have: list[Any], want: list[Any], is_ignored: IsIgnored) -> list[Any]:
    """Return the properties in `want` that `have` lacks or that differ there, with all others of the same name."""
    wanted = [
        entry
        for entry in want
        if (name := name_of(entry)) is None or not is_plain(entry) or not is_ignored(name, entry.get("value"))
    ]
    if len(values(have)) == len(have) and len(values(wanted)) == len(wanted):
        known = {entry["name"]: entry for entry in have}
        return [entry for entry in wanted if not _is_same(known.get(entry["name"]), entry)]
    held = _by_name(have)
    missing = {name for name, entries in _by_name(wanted).items() if not same(entries, held.get(name, []))}
    return [entry for entry in wanted if name_of(entry) in missing] if missing else []


def _is_same(held: dict[str, Any] | None, entry: dict[str, Any]) -> bool:
    """Return whether two properties of the same name are equal."""
    if held is None:
        return False
    if held.get("value") is entry.get("value") and is_plain(held) and is_plain(entry):
        return True
    return same({**_EMPTY_PROPERTY, **held}, {**_EMPTY_PROPERTY, **entry})


def _by_name(entries: list[Any]) -> dict[str | None, list[Any]]:
    """Group properties by name, each with its type and its null written out."""
    groups: dict[str | None, list[Any]] = {}
    for entry in entries:
        name = name_of(entry)
        groups.setdefault(name, []).append(entry if name is None else {**_EMPTY_PROPERTY, **entry})
    return groups


Tree: TypeAlias = dict[str, Any]
Forms: TypeAlias = "Sequence[Any]"
"""Four forms of an object: written, read again, expected, and in the canonical document."""

_APART = {"@context", "@type", "dataFeedElement"}
"""Members of the root that are compared separately, or that differ in every dialect."""
_LISTS = {"additionalProperty": "property", "rating": "trait"}


def loss(message: str, pointer: str, dialect: str) -> Finding:
    """Return the finding that `dialect` has no place for what is at `pointer` in the canonical document."""
    return finding("loss", message, pointer=pointer, dialect=dialect)


class Losses(NamedTuple):
    """Compares a document of `dialect`, as it is read again, with the canonical document it was written from.

    `read` reads an element of the dialect. `is_made` returns whether every writer regenerates a property of the root.
    `is_idle_in` returns a test for the meaningless settings of a canonical rating.
    """

    dialect: str
    is_made: IsIgnored
    is_idle_in: Callable[[dict[str, Any]], IsIgnored]
    read: Callable[[Any, str, Trail], Any]

    def keep(self, value: Tree, elements: Any, read: Tree, feed: Tree, tree: Tree) -> Iterator[Finding]:
        """Put the leftovers under x_karenina of the root `value`, of its `elements` and ratings; yield their findings.

        `read` is `value` without its elements, read again. `feed` is the expected result. The findings point into
        `tree`, the canonical document.
        """
        want = {name: content for name, content in _unrated(feed).items() if name not in _APART}
        yield from self._compare_ratings((value, read, feed, tree), "")
        yield from self._kept(_left(read, want, self.is_made), value, tree, "")
        forms = (elements, *(form.get("dataFeedElement") for form in (feed, tree)))
        if all(isinstance(form, list) for form in forms):
            for index, (written, want, original) in enumerate(zip(*forms, strict=True)):
                pointer = f"/dataFeedElement/{index}"
                again = self.read(written, "", Trail(self.dialect, restored=False))
                items = [_item_of(form) for form in (written, again, want, original)]
                if None not in items:
                    yield from self._compare_ratings(items, f"{pointer}/item")
                    bare = {**want, "item": _unrated(want["item"])}
                    yield from self._kept(_left(again, bare, is_meaningless), written, original, pointer)

    def _compare_ratings(self, forms: Forms, pointer: str) -> Iterator[Finding]:
        """Compare the ratings of the object at `pointer`."""
        *lists, ratings = (form.get("rating") for form in forms)
        place = step(pointer, "rating")
        places = named_places(ratings, place)
        originals = {name_of(rating): rating for rating in reversed(as_list(ratings))}
        # Ratings that a dialect cannot express are neither written where the others are nor read again here.
        for written, read, want in zip(*lists, strict=False) if all(isinstance(form, list) for form in lists) else ():
            if isinstance(written, dict) and (left := _left(read, want, self.is_idle_in(want))):
                name = name_of(want)
                yield from self._kept(left, written, originals.get(name), places.get(name, place))

    def _kept(self, left: Tree, written: Tree, original: Any, pointer: str) -> Iterator[Finding]:
        """Put what is `left` of an object under x_karenina of what was `written` for it; yield the findings."""
        apart = parked_in(written, KEPT).get("item")  # ratings that the dialect cannot express
        item = {"item": {**apart, **left["item"]}} if apart and isinstance(left.get("item"), dict) else {}
        park(written, {**left, **item}, KEPT)
        return losses_of(left, original, pointer, self.dialect)


def _left(read: Tree, want: Tree, is_ignored: IsIgnored) -> Tree:
    """Return what `read` lacks of an object, with the leftovers that the object itself has."""
    left = missing_from(read, want, is_ignored)
    return {**left, KEPT: want[KEPT]} if KEPT in want else left


def _item_of(element: Any) -> Tree | None:
    item = element.get("item") if isinstance(element, dict) else None
    return item if isinstance(item, dict) else None


def _unrated(members: Tree) -> Tree:
    """Return an object without its ratings, which are compared separately."""
    return {name: value for name, value in members.items() if name != "rating" or not isinstance(value, list)}


def losses_of(left: dict[str, Any], original: Any, pointer: str, dialect: str) -> Iterator[Finding]:
    """Yield a finding for everything in `left`, the leftovers of the object `original` at `pointer`."""
    for member, value in left.items():
        place = step(pointer, member)
        held = original.get(member) if isinstance(original, dict) else None
        if member in _LISTS and isinstance(value, list):
            places = named_places(held, place)
            for entry in value:
                name = entry.get("name") if isinstance(entry, dict) else None
                message = f'the {_LISTS[member]} "{name}" has no place in {dialect}; it is kept under x_karenina'
                yield loss(message, places.get(name_of(entry), place), dialect)
        elif member == ORDER:
            if "rating" not in left:
                message = f"the order of the traits has no place in {dialect}; it is kept under x_karenina"
                yield loss(message, step(pointer, "rating"), dialect)
        elif isinstance(value, dict) and isinstance(held, dict) and member in _INNER:
            yield from losses_of(value, held, place, dialect)
        else:
            yield loss(f"{member} has no place in {dialect}; it is kept under x_karenina", place, dialect)


def named_places(entries: Any, pointer: str) -> dict[str | None, str]:
    """Return the pointers of the entries of the array at `pointer`, by their names: the first entry of each name."""
    places: dict[str | None, str] = {}
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict):
            places.setdefault(name_of(entry), step(pointer, index))
    return places
