#!/bin/sh
# A type-scoped context of JSON-LD 1.1 ends at the next node object. Nodes that are values of an index map are the exception:
# the expansion algorithm (JSON-LD 1.1 API 5.1.2, step 7) goes back to the context of before unless it comes "from map",
# so that the context of the outer type still holds in them. PyLD 3.3.0 and jsonld.js 9.0.0 do that, as W3C's test tc013
# wants; pyoxigraph 0.5.13 and rdflib 7.6.0 go back, and read another predicate for the same key.
# A good guess is wrong: "type-scoped contexts are not propagated" is the sentence that everybody knows, and two
# implementations that share no code agree on it.
# It hurts who writes scoped contexts for typed objects and keeps their parts in maps: whether a store finds the property
# depends on which parser filled it, without an error anywhere.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pyoxigraph==0.5.13 PyLD==3.3.0 rdflib==7.6.0
npm install --silent --no-fund --no-audit jsonld@9.0.0 > /dev/null
cat > document.jsonld <<'JSON'
{"@context": {"@version": 1.1, "@vocab": "http://example.org/", "parts": {"@container": "@index"},
  "Alloy": {"@context": {"share": "http://example.org/shareOfAlloy"}}},
 "@id": "http://example.org/brass", "@type": "Alloy",
 "parts": {"copper": {"@id": "http://example.org/copper", "share": 66}},
 "part": {"@id": "http://example.org/zinc", "share": 34}}
JSON
cat > read.js <<'JS'
const jsonld = require("jsonld"), fs = require("fs");
jsonld.toRDF(JSON.parse(fs.readFileSync("document.jsonld")), {format: "application/n-quads"}).then(text => process.stdout.write(text));
JS
node read.js > jsonld-js.nq
venv/bin/python - <<'PYTHON'
import json
import pyoxigraph
import rdflib
from pyld import jsonld
text = open("document.jsonld").read()
lines = {
    "jsonld.js": open("jsonld-js.nq").read().splitlines(),
    "PyLD": jsonld.to_rdf(json.loads(text), {"format": "application/n-quads"}).splitlines(),
    "pyoxigraph": [f"{quad.triple}" for quad in pyoxigraph.parse(text, format=pyoxigraph.RdfFormat.JSON_LD)],
    "rdflib": rdflib.Graph().parse(data=text, format="json-ld").serialize(format="nt").splitlines(),
}
read = {}
for name, found in lines.items():
    read[name] = {line.split()[0][1:-1].rpartition("/")[2]: line.split()[1][1:-1] for line in found if "share" in line}
    print(f"{name:10} {read[name]}")
plain, scoped = "http://example.org/share", "http://example.org/shareOfAlloy"
assert read["jsonld.js"] == read["PyLD"] == {"copper": scoped, "zinc": plain}, "the behaviour has changed"
assert read["pyoxigraph"] == read["rdflib"] == {"copper": plain, "zinc": plain}, "the behaviour has changed"
PYTHON
