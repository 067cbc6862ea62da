"""The DataFeed of the Karenina GUI, written from a canonical document as the GUI's newest version writes it.

`datafeed` reads it again. `downgrade` compares the two and keeps the leftovers under `x_karenina`.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.data import text
from checkpoint_ld.dialects.datafeed import (
    CREATOR_DETAILS,
    ENCODED,
    REPOSITORY,
    clean,
    clean_element,
    clean_feed,
    gui_template_name,
    template_name,
)
from checkpoint_ld.dialects.dialect import (
    ABSENT,
    Downgrade,
    Trail,
    as_text,
    decoded,
    gui_encoded,
    name_of,
    property_value,
    stated,
    step,
    typed,
    values,
)
from checkpoint_ld.dialects.leftovers import (
    KEPT,
    Losses,
    is_meaningless,
    loss,
    named_places,
)
from checkpoint_ld.dialects.ratings import (
    DEEP_DEFAULTS,
    DEEP_JUDGMENT,
    GLOBAL,
    GUI_MATRIX,
    IDLE_RANGE,
    LLM_SUFFIXES,
    MATRIX,
    QUESTION,
    as_plain,
    is_template,
    llm_kind,
    trait_type,
)
from checkpoint_ld.dialects.state import CUSTOM, DEFAULT_CREATOR, DEFAULT_NAME, DEFAULT_VERSION, is_regenerated
from checkpoint_ld.dialects.traits import FAMILIES, range_of
from checkpoint_ld.documents.values import is_number
from checkpoint_ld.identifiers import (
    CHECKPOINT,
    URN,
    gui_answer_id,
    gui_question_id,
    gui_rating_id,
    gui_template_id,
    unix_time,
)
from checkpoint_ld.vocabulary import CONVERSION_PROPERTY, FORMAT_VERSION, GUI_FORMAT_VERSION_PROPERTY

if TYPE_CHECKING:
    from checkpoint_ld.dialects.leftovers import IsIgnored
    from checkpoint_ld.findings import Finding


DIALECT = "gui-datafeed"
_DESCRIPTION = "Checkpoint containing {} benchmark questions with answer templates and rubric evaluations"
_MADE = {GUI_FORMAT_VERSION_PROPERTY, CONVERSION_PROPERTY}
_FILLED = ("name", "description", "version", "creator")
"""Texts of the root that the GUI replaces by a default where they are empty."""
_NOT_WRITTEN = {"hasPart", KEPT}
"""Members of the root that a document of the GUI cannot have."""
_ORIGINAL = "original_answer_template"
_ORDER = ("finished", _ORIGINAL, "author", "sources", "few_shot_examples")


def downgrade(
    tree: dict[str, Any],
    *,
    preserve_ids: bool = True,
    include_metadata: bool = True,
    is_creation: bool = False,
    now: str | None = None,
) -> Downgrade:
    """Return a canonical document as the GUI writes it.

    Without `preserve_ids` only ratings have identifiers. Without `include_metadata` there is no note about the
    conversion. With `is_creation` the document counts as modified now. `now` (ISO 8601) is the present; None means the
    clock. What the GUI does not know is written as members and properties that our reader restores, or under
    x_karenina, and named in the findings.
    """
    feed = clean(tree)
    writer = _GuiWriter(feed, now or clock())
    value = writer.written(include_metadata=include_metadata, is_creation=is_creation)
    regenerated = {"dateModified"} if is_creation else set()
    if feed.get("creator") != value["creator"] != DEFAULT_CREATOR:
        regenerated.add("creator")  # the member has its name, a property the whole object
    for member, standing in ((name, value[name]) for name in _FILLED if feed.get(name) == ""):
        regenerated.add(member)
        writer.findings.append(loss(f"the empty {member} is written as {standing!r}", f"/{member}", DIALECT))
    wanted = {name: content for name, content in feed.items() if name not in regenerated}
    root = {name: content for name, content in value.items() if name != "dataFeedElement"}
    read = clean_feed(root, None, Trail(DIALECT), clean_element)
    losses = Losses(DIALECT, is_regenerated, writer.is_idle_in, clean_element)
    lost = list(losses.keep(value, value.get("dataFeedElement"), read, wanted, tree))
    if not preserve_ids:
        _drop_identifiers(value)
    return Downgrade(value, (*writer.findings, *lost))


def _drop_identifiers(members: dict[str, Any]) -> None:
    """Remove the identifiers of a root and of all that it holds, apart from its ratings."""
    members.pop("@id", None)
    for inner in (members.get(name) for name in ("dataFeedElement", "item", "acceptedAnswer", "hasPart")):
        for value in inner if isinstance(inner, list) else [inner]:
            if isinstance(value, dict):
                _drop_identifiers(value)


def clock() -> str:
    """Return the present as the GUI writes it: ISO 8601 in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def conversion_note(entries: Any, root: dict[str, Any], elements: Any, now: str) -> dict[str, Any]:
    """Return the GUI's note about a conversion; a note among `entries` keeps its time."""
    listed = elements if isinstance(elements, list) else []
    items = [holder.get("item") for holder in listed if isinstance(holder, dict)]
    ratings = [holder.get("rating") for holder in (root, *items) if isinstance(holder, dict)]
    before = decoded(values(entries).get(CONVERSION_PROPERTY))
    note = {
        "originalVersion": "2.0",
        "convertedAt": now,
        **(before if isinstance(before, dict) else {}),
        "totalQuestions": len(listed),
        "totalRatings": sum(len(rubric) for rubric in ratings if isinstance(rubric, list)),
    }
    return property_value(CONVERSION_PROPERTY, gui_encoded(note))


class _GuiWriter:
    def __init__(self, feed: dict[str, Any], now: str) -> None:
        self._feed = feed
        self._now = now
        self._idle: dict[int, set[str]] = {}
        self.findings: list[Finding] = []

    def written(self, *, include_metadata: bool, is_creation: bool) -> dict[str, Any]:
        feed, elements = self._feed, self._feed.get("dataFeedElement", [])
        identifier = feed.get("@id") if isinstance(feed.get("@id"), str) else None
        if isinstance(elements, list):
            elements = [self._element(element, index) for index, element in enumerate(elements)]
        count = len(elements) if isinstance(elements, list) else 0
        root: dict[str, Any] = {
            "@context": json.loads(text("contexts", "gui-datafeed.jsonld"))["@context"],
            "@type": "DataFeed",
            "@id": identifier or f"{CHECKPOINT}{round(unix_time(self._now) * 1000)}",
            "name": feed.get("name") or DEFAULT_NAME,
            "description": as_text(feed.get("description")) or _DESCRIPTION.format(count),
            "version": as_text(feed.get("version")) or DEFAULT_VERSION,
            "creator": self._creator(),
            "dateCreated": as_text(feed.get("dateCreated")) or self._now,
            "dateModified": self._now if is_creation else as_text(feed.get("dateModified")) or self._now,
            "rating": self._ratings(feed.get("rating"), GLOBAL, "/rating"),
            "dataFeedElement": elements,
            "additionalProperty": self._root_properties(),
        }
        if include_metadata and isinstance(root["additionalProperty"], list):
            note = conversion_note(feed.get("additionalProperty"), root, elements, self._now)
            root["additionalProperty"].insert(1, note)
        root |= {name: content for name, content in feed.items() if name not in root and name not in _NOT_WRITTEN}
        return _trimmed(root, "rating")

    def _creator(self) -> Any:
        creator = self._feed.get("creator")
        name = creator.get("name") if isinstance(creator, dict) else None
        text = name if isinstance(name, str) else creator
        return text if text and isinstance(text, str) else DEFAULT_CREATOR

    def _root_properties(self) -> Any:
        entries = self._feed.get("additionalProperty") or []
        if not isinstance(entries, list):
            return entries
        creator, name = self._feed.get("creator"), self._creator()
        kept = [typed(entry) for entry in entries if name_of(entry) not in _MADE]
        if isinstance(creator, dict) and isinstance(name, str) and creator != {"@type": "Person", "name": name}:
            kept.insert(0, property_value(CREATOR_DETAILS, creator))
        return [property_value(GUI_FORMAT_VERSION_PROPERTY, FORMAT_VERSION), *kept]

    def _element(self, element: Any, index: int) -> Any:
        if not isinstance(element, dict) or not isinstance(element.get("item"), dict):
            return element
        identifier = element.get("@id")
        key = identifier.removeprefix(URN) if isinstance(identifier, str) else None
        question = element["item"]
        modified = as_text(element.get("dateModified") or self._feed.get("dateModified") or self._now)
        members = {
            "@type": "DataFeedItem",
            "@id": identifier,
            "dateCreated": as_text(element.get("dateCreated")) or modified,
            "dateModified": modified,
            "item": self._question(question, key, f"/dataFeedElement/{index}/item"),
        }
        if "keywords" in question:
            members["keywords"] = question["keywords"]
        others = {name: element[name] for name in element if name not in members and name != KEPT}
        return _trimmed({**members, **others})

    def _question(self, question: dict[str, Any], key: str | None, pointer: str) -> dict[str, Any]:
        text, identifier = question.get("text"), question.get("@id")
        if "@id" not in question and isinstance(text, str):
            identifier = gui_question_id(text)
        members: dict[str, Any] = {
            "@type": "Question",
            "@id": identifier,
            **{name: question[name] for name in ("text", "acceptedAnswer", "hasPart") if name in question},
            "additionalProperty": self._properties(question, pointer),
            "rating": self._ratings(question.get("rating"), QUESTION, step(pointer, "rating")),
        }
        answer, template = question.get("acceptedAnswer"), question.get("hasPart", {})
        if isinstance(answer, dict):
            own = {"@id": key and gui_answer_id(key), **stated(answer), "@type": "Answer"}
            members["acceptedAnswer"] = _trimmed(own)
        if isinstance(template, dict):
            own = {"@id": key and gui_template_id(key), "text": "", "codeRepository": REPOSITORY, **stated(template)}
            own |= {"@type": "SoftwareSourceCode", "programmingLanguage": "Python"}
            if own.get("name") in (None, template_name(text)):
                own["name"] = gui_template_name(text)
            own |= {name: as_text(own[name]) for name in ("name", "text", "codeRepository")}
            members["hasPart"] = _trimmed(own)
        rest = {name: content for name, content in question.items() if name not in members and name != "keywords"}
        return _trimmed({**members, **rest}, "rating")

    def _properties(self, question: dict[str, Any], pointer: str) -> Any:
        entries = question.get("additionalProperty") or []
        if not isinstance(entries, list):
            return entries
        settings = values(entries)
        finished = settings.get("finished")
        encoded = {_ORIGINAL: settings.get(_ORIGINAL) or ""}
        encoded |= {name: gui_encoded(settings[name]) for name in ENCODED if settings.get(name) is not None}
        custom = [entry for entry in entries if (name_of(entry) or "").startswith(CUSTOM)]
        others = []
        listed = step(pointer, "additionalProperty")
        places = named_places(entries, listed)
        for entry in entries:
            name = name_of(entry)
            if name in _ORDER or (name is not None and name.startswith(CUSTOM)):
                continue
            others.append(entry)
            message = f'the GUI does not read the property "{name}" of a question; it is kept'
            self.findings.append(loss(message, places.get(name, listed), DIALECT))
        return [
            property_value("finished", ABSENT if finished is None else finished),
            *(property_value(name, encoded[name]) for name in _ORDER if name in encoded),
            *map(typed, custom),
            *map(typed, others),
        ]

    def is_idle_in(self, rating: dict[str, Any]) -> IsIgnored:
        """Return a test for the meaningless settings of a rating of the feed, which the GUI's form leaves out."""
        idle = self._idle.get(id(rating))
        return is_meaningless if idle is None else lambda name, _: name in idle

    def _ratings(self, ratings: Any, scope: str, pointer: str) -> Any:
        if not isinstance(ratings, list):
            return ratings
        return [self._rating(rating, scope, step(pointer, index)) for index, rating in enumerate(ratings)]

    def _rating(self, rating: Any, scope: str, pointer: str) -> Any:
        if not isinstance(rating, dict):
            return rating
        known = trait_type(rating.get("additionalType"))
        suffix = known[1] if known else ""
        name = rating.get("name")
        members: dict[str, Any] = {"@type": "Rating"}
        if isinstance(name, str):
            members["@id"] = gui_rating_id(name)
        own = stated(rating)
        members |= {member: own[member] for member in ("@id", "name", "description") if member in own}
        members["additionalType"] = scope + suffix if known else rating.get("additionalType", ABSENT)
        entries = rating.get("additionalProperty") or []
        ranged = _ranged(rating, suffix, values(entries)) if isinstance(entries, list) else rating
        members |= {bound: as_plain(ranged[bound]) for bound in ("bestRating", "worstRating") if bound in ranged}
        if known and isinstance(entries, list):
            settings = _settings(ranged, suffix, entries)
            self._idle[id(rating)] = settings.idle
            members |= {"additionalProperty": settings.written or ABSENT, **settings.deep}
            if suffix in _NOT_READ or is_template(values(entries).get("kind")):
                message = f'the GUI does not read the trait "{name}", a {suffix}; it is kept'
                self.findings.append(loss(message, pointer, DIALECT))
            elif settings.unread:
                message = f'the GUI does not read {", ".join(settings.unread)} of the trait "{name}"; it is kept'
                self.findings.append(loss(message, pointer, DIALECT))
            if reason := _refused(members, suffix):
                message = f'the GUI refuses a document with the trait "{name}": {reason}'
                self.findings.append(loss(message, pointer, DIALECT))
        members |= {member: content for member, content in rating.items() if member not in members and member != KEPT}
        return {member: content for member, content in members.items() if content is not ABSENT}


def _trimmed(members: dict[str, Any], *lists: str) -> dict[str, Any]:
    """Return `members` without empty `lists` and without an identifier that is no text."""
    empty = {name for name in lists if members.get(name) in (None, [])}
    empty |= set() if isinstance(members.get("@id"), str) else {"@id"}
    return {name: content for name, content in members.items() if name not in empty}


_NOT_READ = ("AgenticRubricTrait", "DynamicRubricTrait")
_SETTINGS: dict[str, dict[str, Any]] = {
    "RegexTrait": {"pattern": ABSENT, "case_sensitive": True, "invert_result": False, "higher_is_better": ABSENT},
    "CallableTrait": {
        "callable_code": ABSENT,
        "kind": "boolean",
        "invert_result": False,
        **dict.fromkeys(("higher_is_better", "min_score", "max_score"), ABSENT),
    },
    "MetricRubricTrait": {
        "evaluation_mode": "tp_only",
        **dict.fromkeys(("metrics", "tp_instructions"), ABSENT),
        "tn_instructions": [],
        "repeated_extraction": True,
    },
}
"""The properties of each type in the GUI's order, with the values that Karenina assumes for missing ones."""


class _Settings(NamedTuple):
    """The settings of a rating in the GUI's form.

    `written` are its properties, `deep` the settings that the GUI keeps in members of the rating, `idle` the names of
    meaningless settings, `unread` the names of properties that the GUI does not know.
    """

    written: list[Any]
    deep: dict[str, Any]
    idle: set[str]
    unread: list[str]


def _settings(rating: dict[str, Any], suffix: str, entries: list[Any]) -> _Settings:
    settings = values(entries)
    deep: dict[str, Any] = {}
    idle: set[str] = set()
    if suffix in LLM_SUFFIXES:
        defaults, idle = _llm_settings(rating, settings)
        if settings.get("deep_judgment_enabled") is True:
            deep = {name: settings[name] for name in DEEP_JUDGMENT if settings.get(name) is not None}
        idle |= {name for name in DEEP_JUDGMENT if name in deep or settings.get(name) == DEEP_DEFAULTS[name]}
    else:
        defaults = _SETTINGS.get(suffix, {})
    if settings.get("evaluation_mode") == MATRIX:
        settings["evaluation_mode"] = GUI_MATRIX
    if settings.get("higher_is_better", ABSENT) is None and (
        suffix == "MetricRubricTrait" or is_template(settings.get("kind"))
    ):
        idle.add("higher_is_better")
    given = ((name, settings.get(name, default)) for name, default in defaults.items() if name not in idle)
    # A property without a value stands for null; what is absent has no property.
    properties = [
        property_value(name, ABSENT if value is None else value) for name, value in given if value is not ABSENT
    ]
    known = {*defaults, *idle}
    rest = [typed(entry) for entry in entries if name_of(entry) not in known]
    unread = [name for entry in rest if (name := name_of(entry)) is not None]
    return _Settings([*properties, *rest], deep, idle, unread)


def _refused(rating: dict[str, Any], suffix: str) -> str | None:
    """Return why the GUI refuses a document with a rating that was written for it, None if it does not."""
    settings = values(rating["additionalProperty"])
    if suffix == "RegexTrait" and not settings.get("pattern"):
        return "it has no pattern"
    if suffix == "CallableTrait" and not settings.get("callable_code"):
        return "it has no code"
    if suffix == "CallableTrait" and settings.get("kind") not in ("boolean", "score"):
        return f"its kind is {settings.get('kind')!r}, neither boolean nor score"
    bounds: list[Any] = [rating.get("worstRating"), rating.get("bestRating")]
    is_score = suffix in LLM_SUFFIXES and all(map(is_number, bounds)) and settings.get("kind") in (None, "score")
    return "its lowest score is not below its highest" if is_score and bounds[0] >= bounds[1] else None


def _ranged(rating: dict[str, Any], suffix: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return a rating with the range that its settings imply: the GUI refuses a document with a rating without one."""
    family = FAMILIES.get(suffix)
    missing = [bound for bound in ("bestRating", "worstRating") if rating.get(bound) is None]
    if not missing or family is None or (family == "llm" and settings.get("kind") is None):
        return rating
    given = {name: value for name, value in settings.items() if value is not None}
    best, worst = range_of(family, {**dict.fromkeys(IDLE_RANGE), **given} if family == "llm" else given)
    implied = {"bestRating": best, "worstRating": worst}
    return {**rating, **{bound: implied[bound] for bound in missing if is_number(implied[bound])}}


def _llm_settings(rating: dict[str, Any], settings: dict[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """Return the properties of an LLM trait with their defaults, and the names of those that its range implies."""
    kind = llm_kind(rating, settings)
    defaults: dict[str, Any] = {"higher_is_better": ABSENT if is_template(kind) else True}
    if kind not in ("boolean", "score"):
        return {**defaults, "kind": ABSENT, "classes": ABSENT}, _idle_range(settings, IDLE_RANGE)
    bounds = {"min_score": as_plain(rating.get("worstRating")), "max_score": as_plain(rating.get("bestRating"))}
    idle = _idle_range(settings, bounds if kind == "score" else IDLE_RANGE)
    is_ranged = is_number(rating.get("bestRating")) and is_number(rating.get("worstRating"))
    if llm_kind(rating, {}) == kind and (is_ranged or settings.get("kind") is None):
        return defaults, idle | {"kind"}
    numbers = {name: bound if is_number(bound) else ABSENT for name, bound in bounds.items()}
    return ({**defaults, "kind": kind, **numbers}, set()) if kind == "score" else ({**defaults, "kind": kind}, idle)


def _idle_range(settings: dict[str, Any], bounds: dict[str, Any]) -> set[str]:
    return set(bounds) if all(settings.get(name) == bound for name, bound in bounds.items()) else set()
