"""A document means what its own context says: our statements are those of JSON-LD processors, whatever the context."""

import copy
import json
import warnings
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
import rdflib
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pyld import jsonld
from rdflib import RDF, URIRef

import checkpoint_ld
from checkpoint_ld import families
from checkpoint_ld.agents import schema, serialization
from checkpoint_ld.dialects import reading
from checkpoint_ld.errors import ReadError, SettingsError
from checkpoint_ld.graph import contexts, coverage, emission
from checkpoint_ld.graph.key_order import KEY_ORDER
from checkpoint_ld.sparql import Dataset
from checkpoint_ld.vocabulary import CAF
from checkpoint_ld.writing import write
from tests.agents.documents import checkpoint
from tests.documents import SCHEMA, canonical, item, rating, rich, setting
from tests.processors import (
    Statements,
    canonical_of_graph,
    canonical_of_pyld,
    statements_of,
    statements_of_graph,
)

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
    "null under a known key": ({"hasPart": None}, {"hasPart": {"@type": "SoftwareSourceCode", "text": "x = 1"}}),
    "label under a key for names": (
        {"maker": {"@id": EX + "maker", "@type": "@id"}},
        {"maker": "_:b0", "author": {"@id": "_:b0", "name": "Ann"}},
    ),
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


def as_bytes(document: Json) -> bytes:
    return json.dumps(document).encode()


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


OTHER_FORMS: dict[str, Json] = {
    "numbers of a datatype": {
        "length": [{"@value": one, "@type": EX + "inch"} for one in (5, 2.5, True)],
        "about": {"@type": "Thing", "price": {"@value": 7, "@type": EX + "money"}},
    },
    "set": {"alternateName": {"@set": ["Rust", "Patina"]}, "about": {"@set": [{"name": "Iron"}]}},
    "label without content": {"citation": {"@id": "_:b0"}, "url": {"@reverse": {EX + "cites": {"name": "A"}}}},
    "label of a node that refers": {"tag": "x", "@reverse": {"about": {"@id": "_:b0"}}},
    "label of a node that others refer to": {"author": {"@id": "_:b0", "@reverse": {"knows": [{"name": "A"}]}}},
    "label in a value": {"citation": {"@set": [{"@id": "_:b0"}]}, "url": {"@reverse": {EX + "cites": {"name": "A"}}}},
}


@pytest.mark.parametrize("form", OTHER_FORMS)
def test_other_forms_of_values_and_nodes_are_stated(form: str) -> None:
    document = document_with({}, OTHER_FORMS[form])
    expected = canonical_of_pyld(document)
    graph = read(document).graph
    assert canonical_of_graph(graph) == expected
    assert canonical_of_pyld(emission.jsonld_of(graph)) == expected


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


@pytest.mark.parametrize("by", ["plans", "pyld"])
def test_the_expansion_can_be_chosen_and_changes_nothing(by: str) -> None:
    texts = {checkpoint_ld.Benchmark.load(as_bytes(one), expansion=by).to_ntriples() for one in (rich(), rich())}
    assert texts == {checkpoint_ld.load(as_bytes(rich())).to_ntriples()}
    found = [checkpoint_ld.validate(as_bytes(rich()), **options).findings for options in ({}, {"expansion": by})]
    codes = [sorted(one.code for one in each if one.rule != "json-ld-form") for each in found]
    assert codes[0] == codes[1]


def test_another_expansion_is_refused() -> None:
    with pytest.raises(SettingsError, match="pyld"):
        checkpoint_ld.load(as_bytes(rich()), expansion="fast")


def test_every_file_is_the_same_by_pyld(corpus: Path) -> None:
    for dialect in ("dataset-0", "dataset-1", "datafeed-legacy", "datafeed-ns-v3"):
        for file in sorted((corpus / dialect).iterdir()):
            by_plans = reading.examine(file)
            with coverage.expanding("pyld"):
                by_pyld = reading.examine(file)
            assert {*by_pyld.graph} == {*by_plans.graph}, file.name


TWO = """
@prefix s: <https://schema.org/> .
<urn:uuid:{0}> a s:DataFeed ; s:name "{0}" ; s:creator _:b0 ; s:dataFeedElement <urn:q:{0}> .
<urn:q:{0}> a s:DataFeedItem ; s:item [ a s:Question ; s:text "Which?" ; s:author _:b0 ] .
_:b0 a s:Person ; s:name "{1}" .
"""


def test_a_label_of_a_blank_node_belongs_to_its_document() -> None:
    graphs = [reading.examine_bytes(TWO.format(*pair).encode(), "x.ttl").graph for pair in (("a", "Ann"), ("b", "Bob"))]
    people = [set(graph.subjects(RDF.type, URIRef(SCHEMA + "Person"))) for graph in graphs]
    assert [len(one) for one in people] == [1, 1]
    assert people[0].isdisjoint(people[1])
    assert all(
        str(one).startswith(str(graph.root)) for graph, found in zip(graphs, people, strict=True) for one in found
    )


def test_a_key_that_the_context_gives_no_meaning_is_left_out_and_named() -> None:
    document = {
        "@context": {"s": SCHEMA},
        "@id": "urn:uuid:benchmark",
        "@type": "s:DataFeed",
        "s:name": "Metals",
        "s:dataFeedElement": [],
        "keywords": "metal",
        "internal": 5,
    }
    found = read(document)
    assert statements_of_graph(found.graph) == statements_of("PyLD", document)
    [form] = [one for one in found.findings if one.rule == "json-ld-form"]
    assert '"internal", "keywords" no meaning' in form.message


def test_a_list_in_the_place_of_many_values_is_named() -> None:
    document = document_with({"keywords": {"@container": "@list"}}, {"keywords": ["b", "a"]})
    [form] = [one for one in read(document).findings if one.rule == "json-ld-form"]
    assert "the list at /dataFeedElement/0/item/keywords is read as its values" in form.message


def named_apart(root: str, question: str, text: str) -> Any:
    document = document_with({}, {"author": {"@type": "Person", "name": text}, "about": [{"name": text}]})
    document["@id"], element = root, document["dataFeedElement"][0]
    element["@id"], element["item"]["text"] = question, text
    element["item"]["acceptedAnswer"]["text"] = text
    return read(document).graph


def test_documents_that_share_no_iri_share_no_node() -> None:
    graphs = [named_apart(f"urn:uuid:{one}", f"urn:q:{one}", one) for one in ("a", "b")]
    first, second = ({*graph.subjects()} for graph in graphs)
    assert len(first) > 5
    assert first.isdisjoint(second)


def test_parts_of_one_question_in_two_documents_are_kept_apart_by_their_graphs() -> None:
    """Their names are those of places in the question (clause G2), which is one node in both documents."""
    dataset = Dataset.of_graphs([named_apart(f"urn:uuid:{one}", "urn:q:shared", one) for one in ("a", "b")])
    query = "SELECT ?text ?answer WHERE { %s }"
    pattern = "?item schema:text ?text ; schema:acceptedAnswer/schema:text ?answer"
    apart = dataset.query(query % f"GRAPH ?g {{ {pattern} }}")
    assert sorted((row["text"], row["answer"]) for row in apart) == [("a", "a"), ("b", "b")]


def test_circles_beside_a_checkpoint_and_mixed_numbers_stay() -> None:
    knows, more = (
        URIRef(SCHEMA + "knows"),
        "_:a s:knows <urn:x:n> . <urn:x:n> s:knows _:a . <urn:x:m> s:knows true, 1.0e3 .",
    )
    graph = reading.examine_bytes(f"{TWO.format('a', 'Ann')}{more}".encode(), "x.ttl").graph
    [one] = graph.objects(URIRef("urn:x:n"), knows)
    assert [*graph.objects(one, knows)] == [URIRef("urn:x:n")]
    assert {str(value) for value in graph.objects(URIRef("urn:x:m"), knows)} == {"true", "1.0E3"}
    assert {*read(emission.jsonld_of(graph)).graph} == {*graph}


@pytest.mark.parametrize("syntax", ["turtle", "nt", "jsonld"])
def test_a_shared_blank_node_is_one_node_in_every_syntax(syntax: str) -> None:
    graph = reading.examine_bytes(TWO.format("a", "Ann").encode(), "x.ttl").graph
    written = write(graph, syntax=syntax).data
    again = reading.examine_bytes(written, syntax="json" if syntax == "jsonld" else syntax).graph
    assert {*again} == {*graph}
    if syntax == "jsonld":
        quads = [*pyoxigraph.parse(written, format=pyoxigraph.RdfFormat.JSON_LD)]
        of_ann = {one.subject for one in quads if getattr(one.object, "value", "") == "Ann"}
        referring = [one for one in quads if one.object in of_ann]
        assert (len(of_ann), len(referring)) == (1, 2)


CLASSES = {"poor": "not at all", "fair": "in part", "excellent": "in full"}


def classed() -> Json:
    trait = {**rating("quality", kind="literal", classes=CLASSES), "additionalType": "karenina:GlobalLLMRubricTrait"}
    return {**canonical(item()), "rating": [{**trait, "bestRating": 2.0, "worstRating": 0.0}]}


def order_in(graph: Any) -> list[str]:
    [trait] = graph.tree()["rating"]
    return [*next(one["value"] for one in trait["additionalProperty"] if one["name"] == "classes")]


@pytest.mark.parametrize("processor", ["PyLD", "pyoxigraph", "rdflib"])
def test_the_order_of_classes_survives_other_processors(processor: str) -> None:
    graph = read(classed()).graph
    document = emission.jsonld_of(graph)
    text = json.dumps(document)
    if processor == "PyLD":
        quads = jsonld.to_rdf(document, {**contexts.options(), "format": "application/n-quads"}).encode()
    elif processor == "pyoxigraph":
        quads = pyoxigraph.serialize(
            pyoxigraph.parse(text, format=pyoxigraph.RdfFormat.JSON_LD), format=pyoxigraph.RdfFormat.N_QUADS
        )
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            quads = rdflib.Graph().parse(data=text, format="json-ld").serialize(format="nt").encode()
    assert order_in(reading.examine_bytes(quads, syntax="nq").graph) == [*CLASSES]
    assert json.dumps(canonical_json(document)) != text  # a processor may sort all keys of the document itself
    assert order_in(read(canonical_json(document)).graph) == [*CLASSES]


def canonical_json(value: Json) -> Json:
    """Return a JSON value with the keys of all objects sorted, as RFC 8785 demands."""
    return json.loads(json.dumps(value, sort_keys=True))


def test_an_edit_of_classes_states_their_new_order() -> None:
    graph = read(classed()).graph
    [trait] = graph.member(graph.root, "rating")
    setting = next(one for one in graph.member(trait, "additionalProperty") if graph.plain(one, "name") == "classes")
    graph.replace(setting, "value", {"z": "", "a": ""})
    assert order_in(read(canonical_json(emission.jsonld_of(graph))).graph) == ["z", "a"]
    graph.replace(setting, "name", "anything")
    assert not [*graph.triples((None, KEY_ORDER, None))]


@pytest.mark.parametrize(
    ("text", "datatype"),
    [
        *(("123456789012345678", "decimal"), ("1.10", "decimal"), ("0.1000000000000000055511151231257827", "decimal")),
        *(("1.5", "float"), ("007", "integer"), ("-0", "integer"), ("abc", "integer"), ("1", "boolean")),
        *(
            ("0.1000000000000000055511151231257827", "double"),
            ("INF", "double"),
            ("NaN", "double"),
            ("5", "nonNegativeInteger"),
            ("2026-02-30", "date"),
        ),
    ],
)
def test_a_number_keeps_its_text_and_its_datatype(text: str, datatype: str) -> None:
    graph = read({**canonical(item()), "additionalProperty": [setting("custom", "placeholder")]}).graph
    number = f'"{text}"^^<http://www.w3.org/2001/XMLSchema#{datatype}>'
    stated = emission.ntriples_of(graph).decode().replace('"placeholder"', number).encode()
    again = reading.examine_bytes(stated, syntax="nt").graph
    assert number in emission.ntriples_of(again).decode()
    written = write(again).data
    assert number in emission.ntriples_of(reading.examine_bytes(written).graph).decode()


@pytest.mark.parametrize(
    ("number", "is_lost"),
    [("5.00000000000000000001", True), ("12345678901234567890", True), ("5.0", False), ("0.30000000000000004", False)],
)
@pytest.mark.parametrize("datatype", ["double", "decimal"])
def test_a_bound_with_more_digits_than_a_double_is_a_loss(number: str, datatype: str, is_lost: bool) -> None:
    stated = emission.ntriples_of(read(classed()).graph).decode()
    stated = stated.replace(
        '"2.0E0"^^<http://www.w3.org/2001/XMLSchema#double>',
        f'"{number}"^^<http://www.w3.org/2001/XMLSchema#{datatype}>',
    )
    assert number in stated
    found = [one for one in reading.examine_bytes(stated.encode(), syntax="nt").findings if one.rule == "loss"]
    assert [number in one.message for one in found] == [True] * is_lost


@pytest.mark.parametrize(
    ("number", "is_lost"),
    [
        *((one, True) for one in ("5.00000000000000000001", "9007199254740993", "9007199254740993.0", "1e-400")),
        *((one, False) for one in ("5.0", "1E2", "0.10000000000000001", "2.00000000000000000000", "1e-300")),
    ],
)
def test_a_bound_in_json_with_more_digits_than_a_double_is_a_loss(number: str, is_lost: bool) -> None:
    text = json.dumps(classed()).replace('"bestRating": 2.0', f'"bestRating": {number}')
    assert number in text
    found = [one for one in reading.examine_bytes(text.encode()).findings if one.rule == "loss"]
    assert [(number in one.message, one.place.pointer) for one in found] == [(True, "/rating/0/bestRating")] * is_lost


TERMS = ("alpha", "beta", "gamma")
IRIS = st.sampled_from([EX + "a", EX + "b", "p:c", "d", "@nest", None])
DEFINITIONS = st.one_of(
    IRIS,
    st.fixed_dictionaries(
        {},
        optional={
            "@id": IRIS,
            "@reverse": st.sampled_from([EX + "r", "p:r"]),
            "@type": st.sampled_from(["@id", "@vocab", "@json", "@none", EX + "datatype", "p:datatype"]),
            "@container": st.sampled_from(["@set", "@list", "@language", "@index", "@id", "@type", ["@index", "@set"]]),
            "@language": st.sampled_from(["de", None]),
            "@direction": st.sampled_from(["rtl", None]),
            "@protected": st.booleans(),
            "@prefix": st.booleans(),
            "@nest": st.just("@nest"),
            "@context": st.fixed_dictionaries(
                {}, optional={"beta": IRIS, "gamma": IRIS, "@propagate": st.booleans(), "@language": st.just("fr")}
            ),
        },
    ),
)
CONTEXTS = st.fixed_dictionaries(
    {"p": st.just(EX + "p/")},
    optional={
        **dict.fromkeys(TERMS, DEFINITIONS),
        "id": st.just("@id"),
        "type": st.just("@type"),
        "@language": st.sampled_from(["en", None]),
        "@base": st.just(EX + "base/"),  # without a base, processors drop relative names, which our graph keeps
        "@protected": st.booleans(),
    },
)
# All of these may be names; our graph keeps those that may not as texts.
TEXTS = st.sampled_from(["x", "y", "p:thing", EX + "thing"])
VALUES = st.recursive(
    st.one_of(TEXTS, st.integers(-5, 5), st.booleans()),
    lambda below: st.one_of(
        st.lists(below, min_size=1, max_size=2),
        st.dictionaries(st.sampled_from([*TERMS, "de", "one", EX + "k", "description"]), below, min_size=1, max_size=2),
    ),
    max_leaves=4,
)
MEMBERS = st.dictionaries(st.sampled_from(TERMS), VALUES, min_size=1, max_size=3)


def agent_with(context: Json, members: Json) -> Json:
    """Return the checkpoint of an agent with members under a context.

    It keeps its base, which names the nodes, and its own texts have no language.
    """
    own = {**schema.context(), **context, "@base": schema.context()["@base"]}
    own.pop("@language", None)
    return {"@context": own, **checkpoint(), **copy.deepcopy(members)}


def read_by_pyld(document: Json) -> Statements:
    try:
        return statements_of("PyLD", document)
    except contexts.failures():
        assume(False)
        raise


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(context=CONTEXTS, members=MEMBERS)
def test_any_context_counts(context: Json, members: Json) -> None:
    document = document_with(context, members)
    expected = read_by_pyld(document)
    graph = read(document).graph
    assert statements_of_graph(graph) == expected
    assert statements_of("PyLD", emission.jsonld_of(graph)) == expected


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(context=CONTEXTS, members=MEMBERS)
def test_any_context_of_an_agent_counts(context: Json, members: Json) -> None:
    document = agent_with(context, members)
    expected = read_by_pyld(document)
    found = serialization.examine_bytes(as_bytes(document))
    ours = statements_of_graph(found.graph)
    unstated = {str(RDF.type), *(one for _, one, _ in ours if one.startswith(schema.CAF_EXTENSION))}
    assert not [one for one in ours - expected if one[1] not in unstated]
    again = statements_of("PyLD", json.loads(serialization.written(found.tree, "jsonld")))
    lost = expected - again
    assert not [one for one in lost if one[1].startswith((CAF, schema.PROV))]
    has_loss = any(one.rule == "loss" for one in found.findings)
    assert bool(lost) == has_loss
    assert has_loss or again == expected


def test_a_language_that_an_agent_cannot_keep_is_a_loss() -> None:
    document = {**checkpoint(), "@context": {**schema.context(), "@language": "en"}}
    [one] = [one for one in families.examine(as_bytes(document)).findings if one.rule == "loss"]
    assert "language" in one.message


@pytest.mark.parametrize("address", ["https://example.org/context", "contexts/mine.jsonld"])
@pytest.mark.parametrize("document", [document_with({}, {}), checkpoint()])
def test_a_remote_context_is_named_with_a_remedy(document: Json, address: str) -> None:
    [found] = [
        one
        for one in families.examine(as_bytes({**document, "@context": address})).findings
        if one.rule in ("context", "context-not-object")
    ]
    assert address in found.message
    assert "never fetched" in found.message
    assert found.remedy


def test_an_imported_context_is_refused_or_named() -> None:
    context = {"@version": 1.1, "@import": "https://example.org/context"}
    with pytest.raises(ReadError, match=r"remote context .* put the context itself into the document"):
        families.examine(as_bytes({**document_with({}, {}), "@context": context}))
    [found] = [
        one for one in families.examine(as_bytes({**checkpoint(), "@context": context})).findings if one.place.pointer
    ]
    assert "https://example.org/context" in found.message


def test_an_object_of_two_types_is_written_without_a_word_in_a_log(caplog: pytest.LogCaptureFixture) -> None:
    document = canonical(item())
    document["dataFeedElement"][0]["item"]["@type"] = ["Question", "https://example.org/Riddle"]
    benchmark = checkpoint_ld.Benchmark.load(json.dumps(document).encode())
    assert benchmark.to_jsonld()["dataFeedElement"][0]["item"]["@type"] == ["Question", "https://example.org/Riddle"]
    assert caplog.records == []
