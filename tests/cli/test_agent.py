"""`checkpoint-ld agent`: the checkpoints of agents from the command line."""

import json
import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import jsonpatch
import pytest

from checkpoint_ld import AgentCheckpoint, CheckpointManager, RuntimeState
from checkpoint_ld.documents.values import same
from checkpoint_ld.identifiers import question_id
from checkpoint_ld.secrets import WITHHELD
from tests.agents.runs import call, checkpoint, thought, tree
from tests.cli.conftest import Run

QUESTION = "Which metal is liquid?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "kept"
    thoughts = [thought(1, confidence=0.9), thought(2, confidence=0.2), thought(3)]
    failed = call(2, success=False, error="no such file")
    running = {"id": "c3", "tool_id": "bash", "args": {}, "started_at": call(3)["started_at"], "status": "running"}
    about = {"question": question_id(QUESTION), "benchmark": "urn:uuid:b"}
    with CheckpointManager(made, redact=None) as manager:
        for one in (
            tree("k1", thoughts=thoughts[:1], step=1),
            tree("k2", thoughts=thoughts[:2], calls=[call(1)], step=2, parent={"checkpoint_id": "k1"}, name="half way"),
            tree(
                "k3",
                thoughts=thoughts,
                calls=[call(1), failed, running],
                results={"c1": 7},
                variables={"task": "read", "api_key": "hunter2"},
                step=3,
                parent={"checkpoint_id": "k2"},
            ),
            {**tree("other", step=9, about=about), "execution_id": "exec_2"},
        ):
            manager.import_(json.dumps(one).encode())
    return made


def listed(run: Run, folder: Path, *options: object) -> list[str]:
    return [one["id"] for one in json.loads(run("agent", "list", "--dir", folder, "--json", *options).out)]


PARTS = (
    "in a thought",
    "in an argument",
    "in a result",
    "in an error",
    "in a variable",
    "in a name",
    "in a description",
)


def test_whatever_shows_a_checkpoint_withholds_what_looks_like_a_secret(run: Run, tmp_path: Path) -> None:
    """Also where the manager was told to keep it: the files have it, and what copies them."""
    hidden = {part: f"sk-{'a' * 20}{number}" for number, part in enumerate(PARTS)}
    state = RuntimeState("agent", "exec_1")
    state.thought_chain.add("reasoning", f"the key {hidden['in a thought']} is known")
    call = state.tool_state.start("http", {"url": "a", "token": hidden["in an argument"]})
    state.tool_state.fail(call.id, f"refused: {hidden['in an error']}", {"body": [hidden["in a result"]]})
    state.context.variables["note"] = f"use {hidden['in a variable']}"
    folder = tmp_path / "kept"
    with CheckpointManager(folder, redact=None) as manager:
        name, description = f"with {hidden['in a name']}", f"about {hidden['in a description']}"
        saved = manager.save(state, "execution_completed", name=name, description=description)
        state.context.variables["note"] = "none"
        later = manager.save(state, "execution_completed")
    at = "--dir", folder
    everything = "SELECT ?s ?p ?o WHERE { GRAPH ?g { ?s ?p ?o } }"
    shown = {
        "show": run("agent", "show", saved.id, *at).out,
        "diff": run("agent", "diff", saved.id, later.id, *at).out,
        **{
            f"timeline, {kind}": (
                run("agent", "timeline", later.id, *at, "--output", tmp_path / f"a.{kind}"),
                (tmp_path / f"a.{kind}").read_bytes(),
            )[1]
            for kind in ("txt", "html", "svg")
        },
        "query": run("query", folder, "--query", everything, "--format", "json").out,
        "query with inferred": run("query", folder, "--query", everything, "--inferred", "--format", "csv").out,
        "site": (
            run("site", folder, "--output", tmp_path / "site"),
            b"".join(path.read_bytes() for path in (tmp_path / "site").rglob("*") if path.is_file()),
        )[1],
    }
    seen = {name: [part for part, key in hidden.items() if key.encode() in text] for name, text in shown.items()}
    assert seen == {name: [] for name in shown}
    assert all(text for text in shown.values())
    assert WITHHELD.encode() in shown["show"]
    assert WITHHELD.encode() in shown["query"]
    told = run("query", folder, "--query", everything).err
    assert "withheld that may be a secret; the file has them" in told
    for copied in (run("agent", "show", saved.id, "--json", *at).out, run("convert", saved.path).out):
        assert [part for part, key in hidden.items() if key.encode() not in copied] == []


FILTERS: list[tuple[list[str], list[str]]] = [
    ([], ["other", "k3", "k2", "k1"]),
    (["--oldest"], ["k1", "k2", "k3", "other"]),
    (["--execution", "exec_1", "--limit", "2"], ["k3", "k2"]),
    (["--cursor", "k3"], ["k2", "k1"]),
    (["--tool", "bash"], ["k3"]),
    (["--failed"], ["k3"]),
    (["--no-failed", "--execution", "exec_1"], ["k2", "k1"]),
    (["--confidence-below", "0.5"], ["k3", "k2"]),
    (["--name", "half way"], ["k2"]),
    (["--question", QUESTION], ["other"]),
    (["--question", question_id(QUESTION)], ["other"]),
    (["--benchmark", "urn:uuid:b"], ["other"]),
    (["--since", "2025-02-05T21:20:30", "--until", "2025-02-05T21:20:31"], ["k3"]),
    (["--until", "1738790411000"], ["k1"]),
    (["--since", "0", "--until", "20260131"], ["other", "k3", "k2", "k1"]),
    (["--reason", "nothing"], []),
    (["--branch-of", "k1"], []),
    (["--agent", "reader"], ["other", "k3", "k2", "k1"]),
]


def test_list_takes_filters(run: Run, folder: Path) -> None:
    for options, ids in FILTERS:
        assert listed(run, folder, *options) == ids, options


def test_list_prints_a_table(run: Run, folder: Path) -> None:
    lines = run("agent", "list", "--dir", folder).out.decode().splitlines()
    assert lines[0].split() == ["id", "time", "(UTC)", "execution", "step", "tokens", "reason", "name"]
    assert lines[3].split() == ["k3", "2025-02-05", "21:20:30", "exec_1", "3", "300", "manual"]
    nothing = run("agent", "list", "--dir", folder, "--name", "none")
    assert (nothing.out, nothing.err) == (b"", "no checkpoint fits\n")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("list --since yesterday", "'yesterday' is no time: write 2026-01-31"),
        ("list --since 2026", "'2026' is no time"),
        ("list --since 1738790411", "'1738790411' is no time"),
        ("reindex", "there is nothing to rebuild: name a database by --db, graphs by --store, or both"),
        ("list --confidence-below nan", "confidence_below is nan: give a number"),
        ("diff k1 other", "continues from the other: give allow_other_execution (--other-execution) to compare them"),
        ("diff k1 k2 --tests", "--tests is for a JSON Patch: give --patch too"),
        ("timeline k1 --to svg --limit 1", "--limit and --width are for text: leave them out for svg"),
        ("fork k1 --execution exec_1", 'there is an execution "exec_1" already: give another id, or none'),
        ("prune", "what stays is not stated: give --keep-last N"),
        ("prune --max-age nan", "nan is no number"),
        ("prune --keep-last 1 --archive FOLDER/../also", "is the folder of the checkpoints itself: give another"),
        ("import FOLDER/empty", "nothing to import in"),
        ("import FOLDER/empty --from otlp", "name a file with spans of agents, or a folder that has some"),
    ],
)
def test_commands_that_make_no_sense_are_refused(run: Run, folder: Path, command: str, words: str) -> None:
    (folder / "empty").mkdir()
    (folder.parent / "also").symlink_to(folder)
    result = run("agent", *command.replace("FOLDER", str(folder)).split(), "--dir", folder)
    assert (result.code, result.out) == (2, b"")
    assert words in result.err
    assert len(list(folder.glob("*.json"))) == 4


@pytest.mark.parametrize(
    "command", ["list", "stats", "show latest", "prune --keep-last 1 --dry-run", "timeline exec_1"]
)
def test_files_that_are_left_out_are_named(run: Run, folder: Path, command: str) -> None:
    (folder / "cut.json").write_bytes((folder / "k3.json").read_bytes()[:300])
    (folder / "early.json").write_text(json.dumps({**tree("early"), "timestamp": "early"}), encoding="utf-8")
    result = run("agent", *command.split(), "--dir", folder)
    assert result.code == 0
    assert [line.partition(": ")[0] for line in sorted(result.err.splitlines())] == [
        f"{folder / name}.json is left out, for it cannot be read" for name in ("cut", "early")
    ]


def test_show_shows_where_the_agent_stands(run: Run, folder: Path) -> None:
    result = run("agent", "show", "k3", "--dir", folder).out.decode()
    assert "step 3, 300 tokens" in result
    assert "c2 read_file failed: no such file" in result
    assert "task: read" in result
    assert "hunter2" not in result


def test_show_stable_prints_the_text_form_of_ids_and_files(run: Run, folder: Path) -> None:
    by_id = run("agent", "show", "k2", "--stable", "--dir", folder).out
    assert by_id == (folder / "k2.json").read_bytes()
    other = folder.parent / "by hand.json"
    other.write_text(json.dumps(json.loads(by_id), sort_keys=True), encoding="utf-8")
    assert run("agent", "show", other, "--stable", "--dir", folder.parent / "none").out == by_id


def test_an_unknown_checkpoint_is_reported_with_near_ones(run: Run, folder: Path) -> None:
    result = run("agent", "show", "othr", "--dir", folder)
    assert result.code == 2
    assert "other" in result.err


@pytest.mark.parametrize(
    "command",
    ["show ID", "diff ID k1", "timeline ID", "restore ID", "list --cursor ID", "upgrade ID", "import --from otlp ID"],
)
def test_an_id_that_is_too_long_for_a_path_is_unknown_or_found(run: Run, folder: Path, command: str) -> None:
    name, stores = "i" * 600, [] if command.startswith("upgrade") else ["--dir", folder]
    result = run("agent", *command.replace("ID", name).split(), *stores)
    assert re.search("there is no checkpoint|file name too long", result.err + result.out.decode())
    (folder / "long.json").write_text(json.dumps(tree(name)), encoding="utf-8")
    assert run("agent", "show", name, "--dir", folder).code == 0


def test_diff_exits_with_1_and_its_patch_applies(run: Run, folder: Path) -> None:
    result = run("agent", "diff", "k1", "k2", "--dir", folder)
    assert result.code == 1
    assert "+ t2 reasoning (0.2)" in result.out.decode()
    patch = run("agent", "diff", "k1", "k2", "--patch", "--tests", "--dir", folder).out.decode()
    before, after = (json.loads((folder / f"{name}.json").read_bytes()) for name in ("k1", "k2"))
    assert same(jsonpatch.apply_patch(before, patch), after)
    assert json.loads(run("agent", "diff", "k1", "k2", "--json", "--dir", folder).out)["steps"] == 1
    assert run("agent", "diff", "k1", folder / "k1.json", "--dir", folder).code == 0


def test_diff_of_two_executions_has_to_be_requested(run: Run, folder: Path) -> None:
    assert run("agent", "diff", "k1", "other", "--other-execution", "--dir", folder).code == 1


def test_timeline_of_an_execution_and_of_a_checkpoint(run: Run, folder: Path, tmp_path: Path) -> None:
    whole = run("agent", "timeline", "exec_1", "--dir", folder).out.decode()
    assert "✗ read_file 500 ms: no such file" in whole
    assert whole.count("◆ k") == 3
    assert run("agent", "timeline", "k2", "--dir", folder).out.decode().count("◆ k") == 2
    assert run("agent", "timeline", folder / "k2.json", "--dir", tmp_path / "none").out.decode().count("◆ k") == 1
    assert run("agent", "timeline", "exec_1", "--dir", folder, "-o", tmp_path / "run.svg").code == 0
    fromstring((tmp_path / "run.svg").read_text(encoding="utf-8"))
    assert run("agent", "timeline", "exec_1", "--dir", folder, "-o", tmp_path / "run.html").code == 0
    assert (tmp_path / "run.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert run("agent", "timeline", "exec_1", "--dir", folder, "-o", tmp_path / "run.svg").code == 2  # it exists


def test_restore_writes_the_state_and_names_calls_in_flight(run: Run, folder: Path, tmp_path: Path) -> None:
    result = run("agent", "restore", "k3", "--dir", folder, "--output", tmp_path / "state.json")
    assert result.code == 0
    assert "in flight: c3 (bash): cancel, fail or repeat it" in result.err
    state = json.loads((tmp_path / "state.json").read_bytes())
    kept = json.loads((folder / "k3.json").read_bytes())["snapshot"]
    assert {**state["snapshot"], "progress": None} == {**kept, "progress": None}
    assert state["snapshot"]["progress"]["tokens_used"] == 300
    assert state["execution_id"] != "exec_1"
    assert "no call was in flight" in run("agent", "restore", "k1", "--dir", folder).err


def test_fork_begins_another_execution(run: Run, folder: Path) -> None:
    value = json.loads(
        run("agent", "fork", "k2", "--execution", "exec_9", "--reason", "try it", "--json", "--dir", folder).out
    )
    forked = AgentCheckpoint.load(value["path"])
    assert (forked.execution_id, forked.metadata.checkpoint_reason) == ("exec_9", "branch")
    assert forked.parent is not None
    assert forked.parent.tree() == {"checkpoint_id": "k2", "is_branch": True, "branch_reason": "try it"}
    assert listed(run, folder, "--branch-of", "k2") == [forked.id]


@pytest.mark.parametrize("shape", ["canonical", "second", "jsonld", "nquads", "turtle"])
def test_what_is_exported_can_be_imported(run: Run, folder: Path, tmp_path: Path, shape: str) -> None:
    extension = {"nquads": "nq", "turtle": "ttl"}.get(shape, "json")
    file, other = tmp_path / f"out.{extension}", tmp_path / "other"
    assert run("agent", "export", "k3", "--to", shape, "-o", file, "--dir", folder).code == 0
    result = run("agent", "import", file, "--keep-secrets", "--dir", other)
    assert (result.code, result.out.decode()) == (0, f"added: k3 ({file})\n")
    assert (other / "k3.json").read_bytes() == (folder / "k3.json").read_bytes()


def test_export_to_standard_output_writes_nothing_else(run: Run, folder: Path) -> None:
    result = run("agent", "export", "k3", "-o", "-", "--dir", folder)
    assert result.out == (folder / "k3.json").read_bytes()


def test_export_needs_a_file(run: Run, folder: Path) -> None:
    result = run("agent", "export", "k3", "--dir", folder)
    assert (result.code, result.out) == (2, b"")
    assert "Missing option '-o' / '--output'" in result.err


def test_a_file_is_no_folder_of_checkpoints(run: Run, folder: Path) -> None:
    result = run("agent", "list", "--dir", folder / "k3.json")
    assert result.code == 2
    assert "k3.json" in result.err


@pytest.mark.parametrize(
    "command", ["list", "show k1", "verify", "reindex --db new.db", "prune --keep-last 1", "list --dir checkpoints"]
)
def test_a_store_that_does_not_exist_is_an_error_that_names_the_option(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for option in (None,) if command.startswith("reindex") or "--dir" in command else (None, "--db", "--store"):
        result = run("agent", *command.split(), *([option, "nope"] if option else []))
        assert result.code == 2
        assert result.err.startswith("nope: " if option else "checkpoints: ")
        assert (option or "--dir") in result.err
        assert list(tmp_path.iterdir()) == []


def test_the_provenance_of_a_run_is_written(run: Run, folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("prov.model", reason="prov is not installed: make .venv/.integrations-group")
    shown = run("agent", "prov", "exec_1", "--dir", folder).out.decode()
    assert shown.startswith("document\n")
    assert "wasInformedBy(" in shown
    assert "used(" in shown
    written = tmp_path / "run.json"
    assert run("agent", "prov", "k2", "-o", written, "--dir", folder).code == 0
    assert len(json.loads(written.read_text())["entity"]) > 2
    assert b"<prov:document" in run("agent", "prov", "k2", "--to", "xml", "--dir", folder).out


def test_two_runs_are_compared_step_by_step(run: Run, folder: Path, tmp_path: Path) -> None:
    assert run("agent", "diff", "k2", "k2", "--runs", "--dir", folder).code == 0
    shown = run("agent", "diff", "exec_2", "exec_1", "--dir", folder)
    assert shown.code == 1
    assert "they part at step 1: " in shown.out.decode()
    found = json.loads(run("agent", "diff", "k2", "k3", "--runs", "--json", "--dir", folder).out)
    assert (found["counts"]["only before"], found["before"]["executions"]) == (0, ["exec_1"])
    page = tmp_path / "page.html"
    assert run("agent", "diff", "k1", "k3", "--runs", "-o", page, "--dir", folder).code == 1
    assert page.read_text().startswith("<!doctype html>")
    refused = run("agent", "diff", "k1", "k2", "--to", "html", "--dir", folder)
    assert (refused.code, "give --runs" in refused.err) == (2, True)


def test_a_file_is_shown_and_compared_without_any_store(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("agent", "show", "--stable", folder / "k1.json").out == (folder / "k1.json").read_bytes()
    assert run("agent", "diff", folder / "k1.json", folder / "k2.json").code == 1
    assert run("agent", "timeline", folder / "k2.json").code == 0
    assert run("agent", "restore", folder / "k2.json", "--output", "state.json").code == 0
    assert run("agent", "import", folder, "--dir", "new").code == 0


def test_import_shows_of_each_file_and_goes_on(run: Run, folder: Path, tmp_path: Path) -> None:
    (folder / "k1.json").write_text("{", encoding="utf-8")
    changed = checkpoint("k2", step=5)
    with CheckpointManager(tmp_path / "other") as manager:
        manager.import_(changed.content())
    result = run("agent", "import", folder, "--dir", tmp_path / "other", "--json")
    assert result.code == 1
    by_file = {Path(one["source"]).name: one for one in json.loads(result.out)}
    assert by_file["k3.json"]["created"]
    assert by_file["k1.json"]["error"]
    assert "k2" in by_file["k2.json"]["error"]
    again = run("agent", "import", folder / "k2.json", "--as-new-id", "--dir", tmp_path / "other")
    assert again.code == 0


def test_what_cannot_be_taken_in_does_not_stop_the_rest(run: Run, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    result = run("agent", "import", tmp_path / "nope.json", tmp_path / "broken.json", folder, "--dir", tmp_path / "new")
    assert result.code == 1
    assert result.out.decode().count("added: ") == 4
    assert re.search(r"refused: .*nope\.json.*\nrefused: .*broken\.json:1:2 ", result.err)
    (tmp_path / "mark.json").write_bytes(b"\xef\xbb\xbf" + (folder / "k1.json").read_bytes())
    result = run("agent", "import", tmp_path / "mark.json", "--dir", tmp_path / "new")
    assert (result.code, result.out.startswith(b"unchanged: k1")) == (0, True)
    assert re.search(r"warning: .*mark\.json:1:1 KD008 ", result.err)
    result = run("agent", "upgrade", tmp_path / "nope.json", tmp_path / "broken.json", folder)
    assert result.code == 1
    assert result.out.decode().count("is 0.0.1 already") == 4
    assert result.out.decode().count("refused: ") == 2


def test_nothing_of_a_checkpoint_moves_the_cursor_of_a_terminal(run: Run, tmp_path: Path) -> None:
    unusual = {**tree("odd\x1b[2J"), "name": "\x1b]0;x\x07", "execution_id": "e\x1b[7m", "agent_id": "a\x1b[5m"}
    unusual["metadata"] = {**unusual["metadata"], "checkpoint_reason": "why\x1b[1m"}
    (tmp_path / "line\nbreak.json").write_text(json.dumps(unusual), encoding="utf-8")
    found = [
        run("agent", verb, *more, "--dir", tmp_path / "kept")
        for verb, *more in (
            ("import", tmp_path / "line\nbreak.json"),
            ("list",),
            ("show", "odd\x1b[2J"),
            ("timeline", "odd\x1b[2J"),
            ("stats",),
            ("fork", "odd\x1b[2J"),
            ("prune", "--keep-last", "0", "--dry-run"),
        )
    ]
    assert not any(one.code for one in found)
    assert not any("\x1b" in one.out.decode() + one.err for one in found)
    assert found[0].out.count(b"\n") == 1


def test_prune_states_why_and_archives(run: Run, folder: Path, tmp_path: Path) -> None:
    result = run("agent", "prune", "--keep-last", "1", "--dry-run", "--dir", folder)
    assert re.search(r"would go: k1: ", result.out.decode())
    assert re.search(r"stays: k2: .*'half way'", result.out.decode())
    assert (folder / "k1.json").exists()
    run("agent", "prune", "--keep-last", "1", "--archive", tmp_path / "old", "--dir", folder)
    assert listed(run, folder) == ["other", "k3", "k2"]
    assert run("agent", "import", tmp_path / "old", "--dir", folder).code == 0
    assert listed(run, folder) == ["other", "k3", "k2", "k1"]
    assert run("agent", "prune", "--max-age", "1e300", "--dir", folder).code == 0


def test_reindex_and_verify_with_a_database(run: Run, folder: Path, tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/agents.db"
    stores = ("--dir", folder, "--db", database)
    assert run("agent", "verify", *stores).code == 1
    assert run("agent", "reindex", *stores).out == b"4 checkpoints indexed, 0 removed that have no file\n"
    assert run("agent", "verify", *stores).out == b"all stores are as they should be\n"
    assert [one["id"] for one in json.loads(run("agent", "list", "--db", database, "--json").out)] == [
        "other",
        "k3",
        "k2",
        "k1",
    ]
    (folder / "k1.json").unlink()
    broken = run("agent", "verify", *stores, "--json")
    assert broken.code == 1
    assert "k1" in json.dumps(json.loads(broken.out))
    run("agent", "verify", "--repair", *stores)
    assert run("agent", "verify", *stores).code == 0


def test_what_reindex_says_about_a_damaged_file_brings_the_checkpoint_back(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    stores = ("--dir", folder, "--db", f"sqlite:///{tmp_path}/agents.db")
    run("agent", "reindex", *stores)
    whole = (folder / "k1.json").read_bytes()
    (folder / "k1.json").write_bytes(whole[:300])
    note = run("agent", "reindex", *stores).err.splitlines()[-1]
    command = "checkpoint-ld agent export k1 --output FILE"
    assert note == f"kept: k1, whose file is damaged: run {command}, move the damaged file away, and import FILE"
    made = tmp_path / "made.json"
    words = [made if word == "FILE" else word for word in command.split()[1:]]
    assert run(*words, *stores).code == 0
    (folder / "k1.json").unlink()
    assert run("agent", "import", made, *stores).code == 0
    assert (folder / "k1.json").read_bytes() == whole
    assert run("agent", "verify", *stores).code == 0


def test_stats_count_per_execution(run: Run, folder: Path) -> None:
    value: list[dict[str, Any]] = json.loads(run("agent", "stats", "--dir", folder, "--json").out)
    by_id = {one["execution_id"]: one for one in value}
    assert by_id["exec_1"]["checkpoints"] == 3
    assert by_id["exec_1"]["failed_calls"] == 1
    assert by_id["exec_1"]["calls_in_flight"] == 1
    assert by_id["exec_1"]["tools"] == {"read_file": 2, "bash": 1}
    assert "read_file 2, bash 1" in run("agent", "stats", "--execution", "exec_1", "--dir", folder).out.decode()
    assert run("agent", "stats", "--execution", "none", "--dir", folder).err == "no execution fits\n"


def test_upgrade_leaves_what_is_new_alone(run: Run, folder: Path) -> None:
    (folder / "packed").mkdir()
    before = (folder / "k1.json").read_bytes()
    result = run("agent", "upgrade", folder / "k1.json", folder, "--json")
    assert not any(one["changed"] for one in json.loads(result.out))
    assert (folder / "k1.json").read_bytes() == before
    run("agent", "export", "k1", "--output", folder / "packed" / "k1.json.gz", "--dir", folder)
    assert run("agent", "upgrade", folder / "packed").out.endswith(b"k1.json.gz: is 0.0.1 already\n")
    (folder / "empty").mkdir()
    assert "nothing to upgrade in" in run("agent", "upgrade", folder / "empty").err


def test_the_folder_is_checkpoints_where_nobody_names_one(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folder, tmp_path / "here" / "checkpoints")
    monkeypatch.chdir(tmp_path / "here")
    assert len(json.loads(run("agent", "list", "--json").out)) == 4


NAMED: list[tuple[list[str], str]] = [
    (["show", "@", "--stable"], '"id": "other"'),
    (["diff", "k1", "@", "--other-execution"], "other"),
    (["timeline", "@"], "◆ other"),
    (["restore", "@"], '"execution_id": "exec_'),
    (["fork", "@", "--execution", "new"], "begins execution new"),
    (["export", "@", "-o", "-"], '"id": "other"'),
    (["list", "--json", "--cursor", "@", "--limit", "1"], '"k3"'),
    (["list", "--json", "--branch-of", "@"], "[]"),
    (["prune", "--keep-last", "0", "--no-protect-linked", "--dry-run", "--keep", "@"], "stays: other"),
]


@pytest.mark.parametrize("name", ["latest", "oth"])
@pytest.mark.parametrize(("command", "expected"), NAMED)
def test_a_checkpoint_is_named_by_its_beginning_and_the_newest_as_latest(
    run: Run, folder: Path, command: list[str], expected: str, name: str
) -> None:
    done = run("agent", *(name if one == "@" else one for one in command), "--dir", folder)
    assert done.code == (1 if command[0] == "diff" else 0), done.err
    assert expected in done.out.decode()


@pytest.mark.parametrize("command", [command for command, _ in NAMED if "--branch-of" not in command])
def test_a_name_of_several_lists_them_and_one_of_none_is_reported(run: Run, folder: Path, command: list[str]) -> None:
    for name, expected in (
        ("k", '"k" is how 3 .*checkpoints begin: k3, k2, k1; write more of it\n'),
        ("x", 'there is no checkpoint "x"'),
        ("", 'there is no checkpoint ""'),
    ):
        done = run("agent", *(name if one == "@" else one for one in command), "--dir", folder)
        assert (done.code, done.out) == (2, b"")
        assert re.search(expected, done.err), done.err
    assert len(list(folder.glob("*.json"))) == 4


@pytest.mark.parametrize("command", [["list"], ["stats"]])
def test_an_execution_is_named_by_its_beginning_as_well(run: Run, folder: Path, command: list[str]) -> None:
    def executions(name: str) -> set[str]:
        result = run("agent", *command, "--execution", name, "--dir", folder, "--json")
        return {one["execution_id"] for one in json.loads(result.out)}

    assert executions("latest") == executions("exec_2") == {"exec_2"}
    assert executions("nobody") == set()
    result = run("agent", *command, "--execution", "exec", "--dir", folder)
    assert (result.code, result.err) == (2, '"exec" is how 2 executions begin: exec_2, exec_1; write more of it\n')
    with CheckpointManager(folder) as manager:
        manager.fork("k1", "unlike")
    assert executions("un") == {"unlike"}
    assert "unlike" in run("agent", "timeline", "un", "--dir", folder).out.decode()


def test_a_whole_id_is_meant_before_the_beginning_of_others_and_a_file_too(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with CheckpointManager(folder) as manager:
        manager.import_(json.dumps(tree("k", step=1)).encode())
    assert b'"id": "k"' in run("agent", "show", "k", "--stable", "--dir", folder).out
    monkeypatch.chdir(tmp_path)
    shutil.copy(folder / "k1.json", "latest")
    assert b'"id": "k1"' in run("agent", "show", "latest", "--stable", "--dir", folder).out


def test_there_is_no_latest_in_an_empty_store(run: Run, tmp_path: Path) -> None:
    result = run("agent", "show", "latest", "--dir", tmp_path)
    assert (result.code, result.out) == (2, b"")
    assert "the store is empty" in result.err


def test_the_timeline_of_a_resumed_execution_shows_where_it_was_cut_off(run: Run, tmp_path: Path) -> None:
    with CheckpointManager(tmp_path) as manager:
        for _ in range(2):
            state = manager.resume_or_start("reader").state
            state.thought_chain.add("reasoning", "hm")
            manager.save(state, "thought_completed")
        first, second = manager.list(order="oldest")
    result = run("agent", "timeline", "latest", "--dir", tmp_path, "--width", "200").out.decode()
    assert re.search(f"▶ {first.execution_id}: cut off after .*\n", result)
    assert re.search(
        f"▶ {second.execution_id}: open after .* continues from {first.id} of {first.execution_id}, ", result
    )
    assert "runs" not in run("agent", "timeline", first.execution_id, "--dir", tmp_path).out.decode()


def test_a_file_that_is_missing_is_named_where_there_are_no_checkpoints_either(run: Run) -> None:
    result = run("agent", "show", "missing.json")
    assert (result.code, "missing.json: there is no such file; checkpoints: there are no" in result.err) == (2, True)


def test_an_empty_file_stays_empty_when_checkpoints_are_listed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    result = run("agent", "list", "--db", tmp_path / "empty.db")
    assert (result.code, (tmp_path / "empty.db").stat().st_size) == (2, 0)
    assert "empty.db: there are no checkpoints, as it is an empty file; name where they are by --db" in result.err
