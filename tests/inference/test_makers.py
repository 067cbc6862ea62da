"""Authors, sources and creators as nodes of schema.org."""

from __future__ import annotations

import json
from typing import Any

import pytest

from checkpoint_ld import Benchmark
from tests.documents import rating, setting
from tests.inference.documents import ADA, HANDBOOK, document_of, question
from tests.inference.test_queries import answers

Json = Any
KEY = "sk-" + "a1B2" * 8
ORCID = "https://orcid.org/0000-0002-1825-0097"

MAKERS = (
    "SELECT ?name { ?question a schema:Question ; schema:author ?author . ?author a schema:Person ; schema:name ?name }"
)
NAMES = "SELECT (STR(?one) AS ?name) { ?question a schema:Question ; schema:author|schema:citation ?one }"


@pytest.mark.parametrize(
    ("author", "names"),
    [
        ("Ada", ["Ada"]),
        (json.dumps({"name": "Ada"}), ["Ada"]),
        ({"name": "Ada", "email": "a@b.org"}, ["Ada"]),
        ([{"name": "Ada"}, "B."], ["Ada", "B."]),
        (None, []),
        ("", []),
        ({}, []),
        ({"name": " "}, []),
        ("[broken", ["[broken"]),
        ("[" * 5000, ["[" * 5000]),
    ],
)
def test_authors_are_persons_in_whatever_form_they_are_reported(author: Json, names: list[str]) -> None:
    assert answers(document_of(question(author=author)), MAKERS) == [(name,) for name in names]


@pytest.mark.parametrize(
    ("author", "name"),
    [
        (ADA, ORCID),
        ({"name": "Ada", "orcid": ORCID + "/"}, ORCID),
        ({"name": "Ada", "@id": "https://example.org/#ada"}, "https://example.org/#ada"),
        ({"name": "Ada", "url": "https://example.org/ada"}, "https://example.org/ada"),
        ({"name": "Ada", "orcid": "none", "url": "example.org"}, "urn:uuid:Q#/item/schema:author/0"),
        ({"name": "Ada", "@id": "urn:x#/item"}, "urn:uuid:Q#/item/schema:author/0"),
        ({"name": "Ada", "url": f"https://example.org/?token={KEY}"}, "urn:uuid:Q#/item/schema:author/0"),
    ],
)
def test_a_person_is_named_by_an_identifier_of_her_own_or_by_the_place(author: Json, name: str) -> None:
    assert answers(document_of(question(author=author)), NAMES) == [(name,)]


def test_a_person_is_one_node_for_all_her_questions() -> None:
    tree = document_of(question("a?", author=ADA), question("b?", author=json.dumps(ADA)))
    assert answers(tree, "SELECT ?mail ?id { ?author schema:email ?mail ; schema:identifier ?id }") == [
        ("ada@example.org", "0000-0002-1825-0097")
    ]
    assert len(answers(tree, "SELECT ?question { ?question schema:author <" + ORCID + "> }")) == 2


@pytest.mark.parametrize(
    ("sources", "name"),
    [
        ([HANDBOOK], "https://doi.org/10.1000/182"),
        (json.dumps([{**HANDBOOK, "doi": "https://dx.doi.org/10.1000/182"}]), "https://doi.org/10.1000/182"),
        (["https://example.org/metals"], "https://example.org/metals"),
        ([{"name": "Metals", "url": "https://example.org/metals"}], "https://example.org/metals"),
        (["Handbook of Metals"], "urn:uuid:Q#/item/schema:citation/0"),
    ],
)
def test_sources_are_works_that_a_question_cites(sources: Json, name: str) -> None:
    assert answers(document_of(question(sources=sources)), NAMES) == [(name,)]


def test_a_work_states_who_wrote_it_and_when() -> None:
    query = """SELECT ?title ?by ?year ?id WHERE { ?question schema:citation ?work . ?work a schema:CreativeWork ;
        schema:name ?title ; schema:author ?by ; schema:datePublished ?year ; schema:identifier ?id }"""
    assert answers(document_of(question(sources=[HANDBOOK])), query) == [
        ("Handbook of Metals", "B., C.", "1999", "10.1000/182")
    ]


@pytest.mark.parametrize(
    ("creator", "kind"),
    [
        ("A. Smith", "Person"),
        ({"@type": "Person", "name": "A. Smith"}, "Person"),
        (["A. Smith"], "Person"),
        ([{"@type": "Person", "name": "A. Smith", "email": "a@example.org"}], "Person"),
        ({"@type": "Organization", "name": "A. Smith"}, "Organization"),
    ],
)
def test_who_made_a_benchmark_is_queried_in_one_way(creator: Json, kind: str) -> None:
    query = (
        f"SELECT ?name {{ ?benchmark a schema:DataFeed ; schema:author ?by . ?by a schema:{kind} ; schema:name ?name }}"
    )
    assert answers(document_of(creator=creator), query) == [("A. Smith",)]


def test_an_organisation_that_only_a_property_shows_of_is_found() -> None:
    tree = document_of(creator="The Lab")
    tree["additionalProperty"].append(
        setting("creator_details", {"@type": "Organization", "name": "The Lab", "url": "https://lab.example.org"})
    )
    query = "SELECT ?name { <https://lab.example.org> a schema:Organization ; schema:name ?name }"
    assert answers(tree, query) in ([("The Lab",)], [])


def test_a_node_of_the_document_is_linked_and_left_as_it_is() -> None:
    maker = {"@type": "Person", "@id": ORCID, "name": "A. Smith"}
    tree = document_of(question(author=ADA), creator=maker)
    assert answers(tree, f"SELECT ?name {{ <{ORCID}> schema:name ?name }}") == [("A. Smith",)]
    assert len(answers(tree, f"SELECT ?one {{ ?one schema:author <{ORCID}> }}")) == 2


def test_what_looks_like_a_secret_is_reported_no_more_often_than_before() -> None:
    agentic = rating("agent", kind="boolean", model_override={"api_key": KEY}, summary=KEY)
    agentic |= {"additionalType": "karenina:QuestionSpecificAgenticRubricTrait", "description": "x"}
    literal = rating("classes", kind="literal", classes={"a": KEY, KEY: "b"})
    literal["additionalType"] = "karenina:QuestionSpecificLLMRubricTrait"
    source = f"""class Answer(BaseAnswer):
    x: str = VerifiedField(description="{KEY}", ground_truth=["{KEY}"], verify_with=ContainsAny(substrings=["{KEY}"]))
"""
    properties: Json = {
        "author": {"name": "Ada", "email": KEY, "url": f"https://example.org/{KEY}", "api_key": KEY},
        "sources": [f"https://example.org/{KEY}", KEY],
        "answer_notes": f"use {KEY}",
        "workspace_path": KEY,
    }
    tree = document_of(question(template=source, traits=(agentic, literal, rating("r", pattern=KEY)), **properties))
    benchmark = Benchmark.load(json.dumps(tree).encode())

    assert KEY in benchmark.to_ntriples()
    assert benchmark.to_ntriples(inferred=True).count(KEY) == benchmark.to_ntriples().count(KEY)
    assert "modelOverride" not in benchmark.to_ntriples(inferred=True)
