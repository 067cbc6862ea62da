"""Listing: which checkpoints fit a filter, and their headers, asked in SPARQL.

First come the keys of all that fit, then the headers of those that are wanted. The order of ids is that of their code
points, which is not that of the IRIs that they are written in; so keys are put in order here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyoxigraph import Literal, NamedNode

from checkpoint_ld.agent import names
from checkpoint_ld.sparql.terms import value_of, written
from checkpoint_ld.stores.header import Header, real

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.agent.names import Kind
    from checkpoint_ld.sparql.terms import Term
    from checkpoint_ld.stores.filters import Filter
    from checkpoint_ld.stores.graphs.graphs import Row
    from checkpoint_ld.stores.header import Key

NAMES: Final = "SELECT DISTINCT ?c { GRAPH ?c { { ?c a caf:Checkpoint } UNION { ?c caf:snapshot ?snapshot } } }"
"""The query for the names of all graphs that hold an agent checkpoint of that name, or what is left of it."""

_KEYS: Final = "SELECT DISTINCT ?c ?time ?step {{ GRAPH ?c {{ {} }} {} }}"
_KEY: Final = "?c a caf:Checkpoint ; caf:timestampMs ?time ; caf:metadata ?metadata . ?metadata caf:stepNumber ?step ."
_PATTERNS: Final = {
    "execution_id": "?c prov:wasGeneratedBy ?execution .",
    "agent_id": "?c prov:wasAttributedTo ?agent .",
    "reason": "?metadata caf:checkpointReason ?reason .",
    "name": "?c schema:name ?name .",
    "tool": "?c caf:snapshot/caf:toolState/caf:toolCall/caf:tool ?tool .",
    "confidence_below": "?thought caf:confidence ?confidence .",
    "question": "?c caf:about/caf:question ?question .",
    "benchmark": "?c caf:about/caf:benchmark ?benchmark .",
    "branch_of": "?c caf:parent ?link . ?link caf:parentCheckpoint ?parent ; caf:isBranch true .",
}
"""What a graph has to say for each member of a filter; see `_parameters` for the variables that are given values."""
_FILTERS: Final = {
    "since": "FILTER (?time >= ?since)",
    "until": "FILTER (?time < ?until)",
    "confidence_below": "FILTER (?confidence < ?below)",
}
"""What else has to be so: outside of the graph, where parameters have their values."""
_FAILED: Final = "?call caf:success false ."
_SOUND: Final = f"MINUS {{ GRAPH ?c {{ {_FAILED} }} }}"
_SEEN: Final = {
    "newest": "FILTER (?time < ?moment || ?time = ?moment && ?step <= ?at)",
    "oldest": "FILTER (?time > ?moment || ?time = ?moment && ?step >= ?at)",
}

_HEADERS: Final = """
SELECT ?c ?version ?time ?execution ?agent ?step ?tokens ?duration ?reason ?parent ?branch ?why
       ?name ?description ?benchmark ?question ?sha256 {{
  VALUES ?c {{ {} }}
  GRAPH ?c {{
    ?c schema:schemaVersion ?version ; caf:timestampMs ?time ; caf:metadata ?metadata ;
       prov:wasGeneratedBy ?execution ; prov:wasAttributedTo ?agent .
    ?metadata caf:stepNumber ?step ; caf:tokensUsed ?tokens ; caf:durationMs ?duration ; caf:checkpointReason ?reason .
    OPTIONAL {{
      ?c caf:parent ?link . ?link caf:parentCheckpoint ?parent .
      OPTIONAL {{ ?link caf:isBranch ?branch }} OPTIONAL {{ ?link caf:branchReason ?why }}
    }}
    OPTIONAL {{ ?c a caf:Checkpoint ; schema:name ?name }}
    OPTIONAL {{ ?c a caf:Checkpoint ; schema:description ?description }}
    OPTIONAL {{ ?c caf:about/caf:benchmark ?benchmark }}
    OPTIONAL {{ ?c caf:about/caf:question ?question }}
    OPTIONAL {{ ?c a caf:Checkpoint ; cafd:sha256 ?sha256 }}
  }}
}}"""
"""Oxigraph goes through the names in all graphs for an OPTIONAL of one pattern, and looks one up for one of two."""


def hashes_query(checkpoint_id: str) -> tuple[str, dict[str, Term]]:
    """Return the query for the hash that is stored with a checkpoint, with the value of its parameter."""
    text = "SELECT DISTINCT ?sha256 { GRAPH ?c { ?c cafd:sha256 ?sha256 } }"
    return text, {"c": NamedNode(names.iri("checkpoint", checkpoint_id))}


def keys_query(wanted: Filter) -> tuple[str, dict[str, Term]]:
    """Return the query for the keys of all checkpoints that fit, with the values of its parameters.

    Of those that stand at the very moment and step of the cursor, all come, for ids are compared by `keys_of`.
    """
    inside = [_KEY, *_asked(_PATTERNS, wanted)]
    outside = _asked(_FILTERS, wanted)
    if wanted.failed is not None:
        (inside if wanted.failed else outside).append(_FAILED if wanted.failed else _SOUND)
    if wanted.cursor is not None:
        outside.append(_SEEN[wanted.order])
    return _KEYS.format(" ".join(inside), " ".join(outside)), dict(_parameters(wanted))


def keys_of(rows: Iterable[Row], wanted: Filter, left_out: frozenset[str]) -> list[Key]:
    """Return the keys that rows tell, in the order that is asked for, no more than the limit; some may be left out."""
    found = {key for key in (_key_of(row) for row in rows if _name(row[0]) not in left_out) if key is not None}
    cursor = wanted.cursor
    is_newest = wanted.order == "newest"
    if cursor is not None:
        found = {key for key in found if (key < cursor if is_newest else key > cursor)}
    return sorted(found, reverse=is_newest)[: wanted.limit]


def headers_query(keys: Iterable[Key]) -> str:
    """Return the query for the headers of these checkpoints."""
    return _HEADERS.format(" ".join(written(NamedNode(names.iri("checkpoint", key[2]))) for key in keys))


def headers_of(rows: Sequence[Row], keys: Iterable[Key]) -> Iterator[Header]:
    """Yield the headers that rows tell, in the order of `keys`; those that are told not at all, or twice, are left out.

    They were taken away since their keys were told, or are damaged.
    """
    told: dict[str, list[Row]] = {}
    for row in rows:
        told.setdefault(_name(row[0]), []).append(row)
    for key in keys:
        mine = told.get(names.iri("checkpoint", key[2]), [])
        if len(mine) == 1:
            yield _header(key[2], mine[0])


def identifier(term: Term | None) -> str | None:
    """Return the id of the checkpoint that a graph's name tells; None for a name that is not ours."""
    return identifier_of(_name(term))


def identifier_of(name: str) -> str | None:
    """Return the id of the checkpoint that an IRI names; None for one that is not ours."""
    told = names.identifier(name)
    # Another way to write the same id would be another graph.
    return told[1] if told is not None and names.iri("checkpoint", told[1]) == name else None


def _asked(said: Mapping[str, str], wanted: Filter) -> list[str]:
    return [text for member, text in said.items() if getattr(wanted, member) is not None]


def _parameters(wanted: Filter) -> Iterator[tuple[str, Term]]:
    nodes: tuple[tuple[str, Kind, str | None], ...] = (
        ("execution", "execution", wanted.execution_id),
        ("agent", "agent", wanted.agent_id),
        ("tool", "tool", wanted.tool),
        ("parent", "checkpoint", wanted.branch_of),
    )
    for variable, kind, text in nodes:
        if text is not None:
            yield variable, NamedNode(names.iri(kind, text))
    for variable in ("reason", "name", "question", "benchmark", "since", "until"):
        value = getattr(wanted, variable)
        if value is not None:
            yield variable, Literal(value)
    if wanted.confidence_below is not None:
        yield "below", Literal(real(wanted.confidence_below))
    if wanted.cursor is not None:
        yield "moment", Literal(wanted.cursor[0])
        yield "at", Literal(wanted.cursor[1])


def _key_of(row: Row) -> Key | None:
    found, moment, step = identifier(row[0]), value_of(row[1]), value_of(row[2])
    return (moment, step, found) if found is not None and type(moment) is int and type(step) is int else None


def _header(found: str, row: Row) -> Header:
    said: list[Any] = list(map(value_of, row))
    return Header(
        id=found,
        version=said[1],
        timestamp=said[2],
        execution_id=_id(said[3]),
        agent_id=_id(said[4]),
        step_number=said[5],
        tokens_used=said[6],
        duration_ms=real(said[7]),
        checkpoint_reason=said[8],
        parent_checkpoint_id=None if said[9] is None else _id(said[9]),
        is_branch=said[10] is True,
        branch_reason=said[11],
        name=said[12],
        description=said[13],
        about_benchmark=said[14],
        about_question=said[15],
        sha256=said[16],
    )


def _id(name: str) -> str:
    told = names.identifier(name)
    return name if told is None else told[1]


def _name(term: Term | None) -> str:
    return term.value if isinstance(term, NamedNode) else ""
