"""Tests of the reader of answer templates, one file per subject."""

from checkpoint_ld.templates import ProblemKind, Template, TemplateField, read_template


def answer(*body: str, before: str = "", base: str = "BaseAnswer") -> str:
    """Return a template with the given lines in its class."""
    lines = "\n".join(f"    {line}" for part in body for line in part.splitlines())
    return f"{before}class Answer({base}):\n{lines or '    pass'}\n"


def field(
    name: str = "gene",
    annotation: str = "str",
    truth: str = '"BCL2"',
    verify_with: str = "ExactMatch()",
    *,
    description: str = '"Which gene?"',
    rest: str = "",
) -> str:
    """Return the line of a verified field."""
    end = f", {rest}" if rest else ""
    return (
        f"{name}: {annotation} = VerifiedField("
        f"description={description}, ground_truth={truth}, verify_with={verify_with}{end})"
    )


def only(source: str) -> TemplateField:
    """Return the only field of a template."""
    (found,) = read_template(source).fields
    return found


def kinds(template: Template | str) -> list[ProblemKind]:
    """Return the kinds of a template's problems, in order."""
    read = read_template(template) if isinstance(template, str) else template
    return [problem.kind for problem in read.problems]
