"""What a merge has to know of benchmarks: their canonical trees, and what authors call the things in them."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from checkpoint_ld import dialects, families, writing
from checkpoint_ld.benchmark.content import FORMAT_PROPERTIES, QuestionContent, content_of, elements_of
from checkpoint_ld.benchmark.difference import pairs
from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.dialects.reading import CANONICAL
from checkpoint_ld.documents.values import ABSENT, is_iso_8601, is_number
from checkpoint_ld.families.merging.three_way import Four, Merger, newest
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.mapping.traits import is_dynamic
from checkpoint_ld.phrases import head
from checkpoint_ld.vocabulary import CONVERSION_PROPERTY

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from checkpoint_ld.families.merging.three_way import Paths

Json = dict[str, Any]

_QUESTIONS = "dataFeedElement"
_OURS = frozenset((*FORMAT_PROPERTIES, CONVERSION_PROPERTY))
"""Properties that say how a file is written."""
_DATES = frozenset(("dateCreated", "dateModified", "created_at", "updated_at", "last_modified"))
_BOUNDS = {"bestRating": "max_score", "worstRating": "min_score"}
"""Members of a rating that repeat a setting of its trait."""
_LISTS = frozenset(("rating", "additionalProperty"))
"""Arrays whose entries are different things even where there is one of them."""
_NAMELESS = frozenset(("item", "additionalProperty", "value", "text"))
"""Steps that authors have no word for."""
_WORDS = {"acceptedAnswer": "answer", "hasPart": "template"}
_NAMED = {"rating": "trait", "hasPart": "scenario", "creator": "creator"}
_ROOM = 40


class BenchmarkMerger(Merger):
    """Merges the canonical trees of benchmarks; questions are known as `semantic_diff` knows them."""

    def __init__(self, four: Four, found: Callable[[tuple[Any, ...], Four, Paths], Any]) -> None:
        super().__init__(found)
        self._names = question_names(four)
        self._texts = {
            name: _text(item)
            for names, tree in zip(reversed(self._names), reversed(four), strict=True)
            for name, item in zip(names, as_list(tree.get(_QUESTIONS)), strict=True)
        }

    def present(self, value: Any) -> Any:
        """Return a value; null and empty lists state nothing."""
        return ABSENT if value is None or value == [] else value

    def is_set(self, steps: tuple[Any, ...]) -> bool:  # noqa: ARG002 - the signature of Merger
        """Whether an array of texts is a set."""
        return True

    def keys(self, steps: tuple[Any, ...], four: Four) -> tuple[Sequence[Hashable], ...] | None:
        """Return the names of the members of four arrays, as `Merger` says."""
        if steps == (_QUESTIONS,):
            return self._names
        if not all(isinstance(one, dict) for held in four for one in held):
            return None
        if all(len(held) <= 1 for held in four) and steps != ("hasPart",) and steps[-1] not in _LISTS:
            return tuple(["only"] * len(held) for held in four)
        names = tuple([_name(one) for one in held] for held in four)
        return None if any(one is None for held in names for one in held) else tuple(map(_counted, names))

    def settled(self, steps: tuple[Any, ...], four: Four) -> Any:
        """Return what wins where nobody has to choose."""
        key = steps[-1] if steps else ""
        if key in _DATES:
            return newest(four.ours, four.theirs, _moment)
        if four.ours is ABSENT or four.theirs is ABSENT:
            kept, before = (four.ours, four.old) if four.theirs is ABSENT else (four.theirs, four.was)
            # To touch a thing is no reason to keep what the other side has removed.
            return ABSENT if self.same(_dateless(kept), _dateless(before)) else None
        if key == "@id" and four.old is ABSENT and isinstance(four.theirs, str) and isinstance(four.ours, str):
            # Both have added the question; whichever side merges, it has one identifier.
            return min(four.ours, four.theirs)
        if key == "@context" or _is_ours(steps):
            return four.ours
        return None

    def merge(self, four: Four, steps: tuple[Any, ...] = (), paths: Paths = ((), (), ())) -> Any:
        """Return the merged value at one place; what says how a file is written is that of OURS."""
        if steps == ("@context",):
            return _contexts(four)
        if (len(steps) == 2 and steps[0] == "additionalProperty" and steps[1][0][0] in _OURS) or (
            steps[-1:] == ("@id",) and _is_positional(steps)
        ):
            return four.ours
        if steps[-2:-1] != ("rating",) or not all(isinstance(one, dict) for one in four):
            return super().merge(four, steps, paths)
        repeated = [bound for bound in _BOUNDS if all(_repeats(one, bound) for one in four)]
        own = {bound: four.ours[bound] for bound in repeated if bound in four.ours}
        merged = super().merge(Four(*({**one, **own} for one in four)), steps, paths)
        return _bounded(merged, own) if merged is not ABSENT else merged

    def words(self, steps: tuple[Any, ...]) -> tuple[str, ...]:
        """Return what authors call a place in a benchmark."""
        words: list[str] = []
        slot = ""
        for at, step in enumerate(steps):
            if isinstance(step, tuple):
                words += self._of_entry(slot, step[0])
                continue
            slot = step
            in_question = at > 0 and steps[0] == _QUESTIONS
            has_name = at + 1 < len(steps) and isinstance(steps[at + 1], tuple)
            if step == "text" and len(steps) > 2 and steps[at - 1] == "item":
                words.append("text of the question")
            elif step in _WORDS and in_question:
                words.append(_WORDS[step])
            elif step not in _NAMELESS and not (has_name and step in (_QUESTIONS, *_NAMED)):
                words.append(step)
        return tuple(words)

    def _of_entry(self, slot: str, name: Any) -> Iterable[str]:
        if slot == _QUESTIONS:
            text = self._texts.get(name, "")
            return [f"question {name}" + (f' "{head(text, _ROOM)}"' if text else "")]
        if name == "only" or name[0] == "only":
            return []
        return [f"{_NAMED[slot]} {name[0]}" if slot in _NAMED else str(name[0])]


def question_names(four: Four) -> tuple[list[Hashable], ...]:
    """Return the name of each question in four trees: its identifier in the base, or else its own."""
    old, ours, was, theirs = map(_questions, four)
    known = [[one.id for one in old]]
    for side in (ours, was, theirs):
        known += [[before.id if before else now.id for before, now in pairs(old, side) if now is not None]]
    # What both sides have added is known by identifier, or else by text, as well.
    base = set(known[0])
    added = [
        tuple(one for one, name in zip(side, names, strict=True) if name not in base)
        for side, names in ((ours, known[1]), (theirs, known[3]))
    ]
    alike = {now.id: before.id for before, now in pairs(*added) if before is not None and now is not None}
    known[3] = [name if name in base else alike.get(name, name) for name in known[3]]
    return tuple([*names] for names in known)


def _questions(tree: Json) -> tuple[QuestionContent, ...]:
    items = as_list(tree.get(_QUESTIONS))
    own = [one.get("@id") if isinstance(one, dict) else None for one in items]
    named = {name: one for name, one in zip(own, items, strict=True) if isinstance(name, str) and name}
    if len(named) == len(items):
        return tuple(QuestionContent(name, one) for name, one in named.items())
    # Identifiers that are not written down are computed from the texts of all.
    graph = CheckpointGraph.of_tree(tree)
    return content_of(graph, elements_of(graph)).questions


def seen_by(tree: Json, dialect: str) -> Json:
    """Return a canonical tree as a dialect has it: what it has no place for is not there."""
    if dialect == CANONICAL or dialects.dialect(dialect).downgrade is None:
        return tree
    data = writing.write(CheckpointGraph.of_tree(tree), dialect=dialect, now=tree.get("dateModified")).data
    return families.examine_bytes(data, checked=False).tree


def are_related(base: Json, other: Json) -> bool:
    """Whether two trees are versions of one benchmark: one name, one identifier, or a question in common."""
    if any(base.get(key) and base.get(key) == other.get(key) for key in ("@id", "name")):
        return True
    return any(before and now for before, now in pairs(_questions(base), _questions(other)))


def _text(item: Any) -> str:
    asked = item.get("item", item) if isinstance(item, dict) else None
    text = asked.get("text") if isinstance(asked, dict) else None
    return text if isinstance(text, str) else ""


def _name(one: Json) -> tuple[Any, ...] | None:
    name = one.get("name")
    if isinstance(name, str):
        return (name, is_dynamic(one)) if one.get("@type") == "Rating" else (name,)
    own = one.get("@id") or one.get("id")
    return (own,) if isinstance(own, str) else None


def _counted(names: Sequence[Any]) -> list[Hashable]:
    seen: Counter[Any] = Counter()
    counted: list[Hashable] = []
    for name in names:
        counted.append((*name, seen[name]))
        seen[name] += 1
    return counted


def _contexts(four: Four) -> Any:
    """Return our context with the terms that they have added."""
    if isinstance(four.ours, dict) and isinstance(four.theirs, dict):
        known = four.was if isinstance(four.was, dict) else {}
        return {**four.ours, **{k: v for k, v in four.theirs.items() if k not in known and k not in four.ours}}
    return four.ours


def _is_ours(steps: tuple[Any, ...]) -> bool:
    """Whether a value follows from others: the name of a template, and identifiers of what is known by name."""
    return steps[-1] == "name" and "hasPart" in steps[-3:] and steps[0] == _QUESTIONS


def _is_positional(steps: tuple[Any, ...]) -> bool:
    return len(steps) > 1 and any(one in steps for one in ("rating", "additionalProperty", "item"))


def _settings(rating: Json) -> Json:
    held = [one for one in as_list(rating.get("additionalProperty")) if isinstance(one, dict)]
    return {name: one.get("value") for one in held if isinstance(name := one.get("name"), str)}


def _repeats(rating: Json, bound: str) -> bool:
    """Whether a member of a rating says what a setting says; those of a boolean trait do not."""
    settings, name = _settings(rating), _BOUNDS[bound]
    return name in settings and rating.get(bound, settings[name]) == settings[name]


def _bounded(rating: Json, repeated: Iterable[str]) -> Json:
    """Return a rating whose members that repeat a setting have what the setting has."""
    settings = _settings(rating)
    wanted = {bound: settings.get(_BOUNDS[bound]) for bound in repeated}
    changed = {bound: float(one) for bound, one in wanted.items() if is_number(one) and one != rating.get(bound)}
    return {**rating, **changed} if changed else rating


def _dateless(value: Any) -> Any:
    """Return an object without its dates."""
    return {key: one for key, one in value.items() if key not in _DATES} if isinstance(value, dict) else value


def _moment(value: Any) -> datetime | None:
    if not is_iso_8601(value):
        return None
    found = datetime.fromisoformat(value)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
