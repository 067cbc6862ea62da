"""What the reading of one template shares: its text, its names, the problems found, and how much may still be read."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from checkpoint_ld.checks.sources import LONGEST_SOURCE
from checkpoint_ld.templates.names import Names, assignments
from checkpoint_ld.templates.patterns import Patterns
from checkpoint_ld.templates.showing import LONGEST_EXCERPT
from checkpoint_ld.templates.template import Problem, ProblemKind

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

DEEPEST = 100
"""Values and types may be nested this deeply."""

LARGEST_VALUES: Final = 2 * LONGEST_SOURCE
"""All values of a template together may have this many parts and characters: names can stand for one many times."""

_LINE_END = re.compile(rb"\r\n|\r|\n")


class NotStaticError(Exception):
    """An expression has no value without running the template; `node` is the part that has none."""

    def __init__(self, node: ast.expr, reason: str = "") -> None:
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
        self._module = module.body
        self._local: list[ast.stmt] = []
        self._assignments: dict[int, dict[str, ast.expr | None]] = {}
        self.patterns = Patterns()
        self.unreadable: set[int] = set()
        self._left = LARGEST_VALUES

    def report(self, kind: ProblemKind, at: ast.AST | int | None, message: str) -> None:
        """Note a problem at a node or line."""
        line = at if at is None or isinstance(at, int) else getattr(at, "lineno", None)
        self.problems.append(Problem(kind, line, message))

    @contextmanager
    def inside(self, body: list[ast.stmt]) -> Iterator[None]:
        """Let the names of a class body be found first."""
        outer, self._local = self._local, body
        try:
            yield
        finally:
            self._local = outer

    def constant(self, name: str) -> ast.expr | None:
        """Return the expression that a name stands for all the time, or None."""
        for body in (self._local, self._module):
            # The tree outlives the scope, so no other list comes to have the same identity.
            known = self._assignments.get(id(body))
            if known is None:
                known = self._assignments[id(body)] = assignments(body)
            if name in known:
                return known[name]
        return None

    def charge(self, node: ast.expr, size: int) -> None:
        """Count `size` parts or characters of a value; raises NotStaticError when there have been too many."""
        self._left -= size
        if self._left < 0:
            raise NotStaticError(node, "the template's values are too large")

    def excerpt(self, node: ast.expr) -> str:
        """Return the source of an expression, on one line and shortened."""
        if self._lines is None:
            self._lines = _LINE_END.split(self._source.encode("utf-8", "replace"))
        start, stop = node.col_offset, node.end_col_offset
        line = self._lines[node.lineno - 1]
        if stop is None or node.end_lineno != node.lineno or stop > start + LONGEST_EXCERPT:
            return f"{line[start : start + LONGEST_EXCERPT].decode('utf-8', 'ignore').rstrip()} …"
        return line[start:stop].decode("utf-8", "ignore")
