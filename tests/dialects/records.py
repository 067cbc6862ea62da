"""An independent reader of canonical documents: the records that the corpus says a correct reader finds."""

import json
from typing import Any

from tests.dialects import digest, settings

_FAMILIES = {
    "RubricTrait": "llm",
    "LLMRubricTrait": "llm",
    "RegexTrait": "regex",
    "CallableTrait": "callable",
    "MetricRubricTrait": "metric",
    "AgenticRubricTrait": "agentic",
}
_FORMAT_PROPERTIES = {"benchmark_format_version", "checkpoint_format_version", "conversion_metadata", "benchmark_type"}
_PUBLISHING = ("license", "keywords", "publisher", "datePublished")


def record_of(tree: dict[str, Any]) -> dict[str, Any]:
    """Return what a reader finds in a canonical document, in the form of the corpus."""
    members = ("name", "description", "version", "creator", "dateCreated", "dateModified")
    record: dict[str, Any] = {name: tree[name] for name in members if name in tree}
    custom = {name: value for name, value in settings(tree).items() if name not in _FORMAT_PROPERTIES}
    if "creator_details" in custom:
        record["creator"] = custom.pop("creator_details")
    extra = {name: tree[name] for name in _PUBLISHING if name in tree}
    record["metadata_extra"] = {**extra, **({"custom_properties": custom} if custom else {})}
    traits = [_trait(rating) for rating in tree.get("rating", [])]
    record["global_traits"] = [trait for trait in traits if not trait.get("dynamic")]
    record["dynamic_traits"] = [trait for trait in traits if trait.get("dynamic")]
    record["questions"] = [_question(element) for element in tree.get("dataFeedElement", [])]
    record["scenarios"] = [scenario.get("name") for scenario in tree.get("hasPart", [])]
    return record


def _question(element: dict[str, Any]) -> dict[str, Any]:
    question = element["item"]
    made = settings(question)
    record = {"text": question["text"], "answer": question["acceptedAnswer"]["text"]}
    record |= {"finished": bool(made.get("finished")), "id": element.get("@id")}
    record |= {"created": element.get("dateCreated"), "modified": element.get("dateModified")}
    own = question.get("keywords") or []
    record["keywords"] = [*own, *(word for word in element.get("keywords") or [] if word not in own)]
    for name, member in (("author", "author"), ("sources", "sources"), ("few_shot", "few_shot_examples")):
        record[name] = _spelled(made.get(member))
    record |= {"notes": made.get("answer_notes"), "workspace": made.get("workspace_path")}
    record["custom"] = {name[7:]: value for name, value in made.items() if name.startswith("custom_")}
    if "hasPart" in question:
        record["template_sha256_12"] = digest(question["hasPart"]["text"])
    if made.get("original_answer_template"):
        record["original_template_sha256_12"] = digest(made["original_answer_template"])
    record["traits"] = [_trait(rating) for rating in question.get("rating", [])]
    return record


def _trait(rating: dict[str, Any]) -> dict[str, Any]:
    made = settings(rating)
    plain = rating["additionalType"].removeprefix("karenina:")
    scope = "Global" if plain.startswith("Global") else "QuestionSpecific"
    dynamic = plain.removeprefix(scope) == "DynamicRubricTrait"
    family = made["dynamic_trait_type"] if dynamic else _FAMILIES[plain.removeprefix(scope)]
    kind = _kind(rating, family, made)
    record = {
        "name": rating["name"],
        "kind": family,
        "scope": "global" if scope == "Global" else "question",
        "dynamic": dynamic,
        "type": kind,
        "description": rating.get("description"),
        "pattern": made.get("pattern"),
        "code": made.get("callable_code"),
        "cs": made.get("case_sensitive", True),
        "inv": made.get("invert_result", False),
        "metrics": _spelled(made.get("metrics")),
        "tp": _spelled(made.get("tp_instructions")) or [],
        "tn": _spelled(made.get("tn_instructions")) or [],
        "higher": made.get("higher_is_better", None if family == "metric" else True),
        "summary": made.get("summary"),
        "deep_judgment": bool(made.get("deep_judgment_enabled")),
    }
    if kind == "score":
        record |= {"min": rating["worstRating"], "max": rating["bestRating"]}
    if kind == "literal":
        record["classes"] = list(_spelled(made.get("classes")))
    return record


def _kind(rating: dict[str, Any], family: str, expected: dict[str, Any]) -> Any:
    if family == "regex":
        return "boolean"
    if family == "metric":
        return expected.get("evaluation_mode", "tp_only")
    named = expected.get("kind")
    if isinstance(named, dict):
        return "template"
    if named or family != "llm":
        return named or "boolean"
    unit = (rating["bestRating"], rating["worstRating"]) == (1, 0)
    return "boolean" if unit and (expected.get("min_score"), expected.get("max_score")) != (0, 1) else "score"


def _spelled(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value
