"""What a merge has to know of agents' checkpoints: what is known by its id, and which values only count or date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.documents.values import is_number
from checkpoint_ld.families.merging.three_way import Four, Merger, greatest

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from checkpoint_ld.families.merging.three_way import Paths

_HEADER = frozenset(("id", "parent", "diff", "version"))
"""What says which save this is: that of the later one holds."""
_SETS = frozenset(("tags", "keywords", "labels"))
_COUNTED = (("metadata",), ("snapshot", "progress"), ("timestamp",))
"""Where numbers are counts and times: the greater one holds."""
_WORDS = {"thought_chain": "thought", "calls": "call"}
_NAMELESS = frozenset(("snapshot", "tool_state"))


class AgentMerger(Merger):
    """Merges the canonical trees of agents' checkpoints; thoughts and calls are known by their ids."""

    def __init__(self, four: Four, found: Callable[[tuple[Any, ...], Four, Paths], Any]) -> None:
        super().__init__(found)
        mine, other = four.ours, four.theirs
        # The later save gives the header, whichever side it is on.
        self._is_theirs_later = (other["timestamp"], str(other["id"])) > (mine["timestamp"], str(mine["id"]))

    def is_set(self, steps: tuple[Any, ...]) -> bool:
        """Whether an array of texts is a set."""
        return steps[-1] in _SETS

    def is_growing(self, steps: tuple[Any, ...], four: Four) -> bool:
        """Whether an array is a record that goes on: of messages, memories, steps; not arguments, nor a vector."""
        return "args" not in steps and all(isinstance(one, dict | str) for held in four for one in held)

    def keys(self, steps: tuple[Any, ...], four: Four) -> tuple[Sequence[Hashable], ...] | None:  # noqa: ARG002 - the signature of Merger
        """Return the names of the members of four arrays, as `Merger` says."""
        names = tuple([one.get("id") if isinstance(one, dict) else None for one in held] for held in four)
        return names if all(isinstance(one, str) for held in names for one in held) else None

    def settled(self, steps: tuple[Any, ...], four: Four) -> Any:
        """Return what wins where nobody has to choose."""
        if steps[0] in _HEADER:
            return four.theirs if self._is_theirs_later else four.ours
        if any(steps[: len(place)] == place for place in _COUNTED) and is_number(four.ours):
            return greatest(four.ours, four.theirs)
        return None

    def words(self, steps: tuple[Any, ...]) -> tuple[str, ...]:
        """Return what people call a place in a checkpoint."""
        words: list[str] = []
        for at, step in enumerate(steps):
            if isinstance(step, tuple):
                words.append(f"{_WORDS.get(steps[at - 1], steps[at - 1])} {step[0]}")
            elif step not in _NAMELESS and not (at + 1 < len(steps) and isinstance(steps[at + 1], tuple)):
                words.append(step)
        return tuple(words)


def are_related(base: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two trees are of one execution."""
    return bool(base.get("execution_id") == other.get("execution_id"))
