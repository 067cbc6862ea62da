"""The signs by which dialects are told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.properties import values
from checkpoint_ld.dialects.ratings import scope_of
from checkpoint_ld.vocabulary import GUI_FORMAT_VERSION_PROPERTY, KARENINA, SCHEMA, SCHEMA_HTTP

if TYPE_CHECKING:
    from collections.abc import Iterator

_GUI_PROPERTIES = {GUI_FORMAT_VERSION_PROPERTY, "conversion_metadata"}


def is_feed(value: Any) -> bool:
    """Tell whether `value` is a DataFeed; one that does not say so has a dataFeedElement."""
    return isinstance(value, dict) and _type(value, "DataFeed" if "dataFeedElement" in value else None) == "DataFeed"


def is_dataset(value: Any) -> bool:
    """Tell whether `value` is a Dataset."""
    return isinstance(value, dict) and _type(value) == "Dataset"


def is_flat(value: Any) -> bool:
    """Tell whether `value` is a DataFeed whose elements are bare questions."""
    elements = value.get("dataFeedElement") if is_feed(value) else None
    return isinstance(elements, list) and bool(elements) and all(map(_is_bare_question, elements))


def is_namespaced(value: Any) -> bool:
    """Tell whether `value` is a DataFeed in today's vocabulary, or with types in Karenina's own namespace."""
    return is_feed(value) and (
        any(_names_karenina(context) for context in _objects(value.get("@context")))
        or any(_is_namespaced(rating.get("additionalType")) for rating in _ratings(value))
        or any(_is_namespaced(_type(part)) for part in _objects(value.get("hasPart")))
    )


def is_gui_feed(value: Any) -> bool:
    """Tell whether `value` is a DataFeed that the Karenina GUI wrote."""
    return is_feed(value) and (
        not _GUI_PROPERTIES.isdisjoint(values(value.get("additionalProperty")))
        or any(member.startswith("deep_judgment_") for rating in _ratings(value) for member in rating)
    )


def is_first_dataset(value: Any) -> bool:
    """Tell whether `value` is a Dataset of the time when global traits were repeated in every question."""
    return is_dataset(value) and (
        "global_rubric_traits" in values(value.get("additionalProperty"))
        or any("additionalType" not in rating for rating in _ratings(value))
        or any(scope_of(rating) == "Global" for rating in _question_ratings(value))
    )


def is_state(value: Any) -> bool:
    """Tell whether `value` is the GUI's state, version 2.0."""
    return is_v2(value) and isinstance(value.get("checkpoint"), dict)


def is_state_with_traits(value: Any) -> bool:
    """Tell whether `value` is the GUI's state, version 2.0, with a rubric that has `traits`."""
    if not is_state(value):
        return False
    rubrics = [value.get("global_rubric")]
    rubrics += [item.get("question_rubric") for item in value["checkpoint"].values() if isinstance(item, dict)]
    return any("traits" in rubric for rubric in rubrics if isinstance(rubric, dict))


def is_question_list(value: Any) -> bool:
    """Tell whether `value` is the earliest 2.0 shape: an array of questions beside their templates."""
    return is_v2(value) and isinstance(value.get("questions"), list)


def is_v2(value: Any) -> bool:
    """Tell whether `value` says that it is of version 2.0, which is no JSON-LD."""
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


def _names_karenina(context: dict[str, Any]) -> bool:
    vocabulary = context.get("@vocab")
    return "karenina" in context or (isinstance(vocabulary, str) and vocabulary.startswith("https://schema.org"))


def _is_bare_question(element: object) -> bool:
    if not isinstance(element, dict) or "item" in element:
        return False
    return _type(element, "Question" if "answerTemplate" in element else None) == "Question"


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
