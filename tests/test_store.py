"""The subject index behind a graph is a usual rdflib store: of one graph, and as fast with many values as with few."""

import copy
import gc
import pickle
import warnings
import weakref
from collections.abc import Iterator
from typing import Any

import pyshacl
import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from rdflib import BNode, Dataset, Graph, Literal, URIRef, Variable
from rdflib.plugins.stores.memory import Memory
from rdflib.store import Store

from checkpoint_ld.errors import WriteError
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.literals import typed
from checkpoint_ld.graph.store import SubjectIndexStore, drop, put, terms_of, triples_of
from checkpoint_ld.vocabulary import SCHEMA, XSD
from tests.documents import canonical, item, scenario
from tests.trials import examples

TARGET = URIRef("urn:s")
VALUE = URIRef("urn:p")
MANY = 20_000

NODES = st.sampled_from([URIRef("urn:a"), URIRef("urn:b"), BNode("c")])
PREDICATES = st.sampled_from([URIRef("urn:p"), URIRef("urn:q")])
TERMS = st.one_of(NODES, st.sampled_from([Literal("x"), Literal("x", lang="en"), Literal(1), Literal("1"), Literal(2)]))
TRIPLES = st.tuples(NODES, PREDICATES, TERMS)
PATTERNS = st.tuples(st.one_of(st.none(), NODES), st.one_of(st.none(), PREDICATES), st.one_of(st.none(), TERMS))


def fresh() -> Graph:
    return Graph(SubjectIndexStore())


def graph_of(tree: Any) -> CheckpointGraph:
    return CheckpointGraph.of_tree(tree)


@given(st.lists(TRIPLES, max_size=20))
def test_the_index_holds_each_triple_once(triples: list[Any]) -> None:
    index: dict[Any, Any] = {}
    new = [triple for triple in triples if put(index, *triple)]
    assert sorted(new, key=repr) == sorted(triples_of(index), key=repr) == sorted(set(triples), key=repr)
    for subject, predicate, term in new:
        drop(index, subject, predicate, {term})
    assert index == {}
    assert list(terms_of(None)) == []


# --- held against rdflib's own store, step by step

OURS, OTHER = URIRef("urn:g"), URIRef("urn:other")
CHOICES = st.one_of(
    st.tuples(st.lists(NODES, unique=True), st.one_of(st.none(), PREDICATES), st.one_of(st.none(), TERMS)),
    st.tuples(st.one_of(st.none(), NODES), st.lists(PREDICATES, unique=True), st.one_of(st.none(), TERMS)),
    st.tuples(st.one_of(st.none(), NODES), st.one_of(st.none(), PREDICATES), st.lists(TERMS, unique=True)),
)
PREFIXES = st.sampled_from(["x", "y", "z"])
NAMESPACES = st.sampled_from([URIRef("urn:x:"), URIRef("urn:y:"), URIRef("urn:z:")])


def named(store: Store, name: URIRef = OURS) -> Graph:
    return Graph(store, identifier=name, bind_namespaces="none")


class StoreMachine(RuleBasedStateMachine):
    """Does the same to a subject index store and to rdflib's Memory; both hold the same at every step."""

    def __init__(self) -> None:
        super().__init__()
        self.stores: tuple[Store, Store] = SubjectIndexStore(), Memory()
        for store in self.stores:
            store.add_graph(named(store))

    @rule(triple=TRIPLES)
    def add(self, triple: Any) -> None:
        for store in self.stores:
            store.add(triple, named(store))

    @rule(triples=st.lists(TRIPLES, min_size=2, max_size=6))
    def add_several(self, triples: list[Any]) -> None:
        for store in self.stores:
            graph = named(store)
            store.addN((*triple, graph) for triple in triples)

    @rule(pattern=PATTERNS, name=st.sampled_from([OURS, OTHER]))
    def remove(self, pattern: Any, name: URIRef) -> None:
        for store in self.stores:
            store.remove(pattern, named(store, name))

    @rule(triple=TRIPLES)
    def set_the_only_value(self, triple: Any) -> None:
        for store in self.stores:
            named(store).set(triple)

    @rule()
    def forget_the_graph(self) -> None:
        for store in self.stores:
            store.remove_graph(named(store))
            store.add_graph(named(store))

    @rule(prefix=PREFIXES, namespace=NAMESPACES, override=st.booleans())
    def bind(self, prefix: str, namespace: URIRef, override: bool) -> None:
        # Memory loses prefixes when they are bound again; so this is held against what `bind` says that it does.
        store = self.stores[0]
        before = dict(store.namespaces())
        store.bind(prefix, namespace, override=override)
        after = dict(store.namespaces())
        if override or (prefix not in before and namespace not in before.values()):
            others = {one: bound for one, bound in before.items() if one != prefix and bound != namespace}
            assert after == {**others, prefix: namespace}
        else:
            assert after == before

    @rule(make=st.sampled_from([copy.deepcopy, lambda store: pickle.loads(pickle.dumps(store))]))
    def go_on_with_a_copy(self, make: Any) -> None:
        ours, theirs = self.stores
        self.stores = make(ours), theirs
        ours.add((TARGET, VALUE, Literal("only here")), named(ours))

    @rule(pattern=PATTERNS, name=st.sampled_from([None, OURS, OTHER]))
    def ask(self, pattern: Any, name: URIRef | None) -> None:
        ours, theirs = (
            sorted(
                (triple, [one.identifier for one in contexts if one is not None])
                for triple, contexts in store.triples(pattern, None if name is None else named(store, name))
            )
            for store in self.stores
        )
        assert ours == theirs

    @rule(pattern=CHOICES)
    def ask_for_one_of_several(self, pattern: Any) -> None:
        ours, theirs = ({triple for triple, _ in store.triples_choices(pattern)} for store in self.stores)
        assert ours == theirs

    @rule(triple=TRIPLES)
    def ask_which_graphs_hold(self, triple: Any) -> None:
        ours, theirs = ([one.identifier for one in store.contexts(triple) if one] for store in self.stores)
        assert ours == theirs

    @invariant()
    def prefixes_and_namespaces_are_found_by_one_another(self) -> None:
        store = self.stores[0]
        for prefix, namespace in store.namespaces():
            assert (store.namespace(prefix), store.prefix(namespace)) == (namespace, prefix)

    @invariant()
    def both_hold_the_same(self) -> None:
        ours, theirs = (set(named(store)) for store in self.stores)
        assert ours == theirs
        subjects = [sorted(map(str, named(store).subjects(unique=True))) for store in self.stores]
        assert subjects[0] == subjects[1]
        assert [len(store) for store in self.stores] == [len(ours)] * 2
        assert [store.__len__(named(store, OTHER)) for store in self.stores] == [0, 0]


TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(max_examples=examples(60), stateful_step_count=30)


@pytest.mark.slow
def test_many_values_of_one_predicate_are_added_found_and_removed() -> None:
    graph = fresh()
    for number in (*range(MANY), *range(MANY)):
        graph.add((TARGET, VALUE, Literal(number)))
    assert len(graph) == MANY
    assert (TARGET, VALUE, Literal(MANY - 1)) in graph
    assert (TARGET, VALUE, Literal(MANY)) not in graph
    for number in range(MANY - 1):
        graph.remove((TARGET, VALUE, Literal(number)))
    assert list(graph) == [(TARGET, VALUE, Literal(MANY - 1))]
    graph.remove((TARGET, None, None))
    assert len(graph) == 0


def test_a_graph_may_change_while_it_is_read() -> None:
    graph = fresh()
    for number in range(50):
        graph.add((TARGET, VALUE, Literal(number)))
    for subject, predicate, term in graph:
        graph.remove((subject, predicate, term))
        graph.add((subject, URIRef("urn:q"), term))
    assert set(graph.predicates()) == {URIRef("urn:q")}
    assert len(graph) == 50
    for subject in graph.subjects(URIRef("urn:q"), Literal(7)):
        graph.remove((subject, None, None))
    assert len(graph) == 0


def test_a_graph_over_the_store_parses_serializes_and_answers_queries() -> None:
    graph = fresh()
    graph.parse(data="@prefix x: <urn:x:> . x:a x:p x:b, x:c ; x:q 1.50 .", format="turtle")
    assert len(graph) == 3
    assert "urn:x:" in graph.serialize(format="turtle")
    assert set(Graph().parse(data=graph.serialize(format="nt"), format="nt")) == set(graph)
    rows = graph.query("SELECT ?o { <urn:x:a> <urn:x:p> ?o } ORDER BY ?o").bindings
    assert [row[Variable("o")] for row in rows] == [URIRef("urn:x:b"), URIRef("urn:x:c")]
    graph.update("DELETE { ?s <urn:x:p> ?o } INSERT { ?o <urn:x:r> ?s } WHERE { ?s <urn:x:p> ?o }")
    assert set(graph.subjects(URIRef("urn:x:r"))) == {URIRef("urn:x:b"), URIRef("urn:x:c")}
    assert not set(graph.objects(None, URIRef("urn:x:p")))


def test_a_checkpoint_graph_has_our_prefixes_and_no_other() -> None:
    graph = graph_of(canonical())
    assert dict(graph.namespaces())["schema"] == URIRef(SCHEMA)
    assert graph.store.prefix(URIRef("urn:none:")) is None


# --- one store, one graph


@pytest.fixture
def dataset_warnings() -> Iterator[None]:
    """Let rdflib's datasets use their own deprecated parts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


@pytest.mark.usefixtures("dataset_warnings")
def test_a_checkpoint_is_one_named_graph_of_a_dataset_over_its_store() -> None:
    graph = graph_of(canonical())
    dataset = Dataset(graph.store)
    assert {*dataset.quads()} == {(*triple, graph.root) for triple in graph}
    assert (len(dataset.graph(str(graph.root))), len(dataset.default_graph)) == (len(graph), 0)
    [row] = dataset.query("SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }").bindings
    assert row[Variable("n")] == Literal(len(graph))
    assert not list(dataset.graph("urn:other"))


@pytest.mark.usefixtures("dataset_warnings")
def test_a_second_graph_is_refused_and_nothing_is_changed() -> None:
    graph = graph_of(canonical())
    before = set(graph)
    dataset = Dataset(graph.store)
    with pytest.raises(WriteError, match=r"one graph.*rdflib\.Dataset\(\)"):
        dataset.graph("urn:other").add((TARGET, VALUE, Literal(1)))
    dataset.graph("urn:other").remove((None, None, None))
    dataset.remove_graph("urn:other")
    assert set(graph) == before
    assert list(graph.store.contexts((TARGET, VALUE, Literal(1)))) == []
    assert [context.identifier for context in graph.store.contexts()] == [graph.identifier]


@pytest.mark.usefixtures("dataset_warnings")
def test_a_dataset_over_an_empty_store_has_a_default_graph() -> None:
    dataset = Dataset(SubjectIndexStore())
    dataset.add((TARGET, VALUE, Literal(1)))
    assert len(dataset) == len(dataset.default_graph) == 1
    dataset.remove_graph(dataset.default_graph)
    assert len(dataset) == 0


# --- the checkpoint graph


def test_a_checkpoint_graph_is_queried_as_any_graph() -> None:
    graph = graph_of(canonical(item("First?", "urn:q:1"), item("Second?", "urn:q:2")))
    rows = graph.query(
        "PREFIX s: <https://schema.org/> SELECT ?text { ?item s:position ?at ; s:item/s:text ?text } ORDER BY ?at"
    ).bindings
    assert [str(row[Variable("text")]) for row in rows] == ["First?", "Second?"]
    assert graph.value(graph.root, URIRef(SCHEMA + "name")) == Literal("Metals")


@pytest.mark.slow
def test_a_graph_that_nobody_holds_is_gone_without_the_garbage_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        graph = graph_of(canonical(item("First?", "urn:q:1")))
        assert list(graph) != []
        held: list[weakref.ref[Store | Graph]] = [weakref.ref(graph.store), weakref.ref(graph)]
        del graph
        assert [one() for one in held] == [None, None]
    finally:
        gc.enable()


def test_a_store_outlives_its_graph() -> None:
    graph = graph_of(canonical(item("First?", "urn:q:1")))
    store, name, triples = graph.store, graph.identifier, set(graph)
    del graph
    [found] = store.contexts()
    assert (found.identifier, set(found)) == (name, triples)
    assert {one.identifier for one in Dataset(store).graphs()} >= {name}


def test_pyshacl_validates_a_checkpoint_graph() -> None:
    shapes = Graph().parse(
        data="""
        @prefix sh: <http://www.w3.org/ns/shacl#> . @prefix s: <https://schema.org/> .
        <urn:shape> a sh:NodeShape ; sh:targetClass s:Question ; sh:property <urn:shape:text> .
        <urn:shape:text> sh:path s:text ; sh:minCount 1 ; sh:pattern "[?]$" .
        """,
        format="turtle",
    )
    good, bad = graph_of(canonical()), graph_of(canonical(item("No question")))
    before = set(bad)
    assert pyshacl.validate(good, shacl_graph=shapes)[0] is True
    conforms, report, _ = pyshacl.validate(bad, shacl_graph=shapes)
    assert conforms is False
    focus = set(report.objects(None, URIRef("http://www.w3.org/ns/shacl#focusNode")))
    assert focus == {URIRef("urn:uuid:question-metal-1#/item")}
    assert set(bad) == before


ODD = (URIRef("urn:x"), URIRef("urn:p"), typed("01.50", URIRef(XSD + "decimal")))


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("tree", [canonical(), scenario()], ids=["canonical", "scenario"])
def test_a_pickled_graph_comes_back_whole(tree: Any, normalize: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", normalize)
    graph = graph_of(tree)
    graph.add(ODD)
    graph.bind("mine", "urn:mine:")
    back = pickle.loads(pickle.dumps(graph))
    assert isinstance(back, CheckpointGraph)
    assert emission.ntriples_of(back) == emission.ntriples_of(graph)
    assert back.root == graph.root
    assert dict(back.namespaces()) == dict(graph.namespaces())
    assert back.tree() == graph.tree()


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, CheckpointGraph.copy])
def test_a_copy_changes_alone(make: Any) -> None:
    graph = graph_of(canonical())
    before = set(graph)
    twin = make(graph)
    assert isinstance(twin, CheckpointGraph)
    assert set(twin) == before
    twin.add(ODD)
    twin.replace(twin.root, "name", "Other")
    assert set(graph) == before
    assert (twin.tree()["name"], graph.tree()["name"]) == ("Other", "Metals")


CHANGES: list[Any] = [
    lambda graph: graph.add(ODD),
    lambda graph: graph.remove((None, URIRef(SCHEMA + "keywords"), None)),
    lambda graph: graph.append(graph.root, "dataFeedElement", item("New?", "urn:q:new")),
    lambda graph: graph.replace(graph.root, "name", "Other"),
    lambda graph: graph.discard(graph.root, "dataFeedElement", graph.member(graph.root, "dataFeedElement")[0]),
    lambda graph: graph.index.clear(),
    lambda graph: graph.index[graph.root].clear(),
    lambda graph: graph.update("DELETE WHERE { ?s ?p ?o }"),
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("changed", [0, 1, 2])
def test_copies_share_their_statements_until_one_of_them_is_changed(change: Any, changed: int) -> None:
    graphs = [graph_of(canonical())]
    graphs.append(graphs[0].copy())
    graphs.append(graphs[1].copy())
    before, index = set(graphs[0]), graphs[0].held
    assert all(graph.held is index for graph in graphs)
    change(graphs[changed])
    graphs[changed].touch()
    others = [graph for at, graph in enumerate(graphs) if at != changed]
    assert graphs[changed].held is not index
    assert all(graph.held is index and set(graph) == before for graph in others)
    assert set(graphs[changed]) != before
    change(others[0])
    assert set(others[1]) == before
    change(others[1])
    assert others[1].held is index, "who is left alone with the statements needs no copy"


def test_graphs_are_added_to_and_taken_from_one_another() -> None:
    graph = graph_of(canonical())
    before, other = set(graph), Graph().add(ODD)
    for _ in range(2):
        graph += other
        assert isinstance(graph, CheckpointGraph)
        assert (set(graph), len(graph)) == (before | {ODD}, len(before) + 1)
    assert [set(graph + other), set(graph & other), set(graph - other)] == [before | {ODD}, {ODD}, before]
    graph -= other
    assert (set(graph), len(graph)) == (before, len(before))
    assert (graph ^ other) is not graph


def test_what_is_queried_by_predicate_or_object_follows_every_change() -> None:
    graph = graph_of(canonical())
    name = URIRef(SCHEMA + "name")
    for predicate in (name, None):
        assert set(graph.subjects(predicate, Literal("Metals"))) == {graph.root}
    graph.add((TARGET, name, Literal("Metals")))
    assert set(graph.subjects(name, Literal("Metals"))) == {graph.root, TARGET}
    graph.replace(graph.root, "name", "Other")
    assert set(graph.subjects(None, Literal("Metals"))) == {TARGET}
    graph.append(graph.root, "dataFeedElement", item("New?", "urn:q:new"))
    assert (URIRef("urn:q:new"), None, None) in graph
    graph.index[TARGET] = {name: Literal("Directly")}
    graph.touch()
    assert set(graph.subjects(name, Literal("Directly"))) == {TARGET}
    graph.add((graph.root, URIRef(SCHEMA + "license"), Literal("CC-BY-4.0")))
    assert graph.tree()["license"] == "CC-BY-4.0"


@pytest.mark.parametrize("pattern", [(None, URIRef(SCHEMA + "name"), None), (None, None, Literal("Metals"))])
def test_who_asks_while_another_is_answered_sees_all(pattern: Any) -> None:
    class Interrupted(dict[Any, Any]):
        """An index on the way through which, once, another thread asks."""

        asked = False

        def items(self) -> Any:
            for one in super().items():
                if not self.asked:
                    self.asked = True
                    found.append(len(list(store.triples(pattern))))
                yield one

    found: list[int] = []
    store = SubjectIndexStore()
    store.replace(
        Interrupted({URIRef(f"urn:x:{number}"): {URIRef(SCHEMA + "name"): Literal("Metals")} for number in range(3)})
    )
    found.append(len(list(store.triples(pattern))))
    assert found == [3, 3]
