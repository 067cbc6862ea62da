"""The page about the vocabularies: `python docs/vocabulary_page.py` writes vocabulary.md."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pyoxigraph

from checkpoint_ld import data
from checkpoint_ld.vocabulary import CAF, CAF_DERIVED, KARENINA, RDF, SCHEMA, XSD

PAGE = Path(__file__).with_name("vocabulary.md")
HEAD = """\
# Vocabulary

What checkpoints say beside schema.org and PROV-O: [benchmarks](#benchmarks) in the namespace `urn:karenina:vocab:`
(`karenina:`), [agents](#agents) in `urn:caf:vocab:` (`caf:`). Both vocabularies are files in RDFS and OWL. This page is
made from them by `python docs/vocabulary_page.py`.

A property has an arrow: before it stands what has the property, after it what its values are.

"""
BENCHMARKS = """\
## Benchmarks

Scenarios and the types of ratings are in every [graph](graph.md). Traits, questions and templates are
[inferred](graph.md#inferred-statements) on request. Results are written by [`checkpoint-ld verify`](verify.md). The
file is [`contexts/{file}`]({file}), version {version}.

"""
AGENTS = """\
## Agents

These are the terms in the graphs of [agent checkpoints](agent-checkpoints.md#statements). Inferred statements
are in `urn:caf:derived:` (`cafd:`). The file is [`contexts/{file}`]({file}), version {version}.

"""
PARTS = ((BENCHMARKS, "karenina-vocabulary.ttl", KARENINA), (AGENTS, "caf-vocabulary.ttl", CAF))

PREFIXES = {
    KARENINA: "karenina:",
    SCHEMA: "schema:",
    XSD: "xsd:",
    RDF: "rdf:",
    "http://www.w3.org/ns/earl#": "earl:",
    CAF: "caf:",
    CAF_DERIVED: "cafd:",
    "http://www.w3.org/ns/prov#": "prov:",
}
RDFS, OWL = "http://www.w3.org/2000/01/rdf-schema#", "http://www.w3.org/2002/07/owl#"
GENERAL = {RDFS + "Resource": "any node", RDFS + "Literal": "any literal"}
SUBJECT = "http://purl.org/dc/elements/1.1/subject"

Said = dict[str, dict[str, list[str]]]


def page() -> str:
    """Return the text of the page."""
    return HEAD + "\n".join(_part(*part) for part in PARTS)


def _part(head: str, file: str, namespace: str) -> str:
    said = _statements(file)
    groups: dict[str, list[str]] = defaultdict(list)
    for term, properties in said.items():
        if SUBJECT in properties:
            groups[properties[SUBJECT][0]].append(_row(term, said))
    tables = (
        "\n".join((f"### {group}", "", "| term | kind | what it says |", "|---|---|---|", *rows, ""))
        for group, rows in groups.items()
    )
    return head.format(file=file, version=said[namespace][OWL + "versionInfo"][0]) + "\n".join(tables)


def _statements(file: str) -> Said:
    """Return what the vocabulary says, in the order of its file."""
    said: Said = defaultdict(lambda: defaultdict(list))
    text = data.text("contexts", file)
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
    return f'| <a id="{_anchor(name)}"></a>`{_short(name).strip("`")}` | {kind} | {comment} |'


def _anchor(name: str) -> str:
    """Return what a row is called: terms of several namespaces may have one name."""
    return _short(name).strip("`").replace("cafd:", "derived-").replace("caf:", "agent-").rpartition(":")[2]


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
    PAGE.write_text(page(), encoding="utf-8")
