#!/bin/sh
# roc-validator 0.13.0 (PyPI): some of its shapes say sh:dataType in place of sh:datatype. SHACL ignores a property that it
# does not know, so the type of these values is not checked, by any engine, and nothing says so.
#
# Why a good guess is wrong: shapes that ship with a validator, parse and find faults are expected to check what they
# state; a misspelt term in a schema language is expected to be an error. The validation of shapes by the shapes of SHACL
# (pyshacl --metashacl) does not find it either.
# Whom it hurts: authors of crates whose names and descriptions are no texts, and whoever copies these shapes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check --no-deps roc-validator==0.13.0 > /dev/null 2>&1
venv/bin/pip install --quiet --disable-pip-version-check pyshacl==0.40.1 > /dev/null 2>&1
venv/bin/python - << 'EOF'
from pathlib import Path

import pyshacl
from rdflib import SH, Graph, URIRef

[folder] = Path("venv").glob("lib/python3*/site-packages/rocrate_validator/profiles")
misspelt = URIRef("http://www.w3.org/ns/shacl#dataType")
files = []
for file in sorted(folder.rglob("*.ttl")):
    count = len(list(Graph().parse(file).subject_objects(misspelt)))
    if count:
        files.append(file)
        print(count, "times sh:dataType in", file.relative_to(folder))
assert files, "the behaviour has changed"

# One of the shapes, alone, on a value that is no text: as it is, and as it is meant.
graphs = [Graph().parse(file) for file in files]
pairs = ((graph.value(of, SH.path), kind) for graph in graphs for of, kind in graph.subject_objects(misspelt))
path, datatype = next(pair for pair in sorted(pairs, key=str) if isinstance(pair[0], URIRef))
found = {}
for term in ("dataType", "datatype"):
    text = f"""@prefix sh: <http://www.w3.org/ns/shacl#> .
      <urn:x:S> a sh:NodeShape ; sh:targetNode <urn:x:a> ; sh:property [ sh:path <{path}> ; sh:{term} <{datatype}> ] ."""
    data = Graph().parse(data=f"<urn:x:a> <{path}> <urn:x:no-literal> .")
    found[term], _, _ = pyshacl.validate(data, shacl_graph=Graph().parse(data=text), meta_shacl=True)
    print(f"an IRI at <{path}> under sh:{term}:", "conforms" if found[term] else "does not conform")
assert found == {"dataType": True, "datatype": False}
EOF
