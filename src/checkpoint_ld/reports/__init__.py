"""Reports rendered as text: for people, for programs, for build servers.

One table of formats; each is one function in one module. What a format needs that is no code (the page's style sheet
and script, the JSON Schema) lies beside it as a file.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.reports import github, json_report, junit, markdown, page, plain_text, sarif, shacl_report
from checkpoint_ld.reports.characters import encodable
from checkpoint_ld.reports.format import Format, Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.report import Report

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "text": Format("for terminals and logs, with source excerpts", plain_text.render),
        "json": Format("for programs", json_report.render),
        "sarif": Format("SARIF 2.1.0, for code scanning", sarif.render),
        "junit": Format("JUnit XML, for build servers", junit.render),
        "github": Format("workflow commands, for annotations in GitHub Actions", github.render),
        "markdown": Format("for comments on pull requests and summaries of jobs", markdown.render),
        "html": Format("one page on its own, for browsers", page.render),
        "turtle": Format("SHACL validation reports, for RDF tools", shacl_report.render),
    }
)
"""All formats by name."""

_DEFAULTS = Settings()


def render(report: Report, format_name: str, settings: Settings = _DEFAULTS) -> str:
    """Return `report` in one of `FORMATS`, as text that UTF-8 can encode and that ends with a line end.

    Raises SettingsError for a format that does not exist.
    """
    if format_name not in FORMATS:
        raise SettingsError(f"no report format {format_name!r}: use one of {', '.join(FORMATS)}")
    return encodable(FORMATS[format_name].render(report, settings))


__all__ = ["FORMATS", "Format", "Settings", "render"]
