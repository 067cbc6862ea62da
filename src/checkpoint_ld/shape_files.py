"""What files of shapes say: those that we ship were parsed beforehand.

`shapes/parsed/` has the statements of each of our Turtle files as JSON; `python docs/parsed_shapes.py` writes them, and
a test holds them against the Turtle. A file that was changed since is parsed. (Measured: `validate` of ten questions
took a twentieth less.)
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import orjson
import pyoxigraph

from checkpoint_ld import data
from checkpoint_ld.vocabulary import SHAPES

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "shapes"
PARSED = "parsed"
"""The folder in it of what was parsed beforehand."""
BLANK = "_:"
"""What the names of blank nodes begin with; those of each file have names of their own."""

Term = str | list[str | None]
"""An IRI, the name of a blank node, or of a literal: the text, the datatype unless plain, and the language if any."""
Said = dict[str, dict[str, list[Term]]]
"""The values of each subject by predicate, each once, in the order of the file."""


def said_in(file: Path) -> Said:
    """Return what a Turtle file says. Raises SyntaxError for what is no Turtle, OSError for what cannot be read."""
    found = said_beforehand(file)
    return parsed(file) if found is None else found


def said_beforehand(file: Path) -> Said | None:
    """Return what one of our files says; None for any other file, and for one that was changed since it was parsed."""
    folder = data.folder(FOLDER)
    if not file.is_relative_to(folder):
        return None
    beforehand = parsed_file(folder, file)
    if not beforehand.is_file():
        return None
    held = orjson.loads(beforehand.read_bytes())
    said: Said | None = held["said"] if held["sum"] == sum_of(file) else None
    return said


def parsed_file(folder: Path, file: Path) -> Path:
    """Return where what a file of ours says, which stands in `folder`, is kept."""
    return (folder / PARSED / file.relative_to(folder)).with_suffix(".json")


def parsed(file: Path) -> Said:
    """Return what a Turtle file says, by parsing it. Raises as `said_in`."""
    said: Said = {}
    names: dict[str, str] = {}

    def term(one: Any) -> Term:
        if isinstance(one, pyoxigraph.NamedNode):
            return str(one.value)
        if isinstance(one, pyoxigraph.BlankNode):
            return names.setdefault(one.value, f"{BLANK}{file.stem}-{len(names)}")
        datatype = None if one.datatype.value.endswith(("#string", "#langString")) else one.datatype.value
        return [one.value, datatype, one.language]

    for quad in pyoxigraph.parse(path=file, format=pyoxigraph.RdfFormat.TURTLE, base_iri=SHAPES):
        if not isinstance(quad.object, pyoxigraph.Triple):
            values = said.setdefault(str(term(quad.subject)), {}).setdefault(quad.predicate.value, [])
            if (value := term(quad.object)) not in values:
                values.append(value)
    return said


def text_of(term: Term) -> str:
    """Return the text of a term: that of a literal, or the name of a node."""
    return term if isinstance(term, str) else str(term[0])


def sum_of(file: Path) -> int:
    """Return a checksum of a file, which tells whether it was changed."""
    return zlib.crc32(file.read_bytes())
