"""Realistic checkpoints of any size: the same seed gives the same bytes.

`python benchmarks/documents.py 1000 > checkpoint.jsonld` writes one. A question takes about 3.6 KB, laid out as
Karenina does it: answer templates of several kinds, traits of every kind with all their settings, keywords,
authors, sources, examples, notes, metadata of every JSON type, texts in several scripts. What words say is nonsense.
"""

from __future__ import annotations

import random
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import orjson

from checkpoint_ld import identifiers
from checkpoint_ld.dialects.dialect import property_value
from checkpoint_ld.entities import (
    AgenticRubricTrait,
    CallableRubricTrait,
    DynamicRubric,
    LLMRubricTrait,
    MetricRubricTrait,
    Question,
    RegexRubricTrait,
    Rubric,
)
from checkpoint_ld.graph import emission
from checkpoint_ld.mapping.questions import item_of
from checkpoint_ld.mapping.traits import rating_of
from checkpoint_ld.vocabulary import FORMAT_VERSION, FORMAT_VERSION_PROPERTY, SCOPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from checkpoint_ld.entities import AnyTrait

Json = dict[str, Any]

DATE = "2026-01-01T09:00:00.123456"


@cache
def _material() -> Json:
    return tomllib.loads(Path(__file__).with_name("material.toml").read_text(encoding="utf-8"))


@cache
def _words(kind: str) -> list[str]:
    words: list[str] = _material()[kind].split()
    return words


@cache
def _templates(kind: str) -> list[Template]:
    found = _material()[kind]
    return [Template(text) for text in (found if isinstance(found, list) else [found])]


@dataclass
class Draw:
    """What is drawn for one question, or for a benchmark as a whole."""

    random: random.Random
    number: int

    @classmethod
    def of(cls, seed: int, number: int) -> Draw:
        """Begin the draw for one question, whatever was drawn for others."""
        return cls(random.Random(f"{seed}/{number}"), number)  # noqa: S311 - no secret, and the same every time

    def text(self, kind: str) -> str:
        """Return a text of one kind, with words filled in."""
        thing, other = self.random.sample(_words("things"), 2)
        filled = {"thing": thing, "other": other, "quality": self.random.choice(_words("traits"))}
        chosen = self.random.choice(_templates(kind))
        return chosen.substitute(filled, number=self.number, small=self.random.randint(1, 40))

    def one(self, kind: str) -> Any:
        """Return one entry of a list of the material."""
        return self.random.choice(_material()[kind])

    def happens(self, share: float) -> bool:
        """Tell whether something happens that happens to a share of all questions."""
        return self.random.random() < share

    def date(self) -> str:
        """Return a date and time as Karenina writes them."""
        day, second = self.random.randint(1, 28), self.random.randint(0, 59)
        return f"2026-0{self.random.randint(1, 9)}-{day:02d}T{day % 24:02d}:{second:02d}:07.{self.number % 10**6:06d}"


def _truth(draw: Draw, named: Json) -> AnyTrait:
    return LLMRubricTrait(kind="boolean", include_ground_truth=draw.happens(0.2), **named)


def _score(draw: Draw, named: Json) -> AnyTrait:
    judged: Json = {"deep_judgment_enabled": True, "deep_judgment_max_excerpts": 3, "summary": draw.text("asked")}
    return LLMRubricTrait(kind="score", min_score=1, max_score=5, **named, **(judged if draw.happens(0.3) else {}))


def _literal(draw: Draw, named: Json) -> AnyTrait:
    return LLMRubricTrait(kind="literal", classes={one: draw.text("asked") for one in _material()["levels"]}, **named)


def _regex(draw: Draw, named: Json) -> RegexRubricTrait:
    pattern = rf"\b{draw.random.choice(_words('things'))}s?\b\s*\[\d+\]"
    return RegexRubricTrait(pattern=pattern, case_sensitive=draw.happens(0.5), **named)


def stored(draw: Draw, named: Json) -> AnyTrait:
    """Return a trait with stored code, of which validation always warns."""
    pickle = b"\x80\x05\x95" + draw.random.randbytes(300) + draw.text("source").encode()
    members: Json = {"callable_code": pickle, **named}
    return CallableRubricTrait(kind="boolean", **members)


def _metric(draw: Draw, named: Json) -> AnyTrait:
    wanted, unwanted = [draw.text("answers"), draw.text("answers")], [draw.text("answers")]
    if draw.happens(0.5):
        return MetricRubricTrait(metrics=["precision", "recall", "f1"], tp_instructions=wanted, **named)
    members: Json = {"evaluation_mode": "full_matrix", "tp_instructions": wanted, "tn_instructions": unwanted}
    return MetricRubricTrait(metrics=["accuracy", "specificity"], **members, **named)


def _agentic(draw: Draw, named: Json) -> AnyTrait:
    return AgenticRubricTrait(kind="boolean", context_mode="trace_only", max_turns=draw.random.randint(3, 20), **named)


KINDS: dict[str, tuple[Callable[[Draw, Json], AnyTrait], int]] = {
    "named": (_truth, 5),
    "deep": (_score, 4),
    "level": (_literal, 1),
    "cited": (_regex, 4),
    "complete": (_metric, 1),
    "looked_up": (_agentic, 1),
}
"""The kinds of traits: by the name that such a trait has here, what makes one, and its share.

Stored code is always worth a warning: only rich documents have it.
"""


def traits(draw: Draw) -> list[AnyTrait]:
    """Return traits as one question has them: none, one or two."""
    shares = [share for _, share in KINDS.values()]
    names = draw.random.choices(list(KINDS), shares, k=draw.random.choice((0, 1, 2, 2)))
    return [_trait(draw, name) for name in dict.fromkeys(names)]


def _trait(draw: Draw, name: str, prefix: str = "") -> AnyTrait:
    return KINDS[name][0](draw, {"name": prefix + name, "description": draw.text("asked")})


def rubric(draw: Draw) -> Rubric:
    """Return a rubric as one question has it."""
    held = traits(draw)
    lists: Json = {name: [one for one in held if isinstance(one, model)] for model, name in _LISTS.items()}
    return Rubric(**lists)


_LISTS: dict[type[AnyTrait], str] = {
    LLMRubricTrait: "llm_traits",
    RegexRubricTrait: "regex_traits",
    CallableRubricTrait: "callable_traits",
    MetricRubricTrait: "metric_traits",
    AgenticRubricTrait: "agentic_traits",
}


def question(draw: Draw) -> Question:
    """Return a question with all that belongs to it but its rubrics."""
    text, person = draw.text("questions"), draw.one("people")
    metadata = {"level": draw.random.randint(1, 5), "share": draw.random.random(), "reviewed": draw.happens(0.5)}
    members: Json = {"keywords": draw.random.sample(_material()["topics"], draw.random.randint(1, 3))}
    if draw.happens(0.4):
        members["author"] = {"@type": "Person", "name": person, "affiliation": draw.text("answers")}
    if draw.happens(0.3):
        members["sources"] = [{"@type": "WebPage", "name": draw.text("answers"), "url": "https://example.org/page"}]
    if draw.happens(0.4):
        members["custom_metadata"] = {**metadata, "see": {"pages": [draw.number, None], "by": person}}
    if draw.happens(0.1):
        members["few_shot_examples"] = [{"question": draw.text("questions"), "answer": draw.text("answers")}]
    if draw.happens(0.1):
        members["answer_notes"] = draw.text("asked")
    source, answer, date = draw.text("templates"), draw.text("answers"), draw.date()
    return Question(
        question=text, raw_answer=answer, answer_template=source, date_created=date, date_modified=date, **members
    )


def items(size: int, seed: int = 1) -> Iterator[Json]:
    """Yield the feed items of `size` questions, each with an identifier of its own."""
    taken: set[str] = set()
    for number in range(size):
        draw = Draw.of(seed, number)
        asked = question(draw)
        identifier = identifiers.unique_question_id(asked.question, taken)
        taken.add(identifier)
        judged = rubric(draw)
        concept = {"name": "concept", "description": draw.text("asked"), "summary": draw.text("asked")}
        dynamic = DynamicRubric(regex_traits=[_regex(draw, concept)]) if draw.happens(0.05) else None
        yield item_of(asked, identifier, judged, dynamic)


def head(size: int, seed: int = 1) -> Json:
    """Return the root object without its questions."""
    draw = Draw.of(seed, -1)
    return {
        "@context": emission.contexts.plain(),
        "@type": "DataFeed",
        "@id": f"urn:uuid:karenina-checkpoint-1767258000.{seed}",
        "name": f"{size} questions",
        "description": "Made to measure with",
        "version": "1.0.0",
        "creator": draw.one("people"),
        "dateCreated": DATE,
        "dateModified": DATE,
        "rating": [rating_of(_trait(draw, name, "overall_"), SCOPES[0]) for name in KINDS],
        "additionalProperty": [
            property_value(FORMAT_VERSION_PROPERTY, FORMAT_VERSION),
            property_value("custom_purpose", "benchmarks"),
        ],
        "dataFeedElement": [],
    }


def pieces(size: int, seed: int = 1) -> Iterator[bytes]:
    """Yield the text of a checkpoint piece by piece, so that its size costs no memory."""
    before, after = _indented(head(size, seed)).rsplit(b"[]", 1)
    yield before + b"["
    for at, item in enumerate(items(size, seed)):
        yield (b",\n    " if at else b"\n    ") + _indented(item).replace(b"\n", b"\n    ")
    yield b"\n  ]" + after + b"\n"


def _indented(value: Json) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2)


def document(size: int, seed: int = 1) -> bytes:
    """Return a checkpoint of `size` questions, in which nothing is wrong."""
    return b"".join(pieces(size, seed))


if __name__ == "__main__":
    sys.stdout.buffer.writelines(pieces(int(sys.argv[1])))
