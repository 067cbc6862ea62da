"""The report of an import or an export: counts, what is left out and why, the columns that were used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from checkpoint_ld.documents.files import replace_file
from checkpoint_ld.documents.text import dump_json

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from checkpoint_ld.findings import Finding


@dataclass(frozen=True, slots=True)
class TransferReport:
    """Counts and losses of one import or export.

    `path` is the source of an import, the target of an export. `rows` are the rows of the source, `left_out` the names
    of those that are no questions, each with the reason. `layout` is the name of the layout of a known table.
    """

    kind: Literal["import", "export"]
    path: str
    format: str
    questions: int
    findings: Sequence[Finding]
    rows: int | None = None
    left_out: Sequence[tuple[str, str]] = ()
    layout: str | None = None

    def as_json(self, **more: Any) -> dict[str, Any]:
        """Return the report as JSON; `more` are members of one kind of report."""
        members: dict[str, Any] = {"kind": self.kind, "path": self.path, "format": self.format}
        if self.kind == "import":
            members |= {"layout": self.layout, "rows": self.rows}
        members["questions"] = self.questions
        if self.kind == "import":
            members["left_out"] = [{"row": row, "reason": reason} for row, reason in self.left_out]
        return {**members, **more, "losses": [finding.as_json(finding.place.file) for finding in self.findings]}

    def write(self, file: str | os.PathLike[str], **more: Any) -> None:
        """Write the report to a file, as JSON. Raises TargetUnwritableError."""
        replace_file(file, dump_json(self.as_json(**more)))
