#!/bin/sh
# pyoxigraph 0.5.13: MIN and MAX over integers and texts depend on which node has which value. Of 10, "5" and 9, MIN is
# 10, or 9, or "5", and MAX is the same value as MIN.
# A good guess is wrong: SPARQL 1.1 leaves the order of a number and a text open (15.1), so one expects an order of
# the engine's own, but an order. The engine compares two numbers by value, and a number with a text as texts: then
# 9 < 10, "10" < "5" and "5" < "9", a circle without a least member. ORDER BY has the same comparison, so that the place
# of a row depends on the others. rdflib 7.6.0 gives 9 as MIN and "5" as MAX for all.
# It hurts who asks for the least value of a property that people fill in by hand: the result changes when data are
# loaded in another order, without any change of the data.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyoxigraph==0.5.13 rdflib==7.6.0
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
from itertools import permutations

import pyoxigraph
import rdflib

QUERY = "SELECT (MIN(?o) AS ?least) (MAX(?o) AS ?most) { ?s <urn:x:level> ?o }"
by_oxigraph, by_rdflib = set(), set()
for values in permutations(("10", '"5"', "9")):
    data = "".join(f"<urn:x:{at}> <urn:x:level> {value} .\n" for at, value in enumerate(values))
    store = pyoxigraph.Store()
    store.load(data.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    by_oxigraph |= {(row["least"].value, row["most"].value) for row in store.query(QUERY)}
    by_rdflib |= {(str(row.least), str(row.most)) for row in rdflib.Graph().parse(data=data).query(QUERY)}
print("least and most by pyoxigraph:", sorted(by_oxigraph))
print("least and most by rdflib:", sorted(by_rdflib))
assert by_oxigraph == {("10", "10"), ("5", "5"), ("9", "9")}, "the behaviour has changed"
assert by_rdflib == {("9", "5")}, "the behaviour has changed"
PYTHON
