"""Literals by the letter: lexical forms (XML Schema 2), and the order that SPARQL 1.1 §17.3 gives their values.

rdflib reads texts as Python does: `"1e3"` as a decimal, `" 5"` and `"1_000"` as integers, no years beyond 9999. What
counts here is the pattern of the datatype.
"""

from __future__ import annotations

import re
import struct
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from rdflib import Literal, URIRef

from checkpoint_ld.vocabulary import RDF, XSD

if TYPE_CHECKING:
    from collections.abc import Callable

    from rdflib.term import Node

STRING, LANG_STRING = URIRef(XSD + "string"), URIRef(RDF + "langString")

_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_FLOAT = rf"(?:{_NUMBER}(?:[eE][+-]?[0-9]+)?|[+-]?INF|NaN)"
_ZONE = r"(?P<zone>Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?"
_YEAR = r"(?P<year>-?(?:[1-9][0-9]{3,}|0[0-9]{3}))"
_MONTH, _DAY = r"(?P<month>0[1-9]|1[0-2])", r"(?P<day>0[1-9]|[12][0-9]|3[01])"
_TIME = r"(?P<time>(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?|24:00:00(?:\.0+)?)"
_DAYS = r"(?:[0-9]+D)?(?:T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?"
_NAME = r"[^\W\d][\w.\-\u00b7]*"
_PATTERNS = {
    "boolean": "true|false|1|0",
    "decimal": _NUMBER,
    "double": _FLOAT,
    "float": _FLOAT,
    "dateTime": f"{_YEAR}-{_MONTH}-{_DAY}T{_TIME}{_ZONE}",
    "dateTimeStamp": f"{_YEAR}-{_MONTH}-{_DAY}T{_TIME}{_ZONE[:-1]}",
    "date": f"{_YEAR}-{_MONTH}-{_DAY}{_ZONE}",
    "time": f"{_TIME}{_ZONE}",
    "gYear": f"{_YEAR}{_ZONE}",
    "gYearMonth": f"{_YEAR}-{_MONTH}{_ZONE}",
    "gMonth": f"--{_MONTH}{_ZONE}",
    "gMonthDay": f"--{_MONTH}-{_DAY}{_ZONE}",
    "gDay": f"---{_DAY}{_ZONE}",
    "duration": rf"-?P(?=[0-9T])(?:[0-9]+Y)?(?:[0-9]+M)?{_DAYS}",
    "dayTimeDuration": rf"-?P(?=[0-9T]){_DAYS}",
    "yearMonthDuration": r"-?P(?=[0-9])(?:[0-9]+Y)?(?:[0-9]+M)?",
    "hexBinary": "(?:[0-9a-fA-F]{2})*",
    "base64Binary": "(?:(?:[A-Za-z0-9+/] ?){4})*(?:(?:[A-Za-z0-9+/] ?){3}[A-Za-z0-9+/]"
    "|(?:[A-Za-z0-9+/] ?){2}[AEIMQUYcgkosw048] ?=|[A-Za-z0-9+/] ?[AQgw] ?= ?=)?",
    "normalizedString": r"[^\t\n\r]*",
    "token": r"(?:[^ \t\n\r]+(?: [^ \t\n\r]+)*)?",
    "language": "[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*",
    "Name": f":?{_NAME}(?::[\\w.\\-]*)*|:",
    "NCName": _NAME,
    "NMTOKEN": r"[\w.\-:\u00b7]+",
}
_INTEGERS: dict[str, tuple[int | None, int | None]] = {
    "integer": (None, None),
    "long": (-(2**63), 2**63 - 1),
    "int": (-(2**31), 2**31 - 1),
    "short": (-(2**15), 2**15 - 1),
    "byte": (-128, 127),
    "nonNegativeInteger": (0, None),
    "positiveInteger": (1, None),
    "nonPositiveInteger": (None, 0),
    "negativeInteger": (None, -1),
    "unsignedLong": (0, 2**64 - 1),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedByte": (0, 255),
}
_INTEGER = re.compile(r"[+-]?[0-9]+")
_COMPILED = {name: re.compile(pattern) for name, pattern in _PATTERNS.items()}
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_SHORTEST = "28"
"""The days that each month has."""
_TEXTS = frozenset((XSD + "string", XSD + "anyURI"))
"""The datatypes whose values are all texts."""
_MOST_DIGITS = 4_000
"""Python refuses to read longer integers; their signs and lengths decide."""


def is_well_typed(literal: Literal) -> bool:
    """Return whether the text of a literal is one of its datatype; a datatype that is unknown has any."""
    datatype = literal.datatype
    return datatype is None or form_of(str(datatype))(literal)


@lru_cache(maxsize=256)
def form_of(datatype: str) -> Callable[[Literal], bool]:
    """Return the function that returns whether a literal of a datatype is well typed."""
    name = datatype.removeprefix(XSD)
    if name in _INTEGERS and name != datatype:
        return partial(_is_integer, *_INTEGERS[name])
    pattern = _COMPILED.get(name) if name != datatype else None
    if pattern is None:
        return lambda literal: datatype in _TEXTS or literal.ill_typed is not True
    matched = pattern.fullmatch
    if "day" in pattern.groupindex and "month" in pattern.groupindex:
        return lambda literal: _is_day(matched(literal))
    if name.endswith("uration"):
        return lambda literal: not literal.endswith(("P", "T")) and matched(literal) is not None
    return lambda literal: matched(literal) is not None


def _is_integer(least: int | None, most: int | None, literal: Literal) -> bool:
    if _INTEGER.fullmatch(literal) is None:
        return False
    number = _integer(literal)
    return (least is None or number >= least) and (most is None or number <= most)


def _is_day(date: re.Match[str] | None) -> bool:
    """Return whether a month has the day of a date."""
    if date is None or date["day"] <= _SHORTEST:
        return date is not None
    year = int(date["year"][-_MOST_DIGITS:]) if "year" in date.re.groupindex else 4
    return int(date["day"]) <= _length(year, int(date["month"]))


def _length(year: int, month: int) -> int:
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return _LENGTHS[month - 1] + (month == 2 and is_leap)


def _integer(text: str) -> int | float:
    digits = text.lstrip("+-").lstrip("0")
    if len(digits) > _MOST_DIGITS:
        return float("-inf") if text.startswith("-") else float("inf")
    return int(text)


def holds(compare: Callable[[Any, Any], bool], one: Node, other: Node) -> bool:
    """Return the comparison of two literals by an operator, false if SPARQL cannot compare them (SPARQL 1.1 §17.3)."""
    first, second = _comparable(one), _comparable(other)
    if first is None or second is None or first[0] != second[0]:
        return False
    kind, left, right = first[0], first[1], second[1]
    if kind == "number":
        return compare(*_promoted(left, right))
    if kind in _MOMENTS:
        return _in_order(compare, left, right)
    return compare(left, right)


def _promoted(one: tuple[str, Any], other: tuple[str, Any]) -> tuple[Any, Any]:
    """Return two numbers of the same type: exact ones as they are, others as doubles, or as floats."""
    kinds = {one[0], other[0]}
    if kinds == {"exact"}:
        return one[1], other[1]
    convert = _double if "double" in kinds else _single
    return convert(one[1]), convert(other[1])


def _double(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def _single(number: Any) -> float:
    value = _double(number)
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


_MOMENTS = frozenset(("dateTime", "date", "time"))
_BETWEEN = 14 * 3600


def _in_order(compare: Callable[[Any, Any], bool], one: tuple[Fraction, bool], other: tuple[Fraction, bool]) -> bool:
    """Return the order of two moments; one without an offset is any of 28 hours (XML Schema 2 §3.2.7.4)."""
    if one[1] != other[1] and abs(one[0] - other[0]) <= _BETWEEN:
        return False
    return compare(one[0], other[0])


@lru_cache(maxsize=4096)
def _comparable(term: Node) -> tuple[str, Any] | None:
    """Return the kind of values that a literal is comparable with, and its value; None for one without an order."""
    if not isinstance(term, Literal) or term.language is not None:
        return None
    text = str(term)
    if term.datatype in (None, STRING):
        return "string", text
    if not term.datatype.startswith(XSD) or not is_well_typed(term):
        return None
    name = term.datatype[len(XSD) :]
    if name in _INTEGERS:
        return "number", ("exact", _integer(text))
    if name == "decimal":
        return "number", ("exact", Decimal(text))
    if name in ("double", "float"):
        number = float(text.replace("INF", "inf"))
        return "number", (name, number if name == "double" else _single(number))
    if name == "boolean":
        return name, text in ("true", "1")
    if name == "dateTimeStamp":
        name = "dateTime"
    return (name, _moment(text, name)) if name in _MOMENTS else None


def _moment(text: str, name: str) -> tuple[Fraction, bool]:
    """Return the seconds of a moment since the year 0, in UTC if it states an offset, and whether it does."""
    found = _COMPILED[name].fullmatch(text)
    assert found is not None  # noqa: S101 - it is well typed
    parts = found.groupdict()
    days = 0 if parts.get("day") is None else _days(int(parts["year"]), int(parts["month"]), int(parts["day"]))
    seconds = Fraction(days * 86_400)
    if parts.get("time") is not None:
        hours, minutes, rest = parts["time"].split(":")
        seconds += int(hours) * 3600 + int(minutes) * 60 + Fraction(rest)
        if name == "time":
            seconds %= 86_400
    zone = parts["zone"]
    if zone is None:
        return seconds, False
    if zone != "Z":
        offset = int(zone[1:3]) * 3600 + int(zone[4:6]) * 60
        seconds += offset if zone.startswith("-") else -offset
    return seconds, True


def _days(year: int, month: int, day: int) -> int:
    """Return the days of the proleptic calendar of Gregory before a date."""
    before = year - 1
    leaps = before // 4 - before // 100 + before // 400
    return before * 365 + leaps + sum(_length(year, one) for one in range(1, month)) + day
