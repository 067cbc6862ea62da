"""The subject index: one dictionary that holds a graph, and an rdflib store over it.

It is `{subject: {predicate: term, or a list of two or more terms}}`. Reading, mapping, validation and writing use the
dictionary; everybody else sees an `rdflib.store.Store`. The indexes from terms to subjects are built for each predicate
when they are first needed. With 1,000 questions, this saves a first query of one to four predicates 10 to 20 ms.
"""

from __future__ import annotations

import re
import threading
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Never, Self, TypeVar
from weakref import ref

from rdflib import Graph, Literal, URIRef
from rdflib.store import Store

from checkpoint_ld.errors import WriteError
from checkpoint_ld.graph.literals import literal
from checkpoint_ld.host import uncollected
from checkpoint_ld.vocabulary import KARENINA, SCHEMA, XSD

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from types import ModuleType

    from rdflib.graph import _TriplePatternType, _TripleType
    from rdflib.term import Identifier, Node


Held = dict["Node", "Node | list[Node]"]
Index = dict["Node", Held]

SPARQL_LOCK = threading.RLock()
"""Held while rdflib parses SPARQL, and while pySHACL runs, which reuses the queries that it parsed."""


def sparql_parser() -> ModuleType:
    """Return rdflib's parser of SPARQL; from the first call on, it parses for one thread at a time.

    In the first call of each parse action, pyparsing finds the number of its arguments by trying fewer and fewer.
    Several threads at once go too far, and then the process can parse no query any more.
    """
    from rdflib.plugins.sparql import parser  # noqa: PLC0415 - its grammar takes long to build

    with SPARQL_LOCK:
        for grammar in (parser.Query, parser.UpdateUnit):
            if "parse_string" not in vars(grammar):
                setattr(grammar, "parse_string", _locked(grammar.parse_string))  # noqa: B010 - mypy: it is a method
    return parser


def _locked(parse: Callable[..., Any]) -> Callable[..., Any]:
    from pyparsing import ParserElement  # noqa: PLC0415 - as the grammar

    def parse_string(*arguments: Any, **options: Any) -> Any:
        done: list[Any] = []
        faults: list[BaseException] = []

        def work() -> None:
            try:
                done.append(parse(*arguments, **options))
            except BaseException as error:  # noqa: BLE001 - raised again below
                faults.append(error)
            finally:
                # Others (matplotlib) may have enabled pyparsing's cache. It keeps exceptions, which keep their frames.
                ParserElement.reset_cache()

        # pyparsing leaves cycles of exceptions and frames. A frame holds its callers with what they hold, such as a
        # store and its results, until the collector runs, perhaps in a thread that may not drop them.
        with SPARQL_LOCK:
            thread = threading.Thread(target=work, name="SPARQL parser")
            thread.start()
            thread.join()
        if faults:
            raise faults.pop()  # a list that kept it would be a cycle
        return done[0]

    return parse_string


def terms_of(held: Node | list[Node] | None) -> list[Node]:
    """Return what an index holds for a subject and a predicate as a list."""
    if held is None:
        return []
    return held if isinstance(held, list) else [held]


class Several(list["Node"]):
    """Several distinct terms of one subject and predicate, with a fast test for membership."""

    def __init__(self, terms: Iterable[Node]) -> None:
        super().__init__(terms)
        self._known = set(self)

    def __contains__(self, term: object) -> bool:
        return term in self._known

    def append(self, term: Node) -> None:
        """Add a term that is not there yet."""
        super().append(term)
        self._known.add(term)

    def remove(self, term: Node) -> None:
        """Remove a term that is there."""
        super().remove(term)
        self._known.remove(term)

    def __reduce__(self) -> tuple[Any, ...]:
        return Several, (list(self),)


_LISTS = frozenset((list, Several))
_MANY = 32
"""From so many terms on, making a set is faster than searching a list."""


def put(index: Index, subject: Node, predicate: Node, term: Node) -> bool:
    """Add a triple to `index`; return whether it is new."""
    predicates = index.setdefault(subject, {})
    held = predicates.get(predicate)
    if held is None:
        predicates[predicate] = term
        return True
    if not isinstance(held, list):
        if held != term:
            predicates[predicate] = [held, term]
        return held != term
    if len(held) >= _MANY and not isinstance(held, Several):
        predicates[predicate] = held = Several(held)
    if term in held:
        return False
    held.append(term)
    return True


def drop(index: Index, subject: Node, predicate: Node, terms: set[Node]) -> None:
    """Remove the triples of one subject and predicate with any of `terms` from `index`."""
    predicates = index[subject]
    held = predicates[predicate]
    if isinstance(held, Several) and len(terms) == 1 and len(held) > 2:
        held.remove(*terms)
        return
    kept = [term for term in terms_of(held) if term not in terms]
    if kept:
        predicates[predicate] = kept if len(kept) > 1 else kept[0]
        return
    del predicates[predicate]
    if not predicates:
        del index[subject]


def copied(index: Index) -> Index:
    """Return a copy of `index` that can be changed independently."""
    with uncollected():
        return {
            subject: predicates.copy()
            if _LISTS.isdisjoint(map(type, predicates.values()))
            else {one: list(held) if isinstance(held, list) else held for one, held in predicates.items()}
            for subject, predicates in index.items()
        }


class Difference(NamedTuple):
    """What changed in a store: the statements that went and those that came, and the subjects of both.

    A subject whose values have another order only is one of `subjects` too.
    """

    removed: list[tuple[Node, Node, Node]]
    added: list[tuple[Node, Node, Node]]
    subjects: set[Node]


def _difference(before: Mapping[Node, Held], index: Index) -> Difference:
    """Return the difference between what some subjects had `before` and what they have in `index`."""
    found = Difference([], [], set())
    for subject, old in before.items():
        new = index.get(subject, {})
        for predicate in {**old, **new}:
            first, second = (terms_of(held.get(predicate)) for held in (old, new))
            if first == second:
                continue
            found.subjects.add(subject)
            # Terms that stay are mostly the same objects; comparing these alone would take longer.
            known, kept = (set(map(id, terms)) for terms in (first, second))
            gone = [term for term in first if id(term) not in kept]
            come = [term for term in second if id(term) not in known]
            both = set(gone) & set(come) if gone and come else ()
            found.removed.extend((subject, predicate, term) for term in gone if term not in both)
            found.added.extend((subject, predicate, term) for term in come if term not in both)
    return found


class _Journal:
    """What subjects had before they changed, in epochs: one begins whenever somebody asks from when on.

    The statements of an unchanged subject are not copied. A journal that would hold more subjects than `most` ends.
    """

    def __init__(self, first: int, most: int) -> None:
        self.first = first
        self._most = most
        self._count = 0
        self._epochs: list[dict[Node, Held]] = [{}]

    @property
    def last(self) -> int:
        """The number of the current epoch."""
        return self.first + len(self._epochs) - 1

    def begin(self) -> int:
        """Begin an epoch, unless nothing has changed in the current one; return its number."""
        if self._epochs[-1]:
            self._epochs.append({})
        return self.last

    def record(self, subject: Node, held: Held | None) -> bool:
        """Note what a subject has before it changes; return whether the journal goes on."""
        known = self._epochs[-1]
        if subject not in known:
            old = {} if held is None else held
            known[subject] = {one: list(terms) if isinstance(terms, list) else terms for one, terms in old.items()}
            self._count += 1
        return self._count <= self._most

    def since(self, epoch: int) -> dict[Node, Held] | None:
        """Return what the subjects that changed since the beginning of an epoch had then, None if it is not known."""
        if not self.first <= epoch <= self.last:
            return None
        before: dict[Node, Held] = {}
        for known in self._epochs[epoch - self.first :]:
            before = {**known, **before}
        return before


_SMALLEST_JOURNAL = 1_000


def triples_of(index: Index) -> Iterator[tuple[Node, Node, Node]]:
    """Iterate over all triples of `index`, in its order."""
    for subject, predicates in index.items():
        for predicate, held in predicates.items():
            if isinstance(held, list):
                for term in held:
                    yield subject, predicate, term
            else:
                yield subject, predicate, held


class SubjectIndexStore(Store):
    """An rdflib store of one graph over a subject index."""

    context_aware = True
    graph_aware = True
    formula_aware = False
    transaction_aware = False

    def __init__(self, configuration: str | None = None, identifier: Identifier | None = None) -> None:
        self._index: Index = {}
        self._holders = [1]
        self._by_predicate: dict[Node, dict[Node, list[Node]]] = {}
        self._by_object: dict[Node, list[tuple[Node, Node]]] | None = None
        self._size: int | None = None
        self._prefixes: dict[str, URIRef] = {}
        self._name: Identifier | None = None
        # A weak reference: otherwise only the garbage collector could free a graph, its store and all statements.
        self._graph: ref[Graph] | None = None
        self.revision = self.changes = 0
        self.lock = threading.RLock()
        self._journal: _Journal | None = None
        self._epoch = 0
        self.has_additions = False
        super().__init__(configuration, identifier)

    def __getstate__(self) -> dict[str, Any]:
        # Weak references, locks and what somebody noted cannot be pickled; the name of the graph is enough.
        return {**vars(self), "lock": None, "_graph": None, "_journal": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, lock=threading.RLock())

    @property
    def held(self) -> Index:
        """The index, read-only: other stores may share it."""
        return self._index

    @property
    def index(self) -> Index:
        """The index of this store alone. It may be changed until it is shared; call `touch` afterwards."""
        if self._holders[0] > 1:
            self._index, holders, self._holders = copied(self._index), self._holders, [1]
            holders[0] -= 1  # last, as another thread may be about to do the same for its own store
        return self._index

    def replace(self, index: Index) -> None:
        """Replace the triples by those of `index`."""
        self._holders[0] -= 1
        self._index, self._holders = index, [1]
        self.touch()

    def share(self, other: SubjectIndexStore) -> None:
        """Let `other` have the same triples. A store copies the index before its first change."""
        other.replace(self._index)
        other.has_additions = self.has_additions
        self._holders[0] += 1
        other._holders = self._holders

    def touch(self) -> None:
        """Discard what was derived from the index; to be called after a direct change of the index."""
        journal = self._journal
        if journal is not None:
            self._journal, self._epoch = None, journal.last
        self.revise()

    def revise(self) -> None:
        """Count a change of which all subjects were recorded, and discard what was derived from the index."""
        self.revision += 1
        self.forget()

    def follow(self) -> int:
        """Return a point in time for `difference`; from the first call on, the store notes what changes.

        Whoever reads the statements of that time holds `lock`, so that an edit in another thread waits.
        """
        if self._journal is None:
            self._epoch += 1
            self._journal = _Journal(self._epoch, max(_SMALLEST_JOURNAL, len(self._index) // 4))
        self._epoch = self._journal.begin()
        return self._epoch

    def difference(self, since: int) -> Difference | None:
        """Return what changed since a point in time that `follow` returned.

        None stands for too much to be noted, or for a direct change of the index: then anything may have changed.
        """
        before = None if self._journal is None else self._journal.since(since)
        return None if before is None else _difference(before, self._index)

    def record(self, subject: Node) -> None:
        """Note what a subject has; to be called before a direct change of its statements, instead of `touch` after."""
        journal = self._journal
        if journal is not None and not journal.record(subject, self._index.get(subject)):
            self._journal, self._epoch = None, journal.last

    def forget(self) -> None:
        """Discard the derived indexes, after a change that adds no second reference to a node."""
        self.changes += 1
        self._by_predicate = {}
        self._by_object = self._size = None

    def add(self, triple: _TripleType, context: Graph | None = None, quoted: bool = False) -> None:
        """Add a triple (`rdflib.store.Store.add`). Raises WriteError for a second graph."""
        if context is not None:
            self.add_graph(context)
            if not self._is_of(context):
                msg = f"this store holds one graph, {self._name}: it takes no statements of {context.identifier}; "
                raise WriteError(msg + "copy the graph into a rdflib.Dataset() of its own")
            super().add(triple, context, quoted)
        with self.lock:
            self.record(triple[0])
            if put(self.index, *triple):
                self.revision += 1
                self.changes += 1
                self.has_additions = True
                self._note(*triple)

    def _is_of(self, context: Graph | None) -> bool:
        """Return whether the store holds the graph `context`; None stands for any graph."""
        return context is None or self._name in (None, context.identifier)

    def _note(self, subject: Node, predicate: Node, term: Node) -> None:
        """Add one new triple to what was derived from the index."""
        if self._size is not None:
            self._size += 1
        if predicate in self._by_predicate:
            self._by_predicate[predicate].setdefault(term, []).append(subject)
        if self._by_object is not None:
            self._by_object.setdefault(term, []).append((subject, predicate))

    def remove(self, triple: _TriplePatternType, context: Graph | None = None) -> None:
        """Remove every triple that matches (`rdflib.store.Store.remove`)."""
        gone: dict[tuple[Node, Node], set[Node]] = {}
        with self.lock:
            for (subject, predicate, term), _ in self.triples(triple, context):
                gone.setdefault((subject, predicate), set()).add(term)
            for (subject, predicate), terms in gone.items():
                self.record(subject)
                drop(self.index, subject, predicate, terms)
            if gone:
                self.revise()
        super().remove(triple, context)

    def triples(
        self, triple_pattern: _TriplePatternType, context: Graph | None = None
    ) -> Generator[tuple[_TripleType, Iterator[Graph | None]], None, None]:
        """Yield the triples that match, each with its graph; the store may change meanwhile."""
        if self._is_of(context):
            for triple in list(self._matches(*triple_pattern)):
                yield triple, self.contexts()

    def _matches(self, subject: Any, predicate: Any, term: Any) -> Iterable[tuple[Node, Node, Node]]:
        if subject is not None:
            predicates = self._index.get(subject, {})
            if predicate is None:
                return (found for one in predicates for found in self._matches(subject, one, term))
            held = terms_of(predicates.get(predicate))
            if term is None:
                return [(subject, predicate, one) for one in held]
            return [(subject, predicate, term)] if term in held else []
        if predicate is not None:
            by_term = self._subjects_of(predicate)
            queried_terms = by_term if term is None else (term,)
            return ((one, predicate, held) for held in queried_terms for one in by_term.get(held, ()))
        if term is not None:
            return ((one, by, term) for one, by in self._places_of(term))
        return triples_of(self._index)

    def _subjects_of(self, predicate: Node) -> dict[Node, list[Node]]:
        """Return the subjects of a predicate, by its terms."""
        known = self._by_predicate.get(predicate)
        if known is None:
            known = {}
            for subject, predicates in self._index.items():
                held = predicates.get(predicate)
                if held is not None:
                    for term in held if isinstance(held, list) else (held,):
                        known.setdefault(term, []).append(subject)
            self._by_predicate[predicate] = known  # only now, as another thread may ask meanwhile
        return known

    def _places_of(self, term: Node) -> Sequence[tuple[Node, Node]]:
        """Return the occurrences of a term: its subjects and predicates."""
        known = self._by_object
        if known is None:
            known = {}
            for subject, predicate, one in triples_of(self._index):
                known.setdefault(one, []).append((subject, predicate))
            self._by_object = known
        return known.get(term, ())

    def __len__(self, context: Graph | None = None) -> int:
        if not self._is_of(context):
            return 0
        if self._size is None:
            held = chain.from_iterable(predicates.values() for predicates in self._index.values())
            self._size = sum(len(terms) if isinstance(terms, list) else 1 for terms in held)
        return self._size

    def contexts(self, triple: _TripleType | None = None) -> Generator[Graph, None, None]:
        """Yield the graph of the store, if it holds `triple`."""
        if self._name is not None and (triple is None or any(True for _ in self._matches(*triple))):
            graph = None if self._graph is None else self._graph()
            yield Graph(self, self._name, bind_namespaces="none") if graph is None else graph

    def add_graph(self, graph: Graph) -> None:
        """Name the graph of the statements; only the first name counts."""
        if self._name is None:
            self._name, self._graph = graph.identifier, ref(graph)

    def remove_graph(self, graph: Graph) -> None:
        """Remove the statements and the name, if they are those of `graph`."""
        if self._is_of(graph):
            self.replace({})
            self._name = self._graph = None

    def query(self, *_: Any, **__: Any) -> Never:
        """Pass a query to rdflib (`rdflib.store.Store.query`), whose parser is made safe for threads first."""
        sparql_parser()
        raise NotImplementedError

    update = query

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Bind a prefix (`rdflib.store.Store.bind`); a namespace has one prefix, a prefix one namespace."""
        bound_prefix = self.prefix(namespace)
        if not override and (prefix in self._prefixes or bound_prefix is not None):
            return
        if bound_prefix is not None:
            del self._prefixes[bound_prefix]
        self._prefixes[prefix] = namespace

    def namespace(self, prefix: str) -> URIRef | None:
        """Return the namespace that `prefix` is bound to."""
        return self._prefixes.get(prefix)

    def prefix(self, namespace: URIRef) -> str | None:
        """Return the prefix that is bound to `namespace`."""
        return next((prefix for prefix, bound in self._prefixes.items() if bound == namespace), None)

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        """Iterate over the bound prefixes."""
        return iter(list(self._prefixes.items()))


def graph_of(index: Index) -> Graph:
    """Return a graph over an index, without prefixes; that takes little memory and time."""
    store = SubjectIndexStore()
    graph = Graph(store, bind_namespaces="none")
    store.add_graph(graph)
    store.replace(index)
    return graph


def _as_written(found: re.Match[str]) -> str:
    return f'"{found[0]}"^^<{XSD}double>' if found["double"] else found[0]


_DOUBLE = re.compile(
    r"""
    \"{3}(?:[^"\\]|\\.|\"(?!""))*\"{3} | '{3}(?:[^'\\]|\\.|'(?!''))*'{3} | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
  | <[^<>\s]*> | \#[^\n]*
  | (?P<double> (?<![\w.?$:@+-]) (?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][+-]?[0-9]+ (?![\w.]) )
    """,
    re.VERBOSE | re.DOTALL,
)
"""A double of SPARQL, or a string, an IRI or a comment, which may contain one."""


class StatementGraph(Graph):
    """A graph that is named by its root, the node of the document itself.

    It may be read and changed as any rdflib graph. Functions that process the whole graph use `index`.
    """

    family: ClassVar[str] = ""
    """The family of checkpoints that the graph is of, empty for a graph of anything."""
    PREFIXES: ClassVar[Mapping[str, str]] = MappingProxyType({"schema": SCHEMA, "karenina": KARENINA, "xsd": XSD})
    """The prefixes that documents of this family use."""

    def __init__(self, index: Index, root: Node) -> None:
        store = SubjectIndexStore()
        super().__init__(store, identifier=str(root), bind_namespaces="none")
        store.add_graph(self)
        store.replace(index)
        self.root = root
        for prefix, namespace in self.PREFIXES.items():
            store.bind(prefix, URIRef(namespace))  # the graph's own way ties it and its namespaces to one another

    def query(self, query_object: Any, *arguments: Any, **options: Any) -> Any:
        """Return the result of a query in SPARQL (`rdflib.Graph.query`), which finds doubles as graphs state them.

        rdflib reads `5.0E0` as the term `"5.0"^^xsd:double`, another one than that of checkpoints.
        """
        if isinstance(query_object, str):
            query_object = _DOUBLE.sub(_as_written, query_object)
        return super().query(query_object, *arguments, **options)

    @property
    def index(self) -> Index:
        """The subject index that holds the statements; call `touch` after changing it.

        Read this property again after a copy of the graph: the copy shares the index from before.
        """
        return self._store.index

    @property
    def held(self) -> Index:
        """The subject index, read-only: a copy of this graph may share it."""
        return self._store.held

    @property
    def changes(self) -> int:
        """The number of changes of the graph so far."""
        return self._store.changes

    @property
    def revision(self) -> int:
        """The number of changes by other means than the edits of the graph's own class, and by edits of identifiers."""
        return self._store.revision

    @property
    def lock(self) -> threading.RLock:
        """What edits hold, and whoever must not see half of one."""
        return self._store.lock

    def follow(self) -> int:
        """Return a point in time for `difference`; from the first call on, the graph notes what changes."""
        return self._store.follow()

    def difference(self, since: int) -> Difference | None:
        """Return what changed since a point in time that `follow` returned, whoever changed it; None if unknown."""
        return self._store.difference(since)

    def touch(self) -> None:
        """Note that the index was changed directly."""
        self._store.touch()

    @property
    def _store(self) -> SubjectIndexStore:
        store = self.store
        assert isinstance(store, SubjectIndexStore)  # noqa: S101 - the constructor sets it
        return store

    def update(self, *arguments: Any, **options: Any) -> None:
        """Carry out a SPARQL 1.1 update; parameters are those of `rdflib.Graph.update`."""
        # rdflib evaluates the pattern of an update over a dataset, unless the graph is an rdflib.Graph itself.
        Graph(self.store, identifier=self.identifier, bind_namespaces="none").update(*arguments, **options)

    def copy(self) -> Self:
        """Return a graph of the same statements that can be changed independently.

        It is cheap: the statements are copied at the first change of one of the two graphs.
        """
        graph = _bound(type(self)({}, self.root), dict(self.store.namespaces()))
        self._store.share(graph._store)  # noqa: SLF001 - a graph of the same class
        return graph

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        # Literals are pickled in parts, because rdflib changes the text of a literal that is unpickled as a whole.
        parts = [
            (subject, predicate, (str(term), term.datatype, term.language) if isinstance(term, Literal) else term)
            for subject, predicate, term in triples_of(self.held)
        ]
        return _restored, (type(self), parts, self.root, dict(self.store.namespaces()), self._store.has_additions)


_Graph = TypeVar("_Graph", bound=StatementGraph)


def _restored(
    kind: type[_Graph],
    parts: list[tuple[Node, Node, Any]],
    root: Node,
    prefixes: dict[str, URIRef],
    has_additions: bool,
) -> _Graph:
    index: Index = {}
    for subject, predicate, term in parts:
        put(index, subject, predicate, literal(*term) if isinstance(term, tuple) else term)
    graph = _bound(kind(index, root), prefixes)
    graph._store.has_additions = has_additions  # noqa: SLF001 - a graph of the same class
    return graph


def _bound(graph: _Graph, prefixes: dict[str, URIRef]) -> _Graph:
    for prefix, namespace in prefixes.items():
        graph.store.bind(prefix, namespace)
    return graph
