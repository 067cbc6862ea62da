"""Ratings, the form of rubric traits in JSON-LD: their types, settings and canonical form (`clean_rating`)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from checkpoint_ld.dialects.dialect import ABSENT, Listing, Trail, container, name_of, values
from checkpoint_ld.dialects.leftovers import with_leftovers
from checkpoint_ld.documents.values import is_number
from checkpoint_ld.phrases import shown
from checkpoint_ld.vocabulary import BY_TYPE, KARENINA, SCOPES, TRAIT_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

CANONICAL = "datafeed-ns-v3"
PREFIX = "karenina:"
GLOBAL, QUESTION = SCOPES
LLM_SUFFIXES = ("RubricTrait", "LLMRubricTrait")
GUI_MATRIX, MATRIX = "tp_and_tn", "full_matrix"
"""The GUI's and Karenina's name of the same mode of a metric trait."""

DEEP_DEFAULTS = {
    "deep_judgment_enabled": False,
    "deep_judgment_excerpt_enabled": True,
    "deep_judgment_search_enabled": False,
    "deep_judgment_max_excerpts": None,
    "deep_judgment_fuzzy_match_threshold": None,
    "deep_judgment_excerpt_retry_attempts": None,
}
"""The settings of deep judgment with their defaults."""
DEEP_JUDGMENT = tuple(DEEP_DEFAULTS)
_DEEP = frozenset(DEEP_JUDGMENT)
IDLE_RANGE = {"min_score": 1, "max_score": 5}
"""The default range of a score trait. Karenina also writes it on traits without scores, where it is meaningless."""

_TYPES = {
    before + scope + name.removeprefix(scope): (scope, name.removeprefix(scope))
    for before in ("", PREFIX, KARENINA, KARENINA + PREFIX)
    for scope in SCOPES
    for name in TRAIT_TYPES
    if name.startswith(scope)
}
"""Scope and suffix of each trait type, by all its names."""
_SUFFIX_OF = {PREFIX + scope + suffix: suffix for scope, suffix in _TYPES.values()}
"""The suffix of each trait type, by its canonical name."""
_SCOPE_BY_AUTHOR = {"Global Rubric": GLOBAL, "Question-Specific Rubric": QUESTION}
CONTAINERS = ("metrics", "tp_instructions", "tn_instructions", "classes")
"""The settings that are arrays or objects, which some files have as JSON text."""
_REWRITTEN = frozenset((*CONTAINERS, "evaluation_mode"))
_DIRECTED = {*LLM_SUFFIXES, "RegexTrait", "CallableTrait", "MetricRubricTrait"}


def in_order(members: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return `members` in the order in which Karenina writes those of a `kind`, unknown ones last."""
    names = _order(tuple(members), kind)
    return members if names is None else {name: members[name] for name in names}


@lru_cache(maxsize=1024)
def _order(names: tuple[str, ...], kind: str) -> tuple[str, ...] | None:
    """Return the names of members in Karenina's order, None if they are in that order."""
    known = [name for name in BY_TYPE[kind] if name in names]
    ordered = tuple(dict.fromkeys((*known, *names)))
    return None if ordered == names else ordered


def trait_type(name: object) -> tuple[str, str] | None:
    """Return scope and suffix of a trait type, be it plain, prefixed or a full IRI, or None for any other value."""
    return _TYPES.get(name) if isinstance(name, str) else None


def scope_of(rating: dict[str, Any]) -> str | None:
    """Return Global or QuestionSpecific, by the type or, in the earliest files, by the author; None if neither does."""
    known = trait_type(rating.get("additionalType"))
    if known:
        return known[0]
    author = rating.get("author")
    return _SCOPE_BY_AUTHOR.get(author) if isinstance(author, str) and "additionalType" not in rating else None


def llm_kind(rating: dict[str, Any], settings: dict[str, Any]) -> Any:
    """Return the kind of an LLM trait: its setting `kind`, or else the kind that its range implies.

    A range from 0 to 1 means boolean, unless the trait gives these two numbers as its lowest and highest score.
    """
    named = settings.get("kind")
    if named is not None:
        return named
    if (rating.get("bestRating"), rating.get("worstRating")) != (1, 0):
        return "score"
    return "score" if (settings.get("min_score"), settings.get("max_score")) == (0, 1) else "boolean"


def other_ranges(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what Karenina reads otherwise than an upgrade in the ratings of a DataFeed: a rule, and the place.

    An upgrade adds the kind and the scores that an older rating implies. Karenina takes 1 to 5 for a score without
    them, whatever the bounds of the rating are.
    """
    elements = _listed(document.get("dataFeedElement"))
    questions = [one.get("item") if isinstance(one, dict) else None for one in elements]
    for place, holder in (("", document), *((f"/dataFeedElement/{at}/item", one) for at, one in enumerate(questions))):
        for at, rating in enumerate(_listed(holder.get("rating")) if isinstance(holder, dict) else ()):
            if isinstance(rating, dict):
                yield from ((slug, f"{place}/rating/{at}/{member}") for slug, member in _read_otherwise(rating))


def _read_otherwise(rating: dict[str, Any]) -> Iterator[tuple[str, str]]:
    entries = rating.get("additionalProperty", [])
    if entries is None:
        yield "member-dropped", "additionalProperty"
    named = [one.get("name") for one in _listed(entries) if isinstance(one, dict)]
    bounds = rating.get("bestRating"), rating.get("worstRating")
    suffix = (trait_type(rating.get("additionalType")) or ("", ""))[1]
    if suffix not in LLM_SUFFIXES or "kind" in named or not all(map(is_number, bounds)) or bounds == (1, 0):
        return
    if any(name not in named and bound != IDLE_RANGE[name] for name, bound in zip(_ENDS, bounds, strict=True)):
        yield "trait-range-read", "bestRating"


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


_ENDS = ("max_score", "min_score")


def is_template(kind: object) -> bool:
    """Return whether an LLM trait of this kind fills in a schema instead of giving a score."""
    return kind == "template" or (isinstance(kind, dict) and kind.get("type") == "template")


def as_float(value: Any) -> Any:
    """Return a number as a float, if it has one; every other value as it is."""
    try:
        return float(value) if is_number(value) else value
    except OverflowError:
        return value


def as_plain(value: Any) -> Any:
    """Return a float without a fraction as an integer; every other value as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def clean_rating(rating: Any, pointer: str, trail: Trail) -> Any:
    """Return `rating`, which will be at `pointer`, in canonical form.

    Its type is prefixed, its range holds floats, and the GUI's members for deep judgment become properties. The implied
    kind, range and direction are written out. Invalid values stay as they are.
    """
    settings = _clean_settings(rating) if isinstance(rating, dict) else None
    if not isinstance(rating, dict) or (settings is not None and trail.dialect == CANONICAL):
        return rating
    clean = dict(rating)
    if settings is not None and (
        "higher_is_better" in settings or _SUFFIX_OF[rating["additionalType"]] not in _DIRECTED
    ):
        return in_order(with_leftovers(clean, pointer, trail), "Rating")
    for bound in ("bestRating", "worstRating"):
        if bound in clean:
            clean[bound] = as_float(clean[bound])
    known = trait_type(clean.get("additionalType"))
    scope = scope_of(clean) if known is None else None
    if scope is not None:
        known = (scope, LLM_SUFFIXES[0])
        message = f'the rating has no additionalType; by its author "{clean["author"]}" it is a {"".join(known)}'
        trail.report("trait-type-implied", message, trail.source(pointer), f'trait "{clean.get("name")}"')
    entries = clean.get("additionalProperty") or []
    if known and isinstance(entries, list):
        known = (known[0], _complete(clean, known[1], *_clean_entries(clean, entries, pointer, trail)))
    if known:
        clean["additionalType"] = PREFIX + "".join(known)
    return in_order(with_leftovers(clean, pointer, trail), "Rating")


def is_clean(rating: Any) -> bool:
    """Return whether `clean_rating` would leave a rating of the canonical dialect as it is."""
    return not isinstance(rating, dict) or _clean_settings(rating) is not None


def _clean_settings(rating: dict[str, Any]) -> dict[str, Any] | None:
    """Return the settings of a rating in canonical form, None for any other rating."""
    suffix = _SUFFIX_OF.get(kind) if isinstance(kind := rating.get("additionalType"), str) else None
    entries = rating.get("additionalProperty")
    if suffix is None or not isinstance(entries, list) or not _DEEP.isdisjoint(rating):
        return None
    settings = values(entries)
    if len(settings) < len(entries) or settings.get("evaluation_mode") == GUI_MATRIX:
        return None
    if any(isinstance(settings.get(name), str) for name in CONTAINERS):
        return None
    if any(type(rating[bound]) is not float for bound in ("bestRating", "worstRating") if bound in rating):
        return None
    kind = settings.get("kind")
    if suffix not in LLM_SUFFIXES or kind == "boolean":
        return settings
    is_fit = IDLE_RANGE.keys() <= settings.keys() if kind == "score" else (kind, suffix) == ("literal", LLM_SUFFIXES[1])
    return settings if is_fit else None


def _clean_entries(
    rating: dict[str, Any], entries: list[Any], pointer: str, trail: Trail
) -> tuple[Listing, dict[str, Any]]:
    """Return the properties of `rating`, decoded and in Karenina's terms, and their values by name."""
    source = trail.source(pointer)
    listing = Listing(f"{pointer}/additionalProperty", trail)
    given = values(entries)
    if not _REWRITTEN.isdisjoint(given):
        entries = [_clean_entry(entry, rating, source, trail) for entry in entries]
        given = values(entries)
    listing.extend(entries, source, "additionalProperty")
    for name in [] if _DEEP.isdisjoint(rating) else DEEP_JUDGMENT:
        if name in rating and name not in given:
            given[name] = rating.pop(name)
            listing.add_property(name, given[name], source, name)
    return listing, given


def _clean_entry(entry: Any, rating: dict[str, Any], source: str, trail: Trail) -> Any:
    name = name_of(entry)
    if name in CONTAINERS and (decoded := container(entry.get("value"))) is not None:
        message = f"{name} is the text {shown(entry['value'])}, read as what it spells"
        trail.report("trait-json-text", message, source, f'trait "{rating.get("name")}"')
        return {**entry, "value": decoded}
    if name == "evaluation_mode" and entry.get("value") == GUI_MATRIX:
        report_gui_matrix(rating.get("name"), source, trail)
        return {**entry, "value": MATRIX}
    return entry


def report_gui_matrix(name: object, source: str, trail: Trail) -> None:
    """Report that the metric trait `name` at `source` has the GUI's name of its mode."""
    message = f'evaluation_mode "{GUI_MATRIX}" is the GUI\'s name for "{MATRIX}" and is read as that'
    trail.report("metric-mode-gui", message, source, f'trait "{name}"')


def _complete(rating: dict[str, Any], suffix: str, listing: Listing, settings: dict[str, Any]) -> str:
    """Write out the implied settings of `rating`; return the suffix of its type, which the kind may change.

    A direction is not added in a canonical document, where its absence is intended; older dialects often had no term
    for it.
    """
    implied: list[tuple[str, Any, str]] = []
    ranged = is_number(rating.get("bestRating")) and is_number(rating.get("worstRating"))
    kind = llm_kind(rating, settings) if suffix in LLM_SUFFIXES and (ranged or settings.get("kind")) else None
    if suffix in _DIRECTED and listing.trail.dialect != CANONICAL and "higher_is_better" not in settings:
        undirected = suffix == "MetricRubricTrait" or is_template(kind)
        implied.append(("higher_is_better", ABSENT if undirected else True, ""))
    if kind == "score":
        implied.append(("min_score", rating.get("worstRating"), "worstRating"))
        implied.append(("max_score", rating.get("bestRating"), "bestRating"))
    if kind is not None:
        implied.append(("kind", kind, ""))
    rating_source = listing.trail.source(listing.pointer[: listing.pointer.rfind("/")]) if implied else ""
    for name, value, member in implied:
        if name not in settings and (value is ABSENT or is_number(value) or not member):
            listing.add_property(name, as_plain(value), rating_source, *([member] if member else []))
    if listing.entries or rating.get("additionalProperty") is not None:
        rating["additionalProperty"] = listing.entries
    return LLM_SUFFIXES[1] if kind == "literal" or is_template(kind) else suffix
