"""Dialects: the nine JSON layouts in which checkpoints have been written, and the detection of the one at hand.

`detect` tries the dialects in the order of `DIALECTS`. `Dialect.upgrade` turns a document into the canonical dialect,
`Dialect.downgrade` writes a canonical document in another one. `dialect` defines these types; `datafeed`, `dataset`,
`state` and `gui` read and write, `question_list` reads; `traits` and `ratings` convert rubrics; `leftovers` keeps what
a dialect has no place for. `reading` turns the bytes of any source into a canonical tree.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects import datafeed
from checkpoint_ld.dialects.dialect import Dialect, Downgrade, Upgrade, source_pointer, values
from checkpoint_ld.dialects.ratings import scope_of
from checkpoint_ld.errors import LookupFailedError
from checkpoint_ld.vocabulary import GUI_FORMAT_VERSION_PROPERTY, KARENINA, SCHEMA, SCHEMA_HTTP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["CANONICAL", "DIALECTS", "Dialect", "Downgrade", "Upgrade", "detect", "dialect", "source_pointer"]

_GUI_PROPERTIES = {GUI_FORMAT_VERSION_PROPERTY, "conversion_metadata"}


def is_feed(value: Any) -> bool:
    """Return whether `value` has the type DataFeed, or no type and a dataFeedElement."""
    return isinstance(value, dict) and _type(value, "DataFeed" if "dataFeedElement" in value else None) == "DataFeed"


def is_dataset(value: Any) -> bool:
    """Return whether `value` is a Dataset."""
    return isinstance(value, dict) and _type(value) == "Dataset"


def is_flat(value: Any) -> bool:
    """Return whether `value` is a DataFeed whose elements are bare questions."""
    elements = value.get("dataFeedElement") if is_feed(value) else None
    return (
        isinstance(elements, list)
        and bool(elements)
        and all(
            isinstance(element, dict)
            and "item" not in element
            and _type(element, "Question" if "answerTemplate" in element else None) == "Question"
            for element in elements
        )
    )


def is_namespaced(value: Any) -> bool:
    """Return whether `value` is a DataFeed in the current vocabulary, or with types in Karenina's namespace."""
    return is_feed(value) and (
        any(
            "karenina" in context or str(context.get("@vocab")).startswith("https://schema.org")
            for context in _objects(value.get("@context"))
        )
        or any(_is_namespaced(rating.get("additionalType")) for rating in _ratings(value))
        or any(_is_namespaced(_type(part)) for part in _objects(value.get("hasPart")))
    )


def is_gui_feed(value: Any) -> bool:
    """Return whether `value` is a DataFeed that the Karenina GUI wrote."""
    return is_feed(value) and (
        not _GUI_PROPERTIES.isdisjoint(values(value.get("additionalProperty")))
        or any(member.startswith("deep_judgment_") for rating in _ratings(value) for member in rating)
    )


def is_first_dataset(value: Any) -> bool:
    """Return whether `value` is a Dataset of the time when global traits were repeated in every question."""
    if not is_dataset(value):
        return False
    ratings = [*_question_ratings(value)]
    return (
        "global_rubric_traits" in values(value.get("additionalProperty"))
        or any("additionalType" not in rating for rating in (*_objects(value.get("rating")), *ratings))
        or any(scope_of(rating) == "Global" for rating in ratings)
    )


def is_state(value: Any) -> bool:
    """Return whether `value` is the GUI's state, version 2.0."""
    return is_v2(value) and isinstance(value.get("checkpoint"), dict)


def is_state_with_traits(value: Any) -> bool:
    """Return whether `value` is the GUI's state, version 2.0, with a rubric that has `traits`."""
    if not is_state(value):
        return False
    rubrics = [value.get("global_rubric")]
    rubrics += [item.get("question_rubric") for item in value["checkpoint"].values() if isinstance(item, dict)]
    return any("traits" in rubric for rubric in rubrics if isinstance(rubric, dict))


def is_question_list(value: Any) -> bool:
    """Return whether `value` is the earliest 2.0 shape: an array of questions beside their templates."""
    return is_v2(value) and isinstance(value.get("questions"), list)


def is_v2(value: Any) -> bool:
    """Return whether `value` states version 2.0 and has no member of JSON-LD."""
    foreign = ("@type", "@context", "dataFeedElement")
    return isinstance(value, dict) and value.get("version") == "2.0" and not any(name in value for name in foreign)


def _type(value: dict[str, Any], default: str | None = None) -> str | None:
    """Return the type of an object without the prefix or address of schema.org."""
    given = value.get("@type", default)
    given = given[0] if isinstance(given, list) and given else given
    if not isinstance(given, str):
        return None
    for prefix in (SCHEMA, SCHEMA_HTTP, "schema:"):
        given = given.removeprefix(prefix)
    return given


def _is_namespaced(name: object) -> bool:
    return isinstance(name, str) and name.startswith(("karenina:", KARENINA))


def _objects(value: object) -> list[dict[str, Any]]:
    listed = value if isinstance(value, list) else [value]
    return [entry for entry in listed if isinstance(entry, dict)]


def _ratings(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from _objects(value.get("rating"))
    yield from _question_ratings(value)


def _question_ratings(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for member in ("dataFeedElement", "hasPart"):
        for element in _objects(value.get(member)):
            for question in _objects(element.get("item")):
                yield from _objects(question.get("rating"))


def _lazy(module: str, name: str, **given: Any) -> Callable[..., Any]:
    """Return a function of a dialect's module with some options; it is imported at the first call."""

    def called(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(f"{__name__}.{module}"), name)(*arguments, **given, **options)

    return called


CANONICAL = Dialect(
    "datafeed-ns-v3",
    "a DataFeed as Karenina writes it since March 2026, the canonical dialect",
    "a DataFeed with the prefix karenina or the vocabulary https://schema.org/ in @context, or with a type karenina:…",
    is_namespaced,
    lambda value, trail: value,  # noqa: ARG005 - as in the other dialects
    lambda tree: Downgrade(tree, ()),
    is_loaded_by_karenina=True,
)

DIALECTS: tuple[Dialect, ...] = (
    Dialect(
        "v2.0-other",
        "questions beside their templates, from the GUI's test data of July 2025",
        'version "2.0", no @type, an array questions',
        is_question_list,
        _lazy("question_list", "read"),
    ),
    Dialect(
        "v2.0-traits-key",
        "the GUI's state until November 2025",
        'version "2.0", no @type, an object checkpoint, a rubric with the list traits',
        is_state_with_traits,
        _lazy("state", "read"),
    ),
    Dialect(
        "v2.0",
        "the GUI's state since November 2025",
        'version "2.0", no @type, an object checkpoint',
        is_state,
        _lazy("state", "read"),
        _lazy("state", "downgrade"),
    ),
    Dialect(
        "flat",
        "a DataFeed of bare questions, from the GUI's test files of January 2026",
        "a DataFeed whose elements are Questions without item",
        is_flat,
        _lazy("datafeed", "read_flat"),
    ),
    CANONICAL,
    Dialect(
        "gui-datafeed",
        "a DataFeed as the GUI writes it since August 2025",
        "a DataFeed with the property checkpoint_format_version or conversion_metadata, or deep_judgment_… on a Rating",
        is_gui_feed,
        datafeed.read,
        _lazy("gui", "downgrade"),
        is_loaded_by_karenina=True,
    ),
    Dialect(
        "datafeed-legacy",
        "a DataFeed as Karenina wrote it from August 2025 to March 2026",
        "any other DataFeed: the @type, or at least an array dataFeedElement",
        is_feed,
        datafeed.read,
        is_loaded_by_karenina=True,
    ),
    Dialect(
        "dataset-0",
        "a Dataset as the GUI wrote it in July 2025, with the global traits in every question",
        "a Dataset with the property global_rubric_traits, global types in questions, or ratings without a type",
        is_first_dataset,
        _lazy("dataset", "read", is_first=True),
    ),
    Dialect(
        "dataset-1",
        "a Dataset as the GUI and Karenina wrote it in August 2025",
        "any other Dataset, with its elements in hasPart",
        is_dataset,
        _lazy("dataset", "read"),
        _lazy("dataset", "downgrade"),
    ),
)
"""All dialects, in the order in which they are tried."""


def detect(value: Any) -> Dialect | None:
    """Return the dialect of a document, or None. `value` is the JSON value of its root in plain keys."""
    return next((known for known in DIALECTS if known.recognises(value)), None)


def dialect(name: str) -> Dialect:
    """Return the dialect called `name`. Raises `LookupFailedError` if there is none."""
    for known in DIALECTS:
        if known.name == name:
            return known
    raise LookupFailedError(
        f"no dialect is called {name!r}: choose one of {', '.join(known.name for known in DIALECTS)}"
    )
