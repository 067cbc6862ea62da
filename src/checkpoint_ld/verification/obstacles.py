"""What keeps a template from being evaluated without running it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from checkpoint_ld.templates import Level, ProblemKind

if TYPE_CHECKING:
    from checkpoint_ld.templates import CustomCode, Template

REMEDY: Final = "run it with trust=Trust(), or --trust-stored-code, if you trust its code"

RUNNABLE: Final = frozenset({Level.CLASSIC, Level.PLACEHOLDER, Level.VERIFIED, Level.MIXED})
"""The levels of templates that give a verdict when they are run."""

_UNWRITTEN: Final = {
    Level.EMPTY: "there is no template: write one",
    Level.SYNTAX_ERROR: "the template is no Python: correct it",
    Level.NO_ANSWER_CLASS: "no class of the template derives from BaseAnswer: write one",
    Level.PLACEHOLDER: "the template is the placeholder that stands where none was given: write one",
    Level.INCOMPLETE: "nothing says how the fields are verified: declare them with VerifiedField, or define verify",
}
_HOOKS: Final = ("ground_truth", "model_post_init")
_HARMLESS: Final = frozenset({("decorator", "capture_answer_source"), ("method", "verify_granular")})
_UNREAD: Final = (
    *(ProblemKind.NOT_STATIC, ProblemKind.STRATEGY, ProblemKind.FIELD_DEFINITION, ProblemKind.LITERAL_VALUES),
    *(ProblemKind.UNKNOWN_PRIMITIVE, ProblemKind.DESCRIPTION),
)


def obstacle(template: Template, *, is_read: bool) -> str | None:
    """Return why a template cannot be evaluated without running it, with the remedy; None if it can.

    `is_read` tells that its fields and its strategy are known (`checkpoint_ld.templates.specification.spec_of`). A
    hook that sets `self.correct` or `self.regex` to something static is taken to do nothing else.
    """
    if template.level in _UNWRITTEN:
        return _UNWRITTEN[template.level]
    deciding = next((part for part in template.custom_code if not _is_harmless(part, template)), None)
    if deciding is not None:
        decides = "decides" if deciding.name == "verify" else "may decide anything"
        return f"the {deciding.kind} {deciding.name} of the template (line {deciding.line}) {decides}: {REMEDY}"
    if _has_unread_regexes(template):
        return f"the regular expressions of the template are not written out: {REMEDY}"
    if template.level is Level.CLASSIC:
        return None if template.regexes else f"the template has nothing that can be evaluated: {REMEDY}"
    if is_read:
        return None
    problem = next((one for one in template.problems if one.kind in _UNREAD), None)
    what = "not all of the template is written out" if problem is None else problem.message
    return f"{what}: {REMEDY}"


def _is_harmless(part: CustomCode, template: Template) -> bool:
    if part.kind == "method" and part.name in _HOOKS:
        return template.ground_truth is not None or template.regexes is not None
    return part.kind == "constant" or (part.kind, part.name) in _HARMLESS


def _has_unread_regexes(template: Template) -> bool:
    """Tell whether there are expressions that only running the template would tell."""
    if template.regexes is not None:
        return False
    if any(field.name == "regex" for field in template.plain_fields):
        return True
    return any("self.regex" in problem.message for problem in template.problems)
