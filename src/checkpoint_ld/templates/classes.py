"""Which class of a template is the answer, and which classes it derives from."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.templates.names import Names


@dataclass(frozen=True, slots=True, eq=False)
class LocalClass:
    """A class at module level; `answers` if its bases lead to BaseAnswer."""

    node: ast.ClassDef
    bases: tuple[LocalClass, ...]
    answers: bool


def answer_classes(module: ast.Module, names: Names) -> list[LocalClass]:
    """Return the answer classes that no other answer class derives from, in the order of the text.

    Later definitions of a name replace earlier ones, and shadow the library's name from then on.
    """
    current: dict[str, LocalClass] = {}
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            bases, others = _split(node.bases, current)
            answers = any(names.resolve(base) == "BaseAnswer" for base in others) or any(base.answers for base in bases)
            current.pop(node.name, None)
            current[node.name] = LocalClass(node, bases, answers)
    names.rebound.update(current)
    candidates = [known for known in current.values() if known.answers]
    parents = {base for known in candidates for base in known.bases}
    return [known for known in candidates if known not in parents]


def _split(bases: list[ast.expr], current: Mapping[str, LocalClass]) -> tuple[tuple[LocalClass, ...], list[ast.expr]]:
    local = tuple(current[base.id] for base in bases if isinstance(base, ast.Name) and base.id in current)
    return local, [base for base in bases if not (isinstance(base, ast.Name) and base.id in current)]


def lineage(answer: LocalClass) -> list[LocalClass]:
    """Return a class with the local classes that it derives from, the most basic first."""
    ordered: dict[LocalClass, None] = {}
    waiting = [(answer, False)]
    while waiting:
        known, bases_done = waiting.pop()
        if bases_done:
            ordered[known] = None
        elif known not in ordered:
            waiting.append((known, True))
            waiting.extend((base, False) for base in known.bases)
    return list(ordered)
