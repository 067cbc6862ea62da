"""Names: every object of a checkpoint is an IRI node, and its name can be told from the document alone.

An object's own `@id` is its name, escaped where it is no IRI. Any other object is named by its place: the name of its
nearest ancestor that has an `@id`, followed by `#` and the JSON Pointer from there. A root without `@id` is named by a
hash of its content. Names of the last two kinds are minted: they are recognisable and never written back as `@id`.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache, lru_cache
from typing import Any
from urllib.parse import unquote

import pyoxigraph

from checkpoint_ld.vocabulary import FORMER_ID_BASE, ID_BASE, KARENINA

ROOT_PREFIX = "urn:karenina:sha256:"
_OURS = (ROOT_PREFIX, ID_BASE)
"""How names begin that are read as no `@id`, or as a shorter one."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
# What may stand in a path without escape (RFC 3987 §2.2), less the bidirectional formatting characters (§4.1).
_PATH = r"A-Za-z0-9\-._~!$&'()*+,;=@" + "\u00a0-\u200d\u2010-\u2027\u2030-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
# White space of other scripts is legal in an IRI, but rdflib's N-Triples parser stops at it.
_NOT_IN_SEGMENT = rf"[^{_PATH}]|\s"
_NOT_IN_POINTER = rf"[^{_PATH}/:?]|\s"
_NOT_IN_RELATIVE = rf"[^{_PATH}/]|\s"
_DOT_SEGMENT = re.compile(r"(?:^|/)\.{0,2}(?:/|$)")
_NOT_FOR_RDFLIB = re.compile(r'[<>"{}|\\^`\x00-\x20\x7f-\xa0\u200e\u200f\u2028-\u202e]|\s')


def is_iri(text: str) -> bool:
    """Tell whether `text` is an absolute IRI (RFC 3987) that every RDF library accepts in every syntax."""
    if _NOT_FOR_RDFLIB.search(text):
        return False
    try:
        pyoxigraph.NamedNode(text)
    except ValueError:
        return False
    return True


def iri_of(identifier: str) -> str:
    """Return the IRI for the text of an `@id`.

    An IRI stands for itself. Anything else is escaped so that `text_of` gives the text back: percent-encoded where it
    has a scheme, appended to a fixed base where it is relative. Fragments of a `urn:`, and whatever else looks like a
    place in a document, are escaped too: no own id is a name that we mint, or one that `renewed` changes.
    """
    if identifier.startswith("karenina:"):
        identifier = KARENINA + identifier[len("karenina:") :]
    scheme = _SCHEME.match(identifier)
    if scheme is None:
        return ID_BASE + _escaped(_NOT_IN_SEGMENT if _DOT_SEGMENT.search(identifier) else _NOT_IN_RELATIVE, identifier)
    if identifier.startswith(FORMER_ID_BASE):
        return under_base(identifier)
    is_urn = scheme.group().lower() == "urn:"
    if is_iri(identifier) and not ("#" in identifier if is_urn else "#/" in identifier):
        return identifier
    candidate = scheme.group() + _escaped(_NOT_IN_POINTER, identifier[scheme.end() :])
    return candidate if is_iri(candidate) else under_base(identifier)


def under_base(identifier: str) -> str:
    """Return an IRI for any text at all, so that `text_of` gives the text back."""
    return ID_BASE + escaped(identifier)


def escaped(text: str) -> str:
    """Return any text as one segment of an IRI; percent-decoding gives it back."""
    return _escaped(_NOT_IN_SEGMENT, text)


def renewed(iri: str) -> str:
    """Return a name that version 0.1 wrote as it is now: under the base of today."""
    return ID_BASE + iri[len(FORMER_ID_BASE) :] if iri.startswith(FORMER_ID_BASE) else iri


def text_of(iri: str) -> str:
    """Return the text of the `@id` that `iri_of` escaped."""
    return unquote(iri.removeprefix(ID_BASE))


def child_of(name: str, *tokens: str | int) -> str:
    """Mint the name of the object at the JSON Pointer `tokens` below the object called `name`."""
    return below(name.replace("#", "%23") + "#", *tokens)


def below(stem: str, *tokens: str | int) -> str:
    """Mint the name of the object at `tokens` below a place whose own name, up to here, is `stem`."""
    return stem + "".join(f"/{token if isinstance(token, int) else _token(token)}" for token in tokens)


@lru_cache(maxsize=4096)
def _token(token: str) -> str:
    return _escaped(_NOT_IN_POINTER, token.replace("~", "~0").replace("/", "~1"))


def root_of(tree: dict[str, Any]) -> str:
    """Mint the name of a root that has no `@id`: the same content has the same name, whatever the order of its keys."""
    content = {key: value for key, value in tree.items() if key != "@context"}
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return ROOT_PREFIX + hashlib.sha256(text.encode("ascii")).hexdigest()


def is_minted(iri: str) -> bool:
    """Tell whether `iri` is a name by place or by content."""
    return "#/" in iri or iri.startswith(ROOT_PREFIX)


def tells(name: str, identifier: str) -> bool:
    """Tell whether the name of a node is all that it takes to read the `@id` of its object again."""
    return name == identifier and not name.startswith(_OURS)


def last_token(iri: str) -> str:
    """Return the last token of the JSON Pointer in a name by place: an index, or the key in a map."""
    return _text_of_token(iri.rpartition("#")[2].rpartition("/")[2])


def parted(iri: str) -> tuple[str, tuple[str, ...]]:
    """Return the name and the tokens that `child_of` made `iri` of; any other name is itself, without tokens."""
    name, mark, pointer = iri.partition("#/")
    return (name, tuple(map(_text_of_token, pointer.split("/")))) if mark else (iri, ())


def part_of(iri: str, *tokens: str | int) -> str:
    """Mint the name of a place below the object called `iri`, which has a name of its own or one by place."""
    return below(iri, *tokens) if "#/" in iri else child_of(iri, *tokens)


def _text_of_token(token: str) -> str:
    return unquote(token).replace("~1", "/").replace("~0", "~")


def _escaped(forbidden: str, text: str) -> str:
    if text.isascii() and text.isalnum():
        return text
    return _pattern(forbidden).sub(lambda match: "".join(f"%{byte:02X}" for byte in match.group().encode()), text)


@cache
def _pattern(forbidden: str) -> re.Pattern[str]:
    """Compile one of the patterns above, which takes long and is seldom needed."""
    return re.compile(forbidden)
