"""Outlines of templates: their text with the author's own names and texts replaced by numbers.

Results about one template hold for all templates with its outline. The reader treats all names and texts that it does
not know alike, as long as equal ones stay equal and different ones different. An outline keeps everything else:
keywords, names of the library, and texts that are no prose. If a replacement is not certain to be safe, there is no
outline.

Most templates of one benchmark have the same form, and parsing them took most of the time of checks. With 1,000
templates, outlines take a ninth of the time of parsing if all lines are new, a twentieth if they are known. 247 sound
templates by different authors, with different texts, had 76 outlines.
"""

from __future__ import annotations

import ast
import keyword
import re
import sys
from functools import cache
from importlib import resources
from itertools import chain, count
from typing import TYPE_CHECKING

from checkpoint_ld.templates.reading import HOOKS

if TYPE_CHECKING:
    from collections.abc import Iterator


LONGEST = 20_000
"""Longer texts have no outline."""

_PLACEHOLDER = "The answer response"

# A word, with the string that it is a prefix of; a string; a comment; and a quote or a character beyond ASCII, which
# may not be left between them: it would belong to a string that this pattern does not match. (Searching a token by its
# first character saves a third of the time.)
_IN_QUOTES = r"""[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"(?!")"""
_IN_APOSTROPHES = _IN_QUOTES.replace('"', "'")
_TOKEN = re.compile(
    r"""([A-Za-z0-9_"'\#\x80-\U0010ffff](?:"""
    rf"""(?<=[A-Za-z0-9_])[A-Za-z0-9_]*(?:"{_IN_QUOTES}|'{_IN_APOSTROPHES})?"""
    rf"""|(?<=")(?:""[\s\S]*?\"""|{_IN_QUOTES})"""
    rf"""|(?<=')(?:''[\s\S]*?'''|{_IN_APOSTROPHES})"""
    r"""|(?<=\#)[^\n]*"""
    r"""|(?<=["'\x80-\U0010ffff])))"""
)
_BARRED = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
# Prose is also a valid regular expression, since a template may use it as one, and never a number or a date.
_SAFE = r"[^\\\[\](){}*+?|^$\x00-\x09\x0b-\x1f\x7f]"
_PROSE = re.compile(rf"[^\W\d_]{_SAFE}*(?:(?:(?<=\w)\?(?=[\s\"']|\Z)|\({_SAFE}+\)(?![?*+{{])){_SAFE}*)*")

_NAMED, _TEXT, _NUMBER, _STRING, _END, _COMMENT = "\x01", "\x02", "\x03", "\x04", "\x05", "#"
# Adjacent strings are one string. A name after a number and a point may be a part of it (`5.e5`) or no Python (`5.f5`).
_STRINGS = re.compile(r"\x05[\s#\\]*[\x02\x04]")
_POINTED = re.compile(r"[\d\x03]\.\x01")
_LONGEST_NUMBER = 15
_MOST = 16384

Line = tuple[str, tuple[str, ...]]
"""A line with marks for its author's own names and texts, and those names and texts."""
Outline = tuple[tuple[str, ...], tuple[int, ...]]
"""The lines of a template, with marks, and the numbers of the marked names and texts."""


class _LineCache(dict[str, "Line | None"]):
    """A cache of lines, which repeat in one benchmark; None for a line that cannot be split with certainty."""

    def __init__(self, *, has_values: bool) -> None:
        super().__init__()
        self._has_values = has_values

    def __missing__(self, text: str) -> Line | None:
        if len(self) >= _MOST:
            self.clear()
        line = self[text] = _marked(text, has_values=self._has_values)
        return line


_lines = _LineCache(has_values=False), _LineCache(has_values=True)
"""The caches without and with marks for numbers that are plain values."""


def outline_of(source: str) -> Outline | None:
    """Return the outline of a template's text, None if it has none."""
    if len(source) > LONGEST:
        return None
    has_values = "Literal[" not in source and "GroundTruthCase" not in source
    lines = list(map(_lines[has_values].__getitem__, source.split("\n")))
    if None in lines:
        # A string may have several lines.
        lines = [_marked(source, has_values=has_values)]
        if None in lines:
            return None
    marked, contents = zip(*lines, strict=True)
    first: dict[str, int] = {}
    return marked, tuple(map(first.setdefault, chain.from_iterable(contents), count()))


def _marked(text: str, *, has_values: bool) -> Line | None:
    parts = _TOKEN.split(text)
    if not text.isprintable() and _BARRED.search(text) is not None:
        return None
    contents: list[str] = []
    for at in range(1, len(parts), 2):
        token = parts[at]
        is_own = _words.get(token)
        if is_own is None:
            if token[0] == "#":
                parts[at] = _COMMENT
                continue
            if token[-1] in "\"'" or not token.isascii():
                own = _own_text(token) if token[-1] in "\"'" else None
                if own is None:
                    return None
                parts[at] = f"{_TEXT}{_END}" if own else f"{_STRING}{token}{_END}"
                if own:
                    contents.append(own)
                continue
            is_own = _is_own(token)
        if is_own:
            parts[at] = _NAMED
            contents.append(token)
        elif has_values and token.isdecimal() and _is_value(parts, at):
            parts[at] = _NUMBER
    # Outlines are compared often, which is fast where equal lines are the same object.
    return sys.intern("".join(parts)), tuple(contents)


_words: dict[str, bool] = {}
"""A cache: whether a word or number is a name without a meaning to the reader."""


def _is_own(word: str) -> bool:
    if len(_words) >= _MOST:
        _words.clear()
    is_own = _words[word] = word[0].isalpha() and word not in known()
    return is_own


def _own_text(token: str) -> str | None:
    """Return the text of a string that is its author's own, "" for any other string; None where it is not certain."""
    text = token[1:-1]
    letters = text.replace(" ", "")
    if letters.isalpha() and text[0] != " " != text[-1]:  # most texts
        is_own = len(letters) < len(text) or text.isascii()
        return text if is_own and text.lower() not in known() else ""
    if token[0] not in "\"'":
        return "" if token[1] in "\"'" and token[0] in "rR" else None
    if len(token) == 1:
        return None
    is_long = len(token) > 5 and token[:3] in ('"""', "'''")
    text = token[3:-3] if is_long else text
    if "\\" in text:
        if is_long:
            return None
        text = text.replace('\\"', '"').replace("\\'", "'")
    # A text of two words is no number, and no name of anything.
    is_name = text.isidentifier() and text.isascii() and text[0] != "_"
    is_own = _PROSE.fullmatch(text) is not None if len(text.split(None, 1)) == 2 else is_name
    return text if is_own and text.lower() not in known() else ""


def _is_value(parts: list[str], at: int) -> bool:
    """Return whether only the kind of a number counts: a value other than 0 and 1 that is no parameter."""
    number, between, before = parts[at], parts[at - 1], parts[at - 2] if at > 1 else ""
    if len(number) > _LONGEST_NUMBER:
        return False
    if between == "." and before == _NUMBER:
        return True
    is_truth = between in ("=", "=-") and before == "ground_truth"
    is_entry = between in (": ", ": -") and before[-1:] == _END
    return (is_truth or is_entry) and number[0] != "0" and number != "1"


@cache
def known() -> frozenset[str]:
    """Return the words with a meaning to the reader of templates or to Python, also in small letters."""
    listed = (resources.files(__package__) / "template_words.txt").read_text(encoding="utf-8")
    words = {_PLACEHOLDER, *keyword.kwlist, *keyword.softkwlist, *listed.split()}
    return frozenset((*words, *(word.lower() for word in words)))


def is_typical(source: str) -> bool:
    """Return whether the outline of a template has all that the reader needs: no value has to be computed.

    Raises SyntaxError if `source` is not Python.
    """
    outline = outline_of(source)
    lines = "" if outline is None else "\n".join(outline[0])
    if outline is None or _STRINGS.search(lines) is not None or _POINTED.search(lines) is not None:
        return False
    module = ast.parse(source)
    bodies = [module.body, *(node.body for node in _statements(module) if isinstance(node, ast.ClassDef))]
    statements = [statement for body in bodies for statement in body]
    bindings = [list(ast.walk(statement)) for statement in statements if isinstance(statement, _BINDINGS)]
    names = (node for node in chain.from_iterable(bindings) if isinstance(node, ast.Name))
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    evaluated = chain(*(nodes[1:] for nodes in bindings), *map(_evaluated, statements))
    return all(_is_plain(node, bound) for node in evaluated) and not any(map(_has_quoted_type, statements))


def _statements(module: ast.Module) -> list[ast.AST]:
    found: list[ast.AST] = [module]
    for node in found:
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            found += getattr(node, block, ())
    return found


_BINDINGS = (ast.Assign, ast.AnnAssign)
_PLAIN = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.Call, ast.keyword, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Load),
    *(ast.Store, ast.UnaryOp, ast.USub, ast.Subscript, ast.BinOp, ast.BitOr),
)


def _evaluated(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the expressions that the reader may evaluate in a statement without a binding, and renamed imports."""
    match statement:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (alias for alias in names if alias.asname is not None and _is_date(alias.name))
        case ast.FunctionDef(name=name) if name in HOOKS:
            for inner in ast.walk(statement):
                if isinstance(inner, _BINDINGS) and inner.value is not None:
                    yield from ast.walk(inner.value)
        case ast.Assign() | ast.AnnAssign() | ast.ClassDef() | ast.FunctionDef() | ast.Pass():
            pass
        case ast.Expr(value=ast.Constant()):
            pass
        case _:
            yield from (node for part in ast.iter_child_nodes(statement) for node in ast.walk(part))


def _is_plain(node: ast.AST, bound: set[str]) -> bool:
    """Return whether a part needs no lookup and is no date, which may be written in many ways."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            return name not in bound and not _is_date(name)
        case ast.Attribute(attr=name) | ast.Constant(value=str() as name):
            return not _is_date(name)
    return isinstance(node, _PLAIN)


def _is_date(name: str) -> bool:
    return name.rpartition(".")[2].startswith("Date")


def _has_quoted_type(statement: ast.stmt) -> bool:
    """Return whether an annotation contains a text outside of Literal, which would be read as a type."""
    if not isinstance(statement, ast.AnnAssign):
        return False
    parts = list(ast.walk(statement.annotation))
    quoted = [part for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    values = {
        inner
        for node in parts
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal"
        for inner in ast.walk(node.slice)
    }
    return not values.issuperset(quoted)


def forget_lines() -> None:
    """Clear the caches of lines and words, for measurements."""
    for cached in (*_lines, _words):
        cached.clear()
