"""The difference between two benchmarks: exactly the edits, in the terms of their authors."""

import json
from collections.abc import Callable
from copy import copy, deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import Benchmark
from checkpoint_ld.benchmark.difference import Change, PartDiff, PartsDiff, SemanticDiff, parts, semantic_diff
from checkpoint_ld.entities import LLMRubricTrait, RegexRubricTrait
from tests.benchmark.samples import BLANK, BROKEN, LIGHT, LIQUID, NEW, VERIFIED, benchmark, load, question, tree
from tests.documents import Json, canonical, item, rating, rich, scenario, setting
from tests.trials import examples

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


@pytest.mark.parametrize("dialect", ["gui-datafeed", "dataset-1", "v2.0"])
def test_a_dialect_makes_no_difference(tmp_path: Path, dialect: str) -> None:
    made = load(tree())
    made.save(tmp_path / "other.json", save_deep_judgment_config=True, dialect=dialect)
    assert not semantic_diff(made, Benchmark.load(tmp_path / "other.json"))


@pytest.mark.parametrize("nothing", [None, []])
def test_a_member_that_states_nothing_makes_no_difference(nothing: Json | None) -> None:
    edited = scenario()
    edited["hasPart"][0]["nodes"]["again"]["question"]["note"] = nothing
    edited["about"] = {"@type": "Thing", "note": nothing}
    plain = {**scenario(), "about": {"@type": "Thing"}, "license": "MIT"}
    edited["license"] = ["MIT"]  # the form of a list alone states nothing either
    assert load(plain) == load(edited)
    assert compared(plain, edited).is_empty
    edited["hasPart"][0]["nodes"]["again"]["metadata"]["note"] = nothing  # any JSON
    assert load(plain) != load(edited)
    assert not compared(plain, edited).is_empty


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


@pytest.mark.parametrize("nothing", [None, []])
def test_a_member_that_states_nothing_is_no_difference(nothing: object) -> None:
    def edit(document: Json) -> None:
        for one in (document, document["rating"][0], item_at(document), named(document, "custom_Area")):
            one["license"] = nothing

    assert edited(edit).is_empty


def test_the_repository_that_karenina_gave_to_every_template_is_no_difference() -> None:
    def edit(document: Json) -> None:
        item_at(document)["hasPart"]["codeRepository"] = "karenina-benchmarks"

    assert edited(edit).is_empty


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
    ("question", LIQUID, "custom.Area.unitText"): lambda one: named(one, "custom_Area").update(unitText="m"),
    ("global trait", "tone", "pattern.url"): lambda one: one["rating"][0]["additionalProperty"][0].update(url="urn:u"),
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


# --- Copies of benchmarks, and when two are equal.


def shuffled(value: Any) -> Any:
    """Return a JSON value with the members of all objects in reverse order."""
    if isinstance(value, dict):
        return {key: shuffled(value[key]) for key in reversed(value)}
    return [shuffled(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("document", [tree(), rich(), scenario(), canonical(item("No id?", None))])
def test_a_clone_is_equal_until_one_of_the_two_changes(document: Any) -> None:
    made = load(document)
    copied = made.clone()
    assert copied == made
    assert copied.to_jsonld() == made.to_jsonld()
    before = made.to_nquads()
    copied.set_metadata(description="another one")
    assert copied != made
    assert made.to_nquads() == before
    assert copied.dialect == made.dialect


@pytest.mark.parametrize("copy_of", [Benchmark.clone, copy, deepcopy])
def test_edits_of_the_original_do_not_reach_the_copy(copy_of: Callable[[Benchmark], Benchmark]) -> None:
    made = load(tree())
    copied = copy_of(made)
    made.add_question("One more?", "Yes")
    assert (made.question_count, copied.question_count) == (4, 3)
    copied.add_question("Another?", "No")
    assert made.get_question_ids()[-1] != copied.get_question_ids()[-1]
    assert type(copied) is type(made)


def test_a_clone_saves_as_the_original_does(tmp_path: Path) -> None:
    source = json.dumps(tree(), indent=1).encode()
    Benchmark.load(source).clone().save(tmp_path / "a.jsonld")
    assert (tmp_path / "a.jsonld").read_bytes() == source


@pytest.mark.parametrize("document", [tree(), rich(), scenario()])
@pytest.mark.parametrize("name", ["a.jsonld", "a.ttl", "a.nt", "a.nq", "a.trig"])
def test_saving_and_loading_gives_an_equal_benchmark(tmp_path: Path, document: Any, name: str) -> None:
    made = load(document)
    made.save(tmp_path / name)
    assert Benchmark.load(tmp_path / name) == made


def test_so_it_does_after_edits(tmp_path: Path) -> None:
    made = load(tree())
    made.remove_question(made.get_question_ids()[0])
    made.add_question("One more?", "Yes", keywords=["b", "a"])
    made.save(tmp_path / "a.jsonld")
    made.save(tmp_path / "a.nt")
    assert Benchmark.load(tmp_path / "a.jsonld") == made == Benchmark.load(tmp_path / "a.nt")


def test_the_way_of_writing_does_not_count() -> None:
    made = load(rich())
    assert load(shuffled(rich())) == made
    assert Benchmark.load(json.dumps(made.to_jsonld("improved")).encode()) == made
    assert Benchmark.load(made.graph) == made
    without = rich()
    without["additionalProperty"] = []
    assert load(without) == made  # the version of the format says how a file is written


def test_an_own_context_counts_by_what_it_states() -> None:
    plain, renamed, other = canonical(), canonical(), canonical()
    plain["https://example.org/colour"] = "red"
    for document, iri in ((renamed, "https://example.org/colour"), (other, "https://example.org/taste")):
        document["@context"]["colour"] = iri
        document["colour"] = "red"
    assert load(plain) == load(renamed)
    assert load(plain) != load(other)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("name",), "Other"),
        (("dateModified",), "2026-01-03T00:00:00"),
        (("@id",), "urn:uuid:other"),
        (("license",), "MIT"),
        (("dataFeedElement", 0, "item", "text"), "Other?"),
        (("dataFeedElement", 0, "dateModified"), "2026-01-03T00:00:00"),
        (("dataFeedElement", 0, "item", "keywords"), ["liquids", "metals"]),
        (("rating", 0, "bestRating"), 2.0),
        (("additionalProperty", 0), {"@type": "PropertyValue", "name": "other", "value": 1}),
    ],
)
def test_everything_that_is_stated_counts(path: tuple[Any, ...], value: Any) -> None:
    changed = deepcopy(tree())
    at = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    assert load(changed) != load(tree())


def test_true_is_not_one_and_one_is_not_a_double() -> None:
    made = []
    values: list[dict[str, Any]] = [{"value": one} for one in (True, 1, 1.0, [1], [], None)]
    for found in (*values, {}):
        document = canonical()
        document["additionalProperty"].append({"@type": "PropertyValue", "name": "x", **found})
        made.append(load(document))
    for at, one in enumerate(made):
        assert [other == one for other in made] == [to == at for to in range(len(made))]


def test_the_order_of_questions_counts() -> None:
    document = tree()
    document["dataFeedElement"].reverse()
    assert load(document) != load(tree())


def test_a_benchmark_is_no_key_and_equals_nothing_else() -> None:
    made = load(tree())
    with pytest.raises(TypeError, match="unhashable"):
        hash(made)
    assert made != "Metals"
    assert made != None  # noqa: E711 - that is what is queried


@settings(max_examples=examples(40))
@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip), max_size=4))
def test_benchmarks_of_the_same_questions_are_equal_through_every_syntax(texts: list[str]) -> None:
    made = Benchmark("Any")
    for text in texts:
        made.add_question(text, "answer", keywords=[text])
    assert made.clone() == made
    assert Benchmark.load(made.to_nquads().encode(), syntax="nq") == made
    assert Benchmark.load(json.dumps(made.to_jsonld("plain")).encode()) == made


# --- Edits of a benchmark are what a difference to its clone names, whatever their order.


Name = tuple[str, ...]
NamedEdit = Callable[[Benchmark, str], object]


def without_regexes(one: Benchmark) -> None:
    rubric = one.get_question_rubric(LIQUID)
    assert rubric is not None
    rubric.regex_traits = []
    one.set_question_rubric(LIQUID, rubric)


NAMED_EDITS: dict[Name, NamedEdit] = {
    ("metadata", "description"): lambda one, text: one.set_metadata(description=f"about {text}"),
    ("property", "topic"): lambda one, text: one.set_custom_property("topic", text),
    ("global trait", "+", "short"): lambda one, text: one.add_global_rubric_trait(
        LLMRubricTrait(name="short", description=text, kind="score", min_score=0, max_score=1)
    ),
    ("global trait", "-", "depth"): lambda one, _: one.remove_global_rubric_trait("depth"),
    ("global dynamic trait", "-", "cites"): lambda one, _: one.set_global_dynamic_rubric(None),
    ("question", LIQUID, "raw_answer"): lambda one, text: one.update_question_metadata(
        LIQUID, raw_answer=f"not {text}"
    ),
    ("question", LIQUID, "finished"): lambda one, _: one.toggle_finished(LIQUID),
    ("question", LIQUID, "custom.level"): lambda one, text: one.set_question_custom_property(LIQUID, "level", [text]),
    ("question", LIQUID, "sources"): lambda one, text: one.set_question_sources(LIQUID, [{"name": f"{text}."}]),
    ("trait", LIQUID, "-", "cites"): lambda one, _: without_regexes(one),
    ("question", LIGHT, "author"): lambda one, text: one.set_question_author(LIGHT, {"name": f"{text}."}),
    ("trait", LIGHT, "+", "polite"): lambda one, text: one.add_question_rubric_trait(
        LIGHT, RegexRubricTrait(name="polite", description=text, pattern="please")
    ),
    ("template", LIGHT): lambda one, _: one.add_answer_template(LIGHT, VERIFIED),
    ("question", "-", BLANK): lambda one, _: one.remove_question(BLANK),
    ("question", "+", NEW): lambda one, text: one.add_question(f"New: {text}?", text, question_id=NEW),
}


@settings(max_examples=examples(40))
@given(
    chosen=st.lists(st.sampled_from(list(NAMED_EDITS)), min_size=1, unique=True),
    text=st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=10).filter(str.strip),
)
def test_a_difference_names_exactly_the_edits_of_a_clone(chosen: list[Name], text: str) -> None:
    original = benchmark()
    edited = original.clone()
    for name in chosen:
        NAMED_EDITS[name](edited, text)
    assert names(semantic_diff(original, edited)) == set(chosen)
    assert original == benchmark()
    assert original != edited
