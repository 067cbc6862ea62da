#!/bin/sh
# pyoxigraph 0.5.13: in GRAPH ?g { P MINUS { Q } } with a variable ?g, a row of P goes wherever Q has any row, also where
# both have no common variable, or where the common one is unbound; without GRAPH, and in GRAPH <name>, it stays.
# A good guess is wrong: MINUS takes nothing away without a common variable (SPARQL 1.1, 18.5), and ?g is added to the
# solutions only outside of the group (18.6); the engine takes ?g as one that both sides have. rdflib 7.6.0 keeps the rows.
# It hurts who writes OPTIONAL { ... ?end } MINUS { ?end ... } over named graphs: rows without an end vanish, and the same
# query over one graph, or by another engine, has them.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyoxigraph==0.5.13 rdflib==7.6.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import pyoxigraph
import rdflib

DATA = """
<urn:x:task1> <urn:x:name> "one" <urn:x:g> .
<urn:x:task1> <urn:x:end> <urn:x:event> <urn:x:g> .
<urn:x:event> <urn:x:type> <urn:x:failure> <urn:x:g> .
<urn:x:task2> <urn:x:name> "two" <urn:x:g> .
"""
# The tasks that did not end in a failure: "two" has no end at all.
PATTERN = "{ ?task <urn:x:name> ?name OPTIONAL { ?task <urn:x:end> ?end } MINUS { ?end <urn:x:type> <urn:x:failure> } }"
store = pyoxigraph.Store()
store.load(DATA.encode(), format=pyoxigraph.RdfFormat.N_QUADS)
data = rdflib.Dataset()
data.parse(data=DATA, format="nquads")
expected = {"?g": ([], ["two"]), "<urn:x:g>": (["two"], ["two"])}
for graph, outcome in expected.items():
    query = f"SELECT ?name {{ GRAPH {graph} {PATTERN} }}"
    found = [row["name"].value for row in store.query(query)], [str(row.name) for row in data.query(query)]
    print(f"GRAPH {graph}: pyoxigraph {found[0]}, rdflib {found[1]}")
    assert found == outcome, "the behaviour has changed"
PYTHON
