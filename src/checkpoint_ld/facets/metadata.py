"""What a benchmark says about itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.errors import WriteError
from checkpoint_ld.facets.facet import Facet, Json
from checkpoint_ld.mapping.creators import creator_of
from checkpoint_ld.mapping.properties import values

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.entities import Creator

DEFAULT_VERSION = "0.1.0"

_SETTABLE = ("name", "description", "version", "creator")


class Metadata(Facet):
    """Name, version, makers, dates and properties of a benchmark; dates are ISO 8601 texts."""

    @property
    def id(self) -> str | None:
        """The identifier in the file, None where there is none."""
        return self._plain("@id")

    @property
    def name(self) -> str:
        """The name; it cannot be empty."""
        return self._plain("name") or ""

    @name.setter
    def name(self, name: str) -> None:
        self.set_metadata(name=name)

    @property
    def description(self) -> str:
        """The description, "" where there is none."""
        return self._plain("description") or ""

    @description.setter
    def description(self, description: str) -> None:
        self.set_metadata(description=description)

    @property
    def version(self) -> str:
        """The version of the benchmark (not of the file format)."""
        return self._plain("version") or DEFAULT_VERSION

    @version.setter
    def version(self, version: str) -> None:
        self.set_metadata(version=version)

    @property
    def creator(self) -> Creator | list[Creator] | None:
        """Who made the benchmark: a name, a Person or an Organization; None where nobody is named."""
        return creator_of(self._root())

    @creator.setter
    def creator(self, creator: str) -> None:
        self.set_metadata(creator=creator)

    @property
    def created_at(self) -> str | None:
        """When the benchmark was made."""
        return self._plain("dateCreated")

    @property
    def modified_at(self) -> str | None:
        """When the benchmark was changed last."""
        return self._plain("dateModified")

    def set_metadata(self, **fields: str | None) -> None:
        """Set `name`, `description`, `version` and `creator`, those that are given, each to a text.

        None or "" takes a description, version or creator away. Raises WriteError, having changed nothing, for any
        other field, for what is no text, and for an empty name.
        """
        for field, value in fields.items():
            _check(field, value)
        for field, value in fields.items():
            held = self._graph.member(self._graph.root, field)
            self._graph.set_plain(self._graph.root, field, value or None)
            for node in held:
                self._forget(node)
        if fields:
            self._touch()

    def _forget(self, node: Node) -> None:
        """Take out all that is said about a node which nothing refers to any more, and about what only it refers to."""
        if node not in self._graph.index or (None, None, node) in self._graph:
            return
        below = [term for _, _, term in self._graph.triples((node, None, None))]
        self._graph.remove((node, None, None))
        for one in below:
            self._forget(one)

    def get_custom_property(self, name: str) -> Any:
        """Return the value of the benchmark's property `name`, None where there is none."""
        return self.get_all_custom_properties().get(name)

    def get_all_custom_properties(self) -> Json:
        """Return the benchmark's properties by name, reserved ones such as the format version included."""
        return values(self._root().get("additionalProperty"))


def _check(field: str, value: str | None) -> None:
    if field not in _SETTABLE:
        raise WriteError(f"{field!r} cannot be set: choose from {', '.join(_SETTABLE)}")
    if not isinstance(value, str | None):
        raise WriteError(f"the {field} {value!r} is no text: give a text")
    if field == "name" and not value:
        raise WriteError("a benchmark needs a name: give a text that is not empty")
