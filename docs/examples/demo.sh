#!/bin/sh
# The main job, step by step, on the checkpoints of this folder. Run it by `make demo`.
set -eu
cd "$(dirname "$0")"
shapes=$(cd ../../shapes/karenina && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '\n\033[1m# %s\033[0m\n' "$1"; }
run() { printf '\033[36m$ %s\033[0m\n' "$*"; "$@"; }

say "What is in this checkpoint? (an LLM benchmark about metals)"
run checkpoint-ld inspect metals.jsonld

say "The same benchmark as RDF: N-Triples for a triple store, Turtle for people"
run checkpoint-ld convert metals.jsonld --quiet -o "$work/metals.nt"
run checkpoint-ld convert metals.jsonld --quiet -o "$work/metals.ttl"
head -n 8 "$work/metals.ttl" | cut -c 1-110

say "And back, from the N-Triples alone: byte for byte the file that it came from"
run checkpoint-ld convert "$work/metals.nt" --quiet --context plain -o "$work/metals.jsonld"
run cmp metals.jsonld "$work/metals.jsonld"
echo "identical"

say "A file of an older dialect is read the same way, and can be written as any writable one"
run checkpoint-ld inspect metals-v2.json
run checkpoint-ld convert metals-v2.json --quiet -o "$work/upgraded.jsonld"
run checkpoint-ld convert "$work/upgraded.jsonld" --quiet --dialect gui-datafeed -o "$work/gui.jsonld"

say "Does the graph have the structure that its shapes ask for? (SHACL)"
run pyshacl --shapes "$shapes/graph.ttl" "$work/metals.ttl"

say "Ask it something (SPARQL)"
run python query.py metals.jsonld questions.rq
run python query.py metals-v2.json traits.rq

say "A broken file is refused with the place and the remedy"
sed 's/karenina:GlobalRubricTrait/karenina:GlobalRubrikTrait/' metals.jsonld > "$work/broken.jsonld"
if checkpoint-ld inspect "$work/broken.jsonld" 2> "$work/message"; then exit 1; fi
sed "s|$work/||" "$work/message"
