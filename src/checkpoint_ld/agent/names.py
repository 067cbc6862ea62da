"""Names: the IRI of every part of an agent checkpoint that has an id, and the id again from the IRI.

Ids are any text. In an IRI they are percent-encoded (RFC 3986 §2.1) but for ASCII letters, digits and `-._~`, so that
two ids never share a name, and none is read as a relative IRI or as another scheme.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Literal, get_args
from urllib.parse import quote, unquote

from checkpoint_ld.graph import naming
from checkpoint_ld.graph.contexts import named

if TYPE_CHECKING:
    from rdflib import URIRef

Kind = Literal["checkpoint", "execution", "agent", "thought", "tool-call", "tool"]
"""What an id is the id of; each kind has a namespace of its own."""
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

CAF: Final = "urn:caf:vocab:"
"""Namespace of the terms for what agent checkpoints say."""
CAF_EXTENSION: Final = "urn:caf:ext:"
"""Namespace of the keys that nobody knows."""
CAF_DERIVED: Final = "urn:caf:derived:"
"""Namespace of derived statements."""
PROV: Final = "http://www.w3.org/ns/prov#"

_BASE = "urn:caf:"
_NO_ESCAPE = re.compile(r"[A-Za-z0-9._~-]*")
_HALVES = "surrogatepass"
"""Half a surrogate pair is a fault of the document; its name must not be another one."""


def iri(kind: Kind, identifier: str) -> str:
    """Return the IRI of what has an id, such as `urn:caf:tool-call/call%202`."""
    return f"{_BASE}{kind}/{escaped(identifier)}"


def identifier(name: str) -> tuple[Kind, str] | None:
    """Return of which kind an IRI is the name, and the id; None for an IRI that `iri` does not give."""
    kind, slash, local = name.removeprefix(_BASE).partition("/")
    found = next((one for one in KINDS if one == kind), None)
    if name.startswith(_BASE) and slash and found is not None and "#" not in local:
        with suppress(UnicodeDecodeError):
            return found, unquote(local, errors=_HALVES)
    return None


def question_iri(about: str) -> str:
    """Return the IRI that the graph of a benchmark has for the `@id` of a question, or of the benchmark itself."""
    return naming.iri_of(about)


def caf(name: str) -> URIRef:
    """Return a term for what agent checkpoints say."""
    return named(CAF + name)


def derived(name: str) -> URIRef:
    """Return a term for what is derived."""
    return named(CAF_DERIVED + name)


def prov(name: str) -> URIRef:
    """Return a term of PROV-O."""
    return named(PROV + name)


def extension_iri(key: str) -> str:
    """Return the predicate for a key that nobody knows."""
    return CAF_EXTENSION + escaped(key)


def extension_key(predicate: str) -> str | None:
    """Return the key that `extension_iri` made a predicate of; None for any other predicate."""
    if predicate.startswith(CAF_EXTENSION):
        with suppress(UnicodeDecodeError):
            return unquote(predicate[len(CAF_EXTENSION) :], errors=_HALVES)
    return None


def escaped(text: str) -> str:
    """Return any text as one segment of an IRI."""
    return text if _NO_ESCAPE.fullmatch(text) else quote(text, safe="", errors=_HALVES)
