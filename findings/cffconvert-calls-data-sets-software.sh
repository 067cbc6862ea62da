#!/usr/bin/env bash
# cffconvert 2.0.0 converts a CITATION.cff of the type dataset to schema.org's SoftwareSourceCode.
#
# `type` in the Citation File Format 1.2.0 is software or dataset. The converters to schema.org and CodeMeta do not look
# at it: the @type is SoftwareSourceCode whatever it says. That to BibTeX drops the version and is @misc. A good guess is
# that a data set becomes schema.org's Dataset, the type that data set search engines index. It hurts whoever describes a
# benchmark by CITATION.cff alone and makes its JSON-LD from that: the page says that the data set is a program.
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
version: 1.0.0
authors:
  - family-names: Smith
    given-names: Ada
license: CC-BY-4.0
CFF
convert="$folder/env/bin/cffconvert -i $folder/CITATION.cff"
$convert --validate
for format in schema.org codemeta; do
  $convert -f "$format" | tee "$folder/$format"
  grep -q '"@type": "SoftwareSourceCode"' "$folder/$format"
  if grep -q Dataset "$folder/$format"; then exit 1; fi
done
echo "cffconvert 2.0.0: type: dataset becomes SoftwareSourceCode in schema.org and CodeMeta"
