"""Dialects: the ways in which checkpoints have been written, how to tell them apart, and how to go between them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects import datafeed
from checkpoint_ld.dialects.dialect import Dialect, Downgrade, Upgrade, source_pointer
from checkpoint_ld.errors import LookupFailedError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CANONICAL", "DIALECTS", "Dialect", "Downgrade", "Upgrade", "detect", "dialect", "source_pointer"]


def _in(module: str, name: str) -> Callable[..., Any]:
    """Return a function of the module of a dialect, which is imported when a document is of that dialect."""

    def called(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(f"{__name__}.{module}"), name)(*arguments, **options)

    return called


CANONICAL = Dialect(
    "datafeed-ns-v3",
    "a DataFeed as Karenina writes it since March 2026, the canonical dialect",
    "a DataFeed with the prefix karenina or the vocabulary https://schema.org/ in @context, or with a type karenina:…",
    is_namespaced,
    datafeed.identity,
    datafeed.same,
    is_loaded_by_karenina=True,
)

DIALECTS: tuple[Dialect, ...] = (
    Dialect(
        "v2.0-other",
        "questions beside their templates, from the GUI's test data of July 2025",
        'version "2.0", no @type, an array questions',
        is_question_list,
        _in("state", "read_list"),
    ),
    Dialect(
        "v2.0-traits-key",
        "the GUI's state until November 2025",
        'version "2.0", no @type, an object checkpoint, a rubric with the list traits',
        is_state_with_traits,
        _in("state", "read"),
    ),
    Dialect(
        "v2.0",
        "the GUI's state since November 2025",
        'version "2.0", no @type, an object checkpoint',
        is_state,
        _in("state", "read"),
        _in("state_writing", "downgrade"),
    ),
    Dialect(
        "flat",
        "a DataFeed of bare questions, from the GUI's test files of January 2026",
        "a DataFeed whose elements are Questions without item",
        is_flat,
        _in("datafeed", "read_flat"),
    ),
    CANONICAL,
    Dialect(
        "gui-datafeed",
        "a DataFeed as the GUI writes it since August 2025",
        "a DataFeed with the property checkpoint_format_version or conversion_metadata, or deep_judgment_… on a Rating",
        is_gui_feed,
        datafeed.read,
        _in("gui", "downgrade"),
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
        _in("dataset", "read_first"),
    ),
    Dialect(
        "dataset-1",
        "a Dataset as the GUI and Karenina wrote it in August 2025",
        "any other Dataset, with its elements in hasPart",
        is_dataset,
        _in("dataset", "read_second"),
        _in("dataset", "downgrade"),
    ),
)
"""All dialects, in the order in which they are tried."""


def detect(value: Any) -> Dialect | None:
    """Return the dialect of a document, given the JSON value of its root with literal keys; None if it has none."""
    return next((one for one in DIALECTS if one.recognises(value)), None)


def dialect(name: str) -> Dialect:
    """Return the dialect called `name`. Raises `LookupFailedError` if there is none."""
    for one in DIALECTS:
        if one.name == name:
            return one
    raise LookupFailedError(f"no dialect is called {name!r}: choose one of {', '.join(one.name for one in DIALECTS)}")
