"""What commands write over: never what they read, and other files only if they are reported to."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from rdflib import Graph

from checkpoint_ld.agents.values import bytes_of
from checkpoint_ld.graph import emission
from tests.agents.runs import tree
from tests.cli.conftest import Run
from tests.documents import canonical, item

Names = list[object]
EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
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
    for force in ((), ("--force",)):
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
def test_two_outputs_are_two_files(run: Run) -> None:
    refused = run(*COMMANDS["verify"], "out.nt", "--rdf", "folder/../out.nt")
    assert (refused.code, refused.err.splitlines()) == (
        2,
        ["folder/../out.nt would be written twice: choose another file for one of the outputs"],
    )


@pytest.mark.usefixtures("folder")
def test_a_push_notes_nothing_in_what_it_pushes_or_in_files_of_others(run: Run) -> None:
    push = ["push", "metals.jsonld", "--to", "http://localhost:9", "--profile", "oxigraph", "--restart", "--manifest"]
    before = Path("metals.jsonld").read_bytes()
    assert "metals.jsonld is read by this command" in run(*push, "metals.jsonld").err
    assert Path("metals.jsonld").read_bytes() == before
    assert "this is no manifest of a push" in run(*push, "other.jsonld").err
    assert Path("other.jsonld").read_bytes() == before


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
    "query": (COMMANDS["query"], ".txt, .csv, .tsv, .json, .md, .ttl, .nt, .jsonld, .rdf, .parquet"),
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
    for name in ("out.arrow", "out.hdt.gz"):
        refused = run(*arguments, name)
        assert (refused.code, refused.out) == (2, b"")
        extension = name.removeprefix("out").removesuffix(".gz")
        assert f"{name}: cannot be written with the extension {extension}: use one of {known}" in refused.err
        assert not Path(name).exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "extension", [".json", ".jsonld", ".ttl", ".nt", ".nq", ".trig", ".rdf", ".owl", ".xml", ".n3", ""]
)
@pytest.mark.parametrize("packed", [False, True], ids=["", "gz"])
def test_every_syntax_is_written_and_read_by_its_extension_packed_or_not(
    run: Run, folder: Path, extension: str, packed: bool
) -> None:
    del folder
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


@pytest.mark.parametrize(
    "command", [("site", EXAMPLES), ("bulk", "convert", EXAMPLES), ("pull", "http://127.0.0.1:1/sparql")], ids=str
)
def test_a_folder_is_not_written_to_standard_output(
    run: Run, command: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*command, "-o", "-")

    assert (result.code, result.out) == (2, b"")
    assert "a folder is written, which standard output cannot hold: name it" in result.err
    assert list(tmp_path.iterdir()) == []
