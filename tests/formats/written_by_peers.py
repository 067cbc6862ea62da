"""Files that other harnesses write themselves are read; `make peers` installs these and runs this file."""

import os
import subprocess
from pathlib import Path

import pytest

from checkpoint_ld import Benchmark, import_benchmark

WRITERS = {
    "deepeval": """
from deepeval.dataset import EvaluationDataset, Golden
goldens = [
    Golden(input="Which?", expected_output="Iron", actual_output="Tin", context=["c"]),
    Golden(input="What?", expected_output="Tin"),
]
for kind in ("json", "jsonl", "csv"):
    EvaluationDataset(goldens=goldens).save_as(file_type=kind, directory=".", file_name="made", include_test_cases=True)
""",
    "ragas": """
from ragas import EvaluationDataset, SingleTurnSample
samples = [
    SingleTurnSample(user_input="Which?", reference="Iron", response="Tin"),
    SingleTurnSample(user_input="What?", reference="Tin"),
]
data = EvaluationDataset(samples=samples)
data.to_csv("made.csv"), data.to_jsonl("made.jsonl"), data.to_pandas().to_parquet("made.parquet")
""",
    "lm-eval": """
import json, pathlib, subprocess, sys
rows = [
    {"question": "Which?", "choices": ["Tin", "Iron"], "label": 1},
    {"question": "What?", "choices": ["Tin", "Iron"], "label": 0},
]
pathlib.Path("rows.data").write_text("".join(json.dumps(row) + chr(10) for row in rows))
pathlib.Path("tasks").mkdir()
pathlib.Path("tasks/toy.yaml").write_text(json.dumps({
    "task": "toy", "dataset_path": "json", "dataset_kwargs": {"data_files": {"test": "rows.data"}},
    "test_split": "test",
    "output_type": "multiple_choice", "doc_to_text": "Q: {{question}} A:", "doc_to_choice": "{{choices}}",
    "doc_to_target": "{{label}}", "metric_list": [{"metric": "acc"}],
}))
subprocess.run([sys.executable, "-m", "lm_eval", "run", "--model", "dummy", "--tasks", "toy", "--include_path", "tasks",
                "--log_samples", "--output_path", "out"], check=True)
""",
}


@pytest.mark.parametrize("package", WRITERS)
def test_files_that_the_packages_write_are_read(tmp_path: Path, package: str) -> None:
    python = Path(os.environ["CHECKPOINT_LD_PEERS"], f"peers-{package}", "bin", "python")
    settings = {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "RAGAS_DO_NOT_TRACK": "true", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [python, "-c", WRITERS[package]],
        cwd=tmp_path,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    made = [*tmp_path.glob("made.*"), *tmp_path.glob("out/**/samples_*")]
    assert made
    for file in made:
        benchmark: Benchmark = import_benchmark(file).benchmark
        assert [(each.question.partition("\n")[0], each.raw_answer) for each in benchmark.questions] == [
            ("Which?", "Iron"),
            ("What?", "Tin"),
        ]
