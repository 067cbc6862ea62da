"""`checkpoint-ld convert`: any form in, any form out, one clear message when it cannot be."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest

from checkpoint_ld import Benchmark, writing
from checkpoint_ld.cli.convert import CONTEXTS, OUTPUTS
from checkpoint_ld.cli.options import INPUTS
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.emission import ContextStyle
from checkpoint_ld.rules import document
from checkpoint_ld.vocabulary import ID_BASE
from tests.cli.conftest import Run
from tests.documents import canonical, item, rating, scenario

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.fixture
def metals(tmp_path: Path) -> Path:
    path = tmp_path / "metals.jsonld"
    path.write_bytes((EXAMPLES / "metals.jsonld").read_bytes())
    return path


def parsed(data: bytes) -> Any:
    return json.loads(data)


@pytest.mark.parametrize(
    ("syntax", "format_"),
    [
        ("nt", pyoxigraph.RdfFormat.N_TRIPLES),
        ("nq", pyoxigraph.RdfFormat.N_QUADS),
        ("turtle", pyoxigraph.RdfFormat.TURTLE),
        ("trig", pyoxigraph.RdfFormat.TRIG),
    ],
)
def test_every_rdf_syntax_holds_the_same_statements_and_leads_back(
    run: Run, metals: Path, syntax: str, format_: pyoxigraph.RdfFormat
) -> None:
    written = run("convert", metals, "--to", syntax)
    assert written.code == 0
    triples = {quad.object for quad in pyoxigraph.parse(written.out, format=format_)}
    assert pyoxigraph.Literal("Mercury") in triples
    back = run("convert", "-", "--from", syntax, "--context", "plain", stdin=written.out)
    assert back.out == metals.read_bytes()


def test_expanded_jsonld_leads_back(run: Run, metals: Path) -> None:
    expanded = run("convert", metals, "--to", "expanded")
    assert parsed(expanded.out)[0]["@type"] == ["https://schema.org/DataFeed"]
    back = run("convert", "-", "--context", "plain", stdin=expanded.out)
    assert back.out == metals.read_bytes()


def test_the_extension_of_out_shows_the_syntax(run: Run, metals: Path, tmp_path: Path) -> None:
    for name, start in (("a.nt", b"<urn:"), ("a.ttl", b"@prefix"), ("a.trig", b"@prefix"), ("a.jsonld", b"{\n")):
        assert run("convert", metals, "-o", tmp_path / name).code == 0
        assert (tmp_path / name).read_bytes().startswith(start)
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


def test_an_existing_file_is_overwritten_only_by_force(run: Run, metals: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.nt"
    target.write_text("precious")
    refused = run("convert", metals, "-o", target)
    assert refused.code == 2
    assert str(target) in refused.err
    assert "Traceback" not in refused.err
    assert target.read_text() == "precious"
    assert run("convert", metals, "-o", target, "--force").code == 0
    assert target.read_bytes().startswith(b"<urn:")


@pytest.mark.parametrize("dialect", ["v2.0", "gui-datafeed", "dataset-1"])
def test_an_older_dialect_is_written_on_demand_and_leads_back(run: Run, metals: Path, dialect: str) -> None:
    older = run("convert", metals, "--dialect", dialect)
    assert older.code == 0
    assert parsed(older.out)
    seen = Benchmark.load(older.out)
    assert seen.dialect == dialect
    assert [one.question for one in seen.questions] == [one.question for one in Benchmark.load(metals).questions]


def test_what_a_dialect_cannot_hold_is_reported(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "scenario.jsonld"
    source.write_text(json.dumps(scenario()), encoding="utf-8")
    written = run("convert", source, "--dialect", "v2.0")
    assert written.code == 0
    assert "W-LOSS" in written.err
    assert "W-LOSS" not in run("convert", source, "--dialect", "v2.0", "--quiet").err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--dialect", "flat"), "can be read but not written"),
        (("--dialect", "v9"), "v9"),
        (("--dialect", "v2.0", "--to", "nt"), "leave one of them out"),
    ],
)
def test_what_cannot_be_written_is_refused_with_a_reason(
    run: Run, metals: Path, arguments: tuple[str, ...], message: str
) -> None:
    refused = run("convert", metals, *arguments)
    assert refused.code == 2
    assert message in refused.err
    assert refused.out == b""
    assert "Traceback" not in refused.err


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "E-JSON"),
        (b'{"@type": "DataFeed", "name": "x"', "E-JSON"),
        (b"{} trailing", "E-JSON"),
        (b'{"name": "a", "name": "b"}', "E-DUPKEY"),
        (b'{"bestRating": NaN}', "E-NUMBER"),
        (b'{"bestRating": 1e999}', "E-NUMBER"),
        (b'{"text": "\\ud800"}', "E-SURROGATE"),
        ("{}".encode("utf-16"), "E-ENCODING"),
        (b'{"text": "caf\xe9"}', "E-ENCODING"),
        (b"[" * 100_000 + b"]" * 100_000, "E-DEPTH"),
        (b"null", "E-ROOT"),
        (b'{"@type": "Recipe"}', "E-ROOT"),
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


def test_a_missing_file_is_named(run: Run, tmp_path: Path) -> None:
    refused = run("convert", tmp_path / "nowhere.jsonld")
    assert refused.code == 2
    assert "nowhere.jsonld" in refused.err
    assert "check the path" in refused.err


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


def test_strict_refuses_what_is_merely_unusual(run: Run, tmp_path: Path) -> None:
    tree = canonical()
    tree["dateModified"] = "yesterday"
    source = tmp_path / "odd.jsonld"
    source.write_text(json.dumps(tree), encoding="utf-8")
    read = run("convert", source, "--to", "nt")
    assert read.code == 0
    assert "W-DATE-FORMAT" in read.err
    refused = run("convert", source, "--to", "nt", "--strict")
    assert refused.code == 2
    assert refused.out == b""


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
def test_a_reader_that_goes_away_is_no_traceback(metals: Path) -> None:
    command = f"{sys.executable} -c 'from checkpoint_ld.cli import main; main()' convert {metals} --to nt | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=60)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("moment", [0.0, 0.05, 0.1, 0.2])
def test_a_kill_in_the_middle_leaves_the_old_file(metals: Path, tmp_path: Path, moment: float) -> None:
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
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
    process.wait(10)
    process.stdout.close()
    assert target.read_text() == "old\n"


def test_the_options_offer_every_syntax_there_is() -> None:
    assert (tuple(writing.SYNTAXES), ("json", *emission.SYNTAXES), (*ContextStyle,)) == (OUTPUTS, INPUTS, CONTEXTS)


def test_former_spellings_of_options_are_read_with_a_warning(run: Run, metals: Path, tmp_path: Path) -> None:
    with pytest.warns(DeprecationWarning, match="--out is called --output now"):
        assert run("convert", metals, "--quiet", f"--out={tmp_path / 'metals.nt'}").code == 0
    assert (tmp_path / "metals.nt").is_file()
    assert "--out " not in run("convert", "--help").out.decode()


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


@pytest.mark.parametrize("syntax", ["nt", "nq", "turtle", "trig", "expanded"])
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
    back = run("convert", "-", *source, "--context", "plain", stdin=derived.out)
    assert back.out == metals.read_bytes()


def test_derived_statements_have_no_place_in_a_document(run: Run, metals: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonld"
    refused = run("convert", metals, "--inferred", "--output", target)
    assert refused.code == 2
    assert (
        "inferred statements are for RDF, not for documents: write turtle, nt, nq, trig, xml, expanded" in refused.err
    )
    assert not target.exists()


def test_what_is_left_out_has_nothing_derived_from_it(run: Run, metals: Path) -> None:
    whole = run("convert", metals, "--to", "nt", "--inferred").out
    bare = run("convert", metals, "--to", "nt", "--inferred", "--no-deep-judgment").out
    assert b"deepJudgmentMaxExcerpts" not in bare
    assert b"templateField" in bare
    assert len(bare) < len(whole)


def test_the_old_name_of_the_option_works_with_a_warning(metals: Path, run: Run) -> None:
    with pytest.warns(DeprecationWarning, match="--inferred"):
        old = run("convert", metals, "--to", "nt", "--derived")

    assert old.out == run("convert", metals, "--to", "nt", "--inferred").out
    with pytest.warns(DeprecationWarning, match="inferred"):
        assert Benchmark.load(metals).to_ntriples(derived=True).encode() == old.out  # type: ignore[call-arg]
    with pytest.warns(DeprecationWarning, match="inferred_graph"):
        assert len(Benchmark.load(metals).derived_graph()) == len(old.out.splitlines())


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
    for seed in range(4):
        subprocess.run(
            [sys.executable, "-c", program, *arguments, f"{seed}.json"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        )
    written = {(tmp_path / f"{seed}.json").read_text(encoding="utf-8") for seed in range(4)}
    assert len({re.sub(r'20\d\d-\d\d-\d\dT[^"]*', "", text) for text in written}) == 1  # but for the time of writing
