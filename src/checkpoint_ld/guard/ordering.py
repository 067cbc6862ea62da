"""A total order of terms, for ORDER BY, MIN and MAX.

SPARQL 1.1 §15.1 leaves the order of many terms open. Oxigraph compares numbers with texts as texts, and times with and
without an offset only sometimes. Its sorting then depends on the order of the input, and can end the process (a sort
without a total order is a panic). Here, every term has a place:

unbound < blank nodes < IRIs < numbers by value, NaN first < truth values < dates and times by instant, in UTC without
an offset < times of day < durations, a month as 30.436875 days < texts by code point, then by language < all other
literals, by datatype, then by text < statements (RDF 1.2).
"""

from __future__ import annotations

import math
import re
import struct
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple, parse

from checkpoint_ld.vocabulary import XSD

if TYPE_CHECKING:
    from collections.abc import Callable

    from checkpoint_ld.guard.terms import Term

_STRING = XSD + "string"
_END: Final = "\x00"
"""Ends the part of a key that is compared; it sorts before all other characters."""
_LAST: Final = "\U0010ffff"
"""Sorts after all other characters."""

_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_REAL = re.compile(rf"{_DECIMAL.pattern}(?:[eE][+-]?[0-9]+)?")
_SPECIAL = {"NaN": "", "INF": "3", "+INF": "3", "-INF": "0"}
_DATE = r"(?P<year>-?[0-9]{4,})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
_CLOCK = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2}(?:\.[0-9]+)?)"
_ZONE = r"(?P<zone>Z|(?P<sign>[+-])(?P<hours>[0-9]{2}):(?P<minutes>[0-9]{2}))?"
_INSTANT = re.compile(f"{_DATE}(?:T{_CLOCK})?{_ZONE}")
_TIME = re.compile(f"{_CLOCK}{_ZONE}")
_DURATION = re.compile(
    r"(?P<sign>-)?P(?:(?P<years>[0-9]+)Y)?(?:(?P<months>[0-9]+)M)?(?:(?P<days>[0-9]+)D)?"
    r"(?:T(?:(?P<hours>[0-9]+)H)?(?:(?P<minutes>[0-9]+)M)?(?:(?P<seconds>[0-9]+(?:\.[0-9]+)?)S)?)?"
)
_SECONDS = {"years": 31556952, "months": 2629746, "days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}
"""The seconds of the parts of a duration; a year has 365.2425 days, as in the Gregorian calendar on average."""
_POWERS: Final = 5 * 10**19
"""Makes the exponent of any decimal number a number of 20 digits."""
_COMPLEMENTS = str.maketrans("0123456789", "9876543210")


def order_key(term: Term) -> Term:
    """Return a term that Oxigraph sorts, beside the keys of other terms, where `term` belongs.

    Blank nodes, IRIs and most plain strings are their own keys, all others are strings. `term_of_key` is the inverse.
    """
    if not isinstance(term, Literal):
        return Literal(f"{_LAST}{_LAST}{term}") if isinstance(term, Triple) else term
    text, datatype = term.value, term.datatype.value
    if datatype == _STRING:
        return Literal(f"{text}{_END}=") if not text or _END in text or text.startswith(_LAST) else term
    if term.language is not None:
        return Literal(f"{text}{_END}@{term.language}")
    ranked = _RANKS.get(datatype)
    place = None if ranked is None else ranked[1](text)
    if ranked is None or place is None:
        return Literal(f"{_LAST}{datatype} {text}")
    return Literal(f"{_END}{ranked[0]}{place}{_END}^{datatype} {text}")


def term_of_key(key: Term) -> Term:
    """Return the term of a key."""
    if not isinstance(key, Literal):
        return key
    text = key.value
    if text.startswith(_LAST * 2):
        statement = next(parse(f"<urn:x> <urn:x> {text[2:]} .", format=RdfFormat.N_TRIPLES))
        assert isinstance(statement, Quad)  # noqa: S101 - for the type checker
        return statement.object
    if text.startswith(_LAST):
        datatype, _, value = text[1:].partition(" ")
        return Literal(value, datatype=NamedNode(datatype))
    value, end, tail = text.rpartition(_END)
    if not end:
        return key
    if tail[0] == "@":
        return Literal(value, language=tail[1:])
    if tail[0] == "=":
        return Literal(value)
    datatype, _, value = tail[1:].partition(" ")
    return Literal(value, datatype=NamedNode(datatype))


def _of_whole(text: str) -> str | None:
    return _place(Decimal(text)) if _WHOLE.fullmatch(text) else None


def _of_decimal(text: str) -> str | None:
    return _place(Decimal(text)) if _DECIMAL.fullmatch(text) else None


def _of_double(text: str) -> str | None:
    if text in _SPECIAL:
        return _SPECIAL[text]
    return _of_real(float(text)) if _REAL.fullmatch(text) else None


def _of_float(text: str) -> str | None:
    if text in _SPECIAL or not _REAL.fullmatch(text):
        return _SPECIAL.get(text)
    try:
        return _of_real(struct.unpack("f", struct.pack("f", float(text)))[0])
    except OverflowError:
        return _of_real(math.copysign(math.inf, float(text)))


def _of_real(value: float) -> str:
    if math.isinf(value):
        return "3" if value > 0 else "0"
    return _place(Decimal(value))


def _place(number: Decimal) -> str:
    """Return a text that sorts by code point as numbers by value."""
    if not number:
        return "20"
    digits = "".join(map(str, number.as_tuple().digits)).rstrip("0")
    written = f"{number.adjusted() + _POWERS}{digits}"
    return f"21{written}" if number > 0 else f"1{written.translate(_COMPLEMENTS)}~"


def _of_boolean(text: str) -> str | None:
    return {"false": "0", "0": "0", "true": "1", "1": "1"}.get(text)


def _of_instant(text: str) -> str | None:
    found = _INSTANT.fullmatch(text)
    seconds = None if found is None else _seconds(found)
    if found is None or seconds is None:
        return None
    year, month, day = int(found["year"]), int(found["month"]), int(found["day"])
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if (
        not 1 <= month <= 12
        or not 1 <= day <= (31, 29 if is_leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]
    ):
        return None
    # Days of the Gregorian calendar before the first of March of a year, which ends with its leap day.
    years, months = (year, month - 3) if month > 2 else (year - 1, month + 9)
    days = years * 365 + years // 4 - years // 100 + years // 400 + (153 * months + 2) // 5 + day
    return _place(days * 86400 + seconds)


def _of_time(text: str) -> str | None:
    found = _TIME.fullmatch(text)
    seconds = None if found is None else _seconds(found)
    return None if seconds is None else _place(seconds)


def _seconds(found: re.Match[str]) -> Decimal | None:
    """Return the seconds since midnight in UTC, None for an invalid time or offset."""
    seconds = Decimal(0)
    if found["hour"]:
        hour, minute, second = int(found["hour"]), int(found["minute"]), Decimal(found["second"])
        if (hour > 23 or minute > 59 or second >= 60) and not (hour == 24 and minute == second == 0):
            return None
        seconds += hour * 3600 + minute * 60 + second
    if found["sign"]:
        hours, minutes = int(found["hours"]), int(found["minutes"])
        if minutes > 59 or hours * 60 + minutes > 14 * 60:
            return None
        seconds -= int(f"{found['sign']}1") * (hours * 3600 + minutes * 60)
    return seconds


def _of_duration(text: str) -> str | None:
    found = _DURATION.fullmatch(text)
    if found is None or text[-1] in "PT":
        return None
    parts = (Decimal(found[name] or 0) * seconds for name, seconds in _SECONDS.items())
    return _place(sum(parts, Decimal(0)) * (-1 if found["sign"] else 1))


_WHOLE_NAMES = (
    *("integer", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger", "nonPositiveInteger"),
    *("negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
)
_RANKS: dict[str, tuple[int, Callable[[str], str | None]]] = {
    **{XSD + name: (1, _of_whole) for name in _WHOLE_NAMES},
    XSD + "decimal": (1, _of_decimal),
    XSD + "double": (1, _of_double),
    XSD + "float": (1, _of_float),
    XSD + "boolean": (2, _of_boolean),
    XSD + "dateTime": (3, _of_instant),
    XSD + "dateTimeStamp": (3, _of_instant),
    XSD + "date": (3, _of_instant),
    XSD + "time": (4, _of_time),
    XSD + "duration": (5, _of_duration),
    XSD + "dayTimeDuration": (5, _of_duration),
    XSD + "yearMonthDuration": (5, _of_duration),
}
