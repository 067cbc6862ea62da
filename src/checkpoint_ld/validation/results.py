"""SHACL validation: a checkpoint and what follows from it, held against the shapes of a profile."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from rdflib import BNode, Literal, URIRef

from checkpoint_ld import shacl
from checkpoint_ld.constraints.components import COMPONENTS
from checkpoint_ld.constraints.forms import value_of
from checkpoint_ld.findings import Severity
from checkpoint_ld.graph.store import triples_of
from checkpoint_ld.inference import infer
from checkpoint_ld.rules import SEVERITIES
from checkpoint_ld.secrets import secret
from checkpoint_ld.shacl.shape import VIOLATION
from checkpoint_ld.shacl.terms import listed, told

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.inference import Described
    from checkpoint_ld.profiles import Profile
    from checkpoint_ld.shacl import DataGraph, Shapes


@dataclass(frozen=True, slots=True)
class Result:
    """A validation result (SHACL 1.0 §3.6.2) as findings see it.

    `shape` is its source shape, or the one with a name around it; `paths` are the properties that its path may be.
    """

    focus: Node
    shape: Node
    component: Node
    severity: Severity
    paths: tuple[Node, ...]
    value: Node | None
    messages: tuple[str, ...]


@lru_cache(maxsize=8)
def compiled(profile: Profile) -> Shapes:
    """Return the shapes of a profile, compiled. Raises ShapesError for shapes of the user's that are ill-formed."""
    return shacl.compile_shapes(profile.shapes(), components=COMPONENTS)


@lru_cache(maxsize=8)
def violations(profile: Profile) -> Shapes:
    """Return the shapes of a profile whose results are violations, compiled."""
    shapes = compiled(profile)
    return replace(shapes, by_node={node: one for node, one in shapes.by_node.items() if one.severity == VIOLATION})


def is_broken(source: Described, profile: Profile) -> bool:
    """Return whether a checkpoint breaks a rule of a profile that is a violation; all others are left aside."""
    shapes = violations(profile)
    return bool(shacl.results(shacl.DataGraph(source.index, infer(source, shapes.terms)), shapes))


def data_of(source: Described) -> DataGraph:
    """Return the statements of a checkpoint, together with those that follow from them."""
    return shacl.DataGraph(source.index, infer(source))


def applied(data: DataGraph, shapes: Shapes, *, by_pyshacl: bool = False) -> list[shacl.Result]:
    """Return the results of shapes about statements. Raises ShapesError for shapes that cannot be applied."""
    if by_pyshacl:
        shapes = shapes.for_pyshacl()
    if shapes.others:
        from checkpoint_ld.constraints.components import register  # noqa: PLC0415 - rdflib's SPARQL takes long to import

        register()
    return shacl.results(data, shapes)


def without_secrets(found: Sequence[shacl.Result]) -> list[shacl.Result]:
    """Return results without values that look like secrets, for a validation report, which goes beyond the file."""
    secrets = {id(one) for one in found if one.value is not None and secret(value_of(one.value))}
    return [replace(one, value=None, messages=()) if id(one) in secrets else one for one in found]


def results(found: Iterable[shacl.Result], shapes: Index) -> Iterator[Result]:
    """Yield results as findings see them."""
    around: dict[Node, Node] = {}
    paths: dict[Node, tuple[Node, ...]] = {}
    for one in found:
        if isinstance(one.shape, BNode) and not around:
            around = {term: subject for subject, _, term in triples_of(shapes) if isinstance(term, BNode)}
        if one.shape not in paths:
            paths[one.shape] = tuple(_alternatives(shapes, one.shape))
        yield Result(
            focus=one.focus,
            shape=_named(one.shape, around),
            component=one.component,
            severity=SEVERITIES.get(str(one.severity), Severity.VIOLATION),
            paths=(one.path,) if isinstance(one.path, URIRef) else paths[one.shape],
            value=one.value,
            messages=tuple(sorted(str(text) for text in one.messages if isinstance(text, Literal))),
        )


def by_path(result: Result, data: DataGraph) -> Iterator[Result]:
    """Yield a result once for each of its paths that holds the value: SHACL tells values, not where they stand."""
    told = [path for path in result.paths if result.value in data.values(result.focus, path)]
    if len(told) < 2:
        yield result
    else:
        yield from (replace(result, paths=(path,)) for path in told)


def _named(shape: Node, around: dict[Node, Node]) -> Node:
    """Return a shape that has a name: `shape` itself, or the one around it."""
    seen = set()
    while isinstance(shape, BNode) and shape in around and shape not in seen:
        seen.add(shape)
        shape = around[shape]
    return shape


def _alternatives(shapes: Index, shape: Node) -> Iterator[Node]:
    for path in told(shapes, shape, "path"):
        for alternatives in told(shapes, path, "alternativePath") if isinstance(path, BNode) else ():
            yield from (one for one in listed(shapes, alternatives) if isinstance(one, URIRef))
