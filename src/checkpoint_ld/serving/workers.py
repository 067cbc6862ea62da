"""Workers: processes that answer queries, so many at a time, each ended if it takes too long."""

from __future__ import annotations

import queue
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import pyoxigraph

from checkpoint_ld.errors import CheckpointLdError, QueryError
from checkpoint_ld.graph.store import sparql_parser
from checkpoint_ld.sparql.formats import chosen, render, results_xml
from checkpoint_ld.sparql.guard import checked
from checkpoint_ld.sparql.running import evaluated
from checkpoint_ld.workers.process import TimeLimitError, Worker, WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from checkpoint_ld.sparql import QueryResult
    from checkpoint_ld.sparql.guard import Checked

PLAIN = "text/plain"
_NOTHING = "urn:checkpoint-ld:nothing"
START_LIMIT = 120.0
"""Seconds that a worker may take to start: a machine under load is slow."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query, the formats that are wanted, and the graphs that make up its dataset, all of the store's unless given.

    `default_graphs` and `named_graphs` are those of the protocol, which go before those of the query (SPARQL 1.1
    Protocol §2.1.4).
    """

    text: str
    accept: str = ""
    default_graphs: Sequence[str] = ()
    named_graphs: Sequence[str] = ()
    max_rows: int | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """An answer: a status of HTTP, a media type and a text; `is_cut` says that there was more than was allowed."""

    status: int
    media_type: str
    text: str
    is_cut: bool = False


def start(location: str, _: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return what answers questions about the store in a folder."""
    sparql_parser()  # its import takes long, and no query is to blame
    store = pyoxigraph.Store.read_only(location)
    return lambda question: asdict(answered(store, Question(**question)))


def answered(store: pyoxigraph.Store, question: Question) -> Found:
    """Answer one question; whatever is wrong with it is an answer, too."""
    try:
        query = checked(question.text)
        wanted = chosen(question.accept, query.form)
        if wanted is None:
            return Found(406, PLAIN, f"the result of this query cannot be had as {question.accept}\n")
        query = _of_dataset(query, question)
        for name in (*query.default_graphs, *query.named_graphs):
            _refuse_unknown(store, name)
        result = evaluated(store, query, engine="oxigraph", max_rows=question.max_rows)
    except QueryError as error:
        return Found(400, PLAIN, f"{error}\n")
    except CheckpointLdError as error:
        return Found(500, PLAIN, f"{error}\n")
    media_type, kind = wanted
    return Found(200, media_type, _text(result, kind), result.is_cut)


def _of_dataset(query: Checked, question: Question) -> Checked:
    """Return the query over the dataset of the protocol, if one is given, whatever its own FROM says."""
    default, named = tuple(question.default_graphs), tuple(question.named_graphs)
    if not default and not named:
        return query
    # Of two default graphs or more the engine makes a store of their own, in which FROM finds nothing to choose.
    return replace(query, default_graphs=(default or (_NOTHING,)) * 2, named_graphs=named)


def _refuse_unknown(store: pyoxigraph.Store, name: str) -> None:
    try:
        is_here = name == _NOTHING or store.contains_named_graph(pyoxigraph.NamedNode(name))
    except ValueError:
        raise QueryError(f"{name!r} is no IRI of a graph") from None
    if not is_here:
        raise QueryError(f"there is no graph <{name}> here, and nothing is fetched")


def _text(result: QueryResult, kind: str) -> str:
    if kind == "xml":
        return results_xml(result)
    if kind == "rdfxml":
        return (pyoxigraph.serialize(result.triples, format=pyoxigraph.RdfFormat.RDF_XML) or b"").decode()
    return render(result, kind)


class Pool:
    """Workers over the store in the folder `location`; each question has `timeout` seconds."""

    def __init__(self, location: str, *, size: int, timeout: float) -> None:
        self._location = location
        self._timeout = timeout
        self._idle: queue.Queue[Worker] = queue.Queue()
        self._all: set[Worker] = set()
        for _ in range(size):
            self._idle.put(self._started())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._all:
            worker.close()

    def ask(self, question: Question) -> Found:
        """Return the answer of the next worker that is free; that there is none, or that it takes long, is one, too."""
        try:
            worker = self._idle.get(timeout=self._timeout)
        except queue.Empty:
            return Found(503, PLAIN, "too many queries at a time: ask again later\n")
        try:
            found = Found(**worker.ask(asdict(question), self._timeout))
        except (TimeLimitError, WorkerError):  # it died, as when there is no memory left
            worker.close()
            self._all.discard(worker)
            self._idle.put(self._started())
            message = f"the query took longer than {self._timeout:g} s, or more memory than there is: ask for less\n"
            return Found(500, PLAIN, message)
        self._idle.put(worker)
        return found

    def _started(self) -> Worker:
        worker = Worker(start, self._location, start_limit=START_LIMIT)
        self._all.add(worker)
        return worker
