"""Operations of the SPARQL 1.1 Protocol on a store, answered by a pool of processes; one that takes too long is killed.

`serving` has the server.
"""

from __future__ import annotations

import json
import queue
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pyoxigraph

from checkpoint_ld.documents.files import MEDIA_TYPES
from checkpoint_ld.errors import CheckpointLdError, QueryError, WriteError
from checkpoint_ld.graph.store import sparql_parser
from checkpoint_ld.guard.checking import checked
from checkpoint_ld.sparql import describing
from checkpoint_ld.sparql.describing import CollectionDescription, described
from checkpoint_ld.sparql.formats import chosen, offered_for, render, results_xml
from checkpoint_ld.sparql.running import START_LIMIT, evaluated
from checkpoint_ld.workers.process import TimeLimitError, Worker, WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from checkpoint_ld.guard.rewriting import Known
    from checkpoint_ld.sparql.result import QueryResult


VOID = "/.well-known/void"
"""The path of the description of what is served (VoID §7.2)."""
TEXT = MEDIA_TYPES[".txt"]


@dataclass(frozen=True, slots=True)
class QueryOperation:
    """A query, the accepted media types, and the graphs of its dataset, by default all of the store.

    `default_graphs` and `named_graphs` are those of the protocol, which override those of the query (SPARQL 1.1
    Protocol §2.1.4). With `site`, the URL of the endpoint, the operation is the description of the service.
    """

    text: str
    accept: str = ""
    default_graphs: Sequence[str] = ()
    named_graphs: Sequence[str] = ()
    max_rows: int | None = None
    site: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: an HTTP status, a media type, a text, and headers in addition to those of all answers."""

    status: int
    media_type: str
    text: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def plain(cls, status: int, message: str, **headers: str) -> Answer:
        """Return an answer of one sentence."""
        return cls(status, TEXT, f"{message}\n", headers)


def start(_setup: object, _data: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return the function that answers operations, each on the store in the folder `location`."""
    sparql_parser()  # imported before the time of a query starts
    opened: dict[str, tuple[pyoxigraph.Store, Known]] = {}

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        location = request.pop("location")
        if location not in opened:
            opened.clear()
            try:
                opened[location] = pyoxigraph.Store.read_only(location), {}
            except OSError:
                message = "what this server serves was removed: put it back, or start the server again"
                return asdict(Answer.plain(503, message))
        store, known = opened[location]
        return asdict(answered(store, QueryOperation(**request), known))

    return answer


def answered(store: pyoxigraph.Store, operation: QueryOperation, known: Known | None = None) -> Answer:
    """Return the answer of an operation, also for a faulty one."""
    try:
        query = None if operation.site else checked(operation.text)
        form = query.form if query else "construct"
        wanted = chosen(operation.accept, form)
        if wanted is None:
            offered = ", ".join(offered_for(form))
            return Answer.plain(406, f"the result of this query cannot be had as {operation.accept}: accept {offered}")
        if query is None:
            site, host = operation.site, urlsplit(operation.site).netloc
            about = CollectionDescription(
                site + VOID.removeprefix("/"), site=site, title=f"Checkpoints at {host}", publisher=host
            )
            return rendered(described(store, about), wanted, {})
        default, named = tuple(operation.default_graphs), tuple(operation.named_graphs)
        if default or named:
            # With two default graphs or more, the engine merges them in a new store and ignores FROM.
            query = replace(query, default_graphs=(default or (describing.NOTHING,)) * 2, named_graphs=named)
        for name in (*query.default_graphs, *query.named_graphs):
            try:
                is_here = name == describing.NOTHING or store.contains_named_graph(pyoxigraph.NamedNode(name))
            except ValueError:
                raise QueryError(f"{name!r} is no IRI of a graph") from None
            if not is_here:
                raise QueryError(f"there is no graph <{name}> here, and nothing is fetched")
        result = evaluated(store, query, engine="oxigraph", max_rows=operation.max_rows, known=known)
        # The header is that of Virtuoso for the same purpose.
        return rendered(result, wanted, {"X-SPARQL-MaxRows": str(operation.max_rows)} if result.is_cut else {})
    except WriteError as error:  # the media type cannot hold the result
        return Answer.plain(406, str(error))
    except CheckpointLdError as error:
        return Answer.plain(400 if isinstance(error, QueryError) else 500, str(error))


def rendered(result: QueryResult, wanted: tuple[str, str], headers: Mapping[str, str]) -> Answer:
    """Return the answer for a result in a media type and the format of it."""
    media_type, kind = wanted
    text = results_xml(result) if kind == "xml" else render(result, "xml" if kind == "rdfxml" else kind)
    return Answer(200, media_type, text, headers)


class Pool:
    """Workers over the store in the folder that `location` returns for each operation, which has `timeout` seconds."""

    def __init__(self, location: Callable[[], str], *, size: int, timeout: float) -> None:
        self._location = location
        self._timeout = timeout
        self._idle: queue.Queue[Worker] = queue.Queue()
        self._all: set[Worker] = set()
        for _ in range(size):
            self._idle.put(self._started())

    def location(self) -> str:
        """Return the folder of the store of today."""
        return self._location()

    def health(self) -> Answer:
        """Return the numbers of workers, and of those that are free."""
        state = {"status": "ok", "workers": len(self._all), "free": self._idle.qsize()}
        return Answer(200, MEDIA_TYPES[".json"], json.dumps(state) + "\n", {"Cache-Control": "no-store"})

    def close(self) -> None:
        """Kill the workers."""
        for worker in self._all:
            worker.close()

    def answer(self, operation: QueryOperation) -> Answer:
        """Return the answer of the next free worker, or an error if there is none or it took too long."""
        try:
            worker = self._idle.get(timeout=self._timeout)
        except queue.Empty:
            return Answer.plain(503, "too many queries at a time: ask again later")
        request = {**asdict(operation), "location": self._location()}
        try:
            found = Answer(**worker.call(request, self._timeout))
        except (TimeLimitError, WorkerError) as error:
            worker.close()
            self._all.discard(worker)
            self._idle.put(self._started())
            if isinstance(error, TimeLimitError):
                return Answer.plain(500, f"the query took longer than {self._timeout:g} s: ask for less")
            return Answer.plain(503, f"the worker of the query was ended: it {error}; other queries are still answered")
        self._idle.put(worker)
        return found

    def _started(self) -> Worker:
        worker = Worker(start, start_limit=START_LIMIT)
        self._all.add(worker)
        return worker
