"""Pushing many graphs: what is sent, what is skipped, and what an interruption leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint_ld.errors import CountMismatchError, ServerUnreachableError, SettingsError
from checkpoint_ld.stores import remote
from checkpoint_ld.stores.backend import blocks
from checkpoint_ld.stores.remote import BATCH, Manifest, SparqlClient, default_file
from tests.remote.conftest import Server
from tests.remote.faulty_server import Reply, Seen
from tests.remote.samples import Memory, sample

URL = "http://127.0.0.1:7878"


def actions(report: remote.PushReport) -> list[str]:
    return [one.action for one in report.pushed]


def manifest(folder: Path, *, restart: bool = False) -> Manifest:
    return Manifest.opened(folder / "push.jsonl", URL, restart=restart)


def test_a_second_push_sends_nothing(client: SparqlClient, tmp_path: Path) -> None:
    graphs = [sample(number) for number in range(3)]

    first = remote.push(graphs, client, manifest(tmp_path))
    second = remote.push(graphs, client, manifest(tmp_path))

    assert actions(first) == ["sent"] * 3
    assert actions(second) == ["skipped"] * 3
    assert client.count([one.graph for one in graphs]) == {one.graph: one.count for one in graphs}


def test_what_changed_is_sent_again_and_nothing_else(client: SparqlClient, tmp_path: Path) -> None:
    remote.push([sample(1), sample(2)], client, manifest(tmp_path))

    report = remote.push([sample(1), sample(2, name="Alloys")], client, manifest(tmp_path))

    assert actions(report) == ["skipped", "sent"]
    found = client.query("SELECT ?name WHERE { GRAPH ?g { ?g schema:name ?name } } ORDER BY ?name")
    assert [row["name"] for row in found] == ["Alloys", "Metals"]


def test_what_is_gone_from_the_store_is_sent_again(client: SparqlClient, tmp_path: Path) -> None:
    remote.push([sample(1), sample(2)], client, manifest(tmp_path))
    client.drop(sample(2).graph)

    assert actions(remote.push([sample(1), sample(2)], client, manifest(tmp_path))) == ["skipped", "sent"]


def test_restart_sends_everything(client: SparqlClient, tmp_path: Path) -> None:
    remote.push([sample()], client, manifest(tmp_path))

    assert actions(remote.push([sample()], client, manifest(tmp_path, restart=True))) == ["sent"]
    assert actions(remote.push([sample()], client, manifest(tmp_path))) == ["skipped"]


def test_a_change_that_was_interrupted_and_taken_back_is_sent_again(client: SparqlClient, tmp_path: Path) -> None:
    old, new = sample(), sample(name="Metale")
    assert old.count == new.count
    remote.push([old], client, manifest(tmp_path))

    interrupted = manifest(tmp_path)
    interrupted.note([new], "loading")
    client.replace(new.graph, new.triples)

    assert actions(remote.push([old], client, manifest(tmp_path), full=True)) == ["sent"]


def test_the_same_checkpoint_twice_is_sent_once(client: SparqlClient) -> None:
    assert actions(remote.push([sample(), sample()], client)) == ["sent"]


def test_two_checkpoints_of_one_name_are_refused_before_the_second_is_sent(client: SparqlClient) -> None:
    with pytest.raises(
        SettingsError, match=r"Metals-1\.jsonld and Alloys-1\.jsonld differ but have the same name urn:"
    ):
        remote.push([sample(), sample(name="Alloys")], client)

    assert client.checkpoints() == []


@pytest.mark.slow
def test_only_what_was_verified_counts_as_done(server: Server, tmp_path: Path) -> None:
    graphs = [sample(number) for number in range(BATCH + 5)]
    memory, puts = Memory(), 0

    def stops_in_the_second_batch(seen: Seen) -> Reply:
        nonlocal puts
        puts += seen.method == "PUT"
        return Reply(resets=True) if puts > BATCH + 2 else memory(seen)

    dying = server(stops_in_the_second_batch)
    with (
        remote.connect(dying.url, profile="oxigraph", wait=lambda _: None) as client,
        pytest.raises(ServerUnreachableError),
    ):
        remote.push(graphs, client, manifest(tmp_path))

    well = server(memory)
    with remote.connect(well.url, profile="oxigraph") as client:
        report = remote.push(graphs, client, manifest(tmp_path))

    assert actions(report) == ["skipped"] * BATCH + ["sent"] * 5
    assert len(memory.graphs) == BATCH + 5


def test_a_graph_that_differs_is_named_and_the_others_of_its_batch_are_done(server: Server, tmp_path: Path) -> None:
    good, bad = sample(1), sample(2)
    memory = Memory()
    memory.loses = frozenset((bad.graph,))

    with remote.connect(server(memory).url, profile="oxigraph") as client:
        with pytest.raises(CountMismatchError) as caught:
            remote.push([good, bad], client, manifest(tmp_path))
        assert caught.value.graphs == (bad.graph,)
        assert manifest(tmp_path).is_done(good)
        assert not manifest(tmp_path).is_done(bad)


def test_a_kill_at_any_moment_leaves_a_manifest_that_goes_on(tmp_path: Path) -> None:
    graphs = [sample(number) for number in range(3)]
    whole = manifest(tmp_path)
    whole.note(graphs, "loading")
    whole.note(graphs, "done")
    file = tmp_path / "push.jsonl"
    text = file.read_bytes()

    ends = [at for at in range(len(text)) if text[at : at + 1] == b"\n"]
    for length in (0, 1, *(end + step for end in ends for step in (-9, 0, 1, 9) if end + step <= len(text))):
        file.write_bytes(text[:length])
        opened = manifest(tmp_path)
        done = sum(map(opened.is_done, graphs))
        assert done == max(text[:length].count(b"\n") - 4, 0)
        opened.note(graphs, "done")
        assert all(map(manifest(tmp_path).is_done, graphs))


SLOWLY = """
import sys
from pathlib import Path
from checkpoint_ld.stores import remote
from checkpoint_ld.stores.remote import push
from tests.remote.samples import sample

push.BATCH = 3
url, file = sys.argv[1:]
with remote.connect(url, profile="oxigraph") as client:
    kept = remote.Manifest.opened(Path(file), url)
    graphs = [sample(number) for number in range(60)]
    remote.push(graphs, client, kept, progress=lambda one: print(one.graph, flush=True))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL to end a process with")
def test_after_a_kill_only_the_rest_is_sent(client: SparqlClient, store_url: str, tmp_path: Path) -> None:
    root, file = Path(__file__).resolve().parents[2], tmp_path / "push.jsonl"
    script = [sys.executable, "-c", SLOWLY, store_url, str(file)]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    with subprocess.Popen(script, cwd=root, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in range(10):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    graphs = [sample(number) for number in range(60)]

    report = remote.push(graphs, client, Manifest.opened(file, store_url), full=True)

    skipped = len(report.having("skipped"))
    assert skipped >= 9
    assert len(report.having("sent")) == 60 - skipped
    assert client.count([one.graph for one in graphs]) == {one.graph: one.count for one in graphs}
    assert len(client.checkpoints()) == 60


def test_verifying_sends_nothing_and_names_all_that_differ(client: SparqlClient) -> None:
    graphs = [sample(number) for number in range(3)]
    remote.push(graphs, client)

    assert actions(remote.verify(graphs, client, full=True)) == ["verified"] * 3

    client.drop(graphs[0].graph)
    client.replace(graphs[2].graph, sample(2, name="Metale").triples)
    with pytest.raises(CountMismatchError) as caught:
        remote.verify(graphs, client, full=True)
    assert caught.value.graphs == (graphs[0].graph, graphs[2].graph)
    assert client.read(graphs[0].graph) is None


def test_integers_that_the_store_cannot_keep_are_warned_about(server: Server) -> None:
    one = sample()
    large = b"".join(blocks(one.triples)).replace(
        b'<https://schema.org/name> "Metals"',
        b'<urn:p> "9223372036854775808"^^<http://www.w3.org/2001/XMLSchema#integer>',
    )
    assert large != one.triples
    held = remote.Outgoing(one.graph, large, one.count, "0", "big.jsonld")
    answers = server(Memory())

    with remote.connect(answers.url, profile="oxigraph") as client:
        assert remote.push([held], client).warnings == ()
    with remote.connect(answers.url, profile="virtuoso", auth="none") as client:
        (warning,) = remote.push([held], client).warnings

    assert warning == "big.jsonld: OpenLink Virtuoso has no integers as large as 9223372036854775808"


def test_values_that_a_store_makes_one_are_no_difference(client: SparqlClient) -> None:
    triples = b"".join(
        f'<urn:s> <urn:p> "{text}"^^<http://www.w3.org/2001/XMLSchema#double> .\n'.encode() for text in ("1.0", "1.0E0")
    )

    report = remote.push([remote.Outgoing("urn:g", triples, 2, "0")], client, full=True)

    assert actions(report) == ["sent"]
    assert client.count(["urn:g"]) == {"urn:g": 1}


def test_a_manifest_of_another_store_is_refused(tmp_path: Path) -> None:
    manifest(tmp_path).note([sample()], "done")

    with pytest.raises(SettingsError, match=r"this is the manifest of http://127\.0\.0\.1:7878, not of http://other"):
        Manifest.opened(tmp_path / "push.jsonl", "http://other")


@pytest.mark.parametrize("text", ["{}\n", "[]\n", "not JSON\n", '{"store": "http://127.0.0.1:7878"}\n{"graph": 1}\n'])
def test_a_file_that_is_no_manifest_is_left_alone(tmp_path: Path, text: str) -> None:
    (tmp_path / "push.jsonl").write_text(text)

    with pytest.raises(SettingsError, match="this is no manifest of a push"):
        manifest(tmp_path)

    assert (tmp_path / "push.jsonl").read_text() == text


def test_each_store_has_a_manifest_of_its_own(tmp_path: Path) -> None:
    environment = {"XDG_STATE_HOME": str(tmp_path)}

    files = {default_file(url, environment) for url in (URL, f"{URL}/other")}

    assert len(files) == 2
    assert {file.parent for file in files} == {tmp_path / "checkpoint-ld"}


def test_a_manifest_states_what_was_sent_from_where(client: SparqlClient, tmp_path: Path) -> None:
    remote.push([sample()], client, manifest(tmp_path))

    first, *_, last = (tmp_path / "push.jsonl").read_text().splitlines()

    assert json.loads(first) == {"store": URL}
    assert json.loads(last) == {
        "graph": sample().graph,
        "sha256": sample().sha256,
        "triples": sample().count,
        "source": "Metals-1.jsonld",
        "state": "done",
    }


def test_a_large_graph_goes_out_in_parts(server: Server) -> None:
    body = b"".join(f"<urn:s> <urn:p> <urn:o{number}> .\n".encode() for number in range(100_000))
    memory = Memory()
    one = server(memory)

    with remote.connect(one.url, profile="oxigraph") as client:
        client.replace("urn:g", body)

    assert memory.graphs["/store?graph=urn%3Ag"] == body
