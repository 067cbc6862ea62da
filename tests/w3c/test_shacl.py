"""The W3C's test suites: of SHACL, which the engine passes, and of JSON-LD."""

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest
import rdflib
from rdflib import RDF, BNode, Graph, Namespace

from checkpoint_ld import shacl
from checkpoint_ld.errors import ReadError, ShapesError
from checkpoint_ld.graph import building
from tests.trials import some

SH, SHT, MF = (
    Namespace(one)
    for one in (
        "http://www.w3.org/ns/shacl#",
        "http://www.w3.org/ns/shacl-test#",
        "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#",
    )
)


def parsed(iri: Any) -> Graph:
    return Graph().parse(unquote(urlparse(str(iri)).path), format="turtle", publicID=str(iri))


def listed(folder: Path) -> Iterator[tuple[str, Graph, Any]]:
    for file in sorted(folder.rglob("*.ttl")):
        graph = parsed(file.as_uri())
        for test in graph.subjects(RDF.type, SHT.Validate):
            yield f"{file.relative_to(folder).with_suffix('')}", graph, test


def entries(report: Graph) -> Counter[tuple[object, ...]]:
    """Return what matters of each result; blank nodes have no names, and paths are what they lead through."""

    def term(node: Any) -> object:
        return "_" if isinstance(node, BNode) else node

    names = ("focusNode", "value", "resultSeverity", "sourceConstraintComponent", "sourceShape")
    return Counter(
        (*(term(report.value(one, SH[name])) for name in names), path(report, report.value(one, SH.resultPath)))
        for one in report.objects(None, SH.result)
    )


def path(report: Graph, node: Any) -> object:
    if not isinstance(node, BNode):
        return node
    if (node, RDF.first, None) in report:
        return tuple(path(report, one) for one in report.items(node))
    (stated,) = ((name, one) for name, one in report.predicate_objects(node) if str(name).startswith(SH))
    return stated[0], path(report, stated[1])


def expected(graph: Graph, test: Any) -> Counter[tuple[object, ...]] | None:
    result = graph.value(test, MF.result)
    return None if result == SHT.Failure else results_in(graph, result)


def results_in(graph: Graph, result: Any) -> Counter[tuple[object, ...]]:
    part = Graph()
    left = [result]
    while left:
        node = left.pop()
        for triple in graph.triples((node, None, None)):
            part.add(triple)
            if isinstance(triple[2], BNode):
                left.append(triple[2])
    return entries(part)


def graphs(graph: Graph, test: Any) -> list[Graph]:
    action = graph.value(test, MF.action)
    return [parsed(graph.value(action, SHT[name])) for name in ("dataGraph", "shapesGraph")]


def by_us(data: Graph, shapes: Graph) -> Counter[tuple[object, ...]] | None:
    try:
        return entries(shacl.validate(data, shapes)[1])
    except ShapesError:
        return None


@pytest.mark.slow
@pytest.mark.parametrize("part", ["core", "sparql"])
@pytest.mark.filterwarnings("ignore::checkpoint_ld.errors.ShapesWarning")  # one test has a term that is none
def test_it_passes_all_tests(w3c: Path, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # "none" is no boolean, and "1" is not "true": rdflib would make all three one of the two.
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", False)
    tests = list(listed(w3c / "data-shapes" / "tests" / part))
    failed = [case for case in tests if by_us(*graphs(*case[1:])) != expected(*case[1:])]

    assert len(tests) > 20
    assert not [name for name, *_ in failed]


# --- A compiled context gives the statements of the whole algorithm for what the W3C tests JSON-LD 1.1 with.


Json = Any

ROOT = {"@type": "DataFeed", "@id": "urn:x:feed"}


def as_it_is(document: Json) -> Json:
    return document


def as_a_feed(document: Json) -> Json:
    return {"@type": "DataFeed", **document}


def as_a_member(document: Json) -> Json:
    context = {"@context": document["@context"]} if "@context" in document else {}
    return {**context, **ROOT, "unknown": without_context(document)}


def as_a_question(document: Json) -> Json:
    question = {"@type": "Question", **without_context(document)}
    return {**ROOT, "dataFeedElement": [{"@type": "DataFeedItem", "item": question}]}


def without_context(document: Json) -> Json:
    return {key: value for key, value in document.items() if key != "@context"}


def documents(folder: Path, suite: str) -> Iterator[Json]:
    """Yield the inputs of the tests of JSON-LD 1.1 that are one object."""
    manifest = json.loads((folder / f"{suite}-manifest.jsonld").read_bytes())
    for test in manifest["sequence"]:
        if test.get("option", {}).get("specVersion") != "json-ld-1.0":
            document = json.loads((folder / test["input"]).read_bytes())
            if isinstance(document, dict):
                yield document


def agrees(tree: Json) -> bool:
    """Tell whether the compiled way covers a tree, having held it against the other way."""
    found = building.index_of(copy.deepcopy(tree))
    try:
        expected = building.by_algorithm(tree)
    except ReadError:
        assert found is None
        return False
    assert found in (None, expected)
    return found is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "least", "suite"),
    some(
        [
            (place, least, suite)
            for place, least in ((as_it_is, 10), (as_a_feed, 100), (as_a_member, 100), (as_a_question, 100))
            for suite in ("expand", "toRdf")
        ],
        4,
    ),
)
def test_what_is_covered_gives_the_statements_of_the_algorithm(
    w3c: Path, place: Callable[[Json], Json], least: int, suite: str
) -> None:
    covered = [agrees(place(document)) for document in documents(w3c / "json-ld-api", suite)]
    assert len(covered) > 300
    assert sum(covered) > least
