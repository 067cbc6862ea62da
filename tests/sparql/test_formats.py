"""Results as text: standards are kept, tables fit, and nothing in a value harms the reader."""

import csv
import io
import json
import xml.etree.ElementTree as ET
from decimal import Decimal
from typing import Any

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, QueryResultsFormat, Triple

from checkpoint_ld.errors import QueryFailedError, SettingsError
from checkpoint_ld.sparql import QueryResult, run
from checkpoint_ld.sparql.formats import FORMATS, GRAPHS, TABLES, columns, fitting, render, results_xml
from checkpoint_ld.sparql.result import of_results_json, results_json
from checkpoint_ld.vocabulary import XSD

NASTY = 'a "b", c\n\t\x1b[31m|\\ = é 試'
RESULT = QueryResult(
    "select",
    ("what", "text", "number", "nothing"),
    (
        (NamedNode("https://schema.org/Question"), Literal(NASTY), Literal(7), None),
        (NamedNode("urn:uuid:a#/item"), Literal("hallo", language="de"), Literal(12.5), None),
    ),
)
TRUE, FALSE = QueryResult("ask", boolean=True), QueryResult("ask", boolean=False)


def made(store: pyoxigraph.Store) -> QueryResult:
    return run(store, "CONSTRUCT { ?s a schema:Thing } { ?s a schema:DataFeed }")


def test_csv_has_bare_values_and_crlf() -> None:
    text = render(RESULT, "csv")
    assert text.startswith("what,text,number,nothing\r\n")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[1:] == [["https://schema.org/Question", NASTY, "7", ""], ["urn:uuid:a#/item", "hallo", "12.5", ""]]
    assert render(TRUE, "csv") == "answer\r\ntrue\r\n"


@pytest.mark.parametrize(("name", "kind"), [("json", QueryResultsFormat.JSON), ("tsv", QueryResultsFormat.TSV)])
def test_json_and_tsv_are_read_by_others(name: str, kind: QueryResultsFormat) -> None:
    stated = pyoxigraph.parse_query_results(render(RESULT, name), kind)
    assert isinstance(stated, pyoxigraph.QuerySolutions)
    assert [one.value for one in stated.variables] == list(RESULT.columns)
    assert [tuple(row) for row in stated] == list(RESULT.rows)


def test_json_comes_back_and_states_what_was_cut() -> None:
    statement = Triple(NamedNode("urn:s"), NamedNode("urn:p"), Literal("o"))
    stated = QueryResult("select", ("a",), ((statement,),))
    for result in (RESULT, TRUE, FALSE, stated, QueryResult("select", ("a",), is_cut=True)):
        assert of_results_json(json.loads(render(result, "json"))) == result
    assert results_json(QueryResult("select", ("a",), is_cut=True))["cut"] is True
    assert "cut" not in results_json(RESULT)
    old = {
        "head": {"vars": ["a"]},
        "results": {"bindings": [{"a": {"type": "typed-literal", "value": "1", "datatype": XSD + "integer"}}]},
    }
    assert of_results_json(old).as_dicts() == [{"a": 1}]
    assert of_results_json({"head": {}, "results": {"bindings": []}}).as_dicts() == []
    wrongs: tuple[Any, ...] = (
        {},
        [],
        {"head": {}, "results": {}},
        {"results": {"bindings": []}, "head": {"vars": 1}},
        None,
    )
    for wrong in wrongs:
        with pytest.raises(QueryFailedError):
            of_results_json(wrong)


def test_a_table_fits_and_is_harmless() -> None:
    lines = render(RESULT, width=40).splitlines()
    assert max(map(len, lines)) <= 40
    assert "\x1b" not in "".join(lines)
    assert "␛" in render(RESULT, width=200)
    assert "schema:Question" in render(RESULT, width=200)
    assert "https://schema.org/Question" in render(RESULT, width=40, wide=True)
    assert NASTY.count("試") == render(RESULT, wide=True).count("試")


def test_a_name_keeps_its_end_a_text_its_start_and_a_number_stands_to_the_right() -> None:
    rows = ((NamedNode("urn:uuid:benchmark-1#/item"), Literal("a long text that goes on"), Literal(5)),)
    shown = render(QueryResult("select", ("who", "what", "count"), rows), width=31)
    assert shown.splitlines() == [
        "who          what         count",
        "───────────  ───────────  ─────",
        "…rk-1#/item  a long tex…      5",
    ]


@pytest.mark.parametrize(
    ("widths", "room", "expected"),
    [([5, 5], 20, [5, 5]), ([5, 50], 20, [5, 15]), ([50, 50, 3], 20, [9, 8, 3]), ([50, 50], 2, [4, 4]), ([], 10, [])],
)
def test_the_widest_columns_give_way(widths: list[int], room: int, expected: list[int]) -> None:
    assert fitting(widths, room) == expected


def test_markdown_shows_values_as_they_are() -> None:
    lines = render(RESULT, "markdown").splitlines()
    assert lines[:2] == ["| what | text | number | nothing |", "| --- | --- | --- | --- |"]
    assert len(lines) == 4
    assert lines[2].replace("\\|", "").count("|") == 5


def test_statements_are_rdf_or_a_table(store: pyoxigraph.Store) -> None:
    result = made(store)
    assert "<urn:uuid:other> a schema:Thing" in render(result)
    assert render(result, "ntriples").splitlines()[1] == (
        "<urn:uuid:other> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://schema.org/Thing> ."
    )
    assert {one["@id"] for one in json.loads(render(result, "jsonld"))} >= {"urn:uuid:other"}
    assert render(result, "csv").splitlines()[0] == "subject,predicate,object"


def test_formats_that_do_not_fit_are_refused(store: pyoxigraph.Store) -> None:
    assert {render(made(store), kind) for kind in FORMATS}
    assert all(render(TRUE, kind) for kind in TABLES)
    for result, kind in [(TRUE, "xml"), *((RESULT, kind) for kind in GRAPHS)]:
        with pytest.raises(SettingsError):
            render(result, kind)


def test_statements_are_rows_as_in_tables(store: pyoxigraph.Store) -> None:
    result = made(store)
    rows = list(csv.DictReader(io.StringIO(render(result, "csv"))))
    assert [*result] == result.as_dicts() == rows
    assert len(rows) == len(result) > 0
    assert [*map(tuple, result.to_dataframe().to_numpy())] == [tuple(row.values()) for row in rows]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_rows_as_a_data_frame(library: str) -> None:
    frame = RESULT.to_dataframe(library=library)  # type: ignore[arg-type]
    assert list(frame.columns) == list(RESULT.columns)
    assert frame["text"].to_list() == [NASTY, "hallo"]
    assert frame["number"].to_list() == [7, 12.5]
    assert list(QueryResult("select", ("a", "b")).to_dataframe(library=library).columns) == ["a", "b"]  # type: ignore[arg-type]
    with pytest.raises(SettingsError):
        RESULT.to_dataframe(library="dask")  # type: ignore[arg-type]


TERMS = (
    NamedNode("urn:a?b&c"),
    BlankNode("b0"),
    Literal('plain <b> &\r\n\t"quoted"'),
    Literal("x", language="en-GB"),
    Literal("01", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#integer")),
    None,
)


def parsed(text: str) -> list[dict[str, object]]:
    found = pyoxigraph.parse_query_results(text.encode(), format=pyoxigraph.QueryResultsFormat.XML)
    assert isinstance(found, pyoxigraph.QuerySolutions)
    return [{one.value: row[one.value] for one in found.variables} for row in found]


def test_terms_of_every_kind_come_back_and_statements_about_statements_have_their_parts() -> None:
    columns = tuple("abcdef")
    assert parsed(results_xml(QueryResult("select", columns, (TERMS,)))) == [dict(zip(columns, TERMS, strict=True))]
    triple = Triple(NamedNode("urn:s"), NamedNode("urn:p"), Literal("o"))
    root = ET.fromstring(results_xml(QueryResult("select", ("t",), ((triple,),))))
    names = [one.tag.rpartition("}")[2] for one in root.iter()]
    assert names[-7:] == ["triple", "subject", "uri", "predicate", "uri", "object", "literal"]


@given(st.text(max_size=50))
def test_whatever_a_literal_holds_the_document_is_well_formed(text: str) -> None:
    held = text.encode("utf-8", "replace").decode()
    root = ET.fromstring(results_xml(QueryResult("select", ("x",), ((Literal(held),),))))
    (literal,) = root.iter("{http://www.w3.org/2005/sparql-results#}literal")
    assert (literal.text or "") == "".join(map(writable, held))


def writable(one: str) -> str:
    is_control = one < " " and one not in "\t\n\r"
    return "\ufffd" if is_control or one in "\ufffe\uffff" else one


def test_columns_keep_the_types_of_dates_times_and_decimals() -> None:
    frames = pytest.importorskip("polars", reason="polars writes Parquet and Arrow")
    text = """SELECT * { VALUES (?zoned ?local ?day ?price ?mixed) {
      ("2026-01-01T00:00:00+02:00"^^xsd:dateTime "2026-01-01T00:00:00"^^xsd:dateTime "2026-01-01"^^xsd:date 1.25 "a")
      ("2026-01-01T00:00:00Z"^^xsd:dateTime "2026-01-02T00:00:00"^^xsd:dateTime "2026-01-02"^^xsd:date 2.5 3)
    } }"""
    result = run(pyoxigraph.Store(), text)
    for table in (
        frames.read_parquet(io.BytesIO(columns(result, "parquet"))),
        frames.read_ipc(io.BytesIO(columns(result, "arrow"))),
    ):
        assert table.schema["zoned"] == frames.Datetime("us", "UTC")
        assert table.schema["local"] == frames.Datetime("us", None)
        assert table.schema["day"] == frames.Date
        assert table["price"].to_list() == [Decimal("1.25"), Decimal("2.5")]
        assert table["mixed"].to_list() == ["a", "3"]
