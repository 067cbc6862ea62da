"""Real documents there and back: nothing is lost on the way, and nothing changes that nobody changed."""

import base64
import csv
import difflib
import gzip
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt

from checkpoint_ld import Benchmark, Finding, ReadError, Severity, families
from checkpoint_ld.benchmark.difference import semantic_diff
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.entities import CallableCode, Rubric
from checkpoint_ld.entities.json_schemas import json_schema
from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.literals import same
from checkpoint_ld.validation import profiles, validator
from tests.corpus import DIALECTS, WRITABLE, Json, expectations, lines, loaded
from tests.documents import without_contexts
from tests.processors import PROCESSORS, statements_of, statements_of_graph
from tests.trials import some

CANONICAL = "datafeed-ns-v3"
IN_A_FRESH_PROCESS = ("gen-trait-corners", "gen-scenario-outcomes", "gen-rich-10.", "minimal-2026")
BACK = """
import sys
from checkpoint_ld import Benchmark
from checkpoint_ld.documents.text import dump_json
benchmark = Benchmark.load(sys.stdin.buffer, syntax="nt")
sys.stdout.buffer.write(dump_json(benchmark.to_jsonld("plain")))
"""

each_older_dialect = pytest.mark.parametrize("dialect", [one for one in DIALECTS if one != CANONICAL])
each_writable_dialect = pytest.mark.parametrize("dialect", WRITABLE)


@pytest.mark.slow
def test_a_canonical_document_comes_back_from_its_statements_alone(corpus: Path) -> None:
    written_by_karenina = 0
    for case in expectations(corpus, CANONICAL):
        data = (corpus / case["file"]).read_bytes()
        document = json.loads(data)
        statements = Benchmark.load(corpus / case["file"]).to_ntriples()
        back = Benchmark.load(statements.encode(), syntax="nt").to_jsonld("plain")
        assert same(back, document), case["file"]
        if json.dumps(document, indent=2, ensure_ascii=False).encode() == data:
            written_by_karenina += dump_json(back) == data
    assert written_by_karenina > 10


@pytest.mark.slow
def test_a_fresh_process_needs_nothing_but_the_statements(corpus: Path) -> None:
    files = [case["file"] for case in lines(corpus, "expected.jsonl.gz") if case["dialect"] == CANONICAL]
    for file in (one for one in files if any(name in one for name in IN_A_FRESH_PROCESS)):
        statements = Benchmark.load(corpus / file).to_ntriples().encode()
        done = subprocess.run([sys.executable, "-c", BACK], input=statements, capture_output=True, check=True)
        assert same(json.loads(done.stdout), json.loads((corpus / file).read_bytes())), file


@pytest.mark.slow
def without_key_order(value: Json) -> Json:
    return {key: one for key, one in value.items() if key != "karenina:keyOrder"}


def test_our_context_changes_nothing_but_contexts(corpus: Path) -> None:
    for case in expectations(corpus, CANONICAL):
        document = json.loads((corpus / case["file"]).read_bytes())
        improved = Benchmark.load(corpus / case["file"]).to_jsonld("improved")
        stated = json.loads(json.dumps(without_contexts(improved)), object_hook=without_key_order)
        assert same(stated, without_contexts(document)), case["file"]
        assert improved["@context"] | contexts.improved() == improved["@context"], case["file"]


@pytest.mark.slow
@each_older_dialect
def test_every_upgraded_document_is_the_same_again_from_its_statements(corpus: Path, dialect: str) -> None:
    for case in expectations(corpus, dialect):
        read = validator.read(corpus / case["file"])
        back = validator.read(Benchmark.of_reading(read).to_ntriples().encode(), syntax="nt")
        assert same(without_root_context(back.tree), without_root_context(read.tree)), case["file"]
        assert set(back.graph) == set(read.graph), case["file"]


def without_root_context(tree: dict[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in tree.items() if key != "@context"}


@pytest.mark.slow
@each_writable_dialect
def test_saving_without_an_edit_changes_no_byte(corpus: Path, dialect: str, tmp_path: Path) -> None:
    for case in expectations(corpus, dialect):
        target = tmp_path / "saved.json"
        assert Benchmark.load(corpus / case["file"]).save(target, save_deep_judgment_config=True) == ()
        assert target.read_bytes() == (corpus / case["file"]).read_bytes(), case["file"]


@pytest.mark.slow
@each_writable_dialect
def test_saving_leaves_out_settings_of_deep_judgment_and_nothing_else(
    corpus: Path, dialect: str, tmp_path: Path
) -> None:
    target = tmp_path / "saved.json"
    for case in expectations(corpus, dialect):
        data = (corpus / case["file"]).read_bytes()
        found = Benchmark.load(data).save(target)
        assert len(found) <= (target.read_bytes() != data), case["file"]  # what nobody set is no loss
        without = json.loads(target.read_bytes())
        whole = json.loads(data)
        assert same(bare(without), bare(whole)), case["file"]


def bare(value: Json) -> Json:
    """Return JSON without settings of deep judgment, be they members or properties."""
    if isinstance(value, list):
        return [bare(one) for one in value if not (isinstance(one, dict) and is_deep(one.get("name")))]
    if not isinstance(value, dict):
        return value
    return {name: bare(one) for name, one in value.items() if not is_deep(name)}


def is_deep(name: Json) -> bool:
    return isinstance(name, str) and name.startswith("deep_judgment_")


@pytest.mark.slow
@each_writable_dialect
def test_adding_a_question_changes_no_other_line(corpus: Path, dialect: str, tmp_path: Path) -> None:
    target = tmp_path / "edited.json"
    for case in some(expectations(corpus, dialect), 3):
        benchmark = Benchmark.load(corpus / case["file"])
        if not benchmark.is_scenario_benchmark:
            template = "class Answer(BaseAnswer):\n    letter: str\n"
            benchmark.add_question("Which is the last letter?", "Z", template, question_id="urn:uuid:last")
            benchmark.save(target, save_deep_judgment_config=True)
            gone = lost_lines((corpus / case["file"]).read_text(encoding="utf-8"), target.read_text(encoding="utf-8"))
            assert [line for line in gone if not may_change(line)] == [], case["file"]
            assert Benchmark.load(target)["urn:uuid:last"] == benchmark["urn:uuid:last"], case["file"]


def lost_lines(before: str, after: str) -> list[str]:
    """Return the lines that the second text has no longer; a comma at the end is none of a line's own."""
    old, new = ([line.removesuffix(",") for line in in_lines(text)] for text in (before, after))
    for _ in range(2):  # what is the same at the start, and then at the end, needs no comparison of each with each
        same = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), len(old))
        old, new = old[same:][::-1], new[same:][::-1]
    steps = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [line for kind, start, end, *_ in steps if kind in ("delete", "replace") for line in old[start:end]]


def in_lines(text: str) -> list[str]:
    return text.splitlines() if "\n" in text else json.dumps(json.loads(text), indent=1).splitlines()


def may_change(line: str) -> bool:
    """Tell whether a line may change: a date, an array or object that was empty, a count of questions."""
    return '"dateModified"' in line or line.endswith((": []", ": {}")) or "totalQuestions" in line


@pytest.mark.slow
@each_older_dialect
def test_karenina_gets_every_date_and_template_that_it_requires(corpus: Path, dialect: str, tmp_path: Path) -> None:
    target = tmp_path / "canonical.jsonld"
    for case in expectations(corpus, dialect):
        benchmark = Benchmark.load(corpus / case["file"])
        benchmark.save(target, dialect=CANONICAL, round_scores=True, placeholders=True)
        written = json.loads(target.read_bytes())
        assert list(lacking(written)) == [], case["file"]
        again = Benchmark.load(target)
        assert again.get_question_ids() == benchmark.get_question_ids(), case["file"]
        assert in_base64(again.global_rubric) == in_base64(benchmark.global_rubric), case["file"]


def in_base64(rubric: Rubric | None) -> Rubric | None:
    """Return a rubric whose callable traits hold their code as its bytes, in whatever text a file has it."""
    for trait in rubric.callable_traits if rubric else ():
        trait.callable_code = CallableCode(bytes(trait.callable_code or b""))
    return rubric


def lacking(root: dict[str, Json]) -> Iterator[str]:
    """Yield what Karenina would refuse a file for."""
    creator = root.get("creator", "")
    yield from missing(root, "name", "dateCreated", "dateModified")
    if not isinstance(root["@context"], dict) or root["@type"] != "DataFeed":
        yield "root"
    if not isinstance(creator, str) and creator["@type"] != "Person":
        yield "creator"
    yield from lacking_in_ratings(root)
    for item in root["dataFeedElement"]:
        question = item["item"]
        yield from missing(item, "dateCreated", "dateModified")
        yield from missing(question, "text")
        yield from missing(question["hasPart"], "name", "text")
        yield from lacking_in_ratings(question)
        if not isinstance(question["acceptedAnswer"]["text"], str) or "keywords" in item:
            yield "answer or keywords"
        if question["hasPart"]["programmingLanguage"] != "Python" or not isinstance(question.get("keywords", []), list):
            yield "language or keywords"


def missing(holder: dict[str, Json], *names: str) -> Iterator[str]:
    yield from (name for name in names if not isinstance(holder.get(name), str) or not holder[name])


def lacking_in_ratings(holder: dict[str, Json]) -> Iterator[str]:
    for rating in holder.get("rating", []):
        settings = {one["name"]: one.get("value") for one in rating["additionalProperty"]}
        yield from (one for one in ("bestRating", "worstRating") if not isinstance(rating[one], int | float))
        yield from (one for one in ("min_score", "max_score") if isinstance(settings.get(one), float))
        try:
            base64.b64decode(settings.get("callable_code", ""), validate=True)
        except ValueError:
            yield "callable_code"
        if not rating["additionalType"].startswith("karenina:"):
            yield rating["additionalType"]
        if settings.get("kind") == "score" and not {"min_score", "max_score"} <= settings.keys():
            yield "bounds"


# --- Real documents as other JSON-LD processors read what is written of them: the statements of our own graph.


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_processor_reads_the_statements_of_our_graph(corpus: Path, dialect: str) -> None:
    for case in some(expectations(corpus, dialect), 4):
        benchmark = loaded(corpus / case["file"])
        document = benchmark.to_jsonld()
        names = list(identifiers(document))
        if any(" " in name for name in names):  # no IRI: other processors drop what is stated of it
            continue
        first, *others = (statements_of(processor, document) for processor in PROCESSORS)
        assert all(one == first for one in others), case["file"]
        # One name on two objects is one node for the others, and two for us, so that both come back.
        assert first == statements_of_graph(benchmark.graph) or len(set(names)) < len(names), case["file"]


def identifiers(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        yield from ([value["@id"]] if "@id" in value else ())
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from identifiers(one)


# --- Documents that are odd on purpose: which are read all the same, which are refused, and what is stated about them.


def cases(corpus: Path, folder: str) -> list[dict[str, Json]]:
    found: list[dict[str, Json]] = json.loads((corpus / folder / "index.json").read_text(encoding="utf-8"))
    assert found
    return found


def meets(findings: tuple[Finding, ...], wanted: list[list[str]]) -> bool:
    """Tell whether the findings are those that are wanted; a pointer that is wanted empty leaves the place open."""
    found = sorted((one.condition, one.place.pointer or "") for one in findings)
    given = sorted((code, pointer) for code, pointer in wanted)
    return len(found) == len(given) and all(
        code == asked_code and (pointer == asked_pointer or not asked_pointer)
        for (code, pointer), (asked_code, asked_pointer) in zip(found, given, strict=True)
    )


def test_an_unusual_document_is_read_with_warnings(corpus: Path) -> None:
    for case in cases(corpus, "tricky"):
        benchmark = Benchmark.load(corpus / case["file"])
        assert meets(benchmark.findings, case.get("warnings", [])), (case["file"], benchmark.findings)
        assert benchmark.name, case["file"]


def test_an_unusual_document_is_refused_if_the_reader_is_strict(corpus: Path) -> None:
    for case in cases(corpus, "tricky"):
        if case.get("warnings"):
            with pytest.raises(ReadError) as refused:
                Benchmark.load(corpus / case["file"], strict=True)
            assert meets(refused.value.findings, case["warnings"]), case["file"]
        else:
            assert Benchmark.load(corpus / case["file"], strict=True).findings == (), case["file"]


def test_a_broken_document_is_refused_with_all_that_is_wrong(corpus: Path) -> None:
    for case in cases(corpus, "rejected"):
        with pytest.raises(ReadError) as refused:
            Benchmark.load(corpus / case["file"])
        wrong = tuple(one for one in refused.value.findings if one.severity is Severity.VIOLATION)
        assert wrong == refused.value.findings, case["file"]
        assert meets(wrong, case["errors"]), (case["file"], str(refused.value))


def test_a_refusal_names_file_line_code_and_remedy(corpus: Path) -> None:
    for case in cases(corpus, "rejected"):
        with pytest.raises(ReadError) as refused:
            Benchmark.load(corpus / case["file"])
        for one in refused.value.findings:
            line = str(one)
            assert line.startswith(f"{corpus / case['file']}:"), line
            assert one.place.line is not None or one.condition == "E-ENCODING", line
            assert one.condition in line, line
            assert one.message, line
            assert one.remedy in line, line
            assert one.remedy, line
        assert str(refused.value).splitlines() == list(map(str, refused.value.findings)), case["file"]


def test_no_code_of_a_document_is_run(corpus: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = dict(os.environ)
    monkeypatch.chdir(tmp_path)
    for case in cases(corpus, "tricky"):
        benchmark = Benchmark.load(corpus / case["file"])
        assert isinstance(benchmark.scenarios, list)
        benchmark.get_all_questions()
        benchmark.save(tmp_path / "copy.json")
    assert dict(os.environ) == before


def test_what_karenina_takes_and_we_refuse_is_refused_for_a_reason(corpus: Path) -> None:
    refused = [row for row in lines(corpus, "tables/projections.jsonl.gz") if row["ours"] == "reject"]
    assert any("projection" in row for row in refused)
    for row in refused:
        with pytest.raises(ReadError, match="E-"):
            Benchmark.load(corpus / row["file"])


# --- The JSON Schema of the checkpoint document, held against real documents.


CHECKPOINT = Draft202012Validator(json_schema("checkpoint"))

NOT_ABOUT_VALUES = {"E-JSON", "E-ENCODING", "E-DUPKEY", "E-NUMBER", "E-SURROGATE"}
"""What no schema can see: it is gone, or stands in the way, once a text has become values."""


def document(path: Path) -> Json:
    return json.loads(path.read_text(encoding="utf-8-sig"))


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["datafeed-ns-v3", "datafeed-legacy"])
def test_documents_of_karenina_pass(corpus: Path, dialect: str) -> None:
    for case in some(expectations(corpus, dialect), 2):
        errors = [(error.json_path, error.message) for error in CHECKPOINT.iter_errors(document(corpus / case["file"]))]
        assert errors == [], case["file"]


@pytest.mark.slow
def test_unusual_documents_that_are_read_pass_if_their_keys_are_plain(corpus: Path) -> None:
    cases = json.loads((corpus / "tricky/index.json").read_text(encoding="utf-8"))
    passed = 0
    for case in cases:
        value = document(corpus / case["file"])
        if isinstance(value, dict) and "name" in value:
            errors = [(error.json_path, error.message) for error in CHECKPOINT.iter_errors(value)]
            assert errors == [], case["file"]
            passed += 1
    assert passed > len(cases) * 3 / 4


def test_documents_that_are_refused_for_their_values_fail(corpus: Path) -> None:
    cases = json.loads((corpus / "rejected/index.json").read_text(encoding="utf-8"))
    about_values = [case for case in cases if NOT_ABOUT_VALUES.isdisjoint(code for code, _ in case["errors"])]
    assert about_values
    for case in about_values:
        assert not CHECKPOINT.is_valid(document(corpus / case["file"])), case["file"]


# --- Real documents under validation: no false violation, and nothing that Karenina refuses goes without a finding.


FOLDERS = (
    *("v2.0-other", "v2.0-traits-key", "v2.0", "flat", "dataset-0", "dataset-1", "gui-datafeed", "datafeed-legacy"),
    *("datafeed-ns-v3", "tricky", "rejected"),
)


def observed(corpus: Path, folder: str) -> list[dict[str, Any]]:
    """Return what was seen of Karenina for the documents of a folder."""
    with gzip.open(corpus / "tables" / "projections.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [row for row in rows if row["file"].startswith(f"{folder}/")]


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_what_karenina_refuses_is_reported_and_what_it_loads_is_no_violation(corpus: Path, folder: str) -> None:
    rows = observed(corpus, folder)
    assert rows
    for row in rows:
        checked = families.check(corpus / row["file"], profiles.profile())
        worst = max((one.severity for one in checked.findings), default=None)
        found = [
            str(one)
            for one in checked.findings
            if one.severity is Severity.VIOLATION and (one.code not in FAILS_LATER or row["ours"] == "reject")
        ]
        if row["ours"] == "reject":
            assert found, row["file"]
        elif "error" in row:
            assert worst is not None, row
            assert worst >= Severity.WARNING, row
        else:
            assert found == [], row["file"]


FAILS_LATER = ("KR005", "KR074")
"""Rules about what Karenina loads and fails on later, which the observations of loading do not hold."""


@pytest.mark.slow
@pytest.mark.parametrize("folder", [one for one in FOLDERS if one != "rejected"])
def test_every_finding_of_a_json_document_has_its_place(corpus: Path, folder: str) -> None:
    for path in sorted((corpus / folder).iterdir()):
        if path.name == "index.json":
            continue
        data = path.read_bytes()
        for found in families.check(data, profiles.profile()).findings:
            assert found.place.pointer is not None, found
            assert found.place.line is not None, found
            assert found.message
            assert "{?" not in found.message


# --- Real documents as a whole: copies, differences and exports of each.


each_dialect = pytest.mark.parametrize("dialect", DIALECTS)


@pytest.mark.slow
@each_dialect
def test_a_copy_and_a_trip_through_statements_are_equal(corpus: Path, dialect: str) -> None:
    for case in expectations(corpus, dialect):
        benchmark = loaded(corpus / case["file"])
        back = Benchmark.load(benchmark.to_ntriples().encode(), syntax="nt")
        assert benchmark.clone() == benchmark == back, case["file"]
        assert semantic_diff(benchmark, back, dates=True, order=True).is_empty, case["file"]


@pytest.mark.slow
@each_dialect
def test_tables_have_a_row_for_each_question(corpus: Path, dialect: str) -> None:
    for case in expectations(corpus, dialect):
        benchmark = loaded(corpus / case["file"])
        records = benchmark.to_records()
        rows = list(csv.DictReader(io.StringIO(benchmark.to_csv(), newline="")))
        found = [(one["question_id"], one["question"], one["raw_answer"]) for one in records]
        assert [(row["Question ID"], row["Question"], row["Raw Answer"]) for row in rows] == found, case["file"]
        assert [row["Finished"] == "Yes" for row in rows] == [one["finished"] for one in records]
        assert json.loads(json.dumps(benchmark.to_dict())) == benchmark.to_dict()
        headings = [one for one in MarkdownIt().parse(benchmark.to_markdown()) if one.type == "heading_open"]
        assert sum(one.tag == "h3" for one in headings) == len(records), case["file"]


def test_the_summary_is_what_karenina_shows(corpus: Path) -> None:
    checked = 0
    for row in lines(corpus, "tables/projections.jsonl.gz"):
        shown: Json = row.get("projection")
        if shown is None or row["marks"] or row["ours"] != "accept":
            continue
        found = loaded(corpus / row["file"]).get_summary()
        names = ("name", "version", "created_at", "modified_at", "question_count", "finished_count", "is_complete")
        assert {name: found[name] for name in names} == {name: shown[name] for name in names}, row["file"]
        assert found["progress_percentage"] == shown["progress"]
        assert found["has_template_count"] == sum(one["has_template"] for one in shown["questions"])
        checked += 1
    assert checked > 10
