"""The schema of agent checkpoints, compiled from our context: the meaning of each key at each kind of object.

Other processors of JSON-LD read a file with the same context. It defines all but the classes, which are the local names
of the properties that lead to objects, with a capital letter. Our JSON-LD is the plain file with this context as its
first member: processors ignore scoped bases in a context that is fetched by an address.
"""

from __future__ import annotations

import copy
import json
import math
import re
import typing
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast, get_args
from urllib.parse import quote, unquote

import orjson

from checkpoint_ld import data
from checkpoint_ld.errors import WriteError
from checkpoint_ld.graph.contexts import RDF_TYPE, Term, TermTable, named
from checkpoint_ld.graph.layouts import POSITION
from checkpoint_ld.graph.literals import RDF_JSON, XSD_BOOLEAN, XSD_DECIMAL, XSD_DOUBLE, XSD_FLOAT, XSD_INTEGER
from checkpoint_ld.graph.plans import KeyPlan, PlainTerm, Plan, Plans
from checkpoint_ld.vocabulary import CAF, CAF_DERIVED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rdflib import Literal, URIRef

    from checkpoint_ld.graph.contexts import Terms


Tree = dict[str, Any]

CONTEXT_FILE = "caf.jsonld"
CONTEXT = "@context"
ID = "id"

_ALONE, _IN_ARRAYS, _NOWHERE = frozenset({dict}), frozenset({list}), frozenset[type]()


class AgentPlan(Plan):
    """The meaning of the keys of one kind of object; `kind` is that of its own id, None where it has none."""

    def __init__(self, type_: URIRef, terms: Terms, *, in_array: bool = False) -> None:
        self.type = type_
        self.kind = _kind_of(terms) if ID in terms.by_key else None
        self.order = [*terms.by_key]
        """The known keys, that of the id too, in the order in which they are written."""
        known = {key: term for key, term in terms.by_key.items() if key != ID}
        self.keys = {key: _key_plan(term) for key, term in known.items()}
        self.by_predicate = {str(one.predicate): one for one in self.keys.values()}
        self.below = {
            key: AgentPlan(_class_of(term), term.scope, in_array=term.container == "@set")
            for key, term in known.items()
            if term.scope is not None and term.coercion is None
        }
        """The plans of the objects that are values of each key."""
        self.pattern: dict[Any, Any] = {RDF_TYPE: type_, **({POSITION: None} if in_array else {})}

    def key(self, name: str) -> KeyPlan:
        """Return the plan of a key, known or not."""
        return self.keys.get(name) or _extension(name, named(extension_iri(name)))

    def key_of(self, predicate: str) -> KeyPlan | None:
        """Return the key for a predicate; None for one that no key of a document has."""
        known = self.by_predicate.get(predicate)
        if known is not None:
            return known
        name = extension_key(predicate)
        # A known key has a predicate of its own; this one would write the member twice.
        return None if name is None or name in self.keys else _extension(name, named(predicate))

    def members(self, keys: tuple[str, ...]) -> tuple[KeyPlan | None, ...]:
        """Return the plans of the keys of an object, None for that of its id."""
        return tuple(None if key == ID and self.kind is not None else self.key(key) for key in keys)


class AgentPlans(Plans):
    """The compiled context of agent checkpoints."""

    def __init__(self) -> None:
        self.root = AgentPlan(caf("Checkpoint"), TermTable(context()).base)

    def at(self, kind: str | None, via: Term | None, around: Plan | None) -> AgentPlan:  # noqa: ARG002 - objects have no types
        """Return the plan of an object that is a value of `via` at an object of `around`."""
        return self.root if via is None else cast("AgentPlan", around).below[via.key]


@cache
def context() -> Tree:
    """Return the context under which a plain file in the canonical shape is JSON-LD 1.1."""
    found: Tree = orjson.loads(data.text("contexts", CONTEXT_FILE))[CONTEXT]
    return found


@cache
def compiled() -> AgentPlans:
    """Return the compiled plans, from the root of a checkpoint to all objects below it."""
    return AgentPlans()


@cache
def plans() -> dict[str, AgentPlan]:
    """Return the plan of every kind of object by its class."""
    found: dict[str, AgentPlan] = {}
    waiting = [compiled().root]
    while waiting:
        plan = waiting.pop()
        found[str(plan.type)] = plan
        waiting += plan.below.values()
    return found


def kind_of(known: KeyPlan) -> Kind:
    """Return the kind of the ids that are values of a key."""
    return _kind_of(cast("Terms", cast("Term", known.term).scope))


def _kind_of(terms: Terms) -> Kind:
    return cast("Kind", terms.base.removeprefix("urn:caf:").removesuffix("/"))


def _class_of(term: Term) -> URIRef:
    local = term.iri.removeprefix(CAF)
    return caf(local[:1].upper() + local[1:])


def _key_plan(term: Term) -> KeyPlan:
    is_set, is_json = term.container == "@set", term.coercion == "@json"
    if term.scope is None or is_json:
        reading, holds = PlainTerm.JSON if is_json else PlainTerm.SCALAR, _NOWHERE
    elif term.coercion == "@id":
        reading, holds = PlainTerm.REFERENCE, _NOWHERE
    else:
        reading, holds = PlainTerm.SCALAR, _IN_ARRAYS if is_set else _ALONE
    is_text, token = reading is PlainTerm.SCALAR, term.key
    return KeyPlan(
        term.key, named(term.iri), reading, None, term, token, is_set and not is_json, is_text, bool(holds), holds
    )


def _extension(name: str, predicate: URIRef) -> KeyPlan:
    return KeyPlan(name, predicate, PlainTerm.SCALAR, None, None, name, has_objects=False, holds=_NOWHERE)


def value_of(literal: Literal) -> Any:
    """Return the JSON value of a literal, whether we wrote it or somebody else did."""
    text, datatype = str(literal), literal.datatype
    if datatype is None:
        return text
    try:
        if datatype == RDF_JSON:
            return json.loads(text)
        if datatype == XSD_BOOLEAN and text in ("true", "false", "1", "0"):
            return text in ("true", "1")
        if datatype == XSD_INTEGER:
            return int(text)
        if datatype in (XSD_DOUBLE, XSD_DECIMAL, XSD_FLOAT) and math.isfinite(float(text)):
            return float(text)
    except ValueError:
        pass  # the text does not fit its datatype: it stays a text
    return text


def jsonld_of(tree: Mapping[str, Any]) -> Tree:
    """Return the JSON-LD document of a tree in the canonical shape.

    Raises WriteError for one that has a member `@context` of its own.
    """
    bare = without_context(tree)
    if CONTEXT in bare:
        message = "the checkpoint has a member @context of its own, where JSON-LD has ours"
        raise WriteError(f"{message}: write the plain file or an RDF syntax")
    from checkpoint_ld.agents.values import ordered  # noqa: PLC0415 - pydantic takes long to import

    return {CONTEXT: copy.deepcopy(context()), **ordered(bare)}


def without_context(tree: Mapping[str, Any]) -> Tree:
    """Return a document without our context; any other context is a member like others."""
    is_ours = tree.get(CONTEXT) == context()
    return {key: value for key, value in tree.items() if key != CONTEXT or not is_ours}


Kind = typing.Literal["checkpoint", "execution", "agent", "thought", "tool-call", "tool"]
"""The kinds of ids; each has a namespace of its own."""
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

CAF_EXTENSION: Final = "urn:caf:ext:"
"""Namespace of unknown keys."""
"""Namespace of derived statements."""
PROV: Final = "http://www.w3.org/ns/prov#"

_BASE = "urn:caf:"
_NO_ESCAPE = re.compile(r"[A-Za-z0-9._~-]*")
_HALVES = "surrogatepass"
"""Half a surrogate pair is a fault of the document; naming it must not raise an error."""


def iri(kind: Kind, identifier: str) -> str:
    """Return the IRI for an id, such as `urn:caf:tool-call/call%202`."""
    return f"{_BASE}{kind}/{escaped(identifier)}"


def identifier(name: str) -> tuple[Kind, str] | None:
    """Return the kind and the id of an IRI that `iri` gives; None for any other."""
    kind, slash, local = name.removeprefix(_BASE).partition("/")
    found = next((known for known in KINDS if known == kind), None)
    if name.startswith(_BASE) and slash and found is not None and "#" not in local:
        with suppress(UnicodeDecodeError):
            return found, unquote(local, errors=_HALVES)
    return None


def caf(name: str) -> URIRef:
    """Return a term of the vocabulary of agent checkpoints."""
    return named(CAF + name)


def derived(name: str) -> URIRef:
    """Return a term for derived statements."""
    return named(CAF_DERIVED + name)


def prov(name: str) -> URIRef:
    """Return a term of PROV-O."""
    return named(PROV + name)


def extension_iri(key: str) -> str:
    """Return the predicate for an unknown key."""
    return CAF_EXTENSION + escaped(key)


def extension_key(predicate: str) -> str | None:
    """Return the key of a predicate that `extension_iri` gives; None for any other predicate."""
    if predicate.startswith(CAF_EXTENSION):
        with suppress(UnicodeDecodeError):
            return unquote(predicate[len(CAF_EXTENSION) :], errors=_HALVES)
    return None


def escaped(text: str) -> str:
    """Return any text as one segment of an IRI."""
    return text if _NO_ESCAPE.fullmatch(text) else quote(text, safe="", errors=_HALVES)
