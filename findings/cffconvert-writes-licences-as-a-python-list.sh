#!/usr/bin/env bash
# cffconvert 2.0.0 passes a CITATION.cff with two licences, and converts it to addresses that do not exist.
#
# The Citation File Format 1.2.0 lets `license` be one name of SPDX's list or an array of them, and cffconvert's own
# validation passes the array. Its converters expect one text: schema.org and CodeMeta get the address
# https://spdx.org/licenses/['CC-BY-4.0', 'MIT'], the array as Python prints it, and Zenodo an object with an array as id.
# An array with a single name fails alike. A good guess is that what the validator passes is converted, since both are one
# program. It hurts whoever publishes a data set under two licences, or writes the array form for one, and makes
# codemeta.json or .zenodo.json by this tool: harvesters find no licence.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check cffconvert==2.0.0
cat > "$folder/CITATION.cff" <<'CFF'
cff-version: 1.2.0
message: Please cite it as below.
type: dataset
title: Rivers
authors:
  - family-names: Smith
    given-names: Ada
license:
  - CC-BY-4.0
  - MIT
CFF
convert="$folder/env/bin/cffconvert -i $folder/CITATION.cff"
$convert --validate 2>&1 | tee "$folder/valid"
$convert -f schema.org | tee "$folder/schema.org"
$convert -f zenodo | tee "$folder/zenodo"
grep -q "are valid according to schema version 1.2.0" "$folder/valid"
grep -qF "\"license\": \"https://spdx.org/licenses/['CC-BY-4.0', 'MIT']\"" "$folder/schema.org"
python3 - "$folder/zenodo" <<'PY'
import json, sys
assert json.load(open(sys.argv[1]))["license"] == {"id": ["CC-BY-4.0", "MIT"]}
PY
echo "cffconvert 2.0.0: a valid array of licences becomes the address https://spdx.org/licenses/['CC-BY-4.0', 'MIT']"
