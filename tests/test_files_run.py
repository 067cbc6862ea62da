"""How many files of ours a call runs through: the shorter the road, the easier it is to follow."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents import canonical, item

COUNTING = """
import sys
import checkpoint_ld
from checkpoint_ld import Benchmark, load, validate
path = sys.argv[1]
work = {"validate": validate, "load": Benchmark.load}[sys.argv[2]]
files = set()
ours = checkpoint_ld.__file__.removesuffix("__init__.py")
def called(frame, event, argument):
    # What a module does when it is imported is no part of the road.
    if event == "call" and frame.f_code.co_name != "<module>" and frame.f_code.co_filename.startswith(ours):
        files.add(frame.f_code.co_filename)
sys.setprofile(called)
work(path)
sys.setprofile(None)
print(len(files))
"""

TEMPLATE = """from karenina.schemas.entities import BaseAnswer


class Answer(BaseAnswer):
    metal: str

    def verify(self) -> bool:
        return self.metal == "gold"
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "is_faulty", "most"), [("validate", False, 45), ("validate", True, 46), ("load", False, 38)]
)
def test_a_call_runs_through_few_files(call: str, is_faulty: bool, most: int, tmp_path: Path) -> None:
    """The bounds are what holds on the day on which they were written; 30 is the aim."""
    document = canonical(item("What is it?"))
    question = document["dataFeedElement"][0]["item"]
    question["hasPart"]["text"] = TEMPLATE
    if is_faulty:
        question["acceptedAnser"] = question.pop("acceptedAnswer")
    file = tmp_path / "one.jsonld"
    file.write_text(json.dumps(document, indent=2), encoding="utf-8")
    command = [sys.executable, "-c", COUNTING, str(file), call]
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    assert int(done.stdout) <= most
