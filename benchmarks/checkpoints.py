"""Very many checkpoints, as collections and bulk runs meet them: the same seed gives the same bytes.

`python benchmarks/checkpoints.py 10000 FOLDER` writes a file for each; `--lines 1000` writes files of 1,000 lines
instead, one checkpoint to a line. Their questions are those of `documents.py`. One question in ten is one that other
checkpoints ask as well, in some of them in capitals or with another answer; one in ten has no template of its own.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

import documents
from checkpoint_ld import identifiers
from checkpoint_ld.mapping.questions import item_of

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]

SHARED = 0.1

POOL = 2_000
"""How many different questions those are that several checkpoints ask."""


def checkpoint(number: int, questions: int) -> Json:
    """Return a checkpoint of about so many questions."""
    drawn = random.Random(f"checkpoint/{number}")  # noqa: S311 - no secret, and the same every time
    size = max(1, round(drawn.gauss(questions, questions / 4)))
    taken: set[str] = set()
    return {
        **documents.head(size, number),
        "name": f"Benchmark {number}",
        "version": f"{drawn.randint(0, 2)}.{drawn.randint(0, 9)}.0",
        "dataFeedElement": [_item(drawn, number, at, taken) for at in range(size)],
    }


def _item(drawn: random.Random, number: int, at: int, taken: set[str]) -> Json:
    is_shared = drawn.random() < SHARED
    draw = documents.Draw.of(0, drawn.randrange(POOL)) if is_shared else documents.Draw.of(number, at)
    asked = documents.question(draw)
    if is_shared and drawn.random() < 0.1:
        asked = asked.model_copy(update={"raw_answer": f"{asked.raw_answer}, perhaps"})
    if is_shared and drawn.random() < 0.1:
        asked = asked.model_copy(update={"question": asked.question.upper()})
    identifier = identifiers.unique_question_id(asked.question, taken)
    taken.add(identifier)
    return item_of(asked, identifier, documents.rubric(draw), finished=drawn.random() < 0.8)


def write(count: int, folder: Path, *, questions: int, lines: int | None = None) -> None:
    """Write `count` checkpoints into a folder: a file for each, or files of so many lines."""
    folder.mkdir(parents=True, exist_ok=True)
    if lines is None:
        for number in range(count):
            (folder / f"{number:06}.jsonld").write_bytes(orjson.dumps(checkpoint(number, questions)))
        return
    for start in range(0, count, lines):
        with (folder / f"{start:06}.ndjson").open("wb") as file:
            file.writelines(_lines(range(start, min(count, start + lines)), questions))


def _lines(numbers: range, questions: int) -> Iterator[bytes]:
    return (orjson.dumps(checkpoint(number, questions), option=orjson.OPT_APPEND_NEWLINE) for number in numbers)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python benchmarks/checkpoints.py", description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=int, default=5, help="how many questions one has, about")
    parser.add_argument("--lines", type=int, help="how many checkpoints a file holds, one to a line")
    given = parser.parse_args()
    write(given.count, given.folder, questions=given.questions, lines=given.lines)
