"""The graph contract: what any exit may rely on, and that nothing of a document is lost on the way."""

import copy
import json
import logging
import math
import warnings
from typing import Any

import pyoxigraph
import pytest
import rdflib
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyld import jsonld
from rdflib import BNode, Literal, URIRef

from checkpoint_ld.dialects.reading import json_ld as forms
from checkpoint_ld.graph import contexts, emission, literals
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.literals import (
    DATETIME,
    DOUBLE,
    RDF_JSON,
    XSD_BOOLEAN,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_INTEGER,
    double_text,
    is_datetime,
    is_language,
    json_of,
    json_text,
    literal,
    literal_of,
    same,
    typed,
)
from checkpoint_ld.vocabulary import ID_BASE
from tests.documents import SCHEMA, Json, canonical, item, without_contexts
from tests.processors import PROCESSORS, statements_of, statements_of_graph
from tests.trials import examples

KEYS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.sampled_from(
        [
            *("@list", "@value", "@id", "@type", "@graph", "@set", "@foo", "@included", "", "a b", "schema:x"),
            *("http://x.example/y", "https://schema.org/foo", "urn:karenina:vocab:residue", "karenina:z", "karenina"),
            *("contentRating", "Question", "position", "name", "text", "rating", "keywords", "nodes", "dateCreated"),
            *("bestRating", "additionalType", "hasPart", "item", "value"),
        ]
    ),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([1.0, 1, -0.0, 0.0, 0.1 + 0.2, 1e21, 1e-7, 12345678901234567890, 10**400]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.sampled_from(
        ["2026-01-01T00:00:00", "karenina:GlobalRegexTrait", "urn:x:y", "rq001", "1.0", "\u2028\u0085\x00\r\n\t", "a b"]
    ),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=8,
)
IDS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=15),
    st.builds(lambda tail: "urn:uuid:question-" + tail, st.text(st.characters(exclude_categories=["Cs"]), max_size=10)),
    st.sampled_from(
        [
            *("rq001", "urn:x:1", "urn:x:1#/item", "urn:karenina:sha256:x", "checkpoint://id/x", "_:b0", "a/../b"),
            *("http://x.example/a#b", 'urn:uuid:"<>#%\\\n😀\u202e', "#", ""),
        ]
    ),
)


def from_syntax(data: bytes, syntax: str) -> Json:
    """Read statements the way a fresh process does: from the text alone."""
    plain = forms.of_index(emission.parse(data, syntax), syntax, as_found=False)
    assert plain is not None
    return plain.tree


def objects_of(tree: Json) -> list[dict[str, Json]]:
    element = tree["dataFeedElement"][0]
    question = element["item"]
    trait = question["rating"][0]
    parts = question["acceptedAnswer"], question["hasPart"], trait, trait["additionalProperty"][0]
    return [tree, element, question, *parts]


@st.composite
def documents(draw: st.DrawFn) -> Json:
    """Canonical documents with odd members at every level, odd ids, and values of every kind."""
    tree = canonical()
    for one in objects_of(tree):
        for key, value in draw(st.dictionaries(KEYS, JSON, max_size=2)).items():
            if key not in ("@context", "@type", "@id") and key not in one:
                one[key] = value
        if draw(st.booleans()):
            one["@id"] = draw(IDS)
    objects_of(tree)[6]["value"] = draw(JSON)
    objects_of(tree)[2]["keywords"] = draw(st.lists(st.sampled_from(["b", "a", "c", "a b", ""]), max_size=4))
    if draw(st.booleans()):
        tree["dataFeedElement"].append(copy.deepcopy(tree["dataFeedElement"][0]))
    return tree


@pytest.mark.slow
@settings(max_examples=examples(300), deadline=None)
@given(documents())
def test_every_document_comes_back_equal_from_the_graph_alone(tree: Json) -> None:
    original = copy.deepcopy(tree)
    graph = CheckpointGraph.of_tree(tree)
    assert same(tree, original), "building a graph changes no document"
    assert same(without_contexts(graph.tree()), without_contexts(original))
    assert not any(isinstance(term, BNode) for triple in graph for term in triple)
    for data, syntax in ((emission.ntriples_of(graph), "nt"), (emission.turtle_of(graph), "turtle")):
        assert same(without_contexts(from_syntax(data, syntax)), without_contexts(original))


@pytest.mark.slow
@settings(max_examples=examples(150), deadline=None)
@given(documents())
def test_every_syntax_is_read_alike_by_rdflib_and_pyoxigraph(tree: Json) -> None:
    graph = CheckpointGraph.of_tree(tree)
    syntaxes = {
        "nt": (emission.ntriples_of, pyoxigraph.RdfFormat.N_TRIPLES),
        "turtle": (emission.turtle_of, pyoxigraph.RdfFormat.TURTLE),
        "nquads": (emission.nquads_of, pyoxigraph.RdfFormat.N_QUADS),
        "trig": (emission.trig_of, pyoxigraph.RdfFormat.TRIG),
    }
    found = []
    for syntax, (write, parser) in syntaxes.items():
        text = write(graph)
        found.append({one.triple for one in pyoxigraph.parse(text, format=parser)})
        assert read_by_rdflib(text, syntax) == set(graph)
    assert all(one == found[0] for one in found)
    assert len(found[0]) == len(graph)


def read_by_rdflib(text: bytes, syntax: str) -> set[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # rdflib's parsers of quads use its own old classes
        dataset = rdflib.Dataset()
        dataset.parse(data=text.decode(), format=syntax)
        return {quad[:3] for quad in dataset.quads()}


PLAIN_KEYS = st.one_of(
    st.sampled_from(["note", "extra", "license", "karenina:z", "http://x.example/y", "a b"]), st.text("abc", min_size=1)
)
PLAIN_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(-1e6, 1e6),
    st.text("aé😀 \n", max_size=5),
    st.sampled_from([1e21, 10**21, -(10**40), 0.0]),
)
PLAIN_JSON = st.recursive(
    PLAIN_SCALARS,
    lambda inner: st.one_of(
        st.lists(st.one_of(st.integers(0, 9), st.text("ab", max_size=2), st.sampled_from([1.0, 0.5])), max_size=3),
        st.lists(st.sampled_from([1, 2.0, True, None, 10**21]), max_size=3),
        st.lists(st.floats(-9, 9), max_size=3),
        st.dictionaries(PLAIN_KEYS, inner, max_size=3),
        st.lists(st.dictionaries(PLAIN_KEYS, inner, max_size=2), max_size=2),
    ),
    max_leaves=6,
)


AWKWARD_VALUES = [
    *({"@value": 1, "Very good": [1, 1.5, []]}, {"@id": "x"}, [["nested"], []], {"@list": [1]}, [None], {}, 1.0, 2**53)
]


@st.composite
def ordinary_documents(draw: st.DrawFn) -> Json:
    """Canonical documents with unknown members such as people write, and any JSON as a property's value."""
    tree = canonical()
    for one in objects_of(tree):
        for key, value in draw(st.dictionaries(PLAIN_KEYS, PLAIN_JSON, max_size=2)).items():
            if key not in one:
                one[key] = value
    objects_of(tree)[6]["value"] = draw(st.one_of(PLAIN_JSON, st.sampled_from(AWKWARD_VALUES)))
    dates = ["2026-01-02T00:00:00", "yesterday", "2026-02-30T00:00:00", "2026-01-02", 0.0, [1.0, "x"], 10**21]
    types = ["GlobalRegexTrait", "karenina:GlobalRegexTrait", "a b", 5]
    tree["dateModified"] = draw(st.sampled_from(dates))
    trait = objects_of(tree)[5]
    trait["bestRating"] = draw(st.sampled_from([1.0, 1, "5", 0.3]))
    trait["additionalType"] = draw(st.sampled_from(types))
    return tree


@pytest.mark.slow
@pytest.mark.parametrize("processor", PROCESSORS)
@settings(max_examples=examples(150), deadline=None)
@given(tree=ordinary_documents())
def test_any_jsonld_processor_reads_our_jsonld_as_we_do(processor: str, tree: Json) -> None:
    graph = CheckpointGraph.of_tree(tree)
    document = emission.jsonld_of(graph)
    if processor == "rdflib":  # it passes over contexts that are not propagated, and cannot write what is no IRI
        assume("@propagate" not in json.dumps({**document, "@context": None}))
        assume(objects_of(tree)[5]["additionalType"] != "a b")
    assert statements_of(processor, document) == statements_of_graph(graph)
    assert same(without_contexts(document), without_contexts(tree))
    again = forms.plain(document)
    assert not again.forms, "what we wrote is in plain keys"
    assert set(CheckpointGraph.of_tree(again.tree)) == set(graph)


def test_a_change_of_the_graph_is_not_hidden_by_the_residue() -> None:
    tree = canonical()
    tree["dataFeedElement"][0]["item"]["keywords"] = ["b", "a"]
    graph = CheckpointGraph.of_tree(tree)
    [node] = graph.subjects(URIRef(SCHEMA + "keywords"), Literal("b"))
    added = node, URIRef(SCHEMA + "keywords"), Literal("c")
    for change, expected in ((graph.add, ["a", "b", "c"]), (graph.remove, ["b", "a"])):
        change(added)
        assert graph.tree()["dataFeedElement"][0]["item"]["keywords"] == expected


def test_a_value_that_is_added_where_the_document_had_null_counts() -> None:
    graph = CheckpointGraph.of_tree({**canonical(), "description": None})
    graph.add((graph.root, URIRef(SCHEMA + "description"), Literal("now there is one")))
    assert graph.tree()["description"] == "now there is one"


@pytest.mark.parametrize(("key", "value"), [("about", {"@id": "urn:x:b"}), ("item", "urn:x:b")])
def test_a_name_that_is_added_is_an_object_unless_the_context_states_that_names_stand_there(
    key: str, value: Json
) -> None:
    graph = CheckpointGraph.of_tree(canonical())
    graph.add((graph.root, URIRef(SCHEMA + key), URIRef("urn:x:b")))
    assert graph.tree()[key] == value


def test_positions_count_more_than_the_names_by_place() -> None:
    graph = CheckpointGraph.of_tree({**canonical(), "rating": [{"@type": "Rating", "name": name} for name in "ab"]})
    for node, position in zip(graph.member(graph.root, "rating"), (1, 0), strict=True):
        graph.add((node, URIRef(SCHEMA + "position"), Literal(position)))
    assert [one["name"] for one in graph.tree()["rating"]] == ["b", "a"]


def test_a_sparql_update_changes_the_document() -> None:
    graph = CheckpointGraph.of_tree(canonical())
    graph.update(
        "PREFIX schema: <https://schema.org/> "
        'DELETE { ?root schema:name ?name } INSERT { ?root schema:name "Alloys" } '
        "WHERE { ?root a schema:DataFeed ; schema:name ?name }"
    )
    assert graph.tree()["name"] == "Alloys"
    assert len(graph) == len(CheckpointGraph.of_tree({**canonical(), "name": "Alloys"}))


@pytest.mark.parametrize("identifier", ["urn:uuid:question-metal-1", "rq001"])
def test_a_document_compacted_under_our_context_keeps_its_identifiers(identifier: str) -> None:
    tree = canonical(item(identifier=identifier))
    graph = CheckpointGraph.of_tree(tree)
    document = emission.jsonld_of(graph)
    flattened = jsonld.flatten(document, document["@context"], contexts.options())
    read = CheckpointGraph.of_tree(forms.plain(flattened).tree)
    assert set(read.objects(None, URIRef(SCHEMA + "item"))) == set(graph.objects(None, URIRef(SCHEMA + "item")))


def test_a_member_that_is_set_apart_is_not_hidden_by_another_key_of_the_same_meaning() -> None:
    tree = canonical()
    question = tree["dataFeedElement"][0]["item"]
    question["rating"][0]["@"] = None
    question["contentRating"] = False
    assert same(without_contexts(CheckpointGraph.of_tree(tree).tree()), without_contexts(tree))


# --- Literals: numbers with all their digits, dates where they are dates, and any other JSON as one literal.


FLOATS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SCALAR_VALUES = st.one_of(st.booleans(), st.integers(), FLOATS, TEXTS)
VALUES = st.recursive(
    st.one_of(st.none(), SCALAR_VALUES),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=8,
)
OF_TEXTS = st.recursive(
    st.text(max_size=6),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=8,
)
DATES = st.one_of(
    st.datetimes().map(lambda one: one.isoformat()),
    st.sampled_from(["2026-01-01T24:00:00", "x", "-0044-03-15T12:00:00"]),
)


def key_orders(value: Any) -> Any:
    if isinstance(value, dict):
        return [(key, key_orders(one)) for key, one in value.items()]
    return [key_orders(one) for one in value] if isinstance(value, list) else None


@given(SCALAR_VALUES)
def test_a_scalar_comes_back_as_it_was_and_its_literal_from_its_parts(value: Any) -> None:
    one = literal_of(value)
    if type(value) is not int or abs(value) <= 10**20:  # larger ones are JSON literals
        assert same(json_of(one), value)
    again = literal(str(one), one.datatype, one.language)
    assert (again, str(again)) == (one, str(one))


@given(FLOATS)
def test_a_float_is_a_double_in_canonical_form_with_every_digit(value: float) -> None:
    one = literal_of(value)
    assert one.datatype == XSD_DOUBLE
    assert repr(float(one)) == repr(value)
    mantissa, _, exponent = str(one).partition("E")
    assert len(mantissa.removeprefix("-").partition(".")[0]) == 1
    assert str(int(exponent)) == exponent


@pytest.mark.parametrize(
    ("value", "text", "datatype"),
    [
        (1, "1", XSD_INTEGER),
        (2**64 + 1, "18446744073709551617", XSD_INTEGER),
        (-(10**400), "-1" + "0" * 400, XSD_INTEGER),
        (True, "true", XSD_BOOLEAN),
        ("1", "1", None),
        (1.0, "1.0E0", XSD_DOUBLE),
        (-0.0, "-0.0E0", XSD_DOUBLE),
        (0.0, "0.0E0", XSD_DOUBLE),
        (0.1 + 0.2, "3.0000000000000004E-1", XSD_DOUBLE),
        (1 / 7, "1.4285714285714285E-1", XSD_DOUBLE),
        (1e21, "1.0E21", XSD_DOUBLE),
        (1e-7, "1.0E-7", XSD_DOUBLE),
        (1770332819.237824, "1.770332819237824E9", XSD_DOUBLE),
        (5e-324, "5.0E-324", XSD_DOUBLE),
        (1.7976931348623157e308, "1.7976931348623157E308", XSD_DOUBLE),
        (120.0, "1.2E2", XSD_DOUBLE),
    ],
)
def test_the_kind_of_a_scalar_is_its_datatype_and_doubles_have_the_canonical_form(
    value: Any, text: str, datatype: URIRef | None
) -> None:
    one = literal_of(value)
    assert (str(one), one.datatype) == (text, datatype)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_in_json_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="no number"):
        double_text(value)
    for held in (value, [value], {"a": value}, [[["a", value]]]):
        with pytest.raises(ValueError, match="not JSON compliant"):
            json_text(held)


@given(VALUES)
def test_any_json_is_one_literal_that_keeps_the_order_of_its_keys(value: Any) -> None:
    one = literal_of(value, "@json")
    assert one.datatype == RDF_JSON
    back = json_of(one, "@json")
    assert same(back, value)
    assert key_orders(back) == key_orders(value)


NINES = "9" * 5000


@pytest.mark.parametrize(
    ("given", "coercion", "expected"),
    [
        # numbers under keys for doubles are doubles always
        (literal_of(5, DOUBLE), DOUBLE, 5.0),
        (typed("5", XSD_INTEGER), DOUBLE, 5.0),
        (typed("5.0", XSD_DECIMAL), DOUBLE, 5.0),
        # a number where a date should stand stays a number
        *((literal_of(value, DATETIME), DATETIME, value) for value in (5, 1.5, True)),
        # what another key has, and what JSON has no scalar for, is a value object
        (typed("1.0", XSD_DECIMAL), None, {"@value": "1.0", "@type": str(XSD_DECIMAL)}),
        (literal_of([1], "@json"), None, {"@value": [1], "@type": "@json"}),
        (literal_of("2026-01-01T00:00:00", DATETIME), None, {"@value": "2026-01-01T00:00:00", "@type": DATETIME}),
        *((typed(text, XSD_INTEGER), None, {"@value": text, "@type": str(XSD_INTEGER)}) for text in ("abc", "1e5")),
        *((typed(text, XSD_DOUBLE), None, {"@value": text, "@type": str(XSD_DOUBLE)}) for text in ("INF", "NaN")),
        (typed("yes", XSD_BOOLEAN), None, {"@value": "yes", "@type": str(XSD_BOOLEAN)}),
        # more digits than Python reads
        (typed(NINES, XSD_INTEGER), None, {"@value": NINES, "@type": str(XSD_INTEGER)}),
    ],
)
def test_a_literal_is_json_by_its_datatype_and_by_its_key(given: Literal, coercion: str | None, expected: Any) -> None:
    found = json_of(given, coercion)
    assert same(found, expected)
    json.dumps(found, allow_nan=False)


DATETIMES = [
    *("2026-01-01T00:00:00", "2026-01-02T03:04:05.123456", "2026-01-02T03:04:05.1", "2026-01-02T03:04:05Z"),
    *("2026-01-02T03:04:05+05:30", "2026-01-02T03:04:05-14:00", "2024-02-29T00:00:00", "2000-02-29T00:00:00"),
    *("0000-02-29T00:00:00", "-0004-02-29T00:00:00", "0000-01-01T00:00:00", "-0001-12-31T23:59:59Z"),
    *("12026-01-01T00:00:00", "2026-01-01T24:00:00", "2026-01-01T24:00:00.000", "2026-12-31T23:59:59"),
]
NO_DATETIMES = [
    *("", "yesterday", "2026-01-01", "2026-01-01 00:00:00", "2026-01-01T00:00", "2026-13-01T00:00:00"),
    *("2026-00-01T00:00:00", "2026-01-32T00:00:00", "2026-04-31T00:00:00", "2025-02-29T00:00:00"),
    *("1900-02-29T00:00:00", "2026-02-30T00:00:00", "2026-01-01T24:00:01", "2026-01-01T25:00:00"),
    *("2026-01-01T00:60:00", "2026-01-01T00:00:60", "2026-01-01T00:00:00.", "2026-01-01T00:00:00z"),
    *("2026-01-01T00:00:00+14:01", "2026-01-01T00:00:00+15:00", "2026-01-01T00:00:00+0530"),
    *("02026-01-01T00:00:00", "226-01-01T00:00:00", "+2026-01-01T00:00:00", " 2026-01-01T00:00:00"),
    *("2026-01-01T00:00:00\n", "٢٠٢٦-01-01T00:00:00"),
]


@pytest.mark.parametrize("text", DATETIMES)
def test_a_valid_date_is_typed_and_keeps_its_text_without_a_word(text: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        one = literal_of(text, DATETIME)
        typed("no number", XSD_INTEGER)
    assert not caplog.records
    assert (str(one.datatype), json_of(one, DATETIME)) == (DATETIME, text)


@pytest.mark.parametrize("text", NO_DATETIMES)
def test_what_is_no_date_stays_plain_text(text: str) -> None:
    assert not is_datetime(text)
    assert literal_of(text, DATETIME) == Literal(text)


@given(st.datetimes(timezones=st.none()))
def test_every_date_of_python_is_valid(moment: Any) -> None:
    assert is_datetime(moment.isoformat())


@pytest.mark.parametrize("tag", ["en", "en-GB", "zh-Hant-TW", "de-CH-1996"])
def test_a_language_tag_is_kept_in_small_letters(tag: str) -> None:
    one = literal_of("x", None, tag)
    assert one.language == tag.lower()
    assert json_of(one) == {"@value": "x", "@language": tag.lower()}


@pytest.mark.parametrize("tag", ["", "x-", "12", "abcdefghi", "en_GB", "en GB"])
def test_what_is_no_language_tag_is_left_out(tag: str) -> None:
    assert not is_language(tag)
    assert literal_of("x", None, tag) == Literal("x")


@given(TEXTS)
def test_every_language_tag_that_we_take_is_taken_by_pyoxigraph(tag: str) -> None:
    if is_language(tag):
        assert pyoxigraph.Literal("x", language=tag.lower()).language == tag.lower()


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 1.0), (True, 1), (0.0, -0.0), ("1", 1), (None, False), ([1], [1.0]), ({"a": 1}, {"a": 1, "b": 2})],
)
def test_values_that_python_calls_equal_may_differ(one: Any, other: Any) -> None:
    assert (same(one, one), same(other, other), same(one, other)) == (True, True, False)


def test_the_order_of_keys_does_not_distinguish_objects() -> None:
    assert same({"a": 1, "b": [2]}, {"b": [2], "a": 1})


@given(st.one_of(SCALAR_VALUES, DATES), st.sampled_from([None, DATETIME, DOUBLE]))
def test_literals_are_all_that_rdflib_makes_of_them(value: Any, datatype: str | None) -> None:
    made = literal_of(value, datatype)
    is_like(made, Literal(str(made)) if made.datatype is None else typed(str(made), made.datatype))


@given(st.one_of(VALUES, OF_TEXTS))
def test_json_is_written_as_python_writes_it(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert json_text(value) == text
    is_like(literal_of(value, "@json"), typed(text, RDF_JSON))


def is_like(made: Literal, by_rdflib: Literal) -> None:
    assert made == by_rdflib
    assert hash(made) == hash(by_rdflib)
    assert (made.value, type(made.value)) == (by_rdflib.value, type(by_rdflib.value))
    assert (made.ill_typed, made.language) == (by_rdflib.ill_typed, by_rdflib.language)


@pytest.mark.parametrize("value", [{1: "a"}, {"a": {None: "b"}}, ["\ud800"], {"\udfff": "a"}, ["a", ["b"], "\ud800"]])
def test_what_only_python_writes_as_json_is_written(value: Any) -> None:
    assert json_text(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- Names: every object is an IRI node, and the text of an id survives its escape.


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
AWKWARD = st.text(
    st.sampled_from(" \t\n\"'<>#%{}|\\^`/.?~:@[]é漢\u200e\u202e\u2028\u00a0\ue000\U000e0001"), max_size=12
)
IDENTIFIERS = st.one_of(
    ANY_TEXT, AWKWARD, AWKWARD.map("urn:uuid:question-".__add__), AWKWARD.map("http://example.org/".__add__)
)


@given(IDENTIFIERS)
def test_every_identifier_becomes_an_iri_for_all_and_its_text_comes_back(identifier: str) -> None:
    iri = literals.iri_of(identifier)
    assert literals.is_iri(iri)
    assert not literals.is_minted(iri)
    assert iri == identifier or literals.text_of(iri) == identifier
    assert pyoxigraph.NamedNode(iri).value == iri
    assert rdflib.URIRef(iri).n3() == f"<{iri}>"
    for syntax in ("nt", "turtle"):
        graph = rdflib.Graph().parse(data=f"<{iri}> <urn:p> <urn:o> .", format=syntax)
        assert [str(one) for one in graph.subjects()] == [iri]


@given(st.lists(ANY_TEXT.filter(lambda text: ":" not in text), min_size=2, max_size=2, unique=True))
def test_two_relative_identifiers_never_share_an_iri(pair: list[str]) -> None:
    assert literals.iri_of(pair[0]) != literals.iri_of(pair[1])


@pytest.mark.parametrize(
    ("identifier", "iri"),
    [
        *((same, same) for same in ("urn:uuid:question-what-cb0b4aaf", "https://example.org/a#b", "urn:uuid:20-°c")),
        ("karenina:thing", "urn:karenina:vocab:thing"),
        ("0123456789abcdef", ID_BASE + "0123456789abcdef"),
        ('urn:uuid:question-say-"a b"', "urn:uuid:question-say-%22a%20b%22"),
        ("urn:uuid:a<b>%#c", "urn:uuid:a%3Cb%3E%25%23c"),
        ("urn:uuid:line\nbreak", "urn:uuid:line%0Abreak"),
        ("http://example.org/a#/item", "http://example.org/a%23/item"),
        ("../up", ID_BASE + "..%2Fup"),
        ("_:b0", ID_BASE + "_%3Ab0"),
        ("", ID_BASE),
    ],
)
def test_an_iri_stands_for_itself_and_anything_else_is_escaped(identifier: str, iri: str) -> None:
    assert literals.iri_of(identifier) == iri


@given(st.lists(st.one_of(ANY_TEXT, st.integers(0, 10**6)), min_size=1, max_size=4), IDENTIFIERS)
def test_a_name_by_place_is_an_iri_that_shows_its_place(tokens: list[str | int], identifier: str) -> None:
    name = literals.child_of(literals.iri_of(identifier), *tokens)
    assert (literals.is_iri(name), literals.is_minted(name)) == (True, True)
    assert literals.last_token(name) == str(tokens[-1])


@given(st.lists(st.lists(ANY_TEXT, max_size=3).map(tuple), min_size=2, max_size=2, unique=True))
def test_two_places_below_one_object_have_two_names(places: list[tuple[str, ...]]) -> None:
    assert literals.child_of("urn:x", *places[0]) != literals.child_of("urn:x", *places[1])


def test_a_name_by_place_is_the_json_pointer_from_the_nearest_id() -> None:
    assert literals.child_of("urn:x", "item", "rating", 0) == "urn:x#/item/rating/0"
    assert literals.child_of("urn:x", "a/b", "c~d", "e f") == "urn:x#/a~1b/c~0d/e%20f"


def reversed_keys(value: object) -> object:
    if isinstance(value, dict):
        return {key: reversed_keys(value[key]) for key in reversed(list(value))}
    return [reversed_keys(one) for one in value] if isinstance(value, list) else value


def test_a_root_without_id_is_named_by_its_content_whatever_the_order_of_its_keys() -> None:
    tree = canonical()
    del tree["@id"]
    name = literals.root_of(tree)
    assert (literals.is_iri(name), literals.is_minted(name)) == (True, True)
    shuffled = reversed_keys(tree)
    assert isinstance(shuffled, dict)
    assert literals.root_of(shuffled) == name
    other = copy.deepcopy(tree)
    other["dataFeedElement"][0]["item"]["acceptedAnswer"]["text"] = "Gallium"
    assert literals.root_of(other) != name


def test_two_ids_whose_places_look_alike_stay_two_objects() -> None:
    tree = canonical()
    tree["creator"] = [
        {"@type": "Organization", "@id": "http://example.org/a#b", "member": {"@type": "Person", "name": "A"}},
        {"@type": "Organization", "@id": "http://example.org/a%23b", "member": {"@type": "Person", "name": "B"}},
    ]
    graph = CheckpointGraph.of_tree(tree)
    assert graph.tree()["creator"] == tree["creator"]
    assert len({triple[0] for triple in graph if str(triple[2]) in ("A", "B")}) == 2


@pytest.mark.parametrize("identifier", ["http://x.example/a#b", "http://x.example/a%23b", "http://x.example/%23a#b%23"])
def test_an_empty_object_below_an_id_with_a_number_sign_comes_back(identifier: str) -> None:
    tree = canonical({**item(identifier=identifier), "award": {"citation": {}}, "funder": {}})
    read = from_syntax(emission.ntriples_of(CheckpointGraph.of_tree(tree)), "nt")
    assert without_contexts(read) == without_contexts(tree)


def test_an_own_id_that_looks_minted_is_written_back() -> None:
    tree = canonical()
    tree["@id"] = literals.ROOT_PREFIX + "0" * 64
    tree["dataFeedElement"][0]["@id"] = "http://example.org/a#/item"
    graph = CheckpointGraph.of_tree(tree)
    assert graph.tree() == {key: value for key, value in tree.items() if key != "@context"}
    written = emission.jsonld_of(graph)
    assert (written["@id"], written["dataFeedElement"][0]["@id"]) == (tree["@id"], "http://example.org/a#/item")
