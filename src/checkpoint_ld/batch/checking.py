"""Validation of a large file, window by window."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from rdflib import BNode, Literal, URIRef

from checkpoint_ld import profiles, validation
from checkpoint_ld.batch.outline import UnusualFileError
from checkpoint_ld.batch.windows import REFERRING, SPELT, excerpt, worked
from checkpoint_ld.graph.building import pointers
from checkpoint_ld.graph.store import graph_of, put
from checkpoint_ld.reading import CANONICAL
from checkpoint_ld.report import Checked
from checkpoint_ld.vocabulary import RDF, SHACL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rdflib import Graph
    from rdflib.term import Node

    from checkpoint_ld.batch.outline import Outline, Source, Window
    from checkpoint_ld.batch.windows import Excerpt, Progress
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.profiles import Profile


Triple: TypeAlias = "tuple[Node, Node, Node]"

_RESULT, _FOCUS, _VALUE = (URIRef(SHACL + name) for name in ("result", "focusNode", "value"))


def check(outline: Outline, profile: Profile, jobs: int, progress: Progress | None = None) -> Checked:
    """Hold a file against the rules of `profile`, window by window; it is not kept as text.

    Raises UnusualFileError where it has to be looked at in one piece, SettingsError as `validation.check`.
    """
    if profile.own_shapes:
        raise UnusualFileError("shapes of your own may be about all of it")
    findings: list[Finding] = []
    report = BNode()
    results: Index = {report: {URIRef(RDF + "type"): URIRef(SHACL + "ValidationReport")}}
    for found, triples, mentioned in worked(_Check(outline.source, profile.name), outline, jobs, progress):
        if not outline.names.isdisjoint(mentioned):
            raise UnusualFileError(REFERRING)
        findings += found
        for subject, predicate, term in triples:
            put(results, report if predicate == _RESULT else subject, predicate, term)
    results[report][URIRef(SHACL + "conforms")] = Literal(_RESULT not in results[report])
    return Checked(outline.source.path, tuple(sorted(findings, key=_by_place)), CANONICAL, results=graph_of(results))


@dataclass(frozen=True)
class _Check:
    """Holds one window against the rules: its findings, and what the SHACL report says of its nodes.

    The values that are named in it and are no objects of the window come with them: they may be objects elsewhere.
    """

    source: Source
    profile: str

    def __call__(self, window: Window) -> tuple[list[Finding], list[Triple], set[str]]:
        part = excerpt(self.source, window)
        checked = validation.check_reading(part.reading, profiles.profile(self.profile))
        report = checked.results
        if report is None or not (checked.findings or (None, _RESULT, None) in report):
            return [], [], set()
        places = pointers(part.reading.tree)
        triples = list(_results(report, part, places))
        if any(isinstance(term, Literal) and str(term) in places for _, _, term in triples):
            raise UnusualFileError(SPELT)  # a finding does not tell such a text from the name of an object
        mentioned = {str(term) for _, _, term in triples if isinstance(term, URIRef)} - places.keys()
        return list(part.found(checked.findings, places)), triples, mentioned


def _results(report: Graph, part: Excerpt, places: dict[str, str]) -> Iterator[Triple]:
    """Yield what a SHACL report says of the nodes that are for this window to speak of."""
    renamed = partial(_renamed, part, places)
    for node, result in report.subject_objects(_RESULT):
        about = report.value(result, _FOCUS), report.value(result, _VALUE)
        names = [str(one) for one in about if isinstance(one, URIRef)]
        indexes = [part.index(places[name]) for name in names if name in places]
        if part.is_ours(next((one for one in indexes if one is not None), None)):
            yield node, _RESULT, result
            yield from ((subject, predicate, renamed(term)) for subject, predicate, term in _closure(report, result))


def _closure(report: Graph, node: Node) -> Iterable[Triple]:
    found: dict[Triple, None] = {}
    waiting = [node]
    while waiting:
        for triple in report.triples((waiting.pop(), None, None)):
            if triple not in found:
                found[triple] = None
                waiting += [triple[2]] if isinstance(triple[2], BNode) else []
    return found


def _renamed(part: Excerpt, places: dict[str, str], term: Node) -> Node:
    return URIRef(part.node(term)) if isinstance(term, URIRef) and str(term) in places else term


def _by_place(found: Finding) -> tuple[int, int, str, str, str]:
    """Order findings as validation does."""
    return found.place.line or 0, found.place.column or 0, found.node or "", found.code, found.message
