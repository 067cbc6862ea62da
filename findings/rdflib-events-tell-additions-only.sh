#!/bin/sh
# rdflib 7.6.0: a store has a dispatcher with the events TripleAddedEvent and TripleRemovedEvent. The default store,
# Memory, sends the first for each addition, also for a triple that is there already, and never sends the second: not
# for remove, not for set, which takes the old value away, and not for SPARQL's DELETE. SimpleMemory sends neither.
# A good guess is wrong: both events are documented side by side (rdflib.store), and Store.remove sends the second; but
# the memory stores override it without calling it, while Memory.add calls Store.add.
# It hurts who keeps an index, a cache, a verdict or a mirror of a graph in step by its events: what was removed stays
# there for ever, and a counter of additions counts repeated ones.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rdflib==7.6.0
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import rdflib
from rdflib import Graph, Literal, URIRef
from rdflib.store import TripleAddedEvent, TripleRemovedEvent


def events(store: str) -> list[str]:
    graph, seen = Graph(store), []
    graph.store.dispatcher.subscribe(TripleAddedEvent, lambda event: seen.append("added"))
    graph.store.dispatcher.subscribe(TripleRemovedEvent, lambda event: seen.append("removed"))
    name, score = URIRef("urn:x:name"), URIRef("urn:x:score")
    graph.add((name, score, Literal(1)))
    graph.add((name, score, Literal(1)))  # it is there already
    graph.set((name, score, Literal(2)))  # takes 1 away
    graph.update("DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }")
    assert len(graph) == 0
    return seen


for store, expected in {"default": ["added"] * 3, "SimpleMemory": []}.items():
    seen = events(store)
    print(f"rdflib {rdflib.__version__}, store {store}: two additions, one change and one removal gave", seen)
    assert seen == expected, "the behaviour has changed"
PYTHON
