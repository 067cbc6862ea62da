"""What a benchmark says about itself, changed."""

from __future__ import annotations

import pytest
from rdflib import Literal, URIRef

from checkpoint_ld import Benchmark, WriteError
from checkpoint_ld.entities import Organization, Person
from tests.benchmark.editing import METAL, Json, assert_says, load, strange
from tests.documents import item


def test_every_member_may_be_set_and_nothing_else_changes() -> None:
    tree = strange()
    benchmark = load(tree)
    benchmark.set_metadata(name="Alloys", description="d", version="2", creator="B", created_at="2020-01-01T00:00:00")
    tree |= {"name": "Alloys", "description": "d", "version": "2", "creator": "B", "dateCreated": "2020-01-01T00:00:00"}
    assert_says(benchmark, tree)
    benchmark.set_metadata(description=None, version="", creator=None)
    for key in ("description", "version", "creator"):
        del tree[key]
    assert_says(benchmark, tree)


def test_a_date_that_is_given_stays() -> None:
    tree = strange()
    benchmark = load(tree)
    benchmark.modified_at = "2026-05-05T00:00:00"
    benchmark.set_metadata(version="2", modified_at="2026-05-05T00:00:00")
    assert_says(benchmark, tree | {"version": "2", "dateModified": "2026-05-05T00:00:00"}, edited=False)
    benchmark.created_at = "1999-01-01"
    assert (benchmark.created_at, benchmark.modified_at != "2026-05-05T00:00:00") == ("1999-01-01", True)


def test_an_identifier_names_the_graph_and_what_has_none_of_its_own() -> None:
    tree = strange(item(), item("No id?", None))
    benchmark = load(tree)
    ids = benchmark.get_question_ids()
    benchmark.id = "urn:x:metals"
    assert benchmark.id == "urn:x:metals"
    assert benchmark.graph.root == URIRef("urn:x:metals")
    assert benchmark.get_question_ids() == ids
    assert_says(benchmark, tree | {"@id": "urn:x:metals"})
    assert not any("karenina-checkpoint" in str(term) for triple in benchmark.graph for term in triple)
    assert set(benchmark.graph) == set(load(benchmark.to_jsonld("plain")).graph)
    benchmark.mark_unfinished(METAL)
    assert benchmark.finished_count == 1


def test_a_new_identifier_keeps_what_stands_beside_the_benchmark() -> None:
    benchmark = load(strange())
    graph, about = benchmark.graph, URIRef("urn:x:review")
    graph.bind("dcterms", "http://purl.org/dc/terms/")
    graph.add((about, URIRef("urn:x:of"), graph.root))
    graph.add((about, URIRef("urn:x:by"), Literal("B. Jones")))
    benchmark.id = "urn:x:metals"
    assert set(benchmark.graph.triples((about, None, None))) == {
        (about, URIRef("urn:x:of"), URIRef("urn:x:metals")),
        (about, URIRef("urn:x:by"), Literal("B. Jones")),
    }
    assert dict(benchmark.graph.namespaces())["dcterms"] == URIRef("http://purl.org/dc/terms/")
    assert graph.root != benchmark.graph.root


PERSON = {"@type": "Person", "name": "A", "affiliation": {"@type": "Organization", "name": "B"}}
ACME = {"@type": "Organization", "name": "ACME", "url": "https://acme.example"}


@pytest.mark.parametrize(
    ("creator", "shown", "member"),
    [
        ("A", "A", "A"),
        (Person(name="A", email="a@example.org"), Person(name="A", email="a@example.org"), None),
        (PERSON, Person.model_validate(PERSON), PERSON),
        ({"name": "A"}, "A", "A"),
        (Organization(name="ACME"), Organization(name="ACME"), "ACME"),
        (ACME, Organization.model_validate(ACME), "ACME"),
        (["A", ACME], ["A", Organization.model_validate(ACME)], "A, ACME"),
        ([Person(name="A"), Person(name="C", url="u")], [Person(name="A"), Person(name="C", url="u")], "A, C"),
        (["A"], "A", "A"),
        ([], None, None),
        (None, None, None),
    ],
)
def test_creators_of_every_kind_are_kept(creator: Json, shown: Json, member: Json) -> None:
    benchmark = load(strange())
    benchmark.creator = creator
    for one in (benchmark, load(benchmark.to_jsonld()), load(benchmark.to_jsonld("plain"))):
        assert one.creator == shown
        assert member is None or one.to_jsonld("plain")["creator"] == member


def test_a_creator_leaves_nothing_of_the_one_before() -> None:
    tree = strange()
    benchmark = load(tree)
    creators: list[Json] = [PERSON, ACME, ["A", ACME], "C"]
    for creator in creators:
        benchmark.creator = creator
    assert_says(benchmark, tree | {"creator": "C"})
    assert set(benchmark.graph) == set(load(benchmark.to_jsonld("plain")).graph)


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"licence": "MIT"}, "'licence' cannot be set: choose from id, creator, name"),
        ({"id": ""}, "needs a text as id"),
        ({"id": 5}, "the id 5 is no text"),
        ({"created_at": None}, "needs a text as created_at"),
        ({"name": ""}, "needs a text as name"),
        ({"name": None}, "needs a text as name"),
        ({"version": 1.0}, "the version 1.0 is no text"),
        ({"name": "\ud800"}, "surrogate"),
        ({"creator": 5}, "5 is no creator"),
        ({"creator": {"@type": "Team", "name": "x"}}, "this is no creator: @type: "),
        ({"creator": ["A", {"@type": "Person"}]}, "this is no creator: name: Field required"),
        ({"creator": ["A", ""]}, "'' is no creator"),
        ({"creator": {"name": "A", "age": float("nan")}}, "nan is not a JSON number"),
    ],
)
def test_what_cannot_be_set_changes_nothing(fields: Json, fault: str) -> None:
    tree = strange()
    benchmark = load(tree)
    with pytest.raises(WriteError, match=fault):
        benchmark.set_metadata(**{"version": "9", **fields})
    assert_says(benchmark, tree, edited=False)


def test_a_file_is_named_anew_and_saved(tmp_path: object) -> None:
    benchmark = Benchmark("Metals")
    benchmark.add_question("Q?", "a")
    benchmark.id = "no iri at all"
    path = f"{tmp_path}/metals.jsonld"
    benchmark.save(path)
    assert (Benchmark.load(path).id, Benchmark.load(path).question_count) == ("no iri at all", 1)
