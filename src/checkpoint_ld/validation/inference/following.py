"""Inference that follows the edits of a benchmark: what is inferred of an unchanged question stays.

A benchmark has parts: its head (with rubric, creators and scenarios), and each feed item with all below it. Statements
about a part follow from that part alone, but for three: what repeats the identifier or the text of an earlier question,
and which trait has the name of a global one. These are found by keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rdflib import BNode, URIRef

from checkpoint_ld.dialects.reading.statements import DERIVED, ROOT_TYPES
from checkpoint_ld.graph.contexts import RDF_TYPE, named
from checkpoint_ld.graph.store import terms_of, triples_of
from checkpoint_ld.validation.inference.benchmark import ELEMENT, infer_head, infer_items, infer_whole, text_of
from checkpoint_ld.validation.inference.roles import Inference
from checkpoint_ld.vocabulary import KARENINA, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping

    from rdflib.term import Node

    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.store import Difference, Held, Index

    Statement = tuple[Node, Node, Node]

_ELEMENT, _ITEM = named(ELEMENT), named(SCHEMA + "item")
_DATE = named(SCHEMA + "dateModified")
_RATING = SCHEMA + "contentRating"
_REPEATS, _REPEATS_TEXT, _CLASHES = (named(KARENINA + name) for name in ("repeats", "repeatsText", "clashesWith"))
_NAMES: frozenset[type] = frozenset((URIRef, BNode))
_NOTHING: Held = {}


class Unfollowed(Exception):  # noqa: N818 - it never leaves the package, and is no error
    """A change after which the parts of a benchmark cannot be told apart."""


class InferredChanges(NamedTuple):
    """The parts that changed, and the inferred statements that came or went.

    With `is_dated`, the benchmark has another date of modification, from which nothing is inferred.
    """

    parts: set[Node]
    is_dated: bool
    inferred: list[Statement]


class _Keys:
    """Nodes by a key, such as the questions with a text."""

    def __init__(self) -> None:
        self.of: dict[Node, Hashable] = {}
        self.nodes: dict[Hashable, dict[Node, None]] = {}

    def put(self, node: Node, key: Hashable) -> None:
        self.of[node] = key
        self.nodes.setdefault(key, {})[node] = None

    def pop(self, node: Node) -> Hashable:
        key = self.of.pop(node, None)
        if key is not None:
            self.nodes[key].pop(node)
        return key


class FollowedInference:
    """The inferred statements of a benchmark, which follow its edits.

    Raises Unfollowed for a graph whose statements do not all belong to exactly one part.
    """

    def __init__(self, graph: CheckpointGraph) -> None:
        self.graph = graph
        self.subjects: dict[Node, list[Node]] = {}
        self.part_of: dict[Node, Node] = {}
        self._identifiers, self._texts, self._names = _Keys(), _Keys(), _Keys()
        self._item_of: dict[Node, Node] = {}
        held = graph.held
        if DERIVED in set().union(*held.values()):
            raise Unfollowed
        inference = Inference(graph)
        self.inferred: Index = infer_whole(inference, graph.root)
        self._globals = self._global_names(inference)
        items = self._items()
        for part in (graph.root, *items):
            self._assign(part, self._below(part))
        if len(self.part_of) != len(held):
            raise Unfollowed
        self._check_types(one for one in held if one != graph.root)
        for item in items:
            self._note_keys(inference, item, self._questions(item))

    def _items(self) -> list[Node]:
        held = self.graph.held
        items = terms_of(held.get(self.graph.root, _NOTHING).get(_ELEMENT))
        if not all(map(held.__contains__, items)):
            raise Unfollowed
        return items

    def _questions(self, item: Node) -> list[Node]:
        held = self.graph.held
        return [one for one in terms_of(held[item].get(_ITEM)) if one in held]

    def _below(self, part: Node) -> list[Node]:
        """Return the subjects of a part."""
        held, root = self.graph.held, self.graph.root
        found = {part: None}
        left = [part]
        while left:
            node = left.pop()
            for predicate, terms in held.get(node, _NOTHING).items():
                if predicate is RDF_TYPE or (node == root and predicate == _ELEMENT):
                    continue
                for term in terms_of(terms):
                    if term.__class__ in _NAMES and term not in found and term in held:
                        found[term] = None
                        left.append(term)
        return list(found)

    def _assign(self, part: Node, subjects: list[Node]) -> None:
        self.subjects[part] = subjects
        for subject in subjects:
            if self.part_of.setdefault(subject, part) != part:
                raise Unfollowed

    def _check_types(self, subjects: Iterable[Node]) -> None:
        """Raise Unfollowed for a second root."""
        held = self.graph.held
        kinds = {id(kind): kind for one in subjects for kind in terms_of(held.get(one, _NOTHING).get(RDF_TYPE))}
        if not set(ROOT_TYPES).isdisjoint(kinds.values()):
            raise Unfollowed

    @staticmethod
    def _named(inference: Inference, holder: Node) -> Iterator[tuple[Node, Hashable]]:
        for rating in inference.terms(holder, _RATING):
            name = inference.rubric_names.get(rating)
            if name is not None:
                yield rating, name

    def _global_names(self, inference: Inference) -> dict[Hashable, Node]:
        return {name: rating for rating, name in self._named(inference, self.graph.root)}

    def _note_keys(self, inference: Inference, item: Node, questions: Iterable[Node]) -> None:
        identifier = inference.reader.identifier(item)
        if identifier is not None:
            self._identifiers.put(item, identifier)
        for question in questions:
            self._item_of[question] = item
            text = text_of(inference, question)
            if text is not None:
                self._texts.put(question, text)
            for rating, name in self._named(inference, question):
                self._names.put(rating, name)

    def change(self, difference: Difference) -> InferredChanges:
        """Infer anew what changed statements lead to. Raises Unfollowed, and must not be used any more then."""
        held, root = self.graph.held, self.graph.root
        changed = [*difference.removed, *difference.added]
        of_root = [predicate for subject, predicate, _ in changed if subject == root]
        if root not in held or any(predicate == DERIVED for _, predicate, _ in changed):
            raise Unfollowed
        if root in difference.subjects and not of_root:
            raise Unfollowed  # only the order of values changed
        elements = {term for subject, predicate, term in changed if subject == root and predicate == _ELEMENT}
        parts = {self.part_of[subject] for subject in difference.subjects if subject in self.part_of}
        parts |= {term for term in elements if term in held or term in self.subjects}
        only_dated = all(predicate == _DATE for subject, predicate, _ in changed if self.part_of.get(subject) == root)
        is_dated = only_dated and root in parts and len(terms_of(held[root].get(_DATE))) == 1
        is_head = root in parts and not is_dated
        parts.discard(root)
        affected = {subject for part in parts for subject in self.subjects.get(part, ())}
        if is_head:
            affected.update(self.subjects[root])
        keys = self._forget(parts)
        items = self._items_among(elements)
        came = [part for part in parts if part not in elements or part in items]
        done = (*came, root) if is_head else came
        for part in (*parts, *done):
            for subject in self.subjects.pop(part, ()):
                self.part_of.pop(subject, None)
        for part in done:
            self._assign(part, self._below(part))
            affected.update(self.subjects[part])
            self._check_types(one for one in self.subjects[part] if one != root)
        if len(self.part_of) != len(held):
            raise Unfollowed
        inference = Inference(self.graph)
        infer_items(inference, came)
        before = self._globals
        if is_head:
            infer_head(inference, root)
            self._globals = self._global_names(inference)
        for item in came:
            self._note_keys(inference, item, self._questions(item))
            keys[0].add(self._identifiers.of.get(item))
            keys[1].update(self._texts.of.get(question) for question in self._questions(item))
        new = inference.index_of_all()
        patches = self._patches(inference, keys, affected, {**before, **self._globals} if is_head else {})
        return InferredChanges({*parts, *done}, is_dated, self._merged(new, affected, patches))

    def _items_among(self, elements: set[Node]) -> set[Node]:
        """Return those of the nodes that are feed items now."""
        items = terms_of(self.graph.held[self.graph.root].get(_ELEMENT)) if elements else []
        found = {one for one in elements if one in items}
        if not all(map(self.graph.held.__contains__, found)):
            raise Unfollowed
        return found

    def _forget(self, parts: Iterable[Node]) -> tuple[set[Hashable], set[Hashable]]:
        """Forget the keys of items; return those of identifiers and of texts."""
        identifiers: set[Hashable] = set()
        texts: set[Hashable] = set()
        for part in parts:
            identifiers.add(self._identifiers.pop(part))
            for subject in self.subjects.get(part, ()):
                texts.add(self._texts.pop(subject))
                self._names.pop(subject)
                self._item_of.pop(subject, None)
        return identifiers, texts

    def _patches(
        self,
        inference: Inference,
        keys: tuple[set[Hashable], set[Hashable]],
        affected: set[Node],
        names: Mapping[Hashable, Node],
    ) -> dict[tuple[Node, Node], Node | None]:
        """Return the statements that depend on several parts, by subject and predicate; None where there is none."""
        found: dict[tuple[Node, Node], Node | None] = {}
        for key in keys[0] - {None}:
            items = list(self._identifiers.nodes.get(key, ()))
            ordered = inference.reader.in_order(items)
            found |= {(item, _REPEATS): None if item is ordered[0] else ordered[0] for item in ordered}
        for key in keys[1] - {None}:
            questions = list(self._texts.nodes.get(key, ()))
            by_item: dict[Node, list[Node]] = {}
            for question in questions:
                by_item.setdefault(self._item_of[question], []).append(question)
            if any(len(several) > 1 for several in by_item.values()):
                raise Unfollowed  # two questions in one item, whose order nothing states
            ordered = [by_item[item][0] for item in inference.reader.in_order(list(by_item))]
            found |= {(one, _REPEATS_TEXT): None if one is ordered[0] else ordered[0] for one in ordered}
        ratings = {one for name in names for one in self._names.nodes.get(name, ())}
        ratings.update(one for one in affected if one in self._names.of)
        found |= {(one, _CLASHES): self._globals.get(self._names.of[one]) for one in ratings}
        return found

    def _merged(
        self, new: Index, affected: set[Node], patches: Mapping[tuple[Node, Node], Node | None]
    ) -> list[Statement]:
        """Take over new inferred statements; return those that came or went."""
        held: dict[Node, Held] = {subject: dict(new.get(subject, _NOTHING)) for subject in affected}
        for (subject, predicate), term in patches.items():
            own = held.setdefault(subject, dict(self.inferred.get(subject, _NOTHING)))
            if term is None:
                own.pop(predicate, None)
            else:
                own[predicate] = term
        changed: list[Statement] = []
        for subject, own in held.items():
            old = self.inferred.pop(subject, _NOTHING)
            if own:
                self.inferred[subject] = own
            if old != own:
                before, after = (set(triples_of({subject: one})) for one in (old, own))
                changed += before ^ after
        return changed
