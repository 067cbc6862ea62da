"""Nothing of a document is lost: each object of a rich one, with each unusual member, after every trip and edit."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyld import jsonld
from rdflib import Literal, URIRef

from checkpoint_ld import Benchmark, validate
from checkpoint_ld.graph import contexts, emission
from checkpoint_ld.graph.literals import same
from checkpoint_ld.vocabulary import KARENINA, RDF, SCHEMA, XSD
from tests.documents import Json, rich
from tests.processors import statements_of, statements_of_graph
from tests.trials import examples, some


def objects(tree: Json) -> Iterator[tuple[str, Json]]:
    """Yield one object of each kind that a benchmark is made of, with what it is."""
    element = tree["dataFeedElement"][0]
    question = element["item"]
    yield "root", tree
    yield "creator", tree["creator"]
    yield "unknown", tree["license"]
    yield "rating of all", tree["rating"][0]
    yield "property", tree["additionalProperty"][0]
    yield "element", element
    yield "question", question
    yield "answer", question["acceptedAnswer"]
    yield "template", question["hasPart"]
    yield "rating", question["rating"][0]
    yield "setting", question["rating"][0]["additionalProperty"][0]
    yield "mark", question["additionalProperty"][0]


EDITED = ("description", "dateModified")
KINDS = [kind for kind, _ in objects(rich())]


def edited(document: Json, file: Path) -> Json:
    """Return what is in the file of a document after an edit of its description."""
    file.write_text(json.dumps(document), encoding="utf-8")
    benchmark = Benchmark.load(file)
    benchmark.description = "edited"
    benchmark.save(file)
    return json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "identifier", ["urn:karenina:sha256:" + 64 * "a", "checkpoint://id/x", "checkpoint://id/a/../b"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_an_identifier_that_looks_like_a_name_of_ours_stays(kind: str, identifier: str, tmp_path: Path) -> None:
    document = rich()
    dict(objects(document))[kind]["@id"] = identifier
    file = tmp_path / "one.jsonld"
    text = json.dumps(document)
    file.write_text(text, encoding="utf-8")
    benchmark = Benchmark.load(file)
    benchmark.save(file)
    assert file.read_text(encoding="utf-8") == text
    for back in (
        Benchmark.load(benchmark.to_ntriples().encode(), syntax="nt"),
        Benchmark.load(json.dumps(benchmark.to_jsonld()).encode()),
    ):
        assert same(back.to_jsonld("plain"), document)
        assert back.graph.root == benchmark.graph.root
    after = edited(document, file)
    assert same(after, {**document, **{key: after[key] for key in EDITED}})


def named(key: str) -> str:
    """Return the IRI of a key or type; keywords stay."""
    if key.startswith("@") or "://" in key:
        return key
    own = {"rating": f"{SCHEMA}contentRating"}
    return own.get(key) or (f"{KARENINA}{key[9:]}" if key.startswith("karenina:") else SCHEMA + key)


def typed(key: str, value: Json, holder: Json) -> Json:
    """Return a scalar as an expanded value object or reference, as our context says of its key."""
    if key == "additionalType":
        return {"@id": named(value)}
    if key == "value" and holder.get("@type") == "PropertyValue" and (value is None or isinstance(value, dict | list)):
        return {"@value": value, "@type": "@json"}
    is_date, is_double = key.startswith("date"), isinstance(value, float)
    return {"@value": value} | ({"@type": XSD + ("dateTime" if is_date else "double")} if is_date or is_double else {})


def spelled(value: Json, names: dict[str, str], *, is_whole: bool = False) -> Json:
    """Return a document under other names: those of `names`, or else full IRIs; expanded if `is_whole`."""
    if not isinstance(value, dict):
        return value
    held: Json = {}
    for key, one in value.items():
        if key in ("@context", "note") or (key.startswith("@") and key != "@type"):
            held |= {} if key == "@context" else {names.get(key, named(key)): one}
        elif key == "@type":
            held[names.get(key, key)] = [named(one)] if is_whole else named(one)
        else:
            is_value = key == "value" and value.get("@type") == "PropertyValue"
            entries = [
                spelled(entry, names, is_whole=is_whole)
                if isinstance(entry, dict) and not is_value
                else typed(key, entry, value)
                for entry in (one if isinstance(one, list) and not is_value else [one])
            ]
            is_one = not is_whole and not isinstance(one, list)
            held[names.get(key, named(key))] = entries[0] if is_one else entries
    return held


def flat(value: Json, nodes: list[Json]) -> Json:
    """Add the nodes of an expanded document to `nodes`, each with a name; return the reference to the first."""
    if not isinstance(value, dict) or "@value" in value or value.keys() == {"@id"}:
        return value
    node: Json = {"@id": f"_:n{len(nodes)}", **value}
    nodes.append(node)
    for key, one in value.items():
        if not key.startswith("@") and key != f"{SCHEMA}note":
            node[key] = [flat(entry, nodes) for entry in one]
    return {"@id": node["@id"]}


def flattened(document: Json) -> Json:
    nodes: list[Json] = []
    flat(spelled(document, {}, is_whole=True), nodes)
    return nodes


def without_context(document: Json) -> Json:
    return {key: one for key, one in document.items() if key != "@context"}


PREFIXES = {key: f"s:{key}" for key in ("name", "note", "text", "item", "dataFeedElement", "hasPart", "license")}
FORMS: dict[str, Callable[[Json], Json]] = {
    "usual": lambda document: document,
    "a single value in place of an array": lambda document: {**document, "rating": document["rating"][0]},
    "a root array": lambda document: [document],
    "an @graph": lambda document: {"@context": document["@context"], "@graph": [without_context(document)]},
    "full IRIs": lambda document: spelled(document, {}),
    "prefixes": lambda document: {"@context": {"s": SCHEMA}, **spelled(document, PREFIXES)},
    "aliases": lambda document: {"@context": {"id": "@id", "is": "@type"}, **spelled(document, {"@type": "is"})},
    "expanded": lambda document: [spelled(document, {}, is_whole=True)],
    "flattened": flattened,
}
GRAPH = [{"@id": "urn:x:g", f"{SCHEMA}name": "in a graph"}]
UNUSUAL: dict[str, tuple[str, Json]] = {
    "a comment": ("@comment", {"a": [None, [], 1.0]}),
    "an index": ("@index", "first"),
    "a graph": ("@graph", GRAPH),
    "included": ("@included", GRAPH),
    "a list": ("note", {"@list": ["b", "a"]}),
    "a list of objects": ("note", {"@list": [{"@type": f"{SCHEMA}Thing", f"{SCHEMA}name": "b"}, {"@id": "urn:x:z"}]}),
    "an empty list": ("note", {"@list": []}),
    "null": ("note", None),
    "an empty array": ("note", []),
    "nulls in an array": ("note", ["b", None, "a"]),
    "an empty object": ("note", {}),
    "nested arrays": ("note", [["a"], ["b", "a"]]),
    "a relative reference": ("note", {"@id": "there/x"}),
    "a fragment": ("note", {"@id": "#x"}),
    "a blank node": ("note", {"@id": "_:b7"}),
    "an object with a relative identifier": ("note", {"@id": "there/x", f"{SCHEMA}name": "n"}),
    "an object with an index": ("note", {"@index": "i", f"{SCHEMA}name": "n"}),
    "an object with a comment": ("note", {"@comment": "i", f"{SCHEMA}name": "n"}),
    "an object with a graph": ("note", {"@graph": GRAPH, f"{SCHEMA}name": "n"}),
    "a value with an index": ("note", {"@value": "v", "@index": "i"}),
    "a value with a direction": ("note", {"@value": "v", "@language": "ar", "@direction": "rtl"}),
    "a value with a language": ("note", {"@value": "v", "@language": "de"}),
    "a value with a datatype": ("note", {"@value": "v", "@type": "urn:x:type"}),
    "a JSON literal": ("note", {"@value": {"b": [1, None], "a": 1}, "@type": "@json"}),
    "the same twice": ("note", ["b", "a", "b"]),
}


ORDER = "karenina:keyOrder"


def plainly(value: Json) -> Json:
    """Return JSON-LD without local contexts, with plain keys and types, entries of arrays as they are."""
    if isinstance(value, list):
        return [plainly(one) for one in value]
    if not isinstance(value, dict):
        return value.removeprefix(SCHEMA) if isinstance(value, str) else value
    return {key.removeprefix(SCHEMA): plainly(one) for key, one in value.items() if key not in ("@context", ORDER)}


def kept(form: str, unusual: str) -> bool:
    """Return whether a form keeps a member as it stands: what PyLD reads has no nested arrays, and included nodes."""
    return form not in ("prefixes", "aliases") or unusual not in ("nested arrays", "included")


def test_arrays_in_arrays_that_json_ld_has_not_are_reported() -> None:
    document = rich()
    document["dataFeedElement"][0]["item"]["note"] = [["a"], ["b"]]
    benchmark = Benchmark.load(json.dumps(FORMS["aliases"](document)).encode())
    assert any("arrays inside of the array" in one.message for one in benchmark.findings)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "unusual"),
    [
        *(("usual", unusual) for unusual in UNUSUAL),
        *some([(form, unusual) for unusual in UNUSUAL for form in FORMS if form != "usual" and kept(form, unusual)], 3),
    ],
)
def test_an_unusual_member_is_kept_where_it_stands(form: str, unusual: str, tmp_path: Path) -> None:
    key, value = UNUSUAL[unusual]
    # Other forms take long: each of their combinations with one of three objects is enough.
    turn = [*FORMS].index(form) + [*UNUSUAL].index(unusual)
    for kind in KINDS if form == "usual" else (("root", "unknown", "question")[turn % 3],):
        document = rich()
        is_expanded = form in ("expanded", "flattened")
        wrapped = value if isinstance(value, list) else [{"@value": None} if value is None else value]
        own = wrapped if is_expanded and key == "note" else value
        dict(objects(document))[kind][key] = own
        benchmark = Benchmark.load(json.dumps(FORMS[form](document)).encode())
        read = plainly(benchmark.to_jsonld("plain"))
        wanted = plainly(document)
        if is_expanded and key == "note" and not isinstance(value, list):
            dict(objects(wanted))[kind][key] = plainly(wrapped[0])
        assert same(read, wanted), kind
        again = Benchmark.load(benchmark.to_ntriples().encode(), syntax="nt")
        assert same(plainly(again.to_jsonld("plain")), wanted), kind
    after = edited(FORMS[form](document), tmp_path / "one.jsonld")
    assert same(plainly(after), {**wanted, **{key: after[key] for key in EDITED}})


@pytest.mark.parametrize("identifier", ["people/1", "urn:x:one"])
@pytest.mark.parametrize("form", [form for form in FORMS if form != "flattened"])
def test_what_one_object_states_is_not_stated_of_another_one(form: str, identifier: str) -> None:
    document = rich()
    document["author"] = {"@id": identifier, "name": "A. Smith"}
    document["funder"] = {"@id": identifier, "url": "funds"}
    read = Benchmark.load(json.dumps(FORMS[form](document)).encode()).to_jsonld("plain")
    assert (read["author"], read["funder"]) == (document["author"], document["funder"])


@pytest.mark.parametrize("keyword", ["@nest", "@reverse"])
@pytest.mark.parametrize("form", ["usual", "full IRIs", "expanded"])
def test_a_keyword_that_states_something_else_is_named_by_the_finding(form: str, keyword: str) -> None:
    document = rich()
    about = {"@id": "urn:x:about", f"{SCHEMA}name": "x"}
    document["dataFeedElement"][0]["item"][keyword] = {f"{SCHEMA}about": about}
    benchmark = Benchmark.load(json.dumps(FORMS[form](document)).encode())
    [message] = [found.message for found in benchmark.findings if found.condition == "W-FORM"]
    assert f"the {keyword} at /" in message
    assert (None, URIRef(f"{SCHEMA}about"), None) in benchmark.graph


def test_a_comment_takes_no_place_from_findings_and_nothing_from_others() -> None:
    document = rich()
    document["dataFeedElement"][0]["item"] |= {"@comment": "x", "note": None, "links": [], "rows": [[1], []]}
    document["dateModified"] = "yesterday"
    benchmark = Benchmark.load(json.dumps(document, indent=2).encode())
    assert same(benchmark.to_jsonld("plain"), document)
    assert {found.condition for found in benchmark.findings} >= {"W-DATE-FORMAT"}
    assert "W-FORM" not in {found.condition for found in benchmark.findings}
    assert all(found.place.line for found in benchmark.findings)


TEXT_KEYS = ("name", "description", "text", "keywords", "version", "dateCreated", "dateModified", "email", "value")
TYPED = rich()
TYPED["dataFeedElement"][1]["item"]["keywords"] = ["b", "a", "c"]
TYPED_GRAPH = Benchmark.load(json.dumps(TYPED).encode()).graph
TEXTS = sorted(
    triple
    for triple in TYPED_GRAPH
    if isinstance(triple[2], Literal)
    and str(triple[1]).removeprefix(SCHEMA) in TEXT_KEYS
    and triple[2].datatype in (None, URIRef(XSD + "dateTime"))
)
TYPES: list[dict[str, Any]] = [{"lang": "de"}, {"lang": "de-at"}, {"datatype": URIRef("urn:x:type")}, {}]
TYPES.append({"datatype": URIRef(XSD + "token")})


def stated(graph: Any) -> set[Any]:
    """Return the statements of a graph but for those about the order of values, of which there are others now."""
    return {triple for triple in graph if triple[1] != URIRef(KARENINA + "residue")}


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(TYPES)), max_size=5, unique_by=lambda one: one[0]))
def test_texts_keep_their_languages_and_datatypes(changes: list[tuple[Any, Any]]) -> None:
    graph = TYPED_GRAPH.copy()
    for (subject, predicate, text), kind in changes:
        graph.remove((subject, predicate, text))
        graph.add((subject, predicate, Literal(str(text), **kind)))
    benchmark = Benchmark.load(emission.ntriples_of(graph), syntax="nt")
    assert stated(benchmark.graph) == stated(graph)
    assert benchmark.name == TYPED["name"]
    for style in ("improved", "plain"):
        document = json.loads(json.dumps(benchmark.to_jsonld(style)))
        assert stated(Benchmark.load(json.dumps(document).encode()).graph) == stated(graph), style
        for form in (document, jsonld.expand(document, contexts.options())) if style == "improved" else ():
            for processor in ("PyLD", "pyoxigraph"):
                assert statements_of(processor, form) == statements_of_graph(graph), processor


@pytest.mark.parametrize("texts", ['"a"@de', '"a"@de "b"@de', '"a"@de "b"@fr', '"a"^^<urn:x:type>', '( "a"@de )'])
@pytest.mark.parametrize("key", ["keywords", "url"])
def test_a_list_of_texts_with_a_language_or_a_datatype_is_written_as_json_ld(key: str, texts: str) -> None:
    turtle = Benchmark.load(json.dumps(rich()).encode()).to_turtle()
    benchmark = Benchmark.load(f"{turtle}\n<{rich()['@id']}> schema:{key} ( {texts} ) .\n".encode(), syntax="turtle")
    improved = benchmark.to_jsonld()
    for processor in ("PyLD", "pyoxigraph"):
        assert statements_of(processor, improved) == statements_of_graph(benchmark.graph), processor
    jsonld.expand(benchmark.to_jsonld("plain"), contexts.options())


@pytest.mark.parametrize("typing", [{"@language": "de"}, {"@type": "urn:x:type"}])
@pytest.mark.parametrize("key", ["name", "description", "version", "dateModified"])
def test_a_text_with_a_language_is_read_written_and_validated_as_a_text(key: str, typing: Json, tmp_path: Path) -> None:
    plain, document = rich(), rich()
    document[key] = {"@value": document[key], **typing}
    file = tmp_path / "one.jsonld"
    file.write_text(json.dumps(document), encoding="utf-8")
    benchmark = Benchmark.load(file)
    assert benchmark.to_jsonld("plain")[key] == plain[key]
    benchmark.save(file)
    assert json.loads(file.read_text(encoding="utf-8")) == document
    wanted = [found.code for found in validate(json.dumps(plain).encode()).findings]
    assert [found.code for found in validate(file).findings if found.condition != "W-FORM"] == wanted
    benchmark.add_question("And now?", "Now")
    benchmark.save(file)
    again = Benchmark.load(file)
    [text] = again.graph.objects(again.graph.root, URIRef(SCHEMA + key))
    assert isinstance(text, Literal)
    if key != "dateModified":  # an edit dates the benchmark
        assert (text.language, str(text.datatype)) == (typing.get("@language"), str(typing.get("@type")))


@pytest.mark.parametrize("dialect", ["v2.0", "gui-datafeed", "dataset-1"])
def test_a_dialect_without_a_place_for_languages_and_datatypes_names_each(dialect: str, tmp_path: Path) -> None:
    document = rich()
    document["name"] = {"@value": document["name"], "@language": "de"}
    question = document["dataFeedElement"][0]["item"]
    question["text"] = {"@value": question["text"], "@type": "urn:x:type"}
    found = Benchmark.load(json.dumps(document).encode()).save(tmp_path / "one.json", dialect=dialect)
    typings = {
        one.place.pointer: one.message for one in found if "language" in one.message or "datatype" in one.message
    }
    assert typings.keys() == {"/name", "/dataFeedElement/0/item/text"}
    assert "language de" in typings["/name"]
    assert "datatype urn:x:type" in typings["/dataFeedElement/0/item/text"]


@pytest.mark.slow
@pytest.mark.parametrize("key", ["@type", "@id"])
@pytest.mark.parametrize("value", [None, 5, [None], {}, [["x"]]])
@pytest.mark.parametrize("kind", ["unknown", "rating", "answer"])
def test_a_type_or_identifier_that_no_processor_takes_is_named_and_left_out(kind: str, value: Json, key: str) -> None:
    document = rich()
    dict(objects(document))[kind][key] = value
    benchmark = Benchmark.load(json.dumps(document).encode())
    messages = [found.message for found in benchmark.findings if found.condition == "W-FORM"]
    if (key, value) != ("@id", None):  # which is as good as no @id
        assert [f"the {key} at /" in message for message in messages] == [True]
    assert same(benchmark.to_jsonld("plain"), document)
    assert statements_of("PyLD", benchmark.to_jsonld()) == statements_of_graph(benchmark.graph)
    assert statements_of("pyoxigraph", benchmark.to_jsonld()) == statements_of_graph(benchmark.graph)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "root"])
def test_an_empty_context_of_an_object_stays_after_an_edit(kind: str, tmp_path: Path) -> None:
    document = rich()
    dict(objects(document))[kind]["@context"] = {}
    after = edited(document, tmp_path / "one.jsonld")
    assert same(after, {**document, **{key: after[key] for key in EDITED}})
    benchmark = Benchmark.load(json.dumps(document).encode())
    assert "W-FORM" not in {found.condition for found in benchmark.findings}
    assert statements_of("PyLD", benchmark.to_jsonld()) == statements_of_graph(benchmark.graph)


@pytest.mark.parametrize("text", ['{"a":1,"b":2,"a":3}', "no JSON", "[1,", "NaN", '{"a":1e999}', ""])
@pytest.mark.parametrize("key", ["note", "value"])
def test_a_json_literal_that_json_cannot_state_stays_as_it_is(key: str, text: str) -> None:
    graph = Benchmark.load(json.dumps(rich()).encode()).graph
    entry = URIRef(f"{graph.root}#/additionalProperty/1")
    literal = Literal(text, datatype=URIRef(RDF + "JSON"), normalize=False)
    graph.add((graph.root, URIRef(SCHEMA + "additionalProperty"), entry))
    graph.add((entry, URIRef(SCHEMA + "name"), Literal("own")))
    graph.add((entry, URIRef(SCHEMA + key), literal))
    benchmark = Benchmark.load(emission.ntriples_of(graph), syntax="nt")
    assert literal in set(benchmark.graph.objects(None, URIRef(SCHEMA + key)))
    for style in ("improved", "plain"):
        again = Benchmark.load(json.dumps(benchmark.to_jsonld(style)).encode())
        assert stated(again.graph) == stated(benchmark.graph)
