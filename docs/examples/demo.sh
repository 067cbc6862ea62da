#!/bin/sh
# The main job, step by step, on the checkpoints of this folder. Run it by `make demo`.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '\n\033[1m# %s\033[0m\n' "$1"; }
# What is expected to end with exit code 1: findings.
fails() { printf '\033[36m$ %s\033[0m\n' "$*"; if "$@"; then exit 1; else test $? -eq 1; fi; }
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

say "Ask it something (SPARQL)"
run python query.py metals.jsonld questions.rq
run python query.py metals-v2.json traits.rq

say "A broken benchmark: what is wrong, where, and what to do about it (SHACL)"
cp broken.jsonld fixable.jsonld "$work"
cd "$work"
fails checkpoint-ld validate broken.jsonld --max-per-rule 1

say "What is safe to repair is repaired: shown first, then done; then the file is clean"
fails checkpoint-ld validate fixable.jsonld --diff
run checkpoint-ld validate fixable.jsonld --fix --fail-on info

say "The same findings for a pipeline"
fails checkpoint-ld validate broken.jsonld --format github --select KR

say "Recorded answers of two models: which of them are right, by the templates, which are read and not run"
cd - > /dev/null
run checkpoint-ld verify elements.jsonld --answers answers.jsonl --quiet -o "$work/results.jsonl" --rdf "$work/results.ttl"
run checkpoint-ld verify elements.jsonld --answers answers.jsonl

say "What an edit changed, in the terms of a benchmark"
run python edit.py metals.jsonld "$work/edited.jsonld"
fails checkpoint-ld diff metals.jsonld "$work/edited.jsonld"
