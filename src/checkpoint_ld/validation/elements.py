"""The elements of a feed that are as usual and surely satisfy all shapes: nothing more need be asked of them.

Most objects of a checkpoint have one of a few layouts, and most of their values repeat. So elements are looked at one
by one (`looking`), and what follows from their statements is not put into an index first. Whatever is out of the
ordinary is in doubt, and the general way of `derivation` and `screen` looks at it. If there is nothing of that kind in
the whole checkpoint, not even the general way has anything to do. (Measured: a tenth of a millisecond for a question,
where the general way takes eight tenths.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rdflib import Literal

from checkpoint_ld.checks.traits import DYNAMIC
from checkpoint_ld.derivation.settings import predicate_of
from checkpoint_ld.derivation.statements import named
from checkpoint_ld.derivation.traits import BOUNDS, REPEATABLE, TELLING, classes_of, json_value, rubric_name, suffix_of
from checkpoint_ld.graph.literals import json_of, literal_of
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.roles import TYPES
from checkpoint_ld.validation.kinds import (
    ANSWER,
    BENCHMARK,
    BENCHMARK_SETTING,
    CREATOR,
    GLOBAL_TRAIT,
    ITEM,
    QUESTION,
    QUESTION_SETTING,
    TEMPLATE,
    TRAIT,
    TRAIT_SETTING,
)
from checkpoint_ld.validation.looking import MOST, DoubtfulError, Look, one
from checkpoint_ld.vocabulary import KARENINA, SCHEMA

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.derivation import Described
    from checkpoint_ld.graph.terms import Term
    from checkpoint_ld.validation.kinds import Place
    from checkpoint_ld.validation.looking import Group, Held, Key, Own, Sort, Test
    from checkpoint_ld.validation.screen import Screen, Screened

ELEMENTS_KEY = "dataFeedElement"
ELEMENTS = named(SCHEMA + ELEMENTS_KEY)
_ITEM_ID = named(KARENINA + "itemId")
_TELLING_MEMBERS = ("additionalType", *BOUNDS)
_TELLING = frozenset((*(predicate_of(one) for one in TELLING), *(named(SCHEMA + one) for one in _TELLING_MEMBERS)))

Name = tuple[str, bool]
"""The name of a trait, as `rubric_name` returns it."""


class TraitTest(NamedTuple):
    """What is asked of traits of one sort and one kind.

    `each` are the shapes that each such trait is held against, as they look at more than what tells its kind;
    `may_repeat` are the settings that may stand there more than once. `groups` are those settings that passed.
    """

    test: Test
    each: tuple[Screened, ...]
    may_repeat: frozenset[str]
    groups: set[Group]


class Elements:
    """One look at a checkpoint: at all elements of its feed, and at what else there is."""

    def __init__(self, source: Described, screen: Screen) -> None:
        self._root = source.root
        self._look = Look(source, screen)
        self._said = self._look.said
        self._elements = self._said.terms(source.root, ELEMENTS)
        ratings = self._said.terms(source.root, SCHEMA + "contentRating")
        self._global = {rubric_name(self._said, rating) for rating in ratings}
        self._tests: dict[Key, Test] = {}
        self._traits: dict[Key, TraitTest] = {}
        self._terms: dict[Sort, list[tuple[str, Node, Term | None]]] = {}

    def settled(self) -> dict[Node, list[Node]]:
        """Return the elements that surely satisfy all shapes, with all nodes of each; none that repeats another."""
        found: dict[Node, list[Node]] = {}
        by_identifier: dict[str, Node] = {}
        by_text: dict[str, Node] = {}
        repeated: list[Node] = []

        def claim(known: dict[str, Node], key: str, item: Node) -> None:
            first = known.setdefault(key, item)
            if first is not item:
                repeated.extend((first, item))

        for item in self._elements:
            if item not in self._look.index:
                continue
            identifier = self._said.reader.identifier(item)
            if identifier is not None:
                claim(by_identifier, identifier, item)
            try:
                question = self._item(item, identifier)
                nodes = [item]
                claim(by_text, self._question(question, nodes), item)
                found[item] = nodes
            except DoubtfulError:
                for question in self._said.terms(item, SCHEMA + "item"):
                    told = self._said.plain(question, SCHEMA + "text")
                    if isinstance(told, str):
                        claim(by_text, told, item)
        for item in repeated:
            found.pop(item, None)
        return found

    def rest(self) -> list[Node] | None:
        """Return the nodes of a benchmark that are none of its elements'; None if there may be a fault about them.

        This is about a feed with elements all of which are settled.
        """
        nodes = [self._root]
        try:
            held = self._look.held(self._root)
            own = self._with_settings(self._root, held, BENCHMARK, BENCHMARK_SETTING, nodes)
            if "hasPart" in own:
                raise DoubtfulError
            self._named(terms_of(held.get(own["contentRating"])), GLOBAL_TRAIT, nodes)
            if "creator" in own:
                creator = one(held[own["creator"]])
                self._look.simple(creator, CREATOR)
                nodes.append(creator)
        except DoubtfulError:
            return None
        return nodes

    def _item(self, item: Node, identifier: str | None) -> Node:
        """Look at an element; return its question."""
        if identifier is None:
            raise DoubtfulError
        held = self._look.held(item)
        sort = self._look.sort(ITEM, held)
        test = self._tests.get((sort,))
        if test is None:
            test = self._tests[sort,] = sort.test((_ITEM_ID,))
        literal = literal_of(identifier)
        self._look.at((*held.values(), literal), test)
        self._look.related(item, test.related, {_ITEM_ID: literal})
        return one(held.get(sort.own["item"]))

    def _question(self, question: Node, nodes: list[Node]) -> str:
        """Look at a question; return its text, and add its nodes to `nodes`."""
        held = self._look.held(question)
        nodes.append(question)
        own = self._with_settings(question, held, QUESTION, QUESTION_SETTING, nodes)
        answer, template = one(held.get(own["acceptedAnswer"])), one(held.get(own["hasPart"]))
        self._look.simple(answer, ANSWER)
        self._look.simple(template, TEMPLATE)
        nodes += (answer, template)
        ratings = held.get(own["contentRating"])
        if ratings is not None and not self._global.isdisjoint(self._named(terms_of(ratings), TRAIT, nodes)):
            raise DoubtfulError
        return str(one(held.get(own["text"])))

    def _with_settings(self, node: Node, held: Held, place: Place, of_settings: Place, nodes: list[Node]) -> Own:
        """Look at an object with settings and at these; return its properties, and add its settings to `nodes`."""
        sort = self._look.sort(place, held)
        settings = terms_of(held.get(sort.own["additionalProperty"]))
        nodes += settings
        group = self._look.group(settings, of_settings)
        if group.repeated:
            raise DoubtfulError
        key = (sort, *group.key)
        test = self._tests.get(key)
        if test is None:
            test = self._tests[key] = sort.test(group.derived)
        self._look.at((*held.values(), *group.derived.values()), test)
        self._look.related(node, test.related, group.derived)
        return sort.own

    def _named(self, ratings: list[Node], place: Place, nodes: list[Node]) -> set[Name]:
        """Look at the traits of one rubric; return their names, and add their nodes to `nodes`."""
        names = {self._trait(rating, place, nodes) for rating in ratings}
        if len(names) < len(ratings):
            raise DoubtfulError
        return names

    def _trait(self, rating: Node, place: Place, nodes: list[Node]) -> Name:
        """Look at a trait; return its name, and add its nodes to `nodes`."""
        held = self._look.held(rating)
        sort = self._look.sort(place, held)
        own = sort.own
        settings = terms_of(held.get(own["additionalProperty"]))
        group = self._look.group(settings, TRAIT_SETTING)
        nodes.append(rating)
        nodes += settings
        key = (sort, *group.key, *[id(held.get(own[member])) for member in _TELLING_MEMBERS])
        known = self._traits.get(key)
        if known is None:
            known = self._trait_test(rating, held, sort, group)
            if len(self._traits) < MOST:
                self._traits[key] = known
        if not known.may_repeat.issuperset(group.repeated):
            raise DoubtfulError
        if group in known.groups:
            self._look.at(held.values(), known.test)
        else:
            self._look.at((*held.values(), *group.derived.values()), known.test)
            known.groups.add(group)
        if known.each:
            self._look.related(rating, known.each, group.derived)
        return str(one(held.get(own["name"]))), bool(known.may_repeat)

    def _bounds(self, held: Held, sort: Sort) -> dict[str, object]:
        """Return the bounds of a trait, as `Statements.members` reads them where there is nothing unusual."""
        if sort not in self._terms:
            terms = self._said.table.at(None, TYPES["Trait"])
            keys = {terms.key_of(str(predicate)): predicate for predicate in sort.own.values()}
            self._terms[sort] = [(name, keys[name], terms.by_key.get(name)) for name in BOUNDS if name in keys]
        bounds: dict[str, object] = {}
        for name, predicate, term in self._terms[sort]:
            value = held[predicate]
            if not isinstance(value, Literal):
                raise DoubtfulError
            bounds[name] = json_of(value, None if term is None else term.coercion)
        return bounds

    def _trait_test(self, rating: Node, held: Held, sort: Sort, group: Group) -> TraitTest:
        """Look at what tells the classes of a trait; return what is asked of all traits that are alike in this."""
        suffix = suffix_of(terms_of(held.get(sort.own["additionalType"])))
        values = {one.name: json_value(one.value) for one in group.telling}
        classes = () if suffix is None else tuple(classes_of(suffix, self._bounds(held, sort), values))
        test = sort.test(group.derived, classes)
        each = tuple(one for one in test.related if one.looks_at is None or not one.looks_at <= _TELLING)
        self._look.related(rating, [one for one in test.related if one not in each], group.derived)
        return TraitTest(test, each, REPEATABLE if suffix == DYNAMIC else frozenset(), set())
