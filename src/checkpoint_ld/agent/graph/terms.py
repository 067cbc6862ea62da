"""The terms of agent checkpoints, compiled from our context: what each key means at each kind of object.

The context is the one that other processors of JSON-LD read a file with. It has all but the classes: those are the
local names of the properties that lead to objects, with a capital letter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import orjson

from checkpoint_ld import data
from checkpoint_ld.agent.names import CAF, Kind, caf, extension_iri, extension_key
from checkpoint_ld.graph.expansion import named

if TYPE_CHECKING:
    from rdflib import URIRef

CONTEXT_FILE = "caf.jsonld"


class Reading(Enum):
    """How the value of a key becomes terms."""

    SCALAR = auto()
    REFERENCE = auto()
    """A text is the id of something."""
    REFERENCES = auto()
    """An array of such ids."""
    JSON = auto()
    """One literal, whatever JSON value it is."""
    OBJECT = auto()
    OBJECTS = auto()
    """An array of objects, each with an id of its own."""


@dataclass(frozen=True, slots=True)
class Key:
    """What one key means: its predicate, how its values are read, of which kind their ids are."""

    name: str
    predicate: URIRef
    reading: Reading
    kind: Kind | None = None
    plan: Plan | None = None
    """What keys mean at the objects that are its values."""


@dataclass(frozen=True)
class Plan:
    """What the keys of one kind of object mean; `kind` is that of its own id, None where it has none."""

    type: URIRef
    kind: Kind | None
    keys: dict[str, Key] = field(default_factory=dict)
    """The known keys but that of the id."""
    by_predicate: dict[str, Key] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    """The known keys, that of the id too, in the order in which they are written."""

    def key(self, name: str) -> Key:
        """Return what a key means, be it known or not."""
        return self.keys.get(name) or Key(name, named(extension_iri(name)), Reading.SCALAR)

    def key_of(self, predicate: str) -> Key | None:
        """Return the key for a predicate; None for one that says nothing of what a document says here."""
        known = self.by_predicate.get(predicate)
        if known is not None:
            return known
        name = extension_key(predicate)
        # The known key has a predicate of its own: this one would write the member twice.
        return None if name is None or name in self.keys else Key(name, named(predicate), Reading.SCALAR)


@cache
def context() -> dict[str, Any]:
    """Return the context under which a plain file in the canonical shape is JSON-LD 1.1."""
    told: dict[str, Any] = orjson.loads(data.text("contexts", CONTEXT_FILE))["@context"]
    return told


@cache
def checkpoint() -> Plan:
    """Return what the keys of a checkpoint's root mean, and through them those of all objects below it."""
    return _plan(caf("Checkpoint"), context())


@cache
def plans() -> dict[str, Plan]:
    """Return what the keys mean at every kind of object, by its class."""
    found: dict[str, Plan] = {}
    waiting = [checkpoint()]
    while waiting:
        plan = waiting.pop()
        found[str(plan.type)] = plan
        waiting += [key.plan for key in plan.keys.values() if key.plan is not None]
    return found


def _plan(kind: URIRef, scope: dict[str, Any]) -> Plan:
    definitions = {name: one for name, one in scope.items() if not name.startswith("@")}
    plan = Plan(kind, _kind_of(scope) if "id" in definitions else None, order=list(definitions))
    for name, definition in definitions.items():
        if name != "id":
            key = _key(name, definition if isinstance(definition, dict) else {"@id": definition})
            plan.keys[name] = plan.by_predicate[str(key.predicate)] = key
    return plan


def _key(name: str, definition: dict[str, Any]) -> Key:
    predicate = named(definition["@id"])
    is_set = definition.get("@container") == "@set"
    scope = definition.get("@context")
    coercion = definition.get("@type")
    if coercion == "@json":
        return Key(name, predicate, Reading.JSON)
    if coercion == "@id":
        return Key(name, predicate, Reading.REFERENCES if is_set else Reading.REFERENCE, _kind_of(scope))
    if scope is None:
        return Key(name, predicate, Reading.SCALAR)
    # Each scope starts anew, from null: no key of an object around it means anything at this one.
    local = str(predicate).removeprefix(CAF)
    plan = _plan(caf(local[:1].upper() + local[1:]), scope[1])
    return Key(name, predicate, Reading.OBJECTS if is_set else Reading.OBJECT, plan.kind, plan)


def _kind_of(scope: Any) -> Kind:
    return cast("Kind", scope["@base"].removeprefix("urn:caf:").removesuffix("/"))
