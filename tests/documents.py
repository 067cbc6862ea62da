"""Documents of our own making that many tests start from."""

import copy
from typing import Any

from checkpoint_ld.graph import contexts

SCHEMA = "https://schema.org/"

Json = Any


def without_contexts(value: Json) -> Json:
    """Return a document without its contexts, wherever they stand."""
    if isinstance(value, dict):
        return {key: without_contexts(one) for key, one in value.items() if key != "@context"}
    return [without_contexts(one) for one in value] if isinstance(value, list) else value


def setting(name: str, value: Json) -> Json:
    return {"@type": "PropertyValue", "name": name, "value": value}


def rating(name: str = "cites", scope: str = "QuestionSpecific", **settings: Json) -> Json:
    settings = settings or {
        "pattern": r"\[\d+\]",
        "case_sensitive": True,
        "invert_result": False,
        "higher_is_better": True,
    }
    return {
        "@type": "Rating",
        "name": name,
        "description": "names its sources",
        "bestRating": 1.0,
        "worstRating": 0.0,
        "additionalType": f"karenina:{scope}RegexTrait",
        "additionalProperty": [setting(key, value) for key, value in settings.items()],
    }


def item(text: str = "Which metal is liquid at 20 °C?", identifier: str | None = "urn:uuid:question-metal-1") -> Json:
    named = {"@id": identifier} if identifier is not None else {}
    return {
        "@type": "DataFeedItem",
        **named,
        "dateCreated": "2026-01-01T00:00:00",
        "dateModified": "2026-01-02T00:00:00.123456",
        "item": {
            "@type": "Question",
            "text": text,
            "acceptedAnswer": {"@type": "Answer", "text": "Mercury"},
            "hasPart": {
                "@type": "SoftwareSourceCode",
                "name": f"{text[:30]}... Answer Template",
                "text": "class Answer(BaseAnswer):\n    metal: str\n",
                "programmingLanguage": "Python",
            },
            "rating": [rating()],
            "additionalProperty": [setting("finished", True)],
            "keywords": ["chemistry"],
        },
    }


def canonical(*items: Json) -> Json:
    """Return a benchmark in the canonical dialect, as Karenina writes it."""
    return {
        "@context": copy.deepcopy(contexts.plain()),
        "@type": "DataFeed",
        "@id": "urn:uuid:karenina-checkpoint-1767225600.5",
        "name": "Metals",
        "description": "Metals and their properties",
        "version": "0.2.0",
        "creator": "A. Smith",
        "dateCreated": "2026-01-01T00:00:00",
        "dateModified": "2026-01-02T00:00:00",
        "rating": [rating("tone", "Global", pattern="^[A-Z]", case_sensitive=False)],
        "dataFeedElement": list(items) or [item()],
        "additionalProperty": [setting("benchmark_format_version", "3.0.0-jsonld")],
    }


def scenario() -> Json:
    """Return a multi-turn benchmark in the canonical dialect."""
    question = {key: item()["item"][key] for key in ("@type", "text", "acceptedAnswer", "hasPart")}
    check = {"type": "state_check", "field": "turn", "expected": 2, "verify_with": {"type": "NumericExact"}}
    tree = canonical()
    del tree["rating"]
    properties = tree.pop("additionalProperty")
    tree["dataFeedElement"] = []
    tree["hasPart"] = [
        {
            "@type": "karenina:Scenario",
            "name": "retry",
            "description": "",
            "entryNode": "start here",
            "nodes": {
                "start here": {
                    "@type": "karenina:ScenarioNode",
                    "nodeId": "start here",
                    "question": question,
                    "stateUpdateSource": "lambda state: state",
                    "metadata": {},
                },
                "again": {
                    "@type": "karenina:ScenarioNode",
                    "nodeId": "again",
                    "question": question,
                    "metadata": {"k": [1, 1.0]},
                },
            },
            "edges": [
                {"source": "start here", "target": "again", "condition": check},
                {"source": "again", "target": "__end__", "conditionSource": "lambda s: True"},
            ],
            "outcomeCriteria": [{"name": "passed", "description": "", "check": check}],
            "metadata": {},
        }
    ]
    tree["additionalProperty"] = properties
    return tree


def rich() -> Json:
    """Return a benchmark with everything in it that forms of JSON-LD treat differently."""
    tree = canonical(item(), item("Which metal is lightest?", "urn:uuid:question-metal-2"), item("No id?", None))
    tree["creator"] = {"@type": "Person", "name": "A. Smith", "email": "a@example.org"}
    tree["license"] = {"@type": "CreativeWork", "name": "CC", "pages": [3, 2.5, 1.0]}
    question = tree["dataFeedElement"][0]["item"]
    question["keywords"] = ["b", "a"]
    question["rating"].append(
        rating(
            "certainty",
            kind="literal",
            classes={"Very dry": "no", "warm": "yes", "a": "between"},
            metrics=["recall"],
            tp_instructions=["names it", "at once"],
            bounds=[1.0, 2],
            nothing=None,
            none_of_these=[],
            half=0.5,
            one=1.0,
            count=1,
        )
    )
    return tree
