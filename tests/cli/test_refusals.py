"""Calls that make no sense end with status 2 and a reason, print nothing else, and leave all files as they are."""

import gzip
import shlex
from pathlib import Path

import pytest

from checkpoint_ld.agents.values import bytes_of
from tests.agents.runs import tree
from tests.cli.conftest import Run
from tests.cli.test_shacl import DATA, PREFIXES, SHAPES

STORE = "--to http://127.0.0.1:9"
ENDPOINT = "query --endpoint http://127.0.0.1:1"
KNOWN = "validate broken.jsonld --baseline"
ANSWERS = "verify metals.jsonld --answers answers.jsonl"

REFUSALS = [
    # validate
    ("validate metals.jsonld --select KB999", "there is no rule"),
    ("validate metals.jsonld --ignore question-txt", "did you mean question-text"),
    ("validate metals.jsonld --profile karenia", "did you mean karenina?"),
    ("validate metals.jsonld --shapes nowhere", "nowhere"),
    ("validate metals.jsonld --config nowhere.toml", "nowhere.toml: cannot be read"),
    ("validate metals.jsonld --config nowhere.toml --no-config", "exclude one another"),
    ("validate metals.jsonld --output no/folder/report", "no/folder/report: cannot be written"),
    ("validate metals.jsonld --format yaml", "yaml"),
    ("validate metals.jsonld --fail-on error", "error"),
    ("validate metals.jsonld --max-per-rule -1", "--max-per-rule"),
    ("validate missing.jsonld --format json", "missing.jsonld: cannot be read"),
    ("validate empty", "nothing to validate in empty"),
    ("validate empty *.nt", "nothing to validate in empty, *.nt"),
    ("validate - metals.jsonld --fix", "give no other file beside it"),
    ("validate fixable.jsonld --diff -o a.txt", "--diff is no report: leave --output"),
    ("validate fixable.jsonld --diff --format json", "--diff is no report: leave --output"),
    ("validate fixable.jsonld --diff --statistics", "--diff is no report: leave --output"),
    ("validate fixable.jsonld --diff --baseline a.txt --write-baseline", "--diff is no report: leave --output"),
    ("validate metals.jsonld --config hash.toml", "write sha256: and 64 hexadecimal digits"),
    ("validate broken.jsonld --write-baseline", "--write-baseline needs --baseline FILE"),
    (f"{KNOWN} missing.json", "missing.json: the baseline cannot be read: No such file"),
    (f"{KNOWN} cut.json", "cut.json: this is no baseline: line 2 is no JSON; --write-"),
    (f"{KNOWN} latin.json", "latin.json: this is no baseline: it is not UTF-8; --write-baseline"),
    (f"{KNOWN} array.json", "array.json: this is no baseline: a member is missing or wrong"),
    (f"{KNOWN} entry.json", "a member is missing or wrong"),
    (f"{KNOWN} later.json", "the baseline has version 2, not 1"),
    (f"{KNOWN} metals.jsonld", "metals.jsonld: this is no baseline: a member is missing or wrong"),
    ("validate metals.jsonld --stdin-filename a.jsonld", "--stdin-filename names standard input, which is not read"),
    (f"{KNOWN} broken.jsonld --write-baseline", "broken.jsonld is read by this command"),
    (f"{KNOWN} broken.jsonld --write-baseline --force", "is read by this command"),
    (f"{KNOWN} array.json --write-baseline", "array.json: exists already"),
    (f"{KNOWN} new.json --write-baseline -o a.html", "--write-baseline is no report: leave"),
    (f"{KNOWN} new.json --write-baseline --format json", "--write-baseline is no report: leave"),
    (f"{KNOWN} new.json --write-baseline --statistics", "--write-baseline is no report: leave"),
    ("convert metals.jsonld --output /dev/null", "/dev/null: cannot be written: it is a device or a pipe"),
    ("validate broken.jsonld --format text --format json", "write all but one as FORMAT:FILE"),
    ("validate broken.jsonld --format sarif:", "names no file: write sarif:FILE"),
    ("validate broken.jsonld --format pdf:x", "'pdf' is not one of"),
    ("validate broken.jsonld --format json:a --format sarif:a", "a would be written twice"),
    ("validate broken.jsonld -o e.json -o e.json", "would be written twice"),
    ("validate broken.jsonld --format json:broken.jsonld", "is read by this command"),
    ("validate broken.jsonld --statistics --format sarif", "--statistics cannot be written as sarif: use one of text,"),
    ("rules KQ999", 'there is no rule "KQ999"; did you mean'),
    ("rules --profile strikt", "did you mean strict?"),
    # shacl
    ("shacl nowhere.ttl -s shapes.ttl", "nowhere.ttl"),
    ("shacl data.ttl -s shapes.ttl --shape http://example.org/None", "there is no shape"),
    ("shacl data.ttl -s shapes.ttl --iterate-rules", "give both"),
    ("shacl data.ttl -s bad.ttl", "bad.ttl"),
    ("shacl data.ttl -s odd.ttl", "write a node shape"),
    ("shacl data.ttl -s odd.ttl -m", "do not conform to those of SHACL"),
    # convert, export and import, inspect, diff, schema, fingerprint
    ("convert metals.jsonld --to nt --strict", "KR038"),
    ("convert metals.jsonld --dialect flat", "can be read but not written"),
    ("convert metals.jsonld --dialect v9", "v9"),
    ("convert metals.jsonld --dialect v2.0 --to nt", "leave one of them out"),
    ("convert agent.json --dialect v2.0", "has no dialect v2.0: write one of canonical, second"),
    ("convert missing.jsonld", "missing.jsonld: cannot be read: no such file or directory; check the path"),
    (
        "convert metals.jsonld --inferred -o out.jsonld",
        "inferred statements are for RDF, not for documents: write turtle, nt, nq, trig, xml, expanded",
    ),
    *(
        (f"export metals.jsonld -o {name}", f"{name}: the name does not tell the format: choose from csv, ")
        for name in ("crate", "b.zip", "b.jsonld", "b.ttl")
    ),
    ("export metals.jsonld --to inspect -o -", "inspect is a folder, which standard output cannot hold: name it"),
    ("import metals.jsonld -o no.jsonld", "is a checkpoint already"),
    ("import metals.jsonld.gz -o no.jsonld", "is a checkpoint already"),
    ("import answers.csv --rubric-part x -o no.jsonld", "--rubric-part is about"),
    ("inspect", "Missing argument"),
    ("inspect x --frob", "No such option"),
    ("convert", "Missing argument"),
    ("frobnicate", 'there is no command "frobnicate"'),
    ("frob", 'there is no command "frob"; use one of convert, export, import, '),
    ("valdate a.jsonld", 'there is no command "valdate"; did you mean validate?'),
    ("store qery", 'there is no command "qery"; did you mean query or verify?'),
    ("diff - -", "standard input"),
    ("diff metals.jsonld cut.json", "cut.json"),
    ("diff metals.jsonld missing.json", "missing.json"),
    ("diff agent.json agent.json", "this is an agent checkpoint"),
    ("schema checkpont", 'there is no schema "checkpont"; did you mean checkpoint?'),
    ("fingerprint", "Name files, or a list by --check"),
    # query
    ('query metals.jsonld --query "CLEAR ALL"', "this is an update"),
    ('query metals.jsonld --query "SELECT * { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }"', "SERVICE"),
    ("query metals.jsonld --query keywords", "no query of SPARQL"),
    ('query metals.jsonld --query "ASK {}" --name keywords', "give one query"),
    ("query metals.jsonld", "give one query"),
    ("query metals.jsonld --name keyword", "did you mean keywords?"),
    ("query metals.jsonld --name search --param text", "NAME=VALUE"),
    ("query metals.jsonld --name search --param text=a --param text=b", "given twice"),
    ("query metals.jsonld --file missing.rq", "missing.rq: cannot be read: no such file or directory; check the path"),
    ("query metals.jsonld --file empty", "is a directory"),
    ("query metals.jsonld --file latin.json", "latin.json: the query is no text in UTF-8, see byte 0; save it"),
    ("query - --file -", "name a file"),
    ('query metals.jsonld --query "ASK {}" --format turtle', "for CONSTRUCT and DESCRIBE"),
    (f'{ENDPOINT} metals.jsonld --query "ASK {{}}"', "give no files beside it"),
    ("query --list --format json", "--list writes text"),
    ('query none --query "ASK {}"', "none"),
    ('query --query "ASK {}"', "name"),
    ('query cut.json --query "ASK {}"', "cut.json"),
    *(
        (
            f'{asked} --query "ASK {{}}" --timeout {seconds}',
            f"timeout is {float(seconds):g}: give a number of seconds above 0, 1000000 at most",
        )
        for asked in ("query metals.jsonld", f"{ENDPOINT} --profile generic")
        for seconds in ("0", "-1", "nan", "inf", "1e12")
    ),
    (
        "query metals.jsonld --name model-results --answers answers.jsonl --answers more.jsonl",
        "one file is read, not 2: run the command for each of them",
    ),
    # verify and compare
    (f"{ANSWERS} --rdf results.xml", "give it an extension, .ttl, .nt, .nq, .trig"),
    (f"{ANSWERS} --rdf -", "give it an extension"),
    (f'{ANSWERS} --rdf r.nt --base "no iri"', "is no IRI"),
    (f"{ANSWERS} --rdf r.nt --date today", "is no date"),
    (f"{ANSWERS} --base urn:x:", "give the file for it with --rdf"),
    (f"{ANSWERS} -o answers.jsonl", "choose another file"),
    (f"{ANSWERS} -o ./metals.jsonld", "choose another file"),
    (f"{ANSWERS} -o r.nt --rdf r.nt", "choose another file"),
    (f"{ANSWERS} -o r.nt --rdf empty/../r.nt", "empty/../r.nt would be written twice: choose another file for"),
    (f"{ANSWERS} -o nowhere/results.jsonl", "cannot be written"),
    (f"{ANSWERS} -o .", "cannot be written"),
    (
        f"{ANSWERS} -o o.pdf",
        "results are not written as .pdf: give it one of the extensions .jsonl, .csv, .xlsx, .html, .md",
    ),
    ("verify metals.jsonld --answers no.jsonl", "no.jsonl: cannot be read: no such file or directory; check the path"),
    ("verify none.jsonld --answers answers.jsonl", "none.jsonld"),
    ("verify - --answers -", "standard input"),
    ("verify agent.json --answers answers.jsonl", "this is an agent checkpoint"),
    # stores, folders and servers
    ("store add kept empty", "nothing to add in empty: name a checkpoint, or a folder that has some"),
    ("store add kept none*", "nothing to add in none*: name a checkpoint, or a folder that has some"),
    ("store add kept metals.jsonld --profile none", "none"),
    ("store list empty", "empty"),
    ("store add . metals.jsonld", "is neither a collection nor empty"),
    ("store verify nowhere --repair", "nowhere"),
    ("store remove nowhere urn:x", "no collection is here"),
    ("bulk validate metals.jsonld -o out --profile none", "none"),
    ("bulk convert none* -o out", "none*"),
    *(
        (f"{command} -o -", "a folder is written, which standard output cannot hold: name it")
        for command in ("site .", "bulk convert .", "pull http://127.0.0.1:1/sparql")
    ),
    (f"push metals.jsonld {STORE} --dry-run", "name it by --profile"),
    (f"push metals.jsonld {STORE} --profile oxigraph --check", "--dry-run"),
    (f"push metals.jsonld {STORE} --profile oxigraph --as curl", "--dry-run"),
    (f"push metals.jsonld {STORE} --profile oxigraph --show-body", "--dry-run"),
    (f"push metals.jsonld {STORE} --profile oxigraph --verify-only --dry-run", "--verify-only"),
    (f"push metals.jsonld {STORE} --profile oxigraph --verify-only --prune", "--verify-only"),
    (f"push empty {STORE}", "nothing to push in"),
    ("push metals.jsonld --to http://reader:secret@127.0.0.1:9", "environment variables, a file or netrc"),
]

MADE = (".checkpoint_ld_cache", "kept")
"""Folders that are made before a call turns out to make no sense."""


@pytest.fixture
def folder(examples: Path) -> Path:
    kept = {
        "cut.json": b"[\n",
        "latin.json": b"\xff",
        "array.json": b"[]",
        "entry.json": b'{"version": 1, "files": {"a": [{}]}}',
        "later.json": b'{"version": 2, "files": {}}',
        "hash.toml": b'accepted-code = ["def short"]',
        "answers.csv": b"question,answer\nWhich metal?,Mercury\n",
        "agent.json": bytes_of(tree("k1")),
        "metals.jsonld.gz": gzip.compress(Path("metals.jsonld").read_bytes()),
    }
    odd = "ex:S a sh:NodeShape ; sh:targetNode ex:a ; sh:node [ sh:path ex:p ] ; sh:minCount 1 ."
    for name, text in (("data", DATA), ("shapes", SHAPES), ("odd", odd)):
        kept[f"{name}.ttl"] = (PREFIXES + text).encode()
    kept["bad.ttl"] = b"ex:S a"
    for name, data in kept.items():
        Path(name).write_bytes(data)
    Path("empty").mkdir()
    return examples


def contents() -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in Path().rglob("*") if path.is_file() and path.parts[0] not in MADE}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("call", "words"), REFUSALS)
def test_what_makes_no_sense_is_refused_with_a_reason(run: Run, call: str, words: str) -> None:
    before = contents()
    refused = run(*shlex.split(call))
    assert (refused.code, refused.out) == (2, b""), refused.err
    assert words in " ".join(refused.err.split())
    assert "Traceback" not in refused.err
    assert "secret" not in refused.err
    assert contents() == before
