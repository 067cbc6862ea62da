"""The side of the process (`shacl.process`): queries of shapes over Oxigraph, and pySHACL."""

from __future__ import annotations

import sys
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import pyoxigraph
from pyoxigraph import BlankNode, DefaultGraph, NamedNode, Quad, Store, Variable

from checkpoint_ld.errors import CheckpointLdError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from checkpoint_ld.shacl.messages import Term

    Engine = dict[str, Callable[[dict[str, Any]], Any]]
    Functions = dict[Any, Callable[..., Any]]

_BASE = "file:///"
"""What relative IRIs in a query are resolved against: a graph has none."""
_CONNECTIONS = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system", "urllib.")


def _refuse_connections(event: str, _arguments: object) -> None:
    if event.startswith(_CONNECTIONS):
        raise PermissionError(f"shapes may not do {event}")


def start(_: object, __: object) -> Callable[[dict[str, Any]], Any]:
    """Return the function that answers requests; from then on, this process opens no connection."""
    warnings.simplefilter("ignore")
    sys.addaudithook(_refuse_connections)
    store = _Store()
    engine: Engine = {"load": store.load, "query": store.query, "pyshacl": _report}

    def answer(request: dict[str, Any]) -> Any:
        try:
            return engine[request["do"]](request)
        except (CheckpointLdError, SyntaxError, ValueError, RuntimeError, RecursionError, OSError) as error:
            return {"fault": str(error)}

    return answer


class _Store:
    """The statements of one data graph."""

    def __init__(self) -> None:
        self._store = Store()

    def load(self, request: dict[str, Any]) -> bool:
        if request["is_new"]:
            self._store = Store()
        terms = [_term(one) for one in request["terms"]]
        graph = NamedNode(request["graph"]) if request["graph"] else DefaultGraph()
        parts = iter(terms[at] for at in request["triples"])
        self._store.extend(
            Quad(subject, predicate, term, graph)
            for subject, predicate, term in zip(parts, parts, parts, strict=True)
            if subject is not None and predicate is not None and term is not None
        )
        return True

    def query(self, request: dict[str, Any]) -> list[list[Any]]:
        """Return the solutions of a query as the number of their row and their bindings; an ASK has those it denies."""
        functions = self._functions(request["functions"])
        found: list[list[Any]] = []
        for at, row in enumerate(request["rows"]):
            bound = {name: _term(one) for name, one in zip(request["used"], row, strict=True) if one is not None}
            solutions = self._solutions(request, bound, functions)
            if request["is_ask"]:
                if next(solutions, None) is None:
                    found.append([at, {}])
                continue
            names = [variable.value for variable in solutions.variables]
            for solution in solutions:
                pairs = zip(names, solution, strict=True)
                found.append([at, {name: _json(one) for name, one in pairs if one is not None}])
        return found

    def _solutions(self, query: Mapping[str, Any], bound: Mapping[str, Any], functions: Functions) -> Any:
        text = "".join(one if isinstance(one, str) else _written(one[0], bound) for one in query["parts"])
        values = {Variable(name): bound[name] for name in query["names"] if name in bound}
        found = self._store.query(text, substitutions=values, base_iri=_BASE, custom_functions=functions)
        assert isinstance(found, pyoxigraph.QuerySolutions)  # noqa: S101 - it is a SELECT
        return found

    def _functions(self, queries: Sequence[Mapping[str, Any]]) -> Functions:
        """Return the functions that shapes declare, each of which is a query."""
        found: Functions = {}
        for one in queries:
            found[NamedNode(one["name"])] = partial(self._result, one, found)
        return found

    def _result(self, query: Mapping[str, Any], functions: Functions, *arguments: Any) -> Any:
        """Return the result of a function: the first value of its first solution, or whether there is one."""
        if len(arguments) > len(query["parameters"]):
            return None
        bound = dict(zip(query["parameters"], arguments, strict=False))
        first = next(self._solutions(query, bound, functions), None)
        return pyoxigraph.Literal(first is not None) if query["is_ask"] else first and first[0]


def _written(name: str, bound: Mapping[str, Any]) -> str:
    """Return the value of a variable in an expression; no syntax has a name for a blank node of the data."""
    term = bound.get(name)
    return f"?{name}" if term is None else f"COALESCE(?{name}, 1)" if isinstance(term, BlankNode) else str(term)


def _term(term: Sequence[str | None]) -> Any:
    """Return the term of a message, None for one that RDF does not allow, so that no statement with it matches."""
    kind, text, *rest = term
    try:
        if kind == "u":
            return NamedNode(str(text))
        if kind == "b":
            return BlankNode(str(text))
        datatype, language = rest
        if language is not None:
            return pyoxigraph.Literal(str(text), language=language)
        return pyoxigraph.Literal(str(text), datatype=None if datatype is None else NamedNode(datatype))
    except ValueError:
        return None


def _json(term: Any) -> Term:
    if isinstance(term, NamedNode):
        return ["u", term.value]
    if isinstance(term, BlankNode):
        return ["b", term.value]
    if term.language is not None:
        return ["l", term.value, None, term.language]
    kind = term.datatype.value
    return ["l", term.value, None if kind == "http://www.w3.org/2001/XMLSchema#string" else kind, None]


def _report(request: dict[str, Any]) -> Any:
    from checkpoint_ld.shacl.applying import report_in_process  # noqa: PLC0415 - few shapes need pySHACL

    return report_in_process(request)
