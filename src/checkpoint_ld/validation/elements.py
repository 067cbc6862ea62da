"""The elements of a feed that are as usual and surely satisfy all shapes: nothing more need be asked of them.

Most objects of a checkpoint have one of a few layouts, and most of their values repeat. So elements are looked at one
by one (`looking`), and what follows from their statements is not put into an index first. Whatever is out of the
ordinary is in doubt, and the general way of `derivation` and `screen` looks at it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from rdflib import Literal

from checkpoint_ld.derivation.statements import named
from checkpoint_ld.derivation.traits import classes_of, json_value, rubric_name, suffix_of
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.validation.looking import MOST, DoubtfulError, Look, one
from checkpoint_ld.validation.plans import ANSWER, ITEM, QUESTION, QUESTION_SETTING, TEMPLATE, TRAIT, TRAIT_SETTING
from checkpoint_ld.vocabulary import KARENINA, SCHEMA

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.derivation import Described
    from checkpoint_ld.validation.looking import Group, Key
    from checkpoint_ld.validation.screen import Screen

ELEMENTS_KEY = "dataFeedElement"
ELEMENTS = named(SCHEMA + ELEMENTS_KEY)
_ITEM_ID = named(KARENINA + "itemId")

Name = tuple[str, bool]
"""The name of a trait, as `rubric_name` returns it."""


class Elements:
    """One look at all elements of the feed of a checkpoint."""

    def __init__(self, source: Described, screen: Screen) -> None:
        self._look = Look(source, screen)
        self._said = self._look.said
        self._elements = [one for one in self._said.terms(source.root, SCHEMA + ELEMENTS_KEY) if one in source.index]
        ratings = self._said.terms(source.root, SCHEMA + "contentRating")
        self._global = {rubric_name(self._said, rating) for rating in ratings}
        self._traits: dict[Key, Name | None] = {}

    def settled(self) -> dict[Node, list[Node]]:
        """Return the elements that surely satisfy all shapes, with all nodes of each; none that repeats another."""
        found: dict[Node, list[Node]] = {}
        alike: defaultdict[tuple[str, str | None], list[Node]] = defaultdict(list)
        for item in self._elements:
            identifier = self._said.reader.identifier(item)
            alike["identifier", identifier].append(item)
            try:
                if identifier is None:
                    raise DoubtfulError
                question = self._item(item, identifier)
                text, found[item] = self._question(question, [item, question])
                alike["text", text].append(item)
            except DoubtfulError:
                for question in self._said.terms(item, SCHEMA + "item"):
                    told = self._said.plain(question, SCHEMA + "text")
                    alike["text", told if isinstance(told, str) else None].append(item)
        for items in alike.values():
            if len(items) > 1:
                for item in items:
                    found.pop(item, None)
        return found

    def _item(self, item: Node, identifier: str) -> Node:
        """Look at an element; return its question."""
        held = self._look.held(item)
        pattern = self._look.pattern(ITEM, held)
        literal = Literal(identifier)
        self._look.at(item, [*held.values(), literal], pattern.plan((_ITEM_ID,)), {_ITEM_ID: literal})
        return one(pattern.value(held, "item"))

    def _question(self, question: Node, nodes: list[Node]) -> tuple[str, list[Node]]:
        """Look at a question; return its text, and `nodes` with all of its nodes."""
        held = self._look.held(question)
        pattern = self._look.pattern(QUESTION, held)
        settings = terms_of(pattern.value(held, "additionalProperty"))
        group = self._look.group(settings, QUESTION_SETTING, "Question")
        values = [*held.values(), *group.derived.values()]
        self._look.at(question, values, pattern.plan(group.derived), group.derived)
        answer, template = (one(pattern.value(held, part)) for part in ("acceptedAnswer", "hasPart"))
        self._look.simple(answer, ANSWER)
        self._look.simple(template, TEMPLATE)
        nodes += (answer, template, *settings)
        names: set[Name | None] = set()
        for rating in terms_of(pattern.value(held, "contentRating")):
            name = self._trait(rating, nodes)
            if name in names or name in self._global:
                raise DoubtfulError
            names.add(name)
        return str(pattern.value(held, "text")), nodes

    def _trait(self, rating: Node, nodes: list[Node]) -> Name | None:
        """Look at a trait; return its name, and add its nodes to `nodes`."""
        held = self._look.held(rating)
        pattern = self._look.pattern(TRAIT, held)
        listed = pattern.value(held, "additionalProperty")
        settings = terms_of(listed)
        group = self._look.group(settings, TRAIT_SETTING, "Trait")
        nodes.append(rating)
        nodes += settings
        key = (pattern.number, group.number, *[id(term) for term in held.values() if term is not listed])
        if key in self._traits:
            return self._traits[key]
        classes = self._classes(rating, group)
        values = [*held.values(), *group.derived.values()]
        self._look.at(rating, values, pattern.plan(group.derived, classes), group.derived)
        name = rubric_name(self._said, rating)
        if len(self._traits) < MOST:
            self._traits[key] = name
        return name

    def _classes(self, rating: Node, group: Group) -> tuple[str, ...]:
        suffix = suffix_of(self._said.terms(rating, SCHEMA + "additionalType"))
        values = {name: json_value(term) for name, term in group.values.items()}
        return () if suffix is None else tuple(classes_of(self._said, rating, suffix, values))
