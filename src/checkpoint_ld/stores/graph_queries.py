"""Queries for the graphs of agent checkpoints: which fit a filter, and their headers.

First come the keys of all that fit, then the headers of those that are wanted. The order of ids is that of their code
points, which is not that of the IRIs that they are written in; so keys are put in order here.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

from pyoxigraph import Literal, NamedNode

from checkpoint_ld.agent import names
from checkpoint_ld.sparql.terms import value_of, written
from checkpoint_ld.stores.protocol import Header, real

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.agent.names import Kind
    from checkpoint_ld.sparql.terms import Term
    from checkpoint_ld.stores.backend import Row
    from checkpoint_ld.stores.protocol import Filter, Key

NAMES: Final = "SELECT DISTINCT ?c { GRAPH ?c { { ?c a caf:Checkpoint } UNION { ?c caf:snapshot ?snapshot } } }"
"""The query for the names of all graphs that hold an agent checkpoint of that name, or what is left of it."""
HASHES: Final = "SELECT DISTINCT ?sha256 { GRAPH ?c { ?c cafd:sha256 ?sha256 } }"
"""The query for the hash that is stored with the checkpoint ?c."""

_KEYS: Final = "SELECT DISTINCT ?c ?timestamp ?step_number {{ GRAPH ?c {{ {} }} {} }}"
_KEY: Final = """?c a caf:Checkpoint ; caf:timestampMs ?timestamp ; caf:metadata ?metadata .
  ?metadata caf:stepNumber ?step_number ."""
_PATTERNS: Final = {
    "execution_id": "?c prov:wasGeneratedBy ?execution_id .",
    "agent_id": "?c prov:wasAttributedTo ?agent_id .",
    "checkpoint_reason": "?metadata caf:checkpointReason ?checkpoint_reason .",
    "name": "?c schema:name ?name .",
    "about_question": "?c caf:about/caf:question ?about_question .",
    "about_benchmark": "?c caf:about/caf:benchmark ?about_benchmark .",
    "parent_checkpoint_id": "?c caf:parent ?link . ?link caf:parentCheckpoint ?parent_checkpoint_id .",
    "is_branch": "?link caf:isBranch ?is_branch .",
}
"""What a graph has to say of a member of its header, which is the variable of that name."""
_KINDS: Final[Mapping[str, Kind]] = {
    "execution_id": "execution",
    "agent_id": "agent",
    "parent_checkpoint_id": "checkpoint",
}
"""The members of headers that are IRIs in graphs."""
_SIGNS: Final = {operator.ge: ">=", operator.lt: "<"}
_TOOL: Final = "?c caf:snapshot/caf:toolState/caf:toolCall/caf:tool ?tool ."
_CONFIDENCE: Final = "?thought caf:confidence ?confidence ."
_FAILED: Final = "?call caf:success false ."

_MEMBERS: Final = [name for name in Header.__slots__ if name != "id"]
_HEADERS: Final = """
SELECT ?c {} {{
  VALUES ?c {{ {} }}
  GRAPH ?c {{
    ?c schema:schemaVersion ?version ; caf:timestampMs ?timestamp ; caf:metadata ?metadata ;
       prov:wasGeneratedBy ?execution_id ; prov:wasAttributedTo ?agent_id .
    ?metadata caf:stepNumber ?step_number ; caf:tokensUsed ?tokens_used ; caf:durationMs ?duration_ms ;
              caf:checkpointReason ?checkpoint_reason .
    OPTIONAL {{
      ?c caf:parent ?link . ?link caf:parentCheckpoint ?parent_checkpoint_id .
      OPTIONAL {{ ?link caf:isBranch ?is_branch }} OPTIONAL {{ ?link caf:branchReason ?branch_reason }}
    }}
    OPTIONAL {{ ?c a caf:Checkpoint ; schema:name ?name }}
    OPTIONAL {{ ?c a caf:Checkpoint ; schema:description ?description }}
    OPTIONAL {{ ?c caf:about/caf:benchmark ?about_benchmark }}
    OPTIONAL {{ ?c caf:about/caf:question ?about_question }}
    OPTIONAL {{ ?c a caf:Checkpoint ; cafd:sha256 ?sha256 }}
  }}
}}"""
"""Oxigraph goes through the names in all graphs for an OPTIONAL of one pattern, and looks one up for one of two."""


def keys_query(wanted: Filter) -> tuple[str, dict[str, Term]]:
    """Return the query for the keys of all checkpoints that fit, cursor apart, with the values of its parameters."""
    inside, outside = [_KEY], list[str]()
    parameters: dict[str, Term] = {}
    for name, compare, value in wanted.conditions:
        if compare is operator.eq:
            inside.append(_PATTERNS[name])
            is_iri, literal = name in _KINDS, value == 1 if name == "is_branch" else value
            parameters[name] = NamedNode(names.iri(_KINDS[name], value)) if is_iri else Literal(literal)
        elif name != "key":
            limit = f"limit{len(outside)}"
            outside.append(f"FILTER (?{name} {_SIGNS[compare]} ?{limit})")
            parameters[limit] = Literal(value)
    if wanted.tool is not None:
        inside.append(_TOOL)
        parameters["tool"] = NamedNode(names.iri("tool", wanted.tool))
    if wanted.confidence_below is not None:
        inside.append(_CONFIDENCE)
        outside.append("FILTER (?confidence < ?below)")
        parameters["below"] = Literal(real(wanted.confidence_below))
    if wanted.failed:
        inside.append(_FAILED)
    elif wanted.failed is not None:
        outside.append(f"MINUS {{ GRAPH ?c {{ {_FAILED} }} }}")
    return _KEYS.format(" ".join(inside), " ".join(outside)), parameters


def keys_of(rows: Iterable[Row], wanted: Filter, left_out: frozenset[str]) -> list[Key]:
    """Return the keys in rows, in the order of the filter, from its cursor to its limit; some may be left out."""
    found = {key for key in (_key_of(row) for row in rows if _name(row[0]) not in left_out) if key is not None}
    for name, compare, value in wanted.conditions:
        if name == "key":
            found = {key for key in found if compare(key, value)}
    return sorted(found, reverse=wanted.order == "newest")[: wanted.limit]


def headers_query(keys: Iterable[Key]) -> str:
    """Return the query for the headers of these checkpoints."""
    variables = " ".join(f"?{name}" for name in _MEMBERS)
    return _HEADERS.format(variables, " ".join(written(NamedNode(names.iri("checkpoint", key[2]))) for key in keys))


def headers_of(rows: Sequence[Row], keys: Iterable[Key]) -> Iterator[Header]:
    """Yield the headers in rows, in the order of `keys`; those that are there not at all, or twice, are left out.

    They were taken away since their keys were read, or are damaged.
    """
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        by_name.setdefault(_name(row[0]), []).append(row)
    for key in keys:
        mine = by_name.get(names.iri("checkpoint", key[2]), [])
        if len(mine) == 1:
            members = dict(zip(_MEMBERS, map(value_of, mine[0][1:]), strict=True))
            yield Header.of_members({"id": key[2], **members, **{name: _id(members[name]) for name in _KINDS}})


def identifiers(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the ids of the checkpoints that the names of graphs stand for, without names that are not ours."""
    for row in rows:
        known = identifier_of(_name(row[0]))
        if known is not None:
            yield known


def identifier_of(name: str) -> str | None:
    """Return the id of the checkpoint that an IRI names; None for one that is not ours."""
    found = names.identifier(name)
    # Another way to write the same id would be another graph.
    return found[1] if found is not None and names.iri("checkpoint", found[1]) == name else None


def _key_of(row: Row) -> Key | None:
    found, moment, step = identifier_of(_name(row[0])), value_of(row[1]), value_of(row[2])
    return (moment, step, found) if found is not None and type(moment) is int and type(step) is int else None


def _id(name: Any) -> str | None:
    found = None if name is None else names.identifier(name)
    return name if found is None else found[1]


def _name(term: Term | None) -> str:
    return term.value if isinstance(term, NamedNode) else ""
