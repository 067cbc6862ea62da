"""Validation results of agent checkpoints: by the SHACL engine, each with its place in the tree."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rdflib import URIRef

from checkpoint_ld import profiles, shacl
from checkpoint_ld.agent import names, schema
from checkpoint_ld.agent.graph import is_texts
from checkpoint_ld.agent.rules.inference import infer
from checkpoint_ld.agent.rules.parts import Iri, Json, Located, Parts, scalar, term_of
from checkpoint_ld.graph.compaction import POSITION
from checkpoint_ld.graph.plans import Reading
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.shacl.shape import VIOLATION
from checkpoint_ld.shacl.terms import sh
from checkpoint_ld.validation import results as validation
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rdflib.term import Node

    from checkpoint_ld.agent.rules.parts import Part, Tree, Value
    from checkpoint_ld.findings import Severity
    from checkpoint_ld.graph.plans import KeyPlan
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.profiles import Profile

_MEMBER = URIRef(CHECKPOINT_SHACL + "member")
_MANY = sh("MaxCountConstraintComponent")


class Result(NamedTuple):
    """A validation result with its place: the JSON Pointer of what is at fault in the tree.

    `detail` is what there is to say about it beyond the value; of a shape without a rule it is the result's message.
    """

    of: shacl.Result
    severity: Severity
    part: Part
    value: Value | None
    place: str
    detail: str = ""


class Validation:
    """The statements of one checkpoint, asserted and inferred, to be held against shapes."""

    def __init__(self, tree: Tree) -> None:
        self.parts = parts = Parts(tree)
        self.data = shacl.DataGraph(parts.index, infer(parts))
        self._located: dict[tuple[Part, tuple[str, ...]], dict[Node | None, list[Located]]] = {}

    def results(self, shapes: shacl.Shapes) -> Iterator[Result]:
        """Yield the results of shapes, each once for every place that it may mean."""
        if shapes.others:
            from checkpoint_ld.constraints.components import register  # noqa: PLC0415 - SPARQL takes long to import

            register()
        found = shacl.results(self.data, shapes)
        for one, told in zip(found, validation.results(found, shapes.index), strict=True):
            yield from self._placed(replace(one, shape=told.shape), told, shapes.index)

    def _placed(self, one: shacl.Result, told: validation.Result, shapes: Index) -> Iterator[Result]:
        message = " ".join(told.messages)
        part = self.parts.by_node.get(one.focus)
        if part is None:  # a user's shape about an execution, an agent or a tool, which has no place of its own
            yield Result(one, told.severity, self.parts.root, None, "", message)
            return
        by_term = self._by_term(part, tuple(map(str, told.paths)))
        is_many = one.component == _MANY
        found = by_term[None][1:2] if is_many else by_term.get(one.value, []) if one.value is not None else []
        for value, place, detail in found:
            yield Result(one, told.severity, part, None if is_many else value, place, detail or message)
        if not found:
            member = next((f"/{name}" for name in terms_of(shapes.get(one.shape, {}).get(_MEMBER))), "")
            yield Result(one, told.severity, part, None, part.pointer + member, message)

    def _by_term(self, part: Part, paths: tuple[str, ...]) -> Mapping[Node | None, list[Located]]:
        """Return the values of properties by their terms; under None all of them."""
        known = self._located.get((part, paths))
        if known is None:
            known = self._located[part, paths] = {None: [one for path in paths for one in self._values(part, path)]}
            for one in known[None]:
                known.setdefault(term_of(one.value), []).append(one)
        return known

    def _values(self, part: Part, prop: str) -> Iterator[Located]:
        """Yield the values of a property of a part, each with its place."""
        yield from part.inferred.get(prop, ())
        if prop == str(POSITION):
            again = self.parts.again.get(part.node, ())
            yield from (Located(at, f"{place}/id") for at, place in enumerate((part.pointer, *again)))
        key = None if part.plan is None else part.plan.by_predicate.get(prop)
        if key is not None and key.key in part.tree:
            yield from self._of_key(part, key, f"{part.pointer}/{key.key}")

    def _of_key(self, part: Part, key: KeyPlan, place: str) -> Iterator[Located]:
        value, is_array = part.tree[key.key], list in key.holds
        if key.reading is Reading.JSON:
            yield Located(Json(value), place)
        elif key.reading is Reading.REFERENCE and (is_texts(value) if key.is_set else isinstance(value, str)):
            kind = schema.kind_of(key)
            iris = [Iri(names.iri(kind, one)) for one in (value if key.is_set else [value])]
            yield from (Located(one, f"{place}/{at}" if key.is_set else place) for at, one in enumerate(iris))
        elif dict in key.holds and isinstance(value, dict):
            yield Located(Iri(f"{part.stem}/{key.key}"), place)
        elif is_array and isinstance(value, list) and part.plan is not None:
            parts = {one.pointer: Iri(one.node) for one in self.parts.of(str(part.plan.below[key.key].type))}
            located = ((f"{place}/{at}", one) for at, one in enumerate(value) if one is not None)
            yield from (Located(parts.get(at) or scalar(one), at) for at, one in located)
        elif value is not None:
            yield Located(scalar(value), place)


def compiled(profile: Profile) -> shacl.Shapes:
    """Return the shapes of a profile, compiled; those of the user's own are left out."""
    return _compiled(profile.name)


@lru_cache(maxsize=8)
def _compiled(name: str) -> shacl.Shapes:
    return validation.compiled(profiles.profile(name))


@lru_cache(maxsize=8)
def compiled_own(profile: Profile) -> shacl.Shapes:
    """Return the user's own shapes of a profile, compiled. Raises ShapesError for those that are ill-formed."""
    return validation.compiled(replace(profile, files=()))


@lru_cache(maxsize=1)
def violations() -> shacl.Shapes:
    """Return the shapes of agent checkpoints whose results are violations."""
    shapes = _compiled(profiles.AGENT)
    return replace(shapes, by_node={node: one for node, one in shapes.by_node.items() if one.severity == VIOLATION})
