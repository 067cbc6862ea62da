"""What commands write over: never what they read, and other files only if they are reported to."""

import gzip
import json
from itertools import product
from pathlib import Path

import pytest
from rdflib import Graph

from checkpoint_ld import Benchmark, CheckpointManager, RuntimeState
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.graph import AgentGraph
from checkpoint_ld.agents.schema import caf, derived
from checkpoint_ld.agents.values import bytes_of
from checkpoint_ld.errors import LookupFailedError
from checkpoint_ld.graph import emission
from checkpoint_ld.stores.collection import Collection
from checkpoint_ld.stores.files import FileStore
from tests.agents.graphs import FULL
from tests.agents.runs import call, thought, tree
from tests.cli.conftest import EXAMPLES, Run
from tests.documents import canonical, item
from tests.remote.oxigraph_server import oxigraph

Names = list[object]
OTHER = b"written by somebody else"

COMMANDS: dict[str, Names] = {
    "convert": ["convert", "metals.jsonld", "--to", "jsonld", "--output"],
    "convert in windows": ["convert", "metals.jsonld", "--to", "nt", "--jobs", "1", "--output"],
    "validate": ["validate", "metals.jsonld", "--output"],
    "query": ["query", "metals.jsonld", "--query", "ASK {}", "--output"],
    "query of a file": ["query", "folder", "--file", "metals.jsonld", "--output"],
    "query of a folder": ["query", "folder", "--query", "ASK {}", "--output"],
    "list of queries": ["query", "metals.jsonld", "--list", "--output"],
    "diff": ["diff", "metals.jsonld", "other.jsonld", "--output"],
    "verify": ["verify", "metals.jsonld", "--answers", "answers.jsonl", "--output"],
    "verify as RDF": ["verify", "other.jsonld", "--answers", "metals.jsonld", "--rdf"],
    "store get": ["store", "get", "store", "urn:uuid:b", "--output"],
    "store validate": ["store", "validate", "store", "--output"],
    "store query": ["store", "query", "store", "--query", "ASK {}", "--output"],
    "store export": ["store", "export", "store", "--output"],
    "agent export": ["agent", "export", "k1", "--output"],
    "agent restore": ["agent", "restore", "k1", "--output"],
    "agent timeline": ["agent", "timeline", "k1", "--output"],
}
"""Commands that write a file, up to its name; all have read one before."""
READ = {"store": "store/collection.json", "agent": "checkpoints/k1.json"}
"""What commands read, where it is not `metals.jsonld`."""


@pytest.fixture
def folder(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    monkeypatch.chdir(tmp_path)
    metals = json.dumps({**canonical(item()), "@id": "urn:uuid:b"})
    for name in ("metals.jsonld", "other.jsonld", "folder/metals.jsonld"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(metals, encoding="utf-8")
    Path("answers.jsonl").write_bytes((EXAMPLES / "answers.jsonl").read_bytes())
    Path("checkpoints").mkdir()
    Path("checkpoints/k1.json").write_text(bytes_of(tree("k1")).decode(), encoding="utf-8")
    if "[store" in request.node.name:
        assert run("store", "add", "store", "metals.jsonld").code == 0
    return tmp_path


def read_by(command: str) -> Path:
    if command == "query of a folder":
        return Path("folder/metals.jsonld")
    return Path(READ.get(command.split(maxsplit=1)[0], "metals.jsonld"))


def refuses(run: Run, command: str, target: Path) -> None:
    read = read_by(command)
    before = read.read_bytes()
    syntax = ("--format", "text") if command == "validate" else ()  # which the extension decides otherwise
    for force in (syntax, (*syntax, "--force")):
        refused = run(*COMMANDS[command], target, *force)
        assert (refused.code, refused.out) == (2, b"")
        assert refused.err == f"{target} is read by this command: choose another file to write\n"
        assert read.read_bytes() == before


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_writes_over_what_it_reads(run: Run, command: str) -> None:
    refuses(run, command, read_by(command))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["convert", "diff", "query of a folder", "agent export"])
def test_what_is_read_is_known_by_other_names(run: Run, command: str) -> None:
    read = read_by(command)
    Path("symbolic.nt").symlink_to(read)
    Path("hard.nt").hardlink_to(read)
    for target in (Path("symbolic.nt"), Path("hard.nt"), Path("folder", "..", read), read.absolute()):
        refuses(run, command, target)


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", [*COMMANDS, "schema"])
def test_a_file_that_is_there_is_only_written_over_by_force(run: Run, command: str) -> None:
    arguments = COMMANDS.get(command, ["schema", "question", "--output"])
    target = Path("out.nt" if command == "verify as RDF" else "out")
    target.write_bytes(OTHER)
    refused = run(*arguments, target)
    assert (refused.code, refused.out) == (2, b"")
    assert f"{target}: exists already" in refused.err
    assert target.read_bytes() == OTHER
    if command != "query of a file":  # there is no query in it
        assert run(*arguments, target, "--force").code in {0, 1}
        assert target.read_bytes() != OTHER


@pytest.mark.usefixtures("folder")
def test_a_bulk_run_overwrites_only_its_own_files_without_force(run: Run) -> None:
    bulk = ["bulk", "convert", "folder", "--output", "out"]
    Path("out").mkdir()
    Path("out/part-00000.nq").write_bytes(OTHER)
    refused = run(*bulk)
    assert (refused.code, refused.err.partition(";")[0]) == (2, "out/part-00000.nq: exists already")
    assert run(*bulk, "--force").code == 0
    made = Path("out/part-00000.nq").read_bytes()
    assert made != OTHER
    Path("out/part-00000.done.json").unlink()  # as after an interruption
    assert run(*bulk).code == 0
    changed = run(*bulk, "--gzip")
    assert (changed.code, changed.err.partition(";")[0]) == (2, "out/part-00000.findings.jsonl: exists already")
    assert Path("out/part-00000.nq").read_bytes() == made
    itself = run("bulk", "convert", "out/part-00000.nq", "--output", "out", "--force")
    assert (itself.code, itself.err.partition(":")[0]) == (2, "out/part-00000.nq is read by this command")
    assert run("bulk", "validate", "folder", "--output", "out", "--force").code == 0


WRONG: dict[str, tuple[Names, str]] = {
    "convert": ([*COMMANDS["convert"][:2], "--output"], ".json, .jsonld, .ttl,"),
    "validate": (COMMANDS["validate"], ".txt, .json, .sarif, .xml, .md, .html, .ttl"),
    "query": (COMMANDS["query"], ".txt, .csv, .tsv, .json, .md, .ttl, .nt, .jsonld, .rdf, .parquet, .arrow"),
    "diff": (COMMANDS["diff"], ".txt, .json, .md, .markdown"),
    "store get": (COMMANDS["store get"], ".json, .jsonld, .ttl,"),
    "store validate": (COMMANDS["store validate"], ".txt, .json,"),
    "store export": (COMMANDS["store export"], ".nq, .nquads, .trig"),
    "agent export": (COMMANDS["agent export"], ".json, .jsonld, .nq, .nt, .ttl, .n3, .trig, .rdf"),
    "agent timeline": (COMMANDS["agent timeline"], ".txt, .svg, .html, .htm"),
}
"""Commands that go by the extension of their output, and the extensions that they know."""


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", WRONG)
def test_an_extension_that_cannot_be_written_is_refused_with_those_that_can(run: Run, command: str) -> None:
    arguments, known = WRONG[command]
    for name in ("out.avro", "out.hdt.gz"):
        refused = run(*arguments, name)
        assert (refused.code, refused.out) == (2, b"")
        extension = name.removeprefix("out").removesuffix(".gz")
        assert f"{name}: cannot be written with the extension {extension}: use one of {known}" in refused.err
        assert not Path(name).exists()


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("extension", "packed"),
    [
        *((one, False) for one in (".jsonld", ".ttl", ".nq", ".trig", ".rdf", ".owl", ".xml", ".n3")),
        *product((".json", ".nt", ""), (False, True)),
    ],
)
def test_every_syntax_is_written_and_read_by_its_extension_packed_or_not(
    run: Run, extension: str, packed: bool
) -> None:
    for source in ("metals.jsonld", "checkpoints/k1.json"):
        name = f"out-{Path(source).stem}{extension}{'.gz' if packed else ''}"
        assert run("convert", source, "--quiet", "--output", name).code == 0
        data = Path(name).read_bytes()
        assert data.startswith(b"\x1f\x8b") is packed
        text = gzip.decompress(data) if packed else data
        syntax = emission.EXTENSIONS.get(extension, "json")
        assert run("inspect", "-", "--from", syntax, stdin=text).code == 0
        back = run("convert", name, "--quiet", "--context", "plain")
        assert (back.code, back.err) == (0, "")
        before, after = json.loads(Path(source).read_bytes()), json.loads(back.out)
        assert {**after, "@context": None} == {**before, "@context": None}
    found = 6 if extension else 4  # in a folder, other extensions are not looked at
    assert run("validate", ".").out.splitlines()[-1].startswith(f"{found} files: ".encode())


@pytest.mark.usefixtures("folder")
def test_results_of_queries_go_by_the_extension(run: Run) -> None:
    select = ["query", "metals.jsonld", "--query", "SELECT ?s { ?s a schema:DataFeed }", "--output"]
    construct = ["query", "metals.jsonld", "--query", "CONSTRUCT WHERE { ?s a schema:DataFeed }", "--output"]
    for name in ("q.csv", "q.tsv", "q.json", "q.md", "q.txt", "q.csv.gz"):
        assert run(*select, name).code == 0
    assert Path("q.csv").read_bytes() == b"s\r\nurn:uuid:b\r\n"
    assert gzip.decompress(Path("q.csv.gz").read_bytes()) == Path("q.csv").read_bytes()
    assert Path("q.tsv").read_text(encoding="utf-8") == "?s\n<urn:uuid:b>\n"
    assert json.loads(Path("q.json").read_bytes())["head"] == {"vars": ["s"]}
    assert Path("q.md").read_text(encoding="utf-8").startswith("| s |")
    for name, syntax in (("q.ttl", "turtle"), ("q.nt", "nt"), ("q.rdf", "xml")):
        assert run(*construct, name).code == 0
        assert len(Graph().parse(name, format=syntax)) == 1
    assert run(*select, "q.json", "--force", "--format", "csv").code == 0
    assert Path("q.json").read_bytes() == Path("q.csv").read_bytes()


@pytest.mark.usefixtures("folder")
def test_reports_and_differences_go_by_the_extension(run: Run) -> None:
    for name, start in (
        ("r.html", b"<!doctype html>"),
        ("r.sarif", b"{"),
        ("r.xml", b"<?xml"),
        ("r.txt", b"metals.jsonld:"),
    ):
        assert run("validate", "metals.jsonld", "--output", name).code == 0
        assert Path(name).read_bytes().startswith(start)
    for name, start in (("d.json", b"{"), ("d.md", b"no differences"), ("d.txt", b"no differences")):
        assert run("diff", "metals.jsonld", "other.jsonld", "--output", name).code == 0
        assert Path(name).read_bytes().startswith(start)


@pytest.mark.usefixtures("folder")
def test_a_packed_file_is_repaired_in_its_package(run: Run) -> None:
    broken = (EXAMPLES / "fixable.jsonld").read_bytes()
    Path("broken.jsonld").write_bytes(broken)
    Path("packed.jsonld.gz").write_bytes(gzip.compress(broken))
    assert run("validate", "broken.jsonld", "packed.jsonld.gz", "--fix").code == 0
    assert gzip.decompress(Path("packed.jsonld.gz").read_bytes()) == Path("broken.jsonld").read_bytes() != broken
    windows = run("validate", "packed.jsonld.gz", "--jobs", "1")
    assert windows.err == "packed.jsonld.gz: it is packed; it is worked on in one piece, which takes more memory\n"


# --- The general commands take agent checkpoints and benchmarks alike, distinguished by their content.


QUESTION = "urn:uuid:question-metal-1"
FAILED = tree(
    "k1",
    thoughts=[thought(1, confidence=0.5)],
    calls=[call(1, tool_id="bash", success=False, error="exit 1")],
    about={"question": QUESTION, "benchmark": "urn:uuid:b"},
)
ROOT = "urn:caf:checkpoint/k1"


@pytest.fixture
def mixed_folder(tmp_path: Path) -> Path:
    """Return a folder with a benchmark, an agent that worked on it, and what is neither."""
    (tmp_path / "benchmark.jsonld").write_text(json.dumps(canonical(item(identifier=QUESTION))), encoding="utf-8")
    (tmp_path / "agent.json").write_text(bytes_of(FAILED).decode(), encoding="utf-8")
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("syntax", ["turtle", "expanded", "jsonld"])
def test_convert_leads_back_byte_for_byte(run: Run, tmp_path: Path, syntax: str) -> None:
    (tmp_path / "agent.json").write_text(bytes_of(FULL).decode(), encoding="utf-8")
    there = run("convert", tmp_path / "agent.json", "--to", syntax)
    assert (there.code, there.err) == (0, "")
    back = run("convert", "-", "--dialect", "canonical", "--quiet", stdin=there.out)
    assert back.out.decode() == bytes_of(FULL).decode()


def test_convert_writes_both_shapes(run: Run, mixed_folder: Path, tmp_path: Path) -> None:
    second = run("convert", mixed_folder / "agent.json", "--dialect", "second")
    assert "steps" in json.loads(second.out)["snapshot"]["thought_chain"]
    assert run("convert", "-", "--dialect", "agent-canonical", stdin=second.out).out == bytes_of(FAILED)
    assert run("convert", "-", "--context", "plain", stdin=second.out).out == bytes_of(FAILED)
    assert run("convert", mixed_folder / "agent.json", "--output", tmp_path / "plain.json").code == 0
    assert (tmp_path / "plain.json").read_text(encoding="utf-8") == bytes_of(FAILED).decode()


def test_convert_adds_provenance_unless_it_is_switched_off(run: Run, mixed_folder: Path) -> None:
    whole, bare = (
        run("convert", mixed_folder / "agent.json", "--to", "nt", *more).out for more in ((), ("--no-prov",))
    )
    assert str(derived("sha256")) in whole.decode()
    assert str(derived("sha256")) not in bare.decode()
    assert AgentGraph.of_index(emission.parse(whole, "nt")).tree() == FAILED


def test_convert_refuses_what_breaks_rules_with_places(run: Run, mixed_folder: Path) -> None:
    (mixed_folder / "agent.json").write_text(bytes_of({**FAILED, "timestamp": "now"}).decode(), encoding="utf-8")
    refused = run("convert", mixed_folder / "agent.json", "--to", "nt")
    assert refused.code == 2
    assert "agent.json:4:16 /timestamp" in refused.err


def test_inspect_shows_what_an_agent_did(run: Run, mixed_folder: Path) -> None:
    shown = run("inspect", mixed_folder / "agent.json")
    assert shown.code == 0
    for text in ("execution exec_1 of reader", "agent-canonical", ROOT, "bash (1)", "1 failed, 0 in flight"):
        assert text in shown.out.decode()
    value = json.loads(run("inspect", mixed_folder / "agent.json", "--json").out)
    assert (value["family"], value["root"], value["calls"]) == ("agent", ROOT, {"bash": 1})


def test_validate_holds_each_file_against_the_rules_of_its_family(run: Run, mixed_folder: Path) -> None:
    clean = run("validate", mixed_folder)
    assert clean.code == 0
    assert "2 files: 0 violations" in clean.out.decode()
    assert "agent, karenina" in clean.out.decode()
    (mixed_folder / "agent.json").write_text(bytes_of({**FAILED, "timestamp": "now"}).decode(), encoding="utf-8")
    found = run("validate", mixed_folder, "--quiet")
    assert found.code == 1
    assert "agent.json:4:16: violation" in found.out.decode()
    for profile in ("structure", "agent-strict"):
        partly = run("validate", mixed_folder, "--profile", profile, "--quiet")
        assert partly.code == 2
        assert f'the profile "{profile}" is for agent checkpoints; for benchmarks use one of karenina' in partly.err
    every = run("validate", mixed_folder, "--profile", "zzz").err
    assert "legacy-dataset, agent, agent-structure" in every
    assert run("validate", mixed_folder / "agent.json", "--profile", "structure", "--quiet").code == 1


def test_an_agent_file_is_never_repaired_or_taken_to_pieces(
    run: Run, mixed_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (mixed_folder / "agent.json").read_bytes()
    assert run("validate", mixed_folder / "agent.json", "--fix", "--quiet").code == 0
    assert (mixed_folder / "agent.json").read_bytes() == before
    assert run("validate", mixed_folder / "agent.json", "--jobs", "2", "--quiet").code == 0
    whole = run("convert", mixed_folder / "agent.json", "--to", "nt", "--quiet", "--jobs", "2").out
    assert ROOT in whole.decode()
    monkeypatch.setattr("checkpoint_ld.batch.discovery.LARGE", 1)
    assert run("convert", mixed_folder / "agent.json", "--to", "nt", "--quiet").out == whole
    assert run("validate", mixed_folder / "agent.json", "--quiet").code == 0


def test_compressed_files_in_a_folder_are_seen(run: Run, mixed_folder: Path) -> None:
    (mixed_folder / "agent.json").unlink()
    (mixed_folder / "packed.json.gz").write_bytes(gzip.compress(bytes_of(FAILED)))
    (mixed_folder / "other.json.gz").write_bytes(gzip.compress(b"{}"))
    (mixed_folder / "damaged.json.gz").write_bytes(gzip.compress(bytes_of(FAILED))[:-9])
    found = run("validate", mixed_folder, "--quiet")
    assert found.code == 1
    assert "damaged.json.gz: violation" in found.out.decode()
    assert "3 files: 1 violation" in found.out.decode()
    (mixed_folder / "damaged.json.gz").unlink()
    result = run("query", mixed_folder, "--name", "agent-failed-calls", "--format", "csv", "--quiet")
    assert result.out.decode().splitlines()[1:] == [f"{ROOT},urn:caf:tool-call/c1,urn:caf:tool/bash,exit 1"]


def test_query_asks_both_families_together(run: Run, mixed_folder: Path) -> None:
    found = run("query", mixed_folder, "--name", "agent-failures-by-keyword", "--format", "csv", "--quiet")
    assert found.code == 0
    query = """SELECT ?text (COUNT(?call) AS ?failed) { GRAPH ?b { ?q schema:item/schema:text ?text }
        GRAPH ?c { ?c schema:about ?q ; cafd:hasToolCall ?call . ?call caf:success false } } GROUP BY ?text"""
    for engine in ("oxigraph", "rdflib"):
        joined = run("query", mixed_folder, "--query", query, "--format", "csv", "--engine", engine, "--quiet")
        assert joined.out.decode().splitlines()[1:] == ["Which metal is liquid at 20 °C?,1"]


@pytest.mark.slow
def test_a_collection_holds_both_families(run: Run, mixed_folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    added = run(
        "store", "add", store, mixed_folder / "benchmark.jsonld", mixed_folder / "agent.json", "--profile", "karenina"
    )
    assert added.code == 0, added.err
    listed = json.loads(run("store", "list", store, "--json").out)
    assert {one["dialect"] for one in listed} == {"datafeed-ns-v3", "agent-canonical"}
    assert {one["family"] for one in listed} == {"benchmark", "agent"}
    assert run("store", "get", store, ROOT).out == bytes_of(FAILED)
    assert run("store", "get", store, ROOT, "--output", tmp_path / "k1.nt").code == 0
    assert (tmp_path / "k1.nt").read_bytes() == run("convert", mixed_folder / "agent.json", "--to", "nt").out
    validated = run("store", "validate", store)
    assert validated.code == 0
    assert f"<{ROOT}>".encode() in run("store", "export", store).out
    assert run("store", "verify", store).code == 0
    assert run("store", "derive", store, "--quiet").code == 0
    result = run("query", store, "--name", "agent-failed-calls", "--format", "csv", "--quiet")
    assert result.out.decode().splitlines()[1:] == [f"{ROOT},urn:caf:tool-call/c1,urn:caf:tool/bash,exit 1"]


def test_a_collection_refuses_an_agent_that_breaks_rules(run: Run, mixed_folder: Path, tmp_path: Path) -> None:
    (mixed_folder / "agent.json").write_text(bytes_of({**FAILED, "timestamp": "now"}).decode(), encoding="utf-8")
    refused = run("store", "add", tmp_path / "store", mixed_folder / "agent.json", "--profile", "karenina")
    assert refused.code != 0
    assert "/timestamp" in refused.err


def test_bulk_converts_both_families(run: Run, mixed_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "shards"
    done = run(
        "bulk", "convert", mixed_folder / "benchmark.jsonld", mixed_folder / "agent.json", "--output", out, "--quiet"
    )
    assert done.code == 0, done.err
    quads = b"".join(one.read_bytes() for one in out.glob("*.nq*"))
    assert f"<{ROOT}> .".encode() in quads
    assert str(caf("Checkpoint")).encode() in quads


def test_push_and_pull_bring_an_agent_checkpoint_there_and_back(
    run: Run, mixed_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    (tmp_path / "pulled").mkdir()
    with oxigraph() as url:
        sent = run("push", mixed_folder, "--to", url, "--quiet")
        assert sent.code == 0, sent.err
        pulled = run("pull", url, ROOT, "--output", tmp_path / "pulled", "--quiet")
        assert pulled.code == 0, pulled.err
        (file,) = (tmp_path / "pulled").iterdir()
        assert run("convert", file, "--context", "plain").out == bytes_of(FAILED)
        assert ROOT in run("pull", url, "--list", "--quiet").out.decode()
        result = run("query", "--endpoint", url, "--name", "agent-failed-calls", "--format", "csv", "--quiet")
        assert result.out.decode().splitlines()[1:] == [f"{ROOT},urn:caf:tool-call/c1,urn:caf:tool/bash,exit 1"]


def test_push_sends_packed_checkpoints_as_it_sends_files(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with CheckpointManager(FileStore(tmp_path / "kept", whole=1)) as manager:
        state = RuntimeState("agent", "exec_1")
        first = manager.save(state)
        for number in range(40):
            state.thought_chain.add("reasoning", f"thought {number}")
            manager.save(state)
    assert not (tmp_path / "kept" / f"{first.id}.json").exists()
    root = str(AgentGraph.of_tree(first.checkpoint.tree()).root)
    with oxigraph() as url:
        sent = run("push", tmp_path / "kept", "--to", url, "--quiet")
        assert sent.code == 0, sent.err
        assert len([line for line in run("pull", url, "--list", "--quiet").out.decode().splitlines() if line]) >= 41
        (tmp_path / "pulled").mkdir()
        assert run("pull", url, root, "--output", tmp_path / "pulled", "--quiet").code == 0
        (file,) = (tmp_path / "pulled").iterdir()
        assert run("convert", file, "--context", "plain").out == first.checkpoint.content()


def test_push_leaves_the_provenance_out_on_request(run: Run, mixed_folder: Path) -> None:
    call = ("push", mixed_folder / "agent.json", "--to", "http://127.0.0.1:1", "--profile", "oxigraph", "--dry-run")
    shown = [run(*call, *more) for more in ((), ("--no-prov",))]
    assert [one.code for one in shown] == [0, 0]
    assert shown[0].out != shown[1].out


def test_a_collection_shows_the_family_of_a_graph(run: Run, mixed_folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    assert run("store", "add", store, mixed_folder).code == 0
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
