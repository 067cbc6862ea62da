"""The custom properties of a benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.documents.layout import dump_json
from checkpoint_ld.documents.values import inside
from checkpoint_ld.errors import WriteError
from checkpoint_ld.facets import entries
from checkpoint_ld.facets.facet import Facet, Json
from checkpoint_ld.mapping.properties import as_list, values
from checkpoint_ld.vocabulary import FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY

if TYPE_CHECKING:
    from collections.abc import Mapping

_PROTECTED = (FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY)


class Properties(Facet):
    """The properties of a benchmark: any JSON values by name. The version of the file format is one, and protected."""

    def get_custom_property(self, name: str) -> Any:
        """Return the value of the benchmark's property `name`, None where there is none."""
        return self.get_all_custom_properties().get(name)

    def get_all_custom_properties(self) -> Json:
        """Return the benchmark's properties by name, reserved ones such as the format version included."""
        return values(as_list(self._graph.content(self._graph.root, "additionalProperty")))

    def set_custom_property(self, name: str, value: Any) -> None:
        """Give the benchmark's property `name` a JSON value; None is kept as a property without a value.

        Raises WriteError, having changed nothing, for a value that JSON cannot hold, a name that is no text or empty,
        and another version of the file format.
        """
        self.set_multiple_custom_properties({name: value})

    def set_multiple_custom_properties(self, properties: Mapping[str, Any]) -> None:
        """Set properties of the benchmark, each as `set_custom_property` does: all of them or, if one fails, none."""
        for name, value in properties.items():
            self._check(name, value)
        with self._editing_head() as head:
            for name, value in properties.items():
                entries.set_value(head, name, value)
        if properties:
            self._touch()

    def remove_custom_property(self, name: str) -> bool:
        """Take a property of the benchmark away; return whether there was one.

        Raises WriteError for the version of the file format, without which no reader could tell what the file is.
        """
        if name in _PROTECTED:
            raise WriteError(f"{name} tells the version of the file format and cannot be removed")
        with self._editing_head() as head:
            found = entries.take_away(head, name.__eq__)
        if found:
            self._touch()
        return found

    def _check(self, name: str, value: Any) -> None:
        if not isinstance(name, str) or not name:
            raise WriteError(f"the name {name!r} of a property is no text: give a text that is not empty")
        dump_json({name: value}, limits=inside(2))
        if name in _PROTECTED and value != self.get_custom_property(name):
            raise WriteError(f"{name} tells the version of the file format and cannot be changed")
