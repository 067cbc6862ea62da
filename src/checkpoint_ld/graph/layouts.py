"""Layouts: how the statements of a node become the members of a JSON object, found once for nodes that are alike.

What the keys of nodes of one type at one place mean, and their order, is `Reads`. `row_function` writes a function for
nodes with the same predicates in the same order: a dictionary display takes a third of the time of a loop over members.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from checkpoint_ld.graph.contexts import IDENTIFIER, RDF_TYPE, is_property_value, named
from checkpoint_ld.graph.key_order import KEY_ORDER
from checkpoint_ld.graph.literals import TEXT
from checkpoint_ld.graph.residue import RESIDUE
from checkpoint_ld.vocabulary import SCHEMA, TEXTS, rank_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.contexts import Term, TermTable

Row = Callable[[Any, Mapping[Any, Any], Any], dict[str, Any]]
"""A function from a node, its statements and a reader to the members of an object."""
Rows = dict[tuple["Node", ...], Row]
"""The functions for values of one member, by the predicates of the node."""

POSITION = named(SCHEMA + "position")

MOST = 4096
"""So many places, predicates and sets of them are remembered, so that documents without repetition fill no memory."""
_NO_MEMBERS = frozenset({RDF_TYPE, IDENTIFIER, RESIDUE, KEY_ORDER})


class Step(NamedTuple):
    """One member: its key, its predicate, its rank among the members, and the way to read its values.

    Without a predicate, it is the identifier. `kind` is the value of the member for types.
    """

    key: str
    predicate: Node | None
    rank: tuple[int, str]
    coercion: str | None = None
    term: Term | None = None
    is_map: bool = False
    is_set: bool = False
    known: Any = None
    """The meaning of the key, a `KeyPlan`, for a family whose keys are compiled."""
    kind: str | list[str] | None = None
    memo: str = ""
    """The name under which values of literals are remembered that are read in the same way."""


class Reads:
    """The way to read nodes of one type that are values of `via`; steps are found when a predicate first occurs."""

    def __init__(self, via: Term | None, kind: str | list[str] | None, table: TermTable) -> None:
        self.via = via
        self.kind = kind
        self.terms = table.at(via, kind)
        self.is_property = is_property_value(kind, via)
        self._steps: dict[Node, Step | None] = dict.fromkeys(_NO_MEMBERS)
        self._layouts: dict[tuple[Node, ...], list[tuple[Step, int | None]]] = {}

    @property
    def slot(self) -> str | None:
        """The key of the member whose values are read."""
        return self.via.key if self.via is not None else None

    def step(self, predicate: Node) -> Step | None:
        """Return the way to read a member, None for a predicate that is no member."""
        try:
            return self._steps[predicate]
        except KeyError:
            if len(self._steps) >= MOST:
                self._steps = dict.fromkeys(_NO_MEMBERS)
            step = self._steps[predicate] = self.learnt(predicate)
            return step

    def learnt(self, predicate: Node) -> Step | None:
        """Find the way to read a member."""
        key = self.terms.key_of(str(predicate))
        term = self.terms.by_key.get(key)
        return step_of(key, predicate, term, is_property=self.is_property, rank=self.rank(key))

    @cached_property
    def heads(self) -> tuple[Step, ...]:
        """The members that no predicate of their own states: the type and the identifier."""
        identifier = Step("@id", None, self.rank("@id"))
        if self.kind is None:
            return (identifier,)
        return Step("@type", RDF_TYPE, self.rank("@type"), kind=self.kind), identifier

    def layout(self, predicates: tuple[Node, ...]) -> list[tuple[Step, int | None]]:
        """Return the members of a node with some predicates, in canonical order.

        Each comes with the index of its predicate, None for the identifier.
        """
        known = self._layouts.get(predicates)
        if known is None:
            steps = [*self.heads, *(step for step in map(self.step, predicates) if step is not None)]
            places = {predicate: at for at, predicate in enumerate(predicates)}
            if len(self._layouts) >= MOST:
                self._layouts.clear()
            known = self._layouts[predicates] = [
                (step, None if step.predicate is None else places[step.predicate])
                for step in sorted(steps, key=attrgetter("rank"))
            ]
        return known

    def rank(self, key: str) -> tuple[int, str]:
        """Return the sort key of a member."""
        return rank_of(key, self.kind, self.slot)


READS: WeakKeyDictionary[TermTable, dict[tuple[Any, ...], Reads]] = WeakKeyDictionary()
"""The way to read nodes under each context, by the identity of `via`, which is kept there, and by type."""
ROWS: WeakKeyDictionary[TermTable, dict[tuple[Any, ...], Rows]] = WeakKeyDictionary()
"""The row functions by the class of the reader, the identity of `via`, which they keep, and the requested members."""


def step_of(
    key: str, predicate: Node, term: Term | None, *, is_property: bool, rank: tuple[int, str] = (0, "")
) -> Step:
    """Return the way to read the member `key`, which `term` defines, of an object that may be a property value."""
    coercion = term.coercion if term is not None else None
    if is_property and key == "value":
        coercion = "@json"
    elif coercion is None and key in TEXTS:
        coercion = TEXT
    container = term.container if term is not None else None
    memo = f"{coercion} {term.coercion if term is not None else None}"
    return Step(key, predicate, rank, coercion, term, container == "@index", container == "@set", memo=memo)


class MemberReading(NamedTuple):
    """How a row gets one member: by the value at `at` among those of the node, None for the node itself.

    `read` returns the JSON value of that, given the reader, which remembers the values of literals if the member
    `has_memo`. A member without a way to read it is left to be filled in.
    """

    step: Step
    at: int | None
    read: Callable[[Any, Any], Any] | None = None
    has_memo: bool = False

    def expression(self, at: int, memo: int | None) -> str:
        """Return the source of the expression for the value, of the member with an index, and of its memo."""
        if self.read is None:
            return "None"
        if isinstance(self.step.kind, str):
            return f"kind{at}"
        if self.at is None:
            return f"read{at}(node, reader)"
        read = f"read{at}(v{self.at}, reader)"
        return read if memo is None else f"value if (value := known{memo}(id(v{self.at}))) is not None else {read}"


def row_function(
    members: Sequence[MemberReading],
    held: Mapping[Node, Any],
    other: Row | None,
    *,
    has_name: bool = True,
    writes: Reads | None = None,
) -> Row:
    """Return the function from a node, its statements and a reader to its members.

    It is for nodes that have the predicates of `held`. With `other`, it calls that for a node with another type, or for
    one with a name of its own unless it `has_name`. With `writes`, the reader is a writer, which may add a context.
    """
    conditions = []
    type_ = named(str(held[RDF_TYPE])) if other is not None and RDF_TYPE in held else None
    if type_ is not None:
        conditions.append(f"v{[*held].index(RDF_TYPE)} is not type_")  # another object of the same name is read alike
    if other is not None and not has_name:
        conditions.append("'#/' not in node")
    memos = [*dict.fromkeys(member.step.memo for member in members if member.has_memo)]
    expressions = tuple(
        member.expression(at, memos.index(member.step.memo) if member.has_memo else None)
        for at, member in enumerate(members)
    )
    name = next((at for at, member in enumerate(members) if member.at is None and member.read is not None), None)
    make = _compiled(expressions, " or ".join(conditions), name, len(memos), len(held), is_written=writes is not None)
    row: Row = make(
        other,
        type_,
        writes,
        *memos,
        *chain.from_iterable((member.step.key, member.read, member.step.kind) for member in members),
    )
    return row


@lru_cache(maxsize=MOST)
def _compiled(  # noqa: PLR0913 - all that the source depends on
    expressions: tuple[str, ...], condition: str, name: int | None, memos: int, width: int, *, is_written: bool
) -> Callable[..., Row]:
    """Return the function that makes a row function; nothing of a document is part of its source."""
    given = ["other", "type_", "reads", *(f"memo{at}" for at in range(memos))]
    given += [f"key{at}, read{at}, kind{at}" for at in range(len(expressions))]
    shown = ", ".join(f"key{at}: {expression}" for at, expression in enumerate(expressions))
    lines = [f"def make({', '.join(given)}):", "  def fill(node, held, reader):"]
    lines += [f"    {''.join(f'v{at}, ' for at in range(width))}= held.values()"] if width else []
    lines += [f"    if {condition}: return other(node, held, reader)"] if condition else []
    lines += ["    values = reader.values"] if memos else []
    lines += [f"    known{at} = values[memo{at}].get" for at in range(memos)]
    lines += ["    outer, reader.needs_context = reader.needs_context, False"] if is_written else []
    lines += [f"    row = {{{shown}}}"]
    lines += [f"    if row[key{name}] is None: del row[key{name}]"] if name is not None else []
    if is_written:
        lines += ["    if reader.needs_context: row = reader.with_context(node, held, reads, row)"]
        lines += ["    reader.needs_context = outer"]
    lines += ["    return row", "  return fill"]
    namespace: dict[str, Any] = {}
    exec("\n".join(lines), namespace)  # noqa: S102 - the source has numbers and our own names
    made: Callable[..., Row] = namespace["make"]
    return made
