"""The elements of a feed that are as usual and surely satisfy all shapes: nothing more need be asked of them.

They are looked at in the canonical tree, kind of place by kind of place (`looking`). Whatever is out of the ordinary is
in doubt, and the general way of `derivation` and `screen` looks at it. If there is nothing of that kind in the whole
checkpoint, not even its graph is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.documents.values import walk
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.alike import TOGETHER
from checkpoint_ld.graph.expansion import named
from checkpoint_ld.graph.plans import NotCoveredError, compiled
from checkpoint_ld.validation.holders import derived, holders
from checkpoint_ld.validation.kinds import (
    ANSWER,
    BENCHMARK,
    BENCHMARK_SETTING,
    BY_NAME,
    CREATOR,
    GLOBAL_TRAIT,
    ITEM,
    QUESTION,
    QUESTION_SETTING,
    TEMPLATE,
    TRAIT,
)
from checkpoint_ld.validation.looking import Look
from checkpoint_ld.validation.plans import planner
from checkpoint_ld.validation.rubrics import global_names, traits
from checkpoint_ld.vocabulary import KARENINA

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from rdflib.term import Node

    from checkpoint_ld.graph.plans import Plans
    from checkpoint_ld.validation.kinds import Place
    from checkpoint_ld.validation.rubrics import Name
    from checkpoint_ld.validation.screen import Screen
    from checkpoint_ld.validation.sorts import Sort

Tree = dict[str, Any]

ELEMENTS_KEY = "dataFeedElement"
RATINGS_KEY = "rating"
_ITEM_ID = named(KARENINA + "itemId")
_ROOT = -1
"""What stands for the benchmark among the owners of objects."""


class Settled(NamedTuple):
    """The numbers of the elements that surely satisfy all shapes, and the names that their objects have of their own.

    None of them shares anything with what is left that it could be told by. `suspects` are shapes that some of the
    others may break, by the names that their objects have: they surely satisfy all other ones. `is_rest_settled` says
    that the benchmark surely satisfies all shapes, too, and what else hangs on it.
    """

    elements: tuple[int, ...]
    names: frozenset[str]
    suspects: Mapping[str, AbstractSet[Node]]
    is_rest_settled: bool


_NOTHING = Settled((), frozenset(), {}, is_rest_settled=False)


def settled(tree: Tree, screen: Screen) -> Settled:
    """Look at a canonical tree; return what is settled, nothing at all in a tree that is not as usual.

    Karenina's GUI gives traits of one name one identifier, in whichever questions they are. The first has it as its
    name. Where this is all that is in doubt, a second look takes it for the name of none.
    """
    try:
        plans = compiled(tree.get("@context"))
        feed = _Feed(tree, plans, screen)
        found = feed.settled()
        again = _Feed(tree, plans, screen, feed.shared).settled() if feed.shared else found
    except (NotCoveredError, ReadError):  # what cannot be read is for the graph to say
        return _NOTHING
    return again if again.is_rest_settled and len(again.elements) == len(tree[ELEMENTS_KEY]) else found


class _Feed:
    """One look at a checkpoint: at all elements of its feed, and at what else there is.

    `no_names` are identifiers that several traits have. `shared` tells them if nothing else is in doubt.
    """

    def __init__(self, tree: Tree, plans: Plans, screen: Screen, no_names: frozenset[str] = frozenset()) -> None:
        self.shared: frozenset[str] = frozenset()
        self._no_names = no_names
        self._context = tree.get("@context")
        self._root = {key: value for key, value in tree.items() if key != "@context"}
        self._plans = plans
        self._look = Look(planner(screen, plans), no_names)
        self._texts: list[tuple[str, int]] = []

    def settled(self) -> Settled:
        """Return what is settled."""
        elements = self._root.get(ELEMENTS_KEY)
        if not isinstance(elements, list) or not elements or set(map(type, elements)) != {dict}:
            return _NOTHING
        meaning = self._plans.at(BENCHMARK.type, None, None)
        known = dict(zip(self._root, meaning.members(tuple(self._root)), strict=True))
        names = global_names(self._root.get(RATINGS_KEY), known.get(RATINGS_KEY), meaning, self._plans)
        via = known[ELEMENTS_KEY]
        if self._root.get("@type") != BENCHMARK.type or names is None or via is None or not via.is_set:
            return _NOTHING
        look = self._look
        for start in range(0, len(elements), TOGETHER):
            look.judge()  # those before: the last ones are judged together with the benchmark, which has many alike
            some = elements[start : start + TOGETHER]
            owned = some, range(start, start + len(some))
            self._items(list(look.sorts(ITEM, via, meaning, owned)), names)
        self._rest()
        look.judge()
        if _ROOT in look.refused:
            look.doubtful.add(_ROOT)
        if not look.doubtful and not look.refused:
            self.shared = look.shared_by_traits()
        self._set_apart(elements)
        kept = {*look.doubtful, *look.refused}
        found = tuple(at for at in range(len(elements)) if at not in kept)
        own = frozenset(name for _, name, owner in look.identifiers if owner not in kept and owner != _ROOT)
        clear = look.refused.keys() - look.doubtful
        suspects = {name: look.refused[owner] for _, name, owner in look.identifiers if owner in clear}
        return Settled(found, own, suspects, is_rest_settled=_ROOT not in kept)

    def _items(self, items: Sequence[Sort], global_names: set[Name]) -> None:
        """Look at elements and at all that hangs on them."""
        look = self._look
        for item in items:
            is_usual = "@id" in item.objects[0] and "item" in item
            look.at(item, item.pattern.plan({"@id": _ITEM_ID}) if is_usual else None)
        questions = list(look.parts(items, "item", QUESTION))
        for question in questions:
            if "text" in question:
                self._texts += zip(question.column("text"), question.owners, strict=True)
            else:
                look.doubtful.update(question.owners)
        self._with_settings(questions, QUESTION_SETTING)
        look.simple(look.parts(questions, "acceptedAnswer", ANSWER))
        look.simple(look.parts(questions, "hasPart", TEMPLATE))
        self._named(questions, TRAIT, global_names)

    def _with_settings(self, sorts: Sequence[Sort], of_settings: Place) -> None:
        """Look at objects and at their settings."""
        role = of_settings.name.removesuffix("Setting")
        for held, told in holders(self._look, sorts, of_settings):
            self._look.at(held, None if told.repeated else held.pattern.plan(derived(told, role)))

    def _named(self, sorts: Sequence[Sort], place: Place, taken: set[Name]) -> None:
        """Look at the traits of objects, of which no two may have one name, and none a name that is taken."""
        ratings = list(self._look.parts(sorts, RATINGS_KEY, place))
        named = list(traits(self._look, ratings, self._plans))
        self._look.doubtful.update(owner for owner, name in named if name in taken)
        self._look.doubtful.update(_sharing([(one, one[0]) for one in named]))

    def _rest(self) -> None:
        """Look at the benchmark and at what hangs on it beside its elements."""
        look = self._look
        if contexts.remembered(self._context) is not None or "hasPart" in self._root:
            look.doubtful.add(_ROOT)
        place = BENCHMARK if isinstance(self._root.get(CREATOR.member), dict) else BY_NAME
        benchmark = list(look.sorts(place, None, None, ([self._root], [_ROOT])))
        self._with_settings(benchmark, BENCHMARK_SETTING)
        self._named(benchmark, GLOBAL_TRAIT, set())
        if place is BENCHMARK:
            look.simple(look.parts(benchmark, CREATOR.member, CREATOR))

    def _set_apart(self, elements: list[Tree]) -> None:
        """Put in doubt what shares an identifier or a text with something else, or is named in what is in doubt.

        What is only named in what breaks some shapes at most surely satisfies all of them: it is kept beside it.
        """
        look = self._look
        stems = [(name.replace("#", "%23"), owner) for _, name, owner in look.identifiers if name not in self._no_names]
        look.doubtful.update(_sharing(stems), _sharing(self._texts))
        if not look.doubtful and not look.refused:
            return
        keys = [*self._texts, *((one, owner) for told, name, owner in look.identifiers for one in {told, name})]
        look.doubtful.update(self._named_in(look.doubtful, elements, keys))
        rest = [(one, owner) for one, owner in keys if owner not in look.doubtful]
        for owner in self._named_in(look.refused.keys() - look.doubtful, elements, rest):
            look.refused[owner] |= set()

    def _named_in(
        self, owners: AbstractSet[int], elements: list[Tree], keys: Sequence[tuple[str, int]]
    ) -> AbstractSet[int]:
        """Return `owners`, and those of keys that are named in what belongs to them, or to what is named there."""
        found = set(owners)
        done: set[int] = set()
        while new := found - done:
            left = [(one, owner) for one, owner in keys if owner not in found]
            if not left:
                break
            mentioned = {
                text for at in new for text in _texts_in(self._rest_of_root() if at == _ROOT else elements[at])
            }
            found.update(owner for one, owner in left if one in mentioned)
            done |= new
        return found

    def _rest_of_root(self) -> Tree:
        return {key: value for key, value in self._root.items() if key != ELEMENTS_KEY}


def _sharing(keys: Collection[tuple[Hashable, int]]) -> set[int]:
    """Return the owners of keys that are there more than once."""
    if len(dict(keys)) == len(keys):
        return set()
    first: dict[Hashable, int] = {}
    found: set[int] = set()
    for key, owner in keys:
        if key in first:
            found.update((first[key], owner))
        else:
            first[key] = owner
    return found


def _texts_in(value: Any) -> Iterator[str]:
    return (one for _, one in walk(value) if isinstance(one, str))
