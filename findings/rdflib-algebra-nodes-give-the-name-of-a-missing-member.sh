#!/bin/sh
# rdflib 7.6.0: the nodes of a query's algebra (CompValue) are ordered dictionaries, but node.get("triples") of a node
# without triples is the text "triples", not None, and node.get("triples", None) is that text too: the second argument is
# no default. node.triples is None, node["triples"] raises KeyError, and dict.get(node, "triples") is None.
#
# Why a good guess is wrong: get of a subclass of OrderedDict is expected to be that of a dictionary. Here its second
# argument is `variables`, and a missing member stands for itself, because evaluation uses get to look up values of
# variables. The text is true and has a length, so that "or ()" does not help, and looks like a sequence of letters.
# Whom it hurts: whoever analyses or rewrites SPARQL by rdflib's algebra, as for the predicates that a query reads, for
# permissions or for caches: `for triple in node.get("triples") or ()` goes through the letters.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check rdflib==7.6.0 > /dev/null 2>&1
venv/bin/python - << 'EOF'
from collections import OrderedDict

from rdflib.plugins.sparql import prepareQuery

project = prepareQuery("SELECT ?s { ?s <urn:p> ?o FILTER (?o > 5) }").algebra.p
assert isinstance(project, OrderedDict)
for node in (project, project.p, project.p.p):
    found = node.get("triples"), node.get("triples", None), node.triples, dict.get(node, "triples")
    print(node.name, *map(repr, found))
    if node.name != "BGP":
        assert found == ("triples", "triples", None, None)
letters = [one for one in project.get("triples") or ()]
print("the triples of a projection:", letters)
assert letters == list("triples")
EOF
