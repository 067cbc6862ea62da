"""The road of a call through our files, and the public door of the package."""

import ast
import gc
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import checkpoint_ld
from tests.documents import canonical, item

PARTS = 6_000


# --- How many files of ours a call runs through: the shorter the road, the easier it is to follow.


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
    ("call", "is_faulty", "most"), [("validate", False, 55), ("validate", True, 56), ("load", False, 45)]
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


# --- One word, one thing.


def test_no_two_classes_have_one_name() -> None:
    modules = Path(checkpoint_ld.__file__).parent.rglob("*.py")
    nodes = (node for module in modules for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))))
    names = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1] == []


# --- The public door: what it offers, and that nobody waits for what they do not use.


HEAVY = ("rdflib", "pyld", "pydantic", "pyshacl")


def test_the_names_are_sorted_and_all_there() -> None:
    names = vars(checkpoint_ld)["__all__"]
    assert names == sorted(names)
    assert all(getattr(checkpoint_ld, name) is not None for name in names)
    assert set(names) <= set(dir(checkpoint_ld))
    stub = Path(checkpoint_ld.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    assert "__all__" not in stub  # without its value, mypy takes no name by `from checkpoint_ld import *`


def test_a_name_that_is_not_offered_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Bench'"):
        checkpoint_ld.Bench  # type: ignore[attr-defined] # noqa: B018 - the access is the test


def test_an_exception_is_its_class() -> None:
    assert checkpoint_ld.ReadError.__module__ == "checkpoint_ld.errors"
    assert issubclass(checkpoint_ld.FindingsWarning, UserWarning)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("import checkpoint_ld", ""),
        ("import checkpoint_ld.cli.app", ""),
        ("import checkpoint_ld; checkpoint_ld.validate", "rdflib"),
        ("import checkpoint_ld; checkpoint_ld.Benchmark", "pydantic rdflib"),
    ],
)
def test_importing_does_not_import_what_takes_long(code: str, wanted: str) -> None:
    found = f"import sys; {code}; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", found], capture_output=True, encoding="utf-8", check=True)

    assert done.stdout.strip() == wanted


def test_loading_and_validation_leave_no_part_of_a_document_to_the_garbage_collector(tmp_path: Path) -> None:
    file = tmp_path / "benchmark.jsonld"
    file.write_text(json.dumps(canonical(*(item(str(number)) for number in range(PARTS // 100)))))
    checkpoint_ld.Benchmark.load(file)
    assert checkpoint_ld.validate(file).findings
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        checkpoint_ld.Benchmark.load(file)
        checkpoint_ld.validate(file)
        assert gc.collect() < PARTS // 100
    finally:
        (gc.enable if was_enabled else gc.disable)()
