"""What the reading of one template shares: its text, its names, the problems found, and how much may still be read."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from checkpoint_ld.checks.sources import LONGEST_SOURCE
from checkpoint_ld.templates.names import Constants, Names
from checkpoint_ld.templates.patterns import Patterns
from checkpoint_ld.templates.showing import LONGEST_EXCERPT
from checkpoint_ld.templates.template import Problem, ProblemKind

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

DEEPEST = 100
"""Literals, types and strategies may be nested this deeply."""

LARGEST_VALUES: Final = 2 * LONGEST_SOURCE
"""All values of a template together may have this many parts and characters: names can stand for one many times."""

_LINE_END = re.compile(rb"\r\n|\r|\n")


class NotStaticError(Exception):
    """An expression has no value without running the template; `node` is the part that has none."""

    def __init__(self, node: ast.AST, reason: str = "") -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason


class Scope:
    """The state of one reading.

    `unreadable` are the identities of expressions that turned out not to be static, so that each is tried once only.
    """

    def __init__(self, source: str, module: ast.Module) -> None:
        self.names = Names(module.body)
        self.problems: list[Problem] = []
        self._source = source
        self._lines: list[bytes] | None = None
        self._module = Constants(module.body)
        self._local: Constants | None = None
        self._bodies: dict[int, Constants] = {}
        self.patterns = Patterns()
        self.unreadable: set[int] = set()
        self._left = LARGEST_VALUES

    def report(self, kind: ProblemKind, at: ast.AST | int | None, message: str) -> None:
        """Note a problem at a node or line."""
        line = at if at is None or isinstance(at, int) else getattr(at, "lineno", None)
        self.problems.append(Problem(kind, line, message))

    @contextmanager
    def inside(self, body: list[ast.stmt]) -> Iterator[None]:
        """Let constants of a class body be found first."""
        outer, self._local = self._local, self._constants(body)
        try:
            yield
        finally:
            self._local = outer

    def _constants(self, body: list[ast.stmt]) -> Constants:
        known = self._bodies.get(id(body))  # the tree outlives the scope, so no other list can have the same identity
        if known is None:
            known = self._bodies[id(body)] = Constants(body)
        return known

    def constant(self, name: str) -> ast.expr | None:
        """Return the expression that a name stands for all the time, or None."""
        local = self._local.get(name) if self._local is not None else None
        return self._module.get(name) if local is None else local

    def charge(self, node: ast.AST, size: int) -> None:
        """Count `size` parts or characters of a value; raises NotStaticError when there have been too many."""
        self._left -= size
        if self._left < 0:
            raise NotStaticError(node, "the template's values are too large")

    def excerpt(self, node: ast.AST) -> str:
        """Return the source of an expression, on one line and shortened."""
        if self._lines is None:
            self._lines = _LINE_END.split(self._source.encode("utf-8", "replace"))
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", None)
        if not 0 < first <= len(self._lines):
            return ""
        start = getattr(node, "col_offset", 0)
        stop = getattr(node, "end_col_offset", start) if last == first else start + LONGEST_EXCERPT
        text = self._lines[first - 1][start : min(stop, start + LONGEST_EXCERPT)].decode("utf-8", "ignore")
        return text if last == first and stop <= start + LONGEST_EXCERPT else f"{text.rstrip()} …"
