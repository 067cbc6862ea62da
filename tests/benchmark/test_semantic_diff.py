"""The difference between two benchmarks: exactly the edits, in the terms of their authors."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import Benchmark
from checkpoint_ld.benchmark.difference import Change, PartDiff, PartsDiff, SemanticDiff, parts, semantic_diff
from tests.benchmark.samples import BLANK, BROKEN, LIGHT, LIQUID, NEW, VERIFIED, load, question, tree
from tests.documents import canonical, item, rating, rich, scenario, setting
from tests.trials import examples

Json = Any
Edit = Callable[[Json], None]

SECRET = "sk-" + "a1B2" * 8


def compared(before: Json, after: Json, **options: bool) -> SemanticDiff:
    return semantic_diff(load(before), load(after), **options)


def edited(edit: Edit, **options: bool) -> SemanticDiff:
    changed = tree()
    edit(changed)
    return compared(tree(), changed, **options)


def item_at(document: Json, at: int = 0) -> Json:
    return document["dataFeedElement"][at]["item"]


def named(document: Json, name: str, at: int = 0) -> Json:
    return next(one for one in item_at(document, at)["additionalProperty"] if one["name"] == name)


# --- nothing


@pytest.mark.parametrize("document", [tree(), rich(), scenario(), canonical(item("No id?", None))])
def test_a_benchmark_does_not_differ_from_itself(document: Json) -> None:
    found = compared(document, deepcopy(document), dates=True, order=True)
    assert found.is_empty
    assert not found
    assert str(found) == found.to_markdown() == "no differences"
    assert found.as_json()["is_empty"] is True


def test_syntax_and_layout_make_no_difference(tmp_path: Path) -> None:
    made = load(rich())
    for name in ("a.ttl", "a.nq", "a.jsonld"):
        made.save(tmp_path / name)
        assert semantic_diff(made, Benchmark.load(tmp_path / name), dates=True, order=True).is_empty


def test_whole_numbers_are_the_same_in_both_spellings() -> None:
    def spell(document: Json) -> None:
        named(document, "custom_years")["value"] = [2024.0, 2025]

    assert edited(spell).is_empty


def test_dates_count_only_on_request() -> None:
    def edit(document: Json) -> None:
        document["dateModified"] = document["dataFeedElement"][1]["dateModified"] = "2026-05-05T00:00:00"

    assert edited(edit).is_empty
    found = edited(edit, dates=True)
    assert [one.member for one in found.metadata] == ["modified_at"]
    [changed] = found.questions_changed
    assert (changed.id, [one.member for one in changed.changes]) == (LIGHT, ["date_modified"])


def test_order_counts_only_on_request() -> None:
    def edit(document: Json) -> None:
        document["dataFeedElement"].reverse()
        document["rating"].reverse()
        item_at(document, 2)["keywords"].reverse()

    assert edited(edit).is_empty
    found = edited(edit, order=True)
    assert found.questions_reordered
    assert [one.member for one in found.questions_changed[0].changes] == ["keywords"]
    assert "order of questions" in str(found)


def test_a_question_in_between_reorders_nothing() -> None:
    def edit(document: Json) -> None:
        document["dataFeedElement"].insert(1, question("New?", NEW))
        del document["dataFeedElement"][0]

    assert not edited(edit, order=True).questions_reordered


# --- exactly the edits


def set_finished(document: Json) -> None:
    named(document, "finished")["value"] = False


def set_author(document: Json) -> None:
    named(document, "author")["value"] = {"@type": "Person", "name": "Bo"}


def weigh(document: Json) -> None:
    item_at(document)["hasPart"]["text"] = VERIFIED.replace("weight=2.0", "weight=3.0")


def change_trait(document: Json) -> None:
    next(one for one in item_at(document)["rating"] if one["name"] == "cites")["additionalProperty"][0]["value"] = "x"


def drop_trait(document: Json) -> None:
    item_at(document)["rating"] = [one for one in item_at(document)["rating"] if one["name"] != "certainty"]


EDITS: dict[tuple[str, ...], Edit] = {
    ("metadata", "name"): lambda one: one.update(name="Other"),
    ("metadata", "version"): lambda one: one.pop("version"),
    ("metadata", "creator"): lambda one: one.update(
        creator={"@type": "Person", "name": "Bo", "email": "b@example.org"}
    ),
    ("metadata", "license"): lambda one: one.update(license="MIT"),
    ("property", "topic"): lambda one: one["additionalProperty"].append(setting("topic", ["a"])),
    ("global trait", "tone", "pattern"): lambda one: one["rating"][0]["additionalProperty"][0].update(value="^a"),
    ("global trait", "depth", "max_score"): lambda one: one["rating"][1].update(bestRating=4.0),
    ("global trait", "+", "new"): lambda one: one["rating"].append(rating("new", "Global")),
    ("global dynamic trait", "-", "cites"): lambda one: one["rating"].pop(2),
    ("question", LIQUID, "question"): lambda one: item_at(one).update(text="Which metal flows?"),
    ("question", LIQUID, "raw_answer"): lambda one: item_at(one)["acceptedAnswer"].update(text="Hg"),
    ("question", LIQUID, "keywords"): lambda one: item_at(one).update(keywords=["metals"]),
    ("question", LIQUID, "finished"): set_finished,
    ("question", LIQUID, "author"): set_author,
    ("question", LIQUID, "custom.Area"): lambda one: named(one, "custom_Area").update(value="physics"),
    ("question", LIQUID, "difficulty"): lambda one: item_at(one)["additionalProperty"].append(setting("difficulty", 3)),
    ("question", LIQUID, "about"): lambda one: item_at(one).update(about="metals"),
    ("question", LIQUID, "url"): lambda one: one["dataFeedElement"][0].update(url="https://example.org/"),
    ("template", LIQUID): weigh,
    ("trait", LIQUID, "cites", "pattern"): change_trait,
    ("trait", LIQUID, "-", "certainty"): drop_trait,
    ("question", LIGHT, "answer_notes"): lambda one: item_at(one, 1)["additionalProperty"].append(
        setting("answer_notes", "by density")
    ),
    ("trait", LIGHT, "+", "cites"): lambda one: item_at(one, 1).update(rating=[rating()]),
    ("question", "+", NEW): lambda one: one["dataFeedElement"].insert(0, question("New?", NEW)),
    ("question", "-", BLANK): lambda one: one["dataFeedElement"].remove(
        next(each for each in one["dataFeedElement"] if each["@id"] == BLANK)
    ),
}
"""Edits by what a difference has to call them; those that add at the front come last."""


def names_of(parts: PartsDiff, *where: str) -> set[tuple[str, ...]]:
    changed = {(*where, part.name, one.member) for part in parts.changed for one in part.changes}
    added = {(*where, "+", name) for name in parts.added}
    return changed | added | {(*where, "-", name) for name in parts.removed}


def names(found: SemanticDiff) -> set[tuple[str, ...]]:
    held: set[tuple[str, ...]] = {("metadata", one.member) for one in found.metadata}
    held |= {("property", one.member) for one in found.properties}
    held |= names_of(found.global_rubric, "global trait")
    held |= names_of(found.global_dynamic_rubric, "global dynamic trait")
    held |= {("question", "+", one.id) for one in found.questions_added}
    held |= {("question", "-", one.id) for one in found.questions_removed}
    for changed in found.questions_changed:
        held |= {("question", changed.id, one.member) for one in changed.changes}
        held |= {("template", changed.id)} if changed.template is not None else set()
        held |= names_of(changed.rubric, "trait", changed.id)
    return held


@settings(max_examples=examples(40))
@given(chosen=st.sets(st.sampled_from(list(EDITS)), min_size=1))
def test_a_difference_names_exactly_the_edits(chosen: set[tuple[str, ...]]) -> None:
    changed = tree()
    for name, edit in EDITS.items():
        if name in chosen:
            edit(changed)
    found = compared(tree(), changed)
    assert names(found) == chosen
    assert bool(found)
    back = compared(changed, tree())
    opposite = {"+": "-", "-": "+"}
    assert names(back) == {tuple(opposite.get(part, part) for part in name) for name in chosen}


# --- details


def test_a_change_has_both_values() -> None:
    def edit(document: Json) -> None:
        document["name"] = "Other"
        del document["description"]

    found = edited(edit)
    assert found.metadata == (
        Change("name", "changed", "Metals", "Other"),
        Change("description", "removed", "Metals and their properties"),
    )


def test_a_template_states_what_changed_about_its_fields() -> None:
    def edit(document: Json) -> None:
        item_at(document)["hasPart"]["text"] = (
            VERIFIED.replace('"mercury"', '"Hg"').replace("tolerance=0.5", "tolerance=1.5")
            + '    state: str = VerifiedField(description="s", ground_truth="x", verify_with=ExactMatch())\n'
        )

    [changed] = edited(edit).questions_changed
    assert changed.template is not None
    assert changed.changes == ()
    assert changed.template.source.kind == "changed"
    assert changed.template.changes == ()
    assert changed.template.fields == PartsDiff(
        added=("state",),
        changed=(
            PartDiff("metal", (Change("ground_truth", "changed", "mercury", "Hg"),)),
            PartDiff("celsius", (Change("parameters.tolerance", "changed", 0.5, 1.5),)),
        ),
    )


def test_a_template_states_what_changed_about_its_class() -> None:
    def edit(document: Json) -> None:
        item_at(document)["hasPart"]["text"] = BROKEN

    [changed] = edited(edit).questions_changed
    assert changed.template is not None
    assert Change("level", "changed", "verified", "syntax-error") in changed.template.changes
    assert changed.template.fields.removed == ("metal", "celsius")


def test_the_layout_of_a_template_is_a_change_of_its_text_only() -> None:
    def edit(document: Json) -> None:
        item_at(document)["hasPart"]["text"] = f"# a remark\n{VERIFIED}"

    [changed] = edited(edit).questions_changed
    assert changed.template is not None
    assert changed.template.fields.is_empty
    assert changed.template.changes == ()
    assert "~ template: 1 line added, 0 lines removed" in str(edited(edit))


def test_a_placeholder_is_no_template() -> None:
    def edit(document: Json) -> None:
        item_at(document, 2)["hasPart"]["text"] = ""

    assert edited(edit).is_empty


def test_a_question_is_recognised_by_its_text_where_the_identifier_is_another() -> None:
    [changed] = edited(lambda one: one["dataFeedElement"][0].update({"@id": NEW})).questions_changed
    assert changed.changes == (Change("id", "changed", LIQUID, NEW),)


def test_the_identifier_counts_before_the_text() -> None:
    def swap(document: Json) -> None:
        first, second, _ = document["dataFeedElement"]
        first["@id"], second["@id"] = second["@id"], first["@id"]

    found = edited(swap)
    assert (found.questions_added, found.questions_removed) == ((), ())
    assert {(one.id, "question") for one in found.questions_changed} == {(LIQUID, "question"), (LIGHT, "question")}


def test_questions_of_one_text_are_matched_one_by_one() -> None:
    before = canonical(question("Same?", "urn:uuid:1"), question("Same?", "urn:uuid:2"))
    after = canonical(question("Same?", "urn:uuid:3"))
    found = compared(before, after)
    assert [one.id for one in found.questions_removed] == ["urn:uuid:2"]
    assert [one.changes for one in found.questions_changed] == [(Change("id", "changed", "urn:uuid:1", "urn:uuid:3"),)]


def test_scenarios_state_where_they_changed() -> None:
    changed = json.loads(json.dumps(scenario()))  # no two objects of it are one
    changed["hasPart"][0]["nodes"]["again"]["metadata"]["k"][0] = 2
    changed["hasPart"][0]["edges"][0]["condition"]["expected"] = 3
    found = compared(scenario(), changed)
    assert found.scenarios.changed == (
        PartDiff(
            "retry",
            (
                Change("nodes.again.metadata.k.0", "changed", 1, 2),
                Change("edges.0.condition.expected", "changed", 2, 3),
            ),
        ),
    )


def test_other_parts_of_the_benchmark_are_metadata() -> None:
    def edit(document: Json) -> None:
        document["hasPart"] = [{"@type": "CreativeWork", "name": "Appendix"}]

    assert [one.member for one in edited(edit).metadata] == ["hasPart"]


def test_a_secret_goes_no_further() -> None:
    def edit(document: Json) -> None:
        document["additionalProperty"].append(setting("api_key", "abc-123"))
        named(document, "custom_Area")["value"] = SECRET

    found = edited(edit)
    for held in (str(found), found.to_markdown(), json.dumps(found.as_json())):
        assert "abc-123" not in held
        assert SECRET not in held
        assert "withheld" in held


def test_a_secret_deep_down_goes_no_further() -> None:
    before = json.loads(json.dumps(scenario()))
    before["hasPart"][0]["metadata"] = {"api_key": ["abc-123"], "model": {"token": "abc-456", "name": "one"}}
    after = deepcopy(before)
    after["hasPart"][0]["metadata"] = {"api_key": ["abc-789"], "model": {"token": "abc-000", "name": "two"}}
    held = json.dumps(compared(before, after).as_json())
    assert "abc-" not in held
    assert '"one"' in held


def test_things_of_one_name_are_held_against_each_other_one_by_one() -> None:
    before = [("a", {"x": 1}), ("a", {"x": 2})]
    found = parts(before, [("a", {"x": 1}), ("a", {"x": 3}), ("a", {"x": 4})])
    assert found == PartsDiff(added=("a",), changed=(PartDiff("a", (Change("x", "changed", 2, 3),)),))
    assert parts(before, before[:1]).removed == ("a",)


def test_lines_for_people() -> None:
    def edit(document: Json) -> None:
        document["name"] = "Other"
        document["dataFeedElement"].append(question("New?", NEW))
        weigh(document)
        drop_trait(document)

    assert str(edited(edit)).splitlines() == [
        "~ name: Metals → Other",
        f"+ question {NEW}: New?",
        f"~ question {LIQUID}: Which metal is liquid?",
        "  ~ template: 1 line added, 1 line removed",
        "    ~ field celsius",
        "      ~ weight: 2.0 → 3.0",
        "  - trait certainty",
    ]
    assert edited(edit).to_markdown().splitlines()[0] == (
        "- changed <code>name</code>: <code>Metals</code> → <code>Other</code>"
    )


def test_long_texts_are_shown_around_their_first_difference() -> None:
    before, after = canonical(item("a" * 500 + " b?")), canonical(item("a" * 500 + " c?"))
    held = str(compared(before, after))
    assert " b? → …aaa" in held
    assert all(len(line) < 200 for line in held.splitlines())


def test_no_text_of_a_document_colours_a_terminal() -> None:
    held = str(edited(lambda one: one.update(name="\x1b[31mred\nnext")))
    assert "\x1b" not in held
    assert len(held.splitlines()) == 1


def test_what_is_json_has_everything() -> None:
    def edit(document: Json) -> None:
        weigh(document)

    loaded = json.loads(json.dumps(edited(edit).as_json()))
    [changed] = loaded["questions_changed"]
    assert changed["template"]["fields"]["changed"] == [
        {"name": "celsius", "changes": [{"member": "weight", "kind": "changed", "before": 2.0, "after": 3.0}]}
    ]
