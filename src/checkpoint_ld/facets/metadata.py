"""What a benchmark says about itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.datafeed import CREATOR_DETAILS
from checkpoint_ld.dialects.state import DEFAULT_VERSION
from checkpoint_ld.documents.layout import dump_json
from checkpoint_ld.errors import WriteError, WrongTypeError
from checkpoint_ld.facets import entries
from checkpoint_ld.facets.facet import Facet, Json
from checkpoint_ld.facets.renaming import renamed
from checkpoint_ld.mapping.creators import checked_creator, creator_members, creator_of
from checkpoint_ld.mapping.properties import as_list

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from checkpoint_ld.entities import Creator

_TEXTS = {
    "name": "name",
    "description": "description",
    "version": "version",
    "created_at": "dateCreated",
    "modified_at": "dateModified",
}
_SETTABLE = ("id", "creator", *_TEXTS)
_REQUIRED = ("id", "name", "created_at", "modified_at")


class Metadata(Facet):
    """Name, version, makers and dates of a benchmark; dates are ISO 8601 texts."""

    @property
    def id(self) -> str | None:
        """The identifier in the file, None where there is none.

        With a new one the graph is made anew: it is named by it, and so is what has no identifier of its own.
        """
        return self._plain("@id")

    @id.setter
    def id(self, identifier: str) -> None:
        self.set_metadata(id=identifier)

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
        held = {name: self._graph.content(self._graph.root, name) for name in ("creator", "additionalProperty")}
        return creator_of(held)

    @creator.setter
    def creator(self, creator: Creator | Mapping[str, Any] | Sequence[Creator | Mapping[str, Any]] | None) -> None:
        self.set_metadata(creator=creator)

    @property
    def created_at(self) -> str | None:
        """When the benchmark was made."""
        return self._plain("dateCreated")

    @created_at.setter
    def created_at(self, moment: str) -> None:
        self.set_metadata(created_at=moment)

    @property
    def modified_at(self) -> str | None:
        """When the benchmark was changed last; every edit sets it."""
        return self._plain("dateModified")

    @modified_at.setter
    def modified_at(self, moment: str) -> None:
        self.set_metadata(modified_at=moment)

    def set_metadata(self, **fields: Any) -> None:
        """Set what is given of `id`, `name`, `description`, `version`, `creator`, `created_at` and `modified_at`.

        All are texts; a creator may be a `Person`, an `Organization`, such an object as a mapping, or a list of
        several. None or "" takes a description, version or creator away.
        Raises WriteError, having changed nothing, for any other field, for what is no text, and where an identifier,
        a name or a date would be empty.
        """
        texts = {name: _checked(name, value) for name, value in fields.items() if name != "creator"}
        told = creator_members(checked_creator(fields["creator"]) if fields.get("creator") else "")
        dump_json([texts, told])
        with self._editing_head() as head:
            for name, text in texts.items():
                if name in _TEXTS:
                    _put(head, _TEXTS[name], text)
            if "creator" in fields:
                creator, properties = told
                _put(head, "creator", creator or None)
                entries.take_away(head, CREATOR_DETAILS.__eq__)
                if properties:
                    head["additionalProperty"] = [*as_list(head.get("additionalProperty")), *properties]
        if "id" in texts and texts["id"] != self.id:
            self._graph = renamed(self._graph, str(texts["id"]))
            self._known = None
        if fields and "modified_at" not in fields:
            self._touch()

    def _plain(self, key: str) -> str | None:
        value = self._graph.plain(self._graph.root, key)
        return value if isinstance(value, str) or value is None else str(value)


def _put(holder: Json, key: str, value: Any) -> None:
    """Give an object a member, or take it away."""
    if value is None:
        holder.pop(key, None)
    else:
        holder[key] = value


def _checked(field: str, value: object) -> str | None:
    if field not in _SETTABLE:
        raise WriteError(f"{field!r} cannot be set: choose from {', '.join(_SETTABLE)}")
    if not isinstance(value, str | None):
        raise WrongTypeError(f"the {field} {value!r} is no text: give a text")
    if field in _REQUIRED and not value:
        raise WriteError(f"a benchmark needs a text as {field}: give one that is not empty")
    return value or None
