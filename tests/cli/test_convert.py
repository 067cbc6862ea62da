"""`checkpoint-ld convert`: any form in, any form out, one clear message when it cannot be."""

import gzip
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph, URIRef

import checkpoint_ld
from checkpoint_ld import AgentCheckpoint, Benchmark, CheckpointManager, ReadError, RuntimeState, SettingsError, writing
from checkpoint_ld.cli.convert import CONTEXTS, OUTPUTS
from checkpoint_ld.cli.options import INPUTS
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.emission import ContextStyle
from checkpoint_ld.integrations import formats
from checkpoint_ld.rules import document
from checkpoint_ld.vocabulary import ID_BASE
from tests.cli.conftest import EXAMPLES, Run
from tests.documents import canonical, item, rating, scenario
from tests.trials import examples


@pytest.fixture
def metals(tmp_path: Path) -> Path:
    path = tmp_path / "metals.jsonld"
    path.write_bytes((EXAMPLES / "metals.jsonld").read_bytes())
    return path


def parsed(data: bytes) -> Any:
    return json.loads(data)


def test_a_syntax_that_is_named_wins_over_the_extension_of_the_output(run: Run, metals: Path, tmp_path: Path) -> None:
    assert run("convert", metals, "-o", tmp_path / "a.nt").code == 0
    assert run("convert", metals, "-o", tmp_path / "b.ttl", "--to", "nt").code == 0
    assert (tmp_path / "b.ttl").read_bytes() == (tmp_path / "a.nt").read_bytes()


def test_jsonld_is_canonical_whatever_the_layout_of_the_source(run: Run, tmp_path: Path) -> None:
    tree = canonical()
    source = tmp_path / "odd.json"
    source.write_text(json.dumps(dict(reversed(tree.items())), indent=7), encoding="utf-8")
    assert run("convert", source, "--context", "plain").out == json.dumps(tree, indent=2, ensure_ascii=False).encode()
    improved = parsed(run("convert", source).out)
    assert improved["@context"]["@base"] == ID_BASE
    assert {**improved, "@context": tree["@context"]} == tree


def test_an_older_dialect_is_written_on_demand_and_leads_back(run: Run, metals: Path) -> None:
    older = run("convert", metals, "--dialect", "v2.0")
    assert older.code == 0
    seen = Benchmark.load(older.out)
    assert seen.dialect == "v2.0"
    assert [one.question for one in seen.questions] == [one.question for one in Benchmark.load(metals).questions]


@pytest.mark.parametrize(("kind", "is_lost"), [("csv", True), ("records", True), ("json", True), ("markdown", False)])
def test_scenarios_that_a_format_has_no_place_for_are_named(kind: str, is_lost: bool, run: Run, tmp_path: Path) -> None:
    source = tmp_path / "scenario.jsonld"
    source.write_text(json.dumps(scenario()), encoding="utf-8")
    result = run("export", source, "--to", kind, "-o", tmp_path / "out")
    assert (f"its scenarios have no place in {kind}" in result.err, result.code) == (is_lost, 0)


def test_what_a_dialect_cannot_hold_is_reported(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "scenario.jsonld"
    source.write_text(json.dumps(scenario()), encoding="utf-8")
    written = run("convert", source, "--dialect", "v2.0")
    assert written.code == 0
    assert "W-LOSS" in written.err
    assert "W-LOSS" not in run("convert", source, "--dialect", "v2.0", "--quiet").err


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "E-JSON"),
        (b'{"name": "a", "name": "b"}', "E-DUPKEY"),
        (b'{"text": "\\ud800"}', "E-SURROGATE"),
        (b"[" * 100_000 + b"]" * 100_000, "E-DEPTH"),
        (b'{"version": "2.0", "checkpoint": null}', "E-ROOT"),
        (b"@prefix x: <urn:x> . x:a", "E-RDF"),
    ],
)
def test_what_cannot_be_read_ends_with_code_2_and_one_clear_message(
    run: Run, tmp_path: Path, data: bytes, code: str
) -> None:
    source = tmp_path / "bad.txt"
    source.write_bytes(data)
    refused = run("convert", source)
    assert refused.code == 2
    assert refused.out == b""
    assert "Traceback" not in refused.err
    lines = refused.err.strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(str(source))
    assert code in lines[0]


def test_every_fault_is_listed_with_its_line(run: Run, tmp_path: Path) -> None:
    tree = canonical(item(), item(""), item("Fine?", "urn:uuid:q3"))
    tree["rating"] = [rating("odd", "Nowhere")]
    source = tmp_path / "faults.jsonld"
    text = json.dumps(tree, indent=2)
    source.write_text(text, encoding="utf-8")
    refused = run("convert", source)
    assert refused.code == 2
    type_line = next(at for at, line in enumerate(text.splitlines(), 1) if "NowhereRegexTrait" in line)
    assert f"{source}:{type_line}:" in refused.err
    assert "E-TRAIT-TYPE" in refused.err
    assert "E-TEXT" in refused.err


def test_deep_judgment_is_left_out_on_demand(run: Run, metals: Path) -> None:
    assert b"deep_judgment_enabled" in run("convert", metals).out
    assert b"deep_judgment_enabled" not in run("convert", metals, "--no-deep-judgment").out


def test_a_fault_of_our_own_is_no_traceback(run: Run, metals: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("checkpoint_ld.families.read", broken)
    failed = run("convert", metals)
    assert failed.code == 2
    assert "please report it" in failed.err
    monkeypatch.setenv("CHECKPOINT_LD_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        run("convert", metals)


@pytest.mark.slow
def test_a_kill_in_the_middle_leaves_the_old_file(metals: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.nt"
    target.write_text("old\n")
    code = (
        "import os, sys, time, checkpoint_ld.documents.files as files\n"
        "real = os.fsync\n"
        "def slow(handle):\n"
        "    print('writing', flush=True); time.sleep(30); real(handle)\n"
        "files.os.fsync = slow\n"
        f"sys.argv = ['checkpoint-ld', 'convert', {str(metals)!r}, '-q', '--force', '-o', {str(target)!r}]\n"
        "from checkpoint_ld.cli import main; main()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"writing\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait(10)
    process.stdout.close()
    assert target.read_text() == "old\n"


def test_the_options_offer_every_syntax_there_is() -> None:
    longer = ("ntriples", "nquads")  # other names of nt and nq
    assert ((*writing.SYNTAXES, *longer), ("json", *emission.SYNTAXES, *longer)) == (OUTPUTS, INPUTS)
    assert (*ContextStyle,) == CONTEXTS


def test_a_bound_that_karenina_refuses_is_rounded_on_demand_only(run: Run, tmp_path: Path) -> None:
    trait = {"name": "depth", "kind": "score", "min_score": 0.5, "max_score": 2.5, "higher_is_better": True}
    given = {"question": "Which?", "raw_answer": "this", "answer_template": "", "finished": True}
    source = tmp_path / "state.json"
    source.write_text(
        json.dumps({"version": "2.0", "global_rubric": {"llm_traits": [trait]}, "checkpoint": {"k": given}})
    )
    refused = run("convert", source)
    assert refused.code == 2
    assert "0.5" in refused.err
    rounded = run("convert", source, "--round-scores")
    assert rounded.code == 0
    assert "W-LOSS" in rounded.err


@pytest.mark.parametrize("syntax", ["nt", "nq", "turtle", "trig", "xml", "expanded"])
def test_derived_statements_are_added_on_request_and_passed_over_on_the_way_back(
    run: Run, metals: Path, syntax: str
) -> None:
    plain = run("convert", metals, "--to", syntax)
    derived = run("convert", metals, "--to", syntax, "--inferred")
    assert derived.code == 0
    assert b"1.0E0" in derived.out
    assert b"NumericTolerance" in derived.out
    assert b"templateField" not in plain.out
    source = [] if syntax == "expanded" else ["--from", syntax]
    for written in (plain, derived):
        back = run("convert", "-", *source, "--context", "plain", stdin=written.out)
        assert back.out == metals.read_bytes()


def test_what_is_left_out_has_nothing_derived_from_it(run: Run, metals: Path) -> None:
    whole = run("convert", metals, "--to", "nt", "--inferred").out
    bare = run("convert", metals, "--to", "nt", "--inferred", "--no-deep-judgment").out
    assert b"deepJudgmentMaxExcerpts" not in bare
    assert b"templateField" in bare
    assert len(bare) < len(whole)


@pytest.mark.parametrize("name", ["metals", "interview", "agent"])
def test_inferred_statements_are_left_aside_when_the_graph_is_read(name: str, run: Run, tmp_path: Path) -> None:
    source, target, back = tmp_path / "one.jsonld", tmp_path / "one.nt", tmp_path / "back.nt"
    source.write_text(json.dumps(document(name)), encoding="utf-8")

    assert run("convert", source, "--inferred", "-o", target).code == 0
    assert run("convert", target, "-o", back, "--no-prov").code == 0
    assert back.read_bytes() == run("convert", source, "--to", "nt", "--no-prov").out
    assert len(target.read_bytes()) > len(back.read_bytes())


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["v2.0", "gui-datafeed"])
def test_what_is_written_does_not_depend_on_the_seed_of_hashes(tmp_path: Path, dialect: str) -> None:
    benchmark = Benchmark("Metals")
    benchmark.add_question(
        "Which metal is lightest?",
        "Lithium",
        question_id="urn:uuid:lightest",
        author={"name": "Ann"},
        sources=[{"name": "Tables"}],
        few_shot_examples=[{"question": "Which gas is lightest?", "answer": "Hydrogen"}],
    )
    benchmark.save(tmp_path / "metals.jsonld")
    program = "from checkpoint_ld.cli import main; main()"
    arguments = ["convert", "metals.jsonld", "--dialect", dialect, "--output"]
    for seed in range(2):
        subprocess.run(
            [sys.executable, "-c", program, *arguments, f"{seed}.json"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        )
    written = {(tmp_path / f"{seed}.json").read_text(encoding="utf-8") for seed in range(2)}
    assert len({re.sub(r'20\d\d-\d\d-\d\dT[^"]*', "", text) for text in written}) == 1  # but for the time of writing


# --- The fingerprint of what a checkpoint states, signatures over it, and checkpoints as a format of rdflib.


METALS = EXAMPLES / "metals.jsonld"


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    state = RuntimeState("agent-1", "exec-1")
    state.thought_chain.add("observation", "It rains.")
    with CheckpointManager(tmp_path / "store") as manager:
        manager.get(manager.save(state).id).save(file := tmp_path / "agent.json")
    return file


@pytest.mark.parametrize("to", ["jsonld", "nt", "turtle", "nq", "trig", "xml", "expanded"])
def test_a_fingerprint_is_the_same_in_all_syntaxes(run: Run, tmp_path: Path, to: str) -> None:
    assert run("convert", METALS, "--to", to, "-o", file := tmp_path / "x.data").code == 0
    syntax = {"jsonld": "json", "expanded": "json"}.get(to, to)
    assert checkpoint_ld.fingerprint(file, syntax=syntax) == checkpoint_ld.fingerprint(METALS)


def in_order(value: Any) -> Any:
    """Return a document with its members sorted, but for values of properties, in which their order is content."""
    if isinstance(value, dict):
        return {key: one if key == "value" else in_order(one) for key, one in sorted(value.items())}
    return [in_order(one) for one in value] if isinstance(value, list) else value


@given(indent=st.sampled_from([None, 1, "\t"]), sort=st.booleans(), ascii_=st.booleans(), context=st.booleans())
@settings(max_examples=examples(20))
def test_layout_order_of_members_and_context_state_nothing(
    indent: Any, sort: bool, ascii_: bool, context: bool
) -> None:
    benchmark = Benchmark.load(METALS)
    tree = benchmark.to_jsonld(context="improved" if context else "plain")
    text = json.dumps(in_order(tree) if sort else tree, indent=indent, ensure_ascii=ascii_)
    assert checkpoint_ld.fingerprint(text.encode()) == checkpoint_ld.fingerprint(METALS)


@pytest.mark.parametrize("context", [{"@vocab": "https://schema.org/", "x": "urn:x:"}, "https://example.org/context"])
def test_a_context_of_its_own_states_nothing(context: Any, agent: Path) -> None:
    for file in (METALS, agent):
        tree = {**json.loads(file.read_bytes()), "@context": context}
        assert checkpoint_ld.fingerprint(json.dumps(tree).encode()) == checkpoint_ld.fingerprint(file)


def test_labels_of_blank_nodes_state_nothing_but_what_is_said_of_these_nodes_does(run: Run) -> None:
    lines = run("convert", METALS, "--to", "nt").out.decode()

    def fingerprint(label: str, text: str) -> str:
        more = f'<{Benchmark.load(METALS).graph.root}> <urn:x:p> _:{label} .\n_:{label} <urn:x:q> "{text}" .\n'
        return checkpoint_ld.fingerprint((lines + more).encode())

    assert fingerprint("a", "x") == fingerprint("b", "x") != fingerprint("a", "y")


def test_anybody_can_compute_it(run: Run) -> None:
    lines = run("convert", METALS, "--to", "nq").out
    dataset = pyoxigraph.Dataset(pyoxigraph.parse(lines, format=pyoxigraph.RdfFormat.N_QUADS))
    graphless = {pyoxigraph.Quad(one.subject, one.predicate, one.object) for one in dataset}
    text = "".join(sorted(f"{one} .\n" for one in graphless))
    assert hashlib.sha256(text.encode()).hexdigest() == checkpoint_ld.fingerprint(METALS)


def test_any_edit_changes_it_and_undoing_it_brings_it_back() -> None:
    text = METALS.read_text(encoding="utf-8")
    edited = text.replace("Mercury", "Gallium", 1)
    assert edited != text
    assert checkpoint_ld.fingerprint(edited.encode()) != checkpoint_ld.fingerprint(text.encode())
    assert checkpoint_ld.fingerprint(edited.replace("Gallium", "Mercury", 1).encode()) == checkpoint_ld.fingerprint(
        METALS
    )


def test_agent_checkpoints_have_one(run: Run, agent: Path, tmp_path: Path) -> None:
    for to, name in (("turtle", "a.ttl"), ("jsonld", "a.jsonld")):
        run("convert", agent, "--to", to, "-o", tmp_path / name)
        assert checkpoint_ld.fingerprint(tmp_path / name) == checkpoint_ld.fingerprint(agent)


def test_lists_are_printed_and_checked(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(METALS, "a.jsonld")
    printed = run("fingerprint", "a.jsonld", "-", stdin=METALS.read_bytes())
    digits = checkpoint_ld.fingerprint(METALS)
    assert printed.out.decode().splitlines() == [f"{digits}  -", f"{digits}  a.jsonld"]
    Path("sums").write_text(f"{digits}  a.jsonld\n", encoding="utf-8")
    assert run("fingerprint", "--check", "sums").out == b"a.jsonld: OK\n"
    assert run("fingerprint", "--check", "-", stdin=Path("sums").read_bytes()).out == b"a.jsonld: OK\n"
    Path("a.jsonld").write_text(METALS.read_text(encoding="utf-8").replace("Mercury", "Lead", 1), encoding="utf-8")
    changed = run("fingerprint", "--check", "sums")
    assert (changed.code, changed.out) == (1, b"a.jsonld: FAILED\n")
    Path("a.jsonld").unlink()
    missing = run("fingerprint", "--check", "sums")
    assert missing.code == 2
    assert "a.jsonld" in missing.err
    Path("sums").write_text("no list\n", encoding="utf-8")
    assert "sums:1:1: this is no line of fingerprints" in run("fingerprint", "--check", "sums").err
    empty = run("fingerprint", "--check", "-")
    assert (empty.code, empty.err) == (2, "-: the list is empty; give one that fingerprint printed\n")
    assert run("fingerprint").code == 2


@pytest.mark.parametrize("name", ["a\x1bb", "a\nb", "a\rb", "a\\nb", "a\u202eb", "a\x85b", "a\tb", "a\udcffb"])
def test_a_list_finds_files_of_every_name(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        shutil.copy(METALS, f"{name}.jsonld")
    except OSError:
        pytest.skip("this system has no such names")
    listed = run("fingerprint", f"{name}.jsonld").out
    assert len(listed.splitlines()) == 1
    checked = run("fingerprint", "--check", "-", stdin=listed)
    assert checked.code == 0
    assert checked.out.endswith(b"b.jsonld: OK\n")
    assert checked.out.count(b"\n") == 1

    if shutil.which("sha256sum"):
        theirs = subprocess.run(["sha256sum", f"{name}.jsonld"], capture_output=True, check=True).stdout
        assert listed.partition(b"  ")[2] == theirs.partition(b"  ")[2]
        assert listed.startswith(b"\\") == theirs.startswith(b"\\")


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    pytest.importorskip("cryptography", reason="signatures need cryptography: make .venv/.integrations-group")
    forms = pytest.importorskip("cryptography.hazmat.primitives.serialization")
    key = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519").Ed25519PrivateKey.generate()
    private, public = tmp_path / "key.pem", tmp_path / "public.pem"
    locked = forms.BestAvailableEncryption(b"secret")
    private.write_bytes(key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, locked))
    public.write_bytes(key.public_key().public_bytes(forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo))
    return private, public


def test_a_signature_holds_for_the_content_in_any_syntax(
    run: Run, tmp_path: Path, keys: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    private, public = keys
    refused = run("sign", METALS, "--key", private)
    assert refused.code == 2
    assert refused.err == (
        f"{private}: the private key cannot be read: give one in PEM, and a password "
        "(password=, or CHECKPOINT_LD_KEY_PASSWORD) only if it is encrypted\n"
    )
    monkeypatch.setenv("CHECKPOINT_LD_KEY_PASSWORD", "secret")
    assert run("sign", METALS, "--key", private, "-o", tmp_path / "sig").code == 0
    run("convert", METALS, "-o", tmp_path / "metals.ttl")
    for file in (METALS, tmp_path / "metals.ttl"):
        assert run("verify-signature", file, tmp_path / "sig", "--key", public).code == 0
    content = METALS.read_bytes()
    assert run("sign", "-", "--key", private, stdin=content).out == (tmp_path / "sig").read_bytes()
    assert run("verify-signature", "-", tmp_path / "sig", "--key", public, stdin=content).code == 0
    other = run("verify-signature", EXAMPLES / "elements.jsonld", tmp_path / "sig", "--key", public)
    assert (other.code, other.out) == (1, b"the signature is not one of this checkpoint with this key\n")
    assert private.read_bytes().decode() not in (tmp_path / "sig").read_text(encoding="utf-8")


def test_a_key_without_a_password_needs_none(
    run: Run, tmp_path: Path, keys: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    forms = pytest.importorskip("cryptography.hazmat.primitives.serialization", reason="signing needs cryptography")
    open_key = tmp_path / "open.pem"
    held = forms.load_pem_private_key(keys[0].read_bytes(), b"secret")
    open_key.write_bytes(held.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption()))
    monkeypatch.setenv("CHECKPOINT_LD_KEY_PASSWORD", "")
    assert run("sign", METALS, "--key", open_key).code == 0
    monkeypatch.setenv("CHECKPOINT_LD_KEY_PASSWORD", "secret")
    assert "a password (password=, or CHECKPOINT_LD_KEY_PASSWORD) only if" in run("sign", METALS, "--key", open_key).err


def test_a_message_about_a_key_or_a_signature_names_the_file(run: Run, tmp_path: Path, keys: tuple[Path, Path]) -> None:
    (tmp_path / "sig").write_text("no base64!", encoding="utf-8")
    bad_signature = run("verify-signature", METALS, tmp_path / "sig", "--key", keys[1])
    bad_key = run("verify-signature", METALS, tmp_path / "sig", "--key", METALS)

    assert bad_signature.err.startswith(f"{tmp_path / 'sig'}: this is no signature: it is no Base64; ")
    assert bad_key.err.startswith(f"{METALS}: the public key cannot be read: give the public one in PEM")


def test_what_is_no_key_and_no_signature_is_refused(keys: tuple[Path, Path]) -> None:
    _, public = keys
    key = public.read_bytes()
    for signature in ("no base64!", "AAAA"):
        with pytest.raises(SettingsError, match=r"this is no signature: (it is no Base64|3 bytes)"):
            checkpoint_ld.verify_signature(METALS, signature, key)
    with pytest.raises(SettingsError, match="the public key cannot be read: give the public one in PEM"):
        checkpoint_ld.verify_signature(METALS, "AAAA", b"no key")
    with pytest.raises(SettingsError, match="the private key cannot be read: give one in PEM"):
        checkpoint_ld.sign(METALS, key)


def test_rdflib_reads_and_writes_checkpoints(tmp_path: Path) -> None:
    graph = Graph().parse(METALS, format="checkpoint")
    assert set(graph) == set(Benchmark.load(METALS).graph)
    file = tmp_path / "out.jsonld"
    graph.serialize(file, format="checkpoint")
    assert checkpoint_ld.fingerprint(file) == checkpoint_ld.fingerprint(METALS)
    assert Benchmark.load(graph.serialize(format="checkpoint").encode()) == Benchmark.load(METALS)
    inferred = Graph().parse(METALS, format="checkpoint", inferred=True)
    assert set(inferred) > set(graph)
    assert (None, None, URIRef("urn:karenina:vocab:RegexTrait")) in inferred


def test_rdflib_reads_other_dialects_and_agents(agent: Path) -> None:
    old = Graph().parse(EXAMPLES / "metals-v2.json", format="checkpoint")
    assert set(old) == set(Benchmark.load(EXAMPLES / "metals-v2.json").graph)
    run_ = Graph().parse(data=agent.read_bytes(), format="checkpoint")
    assert AgentCheckpoint.from_graph(run_) == AgentCheckpoint.load(agent)
    assert AgentCheckpoint.load(run_.serialize(format="checkpoint").encode()) == AgentCheckpoint.load(agent)
    assert len(Graph().parse(agent, format="checkpoint", prov=True)) > len(run_)


def test_what_is_no_checkpoint_is_refused() -> None:
    with pytest.raises(ReadError):
        Graph().parse(data="[1, 2]", format="checkpoint")
    with pytest.raises(ReadError):
        Graph().serialize(format="checkpoint")


@pytest.mark.slow
def test_the_command_of_rdflib_knows_the_format() -> None:
    command = [sys.executable, "-m", "rdflib.tools.rdfpipe", "-i", "checkpoint", "-o", "nt", str(METALS)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert set(Graph().parse(data=printed, format="nt")) == set(Benchmark.load(METALS).graph)


# --- `checkpoint-ld export` to one file, and `import`: benchmarks for and out of what others keep questions in.


NAMES = {"csv": "a.csv", "markdown": "a.md", "json": "a.json", "records": "a.jsonl", "parquet": "a.parquet"}


@pytest.mark.parametrize("kind", NAMES)
def test_a_file_is_what_python_writes_and_may_be_packed(kind: str, tmp_path: Path, run: Run) -> None:
    target, packed = tmp_path / NAMES[kind], tmp_path / f"{NAMES[kind]}.gz"
    assert run("export", METALS, "--to", kind, "-o", target).code == 0
    assert run("export", METALS, "--to", kind, "-o", packed).code == 0
    checkpoint_ld.load(METALS).export_to_file(tmp_path / "theirs", kind)
    assert gzip.decompress(packed.read_bytes()) == target.read_bytes() == (tmp_path / "theirs").read_bytes()

    assert run("export", METALS, "--to", kind, "-o", target).code == 2
    assert run("export", METALS, "--to", kind, "-o", target, "--force").code == 0


def test_a_workbook_and_a_citation_may_be_packed(tmp_path: Path, run: Run) -> None:
    for kind, start in (("workbook", b"PK"), ("citation", b"cff-version")):
        assert run("export", METALS, "--to", kind, "-o", tmp_path / f"{kind}.gz", "-q").code == 0
        assert gzip.decompress((tmp_path / f"{kind}.gz").read_bytes()).startswith(start)


def test_every_format_can_be_requested(run: Run) -> None:
    result = run("export", "--help").out.decode()
    shown = "".join(result.split())
    assert "|".join((*formats.FILES, *formats.SINGLE_FILES, *formats.FOLDERS)) in shown


@pytest.mark.parametrize(
    ("name", "begins"),
    [("b.cff", "cff-version"), ("b.md", "# "), ("b.jsonl", '{"'), ("b.json", "{\n"), ("b.csv", "Question ID,")],
)
def test_the_extension_of_a_file_shows_its_format(run: Run, name: str, begins: str, tmp_path: Path) -> None:
    assert run("export", METALS, "-o", tmp_path / name).code == 0
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)


def test_standard_output_has_what_a_file_would_have(run: Run, tmp_path: Path) -> None:
    assert run("export", METALS, "-o", tmp_path / "metals.csv").code == 0
    result = run("export", METALS, "--to", "csv", "-o", "-")
    assert result.out == (tmp_path / "metals.csv").read_bytes()


def test_the_command_writes_a_benchmark_that_is_valid(run: Run, tmp_path: Path) -> None:
    file, target = tmp_path / "more.csv", tmp_path / "more.jsonld"
    file.write_text('Asked,Said,Topics\nWhich metal rusts?,Iron,"metals, chemistry"\n,Gold,\n', encoding="utf-8")
    columns = ["--question", "Asked", "--answer", "Said", "--keywords", "Topics"]

    done = run("import", file, *columns, "-o", target)
    assert done.code == 0
    assert "row 3: no question is in the column 'Asked'" in done.err
    assert "1 question imported" in done.err
    [question] = checkpoint_ld.load(target).questions
    assert question.keywords == ["chemistry", "metals"]
    assert run("validate", target).code == 0

    packed = tmp_path / "more.csv.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert run("import", packed, *columns, "-o", tmp_path / "again.jsonld").code == 0
    assert [one.keywords for one in checkpoint_ld.load(tmp_path / "again.jsonld").questions] == [question.keywords]

    strict = run("import", file, *columns, "--strict", "-o", tmp_path / "none.jsonld")
    assert strict.code == 2
    assert not (tmp_path / "none.jsonld").exists()


def test_a_table_of_traits_goes_into_the_rubrics(run: Run, tmp_path: Path) -> None:
    questions, traits, target = tmp_path / "q.csv", tmp_path / "t.csv", tmp_path / "made.jsonld"
    questions.write_text("question,answer\nWhich metal rusts?,Iron\n", encoding="utf-8")
    traits.write_text("question,name,min,max\n,deep,1,5\nWhich metal rusts?,own,,\nWho?,none,,\n", encoding="utf-8")

    done = run("import", questions, "--rubric", traits, "-o", target)
    assert done.code == 0
    assert "row 4, column 'question': there is no question \"Who?\"" in done.err
    assert "the rubrics have 2 traits now" in done.err
    made = checkpoint_ld.load(target)
    assert isinstance(made, checkpoint_ld.Benchmark)
    assert [made.get_rubric_trait_names(one) for one in (None, *made.get_question_ids())] == [["deep"], ["own"]]

    traits.write_text("name,pattern\ndated,[0-9]+\n", encoding="utf-8")
    again = run("import", target, "--rubric", traits, "-o", tmp_path / "again.jsonld")
    assert (again.code, "the rubrics have 3 traits now" in again.err) == (0, True)
    changed = run("diff", target, tmp_path / "again.jsonld").out.splitlines()
    assert changed == [b"+ global trait dated"]
