"""Outlines: what is left of a template when the names and texts that are its author's own are told by numbers.

Most templates of one benchmark are written alike, and reading them was most of what their validation took. What is
found about one template holds for all with its outline: to the reader, a name or text that it does not know is as good
as any other, as long as the same ones stay the same and different ones different. What it knows stands in an outline as
it is, as does everything that is not plain: keywords, names of the library, texts that are no prose. Where that is not
sure, there is no outline. (Measured with 1,000 templates: a quarter of the time of reading them when all lines are new,
a tenth when they were seen. 247 sound templates that people wrote, each with another text, had 76 outlines.)
"""

from __future__ import annotations

import ast
import keyword
import re
from functools import cache
from typing import TYPE_CHECKING

from checkpoint_ld.entities.primitives.values import TRUTH_WORDS
from checkpoint_ld.templates.primitives import FLAGS, NORMALIZERS, registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST = 20_000
"""Longer texts have no outline."""

_WORDS = frozenset(
    """
    Annotated Answer BaseAnswer ClassVar ConditionalGroundTruth Dict Field FieldCheck GroundTruthCase List Literal
    AllOf AnyOf AtLeastN Optional SynonymMap Union VerificationStrategy VerifiedField all all_of any_of at_least_n bool
    cases conditions contains correct count date datetime default description dict exact expected expression
    extraction_hint f field field_check field_name flags float format ground_truth id inf infinity int list list_str
    literal mapping match_type model_config model_post_init n nan normalize nullable off on pattern regex response self
    source str t type unknown value verify verify_granular verify_strategy verify_with weight y
    """.split()  # noqa: SIM905 - a list would take a line for each of them
)
_PLACEHOLDER = "The answer response"

# A word, with the string that it is a prefix of; a string; a comment. Between them nothing may be left that is no
# ASCII, or a quote: it would belong to a string that this does not see.
_TOKEN = re.compile(
    r"""(\w+(?:"(?:[^"\\\n]|\\[^\n])*"(?!")|'(?:[^'\\\n]|\\[^\n])*'(?!'))?"""
    r"""|"(?:""[\s\S]*?\"""|(?:[^"\\\n]|\\[^\n])*"(?!"))"""
    r"""|'(?:''[\s\S]*?\'''|(?:[^'\\\n]|\\[^\n])*'(?!'))"""
    r"""|\#[^\n]*)"""
)
_BETWEEN = re.compile(r"""["'\x80-\U0010ffff]""")
_BARRED = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
# Prose is also a regular expression, as which a template may use it, and nothing that may be read as a number or date.
_SAFE = r"[^\\\[\](){}*+?|^$\x00-\x09\x0b-\x1f\x7f]"
_PROSE = re.compile(rf"[^\W\d_]{_SAFE}*(?:(?:(?<=\w)\?(?=[\s\"']|\Z)|\({_SAFE}+\)(?![?*+{{])){_SAFE}*)*")

_NAMED, _TEXT, _NUMBER, _STRING, _END, _COMMENT = "\x01", "\x02", "\x03", "\x04", "\x05", "#"
# Strings side by side are one, and what follows a number and a point may be a part of it.
_JOINED = re.compile(r"\x05[\s#\\]*[\x02\x04]|[\d\x03]\.\x01")
_LONGEST_NUMBER = 15
_MOST = 16384

Line = tuple[str, tuple[str, ...]]
"""A line, with marks for the names and texts that are its author's own, and these."""
Outline = tuple[tuple[str, ...], tuple[int, ...]]
"""The lines of a template, with marks, and the numbers of what the marks stand for."""

_lines: tuple[dict[str, Line | None], dict[str, Line | None]] = ({}, {})
"""Lines that were seen, without and with numbers that are just values; those of one benchmark repeat."""


def outline_of(source: str) -> Outline | None:
    """Return the outline of a template's text, None if it has none."""
    if len(source) > LONGEST or _BARRED.search(source) is not None:
        return None
    has_values = "Literal[" not in source and "GroundTruthCase" not in source
    known_lines = _lines[has_values]
    marked: list[str] = []
    contents: list[str] = []
    for text in source.split("\n"):
        line = known_lines[text] if text in known_lines else _line(text, has_values=has_values)
        if line is None:
            break
        marked.append(line[0])
        contents += line[1]
    else:
        return _numbered(marked, contents)
    # A string may have several lines.
    whole = _line(source, has_values=has_values)
    return None if whole is None else _numbered([whole[0]], whole[1])


def _numbered(marked: Iterable[str], contents: Iterable[str]) -> Outline:
    numbers: dict[str, int] = {}
    return tuple(marked), tuple([numbers.setdefault(one, len(numbers)) for one in contents])


def _line(text: str, *, has_values: bool) -> Line | None:
    line = _marked(text, has_values=has_values)
    seen = _lines[has_values]
    if len(seen) >= _MOST:
        seen.clear()
    seen[text] = line
    return line


def _marked(text: str, *, has_values: bool) -> Line | None:
    """Return a text with its marks, None where it cannot be split into tokens with certainty."""
    parts = _TOKEN.split(text)
    if _BETWEEN.search(" ".join(parts[::2])) is not None:
        return None
    contents: list[str] = []
    for at in range(1, len(parts), 2):
        token = parts[at]
        is_own = _words[token] if token in _words else _is_own(token)
        if is_own:
            parts[at] = _NAMED
            contents.append(token)
        elif is_own is None:
            own = _own_text(token)
            if own is None:
                return None
            parts[at] = f"{_TEXT}{_END}" if own else f"{_STRING}{token}{_END}"
            contents += own
        elif token[0] == "#":
            parts[at] = _COMMENT
        elif not token.isascii():
            return None
        elif has_values and token.isdecimal() and _is_value(parts, at):
            parts[at] = _NUMBER
    return "".join(parts), tuple(contents)


_words: dict[str, bool] = {}
"""Words that were seen, and whether they are names that mean nothing to the reader."""


def _is_own(token: str) -> bool | None:
    """Tell whether a token is a name that means nothing to the reader; None for a string."""
    if token[-1] in "\"'" and token[0] != "#":
        return None
    is_own = _NAME.fullmatch(token) is not None and token not in known()
    if token[0] != "#" and len(_words) < _MOST:
        _words[token] = is_own
    return is_own


def _own_text(token: str) -> tuple[str, ...] | None:
    """Return the text of a string that is its author's own, nothing for any other; None where it is not certain."""
    if token[0] not in "\"'":
        return () if token[1] in "\"'" and token[0] in "rR" else None
    is_long = len(token) > 5 and token[:3] in ('"""', "'''")
    if is_long and "\\" in token:
        return None
    text = token[3:-3] if is_long else token[1:-1].replace('\\"', '"').replace("\\'", "'")
    # A text of two words is no number, and no name of anything.
    is_own = _PROSE.fullmatch(text) if len(text.split(None, 1)) == 2 else _NAME.fullmatch(text)
    return () if is_own is None or text in known() or text.lower() in known() else (text,)


def _is_value(parts: list[str], at: int) -> bool:
    """Tell whether a number is a value of which only the kind counts: no 0 or 1, and no parameter of anything."""
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
    """Return the words that mean something to the reader of templates or to Python, also in small letters."""
    words = {
        *_WORDS,
        _PLACEHOLDER,
        *keyword.kwlist,
        *keyword.softkwlist,
        *TRUTH_WORDS,
        *NORMALIZERS,
        *FLAGS,
        *registry(),
    }
    for primitive in registry().values():
        words.update((*primitive.types, primitive.truth))
        for parameter in primitive.parameters:
            words.update((parameter.name, *parameter.choices))
    return frozenset((*words, *(word.lower() for word in words)))


def forget_lines() -> None:
    """Forget all lines that were seen, for measurements."""
    for seen in _lines:
        seen.clear()


def is_typical(source: str) -> bool:
    """Tell whether the outline of a template tells all that the reader goes by: no value in it has to be worked out.

    Raises SyntaxError for what is not Python.
    """
    outline = outline_of(source)
    if outline is None or _JOINED.search("\n".join(outline[0])) is not None:
        return False
    module = ast.parse(source)
    bodies = [module.body, *(node.body for node in ast.walk(module) if isinstance(node, ast.ClassDef))]
    statements = [statement for body in bodies for statement in body]
    bound = {
        node.id
        for statement in statements
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    evaluated = [node for statement in statements for node in _evaluated(statement)]
    return all(_is_plain(node, bound) for node in evaluated) and not any(map(_has_quoted_type, statements))


_PLAIN = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.Call, ast.keyword, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Load),
    *(ast.Store, ast.UnaryOp, ast.USub, ast.Subscript, ast.BinOp, ast.BitOr),
)
_HOOKS = ("ground_truth", "model_post_init")


def _evaluated(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the parts of a statement that the reader may evaluate, and names that stand for others."""
    match statement:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (alias for alias in names if alias.asname is not None and _is_date(alias.name))
        case ast.FunctionDef(name=name) if name in _HOOKS:
            for inner in ast.walk(statement):
                if isinstance(inner, ast.Assign | ast.AnnAssign) and inner.value is not None:
                    yield from ast.walk(inner.value)
        case ast.ClassDef() | ast.FunctionDef() | ast.Pass() | ast.Expr(value=ast.Constant()):
            pass
        case _:
            yield from (node for part in ast.iter_child_nodes(statement) for node in ast.walk(part))


def _is_plain(node: ast.AST, bound: set[str]) -> bool:
    """Tell whether a part has a value at once, and one that is no date, which may be written in many ways."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            return name not in bound and not _is_date(name)
        case ast.Attribute(attr=name) | ast.Constant(value=str() as name):
            return not _is_date(name)
    return isinstance(node, _PLAIN)


def _is_date(name: str) -> bool:
    return name.rpartition(".")[2].startswith("Date")


def _has_quoted_type(statement: ast.stmt) -> bool:
    """Tell whether an annotation has a text in it that is no value of a Literal: it would be read as a type."""
    if not isinstance(statement, ast.AnnAssign):
        return False
    values = {
        inner
        for node in ast.walk(statement.annotation)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal"
        for inner in ast.walk(node.slice)
    }
    return any(
        isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in values
        for node in ast.walk(statement.annotation)
    )
