#!/bin/sh
# shacl-engine 1.1.2 and rdf-validate-shacl 0.6.5 (npm): sh:maxInclusive, sh:minInclusive and sh:lessThan read numbers as
# JavaScript does, as doubles. So 9007199254740993 is not above 9007199254740992, and data conform that do not.
#
# Why a good guess is wrong: xsd:integer has no bounds, and both engines pass the tests of the W3C for ranges, whose
# numbers are small. Both keep the lexical form of each literal, so sh:in, sh:hasValue and the report have all digits:
# only the comparison loses them, without a word. pySHACL compares these numbers exactly.
# Whom it hurts: whoever checks identifiers, nanoseconds, seeds of random numbers or amounts in small units in a browser
# or in Node, and relies on a bound.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-fund --no-audit --silent shacl-engine@1.1.2 rdf-validate-shacl@0.6.5 @zazuko/env@3.0.1 n3@1.26.0 > /dev/null 2>&1
cat > data.ttl << 'EOF'
@prefix ex: <http://example.org/> .
ex:a ex:size 9007199254740993 ; ex:most 9007199254740992 .
EOF
cat > shapes.ttl << 'EOF'
@prefix ex: <http://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
ex:Bound a sh:NodeShape ; sh:targetNode ex:a ; sh:property [ sh:path ex:size ; sh:maxInclusive 9007199254740992 ] .
ex:Pair a sh:NodeShape ; sh:targetNode ex:a ; sh:property [ sh:path ex:size ; sh:lessThanOrEquals ex:most ] .
ex:Term a sh:NodeShape ; sh:targetNode ex:a ; sh:property [ sh:path ex:size ; sh:in ( 9007199254740992 ) ] .
EOF
cat > run.mjs << 'EOF'
import { readFileSync } from 'node:fs'
import env from '@zazuko/env'
import { Parser } from 'n3'
import SHACLValidator from 'rdf-validate-shacl'
import { Validator } from 'shacl-engine'

const read = (file) => env.dataset(new Parser({ factory: env }).parse(readFileSync(file, 'utf8')))
const [data, shapes] = [read('data.ttl'), read('shapes.ttl')]
const names = (report) => report.results.map((one) => (one.constraintComponent ?? one.sourceConstraintComponent).value.split('#')[1]).sort()
const one = await new Validator(shapes, { factory: env }).validate({ dataset: data })
const two = await new SHACLValidator(shapes, { factory: env }).validate(data)
console.log('shacl-engine:', names(one).join(' '))
console.log('rdf-validate-shacl:', names(two).join(' '))
EOF
node run.mjs > found.txt
cat found.txt
grep -qx 'shacl-engine: InConstraintComponent' found.txt
grep -qx 'rdf-validate-shacl: InConstraintComponent' found.txt
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pyshacl==0.40.1 > /dev/null 2>&1
venv/bin/python - << 'EOF'
import pyshacl
from rdflib import SH, Graph

_, report, _ = pyshacl.validate(Graph().parse("data.ttl"), shacl_graph=Graph().parse("shapes.ttl"))
found = sorted(str(one).rpartition("#")[2] for one in report.objects(None, SH.sourceConstraintComponent))
print("pySHACL:", *found)
assert found == ["InConstraintComponent", "LessThanOrEqualsConstraintComponent", "MaxInclusiveConstraintComponent"]
EOF
