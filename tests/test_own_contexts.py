"""A document means what its own context says: our statements are those of JSON-LD processors, whatever the context."""

import copy
import json
from typing import Any

import pytest

from checkpoint_ld.dialects import reading
from checkpoint_ld.graph import contexts, emission
from tests.processors import statements_of, statements_of_graph

Json = Any

EX = "https://example.org/"
FEATURES: dict[str, tuple[Json, Json]] = {
    "language map": (
        {"title": {"@id": EX + "title", "@container": "@language"}},
        {"title": {"de": "Rost", "en": "Rust"}},
    ),
    "index map": ({"part": {"@id": EX + "part", "@container": "@index"}}, {"part": {"one": "x", "two": "y"}}),
    "id map": ({"near": {"@id": EX + "near", "@container": "@id"}}, {"near": {EX + "a": {"name": "A"}}}),
    "type map": ({"near": {"@id": EX + "near", "@container": "@type"}}, {"near": {EX + "T": {"name": "A"}}}),
    "list": ({"steps": {"@id": EX + "steps", "@container": "@list"}}, {"steps": ["b", "a", "b"]}),
    "set": ({"tags": {"@id": EX + "tags", "@container": "@set"}}, {"tags": ["b", "a"]}),
    "language of a term": ({"label": {"@id": EX + "label", "@language": "de"}}, {"label": "Eisen"}),
    "default language": ({"@language": "en"}, {"alternateName": "Rusting"}),
    "datatype": ({"price": {"@id": EX + "price", "@type": EX + "money"}}, {"price": "12.50"}),
    "decimal": (
        {"price": {"@id": EX + "price", "@type": "http://www.w3.org/2001/XMLSchema#decimal"}},
        {"price": "1.10"},
    ),
    "alias of a keyword": ({"id": "@id", "type": "@type"}, {"publisher": {"id": EX + "o", "type": "Organization"}}),
    "reverse": ({"madeBy": {"@reverse": EX + "made"}}, {"madeBy": {"@id": EX + "p", "name": "P"}}),
    "null term": ({"internal": None}, {"internal": "secret"}),
    "null id": ({"internal": {"@id": None}}, {"internal": "secret"}),
    "nest": ({"more": "@nest", "tag": EX + "tag"}, {"more": {"tag": "x"}}),
    "base": ({"@base": EX + "base/"}, {"sameAs": {"@id": "there", "name": "T"}}),
    "protected": ({"@protected": True, "label": EX + "label"}, {"label": "x"}),
    "type-scoped": (
        {"Grant": {"@id": EX + "Grant", "@context": {"sum": {"@id": EX + "sum", "@type": EX + "money"}}}},
        {"funding": {"@type": "Grant", "sum": "12.50"}},
    ),
    "property-scoped": (
        {"funding": {"@id": EX + "funding", "@context": {"sum": EX + "sum"}}},
        {"funding": {"sum": 5, "under": {"sum": 6}}},
    ),
    "scoped without propagation": (
        {"funding": {"@id": EX + "funding", "@context": {"@propagate": False, "sum": EX + "sum"}}},
        {"funding": {"sum": 5, "under": {"sum": 6}}},
    ),
    "another property under a known key": ({"name": EX + "title"}, {}),
    "prefix": ({"t": EX + "t/", "kind": {"@id": "t:kind", "@type": "@vocab"}, "Bare": "t:Bare"}, {"kind": "Bare"}),
}


def document_with(context: Json, members: Json) -> Json:
    """Return a benchmark with members under a context; it has no dates and numbers, which our graph types anyway."""
    question: Json = {"@type": "Question", "text": "Which?", "acceptedAnswer": {"@type": "Answer", "text": "That."}}
    value: Json = {
        "@context": {**contexts.plain(), **context},
        "@type": "DataFeed",
        "@id": "urn:uuid:benchmark",
        "name": "Metals",
        "dataFeedElement": [{"@type": "DataFeedItem", "@id": "urn:uuid:question", "item": question}],
    }
    question.update(copy.deepcopy(members))
    return value


def read(document: Json, **options: Any) -> Any:
    return reading.examine_bytes(json.dumps(document).encode(), **options)


def compared(document: Json) -> None:
    """Check that our statements are PyLD's, and that what we write means the same to PyLD and to pyoxigraph."""
    graph = read(document).graph
    ours = statements_of_graph(graph)
    assert ours == statements_of("PyLD", document)
    written = emission.jsonld_of(graph)
    assert statements_of("PyLD", written) == ours
    assert statements_of("pyoxigraph", written) == ours
    assert {*read(written).graph} == {*graph}


@pytest.mark.parametrize("feature", FEATURES)
def test_each_feature_of_a_root_context_counts(feature: str) -> None:
    compared(document_with(*FEATURES[feature]))


@pytest.mark.parametrize("feature", FEATURES)
def test_each_feature_of_an_inner_context_counts(feature: str) -> None:
    context, members = FEATURES[feature]
    value = document_with({}, {})
    value["dataFeedElement"][0]["item"]["about"] = {
        "@type": "Thing",
        "@context": context,
        "description": "x",
        **members,
    }
    compared(value)
