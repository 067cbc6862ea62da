#!/bin/sh
# pyoxigraph 0.5.13 reads a text whose JSON-LD 1.1 context gives it a language and "@direction" as the RDF 1.2 literal
# "..."@ar--rtl, of the type rdf:dirLangString. JSON-LD 1.1 (Deserialize to RDF, without the option rdfDirection) drops
# the direction; PyLD 3.3.0 does, and gives "..."@ar. A pattern with "..."@ar finds nothing in the store, although LANG
# is "ar", and rdflib 7.6.0 parses neither the N-Triples nor the Turtle that the same program writes.
# A good guess is wrong: "@direction" is about the layout of a text, a valid JSON-LD 1.1 document has the same triples
# everywhere, and N-Triples are what every tool reads.
# It hurts who loads labels in Arabic or Hebrew: the same file answers a query in one store and not in the other, and
# a dump of the store does not load elsewhere.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyoxigraph==0.5.13 PyLD==3.3.0 rdflib==7.6.0
"$folder/venv/bin/python" - <<'PYTHON'
import json
import pyoxigraph
import rdflib
from pyld import jsonld
label = {"@id": "http://example.org/label", "@language": "ar", "@direction": "rtl"}
document = {"@context": {"label": label}, "@id": "http://example.org/a", "label": "x"}
by_pyld = jsonld.to_rdf(document, {"format": "application/n-quads"}).strip()
quads = [*pyoxigraph.parse(json.dumps(document), format=pyoxigraph.RdfFormat.JSON_LD)]
lines = pyoxigraph.serialize((quad.triple for quad in quads), format=pyoxigraph.RdfFormat.N_TRIPLES).decode().strip()
print(f"PyLD:       {by_pyld}\npyoxigraph: {lines}")
assert by_pyld.endswith('"x"@ar .') and lines.endswith('"x"@ar--rtl .'), "the behaviour has changed"
store = pyoxigraph.Store()
store.extend(quads)
found = bool(store.query('ASK { ?a ?b "x"@ar }'))
languages = [row[0].value for row in store.query("SELECT (LANG(?text) AS ?language) { ?a ?b ?text }")]
print(f'pyoxigraph: LANG is {languages[0]!r}, and "x"@ar is found: {found}')
assert languages == ["ar"] and not found, "the behaviour has changed"
try:
    rdflib.Graph().parse(data=lines, format="nt")
except rdflib.exceptions.ParserError as error:
    print(f"rdflib:     {error}")
else:
    raise SystemExit("the behaviour has changed")
PYTHON
