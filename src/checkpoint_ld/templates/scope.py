"""What the reading of one template shares: its text, its names, its patterns, the problems found, and its limits."""

from __future__ import annotations

import ast
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from checkpoint_ld.templates.primitives import FLAGS
from checkpoint_ld.templates.template import (
    LONGEST_EXCERPT,
    LONGEST_SOURCE,
    Problem,
    ProblemKind,
    parsed,
    pattern_fault,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Names:
    """The names that the module level of a template binds.

    Templates run in a namespace that has the library's names already, so a name that is bound nowhere stands for
    itself. `rebound` are names that the template gives a meaning of its own.
    """

    def __init__(self, body: Iterable[ast.stmt]) -> None:
        self._imported: dict[str, str] = {}
        self.rebound: set[str] = set()
        for statement in body:
            self._bind(statement)

    def _bind(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                for alias in names:
                    last = alias.name.rpartition(".")[2]
                    bound = alias.asname or (
                        alias.name.partition(".")[0] if isinstance(statement, ast.Import) else last
                    )
                    self._imported[bound] = last if alias.asname else bound
            case ast.ClassDef():
                pass  # classes shadow only what comes after them: see answer_classes
            case _:
                self.rebound.update(bound_names(statement))

    def resolve(self, node: ast.expr | None) -> str | None:
        """Return the library's name for `Name`, `alias` or `module.Name`; None for any other expression."""
        if isinstance(node, ast.Name):
            return None if node.id in self.rebound else self._imported.get(node.id, node.id)
        if not isinstance(node, ast.Attribute):
            return None
        root = node.value
        while isinstance(root, ast.Attribute):
            root = root.value
        return node.attr if isinstance(root, ast.Name) and root.id not in self.rebound else None

    def called(self, node: ast.expr | None) -> str | None:
        """Return the library's name for what `node` calls, None if it is no call."""
        return self.resolve(node.func) if isinstance(node, ast.Call) else None


def bound_names(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement binds in its own scope, once for each time."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            for alias in names:
                yield alias.asname or alias.name.partition(".")[0]
        case _:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                    yield node.id


def assignments(body: Iterable[ast.stmt]) -> dict[str, ast.expr | None]:
    """Return the names that a body binds, with what it assigns to those that it binds once by a plain assignment."""
    values: dict[str, ast.expr | None] = {}
    for statement in body:
        match statement:
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                assigned: ast.expr | None = value
            case _:
                assigned = None
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if any(not isinstance(target, ast.Name) for target in targets):
            assigned = None  # unpacking
        for name in bound_names(statement):
            values[name] = None if name in values else assigned
    return values


MOST_WORK = 200_000
"""How much may be compiled for one template, in characters; about a quarter of a second."""

_SET_WORK = 1_000
_RANGE_WORK = 500
_RANGE_WORK_IGNORING_CASE = 3_000
_WIDE = re.compile(r"[^\x00-\x7f]|\\[uUN]")
_IGNORES_CASE = re.compile(r"\(\?[aLmsux]*i")


class Patterns:
    """Compiles the patterns of one template, up to an amount of work that a hostile one cannot exceed."""

    def __init__(self) -> None:
        self.skipped = 0
        self._left = MOST_WORK

    def fault(self, pattern: str, flags: Iterable[str] = ()) -> str | None:
        """Return what keeps `pattern` from compiling under the named flags, None if nothing does.

        Patterns beyond the amount of work are not tried; `skipped` counts them.
        """
        letters = {FLAGS.get(flag, "") for flag in flags}
        ignores_case = "I" in letters or _IGNORES_CASE.search(pattern) is not None
        self._left -= _work(pattern, ignores_case=ignores_case)
        if self._left < 0:
            self.skipped += 1
            return None
        if "X" in letters and pattern_fault(f"(?x:{pattern}\n)") is None:
            return None
        return pattern_fault(pattern)


def _work(pattern: str, *, ignores_case: bool) -> int:
    """Estimate what compiling costs: sets and ranges beyond ASCII are spelt out character by character."""
    if _WIDE.search(pattern) is None:
        return len(pattern)
    range_work = _RANGE_WORK_IGNORING_CASE if ignores_case else _RANGE_WORK
    return len(pattern) + pattern.count("[") * _SET_WORK + pattern.count("-") * range_work


def parse(source: str) -> ast.Module | Problem:
    """Return the tree of a template's text, or what keeps it from being Python."""
    if len(source) > LONGEST_SOURCE:
        message = f"the text has {len(source)} characters, which are too many to parse ({LONGEST_SOURCE} at most)"
        return Problem(ProblemKind.LIMIT, None, message)
    try:
        return parsed(source)
    except SyntaxError as error:
        return Problem(ProblemKind.SYNTAX, error.lineno or None, f"the text is not Python: {error.msg}")
    except ValueError as error:  # NUL in some versions of Python, lone surrogates in all
        return Problem(ProblemKind.SYNTAX, None, f"the text is not Python: {error}")
    except (RecursionError, MemoryError):
        return Problem(ProblemKind.LIMIT, None, "the text is nested too deeply to parse")


def parse_quoted(text: str, at: ast.expr) -> ast.expr | None:
    """Return the expression that stands in a string, such as an annotation; None if it is none.

    All of it gets the position of the string, `at`.
    """
    match parse(text.strip()):
        case ast.Module(body=[ast.Expr(value=value)]):
            for node in ast.walk(value):
                ast.copy_location(node, at)
            return value
    return None


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
