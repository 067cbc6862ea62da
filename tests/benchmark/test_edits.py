"""Edits of a benchmark are what a difference to its clone names, whatever their order."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import Benchmark
from checkpoint_ld.benchmark.difference import semantic_diff
from checkpoint_ld.entities import LLMRubricTrait, RegexRubricTrait
from tests.benchmark.samples import BLANK, LIGHT, LIQUID, NEW, VERIFIED, benchmark
from tests.benchmark.test_semantic_diff import names
from tests.trials import examples

Name = tuple[str, ...]
Edit = Callable[[Benchmark, str], object]


def without_regexes(one: Benchmark) -> None:
    rubric = one.get_question_rubric(LIQUID)
    assert rubric is not None
    rubric.regex_traits = []
    one.set_question_rubric(LIQUID, rubric)


EDITS: dict[Name, Edit] = {
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
    chosen=st.lists(st.sampled_from(list(EDITS)), min_size=1, unique=True),
    text=st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=10).filter(str.strip),
)
def test_a_difference_names_exactly_the_edits_of_a_clone(chosen: list[Name], text: str) -> None:
    original = benchmark()
    edited = original.clone()
    for name in chosen:
        EDITS[name](edited, text)
    assert names(semantic_diff(original, edited)) == set(chosen)
    assert original == benchmark()
    assert original != edited
