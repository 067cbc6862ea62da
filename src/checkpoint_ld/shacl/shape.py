"""Compiled shapes, property paths (SHACL 1.0 §2.3.1), constraints, and results to and from validation reports."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from rdflib import BNode, Graph, Literal, URIRef

from checkpoint_ld.errors import ShapesError
from checkpoint_ld.graph.contexts import RDF_TYPE, named
from checkpoint_ld.graph.literals import literal, text_literal
from checkpoint_ld.graph.store import Index, SubjectIndexStore, put, terms_of
from checkpoint_ld.shacl.data import Either, Inverse, Predicate, PropertyPath, Repeated, Steps
from checkpoint_ld.vocabulary import RDF, SHACL, XSD

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.shacl.data import DataGraph, Table, ValueNodes

FIRST, REST, NIL = (named(RDF + name) for name in ("first", "rest", "nil"))
_STRING = URIRef(XSD + "string")


def sh(name: str) -> URIRef:
    """Return a term of SHACL's vocabulary."""
    return named(SHACL + name)


QUERIES = frozenset(map(sh, ("select", "ask", "construct", "update")))
"""The properties whose values are queries."""


def shared(term: Node) -> Node:
    """Return a term of the shapes as the same object that data graphs have, so that comparison is by identity."""
    return named(str(term)) if isinstance(term, URIRef) else term


def local_name(parameter: Node) -> str:
    """Return the name of a parameter: the part of its IRI after the last # or / (SHACL 1.0 §6.2.1)."""
    return str(parameter).rpartition("#")[2].rpartition("/")[2]


def sh_values(shapes: Index, subject: Node, name: str) -> list[Node]:
    """Return the values of a property of SHACL's vocabulary at a node of the shapes graph."""
    return terms_of(shapes.get(subject, {}).get(sh(name)))


def listed(shapes: Index, at: Node) -> Iterator[Node]:
    """Yield the members of an RDF list. Raises ShapesError for an ill-formed list."""
    seen = set()
    while at != NIL:
        first, rest = (terms_of(shapes.get(at, {}).get(one)) for one in (FIRST, REST))
        if at in seen or len(first) != 1 or len(rest) != 1:
            raise ShapesError(f"{at.n3()} is no list: write its members in round brackets")
        seen.add(at)
        yield shared(first[0])
        at = rest[0]


def shown(term: Node | None) -> str:
    """Return a term for a message, as in Turtle."""
    if term is None or (isinstance(term, Literal) and isinstance(term.value, (int, Decimal))):
        return "" if term is None else str(term)
    if isinstance(term, Literal) and term.ill_typed and term.datatype is not None:  # rdflib warns of such numbers
        return f"{Literal(str(term)).n3()}^^<{term.datatype}>"
    return _shown_name(term) if isinstance(term, URIRef) else term.n3()


@lru_cache(maxsize=4096)
def _shown_name(term: URIRef) -> str:
    return f"sh:{term[len(SHACL) :]}" if term.startswith(SHACL) else f"<{term}>"  # rdflib raises for what is no IRI


_SHOWN_LEVELS = 3


def described(shapes: Index, term: Node, depth: int = 0) -> str:
    """Return a term of the shapes graph for a message: a blank node by its statements, as labels say nothing."""
    held = shapes.get(term) if isinstance(term, BNode) else None
    if held is None:
        return shown(term)
    if depth > _SHOWN_LEVELS:
        return "[ … ]"
    if FIRST in held:
        return f"( {' '.join(described(shapes, one, depth + 1) for one in listed(shapes, term))} )"
    every = ((name, one) for name, terms in held.items() for one in terms_of(terms))
    return f"[ {' ; '.join(sorted(f'{shown(name)} {described(shapes, one, depth + 1)}' for name, one in every))} ]"


def plain(term: Node) -> Node:
    """Return a literal of the datatype xsd:string without its datatype: both are one RDF term (RDF 1.1 §3.3)."""
    return Literal(str(term)) if isinstance(term, Literal) and term.datatype == _STRING else term


_DEEPEST = 50
_NO_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\]')


def path_of(shapes: Index, node: Node, depth: int = 0) -> PropertyPath:
    """Return the path that a node of the shapes graph describes. Raises ShapesError for an ill-formed path."""
    if isinstance(node, URIRef):
        if _NO_IRI.search(node):  # it would become part of a query
            raise ShapesError(f"the property path {shown(node)} is no IRI: it holds a character that no IRI may hold")
        return Predicate(shared(node))
    held = shapes.get(node, {}) if isinstance(node, BNode) and depth <= _DEEPEST else {}
    if FIRST in held:
        return Steps(_members(shapes, node, depth))
    for name, build in _BUILDERS.items():
        values = terms_of(held.get(sh(name)))
        if len(values) == 1:
            if name == "alternativePath":
                return Either(_members(shapes, values[0], depth))
            return build(path_of(shapes, values[0], depth + 1))
    found = described(shapes, node)
    raise ShapesError(f"{found} is no property path: write an IRI, a list, or what SHACL 1.0 §2.3.1 has")


def _members(shapes: Index, node: Node, depth: int) -> tuple[PropertyPath, ...]:
    members = tuple(path_of(shapes, one, depth + 1) for one in listed(shapes, node))
    if len(members) < 2:
        found = described(shapes, node)
        raise ShapesError(f"the property path {found} has fewer members than two: write the member alone")
    return members


_BUILDERS: dict[str, Callable[[PropertyPath], PropertyPath]] = {
    "inversePath": Inverse,
    "alternativePath": Inverse,
    "zeroOrMorePath": lambda path: Repeated(path, has_zero=True, has_more=True),
    "oneOrMorePath": lambda path: Repeated(path, has_zero=False, has_more=True),
    "zeroOrOnePath": lambda path: Repeated(path, has_zero=True, has_more=False),
}


VIOLATION, WARNING, INFO = sh("Violation"), sh("Warning"), sh("Info")
_PLACEHOLDER = re.compile(r"\{[?$](\w+)\}")


@dataclass(frozen=True, slots=True)
class Result:
    """A validation result (SHACL 1.0 §3.6.2); `detail` are the results that explain it.

    `path` is a predicate, or the node of the shapes graph that describes the property path.
    """

    focus: Node
    path: Node | None
    value: Node | None
    shape: Node
    component: Node
    severity: Node
    messages: tuple[Literal, ...]
    detail: tuple[Result, ...] = ()
    constraint: Node | None = None


class Evaluation(Protocol):
    """One validation of a data graph, as constraints see it."""

    @property
    def data(self) -> DataGraph:
        """The statements that are validated."""

    @property
    def queries(self) -> Any:
        """The queries over these statements."""

    def results_of(self, shape: Node, nodes: Iterable[Node]) -> Mapping[Node, Sequence[Result]]:
        """Return the results of a shape for each of some nodes; a node that conforms may be absent."""

    def not_conforming(self, shape: Node, nodes: Sequence[Node]) -> Collection[Node]:
        """Return those of some nodes that do not conform to a shape, without the results that say why."""

    def results_for(self, shape: Node, table: Table) -> Iterator[tuple[int, Result]]:
        """Yield the results of a shape for the rows of a table."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A node shape, or a property shape if it has a path (SHACL 1.0 §2).

    `targets` are pairs of the local name of a kind of target and its value. `is_recursive` is whether the shape refers
    to itself, directly or through others.
    """

    node: Node
    path: PropertyPath | None
    path_node: Node | None
    path_text: str
    severity: Node
    messages: tuple[Literal, ...]
    constraints: tuple[Constraint, ...]
    targets: tuple[tuple[str, Node], ...]
    is_recursive: bool = False

    def result(
        self,
        constraint: Constraint,
        focus: Node,
        value: Node | None = None,
        path: Node | None = None,
        detail: Sequence[Result] = (),
    ) -> Result:
        """Return the result of a constraint of the shape for a focus node."""
        path = path or self.path_node
        messages = self.messages
        if not messages:
            at = shown(focus) + (f"->{self.path_text if path is self.path_node else shown(path)}" if path else "")
            messages = (text_literal(constraint.message.format(focus=shown(focus), value=shown(value), at=at)),)
        if constraint.parameters:
            bound = {"this": focus, "value": value, "path": path, **dict(constraint.parameters)}
            messages = tuple(filled(one, bound) for one in messages)
        return Result(focus, path, value, self.node, constraint.component, self.severity, messages, tuple(detail))


def filled(message: Literal, bound: Mapping[str, Node | None]) -> Literal:
    """Fill the placeholders of a message with values (SHACL 1.0 §6.2.3)."""

    def value(place: re.Match[str]) -> str:
        term = bound.get(place[1])
        return place[0] if term is None else str(term)

    text = _PLACEHOLDER.sub(value, str(message))
    return message if text == str(message) else literal(text, None, message.language)


@dataclass(frozen=True, slots=True)
class ReadStatements:
    """The statements that a constraint looks at, beyond those of the path to its value nodes and of the shapes in it.

    `beside` are paths from the focus node, `of_values` predicates of value nodes (None: all), `anywhere` predicates of
    any node. When a statement changes, the constraint is evaluated again for the nodes that reach it by these.
    """

    beside: tuple[PropertyPath, ...] = ()
    of_values: tuple[Node, ...] | None = ()
    anywhere: frozenset[Node] = frozenset()


VALUES_ALONE = ReadStatements()
"""What most constraints look at: value nodes alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Constraint(ABC):
    """A constraint of a shape: a constraint component with its parameters.

    `message` is the default one; `{focus}`, `{value}` and `{at}`, the focus node with the path, are replaced by terms.
    `parameters` are those of a component that is not in SHACL Core, by name; `shapes` are those that it refers to.
    """

    component: Node
    message: str
    parameters: tuple[tuple[str, Node], ...] = field(default=(), kw_only=True)
    shapes: tuple[Node, ...] = field(default=(), kw_only=True)

    @abstractmethod
    def results(self, run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        """Yield the rows and values that do not conform."""

    def reads(self, path: PropertyPath | None) -> ReadStatements | None:  # noqa: ARG002 - for those that need it
        """Return what the constraint of a shape with this path looks at; None stands for any statement of the graph."""
        return None


@dataclass(frozen=True, slots=True, eq=False)
class ValueConstraint(Constraint):
    """A constraint on each value node alone, so that each distinct value is checked once."""

    @abstractmethod
    def faulty(self, run: Evaluation, values: Sequence[Node]) -> Sequence[Node]:
        """Return the values that do not conform."""

    def detail(self, _run: Evaluation, _value: Node) -> Sequence[Result]:
        """Return the results that explain why a value does not conform."""
        return ()

    def results(self, run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        """Yield a result for each value node that does not conform."""
        column: ValueNodes = table.column(shape.path)
        distinct = column.distinct
        for at, value in column.rows_with(self.faulty(run, distinct)) if distinct else ():
            yield at, shape.result(self, table.nodes[at], value, detail=self.detail(run, value))


@runtime_checkable
class Component(Protocol):
    """A constraint component as a function: yields the rows that do not conform, with the value if there is one.

    `column` has the focus nodes and their value nodes, `parameters` the values of the parameters by their local names.
    """

    def __call__(
        self, column: ValueNodes, parameters: Mapping[str, Any], data: DataGraph, /
    ) -> Iterable[tuple[int, Node | None]]:
        """Check the value nodes of all focus nodes at once."""


@dataclass(frozen=True, slots=True)
class LocalComponent:
    """A component that states what it looks at, so that a change elsewhere does not need it again."""

    function: Component
    reads: Callable[[Mapping[str, Any], PropertyPath | None], ReadStatements]

    def __call__(
        self, column: ValueNodes, parameters: Mapping[str, Any], data: DataGraph, /
    ) -> Iterable[tuple[int, Node | None]]:
        """Check the value nodes of all focus nodes at once."""
        return self.function(column, parameters, data)


@dataclass(frozen=True, slots=True, eq=False)
class FunctionConstraint(Constraint):
    """A constraint component, or a query (`source`), for which a Python function is registered."""

    function: Component
    source: Node | None = None

    def results(self, run: Evaluation, shape: Shape, table: Table) -> Iterator[tuple[int, Result]]:
        """Yield the results of the function."""
        for at, value in self.function(table.column(shape.path), dict(self.parameters), run.data):
            node = table.nodes[at]
            # A result of a node shape without a value gets the focus node as value (SHACL 1.0 §5.3.2).
            found = shape.result(self, node, node if value is None and shape.path is None else value)
            yield at, found if self.source is None else replace(found, constraint=self.source)

    def reads(self, path: PropertyPath | None) -> ReadStatements | None:
        """Return what the function says that it looks at."""
        function = self.function
        return function.reads(dict(self.parameters), path) if isinstance(function, LocalComponent) else None


_SINGLE = {
    "focusNode": "focus",
    "resultPath": "path",
    "value": "value",
    "sourceShape": "shape",
    "sourceConstraintComponent": "component",
    "sourceConstraint": "constraint",
    "resultSeverity": "severity",
}
"""The properties of a result with one value, and the fields for them."""


def conforms(results: Iterable[Result], *, allow_infos: bool = False, allow_warnings: bool = False) -> bool:
    """Return whether a data graph with these results conforms, if lower severities are allowed."""
    allowed = {*((INFO,) if allow_infos or allow_warnings else ()), *((WARNING,) if allow_warnings else ())}
    return all(one.severity in allowed for one in results)


class _ReportStore(SubjectIndexStore):
    """A store whose statements are made when they are first needed, because most reports are never read as RDF."""

    def __init__(self, make: Callable[[], Index]) -> None:
        self._make: Callable[[], Index] | None = None
        super().__init__()
        self._make = make

    @property
    def _index(self) -> Index:
        if self._make is not None:
            self._made, self._make = self._make(), None
        return self._made

    @_index.setter
    def _index(self, index: Index) -> None:
        self._made, self._make = index, None


def report_graph(results: Iterable[Result], *, is_conforming: bool, sources: Sequence[Index] = ()) -> Graph:
    """Return results as a `sh:ValidationReport`.

    The statements of `sources`, the shapes graph and the data graph, about blank nodes in results are part of it.
    """
    store = _ReportStore(partial(_statements, results, sources, is_conforming=is_conforming))
    graph = Graph(store, bind_namespaces="none")
    store.add_graph(graph)
    store.bind("sh", URIRef(SHACL))
    return graph


def _statements(results: Iterable[Result], sources: Sequence[Index], *, is_conforming: bool) -> Index:
    index: Index = {}
    report = BNode()
    put(index, report, RDF_TYPE, sh("ValidationReport"))
    put(index, report, sh("conforms"), Literal(is_conforming))
    nodes: dict[object, Node] = {}
    left: list[tuple[Result, Node]] = []
    for result in results:
        node: Node = BNode()
        put(index, report, sh("result"), node)
        nodes.setdefault(_key(result), node)
        left.append((result, node))
    for result, node in left:  # each detail once, however many results it explains; new ones follow at the end
        _describe(result, node, index, sources)
        for one in result.detail:
            key = _key(one)
            if key not in nodes:
                nodes[key] = BNode()
                left.append((one, nodes[key]))
            put(index, node, sh("detail"), nodes[key])
    return index


def terms_in(results: Iterable[Result]) -> Iterator[Node]:
    """Yield the focus nodes and values of results and of their details."""
    left, seen = list(results), set[object]()
    for one in left:
        yield one.focus
        if one.value is not None:
            yield one.value
        new = [detail for detail in one.detail if _key(detail) not in seen]
        seen.update(map(_key, new))
        left.extend(new)


def _key(result: Result) -> object:
    """Return what a result says; results that say the same have the same details."""
    terms = (result.focus, result.path, result.value, result.shape, result.component, result.constraint)
    return (*terms, result.messages)


def _describe(result: Result, node: Node, index: Index, sources: Sequence[Index]) -> None:
    index[node] = {RDF_TYPE: sh("ValidationResult")}
    for name, attribute in _SINGLE.items():
        term = getattr(result, attribute)
        if term is not None:
            index[node][sh(name)] = term
            _copy(term, index, sources)
    for message in result.messages:
        put(index, node, sh("resultMessage"), message)


def _copy(node: Node, index: Index, sources: Iterable[Index]) -> None:
    """Add the statements about a blank node, and about the blank nodes that these refer to."""
    left = [node]
    while left:
        one = left.pop()
        held = next((source[one] for source in sources if one in source), None) if isinstance(one, BNode) else None
        if held is not None and one not in index:
            index[one] = {}
            for predicate, terms in held.items():
                index[one][predicate] = terms[:] if isinstance(terms, list) else terms
                left.extend(terms_of(terms))


def report_text(results: Sequence[Result], *, is_conforming: bool, shapes: Index) -> str:
    """Return results as text, in the layout of pySHACL."""
    lines = ["Validation Report", f"Conforms: {is_conforming}"]
    if results:
        lines.append(f"Results ({len(results)}):")
    stated = set(map(_key, results))
    lines.extend(sorted("\n".join(_lines(one, shapes, stated)) for one in results))
    return "\n".join(lines) + "\n"


_DEEPEST_INDENT = 20


def _lines(result: Result, shapes: Index, stated: set[object]) -> Iterator[str]:
    """Yield the lines of a result and of its details; what stands in the text already is not explained again."""
    left = [(result, 0)]
    while left:
        one, depth = left.pop()
        indent = "\t\t" * min(depth, _DEEPEST_INDENT)
        noun = "Constraint Violation" if one.severity == VIOLATION else "Validation Result"
        name = str(one.component).rpartition("#")[2].rpartition("/")[2]
        yield f"{indent}{noun} in {name} ({one.component}):"
        labelled = {
            "Severity": one.severity,
            "Source Shape": one.shape,
            "Focus Node": one.focus,
            "Value Node": one.value,
            "Result Path": one.path,
            "Source Constraint": one.constraint,
        }
        terms = ((label, term) for label, term in labelled.items() if term is not None)
        yield from (f"{indent}\t{label}: {described(shapes, term)}" for label, term in terms)
        yield from (f"{indent}\tMessage: {message}" for message in sorted(one.messages))
        if one.detail and (not depth or _key(one) not in stated):
            stated.add(_key(one))
            yield f"{indent}\tDetails:"
            left.extend((more, depth + 1) for more in reversed(one.detail))


def results_in(held: Index) -> list[Result]:
    """Return the results of the statements of a validation report."""

    def result(node: Node) -> Result:
        stated = held[node]
        single = {field: terms_of(stated.get(sh(name)))[:1] for name, field in _SINGLE.items()}
        return Result(
            **{field: terms[0] if terms else None for field, terms in single.items()},  # type: ignore[arg-type]  # SHACL 1.0 §3.6.2: which of them are always there
            messages=tuple(
                sorted(one for one in terms_of(stated.get(sh("resultMessage"))) if isinstance(one, Literal))
            ),
            detail=tuple(result(one) for one in terms_of(stated.get(sh("detail")))),
        )

    return [result(one) for stated in held.values() for one in terms_of(stated.get(sh("result")))]
