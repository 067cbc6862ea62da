"""`checkpoint-ld verify`: what is printed where, what is written, and the exit codes that pipelines act on."""

import gzip
import io
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest

from checkpoint_ld.assessment import Status, answers
from checkpoint_ld.cli import verify
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.errors import SourceMissingError
from tests.cli.conftest import EXAMPLES, Outcome, Run
from tests.documents import canonical, item

QUESTION = "urn:uuid:question-metal-1"
TEMPLATE = """class Answer(BaseAnswer):
    metal: str = VerifiedField(description="the metal", ground_truth="mercury", verify_with=ExactMatch())
"""


@pytest.fixture(autouse=True)
def _metals(here: Path) -> None:
    one, undecided = item(), item("Which metal is lightest?", "urn:uuid:question-metal-2")
    one["item"]["hasPart"]["text"] = TEMPLATE
    (here / "metals.jsonld").write_bytes(dump_json(canonical(one, undecided)))


def record(metal: str = "mercury", question: str = QUESTION, **members: Any) -> dict[str, Any]:
    return {"question_id": question, "answer": {"metal": metal}, "trace": "[1]", **members}


PASSING = record()
FAILING = record("tin")
UNDECIDED = record(question="urn:uuid:question-metal-2")
LOST = record(question="urn:uuid:nowhere")


def write(*records: dict[str, Any] | str) -> None:
    lines = [one if isinstance(one, str) else json.dumps(one) for one in records]
    Path("answers.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def verified(run: Run, *options: object) -> Outcome:
    return run("verify", "metals.jsonld", "--answers", "answers.jsonl", *options)


def results(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def test_the_summary_as_json_has_everything(run: Run) -> None:
    write(PASSING, FAILING)
    document = json.loads(verified(run, "--format", "json").out)
    assert (document["file"], document["answers_file"]) == ("metals.jsonld", "answers.jsonl")
    assert document["total"]["passed"] == document["total"]["failed"] == 1
    assert document["questions"][0]["question"] == QUESTION
    assert document["questions"][0]["text"] == "Which metal is liquid at 20 °C?"


def test_many_questions_are_cut_in_the_table_only(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "MOST_ROWS", 1)
    write(PASSING, UNDECIDED)
    assert "… and 1 more questions" in verified(run, "-q").out.decode()
    assert len(json.loads(verified(run, "--format", "json").out)["questions"]) == 2


@pytest.mark.parametrize(
    ("records", "fail_on", "code"),
    [
        ([PASSING], None, 0),
        ([FAILING, UNDECIDED], None, 0),
        ([PASSING, LOST], None, 1),
        ([PASSING], "failed", 0),
        ([FAILING], "failed", 1),
        ([UNDECIDED], "failed", 1),
        ([LOST], "failed", 1),
        ([FAILING], "undecided", 0),
        ([UNDECIDED], "undecided", 1),
        ([LOST], "undecided", 1),
        ([UNDECIDED], "error", 0),
        ([FAILING, UNDECIDED, LOST], "never", 0),
    ],
)
def test_the_exit_code_states_what_was_found(
    run: Run, records: list[dict[str, Any]], fail_on: str | None, code: int
) -> None:
    write(*records)
    assert verified(run, *(("--fail-on", fail_on) if fail_on else ())).code == code


def test_what_makes_a_run_fail_is_a_status() -> None:
    assert {*verify.FAIL_ON} == {one.value for one in Status} - {"passed"} | {"difference", "never"}


def test_results_are_lines_of_json_in_the_order_of_the_answers(run: Run) -> None:
    write(PASSING, LOST, "no json", FAILING)
    done = verified(run, "-o", "results.jsonl")
    found = results(Path("results.jsonl").read_bytes())
    assert done.code == 1
    assert [(one["line"], one["status"]) for one in found] == [(1, "passed"), (2, "error"), (3, "error"), (4, "failed")]
    assert found[0]["verification"]["fields"][0]["name"] == "metal"
    assert [one["score"] for one in found] == [1.0, None, None, 0.0]
    assert {one["file"] for one in found} == {"answers.jsonl"}


def test_answers_and_results_may_be_packed(run: Run) -> None:
    write(PASSING, FAILING)
    Path("answers.jsonl.gz").write_bytes(gzip.compress(Path("answers.jsonl").read_bytes()))
    options = ("--answers", "answers.jsonl.gz", "-o", "packed.jsonl.gz", "--rdf", "packed.ttl.gz", "--base", "urn:b#")
    assert run("verify", "metals.jsonld", *options).err == ""
    written = gzip.decompress(Path("packed.jsonl.gz").read_bytes())
    assert [one["status"] for one in results(written)] == ["passed", "failed"]
    stated = gzip.decompress(Path("packed.ttl.gz").read_bytes())
    assert list(pyoxigraph.parse(stated, format=pyoxigraph.RdfFormat.TURTLE))


def test_results_on_standard_output_have_the_summary_beside_them(run: Run) -> None:
    write(PASSING, FAILING)
    done = verified(run, "-o", "-")
    assert [one["status"] for one in results(done.out)] == ["passed", "failed"]
    assert "total" in done.err


def test_what_stopped_answers_is_reported_with_file_and_line(run: Run) -> None:
    write(PASSING, LOST, UNDECIDED, UNDECIDED, '{"question_id": "q", }')
    lines = verified(run).err.splitlines()
    assert lines[0].startswith('answers.jsonl:2: error: there is no question "urn:uuid:nowhere"')
    assert lines[1].startswith("answers.jsonl:3: undecided: ")
    assert lines[2].startswith("answers.jsonl:5:20: error: the line is not JSON")
    assert len(lines) == 3
    assert verified(run, "--quiet").err == ""


def test_many_obstacles_are_counted(run: Run) -> None:
    write(*[LOST] * 15)
    assert verified(run).err.splitlines()[-1].startswith("… and 5 more")


def test_a_message_cannot_move_the_cursor(run: Run) -> None:
    write(record(question="\x1b[2J\u202e"))
    err = verified(run).err
    assert "\x1b" not in err
    assert "\u202e" not in err


def test_results_as_rdf_take_the_syntax_of_the_extension(run: Run) -> None:
    write(PASSING, FAILING, LOST)
    output = set()
    for name in ("results.ttl", "results.nt", "results.nq", "results.trig"):
        assert verified(run, "--rdf", name).code == 1
        output.add(frozenset(quad.triple for quad in pyoxigraph.parse(path=name)))
    assert len(output) == 1
    outcomes = [one.object.value for one in output.pop() if one.predicate.value.endswith("outcome")]
    assert sorted(outcomes) == sorted([f"http://www.w3.org/ns/earl#{one}" for one in ("passed", "failed")] * 2)


def test_names_in_rdf_begin_as_requested_and_dates_are_those_given(run: Run) -> None:
    write(record(answer_id="a"))
    verified(run, "--rdf", "a.nt")
    assert b"<urn:karenina:answers:answers.jsonl#answer-a>" in Path("a.nt").read_bytes()
    verified(run, "--rdf", "b.nt", "--base", "https://example.org/runs/1/", "--date", "2026-04-01")
    text = Path("b.nt").read_bytes()
    assert b"<https://example.org/runs/1/answer-a>" in text
    assert b"urn:karenina:answers" not in text
    assert b'"2026-04-01"^^<http://www.w3.org/2001/XMLSchema#date>' in text


def test_results_that_are_there_stay_if_the_run_stops(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopping(*_: object) -> Iterator[object]:
        yield from list(kept(Path("answers.jsonl")))[:1]
        raise SourceMissingError("the disk is gone")

    kept = answers.read_answers
    monkeypatch.setattr("checkpoint_ld.assessment.answers.read_answers", stopping)
    write(PASSING, FAILING)
    for name in ("results.jsonl", "results.nt"):
        Path(name).write_text("older")
    done = verified(run, "-o", "results.jsonl", "--rdf", "results.nt", "--force")
    assert (done.code, done.err) == (2, "the disk is gone\n")
    assert [Path(name).read_text() for name in ("results.jsonl", "results.nt")] == ["older", "older"]
    assert {path.name for path in Path().iterdir()} == {"metals.jsonld", "answers.jsonl", "results.jsonl", "results.nt"}


def test_no_answers_give_an_empty_file_and_a_total_of_none(run: Run) -> None:
    write()
    done = verified(run, "-o", "results.jsonl")
    assert (done.code, Path("results.jsonl").read_bytes()) == (0, b"")
    assert done.out.decode().split()[-6:] == ["total", "0", "0", "0", "0", "0"]
    note = "no answers are in it; check whether it is the file that was meant\n"
    assert done.err == f"answers.jsonl: {note}"
    done = run("verify", "metals.jsonld", "--answers", "-", "--quiet", stdin=b"\n")
    assert (done.code, done.err) == (0, f"<stdin>: {note}")


def test_answers_may_come_from_standard_input(run: Run) -> None:
    data = json.dumps(PASSING).encode()
    done = run("verify", "metals.jsonld", "--answers", "-", "-o", "results.jsonl", stdin=data)
    assert done.code == 0
    assert results(Path("results.jsonl").read_bytes())[0]["file"] is None
    asked = ("query", "metals.jsonld", "--name", "model-results", "--format", "csv", "--answers")
    Path("answers.jsonl").write_bytes(data)
    assert run(*asked, "-", stdin=data).out == run(*asked, "answers.jsonl").out


RESULTS = [{"metadata": {"question_id": "q"}, "template": {"parsed_llm_response": {}}}]


@pytest.mark.parametrize(
    "data",
    [
        json.dumps({"format_version": "2.2", "metadata": {}, "results": RESULTS}),
        json.dumps(RESULTS),
        "question_id,parsed_llm_response\nq,{}\n",
    ],
)
def test_results_of_karenina_are_not_taken_for_lines(run: Run, data: str) -> None:
    Path("renamed.txt").write_text(data, encoding="utf-8")
    for source in ("-", "renamed.txt"):
        done = run("verify", "metals.jsonld", "--answers", source, stdin=data.encode())
        assert (done.code, "it looks like results that Karenina exported; give lines" in done.err) == (2, True)
        assert "of results that Karenina exported (.json, .csv)" in done.err


def test_the_checkpoint_may_come_from_standard_input_and_be_rdf(run: Run) -> None:
    write(PASSING)
    assert run("convert", "metals.jsonld", "--quiet", "--output", "metals.nt").code == 0
    data = Path("metals.nt").read_bytes()
    done = run("verify", "-", "--from", "nt", "--answers", "answers.jsonl", "--fail-on", "failed", stdin=data)
    assert done.code == 0


@pytest.mark.slow
def test_stored_code_runs_only_when_it_is_trusted_and_that_is_reported(run: Run) -> None:
    shutil.copy(EXAMPLES / "elements.jsonld", "elements.jsonld")
    lines = (EXAMPLES / "answers.jsonl").read_text(encoding="utf-8").splitlines()[180:184]
    write(*lines)
    command = ("verify", "elements.jsonld", "--answers", "answers.jsonl", "-o", "results.jsonl")
    assert run(*command).code == 0
    assert [one["status"] for one in results(Path("results.jsonl").read_bytes())] == ["undecided"] * 4
    done = run(*command, "--trust-stored-code", "--force")
    assert done.err == "the code in elements.jsonld runs, as --trust-stored-code asks for\n"
    found = results(Path("results.jsonl").read_bytes())
    assert [one["status"] for one in found] == ["passed", "passed", "passed", "failed"]
    assert all(one["verification"]["executed"] for one in found)


def test_packed_answers_are_known_by_their_content(run: Run) -> None:
    packed = gzip.compress(json.dumps(PASSING).encode() + b"\n")
    Path("renamed.jsonl").write_bytes(packed)
    for source in ("renamed.jsonl", "-"):
        found = run("verify", "metals.jsonld", "--answers", source, "--format", "json", stdin=packed)
        assert (found.code, json.loads(found.out)["total"]["passed"]) == (0, 1)
    assert "AD009" in run("verify", "metals.jsonld", "--answers", "-", stdin=packed[:-9]).err


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("name", ["answers.jsonl", "answers.jsonl.gz"])
def test_a_bar_is_drawn_on_a_terminal_and_nowhere_else(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    write(PASSING, FAILING)
    Path("answers.jsonl.gz").write_bytes(gzip.compress(Path("answers.jsonl").read_bytes()))
    shown = {}
    for quiet in (False, True):
        terminal = _Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        with verify.opened_answers(name, quiet=quiet) as file:
            assert len(list(answers.read_answers(file))) == 2
        shown[quiet] = terminal.getvalue()
    assert "verifying" in shown[False]
    assert not shown[True]
