"""Three-way merging of two edits of one checkpoint, in the terms of its authors.

`merge` compares the canonical trees of base, ours and theirs member by member. `_BenchmarkMerger` and `_AgentMerger`
define how entries of arrays are identified and which values never conflict. A `Merge` has the result and the
`Conflict`s.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from checkpoint_ld import families, writing
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.schema import without_context
from checkpoint_ld.agents.serialization import AgentReading, written
from checkpoint_ld.agents.values import EXTENSIONS
from checkpoint_ld.arguments import checked
from checkpoint_ld.benchmark import Benchmark
from checkpoint_ld.benchmark.content import FORMAT_PROPERTIES, QuestionContent, content_of, elements_of
from checkpoint_ld.benchmark.difference import pairs
from checkpoint_ld.dialects.amendment import amended, patched
from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.dialects.reading import CANONICAL, Reading
from checkpoint_ld.documents.files import is_packed, kind_of, replace_file
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.documents.values import ABSENT, copied, instant_of, is_iso_8601, is_number, now, same
from checkpoint_ld.errors import ReadError, SettingsError, WriteError, WrongTypeError
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.mapping.traits import is_dynamic
from checkpoint_ld.phrases import encodable, head, unknown
from checkpoint_ld.secrets import WITHHELD, secret
from checkpoint_ld.vocabulary import CONVERSION_PROPERTY

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence
    from typing import BinaryIO

    from checkpoint_ld.documents.values import Path
    from checkpoint_ld.families import Source
    from checkpoint_ld.findings import Place

    Decide = Callable[["Conflict"], Any]
    Paths = tuple[Path | None, Path | None, Path | None]
    """The paths of a value in base, ours and theirs, None if there is no value."""
    Steps = tuple[Any, ...]

Json = dict[str, Any]
Mergeable: TypeAlias = "str | os.PathLike[str] | BinaryIO | bytes | Benchmark | AgentCheckpoint"

_SIDES = ("ours", "theirs")
_ROOM = 60


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
        arrays = [value for value, _ in sides.values()]
        alike = (
            min(_common(arrays[0], array) for array in arrays)
            if all(isinstance(array, list) for array in arrays)
            else 0
        )
        for name in ("base", *_SIDES):
            value, place = sides.get(name, (ABSENT, getattr(self, f"{name}_place")))
            at = f"  ({place})" if place is not None and str(place) else ""
            lines.append(f"  {name + ':':8}{self._shown(value, alike)}{at}")
        return "\n".join((*lines, f"  taken:  {self.taken}"))

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

    def _shown(self, value: Any, alike: int) -> str:
        if value is ABSENT:
            return "(none)"
        if self._is_secret(value):
            return WITHHELD
        if alike:
            number = f"{len(value)} items, " if len(value) > 1 else "1 item, "
            rest = _text(value[alike:]) if value[alike:] else "no more"
            return head(f"{number}from number {alike + 1} on: {rest}", _ROOM)
        return head(value if isinstance(value, str) else _text(value), _ROOM)


def _text(value: Any) -> str:
    return encodable(json.dumps(value, ensure_ascii=False))


@dataclass(frozen=True)
class Merge:
    """The outcome of a merge: `result` is a Benchmark or an AgentCheckpoint.

    `conflicts` are the values that both sides changed in different ways, with those in the result.
    """

    result: Any
    conflicts: tuple[Conflict, ...]
    _source: Source | None = field(default=None, repr=False)

    @property
    def is_clean(self) -> bool:
        """Whether there are no conflicts, or all were decided."""
        return all(conflict.is_resolved for conflict in self.conflicts)

    def __str__(self) -> str:
        return "\n".join(map(str, self.conflicts)) or "merged without conflict"

    def as_json(self) -> Json:
        """Return the conflicts as a JSON object; values that look like secrets are withheld."""
        return {"is_clean": self.is_clean, "conflicts": [conflict.as_json() for conflict in self.conflicts]}

    @checked
    def save(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Write the result to `path`, atomically; the syntax follows from the extension.

        JSON keeps the dialect and the layout of OURS. Raises WriteError for a result that cannot be written or could
        not be read again.
        """
        replace_file(path, self.content(path), overwrite=overwrite, pack=is_packed(path))

    @checked
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
    source: Source | None

    @property
    def is_benchmark(self) -> bool:
        """Whether it is a benchmark; otherwise it is an agent checkpoint."""
        return isinstance(self.value, Benchmark) or isinstance(self.source, Reading)

    def place(self, path: Any) -> Place | None:
        """Return the place of the value at a path, None for no path and for a version that was not read."""
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

    def found(steps: Steps, four: _Four, paths: Paths) -> Any:
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
    four = _Four(old, ours.tree, was, theirs.tree)
    merger = _BenchmarkMerger(four, found) if ours.is_benchmark else _AgentMerger(four, found)
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
    seen = families.examine_bytes(data, checked=False).tree
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


def of_source(name: str, source: Source) -> Side:
    """Return the side for a reading."""
    if isinstance(source, Reading):
        return Side(name, source.tree, None, source)
    checkpoint = AgentCheckpoint.of_reading(source)
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
            alike = any(before and now for before, now in pairs(_questions(base.tree), _questions(side.tree)))
        if not alike:
            shared = "identifier, name or question" if base.is_benchmark else "execution"
            raise SettingsError(
                f"BASE and {side.name} have no {shared} in common: they are no versions of one checkpoint; "
                "as BASE give what both started from"
            )


class _Four(NamedTuple):
    """The values that are merged at one place; `old` is the base in the dialect of ours, `was` in that of theirs."""

    old: Any
    ours: Any
    was: Any
    theirs: Any


class _Merger:
    """Merges two edits of a JSON value; a subclass for each family defines names, and values that never conflict.

    `found` is called with each conflict and returns the value for the result.
    """

    def __init__(self, found: Callable[[Steps, _Four, Paths], Any]) -> None:
        self._found = found

    def keys(self, steps: Steps, four: _Four) -> tuple[Sequence[Hashable], ...] | None:
        """Return the names of the entries of four arrays; None for arrays that are merged as a whole."""
        raise NotImplementedError

    def is_set(self, steps: Steps) -> bool:
        """Return whether an array of texts is a set."""
        raise NotImplementedError

    def is_growing(self, steps: Steps, four: _Four) -> bool:  # noqa: ARG002 - subclasses use them
        """Return whether an array only grows, so that the result has the new items of both sides."""
        return False

    def settled(self, steps: Steps, four: _Four) -> Any:
        """Return the result for a value that both sides changed, None if that is a conflict."""
        raise NotImplementedError

    def words(self, steps: Steps) -> tuple[str, ...]:
        """Return the authors' terms for a place."""
        raise NotImplementedError

    def present(self, value: Any) -> Any:
        """Return a value, ABSENT for an empty one."""
        return value

    def same(self, value: Any, other: Any) -> bool:
        """Return whether two values are equal, or both empty."""
        return same(self.present(value), self.present(other))

    def merge(self, four: _Four, steps: Steps = (), paths: Paths = ((), (), ())) -> Any:
        """Return the merged value at one place, ABSENT if it was removed."""
        if self.same(four.was, four.theirs) or self.same(four.ours, four.theirs):
            return four.ours
        if any(isinstance(value, list) for value in four):  # a single value counts as a list where another is a list
            four = _Four(*(value if value is ABSENT else as_list(value) for value in four))
        kept = [value for value in (four.ours, four.theirs) if value is not ABSENT]
        if len(kept) == 2 and all(isinstance(value, dict) for value in kept):
            objects = _Four(*(value if isinstance(value, dict) else {} for value in four))
            keys = dict.fromkeys((*objects.ours, *objects.theirs))
            members = {key: self._member(objects, steps, paths, key, (key, key, key)) for key in keys}
            return {key: value for key, value in members.items() if value is not ABSENT}
        if len(kept) == 2 and all(isinstance(value, list) for value in kept):
            merged = self._arrays(_Four(*(value if isinstance(value, list) else [] for value in four)), steps, paths)
            if merged is not None:
                return merged
        if self.same(four.old, four.ours):
            return four.theirs
        won = self.settled(steps, four)
        return self._found(steps, four, paths) if won is None else won

    def _member(self, held: Any, steps: Steps, paths: Paths, name: Any, keys: tuple[Any, ...]) -> Any:
        """Merge the members `name` of four objects; `keys` are their keys or indexes in base, ours and theirs."""
        four = _Four(*(version.get(name, ABSENT) for version in held))
        sides = zip(paths, (four.old, four.ours, four.theirs), keys, strict=True)
        base, ours, theirs = (None if path is None or value is ABSENT else (*path, key) for path, value, key in sides)
        return self.merge(four, (*steps, name), (base, ours, theirs))

    def _arrays(self, four: _Four, steps: Steps, paths: Paths) -> list[Any] | None:
        if self.is_set(steps) and all(map(_are_texts, four)):
            dropped = (set(four.old) - set(four.ours)) | (set(four.was) - set(four.theirs))
            return [item for item in _ordered(*four) if item not in dropped]
        names = self.keys(steps, four)
        if names is None:
            return _grown(four) if self.is_growing(steps, four) else None
        if any(len(set(name)) < len(name) for name in names):
            return None
        # The names of entries are tuples, to distinguish them from keys.
        entries: list[list[Hashable]] = [[(name,) for name in version] for version in names]
        held = [dict(zip(identifiers, values, strict=True)) for identifiers, values in zip(entries, four, strict=True)]
        at = [{name: index for index, name in enumerate(entries[side])} for side in (0, 1, 3)]
        merged = [
            self._member(held, steps, paths, name, tuple(version.get(name) for version in at))
            for name in _ordered(*entries)
        ]
        return [value for value in merged if value is not ABSENT]


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values) and len(set(values)) == len(values)


def _grown(four: _Four) -> list[Any] | None:
    """Return an array with the items that both sides appended, None if a side changed it otherwise."""
    if _common(four.old, four.ours) < len(four.old) or _common(four.was, four.theirs) < len(four.was):
        return None
    mine, other = four.ours[len(four.old) :], four.theirs[len(four.was) :]
    return [*four.ours, *other[_common(mine, other) :]]


def _common(first_array: Sequence[Any], other: Sequence[Any]) -> int:
    """Return how many items two arrays share at their beginnings."""
    pairs = enumerate(zip(first_array, other, strict=False))
    return next((at for at, (first, second) in pairs if not same(first, second)), min(len(first_array), len(other)))


def _ordered(
    old: Sequence[Hashable], ours: Sequence[Hashable], was: Sequence[Hashable], theirs: Sequence[Hashable]
) -> list[Hashable]:
    """Return the names of both sides in the order of ours, or of theirs if only that side changed the order."""

    def is_moved(before: Sequence[Hashable], after: Sequence[Hashable]) -> bool:
        both = set(before) & set(after)
        return [key for key in before if key in both] != [key for key in after if key in both]

    first, second = (theirs, ours) if is_moved(was, theirs) and not is_moved(old, ours) else (ours, theirs)
    known = set(first)
    behind: dict[Hashable | None, list[Hashable]] = {}
    before: Hashable | None = None
    for key in second:
        if key not in known:
            behind.setdefault(before, []).append(key)
        else:
            before = key
    # Additions of both sides at the same place follow each other.
    merged: list[Hashable] = []
    waiting, shared = behind.get(None, []), set(second)
    for key in first:
        if key in shared:
            merged += waiting
            waiting = behind.get(key, [])
        merged.append(key)
    return merged + waiting


_HEADER = frozenset(("id", "parent", "diff", "version"))
"""The members that identify a save: the result has those of the later save."""
_SETS = frozenset(("tags", "keywords", "labels"))
_COUNTED = (("metadata",), ("snapshot", "progress"), ("timestamp",))
"""Counts and times: the result has the greater number."""
_ENTRIES = {"thought_chain": "thought", "calls": "call"}


class _AgentMerger(_Merger):
    """Merges the canonical trees of agent checkpoints, whose thoughts and calls are identified by their ids."""

    def __init__(self, four: _Four, found: Callable[[Steps, _Four, Paths], Any]) -> None:
        super().__init__(found)
        mine, other = four.ours, four.theirs
        # The result has the header of the later save.
        self._is_theirs_later = (other["timestamp"], str(other["id"])) > (mine["timestamp"], str(mine["id"]))

    def is_set(self, steps: Steps) -> bool:
        return steps[-1] in _SETS

    def is_growing(self, steps: Steps, four: _Four) -> bool:
        # Records of messages, memories and steps grow; arguments and vectors do not.
        return "args" not in steps and all(isinstance(item, dict | str) for held in four for item in held)

    def merge(self, four: _Four, steps: Steps = (), paths: Paths = ((), (), ())) -> Any:
        merged = super().merge(four, steps, paths)
        if steps != ("snapshot",):
            return merged
        # Totals that are right on both sides are right in the result.
        sides = [(_totals(side), side["progress"]) for side in (four.ours, four.theirs)]
        right = {
            name: number
            for name, number in _totals(merged).items()
            if all(totals[name] == progress[name] for totals, progress in sides)
        }
        return {**merged, "progress": {**merged["progress"], **right}}

    def keys(self, steps: Steps, four: _Four) -> tuple[Sequence[Hashable], ...] | None:  # noqa: ARG002 - the signature of _Merger
        names = tuple([item.get("id") if isinstance(item, dict) else None for item in held] for held in four)
        return names if all(isinstance(name, str) for held in names for name in held) else None

    def settled(self, steps: Steps, four: _Four) -> Any:
        if steps[0] in _HEADER:
            return four.theirs if self._is_theirs_later else four.ours
        if any(steps[: len(place)] == place for place in _COUNTED) and is_number(four.ours):
            return max(four.ours, four.theirs) if is_number(four.theirs) else None
        return None

    def words(self, steps: Steps) -> tuple[str, ...]:
        words: list[str] = []
        for at, step in enumerate(steps):
            if isinstance(step, tuple):
                words.append(f"{_ENTRIES.get(steps[at - 1], steps[at - 1])} {step[0]}")
            elif step not in ("snapshot", "tool_state") and not _has_name(steps, at):
                words.append(step)
        return tuple(words)


def _totals(snapshot: Json) -> dict[str, int]:
    return {
        "total_thoughts": len(snapshot["thought_chain"]),
        "total_tool_calls": len(snapshot["tool_state"]["calls"]),
    }


def _has_name(steps: Steps, at: int) -> bool:
    """Return whether the step after `at` is the name of an entry."""
    return at + 1 < len(steps) and isinstance(steps[at + 1], tuple)


_QUESTIONS = "dataFeedElement"
_OURS = frozenset((*FORMAT_PROPERTIES, CONVERSION_PROPERTY))
"""Properties about the format of a file."""
_DATES = frozenset(("dateCreated", "dateModified", "created_at", "updated_at", "last_modified"))
_BOUNDS = {"bestRating": "max_score", "worstRating": "min_score"}
"""Members of a rating that repeat a setting of its trait."""
_LISTS = frozenset(("rating", "additionalProperty"))
"""Arrays whose entries are matched by name, even if there is only one."""
_NAMELESS = frozenset(("item", "additionalProperty", "value", "text"))
"""Steps that authors have no term for."""
_WORDS = {"acceptedAnswer": "answer", "hasPart": "template"}
_NAMED = {"rating": "trait", "hasPart": "scenario", "creator": "creator"}
_TEXT_ROOM = 40


class _BenchmarkMerger(_Merger):
    """Merges the canonical trees of benchmarks, whose questions are matched as in `semantic_diff`."""

    def __init__(self, four: _Four, found: Callable[[Steps, _Four, Paths], Any]) -> None:
        super().__init__(found)
        self._names = _question_names(four)
        self._texts = {
            name: _text_of_question(item)
            for names, tree in zip(reversed(self._names), reversed(four), strict=True)
            for name, item in zip(names, as_list(tree.get(_QUESTIONS)), strict=True)
        }

    def present(self, value: Any) -> Any:
        return ABSENT if value is None or value == [] else value

    def is_set(self, steps: Steps) -> bool:  # noqa: ARG002 - the signature of _Merger
        return True

    def keys(self, steps: Steps, four: _Four) -> tuple[Sequence[Hashable], ...] | None:
        if steps == (_QUESTIONS,):
            return self._names
        if not all(isinstance(entry, dict) for held in four for entry in held):
            return None
        if all(len(held) <= 1 for held in four) and steps != ("hasPart",) and steps[-1] not in _LISTS:
            return tuple(["only"] * len(held) for held in four)
        names = tuple([_name(item) for item in held] for held in four)
        return None if any(entry is None for held in names for entry in held) else tuple(map(_counted, names))

    def settled(self, steps: Steps, four: _Four) -> Any:
        key = steps[-1] if steps else ""
        if key in _DATES:
            mine, other = (instant_of(date) if is_iso_8601(date) else None for date in (four.ours, four.theirs))
            return four.theirs if other is not None and (mine is None or other > mine) else four.ours
        if four.ours is ABSENT or four.theirs is ABSENT:
            kept, before = (four.ours, four.old) if four.theirs is ABSENT else (four.theirs, four.was)
            # A changed date alone does not keep a part that the other side has removed.
            return ABSENT if self.same(_dateless(kept), _dateless(before)) else None
        if key == "@id" and four.old is ABSENT and isinstance(four.theirs, str) and isinstance(four.ours, str):
            # Both sides have added the question; its identifier does not depend on which side is OURS.
            return min(four.ours, four.theirs)
        # The name of a template follows from its question.
        is_made = key == "name" and "hasPart" in steps[-3:] and steps[0] == _QUESTIONS
        return four.ours if is_made or key == "@context" else None

    def merge(self, four: _Four, steps: Steps = (), paths: Paths = ((), (), ())) -> Any:
        if steps == ("@context",):
            return _contexts(four)
        # Members about the format of a file, and identifiers of parts that have names, are those of OURS.
        is_format = len(steps) == 2 and steps[0] == "additionalProperty" and steps[1][0][0] in _OURS
        is_inner = len(steps) > 1 and any(step in steps for step in ("rating", "additionalProperty", "item"))
        if is_format or (is_inner and steps[-1] == "@id"):
            return four.ours
        if steps[-2:-1] != ("rating",) or not all(isinstance(value, dict) for value in four):
            return super().merge(four, steps, paths)
        repeated = [bound for bound in _BOUNDS if all(_repeats(value, bound) for value in four)]
        own = {bound: four.ours[bound] for bound in repeated if bound in four.ours}
        merged = super().merge(_Four(*({**value, **own} for value in four)), steps, paths)
        if merged is ABSENT:
            return merged
        wanted = {bound: _settings(merged).get(_BOUNDS[bound]) for bound in own}
        changed = {
            bound: float(number)
            for bound, number in wanted.items()
            if is_number(number) and number != merged.get(bound)
        }
        return {**merged, **changed} if changed else merged

    def words(self, steps: Steps) -> tuple[str, ...]:
        words: list[str] = []
        slot = ""
        for at, step in enumerate(steps):
            if isinstance(step, tuple):
                words += self._of_entry(slot, step[0])
                continue
            slot = step
            if step == "text" and len(steps) > 2 and steps[at - 1] == "item":
                words.append("text of the question")
            elif step in _WORDS and at > 0 and steps[0] == _QUESTIONS:
                words.append(_WORDS[step])
            elif step not in _NAMELESS and not (_has_name(steps, at) and step in (_QUESTIONS, *_NAMED)):
                words.append(step)
        return tuple(words)

    def _of_entry(self, slot: str, name: Any) -> Iterable[str]:
        if slot == _QUESTIONS:
            text = self._texts.get(name, "")
            return [f"question {name}" + (f' "{head(text, _TEXT_ROOM)}"' if text else "")]
        if name == "only" or name[0] == "only":
            return []
        return [f"{_NAMED[slot]} {name[0]}" if slot in _NAMED else str(name[0])]


def _question_names(four: _Four) -> tuple[list[Hashable], ...]:
    """Return the name of each question in four trees: the identifier of its match in the base, or its own."""
    old, ours, was, theirs = map(_questions, four)
    known = [[question.id for question in old]]
    for side in (ours, was, theirs):
        known += [[before.id if before else now.id for before, now in pairs(old, side) if now is not None]]
    # Additions of both sides are also matched by identifier or text.
    base = set(known[0])
    added = [
        tuple(content for content, name in zip(side, names, strict=True) if name not in base)
        for side, names in ((ours, known[1]), (theirs, known[3]))
    ]
    alike = {now.id: before.id for before, now in pairs(*added) if before is not None and now is not None}
    known[3] = [name if name in base else alike.get(name, name) for name in known[3]]
    return tuple([*names] for names in known)


def _questions(tree: Json) -> tuple[QuestionContent, ...]:
    items = as_list(tree.get(_QUESTIONS))
    own = [item.get("@id") if isinstance(item, dict) else None for item in items]
    named = {name: element for name, element in zip(own, items, strict=True) if isinstance(name, str) and name}
    if len(named) == len(items):
        return tuple(QuestionContent(name, element) for name, element in named.items())
    # Identifiers that the file does not state are computed from all texts.
    graph = CheckpointGraph.of_tree(tree)
    return content_of(graph, elements_of(graph)).questions


def _text_of_question(item: Any) -> str:
    question = item.get("item", item) if isinstance(item, dict) else None
    text = question.get("text") if isinstance(question, dict) else None
    return text if isinstance(text, str) else ""


def _name(item: Json) -> tuple[Any, ...] | None:
    name = item.get("name")
    if isinstance(name, str):
        return (name, is_dynamic(item)) if item.get("@type") == "Rating" else (name,)
    own = item.get("@id") or item.get("id")
    return (own,) if isinstance(own, str) else None


def _counted(names: Sequence[Any]) -> list[Hashable]:
    """Return each name with the number of equal names before it."""
    seen: Counter[Any] = Counter()
    counted: list[Hashable] = []
    for name in names:
        counted.append((*name, seen[name]))
        seen[name] += 1
    return counted


def _contexts(four: _Four) -> Any:
    """Return the context of ours with the terms that theirs has added."""
    if isinstance(four.ours, dict) and isinstance(four.theirs, dict):
        known = four.was if isinstance(four.was, dict) else {}
        return {**four.ours, **{k: v for k, v in four.theirs.items() if k not in known and k not in four.ours}}
    return four.ours


def _settings(rating: Json) -> Json:
    held = [value for value in as_list(rating.get("additionalProperty")) if isinstance(value, dict)]
    return {name: setting.get("value") for setting in held if isinstance(name := setting.get("name"), str)}


def _repeats(rating: Json, bound: str) -> bool:
    """Return whether a member of a rating repeats a setting, as it does not for a boolean trait."""
    settings, name = _settings(rating), _BOUNDS[bound]
    return name in settings and rating.get(bound, settings[name]) == settings[name]


def _dateless(value: Any) -> Any:
    return {key: member for key, member in value.items() if key not in _DATES} if isinstance(value, dict) else value
