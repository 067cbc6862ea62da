"""Derived statements can be distinguished from those of the document, and reading passes them over."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rdflib import RDF, Graph, Literal, URIRef

import checkpoint_ld
from checkpoint_ld import Benchmark
from checkpoint_ld.dialects import reading
from checkpoint_ld.dialects.reading import examine_bytes
from checkpoint_ld.dialects.reading.statements import DERIVED, mark_of, without_derived
from checkpoint_ld.entities.template_spec import MARKER, TemplateFieldSpec, TemplateSpec
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.literals import json_of, literal_of, same
from checkpoint_ld.graph.store import Index, triples_of
from checkpoint_ld.rules import document
from checkpoint_ld.secrets import secret
from checkpoint_ld.templates.primitives import registry
from checkpoint_ld.templates.specification import source_of
from checkpoint_ld.validation.inference import infer, roles, with_inferred
from checkpoint_ld.validation.inference.benchmark import BOUNDS, CLASSIFYING, classes_of
from checkpoint_ld.validation.inference.inferred_graph import SINGULAR, STRATEGIES
from checkpoint_ld.vocabulary import DYNAMIC, KARENINA, SCHEMA, SETTINGS, TRAIT_FAMILIES
from tests.corpus import DIALECTS, expectations, loaded
from tests.documents import Json, canonical, item, rich, scenario
from tests.inference.documents import document_of, documents, question, telling
from tests.templates.specs import specs
from tests.trials import examples, some
from tests.validation.feeds import FOLDERS, damaged, feed, readings
from tests.validation.test_mutations import mutated


def expanded(graph: CheckpointGraph) -> bytes:
    return json.dumps(emission.expanded_of(graph)).encode()


SYNTAXES = {
    "nt": emission.ntriples_of,
    "turtle": emission.turtle_of,
    "nq": emission.nquads_of,
    "trig": emission.trig_of,
    "json": expanded,
}

each_document = pytest.mark.parametrize("make", [canonical, rich, scenario, telling])


def triples(index: Index) -> set[Any]:
    return set(triples_of(index))


@each_document
def test_what_was_derived_can_be_taken_out_again(make: Any) -> None:
    graph = CheckpointGraph.of_tree(make())
    before = triples(graph.index)
    derived = with_inferred(graph)

    assert before < triples(derived.index)
    assert triples(without_derived(derived.index)) == before
    assert triples(graph.index) == before, "deriving changes nothing"


@pytest.mark.slow
@settings(max_examples=examples(100))
@given(documents())
def test_whatever_a_document_states_derived_statements_are_distinguished_from_its_own(tree: Json) -> None:
    graph = CheckpointGraph.of_tree(tree)
    derived = with_inferred(graph)

    assert triples(graph.index) <= triples(derived.index)
    assert triples(without_derived(derived.index)) == triples(graph.index)
    assert triples(with_inferred(graph).index) == triples(derived.index), "two derivations are equal"
    assert triples(with_inferred(derived).index) == triples(derived.index), "nothing is derived twice"


@pytest.mark.slow
@settings(max_examples=examples(30))
@given(documents())
def test_a_document_comes_back_from_every_syntax_as_if_nothing_had_been_derived(tree: Json) -> None:
    graph = CheckpointGraph.of_tree(tree)
    for syntax, write in SYNTAXES.items():
        plain, derived = write(graph), write(with_inferred(graph))
        assert plain != derived
        read = [reading.examine(data, syntax=syntax).tree for data in (plain, derived)]
        assert same(*read), syntax


@each_document
def test_a_document_comes_back_byte_for_byte(make: Any) -> None:
    benchmark = Benchmark.load(json.dumps(make()).encode())
    for write, syntax in ((benchmark.to_ntriples, "nt"), (benchmark.to_turtle, "turtle"), (benchmark.to_trig, "trig")):
        back = Benchmark.load(write(inferred=True).encode(), syntax=syntax)
        assert back.to_ntriples() == benchmark.to_ntriples()
        assert json.dumps(back.to_jsonld("plain")) == json.dumps(benchmark.to_jsonld("plain"))


def test_edits_after_reading_are_edits_of_the_document() -> None:
    benchmark = Benchmark.load(json.dumps(telling()).encode())
    back = Benchmark.load(benchmark.to_nquads(inferred=True).encode(), syntax="nq")
    for one in (benchmark, back):
        one.name = "Alloys"
        one.description = "of metals"
    assert back.to_jsonld()["name"] == "Alloys"
    changed = ("dateModified",)
    documents_ = [
        {key: value for key, value in one.to_jsonld().items() if key not in changed} for one in (benchmark, back)
    ]
    assert same(*documents_)


def test_a_graph_of_rdflib_with_inferred_statements_is_read_without_them() -> None:
    benchmark = Benchmark.load(json.dumps(telling()).encode())
    assert same(Benchmark.load(benchmark.inferred_graph()).to_jsonld(), benchmark.to_jsonld())


def test_what_somebody_adds_to_a_graph_with_inferred_statements_stays() -> None:
    derived = with_inferred(CheckpointGraph.of_tree(canonical()))
    licence = (derived.root, URIRef("https://schema.org/license"), Literal("CC0"))
    derived.add(licence)

    assert licence in triples(without_derived(derived.index))


@pytest.mark.parametrize(
    "own",
    [
        Literal("yes"),
        literal_of({"predicates": ["https://schema.org/name"], "classes": [], "check": "0" * 12}, "@json"),
        literal_of({"predicates": "name", "classes": [], "check": ""}, "@json"),
        literal_of([1], "@json"),
        mark_of(URIRef("urn:x:another-root"), [URIRef("https://schema.org/name")], []),
    ],
)
def test_a_mark_that_is_not_ours_takes_nothing_out(own: Literal) -> None:
    graph = CheckpointGraph.of_tree(canonical())
    graph.add((graph.root, DERIVED, own))

    assert without_derived(graph.index) is graph.index
    assert triples(without_derived(with_inferred(graph).index)) == triples(graph.index)


def test_a_name_that_the_document_uses_is_not_derived_on_its_objects() -> None:
    tree = canonical(item(), item("Second?", "urn:uuid:second"))
    tree["dataFeedElement"][1]["item"]["karenina:finished"] = "nearly"
    derived = with_inferred(CheckpointGraph.of_tree(tree))

    stated = [str(term) for term in derived.objects(predicate=URIRef("urn:karenina:vocab:finished"))]
    assert stated == ["nearly"]


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_real_documents_come_back_as_if_nothing_had_been_derived(corpus: Path, dialect: str) -> None:
    for case in some(expectations(corpus, dialect), 8):
        graph = loaded(corpus / case["file"]).graph
        derived = with_inferred(graph)
        assert triples(without_derived(derived.index)) == triples(graph.index), case["file"]
        back = Benchmark.load(emission.ntriples_of(derived), syntax="nt")
        assert same(
            back.to_jsonld("plain"), Benchmark.load(emission.ntriples_of(graph), syntax="nt").to_jsonld("plain")
        )


def test_both_libraries_read_all_statements() -> None:
    benchmark = Benchmark.load(json.dumps(telling()).encode())
    turtle = benchmark.to_turtle(inferred=True)
    triples_in_all = len(benchmark.inferred_graph())
    assert len(Graph().parse(data=turtle, format="turtle")) == triples_in_all
    assert len(list(pyoxigraph.parse(turtle, format=pyoxigraph.RdfFormat.TURTLE))) == triples_in_all


def test_validation_finds_in_a_file_with_inferred_statements_what_it_finds_without() -> None:
    benchmark = Benchmark.load(json.dumps(telling()).encode())
    texts = (benchmark.to_ntriples(inferred=inferred) for inferred in (False, True))
    plain, derived = (checkpoint_ld.validate(text.encode(), syntax="nt", profile="strict") for text in texts)
    assert [one.code for one in plain.findings]
    assert derived.findings == plain.findings


def test_inference_only_reads_so_that_several_threads_may_infer_from_one_graph() -> None:
    benchmark = Benchmark.load(json.dumps(telling()).encode())
    shared = benchmark.clone().graph.held  # an edit would give the benchmark an index of its own
    with ThreadPoolExecutor(4) as pool:
        texts = {*pool.map(lambda _: benchmark.to_ntriples(inferred=True), range(8))}
    assert len(texts) == 1
    assert benchmark.graph.held is shared


# --- What is derived by the layout of objects is what is derived from each of them.


def both_ways(graph: CheckpointGraph) -> tuple[set[Any], set[Any]]:
    """Return what is derived with layouts, and what is derived by reading every object whole."""
    quick = set(triples_of(infer(graph)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(roles, "layout_of", lambda *_arguments: None)
        return quick, set(triples_of(infer(graph)))


def graph_of(tree: Any) -> CheckpointGraph:
    return examine_bytes(json.dumps(tree).encode()).graph


@settings(max_examples=examples(150), deadline=None)
@given(damaged() | mutated())
@example(feed())
@example(document("interview"))
def test_the_same_is_derived_as_by_reading_every_object(tree: Any) -> None:
    try:
        graph = graph_of(tree)
    except ReadError:
        return

    quick, whole = both_ways(graph)

    assert quick == whole


@settings(max_examples=examples(30), deadline=None)
@given(st.dictionaries(st.sampled_from(["url", "texts", "karenina:x", "author"]), st.lists(st.text(max_size=2))))
def test_keys_that_nobody_knows_are_derived_with_their_arrays(added: dict[str, list[str]]) -> None:
    tree = feed()
    tree["dataFeedElement"][0]["item"].update(added)

    quick, whole = both_ways(graph_of(tree))

    assert quick == whole
    assert {str(term) for _, predicate, term in quick if predicate.endswith("unknownKey")} >= added.keys() - {
        key for key, values in added.items() if not values
    }


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_the_same_is_derived_of_the_corpus(corpus: Path, folder: str) -> None:
    for path, found in readings(corpus, folder, 12):
        quick, whole = both_ways(found.graph)
        assert quick == whole, path


# --- What is derived from a template, held against the specification that the template was written from.


DERIVED_FIELDS = "Derived"


class Told:
    """A graph, queried by the names of the vocabulary."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def nodes(self, node: Any, name: str) -> list[Any]:
        """Return the nodes that a node is linked to, in the order of the indices in their names."""
        found = self.graph.objects(node, URIRef(KARENINA + name))
        return sorted(found, key=lambda one: int(str(one).rpartition("/")[2]) if name != "primitive" else 0)

    def values(self, node: Any, iri: str) -> list[Json]:
        found = self.graph.objects(node, URIRef(iri))
        return [json_of(one, "@json") for one in found if isinstance(one, Literal)]

    def value(self, node: Any, iri: str) -> Json:
        return next(iter(self.values(node, iri)), None)

    def kind(self, node: Any) -> str:
        names = (str(one).removeprefix(KARENINA) for one in self.graph.objects(node, RDF.type))
        return next(name for name in names if name != DERIVED_FIELDS)


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.title, rest))


def check_primitive(shown: Told, node: Any, serialised: Json) -> None:
    primitive = registry()[serialised["type"]]
    (how,) = shown.nodes(node, "primitive")
    assert shown.kind(how) == primitive.name
    for parameter in primitive.parameters:
        stated = shown.values(how, KARENINA + camel(SINGULAR.get(parameter.name, parameter.name)))
        value = serialised[parameter.name]
        expected = value if isinstance(value, list) and parameter.name in SINGULAR else [value]
        assert all(one in stated for one in expected if one is not None), parameter
        assert all(one in expected for one in stated), parameter


def check_field(shown: Told, node: Any, field: TemplateFieldSpec) -> None:
    assert shown.value(node, SCHEMA + "name") == field.name
    assert shown.value(node, SCHEMA + "description") == field.description
    assert shown.value(node, KARENINA + "fieldType") == field.type
    assert shown.value(node, KARENINA + "extractionHint") == field.extraction_hint
    assert shown.value(node, KARENINA + "weight") == field.weight
    assert shown.value(node, KARENINA + "isTrace") == field.is_trace
    assert set(shown.values(node, KARENINA + "literalValue")) == set(field.literal_values or ())
    check_primitive(shown, node, field.verify_with)
    truth: Json = field.ground_truth
    if not isinstance(truth, dict) or truth.get(MARKER) is not True:
        assert shown.value(node, KARENINA + "groundTruth") == truth
        return
    assert shown.value(node, KARENINA + "statePath") == truth["source"]
    cases = [*truth["cases"].items(), (None, truth["default"])]
    for case, (value, stated) in zip(shown.nodes(node, "groundTruthCase"), cases, strict=True):
        assert shown.value(case, KARENINA + "stateValue") == value
        assert shown.value(case, KARENINA + "groundTruth") == stated["value"]
        if stated["verify_with"] is not None:
            check_primitive(shown, case, stated["verify_with"])


def check_strategy(shown: Told, node: Any, words: Json, names: dict[Any, str]) -> None:
    assert shown.kind(node) == STRATEGIES[words.type]
    assert shown.value(node, KARENINA + "n") == words.n
    checked = [names[one] for one in shown.graph.objects(node, URIRef(KARENINA + "checksField"))]
    assert checked == ([] if words.field_name is None else [words.field_name])
    for one, condition in zip(shown.nodes(node, "verifyCondition"), words.conditions, strict=True):
        check_strategy(shown, one, condition, names)


@pytest.mark.slow
@settings(max_examples=examples(150))
@given(specs())
def test_a_graph_states_what_the_specification_of_a_template_states(spec: TemplateSpec) -> None:
    tree = document_of(question(template=source_of(spec)))
    held = Told(with_inferred(CheckpointGraph.of_tree(tree)))
    item = URIRef("urn:uuid:Q#/item")

    nodes = held.nodes(item, "templateField")
    for node, field in zip(nodes, spec.fields, strict=True):
        check_field(held, node, field)
    root = held.graph.value(item, URIRef(KARENINA + "verifyStrategy"))
    assert (root is None) is (spec.verify_strategy is None)
    if root is not None:
        names = dict(zip(nodes, (field.name for field in spec.fields), strict=True))
        check_strategy(held, root, spec.verify_strategy, names)
    assert secret(spec.model_dump()) is None, "values that are withheld would be missing"


# --- The classes of a trait follow from its type, its bounds and a few of its settings.


VALUES: tuple[Any, ...] = (None, True, 0, 1, 5.0, "5", "score", "boolean", "literal", "regex", "full_matrix", {}, [])


class Asked(dict[str, Any]):
    """Values that remember what they were requested."""

    def __init__(self, **values: Any) -> None:
        super().__init__(values)
        self.names: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.names.add(name)
        return super().get(name, default)


@pytest.mark.parametrize("suffix", [*TRAIT_FAMILIES, DYNAMIC])
def test_nothing_but_what_shows_is_requested(suffix: str) -> None:
    bounds, values = Asked(), Asked()
    for name in (None, *CLASSIFYING):
        for found in VALUES:
            for family in (None, *TRAIT_FAMILIES.values()):
                values.clear()
                values.update({"dynamic_trait_type": family} | ({} if name is None else {name: found}))
                bounds.update(bestRating=5.0, worstRating=found)
                classes_of(suffix, bounds, values)

    assert values.names <= CLASSIFYING <= set(SETTINGS["Trait"])
    assert bounds.names <= set(BOUNDS)
