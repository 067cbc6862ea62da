"""The catalogue of everything that can be wrong or odd about a document: one condition per stable code.

A code starts with `E-` when the document is refused and with `W-` when it is read with a warning.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from checkpoint_ld.findings import Finding, Place, Severity

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Condition:
    """One entry of the catalogue: what is wrong (`title`), why it matters, what to do about it."""

    code: str
    title: str
    why: str
    remedy: str

    @property
    def severity(self) -> Severity:
        """VIOLATION when the document is refused, WARNING when it is read all the same."""
        return Severity.VIOLATION if self.code.startswith("E-") else Severity.WARNING


def finding(  # noqa: PLR0913 - all but the first two are named, and each is a part of a Finding
    code: str,
    message: str,
    *,
    pointer: str | None = None,
    subject: str = "",
    remedy: str | None = None,
    dialect: str = "",
) -> Finding:
    """Build a finding of the condition `code`, with the catalogue's severity and, unless given, its remedy.

    `message` names the offending value, `pointer` (RFC 6901) its place. Raises KeyError for a code that is not
    in the catalogue.
    """
    condition = CONDITIONS[code]
    return Finding(
        code=code,
        severity=condition.severity,
        message=message,
        remedy=condition.remedy if remedy is None else remedy,
        place=Place(pointer=pointer),
        subject=subject,
        dialect=dialect,
    )


_BYTES = (
    Condition(
        "E-JSON",
        "not JSON",
        "The text is empty, cut off, followed by something else, or was never JSON.",
        "restore the file or correct the text at this place",
    ),
    Condition(
        "E-ENCODING",
        "not UTF-8",
        "JSON documents are UTF-8; in any other encoding letters would silently turn into others.",
        "save the file as UTF-8",
    ),
    Condition(
        "E-DUPKEY",
        "a key twice in one object",
        "Parsers keep only one of the two values, so data would be lost without a word.",
        "delete or rename one of the two members",
    ),
    Condition(
        "E-NUMBER",
        "a number that JSON does not have",
        "NaN and infinities are no JSON numbers; other programs cannot read a file that holds them.",
        "write a finite number or null",
    ),
    Condition(
        "E-DEPTH",
        "nested too deeply",
        "No checkpoint needs such nesting, and it exhausts the stack of the programs that read it.",
        "flatten the value, or keep it as JSON text",
    ),
    Condition(
        "E-SURROGATE",
        "half a surrogate pair",
        "A lone surrogate is no character and cannot be stored as UTF-8.",
        "replace the broken escape with the character that was meant",
    ),
    Condition(
        "E-SIZE",
        "larger than the limit",
        "A limit on size protects the reader against documents that exhaust memory.",
        "split the benchmark into several files",
    ),
    Condition(
        "W-BOM",
        "byte order mark",
        "Karenina refuses a file that starts with one.",
        "save the file as UTF-8 without a byte order mark",
    ),
    Condition(
        "E-RDF",
        "RDF text that does not parse",
        "Turtle, N-Triples and the other RDF syntaxes are read whole or not at all.",
        "correct the text at this place",
    ),
    Condition(
        "E-JSONLD",
        "not valid JSON-LD",
        "The JSON-LD algorithms refuse the document, so no statements can be taken from it.",
        "correct the keyword or the context that is named",
    ),
)

_FORM = (
    Condition(
        "E-ROOT",
        "no checkpoint",
        "Nothing in the document tells which dialect of checkpoint it is.",
        "give the root @type DataFeed and its dataFeedElement, or pass the file that holds the checkpoint",
    ),
    Condition(
        "W-FORM",
        "another form of JSON-LD",
        "The statements are the same, but Karenina looks keys up literally and refuses this form.",
        "save the file in the canonical dialect",
    ),
    Condition(
        "W-CONTEXT",
        "an unusual @context",
        "Keys are read literally, as Karenina does; another vocabulary may have meant something else by them.",
        "use the context of the canonical dialect",
    ),
    Condition(
        "W-TYPE-MISSING",
        "no @type",
        "The root is taken for a DataFeed because it has a dataFeedElement.",
        'add "@type": "DataFeed"',
    ),
    Condition(
        "W-LOSS",
        "something that the target cannot hold",
        "The dialect to write has no place for this value.",
        "write the canonical dialect, or accept the loss that is named",
    ),
    Condition(
        "W-LEGACY-PROPERTY",
        "traits in an abandoned place",
        "Early files kept rubric traits outside `rating`, where today's tools do not look for them.",
        "move the traits to the rating member",
    ),
)

_ROOT = (
    Condition("E-NAME", "benchmark without a name", "Every benchmark is known by its name.", "give the root a name"),
    Condition(
        "E-VALUE",
        "a value of the wrong kind",
        "The value cannot be understood as what its place asks for.",
        "write a value of the kind that is named",
    ),
    Condition(
        "E-MIXED",
        "questions and scenarios together",
        "A benchmark holds either single questions or scenarios; Karenina refuses a file with both.",
        "split the file in two",
    ),
    Condition(
        "W-DATE-MISSING",
        "no date",
        "Karenina refuses a file without its dates.",
        "add the date; converting from another dialect fills it in",
    ),
    Condition(
        "W-DATE-FORMAT",
        "a date that is not ISO 8601",
        "The text is kept, but it cannot be compared or sorted as a date.",
        "write it like 2026-01-31T12:00:00Z",
    ),
    Condition(
        "W-VERSION-TYPE",
        "a version that is not text",
        "A version such as 1.10 loses its last digit as a number; Karenina wants text.",
        "put the version in quotation marks",
    ),
    Condition(
        "W-FORMAT-VERSION",
        "a foreign format version",
        "Only format version 3 is known; a later one may mean something else by the same members.",
        "read the file with a release that knows this format",
    ),
    Condition(
        "W-VALUE",
        "an odd value",
        "The value was understood, though not in the form that the format asks for.",
        "write the value in the form that is named",
    ),
    Condition(
        "E-PROPERTY",
        "a malformed property",
        "An additional property is an object with a text name and a value.",
        'write {"@type": "PropertyValue", "name": "…", "value": …}',
    ),
)

_QUESTIONS = (
    Condition("E-TEXT", "question without text", "The text is what is asked.", "give the question its text"),
    Condition(
        "E-ANSWER",
        "not exactly one reference answer",
        "A question has one accepted answer, an object with a text.",
        'write one {"@type": "Answer", "text": "…"}',
    ),
    Condition(
        "W-ANSWER-MISSING",
        "no reference answer",
        "This dialect had no place for answers; the answer is taken as empty.",
        "add the reference answer",
    ),
    Condition(
        "E-TEMPLATE",
        "not one Python template",
        "The answer template of a question is one SoftwareSourceCode with Python text.",
        "keep one template and write programmingLanguage Python",
    ),
    Condition(
        "W-TEMPLATE-MISSING",
        "no template",
        "Karenina refuses a question without an answer template.",
        "add a template; converting from another dialect puts a default one there",
    ),
    Condition(
        "W-TEMPLATE-SYNTAX",
        "template with a syntax error",
        "The text is kept, but no answer can be parsed or verified with it.",
        "correct the Python text",
    ),
    Condition(
        "W-DUP-ID",
        "an identifier twice",
        "Karenina hides all but the last question with one identifier.",
        "give the second question an identifier of its own",
    ),
    Condition(
        "W-ID-GENERATED",
        "no identifier",
        "The identifier is computed from the text and changes when the text does.",
        "add the @id that is computed",
    ),
)

_TRAITS = (
    Condition(
        "E-TRAIT",
        "a trait that cannot be evaluated",
        "One of its settings is missing or has no meaning, so the trait has none.",
        "correct the setting that is named",
    ),
    Condition(
        "E-TRAIT-TYPE",
        "unknown trait type",
        "additionalType says what kind of trait a rating is, and there are fourteen of them.",
        "use one of the trait types, such as karenina:QuestionSpecificRubricTrait",
    ),
    Condition(
        "E-SCOPE-ROOT",
        "question trait at the root",
        "Traits of the whole benchmark have Global types.",
        "use the Global type, or move the rating to its question",
    ),
    Condition(
        "E-RATING",
        "an incomplete rating",
        "Without a name or a range the scores of the trait have no meaning.",
        "add the member that is named",
    ),
    Condition(
        "W-SCOPE",
        "global trait in a question",
        "It is read as a trait of this question; Karenina ignores it.",
        "use the QuestionSpecific type, or move the rating to the root",
    ),
    Condition(
        "W-RANGE",
        "a contradictory range",
        "Tools that trust different numbers give different scores; bestRating and worstRating count here.",
        "make bestRating, worstRating, min_score and max_score agree",
    ),
    Condition(
        "W-FRACTION",
        "a bound that is not whole",
        "Scores are whole numbers in Karenina, which refuses a fraction as their bound.",
        "use whole numbers",
    ),
    Condition(
        "W-TRAIT-DEFAULT",
        "an incomplete trait",
        "Its pattern or code is missing; it is kept but cannot be evaluated.",
        "add the missing setting",
    ),
    Condition(
        "W-CODE",
        "code in a document",
        "The text is kept as it is and never run here; Karenina runs it.",
        "trust the author before other tools load the file",
    ),
    Condition(
        "W-DUP-TRAIT",
        "two traits with one name",
        "Scores are kept by trait name, so one would hide the other; Karenina fails at the first use.",
        "rename one of the two",
    ),
    Condition(
        "W-TRAIT-NAME",
        "a dot in a trait name",
        "Dots separate a trait from its fields in results; Karenina fails at the first use.",
        "rename the trait without a dot",
    ),
)

_SCENARIOS = (
    Condition(
        "E-SCENARIO",
        "an incomplete scenario",
        "A scenario needs name, entryNode, nodes and edges.",
        "add the member that is named",
    ),
    Condition(
        "W-SCENARIO-REF",
        "a reference to a missing node",
        "The conversation cannot go where no node is.",
        "name an existing node, or __end__ as a target",
    ),
    Condition(
        "W-PART",
        "a part that is no scenario",
        "It is kept, but Karenina refuses a file that has it.",
        "remove the part before writing for Karenina",
    ),
)

CONDITIONS: Mapping[str, Condition] = MappingProxyType(
    {entry.code: entry for entry in (*_BYTES, *_FORM, *_ROOT, *_QUESTIONS, *_TRAITS, *_SCENARIOS)}
)
"""All conditions by code, in the order in which reading meets them."""
