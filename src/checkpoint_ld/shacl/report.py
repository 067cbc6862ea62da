"""Validation reports: results as the RDF that SHACL 1.0 §3.6 describes, and as text; and back from that RDF."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rdflib import BNode, Graph, Literal

from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.store import Index, SubjectIndexStore, put, terms_of
from checkpoint_ld.shacl.shape import INFO, VIOLATION, WARNING, Result
from checkpoint_ld.shacl.terms import sh, shown
from checkpoint_ld.vocabulary import SHACL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rdflib.term import Node

_SINGLE = {
    "focusNode": "focus",
    "resultPath": "path",
    "value": "value",
    "sourceShape": "shape",
    "sourceConstraintComponent": "component",
    "sourceConstraint": "constraint",
    "resultSeverity": "severity",
}
"""The properties of a result with one value, and the fields that hold it."""


def conforms(results: Iterable[Result], *, allow_infos: bool = False, allow_warnings: bool = False) -> bool:
    """Tell whether results leave a data graph conforming, if those of lower severity are allowed."""
    allowed = {*((INFO,) if allow_infos or allow_warnings else ()), *((WARNING,) if allow_warnings else ())}
    return all(one.severity in allowed for one in results)


class _ReportStore(SubjectIndexStore):
    """A store whose statements are made when somebody first asks for them: most reports are never read as RDF."""

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


def report_graph(results: Sequence[Result], *, is_conforming: bool, sources: Sequence[Index] = ()) -> Graph:
    """Return results as a `sh:ValidationReport`.

    What `sources`, the shapes graph and the data graph, say of a blank node that a result names stands there too.
    """
    store = _ReportStore(partial(_statements, results, sources, is_conforming=is_conforming))
    graph = Graph(store, bind_namespaces="none")
    store.add_graph(graph)
    graph.bind("sh", SHACL)
    return graph


def _statements(results: Sequence[Result], sources: Sequence[Index], *, is_conforming: bool) -> Index:
    index: Index = {}
    report = BNode()
    put(index, report, RDF_TYPE, sh("ValidationReport"))
    put(index, report, sh("conforms"), Literal(is_conforming))
    for result in results:
        put(index, report, sh("result"), _described(result, index, sources))
    return index


def _described(result: Result, index: Index, sources: Sequence[Index]) -> Node:
    node = BNode()
    index[node] = {RDF_TYPE: sh("ValidationResult")}
    for name, attribute in _SINGLE.items():
        term = getattr(result, attribute)
        if term is not None:
            index[node][sh(name)] = term
            _copy(term, index, sources)
    for message in result.messages:
        put(index, node, sh("resultMessage"), message)
    for one in result.detail:
        put(index, node, sh("detail"), _described(one, index, sources))
    return node


def _copy(node: Node, index: Index, sources: Iterable[Index]) -> None:
    """Add what is said of a blank node, and of the blank nodes that this leads to."""
    left = [node]
    while left:
        one = left.pop()
        held = next((source[one] for source in sources if one in source), None) if isinstance(one, BNode) else None
        if held is not None and one not in index:
            index[one] = {}
            for predicate, terms in held.items():
                index[one][predicate] = terms[:] if isinstance(terms, list) else terms
                left.extend(terms_of(terms))


def report_text(results: Sequence[Result], *, is_conforming: bool) -> str:
    """Return results as text, in the layout of pySHACL."""
    lines = ["Validation Report", f"Conforms: {is_conforming}"]
    if results:
        lines.append(f"Results ({len(results)}):")
    lines.extend(sorted("\n".join(_lines(one)) for one in results))
    return "\n".join(lines) + "\n"


def _lines(result: Result, indent: str = "") -> Iterator[str]:
    noun = "Constraint Violation" if result.severity == VIOLATION else "Validation Result"
    name = str(result.component).rpartition("#")[2].rpartition("/")[2]
    yield f"{indent}{noun} in {name} ({result.component}):"
    told = {
        "Severity": result.severity,
        "Source Shape": result.shape,
        "Focus Node": result.focus,
        "Value Node": result.value,
        "Result Path": result.path,
        "Source Constraint": result.constraint,
    }
    yield from (f"{indent}\t{label}: {shown(term)}" for label, term in told.items() if term is not None)
    yield from (f"{indent}\tMessage: {message}" for message in sorted(result.messages))
    if result.detail:
        yield f"{indent}\tDetails:"
        for one in result.detail:
            yield from _lines(one, indent + "\t\t")


def results_in(report: Graph) -> list[Result]:
    """Return the results of a validation report that is RDF."""
    held: Index = {}
    for triple in report:
        put(held, *triple)

    def result(node: Node) -> Result:
        said = held[node]
        single = {field: terms_of(said.get(sh(name)))[:1] for name, field in _SINGLE.items()}
        return Result(
            **{field: terms[0] if terms else None for field, terms in single.items()},  # type: ignore[arg-type]  # SHACL 1.0 §3.6.2 says which of them are always there
            messages=tuple(sorted(one for one in terms_of(said.get(sh("resultMessage"))) if isinstance(one, Literal))),
            detail=tuple(result(one) for one in terms_of(said.get(sh("detail")))),
        )

    return [result(one) for said in held.values() for one in terms_of(said.get(sh("result")))]
