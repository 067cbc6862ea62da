"""What is odd about the keys of a part: keys that nobody knows, and members that are null."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.agent.graph import terms
from checkpoint_ld.constraints import names
from checkpoint_ld.documents.places import pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.agent.rules.parts import Part, Parts
    from checkpoint_ld.agent.rules.values import Told


def odd(parts: Parts) -> Iterator[tuple[Part, Told]]:
    """Yield what is odd about the keys of all parts but those inside JSON parts, where all keys are one's own."""
    for kind, plan in terms.plans().items():
        known = dict.fromkeys((*plan.keys, *(("id",) if plan.kind is not None else ())))
        for part in parts.of(kind):
            if not part.tree.keys() <= known.keys():
                for key in part.tree.keys() - known.keys():
                    yield from ((part, one) for one in _unknown(key, part.tree[key], (*known,)))
            if None in part.tree.values():
                for key, value in part.tree.items():
                    if value is None and key in known:
                        yield part, ("nullIn", key, pointer((key,)), "")


def _unknown(key: str, value: Any, known: tuple[str, ...]) -> Iterator[Told]:
    if key == _KEPT and isinstance(value, dict):
        yield from (("unknownKey", one, pointer((key, one)), "") for one in value)
        return
    near = names.nearest(key, known)
    place = pointer((key,))
    yield ("misspeltKey", key, place, f"did you mean {near}?") if near else ("unknownKey", key, place, "")


_KEPT = "thought_chain_extra"
"""Where unknown keys are kept that stand beside the thoughts in the second shape."""
