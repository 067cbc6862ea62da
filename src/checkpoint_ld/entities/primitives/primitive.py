"""What all primitives have in common."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import ConfigDict

from checkpoint_ld.documents.values import shown
from checkpoint_ld.entities.entity import Entity
from checkpoint_ld.errors import NotVerifiableError

if TYPE_CHECKING:
    from pydantic import JsonValue

_log = logging.getLogger(__name__)


class OpenEntity(Entity):
    """An entity that keeps members which nobody knows, as they may come from a newer Karenina, and logs a warning."""

    model_config = ConfigDict(extra="allow")

    @property
    def unknown_parameters(self) -> tuple[str, ...]:
        """The names of the members that nobody knows; they have no effect."""
        return tuple(self.__pydantic_extra__ or ())

    def model_post_init(self, context: Any, /) -> None:
        """Tell which members nobody knows."""
        del context
        for name in self.unknown_parameters:
            _log.warning("%s has no parameter %s: it is kept and has no effect", type(self).__name__, shown(name))


class VerificationPrimitive(OpenEntity):
    """A way to compare the value of a field with its ground truth; its parameters are its fields.

    Parameters are checked when a primitive is built and when one is assigned to: `pydantic.ValidationError`. The last
    field, `type`, is the name of the class, so that `model_dump(mode="json")` is the form that templates hold.
    """

    needs: ClassVar[str] = ""
    """What the primitive needs and a checkpoint does not have; empty for those that can be used."""

    graded: ClassVar[bool] = False
    """Whether there is more than all or nothing."""

    def check(self, extracted: Any, expected: Any) -> bool:
        """Tell whether the value `extracted` from an answer passes, given the ground truth `expected`.

        Both are JSON values. Raises `EvaluationError` if they cannot be compared in this way.
        """
        raise NotImplementedError

    def score(self, extracted: Any, expected: Any) -> float:
        """Return the credit from 0.0 to 1.0: all or nothing, except for graded primitives. Raises as `check` does."""
        return 1.0 if self.check(extracted, expected) else 0.0

    def remarks(self, extracted: Any, expected: Any) -> tuple[str, ...]:
        """Say what is odd about values that do not pass and are no error: an incomplete date, say."""
        del extracted, expected
        return ()

    def serialised(self) -> dict[str, JsonValue]:
        """Return the parameters in declared order, then what nobody knows, then `type`."""
        members = self.model_dump(mode="json")
        return {**{name: value for name, value in members.items() if name != "type"}, "type": members["type"]}


class TracePrimitive(VerificationPrimitive):
    """A primitive that looks at the whole text of a response instead of at a value that was extracted from it.

    A field passes if what `check_trace` says equals its ground truth: false stands for "must not".
    """

    def check(self, extracted: Any, expected: Any) -> bool:
        """Raise `NotVerifiableError`: there is no extracted value to look at."""
        del extracted, expected
        raise NotVerifiableError(f"{type(self).__name__} looks at the whole response: call check_trace")

    def check_trace(self, raw_trace: str) -> bool:
        """Tell whether the text of a response is as asked for; raises `EvaluationError` for what is no text."""
        raise NotImplementedError
