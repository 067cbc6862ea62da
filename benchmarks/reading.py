"""How long reading and writing take, side by side in one run: `python benchmarks/reading.py 10 100`.

Documents are made here. Every figure is the median CPU time of several runs; the ratio is to parsing the JSON alone.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from checkpoint_ld.entities import LLMRubricTrait, Question, RegexRubricTrait, Rubric
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.mapping.questions import item_of, question_of
from checkpoint_ld.validation import validator

if TYPE_CHECKING:
    from collections.abc import Callable

DATE = "2026-01-01T00:00:00"
RUNS = 5
FLOOR = "json.loads"


def document(size: int) -> bytes:
    """Return a benchmark of `size` questions with templates, two traits each, keywords and metadata."""
    rubric = Rubric(
        llm_traits=[LLMRubricTrait(name="depth", kind="score", description="How deep is it?")],
        regex_traits=[RegexRubricTrait(name="cites", pattern=r"\[\d+\]", description="Names its sources")],
    )
    items = [
        item_of(
            Question(
                question=f"What is the capital of country number {number}, and since when?",
                raw_answer=f"Capital {number}, since {1000 + number}",
                answer_template=f'class Answer(BaseAnswer):\n    """Number {number}."""\n    capital: str\n' * 4,
                keywords=["capital", "geography"],
                custom_metadata={"level": number % 5},
                date_created=DATE,
                date_modified=DATE,
            ),
            f"urn:uuid:question-{number}",
            finished=True,
            rubric=rubric,
            dynamic=None,
        )
        for number in range(size)
    ]
    head = {
        "@context": emission.contexts.plain(),
        "@type": "DataFeed",
        "@id": "urn:uuid:bench",
        "name": f"{size} questions",
    }
    tree = {**head, "dateCreated": DATE, "dateModified": DATE, "dataFeedElement": items}
    return json.dumps(tree, indent=2, ensure_ascii=False).encode()


def seconds(work: Callable[[], object], runs: int = RUNS) -> float:
    """Return the median CPU time of `work`."""
    taken = []
    for _ in range(runs):
        gc.collect()
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return statistics.median(taken)


def steps(size: int) -> dict[str, Callable[[], object]]:
    """Return what is measured, by name."""
    data = document(size)
    tree, graph = validator.read(data).tree, validator.read(data).graph
    ntriples = emission.ntriples_of(graph)
    return {
        FLOOR: lambda: json.loads(data),
        "read and check": lambda: validator.read(data),
        "canonical tree to graph": lambda: CheckpointGraph.of_tree(tree),
        "graph to entities": lambda: [
            question_of(item) for item in graph.read_all(graph.member(graph.root, "dataFeedElement"))
        ],
        "graph to JSON-LD": lambda: emission.jsonld_of(graph),
        "graph to N-Triples": lambda: emission.ntriples_of(graph),
        "graph to Turtle": lambda: emission.turtle_of(graph),
        "N-Triples to graph": lambda: validator.read(ntriples, syntax="nt").graph,
    }


def main(sizes: list[int]) -> None:
    """Print the table."""
    table = Table("step", *(f"{size} questions" for size in sizes), title=f"median CPU milliseconds (ratio to {FLOOR})")
    rows: dict[str, list[str]] = {}
    for size in sizes:
        taken = {name: seconds(work) for name, work in steps(size).items()}
        for name, cost in taken.items():
            rows.setdefault(name, []).append(f"{cost * 1000:.1f} ({cost / taken[FLOOR]:.1f}x)")
    for name, costs in rows.items():
        table.add_row(name, *costs)
    Console().print(table)


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [10, 100, 1000])
