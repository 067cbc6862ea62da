"""Shielding: what JSON-LD expansion would lose, on its way through it.

Plain JSON-LD turns the keys of a property's JSON value into statements, and loses its order, nulls and empty arrays.
Each value is taken out before expansion and put back after it as one JSON literal (JSON-LD 1.1 §4.2.2). Keys that can
become no IRI, which expansion drops, are escaped.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from checkpoint_ld.graph.expansion import ESCAPED
from checkpoint_ld.graph.literals import INTEGER
from checkpoint_ld.graph.naming import escaped, is_iri
from checkpoint_ld.graph.terms import expand_name

if TYPE_CHECKING:
    from checkpoint_ld.forms.spelling import Spelling
    from checkpoint_ld.graph.expansion import Expanded

_VALUE_OBJECT = frozenset(("@value", "@type", "@language", "@direction", "@index"))
_LARGEST_FOR_PYLD = 10**300


class Shield:
    """The values that were taken out of one document."""

    def __init__(self, spelling: Spelling) -> None:
        self._spelling = spelling
        self._token = f"urn:uuid:{uuid.uuid4()}"
        self._values: dict[str, Any] = {}

    def taken_out(self, value: Any, *, is_property: bool = False) -> Any:
        """Return a document with a token in place of every value that JSON-LD would take apart."""
        if isinstance(value, list):
            return [self.taken_out(one, is_property=is_property) for one in value]
        if isinstance(value, dict):
            is_property = is_property or "PropertyValue" in self._types(value)
            return {self._key(key): self._member(key, one, is_property=is_property) for key, one in value.items()}
        if isinstance(value, int) and abs(value) > _LARGEST_FOR_PYLD:
            return {"@value": str(value), "@type": INTEGER}
        return value

    def _key(self, key: str) -> str:
        iri = self._spelling.iri(key)
        return key if iri.startswith("@") or is_iri(expand_name(iri)) else ESCAPED + escaped(iri)

    def _types(self, value: dict[str, Any]) -> list[str]:
        types = [one for key, one in value.items() if self._spelling.plain(key) == "@type"]
        listed = [one for kind in types for one in (kind if isinstance(kind, list) else [kind])]
        return [self._spelling.plain(one) for one in listed if isinstance(one, str)]

    def _member(self, key: str, value: Any, *, is_property: bool) -> Any:
        name = self._spelling.plain(key)
        if name in ("@context", "@value") or self._spelling.is_json(key):
            return value
        is_json = value is None or isinstance(value, (dict, list))
        if is_property and name == "value" and is_json and not self._is_jsonld(value):
            token = f"{self._token}:{len(self._values)}"
            self._values[token] = value
            return token
        return self.taken_out(value, is_property=name == "additionalProperty")

    def _is_jsonld(self, value: Any) -> bool:
        """Tell whether a value is JSON-LD already: value objects, a list, nodes with spelled-out keys, blank nodes."""
        values = value if isinstance(value, list) else [value]
        return bool(values) and all(isinstance(one, dict) and self._is_node(one, value) for one in values)

    def _is_node(self, one: dict[str, Any], value: Any) -> bool:
        keys = {self._spelling.plain(key) for key in one}
        if "@value" in keys:
            return keys <= _VALUE_OBJECT
        if keys == {"@id"}:
            return str(next(iter(one.values()))).startswith("_:")
        is_spelled_out = any(self._spelling.plain(key) != key for key in one)
        return keys == {"@list"} or is_spelled_out or (isinstance(value, list) and _is_expanded(one))

    def put_back(self, expanded: Expanded) -> Expanded:
        """Return an expanded document with the values in place of their tokens."""
        return [self._restored(one) for one in expanded]

    def _restored(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._restored(one) for one in value]
        if not isinstance(value, dict):
            return value
        token = value.get("@value", value.get("@id"))
        if isinstance(token, str) and token in self._values:
            return {"@value": self._values[token], "@type": "@json"}
        return {key: self._restored(one) for key, one in value.items()}


def _is_expanded(node: dict[str, Any]) -> bool:
    """Tell whether an object is in expanded form (JSON-LD 1.1 §5.3): IRIs as keys, arrays as values."""
    return bool(node) and all(
        key.startswith("@") or (":" in key and isinstance(value, list)) for key, value in node.items()
    )
