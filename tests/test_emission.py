"""What is written straight from the subject index is, to the byte, what pyoxigraph and the general compaction give."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pyoxigraph
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rdflib import RDF, BNode, Literal, URIRef

from checkpoint_ld.dialects import reading
from checkpoint_ld.errors import LookupFailedError, ReadError, WriteError
from checkpoint_ld.graph import compaction, contexts, emission, key_order, layouts
from checkpoint_ld.graph.annotation import is_name
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.compaction import Compaction
from checkpoint_ld.graph.contexts import IDENTIFIER, is_property_value
from checkpoint_ld.graph.emission import ContextStyle, syntaxes
from checkpoint_ld.graph.emission.syntaxes import quoted
from checkpoint_ld.graph.layouts import POSITION
from checkpoint_ld.graph.literals import RDF_JSON, literal
from checkpoint_ld.graph.residue import RESIDUE, Ref, residue_of
from checkpoint_ld.graph.store import put, triples_of
from checkpoint_ld.vocabulary import ID_BASE, KARENINA, SCHEMA, XSD, ordered
from tests.corpus import DIALECTS, expectations
from tests.documents import Json, canonical, item, rich, scenario
from tests.test_graph import documents
from tests.trials import examples

ROOT = URIRef("urn:x:root")
NODES = st.sampled_from(
    [
        *(ROOT, URIRef("urn:x:a"), URIRef("urn:x:a b".replace(" ", "%20")), URIRef("urn:x:é\U0001f600"), BNode("b0")),
        *(URIRef("urn:x:a#/rating/0"), URIRef("urn:x:a#/rating/10"), URIRef("urn:x:a#/rating/9"), BNode("z-1")),
        *(URIRef("urn:x:a#/nodes/start"), URIRef("urn:x:a#/nodes/a%2Fb"), URIRef(ID_BASE + "rq%20001")),
        *(URIRef(SCHEMA + "Question"), URIRef(KARENINA + "GlobalRegexTrait"), URIRef(SCHEMA), URIRef("http://x.y/#/1")),
    ]
)
ODD_NAMES = st.sampled_from([URIRef(SCHEMA + "a~b"), URIRef(KARENINA + "1"), URIRef(XSD + "a/b"), URIRef(SCHEMA + "é")])
PREDICATES = st.one_of(
    st.sampled_from([RDF.type, POSITION, IDENTIFIER, URIRef("http://a.example/p"), URIRef(SCHEMA + "unknown")]),
    st.sampled_from(
        [
            *("name", "text", "value", "item", "contentRating", "additionalProperty", "additionalType", "dateCreated"),
            *("keywords", "bestRating", "hasPart", "creator", "dataFeedElement"),
        ]
    ).map(lambda name: URIRef(SCHEMA + name)),
    st.sampled_from(["nodes", "edges", "nodeId", "questionData"]).map(lambda name: URIRef(KARENINA + name)),
)
TYPES = st.sampled_from(
    [
        *(SCHEMA + "Question", SCHEMA + "Rating", SCHEMA + "PropertyValue", SCHEMA + "DataFeed", SCHEMA + "Thing"),
        *(KARENINA + "Scenario", KARENINA + "ScenarioNode", "urn:x:Type"),
    ]
).map(URIRef)
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.sampled_from(
        ["", "a\nb\t\"'\\\r\b\f\x00\x01\x7f\x85\u2028\U0001f600\ufffe", " , ", " ;\n\t", "true", "1", "1\n"]
    ),
)
DATATYPES = st.sampled_from(
    [
        *(XSD + name for name in ("string", "integer", "boolean", "decimal", "double", "float", "dateTime", "a~b")),
        *(SCHEMA + "odd.", KARENINA + "", "urn:x:type", str(RDF_JSON)),
    ]
).map(URIRef)
NUMBERS = [
    *("1", "+1", "-01", "", "1.", ".5", "1.0", "+.5", "1e5", "1.0E0", "1.e5", ".5E-3", "INF", "NaN", "1e", "e5", ".e5"),
    *("true", "false", "1_0", "\u0661", "2026-01-01T00:00:00", "2026-02-30T00:00:00", "[1.0, {}]", "null", "{"),
]
LITERALS = st.one_of(
    st.builds(literal, TEXTS, st.none(), st.none()),
    st.builds(literal, TEXTS, st.none(), st.sampled_from(["en", "en-US", "de-1996"])),
    st.builds(literal, st.one_of(TEXTS, st.sampled_from(NUMBERS)), DATATYPES, st.none()),
)


# Of subjects with the same members, many lines are made at once.
ALIKE = st.tuples(
    st.sampled_from([ROOT, *(URIRef(f"urn:x:{end}") for end in ("a", "a/b", "a#/1", "a#/10", "é")), BNode("b1")]),
    st.sampled_from([URIRef(f"urn:p:{end}") for end in ("a", "a/b", "a%20b", "ab")]),
    st.one_of(
        st.builds(Literal, st.sampled_from(["a", "a%s", "%", 'a"b\\u00', "\x00\n\r\x7f", "\ufffe", "é", "\u2028"])),
        st.sampled_from([Literal("a", lang="en"), Literal("a", datatype=URIRef("urn:t:%20d")), Literal(5)]),
        st.sampled_from([Literal(True), ROOT, URIRef("urn:x:a/b"), BNode("b2")]),
    ),
)

# Values that one key reads otherwise than another; the very same object may stand under both.
SHARED = [literal("1", URIRef(XSD + "integer"), None), literal("1.0E0", URIRef(XSD + "double"), None)]


@st.composite
def graphs(draw: st.DrawFn) -> CheckpointGraph:
    """Graphs of any shape: cycles, several types, shared and blank nodes, and values that no document has."""
    index: Any = {}
    subjects = [ROOT, *draw(st.lists(NODES, max_size=4))]
    values = [*draw(st.lists(st.one_of(NODES, LITERALS), max_size=4)), *subjects, *SHARED]
    put(index, ROOT, RDF.type, draw(TYPES))
    for predicate in draw(st.lists(PREDICATES, max_size=16)):
        for _ in range(draw(st.sampled_from([1, 1, 1, 3]))):
            term = draw(TYPES if predicate == RDF.type else st.sampled_from(values))
            put(index, draw(st.sampled_from(subjects)), predicate, term)
    for subject in draw(st.lists(st.sampled_from(subjects), max_size=2)):
        put(index, subject, POSITION, draw(st.sampled_from(SHARED)))
    if draw(st.booleans()):
        put(index, draw(NODES), draw(st.one_of(PREDICATES, ODD_NAMES)), draw(ODD_NAMES))
    for key in draw(st.sets(st.sampled_from(["name", "keywords", "item", "@id", "a"]), max_size=2)):
        value = draw(st.sampled_from([["b", "a", "a"], None, 1.0, {"@node": "urn:x:a"}, {"@raw": {"@node": 1}}]))
        members = {draw(st.sampled_from(["members", "setApart"])): {key: value}}
        put(index, draw(st.sampled_from(subjects)), RESIDUE, literal(json.dumps(members), RDF_JSON, None))
    return CheckpointGraph(index, ROOT)


def graph_of(triples: list[Any]) -> CheckpointGraph:
    index: Any = {}
    for triple in triples:
        put(index, *triple)
    return CheckpointGraph(index, ROOT)


@st.composite
def arrays(draw: st.DrawFn) -> CheckpointGraph:
    """Graphs of one array, whose entries have names of all kinds and positions, or none."""
    names = ["urn:x:a", "urn:x:b/1", "urn:x:c/07", "urn:x:root#/item/2", "urn:x:root#/item/10", "urn:x:root#/item/02"]
    names += ["urn:x:root#/item/a", "urn:x:root#/item/%32", "urn:x:root#/item/99999999999999999"]
    entries = draw(st.lists(st.sampled_from(names).map(URIRef), unique=True, min_size=2))
    held: Any = [*entries, *draw(st.lists(st.sampled_from(SHARED), unique=True))]
    index: Any = {ROOT: {URIRef(SCHEMA + draw(st.sampled_from(["item", "contentRating"]))): held}}
    for entry in entries:
        if draw(st.booleans()):
            put(index, entry, URIRef(SCHEMA + "name"), Literal(str(entry)))
        if draw(st.booleans()):
            put(index, entry, POSITION, Literal(draw(st.integers(0, 12))))
    return CheckpointGraph(index, ROOT)


def quad_of(graph: CheckpointGraph, triple: Any, *, named: bool) -> Any:
    def term(one: Any) -> Any:
        if isinstance(one, BNode):
            return pyoxigraph.BlankNode(one)
        if not isinstance(one, Literal):
            return pyoxigraph.NamedNode(one)
        if one.language:
            return pyoxigraph.Literal(str(one), language=one.language)
        return pyoxigraph.Literal(str(one), datatype=pyoxigraph.NamedNode(one.datatype or XSD + "string"))

    subject, predicate, held = map(term, triple)
    if named:
        return pyoxigraph.Quad(subject, predicate, held, term(graph.root))
    return pyoxigraph.Triple(subject, predicate, held)


def lines_by_pyoxigraph(graph: CheckpointGraph, syntax: pyoxigraph.RdfFormat, *, named: bool) -> bytes:
    quads = [quad_of(graph, triple, named=named) for triple in triples_of(graph.index)]
    return b"".join(sorted((pyoxigraph.serialize(quads, format=syntax) or b"").splitlines(keepends=True)))


def text_by_pyoxigraph(graph: CheckpointGraph, syntax: pyoxigraph.RdfFormat, *, named: bool) -> bytes:
    names = {str(term) for triple in triples_of(graph.index) for term in triple if not isinstance(term, Literal)}
    prefixes = {
        prefix: namespace
        for prefix, namespace in CheckpointGraph.PREFIXES.items()
        if all(is_simple(name.removeprefix(namespace)) for name in names if name.startswith(namespace))
    }
    quads = [quad_of(graph, triple, named=named) for triple in triples_of(graph.index)]
    quads.sort(key=lambda one: (str(one.subject).rstrip(">"), str(one.predicate), str(one.object)))
    return pyoxigraph.serialize(quads, format=syntax, prefixes=prefixes) or b""


def is_simple(local: str) -> bool:
    rest = local.replace("-", "").replace("_", "")
    return local == "" or (local.isascii() and not local[0].isdigit() and local[0] != "-" and (rest + "a").isalnum())


def holds_in_every_syntax(graph: CheckpointGraph) -> None:
    formats = pyoxigraph.RdfFormat
    assert emission.ntriples_of(graph) == lines_by_pyoxigraph(graph, formats.N_TRIPLES, named=False)
    assert emission.nquads_of(graph) == lines_by_pyoxigraph(graph, formats.N_QUADS, named=True)
    assert emission.turtle_of(graph) == text_by_pyoxigraph(graph, formats.TURTLE, named=False)
    assert emission.trig_of(graph) == text_by_pyoxigraph(graph, formats.TRIG, named=True)


# rdflib warns of numbers that are none when several values are put in order.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Serializing weird numerical")
@settings(max_examples=examples(300))
@given(graphs() | st.lists(ALIKE, min_size=1, max_size=40).map(graph_of), st.sampled_from([1, 2, 3, 512]))
@example(CheckpointGraph({}, ROOT), 512)
@example(CheckpointGraph({ROOT: {RDF.type: ROOT}}, URIRef(SCHEMA + "a~b")), 512)
@example(CheckpointGraph({ROOT: {URIRef("urn:x:p"): literal("", URIRef(XSD + "a~b"), None)}}, ROOT), 512)
def test_any_graph_is_written_as_pyoxigraph_writes_it(graph: CheckpointGraph, together: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(syntaxes, "TOGETHER", together)
        holds_in_every_syntax(graph)


@pytest.mark.filterwarnings("ignore:Serializing weird numerical")
@pytest.mark.parametrize("datatype", ["boolean", "integer", "decimal", "double", "float"])
def test_numbers_are_written_short_where_pyoxigraph_does(datatype: str) -> None:
    held: Any = [literal(text, URIRef(XSD + datatype), None) for text in NUMBERS]
    holds_in_every_syntax(CheckpointGraph({ROOT: {URIRef("urn:x:p"): held}}, ROOT))


def without_labels(graph: Any) -> set[tuple[Any, ...]]:
    """Return the triples of a graph with their blank nodes alike.

    A text is a literal of type xsd:string (RDF 1.1, section 3.3), which rdflib takes for two literals.
    """

    def alike(term: Any) -> Any:
        is_typed_text = isinstance(term, Literal) and term.datatype == URIRef(XSD + "string")
        return "_" if isinstance(term, BNode) else Literal(str(term)) if is_typed_text else term

    return {tuple(map(alike, triple)) for triple in graph}


@settings(max_examples=examples(100))
@given(graphs() | documents().map(CheckpointGraph.of_tree))
@example(CheckpointGraph({ROOT: {RDF.value: literal("", URIRef(XSD + "string"), None)}}, ROOT))
@example(
    CheckpointGraph({ROOT: {RDF.value: [Literal(" a\r\nb\rc\td\n"), Literal("\r", lang="fr"), Literal("]]>&<")]}}, ROOT)
)
def test_rdf_xml_is_read_alike_by_all_or_refused(graph: CheckpointGraph) -> None:
    try:
        written = emission.rdf_xml_of(graph)
    except WriteError:
        return
    assert without_labels(triples_of(emission.parse(written, "xml"))) == without_labels(graph)
    texts = sorted(one.text or "" for one in ET.fromstring(written).findall("*/*") if not is_of_node(one))
    assert texts == sorted(str(term) for _, _, term in graph if isinstance(term, Literal))


def is_of_node(element: ET.Element) -> bool:
    return any(f"{{{RDF}}}{name}" in element.attrib for name in ("resource", "nodeID"))


@pytest.mark.parametrize(
    ("predicate", "text", "words"),
    [
        ("urn:x:1", "a", "the predicate <urn:x:1>, which cannot be the name of an element; write Turtle"),
        (SCHEMA, "a", "which cannot be the name of an element"),
        (SCHEMA + "name", "a\x01", "the character U[+]0001, which"),
        (f"{RDF}li", "a", "which cannot be the name of an element"),
    ],
)
def test_what_xml_cannot_state_is_refused(predicate: str, text: str, words: str) -> None:
    with pytest.raises(WriteError, match=words):
        emission.rdf_xml_of(CheckpointGraph({ROOT: {URIRef(predicate): Literal(text)}}, ROOT))


class ByMembers:
    """Reads whole objects by single members, following references, as a check of the functions that read nodes."""

    def __init__(self, graph: CheckpointGraph, *, adds_contexts: bool = False) -> None:
        self.reader = Compaction(graph.index, graph.table)
        self.root = graph.root
        self.adds_contexts = adds_contexts
        self.root_context: Json = {}

    def object(self, node: Any, via: Any = None, above: tuple[Any, ...] = (), without: tuple[str, ...] = ()) -> Json:
        terms = self.reader.table.at(via, self.reader.kind(node))
        read = {
            key: self.filled(value, terms.by_key.get(key), (*above, node))
            for key, value in self.reader.shallow(node, via).items()
            if key not in without
        }
        if self.adds_contexts:
            read |= {"@context": local} if (local := self.local_context(node, read, terms, via)) else {}
            orders = key_order.orders_of(self.reader.index.get(node, {}).get(key_order.KEY_ORDER))
            read |= {key_order.KEY: orders} if orders else {}
        return ordered(read, via.key if via is not None else None)

    def filled(self, value: Any, via: Any, above: tuple[Any, ...]) -> Json:
        if isinstance(value, Ref):
            if value.node in above:
                return {"@id": self.reader.identifier(value.node) or value.name}
            return self.object(value.node, via, above) if value.node in self.reader.index else {}
        if isinstance(value, list):
            return [self.filled(one, via, above) for one in value]
        return {key: self.filled(one, via, above) for key, one in value.items()} if isinstance(value, dict) else value

    def local_context(self, node: Any, read: Json, terms: Any, via: Any) -> Json:
        for key in ("@type", "@id"):
            if key in read and not is_name(read[key], is_type=key == "@type"):
                del read[key]
        is_property = is_property_value(read.get("@type"), via)
        set_apart = residue_of(self.reader.index, node).set_apart
        local = emission.local_context(read, terms, is_property=is_property, set_apart=set_apart)
        if node != self.root:
            return local
        self.root_context = local
        return {}


def jsonld_by_members(graph: CheckpointGraph) -> Json:
    writer = ByMembers(graph, adds_contexts=True)
    tree = writer.object(graph.root)
    tree.pop("@context", None)
    if writer.reader.has_typed_texts:  # their contexts come afterwards
        return emission.jsonld_of(graph)
    return {"@context": contexts.with_root_terms(contexts.merged(graph.own_context), writer.root_context), **tree}


def text_of(value: Json) -> str:
    """Return a value as text, which tells the order of members and the kinds of numbers."""
    return json.dumps(value, ensure_ascii=False)


PROPERTY = contexts.karenina().base.by_key["additionalProperty"]
PLACES = [None, PROPERTY, contexts.Term("outcomeCriteria", "urn:x:criteria")]


def holds_as_json(graph: CheckpointGraph) -> None:
    reader, by_members = Compaction(graph.index, graph.table), ByMembers(graph)
    for node in graph.index:
        for via in PLACES:
            assert text_of(reader.object(node, via)) == text_of(by_members.object(node, via))
        without = ("name", "dataFeedElement")
        assert text_of(reader.object(node, without=without)) == text_of(by_members.object(node, without=without))
    every = [*graph.index]  # of all types, with all kinds of members
    assert text_of(reader.objects(every)) == text_of([*map(by_members.object, every)])
    assert text_of(emission.jsonld_of(graph)) == text_of(jsonld_by_members(graph))


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(st.one_of(graphs(), arrays()))
def test_the_objects_of_any_graph_have_the_members_that_are_read_singly(graph: CheckpointGraph) -> None:
    holds_as_json(graph)


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(documents())
def test_any_document_is_written_alike_and_its_objects_are_read_alike(tree: Json) -> None:
    graph = CheckpointGraph.of_tree(tree)
    holds_in_every_syntax(graph)
    holds_as_json(graph)


def test_documents_as_karenina_writes_them_are_written_alike() -> None:
    made = item()
    made["item"]["acceptedAnswer"] |= {"zeta": 1.0, "alpha": 2.0, "dateCreated": "today"}
    for tree in (canonical(item(), item("Another?", None)), canonical(made), rich(), scenario()):
        graph = CheckpointGraph.of_tree(json.loads(json.dumps(tree)))
        holds_in_every_syntax(graph)
        holds_as_json(graph)


@pytest.mark.slow
def test_every_file_is_written_alike(corpus: Path) -> None:
    for dialect in DIALECTS:
        for case in expectations(corpus, dialect):
            graph = CheckpointGraph.of_tree(reading.examine(corpus / case["file"]).tree)
            holds_in_every_syntax(graph)
            assert text_of(graph.tree()) == text_of(ByMembers(graph).object(graph.root))
            assert text_of(emission.jsonld_of(graph)) == text_of(jsonld_by_members(graph))


def test_of_nothing_there_are_no_lines() -> None:
    assert emission.ntriples_of(CheckpointGraph({ROOT: {}}, ROOT)) == b""


def test_a_list_of_one_is_read_as_its_one_term() -> None:
    alone: Any = [Literal("alone")]
    holds_as_json(CheckpointGraph({ROOT: {URIRef(SCHEMA + name): alone for name in ("name", "keywords")}}, ROOT))


def test_plans_that_were_forgotten_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "MOST", 1)
    monkeypatch.setattr(compaction, "MOST", 1)
    holds_as_json(CheckpointGraph.of_tree(rich()))


def test_a_change_of_the_graph_is_read_at_once() -> None:
    graph = CheckpointGraph.of_tree(canonical())
    reader = Compaction(graph.index, graph.table)
    assert reader.object(graph.root)["name"] == "Metals"
    for name in ("Alloys", "Metals", "Salts"):
        graph.set((graph.root, URIRef(SCHEMA + "name"), Literal(name)))
        assert reader.object(graph.root)["name"] == name


def test_what_is_read_can_be_changed_without_changing_the_graph() -> None:
    graph = CheckpointGraph.of_tree(canonical(item(), item("Another?", None)))
    before = text_of(graph.tree())
    tree = graph.tree()
    for element in tree["dataFeedElement"]:
        element["item"]["keywords"].append("changed")
        element["item"]["rating"][0]["additionalProperty"].clear()
    assert text_of(graph.tree()) == before


WRITERS = [emission.ntriples_of, emission.nquads_of, emission.turtle_of, emission.trig_of, emission.rdf_xml_of]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize(
    ("triple", "words"),
    [
        ((URIRef("urn:x:a b"), RDF.type, ROOT), 'the name "urn:x:a b" cannot be written, it is no IRI'),
        ((ROOT, URIRef("relative"), ROOT), 'the name "relative" cannot be written, it is no IRI'),
        ((ROOT, RDF.type, URIRef(SCHEMA + "a b")), "it is no IRI"),
        ((ROOT, RDF.type, BNode("a b")), 'the name "a b" cannot be written, it is no label of a blank node'),
        ((ROOT, RDF.type, URIRef("urn:x:\ud800")), "it is no IRI"),
        ((ROOT, RDF.type, Literal("half \ud800")), r"cannot be written: \\ud800 is half a surrogate pair"),
        ((ROOT, BNode("p"), ROOT), 'the name "p" cannot be written, it is no IRI'),
    ],
)
def test_what_no_syntax_can_state_is_refused(write: Any, triple: Any, words: str) -> None:
    subject, predicate, term = triple
    with pytest.raises(WriteError, match=words):
        write(CheckpointGraph({subject: {predicate: term}}, ROOT))


def test_a_direction_is_refused_and_not_dropped() -> None:
    with pytest.raises(ReadError, match=r'the text "x" has a base direction') as raised:
        emission.parse(b'<urn:x:a> <urn:x:b> "x"@ar--rtl .', "nt")
    assert raised.value.findings[0].remedy == "write @ar alone"


@pytest.mark.parametrize("style", ContextStyle)
def test_a_graph_without_its_root_is_no_document(style: ContextStyle) -> None:
    if style is ContextStyle.PLAIN:
        with pytest.raises(LookupFailedError, match="there is no node"):
            emission.jsonld_of(CheckpointGraph({}, ROOT), style)
    else:
        assert emission.jsonld_of(CheckpointGraph({}, ROOT), style)["@id"] == str(ROOT)


def test_every_character_is_escaped_as_pyoxigraph_escapes_it() -> None:
    for code in (*range(0x300), 0x2028, 0xFEFF, 0xFFFE, 0xFFFF, 0x1F600):
        for text in (chr(code), f"a{chr(code)}b", f"\\{chr(code)}", f"\\u{chr(code)}"):
            assert quoted(text) == str(pyoxigraph.Literal(text))


def test_an_integer_that_processors_take_for_a_double_is_a_json_literal_wherever_it_stands() -> None:
    tree = canonical()
    tree["additionalProperty"].append({"@type": "PropertyValue", "name": "grains", "value": 10**21})
    document = emission.jsonld_of(CheckpointGraph.of_tree(tree))
    assert document["additionalProperty"][-1]["@context"] == {"value": {"@type": "@json"}}
