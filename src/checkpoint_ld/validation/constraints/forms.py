"""Forms: the required form of a single value, each under the name that `ck:wellFormed` gives it in the shapes.

An RDF term is checked as its JSON value. A form is a function that returns what is wrong with a value, or None. It
checks only its own subject: if another rule requires text, a value that is no text passes, so that one fault is one
finding. Nothing in a document is run: Python text is parsed, regular expressions are compiled. Unknown keys and
settings are compared with known ones.
"""

from __future__ import annotations

import base64
import difflib
import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson
from rdflib import Literal

from checkpoint_ld import secrets
from checkpoint_ld.dialects.dialect import container
from checkpoint_ld.dialects.traits import LEGACY_PROPERTIES
from checkpoint_ld.documents.values import base64_bytes, is_iso_8601
from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.literals import (
    RDF_JSON,
    XSD_BOOLEAN,
    XSD_DATETIME,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_FLOAT,
    XSD_INTEGER,
    XSD_STRING,
    is_iri,
)
from checkpoint_ld.phrases import is_boolean_like, number, numeric_text, quantity, shown
from checkpoint_ld.templates.template import code_message, pattern_fault, python_fault
from checkpoint_ld.validation.constraints import models, templates
from checkpoint_ld.vocabulary import FORMAT_VERSION_PROPERTY, KEYS, SETTINGS, TRAIT_KINDS, TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rdflib.term import Node

_KEYS_OF_OTHERS = {
    "text": "a question, an answer or a template",
    "item": "an element of dataFeedElement",
    "acceptedAnswer": "a question",
    "bestRating": "a rating",
    "worstRating": "a rating",
    "additionalType": "a rating",
    "programmingLanguage": "a template",
    "dataFeedElement": "the root",
}
"""Keys that have a meaning only in one kind of object, and that kind."""

_PLAIN_RUBRIC = "globalRubric"
"""A member of old files that has a rule of its own."""

_ALSO_USUAL = frozenset(
    (
        *("author", "citation", "dateCreated", "dateModified", "datePublished", "description"),
        *("headline", "identifier", "image", "inLanguage", "isBasedOn", "keyword", "keywords"),
        *("license", "name", "namespace", "position", "publisher", "sameAs", "text", "texts"),
        *("title", "url", "version", "answerCount", "suggestedAnswer", "ratingCount"),
        *("reviewRating", "ratings", "termsOfService", "nodeId", "items"),
    )
)
"""Terms of schema.org that are no misspellings, although they resemble a key of ours."""

_OTHER_SETTINGS = (
    *("rubric_name", "rubric_description", "creator_details", "conversion_metadata", "custom_metadata"),
    *("benchmark_version", *LEGACY_PROPERTIES),
)
_LONGEST = 60
_ALIKE = 0.8
_OWN = "custom_"


@lru_cache(maxsize=1 << 17)  # several rules look up each name one after the other
def nearest(name: str, known: tuple[str, ...]) -> str | None:
    """Return the known name that is most similar to `name`, if any is similar enough."""
    if len(name) > _LONGEST:
        return None
    folded = _folded(name)
    size, letters = len(folded), set(folded)
    # Two similar texts of n letters together share n * _ALIKE / 2 letters or more. To exclude names that lack too many
    # different letters takes a twentieth of the time of the whole comparison.
    candidates = {
        other: one
        for other, one, length, others in _searched(known)
        if len(letters - others) <= size - (needed := int((size + length) * _ALIKE / 2))
        and len(others - letters) <= length - needed
    }
    near = difflib.get_close_matches(folded, candidates, n=1, cutoff=_ALIKE) if candidates else ()
    return candidates[near[0]] if near else None


def _folded(name: str) -> str:
    return name.casefold().replace("_", "")


@lru_cache(maxsize=64)
def _searched(known: tuple[str, ...]) -> list[tuple[str, str, int, set[str]]]:
    """Return known names in the form in which they are compared, each with its original, length and letters."""
    folded = {_folded(one): one for one in known}
    return [(other, one, len(other), set(other)) for other, one in folded.items()]


def misspelt(term: object, role: str) -> str | None:
    """Return the key that is probably meant by an unknown key of an object in this role."""
    key, known = str(term), KEYS.get(role)
    is_meant = not known or key in known or key in _ALSO_USUAL or key in _KEYS_OF_OTHERS
    return None if is_meant else nearest(key, known)


def misplaced(term: object, role: str) -> str | None:
    """Return the kind of object that a key belongs to, if it is not one in this role."""
    key = str(term)
    return None if key in KEYS.get(role, (key,)) else _KEYS_OF_OTHERS.get(key)


def unfamiliar(term: object, role: str) -> str | None:
    """Return a key that no object in this role has, unless another key or another place is probably meant."""
    key, known = str(term), KEYS.get(role, ())
    is_meant = not known or key in known or key == _PLAIN_RUBRIC or misplaced(key, role) or misspelt(key, role)
    return None if is_meant else key


def expected_type(kind: Node, role: str) -> str | None:
    """Return the type that an object in this role should have, if `kind` is another one."""
    expected = TYPES.get(role)
    return None if expected is None or str(kind) == contexts.expand_name(expected) else expected


def setting_fault(value: Any) -> str | None:
    """Return which setting is probably meant by the unknown name of an additional property."""
    if not isinstance(value, str) or value.startswith(_OWN) or value in _KNOWN_SETTINGS:
        return None
    near = nearest(value, _SETTINGS)
    return f"did you mean {near}?" if near else None


_SETTINGS: tuple[str, ...] = (
    *(name for names in SETTINGS.values() for name in names),
    *_OTHER_SETTINGS,
    FORMAT_VERSION_PROPERTY,
)
_KNOWN_SETTINGS = frozenset(_SETTINGS)


def key_of(path: Node) -> str:
    """Return the key of a property in a checkpoint."""
    return contexts.karenina().base.key_of(str(path))


Form: TypeAlias = "Callable[[Any], str | None]"

_TEXTS = frozenset({XSD_STRING, XSD_DATETIME})
_FLOATS = frozenset({XSD_DOUBLE, XSD_FLOAT, XSD_DECIMAL})


OBJECT = object()
"""The value of a node. Its IRI would be a text in Python, and is no value of the document."""


def value_of(term: Node) -> Any:
    """Return the JSON value of a literal, its text if it is ill-formed, and OBJECT for a node."""
    if not isinstance(term, Literal):
        return OBJECT
    datatype = term._datatype  # noqa: SLF001 - read for every value, in half the time of the property
    return str(term) if datatype is None or datatype in _TEXTS else _value(str(term), datatype)


@lru_cache(maxsize=256)
def contained(text: str) -> Any:
    """Return the object or array in a JSON text, None for any other text; it is shared, and must not be changed.

    This is `container` in less than half of its time for text in the layout of Karenina or its GUI: if writing the
    value gives the very same text, nothing is lost. For most texts this is certain without writing them.
    """
    try:
        value = orjson.loads(text)
        is_usual = _is_whole(value, text) or _written(value) == text or orjson.dumps(value).decode() == text
    except (ValueError, RecursionError, TypeError):
        is_usual = False
    return value if is_usual and isinstance(value, (dict, list)) else container(text)


def _is_whole(value: Any, text: str) -> bool:
    """Return whether a text certainly holds an object, or an array of objects, with no nesting and no repeated key.

    If no colon follows a space, a quote precedes the colon of every key. So there are as many of these as keys.
    """
    keys = 0
    for one in value if type(value) is list else (value,):
        if type(one) is not dict or not _UNCHANGED.issuperset(map(type, one.values())):
            return False
        keys += len(one)
    return text.count('":') == keys and " :" not in text and text.isprintable()


_UNCHANGED = frozenset((str, bool, type(None)))
"""The types of values that have only one form in JSON."""
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


_ABSOLUTE = re.compile(r"[/\\~]|[A-Za-z]:")


def objects(value: Any) -> str | None:
    """Return which entry of an array, possibly in JSON text, is no object."""
    found = enumerate(_entries(value))
    return next((f"entry {at} is {shown(entry)}" for at, entry in found if not isinstance(entry, dict)), None)


def text_objects(value: Any) -> str | None:
    """Return which entry of an array, possibly in JSON text, is no object whose values are texts."""
    for at, entry in enumerate(_entries(value)):
        if not isinstance(entry, dict):
            return f"entry {at} is {shown(entry)}"
        wrong = next((key for key, one in entry.items() if not isinstance(one, str)), None)
        if wrong is not None:
            return f"{shown(wrong)} of entry {at} is {shown(entry[wrong])}"
    return None


def relative_path(value: Any) -> str | None:
    """Return why a text is no path to a place below a folder, on any system."""
    if not isinstance(value, str):
        return None
    if _ABSOLUTE.match(value):
        return "it does not start in the folder"
    return "it leaves the folder" if ".." in re.split(r"[/\\]", value) else None


def _entries(value: Any) -> list[Any]:
    found = contained(value) if isinstance(value, str) else value
    return found if isinstance(found, list) else []


METRICS = {
    "tp_only": ("precision", "recall", "f1"),
    "full_matrix": ("precision", "recall", "f1", "specificity", "accuracy"),
}
"""The metrics that each evaluation mode can compute."""
CLASS_LIMIT = 20
_IDENTIFIER = re.compile(r"urn:uuid:.|[0-9a-f]{32}\Z", re.DOTALL)


def _fault(message: str, is_faulty: Callable[[Any], object]) -> Form:
    """Return a form that reports `message` if a function returns false; {} in the message is replaced by the value."""
    return lambda value: message.format(shown(value)) if is_faulty(value) else None


def _is_json(value: Any, kinds: type | tuple[type, ...] = (dict, list)) -> bool:
    """Return whether a text is an object or an array in JSON."""
    return isinstance(value, str) and isinstance(contained(value), kinds)


def _unquoted(form: Form) -> Form:
    """Return a form that checks an object or array in JSON text like the object or array itself."""
    return lambda value: form(contained(value) if _is_json(value) else value)


def _of_json(kind: type, noun: str) -> Form:
    """Return a form for objects or for arrays, which may be JSON text; null counts as absent."""
    return _fault(
        f"{{}} is not {noun}", lambda value: not (value is None or isinstance(value, kind) or _is_json(value, kind))
    )


def _texts(value: Any) -> str | None:
    if not isinstance(value, list):
        return None if value is None else "it is no array"
    wrong = next((one for one in value if not isinstance(one, str)), None)
    return None if all(isinstance(one, str) for one in value) else f"it holds {shown(wrong)}"


def _some_texts(value: Any) -> str | None:
    return "it needs one entry or more" if value in (None, []) else _texts(value)


def _kind(value: Any) -> str | None:
    is_one = value is None or (isinstance(value, str) and value in (*TRAIT_KINDS, "binary"))
    return None if is_one else "there is no such kind"


def _template_kind(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    is_template = value.get("type") == "template" and isinstance(value.get("schema"), dict)
    return None if is_template else "the object is not of type template with a schema"


def _classes(value: Any) -> str | None:
    if not isinstance(value, dict):
        return "it is no object"
    return None if value else "a literal trait needs two, not 0"


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
        if isinstance(description, str) and not (name.strip() and description.strip()):
            return f"class {shown(name)} has the description {shown(description)}"
    return None


def _text_classes(value: Any) -> str | None:
    for name, description in value.items() if isinstance(value, dict) else ():
        if not isinstance(description, str):
            return f"class {shown(name)} has the description {shown(description)}"
    return None


def _tp_metrics(value: Any) -> str | None:
    known = [one for one in value if one in METRICS["full_matrix"]] if isinstance(value, list) else []
    return _metric_outside(known, METRICS["tp_only"], "tp_only cannot compute {}")


def _metric_outside(value: Any, allowed: tuple[str, ...], fault: str) -> str | None:
    for metric in value if isinstance(value, list) else ():
        if isinstance(metric, str) and metric not in allowed:
            near = nearest(metric, METRICS["full_matrix"])
            hint = f"; did you mean {near}?" if near not in (None, metric) else ""
            return fault.format(shown(metric)) + hint
    return None


def _agent_model(value: Any) -> str | None:
    from checkpoint_ld.entities.traits import AGENT_INTERFACES  # noqa: PLC0415 - few files need its models

    return models.model(value, AGENT_INTERFACES)


def _trait(value: Any) -> str | None:
    from checkpoint_ld.mapping.traits import trait_fault  # noqa: PLC0415 - few files need its models

    return trait_fault(value)


def _base64(value: Any) -> str | None:
    if not isinstance(value, str) or base64_bytes(value) is not None or _undecodable(value) is not None:
        return None
    return "it decodes it to bytes that do not run"


def _undecodable(value: Any) -> str | None:
    """Return why Karenina, which ignores other characters than those of base64, cannot decode a text."""
    try:
        base64.b64decode(value if isinstance(value, str) else "")
    except ValueError as error:
        return str(error)
    return None


def _question_id(value: Any) -> str | None:
    is_usual = isinstance(value, str) and (not value or _IDENTIFIER.match(value) or is_iri(value))
    return None if is_usual else "it is neither an IRI nor an MD5 digest"


def _iri(value: Any) -> str | None:
    if isinstance(value, str) and not is_iri(value):
        return "it has no scheme" if ":" not in value else "it holds characters that an IRI may not have"
    return None


_python_fault = lru_cache(maxsize=1024)(python_fault)
_pattern_fault = lru_cache(maxsize=1024)(pattern_fault)


def _python(value: Any) -> str | None:
    # Other forms read the template anyway. So most texts are parsed only once.
    return _python_fault(value) if isinstance(value, str) and not templates.is_read(value) else None


FORMS: Mapping[str, Form] = {
    "agent-model": _agent_model,
    "answer-class": templates.answer_class,
    "base64": _base64,
    "boolean": _fault(
        "{} is no boolean",
        lambda value: value is not None and not isinstance(value, bool) and not is_boolean_like(value),
    ),
    "class-object": _unquoted(
        _fault("it is no object", lambda value: value is not None and not isinstance(value, dict))
    ),
    "classes": _unquoted(_classes),
    "complete-template": templates.complete,
    "date": _fault("it is no date in ISO 8601", lambda value: isinstance(value, str) and not is_iso_8601(value)),
    "decodable": _undecodable,
    "described-classes": _unquoted(_described_classes),
    "distinct-classes": _unquoted(_distinct_classes),
    "iri": _iri,
    "json-array": _of_json(list, "an array"),
    "json-object": _of_json(dict, "an object"),
    "kind": _kind,
    "kind-name": lambda value: None if isinstance(value, dict) else _kind(value),
    "kind-spelling": _fault("binary is read as boolean", lambda value: value == "binary"),
    "metrics": _unquoted(lambda value: _metric_outside(value, METRICS["full_matrix"], "unknown metric {}")),
    "no-code": lambda value: code_message(value) if isinstance(value, str) and value else None,
    "no-json-text": _fault("it is JSON text", _is_json),
    "no-secret": secrets.secret,
    "no-text": lambda value: code_message(value, may_be_encoded=False) if _is_text(value) and value else None,
    "not-blank": _fault("it is blank", lambda value: isinstance(value, str) and value and not value.strip()),
    "not-empty": _unquoted(_fault("it is empty", lambda value: value in (None, "", [], {}))),
    "number-or-boolean": _fault(
        "{} is no number",
        lambda value: value is not None and not isinstance(value, bool) and quantity(value) is None,
    ),
    "node-models": models.models,
    "objects": objects,
    "outcome-check": models.outcome_check,
    "plain-boolean": _fault(
        "it only stands for a boolean", lambda value: not isinstance(value, bool) and is_boolean_like(value)
    ),
    "positive": _fault("it is not above 0", lambda value: (found := quantity(value)) is not None and not found > 0),
    "python": _python,
    "python-spelling": _fault(
        "it is spelt otherwise",
        lambda value: isinstance(value, str) and value != "Python" and value.casefold() == "python",
    ),
    "question-data": lambda value: models.question_data(value, nearest),
    "question-id": _question_id,
    "regular-expression": lambda value: _pattern_fault(value) if isinstance(value, str) else None,
    "relative-path": relative_path,
    "setting-name": setting_fault,
    "share": _fault(
        "it is not between 0 and 1", lambda value: (found := number(value)) is not None and not 0 <= found <= 1
    ),
    "some-texts": _unquoted(_some_texts),
    "state-check": models.state_check,
    "template-empty-answer": templates.refusing,
    "template-fields": templates.fields,
    "template-kind": _template_kind,
    "template-own-truth": templates.own_truth,
    "template-tolerance": templates.tolerance,
    "template-untold": templates.untold,
    "text": _fault(
        "{} is no text", lambda value: value is not None and _is_plain(value) and not isinstance(value, str)
    ),
    "text-classes": _unquoted(_text_classes),
    "text-objects": text_objects,
    "text-value": _fault("{} is no text", lambda value: value is not None and not _is_text(value)),
    "texts": _unquoted(_texts),
    "tool-filter": models.tool_filter,
    "tp-metrics": _unquoted(_tp_metrics),
    "trait": _trait,
    "twenty-classes": _unquoted(_twenty_classes),
    "two-classes": _unquoted(
        lambda value: "a literal trait needs two, not 1" if isinstance(value, dict) and len(value) == 1 else None
    ),
    "undotted": _fault("it has a dot", lambda value: isinstance(value, str) and "." in value),
    "unquoted-number": _fault("the number is written as text", lambda value: numeric_text(value) is not None),
    "whole": _fault("it is no whole number", lambda value: isinstance(value, float) and not value.is_integer()),
    "written-template": templates.written,
}
"""All forms by name."""

_OF_TEMPLATES = frozenset(
    (
        *(_python, templates.answer_class, templates.complete, templates.fields, templates.written),
        *(templates.own_truth, templates.tolerance, templates.untold, templates.refusing),
    )
)


def faulty(form: Form, values: Sequence[Any]) -> list[int]:
    """Return the indexes of the values that do not have a form."""
    suspects: Iterable[int] = range(len(values))
    if form is secrets.secret and secrets.are_harmless(values):
        return []
    if form in _OF_TEMPLATES:
        suspects = templates.unsound(values)
    return [at for at in suspects if form(values[at]) is not None]


def _is_text(value: Any) -> bool:
    # The IRI of an object is a str too.
    return type(value) is str


def _is_plain(value: Any) -> bool:
    return value is None or type(value) in (bool, int, float, str, list, dict)
