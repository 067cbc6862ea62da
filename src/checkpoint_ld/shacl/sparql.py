"""Constraints by queries (SHACL 1.0 §5, §6), evaluated by Oxigraph with pre-bound variables (Appendix A)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from rdflib import BNode, Literal, URIRef

from checkpoint_ld.errors import QueryError, ShapesError
from checkpoint_ld.graph.store import sparql_parser
from checkpoint_ld.shacl import process
from checkpoint_ld.shacl.data import Either, Inverse, Predicate, Repeated, Steps
from checkpoint_ld.shacl.messages import statements_json, term_json, term_of, triples_in
from checkpoint_ld.shacl.queries import declared, prologue, read_only, tokens, with_path
from checkpoint_ld.shacl.shape import Constraint, Result, described, filled, sh_values, shown
from checkpoint_ld.sparql.guard import PREFIXES
from checkpoint_ld.sparql.plans import nodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.shacl.data import DataGraph, PropertyPath, Table
    from checkpoint_ld.shacl.messages import Term
    from checkpoint_ld.shacl.shape import Evaluation, Shape

THIS, VALUE, SHAPE, SHAPES_GRAPH = "this", "value", "currentShape", "shapesGraph"
_PREFIXES = {**PREFIXES, "owl": "http://www.w3.org/2002/07/owl#", "sh": "http://www.w3.org/ns/shacl#"}
_GRAPH = "urn:checkpoint-ld:shapes"
_ROWS = 2_000
"""The most focus nodes or values in one request."""


Part: TypeAlias = "str | list[str]"
"""A piece of a query, or the name of a variable for whose value it has a place."""


@dataclass(frozen=True, slots=True)
class PreboundQuery:
    """A query with variables that are bound before (SHACL 1.0 Appendix A).

    In brackets, in expressions that is, the value takes the place of the variable. Elsewhere, where a literal or a
    blank node may not be written, the engine substitutes the variables `names`, which it can if they are selected.
    `predicates` are those of the statements that the query reads, None for all.
    """

    parts: tuple[Part, ...]
    used: tuple[str, ...]
    names: tuple[str, ...]
    is_ask: bool
    predicates: frozenset[Node] | None


@lru_cache(maxsize=2048)
def prepared(text: str, bound: frozenset[str]) -> PreboundQuery:
    """Return a query with pre-bound variables. Raises ShapesError for a query that SHACL does not allow."""
    checked = read_only(text)
    if checked.form not in ("select", "ask"):
        raise ShapesError("a query of the shapes is neither SELECT nor ASK")
    tree: Any = sparql_parser().Query.parse_string(checked.text, parse_all=True)
    _refuse_beyond(tree, bound)
    texts = _known_as_bound(tokens(checked.text), bound)
    parts: list[Part] = []
    used: set[str] = set()
    outside: set[str] = set()
    depth, start = 0, 0
    for before, one in pairwise(("", *texts)):
        depth += (one == "(") - (one == ")")
        if one == "{" and not start:
            start = len(parts)
        if before not in ("$", "?") or one not in bound:
            parts.append(one)
            continue
        used.add(one)
        if depth:
            parts[-1] = [one]
        else:
            outside.add(one)
            parts.append(one)
    is_grouped = checked.is_grouped or any(one.evar is not None for one in tree[1].projection or ())
    names = sorted(outside if is_grouped else used)
    if checked.form == "ask":
        at = next(at for at, text in enumerate(parts) if isinstance(text, str) and text.upper() == "ASK")
        parts[at] = f"SELECT {' '.join(f'?{name}' for name in names) or '(1 AS ?true)'} "
        parts.append(" LIMIT 1")
    else:
        selected = {str(one.var) for one in tree[1].projection or () if one.var is not None}
        missing = "".join(f" ?{name}" for name in names if name not in selected)
        if missing and tree[1].projection:
            if is_grouped:
                raise ShapesError(
                    f"a query of the shapes groups solutions without{missing}: select and group by it too"
                )
            parts.insert(_before_pattern(parts, start), missing + " ")
    return PreboundQuery(tuple(parts), tuple(sorted(used)), tuple(names), checked.form == "ask", _predicates(tree))


def _before_pattern(parts: Sequence[Part], start: int) -> int:
    """Return the place after the selected variables, given that of the bracket that opens the pattern."""
    before = start
    while before and not str(parts[before - 1]).strip():
        before -= 1
    return before - 1 if before and str(parts[before - 1]).upper() == "WHERE" else start


def _known_as_bound(texts: list[str], bound: frozenset[str]) -> list[str]:
    """Return a query in which BOUND of a pre-bound variable is true."""
    places = [at for at, text in enumerate(texts) if text.strip()]
    for start, at in enumerate(places):
        parts = [texts[one] for one in places[start : start + 5]]
        if (
            len(parts) == 5
            and parts[0].upper() == "BOUND"
            and parts[1] == "("
            and parts[2] in "$?"
            and parts[3] in bound
        ):
            for one in places[start : start + 5]:
                texts[one] = ""
            texts[at] = "(true)"
    return texts


def _refuse_beyond(tree: Any, bound: frozenset[str]) -> None:
    """Raise ShapesError for what a query with pre-bound variables may not have (SHACL 1.0 Appendix A)."""
    for node in nodes(tree):
        if node.name == "MinusGraphPattern":
            raise ShapesError("a query of the shapes has MINUS, which SHACL does not allow: write FILTER NOT EXISTS")
        if node.name in ("InlineData", "ValuesClause") and (node.var or node.value):
            raise ShapesError("a query of the shapes has VALUES, which SHACL does not allow: write FILTER (… IN (…))")
        if node.name == "Bind" and str(node.var) in bound:
            raise ShapesError(f"a query of the shapes binds ?{node.var}, which is bound before: take another name")
        if node.name in ("SubSelect", "SelectQuery"):
            again = [one.evar for one in node.projection or () if one.evar is not None and str(one.evar) in bound]
            if again:
                raise ShapesError(f"a query of the shapes binds ?{again[0]}, which is bound before: take another name")
        if node.name == "SubSelect":
            given = {str(one.var) for one in node.projection or () if one.var is not None}
            missing = bound - given - {SHAPE, SHAPES_GRAPH}
            if missing:
                raise ShapesError(
                    f"a sub-select of the shapes does not select ?{min(missing)}, which is bound before: name it there"
                )


def _predicates(tree: Any) -> frozenset[Node] | None:
    """Return the predicates of all statements that a query can match, None if they cannot be known."""
    from rdflib.plugins.sparql.algebra import translateQuery  # noqa: PLC0415 - few shapes have queries

    try:
        algebra = translateQuery(tree, initNs=_PREFIXES).algebra
        paths = [triple[1] for node in nodes(algebra) for triple in node.get("triples") or ()]
        return frozenset(one for path in paths for one in _followed(path))
    except Exception:  # noqa: BLE001 - rdflib raises any exception; Oxigraph decides about the query
        return None


def _followed(path: Any) -> Iterator[Node]:
    """Yield the predicates of a path. Raises ValueError for one that leads to any node."""
    if isinstance(path, URIRef):
        yield path
    elif type(path).__name__ in ("SequencePath", "AlternativePath"):
        for one in path.args:
            yield from _followed(one)
    elif getattr(path, "mod", "+") == "+" and hasattr(path, "path"):
        yield from _followed(path.path)
    elif type(path).__name__ == "InvPath":
        yield from _followed(path.arg)
    else:
        raise ValueError("a variable, a negated path, or one of no steps")


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


class Queries:
    """The queries over one data graph, which is copied into the process as far as they need it."""

    def __init__(self, data: DataGraph, shapes: Index, prefixes: Mapping[str, str]) -> None:
        self._data = data
        self._shapes = shapes
        self.prefixes = prefixes
        self._predicates: frozenset[Node] | None = frozenset()
        self._has_shapes = False
        self._session: object = object()
        self._labels: dict[str, BNode] = {}
        self._spelled: dict[tuple[Any, Node | None], Literal] | None = None

    def solutions(
        self, query: PreboundQuery, rows: Sequence[Mapping[str, Node]]
    ) -> Iterator[tuple[int, dict[str, Node]]]:
        """Yield the solutions of a SELECT for the values of each row, or the rows that an ASK denies."""
        self._need(query)
        asked = {"parts": query.parts, "used": query.used, "names": query.names, "is_ask": query.is_ask}
        for start in range(0, len(rows), _ROWS):
            given = [
                [None if one.get(name) is None else self._json(one[name]) for name in query.used]
                for one in rows[start : start + _ROWS]
            ]
            request = {"do": "query", **asked, "rows": given}
            for at, bindings in process.ask(request, session=self._session, load=self._load):
                yield start + at, {name: self._term(term) for name, term in bindings.items()}

    def _need(self, query: PreboundQuery) -> None:
        more = None if query.predicates is None or self._predicates is None else self._predicates | query.predicates
        has_shapes = self._has_shapes or SHAPES_GRAPH in query.used
        if more != self._predicates or has_shapes != self._has_shapes:
            self._predicates, self._has_shapes, self._session = more, has_shapes, object()

    def _load(self) -> Iterator[dict[str, Any]]:
        yield self._loading(self._data.index, self._predicates, is_new=True)
        if self._has_shapes:
            yield self._loading(self._shapes, None, graph=_GRAPH)

    def _loading(
        self, index: Index, predicates: frozenset[Node] | None, *, graph: str = "", is_new: bool = False
    ) -> dict[str, Any]:
        held = statements_json(triples_in(index, predicates))
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
            for _, _, one in triples_in(self._data.index):
                if isinstance(one, Literal) and one.datatype is not None and one.value is not None:
                    self._spelled.setdefault(_value(one), one)
                    self._spelled[(str(one), one.datatype)] = one
        exact = self._spelled.get((str(term), term.datatype))
        return exact or self._spelled.get(_value(term), term)


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
        known = {**_PREFIXES, **run.queries.prefixes}
        query = prepared(_with_prefixes(self.text, known), self.prebound)
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


def _with_prefixes(text: str, known: Mapping[str, str]) -> str:
    """Return a query with declarations of the known prefixes that it seems to use; its own come after, and count."""
    return declared({name: iri for name, iri in known.items() if f"{name}:" in text}) + text


def query_text(shapes: Index, node: Node, form: str, path: PropertyPath | None) -> str:
    """Return the query of a node, with its prefixes and its path. Raises ShapesError if there is not one text."""
    texts = sh_values(shapes, node, form)
    if len(texts) != 1 or not isinstance(texts[0], Literal):
        raise ShapesError(f"{described(shapes, node)} has {len(texts)} values of sh:{form}: write one query")
    text = prologue(shapes, node, str(texts[0])) + str(texts[0])
    try:
        return with_path(text, path_text(path)) if path is not None else text
    except QueryError as error:
        raise ShapesError(f"a query of {described(shapes, node)} is refused: {error}") from error


def messages_of(shapes: Index, *at: Node) -> tuple[Literal, ...]:
    """Return the messages of the first of some nodes that has any."""
    found: Iterable[list[Node]] = (sh_values(shapes, one, "message") for one in at)
    return next((tuple(one for one in texts if isinstance(one, Literal)) for texts in found if texts), ())
