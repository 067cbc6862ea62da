"""Names that somebody mistyped: keys and settings that nobody knows but that look like one that is known."""

from __future__ import annotations

import difflib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from checkpoint_ld.graph import contexts
from checkpoint_ld.vocabulary import FORMAT_VERSION_PROPERTY, KEYS, SETTINGS, TYPES

if TYPE_CHECKING:
    from rdflib.term import Node

_TELLTALE = {
    "text": "a question, an answer or a template",
    "item": "an element of dataFeedElement",
    "acceptedAnswer": "a question",
    "bestRating": "a rating",
    "worstRating": "a rating",
    "additionalType": "a rating",
    "programmingLanguage": "a template",
    "dataFeedElement": "the root",
}
"""Keys that mean nothing outside their own kind of object, and that kind."""

_ALSO_USUAL = frozenset(
    (
        *("author", "citation", "dateCreated", "dateModified", "datePublished", "description"),
        *("headline", "identifier", "image", "inLanguage", "isBasedOn", "keyword", "keywords"),
        *("license", "name", "namespace", "position", "publisher", "sameAs", "text", "texts"),
        *("title", "url", "version", "answerCount", "suggestedAnswer", "ratingCount"),
        *("reviewRating", "ratings", "termsOfService", "nodeId", "items"),
    )
)
"""Terms of schema.org that are meant as they stand, however much they look like a key of ours."""

_OTHER_SETTINGS = (
    *("rubric_name", "rubric_description", "creator_details", "conversion_metadata", "custom_metadata"),
    "benchmark_version",
)
_LONGEST = 60
_ALIKE = 0.8
_OWN = "custom_"


@lru_cache(maxsize=1 << 17)  # each name is looked up several times in turn, however many there are
def nearest(name: str, known: tuple[str, ...]) -> str | None:
    """Return the known name that `name` most likely stands for, if it looks like any."""
    if len(name) > _LONGEST:
        return None
    folded = _folded(name)
    size, letters = len(folded), set(folded)
    # Of two alike texts of together n letters, n * _ALIKE / 2 letters of each stand in the other. To see which names
    # lack too many different letters takes a twentieth of the time of the whole comparison.
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
    """Return known names as they are compared, each with itself, its length and its letters."""
    folded = {_folded(one): one for one in known}
    return [(other, one, len(other), set(other)) for other, one in folded.items()]


def misspelt(key: str, role: str) -> str | None:
    """Return the key that a key of an object in this role most likely was meant to be."""
    known = KEYS.get(role)
    is_meant = not known or key in known or key in _ALSO_USUAL or key in _TELLTALE
    return None if is_meant else nearest(key, known)


def misplaced(key: str, role: str) -> str | None:
    """Return where a key belongs that stands in an object in this role."""
    return None if key in KEYS.get(role, (key,)) else _TELLTALE.get(key)


def expected_type(kind: Node, role: str) -> str | None:
    """Return the type that an object in this role should have, if `kind` is another."""
    expected = TYPES.get(role)
    return None if expected is None or str(kind) == contexts.expand_name(expected) else expected


def odd_setting(value: Any) -> str | None:
    """Say which setting the name of an additional property most likely was meant to be."""
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
    """Return the key that stands for a property in a checkpoint."""
    return contexts.karenina().base.key_of(str(path))
