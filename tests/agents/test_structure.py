"""What may be restored: the structural rules on pydantic's values say what the shapes on the graph say."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

from checkpoint_ld import AgentCheckpoint, CheckpointManager, RuntimeState
from checkpoint_ld.agents import rules
from checkpoint_ld.agents.serialization import examine
from checkpoint_ld.errors import InvalidCheckpoint, ReadError
from checkpoint_ld.findings import Severity
from checkpoint_ld.rules import Rule
from tests.agents.documents import checkpoints
from tests.agents.rule_documents import Json, mutilated, text
from tests.agents.test_rules import SINGLE, the_example
from tests.trials import examples


def assert_alike(source: bytes) -> None:
    try:
        reading = examine(source)
    except ReadError:
        return  # it is refused before either looks at it
    is_refused = False
    try:
        AgentCheckpoint.of_reading(reading)
    except InvalidCheckpoint:
        is_refused = True
    found = rules.check_reading(reading).findings
    assert is_refused is any(one.severity is Severity.VIOLATION for one in found)


@pytest.mark.parametrize("rule", SINGLE, ids=lambda rule: rule.code)
def test_both_refuse_the_same_examples_of_rules(rule: Rule) -> None:
    assert_alike(the_example(rule).valid)
    assert_alike(the_example(rule).invalid)


@pytest.mark.parametrize("part", range(4))
def test_both_refuse_the_same_mutilated_checkpoints(part: int) -> None:
    for seed in range(part * 25, part * 25 + 25):
        assert_alike(text(mutilated(seed)))


@pytest.mark.slow
@settings(max_examples=examples(50), deadline=None)
@given(checkpoints)
def test_both_refuse_the_same_of_any_checkpoints(document: Json) -> None:
    assert_alike(json.dumps(document).encode())


def test_saving_and_restoring_load_no_engine(tmp_path: Path) -> None:
    with CheckpointManager(tmp_path) as manager:
        state = RuntimeState("agent")
        state.thought_chain.add("reasoning", "hello")
        saved = manager.save(state)
    code = f"""
import sys
from checkpoint_ld import CheckpointManager
manager = CheckpointManager({str(tmp_path)!r})
restored = manager.restore({saved.id!r})
manager.save(restored.state)
print(any(name.startswith(("checkpoint_ld.shacl", "checkpoint_ld.agents.inference")) for name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "False\n"
