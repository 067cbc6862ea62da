"""Queries of shapes, evaluated by Oxigraph.

They are those of constraints (SHACL 1.0 §5, §6), and of targets, rules and functions (SHACL Advanced Features §3, §4,
§8).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from rdflib import BNode, Literal, URIRef, Variable

from checkpoint_ld.errors import ShapesError
from checkpoint_ld.graph.store import triples_of
from checkpoint_ld.shacl import process
from checkpoint_ld.shacl.messages import statements_json, term_json, term_of
from checkpoint_ld.shacl.prebinding import (
    KNOWN_PREFIXES,
    SHAPE,
    SHAPES_GRAPH,
    THIS,
    VALUE,
    construct,
    prepared,
    with_prefixes,
)
from checkpoint_ld.shacl.shape import Constraint, Result, filled, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.shacl.data import DataGraph, Table
    from checkpoint_ld.shacl.declarations import ShapesFunction
    from checkpoint_ld.shacl.messages import Term
    from checkpoint_ld.shacl.prebinding import PreboundQuery
    from checkpoint_ld.shacl.shape import Evaluation, Shape

_GRAPH = "urn:checkpoint-ld:shapes"
Solution: TypeAlias = "dict[str, Node]"
_ROWS = 2_000
"""The most focus nodes or values in one request."""


class Queries:
    """The queries over one data graph, which is copied into the process as far as they need it."""

    def __init__(
        self,
        data: DataGraph,
        shapes: Index,
        prefixes: Mapping[str, str],
        functions: Mapping[Node, ShapesFunction] = MappingProxyType({}),
    ) -> None:
        self._data = data
        self._shapes = shapes
        self._known = {**KNOWN_PREFIXES, **prefixes}
        self._functions = functions
        self._is_loaded = False
        self._pairs: dict[tuple[Node, Node], None] = {}
        self._predicates: frozenset[Node] | None = frozenset()
        self._has_shapes = False
        self._session: object = object()
        self._labels: dict[str, BNode] = {}
        self._spelled: dict[tuple[Any, Node | None], Literal] | None = None

    def prepared(self, text: str, bound: Iterable[str], *, is_constraint: bool = True) -> PreboundQuery:
        """Return a query, which may use the prefixes of the data graph. Raises ShapesError as `prepared`."""
        return prepared(with_prefixes(text, self._known), frozenset(bound), is_constraint=is_constraint)

    def solutions(self, query: PreboundQuery, rows: Sequence[Mapping[str, Node]]) -> Iterator[tuple[int, Solution]]:
        """Yield the solutions of a SELECT for the values of each row, or the rows that an ASK denies."""
        self._need(query, rows)
        request = {"do": "query", **_described(query), "functions": self._described_functions}
        for start in range(0, len(rows), _ROWS):
            given = [
                [None if one.get(name) is None else self._json(one[name]) for name in query.used]
                for one in rows[start : start + _ROWS]
            ]
            for at, bindings in self._reply({**request, "rows": given}):
                yield start + at, {name: self._term(term) for name, term in bindings.items()}

    def targets(self, text: str, parameters: Mapping[str, Node]) -> Iterator[Node]:
        """Yield the focus nodes that a query gives, as `this`."""
        query = self.prepared(text, parameters, is_constraint=False)
        for _, solution in self.solutions(query, [parameters]):
            if THIS in solution:
                yield solution[THIS]

    def constructed(self, text: str, focuses: Sequence[Node]) -> Iterator[tuple[Node, Node, Node]]:
        """Yield the statements that a CONSTRUCT makes about each focus node."""
        query, template = construct(with_prefixes(text, self._known))
        for at, solution in self.solutions(query, [{THIS: one} for one in focuses]):
            bound = {**solution, THIS: focuses[at]}
            fresh: dict[Node, BNode] = {}
            for triple in template:
                subject, predicate, value = (
                    bound.get(str(one))
                    if isinstance(one, Variable)
                    else fresh.setdefault(one, BNode())
                    if isinstance(one, BNode)
                    else one
                    for one in triple
                )
                if isinstance(subject, (URIRef, BNode)) and isinstance(predicate, URIRef) and value is not None:
                    yield subject, predicate, value

    def calls(self, function: Node, rows: Sequence[Sequence[Node | None]]) -> Iterator[tuple[int, Node]]:
        """Yield the results of a function for the arguments of each row; a row may have none."""
        of = self._functions[function]
        if any(len(row) > len(of.parameters) for row in rows):
            raise ShapesError(f"{shown(function)} is called with more arguments than it has parameters")
        names = [f"argument{at}" for at in range(len(rows[0]) if rows else 0)]
        query = self.prepared(
            f"SELECT ?result {{ BIND (<{function}>({', '.join(f'${one}' for one in names)}) AS ?result) }}", names
        )
        needed = [at for at, (_, is_optional) in enumerate(of.parameters) if not is_optional]
        for length in {len(row) for row in rows}:
            if any(at >= length for at in needed):
                raise ShapesError(f"{shown(function)} is called without an argument that it needs")
        whole = [at for at, row in enumerate(rows) if all(row[one] is not None for one in needed)]
        given = [{name: one for name, one in zip(names, rows[at], strict=True) if one is not None} for at in whole]
        for at, solution in self.solutions(query, given):
            if "result" in solution:
                yield whole[at], solution["result"]

    def add(self, triples: Sequence[tuple[Node, Node, Node]]) -> None:
        """Take over statements that came to the data graph."""
        if self._spelled is not None:
            self._spell(triples)
        if self._is_loaded:
            self._reply(self._loading(triples))

    @cached_property
    def _prepared_functions(self) -> list[tuple[ShapesFunction, PreboundQuery]]:
        return [
            (one, self.prepared(one.text, (name for name, _ in one.parameters), is_constraint=False))
            for one in self._functions.values()
        ]

    @cached_property
    def _described_functions(self) -> list[dict[str, Any]]:
        return [
            {"name": str(one.name), "parameters": [name for name, _ in one.parameters], **_described(query)}
            for one, query in self._prepared_functions
        ]

    def _reply(self, request: dict[str, Any]) -> Any:
        found = process.ask(request, session=self._session, load=self._load)
        self._is_loaded = True
        return found

    def _need(self, query: PreboundQuery, rows: Sequence[Mapping[str, Node]]) -> None:
        """Have the process hold the statements that a query reads for the values of each row."""
        others = [of for _, of in self._prepared_functions]
        is_plain = not others and len(rows) <= _ROWS and SHAPES_GRAPH not in query.used
        if query.anchors is not None and is_plain and all(row.keys() >= {*query.used} for row in rows):
            self._need_pairs(dict.fromkeys(query.anchors.pairs(self._data, rows)))
            return
        for one in (query, *others):
            if SHAPES_GRAPH in one.used and not self._has_shapes:
                self._has_shapes = True
                self._session, self._is_loaded = object(), False
            if self._predicates is None:
                continue
            if one.predicates is None:
                self._predicates = None
                self._session, self._is_loaded, self._spelled = object(), False, None
            elif more := one.predicates - self._predicates:
                self._predicates |= more
                if self._is_loaded:
                    self._reply(self._loading(self._data.triples(more)))
                if self._spelled is not None:
                    self._spell(self._data.triples(more))

    def _need_pairs(self, pairs: Iterable[tuple[Node, Node]]) -> None:
        """Have the process hold the statements of some nodes, each with a predicate."""
        known = self._predicates
        new = [one for one in pairs if one not in self._pairs and (known is not None and one[1] not in known)]
        self._pairs.update(dict.fromkeys(new))
        triples = [(node, predicate, one) for node, predicate in new for one in self._data.values(node, predicate)]
        if self._spelled is not None:
            self._spell(triples)
        if triples and self._is_loaded:
            self._reply(self._loading(triples))

    def _held(self) -> Iterator[tuple[Node, Node, Node]]:
        """Yield the statements that the process has to hold."""
        yield from self._data.triples(self._predicates)
        for node, predicate in self._pairs if self._predicates is not None else ():
            yield from ((node, predicate, one) for one in self._data.values(node, predicate))

    def _load(self) -> Iterator[dict[str, Any]]:
        yield self._loading(self._held(), is_new=True)
        if self._has_shapes:
            yield self._loading(triples_of(self._shapes), graph=_GRAPH)

    def _loading(
        self, triples: Iterable[tuple[Node, Node, Node]], *, graph: str = "", is_new: bool = False
    ) -> dict[str, Any]:
        held = statements_json(triples)
        held["terms"] = [["b", self._label(str(one[1]))] if one[0] == "b" else one for one in held["terms"]]
        return {"do": "load", "graph": graph, "is_new": is_new, **held}

    def _label(self, label: str) -> str:
        """Return a label that every engine takes, the same one for the same node."""
        if label.isascii() and label.isalnum():
            return label
        made = f"x{label.encode('utf-8', 'surrogatepass').hex()}"
        self._labels[made] = BNode(label)
        return made

    def _json(self, term: Node) -> Term:
        return ["b", self._label(str(term))] if isinstance(term, BNode) else term_json(term)

    def _term(self, term: Term) -> Node:
        if term[0] == "b":
            return self._labels.get(str(term[1])) or BNode(str(term[1]))
        found = term_of(term)
        return self._as_spelled(found) if isinstance(found, Literal) and found.datatype is not None else found

    def _as_spelled(self, term: Literal) -> Literal:
        """Return a literal as the data graph spells it: Oxigraph keeps values of numbers and times, not their texts."""
        if self._spelled is None:
            self._spelled = {}
            self._spell(self._held())
        exact = self._spelled.get((str(term), term.datatype))
        return exact or self._spelled.get(_value(term), term)

    def _spell(self, triples: Iterable[tuple[Node, Node, Node]]) -> None:
        assert self._spelled is not None  # noqa: S101 - its callers see to it
        for _, _, one in triples:
            if isinstance(one, Literal) and one.datatype is not None and one.value is not None:
                self._spelled.setdefault(_value(one), one)
                self._spelled[(str(one), one.datatype)] = one


def _described(query: PreboundQuery) -> dict[str, Any]:
    """Return a query for a message to the process."""
    return {"parts": query.parts, "used": query.used, "names": query.names, "is_ask": query.is_ask}


def _value(term: Literal) -> tuple[Any, Node | None]:
    try:
        hash(term.value)
    except TypeError:
        return str(term), term.datatype
    return (term.value, term.datatype)


@dataclass(frozen=True, slots=True, eq=False)
class QueryConstraint(Constraint):
    """A constraint by a query: of sh:sparql, or of a validator of a constraint component.

    `text` has its prefixes; `is_ask` is whether it is asked about each value node, and not about each focus node.
    `source` is the node of sh:sparql. `messages` are those of that node or of the validator.
    """

    text: str
    is_ask: bool = False
    source: Node | None = None
    messages: tuple[Literal, ...] = field(default=())
    prebound: frozenset[str] = frozenset()

    def results(self, run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        """Yield a result for each solution of a SELECT, and for each value node that an ASK denies."""
        query = run.queries.prepared(self.text, self.prebound)
        fixed = {SHAPE: shape.node, SHAPES_GRAPH: URIRef(_GRAPH), **dict(self.parameters)}
        rows: list[tuple[int, dict[str, Node]]] = []
        for at, node in enumerate(table.nodes):
            if self.is_ask:
                rows += [(at, {**fixed, THIS: node, VALUE: one}) for one in table.column(shape.path).values(at)]
            else:
                rows.append((at, {**fixed, THIS: node}))
        seen: set[tuple[int, frozenset[tuple[str, Node]]]] = set()
        try:
            for place, solution in run.queries.solutions(query, [one for _, one in rows]) if rows else ():
                at, bound = rows[place]
                key = (place, frozenset(solution.items()))
                if key not in seen:
                    seen.add(key)
                    yield at, self._result(shape, table.nodes[at], {**bound, **solution})
        except ShapesError as error:
            raise ShapesError(f"the query of {shown(shape.node)}: {error}") from error

    def _result(self, shape: Shape, focus: Node, bound: Mapping[str, Node]) -> Result:
        failure = bound.get("failure")
        if isinstance(failure, Literal) and failure.value is True:
            raise ShapesError(f"a query of {shown(shape.node)} states a failure for {shown(focus)}")
        path = bound.get("path")
        path = path if isinstance(path, URIRef) else shape.path_node
        value = bound.get(VALUE)
        if value is None and shape.path is None:
            value = focus
        stated = bound.get("message")
        own = (stated,) if isinstance(stated, Literal) else self.messages
        plain = Literal(self.message.format(focus=shown(focus), value=shown(value), at=shown(focus)))
        messages = shape.messages or own or (plain,)
        terms = {**bound, VALUE: value, "path": path}
        return Result(
            focus,
            path,
            value,
            shape.node,
            self.component,
            shape.severity,
            tuple(filled(one, terms) for one in messages),
            constraint=self.source,
        )
