"""Running a query over a store of Oxigraph: guarded, read-only, within limits, graph by graph where that is faster."""

from __future__ import annotations

import hashlib
import typing
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, TypeAlias, cast

import pyoxigraph
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, QuerySolutions, Store, Triple
from rdflib import URIRef

from checkpoint_ld.connections import check_timeout
from checkpoint_ld.errors import CheckpointLdError, QueryError, QueryFailedError, SettingsError
from checkpoint_ld.graph.emission import ntriples_of
from checkpoint_ld.graph.store import StatementGraph, sparql_parser
from checkpoint_ld.guard.checking import PREFIXES, bound, checked
from checkpoint_ld.guard.rewriting import FUNCTIONS, best_text
from checkpoint_ld.guard.terms import is_iri
from checkpoint_ld.host import without_warnings
from checkpoint_ld.phrases import unknown
from checkpoint_ld.sparql import large_integers
from checkpoint_ld.sparql.result import QueryResult, of_rdflib, result_of, term_of, texts_of, to_rdflib
from checkpoint_ld.vocabulary import SCHEMA
from checkpoint_ld.workers.process import TimeLimitError, Worker, WorkerError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Iterable, Mapping

    from checkpoint_ld.guard.checking import GuardedQuery
    from checkpoint_ld.guard.engine_faults import PathEnd
    from checkpoint_ld.guard.rewriting import Known
    from checkpoint_ld.sparql.result import Row
    from checkpoint_ld.workers.process import ChunkedReader


_FUNCTIONS = {**FUNCTIONS, **large_integers.FUNCTIONS}
_PART: Final = 20
"""The number of graphs that are queried together; with fewer, parsing takes longer, with more, the engine."""
_TRIAL: Final = 500
"""The number of graphs after which the number of rows decides whether to continue graph by graph."""


def solutions(
    store: Store, query: GuardedQuery, most: int | None, known: Known | None = None
) -> tuple[tuple[str, ...], list[Row]] | None:
    """Return the columns and at most `most` rows of a SELECT, None for a query to evaluate as a whole.

    That is a query that cannot be answered graph by graph, or one with less than one row in a graph, for which the
    engine's indexes over all graphs are faster. Raises errors of the engine.
    """
    plan = query.plan
    if plan is None or query.chooses or len(list(islice(store.named_graphs(), _PART + 1))) <= _PART:
        return None
    graphs = [graph for graph in store.named_graphs() if plan.graphs is None or graph.value in plan.graphs]
    if not graphs or not all(isinstance(graph, NamedNode) for graph in graphs):  # others have no order
        return None
    graphs.sort(key=lambda graph: graph.value)  # SPARQL 1.1 §15.1
    wanted = min((number for number in (most, plan.limit) if number is not None), default=None)
    columns: tuple[str, ...] = ()
    rows: list[Row] = []
    text = large_integers.text_for(best_text(query.rewritten, store, known), store, known)
    for start in range(0, len(graphs), _PART):
        found = _query(store, text, named_graphs=graphs[start : start + _PART])
        assert isinstance(found, QuerySolutions)  # noqa: S101 - it is a SELECT
        columns = tuple(variable.value for variable in found.variables)
        rows.extend(tuple(row) for row in found)
        if wanted is not None and len(rows) >= wanted:
            break
        if start + _PART == _TRIAL and len(rows) < _TRIAL < len(graphs):
            return None
    return columns, rows[:wanted]


def _query(
    store: Store, text: str, **options: Any
) -> QuerySolutions | pyoxigraph.QueryBoolean | pyoxigraph.QueryTriples:
    return store.query(text, prefixes=PREFIXES, custom_functions=_FUNCTIONS, **options)


Engine: TypeAlias = typing.Literal["oxigraph", "rdflib"]

MANIFEST = "urn:checkpoint-ld:manifest"
"""The graph with the manifest of the other graphs."""
_MANIFEST = NamedNode(MANIFEST)

ENGINES: tuple[Engine, ...] = ("oxigraph", "rdflib")

START_LIMIT = 120.0
"""The seconds that the process of a query may take to start and to load the statements."""


def run(  # noqa: PLR0913 - all but the first two are named
    store: pyoxigraph.Store,
    text: str,
    *,
    parameters: Mapping[str, Any] | None = None,
    engine: Engine = "oxigraph",
    timeout: float | None = None,
    max_rows: int | None = None,
    services: Collection[str] = (),
    location: str | os.PathLike[str] | None = None,
) -> QueryResult:
    """Return the result of a SPARQL 1.1 query over a store.

    Its default graph is that of the store. If that is empty, it is the only other graph beside a manifest; without a
    manifest, it is the union of all graphs, in which a statement of several graphs is repeated. FROM and FROM NAMED
    choose among the graphs of the store.
    `parameters` are values for variables, by name: Python values, or terms of pyoxigraph or rdflib. `max_rows` is the
    most rows or statements in the result. With `timeout`, in seconds, the query is answered in a separate process,
    which is killed after that time. That process gets a copy of the statements, unless `location` is the folder of the
    store. `engine="rdflib"` is slow, and meant for comparison. `services` are the hosts that SERVICE may query, such as
    `example.org` or `127.0.0.1:8080`.

    Raises QueryError for a query that is refused or invalid (see `checkpoint_ld.guard.checking`), SettingsError for
    another engine or invalid limits, QueryFailedError after the timeout, or if the engine fails.
    """
    limits: dict[str, Any] = {"engine": engine, "timeout": timeout, "max_rows": max_rows, "services": services}
    return _run(store, text, parameters or {}, location=location, known=None, **limits)


def _run(  # noqa: PLR0913 - as `run`
    store: pyoxigraph.Store,
    text: str,
    parameters: Mapping[str, Any],
    *,
    engine: Engine,
    timeout: float | None,
    max_rows: int | None,
    services: Collection[str],
    location: str | os.PathLike[str] | None,
    known: Known | None,
) -> QueryResult:
    if engine not in ENGINES:
        raise SettingsError(unknown("engine", engine, ENGINES))
    if max_rows is not None and max_rows < 1:
        raise SettingsError(f"max_rows is {max_rows}: give 1 or more")
    if services and engine != "oxigraph":
        raise SettingsError(f"{engine} follows a service wherever it points to: SERVICE is for the engine oxigraph")
    bound_text = bound(text, {name: term_of(value) for name, value in parameters.items()})
    limits: dict[str, Any] = {"engine": engine, "max_rows": max_rows, "services": services}
    if timeout is not None:
        folder = None if location is None else str(Path(location).absolute())
        return _run_within(timeout, store, folder, {"text": bound_text, **limits, "services": list(services)})
    return answered(store, bound_text, known=known, **limits)


def _run_within(seconds: float, store: pyoxigraph.Store, location: str | None, request: dict[str, Any]) -> QueryResult:
    check_timeout(seconds)
    dump = partial(store.dump, format=pyoxigraph.RdfFormat.N_QUADS) if location is None else None
    try:
        with closing(Worker(start, location, send_data=dump, start_limit=START_LIMIT)) as worker:
            reply = worker.call(request, seconds)
    except OSError as error:
        raise QueryFailedError(f"the process of the query cannot be started: {error}") from error
    except TimeLimitError as error:
        raise QueryFailedError(f"the query took longer than {seconds:g} s: ask for less, or allow more time") from error
    except WorkerError as error:
        raise QueryFailedError(f"the process of the query {error}") from error
    if "fault" in reply:
        raise (QueryError if reply["is_refusal"] else QueryFailedError)(reply["fault"])
    return result_of(reply)


def start(location: str | None, data: ChunkedReader) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return the function that answers queries in a worker: over the store in a folder, or over N-Quads."""
    sparql_parser()  # imported before the time of a query starts
    known: Known | None = None if location else {}
    if location is None:
        store = pyoxigraph.Store()
        store.bulk_load(cast("IO[bytes]", data), format=pyoxigraph.RdfFormat.N_QUADS)
    else:
        store = pyoxigraph.Store.read_only(location)

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        try:
            return texts_of(answered(store, **request, known=known))
        except CheckpointLdError as error:
            return {"fault": str(error), "is_refusal": isinstance(error, QueryError)}

    return answer


def answered(  # noqa: PLR0913 - all but the first two are named
    store: pyoxigraph.Store,
    text: str,
    *,
    engine: Engine,
    max_rows: int | None,
    services: Collection[str],
    known: Known | None = None,
) -> QueryResult:
    """Check a query and return its result. Raises QueryError and QueryFailedError."""
    query = checked(text, services)
    for name in (*query.default_graphs, *query.named_graphs):
        if not is_iri(name) or not store.contains_named_graph(NamedNode(name)):
            remedy = "name a file as a path beside the query, and a graph by its IRI, that of its checkpoint"
            raise QueryError(f"FROM <{name}>: no such graph was loaded, and nothing is fetched; {remedy}")
    return evaluated(store, query, engine=engine, max_rows=max_rows, known=known)


def evaluated(
    store: pyoxigraph.Store, query: GuardedQuery, *, engine: Engine, max_rows: int | None, known: Known | None = None
) -> QueryResult:
    """Return the result of a query that was checked. Raises QueryFailedError.

    `known` is what is known about the store, empty at first; it must not outlive a change.
    """
    most = None if max_rows is None else max_rows + 1  # an additional row shows that the result is cut
    if engine == "rdflib" or _needs_rdflib(store, query, known):
        return _by_rdflib(store, query, most)
    try:
        rows = solutions(store, query, most, known)
        if rows is not None:
            return _of_rows(query, *rows, most)
        found = _answer(store, query, known)
        if isinstance(found, pyoxigraph.QueryBoolean):
            return QueryResult(query.form, boolean=bool(found))
        if isinstance(found, pyoxigraph.QueryTriples):
            return _of_triples(query, found, most)
        columns = tuple(variable.value for variable in found.variables)
        return _of_rows(query, columns, [tuple(row) for row in islice(found, most)], most)
    except SyntaxError as error:
        raise QueryError(f"Oxigraph cannot read the query: {error.msg}") from error
    except (OSError, ValueError, RuntimeError) as error:
        raise QueryFailedError(f"Oxigraph cannot evaluate the query: {error}") from error


def _needs_rdflib(store: pyoxigraph.Store, query: GuardedQuery, known: Known | None) -> bool:
    """Return whether Oxigraph would answer a query wrongly, and rdflib right."""
    if large_integers.is_for_rdflib(query.rewritten.text, store, known):
        return not query.asks_services
    if not query.keeps_by_minus and all(_is_mentioned(store, query, end) for end in query.path_ends):
        return False
    if query.asks_services:
        raise QueryFailedError(
            "Oxigraph answers this query wrongly (see the table of engines in the documentation of queries), and the "
            "other engine allows no SERVICE: split the query"
        )
    return True


def _is_mentioned(store: pyoxigraph.Store, query: GuardedQuery, end: PathEnd) -> bool:
    """Return whether all graphs in which a path is evaluated mention its constant end."""
    term = of_rdflib(end.term)
    graphs: list[Any]
    if end.graph is None:
        options = _default_graph(store, query)
        graphs = [options.get("default_graph", DefaultGraph())]
        if query.default_graphs:
            graphs = [NamedNode(name) for name in query.default_graphs]
        elif options.get("use_default_graph_as_union"):
            graphs = [None]
        return any(_has_node(store, term, graph) for graph in graphs)
    if isinstance(end.graph, URIRef):
        graphs = [NamedNode(str(end.graph))]
    else:
        graphs = [NamedNode(name) for name in query.named_graphs] if query.chooses else list(store.named_graphs())
    return all(_has_node(store, term, graph) for graph in graphs)


def _has_node(store: pyoxigraph.Store, term: Any, graph: Any) -> bool:
    is_subject = isinstance(term, NamedNode) and any(store.quads_for_pattern(term, None, None, graph))
    return is_subject or any(store.quads_for_pattern(None, None, term, graph))


def _of_rows(query: GuardedQuery, columns: tuple[str, ...], rows: list[Row], most: int | None) -> QueryResult:
    if query.order:  # the engines give the columns of SELECT * in another order, rdflib each time in another one
        places = {name: place for place, name in enumerate(query.order)}
        order = sorted(range(len(columns)), key=lambda at: places.get(columns[at], len(places)))
        columns, rows = tuple(columns[at] for at in order), [tuple(row[at] for at in order) for row in rows]
    is_cut = len(rows) == most
    return QueryResult(query.form, columns, tuple(rows[:-1] if is_cut else rows), is_cut=is_cut)


def _answer(
    store: pyoxigraph.Store, query: GuardedQuery, known: Known | None
) -> pyoxigraph.QuerySolutions | pyoxigraph.QueryBoolean | pyoxigraph.QueryTriples:
    if len(query.default_graphs) < 2:
        text = large_integers.text_for(best_text(query.rewritten, store, known), store, known)
        return _query(store, text, **_default_graph(store, query))
    # Oxigraph repeats a statement for each graph that holds it; SPARQL 1.1 §13.1 requires the merge.
    merged = pyoxigraph.Store()
    for name in query.default_graphs:
        merged.extend(Quad(*quad.triple) for quad in store.quads_for_pattern(None, None, None, NamedNode(name)))
    names: list[NamedNode | BlankNode] = [NamedNode(name) for name in query.named_graphs]
    for named in names:
        merged.extend(store.quads_for_pattern(None, None, None, named))
    text = large_integers.text_for(query.rewritten.text, store, known)
    return _query(merged, text, default_graph=DefaultGraph(), named_graphs=names)


def _default_graph(store: pyoxigraph.Store, query: GuardedQuery) -> dict[str, Any]:
    """Return the options that give a query its default graph: if that of the store is empty, its only graph or all."""
    if query.chooses or next(store.quads_for_pattern(None, None, None, DefaultGraph()), None) is not None:
        return {}
    graphs = [graph for graph in islice(store.named_graphs(), 3) if graph != _MANIFEST]
    if len(graphs) == 1:
        return {"default_graph": graphs[0]}
    return {"use_default_graph_as_union": not store.contains_named_graph(_MANIFEST)}


def _by_rdflib(store: pyoxigraph.Store, query: GuardedQuery, most: int | None) -> QueryResult:
    """Return the result of a query by rdflib over the same statements, for comparison."""
    from rdflib import Dataset as Graphs  # noqa: PLC0415 - only comparisons need it
    from rdflib.graph import DATASET_DEFAULT_GRAPH_ID  # noqa: PLC0415 - as above

    options = _default_graph(store, query)
    default = {"", getattr(options.get("default_graph"), "value", "")}
    data = Graphs(default_union=options.get("use_default_graph_as_union", False))
    for quad in store:
        name = getattr(quad.graph_name, "value", "")
        triple = (to_rdflib(quad.subject), to_rdflib(quad.predicate), to_rdflib(quad.object))
        if name in query.default_graphs or (not query.chooses and name in default):
            data.graph(DATASET_DEFAULT_GRAPH_ID).add(triple)
        if name in query.named_graphs or (not query.chooses and name):
            data.graph(URIRef(name)).add(triple)
    try:
        with without_warnings(DeprecationWarning):  # rdflib's evaluation uses deprecated parts of rdflib
            found: Any = data.query(query.algebra())
            bindings = found.bindings  # this evaluates a SELECT
    except RecursionError as error:
        raise QueryFailedError("rdflib cannot evaluate the query: it is nested too deeply") from error
    except Exception as error:  # rdflib raises any exception
        raise QueryFailedError(f"rdflib cannot evaluate the query: {error}") from error
    if query.form == "ask":
        return QueryResult(query.form, boolean=bool(found.askAnswer))
    if query.form != "select":
        parts = (tuple(map(_of_engine, triple)) for triple in found.graph)
        stated = (part for part in parts if None not in part)
        triples = (Triple(s, p, o) for s, p, o in stated if not isinstance(s, Literal) and isinstance(p, NamedNode))
        return _of_triples(query, triples, most)
    terms = ([row.get(name) for name in found.vars] for row in bindings)
    rows = [tuple(map(_of_engine, row)) for row in islice(terms, most)]
    if query.is_grouped and len(rows) == 1 and not any(rows[0]):  # rdflib adds an empty row if there is no group
        rows = []
    return _of_rows(query, tuple(map(str, found.vars)), rows, most)


def _of_engine(term: Any) -> Any:
    """Return the term for one of rdflib, None for what is no IRI: SPARQL's IRI() has no value then (§17.4.2.8).

    Nor has STRDT() with such a datatype.
    """
    name = getattr(term, "datatype", None) or term
    is_invalid = isinstance(name, URIRef) and not is_iri(str(name))
    return None if term is None or is_invalid else of_rdflib(term)


def _of_triples(query: GuardedQuery, found: Iterable[Triple], most: int | None) -> QueryResult:
    distinct: dict[Triple, None] = {}  # Oxigraph repeats a statement for each solution of the pattern
    for triple in found:
        distinct[triple] = None
        if len(distinct) == most:
            break
    is_cut = len(distinct) == most
    triples = [*distinct][:-1] if is_cut else distinct
    return QueryResult(query.form, triples=tuple(sorted(triples, key=str)), is_cut=is_cut)


_DIALECT = pyoxigraph.NamedNode(SCHEMA + "encodingFormat")


class Dataset:
    """Graphs of checkpoints in an in-memory store of Oxigraph; the default graph of queries is their merge.

    In `store`, the default graph is empty while there is one graph alone. Each graph is named by the IRI of its root.
    If a checkpoint with other content has that name already, such as another version of a benchmark, the name is that
    IRI, `#`, and 16 digits of the hash of the content.
    """

    def __init__(self) -> None:
        self.store = pyoxigraph.Store()
        self._hashes: dict[str, str] = {}
        self._known: Known = {}

    @classmethod
    def of_graphs(cls, graphs: Iterable[StatementGraph]) -> Dataset:
        """Make a dataset of checkpoints; repeated content counts once."""
        made = cls()
        for graph in graphs:
            made.add(graph)
        return made

    def add(self, graph: StatementGraph, *, dialect: str | None = None) -> str:
        """Add the current state of a checkpoint; return the name of its graph.

        A `dialect` is stated in the graph `MANIFEST`, as in collections.
        """
        data = ntriples_of(graph)
        content = hashlib.sha256(data).hexdigest()
        name = str(graph.root)
        if self._hashes.get(name, content) != content:
            name = f"{name}#{content[:16]}"
        if name not in self._hashes:
            self._known.clear()
            target = pyoxigraph.NamedNode(name)
            if len(self._hashes) == 1:  # the first graph was the default graph as well
                self.store.update(f"ADD {pyoxigraph.NamedNode(*self._hashes)} TO DEFAULT")
            for place in (target, pyoxigraph.DefaultGraph()) if self._hashes else (target,):
                self.store.bulk_load(data, format=pyoxigraph.RdfFormat.N_TRIPLES, to_graph=place)
            self._hashes[name] = content
            if dialect is not None:
                self.store.add(pyoxigraph.Quad(target, _DIALECT, pyoxigraph.Literal(dialect), _MANIFEST))
        return name

    def follow(self, removed: Iterable[tuple[Any, Any, Any]], added: Iterable[tuple[Any, Any, Any]]) -> None:
        """Change the only graph of the dataset: remove some statements, then add others.

        The cost is that of the changes. Raises ValueError for a term that RDF does not allow.
        """
        [name] = self._hashes
        target = pyoxigraph.NamedNode(name)
        gone, come = (
            [Quad(*map(of_rdflib, triple), target) for triple in statements]  # type: ignore[call-arg,arg-type]  # a triple
            for statements in (removed, added)
        )
        for quad in gone:
            self.store.remove(quad)
        self.store.extend(come)
        large_integers.note_added((quad.object for quad in come), self._known)
        for predicate in {quad.predicate for quad in come}:
            self._known.pop(str(predicate), None)
        self._hashes[name] = ""  # of what it was

    @property
    def graphs(self) -> tuple[str, ...]:
        """The names of the graphs, in the order of their addition."""
        return tuple(self._hashes)

    def query(  # noqa: PLR0913 - all but the first are named
        self,
        text: str,
        *,
        parameters: Mapping[str, Any] | None = None,
        engine: Engine = "oxigraph",
        timeout: float | None = None,
        max_rows: int | None = None,
        services: Collection[str] = (),
    ) -> QueryResult:
        """Return the result of a query; parameters and errors are those of `checkpoint_ld.sparql.run`."""
        limits: dict[str, Any] = {"timeout": timeout, "max_rows": max_rows, "services": services}
        return _run(self.store, text, parameters or {}, engine=engine, location=None, known=self._known, **limits)
