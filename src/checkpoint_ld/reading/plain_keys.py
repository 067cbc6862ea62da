"""Plain keys: the names in which checkpoints are written, and how the contexts of a document write them otherwise."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.contexts import json_keys
from checkpoint_ld.vocabulary import KARENINA, SCHEMA, SCHEMA_HTTP, TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.graph.contexts import Definition


Tree = dict[str, Any]

SCENARIO_TYPES = frozenset(("karenina:Scenario", "karenina:ScenarioNode"))

ROOT_TYPES = frozenset(("DataFeed", "Dataset"))
AGENT_TYPES = frozenset(("Person", "Organization"))
PART_TYPES = frozenset(("DataFeedItem", "Question", "Answer", "SoftwareSourceCode", "Rating", "PropertyValue"))
TYPES = ROOT_TYPES | PART_TYPES | AGENT_TYPES | SCENARIO_TYPES

STRUCTURE = frozenset(
    ("dataFeedElement", "item", "acceptedAnswer", "hasPart", "rating", "additionalProperty", "creator")
)
"""Members that hold the objects of a checkpoint."""

SCENARIO_STRUCTURE = frozenset(("nodes", "edges", "outcomeCriteria", "question"))
"""The same of a scenario."""

NUMBERS = frozenset(("bestRating", "worstRating", "ratingValue"))
MEMBERS = STRUCTURE | TEXTS | NUMBERS | {"contentRating", "value", "additionalType"}
"""Members that mean something in a checkpoint."""


KEYWORDS = frozenset(
    (
        *("@context", "@direction", "@graph", "@id", "@included", "@index", "@language", "@list", "@nest"),
        *("@reverse", "@set", "@type", "@value"),
    )
)
"""Keywords that may be keys of objects (JSON-LD 1.1 §9.16)."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A document in plain keys; `forms` says what was unusual about it, `changed` what plain keys say otherwise.

    `origins` maps pointers to those of the source; it is None when expansion has lost the way back to it.
    """

    tree: Any
    forms: tuple[str, ...] = ()
    origins: dict[str, str] | None = field(default_factory=dict)
    changed: tuple[str, ...] = ()
    has_typed_texts: bool = False


_NAMESPACES = {SCHEMA: "", SCHEMA_HTTP: "", "schema:": "", KARENINA: "karenina:"}


class Spelling:
    """The names of a document, translated into plain ones."""

    def __init__(self, definitions: dict[str, Definition] | None = None) -> None:
        self.definitions = definitions or {}

    @classmethod
    def of_context(cls, context: object) -> Spelling:
        """Learn the names of one context."""
        return cls(contexts.definitions(context) if context else {})

    @classmethod
    def of_document(cls, value: Any) -> Spelling:
        """Learn the names of all the contexts that stand anywhere in a document."""
        definitions: dict[str, Definition] = {}
        for chain in {json.dumps(chain): chain for chain in _chains_in(value, [])}.values():
            definitions.update(contexts.definitions(chain))
        return cls(definitions)

    def plain(self, name: str) -> str:
        """Return what checkpoints call the key or type `name`; a name that they do not know stays as it is.

        Another name for a keyword is translated too. A name that is plain already is never taken for another one,
        whatever a context says: Karenina matches names literally.
        """
        if name in MEMBERS or name in TYPES:
            return name
        iri = self.iri(name)
        for namespace, prefix in _NAMESPACES.items():
            if iri.startswith(namespace):
                return prefix + iri[len(namespace) :]
        return iri if iri.startswith("@") else name

    def is_json(self, key: str) -> bool:
        """Tell whether the values of `key` are JSON literals."""
        definition = self.definitions.get(key)
        return key in json_keys() if definition is None else definition.coercion == "@json"

    def iri(self, name: str) -> str:
        """Return the IRI or keyword that the contexts say `name` stands for; without such a word it stays as it is."""
        definition = self.definitions.get(name)
        if definition is not None:
            return definition.iri
        prefix, colon, local = name.partition(":")
        definition = self.definitions.get(prefix) if colon and not local.startswith("//") else None
        return definition.iri + local if definition is not None and definition.is_prefix else name

    def is_plain_key(self, key: str) -> bool:
        """Tell whether a key is plain, or none that checkpoints know."""
        plain = self.plain(key)
        return plain == key or not (plain in MEMBERS or plain.startswith("@"))

    def is_plain_type(self, name: Any) -> bool:
        """Tell whether a type is plain, or none that checkpoints know."""
        if not isinstance(name, str):
            return True
        plain = self.plain(name)
        return plain in (name, f"karenina:{name}") or not (plain in TYPES or plain.startswith("karenina:"))


def _chains_in(value: Any, outer: list[Any]) -> Iterator[list[Any]]:
    """Yield each context of a document together with those around it."""
    if isinstance(value, list):
        for one in value:
            yield from _chains_in(one, outer)
    elif isinstance(value, dict):
        if "@context" in value:
            context = value["@context"]
            outer = [*outer, *(context if isinstance(context, list) else [context])]
            yield outer
        for key, one in value.items():
            if key != "@context":
                yield from _chains_in(one, outer)
