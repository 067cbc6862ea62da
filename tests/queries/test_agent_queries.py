"""Named queries about agents: each gives what it promises, on both engines, alone and beside a benchmark."""

from functools import cache
from typing import Any

import pyoxigraph
import pytest

from checkpoint_ld.agents.graph import AgentGraph
from checkpoint_ld.errors import QueryError
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.emission import ntriples_of
from checkpoint_ld.sparql import Dataset, queries
from checkpoint_ld.sparql.running import ENGINES, Engine
from tests.agents.runs import call, thought, tree
from tests.documents import canonical, item

NAMES = sorted(name for name in queries.catalogue() if name.startswith("agent-"))
ABOUT = {"benchmark": "urn:uuid:b1", "question": 'urn:uuid:q-is-1"<2'}


def checkpoints() -> list[dict[str, Any]]:
    """Two checkpoints of one execution, in which an agent grows less sure, and one of another."""
    first, second = thought(1, confidence=0.85), thought(2, confidence=1, parent_id="t1")
    unsure = {**thought(3, confidence=0.4, parent_id="t2", type="action"), "id": 'th 3 "x"'}
    failed = call(2, tool_id="bash", success=False, error="exit 1")
    running = {"id": "c3", "tool_id": "bash", "args": {}, "started_at": thought(4)["created_at"]}
    return [
        tree("k1", thoughts=[first, second], calls=[call(1), failed], results={"c1": "x"}, step=2),
        tree(
            "k2",
            thoughts=[{**first, "confidence": 0.5}, second, unsure],
            calls=[call(1), failed, running],
            step=3,
            about=ABOUT,
            parent={"checkpoint_id": "k1"},
        ),
        {
            **tree("k3", calls=[call(2, tool_id="bash", success=False, error="boom")], step=1, about=ABOUT),
            "execution_id": "exec_2",
            "agent_id": "writer",
        },
    ]


@cache
def store(*, with_benchmark: bool) -> pyoxigraph.Store:
    made = pyoxigraph.Store()
    graphs: list[Any] = [AgentGraph.of_tree(one, prov=True) for one in checkpoints()]
    if with_benchmark:
        held = item("Is 1 less than 2?", ABOUT["question"])
        held["item"]["keywords"], held["keywords"] = ["oncology"], ["numbers"]  # the place of today, and the former one
        graphs.append(CheckpointGraph.of_tree({**canonical(held), "@id": ABOUT["benchmark"]}))
    for graph in graphs:
        target = pyoxigraph.NamedNode(str(graph.root))
        made.load(ntriples_of(graph), format=pyoxigraph.RdfFormat.N_TRIPLES, to_graph=target)
    return made


def rows(name: str, engine: Engine, **parameters: Any) -> list[tuple[Any, ...]]:
    found = queries.run(store(with_benchmark=True), name, parameters, engine=engine)
    assert list(found.columns) == list(queries.named(name).columns)
    return [tuple(_short(value) for value in row.values()) for row in found]


def _short(value: Any) -> Any:
    text = str(value)
    return None if value is None else text.removeprefix("urn:caf:")


def of_checkpoint(name: str) -> str:
    return f"urn:caf:checkpoint/{name}"


_OF_READER = "urn:uuid:q-is-1%22%3C2", "agent/reader", "execution/exec_1"
_OF_WRITER = "urn:uuid:q-is-1%22%3C2", "agent/writer", "execution/exec_2"
EXPECTED: dict[str, tuple[dict[str, str], list[tuple[Any, ...]]]] = {
    "agent-tool-calls": (
        {"tool": "urn:caf:tool/bash"},
        [
            ("checkpoint/k1", "tool-call/c2", "tool/bash", "False", "2025-02-05T21:20:02Z"),
            ("checkpoint/k2", "tool-call/c3", "tool/bash", None, "2025-02-05T21:20:04Z"),
            ("checkpoint/k3", "tool-call/c2", "tool/bash", "False", "2025-02-05T21:20:02Z"),
        ],
    ),
    "agent-failed-calls": (
        {},
        [
            ("checkpoint/k1", "tool-call/c2", "tool/bash", "exit 1"),
            ("checkpoint/k3", "tool-call/c2", "tool/bash", "boom"),
        ],
    ),
    "agent-executions": (
        {},
        [
            (
                *("execution/exec_1", "agent/reader", "2", "300", "3"),
                *("2025-02-05T21:20:20Z", "2025-02-05T21:20:30Z"),
            ),
            (
                *("execution/exec_2", "agent/writer", "1", "100", "1"),
                *("2025-02-05T21:20:10Z", "2025-02-05T21:20:10Z"),
            ),
        ],
    ),
    "agent-thoughts-added": (
        {"before": of_checkpoint("k1"), "after": of_checkpoint("k2")},
        [("thought/th%203%20%22x%22", "action", "thought 3")],
    ),
    "agent-confidence-changes": (
        {"before": of_checkpoint("k1"), "after": of_checkpoint("k2")},
        [("thought/t1", "0.85", "0.5")],
    ),
    "agent-doubts": (
        {},
        [
            ("checkpoint/k2", "thought/th%203%20%22x%22", "0.4", "thought/t1", "thought 1"),
            ("checkpoint/k2", "thought/th%203%20%22x%22", "0.4", "thought/t2", "thought 2"),
        ],
    ),
    "agent-timeline": (
        {"execution": "urn:caf:execution/exec_1"},
        [
            ("2025-02-05T21:20:01Z", "thought/t1", "reasoning", "thought 1"),
            ("2025-02-05T21:20:01Z", "tool-call/c1", "tool/read_file", None),
            ("2025-02-05T21:20:02Z", "thought/t2", "reasoning", "thought 2"),
            ("2025-02-05T21:20:02Z", "tool-call/c2", "tool/bash", "exit 1"),
            ("2025-02-05T21:20:03Z", "thought/th%203%20%22x%22", "action", "thought 3"),
            ("2025-02-05T21:20:04Z", "tool-call/c3", "tool/bash", None),
        ],
    ),
    "agent-question-timeline": (
        {"question": "urn:uuid:q-is-1%22%3C2"},
        [
            (*_OF_READER, "2025-02-05T21:20:01Z", "thought/t1", "reasoning", "thought 1"),
            (*_OF_READER, "2025-02-05T21:20:01Z", "tool-call/c1", "tool/read_file", None),
            (*_OF_READER, "2025-02-05T21:20:02Z", "thought/t2", "reasoning", "thought 2"),
            (*_OF_READER, "2025-02-05T21:20:02Z", "tool-call/c2", "tool/bash", "exit 1"),
            (*_OF_READER, "2025-02-05T21:20:03Z", "thought/th%203%20%22x%22", "action", "thought 3"),
            (*_OF_READER, "2025-02-05T21:20:04Z", "tool-call/c3", "tool/bash", None),
            (*_OF_WRITER, "2025-02-05T21:20:02Z", "tool-call/c2", "tool/bash", "boom"),
        ],
    ),
    "agent-questions": ({}, [("urn:uuid:q-is-1%22%3C2", "2", "2", "4", "2")]),
    "agent-failures-by-keyword": (
        {"keyword": "oncology"},
        [("oncology", "urn:uuid:q-is-1%22%3C2", "Is 1 less than 2?", "2")],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", NAMES)
def test_the_rows_are_those_that_were_checked_by_hand(name: str, engine: Engine) -> None:
    parameters, expected = EXPECTED[name]
    assert rows(name, engine, **parameters) == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_how_low_is_low_may_be_chosen(engine: Engine) -> None:
    assert rows("agent-doubts", engine, below="0.4") == []
    assert len(rows("agent-doubts", engine, below="0.41")) == 2


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_call_and_a_doubt_are_one_row_however_many_checkpoints_and_executions_hold_them(engine: Engine) -> None:
    """The calls of k2 are carried on by a run that was resumed, where the one under way ends."""
    later = {**checkpoints()[1], "id": "k4", "execution_id": "exec_3", "parent": {"checkpoint_id": "k2"}}
    calls = later["snapshot"]["tool_state"]["calls"]
    ended = {**calls[2], "success": True, "completed_at": calls[2]["started_at"] + 1}
    state = {**later["snapshot"]["tool_state"], "calls": [*calls[:2], ended]}
    resumed = {**later, "snapshot": {**later["snapshot"], "tool_state": state}}
    data = Dataset.of_graphs(
        [AgentGraph.of_tree(one, prov=True) for one in (*checkpoints(), later, resumed | {"id": "k5"})]
    )

    def found(name: str) -> list[tuple[str, ...]]:
        return [tuple(map(_short, row.values())) for row in queries.run(data.store, name, engine=engine)]

    assert [row[:2] for row in found("agent-failed-calls")] == [
        ("checkpoint/k1", "tool-call/c2"),
        ("checkpoint/k3", "tool-call/c2"),
    ]
    assert [(row[1], row[3]) for row in found("agent-tool-calls")] == [
        ("tool-call/c1", "True"),
        ("tool-call/c2", "False"),
        ("tool-call/c3", "True"),
        ("tool-call/c2", "False"),
    ]
    calls_of = {"execution": "urn:caf:execution/exec_3"}
    steps = queries.run(data.store, "agent-timeline", calls_of, engine=engine)
    assert [_short(row["node"]) for row in steps if "call" in row["node"]] == [f"tool-call/c{n}" for n in (1, 2, 3)]
    given = [row[:3] + row[4:5] for row in found("agent-question-timeline") if "call" in row[4]]
    assert given == [(*_OF_READER, f"tool-call/c{n}") for n in (1, 2, 3)] + [(*_OF_WRITER, "tool-call/c2")]
    assert found("agent-doubts") == EXPECTED["agent-doubts"][1]
    assert found("agent-questions") == [("urn:uuid:q-is-1%22%3C2", "3", "4", "4", "2")]


@pytest.mark.parametrize("engine", ENGINES)
def test_all_tools_and_all_keywords_are_reported_where_none_is_given(engine: Engine) -> None:
    assert {row[2] for row in rows("agent-tool-calls", engine)} == {"tool/bash", "tool/read_file"}
    assert [row[0] for row in rows("agent-failures-by-keyword", engine)] == ["numbers", "oncology"]
    assert rows("unknown-terms", engine) == []  # which is about benchmarks


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_benchmarks_are_only_needed_for_what_they_state(engine: Engine) -> None:
    alone = store(with_benchmark=False)
    for name in NAMES:
        parameters, expected = EXPECTED[name]
        count = 0 if name == "agent-failures-by-keyword" else len(expected)
        assert len(queries.run(alone, name, parameters, engine=engine)) == count
        assert len(queries.run(pyoxigraph.Store(), name, parameters, engine=engine)) == 0


def test_a_tool_is_given_by_its_iri() -> None:
    with pytest.raises(QueryError, match="which is no absolute IRI"):
        rows("agent-tool-calls", "oxigraph", tool="bash")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["agent-timeline", "agent-question-timeline"])
def test_a_call_that_fails_after_it_was_saved_is_one_row_with_what_it_stated(name: str, engine: Engine) -> None:
    running = {"id": "c1", "tool_id": "bash", "args": {}, "started_at": thought(1)["created_at"]}
    failed = call(1, tool_id="bash", success=False, error="late")
    data = Dataset.of_graphs(
        AgentGraph.of_tree(tree(f"k{step}", calls=[one], step=step, about=ABOUT), prov=True)
        for step, one in ((1, running), (2, failed))
    )
    parameters = EXPECTED["agent-timeline"][0] if name == "agent-timeline" else {}
    (row,) = queries.run(data.store, name, parameters, engine=engine)
    assert (_short(row["node"]), _short(row["text"])) == ("tool-call/c1", "late")
