"""Sorting, MIN and MAX over values of several kinds, and queries that Oxigraph alone answers wrongly."""

import random
import time
from itertools import permutations
from typing import Any

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Store

from checkpoint_ld.errors import QueryError, QueryFailedError
from checkpoint_ld.guard.checking import checked
from checkpoint_ld.guard.ordering import order_key, term_of_key
from checkpoint_ld.guard.rewriting import best_text
from checkpoint_ld.sparql import run
from checkpoint_ld.vocabulary import XSD

P, Q = NamedNode("urn:p"), NamedNode("urn:q")


def typed(text: str, kind: str) -> Literal:
    return Literal(text, datatype=NamedNode(XSD + kind))


def store_of(values: list[Literal]) -> Store:
    store = Store()
    store.extend(Quad(NamedNode(f"urn:s{at}"), P, value) for at, value in enumerate(values))
    return store


IN_ORDER = [
    typed("NaN", "double"),
    typed("-INF", "double"),
    typed("-99999999999999999999", "integer"),
    typed("-1.5", "decimal"),
    typed("-1", "integer"),
    typed("0", "integer"),
    typed("1E-300", "double"),
    typed("2", "integer"),
    typed("9", "integer"),
    typed("10", "integer"),
    typed("9223372036854775807", "integer"),
    typed("9223372036854775808", "integer"),
    typed("1E300", "double"),
    typed("INF", "float"),
    typed("false", "boolean"),
    typed("true", "boolean"),
    typed("-0044-03-15T00:00:00Z", "dateTime"),
    typed("2026-03-01T09:00:00+14:00", "dateTime"),
    typed("2026-03-01", "date"),
    typed("2026-03-01T09:00:00", "dateTime"),
    typed("2026-03-01T09:00:01Z", "dateTime"),
    typed("12026-03-01T09:00:00Z", "dateTime"),
    typed("09:00:00", "time"),
    typed("P9D", "duration"),
    typed("P10D", "dayTimeDuration"),
    typed("P1M", "yearMonthDuration"),
    Literal(""),
    Literal("10"),
    Literal("5"),
    Literal("5", language="de"),
    Literal("5", language="en"),
    Literal("\U0001f600"),
    Literal("x", datatype=NamedNode("urn:kind")),
]


def place_of(term: Any) -> str:
    """Return what is compared: the store changes the spelling of numbers."""
    return order_key(term).value.partition("^")[0]  # type: ignore[union-attr]


def test_mixed_values_have_one_order_whatever_the_order_of_the_input() -> None:
    for seed in range(5):
        values = IN_ORDER.copy()
        random.Random(seed).shuffle(values)
        rows = run(store_of(values), "SELECT ?o { ?s <urn:p> ?o } ORDER BY ?o").rows
        assert [place_of(row[0]) for row in rows] == [place_of(value) for value in IN_ORDER]
        rows = run(store_of(values), "SELECT ?o { ?s <urn:p> ?o } ORDER BY DESC(?o) LIMIT 3").rows
        assert [row[0] for row in rows] == IN_ORDER[:-4:-1]
        rows = run(
            store_of(values), "SELECT ?o { { SELECT ?o { ?s <urn:p> ?o } ORDER BY ?o LIMIT 2 } } ORDER BY ?o"
        ).rows
        assert [row[0] for row in rows] == IN_ORDER[:2]


@pytest.mark.parametrize("aggregate", ["MIN", "MAX"])
def test_min_and_max_are_the_ends_of_the_order(aggregate: str) -> None:
    ten, five, nine = typed("10", "integer"), Literal("5"), typed("9", "integer")
    for values in permutations((ten, five, nine)):
        rows = run(store_of([*values]), f"SELECT ({aggregate}(?o) AS ?end) {{ ?s <urn:p> ?o }}").rows
        assert rows == (((nine if aggregate == "MIN" else five),),)
    with_offset, without = typed("2026-01-01T00:00:00Z", "dateTime"), typed("2026-01-01T05:00:00", "dateTime")
    for values in permutations((with_offset, without)):
        text = f"SELECT ({aggregate}(DISTINCT ?o) AS ?end) {{ ?s <urn:p> ?o }} HAVING ({aggregate}(?o) != 'x')"
        rows = run(store_of([*values]), text).rows
        assert rows == (((with_offset if aggregate == "MIN" else without),),)


@given(st.text().map(Literal) | st.builds(Literal, st.text(), language=st.sampled_from(("en", "de-at"))))
def test_a_term_comes_back_from_its_key(literal: Literal) -> None:
    assert term_of_key(order_key(literal)) == literal


@given(
    st.builds(
        typed,
        st.text()
        | st.integers().map(str)
        | st.floats().map(str)
        | st.datetimes().map(lambda moment: moment.isoformat()),
        st.sampled_from(("integer", "decimal", "double", "float", "boolean", "dateTime", "date", "duration", "any")),
    )
)
def test_a_literal_of_any_datatype_comes_back_from_its_key(literal: Literal) -> None:
    assert term_of_key(order_key(literal)) == literal


@given(st.lists(st.decimals(allow_nan=False, allow_infinity=False) | st.integers(), min_size=2))
def test_numbers_are_sorted_by_value(numbers: list[int]) -> None:
    places = [place_of(typed(f"{number:f}", "decimal")) for number in sorted(numbers)]
    assert places == sorted(places)


def test_many_mixed_values_do_not_end_the_process() -> None:
    choice = random.Random(0)
    offsets = ("", "Z", "+05:00")
    values = [
        typed(
            f"2026-01-{choice.randrange(1, 28):02}T{choice.randrange(24):02}:00:00{choice.choice(offsets)}", "dateTime"
        )
        for _ in range(3000)
    ]
    values += [
        choice.choice((Literal(str(n)), typed(str(n), "integer"), typed(f"x{n}", "integer"))) for n in range(3000)
    ]
    rows = run(store_of(values), "SELECT ?o { ?s <urn:p> ?o } ORDER BY ?o").rows
    assert len(rows) == len(values)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?s { ?s <urn:p> ?o } ORDER BY ?s",
        "SELECT ?g (COUNT(?s) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g ORDER BY DESC(?n) ?g",
        "SELECT ?t (MIN(?t) AS ?least) { ?s ?p ?o BIND (STR(?o) AS ?t) } GROUP BY ?t ORDER BY LCASE(?t)",
        "SELECT ?order ?min { ?order <urn:min> ?min . ?s <urn:order:max> ?x }",
    ],
)
def test_values_of_one_kind_are_left_to_the_engine(text: str) -> None:
    assert checked(text).rewritten.text == text


def test_values_of_a_predicate_are_left_to_the_engine_where_they_are_of_one_kind() -> None:
    query = checked("SELECT ?o { ?s <urn:p> ?o } ORDER BY ?o").rewritten
    plain = [[Literal("a"), Literal("b")], [typed("1", "integer")], [typed("2026-01-01T00:00:00Z", "dateTime")], []]
    for values in plain:
        assert best_text(query, store_of(values), {}) == query.native, values
    x, nan, local = typed("x", "integer"), typed("NaN", "double"), typed("2026-01-01T00:00:00", "dateTime")
    for mixed in ([Literal("a"), typed("1", "integer")], [x], [nan], [local, *plain[2]], [typed("10:00:00", "time")]):
        assert best_text(query, store_of(mixed), {}) == query.text, mixed


DATA = """
<urn:a> <urn:p> <urn:b> <urn:g1> .
<urn:b> <urn:p> <urn:c> <urn:g1> .
<urn:z> <urn:q> "5" <urn:g2> .
<urn:a> <urn:p> <urn:b> .
"""


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SELECT ?s { ?s ?p ?o FILTER (?s NOT IN ()) }", ["urn:a"]),
        ("SELECT ?s { ?s ?p ?o FILTER (?s IN ( )) }", []),
        ("SELECT ?o { <urn:none> <urn:p>* ?o }", ["urn:none"]),
        ("SELECT ?o { <urn:none> (<urn:p>|^<urn:q>)? ?o }", ["urn:none"]),
        ("SELECT ?o { <urn:none> <urn:p>*/<urn:p>? ?o }", ["urn:none"]),
        ("SELECT ?o { ?o <urn:p>* 'never' }", ["never"]),
        ("SELECT ?o { <urn:a> <urn:p>* ?o }", ["urn:a", "urn:b"]),
        ("SELECT ?g { GRAPH ?g { <urn:a> <urn:p>* <urn:a> } }", ["urn:g1", "urn:g2"]),
        ("SELECT ?o { GRAPH <urn:g2> { <urn:a> <urn:p>* ?o } }", ["urn:a"]),
        ("SELECT ?s { GRAPH ?g { ?s <urn:p> ?o MINUS { ?x <urn:p> ?y } } }", ["urn:a", "urn:b"]),
        ("SELECT ?s { GRAPH ?g { ?s <urn:p> ?o MINUS { ?s <urn:q> ?y } } }", ["urn:a", "urn:b"]),
        (
            "SELECT ?s { GRAPH ?g { ?s <urn:p> ?o OPTIONAL { ?o <urn:p> ?k } MINUS { ?k ?l ?m } } }",
            ["urn:a", "urn:b"],
        ),
        ("SELECT ?x { BIND (IRI('a b') AS ?x) }", [None]),
        ("SELECT ?x { BIND (STRDT('a', 'b c') AS ?x) }", [None]),
    ],
)
@pytest.mark.parametrize("engine", ["oxigraph", "rdflib"])
def test_what_an_engine_gets_wrong_is_right(text: str, rows: list[str | None], engine: str) -> None:
    store = Store()
    store.load(DATA.encode(), format=pyoxigraph.RdfFormat.N_QUADS)
    found = run(store, text, engine=engine)  # type: ignore[arg-type]  # the parameter has the literals
    assert sorted((row[0].value if row[0] else None for row in found.rows), key=str) == rows  # type: ignore[union-attr]


def test_a_query_that_no_engine_can_answer_is_refused() -> None:
    text = "SELECT * { <urn:none> <urn:p>* ?o SERVICE <http://127.0.0.1:9/> { ?o ?p ?x } }"
    with pytest.raises(QueryFailedError, match="split the query"):
        run(Store(), text, services=["127.0.0.1:9"])


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT * {{ ?s ?p ?o FILTER ({' || '.join(['?o = 1'] * 5000)}) }}",
        f"SELECT * {{ ?s ?p ?o {'MINUS { ?s ?p ?o } ' * 5000} }}",
        f"SELECT * {{ {'BIND (1 AS ?x) ' * 5000} }}",
    ],
)
def test_chains_that_are_too_long_for_the_stack_of_the_engine_are_refused_at_once(text: str) -> None:
    start = time.monotonic()
    with pytest.raises(QueryError, match="more than 5000 words and signs"):
        run(Store(), text)
    assert time.monotonic() - start < 60  # not the minutes that parsing it would take


def test_long_lists_of_values_are_no_chains() -> None:
    values = " ".join(f"(<urn:{n}> {n})" for n in range(1200))
    assert len(run(Store(), f"SELECT * {{ VALUES (?a ?b) {{ {values} }} }}")) == 1200
