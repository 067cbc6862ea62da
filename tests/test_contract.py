"""The graph contract, clause by clause: what any exit may rely on."""

import copy
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyld import jsonld
from rdflib import RDF, BNode, Graph, Literal, URIRef

from checkpoint_ld import dialects
from checkpoint_ld.dialects import reading
from checkpoint_ld.dialects.reading import json_ld
from checkpoint_ld.errors import ReadError, SourceMissingError
from checkpoint_ld.graph import contexts, emission, literals
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.emission import ContextStyle
from checkpoint_ld.graph.literals import RDF_JSON, same
from checkpoint_ld.header import Header, header_of, read_header
from checkpoint_ld.vocabulary import ID_BASE, KARENINA, SCHEMA, TRAIT_TYPES, XSD
from tests.documents import Json, canonical, item, rating, scenario, setting, without_contexts

ITEM = URIRef("urn:uuid:question-metal-1")
QUESTION = URIRef("urn:uuid:question-metal-1#/item")
RESIDUE, IDENTIFIER = URIRef(KARENINA + "residue"), URIRef(KARENINA + "identifier")


def schema(name: str) -> URIRef:
    return URIRef(SCHEMA + name)


def karenina(name: str) -> URIRef:
    return URIRef(KARENINA + name)


def graph_of(tree: Json) -> CheckpointGraph:
    return CheckpointGraph.of_tree(tree)


def bare(tree: Json) -> Json:
    return {key: value for key, value in tree.items() if key != "@context"}


def valued(value: Json) -> Json:
    """Return a benchmark with one property of its own, called `mine`."""
    tree = canonical()
    tree["additionalProperty"].append(setting("mine", value))
    return tree


def value_of(tree: Json) -> Literal:
    graph = graph_of(tree)
    [holder] = graph.subjects(schema("name"), Literal("mine"))
    [value] = graph.objects(holder, schema("value"))
    assert isinstance(value, Literal)
    return value


# --- G1 vocabulary


def test_g1_terms_are_of_schema_org_in_https_and_of_karenina() -> None:
    predicates = {str(one) for one in graph_of(canonical()).predicates()} - {str(RDF.type)}
    assert predicates
    assert all(one.startswith(SCHEMA) for one in predicates)
    of_scenarios = {str(one) for one in graph_of(scenario()).predicates()}
    assert {KARENINA + name for name in ("nodes", "edges", "source", "target", "entryNode")} <= of_scenarios
    assert not any(one.startswith("http://schema.org/") for one in predicates | of_scenarios)


def test_g1_the_root_is_a_datafeed_and_a_rating_its_content_rating() -> None:
    graph = graph_of(canonical())
    assert (graph.root, RDF.type, schema("DataFeed")) in graph
    assert (graph.root, schema("dataFeedElement"), ITEM) in graph
    assert (QUESTION, schema("contentRating"), URIRef(f"{QUESTION}/rating/0")) in graph
    assert not list(graph.triples((None, schema("rating"), None)))


# --- G2 names


def test_g2_every_object_is_an_iri_and_there_are_no_blank_nodes() -> None:
    for tree in (canonical(), scenario()):
        assert not any(isinstance(term, BNode) for triple in graph_of(tree) for term in triple)
    graph = graph_of(canonical())
    assert (ITEM, schema("item"), QUESTION) in graph
    assert (URIRef(f"{QUESTION}/rating/0/additionalProperty/1"), schema("name"), Literal("case_sensitive")) in graph


def test_g2_two_loads_give_the_same_triples() -> None:
    for tree in (canonical(), scenario(), bare(canonical())):
        tree.pop("@id")
        assert set(graph_of(tree)) == set(graph_of(copy.deepcopy(tree)))


def test_g2_one_object_at_two_places_is_two_nodes() -> None:
    shared = {"@type": "Answer", "text": "Mercury"}
    tree = canonical(item("One?", "urn:q:1"), item("Two?", "urn:q:2"))
    for element in tree["dataFeedElement"]:
        element["item"]["acceptedAnswer"] = shared
    graph = graph_of(tree)
    assert same(graph.tree(), bare(tree))
    assert len(set(graph.subjects(RDF.type, schema("Answer")))) == 2
    assert not list(graph.triples((None, RESIDUE, None)))


def test_g2_of_two_objects_with_one_id_the_first_keeps_it_and_the_other_keeps_its_text() -> None:
    tree = canonical(item("One?", "urn:q:1"), item("Two?", "urn:q:1"))
    graph = graph_of(tree)
    second = URIRef(f"{graph.root}#/dataFeedElement/1")
    assert set(graph.objects(graph.root, schema("dataFeedElement"))) == {URIRef("urn:q:1"), second}
    assert set(graph.objects(second, IDENTIFIER)) == {Literal("urn:q:1")}
    assert (URIRef("urn:q:1#/item"), schema("text"), Literal("One?")) in graph
    assert (URIRef(f"{second}/item"), schema("text"), Literal("Two?")) in graph
    assert same(graph.tree(), bare(tree))


def test_g2_minted_names_are_never_written_as_ids() -> None:
    tree = canonical(item("No id?", None))
    del tree["@id"]
    graph = graph_of(tree)
    assert literals.is_minted(str(graph.root))
    for style in ContextStyle:
        text = json.dumps(emission.jsonld_of(graph, style))
        assert "#/" not in text
        assert literals.ROOT_PREFIX not in text
    assert same(graph.tree(), bare(tree))


# --- G3 ids that are no IRIs


@pytest.mark.parametrize(
    "identifier",
    ["0123456789abcdef", 'urn:uuid:question-"a b"<c>#d%e\nf', "漢 字", "_:b0", "a/../b", "http://a.example/\ufeff"],
)
def test_g3_an_id_that_is_no_iri_is_escaped_and_its_text_survives(identifier: str) -> None:
    tree = canonical(item("Odd?", identifier))
    graph = graph_of(tree)
    [node] = graph.objects(graph.root, schema("dataFeedElement"))
    assert literals.is_iri(str(node))
    assert set(graph.objects(node, IDENTIFIER)) == {Literal(identifier)}
    assert graph.tree()["dataFeedElement"][0]["@id"] == identifier
    assert set(pyoxigraph.parse(emission.ntriples_of(graph), format=pyoxigraph.RdfFormat.N_TRIPLES))


def test_g3_an_id_that_is_an_iri_needs_no_text_beside_it() -> None:
    assert not list(graph_of(canonical()).triples((None, IDENTIFIER, None)))


# --- G4 order


def test_g4_objects_with_ids_carry_positions_and_others_their_index() -> None:
    ids = [f"urn:q:{letter}" for letter in "cab"]
    graph = graph_of(canonical(*(item(f"{identifier}?", identifier) for identifier in ids)))
    positions = {str(node): str(at) for node, at in graph.subject_objects(schema("position"))}
    assert positions == {"urn:q:c": "0", "urn:q:a": "1", "urn:q:b": "2"}
    ratings = [rating(name) for name in ("z", "y", "x")]
    tree = canonical()
    tree["dataFeedElement"][0]["item"]["rating"] = ratings * 5
    graph = graph_of(tree)
    assert not list(graph.triples((URIRef(f"{QUESTION}/rating/0"), schema("position"), None)))
    assert [str(one) for one in graph.member(QUESTION, "rating")] == [f"{QUESTION}/rating/{at}" for at in range(15)]


def test_g4_a_graph_from_elsewhere_is_read_by_position() -> None:
    lines = emission.ntriples_of(graph_of(canonical(*(item(f"{one}?", f"urn:q:{one}") for one in "cab")))).splitlines()
    read = json_ld.of_index(emission.parse(b"\n".join(reversed(lines)), "nt"), "nt", as_found=False)
    assert read is not None
    assert [one["@id"] for one in read.tree["dataFeedElement"]] == ["urn:q:c", "urn:q:a", "urn:q:b"]


@pytest.mark.parametrize("syntax", ["turtle", "json-ld"])
def test_g4_positions_of_elsewhere_order_what_is_an_array_and_are_content_of_other_nodes(syntax: str) -> None:
    questions = [
        f's:dataFeedElement [ a s:DataFeedItem ; s:position {at} ; s:item [ a s:Question ; s:text "{at}?" ] ]'
        for at in (11, 2, 7)
    ]
    beside = "s:isPartOf [ a s:Series ; s:position 3 ]"
    text = f"@prefix s: <{SCHEMA}> . <urn:b> a s:DataFeed ; {' ; '.join([*questions, beside])} ."
    data = Graph().parse(data=text, format="turtle").serialize(format=syntax)
    tree = reading.examine(data.encode(), syntax=syntax.removesuffix("-ld")).tree
    assert [one["item"]["text"] for one in tree["dataFeedElement"]] == ["2?", "7?", "11?"]
    assert tree["isPartOf"] == {"@type": "Series", "position": 3}


# --- G5 values


@pytest.mark.parametrize(
    "value",
    [
        [],
        ["recall"],
        ["b", "a", "b"],
        {},
        {"Very dry": "no", "warm": "yes", "a": None},
        {"@id": "x", "@value": [1, {"@list": []}], "@context": {"a": "b"}},
        [[1.0, 1], None],
        None,
    ],
)
def test_g5_a_value_that_is_no_scalar_is_one_json_literal(value: Json) -> None:
    one = value_of(valued(value))
    assert one.datatype == RDF_JSON
    assert json.dumps(json.loads(one)) == json.dumps(value)
    back = graph_of(valued(value)).tree()["additionalProperty"][-1]["value"]
    assert json.dumps(back) == json.dumps(value)


@pytest.mark.parametrize("value", ["text", "", True, 3, 2.5, "2026-01-01T00:00:00"])
def test_g5_a_scalar_value_is_a_native_literal(value: Json) -> None:
    one = value_of(valued(value))
    assert one.datatype != RDF_JSON
    assert same(graph_of(valued(value)).tree()["additionalProperty"][-1]["value"], value)


def test_g5_the_keys_of_a_value_never_become_predicates() -> None:
    predicates = {str(one) for one in graph_of(valued({"low": 1, "x:y": 2})).predicates()}
    assert not {SCHEMA + "low", "x:y"} & predicates


# --- G6 numbers


@pytest.mark.parametrize("value", [10**21, -(10**30)])
def test_g6_an_integer_that_json_ld_takes_for_a_double_is_a_json_literal(value: int) -> None:
    one = value_of(valued(value))
    assert (str(one), one.datatype) == (str(value), RDF_JSON)
    assert same(graph_of(valued(value)).tree()["additionalProperty"][-1]["value"], value)


@pytest.mark.parametrize(
    ("value", "text", "datatype"),
    [
        (1, "1", "integer"),
        (1.0, "1.0E0", "double"),
        (-0.0, "-0.0E0", "double"),
        (1e21, "1.0E21", "double"),
        (0.1 + 0.2, "3.0000000000000004E-1", "double"),
        (10**20, "1" + "0" * 20, "integer"),
    ],
)
def test_g6_integers_and_floats_keep_their_kind_and_every_digit(value: Json, text: str, datatype: str) -> None:
    one = value_of(valued(value))
    assert (str(one), str(one.datatype)) == (text, XSD + datatype)
    graph = graph_of(valued(value))
    for syntax, data in (("nt", emission.ntriples_of(graph)), ("turtle", emission.turtle_of(graph))):
        read = json_ld.of_index(emission.parse(data, syntax), syntax, as_found=False)
        assert read is not None
        assert same(read.tree["additionalProperty"][-1]["value"], value)


def test_g6_best_worst_and_value_of_a_rating_are_doubles_always() -> None:
    tree = canonical()
    tree["rating"][0].update(bestRating=5, worstRating=1.0, ratingValue=3)
    graph = graph_of(tree)
    node = URIRef(f"{graph.root}#/rating/0")
    texts = [str(graph.value(node, schema(name))) for name in ("bestRating", "worstRating", "ratingValue")]
    assert texts == ["5.0E0", "1.0E0", "3.0E0"]
    assert same(graph.tree()["rating"][0]["bestRating"], 5)


# --- G7 dates


def test_g7_a_date_is_typed_where_it_is_valid_and_text_where_it_is_not() -> None:
    tree = canonical()
    tree["dateModified"] = "yesterday"
    tree["dateCreated"] = "2026-01-01T24:00:00+01:00"
    graph = graph_of(tree)
    assert graph.value(graph.root, schema("dateModified")) == Literal("yesterday")
    created = graph.value(graph.root, schema("dateCreated"))
    assert isinstance(created, Literal)
    assert (str(created), str(created.datatype)) == ("2026-01-01T24:00:00+01:00", XSD + "dateTime")
    assert same(graph.tree(), bare(tree))


# --- G8 trait types


@pytest.mark.parametrize("prefix", ["karenina:", "", KARENINA])
@pytest.mark.parametrize("name", TRAIT_TYPES)
def test_g8_a_trait_type_is_an_iri_whatever_its_spelling(name: str, prefix: str) -> None:
    tree = canonical()
    tree["rating"][0]["additionalType"] = prefix + name
    graph = graph_of(json_ld.plain(tree).tree)
    assert set(graph.objects(URIRef(f"{graph.root}#/rating/0"), schema("additionalType"))) == {karenina(name)}


# --- G9 nothing is lost


def test_g9_a_document_as_karenina_writes_it_has_no_residue() -> None:
    tree = canonical(item("Many?", "urn:q:1"), item("One?", "urn:q:2"))
    tree["dataFeedElement"][0]["item"]["keywords"] = ["a", "b"]
    assert not list(graph_of(tree).triples((None, RESIDUE, None)))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("keywords", ["b", "a"]),
        ("keywords", ["a", "a"]),
        ("keywords", []),
        ("note", None),
        ("a b", 1),
        ("note", {"@set": [1]}),
        ("note", {"@context": {"x": "urn:x:"}, "x": 1}),
    ],
)
def test_g9_what_rdf_cannot_state_is_residue_of_its_own_node_alone(key: str, value: Json) -> None:
    tree = canonical()
    tree["dataFeedElement"][0]["item"][key] = value
    graph = graph_of(tree)
    assert set(graph.subjects(RESIDUE)) == {QUESTION}
    assert same(graph.tree(), bare(tree))


def test_g9_unknown_keys_types_and_properties_survive() -> None:
    tree = valued({"any": ["json"]})
    tree["license"] = {"@type": "CreativeWork", "name": "CC", "http://example.org/x": [1, 2.0]}
    tree["dataFeedElement"][0]["item"]["@type"] = ["Question", "http://example.org/Thing"]
    tree["@included"] = [{"@id": "urn:x:1", "name": "elsewhere"}]
    graph = graph_of(tree)
    assert same(graph.tree(), bare(tree))
    assert (URIRef("urn:x:1"), schema("name"), Literal("elsewhere")) in graph


def test_g9_the_terms_of_a_document_s_own_context_state_what_its_members_mean() -> None:
    tree = canonical()
    tree["@context"] |= {"ex": "http://example.org/", "size": "ex:size", "home": {"@id": "ex:home", "@type": "@id"}}
    tree |= {"size": 3, "ex:colour": "red", "home": "http://example.org/me", "creator": {"@id": "ex:me", "name": "A"}}
    graph = graph_of(tree)
    assert (graph.root, URIRef("http://example.org/size"), None) in graph
    assert (graph.root, URIRef("http://example.org/colour"), Literal("red")) in graph
    assert (graph.root, URIRef("http://example.org/home"), URIRef("http://example.org/me")) in graph
    assert (graph.root, schema("creator"), URIRef("http://example.org/me")) in graph
    assert same(graph.tree(), tree)


def test_g9_a_context_cannot_take_keys_or_names_from_us() -> None:
    tree = canonical()
    tree["@context"] |= {"urn": "http://evil.example/", "id": "@id", "list": {"@id": "ex:list", "@container": "@list"}}
    tree |= {"id": "mine", "list": [3, 1, 2], "name2": None}
    graph = graph_of(tree)
    assert str(graph.root) == tree["@id"]
    assert not any("evil" in str(term) for triple in graph for term in triple if not isinstance(term, Literal))
    assert not any(isinstance(term, BNode) for triple in graph for term in triple)
    assert same(graph.tree(), tree)


# --- G10 named graphs


def test_g10_one_checkpoint_is_one_named_graph() -> None:
    graph = graph_of(canonical())
    assert str(graph.identifier) == str(graph.root)
    for data, syntax in (
        (emission.nquads_of(graph), pyoxigraph.RdfFormat.N_QUADS),
        (emission.trig_of(graph), pyoxigraph.RdfFormat.TRIG),
    ):
        names = {quad.graph_name for quad in pyoxigraph.parse(data, format=syntax)}
        assert names == {pyoxigraph.NamedNode(str(graph.root))}


# --- G11 the JSON-LD that we write


def test_g11_the_keys_are_those_of_karenina_in_its_order() -> None:
    for tree in (canonical(), scenario()):
        for style in ContextStyle:
            written = emission.jsonld_of(graph_of(tree), style)
            assert json.dumps(without_contexts(written)) == json.dumps(without_contexts(tree))
        assert written["@context"] == contexts.plain()


@pytest.mark.parametrize("value", [["recall"], [1.0, 2], {"b": 1, "a": 2.5}, None, 1.0, 1e-7, {"@id": "x"}])
def test_g11_a_small_local_context_decides_what_a_key_cannot(value: Json) -> None:
    written = emission.jsonld_of(graph_of(valued(value)))
    typed = "@json" if not isinstance(value, float) else XSD + "double"
    assert written["additionalProperty"][-1]["@context"] == {"value": {"@type": typed}}
    assert "@context" not in written["additionalProperty"][0]

    [expanded] = jsonld.expand(written, contexts.options())
    [read] = expanded[SCHEMA + "additionalProperty"][-1][SCHEMA + "value"]
    assert same(read, {"@value": value, "@type": typed})
    quads = pyoxigraph.parse(json.dumps(written), format=pyoxigraph.RdfFormat.JSON_LD, base_iri=ID_BASE)
    of_values = [one.object for one in quads if one.predicate.value == SCHEMA + "value"]
    datatype = str(RDF_JSON) if typed == "@json" else typed
    assert [one.datatype.value for one in of_values if isinstance(one, pyoxigraph.Literal)].count(datatype) == 1


def test_g11_a_term_that_is_a_compact_iri_is_defined_by_the_whole_one() -> None:
    # jsonld-streaming-parser, by which Comunica reads JSON-LD, compares the two as texts, and refuses the file.
    context = contexts.improved()
    defined = {key: definition["@id"] for key, definition in context.items() if ":" in key}
    assert defined
    assert defined == {key: KARENINA + key.removeprefix("karenina:") for key in defined}


def test_g11_what_we_wrote_is_read_as_the_same_graph() -> None:
    tree = valued({"b": [1.0]}) | {"numbers": [1.0, 2.0], "dateModified": "soon", "a b": 1, "x": {"y": [1.0], "c d": 0}}
    for one in (tree, scenario()):
        graph = graph_of(one)
        read = json_ld.plain(emission.jsonld_of(graph))
        assert read.forms == ()
        assert set(graph_of(read.tree)) == set(graph)


# --- Headers: the same as a full read tells, from the start of a file wherever that is enough.


METALS = Header(
    source=None,
    syntax="json",
    dialect="datafeed-ns-v3",
    id="urn:uuid:karenina-checkpoint-1767225600.5",
    name="Metals",
    description="Metals and their properties",
    version="0.2.0",
    creator="A. Smith",
    created="2026-01-01T00:00:00",
    modified="2026-01-02T00:00:00",
)
PERSON = {"@type": "Person", "name": "A. Smith", "email": "a@example.org"}
WRITABLE = [one.name for one in dialects.DIALECTS if one.downgrade is not None]


def written(tree: Any, **settings: Any) -> bytes:
    return json.dumps(tree, ensure_ascii=False, **settings).encode()


def fully_read(source: Any, *, counts: bool = False) -> Header:
    return header_of(reading.examine(source), counts=counts)


def cut(data: bytes) -> bytes:
    """Return no more of a document than the start of its first question."""
    return data[: data.index(b'"item": {', data.index(b'"dataFeedElement": [')) + len(b'"item": {')]


class TestFromTheStart:
    """What comes after the start of a file of Karenina's is not looked at."""

    @pytest.mark.parametrize("context", [contexts.plain(), contexts.improved()])
    @pytest.mark.parametrize("indent", [None, 4])
    def test_all_that_a_benchmark_states_about_itself_stands_before_its_questions(
        self, context: Any, indent: int | None
    ) -> None:
        data = written({**canonical(), "@context": context}, indent=indent)
        assert read_header(data) == METALS
        assert read_header(cut(data)) == METALS

    def test_a_byte_order_mark_and_a_creator_who_is_a_person_are_no_obstacles(self) -> None:
        data = b"\xef\xbb\xbf" + cut(written({**canonical(), "creator": PERSON}))
        assert read_header(data) == METALS

    def test_the_start_may_be_long(self, tmp_path: Path) -> None:
        ratings = [rating(f"trait {number} ✓", "Global") for number in range(100)]
        (tmp_path / "long.jsonld").write_bytes(cut(written({**canonical(), "rating": ratings})))
        assert read_header(tmp_path / "long.jsonld").name == "Metals"

    def test_a_benchmark_without_questions_states_as_much(self) -> None:
        data = written({**canonical(), "dataFeedElement": []})
        assert read_header(data[:-20]) == METALS

    def test_nothing_heavy_is_imported_for_it(self, tmp_path: Path) -> None:
        file = tmp_path / "metals.jsonld"
        file.write_bytes(written(canonical()))
        code = (
            "import sys; from checkpoint_ld.header import read_header; print(read_header(sys.argv[1]).name);"
            "print(*{'rdflib', 'pyld', 'pydantic', 'pyshacl', 'rich', 'click'} & set(sys.modules))"
        )
        done = subprocess.run([sys.executable, "-c", code, file], capture_output=True, encoding="utf-8", check=True)
        assert done.stdout == "Metals\n\n"


class TestFromTheWholeFile:
    """Where the start is not enough, or may not be, a full read tells."""

    @pytest.mark.parametrize("name", WRITABLE)
    def test_every_dialect_that_can_be_written(self, name: str) -> None:
        downgrade = dialects.dialect(name).downgrade
        assert downgrade is not None
        data = written(downgrade(canonical()).value)
        assert read_header(data) == fully_read(data)
        assert (read_header(data).dialect, read_header(data).name) == (name, "Metals")

    @pytest.mark.parametrize("member", ["@context", "@type", "@id", "name", "version", "creator", "dateModified"])
    def test_what_stands_after_the_questions_or_nowhere(self, member: str) -> None:
        tree = canonical()
        value = tree.pop(member)
        assert read_header(written(tree)) == fully_read(written(tree))
        assert read_header(written({**tree, member: value})) == METALS

    @pytest.mark.parametrize("question", [{"@type": "Question"}, {"answerTemplate": "x"}, {"item": {}}, "none"])
    def test_bare_questions_are_distinguished(self, question: Any) -> None:
        data = written({**canonical(), "dataFeedElement": [question]})
        assert read_header(data) == fully_read(data)

    @pytest.mark.parametrize("syntax", ["ttl", "nt"])
    def test_statements(self, syntax: str, tmp_path: Path) -> None:
        file = tmp_path / f"metals.{syntax}"
        graph = CheckpointGraph.of_tree(canonical())
        file.write_bytes(emission.turtle_of(graph) if syntax == "ttl" else emission.ntriples_of(graph))
        assert read_header(file) == fully_read(file)
        assert read_header(file).name == "Metals"

    def test_questions_and_scenarios_are_counted_on_request(self) -> None:
        data = written(canonical(item(), item("Which metal is lightest?", None)))
        assert (read_header(data).questions, read_header(data).scenarios) == (None, None)
        held = read_header(data, counts=True)
        assert (held.questions, held.scenarios) == (2, 0)
        assert read_header(written(scenario()), counts=True).scenarios == 1

    def test_a_file_that_is_open_is_read_whole(self) -> None:
        assert read_header(io.BytesIO(written(canonical()))) == METALS

    @pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"@type": "Recipe"}', b'{"name": "x", "name": "y"}', b"\xff"])
    def test_what_is_no_checkpoint_is_refused_in_the_words_of_a_full_read(self, data: bytes, tmp_path: Path) -> None:
        (tmp_path / "odd.json").write_bytes(data)
        with pytest.raises(ReadError) as fully:
            fully_read(tmp_path / "odd.json")
        with pytest.raises(ReadError) as found:
            read_header(tmp_path / "odd.json")
        assert str(found.value) == str(fully.value)

    def test_a_file_that_is_missing_is_reported_to_be(self, tmp_path: Path) -> None:
        with pytest.raises(SourceMissingError, match="check the path"):
            read_header(tmp_path / "none.jsonld")


@pytest.mark.parametrize(
    ("before", "after"),
    [('"0.2.0"', '"\\ud800"'), ('"0.2.0"', "NaN"), ('"version"', '"name"'), ('"0.2.0"', "[" * 300 + "]" * 300)],
)
def test_what_is_refused_at_the_start_is_refused_here_too(before: str, after: str) -> None:
    data = written(canonical()).replace(before.encode(), after.encode())
    with pytest.raises(ReadError) as fully:
        fully_read(data)
    with pytest.raises(ReadError) as found:
        read_header(data)
    assert str(found.value) == str(fully.value)


ODD = st.sampled_from(
    [None, True, 2, 1.5, "", "x", "2.0", [], ["x"], {}, {"@value": "x"}, {"@id": "urn:x"}, PERSON, [PERSON, "B"]]
)
CONTEXTS = st.sampled_from(
    [
        contexts.plain(),
        contexts.improved(),
        {"@vocab": "https://schema.org/"},
        {"@vocab": "http://schema.org/"},
        {"@vocab": "https://schema.org/", "name": "schema:alternateName"},
        {**contexts.plain(), "title": "https://schema.org/name"},
        {key: value for key, value in contexts.plain().items() if key != "@vocab"},
        [contexts.plain()],
        "https://schema.org/",
    ]
)
MEMBERS = st.sampled_from([*canonical(), "schema:version", "title", "@included", "license", "hasPart", "checkpoint"])
ELEMENTS = st.lists(
    st.sampled_from([item(), {**item(), "@type": "Question"}, item()["item"], {"schema:item": {}}, "none", 1]),
    max_size=2,
)


@given(st.permutations(list(canonical())), st.dictionaries(MEMBERS, ODD, max_size=3), CONTEXTS, ELEMENTS, st.data())
def test_a_header_states_what_a_full_read_states(
    order: list[str], unusual: dict[str, Any], context: Any, elements: list[Any], data: st.DataObject
) -> None:
    whole = {**canonical(), "@context": context, "dataFeedElement": elements}
    if data.draw(st.booleans()):
        order = list(whole)
    changed = {**{key: whole[key] for key in order}, **unusual}
    for dropped in data.draw(st.sets(st.sampled_from(order), max_size=2)):
        changed.pop(dropped, None)
    source = written(changed, indent=data.draw(st.sampled_from([None, 2])))
    try:
        expected = fully_read(source)
    except ReadError:
        return
    assert read_header(source) == expected


@pytest.mark.slow
def test_headers_of_the_corpus_are_those_of_full_reads(corpus: Path) -> None:
    seen = set()
    for file in sorted(corpus.rglob("*.json*")):
        if file.suffix not in (".json", ".jsonld"):
            continue
        try:
            expected = fully_read(file, counts=True)
        except ReadError:
            continue
        assert read_header(file, counts=True) == expected
        uncounted = read_header(file)
        assert uncounted == fully_read(file)
        seen.add(uncounted.dialect)
    assert len(seen) >= 8
