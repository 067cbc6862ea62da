"""Workers: processes that answer queries, so many at a time, each ended if it takes too long."""

from __future__ import annotations

import multiprocessing
import queue
import signal
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import pyoxigraph

from checkpoint_ld.errors import CheckpointLdError, QueryError
from checkpoint_ld.graph.store import sparql_parser
from checkpoint_ld.serving.formats import chosen, results_xml
from checkpoint_ld.sparql.formats import render
from checkpoint_ld.sparql.guard import checked
from checkpoint_ld.sparql.running import evaluated

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

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
    default_graphs: tuple[str, ...] = ()
    named_graphs: tuple[str, ...] = ()
    max_rows: int | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """An answer: a status of HTTP, a media type and a text; `is_cut` says that there was more than was allowed."""

    status: int
    media_type: str
    text: str
    is_cut: bool = False


def work(connection: Connection, location: str) -> None:
    """Answer questions about the store in a folder, until nobody is there to ask any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's Ctrl-C is for the server, which ends us
    sparql_parser()  # its import takes long, and no query is to blame

    store = pyoxigraph.Store.read_only(location)
    try:
        connection.send(None)
        while True:
            connection.send(answered(store, connection.recv()))
    except (EOFError, OSError):
        return


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
    default, named = question.default_graphs, question.named_graphs
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
        self._idle: queue.Queue[_Worker] = queue.Queue()
        self._all: set[_Worker] = set()
        for _ in range(size):
            self._idle.put(self._started())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._all:
            worker.end()

    def ask(self, question: Question) -> Found:
        """Return the answer of the next worker that is free; that there is none, or that it takes long, is one, too."""
        try:
            worker = self._idle.get(timeout=self._timeout)
        except queue.Empty:
            return Found(503, PLAIN, "too many queries at a time: ask again later\n")
        found = worker.asked(question, self._timeout)
        if found is None:
            worker.end()
            self._all.discard(worker)
            self._idle.put(self._started())
            message = f"the query took longer than {self._timeout:g} s, or more memory than there is: ask for less\n"
            return Found(500, PLAIN, message)
        self._idle.put(worker)
        return found

    def _started(self) -> _Worker:
        worker = _Worker(self._location)
        self._all.add(worker)
        return worker


class _Worker:
    def __init__(self, location: str) -> None:
        # A fork would copy the threads' locks of the server in whatever state they are.
        context = multiprocessing.get_context("spawn")
        self._connection: Connection
        self._connection, other = context.Pipe()
        self._process: SpawnProcess = context.Process(target=work, args=(other, location), daemon=True)
        self._process.start()
        other.close()
        self._is_ready = False

    def asked(self, question: Question, timeout: float) -> Found | None:
        """Return the answer, None if there is none within the time; the time for starting does not count."""
        try:
            if not self._is_ready:
                if not self._connection.poll(START_LIMIT):
                    return None
                self._connection.recv()
                self._is_ready = True
            self._connection.send(question)
            if not self._connection.poll(timeout):
                return None
            found: Found = self._connection.recv()
        except (EOFError, OSError):  # it died, as when there is no memory left
            return None
        return found

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self._process.close()
        self._connection.close()
