"""Inspect: its own reader, a run with its mock model, and its logs as recorded answers and as questions."""

import gc
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import checkpoint_ld
from checkpoint_ld import Benchmark, export_benchmark, import_benchmark
from checkpoint_ld.assessment import Status, assess, read_answers
from checkpoint_ld.assessment.comparing import rates
from checkpoint_ld.assessment.inspect_logs import values_in
from checkpoint_ld.errors import ReadError, StoredCodeWarning
from tests.cli.conftest import Run
from tests.formats.benchmarks import made
from tests.trials import examples

pytestmark = [
    pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning"),  # Inspect's retries
    pytest.mark.filterwarnings("ignore:Unclosed <Memory:ResourceWarning"),  # a stream of Inspect's own
]
METALS = Path(__file__).resolve().parents[2] / "docs" / "examples" / "metals.jsonld"
CODE = """
class Answer(BaseAnswer):
    metal: str = Field(description="the metal")

    def verify(self):
        return self.metal == "Au"
"""


def evaluated(folder: Path, answers: dict[str, str], monkeypatch: pytest.MonkeyPatch, **settings: Any) -> Any:
    """Return the log of a run of the task in `folder`; its model gives the answer of each question."""
    from inspect_ai import eval as run_tasks
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def stated(messages: list[Any], *_: object) -> ModelOutput:
        text = next((answer for question, answer in answers.items() if messages[-1].text.startswith(question)), "")
        output = ModelOutput.from_content("mockllm/model", text)
        output.usage = ModelUsage()  # tokens would be counted by a table that is fetched
        return output

    monkeypatch.chdir(folder)
    model = get_model("mockllm/model", custom_outputs=stated, memoize=False)
    [log] = run_tasks("task.py", model=model, log_dir=str(folder / "logs"), display="none", **settings)
    assert log.status == "success", log.error
    return log


@pytest.fixture(scope="module", autouse=True)
def _inspect() -> Iterator[None]:
    # Not above: to import it takes seconds, in each process that collects tests.
    pytest.importorskip("inspect_ai", reason="Inspect is not installed: make .venv/.integrations-group")
    yield
    gc.collect()  # while the warnings above are ignored: Inspect's streams would warn in a test after these


def test_inspect_reads_the_samples(tmp_path: Path) -> None:
    from inspect_ai.dataset import json_dataset

    benchmark = checkpoint_ld.load(METALS)
    findings = export_benchmark(benchmark, tmp_path / "metals", format="inspect")
    samples = json_dataset(str(tmp_path / "metals" / "dataset.jsonl"))

    assert [(one.id, one.input, one.target) for one in samples] == [
        (one["id"], one["question"], one["raw_answer"]) for one in benchmark
    ]
    assert [one.condition for one in findings] == ["W-LOSS"]
    assert checkpoint_ld.load(tmp_path / "metals" / "checkpoint.jsonld") == benchmark


@pytest.mark.slow
def test_the_task_verifies_by_templates_and_its_log_is_recorded_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    folder = tmp_path / "metals"
    export_benchmark(checkpoint_ld.load(METALS), folder, format="inspect")
    answers = {
        "Which metal": 'It is this one.\n```json\n{"metal": "Mercury"}\n```',
        "At what": '{"celsius": 900}',
        "Is aluminium": "I do not know.",
    }
    log = evaluated(folder, answers, monkeypatch, epochs=2, log_format="eval")

    scores = {one.input: one.scores["template_scorer"] for one in log.samples}
    found = {text.split(maxsplit=2)[1]: score.metadata["status"] for text, score in scores.items()}
    assert found == {"metal": "passed", "what": "failed", "aluminium": "failed", "of": "failed", "does": "undecided"}
    assert scores["Which metal is liquid at 20 °C?"].value == {"passed": 1.0, "score": 1.0}
    assert scores["Is aluminium magnetic at room temperature?"].reason == "invalid_response_format"
    assert {one.name for one in log.results.scores} == {"passed", "score"}
    assert log.results.scores[0].unscored_samples == 1

    metals = checkpoint_ld.load(METALS)
    recorded = list(assess(metals, read_answers(log.location)))
    assert len(recorded) == 10
    assert [one.status.value for one in recorded] == [
        one.scores["template_scorer"].metadata["status"] for one in log.samples
    ]
    assert {one.answer.model for one in recorded} == {"mockllm/model"}
    assert {one.answer.replicate for one in recorded} == {1, 2}

    other = Benchmark("The same texts under other identifiers")
    other.add_questions(
        {**one.model_dump(exclude={"id"}), "question_id": f"urn:x:{one.id}"} for one in metals.questions
    )
    assert [one.status for one in assess(other, read_answers(log.location))] == [one.status for one in recorded]

    done = run("verify", METALS, "--answers", log.location, "--format", "json", "--quiet")
    assert json.loads(done.out)["total"]["passed"] == 2
    pytest.importorskip("rocrate", reason="rocrate is not installed: make .venv/.integrations-group")
    export_benchmark(checkpoint_ld.load(METALS), tmp_path / "crate", format="ro-crate", answers=[log.location])
    described = (tmp_path / "crate" / "ro-crate-metadata.json").read_text(encoding="utf-8")
    assert '"10 recorded answers of mockllm/model"' in described

    again, findings = import_benchmark(log.location)
    assert findings == ()
    assert again.get_question_ids() == checkpoint_ld.load(METALS).get_question_ids()
    assert again.get_template(again.get_question_ids()[0])


@pytest.mark.slow
def test_stored_code_runs_only_where_it_is_trusted_and_aloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = Benchmark("Metals")
    benchmark.add_question("Which?", "Au", CODE)
    export_benchmark(benchmark, tmp_path / "metals", format="inspect")
    answers = {"Which?": '{"metal": "Au"}'}

    log = evaluated(tmp_path / "metals", answers, monkeypatch)
    score = log.samples[0].scores["template_scorer"]
    assert score.metadata["status"] == "undecided"
    assert "trust" in score.explanation

    with pytest.warns(StoredCodeWarning, match="as trust_stored_code asks for"):
        log = evaluated(tmp_path / "metals", answers, monkeypatch, task_args={"trust_stored_code": True})
    assert '"metal"' in log.samples[0].messages[0].text
    assert log.samples[0].scores["template_scorer"].value["passed"] == 1.0


PUBLISHED = {
    "license": "CC-BY-4.0",
    "citation": {"@type": "ScholarlyArticle", "name": "On metals"},
    "funder": "NSF",
    "keywords": ["metals"],
    "identifier": "10.5281/zenodo.1234",
    "version": "2.0.0",
    "description": "Of metals",
}


@pytest.mark.slow
def test_a_log_states_what_its_benchmark_states_of_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = made(1)
    benchmark.set_metadata(**PUBLISHED)
    benchmark.set_custom_property("level", "easy")
    findings = export_benchmark(benchmark, tmp_path / "sums", format="inspect")
    assert [one.message for one in findings] == ["the custom properties level have no place in a task"]
    log = evaluated(tmp_path / "sums", {"What is 0 + 1?": '{"total": 1}'}, monkeypatch, log_format="json")
    assert log.eval.metadata["benchmark"].items() >= PUBLISHED.items()

    again = import_benchmark(log.location).benchmark
    assert (again.name, again.creator) == ("Sums", benchmark.creator)
    assert {name: getattr(again, name) for name in PUBLISHED} == PUBLISHED

    held = json.loads(Path(log.location).read_bytes())
    for shown in ("text", ["list"], {"name": 4, "license": {"no": "type"}, "color": "red"}, {}):
        held["eval"]["metadata"]["benchmark"] = shown  # as a log of others may have it
        (tmp_path / "others.json").write_text(json.dumps(held), encoding="utf-8")
        assert import_benchmark(tmp_path / "others.json").benchmark.license is None


@pytest.mark.slow
def test_many_questions_are_queried_and_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = examples(300)
    benchmark = made(many)
    export_benchmark(benchmark, tmp_path / "sums", format="inspect")
    answers = {f"What is {number} + 1?": json.dumps({"total": number + 1}) for number in range(many // 2)}
    log = evaluated(tmp_path / "sums", answers, monkeypatch, log_format="json", log_samples=True)

    found = list(assess(benchmark, read_answers(log.location)))
    assert [sum(one.status is status for one in found) for status in (Status.PASSED, Status.FAILED)] == [many // 2] * 2
    assert import_benchmark(tmp_path / "sums").benchmark.get_question_ids() == (benchmark.get_question_ids())


@pytest.mark.parametrize(
    ("expected", "values"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Not {this}, but {"a": {"b": [1]}} is it.', {"a": {"b": [1]}}),
        ('{"a": 1} and then {"a": 2}', {"a": 2}),
        ('{"a": NaN}', {}),
        ("[1, 2]", {}),
        ('{"a": ', {}),
        ("", {}),
        ("{" * 100_000, {}),
        ('{"a":' * 100_000, {}),
    ],
)
def test_the_values_are_the_last_object_in_what_was_stated(expected: str, values: dict[str, Any]) -> None:
    assert values_in(expected) == values


def log_of(
    file: Path,
    *samples: dict[str, Any],
    model: str = "mockllm/model",
    ids: list[int | str] | None = None,
    status: Any = "success",
    error: str | None = None,
) -> Path:
    """Write the log of a run of another task; a sample without an output has an empty one, as after an error."""
    from inspect_ai.log import EvalConfig, EvalDataset, EvalError, EvalLog, EvalSample, EvalSpec, write_eval_log
    from inspect_ai.model import ModelOutput

    held = [
        EvalSample.model_validate({"id": n, "epoch": 1, "target": "A", "output": ModelOutput(model=model), **sample})
        for n, sample in enumerate(samples, 1)
    ]
    spec = EvalSpec(
        created="2026-01-01", task="other", dataset=EvalDataset(sample_ids=ids), model=model, config=EvalConfig()
    )
    failed = None if error is None else EvalError(message=error, traceback="", traceback_ansi="")
    write_eval_log(EvalLog(status=status, eval=spec, samples=held, error=failed), str(file))
    return file


def test_samples_of_other_tasks_are_questions_whatever_their_metadata(tmp_path: Path) -> None:
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}]
    read, (unfit,) = import_benchmark(
        log_of(
            tmp_path / "x.json",
            {"input": "Which?", "choices": ["x", "y"], "target": "B"},
            {"input": chat, "metadata": {"question": "What?", "answer": "B", "id": "urn:x:1"}},
        )
    )
    assert [(one.question, one.raw_answer) for one in read.questions] == [("Which?\n\nA) x\nB) y", "y"), ("Who?", "A")]
    assert read.questions[1].custom_metadata == {"question": "What?", "answer": "B", "id": 2, "custom.id": "urn:x:1"}
    assert "sample 2: of the messages in 'input' only the user's text is kept, not the system's messages" in str(unfit)


@pytest.mark.parametrize(("model", "expected"), [("openai/gpt-5", {"openai/gpt-5"}), ("none/none", {"gpt-5-2026"})])
def test_answers_and_errors_of_one_model_are_counted_together(tmp_path: Path, model: str, expected: set[str]) -> None:
    from inspect_ai.model import ModelOutput

    answered = {"input": "Which?", "output": ModelOutput.from_content("gpt-5-2026", "Au")}
    failed = {"input": "Which?", "error": {"message": "down", "traceback": "", "traceback_ansi": ""}}
    samples = [answered, failed] if model != "none/none" else [answered]
    found = [*assess(made(1), read_answers(log_of(tmp_path / "x.eval", *samples, model=model)))]
    assert {rate.name for rate in rates(found)} == expected
    assert found[0].answer.extra["output_model"] == "gpt-5-2026"


def test_the_import_of_the_log_of_a_stopped_run_states_how_many_samples_are_missing(tmp_path: Path) -> None:
    file = log_of(tmp_path / "x.eval", {"input": "Q"}, {"input": "Q", "epoch": 2, "id": 1}, ids=[1, 2, "c"])
    read, (cut,) = import_benchmark(file)
    assert len(read) == 1
    assert "of the 3 samples of the data set 2 are not in the log; give the log of a run" in str(cut)


def test_a_log_without_samples_states_so(tmp_path: Path) -> None:
    file = log_of(tmp_path / "x.eval")
    assert [*read_answers(file)] == []
    with pytest.raises(ReadError, match=r"x\.eval: the log has no samples: give one of a whole run"):
        import_benchmark(file)


@pytest.mark.parametrize("name", ["x.eval", "x.json"])
def test_a_damaged_log_states_so(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text('{"version": 2, "status": "success", "eval": {}}', encoding="utf-8")
    for attempt in (lambda: list(read_answers(file)), lambda: import_benchmark(file)):
        with pytest.raises(ReadError, match=f"{name}: is no log of Inspect: .*; give an .eval or .json log"):
            attempt()


def test_what_failed_and_what_its_owner_invalidated_is_stated_and_does_not_count(tmp_path: Path) -> None:
    invalid = {"invalidation": {"timestamp": "2026-01-01T00:00:00Z", "author": "Ada", "reason": "leaked"}}
    samples = (
        {"input": "A", "id": "a"},
        {"input": "A", "id": "a", "epoch": 2, **invalid},
        {"input": "B", "id": "b", **invalid},
    )
    file = log_of(tmp_path / "x.eval", *samples, status="error", error="out of memory", ids=["a", "b", "c"])
    benchmark, findings = import_benchmark(file)
    assert [each.question for each in benchmark.questions] == ["A"]
    found = " ".join(map(str, findings))
    assert "sample b: the sample was invalidated by Ada: leaked, and is no question" in found
    assert "of the 3 samples of the data set 1 are not in the log: its run failed: out of memory" in found
    answers = [*read_answers(file)]
    assert [answer.fault for answer in answers] == ["", *["the sample was invalidated by Ada: leaked"] * 2]
    empty = log_of(tmp_path / "y.json", status="error", error="no such model")
    for read in (import_benchmark, lambda file: [*read_answers(file)]):
        with pytest.raises(ReadError, match=r"the log has no samples: its run failed: no such model"):
            read(empty)


def test_a_sandbox_its_files_and_its_setup_are_kept_or_named(tmp_path: Path) -> None:
    more = {"files": ["a.txt"], "setup": "echo hi", "sandbox": {"type": "docker", "config": "compose.yaml"}}
    benchmark, findings = import_benchmark(log_of(tmp_path / "x.eval", {"input": "A", **more}))
    assert benchmark.questions[0].custom_metadata == {"id": 1, **more}
    assert "of the files of sandboxes, a log has the names only" in str(findings[0])


def test_logs_of_the_newest_release_are_read_with_shuffled_choices_epochs_and_scores_that_are_no_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai import Task
    from inspect_ai import eval as run_tasks
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import Score, mean, scorer
    from inspect_ai.solver import solver

    @scorer(metrics=[mean()])
    def nothing() -> Any:
        async def score(*_: Any) -> Score:
            return Score(value=float("nan"))

        return score

    @solver
    def silent() -> Any:
        async def solve(state: Any, _: Any) -> Any:
            state.output.completion = "ANSWER: A"
            return state

        return solve

    choices = ["Iron", "Tin", "Gold", "Zinc"]
    data = MemoryDataset([Sample(input=f"{at}?", choices=choices, target="A", id=at) for at in range(6)])
    data.shuffle_choices(seed=7)
    assert any(sample.target != "A" for sample in data)
    monkeypatch.chdir(tmp_path)
    for form in ("eval", "json"):
        [log] = run_tasks(
            Task(dataset=data, solver=silent(), scorer=nothing(), name="shuffled"),
            model="none/none",
            epochs=2,
            log_dir=str(tmp_path / form),
            log_format=form,
            display="none",
        )
        if form == "eval":
            with zipfile.ZipFile(log.location) as archive:
                assert {entry.compress_type for entry in archive.infolist()} == {93}  # zstd
        benchmark = import_benchmark(log.location).benchmark
        assert [each.raw_answer for each in benchmark.questions] == ["Iron"] * 6
        assert len([*read_answers(log.location)]) == 12


@pytest.mark.slow
def test_the_task_runs_offline_from_the_command_line_with_the_reference_answers(tmp_path: Path) -> None:
    export_benchmark(checkpoint_ld.load(METALS), tmp_path / "metals", format="inspect")
    program = (
        "import socket, sys\n"
        "def refused(*_): raise SystemExit('nothing goes to the network')\n"
        "socket.socket.connect = socket.getaddrinfo = refused\n"
        "from inspect_ai._cli.main import main\n"
        "sys.argv = ['inspect', 'eval', 'task.py', '--model', 'none/none', '-T', 'dry_run=true', '--display', 'none']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path / "metals",
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    [log] = (tmp_path / "metals" / "logs").iterdir()
    statuses = [found.status for found in assess(checkpoint_ld.load(METALS), read_answers(log))]
    assert statuses.count(Status.PASSED) == 4  # and a question without a template
    assert statuses.count(Status.UNDECIDED) == 1
