"""Coverage: which contexts of documents the compiled plans implement, decided from the context alone.

A document under a covered context is read by its plain keys, with the same statements as by expansion. Any other
document goes through PyLD's expansion as a whole. The list names what is implemented; whatever it does not name, known
or unknown, is not covered.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.contexts import ROOT_TYPE
from checkpoint_ld.graph.literals import DATETIME, DOUBLE, is_iri
from checkpoint_ld.phrases import unknown
from checkpoint_ld.vocabulary import ID_BASE, KARENINA, KEYS, SCHEMA, SCHEMA_HTTP

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from checkpoint_ld.graph.contexts import Definition

PLANS, PYLD = EXPANSIONS = ("plans", "pyld")
"""The ways to expand a document: by the compiled plans where they cover it, or always by PyLD. Both give the same."""

_expansion: ContextVar[str] = ContextVar("expansion", default=PLANS)


@contextmanager
def expanding(by: str | None) -> Iterator[None]:
    """Expand the documents that are read meanwhile, in this thread, in one of `EXPANSIONS`; None changes nothing.

    Raises SettingsError for another way.
    """
    if by is not None and by not in EXPANSIONS:
        raise SettingsError(unknown("expansion", by, EXPANSIONS))
    token = _expansion.set(by or _expansion.get())
    try:
        yield
    finally:
        _expansion.reset(token)


def expansion() -> str:
    """Return the way in which documents are expanded here and now."""
    return _expansion.get()


_NAMESPACES = (SCHEMA, SCHEMA_HTTP)
_KEYWORDS: dict[str, tuple[object, ...]] = {"@version": (1.1,), "@vocab": _NAMESPACES, "@base": (ID_BASE,)}
"""The keywords that a covered context may have, each with its values."""
_PREFIXES = {"schema": _NAMESPACES, "karenina": (KARENINA,)}
_PARTS = frozenset(("@id", "@type", "@container"))
_REFERENCES = (None, "@id", "@vocab", "@json")
"""The type coercions of terms that are not ours. JSON-LD gives a text under a key for numbers or dates that datatype,
whatever the text is; a plan does so only if it is a number or a date."""
_OF_DATES = {"dateCreated": DATETIME, "dateModified": DATETIME}
_OF_NUMBERS = dict.fromkeys(("bestRating", "worstRating", "ratingValue"), DOUBLE)
_OF_OURS = {**_OF_DATES, **_OF_NUMBERS, "additionalType": "@vocab"}


def joined(context: object) -> object:
    """Return an array of contexts as the one that it amounts to, if no part changes what another defines.

    Known addresses stand for schema.org's vocabulary. Any other value is returned as it is.
    """
    if not isinstance(context, list) or not context:
        return context
    found: dict[str, Any] = {}
    for part in context:
        named = {"@vocab": SCHEMA} if isinstance(part, str) and part in contexts.KNOWN_ADDRESSES else part
        if not isinstance(named, dict) or any(found.get(key, value) != value for key, value in named.items()):
            return context
        found.update(named)
    return found


def covers(context: object, members: Set[str]) -> bool:
    """Return whether the compiled plans implement a context for a document.

    `members` are the keys and types with a meaning in a checkpoint. What is no context at all is covered: then the keys
    are those of our own, and a finding says so.
    """
    context = joined(context)
    if isinstance(context, list):
        return any(isinstance(one, str) and one not in contexts.KNOWN_ADDRESSES for one in context)
    if not isinstance(context, dict) or context.keys() <= {"@version"} or context == contexts.plain():
        return True
    if "@vocab" not in context:
        return False
    if any(context.get(key) not in allowed for key, allowed in _KEYWORDS.items() if key in context):
        return False
    own = {key: value for key, value in context.items() if key not in _KEYWORDS}
    if isinstance(own.get(ROOT_TYPE), dict) and own[ROOT_TYPE].keys() == {"@id", "@context"}:
        own[ROOT_TYPE] = own[ROOT_TYPE]["@id"]  # what the root alone has, which is compared with the root
    ours = contexts.improved()
    foreign = {key: value for key, value in own.items() if value != ours.get(key, _ABSENT)}
    defined: dict[str, Definition] = {}
    if not all(_is_usual(key, value, members) for key, value in foreign.items()):
        defined = contexts.definitions(context)
    return all(
        _is_usual(key, value, members) or _is_foreign(key, value, defined.get(key), members)
        for key, value in foreign.items()
    )


_ABSENT = object()


def _is_usual(key: str, value: object, members: Set[str]) -> bool:
    """Return whether a definition gives a key of checkpoints, or any plain name, the meaning that it has anyway."""
    if key in _PREFIXES:
        return value in _PREFIXES[key]
    parts = {"@id": value} if isinstance(value, str) else value
    if not isinstance(parts, dict) or not parts.keys() <= _PARTS or not _is_name(key):
        return False
    names = ("contentRating", "rating") if key == "rating" else (key,)
    spellings = {namespace + name for namespace in ("", "schema:", *_NAMESPACES) for name in names}
    ours = contexts.improved().get(key, {})
    coercions = {None, _OF_OURS.get(key), ours.get("@type") if isinstance(ours, dict) else None}
    if key in ("hasPart", "dataFeedElement", "rating", "additionalProperty"):
        coercions.add("@id")  # it changes nothing about objects
    container, of_ours = parts.get("@container"), ours.get("@container") if isinstance(ours, dict) else None
    is_plain = key in members or key in ours or container is None
    return (
        all(isinstance(parts.get(part), str | None) for part in ("@id", "@type"))  # others are for PyLD to refuse
        and parts.get("@id", key) in spellings
        and parts.get("@type") in coercions
        and (container is None or (container == "@set" and (of_ours == "@set" or is_plain)))
    )


def _is_foreign(key: str, value: object, defined: Definition | None, members: Set[str]) -> bool:
    """Return whether a definition, in a form that is implemented, is about a key that checkpoints do not have."""
    parts = {"@id": value} if isinstance(value, str) else value
    if not isinstance(parts, dict) or not parts.keys() <= _PARTS or not _is_name(key) or defined is None:
        return False
    is_known = key in members or key in contexts.improved() or key in _PREFIXES or key in _RESERVED
    return (
        not is_known
        and parts.get("@type") in _REFERENCES
        and parts.get("@container") in (None, "@set")
        and isinstance(parts.get("@id", key), str)
        and is_iri(defined.iri)
        and not defined.iri.startswith((*_NAMESPACES, KARENINA))
    )


_RESERVED = frozenset(("urn", "http", "https", "position", *(key for keys in KEYS.values() for key in keys)))


def _is_name(key: str) -> bool:
    return key.replace("_", "a").isalnum() and key.isascii()
