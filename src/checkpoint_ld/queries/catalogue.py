"""The catalogue of named queries: the `.rq` files beside this module, each with a header that describes it.

A header is comments: `# title:`, `# description:`, `# needs: derived statements` where these are looked at,
`# parameter NAME: KIND[, required][, as ?VARIABLE] - WORDS`, `# column NAME: WORDS`, and `# example:` with what follows
`--name NAME` on the command line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from checkpoint_ld.errors import QueryError
from checkpoint_ld.suggestion import unknown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

Kind: TypeAlias = Literal["text", "iri", "date"]

_HEADER = re.compile(r"# (\w+)(?: (\w+))?:(.*)")
_PARAMETER = re.compile(r"(?P<kind>\w+)(?P<required>, required)?(?:, as \?(?P<variable>\w+))? - (?P<words>.+)")


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a query may be told: a `kind` of value for a `variable`."""

    name: str
    kind: Kind
    variable: str
    is_required: bool
    words: str


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """A query that is shipped.

    `columns` are those of its result, in their order, with what they hold. `needs_derived` says that it looks at
    derived statements (`checkpoint_ld.inference`); without them its result is empty or has gaps. `example` is what to
    write behind `--name NAME`.
    """

    name: str
    title: str
    description: str
    parameters: Mapping[str, Parameter]
    columns: Mapping[str, str]
    example: str
    needs_derived: bool
    text: str


@cache
def catalogue() -> Mapping[str, NamedQuery]:
    """Return all named queries, by name, in the order of their names."""
    folder = resources.files("checkpoint_ld.queries")
    files = sorted((one for one in folder.iterdir() if one.name.endswith(".rq")), key=lambda one: one.name)
    return MappingProxyType({one.name.removesuffix(".rq"): _query(one) for one in files})


def named(name: str) -> NamedQuery:
    """Return the query of that name. Raises QueryError, with those that are like it."""
    if name not in catalogue():
        raise QueryError(unknown("query", name, catalogue(), "checkpoint-ld query --list shows them all"))
    return catalogue()[name]


def _query(file: Traversable) -> NamedQuery:
    text = file.read_text(encoding="utf-8")
    said: dict[str, str] = {}
    parameters: dict[str, Parameter] = {}
    columns: dict[str, str] = {}
    for key, name, words in (found.groups() for found in map(_HEADER.fullmatch, text.splitlines()) if found):
        if key == "parameter":
            parameters[name] = _parameter(name, words.strip())
        elif key == "column":
            columns[name] = words.strip()
        else:
            said[key] = words.strip()
    return NamedQuery(
        name=file.name.removesuffix(".rq"),
        title=said["title"],
        description=said["description"],
        parameters=MappingProxyType(parameters),
        columns=MappingProxyType(columns),
        example=said["example"],
        needs_derived="derived" in said.get("needs", ""),
        text=text,
    )


def _parameter(name: str, words: str) -> Parameter:
    found = _PARAMETER.fullmatch(words)
    kind = next((one for one in get_args(Kind) if found and found["kind"] == one), None)
    if found is None or kind is None:
        raise QueryError(f"the parameter {name} of a shipped query is described wrongly: {words}")
    return Parameter(name, kind, found["variable"] or name, bool(found["required"]), found["words"])
