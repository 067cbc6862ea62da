"""The Dataset dialects of summer 2025: a Dataset whose parts are the elements with the questions.

`read` turns them into the canonical dialect, `downgrade` writes the second. They share the
conversion of elements with `datafeed`, and the leftovers under `x_karenina` with `leftovers`.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from checkpoint_ld.data import text
from checkpoint_ld.dialects.datafeed import (
    VERSION,
    clean,
    clean_element,
    clean_feed,
    default_template,
    has_lists,
    template_name,
)
from checkpoint_ld.dialects.dialect import (
    ABSENT,
    Downgrade,
    Listing,
    Trail,
    name_of,
    property_value,
    stated,
    step,
    typed,
    values,
)
from checkpoint_ld.dialects.gui import clock, conversion_note
from checkpoint_ld.dialects.leftovers import (
    KEPT,
    Losses,
    is_meaningless,
    loss,
    losses_of,
    missing_from,
    named_places,
    park,
    with_order,
)
from checkpoint_ld.dialects.ratings import (
    CANONICAL,
    DEEP_DEFAULTS,
    GLOBAL,
    IDLE_RANGE,
    LLM_SUFFIXES,
    QUESTION,
    as_plain,
    clean_rating,
    in_order,
    llm_kind,
    scope_of,
    trait_type,
)
from checkpoint_ld.dialects.state import DEFAULT_NAME, DEFAULT_VERSION, is_regenerated
from checkpoint_ld.dialects.traits import RubricRatings, is_gui_id
from checkpoint_ld.documents.values import is_iso_8601, is_number
from checkpoint_ld.identifiers import URN, gui_answer_id, gui_question_id, gui_rating_id, gui_template_id
from checkpoint_ld.vocabulary import CONVERSION_PROPERTY, FORMAT_VERSION, GUI_FORMAT_VERSION_PROPERTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from checkpoint_ld.findings import Finding

DIALECT = "dataset-1"
PARTS = ("hasPart", "dataFeedElement")
"""The members that hold elements: the first by rule, the second in some files."""
RESULTS = "rating_results"
"""Property of a question with the values that repeated ratings of global traits have for this question only."""

_OWN = ("ratingValue", "ratingExplanation")
"""Members of a repeated rating that are about its question, not about the trait."""
_DATES = ("dateCreated", "dateModified")
_REGENERATED = {"dataFeedElement", "hasPart", "rating", KEPT}
"""Members of the root that the writer computes or leaves out."""
_MADE = {GUI_FORMAT_VERSION_PROPERTY, CONVERSION_PROPERTY}


def read(value: dict[str, Any], trail: Trail, *, is_first: bool = False) -> dict[str, Any]:
    """Read a Dataset with its global traits at the root; if it `is_first`, every question repeats them."""
    root = {member: content for member, content in value.items() if member not in PARTS}
    root["@type"] = "DataFeed"
    rubric = RubricRatings("", GLOBAL, trail)
    take = _Globals(rubric).take if is_first and has_lists(value) else None
    return clean_feed(root, _elements(value, trail), trail, partial(_read_part, take=take), rubric=rubric)


def _read_part(
    element: Any, pointer: str, trail: Trail, take: Callable[[Any, str, Listing], bool] | None = None
) -> Any:
    """Return the canonical form of an element, which will be at `pointer`; `take` is that of `clean_element`."""
    clean = clean_element(element, pointer, trail, take)
    if not isinstance(clean, dict) or "dateCreated" in clean or "dateModified" not in clean:
        return clean
    # The first files had no date of creation.
    trail.moved(step(pointer, "dateCreated"), step(trail.source(pointer), "dateModified"))
    return in_order({**clean, "dateCreated": clean["dateModified"]}, "DataFeedItem")


def _elements(value: dict[str, Any], trail: Trail) -> Any:
    """Return the elements of both members, or the value of the only one if it is no array."""
    if "dataFeedElement" in value:
        message = "the elements of this Dataset stand in dataFeedElement, where a DataFeed has them"
        trail.report("json-ld-form", message, "/dataFeedElement")
    trail.moved("/dataFeedElement", "/hasPart")
    found = [member for member in PARTS if value.get(member) is not None]
    if len(found) == 1 and not isinstance(value[found[0]], list):
        trail.moved("/dataFeedElement", step("", found[0]))
        return value[found[0]]
    listing = Listing("/dataFeedElement", trail)
    for member in found:
        for index, element in enumerate(value[member] if isinstance(value[member], list) else [value[member]]):
            listing.add(element, "", member, index)
    return listing.entries if found else None


class _Globals:
    """Global traits that are repeated in questions: each goes to the rubric of the root once."""

    def __init__(self, rubric: RubricRatings) -> None:
        self._rubric = rubric
        self._first: list[dict[str, Any]] = []

    def take(self, rating: Any, source: str, properties: Listing) -> bool:
        """Move a global rating from its question to the root; its values for this question become a property."""
        if not isinstance(rating, dict) or scope_of(rating) != GLOBAL:
            return False
        name = rating.get("name")
        special = {member: rating[member] for member in _OWN if member in rating}
        trait = {member: content for member, content in rating.items() if member not in _OWN}
        first = next((seen for seen in self._first if seen.get("name") == name), None)
        if first is not None:
            special |= {member: content for member, content in trait.items() if first.get(member) != content}
        else:
            self._first.append(trait)
            held = next((rating for rating in self._rubric.ratings if name_of(rating) == name), None)
            if held is None:
                self._rubric.add_rating(trait, source)
            else:
                bare = {member: content for member, content in trait.items() if member != "@id" or not is_gui_id(trait)}
                rest = missing_from(held, clean_rating(bare, "", Trail(CANONICAL)))
                special |= {member: trait.get(member, content) for member, content in rest.items()}
        result = {"name": name, **special}
        for index, entry in enumerate(properties.entries if special else ()):
            if name_of(entry) == RESULTS and isinstance(entry.get("value"), list):
                properties.entries[index] = {**entry, "value": [*entry["value"], result]}
                return True
        if special:
            properties.add_property(RESULTS, [result], source)
        return True


def downgrade(
    tree: dict[str, Any], *, include_metadata: bool = True, now: str | None = None, is_named: bool = True
) -> Downgrade:
    """Return a canonical document as a Dataset according to its description, with its global traits at the root.

    With `is_named`, the version names the format, and the version of the benchmark is in the property
    benchmark_version. Without `include_metadata` there is no note about the conversion. `now` (ISO 8601) replaces
    missing and invalid dates; None means the present. What a Dataset cannot express, such as scenarios and other types
    of traits, is kept under x_karenina and named in the findings.
    """
    writer = _DatasetWriter(clean(tree), tree, now or clock())
    value = writer.written(is_named=is_named, include_metadata=include_metadata)
    root = {name: content for name, content in value.items() if name not in ("hasPart", KEPT)}
    again = read(root, Trail(DIALECT))
    losses = Losses(DIALECT, is_regenerated, lambda _: is_meaningless, _read_part)
    lost = losses.keep(value, value["hasPart"], again, writer.feed, tree)
    return Downgrade(value, (*writer.findings, *lost))


class _DatasetWriter:
    """Writes the clean form of the canonical document `tree` as a Dataset.

    Afterwards the ratings of `feed` are in the order in which they are read again: first those that a Dataset can
    express.
    """

    def __init__(self, feed: dict[str, Any], tree: dict[str, Any], now: str) -> None:
        self.feed = dict(feed)
        self.findings: list[Finding] = []
        self._tree = tree
        self._now = now
        self._dates = {name: date for name in _DATES if is_iso_8601(date := feed.get(name))}
        self._date = self._dates.get("dateModified") or self._dates.get("dateCreated") or now

    def written(self, *, is_named: bool, include_metadata: bool) -> dict[str, Any]:
        feed, version = self.feed, self.feed.get("version")
        entries = _valued(feed.get("additionalProperty"))
        if is_named and not (isinstance(version, str) and "jsonld" in version):
            if VERSION not in values(entries):
                entries.insert(0, property_value(VERSION, DEFAULT_VERSION if version is None else version))
            version = FORMAT_VERSION
        root = {
            **{member: content for member, content in stated(feed).items() if member not in _REGENERATED},
            "@context": json.loads(text("contexts", "dataset.jsonld"))["@context"],
            "@type": "Dataset",
            "name": feed.get("name") or DEFAULT_NAME,
            **dict.fromkeys(_DATES, self._date),
            **self._dates,
            **({} if version is None else {"version": version}),
        }
        self._rate(root, feed, GLOBAL, self._tree, "")
        elements = feed.get("dataFeedElement")
        if isinstance(elements, list):
            feed["dataFeedElement"] = elements = list(elements)
        else:
            elements = []
        root["hasPart"] = self._parts(elements)
        made = [property_value(GUI_FORMAT_VERSION_PROPERTY, FORMAT_VERSION)]
        if include_metadata:
            made.append(conversion_note(feed.get("additionalProperty"), root, root["hasPart"], self._now))
        root["additionalProperty"] = [*made, *(entry for entry in entries if name_of(entry) not in _MADE)]
        return in_order(root, "DataFeed")

    def _parts(self, elements: list[Any]) -> list[Any]:
        """Return elements with their keywords, their dates, and ratings of the right scope.

        The elements are copied in place.
        """
        parts = [*elements]
        for at, element in enumerate(elements):
            if isinstance(element, dict) and isinstance(element.get("item"), dict):
                elements[at] = whole = {**element, "item": dict(element["item"])}
                part = self._dated(whole)
                part["item"] = _question(whole["item"], whole.get("@id"))
                held = self._tree["dataFeedElement"][at]["item"]
                self._rate(part["item"], whole["item"], QUESTION, held, f"/dataFeedElement/{at}/item", part)
                parts[at] = in_order({**part, "item": in_order(part["item"], "Question")}, "DataFeedItem")
        return parts

    def _dated(self, element: dict[str, Any]) -> dict[str, Any]:
        """Return an element with its dates and the keywords of its question."""
        part = {name: content for name, content in stated(element).items() if name != KEPT}
        date = part["dateModified"] if is_iso_8601(part.get("dateModified")) else self._date
        created = part["dateCreated"] if is_iso_8601(part.get("dateCreated")) else date
        part |= {"@type": "DataFeedItem", "dateCreated": created, "dateModified": date}
        if element["item"].get("keywords") is not None:
            part["keywords"] = element["item"]["keywords"]
        return part

    def _rate(  # noqa: PLR0913, PLR0917 - the object in three forms, its place, and what it is in
        self,
        written: dict[str, Any],
        feed: dict[str, Any],
        scope: str,
        held: dict[str, Any],
        pointer: str,
        around: dict[str, Any] | None = None,
    ) -> None:
        """Write the ratings of `feed` that a Dataset can express; park the others in the object `around`."""
        ratings = feed.get("rating")
        if not isinstance(ratings, list):
            return
        apart, kept, plain, unsupported = [], [], [], []
        places = named_places(held.get("rating"), f"{pointer}/rating")
        for rating in ratings:
            entries = rating.get("additionalProperty") if isinstance(rating, dict) else None
            settings = values(entries)
            if (plain_rating := _plain_rating(rating, settings, scope)) is None:
                apart.append(rating)
                continue
            kept.append(rating)
            plain.append(plain_rating)
            if names := _unsupported(rating, settings):
                place = places.get(name_of(rating), f"{pointer}/rating")
                message = f'a Dataset has no words for {", ".join(names)} of the trait "{rating["name"]}"'
                unsupported.append(loss(f"{message}; they are kept as properties", place, DIALECT))
        feed["rating"] = kept + apart
        written["rating"] = plain
        if apart:
            left = with_order({"rating": apart}, ratings, kept + apart)
            park(around or written, {"item": left} if around else left, KEPT)
            self.findings += losses_of(left, held, pointer, DIALECT)
        self.findings += unsupported


def _question(item: dict[str, Any], identifier: Any) -> dict[str, Any]:
    """Return a question without keywords and ratings, with all other members that a Dataset requires.

    `identifier` is that of its element. What has no identifier gets the described one, as in the GUI.
    """
    text = item.get("text")
    answer, template = (
        stated(held) if isinstance(held := item.get(name), dict) else {} for name in ("acceptedAnswer", "hasPart")
    )
    template = {"name": template_name(text), **template}
    if template.get("text") is None:
        template["text"] = default_template(text) if isinstance(text, str) else ""
    template |= {"@type": "SoftwareSourceCode", "programmingLanguage": "Python"}
    question = {name: content for name, content in stated(item).items() if name not in ("keywords", "rating")}
    answer = {"text": "", **answer, "@type": "Answer"}
    if isinstance(text, str):
        question.setdefault("@id", gui_question_id(text))
    if isinstance(identifier, str):
        key = identifier.removeprefix(URN)
        answer.setdefault("@id", gui_answer_id(key))
        template.setdefault("@id", gui_template_id(key))
    question |= {"@type": "Question", "acceptedAnswer": answer, "hasPart": template}
    if isinstance(item.get("additionalProperty"), list):
        question["additionalProperty"] = _valued(item["additionalProperty"])
    return question


def _valued(entries: Any) -> list[dict[str, Any]]:
    """Return the properties among `entries` that have a name and a value."""
    listed = entries if isinstance(entries, list) else []
    return [typed(entry) for entry in listed if name_of(entry) is not None and entry.get("value") is not None]


def _plain_rating(rating: Any, settings: dict[str, Any], scope: str) -> dict[str, Any] | None:
    """Return the rating of a Dataset for a canonical one, or None if a Dataset cannot express it.

    A Dataset has one type for each scope. Only the range distinguishes a boolean trait from a score.
    """
    known = trait_type(rating.get("additionalType")) if isinstance(rating, dict) else None
    if known is None or known[1] not in LLM_SUFFIXES or not name_of(rating):
        return None
    best, worst = rating.get("bestRating"), rating.get("worstRating")
    kind = llm_kind(rating, settings)
    if not is_number(best) or not is_number(worst) or worst >= best or kind != llm_kind(rating, {}):
        return None
    plain = {name: content for name, content in stated(rating).items() if name != KEPT}
    plain |= {"@type": "Rating", "bestRating": as_plain(best), "worstRating": as_plain(worst)}
    plain.setdefault("@id", gui_rating_id(rating["name"]))
    plain["additionalType"] = scope + LLM_SUFFIXES[0]
    if isinstance(rating.get("additionalProperty"), list):
        plain["additionalProperty"] = _valued(rating["additionalProperty"])
    return plain


def _unsupported(rating: dict[str, Any], settings: dict[str, Any]) -> list[str]:
    """Return the names of the settings of a rating that its type and its range do not imply."""
    bounds = {"min_score": as_plain(rating["worstRating"]), "max_score": as_plain(rating["bestRating"])}
    kind = llm_kind(rating, settings)
    implied = {**DEEP_DEFAULTS, "higher_is_better": True, "kind": kind, **(bounds if kind == "score" else IDLE_RANGE)}
    return [name for name, value in settings.items() if value is not None and value != implied.get(name, ABSENT)]
