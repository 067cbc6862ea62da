"""Which names of a template stand for which names of the library."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

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
