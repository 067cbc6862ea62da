"""Integers beyond 64 bits in filters, arithmetic and sums: right in data in memory, as by rdflib."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from rdflib import Literal, URIRef

import checkpoint_ld
from checkpoint_ld.sparql import Dataset
from checkpoint_ld.sparql.large_integers import with_decimals
from checkpoint_ld.stores.collection import Collection

SEED, BIG = 2**63, 2**64 + 1


@pytest.fixture(scope="module")
def data() -> Dataset:
    benchmark = checkpoint_ld.Benchmark("Seeds")
    for node, values in {"a": [SEED], "b": [BIG, 3], "c": [-SEED - 1], "d": [7]}.items():
        for value in values:
            benchmark.graph.add((URIRef(f"urn:x:{node}"), URIRef("urn:x:seed"), Literal(value)))
    made = Dataset()
    made.add(benchmark.graph)
    return made


P = "<urn:x:seed>"


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT ?s {{ ?s {P} ?v FILTER (?v > 5) }} ORDER BY ?s",
        f"SELECT ?s ?v {{ ?s {P} ?v FILTER (?v > {SEED}) }} ORDER BY ?s",
        f"SELECT ?s ?v {{ ?s {P} ?v FILTER (?v = {SEED}) }} ORDER BY ?s",
        f"SELECT ?s ?v {{ ?s {P} ?v FILTER (?v<0) }} ORDER BY ?s",
        f"SELECT ?s ?v {{ ?s {P} ?v FILTER ({SEED}<=?v && ?v != {BIG}) }} ORDER BY ?s",
        f"SELECT ?s ?v {{ ?s {P} ?v FILTER (?v IN ({SEED}, 7)) }} ORDER BY ?s",
        f"SELECT (SUM(?v) AS ?n) {{ ?s {P} ?v FILTER (?v > 0) }}",
        f"SELECT ?s (SUM(?v) AS ?n) {{ ?s {P} ?v }} GROUP BY ?s HAVING (SUM(?v) > {BIG}) ORDER BY ?s",
        f"SELECT ?s {{ ?s {P} ?v FILTER (?v - 1 > 5 && BOUND(?v) && STR(?v) != '7') }} ORDER BY ?s",
        f"SELECT ?s {{ ?s {P} ?v FILTER EXISTS {{ ?s {P} ?w FILTER (?w > ?v) }} }} ORDER BY ?s",
        f"SELECT ?s ?d {{ ?s {P} ?v BIND (DATATYPE(?v) AS ?d) FILTER (?v > 100) }} ORDER BY ?s",
        f"SELECT ?s {{ VALUES (?s ?v) {{ (<urn:x:a> 5) (<urn:x:d> 9) }} ?s {P} ?w FILTER (?w > ?v) }} ORDER BY ?s",
        f"ASK {{ ?s {P} ?v FILTER (?v * -1 > {SEED}) }}",
        f"SELECT ?s ?v {{ ?s {P} ?v FILTER (?v NOT IN ({SEED}, 7)) }} ORDER BY ?s ?v",
        f"SELECT (MAX(?v) + 1 AS ?n) (SUM(?v) / 2 AS ?h) (AVG(?v) AS ?m) {{ ?s {P} ?v FILTER (?v > 0) }}",
        f"SELECT ?s (ABS(?v) AS ?n) (?v - 1 AS ?d) (ISNUMERIC(?v) AS ?i) {{ ?s {P} ?v }} ORDER BY ?s ?n",
        f"SELECT ?s ?n {{ ?s {P} ?v BIND (-?v AS ?n) }} ORDER BY ?s ?n",
    ],
)
def test_large_integers_are_numbers(data: Dataset, query: str) -> None:
    ours, theirs = (data.query(query, engine=engine) for engine in ("oxigraph", "rdflib"))

    assert ours.boolean == theirs.boolean
    assert [[str(one) for one in row] for row in ours.rows] == [[str(one) for one in row] for row in theirs.rows]


@pytest.mark.parametrize("timeout", [None, 60])
def test_a_collection_knows_them_without_reading_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, timeout: float | None
) -> None:
    monkeypatch.setattr("checkpoint_ld.sparql.large_integers._digits_stated", None)
    query = f"SELECT ?s (SUM(?v) AS ?n) {{ ?s {P} ?v FILTER (?v > 5) }} GROUP BY ?s ORDER BY ?s"
    files = [tmp_path / "plain.nt", tmp_path / "seeds.nt"]
    plain, seeds = checkpoint_ld.Benchmark("Plain"), checkpoint_ld.Benchmark("Seeds")
    for node, value in {"a": SEED, "b": BIG, "c": 6}.items():
        seeds.graph.add((URIRef(f"urn:x:{node}"), URIRef("urn:x:seed"), Literal(value)))
    for file, one in zip(files, (plain, seeds), strict=True):
        file.write_text(one.to_ntriples())
    with Collection.open(tmp_path / "many") as many:
        many.add(files[0])
        assert not many.query(query).rows
        many.add(files[1])
    files[1].touch()
    with Collection.open(tmp_path / "many") as many:
        many.sync(tmp_path)  # which writes the entry of a file again
    with Collection.open(tmp_path / "many", read_only=timeout is not None) as many:
        rows = many.query(query, timeout=timeout).rows
    assert [str(row[1]).partition("^^")[0].strip('"') for row in rows] == [str(SEED), str(BIG), "6"]


X = "urn:x:"


@pytest.mark.parametrize(
    "values",
    [
        [("4611686018427387904", "integer"), ("4611686018427387905", "integer"), ("4611686018427387906", "integer")],
        [("1" + "0" * 30, "integer"), ("5", "integer")],
        [("18446744073709551616", "nonNegativeInteger"), ("18446744073709551615", "unsignedLong"), ("7", "long")],
        [("0.1234567890123456789012345", "decimal"), ("999999999999999999999999", "decimal")],
    ],
)
def test_large_sums_and_other_datatypes_count(values: list[tuple[str, str]]) -> None:
    benchmark = checkpoint_ld.Benchmark("Plain")
    for at, (text, datatype) in enumerate(values):
        number = Literal(text, datatype=URIRef(f"http://www.w3.org/2001/XMLSchema#{datatype}"))
        benchmark.graph.add((URIRef(f"{X}{at}"), URIRef(X + "seed"), number))
    made = Dataset()
    made.add(benchmark.graph)
    for query in (f"SELECT (SUM(?v) AS ?n) {{ ?s {P} ?v }}", f"SELECT ?s {{ ?s {P} ?v FILTER (?v > 0) }} ORDER BY ?s"):
        ours, theirs = (made.query(query, engine=engine).rows for engine in ("oxigraph", "rdflib"))
        assert [[str(one) for one in row] for row in ours] == [[str(one) for one in row] for row in theirs]


def test_constants_of_a_query_are_numbers() -> None:
    made = Dataset()
    benchmark = checkpoint_ld.Benchmark("Plain")
    benchmark.graph.add((URIRef("urn:x:a"), URIRef("urn:x:seed"), Literal(6)))
    made.add(benchmark.graph)

    assert len(made.query(f"SELECT ?s {{ ?s {P} ?v FILTER (?v < {BIG}) }}").rows) == 1


@pytest.mark.parametrize("number", [BIG, Decimal(10**23), Decimal("-1234567890123456789012.5")])
def test_an_edit_may_bring_the_first_one(number: int | Decimal) -> None:
    benchmark = checkpoint_ld.Benchmark("Edited")
    query = f"SELECT ?v {{ ?s {P} ?v FILTER (?v > 5 || ?v < 0) }}"
    benchmark.graph.add((URIRef("urn:x:a"), URIRef("urn:x:seed"), Literal(6)))
    assert len(benchmark.query(query).rows) == 1

    benchmark.graph.add((URIRef("urn:x:b"), URIRef("urn:x:seed"), Literal(number)))
    assert len(benchmark.query(query).rows) == 2


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { ?s (<urn:p>|<urn:q>)* ?o }",
        "SELECT (COUNT(*) AS ?n) { ?s ?p ?o VALUES (?s ?p) { (UNDEF 1) } }",
        "SELECT (STR(?o) AS ?n) { ?s ?p ?o FILTER (BOUND(?o)) } ORDER BY (?o)",
        "SELECT ?s { ?s ?p (?a ?b) ; a (1 ?c) }",
    ],
)
def test_a_query_that_does_not_compute_stays_as_it_is(query: str) -> None:
    assert with_decimals(query) == query


def test_numbers_of_other_data_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Dataset()
    made.add(checkpoint_ld.Benchmark("Plain").graph)
    seen: list[Any] = []

    def counted(store: Any) -> int:
        seen.append(store)
        return 0

    monkeypatch.setattr("checkpoint_ld.sparql.large_integers._digits_stated", counted)
    for _ in range(2):
        made.query("SELECT ?s { ?s ?p ?o FILTER (?o > 5) }")
        made.query("SELECT ?s { ?s ?p ?o }")

    assert len(seen) == 1
