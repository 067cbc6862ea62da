"""Completion: a canonical tree with everything that Karenina requires of a file.

`complete` adds missing values, changes the form of values where Karenina requires it, and refuses values that Karenina
can never load. It removes nothing. `with_placeholders` adds templates to questions without one.
"""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING, Any

import orjson

from checkpoint_ld.dialects.amendment import changed, without_contexts
from checkpoint_ld.dialects.datafeed import new_template_of, template_name
from checkpoint_ld.dialects.dialect import as_list, container, name_of, property_value, text_of, values
from checkpoint_ld.dialects.ratings import CANONICAL, CONTAINERS, as_float
from checkpoint_ld.dialects.state import DEFAULT_CREATOR, DEFAULT_NAME, DEFAULT_VERSION
from checkpoint_ld.documents.values import as_base64, is_number
from checkpoint_ld.entities import CallableRubricTrait
from checkpoint_ld.errors import ReadError, WriteError
from checkpoint_ld.identifiers import CHECKPOINT, unix_time
from checkpoint_ld.mapping.questions import creator_members, default_template, is_scenario, name_of_creator
from checkpoint_ld.mapping.traits import number_of, range_of, trait_of
from checkpoint_ld.rules import finding
from checkpoint_ld.vocabulary import FORMAT_VERSION, FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY, ordered

if TYPE_CHECKING:
    from checkpoint_ld.entities import AnyTrait
    from checkpoint_ld.findings import Finding

Tree = dict[str, Any]

_WHOLE = ("min_score", "max_score", "max_turns", "timeout_seconds")
"""Settings of a trait that are integers in Karenina."""
_COMPLETED = frozenset(("callable_code", "kind", *CONTAINERS, *_WHOLE))


def complete(
    tree: Tree, now: str | None = None, *, round_scores: bool = False, root: str | None = None
) -> tuple[Tree, tuple[Finding, ...]]:
    """Return a canonical tree that Karenina loads, and the findings about changed values.

    Objects that need no change stay the same objects. Objects may have local contexts. `root` is the IRI of the root of
    a tree from another dialect; such a tree gets a missing identifier, version, creator and version of the format.
    `now` replaces missing dates. With `round_scores`, fractional bounds of scores are rounded to a wider range;
    otherwise they are refused. Raises WriteError for refused values.
    """
    writer = _Completion(now, round_scores=round_scores)
    whole = writer.root(tree)
    if root is not None:
        whole = ordered(_as_new(whole, root), None)
    if writer.refusals:
        raise WriteError("Karenina would refuse the file: " + "; ".join(writer.refusals))
    return whole, tuple(writer.findings)


def with_placeholders(tree: Tree) -> Tree:
    """Return a canonical tree in which every question has a template, if need be the placeholder."""
    elements = [*as_list(tree.get("dataFeedElement"))]
    for number, element in enumerate(elements):
        question = element.get("item") if isinstance(element, dict) else None
        if isinstance(question, dict) and "hasPart" not in question:
            text = _text(question.get("text"))
            template = new_template_of(text, default_template(text))
            elements[number] = {**element, "item": changed(question, {"hasPart": template}, "item")}
    return {**tree, "dataFeedElement": elements} if elements else tree


class _Completion:
    def __init__(self, now: str | None, *, round_scores: bool) -> None:
        self._now = now
        self._round_scores = round_scores
        self.findings: list[Finding] = []
        self.refusals: list[str] = []
        self._whole: set[bytes] = set()
        """The ratings that stay as they are, apart from their names and descriptions."""

    def root(self, tree: Tree) -> Tree:
        whole: Tree = {
            "@type": "DataFeed",
            "name": _text(tree.get("name")) or DEFAULT_NAME,
            **_dates(tree, self._now),
        }
        if tree.get("version") is not None:
            whole["version"] = _text(tree["version"])
        if not _is_taken(tree.get("creator")):
            whole["creator"], details = creator_members(without_contexts(tree["creator"]))
            whole["additionalProperty"] = [*as_list(tree.get("additionalProperty")), *details]
        if "rating" in tree:
            whole["rating"] = self._ratings(tree["rating"], "/rating")
        for place, part in enumerate(as_list(tree.get("hasPart"))):
            if not is_scenario(part):
                self.refusals.append(f"the part at /hasPart/{place} is no scenario: take it out, or write Turtle")
        date = whole.get("dateModified")
        elements = as_list(tree.get("dataFeedElement"))
        whole["dataFeedElement"] = [
            self._element(element, date, f"/dataFeedElement/{place}") if isinstance(element, dict) else element
            for place, element in enumerate(elements)
        ]
        return changed(tree, whole, None)

    def _element(self, element: Tree, date: str | None, pointer: str) -> Tree:
        whole: Tree = _dates(element, date)
        if "keywords" in element:
            whole["keywords"] = as_list(element["keywords"])
        question = element.get("item")
        if isinstance(question, dict):
            whole["item"] = self._question(question, f"{pointer}/item")
        return changed(element, whole, "dataFeedElement")

    def _question(self, question: Tree, pointer: str) -> Tree:
        text = _text(question.get("text"))
        parts = (question.get(name) for name in ("acceptedAnswer", "hasPart"))
        answer, template = (value if isinstance(value, dict) else {} for value in parts)
        whole: Tree = {}
        if "@type" not in answer or type(answer.get("text")) is not str:
            members = {"@type": answer.get("@type", "Answer"), "text": _text(answer.get("text"))}
            whole["acceptedAnswer"] = changed(answer, members, "acceptedAnswer")
        if "hasPart" in question:
            source = template.get("text")
            members = {
                "@type": template.get("@type", "SoftwareSourceCode"),
                "name": template.get("name") or template_name(text),
                "text": default_template(text) if source is None else source,
                "programmingLanguage": "Python",
            }
            whole["hasPart"] = changed(template, members, "hasPart")
        if "rating" in question:
            whole["rating"] = self._ratings(question["rating"], f"{pointer}/rating")
        if "keywords" in question:
            whole["keywords"] = as_list(question["keywords"])
        return changed(question, whole, "item")

    def _ratings(self, ratings: Any, pointer: str) -> list[Any]:
        return [
            self._rating(rating, f"{pointer}/{place}") if isinstance(rating, dict) else rating
            for place, rating in enumerate(as_list(ratings))
        ]

    def _rating(self, rating: Tree, pointer: str) -> Tree:
        # Most ratings differ only in name and description, which only have to be texts.
        described = [rating.get(name) for name in ("name", "description")]
        beyond = {key: value for key, value in rating.items() if key not in ("name", "description")}
        try:
            judged = orjson.dumps(beyond) if all(described) and {*map(type, described)} == {str} else None
        except TypeError:  # an integer beyond 64 bits, a lone surrogate
            judged = None
        if judged is not None and judged in self._whole:
            return rating
        whole = self._completed(rating, pointer)
        if whole is rating and judged is not None and not self.refusals:
            self._whole.add(judged)
        return whole

    def _completed(self, rating: Tree, pointer: str) -> Tree:
        try:
            trait = trait_of(rating)
        except ReadError as error:
            self.refusals.append(f"at {pointer} {error}")
            return rating
        if trait is None:
            return rating
        whole: Tree = {}
        for bound, name in enumerate(("bestRating", "worstRating")):
            if not is_number(rating.get(name)):
                number = number_of(rating.get(name))
                whole[name] = as_float(range_of(trait)[bound] if number is None else number)
        settings = as_list(rating.get("additionalProperty"))
        if not isinstance(rating.get("additionalProperty", []), list) or not _COMPLETED.isdisjoint(values(settings)):
            whole["additionalProperty"] = [
                self._setting(setting, trait, f"{pointer}/additionalProperty/{place}")
                if name_of(setting) in _COMPLETED
                else setting
                for place, setting in enumerate(settings)
            ]
        return changed(rating, whole, "rating") if whole else rating

    def _setting(self, setting: Any, trait: AnyTrait, pointer: str) -> Any:
        name = name_of(setting)
        if name == "callable_code" and isinstance(trait, CallableRubricTrait):
            return self._code(setting, trait, pointer)
        if name in CONTAINERS and (spelled := container(setting.get("value"))) is not None:
            return {**setting, "value": spelled}
        if name == "kind" and setting.get("value") == "binary":
            return {**setting, "value": "boolean"}
        value = setting.get("value") if name in _WHOLE else None
        if not isinstance(value, float):
            return setting
        whole = math.floor(value) if name == "min_score" else math.ceil(value)
        if whole != value and not self._round_scores:
            remedy = "allow rounding, or write another dialect or Turtle"
            self.refusals.append(f"the {name} at {pointer} is {value}, which is no whole number: {remedy}")
        elif whole != value:
            message = f"the {name} {value} is written as {whole}; the rating keeps it"
            self.findings.append(finding("loss", message, pointer=pointer, dialect=CANONICAL))
        return changed(setting, {"value": whole}, "additionalProperty")

    def _code(self, setting: Tree, trait: CallableRubricTrait, pointer: str) -> Tree:
        code = setting.get("value")
        if not isinstance(code, str) or (encoded := as_base64(code)) == code:
            return setting
        message = "callable_code is source text and is written as its base64, which is what Karenina reads"
        subject = f'trait "{trait.name}"'
        self.findings.append(
            finding("callable-code-encoded", message, pointer=pointer, subject=subject, dialect=CANONICAL)
        )
        return {**setting, "value": encoded}


def _as_new(tree: Tree, root: str) -> Tree:
    """Return a tree with the identifier, version, creator and format version of a new benchmark, unless it has them.

    The identifier is the time of creation. Its fraction is a hash of the IRI of the root, so that a document always
    gets the same identifier, and documents of the same second get different ones.
    """
    fraction = hashlib.sha256(root.encode()).digest()[:4]
    made = {
        "@id": f"{CHECKPOINT}{unix_time(tree.get('dateCreated')):.0f}.{int.from_bytes(fraction) % 10**6:06}",
        "version": DEFAULT_VERSION,
        "creator": DEFAULT_CREATOR,
    }
    entries = as_list(tree.get("additionalProperty"))
    if values(entries).keys().isdisjoint({FORMAT_VERSION_PROPERTY, GUI_FORMAT_VERSION_PROPERTY}):
        entries = [property_value(FORMAT_VERSION_PROPERTY, FORMAT_VERSION), *entries]
    filled = {name: value for name, value in tree.items() if value is not None}
    return {**tree, **made, **filled, "additionalProperty": entries}


def _dates(holder: Tree, otherwise: Any) -> Tree:
    """Return the two dates of an object; one replaces the other if it is missing, `otherwise` replaces both."""
    created, modified = (holder.get(name) for name in ("dateCreated", "dateModified"))
    dates = {"dateCreated": created or modified or otherwise, "dateModified": modified or created or otherwise}
    return {name: _text(date) for name, date in dates.items() if date is not None}


def _text(value: Any) -> str:
    return text_of(without_contexts(value))


def _is_taken(creator: Any) -> bool:
    is_person = isinstance(creator, dict) and creator.get("@type") == "Person" and bool(name_of_creator(creator))
    return creator is None or isinstance(creator, str) or is_person
