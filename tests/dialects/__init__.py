"""What the tests of the dialects share: small documents, what a reader finds in them, and ways to compare."""

import copy
import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

Json: TypeAlias = Any

DIALECT_FOLDERS = (
    *("v2.0-other", "v2.0-traits-key", "v2.0", "dataset-0", "dataset-1"),
    *("gui-datafeed", "datafeed-legacy", "datafeed-ns-v3", "flat"),
)
HTTP = {"@version": 1.1, "@vocab": "http://schema.org/"}
HTTPS = {"@version": 1.1, "@vocab": "https://schema.org/", "karenina": "urn:karenina:vocab:"}


def prop(name: str, value: Json = ...) -> dict[str, Json]:
    entry = {"@type": "PropertyValue", "name": name}
    return entry if value is ... else {**entry, "value": value}


def question(text: str = "Which metal is liquid?", **members: Json) -> dict[str, Json]:
    template = {
        "@type": "SoftwareSourceCode",
        "name": "t",
        "text": "class Answer: ...",
        "programmingLanguage": "Python",
    }
    answer = {"@type": "Answer", "text": "Mercury"}
    return {"@type": "Question", "text": text, "acceptedAnswer": answer, "hasPart": template, **members}


def element(**members: Json) -> dict[str, Json]:
    return {
        "@type": "DataFeedItem",
        "@id": "urn:uuid:q1",
        "dateCreated": "2025-01-01T00:00:00",
        "dateModified": "2025-01-02T00:00:00",
        "item": question(),
        **members,
    }


def feed(**members: Json) -> dict[str, Json]:
    """Return a DataFeed of the dialect datafeed-legacy."""
    return {
        "@context": HTTP,
        "@type": "DataFeed",
        "@id": "urn:uuid:benchmark",
        "name": "Metals",
        "dateCreated": "2025-01-01T00:00:00",
        "dateModified": "2025-01-02T00:00:00",
        "dataFeedElement": [element()],
        **members,
    }


def rating(name: str = "tone", kind: str = "GlobalRubricTrait", **members: Json) -> dict[str, Json]:
    return {
        "@type": "Rating",
        "name": name,
        "bestRating": 1,
        "worstRating": 0,
        "additionalType": kind,
        **members,
    }


def dataset(**members: Json) -> dict[str, Json]:
    """Return a document of the dialect dataset-1."""
    root = feed(**{"@type": "Dataset", "hasPart": [element()], **members})
    if "dataFeedElement" not in members:
        del root["dataFeedElement"]
    return root


def state(*items: dict[str, Json], **members: Json) -> dict[str, Json]:
    """Return a document of the dialect v2.0 with `items` under the keys k0, k1 and so on."""
    checkpoint = {f"k{index}": {**ITEM, **item} for index, item in enumerate(items or ({},))}
    return {"version": "2.0", "global_rubric": None, "checkpoint": checkpoint, **members}


ITEM = {
    "question": "Which metal is liquid?",
    "raw_answer": "Mercury",
    "original_answer_template": "",
    "answer_template": "class Answer: ...",
    "date_created": "2025-01-01T00:00:00Z",
    "last_modified": "2025-01-02T00:00:00Z",
    "finished": True,
}


def settings(rating_or_other: dict[str, Json]) -> dict[str, Json]:
    """Return the properties of an object by name; the last of a name counts."""
    entries = rating_or_other.get("additionalProperty")
    listed = entries if isinstance(entries, list) else []
    return {entry["name"]: entry.get("value") for entry in listed if isinstance(entry, dict) and "name" in entry}


def named(value: Json, member: str = "") -> Json:
    """Return `value` with its properties by name, each with all its values, and its ratings in order of name."""
    if isinstance(value, dict):
        return {name: named(held, name) for name, held in value.items()}
    if not isinstance(value, list):
        return value
    if member == "additionalProperty" and all(
        isinstance(one, dict) and isinstance(one.get("name"), str) for one in value
    ):
        names = {entry["name"] for entry in value}
        return {name: [one.get("value") for one in value if one["name"] == name] for name in names}
    held = [named(one) for one in value]
    return (
        sorted(held, key=lambda one: json.dumps([one.get("name"), one.get("description")]))
        if member == "rating"
        else held
    )


def telling(tree: dict[str, Json]) -> Json:
    """Return a canonical tree, `named`, without what means nothing or is made anew by the GUI.

    That is the context and the note about a conversion, properties without content, a range where there are no scores,
    deep judgment that is off, and empty lists of ratings.
    """
    made = {"benchmark_format_version", "checkpoint_format_version", "conversion_metadata"}
    nothing: tuple[Json, ...] = ([None], [""], ["[]"])
    off = {
        "deep_judgment_enabled": [False],
        "deep_judgment_excerpt_enabled": [True],
        "deep_judgment_search_enabled": [False],
    }

    def stripped(value: Json) -> Json:
        if isinstance(value, list):
            return [stripped(one) for one in value]
        if not isinstance(value, dict):
            return value
        kept = {name: stripped(held) for name, held in value.items() if not (name == "rating" and held == [])}
        found = kept.get("additionalProperty")
        if isinstance(found, dict):
            directed = not ("metrics" in found or any(isinstance(kind, dict) for kind in found.get("kind", [])))
            silent = {
                name
                for name, held in found.items()
                if held in nothing and not (directed and name == "higher_is_better")
            }
            if found.get("kind") != ["score"] and (found.get("min_score"), found.get("max_score")) == ([1], [5]):
                silent |= {"min_score", "max_score"}
            found = {name: held for name, held in found.items() if name not in silent | made and off.get(name) != held}
            kept = (
                {**kept, "additionalProperty": found}
                if found
                else {n: v for n, v in kept.items() if n != "additionalProperty"}
            )
        return kept

    return stripped({name: value for name, value in named(tree).items() if name not in ("@context", "@type")})


def lacking(want: Json, have: Json, pointer: str = "") -> Iterator[str]:
    """Yield where `have` lacks what `want` says, or says otherwise; more members do no harm."""
    if isinstance(want, dict) and isinstance(have, dict):
        for key, value in want.items():
            if key in have:
                yield from lacking(value, have[key], f"{pointer}/{key}")
            else:
                yield f"{pointer}/{key}: {value!r} is missing"
    elif isinstance(want, list) and isinstance(have, list) and len(want) == len(have):
        for index, (wanted, held) in enumerate(zip(want, have, strict=True)):
            yield from lacking(wanted, held, f"{pointer}/{index}")
    elif want != have or isinstance(want, bool) != isinstance(have, bool):
        yield f"{pointer}: {have!r} instead of {want!r}"


def documents(corpus: Path, *folders: str) -> Iterator[tuple[str, dict[str, Json]]]:
    """Yield name and value of every document in `folders` of the corpus."""
    for folder in folders:
        for path in sorted((corpus / folder).iterdir()):
            yield f"{folder}/{path.name}", json.loads(path.read_text(encoding="utf-8-sig"))


def expectations(corpus: Path) -> Iterator[dict[str, Json]]:
    with gzip.open(corpus / "expected.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def conversions(corpus: Path, *uses: str) -> Iterator[dict[str, Json]]:
    """Yield the conversions that were observed in the GUI and that are good for one of `uses`."""
    with (corpus / "gui-conversion-cases.jsonl").open(encoding="utf-8") as lines:
        yield from (case for case in map(json.loads, lines) if case["use"] in uses)
    with gzip.open(corpus / "gui-conversion-extra.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from (case for case in map(json.loads, lines) if case["use"] in uses)


def masked(value: Json, pointers: list[str] | None) -> Json:
    """Return `value` without what depends on the clock; `#` in a pointer enters JSON that stands in a text."""
    value = copy.deepcopy(value)
    for pointer in pointers or ():
        outer, _, inner = pointer.partition("#")
        *path, last = (int(part) if part.isdigit() else part for part in outer.strip("/").split("/"))
        holder = value
        for part in path:
            holder = holder[part]
        spelled = {**json.loads(holder[last]), inner.strip("/"): "*"} if inner else None
        holder[last] = json.dumps(spelled, ensure_ascii=False) if inner else "*"
    return value


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
