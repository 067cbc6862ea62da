"""What a run of `verify` says at its end: counts as tables, and what kept answers from being decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.assessment import Status, TraitStatus
from checkpoint_ld.characters import encodable, harmless
from checkpoint_ld.cli import streams

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

    from rich.table import Table

    from checkpoint_ld.assessment import Assessment, Tally
    from checkpoint_ld.assessment.tally import Count

MOST_ROWS = 40
"""How many questions the table has at most."""
MOST_REMARKS = 10


class Remarks:
    """Reasons of answers that could not be verified: every error, and the first undecided answer of each question."""

    def __init__(self) -> None:
        self._said: list[str] = []
        self._more = 0
        self._undecided: set[str | None] = set()

    def add(self, assessment: Assessment) -> None:
        """Take note of an assessment."""
        if assessment.status is Status.UNDECIDED:
            if assessment.answer.question_id in self._undecided:
                return
            self._undecided.add(assessment.answer.question_id)
        elif assessment.status is not Status.ERROR:
            return
        if len(self._said) < MOST_REMARKS:
            self._said.append(f"{assessment.answer.place}: {assessment.status}: {assessment.reason}")
        else:
            self._more += 1

    def write(self, file: TextIO) -> None:
        """Write the first ones, a line each, and how many more there are."""
        file.writelines(harmless(encodable(line)) + "\n" for line in self._said)
        if self._more:
            file.write(f"… and {self._more} more: --output has them all\n")


def write_summary(tally: Tally, file: TextIO) -> None:
    """Write the counts as tables: by question, by model and by trait where there are any."""
    console = streams.console(file=file, highlight=False)
    questions = list(tally.questions.values())
    console.print(_counts("question", [*questions[:MOST_ROWS], tally.total]))
    if len(questions) > MOST_ROWS:
        console.print(f"… and {len(questions) - MOST_ROWS} more questions: --format json lists them all")
    if tally.models:
        console.print()
        console.print(_counts("model", tally.models.values()))
    if tally.traits:
        console.print()
        console.print(_traits(tally))


def _counts(title: str, counts: Iterable[Count]) -> Table:
    table = _table(title, "answers", *(status.value for status in Status), "score")
    for count in counts:
        numbers = [str(count.answers), *(str(count.by_status[status]) for status in Status)]
        _add(table, count.text or count.name, *numbers, _shown(count.mean_score))
    return table


def _traits(tally: Tally) -> Table:
    table = _table("trait", "kind", *(status.value.replace("_", " ") for status in TraitStatus), "mean")
    for count in tally.traits.values():
        numbers = [str(count.by_status[status]) for status in TraitStatus]
        _add(table, count.name, count.kind, *numbers, _shown(count.mean_value))
    return table


def _table(title: str, *columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(title)
    for name in columns:
        table.add_column(name, justify="left" if name == "kind" else "right", no_wrap=True)
    return table


def _add(table: Table, name: str, *cells: str) -> None:
    from rich.text import Text

    # Cut rather than wrapped, and as the only one: the column of a name gives way where there is little room.
    table.add_row(Text(harmless(encodable(name)), no_wrap=True, overflow="ellipsis"), *cells)


def _shown(number: float | None) -> str:
    return "" if number is None else f"{number:.2f}"
