"""Questions found by what they say."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

from checkpoint_ld.dialects.traits import LEGACY_PROPERTIES
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.facets.questions import Questions
from checkpoint_ld.mapping.questions import (
    asked_of,
    frame,
    frame_for,
    is_finished,
    members_of,
    named,
    untraited_members_of,
)
from checkpoint_ld.mapping.questions import has_template as has_own_template
from checkpoint_ld.mapping.rubrics import has_traits

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from checkpoint_ld.facets.facet import Json


MatchMode = Literal["exact", "contains", "in", "regex"]

_CRITERIA = frame(
    hasPart=None,
    rating={"additionalType": None},
    additionalProperty=named("finished", "author", *LEGACY_PROPERTIES),
    globalRubric=None,
)
_MODES = ("exact", "contains", "in", "regex")


class Queries(Questions):
    """Filters, searches and counts; questions come back as dictionaries, as `get_question` gives them.

    A regular expression that is none matches nothing. One that takes too long on a text raises EvaluationError.
    """

    def filter_questions(
        self,
        finished: bool | None = None,
        has_template: bool | None = None,
        has_rubric: bool | None = None,
        author: str | None = None,
        custom_filter: Callable[[Json], object] | None = None,
    ) -> list[Json]:
        """Return the questions that meet all criteria which are given.

        `has_template` does not count placeholders; `author` is a part of the author's name in upper or lower case.
        `custom_filter` takes the question as a dictionary; where it raises, the question is left out.
        """
        ids = [
            one
            for one, item in self._items(_CRITERIA).items()
            if (finished is None or is_finished(item) is finished)
            and (has_template is None or has_own_template(item) is has_template)
            and (has_rubric is None or has_traits(asked_of(item)) is has_rubric)
            and (author is None or author.casefold() in _author(untraited_members_of(item)).casefold())
        ]
        return [one for one in self._dictionaries(ids) if custom_filter is None or _passes(custom_filter, one)]

    def filter_by_metadata(self, field_path: str, value: Any, match_mode: MatchMode = "exact") -> list[Json]:
        """Return the questions in which the member at a path of names with dots, such as `author.name`, matches.

        `exact`: is equal; `contains`: holds the text, in upper or lower case; `in`: is one of a list; `regex`: the
        pattern occurs in the text, in upper or lower case. What is missing or null never matches. Raises SettingsError
        for another mode, EvaluationError for a pattern that takes too long.
        """
        if match_mode not in _MODES:
            raise SettingsError(f"there is no match_mode {match_mode!r}: use {', '.join(_MODES)}")
        if match_mode == "regex" and not _is_pattern(value):
            return []
        values = self._at((field_path,))
        return self._dictionaries([one for one, (held,) in values.items() if _matches(held, value, match_mode)])

    def filter_by_custom_metadata(self, match_all: bool = True, **criteria: Any) -> list[Json]:
        """Return the questions whose custom metadata equal all criteria, or one of them if not `match_all`.

        Questions without custom metadata never match. Without criteria all others do, and none if not `match_all`.
        """
        test = all if match_all else any
        return self._dictionaries(
            [
                one
                for one, (custom,) in self._at(("custom_metadata",)).items()
                if custom and test(name in custom and custom[name] == value for name, value in criteria.items())
            ]
        )

    def search_questions(
        self,
        query: str | Sequence[str],
        match_all: bool = True,
        fields: Sequence[str] = ("question",),
        case_sensitive: bool = False,
        regex: bool = False,
    ) -> list[Json]:
        """Return the questions in whose fields a text, or all or one of several texts, occurs.

        The texts of the fields are joined by spaces; a field is a member, or a path such as `author.name`. With
        `regex` a query is a regular expression. An empty list finds nothing. Raises EvaluationError for a pattern that
        takes too long.
        """
        queries = [query] if isinstance(query, str) else list(query)
        if regex:
            usable = [one for one in queries if _is_pattern(one)]
            if match_all and usable != queries:
                return []
            queries = usable
        test = all if match_all else any
        found = []
        for one, values in (self._at(fields) if queries else {}).items():
            text = " ".join(part for value in values for part in _texts(value))
            if test(_occurs(part, text, case_sensitive=case_sensitive, regex=regex) for part in queries):
                found.append(one)
        return self._dictionaries(found)

    def get_questions_by_author(self, author: str) -> list[Json]:
        """Return the questions whose author's name holds a text, in upper or lower case."""
        return self.filter_questions(author=author)

    def get_questions_with_rubric(self) -> list[Json]:
        """Return the questions that have traits of their own."""
        return self.filter_questions(has_rubric=True)

    def count_by_field(self, field_path: str, questions: Iterable[Json] | None = None) -> dict[Any, int]:
        """Return how often each value of the member at a path occurs, None for questions without one.

        Each item of a list counts; an object counts under its JSON text. `questions` are those to count, as the other
        methods return them; all by default.
        """
        counted: Counter[Hashable] = Counter()
        if questions is None:
            values = [value for (value,) in self._at((field_path,)).values()]
        else:
            values = [_at(one, field_path) for one in questions]
        for value in values:
            counted.update(_values(value))
        return dict(counted)

    def _at(self, paths: Sequence[str]) -> dict[str, list[Any]]:
        """Return the values of members at paths, by the identifiers of the questions that have them."""
        only = frame_for(path.partition(".")[0] for path in paths)
        items = self._items(only).items()
        if only is None:
            told = {one: {**members_of(item), "id": one} for one, item in items}
        else:
            told = {one: {**untraited_members_of(item), "id": one} for one, item in items}
        return {one: [_at(members, path) for path in paths] for one, members in told.items()}


def _author(question: Json) -> str:
    name = _at(question, "author.name")
    return name if isinstance(name, str) else ""


def _passes(custom_filter: Callable[[Json], object], question: Json) -> bool:
    try:
        return bool(custom_filter(question))
    except Exception:  # noqa: BLE001 - a filter of the user's that fails on a question does not choose it
        return False


def _at(question: Json, path: str) -> Any:
    value: Any = question
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _matches(held: Any, value: Any, mode: MatchMode) -> bool:
    if held is None:
        return False
    if mode == "exact":
        return bool(held == value)
    if mode == "in":
        return isinstance(held, list) and value in held
    if not isinstance(held, str) or not isinstance(value, str):
        return False
    return _occurs(value, held, case_sensitive=False, regex=mode == "regex")


def _occurs(query: str, text: str, *, case_sensitive: bool, regex: bool) -> bool:
    if regex:
        from checkpoint_ld.entities.primitives.matching import occurs  # noqa: PLC0415 - not needed to load a benchmark

        return occurs(query, text, () if case_sensitive else ("IGNORECASE",))
    return query in text if case_sensitive else query.casefold() in text.casefold()


def _is_pattern(query: Any) -> bool:
    from checkpoint_ld.entities.primitives.matching import refuse_faulty  # noqa: PLC0415 - as above

    try:
        refuse_faulty(query)
    except (TypeError, ValueError):
        return False
    return True


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (one for one in value if isinstance(one, str))


def _values(value: Any) -> list[Hashable]:
    if isinstance(value, list) and value:
        return [found for one in value for found in _values(one)]
    return [
        json.dumps(value, default=str, sort_keys=True) if isinstance(value, dict) else None if value == [] else value
    ]
