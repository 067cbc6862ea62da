#!/bin/sh
# pyshacl 0.40.1 with oxrdflib 0.5.0 (PyPI): in a graph over rdflib's store "Oxigraph", every plain text breaks sh:in
# and sh:hasValue, although the same statements in rdflib's own store conform.
#
# Why a good guess is wrong: a store should not change a verdict, and "x" and "x"^^xsd:string are one term (RDF 1.1
# §3.3). But rdflib.Literal("x") is not equal to Literal("x", datatype=XSD.string): oxrdflib gives the second back, shapes
# that were parsed have the first, and pySHACL compares them with ==. Counts, patterns and datatypes are right, so the
# false results look like real ones.
# Whom it hurts: whoever moves a graph into Oxigraph because it is large, and validates it where it is.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pyshacl==0.40.1 oxrdflib==0.5.0 pyoxigraph==0.5.13 > /dev/null 2>&1
venv/bin/python - << 'EOF'
import pyshacl
from rdflib import SH, Graph

DATA = """@prefix ex: <http://example.org/> . ex:a ex:colour "red" ; ex:label "red" ; ex:size 3 ."""
SHAPES = """@prefix ex: <http://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
ex:S a sh:NodeShape ; sh:targetNode ex:a ;
  sh:property [ sh:path ex:colour ; sh:in ( "red" "blue" ) ; sh:hasValue "red" ; sh:pattern "^r" ; sh:minCount 1 ] ,
    [ sh:path ex:size ; sh:in ( 3 4 ) ] ."""
found = {}
for store in ("default", "Oxigraph"):
    data = Graph(store)
    for triple in Graph().parse(data=DATA):
        data.add(triple)
    _, report, _ = pyshacl.validate(data, shacl_graph=Graph().parse(data=SHAPES))
    found[store] = sorted(str(one).rpartition("#")[2] for one in report.objects(None, SH.sourceConstraintComponent))
    print(store, found[store] or "conforms")
assert found["default"] == []
assert found["Oxigraph"] == ["HasValueConstraintComponent", "InConstraintComponent"]
EOF
