"""A worker: a process that answers queries, so that one that takes too long can be ended."""

from __future__ import annotations

import signal
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pyoxigraph

from checkpoint_ld.errors import CheckpointLdError, QueryError
from checkpoint_ld.graph.store import sparql_parser
from checkpoint_ld.serving.negotiation import chosen
from checkpoint_ld.serving.result_xml import results_xml
from checkpoint_ld.sparql.formats import render
from checkpoint_ld.sparql.guard import checked
from checkpoint_ld.sparql.running import evaluated

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from checkpoint_ld.sparql import QueryResult
    from checkpoint_ld.sparql.guard import Checked


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


PLAIN = "text/plain"
_NOTHING = "urn:checkpoint-ld:nothing"


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
