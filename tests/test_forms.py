"""Any legal JSON-LD form of a checkpoint is the same checkpoint, and reading one opens no connection."""

import json
import socket
from collections.abc import Callable
from typing import NoReturn

import pytest
from pyld import jsonld
from rdflib import Graph, URIRef, Variable

from checkpoint_ld import Benchmark, ReadError, validate
from checkpoint_ld.dialects import reading
from checkpoint_ld.graph import contexts, emission
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.layouts import POSITION
from checkpoint_ld.graph.literals import same
from checkpoint_ld.graph.store import SubjectIndexStore
from checkpoint_ld.vocabulary import KARENINA, SCHEMA, SCHEMA_HTTP
from tests.documents import Json, canonical, item, rating, scenario, setting


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)


def document() -> Json:
    tree = canonical(item(), item("Which metal is heaviest?", "urn:uuid:question-metal-2"))
    tree["additionalProperty"] += [setting("half", 2.0), setting("one", ["x"]), setting("nothing", None)]
    tree["dataFeedElement"][0]["item"]["additionalProperty"].append(setting("custom_map", {"b": 1, "a": [2.0]}))
    return tree


def loaded(value: Json) -> Benchmark:
    return Benchmark.load(json.dumps(value).encode())


def improved() -> Json:
    return emission.jsonld_of(CheckpointGraph.of_tree(document()))


def with_full_iris(value: Json) -> Json:
    if isinstance(value, dict):
        named = {
            key if key.startswith("@") else SCHEMA + key: one if key == "value" else with_full_iris(one)
            for key, one in value.items()
        }
        return {**named, "@type": SCHEMA + named["@type"]} if "@type" in named else named
    return [with_full_iris(one) for one in value] if isinstance(value, list) else value


FORMS: dict[str, Callable[[], Json]] = {
    "expanded": lambda: jsonld.expand(improved(), contexts.options()),
    "flattened": lambda: jsonld.flatten(improved(), None, contexts.options()),
    "compacted under our context": lambda: jsonld.compact(improved(), improved()["@context"], contexts.options()),
    "framed under our context": lambda: jsonld.frame(
        improved(), {"@context": improved()["@context"], "@type": "DataFeed"}, contexts.options()
    ),
    "expanded by us": lambda: emission.expanded_of(CheckpointGraph.of_tree(document())),
    "in a root array": lambda: [document()],
    "in a @graph": lambda: {
        "@context": document()["@context"],
        "@graph": [{key: one for key, one in document().items() if key != "@context"}],
    },
    "under full IRIs": lambda: {
        "@context": {"karenina": "urn:karenina:vocab:"},
        **with_full_iris({key: one for key, one in document().items() if key != "@context"}),
    },
    "with @type as an array": lambda: {**document(), "@type": ["DataFeed"]},
    "with @context as an array": lambda: {**document(), "@context": [document()["@context"]]},
    "with a single value in place of an array": lambda: {**document(), "rating": document()["rating"][0]},
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_holds_the_same_statements(form: str) -> None:
    read = loaded(FORMS[form]())
    plain = loaded(document())
    assert set(read.graph) == set(plain.graph)
    if form != "expanded by us":
        assert "W-FORM" in {one.condition for one in read.findings}
    assert "W-FORM" not in {one.condition for one in plain.findings}


def test_questions_stay_in_order_where_their_ids_are_no_iris() -> None:
    tree = canonical(item("Second?", "b 2"), item("First?", "a 1"))
    read = loaded(with_full_iris({key: one for key, one in tree.items() if key != "@context"}))
    assert read.get_question_ids() == ["b 2", "a 1"]


@pytest.mark.parametrize("context", [contexts.plain(), {"@vocab": SCHEMA}])
def test_value_objects_of_a_processor_are_values_without_traits_too(context: Json) -> None:
    bare = {key: one for key, one in document().items() if key != "rating"}
    for element in bare["dataFeedElement"]:
        element["item"].pop("rating", None)
    written = emission.jsonld_of(CheckpointGraph.of_tree(bare))
    read = loaded(jsonld.compact(written, context, contexts.options()))
    assert set(read.graph) == set(loaded(bare).graph)


SCENARIOS: dict[str, Callable[[Json], Json]] = {
    "expanded": lambda written: jsonld.expand(written, contexts.options()),
    "flattened": lambda written: jsonld.flatten(written, None, contexts.options()),
    "flattened under our context": lambda written: jsonld.flatten(written, written["@context"], contexts.options()),
    "under another context": lambda written: jsonld.compact(
        written, {"@vocab": SCHEMA, "karenina": KARENINA}, contexts.options()
    ),
    "with all names, under our context": lambda written: jsonld.compact(
        emission.expanded_of(CheckpointGraph.of_tree(scenario())), written["@context"], contexts.options()
    ),
}
"""What JSON-LD processors make of scenarios, whose nodes stand in a map by their keys, which they sort."""


@pytest.mark.parametrize("form", SCENARIOS)
def test_every_form_holds_the_same_scenarios(form: str) -> None:
    read = loaded(SCENARIOS[form](emission.jsonld_of(CheckpointGraph.of_tree(scenario()))))
    for benchmark in (read, plain := loaded(scenario())):
        benchmark.graph.remove((None, POSITION, None))
    assert set(read.graph) == set(plain.graph)


def test_our_statements_are_read_in_the_other_schema_org() -> None:
    plain = loaded(document())
    read = Benchmark.load(plain.to_ntriples().replace(SCHEMA, SCHEMA_HTTP).encode(), syntax="nt")
    assert set(read.graph) == set(plain.graph)


def test_a_remote_context_is_never_fetched() -> None:
    known = loaded({**document(), "@context": "https://schema.org"})
    assert "W-CONTEXT" not in {one.condition for one in known.findings}
    unknown = loaded({**document(), "@context": "https://evil.example/context.jsonld"})
    assert "W-CONTEXT" in {one.condition for one in unknown.findings}
    assert unknown.question_count == known.question_count == 2
    with pytest.raises(ReadError, match=r"never fetched|not shipped"):
        loaded([{"@context": "https://evil.example/c", "@graph": [{"@type": "x:DataFeed"}, {"@type": "x:Thing"}]}])


def test_statements_beside_the_checkpoint_are_kept() -> None:
    turtle = loaded(document()).to_turtle() + "\n<urn:x:other> <urn:x:says> 'something', [ <urn:x:p> 1 ] ."
    read = Benchmark.load(turtle.encode(), syntax="turtle")
    assert (URIRef("urn:x:other"), None, None) in read.graph
    again = loaded(read.to_jsonld())
    assert (URIRef("urn:x:other"), None, None) in again.graph


def test_a_node_without_a_name_is_called_the_same_whenever_it_is_read() -> None:
    nodes = {"start": {"@type": "karenina:ScenarioNode", "schema:name": "start"}}
    tree = canonical(item())
    tree["hasPart"] = [{"@type": "karenina:Scenario", "name": "flow", "entryNode": "start", "nodes": nodes}]
    text = json.dumps(tree).encode()
    assert reading.examine(text).tree == reading.examine(text).tree


def test_the_store_is_one_of_rdflib_s() -> None:
    graph = Graph(store=SubjectIndexStore(), identifier="urn:x:graph")
    graph.parse(data="<urn:a> <urn:p> <urn:b>, <urn:c> . <urn:b> <urn:p> 'x' .", format="turtle")
    a, p = URIRef("urn:a"), URIRef("urn:p")
    assert len(graph) == 3
    assert set(graph.objects(a, p)) == {URIRef("urn:b"), URIRef("urn:c")}
    assert set(graph.subjects(p, URIRef("urn:c"))) == {a}
    assert {predicate for _, predicate, _ in graph.triples((None, None, URIRef("urn:b")))} == {p}
    [found] = graph.query("SELECT ?s { ?s ?p 'x' }").bindings
    assert found[Variable("s")] == URIRef("urn:b")
    graph.remove((a, None, None))
    assert len(graph) == 1
    assert not set(graph.triples((a, None, None)))


NESTED: Json = {
    "@id": "urn:x:nested",
    "name": "another one",
    "isPartOf": {"@id": document()["@id"]},
    "dataFeedElement": [{"@type": "DataFeedItem", "name": "not of this one"}],
}


def with_nested(kind: str, place: str) -> Json:
    """Return a benchmark in which an object at some place says that it is a feed or a dataset itself."""
    tree, nested = document(), {"@type": kind, **NESTED}
    question = tree["dataFeedElement"][0]["item"]
    if place == "an element":
        tree["dataFeedElement"][0]["@type"] = kind
    elif place == "without identifier":
        tree["isBasedOn"] = {key: one for key, one in nested.items() if key != "@id"}
    else:
        holder, key = {
            "an unknown member": (tree, "isBasedOn"),
            "an unknown member of a question": (question, "isBasedOn"),
            "included": (tree, "@included"),
            "a property": (tree, "additionalProperty"),
        }[place]
        holder[key] = nested if key == "isBasedOn" else [*holder.get(key, []), nested]
    return tree


PLACES = ("an unknown member", "an unknown member of a question", "included", "a property", "an element")


@pytest.mark.slow
@pytest.mark.parametrize("place", [*PLACES, "without identifier"])
@pytest.mark.parametrize("kind", ["DataFeed", "Dataset"])
def test_a_nested_feed_or_dataset_is_no_second_checkpoint(kind: str, place: str) -> None:
    benchmark = loaded(with_nested(kind, place))
    texts = {
        "nt": benchmark.to_ntriples(),
        "turtle": benchmark.to_turtle(),
        "nq": benchmark.to_nquads(),
        "trig": benchmark.to_trig(),
        "xml": benchmark.graph.serialize(format="xml"),
    }
    for syntax, text in texts.items():
        again = Benchmark.load(text.encode(), syntax=syntax)
        assert (again.graph.root, again.question_count) == (benchmark.graph.root, 2)
        assert same(again.graph.tree(), benchmark.graph.tree()), syntax


@pytest.mark.parametrize("algorithm", [jsonld.expand, lambda *given: jsonld.flatten(given[0], None, given[1])])
@pytest.mark.parametrize("kind", ["DataFeed", "Dataset"])
def test_the_root_in_other_forms_is_what_nothing_refers_to(kind: str, algorithm: Callable[..., Json]) -> None:
    whole = loaded(with_nested(kind, "an unknown member of a question"))
    read = loaded(algorithm(whole.to_jsonld(), contexts.options()))
    assert read.graph.root == whole.graph.root
    assert set(read.graph) == set(whole.graph)


def test_integers_stay_integers_under_keys_that_a_document_does_not_define() -> None:
    value = canonical(item())
    value["dataFeedElement"][0]["item"]["rating"] = [{**rating("r"), "bestRating": 5, "worstRating": 1}]
    value["@context"] = {"schema": SCHEMA}
    value["schema:dataFeedElement"] = value.pop("dataFeedElement")
    [read] = loaded(value).to_jsonld()["dataFeedElement"][0]["item"]["rating"]
    assert (repr(read["bestRating"]), repr(read["worstRating"])) == ("5", "1")


@pytest.mark.parametrize(
    "value",
    [
        {"@value": "x", "@direction": "rtl"},
        {"@value": "x", "@direction": "rtl", "@language": "ar"},
        {"@value": "x", "@index": "i"},
        {"@value": None},
    ],
    ids=str,
)
def test_a_value_object_that_expansion_would_change_is_kept_in_other_forms(value: Json) -> None:
    document = canonical(item())
    document["@context"] = {"schema": SCHEMA}
    document["schema:dataFeedElement"] = document.pop("dataFeedElement")
    document["schema:note"] = value
    assert loaded(document).to_jsonld()["note"] == value


@pytest.mark.parametrize("kind", [[None], [{}], [["Question"]]], ids=str)
def test_a_type_that_is_no_text_is_no_json_ld(kind: Json) -> None:
    value = document()
    question = value["dataFeedElement"][0]["item"]
    question["@type"] = kind
    question["https://schema.org/description"] = "in another form than plain keys"
    with pytest.raises(ReadError, match=r"E-JSONLD .*@type"):
        loaded(value)


def test_two_checkpoints_are_still_two() -> None:
    other = {**document(), "@id": "urn:x:other"}
    texts = [loaded(one).to_ntriples() for one in (document(), other)]
    with pytest.raises(ReadError, match=r"2 checkpoints: urn:uuid:karenina-checkpoint-\S+, urn:x:other"):
        Benchmark.load("".join(texts).encode(), syntax="nt")


def test_a_form_in_a_node_of_a_scenario_is_found_under_the_pointer_of_its_key() -> None:
    tree = scenario()
    nodes = tree["hasPart"][0]["nodes"]
    nodes["a/b~c"] = nodes.pop("start here")
    nodes["a/b~c"]["question"]["rating"] = [{**rating("r"), "additionalType": f"{KARENINA}GlobalLLMRubricTrait"}]
    held = [one.message for one in validate(json.dumps(tree).encode()).findings if one.code == "KD012"]

    assert len(held) == 1
    assert "a full IRI at /hasPart/0/nodes/a~1b~0c/question/rating/0/additionalType" in held[0]
