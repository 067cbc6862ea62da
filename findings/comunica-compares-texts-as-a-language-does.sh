#!/bin/sh
# Comunica 5.4.1 (@comunica/query-sparql-rdfjs): in ORDER BY, MIN, MAX and in FILTER with <, simple literals are compared
# as String.localeCompare does: "b" < "B", "a" < "B". SPARQL 1.1 (17.3, by XPath's compare of code points), and with it rdflib
# 7.6.0, says "B" < "a" < "b".
# A good guess is wrong: the operator is defined by code points, so that a query is thought to have the same rows
# anywhere. Not only the order of the rows differs: MIN is another text, GROUP_CONCAT over a sorted sub-select is
# another one, and FILTER(STR(?a) < STR(?b)), the usual way to have each pair once, turns pairs around.
# It hurts who ships queries for several engines, or compares results of a browser with those of a server. What all sort
# alike are texts of digits and lower case letters of ASCII, such as those of SHA1.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @comunica/query-sparql-rdfjs@5.4.1 n3@2.13.12 > /dev/null
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check rdflib==7.6.0
cat > data.nt <<'DATA'
<urn:x:1> <urn:x:p> "b" .
<urn:x:2> <urn:x:p> "B" .
<urn:x:3> <urn:x:p> "a" .
DATA
cat > comunica.mjs <<'SCRIPT'
import fs from 'node:fs';
import N3 from 'n3';
import { QueryEngine } from '@comunica/query-sparql-rdfjs';
const store = new N3.Store(new N3.Parser().parse(fs.readFileSync('data.nt', 'utf8')));
const rows = async (query) =>
  (await (await new QueryEngine().queryBindings(query, { sources: [store] })).toArray()).map((row) => row.get('v').value);
const sorted = await rows('SELECT ?v { ?s <urn:x:p> ?v } ORDER BY ?v');
const least = await rows('SELECT (MIN(?o) AS ?v) { ?s <urn:x:p> ?o }');
const less = await rows('SELECT ?v { ?s <urn:x:p> ?v FILTER (?v < "B") } ORDER BY ?v');
console.log(`Comunica: sorted ${sorted}; MIN ${least}; less than B ${less}`);
if (`${sorted}|${least}|${less}` !== 'a,b,B|a|a,b') throw new Error('the behaviour has changed');
SCRIPT
node comunica.mjs
venv/bin/python - <<'PYTHON'
import rdflib

graph = rdflib.Graph().parse("data.nt")


def rows(query: str) -> str:
    return ",".join(str(row.v) for row in graph.query(query))


found = "|".join(
    (
        rows("SELECT ?v { ?s <urn:x:p> ?v } ORDER BY ?v"),
        rows("SELECT (MIN(?o) AS ?v) { ?s <urn:x:p> ?o }"),
        rows('SELECT ?v { ?s <urn:x:p> ?v FILTER (?v < "B") } ORDER BY ?v'),
    )
)
print(f"rdflib: sorted, MIN and less than B are {found}")
assert found == "B,a,b|B|", "the behaviour has changed"
PYTHON
