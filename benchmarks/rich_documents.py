"""Rich checkpoints: as varied as real ones are, and with faults; the same seed gives the same bytes.

`python benchmarks/rich_documents.py 1000 1 > checkpoint.jsonld` writes one, of the seed 1. Its questions are those of
`documents.py`, each changed in ways of its own: members that nobody knows, with keys that the seed chooses; properties
with values of every type; stored code; traits with names of their own; missing dates and keywords; members in another
order. The seed chooses how types are spelled and how the text is laid out. One question of ten has a fault.
"""

from __future__ import annotations

import json
import random
import sys
from typing import TYPE_CHECKING, Any

import documents
from checkpoint_ld.dialects.dialect import property_value
from checkpoint_ld.mapping.traits import rating_of
from checkpoint_ld.vocabulary import KARENINA, SCOPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Json = dict[str, Any]

FAULTY = 0.1
KEYS = 12
SYLLABLES = ("ba", "cor", "de", "fi", "gu", "hel", "lo", "mi", "na", "pre", "qui", "ra", "sol", "ta", "ve", "zu")
LAYOUTS: tuple[Json, ...] = (
    {"indent": 2, "ensure_ascii": False},
    {"separators": (",", ":"), "ensure_ascii": False},
    {"indent": 4},
    {},
)
"""How `json.dumps` writes the text; the seed chooses."""
PREFIXES = ("", "karenina:", KARENINA)
"""How the types of traits begin; the seed chooses."""


def word(drawn: random.Random) -> str:
    """Return a key that nobody knows."""
    first, *others = drawn.choices(SYLLABLES, k=drawn.randint(3, 5))
    if drawn.random() < 0.5:
        return "_".join((first, *others))
    return "".join((first, *map(str.capitalize, others)))


def keys(seed: int) -> list[str]:
    """Return the keys that one document has beyond those of the format."""
    drawn = random.Random(f"rich/{seed}/keys")  # noqa: S311 - no secret, and the same every time
    return [word(drawn) for _ in range(KEYS)]


def value(drawn: random.Random, known: Sequence[str], depth: int = 2) -> Any:
    """Return a JSON value of any type, with keys that are among the known ones."""
    kinds: list[Callable[[], Any]] = [
        lambda: word(drawn),
        lambda: drawn.randint(-(10**6), 10**6),
        lambda: drawn.choice((drawn.random(), float(drawn.randint(0, 9)))),
        lambda: drawn.choice((True, False, None)),
        lambda: [word(drawn) for _ in range(drawn.randint(0, 3))],
    ]
    if depth:
        kinds.append(lambda: {drawn.choice(known): value(drawn, known, depth - 1) for _ in range(drawn.randint(1, 3))})
        kinds.append(
            lambda: [{drawn.choice(known): value(drawn, known, depth - 1)} for _ in range(drawn.randint(1, 3))]
        )
    return drawn.choice(kinds)()


def objects(held: Any) -> Iterator[Json]:
    """Yield the objects of a feed item that the format knows."""
    if isinstance(held, list):
        for one in held:
            yield from objects(one)
    elif isinstance(held, dict) and "@type" in held:
        yield held
        for key, one in held.items():
            if key != "value":
                yield from objects(one)


def varied(item: Json, drawn: random.Random, prefix: str, known: Sequence[str]) -> Json:
    """Return a feed item that says more, less and otherwise than the one given, the types of traits with `prefix`."""
    question = item["item"]
    if drawn.random() < 0.3:
        draw = documents.Draw(drawn, 0)
        named = {"name": word(drawn), "description": draw.text("asked")}
        question.setdefault("rating", []).append(rating_of(documents.stored(draw, named), SCOPES[1]))
    if drawn.random() < 0.3:
        question.setdefault("additionalProperty", []).append(
            property_value(f"custom_{drawn.choice(known)}", value(drawn, known))
        )
    for one in list(objects(item)):
        if drawn.random() < 0.1:
            one[drawn.choice(known)] = value(drawn, known)
        kind = one.get("additionalType")
        if isinstance(kind, str):
            local = kind.removeprefix("karenina:")
            one["additionalType"] = prefix + local
            if drawn.random() < 0.2:
                one["@id"] = f"urn:uuid:rating-{word(drawn)}-{drawn.getrandbits(32):08x}"
    for holder, key, share in ((item, "dateCreated", 0.2), (item, "dateModified", 0.2), (question, "keywords", 0.2)):
        if drawn.random() < share:
            holder.pop(key, None)
    return {key: item[key] for key in drawn.sample(list(item), len(item))} if drawn.random() < 0.1 else item


def _misspelt(item: Json, drawn: random.Random) -> None:
    key = drawn.choice(("text", "acceptedAnswer", "hasPart"))
    at = drawn.randrange(1, len(key) - 1)
    item["item"][key[:at] + key[at + 1 :]] = word(drawn)


def _no_date(item: Json, drawn: random.Random) -> None:
    item[drawn.choice(("dateCreated", "dateModified"))] = drawn.choice(("yesterday", "2026-02-30", word(drawn)))


def _backwards(item: Json, drawn: random.Random) -> None:
    item |= {"dateCreated": f"2026-05-0{drawn.randint(2, 9)}", "dateModified": "2026-05-01"}


def _no_python(item: Json, drawn: random.Random) -> None:
    item["item"]["hasPart"]["text"] += drawn.choice(("\n  def", "\n)", f"\n{word(drawn)} ="))


def _renamed(item: Json, drawn: random.Random) -> None:
    item["@id"] = f"urn:uuid:question-{word(drawn)}-{drawn.getrandbits(32):08x}"


def _untyped(item: Json, drawn: random.Random) -> None:
    del drawn.choice((item, item["item"], item["item"]["acceptedAnswer"]))["@type"]


def _empty(item: Json, drawn: random.Random) -> None:
    item["item"]["acceptedAnswer"]["text"] = drawn.choice(("", " "))


def _other_type(item: Json, drawn: random.Random) -> None:
    item["item"]["acceptedAnswer"]["@type"] = drawn.choice(("Anser", "Thing", word(drawn)))


FAULTS = (_misspelt, _no_date, _backwards, _no_python, _renamed, _untyped, _empty, _other_type)
"""What is wrong with a question: all of it is found by validation, none of it keeps a file from being loaded."""


def items(size: int, seed: int = 1) -> Iterator[Json]:
    """Yield the feed items of `size` questions."""
    known = keys(seed)
    for number, item in enumerate(documents.items(size, seed)):
        drawn = random.Random(f"rich/{seed}/{number}")  # noqa: S311 - no secret, and the same every time
        changed = varied(item, drawn, PREFIXES[seed % len(PREFIXES)], known)
        if drawn.random() < FAULTY:
            drawn.choice(FAULTS)(changed, drawn)
        yield changed


def document(size: int, seed: int = 1) -> bytes:
    """Return a rich checkpoint of `size` questions."""
    drawn = random.Random(f"rich/{seed}")  # noqa: S311 - as above
    head = documents.head(size, seed) | {
        keys(seed)[0]: value(drawn, keys(seed)),
        "dataFeedElement": list(items(size, seed)),
    }
    return json.dumps(head, **LAYOUTS[seed % len(LAYOUTS)]).encode()


if __name__ == "__main__":
    sys.stdout.buffer.write(document(*map(int, sys.argv[1:])))
