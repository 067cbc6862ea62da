"""Checks on a checkpoint in the canonical dialect: every condition of the catalogue that its JSON tree can show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from checkpoint_ld.checks.spot import Path
    from checkpoint_ld.findings import Finding

__all__ = ["check"]


def check(tree: dict[str, Any], dialect: str = "datafeed-ns-v3") -> list[Finding]:
    """Return everything that is wrong or odd about `tree`, in the order of the document.

    `tree` is a checkpoint in the canonical dialect with literal keys, whatever it was read from; `dialect` names
    what it was read from and only excuses what that dialect has no place for. Findings point into `tree`. Any JSON
    object can be checked: no value raises, nothing in the document is run.
    """
    from checkpoint_ld.checks.root import check_root  # noqa: PLC0415 - validation has the shapes check it all
    from checkpoint_ld.checks.spot import Inquiry, Spot  # noqa: PLC0415 - as above

    inquiry = Inquiry(dialect)
    check_root(Spot(inquiry), tree)
    order = _Order(tree)
    return [found for _, found in sorted(inquiry.found, key=lambda entry: order.of(entry[0]))]


class _Order:
    """The order of places in a document; a member that is missing comes after those that its object has."""

    def __init__(self, tree: dict[str, Any]) -> None:
        self._tree = tree
        self._ranks: dict[int, dict[str, int]] = {}

    def of(self, path: Path) -> tuple[int, ...]:
        """Return a key that sorts `path` among other paths into this document."""
        value: Any = self._tree
        key = []
        for step in path:
            if isinstance(value, dict) and isinstance(step, str):
                ranks = self._ranks.setdefault(id(value), {}) or self._rank(value)
                key.append(ranks.get(step, len(value)))
                value = value.get(step)
            elif isinstance(value, list) and isinstance(step, int):
                key.append(step)
                value = value[step]
        return tuple(key)

    def _rank(self, members: dict[str, Any]) -> dict[str, int]:
        ranks = {name: rank for rank, name in enumerate(members)}
        self._ranks[id(members)] = ranks
        return ranks
