"""Reports rendered as text: for people, for programs, for build servers.

One table of formats; each is one function in one module. What a format needs that is no code (the page's style sheet
and script, the JSON Schema) lies beside it as a file.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from checkpoint_ld.characters import encodable
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.reports.format import Format, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from checkpoint_ld.report import Report


def _in(module: str) -> Callable[[Report, Settings], str]:
    """Return the function that writes a format; its module is imported when something is written."""

    def render(report: Report, settings: Settings) -> str:
        text: str = import_module(f"{__name__}.{module}").render(report, settings)
        return text

    return render


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "text": Format("for terminals and logs, with source excerpts", _in("plain_text")),
        "json": Format("for programs", _in("json_report")),
        "sarif": Format("SARIF 2.1.0, for code scanning", _in("sarif")),
        "junit": Format("JUnit XML, for build servers", _in("junit")),
        "github": Format("workflow commands, for annotations in GitHub Actions", _in("github")),
        "markdown": Format("for comments on pull requests and summaries of jobs", _in("markdown")),
        "html": Format("one page on its own, for browsers", _in("page")),
        "turtle": Format("SHACL validation reports, for RDF tools", _in("shacl_report")),
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
