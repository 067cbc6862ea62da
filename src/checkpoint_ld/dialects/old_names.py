"""Old names: what files from before March 2026 call things by, and what is still read as the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.documents.text import pointer
from checkpoint_ld.documents.values import walk
from checkpoint_ld.phrases import called, shown
from checkpoint_ld.rules import finding
from checkpoint_ld.vocabulary import SCHEMA_HTTP, TRAIT_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.findings import Finding


Steps = tuple[str | int, ...]


def findings(tree: Any) -> Iterator[Finding]:
    """Yield what a DataFeed in plain keys calls by an old name: schema.org once, and the type of every rating.

    The pointers lead into `tree`.
    """
    names = (value for _, value in walk(tree.get("@context")) if isinstance(value, str))
    old = next((name for name in names if f"{name}/".startswith(SCHEMA_HTTP)), None)
    if old is not None:
        yield finding("vocabulary-http", f"the @context has {shown(old)} for schema.org", pointer="/@context")
    for steps, question, rating in _ratings(tree):
        kind = rating.get("additionalType")
        if isinstance(kind, str) and kind in TRAIT_TYPES:
            of_question = f"{called('question', question.get('text'))}, " if question is not None else ""
            subject = f"{of_question}{called('trait', rating.get('name'))}"
            message = f"the type of the trait is {shown(kind)}, without the prefix karenina:"
            place = pointer((*steps, "additionalType"))
            yield finding("trait-prefix", message, pointer=place, subject=subject, remedy=f"write karenina:{kind}")


def _ratings(tree: dict[str, Any]) -> Iterator[tuple[Steps, dict[str, Any] | None, dict[str, Any]]]:
    """Yield the ratings of the root and of its questions, each with the way to it and its question."""
    for steps, rating in _objects(tree, "rating"):
        yield steps, None, rating
    for element_steps, element in _objects(tree, "dataFeedElement"):
        question = element.get("item")
        if isinstance(question, dict):
            for steps, rating in _objects(question, "rating"):
                yield (*element_steps, "item", *steps), question, rating


def _objects(holder: dict[str, Any], member: str) -> Iterator[tuple[Steps, dict[str, Any]]]:
    entries = holder.get(member)
    for at, one in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(one, dict):
            yield (member, at), one
