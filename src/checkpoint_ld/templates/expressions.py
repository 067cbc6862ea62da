"""Static evaluation of a template's expressions: names, values and types, with problems and limits.

`Scope` is the state of reading one template; `checkpoint_ld.templates.fields` and `.reading` use it.
"""

from __future__ import annotations

import ast
import datetime as dt
import math
import re
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from checkpoint_ld.templates.primitives import Patterns
from checkpoint_ld.templates.template import LONGEST_EXCERPT, LONGEST_SOURCE, Problem, ProblemKind, parsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic import JsonValue

DEEPEST = 100
"""Values and types may be nested this deeply."""

LARGEST_VALUES: Final = 2 * LONGEST_SOURCE
"""All values of a template together may have so many parts and characters, because a name may repeat a value."""

LONGEST_INTEGER = 4096
"""The most bits of an integer; Python itself refuses to write integers of some 14 000 bits as text."""

_LINE_END = re.compile(rb"\r\n|\r|\n")
_DATES = {"date": dt.date, "datetime": dt.datetime}


class NotStaticError(Exception):
    """An expression has no value without running the template; `node` is the part that has none."""

    def __init__(self, node: ast.expr, reason: str = "") -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason


def parse(source: str) -> ast.Module | Problem:
    """Return the syntax tree of a template's text, or the problem that prevents parsing."""
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


def _assignments(body: Iterable[ast.stmt]) -> dict[str, ast.expr | None]:
    """Return the names that a body binds, with the value of each that is bound once, by a plain assignment."""
    values: dict[str, ast.expr | None] = {}
    for statement in body:
        assigned = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
        if isinstance(statement, ast.Assign) and any(not isinstance(one, ast.Name) for one in statement.targets):
            assigned = None  # unpacking
        for name in bound_names(statement):
            values[name] = None if name in values else assigned
    return values


@dataclass(frozen=True, slots=True)
class FieldType:
    """The type that an annotation declares.

    `name` is one of the vocabulary of types. `known` is False where the annotation is outside of that vocabulary; the
    field is then treated as `name`. `items` is the type of the items of a list. `verifying` is the call in
    `Annotated[T, VerifiedField(…)]`.
    """

    name: str = "str"
    known: bool = True
    nullable: bool = False
    class_variable: bool = False
    items: str = "str"
    literal_values: tuple[str, ...] | None = None
    verifying: ast.Call | None = None


_OTHER = FieldType(known=False)
_NAMED_TYPES = {
    **{name: FieldType(name) for name in ("bool", "int", "float", "str")},
    **dict.fromkeys(_DATES, FieldType("date")),
    "List": FieldType("list_str"),
    "ClassVar": FieldType(class_variable=True),
}


class Scope:
    """The state of reading one template: its names, the problems found, and the remaining limits.

    Templates run in a namespace with the library's names, so a name that is bound nowhere means the library's.
    `rebound` are names that the template gives a meaning of its own.
    """

    def __init__(self, source: str, module: ast.Module) -> None:
        self.problems: list[Problem] = []
        self.patterns = Patterns()
        self.rebound: set[str] = set()
        self._imported: dict[str, str] = {}
        self._source = source
        self._lines: list[bytes] | None = None
        self._bodies = [module.body]
        self._assignments: dict[int, dict[str, ast.expr | None]] = {}
        self._unreadable: set[int] = set()  # identities of expressions, so that each is tried once only
        self._left = LARGEST_VALUES
        for statement in module.body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                for alias in statement.names:
                    first, last = alias.name.partition(".")[0], alias.name.rpartition(".")[2]
                    bound = alias.asname or (first if isinstance(statement, ast.Import) else last)
                    self._imported[bound] = last if alias.asname else bound
            elif not isinstance(statement, ast.ClassDef):  # classes shadow only what comes after them
                self.rebound.update(bound_names(statement))

    def report(self, kind: ProblemKind, at: ast.AST | int | None, message: str) -> None:
        """Add a problem at a node or line."""
        line = at if at is None or isinstance(at, int) else getattr(at, "lineno", None)
        self.problems.append(Problem(kind, line, message))

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

    @contextmanager
    def inside(self, body: list[ast.stmt]) -> Iterator[None]:
        """Look up names in a class body first."""
        self._bodies.insert(0, body)
        try:
            yield
        finally:
            del self._bodies[0]

    def excerpt(self, node: ast.expr) -> str:
        """Return the source of an expression, on one line and shortened."""
        if self._lines is None:
            self._lines = _LINE_END.split(self._source.encode("utf-8", "replace"))
        start, stop = node.col_offset, node.end_col_offset
        line = self._lines[node.lineno - 1]
        if stop is None or node.end_lineno != node.lineno or stop > start + LONGEST_EXCERPT:
            return f"{line[start : start + LONGEST_EXCERPT].decode('utf-8', 'ignore').rstrip()} …"
        return line[start:stop].decode("utf-8", "ignore")

    def evaluate(self, node: ast.expr, depth: int = 0) -> JsonValue:  # noqa: C901 - one case for each kind of node
        """Return the JSON value of an expression; tuples and sets become lists, sets in the order of their items' text.

        Raises NotStaticError for expressions other than literals, and for literals that JSON cannot hold.
        """
        if depth > DEEPEST:
            raise NotStaticError(node, f"nested more than {DEEPEST} levels deep")
        self._charge(node, 1)
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [self.evaluate(item, depth + 1) for item in items]
            case ast.Dict():
                pairs = zip(node.keys, node.values, strict=True)
                return {self._key(node, key, depth): self.evaluate(value, depth + 1) for key, value in pairs}
            case ast.Call():
                return self._call(node, depth)
            case ast.Name(id=name):
                return self._named(node, name, depth)
            case ast.UnaryOp():
                number = self.evaluate(node.operand, depth + 1)
                is_number = isinstance(number, int | float) and not isinstance(number, bool)
                if is_number and isinstance(node.op, ast.USub | ast.UAdd):
                    return -number if isinstance(node.op, ast.USub) else number  # type: ignore[operator]
            case ast.BinOp(op=ast.Add()):
                parts: list[ast.expr] = []
                left: ast.expr = node
                while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
                    parts.append(left.right)
                    left = left.left
                return self._joined(node, [left, *reversed(parts)], depth)
            case ast.JoinedStr(values=parts):
                return self._joined(node, parts, depth)
            case ast.Set(elts=items):
                values = {repr(value): value for value in (self.evaluate(item, depth + 1) for item in items)}
                return sorted(values.values(), key=str)
        raise NotStaticError(node)

    def _charge(self, node: ast.expr, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise NotStaticError(node, "the template's values are too large")

    def _constant(self, node: ast.Constant) -> JsonValue:
        match node.value:
            case None | bool() as value:
                return value
            case int() as value if value.bit_length() <= LONGEST_INTEGER:
                return value
            case float() as value if math.isfinite(value):
                return value
            case str() as value:
                self._charge(node, len(value))
                if value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value):
                    return value
                raise NotStaticError(node, "half of a surrogate pair is no text")
        raise NotStaticError(node)

    def _named(self, node: ast.Name, name: str, depth: int) -> JsonValue:
        """Return the value of a name that is assigned only once."""
        constant = None
        for body in self._bodies:
            # The tree outlives the scope, so no other list comes to have the same identity.
            known = self._assignments.get(id(body))
            if known is None:
                known = self._assignments[id(body)] = _assignments(body)
            if name in known:
                constant = known[name]
                break
        if constant is None or id(constant) in self._unreadable:
            raise NotStaticError(node)
        try:
            return self.evaluate(constant, depth + 1)
        except NotStaticError:
            self._unreadable.add(id(constant))
            raise

    def _joined(self, whole: ast.expr, parts: list[ast.expr], depth: int) -> str:
        texts = []
        for part in parts:
            value = self.evaluate(part, depth + 1)
            if not isinstance(value, str):
                raise NotStaticError(whole)
            texts.append(value)
        return "".join(texts)

    def _key(self, node: ast.Dict, key: ast.expr | None, depth: int) -> str:
        if key is None:
            raise NotStaticError(node, "unpacks another dictionary")
        value = self.evaluate(key, depth + 1)
        if isinstance(value, str):
            return value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise NotStaticError(key, "is no key of a JSON object")
        return str(value)

    def _call(self, node: ast.Call, depth: int) -> JsonValue:
        called = self.resolve(node.func)
        if any(keyword.arg is None for keyword in node.keywords):
            raise NotStaticError(node)
        named = {keyword.arg or "": self.evaluate(keyword.value, depth + 1) for keyword in node.keywords}
        if called == "SynonymMap" and not node.args and list(named) == ["mapping"]:
            return named
        if called not in _DATES:
            raise NotStaticError(node)
        given = [self.evaluate(argument, depth + 1) for argument in node.args]
        if any(type(value) is not int for value in (*given, *named.values())):
            raise NotStaticError(node)
        try:
            return _DATES[called](*given, **named).isoformat()  # type: ignore[arg-type] # all of them are integers
        except (TypeError, ValueError, OverflowError) as error:
            raise NotStaticError(node, str(error)) from None

    def read_type(self, node: ast.expr, depth: int = 0) -> FieldType:
        """Return the type that an annotation stands for."""
        if depth > DEEPEST:
            return _OTHER
        match node:
            case ast.Constant(value=str() as text):
                match parse(text.strip()):
                    case ast.Module(body=[ast.Expr(value=quoted)]):
                        for inner in ast.walk(quoted):
                            ast.copy_location(inner, node)
                        return self.read_type(quoted, depth + 1)
            case ast.Name() | ast.Attribute():
                return _NAMED_TYPES.get(self.resolve(node) or "", _OTHER)
            case ast.Subscript(value=value, slice=argument):
                return self._parametrised(self.resolve(value), argument, depth)
            case ast.BinOp(op=ast.BitOr(), left=left, right=right):
                return self._union([left, right], depth)
        return _OTHER

    def validators(self, annotation: ast.expr) -> Iterator[str]:
        """Yield the names of what `Annotated` adds to a type, other than fields; it may change values."""
        for node in ast.walk(annotation):
            if isinstance(node, ast.Subscript) and self.resolve(node.value) == "Annotated":
                added = node.slice.elts[1:] if isinstance(node.slice, ast.Tuple) else []
                for part in added:
                    called = part.func if isinstance(part, ast.Call) else part
                    if not isinstance(part, ast.Constant) and self.resolve(called) not in ("Field", "VerifiedField"):
                        yield self.excerpt(called)

    def _parametrised(self, name: str | None, argument: ast.expr, depth: int) -> FieldType:
        arguments = argument.elts if isinstance(argument, ast.Tuple) else [argument]
        match name:
            case "list" | "List":
                return FieldType("list_str", items=self.read_type(argument, depth + 1).name)
            case "Literal":
                return self._literal(arguments)
            case "Optional":
                return self._union([argument, ast.Constant(None)], depth)
            case "Union":
                return self._union(arguments, depth)
            case "ClassVar":
                return FieldType(class_variable=True)
            case "Annotated" if arguments:
                inner = self.read_type(arguments[0], depth + 1)
                calls = (one for one in arguments[1:] if self.called(one) == "VerifiedField")
                verifying = next((call for call in calls if isinstance(call, ast.Call)), inner.verifying)
                return replace(inner, verifying=verifying)
        return _OTHER

    def _literal(self, arguments: list[ast.expr]) -> FieldType:
        try:
            values = [self.evaluate(argument) for argument in arguments]
        except NotStaticError:
            return FieldType("literal")
        if any(isinstance(value, list | dict | float) for value in values):
            return FieldType("literal")
        return FieldType("literal", literal_values=tuple(dict.fromkeys(map(str, values))))

    def _union(self, members: list[ast.expr], depth: int) -> FieldType:
        others = [member for member in members if not (isinstance(member, ast.Constant) and member.value is None)]
        if len(others) != 1:
            return _OTHER
        inner = self.read_type(others[0], depth + 1)
        nullable = inner.nullable or len(others) < len(members)
        return replace(inner, nullable=nullable, class_variable=False, verifying=None)
