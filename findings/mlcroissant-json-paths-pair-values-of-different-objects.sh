#!/bin/sh
# mlcroissant 1.1.1 reads each jsonPath of a record set as a column of its own and sets the columns side by side.
# An object that lacks a key leaves no gap in its column: all later values move up, and records pair the values of
# different objects. Nothing is raised and nothing is logged as long as each column has the same length.
# A good guess is wrong: "$[*].q" and "$[*].a" look like two members of one object; the specification speaks of records.
# It hurts everybody who evaluates against a Croissant data set with optional members: answers belong to other questions.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mlcroissant==1.1.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
import logging

logging.disable()
import mlcroissant

rows = [{"q": "Q1", "a": "A1"}, {"q": "Q2"}, {"a": "A3"}]
with open("rows.json", "w") as file:
    json.dump(rows, file)
context = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    **{name: f"cr:{name}" for name in ("extract", "field", "fileObject", "jsonPath", "recordSet", "source")},
}
fields = [
    {
        "@type": "cr:Field",
        "@id": f"set/{name}",
        "name": name,
        "dataType": "sc:Text",
        "source": {"fileObject": {"@id": "rows.json"}, "extract": {"jsonPath": f"$[*].{name}"}},
    }
    for name in ("q", "a")
]
file = {"@type": "cr:FileObject", "@id": "rows.json", "name": "rows.json", "contentUrl": "rows.json"}
described = {
    "@context": context,
    "@type": "sc:Dataset",
    "name": "rows",
    "conformsTo": "http://mlcommons.org/croissant/1.0",
    "distribution": [{**file, "encodingFormat": "application/json", "sha256": "0"}],
    "recordSet": [{"@type": "cr:RecordSet", "@id": "set", "name": "set", "field": fields}],
}
import hashlib

described["distribution"][0]["sha256"] = hashlib.sha256(open("rows.json", "rb").read()).hexdigest()
with open("croissant.json", "w") as file:
    json.dump(described, file)
records = [
    (record["set/q"], record["set/a"]) for record in mlcroissant.Dataset(jsonld="croissant.json").records("set")
]
print("objects in the file:", rows)
print("records of mlcroissant 1.1.1:", records)
assert records == [(b"Q1", b"A1"), (b"Q2", b"A3")], "the behaviour has changed"
PYTHON
