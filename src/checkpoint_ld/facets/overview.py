"""A benchmark at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

from checkpoint_ld.entities.entity import now
from checkpoint_ld.facets.contents import Contents
from checkpoint_ld.overview import readiness, summary

if TYPE_CHECKING:
    from checkpoint_ld.content import BenchmarkContent
    from checkpoint_ld.facets.facet import Json
    from checkpoint_ld.overview.verdict import Verdict


class _Checked(Protocol):
    """What the facets of templates and rubrics find out."""

    def validate_templates(self) -> tuple[bool, list[dict[str, str]]]: ...
    def validate_rubrics(self) -> tuple[bool, list[dict[str, str]]]: ...


class Overview(Contents):
    """Summary, statistics, readiness and health."""

    def get_summary(self) -> Json:
        """Return name, version, makers, dates and counts, such as `question_count`."""
        return summary.summary(self._content(summary.LOOKED_AT))

    def get_statistics(self) -> Json:
        """Return the summary, with the lengths of templates in characters and the number of questions with metadata."""
        return summary.statistics(self._content(summary.LOOKED_AT))

    def check_readiness(self) -> Json:
        """Return whether the benchmark is ready for verification, with everything that keeps it from being so.

        Templates are read, never run.
        """
        return self._readiness(self._content(readiness.LOOKED_AT))

    def get_progress_report(self) -> Json:
        """Return how far the work is, in a few numbers."""
        content = self._content(summary.LOOKED_AT)
        return readiness.progress(content, self._readiness(content))

    def get_health_report(self) -> Json:
        """Return a score from 0 to 100, a word for it, readiness, statistics, and what to do next."""
        content = self._content(summary.LOOKED_AT)
        return readiness.health(content, self._readiness(content), now())

    def validate(self, profile: str = "karenina") -> Verdict:
        """Hold the benchmark as it is now against the rules of a profile, and check its templates without running them.

        What comes back holds the report with all findings; it unpacks as Karenina's `(ok, message)`. Raises
        SettingsError for a profile that does not exist.
        """
        from checkpoint_ld.overview.verdict import verdict_on  # noqa: PLC0415 - SHACL takes its time to import

        _, errors = self._checked.validate_templates()
        return verdict_on(self._graph, errors, profile)

    def _readiness(self, content: BenchmarkContent) -> Json:
        _, template_errors = self._checked.validate_templates()
        _, rubric_errors = self._checked.validate_rubrics()
        return readiness.readiness(content, template_errors, rubric_errors)

    @property
    def _checked(self) -> _Checked:
        this: Any = self
        return cast("_Checked", this)
