"""`checkpoint-ld query`: answers for people and for pipelines, and exit codes that tell."""

import csv
import io
import json
from pathlib import Path

import pytest

from checkpoint_ld.agents.values import bytes_of
from checkpoint_ld.identifiers import question_id
from checkpoint_ld.sparql import queries
from checkpoint_ld.stores.collection import Collection
from tests.agents import runs
from tests.cli.conftest import EXAMPLES, Run
from tests.documents import canonical, item, rating, scenario
from tests.queries.benchmarks import elements, metals
from tests.remote.oxigraph_server import oxigraph


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    readable = elements()
    readable["dataFeedElement"][1]["item"]["acceptedAnswer"] = {"@type": "Answer", "text": "Lithium"}
    for name, tree in (("metals", metals()), ("elements", readable)):
        (tmp_path / f"{name}.jsonld").write_text(json.dumps(tree), encoding="utf-8")
    (tmp_path / "notes.json").write_text('{"not": "a checkpoint"}', encoding="utf-8")
    return tmp_path


NAMES = "SELECT ?name { ?s a schema:DataFeed ; schema:name ?name } ORDER BY ?name"


def test_files_and_folders_are_queried_together(run: Run, folder: Path) -> None:
    for paths in ([folder], [folder / "metals.jsonld", folder / "elements.jsonld"], [f"{folder}/*.jsonld"]):
        result = run("query", *paths, "--query", NAMES)
        assert (result.code, result.out.decode()) == (0, "name\n────────\nElements\nMetals\n")
    assert run("query", folder / "metals.jsonld", "--query", NAMES).out.decode().endswith("\nMetals\n")


@pytest.mark.parametrize(
    ("query", "columns", "first"),
    [
        (NAMES, ["name"], ["Elements"]),
        ("SELECT ?x ?y { VALUES (?x ?y) { (1 UNDEF) ('a' UNDEF) } }", ["x", "y"], ["1", None]),
        ("SELECT ?x ?y { VALUES (?x ?y) { (1 2.5) (2 true) } }", ["x", "y"], [1, "2.5"]),
        (f"SELECT ?x {{ VALUES ?x {{ {2**63 - 1} }} }}", ["x"], [2**63 - 1]),
        (f"SELECT ?x {{ VALUES ?x {{ '{2**70}'^^xsd:integer }} }}", ["x"], [f"{2**70}"]),
        ("ASK { ?s a schema:DataFeed }", ["answer"], [True]),
        ("CONSTRUCT { ?s schema:name 'x' } { ?s a schema:DataFeed }", ["subject", "predicate", "object"], None),
        ("SELECT ?x { ?x a <urn:x:nothing> }", ["x"], None),
    ],
)
def test_results_are_written_as_parquet(
    run: Run, folder: Path, query: str, columns: list[str], first: list[object] | None
) -> None:
    frames = pytest.importorskip("polars", reason="polars writes Parquet")
    target = folder / "rows.parquet"

    result = run("query", folder, "--query", query, "-o", target)

    assert (result.code, result.out) == (0, b"")
    table = frames.read_parquet(target)
    assert table.columns == columns
    assert first is None or list(table.row(0)) == first


def test_a_query_comes_from_a_file_or_from_standard_input(run: Run, folder: Path) -> None:
    (folder / "names.rq").write_text(f"# names\n{NAMES}\n", encoding="utf-8")
    result = run("query", folder, "--file", folder / "names.rq", "--format", "csv")
    assert (result.code, result.out) == (0, b"name\r\nElements\r\nMetals\r\n")
    assert run("query", folder, "--file", "-", "--format", "csv", stdin=NAMES.encode()).out == result.out
    piped = (folder / "metals.jsonld").read_bytes()
    assert run("query", "-", "--query", NAMES, "--format", "csv", stdin=piped).out == b"name\r\nMetals\r\n"


def test_named_queries_are_listed_explained_and_run(run: Run, folder: Path) -> None:
    listed = run("query", "--list").out.decode()
    assert [line.split()[0] for line in listed.splitlines()] == list(queries.catalogue())
    explained = run("query", "--list", "--name", "search").out.decode()
    assert "--param text=text  the text to find" in explained
    assert "FILTER (CONTAINS" in explained
    result = run("query", folder, "--name", "search", "--param", "text=mercury", "--format", "json")
    assert [row["question"]["value"] for row in json.loads(result.out)["results"]["bindings"]] == ["urn:q:liquid"]
    authors = run("query", folder, "--name", "authors", "--format", "csv").out.decode()
    assert "B. Jones,1,1" in authors
    versions = run("query", folder / "metals.jsonld", "--name", "versions", "--format", "csv").out.decode()
    assert versions.splitlines()[1].endswith(",3.0.0-jsonld,1")


def test_parameters_of_a_query_of_ones_own(run: Run, folder: Path) -> None:
    text = "SELECT ?q { ?q schema:item ?asked . ?asked schema:keywords ?k }"
    for value, count in (("physics", 1), ("chemistry", 3), ('" } # ', 0), ("k=v", 0)):
        result = run("query", folder, "--query", text, "--param", f"k={value}", "--format", "csv")
        assert len(result.out.splitlines()) == count + 1
    result = run("query", folder, "--query", "DESCRIBE ?s { ?s a ?any }", "--param", "s=<urn:q:liquid>")
    assert "<urn:q:liquid> a schema:DataFeedItem" in result.out.decode()


@pytest.mark.slow
def test_exit_codes(run: Run, folder: Path) -> None:
    some, none = NAMES, "SELECT ?x { ?x a schema:Nothing }"
    assert [run("query", folder, "--query", text, "--fail-on-rows").code for text in (some, none)] == [1, 0]
    given = [
        run("query", folder, "--query", f"ASK {{ ?x a schema:{name} }}", "--fail-on-rows").code
        for name in ("Answer", "No")
    ]
    assert given == [1, 0]
    cut = run("query", folder, "--query", some, "--max-rows", "1", "--format", "json", "--fail-on-rows")
    assert cut.code == 2
    assert json.loads(cut.out)["cut"] is True
    assert "--max-rows 1 cut the result" in cut.err
    late = run(
        "query", folder, "--query", "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }", "--timeout", "0.2"
    )
    assert (late.code, late.out) == (2, b"")
    assert "longer than 0.2 s" in late.err


@pytest.mark.parametrize("command", [["query", "--query", NAMES], ["push", "--to", "http://127.0.0.1:1"], ["serve"]])
def test_a_collection_is_named_alone(run: Run, folder: Path, command: list[str]) -> None:
    with Collection.open(folder / "library") as collection:
        collection.add(folder / "metals.jsonld")
    result = run(command[0], folder / "library", folder / "elements.jsonld", *command[1:])
    assert (result.code, result.out) == (2, b"")
    assert result.err.startswith(f"{folder / 'library'} is a collection: name it alone")


def test_a_bad_file_hides_nothing_about_the_others(run: Run, folder: Path) -> None:
    (folder / "broken.jsonld").write_text("{", encoding="utf-8")
    result = run("query", folder, "--query", NAMES, "--format", "csv")
    assert (result.code, result.out) == (2, b"name\r\nElements\r\nMetals\r\n")
    assert "broken.jsonld" in result.err


def test_two_versions_of_a_benchmark_are_distinguished(run: Run, folder: Path) -> None:
    newer = metals()
    newer["version"] = "9"
    (folder / "newer.jsonld").write_text(json.dumps(newer), encoding="utf-8")
    (folder / "copy.jsonld").write_text(json.dumps(metals()), encoding="utf-8")
    result = run("query", folder, "--name", "benchmarks", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.out.decode(), newline="")))
    assert {(row["name"], row["version"]) for row in rows} == {
        ("Elements", "2.0"),
        ("Metals", "0.2.0"),
        ("Metals", "9"),
    }
    assert len({row["benchmark"] for row in rows}) == 3
    assert "another checkpoint is called <urn:b:metals>" in result.err
    assert "counts once" in result.err
    assert run("query", folder, "--name", "benchmarks", "--quiet").err == ""


def test_tables_fit_the_terminal_unless_they_are_to_be_wide(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    (folder / "long.jsonld").write_text(json.dumps(canonical(item("Why? " * 40))), encoding="utf-8")
    narrow = run("query", folder, "--name", "questions").out.decode()
    assert max(map(len, narrow.splitlines())) <= 60
    wide = run("query", folder, "--name", "questions", "--wide").out.decode()
    assert "Why? " * 39 in wide
    kept = run("query", folder, "--name", "questions", "--output", folder / "table.txt")
    assert (kept.code, kept.out) == (0, b"")
    assert "Why? " * 39 in (folder / "table.txt").read_text("utf-8")


@pytest.mark.slow
def test_a_collection_is_queried_where_it_is(run: Run, folder: Path) -> None:
    with Collection.open(folder / "kept") as collection:
        collection.add(folder / "metals.jsonld", folder / "elements.jsonld")
    for limits in ((), ("--timeout", "60"), ("--engine", "rdflib"), ("--inferred",)):
        result = run("query", folder / "kept", "--query", NAMES, "--format", "csv", *limits)
        assert (result.code, result.out) == (0, b"name\r\nElements\r\nMetals\r\n")
    for derived in ((), ("--inferred",)):
        versions = run("query", folder / "kept", "--name", "versions", "--format", "csv", *derived)
        assert versions.out.splitlines()[1].startswith(b"datafeed-")
    assert "B. Jones,1,1" in run("query", folder / "kept", "--name", "authors", "--format", "csv").out.decode()
    assert run("query", folder / "kept", "--query", "CLEAR ALL").code == 2


def test_a_triple_store_elsewhere_is_queried(run: Run, folder: Path) -> None:
    with oxigraph() as url:
        assert run("push", folder, "--to", url).code == 0
        output = run("query", "--endpoint", url, "--name", "benchmarks", "--format", "csv")
        assert output.code == 0
        assert [row.split(",")[1] for row in output.out.decode().splitlines()[1:]] == ["Elements", "Metals"]
        service = ("--endpoint", f"{url}/query", "--profile", "generic")
        text = "SELECT ?q { GRAPH ?g { ?q schema:item/schema:keywords ?k } }"
        found = run("query", *service, "--query", text, "--param", "k=physics", "--format", "csv")
        assert found.out == b"q\r\nurn:q:light-1\r\n"
        assert run("query", *service, "--query", "CLEAR ALL").code == 2
        limited = run("query", "--endpoint", url, "--name", "benchmarks", "--max-rows", "1", "--format", "csv")
        assert (limited.code, limited.out.decode().count("\n")) == (2, 2)
        assert "--max-rows 1 cut the result" in limited.err
        assert run("query", *service, "--query", text, "--max-rows", "9").code == 0
        assert run("query", *service, "--query", text, "--engine", "rdflib").code == 2


def test_both_engines_and_derived_statements(run: Run, folder: Path) -> None:
    text = "SELECT ?field { ?q karenina:templateField/schema:name ?field } ORDER BY ?field"
    outs = {
        (derived, run("query", folder, "--query", text, "--engine", engine, "--format", "csv", *derived).out)
        for engine in ("oxigraph", "rdflib")
        for derived in ((), ("--inferred",))
    }
    assert outs == {((), b"field\r\n"), (("--inferred",), b"field\r\nmetal\r\nmetal\r\nresponse\r\nsure\r\n")}


def test_an_iri_may_stand_in_brackets_for_named_queries_too(run: Run, tmp_path: Path) -> None:
    (tmp_path / "k1.json").write_text(bytes_of(runs.tree("k1", thoughts=[runs.thought(1)])).decode(), encoding="utf-8")
    given = ["query", tmp_path, "--name", "agent-timeline", "--format", "csv", "--param"]
    executions = run("query", tmp_path, "--name", "agent-executions", "--format", "csv").out.decode().splitlines()
    iri = next(cell for cell in executions[1].split(",") if cell.startswith("urn:"))
    plain = run(*given, f"execution={iri}")
    assert (plain.code, plain.out.count(b"\n") > 1) == (0, True)
    assert run(*given, f"execution=<{iri}>").out == plain.out
    assert "no absolute IRI" in run(*given, "execution=<no iri>").err


def test_a_dataset_is_one_where_derived_statements_are_wanted(run: Run, tmp_path: Path) -> None:
    (tmp_path / "feed.jsonld").write_text(json.dumps(canonical(item())), encoding="utf-8")
    assert (
        run("convert", tmp_path / "feed.jsonld", "--dialect", "dataset-1", "-q", "-o", tmp_path / "set.json").code == 0
    )
    given = ["query", tmp_path / "set.json", "--query", "SELECT ?d { ?d a schema:Dataset }", "--format", "csv"]
    assert run(*given).out == b"d\r\n"
    assert run(*given, "--inferred").out.count(b"\n") == 2
    derived = run("convert", tmp_path / "set.json", "--inferred", "-q", "--to", "nt").out
    assert (
        run("convert", "-", "-q", "--to", "nt", stdin=derived).out
        == run("convert", tmp_path / "set.json", "-q", "--to", "nt").out
    )


def test_a_query_in_the_other_schema_org_that_finds_nothing_states_why(run: Run, folder: Path) -> None:
    for text in ("SELECT * { ?s a <http://schema.org/Question> }", "ASK { ?s a <http://schema.org/Question> }"):
        done = run("query", folder, "--query", text)
        assert done.code == 0
        assert "the vocabulary is https://schema.org/" in done.err
        assert "vocabulary" not in run("query", folder, "--query", text.replace("http:", "https:")).err


# --- `checkpoint-ld diff` and `inspect`: what differs between two checkpoints, and what one holds.


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    before, after = tmp_path / "before.jsonld", tmp_path / "after.jsonld"
    tree = canonical()
    before.write_text(json.dumps(tree), encoding="utf-8")
    tree["name"] = "Other"
    tree["dateModified"] = "2026-05-05T00:00:00"
    after.write_text(json.dumps(tree), encoding="utf-8")
    return before, after


def test_a_difference_is_reported_and_gives_exit_code_1(run: Run, files: tuple[Path, Path]) -> None:
    result = run("diff", *files)
    assert (result.code, result.out.decode()) == (1, "~ name: Metals → Other\n")
    assert "modified_at" in run("diff", *files, "--dates").out.decode()


def test_other_formats_and_a_file(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    value = json.loads(run("diff", *files, "--format", "json").out)
    assert value["metadata"] == [{"member": "name", "kind": "changed", "before": "Metals", "after": "Other"}]
    assert run("diff", *files, "--format", "markdown").out.startswith(b"- changed <code>name</code>")
    done = run("diff", *files, "--output", tmp_path / "a.txt")
    assert (done.code, done.out) == (1, b"")
    assert (tmp_path / "a.txt").read_text("utf-8") == "~ name: Metals → Other\n"


def test_quiet_leaves_the_exit_code(run: Run, files: tuple[Path, Path]) -> None:
    result = run("diff", *files, "--quiet")
    assert (result.code, result.out) == (1, b"")


@pytest.mark.parametrize("kind", ["json", "text"])
def test_quiet_writes_the_file_that_is_named(run: Run, files: tuple[Path, Path], tmp_path: Path, kind: str) -> None:
    result = run("diff", *files, "--format", kind, "--quiet", "--output", tmp_path / "diff")
    assert (result.code, result.out) == (1, b"")
    assert (tmp_path / "diff").read_bytes() == run("diff", *files, "--format", kind).out


def test_one_may_come_from_standard_input(run: Run, files: tuple[Path, Path]) -> None:
    assert run("diff", "-", files[1], stdin=files[1].read_bytes()).code == 0


def test_the_overview_counts_what_is_there(run: Run) -> None:
    shown = run("inspect", EXAMPLES / "metals.jsonld")
    assert shown.code == 0
    text = " ".join(shown.out.decode().split())
    for expected in (
        "name Metals",
        "version 1.0.0",
        "dialect datafeed-ns-v3",
        "422 triples",
        "5: 4 with a template, 4 finished",
        "3 global llm",
        "1 global dynamic regex",
        "1 question metric",
        "chemistry (3)",
        "1 KR038",
    ):
        assert expected in text


def test_json_has_the_same_and_every_finding_with_its_place(run: Run, tmp_path: Path) -> None:
    tree = canonical(item("One?", question_id("One?")), item("Another?", "urn:uuid:question-something-else-00000000"))
    tree["dateModified"] = "yesterday"
    source = tmp_path / "odd.jsonld"
    source.write_text(json.dumps(tree, indent=2), encoding="utf-8")
    value = json.loads(run("inspect", source, "--json").out)
    assert value["questions"] == 2
    assert value["keywords"] == {"chemistry": 2}
    assert {"scope": "question", "kind": "regex", "count": 2} in value["traits"]
    [finding] = value["findings"]
    assert (finding["code"], finding["condition"]) == ("KB009", "W-DATE-FORMAT")
    assert finding["severity"] == "warning"
    assert finding["pointer"] == "/dateModified"
    line = source.read_text(encoding="utf-8").splitlines()[finding["line"] - 1]
    assert line[finding["column"] - 1 :].startswith('"yesterday"')
    assert [one["id"] for one in value["suspicious_ids"]] == ["urn:uuid:question-something-else-00000000"]


def test_an_upgraded_dialect_is_named(run: Run) -> None:
    assert "v2.0" in run("inspect", EXAMPLES / "metals-v2.json").out.decode()


def test_scenarios_are_counted_in_place_of_questions(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "scenario.jsonld"
    source.write_text(json.dumps(scenario()), encoding="utf-8")
    shown = run("inspect", source).out.decode()
    assert "scenarios" in shown
    assert "questions" not in shown


def test_an_rdf_source_is_read_too(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "metals.ttl"
    run("convert", EXAMPLES / "metals.jsonld", "-o", target)
    assert "as turtle" in run("inspect", target).out.decode()


def test_no_more_than_a_few_findings_of_a_kind_are_shown_to_people(run: Run, tmp_path: Path) -> None:
    traits = [rating(f"code {at}", "Global", callable_code="lambda text: True", kind="boolean") for at in range(9)]
    for one in traits:
        one["additionalType"] = "karenina:GlobalCallableTrait"
    source = tmp_path / "code.jsonld"
    source.write_text(json.dumps({**canonical(), "rating": traits}), encoding="utf-8")
    shown = run("inspect", source).out.decode()
    assert shown.count("W-CODE trait") == 3
    assert "and 6 more" in shown
    assert len(json.loads(run("inspect", source, "--json").out)["findings"]) == 9


def test_version_and_help(run: Run) -> None:
    assert run("--version").out.startswith(b"checkpoint-ld ")
    for arguments in (("--help",), ("convert", "--help"), ("inspect", "-h")):
        assert b"FILE" in run(*arguments).out or arguments == ("--help",)


@pytest.mark.parametrize("seed", [2**63, 2 * 10**20])
@pytest.mark.parametrize("are_few", [True, False])
def test_integers_that_the_engine_cannot_compare_count_or_are_noted(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, seed: int, are_few: bool
) -> None:
    monkeypatch.setattr("checkpoint_ld.sparql.large_integers._FEW", 100_000 if are_few else 10)
    document = json.loads((folder / "metals.jsonld").read_text(encoding="utf-8"))
    stated = {"@type": "PropertyValue", "@id": "urn:x:seed", "name": "seed", "value": seed}
    document.setdefault("additionalProperty", []).append(stated)
    (tmp_path / "seed.jsonld").write_text(json.dumps(document), encoding="utf-8")
    run("store", "add", tmp_path / "collection", tmp_path / "seed.jsonld")
    text = "SELECT ?v { <urn:x:seed> schema:value ?v FILTER (?v > 5) }"

    for source in ("seed.jsonld", "collection"):
        result = run("query", tmp_path / source, "--query", text, "--format", "csv")
        is_counted = are_few or seed == 2**63
        assert result.out == (f"v\r\n{seed}\r\n".encode() if is_counted else b"v\r\n")
        assert ("integers that are too large" in result.err) is not is_counted
    by_rdflib = run("query", tmp_path / "seed.jsonld", "--query", text, "--format", "csv", "--engine", "rdflib")
    assert (by_rdflib.out, by_rdflib.err) == (f"v\r\n{seed}\r\n".encode(), "")
    assert "too large" not in run("query", tmp_path / "collection", "--query", "SELECT ?v { <urn:x:seed> ?p ?v }").err


def test_an_aggregate_with_a_gap_is_noted(run: Run, folder: Path) -> None:
    gap = "SELECT (SUM(?w) AS ?n) (COUNT(?w) AS ?c) { ?s a schema:Question OPTIONAL { ?s <urn:q> ?w } }"
    assert "?n is empty where a value that it takes is missing" in run("query", folder, "--query", gap).err
    filled = gap.replace("SUM(?w)", "SUM(COALESCE(?w, 0))")
    assert "is empty" not in run("query", folder, "--query", filled).err
