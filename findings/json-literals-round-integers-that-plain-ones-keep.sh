#!/bin/sh
# JSON-LD 1.1 has @json for values that are to be kept "as JSON". PyLD 3.3.0 and pyoxigraph 0.5.13 keep a plain integer such as
# 123456789012345679 as an xsd:integer with all digits, and round the same integer inside of a @json value to
# 123456789012345680: the literal is written in the form of RFC 8785, whose numbers are doubles. rdflib 7.6.0 keeps the digits
# there, so that processors that agree on the plain integer read different rdf:JSON literals from one file.
# A good guess is wrong: a value is moved into @json so that no processor touches it, and the plain one is thought to be at risk.
# It hurts who keeps seeds of random numbers, identifiers or nanoseconds in metadata: they change without a warning, and two
# graphs of one file differ.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pyoxigraph==0.5.13 PyLD==3.3.0 rdflib==7.6.0
venv/bin/python - <<'PYTHON'
import json
import warnings

import pyoxigraph
import rdflib
from pyld import jsonld

warnings.simplefilter("ignore")
SEED = 123456789012345679
document = {
    "@context": {
        "@version": 1.1,
        "seed": "http://example.org/seed",
        "metadata": {"@id": "http://example.org/metadata", "@type": "@json"},
    },
    "@id": "http://example.org/run",
    "seed": SEED,
    "metadata": {"seed": SEED},
}
text = json.dumps(document)
quads = jsonld.to_rdf(document)["@default"]
read = {
    "PyLD": {quad["predicate"]["value"]: quad["object"]["value"] for quad in quads},
    "pyoxigraph": {
        quad.predicate.value: quad.object.value
        for quad in pyoxigraph.parse(text, format=pyoxigraph.RdfFormat.JSON_LD)
    },
    "rdflib": {str(p): str(o) for _, p, o in rdflib.Graph().parse(data=text, format="json-ld")},
}
for name, found in read.items():
    plain, inside = found["http://example.org/seed"], found["http://example.org/metadata"]
    print(f"{name:10} plain {plain}, inside of @json {inside}")
    assert plain == str(SEED), "the behaviour has changed"
    kept = json.loads(inside)["seed"] == SEED
    assert kept == (name == "rdflib"), "the behaviour has changed"
PYTHON
