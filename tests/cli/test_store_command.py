"""`checkpoint-ld store`: from files to a collection with answers, and out of it again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyoxigraph
import pytest

from checkpoint_ld.stores.collection import Collection
from tests.cli.conftest import Run
from tests.collection.conftest import checkpoint, iri


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    Path("files").mkdir()
    for number in (1, 2, 3):
        write(number)


def write(number: int, *texts: str, name: str = "") -> Path:
    file = Path("files", name or f"{number}.jsonld")
    file.write_text(json.dumps(checkpoint(number, *texts), indent=2, ensure_ascii=False), encoding="utf-8")
    return file


@pytest.fixture
def filled(run: Run) -> str:
    assert run("store", "add", "kept", "files").code == 0
    return "kept"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have names in UTF-8 in every locale")
def test_names_are_those_of_the_files_in_a_locale_without_utf_8(run: Run) -> None:
    write(4, name="m\u00e9taux.jsonld")
    ascii_alone = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

    def asked(*arguments: str) -> str:
        command = [sys.executable, "-c", "from checkpoint_ld.cli import main; main()", "store", *arguments]
        done = subprocess.run(command, env=ascii_alone, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    assert asked("add", "kept", "files") == "4 added\n"
    assert asked("sync", "kept", "files") == "4 unchanged\n"
    assert run("store", "sync", "kept", "files").out == b"4 unchanged\n"
    assert "m\u00e9taux" in run("store", "list", "kept").out.decode()
    assert asked("remove", "kept", "files/m\u00e9taux.jsonld").startswith("removed ")


def test_files_are_added_once(run: Run) -> None:
    first = run("store", "add", "kept", "files")
    assert (first.code, first.out, first.err) == (0, b"3 added\n", "")
    assert run("store", "add", "kept", "files").out == b"3 unchanged\n"
    write(2, "New?")
    assert run("store", "add", "kept", "files/*.jsonld").out == b"1 replaced, 2 unchanged\n"


def test_a_bad_file_is_reported_and_the_others_are_loaded(run: Run) -> None:
    Path("files", "2.jsonld").write_text('{"dataFeedElement": [', encoding="utf-8")
    result = run("store", "add", "kept", "files", "none*")
    assert result.code == 1
    assert result.out == b"2 added, 1 refused\n"
    assert "none*: no file matches\n" in result.err
    assert "refused: files/2.jsonld:1:" in result.err
    assert run("store", "stats", "kept").out.startswith(b"checkpoints  2\n")


def test_quiet_states_only_what_went_wrong(run: Run) -> None:
    write(1, "Another?", name="4.jsonld")
    result = run("store", "add", "kept", "files", "--quiet")
    assert (result.code, result.out) == (1, b"")
    assert result.err.startswith("refused: files/4.jsonld: has the same IRI as files/1.jsonld")
    assert "--on-conflict replace, skip or keep-both" in result.err


@pytest.mark.parametrize(
    ("choice", "line"), [("skip", "1 skipped"), ("replace", "1 replaced"), ("keep-both", "1 kept-both")]
)
def test_conflicts_are_settled_as_requested(choice: str, line: str, filled: str, run: Run) -> None:
    result = run("store", "add", filled, write(1, "Another?", name="4.jsonld"), "--on-conflict", choice)
    assert result.code == 0
    assert result.out.decode().splitlines()[-1] == line


def test_rules_may_keep_files_out(run: Run) -> None:
    tree = {**checkpoint(1), "dateModified": "yesterday"}
    Path("files", "1.jsonld").write_text(json.dumps(tree), encoding="utf-8")
    assert run("store", "add", "kept", "files").code == 0
    result = run("store", "add", "strict", "files", "--profile", "karenina", "--fail-on", "warning")
    assert result.code == 1
    assert "yesterday" in result.err


def test_outcomes_as_json(run: Run) -> None:
    document = json.loads(run("store", "add", "kept", "files", "--json").out)
    assert document["counts"] == {"added": 3}
    assert document["outcomes"][0]["source"] == "files/1.jsonld"
    assert document["outcomes"][0]["graph"] == iri(1)


def test_sync_follows_a_folder(filled: str, run: Run) -> None:
    Path("files", "3.jsonld").unlink()
    write(4)
    result = run("store", "sync", filled, "files")
    assert (result.code, result.out.decode().splitlines()) == (
        0,
        [f"vanished: files/3.jsonld ({iri(3)}): no checkpoint is there any more", "1 added, 2 unchanged, 1 vanished"],
    )
    assert b"1 dropped" in run("store", "sync", filled, "files", "--prune").out
    assert iri(3).encode() not in run("store", "list", filled).out
    assert run("store", "sync", filled, "nowhere").code == 2


@pytest.mark.parametrize("option", [(), ("--quiet",), ("--json",)])
def test_sync_names_a_folder_without_checkpoints(option: tuple[str, ...], filled: str, run: Run) -> None:
    Path("empty").mkdir()
    result = run("store", "sync", filled, "empty", *option)
    assert (result.code, result.err) == (
        0,
        "empty: no checkpoint is in this folder; check the path if some should be\n",
    )
    for file in Path("files").iterdir():
        file.unlink()
    assert "files: no checkpoint is in this folder" in run("store", "sync", filled, "files", *option).err


def test_the_list_shows_what_is_there(filled: str, run: Run) -> None:
    shown = run("store", "list", filled).out.decode()
    for expected in ("Benchmark 2", iri(2), "files/2.jsonld", "datafeed-ns-v3"):
        assert expected in shown
    assert {iri(2), "files/2.jsonld"} <= {line.strip() for line in shown.splitlines()}
    assert max(map(len, shown.splitlines())) <= 80
    document = json.loads(run("store", "list", filled, "--json").out)
    assert [one["graph"] for one in document] == [iri(1), iri(2), iri(3)]
    assert document[0]["status"] == "done"
    assert document[0]["findings"] == {"violation": 0, "warning": 0, "info": 0}


@pytest.mark.slow
def test_queries_go_over_all_of_it(filled: str, run: Run) -> None:
    query = "SELECT ?name { GRAPH ?g { ?b a schema:DataFeed ; schema:name ?name } } ORDER BY ?name"
    result = run("store", "query", filled, "--query", query, "--format", "csv")
    assert (result.code, result.out.decode().split()) == (
        0,
        ["name", "Benchmark", "1", "Benchmark", "2", "Benchmark", "3"],
    )
    cut = run("store", "query", filled, "--query", query, "--max-rows", "2", "--format", "csv")
    assert cut.code == 2
    assert "there is more" in cut.err
    named = run("store", "query", filled, "--name", "search", "--param", "text=mercury", "--format", "json")
    assert len(json.loads(named.out)["results"]["bindings"]) == 3
    assert run("store", "query", filled, "--query", "DELETE WHERE { ?s ?p ?o }").code == 2


def test_a_checkpoint_comes_back_as_its_file(filled: str, run: Run) -> None:
    for name in (iri(2), "files/2.jsonld"):
        assert run("store", "get", filled, name).out == Path("files/2.jsonld").read_bytes()
    run("store", "get", filled, iri(2), "--output", "two.ttl")
    assert b"schema:DataFeed" in Path("two.ttl").read_bytes()
    assert run("store", "get", filled, iri(2), "--output", "two.ttl").code == 2
    missing = run("store", "get", filled, iri(8))
    assert missing.code == 2
    assert f'there is no checkpoint "{iri(8)}"; ' in missing.err
    assert "did you mean" in missing.err


def test_a_file_with_several_graphs_is_reported(filled: str, run: Run) -> None:
    write(1, "Another?")
    run("store", "add", filled, "files", "--on-conflict", "keep-both")
    result = run("store", "get", filled, "files/1.jsonld")
    assert "has several graphs" in result.err
    assert json.loads(result.out)["@id"] == iri(1)


def test_checkpoints_are_removed(filled: str, run: Run) -> None:
    assert run("store", "remove", filled, iri(1), "files/3.jsonld").out.decode().splitlines() == [
        f"removed {iri(1)}",
        f"removed {iri(3)}",
    ]
    assert [one["graph"] for one in json.loads(run("store", "list", filled, "--json").out)] == [iri(2)]
    assert Path("files/1.jsonld").exists()


def test_a_collection_is_validated(run: Run) -> None:
    tree = {**checkpoint(1), "dateModified": "yesterday"}
    Path("files", "1.jsonld").write_text(json.dumps(tree), encoding="utf-8")
    run("store", "add", "kept", "files")
    result = run("store", "validate", "kept", "--format", "json", "--fail-on", "warning")
    assert result.code == 1
    report = json.loads(result.out)
    assert "yesterday" in json.dumps(report)
    assert iri(1) in json.dumps(report)
    one = run("store", "validate", "kept", "files/2.jsonld")
    assert one.code == 0
    assert b"yesterday" not in one.out


def test_exports_are_the_same_each_time(filled: str, run: Run) -> None:
    result = run("store", "export", filled)
    quads = list(pyoxigraph.parse(result.out, format=pyoxigraph.RdfFormat.N_QUADS))
    assert {quad.graph_name.value for quad in quads} == {iri(1), iri(2), iri(3)}
    assert run("store", "export", filled, "--output", "all.nq").code == 0
    assert Path("all.nq").read_bytes() == result.out
    assert run("store", "export", filled, "--output", "all.nq").code == 2
    assert run("store", "export", filled, "--to", "trig").out.count(iri(2).encode() + b"> {") == 1
    shards = run("store", "export", filled, "--shards", "2", "--gzip", "--output", "shards")
    assert shards.code == 0
    assert [line.split()[0] for line in shards.out.decode().splitlines()] == [
        "part-00000.nq.gz",
        "part-00001.nq.gz",
        "manifest.nq.gz",
    ]
    for wrong in (("--gzip",), ("--shards", "2"), ("--shards", "2", "--output", "x", "--to", "trig")):
        assert run("store", "export", filled, *wrong).code == 2


def test_statistics(filled: str, run: Run) -> None:
    shown = run("store", "stats", filled).out.decode()
    assert "dialects     datafeed-ns-v3 (3)\n" in shown
    assert "findings     0 violations, 0 warnings, 0 infos\n" in shown
    assert json.loads(run("store", "stats", filled, "--json").out)["checkpoints"] == 3


def test_verify_finds_and_repairs(filled: str, run: Run) -> None:
    assert run("store", "verify", filled).out == b"3 checkpoints, all as the manifest says\n"
    store = pyoxigraph.Store(Path(filled, "store"))
    store.clear_graph(pyoxigraph.NamedNode(iri(2)))
    del store
    broken = run("store", "verify", filled)
    assert broken.code == 1
    assert broken.out.decode().startswith(f"{iri(2)}: holds 0 statements, not ")
    assert "--repair" in broken.err
    assert json.loads(run("store", "verify", filled, "--json").out)[0]["graph"] == iri(2)
    assert b"loaded again from files/2.jsonld" in run("store", "verify", filled, "--repair").out
    assert run("store", "verify", filled).code == 0


def test_a_busy_collection_is_one_line(filled: str, run: Run) -> None:
    with Collection.open(filled):
        for command in ("list", "stats"):
            result = run("store", command, filled, "--wait", 0)
            assert result.code == 2
            assert "is writing this collection; wait until it is done" in result.err
            assert result.err.count("\n") == 1


def test_an_interrupted_load_is_reported_to_readers(filled: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write(2, "New?")
    with monkeypatch.context() as patch:
        patch.setattr("checkpoint_ld.stores.holdings.Holdings.count", lambda _, graphs: dict.fromkeys(graphs, -1))
        assert run("store", "add", filled, "files").code == 1
    result = run("store", "list", filled)
    assert "the loading of 1 was interrupted; run `checkpoint-ld store verify --repair`" in result.err
    assert "not loaded to its end" in result.out.decode()
    assert run("store", "add", filled, "files").out == b"1 added, 2 unchanged\n"
    assert run("store", "list", filled).err == ""
