"""What agent checkpoints say against each other, beyond one example of each rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from checkpoint_ld import Benchmark, Severity, validate
from checkpoint_ld.agents.rules import KnownBenchmark, check_collection
from checkpoint_ld.agents.serialization import AgentReading, examine
from tests.agents.documents import MOMENT, Json, checkpoint, thought
from tests.agents.rule_documents import reading_of, text

BENCHMARK = "urn:uuid:benchmark"
ABOUT = {"benchmark": BENCHMARK, "question": "urn:uuid:question-1"}


def step(number: int, parent: int | None = None, execution: str = "exec_1", **members: Json) -> Json:
    """Return the checkpoint `ckpt_<number>` of an execution that takes a step each second."""
    thoughts = [thought(f"t{at}", content=f"thought {at}") for at in range(number)]
    found = checkpoint(thoughts, [], {}, id=f"ckpt_{number}", timestamp=MOMENT + 1000 * number, execution_id=execution)
    found["metadata"]["step_number"] = found["snapshot"]["progress"]["step_number"] = number
    found["metadata"]["tokens_used"] = 10 * number
    if parent is not None:
        found["parent"] = {"checkpoint_id": f"ckpt_{parent}"}
    return {**found, **members}


def places(*trees: Json, benchmarks: Mapping[str, KnownBenchmark] = {}) -> list[tuple[str, str, str | None]]:
    found = check_collection(map(reading_of, trees), benchmarks)
    return [(one.rule, one.subject.split('"')[1], one.place.pointer) for one in found]


@pytest.mark.parametrize(
    ("trees", "expected"),
    [
        ([step(number, number - 1 or None) for number in range(1, 9)], []),
        ([step(1), step(1)], []),
        ([step(5), step(1, execution="exec_2", agent_id="agent_2", timestamp=MOMENT + 9000)], []),
        ([step(1), step(4), step(2, parent=1, id="ckpt_branch", timestamp=MOMENT + 9000)], []),
        ([step(2, parent=1), step(3, parent=2)], [("agent-parent-absent", "ckpt_2", "/parent/checkpoint_id")]),
        ([step(1, about=ABOUT)], []),
    ],
    ids=["goes on", "twice", "two executions", "a branch is held against its parent", "no parent", "no benchmark"],
)
def test_executions_are_held_against_what_came_before_in_their_line(trees: list[Json], expected: list[Json]) -> None:
    assert places(*trees) == expected


def test_without_links_each_is_held_against_the_one_before() -> None:
    slower = step(3)
    slower["timestamp"] = MOMENT + 9000
    slower["metadata"]["tokens_used"] = 1
    assert places(step(1), step(4), slower) == [
        ("agent-step-falls", "ckpt_3", "/metadata/step_number"),
        ("agent-tokens-fall", "ckpt_3", "/metadata/tokens_used"),
        ("agent-thought-gone", "ckpt_3", "/snapshot/thought_chain"),
    ]


def test_a_parent_that_comes_later_is_found_and_is_younger_than_its_child() -> None:
    child = step(3, parent=4)
    parent = step(4, execution="exec_2")
    assert places(child, parent) == [
        ("agent-step-falls", "ckpt_3", "/metadata/step_number"),
        ("agent-tokens-fall", "ckpt_3", "/metadata/tokens_used"),
        ("agent-older-than-parent", "ckpt_3", "/timestamp"),
    ]


def test_questions_are_looked_up_once_for_each_execution() -> None:
    known = {BENCHMARK: KnownBenchmark({"urn:uuid:question-2"}, "ff")}
    about = {**ABOUT, "benchmark_sha256": "00"}
    steps = [step(number, about=about) for number in range(1, 4)]
    assert places(*steps, benchmarks=known) == [
        ("agent-question-unknown", "ckpt_1", "/about/question"),
        ("agent-benchmark-changed", "ckpt_1", "/about/benchmark_sha256"),
    ]


def test_findings_state_what_was_before_and_point_into_the_files_that_were_read(tmp_path: Path) -> None:
    shorter = step(3)
    del shorter["snapshot"]["thought_chain"][1]
    [found] = check_collection(map(reading_of, [step(2), shorter]), {})
    assert found.message == 'the thought "t1", in checkpoint "ckpt_2", is not in the chain any more'
    for name, tree in (("1.json", step(1)), ("2.json", step(2, agent_id="agent_2"))):
        (tmp_path / name).write_bytes(text(tree))
    [found] = check_collection(map(examine, sorted(tmp_path.iterdir())), {})
    assert found.message == 'the agent_id is "agent_2", before it was "agent_1"'
    assert (found.place.file, found.place.line, found.place.column) == (str(tmp_path / "2.json"), 6, 15)


def test_checkpoints_are_taken_one_at_a_time() -> None:
    passed = []

    def readings() -> Iterator[AgentReading]:
        for number in (1, 2, 3):
            passed.append(number)
            yield reading_of(step(number, agent_id=f"agent_{number}"))

    found = check_collection(readings(), {})
    assert next(found).rule == "agent-changes"
    assert passed == [1, 2]


def test_files_that_are_validated_together_are_held_against_each_other(tmp_path: Path) -> None:
    trees = {"b.json": step(1), "a.json": step(2, agent_id="agent_2"), "c.json": step(3, 9, agent_id="agent_2")}
    for name, tree in trees.items():
        (tmp_path / name).write_bytes(text(tree))
    paths = sorted(tmp_path.iterdir())

    def rules(*sources: Path | bytes, profile: str) -> list[tuple[str | None, str]]:
        found = validate(*sources, profile=profile)
        return [(one.place.file, one.rule) for one in found.findings if one.code.startswith("AE")]

    assert rules(*paths, profile="agent") == []
    assert rules(*paths, profile="collection") == [
        (str(tmp_path / "a.json"), "agent-changes"),
        (str(tmp_path / "c.json"), "agent-parent-absent"),
    ]
    [changed, absent] = rules(*(path.read_bytes() for path in paths), profile="strict")
    assert changed == (None, "agent-changes")
    assert absent == (None, "agent-parent-absent")
    assert rules(paths[0], profile="collection") == []


def test_a_benchmark_beside_them_states_which_questions_there_are(tmp_path: Path) -> None:
    benchmark = Benchmark.create("Metals")
    known = benchmark.add_question("Which metal is liquid?", "Mercury")
    benchmark.save(tmp_path / "metals.jsonld")
    root = benchmark.to_jsonld()["@id"]
    for number, question in enumerate((known, "urn:uuid:nobody"), 1):
        about = {"benchmark": root, "question": question}
        (tmp_path / f"{number}.json").write_bytes(text(step(number, execution=f"exec_{number}", about=about)))
    found = validate(*sorted(tmp_path.iterdir()), profile="strict")
    [unknown] = [one for one in found.findings if one.code.startswith("AE")]
    assert (unknown.rule, unknown.place.pointer) == ("agent-question-unknown", "/about/question")
    assert unknown.severity is Severity.VIOLATION
    assert found.checked[1].text is not None
