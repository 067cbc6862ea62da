"""The commands `push` and `pull`, as users meet them."""

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from checkpoint_ld.graph import emission
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from tests import documents
from tests.cli.conftest import Run
from tests.remote.faulty_server import FaultyServer, Reply, Seen
from tests.remote.oxigraph_server import oxigraph
from tests.remote.samples import Memory, counted


@pytest.fixture(scope="module")
def running() -> Iterator[str]:
    with oxigraph() as url:
        yield url


@pytest.fixture
def url(running: str, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> str:
    monkeypatch.setenv("NETRC", str(tmp_path_factory.mktemp("home") / "netrc"))
    with httpx.Client(trust_env=False) as client:
        client.put(f"{running}/store", content=b"", headers={"Content-Type": "application/n-quads"})
    return running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with three checkpoints and one file that is none."""
    made = tmp_path / "checkpoints"
    made.mkdir()
    for number in range(3):
        tree = {**documents.canonical(), "@id": f"urn:uuid:karenina-checkpoint-{number}"}
        (made / f"{number}.jsonld").write_text(json.dumps(tree))
    (made / "notes.json").write_text('{"a": 1}')
    return made


def test_a_folder_is_pushed_and_pushed_again_sends_nothing(run: Run, url: str, folder: Path) -> None:
    first = run("push", folder, "--to", url)
    second = run("push", folder, "--to", url)

    assert (first.code, second.code) == (0, 0)
    assert [line.split()[0] for line in first.out.decode().splitlines()] == ["sent"] * 3
    assert first.err == "profile oxigraph\n3 sent: 210 triples\n"
    assert second.err == "profile oxigraph\n3 skipped: 210 triples\n"


def test_a_large_file_is_sent_as_it_would_be_in_one_piece(
    run: Run, url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("push", folder, "--to", url, "--profile", "oxigraph").code == 0
    monkeypatch.setattr("checkpoint_ld.batch.discovery.LARGE", 1)
    monkeypatch.setattr("checkpoint_ld.cli.streams.read", None)
    again = run("push", *sorted(folder.glob("?.jsonld")), "--to", url, "--profile", "oxigraph")
    assert (again.code, again.err) == (0, "3 skipped: 210 triples\n")
    anew = run("push", *folder.glob("?.jsonld"), "--to", url, "--profile", "oxigraph", "--restart", "--verify", "full")
    assert (anew.code, anew.err) == (0, "3 sent: 210 triples\n")


def test_what_the_store_does_not_have_is_sent_together(run: Run, url: str, folder: Path) -> None:
    assert run("push", folder, "--to", url, "--fast", "--verify", "full").err.endswith("3 sent: 210 triples\n")
    assert run("push", folder, "--to", url, "--fast").err.endswith("3 skipped: 210 triples\n")
    result = run("push", folder, "--to", url, "--profile", "oxigraph", "--fast", "--dry-run")
    assert (result.code, result.out) == (2, b"")


def test_a_dry_run_states_what_would_be_skipped(run: Run, url: str, folder: Path) -> None:
    assert run("push", folder / "1.jsonld", "--to", url).code == 0
    options = ("push", folder, "--to", url, "--profile", "oxigraph", "--dry-run", "--check")
    lines = run(*options).out.decode().splitlines()
    [skipped] = [line for line in lines if line.startswith("#")]
    assert skipped.startswith(f"# urn:uuid:karenina-checkpoint-1 from {folder}/1.jsonld: skipped, if the store")
    assert sum(line.startswith("PUT ") for line in lines) == 2
    value = json.loads(run(*options, "--as", "json").out)
    assert ["skipped" in one for one in value] == [False, True, False]
    assert run(*options, "--restart").out.decode().count("PUT ") == 3


def test_a_mirror_follows_its_folder(run: Run, url: str, folder: Path) -> None:
    options = ("--to", url, "--profile", "oxigraph")
    assert run("push", folder, *options).code == 0
    (folder / "0.jsonld").unlink()
    tree = {**documents.canonical(), "@id": "urn:uuid:karenina-checkpoint-9"}
    (folder / "1.jsonld").write_text(json.dumps(tree))

    shown = run("push", folder, *options, "--prune", "--dry-run")
    gone = [line.split() for line in shown.out.decode().splitlines() if ": removed," in line]
    assert [(words[0], words[1][-1]) for words in gone] == [("#", "0"), ("#", "1")]
    surplus = run("push", folder / "2.jsonld", *options, "--verify-only")
    assert (surplus.code, surplus.err) == (1, "1 verified, 2 surplus: 210 triples\n")
    assert [line.split()[0] for line in surplus.out.decode().splitlines()] == ["surplus"] * 2
    assert len(held(url)) == 3

    done = run("push", folder, *options, "--prune")
    assert (done.code, done.err) == (0, "1 sent, 1 skipped, 1 moved, 1 removed: 280 triples\n")
    assert held(url) == [("2", "Metals"), ("9", "Metals")]


def test_nothing_is_removed_if_a_file_cannot_be_pushed(run: Run, url: str, folder: Path) -> None:
    options = ("--to", url, "--profile", "oxigraph")
    run("push", folder, *options)
    (folder / "0.jsonld").write_text("{")

    outcome = run("push", folder, *options, "--prune")

    assert (outcome.code, len(held(url))) == (2, 3)
    assert "nothing is removed, because not everything could be pushed" in outcome.err


def test_unchanged_files_are_not_read(run: Run, url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ("--to", url, "--profile", "oxigraph")
    run("push", folder, *options)
    monkeypatch.setattr("checkpoint_ld.cli.streams.read", None)
    assert run("push", folder, *options).err == "3 skipped: 210 triples\n"
    for file in folder.iterdir():
        os.utime(file)
    renamed = (folder / "0.jsonld").rename(folder / "x.jsonld")
    again = run("push", folder, *options)
    assert (again.err, str(renamed) in again.out.decode()) == ("3 skipped: 210 triples\n", True)


def test_graphs_are_dropped_after_a_question(run: Run, url: str, folder: Path) -> None:
    run("push", folder, "--to", url)
    name = "urn:uuid:karenina-checkpoint-{}"
    assert run("drop", url, name.format(0), stdin=b"n\n").code == 2
    assert len(held(url)) == 3
    done = run("drop", url, name.format(0), stdin=b"y\n")
    assert (done.code, done.out.decode(), len(held(url))) == (0, f"removed  {name.format(0)}\n", 2)
    assert "Remove 1 graph from" in done.err
    assert run("drop", url, name.format(1), name.format(0), "--yes").code == 2  # one is not there
    assert run("drop", url, name.format(1), "--yes", "--quiet").code == 0
    assert run("push", folder / "2.jsonld", "--to", url, "--verify-only").code == 0


def test_a_bad_file_is_reported_and_the_others_are_pushed(run: Run, url: str, folder: Path) -> None:
    (folder / "bad.jsonld").write_text('{"@type": "DataFeed", ')

    outcome = run("push", folder, "--to", url, "--profile", "oxigraph", "--quiet")

    assert outcome.code == 2
    assert outcome.out == b""
    assert "bad.jsonld:1:" in outcome.err
    assert run("push", folder / "0.jsonld", folder / "[12].jsonld", "--to", url, "--verify-only").code == 0


def test_what_is_pulled_are_the_files_that_were_pushed(run: Run, url: str, folder: Path, tmp_path: Path) -> None:
    run("push", folder, "--to", url)

    outcome = run("pull", url, "--output", tmp_path, "--quiet")

    assert outcome.code == 0
    files = sorted(tmp_path.glob("*.jsonld"))
    assert [file.name.rpartition("-")[0] for file in files] == [f"karenina-checkpoint-{n}" for n in range(3)]
    for number, file in enumerate(files):
        assert run("diff", folder / f"{number}.jsonld", file, "--dates", "--order").out == b"no differences\n"

    again = run("pull", url, "--output", tmp_path, "--quiet")
    assert again.code == 2
    assert again.err.count("exists already") == 3
    assert run("pull", url, "--output", tmp_path, "--quiet", "--force").code == 0


def test_one_graph_can_be_pulled_and_all_can_be_listed(run: Run, url: str, folder: Path, tmp_path: Path) -> None:
    run("push", folder, "--to", url)

    listed = run("pull", url, "--list", "--quiet")
    outcome = run("pull", url, "urn:uuid:karenina-checkpoint-1", "--to", "nt", "--output", tmp_path)

    assert listed.out.decode().split() == [f"urn:uuid:karenina-checkpoint-{number}" for number in range(3)]
    (file,) = tmp_path.glob("*.nt")
    assert outcome.out.decode() == f"{file}\n"
    missing = run("pull", url, "urn:uuid:none", "urn:uuid:karenina-checkpoint-2", "--output", tmp_path)
    assert (missing.code, "no graph urn:uuid:none" in missing.err) == (2, True)
    assert missing.out.decode().startswith(f"{tmp_path}/karenina-checkpoint-2")
    assert run("pull", url, "urn:uuid:none", "--list").code == 2


def test_a_graph_that_cannot_be_pulled_is_named_and_the_others_are_pulled(run: Run, tmp_path: Path) -> None:
    content = emission.ntriples_of(CheckpointGraph.of_tree(documents.canonical()))
    whole, cut, refused = names = ("urn:g:whole", "urn:g:cut", "urn:g:refused")
    memory = Memory()
    memory.graphs = {f"/store?graph={quote(name, safe='')}": content for name in names}

    def reply(seen: Seen) -> Reply:
        if seen.method == "GET" and "refused" in seen.path:
            return Reply(500, b"out of memory")
        return Reply(200, content[:-9]) if seen.method == "GET" and "cut" in seen.path else memory(seen)

    with FaultyServer([reply]) as server:
        options = ("--profile", "oxigraph", "--output", tmp_path)
        outcome = run("pull", server.url, refused, cut, whole, *options)
        again = run("pull", server.url, whole, *options)

    assert (outcome.code, again.code) == (2, 2)
    assert "read the graph urn:g:refused" in outcome.err
    assert "urn:g:cut: the answer is N-Triples that" in outcome.err
    assert [Path(line).name[:11] for line in outcome.out.decode().splitlines()] == ["urn-g-whole"]
    assert [seen.method for seen in server.seen[-2:]] == ["GET", "POST"]  # nothing is read for a file that exists


def test_a_folder_that_is_missing_is_made_for_what_is_pulled(run: Run, url: str, folder: Path, tmp_path: Path) -> None:
    run("push", folder, "--to", url)
    assert run("pull", url, "--output", tmp_path / "new" / "folder", "--quiet").code == 0
    assert len([*(tmp_path / "new" / "folder").iterdir()]) == 3
    file = tmp_path / "file"
    file.write_text("")
    refused = run("pull", url, "--output", file / "below", "--quiet")
    assert (refused.code, f"{file / 'below'}: cannot be made" in refused.err) == (2, True)


def test_what_differs_at_the_store_gives_exit_code_1(run: Run, url: str, folder: Path) -> None:
    run("push", folder, "--to", url)
    with httpx.Client(trust_env=False) as client:
        client.delete(f"{url}/store?graph=urn:uuid:karenina-checkpoint-1")

    outcome = run("push", folder, "--to", url, "--verify-only")

    assert outcome.code == 1
    found = f"urn:uuid:karenina-checkpoint-1: 70 triples were sent from {folder}/1.jsonld, 0 are in the store\n"
    assert outcome.err.endswith(found)


@pytest.mark.parametrize("shown", ["text", "curl", "json"])
def test_a_dry_run_opens_no_connection(run: Run, folder: Path, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_LD_TOKEN", "secret-token")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        silent.setblocking(False)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        outcome = run("push", folder, "--to", url, "--profile", "oxigraph", "--dry-run", "--as", shown, "--show-body")
        with pytest.raises(BlockingIOError):
            silent.accept()

    assert outcome.code == 0
    assert outcome.out.decode().count(f"{url}/store?graph=urn%3Auuid%3Akarenina-checkpoint-") == 3
    assert b"secret-token" not in outcome.out
    assert {"text": b"Bearer ***", "json": b"Bearer ***", "curl": b"Bearer $CHECKPOINT_LD_TOKEN"}[shown] in outcome.out


def test_a_server_that_refuses_gives_one_line_and_exit_code_2(run: Run, folder: Path, url: str) -> None:
    assert url
    with FaultyServer(
        [Reply(404), counted(), Reply(204), Reply(500, b"Traceback: everything is broken\n  at line 1")]
    ) as broken:
        outcome = run("push", folder, "--to", broken.url, "--profile", "oxigraph")

    assert outcome.code == 2
    assert outcome.out == b""
    assert outcome.err.endswith("the server answers 500: Traceback: everything is broken\n")
    assert f"by {folder / '0.jsonld'} (PUT http" in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    "reply",
    [
        Reply(200, b"<html><body>Please log in</body></html>", {"Content-Type": "text/html"}),
        Reply(200, b'<urn:s> <urn:p> "cut', {"Content-Type": "application/n-triples"}),
        Reply(302, b"", {"Location": "http://127.0.0.1:1/elsewhere"}),
    ],
)
def test_a_server_that_answers_something_else_loses_nothing(run: Run, folder: Path, reply: Reply) -> None:
    with FaultyServer([reply]) as odd:
        options = ("--to", odd.url, "--profile", "oxigraph")
        outcomes = [run("push", folder, *options, *more) for more in ((), ("--prune",), ("--verify-only",))]
        dropped = run("drop", odd.url, "urn:g", "--profile", "oxigraph", "--yes")

    assert [outcome.code for outcome in (*outcomes, dropped)] == [2] * 4
    assert {seen.method for seen in odd.seen} <= {"GET", "POST"}
    assert all(outcome.err.count("\n") == 1 for outcome in outcomes)


def test_derived_statements_are_pushed_on_request(run: Run, url: str, folder: Path) -> None:
    run("push", folder / "0.jsonld", "--to", url, "--quiet")
    outcome = run("push", folder / "0.jsonld", "--to", url, "--inferred")

    assert outcome.out.startswith(b"sent")
    assert int(outcome.err.split()[-2]) > 70


def test_vocabularies_are_pushed_on_request(run: Run, url: str, folder: Path) -> None:
    options = ("--to", url, "--profile", "oxigraph", "--vocabularies")
    assert run("push", folder, *options, "--verify", "full").err.startswith("5 sent: ")
    assert run("push", folder, *options).err.startswith("5 skipped: ")
    version = "<http://www.w3.org/2002/07/owl#versionInfo>"
    text = f"SELECT ?v {{ GRAPH ?g {{ ?g {version} ?v . ?c rdfs:label 'checkpoint'@en }} }}"
    assert run("query", "--endpoint", url, "--query", text, "--format", "csv").out == b"v\r\n1.0.0\r\n"
    assert len(run("pull", url, "--list", "--quiet").out.split()) == 3


def test_credentials_of_a_file_are_used_and_never_shown(run: Run, folder: Path, url: str, tmp_path: Path) -> None:
    assert url
    (tmp_path / "secret").write_text("reader:pass-word\n")
    with FaultyServer([Reply(403, b"not for reader pass-word")]) as strict:
        options = ("--to", strict.url, "--profile", "oxigraph", "--credentials", tmp_path / "secret")
        outcome = run("push", folder / "0.jsonld", *options)
        shown = run("push", folder / "0.jsonld", *options, "--dry-run", "--as", "curl")

    assert outcome.code == 2
    assert strict.seen[0].headers["authorization"] == "Basic cmVhZGVyOnBhc3Mtd29yZA=="
    assert "pass-word" not in outcome.err + shown.out.decode() + shown.err
    assert f"\"$(head -n 1 '{tmp_path}/secret')\"" in shown.out.decode()


@pytest.fixture
def versions(folder: Path) -> Path:
    """Return a folder in which two files have the name of another one and say something else."""
    for name in ("Later", "Latest"):
        tree = {**documents.canonical(), "@id": "urn:uuid:karenina-checkpoint-1", "name": name}
        (folder / f"{name}.jsonld").write_text(json.dumps(tree))
    return folder


def held(url: str) -> list[tuple[str, str]]:
    """Return the graphs of a store with the names of their benchmarks."""
    query = "SELECT ?g ?name { GRAPH ?g { ?s a <https://schema.org/DataFeed> ; <https://schema.org/name> ?name } }"
    with httpx.Client(trust_env=False) as client:
        answer = client.get(f"{url}/query", params={"query": query}, headers={"Accept": "text/csv"})
    rows = [line.split(",") for line in answer.text.split()[1:]]
    return sorted((graph.rpartition("-")[2][:2], name) for graph, name in rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("error", [("0", "Metals"), ("1", "Metals"), ("2", "Metals")]),
        ("skip", [("0", "Metals"), ("1", "Metals"), ("2", "Metals")]),
        ("replace", [("0", "Metals"), ("1", "Latest"), ("2", "Metals")]),
        ("keep-both", [("0", "Metals"), ("1", "Metals"), ("1#", "Later"), ("1#", "Latest"), ("2", "Metals")]),
    ],
)
def test_versions_of_one_name_are_sent_as_the_user_chooses(
    run: Run, url: str, versions: Path, choice: str, sent: list[tuple[str, str]]
) -> None:
    files = [versions / f"{name}.jsonld" for name in (0, 1, 2, "Later", "Latest")]
    options = ["--to", url, "--profile", "oxigraph", "--on-conflict", choice]
    for file in files:  # in the order of their names
        file.rename(file.with_name(f"{files.index(file)}-{file.name}"))
    done = run("push", versions, *options)
    code = 2 if choice == "error" else 0
    assert done.code == code
    assert held(url) == sorted(sent)
    pairs = [line for line in done.err.splitlines() if "differ but have the same name" in line]
    assert len(pairs) == (2 if choice in {"error", "skip"} else 0)
    assert run("push", versions, *options, "--verify-only").code == code
    assert len(run("push", versions, *options, "--dry-run", "--quiet").out.decode().split("PUT ")) > 3


def test_a_collection_is_pushed_with_all_that_it_holds(run: Run, url: str, versions: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    assert run("store", "add", store, versions, "--on-conflict", "keep-both").code == 0
    done = run("push", store, "--to", url, "--profile", "oxigraph")
    assert (done.code, len(held(url))) == (0, 5)
    assert run("store", "push", store, "--to", url, "--profile", "oxigraph").err.startswith("5 skipped")
    assert run("store", "remove", store, versions / "Later.jsonld").code == 0
    gone = run("store", "push", store, "--to", url, "--profile", "oxigraph", "--prune")
    assert gone.err.startswith("4 skipped, 1 removed")
    assert run("push", store, "--to", url, "--profile", "oxigraph", "--no-prov").code == 2
