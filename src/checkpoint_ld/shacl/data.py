"""The data graph as tables: focus nodes are rows, the value nodes of a path are a column.

The statements of several subject indexes count together: those of a document, and the inferred ones.
"""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from rdflib import BNode, Graph, URIRef
from rdflib.graph import ConjunctiveGraph

from checkpoint_ld.errors import WrongTypeError
from checkpoint_ld.graph.contexts import RDF_TYPE, named
from checkpoint_ld.graph.store import Index, Several, SubjectIndexStore, put, terms_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    Held = Node | list[Node] | None

SUBCLASS = named("http://www.w3.org/2000/01/rdf-schema#subClassOf")
_NOTHING: dict[Node, Node | list[Node]] = {}
_NOWHERE: frozenset[Node] = frozenset()
_ABSENT = type(None)
_LISTS = frozenset((list, Several))
_NONE = frozenset((_ABSENT,))


def is_ours(graph: Graph) -> bool:
    """Return whether a graph is all that its store of our class has, so that its index can be used as it is."""
    store = graph.store
    return isinstance(store, SubjectIndexStore) and len(store) == len(graph)


def index_of(graph: Graph) -> Index:
    """Return the statements of an rdflib graph as a subject index, which must not be changed.

    It may be the graph's own index. The statements of all graphs of a dataset count.
    """
    if not isinstance(graph, Graph):
        raise WrongTypeError(f"a {type(graph).__name__} is no graph: give one of rdflib, such as Graph().parse(file)")
    store = graph.store
    if isinstance(store, SubjectIndexStore) and is_ours(graph):
        return store.held
    index: Index = {}
    shared: dict[Node, Node] = {}

    def term(one: Node) -> Node:
        found = shared.get(one)
        if found is None:
            found = shared[one] = named(str(one)) if isinstance(one, URIRef) else one
        return found

    is_dataset = isinstance(graph, ConjunctiveGraph)
    for subject, predicate, value, *_ in graph.quads((None, None, None, None)) if is_dataset else graph:  # type: ignore[attr-defined]  # those of a dataset
        put(index, term(subject), term(predicate), term(value))
    return index


def matching(
    graph: Graph, subject: Node | None, predicate: Node | None, value: Node | None
) -> Iterator[tuple[Node, Node, Node]]:
    """Yield the statements of a graph that match, those of all graphs of a dataset."""
    if isinstance(graph, ConjunctiveGraph):
        yield from (quad[:3] for quad in graph.quads((subject, predicate, value, None)))
    else:
        yield from graph.triples((subject, predicate, value))


def about_blank_nodes(nodes: Iterable[Node], graph: Graph) -> Index:
    """Return the statements of a graph about the blank nodes among some nodes, and about those that they lead to."""
    index: Index = {}
    left = list(nodes)
    while left:
        node = left.pop()
        if isinstance(node, BNode) and node not in index:
            index[node] = {}
            for _, predicate, value in matching(graph, node, None, None):
                put(index, node, predicate, value)
                left.append(value)
    return index


def merged(first: Index, *others: Index) -> Index:
    """Return the statements of one or more indexes in one, which may share parts with them and must not be changed."""
    if not others:
        return first
    index = first.copy()
    known: dict[tuple[int, int], Node | list[Node]] = {}
    for other in others:
        for subject, more in other.items():
            held = index.get(subject)
            if held is None:
                index[subject] = more
                continue
            both = index[subject] = held.copy()
            for predicate, value in more.items():
                one = both.setdefault(predicate, value)
                if one is not value:
                    # Nodes that share a value object, such as a list of types, share it afterwards too.
                    key = id(one), id(value)
                    if key not in known:
                        known[key] = _both(one, value)
                    both[predicate] = known[key]
    return index


class DataGraph:
    """The statements of one or more subject indexes, for validation.

    The indexes stay apart: inferred statements have few predicates, and only their columns need both.
    """

    def __init__(self, *indexes: Index) -> None:
        self._indexes = indexes
        self._with: dict[Node, tuple[Index, ...]] = {}
        self._having: dict[Node, dict[Node, None]] = {}
        self._subjects: dict[Node, dict[Node, list[Node]]] = {}
        self._instances: dict[Node, Mapping[Node, None]] = {}

    @cached_property
    def index(self) -> Index:
        """The statements in one index, which must not be changed."""
        return merged(*self._indexes)

    @cached_property
    def _predicates(self) -> list[frozenset[Node]]:
        """The predicates of each index."""
        return [_NOWHERE.union(*index.values()) for index in self._indexes]

    def indexes_with(self, predicate: Node) -> tuple[Index, ...]:
        """Return the indexes that have a predicate, the first one if none has it."""
        found = self._with.get(predicate)
        if found is None:
            known = zip(self._indexes, self._predicates, strict=True)
            found = tuple(index for index, predicates in known if predicate in predicates) or self._indexes[:1]
            self._with[predicate] = found
        return found

    def mentions(self, predicate: Node) -> bool:
        """Return whether any node has a property."""
        return any(predicate in known for known in self._predicates)

    def values(self, node: Node, predicate: Node) -> list[Node]:
        """Return the values of a property of a node, each once."""
        indexes = self.indexes_with(predicate)
        held = indexes[0].get(node, _NOTHING).get(predicate)
        for index in indexes[1:]:
            held = together(([held], [index.get(node, _NOTHING).get(predicate)]))[0]
        return terms_of(held)

    def subjects(self, predicate: Node, value: Node) -> list[Node]:
        """Return the nodes that have a value for a property, each once."""
        known = self._subjects.get(predicate)
        if known is None:
            known = self._subjects[predicate] = defaultdict(list)
            for node in self.subjects_of(predicate):
                for one in self.values(node, predicate):
                    known[one].append(node)
        return known.get(value, [])

    def subjects_of(self, predicate: Node) -> dict[Node, None]:
        """Return the nodes that have a property."""
        if predicate not in self._having:
            known = zip(self._indexes, self._predicates, strict=True)
            having = (index.items() for index, predicates in known if predicate in predicates)
            nodes = (node for node, held in chain.from_iterable(having) if predicate in held)
            self._having[predicate] = dict.fromkeys(nodes)
        return self._having[predicate]

    def objects_of(self, predicate: Node) -> dict[Node, None]:
        """Return the values of a property of any node."""
        return dict.fromkeys(one for node in self.subjects_of(predicate) for one in self.values(node, predicate))

    def triples(self, predicates: frozenset[Node] | None) -> Iterator[tuple[Node, Node, Node]]:
        """Yield the statements with some predicates, all of them for None."""
        for subject, by_predicate in self.index.items():
            for predicate in by_predicate if predicates is None else predicates & by_predicate.keys():
                for term in terms_of(by_predicate[predicate]):
                    yield subject, predicate, term

    def describes(self, node: Node) -> bool:
        """Return whether there are statements about a node."""
        return any(node in index for index in self._indexes)

    def statements(self, node: Node) -> Iterator[tuple[Node, Node]]:
        """Yield the properties of a node with their values, each pair once."""
        held = [index.get(node, _NOTHING) for index in self._indexes]
        for predicate in dict.fromkeys(chain.from_iterable(held)):
            for value in self.values(node, predicate):
                yield predicate, value

    def instances(self, kind: Node) -> Mapping[Node, None]:
        """Return the SHACL instances of a class: those of the class and of its subclasses (SHACL 1.0 §2.1.3.2)."""
        found = self._instances.get(kind)
        if found is None:
            found = self._instances[kind] = dict.fromkeys(chain.from_iterable(self._groups.get(kind, ())))
        return found

    def above(self, kind: Node) -> dict[Node, None]:
        """Return a class with all its superclasses."""
        found = {kind: None}
        left = [kind]
        while left:
            more = [one for one in self.values(left.pop(), SUBCLASS) if one not in found]
            found.update(dict.fromkeys(more))
            left += more
        return found

    @cached_property
    def _groups(self) -> dict[Node, list[list[Node]]]:
        """The instances of each class and of its subclasses. There are fewer classes with instances than classes."""
        found = {kind: list(groups) for kind, groups in self._by_class.items()}
        for kind, groups in self._by_class.items() if self.subjects_of(SUBCLASS) else ():
            for one in self.above(kind):
                if one != kind:
                    found.setdefault(one, []).extend(groups)
        return found

    @cached_property
    def _by_class(self) -> dict[Node, list[list[Node]]]:
        """The instances of each class, grouped by their classes."""
        alike: dict[int, list[Node]] = defaultdict(list)
        every: dict[int, Held] = {}
        for index in self.indexes_with(RDF_TYPE):
            held = list(map(dict.get, index.values(), repeat(RDF_TYPE)))
            keys = list(map(id, held))
            every.update(zip(keys, held, strict=True))
            for node, key in zip(index, keys, strict=True):
                alike[key].append(node)
        found: dict[Node, list[list[Node]]] = defaultdict(list)
        for key, kinds in every.items():
            for kind in terms_of(kinds):
                found[kind].append(alike[key])
        return found


class ValueNodes:
    """The value nodes of a path for each focus node; without a path these are the focus nodes themselves."""

    def __init__(self, table: Table, path: PropertyPath | None = None) -> None:
        self.nodes = table.nodes
        # Otherwise only the garbage collector could free the table, the data graph and all inferred statements.
        self._table: Table = weakref.proxy(table)
        self.path = path
        self._mapped: dict[Callable[[Node], Any], list[Any]] = {}

    @cached_property
    def held(self) -> Sequence[Held]:
        """The value nodes, looked up when they are needed: none, one, or a list for each row."""
        return self.nodes if self.path is None else self.path.column(self._table)

    def beside(self, predicate: Node) -> ValueNodes:
        """Return the values of a property of the same focus nodes."""
        return self._table.column(Predicate(predicate))

    @cached_property
    def _kinds(self) -> set[type]:
        is_nowhere = type(self.path) is Predicate and not self._table.data.mentions(self.path.predicate)
        return {_ABSENT} if is_nowhere else set(map(type, self.held))

    @property
    def is_empty(self) -> bool:
        """Whether no row has a value."""
        return self._kinds <= {_ABSENT}

    @cached_property
    def missing(self) -> Sequence[int]:
        """The rows without a value."""
        if self.is_empty:
            return range(len(self.nodes))
        return [at for at, one in enumerate(self.held) if one is None] if _ABSENT in self._kinds else ()

    @cached_property
    def several(self) -> Sequence[int]:
        """The rows with more values than one."""
        if _LISTS.isdisjoint(self._kinds):
            return ()
        return [at for at, one in enumerate(self.held) if one.__class__ in _LISTS]

    @cached_property
    def distinct(self) -> Sequence[Node]:
        """The values of all rows; each object is listed once."""
        if self.is_empty:
            return ()
        found = dict(zip(map(id, self.held), self.held, strict=True))
        found.pop(id(None), None)
        if not self.several:
            return list(found.values())  # type: ignore[arg-type]  # there is no list among them
        return list({id(one): one for one in chain.from_iterable(map(terms_of, found.values()))}.values())

    def mapped(self, function: Callable[[Node], Any]) -> list[Any]:
        """Return the results of a function for the `distinct` values; it is called once for each."""
        found = self._mapped.get(function)
        if found is None:
            found = self._mapped[function] = list(map(function, self.distinct))
        return found

    def values(self, at: int) -> Sequence[Node]:
        """Return the values of a row."""
        return terms_of(self.held[at])

    def counts(self) -> Iterator[tuple[int, int]]:
        """Yield the rows with more than one value, and their number."""
        held = self.held
        return ((at, len(terms_of(held[at]))) for at in self.several)

    def filled(self) -> Iterator[tuple[int, Sequence[Node]]]:
        """Yield the rows that have values, and these values."""
        if not self.is_empty:
            for at, held in enumerate(self.held):
                if held is not None:
                    yield at, held if isinstance(held, list) else (held,)

    def rows_with(self, values: Collection[Node]) -> Iterator[tuple[int, Node]]:
        """Yield the rows that have any of some `distinct` values, and that value."""
        if values:
            wanted = set(map(id, values))
            for at, held in self.filled():
                for one in held:
                    if id(one) in wanted:
                        yield at, one


class Table:
    """Distinct focus nodes as rows; a column is made when a shape first needs it."""

    def __init__(self, data: DataGraph, nodes: Sequence[Node]) -> None:
        self.data = data
        self.nodes = nodes
        self._columns: dict[PropertyPath | None, ValueNodes] = {}
        self._statements: dict[int, list[dict[Node, Node | list[Node]]]] = {}

    def _rows(self, index: Index) -> list[dict[Node, Node | list[Node]]]:
        """Return the statements of each node in one index of the data."""
        if id(index) not in self._statements:
            self._statements[id(index)] = list(map(index.get, self.nodes, repeat(_NOTHING)))
        return self._statements[id(index)]

    def column(self, path: PropertyPath | None) -> ValueNodes:
        """Return the column of a path; None stands for the nodes themselves."""
        found = self._columns.get(path)
        if found is None:
            found = self._columns[path] = ValueNodes(self, path)
        return found

    def property(self, predicate: Node) -> Sequence[Held]:
        """Return the values of a property of each row."""
        indexes = self.data.indexes_with(predicate)
        return together(list(map(dict.get, self._rows(index), repeat(predicate))) for index in indexes)


def together(columns: Iterable[Sequence[Held]]) -> Sequence[Held]:
    """Return the values of one or more columns together, row by row, without duplicates.

    Rows with the same values in each column share their result.
    """
    first, *others = columns
    filled = [one for one in (first, *others) if not _NONE.issuperset(map(type, one))] if others else [first]
    if len(filled) < 2:
        return filled[0] if filled else first
    known: dict[tuple[int, ...], Held] = {}
    found: list[Held] = []
    for row in zip(*filled, strict=True):
        key = tuple(map(id, row))
        if key not in known:
            held: Held = None
            for one in row:
                held = one if held is None or held is one else held if one is None else _both(held, one)
            known[key] = held
        found.append(known[key])
    return found


def _both(one: Node | list[Node], more: Node | list[Node]) -> Node | list[Node]:
    # Terms with different texts differ. A dictionary would compute every hash, and rdflib hashes literals in Python.
    if one.__class__ not in _LISTS and more.__class__ not in _LISTS and str.__ne__(one, more):  # type: ignore[operator]  # terms are texts
        return [one, more]  # type: ignore[list-item]  # none is a list
    found = list(dict.fromkeys((*terms_of(one), *terms_of(more))))
    return found if len(found) > 1 else found[0]


def united(values: Iterable[Node]) -> Held:
    """Return values without duplicates, in the form of an index."""
    found = list(dict.fromkeys(values))
    return found if len(found) > 1 else found[0] if found else None


class PropertyPath(ABC):
    """A property path; equal paths lead to the same nodes."""

    __slots__ = ()

    @abstractmethod
    def ends(self, data: DataGraph, node: Node, *, is_inverse: bool = False) -> Iterable[Node]:
        """Return the nodes at the end of the path from `node`, or at its start if reversed.

        A node may occur several times.
        """

    def column(self, table: Table) -> Sequence[Held]:
        """Return the value nodes of each row without duplicates."""
        return [united(self.ends(table.data, node)) for node in table.nodes]


@dataclass(frozen=True, slots=True)
class Predicate(PropertyPath):
    """A predicate path."""

    predicate: Node

    def ends(self, data: DataGraph, node: Node, *, is_inverse: bool = False) -> Iterable[Node]:
        """Return the values of the property, or the nodes that have `node` as its value."""
        return data.subjects(self.predicate, node) if is_inverse else data.values(node, self.predicate)

    def column(self, table: Table) -> Sequence[Held]:
        """Return the values of the property of all rows at once."""
        return table.property(self.predicate)


@dataclass(frozen=True, slots=True)
class Inverse(PropertyPath):
    """An inverse path."""

    path: PropertyPath

    def ends(self, data: DataGraph, node: Node, *, is_inverse: bool = False) -> Iterable[Node]:
        """Return the ends of the reversed path."""
        return self.path.ends(data, node, is_inverse=not is_inverse)


@dataclass(frozen=True, slots=True)
class Steps(PropertyPath):
    """A sequence path."""

    paths: tuple[PropertyPath, ...]

    def ends(self, data: DataGraph, node: Node, *, is_inverse: bool = False) -> Iterable[Node]:
        """Return the ends of all paths, one after the other."""
        found = [node]
        for path in reversed(self.paths) if is_inverse else self.paths:
            found = list(dict.fromkeys(end for one in found for end in path.ends(data, one, is_inverse=is_inverse)))
        return found

    def column(self, table: Table) -> Sequence[Held]:
        """Return the ends of all paths for all rows at once."""
        held: Sequence[Held] = table.nodes
        for path in self.paths:
            between = Table(table.data, list(dict.fromkeys(chain.from_iterable(map(terms_of, held)))))
            ends = dict(zip(between.nodes, between.column(path).held, strict=True))
            held = [
                united(chain.from_iterable(terms_of(ends[node]) for node in one))
                if isinstance(one, list)
                else None
                if one is None
                else ends[one]
                for one in held
            ]
        return held


@dataclass(frozen=True, slots=True)
class Either(PropertyPath):
    """An alternative path."""

    paths: tuple[PropertyPath, ...]

    def ends(self, data: DataGraph, node: Node, *, is_inverse: bool = False) -> Iterable[Node]:
        """Return the ends of each of the paths."""
        return [end for path in self.paths for end in path.ends(data, node, is_inverse=is_inverse)]

    def column(self, table: Table) -> Sequence[Held]:
        """Return the columns of all paths together."""
        columns = [table.column(path) for path in self.paths]
        filled = [one.held for one in columns if not one.is_empty]
        return together(filled or [columns[0].held])


@dataclass(frozen=True, slots=True)
class Repeated(PropertyPath):
    """A zero-or-more, one-or-more or zero-or-one path."""

    path: PropertyPath
    has_zero: bool
    has_more: bool

    def ends(self, data: DataGraph, node: Node, *, is_inverse: bool = False) -> Iterable[Node]:
        """Repeat the path as long as it leads to new nodes."""
        found: dict[Node, None] = {node: None} if self.has_zero else {}
        left = list(self.path.ends(data, node, is_inverse=is_inverse))
        while left:
            one = left.pop()
            if one not in found:
                found[one] = None
                if self.has_more:
                    left.extend(self.path.ends(data, one, is_inverse=is_inverse))
        return found
