"""Traits, merged rubrics and identifiers whose behaviour was observed, row by row, and through a benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from checkpoint_ld import Benchmark, entities
from checkpoint_ld.entities import AnyTrait, LLMRubricTrait, RegexRubricTrait, Rubric
from checkpoint_ld.errors import SettingsError

OURS: dict[str, dict[str, Any]] = {"boolean-with-bounds": {"min_score": None, "max_score": None}}
"""What is different on purpose, by mark; a marked row that is not here or kept is refused."""


def table(corpus: Path, name: str) -> Any:
    return json.loads((corpus / "tables" / name).read_text(encoding="utf-8"))


def is_refused(row: dict[str, Any]) -> bool:
    return "err" in row["result"] or row.get("ours", "").startswith("error")


def observed_traits(corpus: Path) -> list[tuple[dict[str, Any], AnyTrait]]:
    rows = [row for row in table(corpus, "trait_construction.json") if not is_refused(row)]
    return [(row, getattr(entities, row["cls"]).model_validate(row["input"])) for row in rows]


def test_traits_are_made_as_observed(corpus: Path) -> None:
    rows = observed_traits(corpus)
    assert rows
    for row, trait in rows:
        expected = {**row["result"], **OURS.get(row.get("mark", ""), {})}
        if row.get("mark") == "template-schema-rewritten":
            expected["kind"] = row["input"]["kind"]
        assert trait.model_dump(mode="json") == expected, row


def test_traits_are_refused_as_observed_or_earlier(corpus: Path) -> None:
    rows = [row for row in table(corpus, "trait_construction.json") if is_refused(row)]
    assert rows
    for row in rows:
        with pytest.raises(ValidationError):
            getattr(entities, row["cls"]).model_validate(row["input"])


def test_observed_traits_come_back_from_a_benchmark(corpus: Path) -> None:
    for row, trait in observed_traits(corpus):
        benchmark = Benchmark.create("Traits")
        question = benchmark.add_question("Which?", "This")
        benchmark.add_global_rubric_trait(trait)
        benchmark.add_question_rubric_trait(question, trait)
        read = Benchmark.load(json.dumps(benchmark.to_jsonld()).encode())
        for rubric in (read.get_global_rubric(), read.get_question_rubric(question)):
            assert rubric == Rubric.from_traits([trait]), row


def rubric_of(names: list[list[str]] | None) -> Rubric | None:
    if names is None:
        return None
    return Rubric(
        llm_traits=[LLMRubricTrait(name=name, kind="boolean") for name in names[0]],
        regex_traits=[RegexRubricTrait(name=name, pattern="x") for name in names[1]],
    )


def test_rubrics_are_merged_as_observed(corpus: Path) -> None:
    for row in table(corpus, "merge_rubrics.json"):
        general, own = rubric_of(row["global"]), rubric_of(row["question"])
        benchmark = Benchmark.create("Merged")
        question = benchmark.add_question("Which?", "This")
        benchmark.set_global_rubric(general or Rubric())
        benchmark.set_question_rubric(question, own or Rubric())
        if "err" in row["result"]:
            for merge in (
                lambda: entities.merge_rubrics_with_provenance(general, own),  # noqa: B023 - called in this round
                lambda: benchmark.get_merged_rubric_for_question(question),  # noqa: B023 - called in this round
            ):
                with pytest.raises(SettingsError, match="same name"):
                    merge()
            continue
        merged, provenance = entities.merge_rubrics_with_provenance(general, own)
        assert provenance == row["result"]["provenance"], row
        assert (merged and merged.get_trait_names()) == row["result"]["names"], row
        assert benchmark.get_merged_rubric_for_question(question) == merged, row


def test_questions_get_the_identifiers_that_were_observed(corpus: Path) -> None:
    for row in table(corpus, "ids.json")["collisions"]:
        benchmark = Benchmark.create("Identifiers")
        assert [benchmark.add_question(text, "?") for text in row["texts"]] == row["ids"]


def test_templates_have_the_identifiers_that_were_observed(corpus: Path) -> None:
    for source, expected in table(corpus, "ids.json")["template_ids"]:
        benchmark = Benchmark.create("Templates")
        tree = benchmark.to_jsonld()
        given = {"@type": "Question", "text": "Which?", "acceptedAnswer": {"@type": "Answer", "text": "This"}}
        given["hasPart"] = {"@type": "SoftwareSourceCode", "name": "t", "text": source, "programmingLanguage": "Python"}
        if source is None:
            del given["hasPart"]
        dates = {"dateCreated": "2026-01-01T00:00:00", "dateModified": "2026-01-01T00:00:00"}
        tree["dataFeedElement"] = [{"@type": "DataFeedItem", "@id": "urn:uuid:1", **dates, "item": given}]
        read = Benchmark.load(json.dumps(tree).encode())
        assert read.get_template_id("urn:uuid:1") == expected, source
