"""The verdict on a benchmark: valid or not, with the report that says why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from checkpoint_ld import profiles, reading, validation
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph.store import copied
from checkpoint_ld.report import Checked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.report import Report


@dataclass(frozen=True)
class Verdict:
    """Whether a benchmark is valid.

    `report` holds all findings about its structure, `template_errors` the questions (`question_id`) whose templates
    are none, each with its `error`. A verdict unpacks as `(ok, message)` and is true if the benchmark is valid.
    """

    report: Report
    template_errors: tuple[dict[str, str], ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is no violation, and every template can be read."""
        return self.report.conforms and not self.template_errors

    @property
    def message(self) -> str:
        """What is wrong, one fault to a line; `the benchmark is valid` where nothing is."""
        faults = [str(found) for found in self.report.findings if found.severity.name == "VIOLATION"]
        faults += [f"{one['question_id']}: {one['error']}" for one in self.template_errors]
        return "\n".join(faults) or "the benchmark is valid"

    def __bool__(self) -> bool:
        return self.ok

    def __iter__(self) -> Iterator[bool | str]:
        yield self.ok
        yield self.message


def verdict_on(graph: CheckpointGraph, template_errors: Sequence[dict[str, str]], profile: str) -> Verdict:
    """Hold a graph against the rules of `profile`. Raises SettingsError for a profile that does not exist.

    What cannot be read as a checkpoint any more is a finding.
    """
    chosen = profiles.profile(profile)
    try:
        read = reading.of_statements(copied(graph.held), checked=False)
        checked = validation.check_reading(read, chosen)
    except ReadError as error:
        checked = Checked(None, error.findings)
    return Verdict(validation.report_of([checked], chosen), tuple(template_errors))
