"""A report as a compiler would print it, for terminals and logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.characters import harmless
from checkpoint_ld.findings import Severity
from checkpoint_ld.reports.summary import name_of, selection, verdict, word
from checkpoint_ld.reports.withholding import source_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.report import Checked, Report
    from checkpoint_ld.reports.excerpt import Source
    from checkpoint_ld.reports.format import Settings

    Painter = Callable[[str, str], str]

_BOLD, _DIM, _GREEN = "1", "2", "32"
_STYLES = {Severity.VIOLATION: "1;31", Severity.WARNING: "1;33", Severity.INFO: "1;36"}
"""Select Graphic Rendition parameters (ECMA-48 §8.3.117)."""


def render(report: Report, settings: Settings) -> str:
    """Return each finding with its place, the line that it points into and what to do; then what was counted."""
    paint = _coloured if settings.colour else _plain
    chosen = selection(report, settings.max_per_rule)
    blocks = []
    for checked, findings in chosen.kept:
        source = source_of(checked, report.rules)
        blocks += ["\n".join(_block(checked, found, source, settings.width, paint)) for found in findings]
    if chosen.remarks:
        blocks.append("\n".join(paint(_DIM, remark) for remark in chosen.remarks))
    blocks.append(paint(_BOLD, harmless(verdict(report))))
    return "\n\n".join(blocks) + "\n"


def _plain(_: str, text: str) -> str:
    return text


def _coloured(style: str, text: str) -> str:
    return f"\x1b[{style}m{text}\x1b[0m"


def _block(checked: Checked, found: Finding, source: Source | None, width: int, paint: Painter) -> Iterator[str]:
    place = found.place
    where = ":".join(str(part) for part in (name_of(checked), place.line, place.column) if part is not None)
    what = " ".join(part for part in (found.code, found.rule) if part)
    severity = paint(_STYLES[found.severity], word(found.severity))
    yield f"{paint(_BOLD, harmless(where))}: {severity} {paint(_BOLD, harmless(what))}: {harmless(found.message)}"
    if found.subject:
        yield f"  in {harmless(found.subject)}"
    if place.line is None:
        yield from _elsewhere(found)
    elif source is not None:
        yield from _excerpt(source, place.line, place.column or 1, width, paint)
    if found.remedy:
        yield f"  {paint(_GREEN, 'fix:')} {harmless(found.remedy)}{' (--fix does it)' if found.fixable else ''}"


def _elsewhere(found: Finding) -> Iterator[str]:
    if found.place.pointer:
        yield f"  at {harmless(found.place.pointer)}"
    if found.node is not None:
        yield f"  node <{harmless(found.node)}>"


def _excerpt(source: Source, line: int, column: int, width: int, paint: Painter) -> Iterator[str]:
    gutter = f"{line:>5} | "
    excerpt = source.excerpt(line, column, max(width - len(gutter), 20))
    if excerpt is None:
        return
    yield paint(_DIM, gutter) + excerpt.text
    marks = "^" + "~" * (excerpt.extent - 1)
    yield paint(_DIM, "| ".rjust(len(gutter))) + " " * excerpt.indent + paint(_GREEN, marks)
