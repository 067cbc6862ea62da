"""Charts: the numbers behind them, what they say in words, and that their SVG is always the same."""

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from checkpoint_ld import Benchmark, SettingsError, plots, write_site
from checkpoint_ld.assessment import Assessment, assess
from checkpoint_ld.assessment.comparing import rates
from checkpoint_ld.entities import LLMRubricTrait

pytest.importorskip("matplotlib", reason="charts need the extra plots")
pytest.importorskip("statsmodels", reason="charts need the extra plots")

TEMPLATE = """class Answer(BaseAnswer):
    value: str = VerifiedField(description="The value", ground_truth="yes", verify_with=ExactMatch())
"""


def benchmark(questions: int = 2, **more: Any) -> Benchmark:
    made = Benchmark("Metals")
    for number in range(questions):
        made.add_question(f"Is {number} even?", "yes", answer_template=TEMPLATE, question_id=f"urn:q:{number}", **more)
    return made


def runs(table: dict[tuple[bool, bool], int]) -> tuple[list[Assessment], list[Assessment]]:
    """Return two runs in which so many questions passed or failed."""
    results = [pair for pair, count in table.items() for _ in range(count)]
    held = benchmark(len(results))
    first, second = (
        assess(
            held,
            [
                {
                    "question_id": f"urn:q:{number}",
                    "model": f"m-{side}",
                    "answer": {"value": "yes" if pair[side] else "no"},
                }
                for number, pair in enumerate(results)
            ],
        )
        for side in (0, 1)
    )
    return [*first], [*second]


def texts(figure: Any) -> str:
    """Return what a chart says, as a program reads it aloud."""
    root = ET.fromstring(plots.svg(figure))
    return " | ".join(one.text or "" for one in root.iter() if one.tag.endswith(("}text", "}title", "}tspan")))


def test_what_differs_most_stands_first() -> None:
    first, second = runs({(True, True): 2, (True, False): 1})
    held = texts(plots.comparison(first, second[1:], names=("old", "new")))
    assert held.index("Is 2 even?") < held.index("Is 1 even?")
    assert "old better on 1, new better on 0, no difference on 1 of 2 common questions; p = 1" in held


def test_pass_rates_are_by_model_the_best_first_and_by_question_the_worst_first() -> None:
    first, second = runs({(True, False): 3, (True, True): 1})
    both = [*second, *first]
    assert [(each.name, each.passed, each.decided) for each in rates(both)] == [("m-1", 1, 4), ("m-0", 4, 4)]
    held = texts(plots.pass_rates(both))
    assert held.index("m-0") < held.index("m-1")
    assert "4 of 4" in held
    held = texts(plots.pass_rates(both, by="question"))
    assert held.index("Is 0 even?") < held.index("Is 3 even?")


def test_undecided_answers_are_reported_and_count_neither_way() -> None:
    record = {"question_id": "urn:q:0", "model": "m"}
    found = [*assess(benchmark(), [{**record, "answer": {"value": "yes"}}, {**record, "answer": "yes"}])]
    assert [(each.passed, each.decided, each.undecided) for each in rates(found)] == [(1, 1, 1)]
    assert "1 of 1, 1 undecided" in texts(plots.pass_rates(found))


def test_coverage_shows_traits_by_question_and_counts_when_there_are_many() -> None:
    for many, stated in ((3, "Traits by question"), (31, "Questions that each trait judges")):
        made = benchmark(many)
        made.add_global_rubric_trait(LLMRubricTrait(name="clear", kind="boolean"))
        made.add_question_rubric_trait("urn:q:1", LLMRubricTrait(name="brief", kind="boolean"))
        held = texts(plots.trait_coverage(made))
        assert all(one in held for one in (stated, "clear", "brief", "green: traits of the whole benchmark"))


def test_readiness_keywords_and_lengths_state_their_counts() -> None:
    made = benchmark(40, keywords=["even"])
    assert "40 of 40" in texts(plots.readiness(made))
    assert "40" in texts(plots.keywords(made))
    assert "answers" in texts(plots.lengths(made))


NEITHER: Any = "neither"
NOTHING: list[tuple[Callable[[], object], str]] = [
    (lambda: plots.readiness(Benchmark("Empty")), "no questions"),
    (lambda: plots.trait_coverage(Benchmark("Empty")), "no questions"),
    (lambda: plots.trait_coverage(benchmark()), "no traits"),
    (lambda: plots.keywords(benchmark()), "no keywords"),
    (lambda: plots.lengths(Benchmark("Empty")), "no questions"),
    (lambda: plots.pass_rates([]), "no assessments"),
    (lambda: plots.comparison([], []), "no question was decided in both"),
    (lambda: plots.pass_rates([], by=NEITHER), "no rates by 'neither'"),
    (lambda: plots.comparison(*runs({(True, False): 1}), names=(NEITHER,)), "give two texts"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("draw", "words"), NOTHING, ids=[words for _, words in NOTHING])
def test_nothing_to_draw_is_an_error_that_states_what_is_missing(draw: Callable[[], object], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        draw()


def test_svg_is_always_the_same_and_holds_texts_that_are_harmless() -> None:
    made = Benchmark("<b>")
    for text in ("$x^2$ <script>alert(1)</script> & more", "日本語 \x1b[31m", "a" * 500):
        made.add_question(text, "yes", keywords=[text])
    draw = (plots.keywords, plots.lengths, plots.readiness)
    first = [plots.svg(one(made)) for one in draw]
    second = [vars(type(figure))["_repr_svg_"](figure) for figure in (one(made) for one in draw)]
    assert first == second
    assert all(one.startswith('<svg role="img" ') and "<script" not in one for one in first)
    assert "$x^2$ <script>" in texts(plots.keywords(made))
    assert "a" * 43 + "…" in texts(plots.keywords(made))


def test_long_names_leave_room_for_the_chart() -> None:
    made = benchmark(2)
    made.add_global_rubric_trait(LLMRubricTrait(name="m" * 100, kind="boolean"))
    found = runs({(True, False): 3})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for figure in (
            plots.trait_coverage(made),
            plots.comparison(*found, names=("first model " * 20, "second model " * 20)),
        ):
            plots.svg(figure)
            assert min(figure.axes[0].get_position().size) > 0.15


@pytest.mark.parametrize("name", ["$x$", "$\\frac$", "_hidden"])
def test_names_of_runs_stand_in_the_legend_as_they_are(name: str) -> None:
    assert f"| {name} |" in texts(plots.comparison(*runs({(True, False): 3}), names=(name, "other")))


def test_a_question_of_several_lines_is_one_line_of_a_chart() -> None:
    made = Benchmark("Lines")
    made.add_question("Which metal\r\n\tis liquid?", "Mercury")
    made.add_global_rubric_trait(LLMRubricTrait(name="brief", kind="boolean"))
    assert "Which metal is liquid?" in texts(plots.trait_coverage(made))


def test_rows_are_limited_and_the_chart_states_so() -> None:
    made = Benchmark("Many")
    for number in range(33):
        made.add_question(f"Is {number} even?", "yes", keywords=[f"n{number}"])
    assert "3 more keywords are not shown" in texts(plots.keywords(made))


def test_without_matplotlib_the_error_names_the_extra_and_sites_have_no_charts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jinja2", reason="sites need the extra site")
    file = tmp_path / "metals.jsonld"
    benchmark().save(file)
    write_site([file], tmp_path / "with")
    assert sorted(one.name for one in tmp_path.glob("with/*/charts/*")) == ["lengths.svg", "readiness.svg"]
    assert 'src="charts/readiness.svg"' in next((tmp_path / "with").glob("*/index.html")).read_text(encoding="utf-8")

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    plots._chart.cache_clear()  # noqa: SLF001 - as in a process of its own
    with pytest.raises(SettingsError, match=r"checkpoint-ld\[plots\]"):
        plots.readiness(benchmark())
    write_site([file], tmp_path / "without")
    assert not [*tmp_path.glob("without/*/charts")]
