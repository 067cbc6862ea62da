"""Reports to render: a catalogue of three rules, and findings of them in small documents."""

from collections.abc import Mapping
from typing import Any

from checkpoint_ld.findings import Finding, Place, Severity
from checkpoint_ld.rules import Rule
from checkpoint_ld.validation.results import Checked, Report
from checkpoint_ld.vocabulary import SHAPES

RULES: Mapping[str, Rule] = {
    rule.code: rule
    for rule in (
        Rule(
            "KQ001",
            "question-keyword",
            "a keyword twice",
            Severity.INFO,
            why="A keyword counts once, however often it stands there.",
            remedy="delete one of the two",
            shape=SHAPES + "question-keyword",
            family="Questions",
        ),
        Rule(
            "KQ003",
            "question-text",
            "question without text",
            Severity.VIOLATION,
            why="The text is what is asked.",
            remedy="give the question its text",
            condition="E-TEXT",
            see="https://example.org/questions#text",
            shape=SHAPES + "question-text",
            family="Questions",
        ),
        Rule(
            "KT010",
            "trait-range",
            "best rating below worst rating",
            Severity.WARNING,
            why="A range that is upside down turns good answers into bad ones.",
            remedy="swap bestRating and worstRating",
            condition="W-RANGE",
            shape=SHAPES + "trait-range",
            family="Traits",
        ),
    )
}

TEXT = """{
  "@type": "DataFeed",
  "name": "Metals",
  "dataFeedElement": [
    {"@type": "DataFeedItem", "item": {"@type": "Question", "text": ""}}
  ],
  "rating": [{"@type": "Rating", "name": "tone", "bestRating": 1, "worstRating": 5}],
  "keywords": ["a", "a"]
}
"""
"""What the places of `findings` point into."""


def found(code: str = "KQ003", message: str = "the text is empty", **more: Any) -> Finding:
    rule = RULES.get(code)
    place = Place(more.pop("file", None), *(more.pop(name, None) for name in ("pointer", "line", "column")))
    known = {"remedy": rule.remedy, "rule": rule.slug, "condition": rule.condition} if rule else {}
    severity = more.pop("severity", rule.severity if rule else Severity.VIOLATION)
    return Finding(code, severity, message, **{**known, "place": place, **more})


def report(*checked: Checked, rules: Mapping[str, Rule] = RULES) -> Report:
    return Report("karenina", checked, rules)


def metals(source: str | None = "metals.json") -> Checked:
    """Return a source with a finding of each severity, each with its place."""
    findings = (
        found(**spot('""'), pointer="/dataFeedElement/0/item/text", subject="question 1", value="", node=QUESTION),
        found(
            "KT010", "best 1 is below worst 5", **spot("1, "), pointer="/rating/0/bestRating", subject="trait 'tone'"
        ),
        found("KQ001", "the keyword 'a' stands there twice", **spot('"a"]'), pointer="/keywords/1"),
    )
    return Checked(source, findings, "v3.0.0-jsonld", TEXT)


def spot(text: str) -> dict[str, Any]:
    """Return line and column of the first occurrence of a text in `TEXT`."""
    before = TEXT[: TEXT.index(text)]
    return {"line": before.count("\n") + 1, "column": len(before) - before.rfind("\n")}


def repeated(number: int, source: str = "many.json") -> Checked:
    """Return a source with `number` findings of one rule, each on a line of its own."""
    text = "\n".join('    {"text": ""},' for _ in range(number))
    findings = tuple(
        found(pointer=f"/{index}/text", line=index + 1, column=14, node=f"urn:uuid:question-{index}")
        for index in range(number)
    )
    return Checked(source, findings, "v3.0.0-jsonld", text)


QUESTION = "urn:uuid:question-1"
CLEAN = Checked("clean.json", (), "v3.0.0-jsonld", "{}")
GRAPH = Checked("metals.ttl", (found(node=QUESTION),))
"""A source in an RDF syntax: nothing in it has a line."""
HOSTILE = '<script>alert(1)</script></script>"|`*[x](http://x)`\x1b[31m\r\n\t\u202e\x00\ud800%,:@you #1 ]]>&amp;{0}'
"""What a name or a text in a document may hold."""


def hostile() -> Checked:
    """Return a source in which every text that comes from outside is hostile."""
    finding = Finding(
        "KQ003",
        Severity.VIOLATION,
        f"the text is {HOSTILE}",
        HOSTILE,
        Place(HOSTILE, f"/{HOSTILE}", 1, 3),
        HOSTILE,
        HOSTILE,
        HOSTILE,
        HOSTILE,
        HOSTILE,
        HOSTILE,
    )
    own = Finding(HOSTILE, Severity.INFO, HOSTILE)
    return Checked(HOSTILE.replace("/", "_").replace("\x00", ""), (finding, own), HOSTILE, f'{{"{HOSTILE}": 1}}')
