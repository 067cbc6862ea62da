"""The fingerprint of what a checkpoint states, signatures over it, and checkpoints as a format of rdflib."""

from __future__ import annotations

import hashlib
import json
import shutil
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
from checkpoint_ld import AgentCheckpoint, Benchmark, CheckpointManager, ReadError, RuntimeState, SettingsError
from tests.cli.conftest import Run
from tests.trials import examples

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
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
    Path("a.jsonld").write_text(METALS.read_text(encoding="utf-8").replace("Mercury", "Lead", 1), encoding="utf-8")
    changed = run("fingerprint", "--check", "sums")
    assert (changed.code, changed.out) == (1, b"a.jsonld: FAILED\n")
    Path("a.jsonld").unlink()
    missing = run("fingerprint", "--check", "sums")
    assert missing.code == 2
    assert "a.jsonld" in missing.err
    Path("sums").write_text("no list\n", encoding="utf-8")
    assert "sums:1:1: this is no line of fingerprints" in run("fingerprint", "--check", "sums").err
    assert run("fingerprint").code == 2


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
        "the private key cannot be read: give one in PEM, and its password if it is encrypted "
        "(password=, or CHECKPOINT_LD_KEY_PASSWORD)\n"
    )
    monkeypatch.setenv("CHECKPOINT_LD_KEY_PASSWORD", "secret")
    assert run("sign", METALS, "--key", private, "-o", tmp_path / "sig").code == 0
    run("convert", METALS, "-o", tmp_path / "metals.ttl")
    for file in (METALS, tmp_path / "metals.ttl"):
        assert run("verify-signature", file, tmp_path / "sig", "--key", public).code == 0
    other = run("verify-signature", EXAMPLES / "elements.jsonld", tmp_path / "sig", "--key", public)
    assert (other.code, other.out) == (1, b"the signature is not one of this checkpoint with this key\n")
    assert private.read_bytes().decode() not in (tmp_path / "sig").read_text(encoding="utf-8")


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
