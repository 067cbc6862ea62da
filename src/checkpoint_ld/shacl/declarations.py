"""What a shapes graph declares by queries: constraints, targets, rules and functions."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from rdflib import Literal, URIRef

from checkpoint_ld.errors import QueryError, ShapesError
from checkpoint_ld.graph.contexts import RDF_TYPE
from checkpoint_ld.shacl.constraints import truth
from checkpoint_ld.shacl.data import Either, Inverse, Predicate, Repeated, Steps
from checkpoint_ld.shacl.queries import prologue, with_path
from checkpoint_ld.shacl.shape import described, local_name, sh_values, shared, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.shacl.data import DataGraph, PropertyPath


@dataclass(frozen=True, slots=True)
class ShapesFunction:
    """A function that the shapes graph declares by a query (SHACL Advanced Features §4).

    `parameters` are their names in order, and whether each may be left out.
    """

    name: Node
    parameters: tuple[tuple[str, bool], ...]
    text: str


def path_text(path: PropertyPath) -> str:
    """Return a property path in SPARQL."""
    match path:
        case Predicate(predicate):
            return f"<{predicate}>"
        case Inverse(inner):
            return f"^({path_text(inner)})"
        case Steps(paths):
            return "(" + "/".join(map(path_text, paths)) + ")"
        case Either(paths):
            return "(" + "|".join(map(path_text, paths)) + ")"
        case Repeated(inner, has_zero, has_more):
            return f"({path_text(inner)}){'*' if has_zero and has_more else '?' if has_zero else '+'}"
    raise TypeError(f"{path} is no property path")


def query_text(shapes: Index, node: Node, form: str, path: PropertyPath | None) -> str:
    """Return the query of a node, with its prefixes and its path. Raises ShapesError if there is not one text."""
    texts = sh_values(shapes, node, form)
    if len(texts) != 1:
        raise ShapesError(f"{described(shapes, node)} has {len(texts)} values of sh:{form}: write one query")
    text = literal_query(shapes, node, texts[0])
    try:
        return with_path(text, path_text(path)) if path is not None else text
    except QueryError as error:
        raise ShapesError(f"a query of {described(shapes, node)} is refused: {error}") from error


def literal_query(shapes: Index, node: Node, text: Node) -> str:
    """Return a query of a node with its prefixes. Raises ShapesError for what is no text."""
    if not isinstance(text, Literal):
        raise ShapesError(f"a query of {described(shapes, node)} is {shown(text)}: write a text")
    return prologue(shapes, node, str(text)) + str(text)


@dataclass(frozen=True, slots=True)
class TargetQuery:
    """A query that gives focus nodes, with the values of its parameters (SHACL Advanced Features §3)."""

    text: str
    parameters: tuple[tuple[str, Node], ...]


def target_query(shapes: DataGraph, node: Node) -> TargetQuery:
    """Return the query of a node of sh:target, its own or that of its type. Raises ShapesError if there is none."""
    index = shapes.index
    if sh_values(index, node, "select"):
        return TargetQuery(query_text(index, node, "select", None), ())
    kinds = shapes.values(node, RDF_TYPE)
    for kind in kinds:
        if sh_values(index, kind, "select"):
            found: list[tuple[str, Node]] = []
            for one in sh_values(index, kind, "parameter"):
                for path in sh_values(index, one, "path"):
                    values = shapes.values(node, path)
                    if len(values) > 1 or not (values or truth(index, one, "optional")):
                        raise ShapesError(
                            f"the target {described(index, node)} has {len(values)} values of {shown(path)}: write one"
                        )
                    found += [(local_name(path), shared(value)) for value in values]
            return TargetQuery(query_text(index, kind, "select", None), tuple(found))
    raise ShapesError(
        f"the target {described(index, node)} is neither a query nor of a type with one: write sh:select, "
        "or declare its type with the query in the shapes graph"
    )


def functions_of(shapes: Index, functions: Iterable[Node]) -> dict[Node, ShapesFunction]:
    """Return the functions that a shapes graph declares. Raises ShapesError for an ill-formed one."""
    found: dict[Node, ShapesFunction] = {}
    for node in functions:
        form = "ask" if sh_values(shapes, node, "ask") else "select"
        text = query_text(shapes, node, form, None)
        found[node] = ShapesFunction(node, tuple(parameters_of(shapes, node)), text)
    return found


def parameters_of(shapes: Index, node: Node) -> list[tuple[str, bool]]:
    """Return the parameters of a function: by sh:order if each has one, else by name (Advanced Features §4.1)."""
    found = []
    for one in sh_values(shapes, node, "parameter"):
        paths, orders = sh_values(shapes, one, "path"), sh_values(shapes, one, "order")
        if len(paths) != 1 or not isinstance(paths[0], URIRef):
            raise ShapesError(f"a parameter of {described(shapes, node)} has no IRI as its sh:path: write one")
        order = orders[0].value if orders and isinstance(orders[0], Literal) else None
        found.append((order, local_name(paths[0]), truth(shapes, one, "optional")))
    is_ordered = all(isinstance(order, (int, float, Decimal)) for order, _, _ in found)
    found.sort(key=(lambda one: (one[0], one[1])) if is_ordered else (lambda one: one[1]))
    return [(name, is_optional) for _, name, is_optional in found]


def messages_of(shapes: Index, *at: Node) -> tuple[Literal, ...]:
    """Return the messages of the first of some nodes that has any."""
    found: Iterable[list[Node]] = (sh_values(shapes, one, "message") for one in at)
    return next((tuple(one for one in texts if isinstance(one, Literal)) for texts in found if texts), ())
