"""The page about the vocabulary: `python docs/vocabulary_page.py` writes vocabulary.md."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pyoxigraph

from checkpoint_ld import data
from checkpoint_ld.vocabulary import KARENINA, RDF, SCHEMA, XSD

HEAD = """\
# Vocabulary

What checkpoints say beside schema.org, in the namespace `urn:karenina:vocab:` (`karenina:`). Scenarios and the types of
ratings are in every [graph](graph.md). Traits, questions and templates are [derived](graph.md#inferred-statements) on
request. Results are written by [`checkpoint-ld verify`](verify.md). The vocabulary is the file
`contexts/karenina-vocabulary.ttl`, in RDFS and OWL; this page is made from it by `python docs/vocabulary_page.py`. This
is version {version}.

A property has an arrow: before it stands what has the property, after it what its values are.
"""

PREFIXES = {
    KARENINA: "karenina:",
    SCHEMA: "schema:",
    XSD: "xsd:",
    RDF: "rdf:",
    "http://www.w3.org/ns/earl#": "earl:",
}
RDFS, OWL = "http://www.w3.org/2000/01/rdf-schema#", "http://www.w3.org/2002/07/owl#"
GENERAL = {RDFS + "Resource": "any node", RDFS + "Literal": "any literal"}
SUBJECT = "http://purl.org/dc/elements/1.1/subject"

Said = dict[str, dict[str, list[str]]]


def page() -> str:
    """Return the page."""
    said = _statements()
    groups: dict[str, list[str]] = defaultdict(list)
    for name, properties in said.items():
        if SUBJECT in properties:
            groups[properties[SUBJECT][0]].append(_row(name, said))
    parts = [HEAD.format(version=said[KARENINA][OWL + "versionInfo"][0])]
    for group, rows in groups.items():
        parts.append("\n".join((f"## {group}", "", "| term | kind | what it says |", "|---|---|---|", *rows, "")))
    return "\n".join(parts)


def _statements() -> Said:
    """Return what the vocabulary says, in the order of its file."""
    said: Said = defaultdict(lambda: defaultdict(list))
    text = data.text("contexts", "karenina-vocabulary.ttl")
    for triple in pyoxigraph.parse(text, format=pyoxigraph.RdfFormat.TURTLE):
        said[_text(triple.subject)][_text(triple.predicate)].append(_text(triple.object))
    return said


def _text(term: object) -> str:
    return f"_:{term.value}" if isinstance(term, pyoxigraph.BlankNode) else str(getattr(term, "value", term))


def _row(name: str, said: Said) -> str:
    properties = said[name]
    comment = properties[RDFS + "comment"][0].replace("|", "\\|").replace("__", "\\_\\_")
    if OWL + "Class" in properties[RDF + "type"]:
        above = ", ".join(map(_short, properties.get(RDFS + "subClassOf", ())))
        kind = f"class, in {above}" if above else "class"
    else:
        domain = " or ".join(name for one in properties.get(RDFS + "domain", ()) for name in _names(one, said))
        kind = " → ".join((domain or "anything", _range(properties)))
    return f'| <a id="{name.removeprefix(KARENINA)}"></a>`{_short(name).strip("`")}` | {kind} | {comment} |'


def _range(properties: dict[str, list[str]]) -> str:
    told = properties.get(RDFS + "range", [])
    return GENERAL.get(told[0], "") or _short(told[0]) if told else "any literal"


def _names(domain: str, said: Said) -> list[str]:
    """Return the classes that a domain is made up of (OWL 2 §8.1.2)."""
    if not domain.startswith("_:"):
        return [_short(domain)]
    names, cell = [], said[domain][OWL + "unionOf"][0]
    while cell != RDF + "nil":
        names.append(_short(said[cell][RDF + "first"][0]))
        cell = said[cell][RDF + "rest"][0]
    return names


def _short(name: str) -> str:
    namespace = next(one for one in PREFIXES if name.startswith(one))
    return f"`{PREFIXES[namespace]}{name.removeprefix(namespace)}`"


if __name__ == "__main__":
    Path(__file__).with_name("vocabulary.md").write_text(page(), encoding="utf-8")
