"""Reports rendered as text: for people, for programs, for build servers.

One table of formats. What a format needs that is no code (the page's style sheet and script, the JSON Schema) lies
beside it as a file.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.findings import Severity
from checkpoint_ld.phrases import encodable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.validation.results import Report

__all__ = ["FORMATS", "STATISTICS", "Format", "ReportSettings", "render"]


class ReportSettings(NamedTuple):
    """How a report is rendered; a format ignores settings that do not concern it.

    `colour` is for ANSI colours, for a terminal. `width` is that of source excerpts, in terminal cells. `max_per_rule`
    is the number of findings of one rule in a list for people, 0 for all. `fail_on` is the severity from which on a
    finding is a failed test, None for never. `rules_url` is the address of the pages of rules, with `{code}` in place
    of the code.
    """

    colour: bool = False
    width: int = 100
    max_per_rule: int = 5
    fail_on: Severity | None = Severity.VIOLATION
    rules_url: str | None = None


class Format(NamedTuple):
    """One format of reports: its purpose, and the module of this package whose `function` writes it."""

    about: str
    module: str
    function: str = "render"


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "text": Format("for terminals and logs, with source excerpts", "text", "terminal"),
        "json": Format("for programs", "programs", "as_json"),
        "sarif": Format("SARIF 2.1.0, for code scanning", "programs", "sarif"),
        "gitlab": Format("Code Quality of GitLab, beside merge requests", "programs", "gitlab"),
        "rdjson": Format("reviewdog, for comments on changes", "programs", "rdjson"),
        "junit": Format("JUnit XML, for build servers", "programs", "junit"),
        "github": Format("workflow commands, for annotations in GitHub Actions", "text", "commands"),
        "markdown": Format("for comments on pull requests and summaries of jobs", "text", "markdown"),
        "html": Format("one page on its own, for browsers", "page"),
        "turtle": Format("SHACL validation reports, for RDF tools", "shacl_report"),
    }
)
"""All formats by name. The module of a format is imported when it is used."""

STATISTICS: Mapping[str, Format] = MappingProxyType(
    {
        "text": Format("for terminals and logs", "text", "statistics"),
        "json": Format("for programs", "programs", "statistics"),
    }
)
"""The formats of counts by rule."""

_DEFAULTS = ReportSettings()


def render(
    report: Report, format_name: str, settings: ReportSettings = _DEFAULTS, *, formats: Mapping[str, Format] = FORMATS
) -> str:
    """Return `report` in one of `formats`, as text that UTF-8 can encode and that ends with a line end.

    Raises SettingsError for an unknown format.
    """
    if format_name not in formats:
        raise SettingsError(f"no report format {format_name!r}: use one of {', '.join(formats)}")
    _, module, function = formats[format_name]
    return encodable(getattr(import_module(f"{__name__}.{module}"), function)(report, settings))
