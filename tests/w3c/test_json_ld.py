"""The W3C's cases of expansion and of RDF from JSON-LD, each inside a checkpoint: our statements are PyLD's.

A case becomes a member of a question, or nodes that the benchmark includes. All of it has to mean what it means alone.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pyld import jsonld

from checkpoint_ld.dialects import reading
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import contexts, emission
from checkpoint_ld.graph.literals import is_iri, is_language, native_coercion
from checkpoint_ld.vocabulary import SCHEMA
from tests.processors import canonical_of_graph, canonical_of_pyld

Json = Any
PLACES = ("member", "included", "root")
"""Where a case stands: in a question, beside it, or in a question with its context around the checkpoint."""
CASE = "https://example.org/case"
BASE = "https://w3c.github.io/json-ld-api/tests/"


class Case(NamedTuple):
    """An input of the W3C's, the address that its relative names are resolved against, and a context around it."""

    name: str
    value: Json
    base: str
    context: Json


def cases(folder: Path) -> Iterator[Case | str]:
    """Yield the tests of two manifests, or the reason why no checkpoint can carry them."""
    for kind in ("expand", "toRdf"):
        for test in json.loads((folder / f"{kind}-manifest.jsonld").read_bytes())["sequence"]:
            options = test.get("option", {})
            if not any("Positive" in one for one in test["@type"]):
                yield "its input is no valid JSON-LD"
            elif "json-ld-1.0" in (options.get("specVersion"), options.get("processingMode")):
                yield "it is about JSON-LD 1.0"
            elif options.get("rdfDirection") or options.get("produceGeneralizedRdf"):
                yield "it is about an option of a processor"
            else:
                outer = options.get("expandContext")
                context = json.loads((folder / outer).read_bytes())["@context"] if outer else None
                base = options.get("base", BASE + test["input"])
                yield Case(kind + test["@id"], json.loads((folder / test["input"]).read_bytes()), base, context)


def embedded(case: Case, place: str) -> Json:
    """Return a benchmark that holds a case; it has no dates and numbers, which our graph types anyway."""
    question: Json = {"@type": "Question", "text": "Which?", "acceptedAnswer": {"@type": "Answer", "text": "That."}}
    benchmark: Json = {
        "@context": [contexts.plain(), {"@base": case.base}],
        "@type": "DataFeed",
        "@id": "urn:uuid:benchmark",
        "name": "Metals",
        "dataFeedElement": [{"@type": "DataFeedItem", "@id": "urn:uuid:question", "item": question}],
    }
    value = case.value
    if case.context is not None:
        value = {"@context": case.context, **value}
    if place == "root" and isinstance(value, dict):
        own = value.get("@context", [])
        question = {CASE: {key: one for key, one in value.items() if key != "@context"}, **question}
        benchmark["dataFeedElement"][0]["item"] = question
        benchmark = {
            **spelled_out(benchmark),
            "@context": [{"@base": case.base}, *(own if isinstance(own, list) else [own])],
        }
    elif place == "member":
        question[CASE] = value
    else:
        benchmark["@included"] = value if isinstance(value, list) else [value]
    return benchmark


def spelled_out(value: Json) -> Json:
    """Return the checkpoint with IRIs for its keys and types, so that no context changes what they mean."""
    if isinstance(value, list):
        return [spelled_out(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key if key[:1] == "@" or key == CASE else SCHEMA + key: SCHEMA + one
        if key == "@type"
        else one
        if key == CASE
        else spelled_out(one)
        for key, one in value.items()
        if key != "@context"
    }


def parts_of(value: Json) -> Iterator[tuple[str, Json]]:
    """Yield the members of all objects in a JSON value."""
    for one in value.values() if isinstance(value, dict) else value:
        if isinstance(one, dict | list):
            yield from parts_of(one)
    if isinstance(value, dict):
        yield from value.items()


def reason_against(document: Json, case: Json) -> str | None:
    """Return the clause of our graph's contract, or the fault of PyLD, because of which a case has no comparison."""
    if any(key == "@base" and one is None for key, one in parts_of(case)):
        return "relative names without a base: processors drop them, a graph keeps them"
    try:
        dataset = jsonld.to_rdf(document, contexts.options())
    except TypeError:
        return "PyLD fails at it"
    if len(dataset) > 1:
        return "named graphs: a checkpoint is one graph (clause G10)"
    terms = [one for quad in dataset["@default"] for one in quad.values()]
    if any(quad["predicate"]["type"] == "blank node" for quad in dataset["@default"]):
        return "a blank node as a predicate is no RDF"
    if any(one["value"].startswith("http://schema.org/") for one in terms if one["type"] == "IRI"):
        return "http://schema.org/ is read as https (clause G1)"
    return _reason_in(jsonld.expand(document, contexts.options()))


def _reason_in(expanded: Json) -> str | None:
    members = [*parts_of(expanded)]
    if any(key == "@value" and native_coercion(one) for key, one in members):
        return "numbers that processors change keep their type (clause G6)"
    names = {key for key, _ in members if key[:1] != "@"}
    for key, value in members:
        if key in ("@id", "@type"):
            names.update([value] if isinstance(value, str) else value)
    if not all(map(is_iri, (one for one in names if "://" in one))):
        return "names that are no IRIs: processors drop them, a graph keeps them (clause G3)"
    if any(key == "@language" and not is_language(one) for key, one in members):
        return "a language that RFC 5646 does not allow is left out"
    return None


def is_refused(document: Json) -> bool:
    """Return whether PyLD refuses a document that is valid, because it names a remote context."""
    try:
        jsonld.expand(document, contexts.options())
    except jsonld.JsonLdError:
        return True
    return False


@pytest.mark.filterwarnings("ignore:terms beginning with:SyntaxWarning", "ignore:values beginning with:SyntaxWarning")
@pytest.mark.parametrize("place", PLACES)
def test_a_case_means_in_a_checkpoint_what_it_means_alone(w3c: Path, place: str) -> None:
    excluded: Counter[str] = Counter()
    compared = 0
    wrong = []
    for case in cases(w3c / "json-ld-api"):
        if isinstance(case, str):
            excluded[case] += 1
            continue
        document = embedded(case, place)
        if is_refused(document):
            with pytest.raises(ReadError, match=r"remote context .* put the context itself into the document"):
                reading.examine_bytes(json.dumps(document).encode())
            excluded["a remote context is refused"] += 1
            continue
        reason = reason_against(document, case.value)
        if reason:
            excluded[reason] += 1
            continue
        compared += 1
        graph = reading.examine_bytes(json.dumps(document).encode()).graph
        expected = canonical_of_pyld(document)
        again = reading.examine_bytes(emission.ntriples_of(graph), syntax="nt").graph
        if canonical_of_graph(graph) != expected:
            wrong.append(f"{case.name}: our statements")
        if canonical_of_pyld(emission.jsonld_of(graph)) != expected:
            wrong.append(f"{case.name}: our JSON-LD")
        if {*again} != {*graph}:
            wrong.append(f"{case.name}: our N-Triples")
    assert not wrong
    assert compared > 440, excluded
