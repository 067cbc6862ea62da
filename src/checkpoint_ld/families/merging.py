"""Three-way merging of two edits of one checkpoint, in the terms of its authors.

`merge` compares the canonical trees of base, ours and theirs member by member. `BenchmarkMerger` and `AgentMerger`
define how entries of arrays are identified and which values never conflict. A `Merge` has the result and the
`Conflict`s.
"""

from __future__ import annotations

import difflib
import json
import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from checkpoint_ld import families, writing
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.schema import without_context
from checkpoint_ld.agents.serialization import AgentReading, written
from checkpoint_ld.agents.values import EXTENSIONS
from checkpoint_ld.benchmark import Benchmark
from checkpoint_ld.benchmark.difference import pairs
from checkpoint_ld.dialects.amendment import amended, patched
from checkpoint_ld.dialects.reading import CANONICAL, Reading
from checkpoint_ld.documents.files import is_packed, kind_of, replace_file
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.documents.values import ABSENT, copied, now, same
from checkpoint_ld.errors import ReadError, SettingsError, WriteError, WrongTypeError
from checkpoint_ld.families.tree_merging import Four, common_length, merger_of, questions_of
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.phrases import encodable, harmless, head, unknown
from checkpoint_ld.secrets import WITHHELD, secret

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from checkpoint_ld.families import Checkpoint
    from checkpoint_ld.families.tree_merging import Paths, Steps
    from checkpoint_ld.findings import Place

    Decide = Callable[["Conflict"], Any]

Json = dict[str, Any]
Mergeable: TypeAlias = "str | os.PathLike[str] | BinaryIO | bytes | Benchmark | AgentCheckpoint"

_SIDES = ("ours", "theirs")
_ROOM, _BEFORE = 60, 12
"""The most cells of a value, and the characters before the first difference of long texts."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A value that both sides changed in different ways.

    `subject` names it in the authors' terms, such as `question urn:…` and `template`. The values are JSON in the
    canonical form, ABSENT where a side has none; the places are None there. `taken` is the side whose value the result
    has, `ours` or `theirs`, or `edited` for another value.
    """

    subject: tuple[str, ...]
    base: Any
    ours: Any
    theirs: Any
    base_place: Place | None = None
    ours_place: Place | None = None
    theirs_place: Place | None = None
    taken: str = "ours"
    is_resolved: bool = False

    def __str__(self) -> str:
        lines = [": ".join(self.subject) or "the checkpoint"]
        sides = self._sides()
        if self._is_of_lines() and not any(self._is_secret(value) for value, _ in sides.values()):
            for name in _SIDES:
                lines += [f"  {name}:{self._at(name)}", *(f"    {harmless(line)}" for line in self._changes(name))]
            return "\n".join((*lines, f"  taken:  {self.taken}"))
        arrays = [value for value, _ in sides.values()]
        alike = min((common_length(arrays[0], array) for array in arrays if isinstance(array, list)), default=0)
        alike = alike if all(isinstance(array, list) for array in arrays) else 0
        texts = [value for value, _ in sides.values() if isinstance(value, str)]
        are_long = len(texts) == len(sides) and max(map(len, texts)) > _ROOM
        left = min(common_length(texts[0], text) for text in texts) if are_long else 0
        for name in ("base", *_SIDES):
            value = sides.get(name, (ABSENT, None))[0]
            lines.append(f"  {name + ':':8}{self._shown(value, alike, left)}{self._at(name)}")
        return "\n".join((*lines, f"  taken:  {self.taken}"))

    def _at(self, name: str) -> str:
        place = getattr(self, f"{name}_place")
        return f"  ({place})" if place is not None and str(place) else ""

    def _is_of_lines(self) -> bool:
        """Return whether both sides have a text of which one has several lines, such as a template."""
        texts = (self.ours, self.theirs)
        return all(isinstance(text, str) for text in texts) and any("\n" in text for text in texts)

    def _changes(self, name: str) -> list[str]:
        """Return what a side changed, as a unified diff without its head."""
        before, after = (
            (text if isinstance(text, str) else "").splitlines() for text in (self.base, getattr(self, name))
        )
        return [*difflib.unified_diff(before, after, lineterm="", n=1)][2:]

    def as_json(self) -> dict[str, Any]:
        """Return the conflict as a JSON object; a side without a value has no member. Secrets are withheld."""
        hidden = {name: WITHHELD if self._is_secret(value) else value for name, (value, _) in self._sides().items()}
        held = {name: getattr(self, f"{name}_place") for name in ("base", *_SIDES)}
        places = {
            name: {"file": place.file, "pointer": place.pointer, "line": place.line, "column": place.column}
            for name, place in held.items()
            if place is not None
        }
        return {"subject": list(self.subject), **hidden, "places": places, "taken": self.taken}

    def _sides(self) -> dict[str, tuple[Any, Place | None]]:
        """Return value and place of the sides that have a value."""
        found = {name: (getattr(self, name), getattr(self, f"{name}_place")) for name in ("base", *_SIDES)}
        return {name: side for name, side in found.items() if side[0] is not ABSENT}

    def _is_secret(self, value: Any) -> bool:
        return secret({self.subject[-1] if self.subject else "": value}) is not None

    def _shown(self, value: Any, alike: int, left: int) -> str:
        if value is ABSENT:
            return "(none)"
        if self._is_secret(value):
            return WITHHELD
        if alike:
            number = f"{len(value)} items, " if len(value) > 1 else "1 item, "
            rest = _text(value[alike:]) if value[alike:] else "no more"
            return head(f"{number}from number {alike + 1} on: {rest}", _ROOM)
        if isinstance(value, str):
            # What the sides have in common before they differ is left out, but for a little.
            return head(value if left <= _BEFORE else f"…{value[left - _BEFORE :]}", _ROOM)
        return head(_text(value), _ROOM)


def _text(value: Any) -> str:
    return encodable(json.dumps(value, ensure_ascii=False))


@dataclass(frozen=True)
class Merge:
    """The outcome of a merge: `result` is a Benchmark or an AgentCheckpoint.

    `conflicts` are the values that both sides changed in different ways, with those in the result.
    """

    result: Any
    conflicts: tuple[Conflict, ...]
    _source: Checkpoint | None = field(default=None, repr=False)

    @property
    def is_clean(self) -> bool:
        """Whether there are no conflicts, or all were decided."""
        return all(conflict.is_resolved for conflict in self.conflicts)

    def __str__(self) -> str:
        return "\n".join(map(str, self.conflicts)) or "merged without conflict"

    def as_json(self) -> Json:
        """Return the conflicts as a JSON object; values that look like secrets are withheld."""
        return {"is_clean": self.is_clean, "conflicts": [conflict.as_json() for conflict in self.conflicts]}

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Write the result to `path`, atomically; the syntax follows from the extension.

        JSON keeps the dialect and the layout of OURS. Raises WriteError for a result that cannot be written or could
        not be read again.
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
        source, tree, own = self._source, self.result.tree(), "canonical"
        document = source.document if isinstance(source, AgentReading) else None
        if isinstance(source, AgentReading):
            own = source.syntax if document is None else source.shape
        form = own if path is None else kind_of(path, EXTENSIONS, own)
        if isinstance(source, AgentReading) and document is not None and source.shape == "canonical":
            value = document.value
            is_alike = isinstance(value, dict) and same(without_context(value), source.tree)
            if form in ("canonical", "jsonld") and is_alike:
                return patched(document, amended(value, source.tree, tree))
        return written(tree, own if form == "canonical" else form)


class Side(NamedTuple):
    """One of the three versions: its name, its tree, its object if there is one, and its reading."""

    name: str
    tree: Json
    value: Any
    source: Checkpoint | None

    @property
    def is_benchmark(self) -> bool:
        """Whether it is a benchmark; otherwise it is an agent checkpoint."""
        return isinstance(self.value, Benchmark) or isinstance(self.source, Reading)

    def place(self, path: Any) -> Place | None:
        """Return the place of the value at a path, None for no path and for a version that was not read."""
        return self.source.place(pointer(path)) if self.source is not None and path is not None else None


def merge(
    base: Mergeable,
    ours: Mergeable,
    theirs: Mergeable,
    *,
    prefer: Literal["ours", "theirs"] | None = None,
    decide: Callable[[Conflict], Any] | None = None,
) -> Merge:
    """Merge two edits of one checkpoint; `base` is the version that both started from.

    Both families merge, in any dialect and syntax. Parts are matched as in `semantic_diff` and `diff_checkpoints`. The
    result has the changes of one side, and changes that both sides made alike. It has the newest of dates and the
    greatest of counts; order and sets never conflict. For each conflict, `decide` is called and returns the value, such
    as its `base`, `ours` or `theirs`. `prefer` decides all conflicts. With neither, the result has the value of OURS.
    The arguments are not changed. Raises ReadError for what cannot be read, and SettingsError for checkpoints that are
    no versions of the same checkpoint.
    """
    if prefer is not None and prefer not in _SIDES:
        raise SettingsError(unknown("side", prefer, _SIDES))
    sides = _side("BASE", base), _side("OURS", ours), _side("THEIRS", theirs)
    return merge_sources(*sides, prefer=prefer, decide=decide)


def merge_sources(
    base: Side | None, ours: Side, theirs: Side, *, prefer: str | None = None, decide: Decide | None = None
) -> Merge:
    """Merge three sides, as `merge`; without a base, each value that differs between the sides is a conflict."""
    _refuse_strangers(base or ours, ours, theirs)
    base = base or ours._replace(name="BASE", tree={})
    conflicts: list[Conflict] = []

    def found(steps: Steps, four: Four, paths: Paths) -> Any:
        first, second, third = (side.place(path) for side, path in zip((base, ours, theirs), paths, strict=True))
        conflict = Conflict(merger.words(steps), four.old, four.ours, four.theirs, first, second, third)
        value, taken = four.ours, "ours"
        if prefer is not None:
            value, taken = getattr(four, prefer), prefer
        elif decide is not None:
            value = decide(conflict)
            taken = next((side for side in _SIDES if same(getattr(four, side), value)), "edited")
        conflicts.append(replace(conflict, taken=taken, is_resolved=prefer is not None or decide is not None))
        return value

    old, was = (_seen(base, side) for side in (ours, theirs))
    four = Four(old, ours.tree, was, theirs.tree)
    merger = merger_of(four, found, is_benchmark=ours.is_benchmark)
    tree = copied(merger.merge(four))
    return Merge(_edited(ours, tree), tuple(conflicts), ours.source)


def _edited(ours: Side, tree: Json) -> Any:
    if not ours.is_benchmark:
        return AgentCheckpoint.of_tree(tree)
    benchmark = Benchmark.of_reading(ours.source) if isinstance(ours.source, Reading) else ours.value.clone()
    if not same(tree, ours.tree):
        identifier = tree["@id"] if isinstance(tree.get("@id"), str) else None
        benchmark.graph.write(benchmark.graph.root, {**tree, "@id": ours.tree.get("@id")} if identifier else tree)
        if identifier and identifier != ours.tree.get("@id"):
            benchmark.set_metadata(id=identifier)
            benchmark.graph.replace(benchmark.graph.root, "dateModified", tree.get("dateModified"))
    return benchmark


def _seen(base: Side, side: Side) -> Json:
    """Return the tree of the base as if it had been written and read in the dialect of a side."""
    if not isinstance(side.source, Reading) or not base.tree:
        return base.tree
    source = base.source if isinstance(base.source, Reading) else None
    dialect = side.source.dialect
    is_statements = side.source.document is None  # which nothing is added to
    if is_statements or dialect == (source.dialect if source else CANONICAL) or not writing.is_writable(dialect):
        return base.tree
    settings: Any = {"source": source, "now": base.tree.get("dateModified"), "round_scores": True}
    data = writing.write(CheckpointGraph.of_tree(base.tree), dialect=dialect, **settings).data
    seen = families.examine_bytes(data).tree
    # An identifier that writing has made is that of one file, and a member that the side has left alone is the base's.
    made = {key: value for key, value in seen.items() if key in base.tree or (key in side.tree and key != "@id")}
    return {**made, **{key: value for key, value in base.tree.items() if same(side.tree.get(key, ABSENT), value)}}


def _side(name: str, given: Any) -> Side:
    if isinstance(given, Benchmark):
        return Side(name, given.graph.tree(), given, None)
    if isinstance(given, AgentCheckpoint):
        return Side(name, given.tree(), given, None)
    if not isinstance(given, (str, bytes, os.PathLike)) and not hasattr(given, "read"):
        raise WrongTypeError(f"{name} is {type(given).__name__}: give a path, bytes, a Benchmark or an AgentCheckpoint")
    return of_source(name, families.read(given))


def of_source(name: str, source: Checkpoint) -> Side:
    """Return the side for a reading."""
    if isinstance(source, Reading):
        return Side(name, source.tree, None, source)
    checkpoint = families.family(source.family).loaded(source, "off")
    return Side(name, checkpoint.tree(), checkpoint, source)


def _refuse_strangers(base: Side, ours: Side, theirs: Side) -> None:
    """Refuse checkpoints that are no versions of the same checkpoint."""
    kinds = {True: "a benchmark", False: "an agent's checkpoint"}
    for side in (ours, theirs):
        if side.is_benchmark is not base.is_benchmark:
            described = ", ".join(
                f"{version.name} is {kinds[version.is_benchmark]}" for version in (base, ours, theirs)
            )
            raise SettingsError(f"these cannot be merged: {described}; give three versions of one checkpoint")
        keys = ("@id", "name") if base.is_benchmark else ("execution_id",)
        alike = any(base.tree.get(key) and base.tree.get(key) == side.tree.get(key) for key in keys)
        if not alike and base.is_benchmark:
            alike = any(before and now for before, now in pairs(questions_of(base.tree), questions_of(side.tree)))
        if not alike:
            shared = "identifier, name or question" if base.is_benchmark else "execution"
            raise SettingsError(
                f"BASE and {side.name} have no {shared} in common: they are no versions of one checkpoint; "
                "as BASE give what both started from"
            )
