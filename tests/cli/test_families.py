"""The general commands take agent checkpoints and benchmarks alike, distinguished by their content."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from checkpoint_ld import Benchmark
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.graph import AgentGraph
from checkpoint_ld.agents.schema import caf, derived
from checkpoint_ld.agents.values import bytes_of
from checkpoint_ld.errors import LookupFailedError
from checkpoint_ld.graph import emission
from checkpoint_ld.stores.collection import Collection
from tests.agents.graphs import FULL
from tests.agents.runs import call, thought, tree
from tests.cli.conftest import Run
from tests.documents import canonical, item
from tests.remote.oxigraph_server import oxigraph

QUESTION = "urn:uuid:question-metal-1"
FAILED = tree(
    "k1",
    thoughts=[thought(1, confidence=0.5)],
    calls=[call(1, tool_id="bash", success=False, error="exit 1")],
    about={"question": QUESTION, "benchmark": "urn:uuid:b"},
)
ROOT = "urn:caf:checkpoint/k1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a benchmark, an agent that worked on it, and what is neither."""
    (tmp_path / "benchmark.jsonld").write_text(json.dumps(canonical(item(identifier=QUESTION))), encoding="utf-8")
    (tmp_path / "agent.json").write_text(bytes_of(FAILED).decode(), encoding="utf-8")
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("syntax", ["turtle", "nt", "nq", "trig", "expanded", "jsonld"])
def test_convert_writes_every_syntax_and_leads_back_byte_for_byte(run: Run, tmp_path: Path, syntax: str) -> None:
    (tmp_path / "agent.json").write_text(bytes_of(FULL).decode(), encoding="utf-8")
    there = run("convert", tmp_path / "agent.json", "--to", syntax)
    assert (there.code, there.err) == (0, "")
    back = run("convert", "-", "--dialect", "canonical", "--quiet", stdin=there.out)
    assert back.out.decode() == bytes_of(FULL).decode()


def test_convert_writes_both_shapes(run: Run, folder: Path, tmp_path: Path) -> None:
    second = run("convert", folder / "agent.json", "--dialect", "second")
    assert "steps" in json.loads(second.out)["snapshot"]["thought_chain"]
    assert run("convert", "-", "--dialect", "agent-canonical", stdin=second.out).out == bytes_of(FAILED)
    assert run("convert", "-", "--context", "plain", stdin=second.out).out == bytes_of(FAILED)
    assert run("convert", folder / "agent.json", "--output", tmp_path / "plain.json").code == 0
    assert (tmp_path / "plain.json").read_text(encoding="utf-8") == bytes_of(FAILED).decode()
    refused = run("convert", folder / "agent.json", "--dialect", "v2.0")
    assert refused.code == 2
    assert "has no dialect v2.0: write one of canonical, second" in refused.err


def test_convert_adds_provenance_unless_it_is_switched_off(run: Run, folder: Path) -> None:
    whole, bare = (run("convert", folder / "agent.json", "--to", "nt", *more).out for more in ((), ("--no-prov",)))
    assert str(derived("sha256")) in whole.decode()
    assert str(derived("sha256")) not in bare.decode()
    assert AgentGraph.of_index(emission.parse(whole, "nt")).tree() == FAILED


def test_convert_refuses_what_breaks_rules_with_places(run: Run, folder: Path) -> None:
    (folder / "agent.json").write_text(bytes_of({**FAILED, "timestamp": "now"}).decode(), encoding="utf-8")
    refused = run("convert", folder / "agent.json", "--to", "nt")
    assert refused.code == 2
    assert "agent.json:4:16 /timestamp" in refused.err


def test_inspect_shows_what_an_agent_did(run: Run, folder: Path) -> None:
    shown = run("inspect", folder / "agent.json")
    assert shown.code == 0
    for text in ("execution exec_1 of reader", "agent-canonical", ROOT, "bash (1)", "1 failed, 0 in flight"):
        assert text in shown.out.decode()
    value = json.loads(run("inspect", folder / "agent.json", "--json").out)
    assert (value["family"], value["root"], value["calls"]) == ("agent", ROOT, {"bash": 1})


def test_validate_holds_each_file_against_the_rules_of_its_family(run: Run, folder: Path) -> None:
    clean = run("validate", folder)
    assert clean.code == 0
    assert "2 files: 0 violations" in clean.out.decode()
    assert "agent, karenina" in clean.out.decode()
    (folder / "agent.json").write_text(bytes_of({**FAILED, "timestamp": "now"}).decode(), encoding="utf-8")
    found = run("validate", folder, "--quiet")
    assert found.code == 1
    assert "agent.json:4:16: violation" in found.out.decode()
    assert run("validate", folder, "--profile", "structure", "--quiet").code == 2  # it is no profile for benchmarks
    assert run("validate", folder / "agent.json", "--profile", "structure", "--quiet").code == 1


def test_validate_repairs_benchmarks_and_leaves_agents_alone(run: Run, folder: Path) -> None:
    before = (folder / "agent.json").read_bytes()
    assert run("validate", folder / "agent.json", "--fix", "--quiet").code == 0
    assert (folder / "agent.json").read_bytes() == before


@pytest.mark.parametrize("jobs", [("--jobs", "2"), ()])
def test_an_agent_file_is_never_taken_to_pieces(run: Run, folder: Path, jobs: tuple[str, ...]) -> None:
    assert run("validate", folder / "agent.json", *jobs, "--quiet").code == 0
    assert ROOT in run("convert", folder / "agent.json", "--to", "nt", "--quiet", *jobs).out.decode()


def test_compressed_files_in_a_folder_are_seen(run: Run, folder: Path) -> None:
    (folder / "agent.json").unlink()
    (folder / "packed.json.gz").write_bytes(gzip.compress(bytes_of(FAILED)))
    (folder / "other.json.gz").write_bytes(gzip.compress(b"{}"))
    (folder / "damaged.json.gz").write_bytes(gzip.compress(bytes_of(FAILED))[:-9])
    found = run("validate", folder, "--quiet")
    assert found.code == 1
    assert "damaged.json.gz: violation" in found.out.decode()
    assert "3 files: 1 violation" in found.out.decode()
    (folder / "damaged.json.gz").unlink()
    result = run("query", folder, "--name", "agent-failed-calls", "--format", "csv", "--quiet")
    assert result.out.decode().splitlines()[1:] == [f"{ROOT},urn:caf:tool-call/c1,urn:caf:tool/bash,exit 1"]


def test_query_asks_both_families_together(run: Run, folder: Path) -> None:
    found = run("query", folder, "--name", "agent-failures-by-keyword", "--format", "csv", "--quiet")
    assert found.code == 0
    query = """SELECT ?text (COUNT(?call) AS ?failed) { GRAPH ?b { ?q schema:item/schema:text ?text }
        GRAPH ?c { ?c schema:about ?q ; cafd:hasToolCall ?call . ?call caf:success false } } GROUP BY ?text"""
    for engine in ("oxigraph", "rdflib"):
        joined = run("query", folder, "--query", query, "--format", "csv", "--engine", engine, "--quiet")
        assert joined.out.decode().splitlines()[1:] == ["Which metal is liquid at 20 °C?,1"]


@pytest.mark.slow
def test_a_collection_holds_both_families(run: Run, folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    added = run("store", "add", store, folder / "benchmark.jsonld", folder / "agent.json", "--profile", "karenina")
    assert added.code == 0, added.err
    listed = json.loads(run("store", "list", store, "--json").out)
    assert {one["dialect"] for one in listed} == {"datafeed-ns-v3", "agent-canonical"}
    assert {one["family"] for one in listed} == {"benchmark", "agent"}
    assert run("store", "get", store, ROOT).out == bytes_of(FAILED)
    assert run("store", "get", store, ROOT, "--output", tmp_path / "k1.nt").code == 0
    assert (tmp_path / "k1.nt").read_bytes() == run("convert", folder / "agent.json", "--to", "nt").out
    validated = run("store", "validate", store)
    assert validated.code == 0
    assert f"<{ROOT}>".encode() in run("store", "export", store).out
    assert run("store", "verify", store).code == 0
    assert run("store", "derive", store, "--quiet").code == 0
    result = run("query", store, "--name", "agent-failed-calls", "--format", "csv", "--quiet")
    assert result.out.decode().splitlines()[1:] == [f"{ROOT},urn:caf:tool-call/c1,urn:caf:tool/bash,exit 1"]


def test_a_collection_refuses_an_agent_that_breaks_rules(run: Run, folder: Path, tmp_path: Path) -> None:
    (folder / "agent.json").write_text(bytes_of({**FAILED, "timestamp": "now"}).decode(), encoding="utf-8")
    refused = run("store", "add", tmp_path / "store", folder / "agent.json", "--profile", "karenina")
    assert refused.code != 0
    assert "/timestamp" in refused.err


def test_bulk_converts_both_families(run: Run, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "shards"
    done = run("bulk", "convert", folder / "benchmark.jsonld", folder / "agent.json", "--output", out, "--quiet")
    assert done.code == 0, done.err
    quads = b"".join(one.read_bytes() for one in out.glob("*.nq*"))
    assert f"<{ROOT}> .".encode() in quads
    assert str(caf("Checkpoint")).encode() in quads


def test_commands_for_benchmarks_state_what_an_agent_file_is(run: Run, folder: Path) -> None:
    for command in (
        ("diff", folder / "agent.json", folder / "agent.json"),
        ("verify", folder / "agent.json", "--answers", folder / "other.json"),
    ):
        refused = run(*command)
        assert refused.code == 2
        assert "this is an agent checkpoint" in refused.err


def test_push_and_pull_bring_an_agent_checkpoint_there_and_back(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    (tmp_path / "pulled").mkdir()
    with oxigraph() as url:
        sent = run("push", folder, "--to", url, "--quiet")
        assert sent.code == 0, sent.err
        pulled = run("pull", url, ROOT, "--output", tmp_path / "pulled", "--quiet")
        assert pulled.code == 0, pulled.err
        (file,) = (tmp_path / "pulled").iterdir()
        assert run("convert", file, "--context", "plain").out == bytes_of(FAILED)
        assert ROOT in run("pull", url, "--list", "--quiet").out.decode()
        result = run("query", "--endpoint", url, "--name", "agent-failed-calls", "--format", "csv", "--quiet")
        assert result.out.decode().splitlines()[1:] == [f"{ROOT},urn:caf:tool-call/c1,urn:caf:tool/bash,exit 1"]


def test_push_leaves_the_provenance_out_on_request(run: Run, folder: Path) -> None:
    shown = [
        run("push", folder / "agent.json", "--to", "http://127.0.0.1:1", "--profile", "oxigraph", "--dry-run", *more)
        for more in ((), ("--no-prov",))
    ]
    assert [one.code for one in shown] == [0, 0]
    assert shown[0].out != shown[1].out


def test_a_large_agent_file_is_read_in_one_piece(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run("convert", folder / "agent.json", "--to", "nt", "--quiet")
    monkeypatch.setattr("checkpoint_ld.batch.windows.LARGE", 1)
    assert run("convert", folder / "agent.json", "--to", "nt", "--quiet").out == whole.out
    assert run("validate", folder / "agent.json", "--quiet").code == 0


def test_a_collection_shows_the_family_of_a_graph(run: Run, folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    assert run("store", "add", store, folder).code == 0
    with Collection.open(store, read_only=True) as collection:
        assert isinstance(collection.checkpoint(ROOT), AgentCheckpoint)
        assert collection.checkpoint(ROOT).tree() == FAILED
        with pytest.raises(LookupFailedError, match="is an agent checkpoint, no benchmark"):
            collection.benchmark(ROOT)
        (other,) = set(collection) - {ROOT}
        assert isinstance(collection.checkpoint(other), Benchmark)


def test_nested_entities_of_xml_are_refused_by_every_command_that_reads(run: Run, tmp_path: Path) -> None:
    nested = "".join(f'<!ENTITY e{at + 1} "{f"&e{at};" * 10}">' for at in range(6))
    described = '<d:DataFeed xmlns:d="https://schema.org/" r:about="urn:x"><d:name>&e6;</d:name></d:DataFeed>'
    rdf_xml = f'<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#">{described}</r:RDF>'
    file = tmp_path / "x.rdf"
    file.write_text(f'<!DOCTYPE x [<!ENTITY e0 "aaaaaaaaaa">\n{nested}]>\n{rdf_xml}', encoding="utf-8")
    commands = [
        ["convert", file],
        ["inspect", file],
        ["validate", file],
        ["query", file, "--query", "ASK {}"],
        ["push", file, "--to", "http://localhost:9", "--profile", "oxigraph", "--dry-run"],
        ["store", "add", tmp_path / "store", file],
        ["agent", "show", file],
    ]
    for command in commands:
        refused = run(*command)
        assert refused.code != 0, command
        assert f"{file}:2:1" in refused.err + refused.out.decode(), command
        assert "KD009" in refused.err + refused.out.decode(), command
    assert run("bulk", "convert", file, "--output", tmp_path / "bulk").code == 1
    [stated] = (tmp_path / "bulk").glob("*.findings.jsonl")
    assert '"KD009"' in stated.read_text(encoding="utf-8")
