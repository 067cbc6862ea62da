"""Three-way merging of trees: values of base, ours and theirs compared member by member.

A subclass of `Merger` for each family defines how entries of arrays are identified and which values never conflict.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.benchmark.content import FORMAT_PROPERTIES, QuestionContent, content_of, elements_of
from checkpoint_ld.benchmark.difference import pairs
from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.documents.values import ABSENT, instant_of, is_iso_8601, is_number, same
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.mapping.traits import is_dynamic
from checkpoint_ld.phrases import head
from checkpoint_ld.vocabulary import CONVERSION_PROPERTY

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from checkpoint_ld.documents.values import Path

    Paths = tuple[Path | None, Path | None, Path | None]
    """The paths of a value in base, ours and theirs, None if there is no value."""
    Steps = tuple[Any, ...]

Json = dict[str, Any]


class Four(NamedTuple):
    """The values that are merged at one place; `old` is the base in the dialect of ours, `was` in that of theirs."""

    old: Any
    ours: Any
    was: Any
    theirs: Any


class Merger:
    """Merges two edits of a JSON value; a subclass for each family defines names, and values that never conflict.

    `found` is called with each conflict and returns the value for the result.
    """

    def __init__(self, found: Callable[[Steps, Four, Paths], Any]) -> None:
        self._found = found

    def keys(self, steps: Steps, four: Four) -> tuple[Sequence[Hashable], ...] | None:
        """Return the names of the entries of four arrays; None for arrays that are merged as a whole."""
        raise NotImplementedError

    def is_set(self, steps: Steps) -> bool:
        """Return whether an array of texts is a set."""
        raise NotImplementedError

    def is_growing(self, steps: Steps, four: Four) -> bool:  # noqa: ARG002 - subclasses use them
        """Return whether an array only grows, so that the result has the new items of both sides."""
        return False

    def settled(self, steps: Steps, four: Four) -> Any:
        """Return the result for a value that both sides changed, None if that is a conflict."""
        raise NotImplementedError

    def words(self, steps: Steps) -> tuple[str, ...]:
        """Return the authors' terms for a place."""
        raise NotImplementedError

    def present(self, value: Any, steps: Steps) -> Any:  # noqa: ARG002 - subclasses use them
        """Return the value at a place, ABSENT for an empty one."""
        return value

    def same(self, value: Any, other: Any, steps: Steps) -> bool:
        """Return whether two values of a place are equal, or both empty."""
        return same(self.present(value, steps), self.present(other, steps))

    def merge(self, four: Four, steps: Steps = (), paths: Paths = ((), (), ())) -> Any:
        """Return the merged value at one place, ABSENT if it was removed."""
        if self.same(four.was, four.theirs, steps) or self.same(four.ours, four.theirs, steps):
            return four.ours
        if any(isinstance(value, list) for value in four):  # a single value counts as a list where another is a list
            four = Four(*(value if value is ABSENT else as_list(value) for value in four))
        kept = [value for value in (four.ours, four.theirs) if value is not ABSENT]
        if len(kept) == 2 and all(isinstance(value, dict) for value in kept):
            objects = Four(*(value if isinstance(value, dict) else {} for value in four))
            keys = dict.fromkeys((*objects.ours, *objects.theirs))
            members = {key: self._member(objects, steps, paths, key, (key, key, key)) for key in keys}
            return {key: value for key, value in members.items() if value is not ABSENT}
        if len(kept) == 2 and all(isinstance(value, list) for value in kept):
            merged = self._arrays(Four(*(value if isinstance(value, list) else [] for value in four)), steps, paths)
            if merged is not None:
                return merged
        if self.same(four.old, four.ours, steps):
            return four.theirs
        won = self.settled(steps, four)
        return self._found(steps, four, paths) if won is None else won

    def _member(self, held: Any, steps: Steps, paths: Paths, name: Any, keys: tuple[Any, ...]) -> Any:
        """Merge the members `name` of four objects; `keys` are their keys or indexes in base, ours and theirs."""
        four = Four(*(version.get(name, ABSENT) for version in held))
        sides = zip(paths, (four.old, four.ours, four.theirs), keys, strict=True)
        base, ours, theirs = (None if path is None or value is ABSENT else (*path, key) for path, value, key in sides)
        return self.merge(four, (*steps, name), (base, ours, theirs))

    def _arrays(self, four: Four, steps: Steps, paths: Paths) -> list[Any] | None:
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


def _grown(four: Four) -> list[Any] | None:
    """Return an array with the items that both sides appended, None if a side changed it otherwise."""
    if common_length(four.old, four.ours) < len(four.old) or common_length(four.was, four.theirs) < len(four.was):
        return None
    mine, other = four.ours[len(four.old) :], four.theirs[len(four.was) :]
    return [*four.ours, *other[common_length(mine, other) :]]


def common_length(first_array: Sequence[Any], other: Sequence[Any]) -> int:
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


def merger_of(four: Four, found: Callable[[Steps, Four, Paths], Any], *, is_benchmark: bool) -> Merger:
    """Return the merger for the family of four trees; `found` is that of `Merger`."""
    return _BenchmarkMerger(four, found) if is_benchmark else _AgentMerger(four, found)


class _AgentMerger(Merger):
    """Merges the canonical trees of agent checkpoints, whose thoughts and calls are identified by their ids."""

    def __init__(self, four: Four, found: Callable[[Steps, Four, Paths], Any]) -> None:
        super().__init__(found)
        mine, other = four.ours, four.theirs
        # The result has the header of the later save.
        self._is_theirs_later = (other["timestamp"], str(other["id"])) > (mine["timestamp"], str(mine["id"]))

    def is_set(self, steps: Steps) -> bool:
        return steps[-1] in _SETS

    def is_growing(self, steps: Steps, four: Four) -> bool:
        # Records of messages, memories and steps grow; arguments and vectors do not.
        return "args" not in steps and all(isinstance(item, dict | str) for held in four for item in held)

    def merge(self, four: Four, steps: Steps = (), paths: Paths = ((), (), ())) -> Any:
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

    def keys(self, steps: Steps, four: Four) -> tuple[Sequence[Hashable], ...] | None:  # noqa: ARG002 - the signature of Merger
        names = tuple([item.get("id") if isinstance(item, dict) else None for item in held] for held in four)
        return names if all(isinstance(name, str) for held in names for name in held) else None

    def settled(self, steps: Steps, four: Four) -> Any:
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


class _BenchmarkMerger(Merger):
    """Merges the canonical trees of benchmarks, whose questions are matched as in `semantic_diff`."""

    def __init__(self, four: Four, found: Callable[[Steps, Four, Paths], Any]) -> None:
        super().__init__(found)
        self._names = _question_names(four)
        self._texts = {
            name: _text_of_question(item)
            for names, tree in zip(reversed(self._names), reversed(four), strict=True)
            for name, item in zip(names, as_list(tree.get(_QUESTIONS)), strict=True)
        }

    def present(self, value: Any, steps: Steps) -> Any:
        # What is empty inside of a property's value, and in a scenario, is a value, as in `semantic_diff`.
        is_own = "value" in steps[:-1] or steps[:1] == ("hasPart",)
        return ABSENT if not is_own and (value is None or value == []) else value

    def is_set(self, steps: Steps) -> bool:  # noqa: ARG002 - the signature of Merger
        return True

    def keys(self, steps: Steps, four: Four) -> tuple[Sequence[Hashable], ...] | None:
        if steps == (_QUESTIONS,):
            return self._names
        if not all(isinstance(entry, dict) for held in four for entry in held):
            return None
        if all(len(held) <= 1 for held in four) and steps != ("hasPart",) and steps[-1] not in _LISTS:
            return tuple(["only"] * len(held) for held in four)
        names = tuple([_name(item) for item in held] for held in four)
        return None if any(entry is None for held in names for entry in held) else tuple(map(_counted, names))

    def settled(self, steps: Steps, four: Four) -> Any:
        key = steps[-1] if steps else ""
        if key in _DATES:
            mine, other = (instant_of(date) if is_iso_8601(date) else None for date in (four.ours, four.theirs))
            return four.theirs if other is not None and (mine is None or other > mine) else four.ours
        if four.ours is ABSENT or four.theirs is ABSENT:
            kept, before = (four.ours, four.old) if four.theirs is ABSENT else (four.theirs, four.was)
            # A changed date alone does not keep a part that the other side has removed.
            return ABSENT if self.same(_dateless(kept), _dateless(before), steps) else None
        if key == "@id" and four.old is ABSENT and isinstance(four.theirs, str) and isinstance(four.ours, str):
            # Both sides have added the question; its identifier does not depend on which side is OURS.
            return min(four.ours, four.theirs)
        # The name of a template follows from its question.
        is_made = key == "name" and "hasPart" in steps[-3:] and steps[0] == _QUESTIONS
        return four.ours if is_made or key == "@context" else None

    def merge(self, four: Four, steps: Steps = (), paths: Paths = ((), (), ())) -> Any:
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
        merged = super().merge(Four(*({**value, **own} for value in four)), steps, paths)
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


def _question_names(four: Four) -> tuple[list[Hashable], ...]:
    """Return the name of each question in four trees: the identifier of its match in the base, or its own."""
    old, ours, was, theirs = map(questions_of, four)
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


def questions_of(tree: Json) -> tuple[QuestionContent, ...]:
    """Return the questions of a canonical tree; identifiers that it does not state are computed from the texts."""
    items = as_list(tree.get(_QUESTIONS))
    own = [item.get("@id") if isinstance(item, dict) else None for item in items]
    named = {name: element for name, element in zip(own, items, strict=True) if isinstance(name, str) and name}
    if len(named) == len(items):
        return tuple(QuestionContent(name, element) for name, element in named.items())
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


def _contexts(four: Four) -> Any:
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
