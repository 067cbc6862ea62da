"""How questions are matched: by the values of their members, by texts that occur, by filters of the user's."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.mapping.questions import untraited_members_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

Json = dict[str, Any]

_MODES = ("exact", "contains", "in", "regex")


def author_of(item: Json) -> str:
    """Return the name of the author of the question in a feed item, "" where nobody is named."""
    name = at_path(untraited_members_of(item), "author.name")
    return name if isinstance(name, str) else ""


def matching(value: Any, mode: str) -> Callable[[Any], bool]:
    """Return the test of `Benchmark.filter_by_metadata`. Raises SettingsError for a mode that does not exist."""
    if mode not in _MODES:
        raise SettingsError(f"there is no match_mode {mode!r}: use {', '.join(_MODES)}")
    if mode == "regex" and not _is_pattern(value):
        return lambda _: False
    return lambda held: _matches(held, value, mode)


def searching(
    queries: list[str], *, match_all: bool, case_sensitive: bool, regex: bool
) -> Callable[[Sequence[Any]], bool] | None:
    """Return the test of `Benchmark.search_questions` for the values of fields, None where nothing can match."""
    if regex:
        usable = [one for one in queries if _is_pattern(one)]
        if match_all and usable != queries:
            return None
        queries = usable
    if not queries:
        return None
    test = all if match_all else any
    occurs = partial(_occurs, case_sensitive=case_sensitive, regex=regex)

    def found(values: Sequence[Any]) -> bool:
        text = " ".join(part for value in values for part in _texts(value))
        return test(occurs(part, text) for part in queries)

    return found


def passes(custom_filter: Callable[[Json], object], question: Json) -> bool:
    """Whether a filter of the user's chooses a question; one that fails does not."""
    try:
        return bool(custom_filter(question))
    except Exception:  # noqa: BLE001 - a filter of the user's that fails on a question does not choose it
        return False


def at_path(question: Json, path: str) -> Any:
    """Return the member of a question at a path of names with dots, None where there is none."""
    value: Any = question
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _matches(held: Any, value: Any, mode: str) -> bool:
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
        from checkpoint_ld.workers.patterns import occurs  # noqa: PLC0415 - not needed to load a benchmark

        return occurs(query, text, () if case_sensitive else ("IGNORECASE",))
    return query in text if case_sensitive else query.casefold() in text.casefold()


def _is_pattern(query: Any) -> bool:
    from checkpoint_ld.workers.patterns import refuse_faulty  # noqa: PLC0415 - as above

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


def countable(value: Any) -> list[Hashable]:
    """Return a value as values to count: the items of a list, an object as its JSON text, [] as None."""
    if isinstance(value, list) and value:
        return [found for one in value for found in countable(one)]
    return [
        json.dumps(value, default=str, sort_keys=True) if isinstance(value, dict) else None if value == [] else value
    ]
