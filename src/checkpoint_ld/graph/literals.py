"""Literals: JSON scalars as RDF literals and back, in full precision.

JSON integers are `xsd:integer`, floats are `xsd:double` even when integral. A JSON value that is no scalar is one
`rdf:JSON` literal that keeps the order of its keys. A text that should be a date or a number, and is none, stays text.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from datetime import date, datetime
from decimal import Decimal
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import orjson
import pyoxigraph
from rdflib import Literal, URIRef

from checkpoint_ld.documents import values
from checkpoint_ld.host import without_logs
from checkpoint_ld.vocabulary import ID_BASE, KARENINA, RDF, XSD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rdflib.term import Node


_as_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode

XSD_STRING = URIRef(XSD + "string")
XSD_BOOLEAN = URIRef(XSD + "boolean")
XSD_INTEGER = URIRef(XSD + "integer")
XSD_DECIMAL = URIRef(XSD + "decimal")
XSD_DOUBLE = URIRef(XSD + "double")
XSD_FLOAT = URIRef(XSD + "float")
XSD_DATETIME = URIRef(XSD + "dateTime")
RDF_JSON = URIRef(RDF + "JSON")

DOUBLE = XSD + "double"
DATETIME = XSD + "dateTime"
INTEGER = XSD + "integer"
"""The type coercions of our context. They are plain texts, because a URIRef equals no text."""

TEXT = "@text"
"""The coercion of members whose value is text of any language or datatype."""

_DATETIME = re.compile(
    r"-?([1-9]\d{3,}|0\d{3})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
    r"T(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?|24:00:00(?:\.0+)?)"
    r"(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?",
    re.ASCII,
)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
UNDECIDED = "@json"
"""The coercion of values that JSON-LD processors would change one by one, but not as one JSON literal."""
_TOO_LARGE = 10**21 - 2**16
"""The least integer whose nearest double is 1e21."""
_FOR_TEXTS = frozenset((TEXT, DATETIME, "@json"))
_HOLDERS, _NO_FLOATS = {list, dict}, {str, int, bool, type(None)}
_ALWAYS_KEPT = 15
"""A double keeps so many digits of a number."""
_LONGEST_INTEGER = 4300
"""Python converts no longer numbers by default. Such a literal stays as it is."""


class TypedText(str):
    """A text that has a language tag or a datatype (RDF 1.1 §3.3); it is a plain text to everybody else."""

    language: str | None
    datatype: str | None

    def __new__(cls, text: str, language: str | None = None, datatype: str | None = None) -> TypedText:
        """Make a text with either of both."""
        made = super().__new__(cls, text)
        made.language, made.datatype = language, datatype
        return made

    @property
    def value_object(self) -> dict[str, Any]:
        """The text as a value object (JSON-LD 1.1 §9.5)."""
        return {"@value": str(self), **self.definition}

    @property
    def definition(self) -> dict[str, Any]:
        """The term definition that gives such texts their language (JSON-LD 1.1 §9.15.1)."""
        return {"@language": self.language} if self.language is not None else {"@type": self.datatype}


def plain_of(text: TypedText) -> Any:
    """Return the JSON value that is nearest to a text with a datatype: a number or a boolean, else the text itself."""
    kind = _KINDS.get(URIRef(text.datatype)) if text.datatype is not None else None
    if kind == "boolean" and text in ("1", "0"):
        return text == "1"
    if kind == "integer" and _INTEGER.fullmatch(text) and len(text) <= _LONGEST_INTEGER:
        return int(text)
    number = _number(str(text), kind, DOUBLE)
    return str(text) if number is None else number


def is_datetime(text: str) -> bool:
    """Return whether `text` is in the lexical space of `xsd:dateTime` (XML Schema 1.1 §3.3.7)."""
    found = _DATETIME.fullmatch(text)
    if found is None:
        return False
    year, month, day = found.groups()
    if day <= "28":
        return True
    leap_cycle_year = 2000 + int(year) % 400
    try:
        date(leap_cycle_year, int(month), int(day))
    except ValueError:
        return False
    return True


def is_language(tag: str) -> bool:
    """Return whether `tag` is a language tag (RFC 5646 §2.1)."""
    try:
        pyoxigraph.Literal("", language=tag)
    except ValueError:
        return False
    return True


def double_text(value: float) -> str:
    """Return the canonical lexical form of a double.

    It has as many digits as are needed to read the same double again.
    """
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    if not isinstance(exponent, int):
        msg = f"{value!r} is no number that JSON or RDF can hold"
        raise ValueError(msg)
    text = "".join(map(str, digits)).rstrip("0") or "0"
    power = len(digits) - 1 + exponent if text != "0" else 0
    return f"{'-' if sign else ''}{text[0]}.{text[1:] or '0'}E{power}"


def json_text(value: Any) -> str:
    """Return the text of an `rdf:JSON` literal: no white space, keys in their order, numbers in full."""
    if _is_without_floats(value, 16):
        try:
            return orjson.dumps(value).decode()  # the same without floats, in a third of the time
        except TypeError:  # a key that is no text, a large integer, or half a surrogate pair
            return _as_json(value)
    return _as_json(value)


def _is_without_floats(value: Any, levels: int) -> bool:
    kind = type(value)
    if kind not in _HOLDERS:
        return kind in _NO_FLOATS
    inner = value if kind is list else value.values()
    others = {*map(type, inner)} - _NO_FLOATS
    if not others:
        return True
    if not levels or not others <= _HOLDERS:
        return False
    return all(_is_without_floats(one, levels - 1) for one in inner if type(one) in _HOLDERS)


def literal_of(value: Any, datatype: str | None = None, language: str | None = None) -> Literal:
    """Return the literal of a JSON scalar (or, with the datatype `@json`, of any JSON value).

    Under `xsd:dateTime`, a value that is no date gets its usual datatype. Language tags are written in lower case, as
    RDF 1.1 §3.3 advises; a tag that RFC 5646 does not allow is left out, because RDF cannot hold it.
    """
    if datatype == "@json":
        return _made(json_text(value), RDF_JSON, None, None)
    if datatype == DATETIME:
        dated = _dated(value) if isinstance(value, str) else None
        if dated is not None:
            return dated
        if not (isinstance(value, str) and is_datetime(value)):
            datatype = None
    if isinstance(value, bool):
        return _native("true" if value else "false", datatype, XSD_BOOLEAN, value)
    if isinstance(value, float) or (isinstance(value, int) and datatype == DOUBLE):
        return _native(double_text(float(value)), datatype, XSD_DOUBLE, float(value))
    if isinstance(value, int):
        return _native(str(value), datatype, XSD_INTEGER, value)
    if language is not None:
        return Literal(value, lang=language.lower() if is_language(language) else None)
    if datatype is None or datatype == str(XSD_STRING):
        return text_literal(value)
    return typed(str(value), URIRef(datatype))


class Made(dict[str, "Node"]):
    """Terms by text, each made when it is first needed."""

    def __init__(self, make: Callable[[str], Node]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, text: str) -> Node:
        term = self[text] = self._make(text)
        return term


def text_literal(text: str) -> Literal:
    """Return the literal of a text: the same as `Literal(text)`, in a quarter of the time."""
    return _made(text, None, text, None)


def _dated(text: str) -> Literal | None:
    """Return the literal of a usual date and time: the same as `typed`, in a third of the time."""
    try:
        moment = datetime.fromisoformat(text) if _DATETIME.fullmatch(text) else None
    except ValueError:
        return None
    return None if moment is None else _made(text, XSD_DATETIME, moment, False)


def _native(text: str, datatype: str | None, native: URIRef, value: object) -> Literal:
    return _made(text, native, value, False) if datatype in (None, str(native)) else typed(text, URIRef(datatype))


def _made(text: str, datatype: URIRef | None, value: object, ill_typed: bool | None) -> Literal:
    # These are the last steps of rdflib's constructor. All that it computes before is known here.
    made = str.__new__(Literal, text)
    made._datatype, made._language = datatype, None  # noqa: SLF001 - rdflib has no other way
    made._value, made._ill_typed = value, ill_typed  # noqa: SLF001 - as above
    return made


def typed(text: str, datatype: URIRef) -> Literal:
    """Return a literal with exactly this text.

    rdflib logs a warning for a text without a Python value: a wrong one, but also a year before 1, or 24 o'clock. It is
    silenced here.
    """
    with without_logs("rdflib.term"):
        return Literal(text, datatype=datatype, normalize=False)


def literal(text: str, datatype: URIRef | None, language: str | None) -> Literal:
    """Return a literal from its parts."""
    if datatype is not None:
        return typed(text, datatype)
    return text_literal(text) if language is None else Literal(text, lang=language)


def json_of(literal: Literal, coercion: str | None = None) -> Any:
    """Return the JSON value of a literal under a key with the type coercion `coercion`.

    JSON has no value for decimals, floats, and numbers in another spelling than the usual one; they keep text and
    datatype, except under a key for doubles. A literal that is no JSON scalar becomes a text with its language or
    datatype under a key for texts, dates or JSON, and a JSON-LD value object under any other key.
    """
    text, datatype, language = str(literal), literal.datatype, literal.language
    if language:
        return _typed_text(text, coercion, language=language)
    kind = _KINDS.get(datatype)
    if kind == "string":
        return TypedText(text, None, str(XSD_STRING)) if coercion == DATETIME and is_datetime(text) else text
    if kind == "dateTime" and coercion == DATETIME:
        return text
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    if kind == "JSON":
        is_json, value = _parsed(text)
        if is_json:
            return value if coercion == "@json" else {"@value": value, "@type": "@json"}
    number = _number(text, kind, None if coercion == TEXT else coercion)
    return _typed_text(text, coercion, datatype=str(datatype)) if number is None else number


def _number(text: str, kind: str | None, coercion: str | None) -> int | float | None:
    if kind == "integer" and _INTEGER.fullmatch(text) and len(text) <= _LONGEST_INTEGER:
        if coercion == DOUBLE and math.isfinite(float(text)):
            return float(text)
        number = int(text)
        is_lost = str(number) != text or (coercion is None and not is_small(number))
        return None if is_lost else number
    is_float = kind == "double" or (coercion == DOUBLE and kind == "number")
    if not is_float or not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        return None
    return float(text) if coercion == DOUBLE or not loses_digits(text) else None


def loses_digits(text: str) -> bool:
    """Return whether a text is a number with digits that a double does not keep."""
    if len(text) <= _ALWAYS_KEPT or not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        return False
    return Decimal(text) != Decimal(repr(float(text)))


_KINDS: dict[URIRef | None, str] = {
    None: "string",
    XSD_STRING: "string",
    XSD_DATETIME: "dateTime",
    XSD_BOOLEAN: "boolean",
    RDF_JSON: "JSON",
    XSD_INTEGER: "integer",
    XSD_DOUBLE: "double",
    XSD_DECIMAL: "number",
    XSD_FLOAT: "number",
}
"""Datatypes that JSON has values for. They are keys of a dictionary, because rdflib compares names slowly."""


def _typed_text(text: str, coercion: str | None, *, language: str | None = None, datatype: str | None = None) -> Any:
    made = TypedText(text, language, datatype)
    return made if coercion in _FOR_TEXTS else made.value_object


def _parsed(text: str) -> tuple[bool, Any]:
    """Return whether a text is JSON (RFC 8259) that is written again unchanged, and its value."""
    try:
        value = orjson.loads(text)
        if orjson.dumps(value).decode() == text:  # no key stands twice, and no number changes
            return True, value
    except (ValueError, TypeError):
        pass
    try:
        return True, values.STRICT.decode(text)
    except (ValueError, RecursionError):
        return False, None


_AS_THEY_ARE = frozenset((str, bool, dict, type(None)))
"""Types of values that every JSON-LD processor reads unchanged."""


def native_coercion(value: Any) -> str | None:
    """Return the type coercion that a member needs so that JSON-LD processors read its numbers unchanged.

    They read a double without fraction as an integer, and an integer from 1e21 on as a double (JSON-LD 1.1 API §8.6).
    Doubles alone need their datatype; numbers among other values become one JSON literal. None if no coercion is
    needed, or none helps because there are objects among the values.
    """
    kinds = {*map(type, value)} if type(value) is list else {type(value)}
    if kinds <= _AS_THEY_ARE:
        return None
    found = [*_scalars_of(value)]
    scalars = [one for one in found if not isinstance(one, dict)]
    if not any(map(_is_taken_for_another, scalars)):
        return None
    if all(isinstance(one, float) for one in scalars):
        return DOUBLE
    return UNDECIDED if len(scalars) == len(found) else None


def _scalars_of(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for one in value:
            yield from _scalars_of(one)
    else:
        yield value


def _is_taken_for_another(one: Any) -> bool:
    if isinstance(one, float):
        return one.is_integer() or "." not in repr(one)  # jsonld.js looks for a point, and reads 1e-7 as the integer 0
    return isinstance(one, int) and not is_small(one)


def is_small(number: int) -> bool:
    """Return whether JSON-LD processors read an integer as an integer, not as a double (JSON-LD 1.1 API §8.6)."""
    return abs(number) < _TOO_LARGE


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are the same, types of scalars included: `1` is not `1.0`, nor `true`."""
    return values.same(one, other, exact=True)


ROOT_PREFIX = "urn:karenina:sha256:"
_OURS = (ROOT_PREFIX, ID_BASE)
"""The beginnings of names that are not written back as `@id`, or as a shorter one."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
# What may stand in a path without escape (RFC 3987 §2.2), less the bidirectional formatting characters (§4.1), and less
# the byte order mark: it is white space in JavaScript, and jsonld.js drops statements about a name with white space.
_PATH = r"A-Za-z0-9\-._~!$&'()*+,;=@" + "\u00a0-\u200d\u2010-\u2027\u2030-\ud7ff\uf900-\ufdcf\ufdf0-\ufefe\uff00-\uffef"
# White space of other scripts is legal in an IRI, but rdflib's N-Triples parser stops at it.
_NOT_IN_SEGMENT = rf"[^{_PATH}]|\s"
_NOT_IN_POINTER = rf"[^{_PATH}/:?]|\s"
_NOT_IN_RELATIVE = rf"[^{_PATH}/]|\s"
_DOT_SEGMENT = re.compile(r"(?:^|/)\.{0,2}(?:/|$)")
_NOT_FOR_RDFLIB = re.compile(r'[<>"{}|\\^`\x00-\x20\x7f-\xa0\u200e\u200f\u2028-\u202e\ufeff]|\s')


def is_iri(text: str) -> bool:
    """Return whether `text` is an absolute IRI (RFC 3987) that every RDF library accepts in every syntax."""
    if _NOT_FOR_RDFLIB.search(text):
        return False
    try:
        pyoxigraph.NamedNode(text)
    except ValueError:
        return False
    return True


def iri_of(identifier: str) -> str:
    """Return the IRI for the text of an `@id`.

    An IRI stands for itself. Any other text is escaped so that `text_of` returns it: percent-encoded if it has a
    scheme, appended to a fixed base if it is relative. Fragments of a `urn:`, and whatever else looks like a place in a
    document, are escaped too. So no `@id` gives a name that we mint.
    """
    if identifier.startswith("karenina:"):
        identifier = KARENINA + identifier[len("karenina:") :]
    scheme = _SCHEME.match(identifier)
    if scheme is None:
        return ID_BASE + _escaped(_NOT_IN_SEGMENT if _DOT_SEGMENT.search(identifier) else _NOT_IN_RELATIVE, identifier)
    is_urn = scheme.group().lower() == "urn:"
    if is_iri(identifier) and not ("#" in identifier if is_urn else "#/" in identifier):
        return identifier
    candidate = scheme.group() + _escaped(_NOT_IN_POINTER, identifier[scheme.end() :])
    return candidate if is_iri(candidate) else under_base(identifier)


def under_base(identifier: str) -> str:
    """Return an IRI for any text, so that `text_of` returns the text."""
    return ID_BASE + escaped(identifier)


def escaped(text: str) -> str:
    """Return any text as one segment of an IRI; percent-decoding restores it."""
    return _escaped(_NOT_IN_SEGMENT, text)


def text_of(iri: str) -> str:
    """Return the text of the `@id` that `iri_of` escaped."""
    return unquote(iri.removeprefix(ID_BASE))


def child_of(name: str, *tokens: str | int) -> str:
    """Mint the name of the object at the JSON Pointer `tokens` below the object called `name`."""
    return below(name.replace("#", "%23") + "#", *tokens)


def below(stem: str, *tokens: str | int) -> str:
    """Mint the name of the object at `tokens` below a place whose own name has the prefix `stem`."""
    return stem + "".join(f"/{token if isinstance(token, int) else _token(token)}" for token in tokens)


@lru_cache(maxsize=4096)
def _token(token: str) -> str:
    return _escaped(_NOT_IN_POINTER, token.replace("~", "~0").replace("/", "~1"))


def root_of(tree: dict[str, Any]) -> str:
    """Mint the name of a root without `@id`; it depends on the content, and not on the order of keys."""
    content = {key: value for key, value in tree.items() if key != "@context"}
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return ROOT_PREFIX + hashlib.sha256(text.encode("ascii")).hexdigest()


BLANK_PREFIX = ID_BASE + "_%3A"
"""The beginning of the name that the label of a blank node gives without regard to its document."""


def in_document(name: str, root: str) -> str:
    """Return the name of a node in the document of `root`; only labels of blank nodes depend on it (RDF 1.1 §3.4).

    Such a name is minted from that of the root and the label: `urn:uuid:bench-1#/_:b0`.
    """
    if not name.startswith(BLANK_PREFIX):
        return name
    base, mark, pointer = name.partition("#/")
    return child_of(root, text_of(base)) + (f"/{pointer}" if mark else "")


def label_of(iri: str) -> str | None:
    """Return the label of a blank node in a name that `in_document` minted, None for any other name."""
    token = last_token(iri) if "#/_:" in iri else ""
    return token if token.startswith("_:") and iri.partition("#/")[2].count("/") == 0 else None


def is_minted(iri: str) -> bool:
    """Return whether `iri` is a name by place or by content."""
    return "#/" in iri or iri.startswith(ROOT_PREFIX)


def restores_identifier(name: str, identifier: str) -> bool:
    """Return whether the `@id` of an object can be read from the name of its node alone."""
    return name == identifier and not name.startswith(_OURS)


def last_token(iri: str) -> str:
    """Return the last token of the JSON Pointer in a minted name: an index, or the key in a map."""
    return _text_of_token(iri.rpartition("#")[2].rpartition("/")[2])


def parted(iri: str) -> tuple[str, tuple[str, ...]]:
    """Return the name and the tokens from which `child_of` made `iri`; another name is returned with no tokens."""
    name, mark, pointer = iri.partition("#/")
    return (name, tuple(map(_text_of_token, pointer.split("/")))) if mark else (iri, ())


def owners_of(iri: str) -> tuple[str, ...]:
    """Return the names from which `child_of` may have made `iri`: one, or more if a `#` may have been escaped."""
    stem = iri.partition("#/")[0]
    return stem, *(f"{stem[: one.start()]}#{stem[one.end() :]}" for one in re.finditer("%23", stem))


def part_of(iri: str, *tokens: str | int) -> str:
    """Mint the name of a place below the object called `iri`, whose own name may be minted too."""
    return below(iri, *tokens) if "#/" in iri else child_of(iri, *tokens)


def _text_of_token(token: str) -> str:
    return unquote(token).replace("~1", "/").replace("~0", "~")


def _escaped(forbidden: str, text: str) -> str:
    if text.isascii() and text.isalnum():
        return text
    return _pattern(forbidden).sub(lambda match: "".join(f"%{byte:02X}" for byte in match.group().encode()), text)


@cache
def _pattern(forbidden: str) -> re.Pattern[str]:
    """Compile one of the patterns above when it is first needed, because that takes long."""
    return re.compile(forbidden)
