#!/bin/sh
# Library: oxigraph 0.5.13, its command line (RocksDB below it).
# Behaviour: `oxigraph optimize` compacts a store that was loaded in two parts, and the store is up to half as large again
# afterwards: the bulk loader writes compressed files (LZ4), the compaction uncompressed ones.
# Why a good guess is wrong: to compact is to remove what is written twice, so that a store should be smaller or stay.
# RocksDB compresses by level, from the second level that is in use on (`compression_per_level`: none, none, LZ4 …).
# With `level_compaction_dynamic_level_bytes` a store below 512 MB for each index has one level, the first: everything
# that a compaction writes there is uncompressed, and what the bulk loader wrote is compressed whatever the level.
# Whom it hurts: whoever compacts a store before publishing or copying it, and whoever plans for room by a first load:
# a second load starts the same compaction by itself. A single load of all files is the smallest.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet oxigraph==0.5.13
cd "$folder"
python3 - <<'PYTHON'
for part in (0, 1):
    with open(f"{part}.nq", "w") as file:
        for at in range(part, 200_000, 2):
            graph = f"<urn:checkpoint:{at // 500}>"
            node = f"<urn:checkpoint:{at // 500}#node{at // 5}>"
            file.write(f'{node} <https://schema.org/p{at % 5}> "value {at % 997} of {at}" {graph} .\n')
PYTHON
for part in 0 1; do venv/bin/oxigraph load --location store --file $part.nq 2>/dev/null; done
before=$(du -sk store | cut -f1)
venv/bin/oxigraph optimize --location store
after=$(du -sk store | cut -f1)
echo "loaded in two parts: $before KB; optimized: $after KB"
if [ $((after * 10)) -lt $((before * 12)) ]; then
    echo "changed: the optimized store is no longer a fifth larger, or more"
    exit 1
fi
