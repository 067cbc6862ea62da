"""What a query may not do is refused in every disguise, and nothing is fetched; what only looks like it is not."""

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyoxigraph import NamedNode
from rdflib import Literal, URIRef

from checkpoint_ld.errors import CheckpointLdError, QueryError
from checkpoint_ld.guard.checking import bound, checked, limited
from checkpoint_ld.guard.terms import quoted
from checkpoint_ld.sparql import run
from checkpoint_ld.sparql.running import ENGINES, Engine
from tests.sparql.conftest import Listener
from tests.trials import examples

SERVICES = {
    "plain": "SELECT * { SERVICE <URL> { ?s ?p ?o } }",
    "silent and in lower case": "SELECT * { service silent <URL> { ?s ?p ?o } }",
    "a variable": "SELECT * { VALUES ?x { <URL> } SERVICE ?x { ?s ?p ?o } }",
    "a prefixed name": "PREFIX ex: <URL> SELECT * { SERVICE ex: { ?s ?p ?o } }",
    "a relative name": "BASE <URL> SELECT * { SERVICE <> { ?s ?p ?o } }",
    "nested groups": "SELECT * { { { { SERVICE <URL> { ?s ?p ?o } } } } }",
    "a sub-select": "SELECT * { { SELECT * { SERVICE <URL> { ?s ?p ?o } } } }",
    "EXISTS": "SELECT * { ?s ?p ?o FILTER EXISTS { SERVICE <URL> { ?s ?p ?o } } }",
    "EXISTS in an expression": "SELECT (EXISTS { SERVICE <URL> { ?s ?p ?o } } AS ?x) { }",
    "NOT EXISTS in an order": "SELECT * { ?s ?p ?o } ORDER BY (NOT EXISTS { SERVICE <URL> { ?s ?p ?o } })",
    "MINUS": "SELECT * { ?s ?p ?o MINUS { SERVICE <URL> { ?s ?p ?o } } }",
    "OPTIONAL": "ASK { OPTIONAL { SERVICE <URL> { ?s ?p ?o } } }",
    "UNION": "DESCRIBE ?s { { ?s ?p ?o } UNION { SERVICE <URL> { ?s ?p ?o } } }",
    "GRAPH": "CONSTRUCT { ?s ?p ?o } { GRAPH ?g { SERVICE <URL> { ?s ?p ?o } } }",
    "comments between": "SELECT * { SERVICE # no\n #\n SILENT#\n<URL>#\n{ ?s ?p ?o } }",
    "a comment that ends with a carriage return": "SELECT * { # look\r SERVICE <URL> { ?s ?p ?o }\n }",
    "escaped letters": "SELECT * { \\u0053ERVICE <URL> { ?s ?p ?o } }",
    "an escaped name": "SELECT * { SERVICE <\\u0068ttpREST> { ?s ?p ?o } }",
    "behind eight digits": 'SELECT * { BIND ("\\u00000022 . # " AS ?x) SERVICE <URL> { ?s ?p ?o }\n }',
    "behind a string of quotes": 'SELECT * { BIND ("""a""\\"b#""" AS ?x) SERVICE <URL> { ?s ?p ?o }\n }',
    "behind single quotes": "SELECT * { BIND ('\"#' AS ?x) SERVICE <URL> { ?s ?p ?o }\n }",
    "behind a comparison": "SELECT * { FILTER (1<2#>\n) SERVICE <URL> { ?s ?p ?o } }",
}

UPDATES = (
    "LOAD <URL>",
    "LOAD SILENT <FILE> INTO GRAPH <urn:x>",
    "INSERT DATA { <urn:s> <urn:p> 1 } ; LOAD <URL>",
    "# SELECT\nPREFIX ex: <urn:x> DELETE WHERE { ?s ?p ?o }",
    "CLEAR ALL",
    "INSERT { ?s ?p 1 } WHERE { SERVICE <URL> { ?s ?p ?o } }",
)

FROM = (
    "SELECT * FROM <URL> { ?s ?p ?o }",
    "SELECT * FROM NAMED <URL> { GRAPH ?g { ?s ?p ?o } }",
    "SELECT * FROM <FILE> { ?s ?p ?o }",
    "ASK FROM NAMED <FILE> { ?s ?p ?o }",
    "PREFIX here: <FILE> SELECT * FROM here: { ?s ?p ?o }",
    "BASE <FILE> CONSTRUCT { ?s ?p ?o } FROM <> { ?s ?p ?o }",
    "SELECT * FROM <urn:uuid:other> FROM <URL> { ?s ?p ?o }",
)

INNOCENT = (
    "SELECT * { ?s ?p ?o } # SERVICE <URL> { ?s ?p ?o }",
    'SELECT * { BIND ("SERVICE <URL> { ?s ?p ?o }" AS ?x) }',
    "SELECT * { BIND ('''\n} SERVICE <URL> { ?s ?p ?o } LOAD <URL>\n''' AS ?x) }",
    "SELECT * { ?service ?load ?o }",
    "PREFIX ex: <urn:x:> SELECT * { ?s ex:service ex:LOAD }",
    "PREFIX service: <urn:x:> SELECT * { ?s service:service ?o }",
    "SELECT * { ?s <urn:SERVICE#{LOAD}> ?o }".replace("{LOAD}", "LOAD"),
    'SELECT * { ?s ?p "SERVICE"@service }',
)


def filled(text: str, listener: Listener, folder: Path) -> str:
    file = folder / "secret.nt"
    file.write_text("<urn:s> <urn:p> <urn:secret> .\n", encoding="utf-8")
    rest = listener.url.removeprefix("h").removeprefix("ttp")
    return text.replace("URL", listener.url).replace("FILE", file.as_uri()).replace("REST", rest)


@pytest.mark.slow
@pytest.mark.parametrize("text", [*SERVICES.values(), *UPDATES, *FROM], ids=lambda text: text[:40])
def test_what_would_fetch_or_change_something_is_refused(
    text: str, store: pyoxigraph.Store, listener: Listener, tmp_path: Path
) -> None:
    size = len(store)
    for engine in ENGINES if text in FROM else ENGINES[:1]:  # rdflib would fetch what FROM names
        with pytest.raises(QueryError):
            run(store, filled(text, listener, tmp_path), engine=engine)
    assert (listener.heard, len(store)) == ([], size)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", INNOCENT)
def test_what_only_looks_like_it_runs(
    text: str, engine: Engine, store: pyoxigraph.Store, listener: Listener, tmp_path: Path
) -> None:
    run(store, filled(text, listener, tmp_path), engine=engine)
    assert listener.heard == []


def test_without_the_guard_the_engine_would_connect(store: pyoxigraph.Store, listener: Listener) -> None:
    with pytest.raises((OSError, ValueError, RuntimeError)):
        list(store.query(SERVICES["plain"].replace("URL", listener.url)))  # type: ignore[arg-type]
    assert listener.heard
    listener.heard.clear()


def test_the_refusal_states_why(store: pyoxigraph.Store) -> None:
    for text, words in (
        ("SELECT * { SERVICE <urn:x> { ?s ?p ?o } }", "another server by SERVICE (urn:x)"),
        ("CLEAR ALL", "this is an update"),
        ("SELECT * FROM <urn:x> { ?s ?p ?o }", "FROM <urn:x>: no such graph was loaded"),
        ("SELECT * { ?s ?p }", "line 1, column 12"),
        ("SELECT *\n{ ?s ?p ?o ", "incomplete (line 2"),
        ("SELECT * { ?s nope:p ?o }", "prefix nope: is not declared"),
        ("SELECT * {" + "{" * 60 + "}" * 60 + "}", "nested more than"),
        ('SELECT * { ?s ?p "a }', "string that does not end"),
        ("SELECT * { ?s ?p ?o \\u0020 }", "escape outside of strings"),
        ("# " + "x" * 1_000_001, "more than 1000000 characters"),
    ):
        with pytest.raises(QueryError) as refused:
            run(store, text)
        assert words in str(refused.value)


def test_what_graphs_are_chosen_is_reported_whatever_the_names_look_like() -> None:
    text = "PREFIX g: <urn:g:> BASE <urn:base:x> SELECT * FROM g:one FROM <urn:two> FROM NAMED g:three { ?s ?p ?o }"
    found = checked(text)
    assert (found.form, found.default_graphs, found.named_graphs) == (
        "select",
        ("urn:g:one", "urn:two"),
        ("urn:g:three",),
    )


PIECES = (
    *(" SERVICE <URL> { ?s ?p ?o } ", " SERVICE ", " <URL> ", " { ?s ?p ?o } ", "{", "}", " ?x ", " . "),
    *('"', "'", '"""', "'''", "#", "\n", "\r", "\r\n", "\t", "\\", '\\"', "\\u0022", "\\u00000022", "\\U00000022"),
    *("\\u000A", "\\u0023", "<", ">", "<#", " a ", " BIND (", " AS ?y) ", "(", ")", "FILTER (1", "&& 1)", "\x00", "é"),
)


@example([' BIND ("', "\\u00000022", ".", "#", '" AS ?y) ', PIECES[0], "\n"])
@example(["#", "\r", PIECES[0], "\n"])
@given(st.lists(st.sampled_from(PIECES), max_size=14))
@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_mixture_of_strings_comments_and_escapes_gets_a_service_through(
    store: pyoxigraph.Store, listener: Listener, pieces: list[str]
) -> None:
    text = f"SELECT * {{ {''.join(pieces)} }}".replace("URL", listener.url)
    for engine in ENGINES:
        try:
            run(store, text, engine=engine, max_rows=1)
        except CheckpointLdError:
            continue
    assert listener.heard == []


EMPTY = pyoxigraph.Store()
TEXTS = st.text(st.one_of(st.sampled_from("\\\"'un0U \n\r\t{}#<>?.$@^"), st.characters(exclude_categories=["Cs"])))


def values_of(text: str) -> list[str]:
    return [run(EMPTY, text, engine=engine).as_dicts()[0]["x"] for engine in ENGINES]


@example("\\u0022 } # ")
@example("\\\\u0022")
@given(TEXTS)
def test_a_text_that_is_written_comes_back_from_both_engines(text: str) -> None:
    assert values_of(f"SELECT ({quoted(text)} AS ?x) {{}}") == [text, text]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"'a\'b'", "a'b"),
        ("'a\"b'", 'a"b'),
        ('"""a "quoted" word"""', 'a "quoted" word'),
        ("'''two\r\nlines'''", "two\r\nlines"),
        (r'"\u0041\U00000042"', "AB"),
        (r'"\u0022"', '"'),
        (r'"\\u0041"', r"\u0041"),
        (r'"\u00000022"', "\x000022"),
        ('"tab\there"', "tab\there"),
        ('"# no comment"', "# no comment"),
    ],
)
def test_every_way_to_write_a_string_is_read_alike(written: str, meant: str) -> None:
    assert values_of(f"SELECT ({written} AS ?x) {{}} # it's a comment") == [meant, meant]


def test_messages_count_the_lines_of_the_query_as_given() -> None:
    with pytest.raises(QueryError, match=r"line 4, column 3"):
        checked("SELECT * { # one\n ?s ?p '''two\nthree''' .\n  oops }")


def test_names_may_be_escaped_and_have_escaped_signs() -> None:
    assert values_of(r"SELECT (STR(<urn:\u0041>) AS ?x) {}") == ["urn:A"] * 2
    # Only Oxigraph: rdflib keeps the backslash.
    assert run(EMPTY, r"PREFIX ex: <urn:> SELECT (STR(ex:it\'s) AS ?x) {}").as_dicts() == [{"x": "urn:it's"}]


@pytest.mark.parametrize("wrong", [r'"\x"', r'"\uD800"', r'"\U00110000"', r"<urn:\u003E>", '"\ud800"', "'''a''"])
def test_what_is_no_token_is_refused(wrong: str) -> None:
    with pytest.raises(QueryError):
        checked(f"SELECT ({wrong} AS ?x) {{}}")
    with pytest.raises(QueryError):
        quoted("\ud800")


# --- Values for variables: of every kind, in every form of query, and never syntax.


@pytest.mark.slow
@example('" } SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } #')
@example("\\u0022 } \\U00000022")
@example("'''\r\n\"\"\"")
@given(TEXTS)
def test_no_text_becomes_syntax(value: str) -> None:
    for engine in ENGINES:
        result = run(EMPTY, "SELECT ?x { BIND (?given AS ?x) }", parameters={"given": value}, engine=engine)
        assert result.as_dicts() == [{"x": value}]


@given(TEXTS)
def test_no_text_in_place_of_an_iri_becomes_syntax(value: str) -> None:
    try:
        result = run(EMPTY, "SELECT (STR(?x) AS ?s) { }", parameters={"x": URIRef(value)})
    except (QueryError, ValueError):
        return
    assert result.as_dicts() == [{"s": value}]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, True),
        (7, 7),
        (-2.5, -2.5),
        (1e300, 1e300),
        (Decimal("0.10"), 0.1),
        (date(2026, 3, 1), "2026-03-01"),
        (datetime(2026, 3, 1, 9, tzinfo=UTC), "2026-03-01T09:00:00+00:00"),
        (NamedNode("urn:x"), "urn:x"),
        (URIRef("urn:x"), "urn:x"),
        (Literal("hallo", lang="de"), "hallo"),
        (pyoxigraph.Literal("x", language="en"), "x"),
    ],
)
def test_values_of_every_kind(value: Any, expected: Any) -> None:
    for engine in ENGINES:
        result = run(EMPTY, "SELECT ?x {}", parameters={"x": value}, engine=engine).as_dicts()[0]["x"]
        assert str(result).replace("Z", "+00:00") == str(expected)


@pytest.mark.parametrize("engine", ENGINES)
def test_values_hold_in_patterns_and_filters(store: pyoxigraph.Store, engine: Any) -> None:
    for text in (
        "SELECT ?q { ?q schema:text ?text }",
        "SELECT ?q WHERE { ?q schema:text ?held FILTER (?held = ?text) }",
        "SELECT ?q { OPTIONAL { ?q schema:text ?held } FILTER (STRSTARTS(?held, ?text)) }",
        "SELECT (1 + (2) AS ?x) ?q FROM <urn:uuid:other> { ?q schema:text ?text }",
        "SELECT ?q { SELECT ?q ?text { { ?q schema:text ?text } } ORDER BY ?q } LIMIT 5",
        "PREFIX select: <urn:uuid:> SELECT DISTINCT ?q { select:other ?p ?any . ?q schema:text ?text }",
    ):
        rows = run(store, text, parameters={"text": "Which gas is lightest?"}, engine=engine).as_dicts()
        assert [row["q"] for row in rows] == ["urn:uuid:question-gas-1#/item"], text


def test_every_form_of_query_takes_values(store: pyoxigraph.Store) -> None:
    given_ = {"name": "Gases"}
    assert run(store, "ASK { ?s schema:name ?name }", parameters=given_).boolean
    exists = "SELECT (EXISTS { ?a ?b ?c } AS ?x) ?s { ?s schema:name ?name }"  # rdflib knows no EXISTS there
    assert run(store, exists, parameters=given_).as_dicts() == [{"x": True, "s": "urn:uuid:other"}]
    made = run(store, "CONSTRUCT { ?s a schema:Thing } WHERE { ?s schema:name ?name }", parameters=given_)
    assert [str(one.subject) for one in made.triples] == ["<urn:uuid:other>"]
    assert len(run(store, "DESCRIBE ?s { ?s schema:name ?name }", parameters=given_)) > 5


def test_what_cannot_be_given_is_refused() -> None:
    for text, values in (
        ("SELECT * { ?s ?p ?o }", {"other": 1}),
        ('SELECT * { ?s ?p "?other" } # ?other', {"other": 1}),
        ("SELECT * { ?s ?p ?o }", {"s": object()}),
        ("SELECT * { ?s ?p ?o }", {"s": float("nan")}),
        ("SELECT * { ?s ?p ?o }", {"s": pyoxigraph.BlankNode()}),
        ("SELECT * { ?s ?p ?o }", {"s": "\ud800"}),
        ("SELECT * { ?s ?p ?o }", {"s ?p": 1}),
        ("DESCRIBE <urn:x> ?s", {"s": 1}),
    ):
        with pytest.raises((QueryError, ValueError)):
            run(EMPTY, text, parameters=values)
    with pytest.raises(QueryError, match="CONSTRUCT WHERE holds no values"):
        run(EMPTY, "CONSTRUCT WHERE { ?s ?p ?o }", parameters={"s": 1})
    assert bound("anything", {}) == "anything"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("SELECT * { ?s ?p ?o }", "SELECT * { ?s ?p ?o } LIMIT 3 "),
        ("SELECT * { ?s ?p ?o } LIMIT 2", "SELECT * { ?s ?p ?o } LIMIT 2"),
        ("SELECT * { ?s ?p ?o }limit\n200 OFFSET 1", "SELECT * { ?s ?p ?o }limit\n3 OFFSET 1"),
        ("SELECT * { { SELECT * { ?s ?p ?o } LIMIT 1 } }", "SELECT * { { SELECT * { ?s ?p ?o } LIMIT 1 } } LIMIT 3 "),
        ("SELECT * { ?s ?p ?limit } ORDER BY ?limit", "SELECT * { ?s ?p ?limit } ORDER BY ?limit LIMIT 3 "),
        ("SELECT * { ?s ?p ?o } VALUES ?s { 1 }", "SELECT * { ?s ?p ?o }  LIMIT 3 VALUES ?s { 1 }"),
    ],
)
def test_a_query_is_limited_in_its_own_words(text: str, after: str) -> None:
    assert limited(text, 3) == after
    assert checked(after).form == "select"
