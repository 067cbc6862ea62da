"""The questions of a benchmark as answers ask for them, each read once."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from checkpoint_ld.benchmark.content import elements_of
from checkpoint_ld.documents.values import shown
from checkpoint_ld.entities.rubric import merge_rubrics_with_provenance
from checkpoint_ld.errors import LookupFailedError
from checkpoint_ld.identifiers import question_object_id
from checkpoint_ld.templates import read_template
from checkpoint_ld.templates.specification import spec_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.term import Node

    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.entities import AnyTrait, DynamicRubric, Rubric
    from checkpoint_ld.entities.rubric import Provenance, TraitCollection
    from checkpoint_ld.templates import Template


@dataclass(frozen=True, slots=True)
class AskedTrait:
    """A trait that judges the answers to a question; `node` is its IRI in the checkpoint's graph.

    `obstacle` says why it is not even tried, such as a namesake in the other rubric.
    """

    trait: AnyTrait
    scope: Provenance
    node: str | None = None
    is_dynamic: bool = False
    obstacle: str = ""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question of a benchmark, with what its answers are held against.

    `node` is the IRI of its `schema:Question` in the checkpoint's graph. `source` is the text of the template,
    `template` what reading it without running it gives; `has_code` tells that not all of it can be read.
    """

    identifier: str
    text: str
    node: str
    source: str
    template: Template
    has_code: bool
    traits: tuple[AskedTrait, ...]


class AskedQuestions:
    """The questions of a benchmark by what records call them.

    The benchmark must not be edited meanwhile: what was read once is kept.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._elements = elements_of(benchmark.graph)
        self._read: dict[str, AskedQuestion] = {}

    def question(self, name: str) -> AskedQuestion:
        """Return the question with the identifier `name`, or else the one whose text has the MD5 hash `name`.

        The hash is what Karenina's `Question` objects and results carry as their id. Raises LookupFailedError if there
        is no such question, or more than one of that text.
        """
        identifier = name if name in self._elements else self._by_hash(name)
        if identifier not in self._read:
            self._read[identifier] = self._asked(identifier)
        return self._read[identifier]

    def _by_hash(self, name: str) -> str:
        found = self._hashes.get(name, [])
        if len(found) == 1:
            return found[0]
        if found:
            raise LookupFailedError(
                f"{len(found)} questions have a text with the hash {name}: give one of their identifiers, "
                f"{' or '.join(map(shown, found))}"
            )
        where = "the benchmark has scenarios, whose turns have no answers of their own"
        if self._elements:
            where = "give the identifier of a question of this benchmark, or the MD5 hash of its text"
        raise LookupFailedError(f"there is no question {shown(name)}: {where}")

    @cached_property
    def _hashes(self) -> dict[str, list[str]]:
        hashes: dict[str, list[str]] = {}
        for identifier, node in self._elements.items():
            with suppress(UnicodeEncodeError):  # half a surrogate pair has no bytes, and so the text no hash
                hashes.setdefault(question_object_id(self._text(node)), []).append(identifier)
        return hashes

    def _text(self, element: Node) -> str:
        text = self._benchmark.graph.plain(self._node(element), "text")
        return text if isinstance(text, str) else ""

    def _node(self, element: Node) -> Node:
        return next(iter(self._benchmark.graph.member(element, "item")), element)

    def _asked(self, identifier: str) -> AskedQuestion:
        question = self._benchmark.get_question(identifier)
        source = question["answer_template"] or ""
        template = read_template(source)
        node = self._node(self._elements[identifier])
        return AskedQuestion(
            identifier=identifier,
            text=question["question"],
            node=str(node),
            source=source,
            template=template,
            has_code=bool(template.custom_code) or spec_of(template) is None,
            traits=tuple(self._traits(identifier, node)),
        )

    def _traits(self, identifier: str, question: Node) -> Iterator[AskedTrait]:
        shared, own = self._global_rubric, self._benchmark.get_question_rubric(identifier)
        nodes = {"global": self._global_nodes, "question_specific": self._named_ratings(question)}
        try:
            merged, scopes = merge_rubrics_with_provenance(shared, own)
        except ValueError as error:
            yield from _obstructed(shared, "global", str(error))
            yield from _obstructed(own, "question_specific", str(error))
        else:
            for trait in () if merged is None else merged.traits():
                scope = (scopes or {})[trait.name]
                yield AskedTrait(trait, scope, nodes[scope].get(trait.name))
        dynamic: tuple[tuple[Provenance, TraitCollection | None], ...] = (
            ("global", self._global_dynamic_rubric),
            ("question_specific", self._benchmark.get_question_dynamic_rubric(identifier)),
        )
        for scope, rubric in dynamic:
            for trait in () if rubric is None else rubric.traits():
                yield AskedTrait(trait, scope, nodes[scope].get(trait.name), is_dynamic=True)

    @cached_property
    def _global_rubric(self) -> Rubric | None:
        return self._benchmark.global_rubric

    @cached_property
    def _global_dynamic_rubric(self) -> DynamicRubric | None:
        return self._benchmark.get_global_dynamic_rubric()

    @cached_property
    def _global_nodes(self) -> dict[str, str]:
        return self._named_ratings(self._benchmark.graph.root)

    def _named_ratings(self, owner: Node) -> dict[str, str]:
        graph = self._benchmark.graph
        return {str(graph.plain(node, "name")): str(node) for node in reversed(graph.member(owner, "rating"))}


def _obstructed(rubric: Rubric | None, scope: Provenance, reason: str) -> Iterator[AskedTrait]:
    for trait in () if rubric is None else rubric.traits():
        yield AskedTrait(trait, scope, obstacle=reason)
