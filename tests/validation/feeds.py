"""Feeds of several questions, as they usually are and damaged, for ways of validation that are held against others."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from hypothesis import strategies as st

from checkpoint_ld.dialects.reading import Reading, examine_bytes
from checkpoint_ld.errors import ReadError
from checkpoint_ld.rules import document
from tests.documents import Json, item, setting

FOLDERS = ("datafeed-ns-v3", "datafeed-legacy", "gui-datafeed", "dataset-1", "v2.0", "flat", "tricky")
"""The folders of the corpus with documents of each dialect."""


def readings(corpus: Path, folder: str, most: int) -> Iterator[tuple[Path, Reading]]:
    """Yield at most so many documents of a folder of the corpus, as far as they can be read."""
    for path in [path for path in sorted((corpus / folder).iterdir()) if path.name != "index.json"][:most]:
        try:
            yield path, examine_bytes(path.read_bytes())
        except ReadError:
            continue


ODD: st.SearchStrategy[Json] = st.sampled_from(
    (
        *(None, True, 5, 0.5, "", " ", "x", [], {}, ["x"], ["b", "a", "b"], {"a": 1}, [None], [[]], [["x"]], -1, "5"),
        *({"@id": "urn:uuid:question-metal-1"}, {"@id": "urn:x:one", "name": "one"}),
        *({"@type": "Answer", "text": "Gold"}, {"@type": "karenina:Trait"}, setting("author", {"name": "Ada"})),
        *(setting("max_score", 3), setting("kind", "binary"), "karenina:GlobalRegexTrait", "no date", "sk-" + "a" * 20),
    )
)
KEYS = st.sampled_from(
    (
        *("@id", "@type", "name", "text", "texts", "keywords", "rating", "value", "position", "acceptedAnswer", "item"),
        *("karenina:repeats", "karenina:residue", "karenina:maxTurns", "karenina:identifier", "additionalType", "url"),
    )
)


def feed() -> Json:
    """Return a document with four usual questions, with and without traits, and global traits."""
    tree = copy.deepcopy(document("metals"))
    for number in (3, 4):
        added = item(f"Which metal is number {number}?", f"urn:uuid:question-metal-{number}")
        added["dateModified"] = "2026-02-01T00:00:00"
        added["item"]["rating"][0]["name"] = f"names number {number}"
        added["item"]["keywords"] = ["metals", "chemistry"]
        tree["dataFeedElement"].append(added)
    return tree


def objects(value: Json) -> list[dict[str, Json]]:
    """Return all objects of a document but its context."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = [value] if isinstance(value, dict) else []
    return found + [one for part in inner for one in objects(part)]


def sound_feed() -> Json:
    """Return the same document without fault."""
    tree = feed()
    questions = [element["item"] for element in tree["dataFeedElement"]]
    source = questions[0]["hasPart"]["text"]
    for question in questions:
        question["hasPart"]["text"] = source.replace('"mercury"', json.dumps(question["acceptedAnswer"]["text"]))
    return tree


@st.composite
def damaged(draw: st.DrawFn, whole: Callable[[], Json] = feed) -> Json:
    """Return a feed in which a few members were replaced, removed, repeated, moved or added."""
    tree = whole()
    context = tree.pop("@context")
    if draw(st.booleans()):
        tree["creator"] = "Somebody by name"
    shared = draw(st.sampled_from([None, "urn:uuid:rating-shared", "urn:uuid:rating-a#b", "a name"]))
    for rating in (one["item"]["rating"][0] for one in tree["dataFeedElement"] if shared and one["item"].get("rating")):
        rating["@id"] = shared
    for _ in range(draw(st.integers(0, 3))):
        there = objects(tree)
        holder = there[draw(st.integers(0, len(there) - 1))]
        key = draw(st.sampled_from(sorted(holder)) | KEYS) if holder else draw(KEYS)
        match draw(st.sampled_from(["remove", "replace", "repeat", "wrap", "swap", "copy", "turn"])):
            case "remove":
                holder.pop(key, None)
            case "repeat" if isinstance(holder.get(key), list):
                holder[key] = [*holder[key], *copy.deepcopy(holder[key][:1])]
            case "wrap" if key in holder:
                holder[key] = [holder[key]]
            case "swap" | "copy":
                other = there[draw(st.integers(0, len(there) - 1))]
                holder[key] = copy.deepcopy(draw(st.sampled_from([other, *other.values()])))
            case "turn" if isinstance(holder.get(key), list):
                holder[key].reverse()
            case _:
                holder[key] = copy.deepcopy(draw(ODD))
    return {"@context": context, **tree}


@st.composite
def damaged_alike(draw: st.DrawFn, whole: Callable[[], Json] = sound_feed) -> Json:
    """Return a feed in which one member of several objects of one type was replaced, by other values in each."""
    tree = whole()
    context = tree.pop("@context")
    there = objects(tree)
    kind = draw(st.sampled_from(sorted({one["@type"] for one in there if "@type" in one})))
    alike = [one for one in there if one.get("@type") == kind]
    key = draw(st.sampled_from(sorted(alike[0])) | KEYS)
    for holder in draw(st.lists(st.sampled_from(alike), min_size=2, max_size=4)):
        holder[key] = copy.deepcopy(draw(ODD | st.sampled_from([one[key] for one in alike if key in one] or [None])))
    return {"@context": context, **tree}
