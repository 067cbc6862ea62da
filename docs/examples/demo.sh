#!/bin/sh
# The main job on the checkpoints of this folder: `sh demo.sh FOLDER` leaves in FOLDER what there is to open.
set -eu
cd "$(dirname "$0")"
demo=$1
rm -rf "$demo"
mkdir -p "$demo"
cp fixable.jsonld "$demo"
exec 3>&1 # commands are shown whatever becomes of what they print

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
run() { printf '\033[36m$ %s\033[0m\n' "$*" | sed "s|$demo|demo|g" >&3; "$@"; }
# What ends with exit code 1, as there are findings.
finds() { run "$@" || test $? -eq 1; }

say "A benchmark as RDF, and from the RDF alone the file again, byte for byte"
run checkpoint-ld convert metals.jsonld --quiet -o "$demo/metals.ttl"
run checkpoint-ld convert "$demo/metals.ttl" --quiet --context plain -o "$demo/metals.jsonld"
cmp metals.jsonld "$demo/metals.jsonld" && echo "identical"

say "A question to several benchmarks, in SPARQL; one of them is in an older dialect"
run checkpoint-ld query metals.jsonld elements.jsonld metals-v2.json --query '
    SELECT ?benchmark (COUNT(?question) AS ?questions) WHERE {
      ?feed schema:name ?benchmark ; schema:dataFeedElement/schema:item ?question } GROUP BY ?benchmark'

say "What is wrong with a file, where, and what to do (SHACL); what is safe to repair"
finds checkpoint-ld validate broken.jsonld --quiet --select KR016
finds checkpoint-ld validate broken.jsonld --quiet -o "$demo/report.html"
run checkpoint-ld validate "$demo/fixable.jsonld" --fix | tail -n 1

say "Which recorded answers are right, by templates that are read and not run"
run checkpoint-ld verify elements.jsonld --answers answers.jsonl --quiet -o "$demo/results.jsonl" --rdf "$demo/results.ttl" |
  grep -E '^(model|aurum|borealis)'

say "What an agent did, from the checkpoints that it left"
run python folder_agent.py . "$demo/checkpoints" > "$demo/found.txt"
run checkpoint-ld agent timeline latest --dir "$demo/checkpoints" -o "$demo/timeline.html"

say "To open, in the folder demo"
echo "  report.html, timeline.html     what is wrong with a benchmark; a run of an agent"
echo "  metals.ttl, results.ttl        a benchmark and results as RDF"
echo "  results.jsonl, checkpoints/    each answer's result; each step of the agent"
