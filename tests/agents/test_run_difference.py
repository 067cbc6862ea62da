"""Two runs are aligned by what their steps are, not by ids."""

import json
from typing import Any

from checkpoint_ld.agents.run_difference import RunDifference, diff_runs
from checkpoint_ld.agents.timeline import timeline_of
from tests.agents.runs import call, checkpoint, thought


def run(name: str, *steps: tuple[str, Any], results: tuple[Any, ...] = ()) -> Any:
    thoughts, calls, held = [], [], {}
    for number, (label, value) in enumerate(steps):
        if label == "think":
            thoughts.append(thought(number, id=f"{name}-t{number}", content=value))
        else:
            calls.append(call(number, id=f"{name}-c{number}", tool_id=label, args={"q": value}))
    for made, result in zip(calls, results, strict=False):
        held[made["id"]] = result
    return timeline_of([checkpoint(name, execution_id=name, thoughts=thoughts, calls=calls, results=held)])


def compared(found: RunDifference) -> list[tuple[str, str]]:
    return [(one.comparison, one.step.label) for one in found.steps]


def test_runs_with_other_ids_are_the_same() -> None:
    steps = ("think", "look"), ("search", "a"), ("think", "done")
    found = diff_runs(run("one", *steps, results=(1,)), run("two", *steps, results=(1,)))
    assert not found
    assert {one.comparison for one in found.steps} == {"same"}
    assert "the same all along" in found.to_text()


def test_runs_part_where_a_step_is_another() -> None:
    one = run("one", ("think", "look"), ("search", "a"), ("read", "x"), ("think", "done"), results=(1, 2))
    other = run(
        "two", ("think", "look"), ("search", "a"), ("search", "b"), ("read", "y"), ("think", "done"), results=(3,)
    )
    found = diff_runs(one, other)
    assert compared(found) == [
        ("same", "reasoning"),
        ("differs", "search"),
        ("only after", "search"),
        ("differs", "read"),
        ("same", "reasoning"),
    ]
    assert found.parted == 1
    assert found.steps[1].differences == {"result": ("1", "3")}
    assert found.steps[3].differences == {"arguments": ('{"q": "x"}', '{"q": "y"}'), "result": ("2", "(none)")}
    text = found.to_text()
    assert 'they part at step 2: search({"q": "a"})' in text
    assert text.index("  … 1 step the same") < text.index('~ search({"q": "a"})') < text.index('+ search({"q": "b"})')
    tree = json.loads(json.dumps(found.to_dict()))
    assert (tree["parted"], tree["counts"]["only after"], len(tree["steps"])) == (1, 1, 5)


def test_nothing_of_a_run_becomes_markup() -> None:
    page = diff_runs(run("one", ("think", "<script>")), run("two", ("<b>", "<i>"))).to_html()
    assert "<script" not in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert "&lt;script&gt;" in page
