"""Real documents there and back: nothing is lost on the way, and nothing changes that nobody changed."""

from __future__ import annotations

import base64
import difflib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from checkpoint_ld import Benchmark
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.entities import CallableCode, Rubric
from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.literals import same
from checkpoint_ld.validation import validator
from tests.corpus import DIALECTS, WRITABLE, Json, expectations, lines
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
def test_our_context_changes_nothing_but_contexts(corpus: Path) -> None:
    for case in expectations(corpus, CANONICAL):
        document = json.loads((corpus / case["file"]).read_bytes())
        improved = Benchmark.load(corpus / case["file"]).to_jsonld("improved")
        assert same(without_contexts(improved), without_contexts(document)), case["file"]
        assert improved["@context"] | contexts.improved() == improved["@context"], case["file"]


def without_contexts(value: Json) -> Json:
    if isinstance(value, list):
        return [without_contexts(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: without_contexts(one) for key, one in value.items() if key != "@context"}


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
        assert len(found) == (target.read_bytes() != data), case["file"]
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
