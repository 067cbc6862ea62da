"""Checks of a template against itself and against the reference answer: the template is read, and never run.

A fault here is no error of the template, which works; but it takes wrong answers for right, or right ones for wrong.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld.phrases import BOOLEAN_WORDS, brief
from checkpoint_ld.templates.reading import read_template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import JsonValue

    from checkpoint_ld.templates.template import Template, TemplateField
    from checkpoint_ld.templates.verification import FieldResult

OWN_TRUTH, TOLERANCE, LEAK, EMPTY = "own-truth", "tolerance", "leaked-truth", "empty-answer"
"""The kinds of faults."""
_TAKES_ITS_TRUTH = frozenset(
    {"ExactMatch", "NumericExact", "BooleanMatch", "LiteralMatch", "OrderedMatch", "NumericTolerance"}
)
"""Primitives that compare a value with the ground truth alone: they take it, and nothing empty."""
_ALL = 1.0
"""From this relative tolerance on, 0 is as good as the ground truth."""
_SHORTEST = 2
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w]|\.\d)")
_QUOTED = r"""(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
_STRING = re.compile(f"({_QUOTED})")
_DESCRIBED = re.compile(rf"(?:(?:description|extraction_hint)\s*=|VerifiedField\()\s*\(?\s*(?:[rRuU]?{_QUOTED}\s*)+")
_TRUTH = re.compile(
    rf"(?:ground_truth\s*=|VerifiedField\(\s*{_QUOTED}\s*,)\s*(?:({_QUOTED})|([^,()\[\]{{}}\s]+))(?!\s*=)"
)
_SUBSTRINGS = re.compile(r"substrings\s*=\s*\[([^\[\]]*)\]")
_LIMIT = re.compile(r"\b(min|max)\s*=\s*([-+]?\d+(?:\.\d+)?)\s*[,)]")
_LISTED_TRUTHS = re.compile(r"(?:ground_truth|self\.correct)\s*=\s*[\[{][^\]}]*")
_NAME = re.compile(rf"{_QUOTED}\s*:")
_PLAIN_PATTERN = re.compile(r"""pattern\s*=\s*["']([\w ]+)["']""")
_COMPARING = re.compile("RegexMatch|Range|Contains")
"""Signs that parameters are compared with values, which differ between templates that are alike."""
_LISTING = re.compile(r"(?:[,;/|]|\bor\b|\be\.g\.|\bto\b|[-–])\s*[\"'(]?$", re.IGNORECASE)  # noqa: RUF001 - dashes of ranges
_LISTED = re.compile(r"^[\"')]?\s*(?:[,;/|]|\bor\b|\bto\b|[-–]\s*\d)", re.IGNORECASE)  # noqa: RUF001 - as above
_LONGEST, _WORDS = 80, 4
"""The most characters and words of a reference answer that is compared with a ground truth."""


class SelfFault(NamedTuple):
    """A fault of a template that can be read: its kind, the line of the field, and a sentence."""

    kind: str
    line: int | None
    message: str


def self_faults(template: Template) -> Iterator[SelfFault]:
    """Yield the faults of a template; fields with a problem of another kind are left out."""
    broken = {problem.line for problem in template.problems}
    for field in template.fields:
        if field.line not in broken and not _is_conditional(field):
            yield from _of_field(field, template)
            yield from _leaks(field.name, field.line, field.ground_truth, field)
    truths = template.ground_truth or {}
    for plain in template.plain_fields:
        if plain.name in truths:
            yield from _leaks(plain.name, plain.line, truths[plain.name], None, plain.description)
    for name, check in (template.regexes or {}).items():
        if _matches_nothing(check.pattern) and check.match_type != "count":
            yield SelfFault(
                EMPTY, template.line, f"{name}: the pattern {brief(check.pattern)} matches an empty response"
            )


def _is_conditional(field: TemplateField) -> bool:
    """Return whether the ground truth depends on the run."""
    if not isinstance(field.ground_truth, dict):
        return False
    from checkpoint_ld.entities.template_spec import ConditionalGroundTruth  # noqa: PLC0415 - as in `_judged`

    return ConditionalGroundTruth.marks(field.ground_truth)


def _judged(template: Template, field: TemplateField, values: dict[str, JsonValue] | None) -> FieldResult | None:
    """Return what a field makes of extracted values, or of an empty response; None for a template without a form."""
    # Most fields need no judgment, and a validation without one need not wait for pydantic.
    from checkpoint_ld.templates.specification import spec_of  # noqa: PLC0415 - as above
    from checkpoint_ld.templates.verification import Evidence, judge  # noqa: PLC0415 - as above

    spec = spec_of(template)
    stated = [] if spec is None else [each for each in spec.fields if each.name == field.name]
    evidence = Evidence(None, "") if values is None else Evidence(values)
    return judge(stated[0], evidence, field) if stated else None


def _of_field(field: TemplateField, template: Template) -> Iterator[SelfFault]:
    at = field.line
    if fault := _tolerance(field):
        yield SelfFault(TOLERANCE, at, f"{field.name}: {fault}")
        return
    empty: JsonValue = [] if field.type.startswith("list") else ""
    if field.is_trace:
        is_checked = field.ground_truth is True and field.primitive != "TraceLength"
        if is_checked and _passes(_judged(template, field, None)):
            yield SelfFault(EMPTY, at, f"{field.name}: an empty response passes {field.primitive}")
        return
    if field.ground_truth is None or field.primitive in _TAKES_ITS_TRUTH:
        return
    if field.primitive == "SetContainment" and field.parameters.get("mode", "exact") in ("exact", "superset"):
        return  # a set takes itself, and no smaller one does
    own = _judged(template, field, {field.name: field.ground_truth})
    if own is not None and own.passed is False:
        yield SelfFault(OWN_TRUTH, at, f"{field.name}: {own.reason}")
        return
    has_truth = field.type in ("str", "list_str") and field.ground_truth not in ("", [])
    if has_truth and _passes(_judged(template, field, {field.name: empty})):
        what = "an empty list" if empty == [] else "an empty text"
        yield SelfFault(EMPTY, at, f"{field.name}: {what} passes {field.primitive}")


def _passes(result: FieldResult | None) -> bool:
    return result is not None and result.passed is True


def _tolerance(field: TemplateField) -> str | None:
    """Return why a tolerance lets everything or nothing pass."""
    given = field.parameters
    tolerance = given.get("tolerance", given.get("cutoff"))
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float):
        return None
    if tolerance < 0:
        return f"no value passes the tolerance {tolerance:g}, not even the ground truth"
    if given.get("mode") != "relative" or "unit" in given:
        return None
    if field.ground_truth == 0 and tolerance > 0:
        return f"a share of 0 is 0, so that only 0 passes the relative tolerance {tolerance:g}"
    if tolerance >= _ALL and field.primitive == "NumericTolerance":
        return f"with the relative tolerance {tolerance:g} 0 passes, and twice the ground truth"
    return None


def _matches_nothing(pattern: str) -> bool:
    try:
        return re.search(pattern, "") is not None
    except (re.error, OverflowError, RecursionError):
        return False  # a problem that the reader has reported


def _leaks(
    name: str, line: int | None, truth: JsonValue, field: TemplateField | None, described: str | None = None
) -> Iterator[SelfFault]:
    """Yield a leak of the ground truth into what the judge reads about the field."""
    texts = (
        {"description": described}
        if field is None
        else {
            "description": field.description,
            "extraction hint": field.extraction_hint,
        }
    )
    others = [] if field is None else [each for each in field.literal_values or () if each != truth]
    for where, text in texts.items():
        for value in truth if isinstance(truth, list) else [truth]:
            if text and is_leaked(value, text) and not any(other.casefold() in text.casefold() for other in others):
                yield SelfFault(LEAK, line, f"{name}: its {where} contains the ground truth {brief(value)}")
                return


def is_leaked(truth: JsonValue, text: str) -> bool:
    """Return whether a text gives a ground truth away: as a word or number of its own, not in a list of examples."""
    if isinstance(truth, bool) or not isinstance(truth, str | int | float):
        return False
    if isinstance(truth, str):
        wanted = truth.strip()
        if len(wanted) < _SHORTEST or wanted.casefold() in BOOLEAN_WORDS:
            return False
        found = re.finditer(rf"(?<!\w){re.escape(wanted)}(?!\w)", text, re.IGNORECASE if len(wanted) > 3 else 0)
        spans = [match.span() for match in found]
    else:
        numbers = [*_NUMBER.finditer(text)]
        spans = [match.span() for match in numbers if float(match[0].replace(",", "")) == truth]
        if len(numbers) > 1 or (abs(truth) < 10 and truth == int(truth)):
            return False
    return any(not _LISTING.search(text[:start]) and not _LISTED.search(text[end:]) for start, end in spans)


def may_be_faulty(source: str) -> bool:
    """Return whether a template has to be read because of its values, though one with other values has no fault."""
    if _COMPARING.search(source) and any(map(_may_refuse_its_truth, source.split("VerifiedField(")[1:])):
        return True
    described = " ".join(match[0] for match in _DESCRIBED.finditer(source)).casefold()
    if not described:
        return False
    values = {(match[1] or match[2]).strip("\"'").casefold() for match in _TRUTH.finditer(source)}
    for listed in _LISTED_TRUTHS.finditer(source):
        # Of an object, the names of fields before a colon are no values.
        values |= {text[1:-1].casefold() for text in _STRING.findall(_NAME.sub("", listed[0]))}
    return any(value in described for value in values if len(value) >= _SHORTEST and value not in BOOLEAN_WORDS)


def _may_refuse_its_truth(field: str) -> bool:
    """Return whether a ground truth may not pass the parameters beside it, by the text of a field."""
    truth, substrings, limits = _TRUTH.search(field), _SUBSTRINGS.search(field), dict(_LIMIT.findall(field))
    if truth is None:
        return _COMPARING.search(field) is not None
    if "RegexMatch" in field:
        plain = _PLAIN_PATTERN.search(field)
        return plain is None or plain[1] not in truth[0]
    if "Contains(" not in field and ("ContainsAny" in field or "ContainsAll" in field):
        parts = [] if substrings is None else _STRING.findall(substrings[1])
        return not parts or not all(part[1:-1] and part[1:-1].casefold() in truth[0].casefold() for part in parts)
    if "NumericRange" in field and len(limits) == 2 and _NUMBER.fullmatch(truth[2] or ""):
        return not float(limits["min"]) <= float(truth[2]) <= float(limits["max"])
    return _COMPARING.search(field) is not None


def contradiction(source: str, reference: str) -> str | None:
    """Return why a reference answer cannot be the ground truth of the only field of a template, None if it can.

    References that are longer than a few words are not compared.
    """
    if len(reference) > _LONGEST or source.count("VerifiedField(") != 1:
        return None
    words = reference.split()
    raw = " ".join(words).rstrip(".")
    truths = [*_truths(source)] if 0 < len(words) <= _WORDS else []
    if len(truths) != 1 or not raw:
        return None
    plain, wanted = (truths[0][1] or truths[0][2]).strip("\"'").casefold(), raw.casefold()
    if plain == wanted or not _may_differ(raw, plain, is_text=bool(truths[0][1]), is_literal="Literal[" in source):
        return None
    template = read_template(source)
    field = template.fields[0] if len(template.fields) == 1 else None
    if field is None or template.plain_fields or template.custom_code:
        return None
    if field.is_trace or field.ground_truth is None or _is_conditional(field):
        return None
    value = _stated(raw, field)
    if value is None or _is_close(value, field):
        return None
    result = _judged(template, field, {field.name: value})
    if result is None or result.passed is not False:
        return None
    return (
        f"{brief(value)} does not pass the template, whose ground truth for {field.name} is {brief(field.ground_truth)}"
    )


def _truths(source: str) -> Iterator[re.Match[str]]:
    """Yield the ground truths in the text of a template with one field."""
    for mark in ("VerifiedField(", "ground_truth"):
        at = source.find(mark)
        while at >= 0:
            truth = _TRUTH.match(source, at)
            if truth is not None:
                yield truth
            at = source.find(mark, at + len(mark) if truth is None else truth.end())


def _is_close(value: JsonValue, field: TemplateField) -> bool:
    """Return whether a number is well within a plain tolerance."""
    tolerance, truth = field.parameters.get("tolerance"), field.ground_truth
    if not all(isinstance(one, int | float) for one in (value, tolerance, truth)) or "unit" in field.parameters:
        return False
    scale = 1 if field.parameters.get("mode") == "absolute" else abs(truth)  # type: ignore[arg-type] # a number
    return field.primitive == "NumericTolerance" and abs(value - truth) < tolerance * scale  # type: ignore[operator]


def _may_differ(raw: str, truth: str, *, is_text: bool, is_literal: bool) -> bool:
    """Return whether a reference answer can contradict a ground truth, as far as their texts show."""
    if is_text:
        is_within = truth in raw.casefold() or raw.casefold() in truth
        return not is_within and (is_literal or truth[:1].isdigit() or _are_other_words(raw, truth))
    numbers = _NUMBER.findall(raw)
    return raw.casefold() in BOOLEAN_WORDS or (len(numbers) == 1 and _NUMBER.fullmatch(truth) is not None)


def _are_other_words(raw: str, truth: str) -> bool:
    """Return whether two texts are a few plain words, none of them in both: no abbreviations, formulas or scripts."""
    both = [_WORD.findall(text.casefold()) for text in (raw, truth)]
    are_words = all(len(text) > 3 and text.isascii() and not any(map(str.isdigit, text)) for text in (raw, truth))
    return (
        are_words
        and not raw.isupper()
        and all(0 < len(one) <= _WORDS for one in both)
        and set(both[0]).isdisjoint(both[1])
    )


def _stated(raw: str, field: TemplateField) -> JsonValue:
    """Return the value that a reference answer states for a field, None where that is not certain."""
    if field.type in ("int", "float"):
        numbers = _NUMBER.findall(raw)
        is_plain = len(numbers) == 1 and len(raw.split()) <= _WORDS
        number = float(numbers[0].replace(",", "")) if is_plain else None
        if number is None or (numbers[0] != raw and _is_other_unit(number, field.ground_truth)):
            return None
        return int(number) if number == int(number) else number
    if field.type == "bool":
        return BOOLEAN_WORDS.get(raw.casefold())
    if field.type == "literal":
        return next((each for each in field.literal_values or () if each.casefold() == raw.casefold()), None)
    truth = field.ground_truth
    is_compared = field.type == "str" and isinstance(truth, str) and field.primitive == "ExactMatch"
    return raw if is_compared and not str(truth).isupper() and _are_other_words(raw, str(truth)) else None


def _is_other_unit(number: float, truth: JsonValue) -> bool:
    """Return whether a number may be the ground truth in another unit: as much, by a power of ten."""
    if isinstance(truth, bool) or not isinstance(truth, int | float) or not number or not truth:
        return False
    return f"{abs(number):e}".split("e")[0] == f"{abs(truth):e}".split("e")[0]
