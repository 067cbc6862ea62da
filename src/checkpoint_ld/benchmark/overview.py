"""Counts of a benchmark, the progress of the work on it, and its validation: methods of `Benchmark`.

The counts come from the `BenchmarkContent` of the graph, of which each function reads only the members in its frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self
from weakref import ref

from checkpoint_ld.benchmark import editing
from checkpoint_ld.documents.values import now
from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Severity
from checkpoint_ld.mapping import questions
from checkpoint_ld.mapping.questions import TEXT, TYPE, frame, has_source, named
from checkpoint_ld.mapping.traits import PROPERTY
from checkpoint_ld.notebook import Card, Rows, Shown
from checkpoint_ld.phrases import counted
from checkpoint_ld.validation.results import Checked

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from rdflib.term import Node

    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.benchmark.content import BenchmarkContent
    from checkpoint_ld.validation.results import Report

Json = dict[str, Any]

_SUMMARY = frame(hasPart=TEXT, rating=TYPE, additionalProperty=PROPERTY, globalRubric=None)
READINESS = frame(hasPart=TEXT, additionalProperty=named("finished"))
"""The frames of feed items to read."""
_STATUS = ((90, "excellent"), (75, "good"), (50, "fair"), (25, "poor"), (0, "critical"))
_FEW = 5


def summary(content: BenchmarkContent) -> Json:
    """Return the value of `Benchmark.get_summary`."""
    listed = content.questions
    finished = sum(question.finished for question in listed)
    rubric, _ = content.rubrics
    return {
        **{name: value for name, value in content.metadata.items() if name != "description"},
        "question_count": len(listed),
        "finished_count": finished,
        "has_template_count": sum(question.has_template for question in listed),
        "has_rubric_count": sum(question.has_rubric for question in listed),
        "progress_percentage": finished / len(listed) * 100 if listed else 0.0,
        "is_complete": bool(listed) and all(question.finished and has_source(question.item) for question in listed),
        "has_global_rubric": rubric is not None,
        "global_rubric_traits": sum(1 for _ in rubric.traits()) if rubric else 0,
    }


def get_summary(self: Benchmark) -> Json:
    """Return name, version, creators, dates and counts, such as `question_count`."""
    return summary(self._content(_SUMMARY))


def get_statistics(self: Benchmark) -> Json:
    """Return the summary, with the lengths of templates in characters and the number of questions with metadata."""
    return _statistics(self._content(_SUMMARY))


def check_readiness(self: Benchmark) -> Json:
    """Return whether the benchmark is ready for verification, with all conditions that are not met."""
    return _readiness(self, self._content(READINESS))


def get_progress_report(self: Benchmark) -> Json:
    """Return the progress of the work in a few numbers."""
    content = self._content(_SUMMARY)
    counts = summary(content)
    return {
        "name": counts["name"],
        "progress_percentage": counts["progress_percentage"],
        "questions_total": counts["question_count"],
        "questions_finished": counts["finished_count"],
        "questions_with_templates": counts["has_template_count"],
        "is_ready_for_verification": _readiness(self, content)["ready_for_verification"],
        "last_modified": counts["modified_at"],
    }


def get_health_report(self: Benchmark) -> Json:
    """Return a score from 0 to 100, a word for it, readiness, statistics, and recommendations."""
    content = self._content(_SUMMARY)
    counts, ready = _statistics(content), _readiness(self, content)
    # Without questions there is nothing to score.
    score = 0
    if ready["has_questions"]:
        score = 20 + int(0.30 * counts["progress_percentage"])
        score += 25 * ready["templates_valid"] + 15 * ready["rubrics_valid"] + 10 * ready["all_finished"]
    missing, unfinished = ready["missing_templates_count"], ready["unfinished_count"]
    due = (
        (not ready["has_questions"], "Add questions"),
        (missing, f"Add templates to {counted(missing, 'question')}"),
        (unfinished, f"Mark {counted(unfinished, 'question')} as finished"),
        (not ready["templates_valid"], "Correct the templates that are not valid"),
        (not ready["rubrics_valid"], "Correct the rubrics that are not valid"),
        (counts["question_count"] < _FEW, f"Add questions until there are at least {_FEW}"),
        (not counts["has_global_rubric"], "Add a global rubric"),
    )
    return {
        "health_score": score,
        "health_status": next(word for least, word in _STATUS if score >= least),
        "timestamp": now(),
        "readiness": ready,
        "statistics": counts,
        "recommendations": [advice for applies, advice in due if applies],
    }


def validate(self: Benchmark, profile: str = "karenina") -> Verdict:
    """Validate the benchmark against the rules of a profile, and check its templates without running them.

    The verdict has the report with all findings; it unpacks as Karenina's `(ok, message)`. Raises SettingsError for an
    unknown profile.
    """
    from checkpoint_ld.validation import profiles, validator  # noqa: PLC0415 - SHACL takes its time to import
    from checkpoint_ld.validation.following import FollowedVerdict  # noqa: PLC0415 - as above

    chosen = profiles.profile(profile)
    followed = self._followed
    if followed is None or followed.profile is not chosen:
        self._followed = followed = FollowedVerdict(self.graph, chosen, self._built)
    try:
        checked = followed.checked()
    except ReadError as error:  # it cannot be read as a checkpoint any more
        checked = Checked(None, error.findings)
    faults = self._faults
    if faults is None or followed.changed is None:
        self._faults = faults = TemplateFaults(self)
    else:
        faults.update(followed.changed)
    return Verdict(validator.report_of([checked], chosen), faults.errors(), followed.violations)


class TemplateFaults:
    """The faults of the templates of a benchmark; those of unchanged questions stay."""

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = ref(benchmark)
        self._of_items: dict[Node, tuple[str, ...]] = {}
        self._errors: tuple[dict[str, str], ...] | None = None
        graph = benchmark.graph
        self.update([graph.root, *benchmark._elements().values()])  # noqa: SLF001 - a part of the benchmark

    def update(self, changed: Collection[Node]) -> None:
        """Read the templates of feed items again, and those of scenarios if the root is among the nodes."""
        benchmark = self._benchmark()
        assert benchmark is not None  # noqa: S101 - it calls this
        graph = benchmark.graph
        before = {node: self._of_items.pop(node) for node in changed if node in self._of_items}
        items = [node for node in changed if node in graph.held and node != graph.root]
        for node, item in zip(items, graph.read_all(items, only=questions.TEMPLATES), strict=True):
            faults = editing.faults_of_own(questions.source_of(item))
            if faults:
                self._of_items[node] = faults
        if before or graph.root in changed or any(node in self._of_items for node in items):
            self._errors = None
        if graph.root in changed:
            self._of_scenarios = {
                name: editing.template_faults(source)
                for name, source in benchmark._sources_in_scenarios().items()  # noqa: SLF001 - as above
            }

    def errors(self) -> tuple[dict[str, str], ...]:
        """Return the faults, as `Benchmark.validate_templates` returns them."""
        if self._errors is None:
            self._errors = tuple(self._found())
        return self._errors

    def _found(self) -> Iterator[dict[str, str]]:
        benchmark = self._benchmark()
        elements = benchmark._elements() if benchmark is not None and self._of_items else {}  # noqa: SLF001 - as above
        of_items = {name: self._of_items.get(node, ()) for name, node in elements.items()}
        for name, faults in {**of_items, **self._of_scenarios}.items():
            yield from ({"question_id": name, "error": fault} for fault in faults)


def _statistics(content: BenchmarkContent) -> Json:
    lengths = [
        len(question.members["answer_template"] or "") for question in content.questions if question.has_template
    ]
    more = ("custom_metadata", "author", "sources")
    return {
        **summary(content),
        "avg_template_length": sum(lengths) // len(lengths) if lengths else 0,
        "min_template_length": min(lengths, default=0),
        "max_template_length": max(lengths, default=0),
        "questions_with_custom_metadata": sum(
            any(question.members[name] for name in more) for question in content.questions
        ),
    }


def _readiness(benchmark: Benchmark, content: BenchmarkContent) -> Json:
    missing = [question.id for question in content.questions if not question.has_template]
    unfinished = [question.id for question in content.questions if not question.finished]
    template_errors, rubric_errors = benchmark.validate_templates()[1], benchmark.validate_rubrics()[1]
    conditions = {
        "has_questions": bool(content.questions),
        "all_have_templates": not missing,
        "all_finished": not unfinished,
        "templates_valid": not template_errors,
        "rubrics_valid": not rubric_errors,
    }
    return {
        "ready_for_verification": all(conditions.values()),
        **conditions,
        "missing_templates_count": len(missing),
        "unfinished_count": len(unfinished),
        "template_errors_count": len(template_errors),
        "rubric_errors_count": len(rubric_errors),
        "missing_templates": missing,
        "unfinished_questions": unfinished,
        "template_errors": template_errors,
        "rubric_errors": rubric_errors,
    }


@dataclass(frozen=True, repr=False)
class Verdict(Shown, tuple[bool, str]):
    """Whether a benchmark is valid.

    `report` holds all findings about its structure. `template_errors` has the questions (`question_id`) with an invalid
    template, each with its `error`. A verdict is the pair `(ok, message)`, and is true if the benchmark is valid.
    """

    report: Report
    template_errors: tuple[dict[str, str], ...] = ()

    def __new__(
        cls,
        report: Report,
        template_errors: tuple[dict[str, str], ...] = (),
        violations: Sequence[str] | None = None,
    ) -> Self:
        """Make the pair; `violations` are those of the report as texts, if these are known.

        Only of a tuple do type checkers know that the first item is a bool, the second a str.
        """
        if violations is None:
            violations = [str(found) for found in report.at_least(Severity.VIOLATION)]
        faults = [*violations, *(f"{error['question_id']}: {error['error']}" for error in template_errors)]
        return super().__new__(cls, (not faults, "\n".join(faults) or "the benchmark is valid"))

    def __init__(
        self,
        report: Report,
        template_errors: tuple[dict[str, str], ...] = (),
        violations: Sequence[str] | None = None,  # noqa: ARG002 - `__new__` needs them
    ) -> None:
        object.__setattr__(self, "report", report)
        object.__setattr__(self, "template_errors", template_errors)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.report, self.template_errors

    @property
    def ok(self) -> bool:
        """Whether there is no violation, and every template can be read."""
        return self[0]

    @property
    def message(self) -> str:
        """The faults, each on a line; `the benchmark is valid` if there are none."""
        return self[1]

    def __repr__(self) -> str:
        return f"<Verdict: {self._name()}, {len(self.template_errors)} template errors, {self.report!r}>"

    def _name(self) -> str:
        return "valid" if self.ok else "not valid"

    def _card(self) -> Card:
        errors = [(error["question_id"], error["error"]) for error in self.template_errors]
        templates = Rows("Templates that cannot be read", ("question", "error"), errors)
        return Card("Verdict", self._name(), "", {}, [templates, self.report.table()])

    def __bool__(self) -> bool:
        return self.ok
