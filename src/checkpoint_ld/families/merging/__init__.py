"""Merging: two edits of one checkpoint brought together, in the terms of its authors."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from checkpoint_ld import families, writing
from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.arguments import checked
from checkpoint_ld.benchmark import Benchmark
from checkpoint_ld.dialects.reading import CANONICAL, Reading
from checkpoint_ld.documents.files import is_packed, kind_of, replace_file
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.documents.values import copied, is_number, same
from checkpoint_ld.entities.entity import now
from checkpoint_ld.errors import ReadError, SettingsError, WriteError, WrongTypeError
from checkpoint_ld.families.merging import benchmarks
from checkpoint_ld.families.merging.three_way import Conflict, Four, Merger, greatest
from checkpoint_ld.phrases import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import BinaryIO

    from checkpoint_ld.families import Source
    from checkpoint_ld.families.merging.three_way import Decide, Paths
    from checkpoint_ld.findings import Place


__all__ = ["Conflict", "Merge", "merge"]

Json = dict[str, Any]
Mergeable: TypeAlias = "str | os.PathLike[str] | BinaryIO | bytes | Benchmark | AgentCheckpoint"

_SIDES = ("ours", "theirs")
_FORMS = {
    ".json": "canonical",
    ".jsonld": "jsonld",
    ".ttl": "turtle",
    ".n3": "turtle",
    ".nt": "nt",
    ".nq": "nq",
    ".trig": "trig",
    ".rdf": "xml",
}


@dataclass(frozen=True)
class Merge:
    """What came of a merge: `result` is a Benchmark or an AgentCheckpoint.

    `conflicts` are what both sides changed, each in another way, with what the result has in their place.
    """

    result: Any
    conflicts: tuple[Conflict, ...]
    _source: Source | None = field(default=None, repr=False)

    @property
    def is_clean(self) -> bool:
        """Whether nothing is contested, or somebody decided all that was."""
        return all(one.is_resolved for one in self.conflicts)

    def __str__(self) -> str:
        return "\n".join(map(str, self.conflicts)) or "merged without conflict"

    def as_json(self) -> Json:
        """Return the conflicts as a JSON object; values that look like secrets are withheld."""
        return {"is_clean": self.is_clean, "conflicts": [one.as_json() for one in self.conflicts]}

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Write the result to `path`, all of it or nothing; the extension tells the syntax.

        JSON keeps the dialect and the layout of OURS. Raises WriteError for what cannot be written, and for a result
        that could not be read again.
        """
        replace_file(path, self.content(path), overwrite=overwrite, pack=is_packed(path))

    def content(self, path: str | os.PathLike[str] | None = None) -> bytes:
        """Return the bytes of a file called `path`; without one in the syntax of OURS. Raises WriteError as `save`."""
        data = self._of_benchmark(path) if isinstance(self.result, Benchmark) else self._of_agent(path)
        try:
            families.refusing(families.examine_bytes(data))
        except ReadError as error:
            raise WriteError(f"the two edits do not go together, nothing is written: {error}") from error
        return data

    def _of_benchmark(self, path: str | os.PathLike[str] | None) -> bytes:
        source = self._source if isinstance(self._source, Reading) else None
        own = source.dialect if source is not None else CANONICAL
        syntax = writing.syntax_of(path) if path is not None else writing.JSONLD
        if path is None and source is not None and source.document is None:
            syntax = source.syntax
        dialect = own if writing.is_writable(own) else CANONICAL
        return writing.write(self.result.graph, syntax=syntax, dialect=dialect, source=source, now=now()).data

    def _of_agent(self, path: str | os.PathLike[str] | None) -> bytes:
        from checkpoint_ld.agent.schema import without_context  # noqa: PLC0415 - benchmarks need none of it
        from checkpoint_ld.agent.serialization import AgentReading, written  # noqa: PLC0415 - as above
        from checkpoint_ld.dialects.amendment import amended, patched  # noqa: PLC0415 - as above

        source = self._source
        tree = self.result.tree()
        own = "canonical"
        if isinstance(source, AgentReading):
            is_plain = source.document is not None and source.shape == "canonical"
            own = source.shape if source.document is not None else source.syntax
            form = kind_of(path, _FORMS, own) if path is not None else own
            if is_plain and form in ("canonical", "jsonld") and source.document is not None:
                document = source.document
                if isinstance(document.value, dict) and same(without_context(document.value), source.tree):
                    return patched(document, amended(document.value, source.tree, tree))
            return written(tree, own if form == "canonical" else form)
        return written(tree, kind_of(path, _FORMS, own) if path is not None else own)


class Side(NamedTuple):
    """One of the three: its name, its tree, the object that was given or is needed, and what was read."""

    name: str
    tree: Json
    value: Any
    source: Source | None

    @property
    def is_benchmark(self) -> bool:
        return isinstance(self.value, Benchmark) or isinstance(self.source, Reading)

    def place(self, path: Any) -> Place | None:
        return self.source.place(pointer(path)) if self.source is not None and path is not None else None


@checked
def merge(
    base: Mergeable,
    ours: Mergeable,
    theirs: Mergeable,
    *,
    prefer: Literal["ours", "theirs"] | None = None,
    decide: Callable[[Conflict], Any] | None = None,
) -> Merge:
    """Bring two edits of one checkpoint together; `base` is what both started from.

    Benchmarks and agents' checkpoints, each in any dialect and syntax; things are known as `semantic_diff` and
    `diff_checkpoints` know them. What only one side changed is taken, and what both changed alike. Of dates the newest
    holds, of counts the greatest; order and sets never conflict. Where the sides contradict, `decide` is called with
    the conflict and returns the value, such as its `base`, `ours` or `theirs`; `prefer` decides all; with neither the
    result has what OURS has. Nothing that is given is changed. Raises ReadError for what
    cannot be read, and SettingsError for checkpoints that are no versions of one thing.
    """
    if prefer is not None and prefer not in _SIDES:
        raise SettingsError(unknown("side", prefer, _SIDES))
    sides = _side("BASE", base), _side("OURS", ours), _side("THEIRS", theirs)
    return merge_sources(*sides, prefer=prefer, decide=decide)


def merge_sources(
    base: Side | None, ours: Side, theirs: Side, *, prefer: str | None = None, decide: Decide | None = None
) -> Merge:
    """Merge three sides, as `merge`; without a base all that both sides have in another way is contested."""
    _check(base or ours, ours, theirs)
    base = base or ours._replace(name="BASE", tree={})
    conflicts: list[Conflict] = []

    def found(steps: tuple[Any, ...], four: Four, paths: Paths) -> Any:
        conflict = Conflict(
            merger.words(steps),
            four.old,
            four.ours,
            four.theirs,
            base.place(paths[0]),
            ours.place(paths[1]),
            theirs.place(paths[2]),
        )
        value, taken = four.ours, "ours"
        if prefer is not None:
            value, taken = getattr(four, prefer), prefer
        elif decide is not None:
            value = decide(conflict)
            own = [side for side in _SIDES if getattr(four, side) is value or same(getattr(four, side), value)]
            taken = own[0] if own else "edited"
        conflicts.append(replace(conflict, taken=taken, is_resolved=prefer is not None or decide is not None))
        return value

    old, was = (_seen(base, side) for side in (ours, theirs))
    four = Four(old, ours.tree, was, theirs.tree)
    merger = benchmarks.BenchmarkMerger(four, found) if ours.is_benchmark else AgentMerger(four, found)
    tree = copied(merger.merge(four))
    return Merge(_edited(ours, tree), tuple(conflicts), ours.source)


def _edited(ours: Side, tree: Json) -> Any:
    if not ours.is_benchmark:
        return AgentCheckpoint.of_tree(tree)
    benchmark = Benchmark.of_reading(ours.source) if isinstance(ours.source, Reading) else ours.value.clone()
    if not same(tree, ours.tree):
        identifier = tree.get("@id")
        benchmark.graph.write(benchmark.graph.root, {**tree, "@id": ours.tree.get("@id")} if identifier else tree)
        if identifier and identifier != ours.tree.get("@id"):
            benchmark.set_metadata(id=identifier)
            benchmark.graph.replace(benchmark.graph.root, "dateModified", tree.get("dateModified"))
    return benchmark


def _seen(base: Side, side: Side) -> Json:
    """Return the tree of the base as the dialect of a side would have it."""
    if not isinstance(side.source, Reading) or not base.tree:
        return base.tree
    own = base.source.dialect if isinstance(base.source, Reading) else CANONICAL
    return base.tree if own == side.source.dialect else benchmarks.seen_by(base.tree, side.source.dialect)


def _side(name: str, given: Any) -> Side:
    if isinstance(given, Benchmark):
        return Side(name, given.graph.tree(), given, None)
    if isinstance(given, AgentCheckpoint):
        return Side(name, given.tree(), given, None)
    if not isinstance(given, (str, bytes, os.PathLike)) and not hasattr(given, "read"):
        raise WrongTypeError(f"{name} is {type(given).__name__}: give a path, bytes, a Benchmark or an AgentCheckpoint")
    return of_source(name, families.read(given))


def of_source(name: str, source: Source) -> Side:
    """Return a side of what was read."""
    if isinstance(source, Reading):
        return Side(name, source.tree, None, source)
    checkpoint = AgentCheckpoint.of_reading(source)
    return Side(name, checkpoint.tree(), checkpoint, source)


def _check(base: Side, ours: Side, theirs: Side) -> None:
    """Refuse what are no versions of one thing."""
    for side in (ours, theirs):
        if side.is_benchmark is not base.is_benchmark:
            kinds = [f"{one.name} is {_kind(one)}" for one in (base, ours, theirs)]
            raise SettingsError(f"these cannot be merged: {', '.join(kinds)}; give three versions of one checkpoint")
        related = benchmarks.are_related if base.is_benchmark else are_related
        if not related(base.tree, side.tree):
            what = "identifier, name or question" if base.is_benchmark else "execution"
            raise SettingsError(
                f"BASE and {side.name} have no {what} in common: they are no versions of one checkpoint; as BASE give "
                "what both started from"
            )


def _kind(side: Side) -> str:
    return "a benchmark" if side.is_benchmark else "an agent's checkpoint"


_HEADER = frozenset(("id", "parent", "diff", "version"))
"""What says which save this is: that of the later one holds."""
_SETS = frozenset(("tags", "keywords", "labels"))
_COUNTED = (("metadata",), ("snapshot", "progress"), ("timestamp",))
"""Where numbers are counts and times: the greater one holds."""
_WORDS = {"thought_chain": "thought", "calls": "call"}
_NAMELESS = frozenset(("snapshot", "tool_state"))


class AgentMerger(Merger):
    """Merges the canonical trees of agents' checkpoints; thoughts and calls are known by their ids."""

    def __init__(self, four: Four, found: Callable[[tuple[Any, ...], Four, Paths], Any]) -> None:
        super().__init__(found)
        mine, other = four.ours, four.theirs
        # The later save gives the header, whichever side it is on.
        self._is_theirs_later = (other["timestamp"], str(other["id"])) > (mine["timestamp"], str(mine["id"]))

    def is_set(self, steps: tuple[Any, ...]) -> bool:
        """Whether an array of texts is a set."""
        return steps[-1] in _SETS

    def is_growing(self, steps: tuple[Any, ...], four: Four) -> bool:
        """Whether an array is a record that goes on: of messages, memories, steps; not arguments, nor a vector."""
        return "args" not in steps and all(isinstance(one, dict | str) for held in four for one in held)

    def keys(self, steps: tuple[Any, ...], four: Four) -> tuple[Sequence[Hashable], ...] | None:  # noqa: ARG002 - the signature of Merger
        """Return the names of the members of four arrays, as `Merger` says."""
        names = tuple([one.get("id") if isinstance(one, dict) else None for one in held] for held in four)
        return names if all(isinstance(one, str) for held in names for one in held) else None

    def settled(self, steps: tuple[Any, ...], four: Four) -> Any:
        """Return what wins where nobody has to choose."""
        if steps[0] in _HEADER:
            return four.theirs if self._is_theirs_later else four.ours
        if any(steps[: len(place)] == place for place in _COUNTED) and is_number(four.ours):
            return greatest(four.ours, four.theirs)
        return None

    def words(self, steps: tuple[Any, ...]) -> tuple[str, ...]:
        """Return what people call a place in a checkpoint."""
        words: list[str] = []
        for at, step in enumerate(steps):
            if isinstance(step, tuple):
                words.append(f"{_WORDS.get(steps[at - 1], steps[at - 1])} {step[0]}")
            elif step not in _NAMELESS and not (at + 1 < len(steps) and isinstance(steps[at + 1], tuple)):
                words.append(step)
        return tuple(words)


def are_related(base: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two trees are of one execution."""
    return bool(base.get("execution_id") == other.get("execution_id"))
