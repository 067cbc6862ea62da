"""Forms: what a single value has to look like, each under the name that `ck:wellFormed` gives it in the shapes.

An RDF term is judged as the JSON value that it stands for. A form is a function that returns what is wrong with a
value, or None. It judges only what it is about: where another rule asks for text, a value that is no text is let
through, so that one fault is one finding. Nothing in a document is run: Python text is parsed, regular expressions are
compiled.
"""

from __future__ import annotations

import base64
import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson
from rdflib import Literal, URIRef

from checkpoint_ld.constraints import names, secrets, templates
from checkpoint_ld.dialects.properties import container
from checkpoint_ld.documents.values import base64_bytes, is_iso_8601
from checkpoint_ld.graph.literals import (
    DATETIME,
    RDF_JSON,
    XSD_BOOLEAN,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_FLOAT,
    XSD_INTEGER,
    XSD_STRING,
)
from checkpoint_ld.graph.naming import is_iri
from checkpoint_ld.phrases import given, is_boolean_like, number, numeric_text, shown
from checkpoint_ld.templates.source_text import code_told, pattern_fault, python_fault
from checkpoint_ld.vocabulary import TRAIT_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from rdflib.term import Node


_TEXTS = frozenset({XSD_STRING, URIRef(DATETIME)})
_FLOATS = frozenset({XSD_DOUBLE, XSD_FLOAT, XSD_DECIMAL})


OBJECT = object()
"""What stands for a node: its IRI is a text to Python, and nothing that the document says."""


def value_of(term: Node) -> Any:
    """Return the JSON value of a literal, its text where it is ill-formed; OBJECT for a node."""
    if not isinstance(term, Literal):
        return OBJECT
    datatype = term._datatype  # noqa: SLF001 - this is asked of every value, and the property takes twice as long
    return str(term) if datatype is None or datatype in _TEXTS else _value(str(term), datatype)


@lru_cache(maxsize=256)
def contained(text: str) -> Any:
    """Return the object or array that a text spells, None for any other text; it is shared, and never changed.

    As `container`, in less than half of its time where the text is written as Karenina or its GUI writes it: what comes
    out as the very same text again has lost nothing. Of most texts that shows without writing them.
    """
    try:
        value = orjson.loads(text)
        is_usual = _is_whole(value, text) or _written(value) == text or orjson.dumps(value).decode() == text
    except (ValueError, RecursionError, TypeError):
        is_usual = False
    return value if is_usual and isinstance(value, (dict, list)) else container(text)


def _is_whole(value: Any, text: str) -> bool:
    """Tell whether a text surely spells an object without objects in it, or an array of such, and no key repeats.

    In a text that has no space before a colon, there is a quote before the colon of every key: as many as keys.
    """
    keys = 0
    for one in value if type(value) is list else (value,):
        if type(one) is not dict or not _UNCHANGED.issuperset(map(type, one.values())):
            return False
        keys += len(one)
    return text.count('":') == keys and " :" not in text and text.isprintable()


_UNCHANGED = frozenset((str, bool, type(None)))
"""The types of values that are spelt in one way only."""
_written = json.JSONEncoder(check_circular=False).encode


@lru_cache(maxsize=4096)
def _value(text: str, datatype: object) -> Any:
    try:
        if datatype == RDF_JSON:
            return json.loads(text)
        if datatype == XSD_BOOLEAN:
            return {"true": True, "1": True, "false": False, "0": False}[text]
        if datatype == XSD_INTEGER:
            return int(text)
        if datatype in _FLOATS:
            return float(text)
    except (ValueError, KeyError, RecursionError):
        pass
    return text


QUESTION_DATA = (
    *("question", "raw_answer", "keywords", "tags", "few_shot_examples", "date_created", "date_modified"),
    *("answer_template", "answer_notes", "author", "sources", "custom_metadata", "question_rubric"),
    *("question_dynamic_rubric", "workspace_path", "id"),
)
"""The members that Karenina takes; any other makes it refuse the file."""

_STATE_CHECK = "state_check"

_ABSOLUTE = re.compile(r"[/\\~]|[A-Za-z]:")


def objects(value: Any) -> str | None:
    """Say which entry of an array, or of JSON text of one, is no object."""
    for at, entry in enumerate(_entries(value)):
        if not isinstance(entry, dict):
            return f"entry {at} is {shown(entry)}"
    return None


def text_objects(value: Any) -> str | None:
    """Say which entry of an array, or of JSON text of one, is no object whose values are texts."""
    for at, entry in enumerate(_entries(value)):
        if not isinstance(entry, dict):
            return f"entry {at} is {shown(entry)}"
        odd = next((key for key, one in entry.items() if not isinstance(one, str)), None)
        if odd is not None:
            return f"{shown(odd)} of entry {at} is {shown(entry[odd])}"
    return None


def relative_path(value: Any) -> str | None:
    """Say why a text is no path to a place below a folder, on any system."""
    if not isinstance(value, str):
        return None
    if _ABSOLUTE.match(value):
        return "it does not start in the folder"
    return "it leaves the folder" if ".." in re.split(r"[/\\]", value) else None


def _entries(value: Any) -> list[Any]:
    found = contained(value) if isinstance(value, str) else value
    return found if isinstance(found, list) else []


def question_data(value: Any) -> str | None:
    """Say what keeps Karenina from reading `questionData`."""
    if not isinstance(value, dict):
        return None if value is None else f"it is {shown(value)}, not an object"
    for member in ("question", "raw_answer"):
        if not isinstance(value.get(member), str) or not value[member]:
            return f"{member} is {given(value.get(member))}"
    odd = next((member for member in value if member not in QUESTION_DATA), None)
    if odd is None:
        return None
    near = names.nearest(odd, QUESTION_DATA)
    return f"Karenina knows no member {shown(odd)}" + (f"; did you mean {near}?" if near else "")


def state_check(value: Any) -> str | None:
    """Say what is wrong with the condition of an edge, a state check or an array of them; null says there is none."""
    for check in value if isinstance(value, list) else [] if value is None else [value]:
        if not isinstance(check, dict):
            return f"it is {shown(check)}, not an object"
        if check.get("type", _STATE_CHECK) != _STATE_CHECK:
            return f"its type is {shown(check.get('type'))}, not {_STATE_CHECK}"
        if not isinstance(check.get("field"), str) or not check["field"]:
            return f"its field is {given(check.get('field'))}"
        if "expected" not in check:
            return "it does not say what is expected"
        how = check.get("verify_with")
        if how is not None and not (isinstance(how, dict) and isinstance(how.get("type"), str)):
            return "verify_with names no primitive"
    return None


METRICS = {
    "tp_only": ("precision", "recall", "f1"),
    "full_matrix": ("precision", "recall", "f1", "specificity", "accuracy"),
}
"""The metrics that each evaluation mode can compute."""
CLASS_LIMIT = 20
_IDENTIFIER = re.compile(r"urn:uuid:.|[0-9a-f]{32}\Z", re.DOTALL)


def _text(value: Any) -> str | None:
    """Let objects through, which are nodes, text, and null, which says that there is none."""
    is_other = value is not None and _is_plain(value) and not isinstance(value, str)
    return f"{shown(value)} is no text" if is_other else None


def _text_value(value: Any) -> str | None:
    return None if value is None or _is_text(value) else f"{shown(value)} is no text"


def _not_blank(value: Any) -> str | None:
    return "it is blank" if isinstance(value, str) and value and not value.strip() else None


def _no_text(value: Any) -> str | None:
    return code_told(value, may_be_encoded=False) if _is_text(value) and value else None


def _not_empty(value: Any) -> str | None:
    return "it is empty" if value in (None, "", [], {}) else None


def _number(value: Any) -> str | None:
    is_one = value is None or number(value) is not None or numeric_text(value) is not None
    return None if is_one else f"{shown(value)} is no number"


def _unquoted_number(value: Any) -> str | None:
    return None if numeric_text(value) is None else "the number is written as text"


def _whole(value: Any) -> str | None:
    return "it is no whole number" if isinstance(value, float) and not value.is_integer() else None


def _positive(value: Any) -> str | None:
    stands_for = number(value) if number(value) is not None else numeric_text(value)
    return None if stands_for is None or stands_for > 0 else "it is not above 0"


def _share(value: Any) -> str | None:
    stands_for = number(value)
    return None if stands_for is None or 0 <= stands_for <= 1 else "it is not between 0 and 1"


def _boolean(value: Any) -> str | None:
    is_one = value is None or isinstance(value, bool) or is_boolean_like(value)
    return None if is_one else f"{shown(value)} is no boolean"


def _plain_boolean(value: Any) -> str | None:
    return "it only stands for a boolean" if not isinstance(value, bool) and is_boolean_like(value) else None


def _date(value: Any) -> str | None:
    return None if is_iso_8601(value) else "it is no date in ISO 8601"


def _json_object(value: Any) -> str | None:
    return _json_of(value, dict, "an object")


def _json_array(value: Any) -> str | None:
    return _json_of(value, list, "an array")


def _json_of(value: Any, kind: type, noun: str) -> str | None:
    """Let null through, which says that there is none, and JSON text."""
    is_one = value is None or isinstance(value, kind) or (isinstance(value, str) and isinstance(contained(value), kind))
    return None if is_one else f"{shown(value)} is not {noun}"


def _no_json_text(value: Any) -> str | None:
    return "it is JSON text" if isinstance(value, str) and contained(value) is not None else None


def _unquoted(form: Callable[[Any], str | None]) -> Callable[[Any], str | None]:
    """Return a form that judges an object or array in JSON text as the object or array itself."""
    return lambda value: form(value if _no_json_text(value) is None else contained(str(value)))


def _texts(value: Any) -> str | None:
    if not isinstance(value, list):
        return None if value is None else "it is no array"
    odd = next((one for one in value if not isinstance(one, str)), None)
    return None if all(isinstance(one, str) for one in value) else f"it holds {shown(odd)}"


def _some_texts(value: Any) -> str | None:
    return "it needs one entry or more" if value in (None, []) else _texts(value)


def _kind(value: Any) -> str | None:
    is_one = value is None or (isinstance(value, str) and value in (*TRAIT_KINDS, "binary"))
    return None if is_one else "there is no such kind"


def _kind_or_template(value: Any) -> str | None:
    if not isinstance(value, dict):
        return _kind(value)
    is_template = value.get("type") == "template" and isinstance(value.get("schema"), dict)
    return None if is_template else "the object is not of type template with a schema"


def _kind_spelling(value: Any) -> str | None:
    return "binary is read as boolean" if value == "binary" else None


def _classes(value: Any) -> str | None:
    if not isinstance(value, dict):
        return "it is no object"
    return None if len(value) >= 2 else f"a literal trait needs two, not {len(value)}"


def _class_object(value: Any) -> str | None:
    return None if value is None or isinstance(value, dict) else "it is no object"


def _twenty_classes(value: Any) -> str | None:
    if isinstance(value, dict) and len(value) > CLASS_LIMIT:
        return f"the trait has {len(value)} classes, and Karenina takes {CLASS_LIMIT}"
    return None


def _distinct_classes(value: Any) -> str | None:
    seen: dict[str, str] = {}
    for name in value if isinstance(value, dict) else ():
        if seen.setdefault(name.casefold(), name) != name:
            return f"{shown(seen[name.casefold()])} and {shown(name)}"
    return None


def _described_classes(value: Any) -> str | None:
    for name, description in value.items() if isinstance(value, dict) else ():
        if not name.strip() or not isinstance(description, str) or not description.strip():
            return f"class {shown(name)} has the description {shown(description)}"
    return None


def _metrics(value: Any) -> str | None:
    return _metric_outside(value, METRICS["full_matrix"], "unknown metric {}")


def _tp_metrics(value: Any) -> str | None:
    known = [one for one in value if one in METRICS["full_matrix"]] if isinstance(value, list) else []
    return _metric_outside(known, METRICS["tp_only"], "tp_only cannot compute {}")


def _metric_outside(value: Any, allowed: tuple[str, ...], fault: str) -> str | None:
    for metric in value if isinstance(value, list) else ():
        if isinstance(metric, str) and metric not in allowed:
            near = names.nearest(metric, METRICS["full_matrix"])
            hint = f"; did you mean {near}?" if near not in (None, metric) else ""
            return fault.format(shown(metric)) + hint
    return None


def _agent_model(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None if value is None else f"it is {shown(value)}, not an object"
    from checkpoint_ld.entities.traits import AGENT_INTERFACES  # noqa: PLC0415 - few files need its models

    interface = value.get("interface")
    return None if interface is None or interface in AGENT_INTERFACES else f"its interface is {shown(interface)}"


def _base64(value: Any) -> str | None:
    if not isinstance(value, str) or base64_bytes(value) is not None:
        return None
    try:
        base64.b64decode(value)  # as Karenina does, which skips what does not belong there
    except ValueError:
        return "it fails on the whole rubric when it decodes it"
    return "it decodes it to bytes that do not run"


def _no_code(value: Any) -> str | None:
    return code_told(value) if isinstance(value, str) and value else None


def _question_id(value: Any) -> str | None:
    is_usual = isinstance(value, str) and (not value or _IDENTIFIER.match(value) or is_iri(value))
    return None if is_usual else "it is neither an IRI nor an MD5 digest"


def _iri(value: Any) -> str | None:
    if isinstance(value, str) and not is_iri(value):
        return "it has no scheme" if ":" not in value else "it holds characters that an IRI may not have"
    return None


def _undotted(value: Any) -> str | None:
    return "it has a dot" if isinstance(value, str) and "." in value else None


def _python_spelling(value: Any) -> str | None:
    is_odd = isinstance(value, str) and value != "Python" and value.casefold() == "python"
    return "it is spelt otherwise" if is_odd else None


_python_fault = lru_cache(maxsize=1024)(python_fault)
_pattern_fault = lru_cache(maxsize=1024)(pattern_fault)


def _python(value: Any) -> str | None:
    # Other forms read the template anyway, so that most texts are parsed but once.
    return _python_fault(value) if isinstance(value, str) and not templates.is_read(value) else None


def _regular_expression(value: Any) -> str | None:
    return _pattern_fault(value) if isinstance(value, str) else None


FORMS: Mapping[str, Callable[[Any], str | None]] = {
    "agent-model": _agent_model,
    "answer-class": templates.answer_class,
    "base64": _base64,
    "boolean": _boolean,
    "class-object": _unquoted(_class_object),
    "classes": _unquoted(_classes),
    "complete-template": templates.complete,
    "date": _date,
    "described-classes": _unquoted(_described_classes),
    "distinct-classes": _unquoted(_distinct_classes),
    "iri": _iri,
    "json-array": _json_array,
    "json-object": _json_object,
    "kind": _kind,
    "kind-or-template": _kind_or_template,
    "kind-spelling": _kind_spelling,
    "metrics": _unquoted(_metrics),
    "no-code": _no_code,
    "no-json-text": _no_json_text,
    "no-secret": secrets.secret,
    "no-text": _no_text,
    "not-blank": _not_blank,
    "not-empty": _unquoted(_not_empty),
    "number": _number,
    "objects": objects,
    "plain-boolean": _plain_boolean,
    "positive": _positive,
    "python": _python,
    "python-spelling": _python_spelling,
    "question-data": question_data,
    "question-id": _question_id,
    "regular-expression": _regular_expression,
    "relative-path": relative_path,
    "setting-name": names.odd_setting,
    "share": _share,
    "some-texts": _unquoted(_some_texts),
    "state-check": state_check,
    "template-fields": templates.fields,
    "text": _text,
    "text-objects": text_objects,
    "text-value": _text_value,
    "texts": _unquoted(_texts),
    "tp-metrics": _unquoted(_tp_metrics),
    "twenty-classes": _unquoted(_twenty_classes),
    "undotted": _undotted,
    "unquoted-number": _unquoted_number,
    "whole": _whole,
    "written-template": templates.written,
}
"""All forms by name."""

_OF_TEMPLATES = frozenset((_python, templates.answer_class, templates.complete, templates.fields, templates.written))


def unsettled(
    forms: Sequence[Callable[[Any], str | None]], values: Collection[object]
) -> Sequence[Callable[[Any], str | None]]:
    """Return those of some forms that may find something wrong with one of several values."""
    if secrets.secret in forms and secrets.are_harmless(values):
        forms = [one for one in forms if one is not secrets.secret]
    if not _OF_TEMPLATES.isdisjoint(forms) and templates.are_sound(values):
        forms = [one for one in forms if one not in _OF_TEMPLATES]
    return forms


def _is_text(value: Any) -> bool:
    # The IRI of an object is a str too.
    return type(value) is str


def _is_plain(value: Any) -> bool:
    return value is None or type(value) in (bool, int, float, str, list, dict)
