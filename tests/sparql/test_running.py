"""Queries over a store: which graphs they see, what limits do, and that both engines give the same rows."""

import contextlib
import gc
import json
import math
import subprocess
import sys
import time
import weakref
from collections import Counter
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad

from checkpoint_ld.errors import QueryError, QueryFailedError, SettingsError
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.guard.checking import PREFIXES, checked
from checkpoint_ld.sparql import Dataset, queries, run, running
from checkpoint_ld.sparql.result import value_of
from checkpoint_ld.sparql.running import ENGINES, MANIFEST, Engine
from checkpoint_ld.validation.inference import with_inferred
from tests.documents import canonical, item, rich, scenario
from tests.queries.benchmarks import dataset
from tests.trials import examples, some

FIRST = "urn:uuid:karenina-checkpoint-1767225600.5"
COUNT = "(COUNT(*) AS ?n)"


def count(store: pyoxigraph.Store, text: str, engine: Engine) -> Any:
    return run(store, text, engine=engine).as_dicts()[0]["n"]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_default_graph_is_the_union_without_repetition(store: pyoxigraph.Store, engine: Engine) -> None:
    questions = "{ ?q a schema:Question ; schema:text ?t }"
    assert count(store, f"SELECT {COUNT} {questions}", engine) == 3
    assert count(store, f"SELECT {COUNT} {{ GRAPH ?g {questions} }}", engine) == 4
    assert count(store, "SELECT (COUNT(DISTINCT ?g) AS ?n) { GRAPH ?g { ?s ?p ?o } }", engine) == 2


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_what_the_manifest_states_is_no_part_of_the_default_graph(engine: Engine) -> None:
    data = Dataset()
    wanted = "{ ?g schema:encodingFormat ?dialect }"
    assert len(data.query(f"SELECT * {wanted}", engine=engine)) == 0
    data.add(CheckpointGraph.of_tree(canonical()), dialect="some")
    assert len(data.query(f"SELECT * {wanted}", engine=engine)) == 0
    found = data.query(f"SELECT * {{ GRAPH <urn:checkpoint-ld:manifest> {wanted} }}", engine=engine)
    assert found.as_dicts() == [{"g": FIRST, "dialect": "some"}]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("dialect", [None, "some"])
def test_one_checkpoint_is_the_default_graph_and_a_second_is_merged_with_it(
    engine: Engine, dialect: str | None
) -> None:
    first, data = canonical(), Dataset()
    statements = "{ ?s ?p ?o }"
    for number, tree in enumerate((first, {**first, "@id": "urn:uuid:other"})):
        data.add(CheckpointGraph.of_tree(tree), dialect=dialect)
        shared = {triple for quad in data.store if quad.graph_name != NamedNode(MANIFEST) for triple in [quad.triple]}
        assert count(data.store, f"SELECT {COUNT} {statements}", engine) == len(shared)
        assert count(data.store, f"SELECT {COUNT} {{ ?feed a schema:DataFeed }}", engine) == number + 1
        assert count(data.store, f"SELECT {COUNT} {{ GRAPH ?g {{ ?feed a schema:DataFeed }} }}", engine) == number + 1
        assert count(data.store, f"SELECT {COUNT} FROM <{FIRST}> {{ ?feed a schema:DataFeed }}", engine) == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_from_chooses_among_the_graphs(store: pyoxigraph.Store, engine: Engine) -> None:
    pattern = "{ ?s a schema:DataFeed }"
    for clauses, where, expected in (
        ("FROM <urn:uuid:other>", pattern, 1),
        (f"FROM <urn:uuid:other> FROM <{FIRST}>", pattern, 2),
        ("FROM <urn:uuid:other>", f"{{ GRAPH ?g {pattern} }}", 0),
        ("FROM NAMED <urn:uuid:other>", pattern, 0),
        ("FROM NAMED <urn:uuid:other>", f"{{ GRAPH ?g {pattern} }}", 1),
        (f"FROM <{FIRST}> FROM NAMED <urn:uuid:other>", f"{{ {pattern} UNION {{ GRAPH ?g {pattern} }} }}", 2),
    ):
        assert count(store, f"SELECT {COUNT} {clauses} {where}", engine) == expected, (clauses, where)


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "timeout"), [("oxigraph", None), ("rdflib", None), ("oxigraph", 60)])
def test_every_form_of_query_answers(store: pyoxigraph.Store, engine: Engine, timeout: float | None) -> None:
    def ask(text: str) -> Any:
        return run(store, text, engine=engine, timeout=timeout)

    names = ask("SELECT ?name ?none { ?s a schema:DataFeed ; schema:name ?name } ORDER BY ?name")
    assert (names.form, names.columns) == ("select", ("name", "none"))
    assert list(names) == [{"name": "Gases", "none": None}, {"name": "Metals", "none": None}]
    yes, no = ask("ASK { ?s a schema:DataFeed }"), ask("ASK { ?s a schema:Nope }")
    assert (yes.boolean, no.boolean, bool(no)) == (True, False, False)
    made = ask("CONSTRUCT { ?s a schema:Thing } { ?s a schema:DataFeed ; ?p ?o }")
    assert [str(one.subject) for one in made.triples] == [f"<{FIRST}>", "<urn:uuid:other>"]
    assert len(made.graph) == 2
    assert {
        str(one.predicate.value) for one in ask("DESCRIBE <urn:uuid:question-gas-1#/item/acceptedAnswer>").triples
    } == {
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
        "https://schema.org/text",
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_the_columns_of_all_variables_have_the_order_of_the_text(store: pyoxigraph.Store, engine: Engine) -> None:
    text = """# ?first
        SELECT * { BIND("?second" AS ?z) ?node schema:text ?text ; a ?kind .
            { SELECT ?node (1 AS ?one) { ?node ?p [] } } }
    """
    found = run(store, text, engine=engine)
    assert found.columns == ("z", "node", "text", "kind", "one")
    row = found.as_dicts()[0]
    assert (row["z"], row["one"]) == ("?second", 1)
    assert row["kind"] in ("https://schema.org/Question", "https://schema.org/Answer")
    assert run(store, "SELECT ?text ?s { ?s schema:text ?text }", engine=engine).columns == ("text", "s")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_result_that_is_cut_states_so(store: pyoxigraph.Store, engine: Engine) -> None:
    for text, size in (
        ("SELECT ?s { ?s a schema:Question }", 3),
        ("CONSTRUCT { ?s a schema:X } { ?s a schema:Question }", 3),
    ):
        for most, is_cut in ((size, False), (size + 1, False), (size - 1, True), (1, True)):
            result = run(store, text, engine=engine, max_rows=most)
            assert (len(result), result.is_cut) == (min(most, size), is_cut)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_query_that_takes_too_long_is_ended(store: pyoxigraph.Store, engine: Engine) -> None:
    endless = f"SELECT {COUNT} {{ ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER (STR(?a) > STR(?l)) }}"
    with pytest.raises(QueryFailedError, match=r"longer than 0\.3 s"):
        run(store, endless, engine=engine, timeout=0.3)


HOSTILE = {
    "many values": f"SELECT * {{ VALUES ?x {{ {'1 ' * 400_000} }} }}",
    "a long path": f"SELECT * {{ ?a {'/'.join(['schema:item'] * 80_000)} ?b }}",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_query_that_takes_too_long_to_read_is_ended_as_well(store: pyoxigraph.Store, text: str) -> None:
    assert len(text) < 1_000_000
    with pytest.raises(QueryFailedError, match=r"longer than 0\.3 s"):
        run(store, text, timeout=0.3)


def test_what_was_queried_is_freed_without_the_collector() -> None:
    graph = CheckpointGraph.of_tree(canonical(item("Q?")))

    def queried(most: int) -> weakref.ref[Dataset]:
        data = Dataset.of_graphs([graph])
        data.query(f"SELECT ?q {{ ?q a schema:Question }} LIMIT {most}")
        return weakref.ref(data)

    queried(1)  # the first one imports the grammar
    gc.disable()
    try:
        assert queried(2)() is None
    finally:
        gc.enable()


def test_deep_nesting_is_reported_at_once(store: pyoxigraph.Store) -> None:
    for opening, closing in (("(", ")"), ("[ schema:item ", "]"), ("{ ", "}")):
        inner = f"{opening * 39} 1 {closing * 39}"
        started = time.process_time()
        for text in (f"SELECT * {{ ?s ?p {inner} }}", f"SELECT * {{ FILTER {inner} }}", f"ASK {inner}"):
            with contextlib.suppress(QueryError, QueryFailedError):
                run(store, text)
        assert time.process_time() - started < 5


@pytest.mark.slow
def test_within_a_time_limit_a_store_on_disk_is_read_where_it_is(tmp_path: Path) -> None:
    kept = pyoxigraph.Store(tmp_path / "store")
    kept.add(Quad(NamedNode("urn:s"), NamedNode("urn:p"), pyoxigraph.Literal("kept"), NamedNode("urn:g")))
    kept.flush()
    del kept
    text = "SELECT ?o ?g { GRAPH ?g { ?s ?p ?o } }"
    output = run(pyoxigraph.Store.read_only(str(tmp_path / "store")), text, timeout=60, location=tmp_path / "store")
    assert output.as_dicts() == [{"o": "kept", "g": "urn:g"}]


@pytest.mark.slow
def test_what_the_engine_refuses_is_an_error_of_ours(store: pyoxigraph.Store) -> None:
    for wrong, error in (
        ({"engine": "virtuoso"}, SettingsError),
        ({"max_rows": 0}, SettingsError),
        ({"timeout": 0}, SettingsError),
        ({"timeout": math.nan}, SettingsError),
    ):
        with pytest.raises(error):
            run(store, "ASK {}", **wrong)
    for timeout in (None, 60):
        with pytest.raises(QueryError):
            run(store, "SELECT * { ?s <relative> ?o }", timeout=timeout)
        with pytest.raises(QueryFailedError, match="urn:no-function"):
            run(store, "SELECT (<urn:no-function>(1) AS ?x) {}", timeout=timeout)


def test_versions_of_one_benchmark_are_graphs_of_their_own() -> None:
    one, other = canonical(), canonical()
    other["version"] = "0.3.0"
    graphs = [CheckpointGraph.of_tree(tree) for tree in (one, other, one)]
    data = Dataset.of_graphs(graphs)
    first, second = data.graphs
    assert first == FIRST
    assert second.startswith(f"{FIRST}#")
    assert len(second) == len(FIRST) + 17
    found = data.query("SELECT ?g ?v { GRAPH ?g { ?s a schema:DataFeed ; schema:version ?v } } ORDER BY ?v")
    assert found.as_dicts() == [{"g": first, "v": "0.2.0"}, {"g": second, "v": "0.3.0"}]
    assert Dataset.of_graphs(reversed(graphs[:2])).graphs[0] == FIRST


def test_literals_keep_their_values_and_rdf_json_its_text() -> None:
    tree = canonical()
    tree["dataFeedElement"][0]["item"]["additionalProperty"] += [
        {"@type": "PropertyValue", "name": name, "value": value}
        for name, value in (
            ("a", 1770332819.237824),
            ("b", 7.5),
            ("c", 10**20),
            ("d", {"z": 1.0, "a": [2]}),
            ("e", True),
        )
    ]
    text = 'SELECT ?n ?v { ?p schema:name ?n ; schema:value ?v FILTER (REGEX(?n, "^[a-e]$")) } ORDER BY ?n'
    for engine in ENGINES:
        found = Dataset.of_graphs([CheckpointGraph.of_tree(tree)]).query(text, engine=engine)
        assert [row["v"] for row in found] == [1770332819.237824, 7.5, 10**20, '{"z":1.0,"a":[2]}', True]


# Property: both engines give the same rows.

GRAPHS = Dataset.of_graphs(
    [
        with_inferred(CheckpointGraph.of_tree(rich())),
        CheckpointGraph.of_tree(scenario()),
        CheckpointGraph.of_tree(canonical(item("Other?", "urn:x:1"))),
    ]
).store

VARIABLES = st.sampled_from(["?a", "?b", "?c"])
PREDICATES = st.sampled_from(
    [
        "a",
        "schema:name",
        "schema:text",
        "schema:item",
        "schema:item|karenina:question",
        "schema:keywords",
        "^schema:item",
        "schema:acceptedAnswer/schema:text",
        "schema:value",
        "schema:contentRating",
        "schema:bestRating",
    ]
)
OBJECTS = st.one_of(VARIABLES, st.sampled_from(['"chemistry"', "schema:Question", '"finished"', "true", "1.0", "1"]))
TRIPLES = st.builds("{} {} {} .".format, VARIABLES, PREDICATES, OBJECTS)
FILTERS = st.sampled_from(
    [
        "FILTER (BOUND(?a))",
        "FILTER (?b = ?c)",
        "FILTER (ISIRI(?c))",
        'FILTER (CONTAINS(STR(?b), "e"))',
        "FILTER (?c > 0)",
        "FILTER EXISTS { ?a schema:name ?c }",
        "FILTER NOT EXISTS { ?b schema:text ?a }",
    ]
)
BLOCKS = st.recursive(
    st.lists(st.one_of(TRIPLES, FILTERS), min_size=1, max_size=2).map(" ".join),
    lambda inner: st.one_of(
        st.builds("{} OPTIONAL {{ {} }}".format, TRIPLES, inner),
        st.builds("{} MINUS {{ {} }}".format, TRIPLES, inner),
        st.builds("{{ {} }} UNION {{ {} }}".format, inner, inner),
        st.builds("GRAPH ?g {{ {} {} }}".format, TRIPLES, inner),
        st.builds("{{ SELECT DISTINCT ?a ?b {{ {} }} }} {}".format, inner, TRIPLES),
    ),
    max_leaves=3,
)
HEADS = st.sampled_from(
    [
        ("SELECT ?a ?b ?c", ""),
        ("SELECT DISTINCT ?b", ""),
        ("SELECT (COUNT(*) AS ?n)", ""),
        ("ASK", ""),
        ("SELECT ?a (COUNT(DISTINCT ?b) AS ?n)", "GROUP BY ?a"),
        ("CONSTRUCT { ?a schema:name ?b }", ""),
    ]
)


@pytest.mark.slow
@given(HEADS, BLOCKS)
@settings(max_examples=examples(40))
def test_both_engines_give_the_same_rows(head: tuple[str, str], block: str) -> None:
    text = f"{head[0]} {{ {block} }} {head[1]}"
    ours, theirs = (run(GRAPHS, text, engine=engine) for engine in ENGINES)
    assert (ours.form, ours.columns, ours.boolean) == (theirs.form, theirs.columns, theirs.boolean)
    assert Counter(ours.triples) == Counter(theirs.triples)
    rows, others = (Counter(tuple(map(value_of, row)) for row in one.rows) for one in (ours, theirs))
    assert rows == others, text


_EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"

_SHAPES = """
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix schema: <https://schema.org/> .
<urn:long> a sh:NodeShape ; sh:targetClass schema:Question ; sh:sparql [ a sh:SPARQLConstraint ;
    sh:message "long" ; sh:select '''SELECT $this ?value WHERE { $this <https://schema.org/text> ?value .
        FILTER(STRLEN(STR(?value)) > 35 && !CONTAINS(?value, "zzz")) }''' ] .
"""

_PROGRAM = """
import json, sys, threading, traceback
import checkpoint_ld

ways, folder, shapes = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]
benchmark = checkpoint_ld.Benchmark.load(folder + "/metals.jsonld")
asked = ("SELECT ?s ?n WHERE { ?s a schema:Question ; schema:text ?t . OPTIONAL { ?s schema:keywords ?n } "
         "FILTER(STRLEN(?t) > 3) } ORDER BY ?s ?n LIMIT 5")
added = 'INSERT { ?s schema:about "asked" } WHERE { ?s a schema:Question . FILTER NOT EXISTS { ?s schema:rating ?r } }'

def validated(**options):
    return [str(one) for one in checkpoint_ld.validate(folder + "/broken.jsonld", **options).findings]

def updated():
    graph = benchmark.graph.copy()
    graph.update(added)
    return len(graph)

calls = {
    "validate": validated,
    "pyshacl": lambda: validated(engine="pyshacl"),
    "shapes": lambda: validated(shapes=[shapes]),
    "query": lambda: [str(row) for row in benchmark.query(asked)],
    "rdflib": lambda: [str(row) for row in benchmark.query(asked, engine="rdflib")],
    "graph": lambda: [str(row) for row in benchmark.graph.query(asked)],
    "update": updated,
    "named": lambda: [str(row) for row in benchmark.query("keywords")],
}
number = max(4, len(ways))
barrier = threading.Barrier(number)
answers = {way: set() for way in ways}

def call(way):
    try:
        answers[way].add(json.dumps(calls[way]()))
    except Exception as error:
        answers[way].add(f"!{type(error).__name__}: {error}")

def run(way):
    barrier.wait()
    call(way)

sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=run, args=(ways[at % len(ways)],)) for at in range(number)]
for one in threads:
    one.start()
for one in threads:
    one.join()
sys.setswitchinterval(0.005)
for way in ways:
    call(way)
print(json.dumps({way: sorted(rows) for way, rows in answers.items()}))
"""

_WAYS = ("validate", "pyshacl", "shapes", "rdflib", "graph", "update")


@pytest.mark.slow
@pytest.mark.parametrize("ways", some([(*_WAYS, "query", "named"), *((way,) for way in _WAYS)], 2), ids="-".join)
def test_the_first_calls_of_a_process_may_come_from_several_threads(ways: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "shapes.ttl").write_text(_SHAPES)
    arguments = [json.dumps(ways), str(_EXAMPLES), str(tmp_path / "shapes.ttl")]
    run = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *arguments], capture_output=True, text=True, timeout=300, check=True
    )
    answers = json.loads(run.stdout)
    assert set(answers) == set(ways)
    for way, found in answers.items():
        assert len(found) == 1, f"{way}: the threads have different answers: {found}"
        assert not found[0].startswith("!"), found
        assert json.loads(found[0]), f"{way}: there is no answer"


# --- Queries that are answered graph by graph give what they give at once, and their first rows without all others.


LISTS = {
    "bad-ranges",
    "changed-since",
    "questions",
    "search",
    "template-fields",
    "trait-coverage",
    "traits",
    "unfinished",
    "without-template",
}
GIVEN = {"search": {"text": "metal"}, "changed-since": {"date": "2026-01-01"}}


@pytest.fixture(scope="module")
def numbered() -> pyoxigraph.Store:
    """Return a store of thirty graphs, each of which says one number of two subjects, and some of which an extra."""
    store = pyoxigraph.Store()
    for number in range(30):
        graph = NamedNode(f"urn:g:{number:02}")
        for subject in ("urn:a", "urn:b"):
            store.add(Quad(NamedNode(subject), NamedNode("urn:p"), Literal(number), graph))
        if number % 10 == 0:
            store.add(Quad(NamedNode("urn:a"), NamedNode("urn:extra"), Literal("yes"), graph))
    return store


def at_once(store: pyoxigraph.Store, text: str) -> list[Any]:
    found = store.query(text, prefixes=PREFIXES)
    assert isinstance(found, pyoxigraph.QuerySolutions)
    return [tuple(row) for row in found]


@pytest.mark.slow
def test_lists_of_what_graphs_hold_are_answered_part_by_part_and_no_other_named_queries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = dataset().store
    names = [name for name in queries.catalogue() if not name.startswith("agent-")]
    assert {name for name in names if checked(queries.named(name).text).plan} == LISTS
    for name in LISTS:
        text = queries.request(name, GIVEN.get(name, {}))
        monkeypatch.setattr(running, "_PART", 1_000)
        at_once = run(store, text.text, parameters=text.parameters)
        monkeypatch.setattr(running, "_PART", 1)
        found = run(store, text.text, parameters=text.parameters)
        assert found.rows, name
        assert found.rows == at_once.rows, name
        first = run(store, text.text, parameters=text.parameters, max_rows=1)
        assert (first.rows, first.is_cut) == (found.rows[:1], len(found) > 1), name


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?g ?s ?o { GRAPH ?g { ?s <urn:p> ?o } } ORDER BY ?g ?s",
        "SELECT ?g ?s ?o { GRAPH ?g { ?s <urn:p> ?o } } ORDER BY ASC(?g) DESC(?s) LIMIT 7",
        "SELECT ?g ?x { GRAPH ?g { ?s <urn:p> ?o OPTIONAL { ?s <urn:extra> ?x } } } ORDER BY ?g ?x",
        "SELECT ?g ?s { GRAPH ?g { ?s <urn:p> ?o } MINUS { GRAPH ?g { ?s <urn:extra> ?x } } } ORDER BY ?g ?s",
        "SELECT ?g ?s { GRAPH ?g { ?s <urn:p> ?o FILTER NOT EXISTS { ?s <urn:extra> ?x } } } ORDER BY ?g ?s",
        (
            "SELECT ?g ?n { GRAPH ?g { <urn:a> <urn:p> ?o } "
            "{ SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?v } } GROUP BY ?g HAVING (COUNT(*) > 1) } } ORDER BY ?g"
        ),
        (
            "SELECT DISTINCT ?g ?w { { GRAPH ?g { ?s <urn:p> ?o } } UNION { GRAPH ?g { ?s <urn:extra> ?w } } } "
            "ORDER BY ?g ?w"
        ),
        "SELECT ?g (SUM(?o) AS ?n) { VALUES ?s { <urn:a> } GRAPH ?g { ?s <urn:p> ?o } } GROUP BY ?g ORDER BY ?g",
        "SELECT ?g ?o { VALUES ?g { <urn:g:07> <urn:g:03> <urn:none> } GRAPH ?g { ?s <urn:p> ?o } } ORDER BY ?g",
    ],
)
def test_a_pattern_of_graphs_is_answered_part_by_part(text: str, numbered: pyoxigraph.Store) -> None:
    found = running.solutions(numbered, checked(text), None)
    assert found is not None
    assert found[1] == at_once(numbered, text)
    assert found[1]
    assert running.solutions(numbered, checked(text), 2) == (found[0], found[1][:2])


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?g ?s { GRAPH ?g { ?s ?p ?o } }",
        "SELECT ?g ?s { GRAPH ?g { ?s ?p ?o } } ORDER BY DESC(?g)",
        "SELECT ?g ?s { GRAPH ?g { ?s ?p ?o } } ORDER BY ?s ?g",
        "SELECT ?g ?s { GRAPH ?g { ?s ?p ?o } } ORDER BY STR(?g)",
        "SELECT ?g ?s { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g LIMIT 3 OFFSET 2",
        "SELECT ?s { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g",
        "SELECT ?g { GRAPH ?g { ?s ?p ?o } ?s ?q ?r } ORDER BY ?g",
        "SELECT ?g ?h { GRAPH ?g { ?s <urn:extra> ?o } GRAPH ?h { ?s <urn:extra> ?o } } ORDER BY ?g ?h",
        "SELECT ?g { GRAPH ?g { ?s ?p ?o } FILTER EXISTS { GRAPH ?h { ?s <urn:extra> ?x } } } ORDER BY ?g",
        "SELECT ?g ?n { GRAPH ?g { ?s ?p ?o } { SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } } } ORDER BY ?g ?n",
        "SELECT ?g ?n { VALUES ?g { <urn:x> } OPTIONAL { GRAPH ?g { ?s <urn:p> ?n } } } ORDER BY ?g",
        "SELECT ?g ?s { { SELECT ?g ?s { GRAPH ?g { ?s ?p ?o } } ORDER BY ?s LIMIT 4 } } ORDER BY ?g ?s",
        "SELECT ?g ?n { { GRAPH ?g { ?s <urn:p> ?n } } UNION { VALUES ?n { 1 } } } ORDER BY ?g ?n",
        "SELECT ?g FROM NAMED <urn:g:01> { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g",
        "ASK { GRAPH ?g { ?s ?p ?o } }",
    ],
)
def test_what_looks_beyond_a_graph_is_answered_at_once(text: str, numbered: pyoxigraph.Store) -> None:
    assert running.solutions(numbered, checked(text), None) is None


def test_where_rows_are_rare_all_graphs_are_searched_at_once(
    numbered: pyoxigraph.Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_PART", 5)
    monkeypatch.setattr(running, "_TRIAL", 10)
    text = "SELECT ?g ?x { GRAPH ?g { ?s <urn:extra> ?x } } ORDER BY ?g"
    assert running.solutions(numbered, checked(text), None) is None
    assert running.solutions(numbered, checked(text), 1) is not None
    assert run(numbered, text).rows == tuple(at_once(numbered, text))


def test_the_first_rows_do_not_wait_for_the_others(numbered: pyoxigraph.Store) -> None:
    wanted: list[str] = []

    class Watched:
        def named_graphs(self) -> Any:
            return numbered.named_graphs()

        def query(self, text: str, *, named_graphs: list[Any], **given: Any) -> Any:
            wanted.extend(one.value for one in named_graphs)
            return numbered.query(text, named_graphs=named_graphs, **given)

    text = "SELECT ?g ?s { GRAPH ?g { ?s <urn:p> ?o } } ORDER BY ?g ?s"
    store: Any = Watched()
    assert running.solutions(store, checked(text), 30)
    assert wanted == [f"urn:g:{number:02}" for number in range(20)]
    wanted.clear()
    assert running.solutions(store, checked(f"{text} LIMIT 3"), None)
    assert len(wanted) == 20
    found = run(numbered, text, max_rows=3)
    assert (len(found), found.is_cut) == (3, True)
    assert not run(numbered, f"{text} LIMIT 3", max_rows=3).is_cut
