"""Edits of rubrics and templates against a plain model, saved and read again after every step."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import Benchmark
from checkpoint_ld.entities import AnyTrait, CallableCode, CallableRubricTrait, DynamicRubric, Rubric
from checkpoint_ld.entities.rubric import TRAIT_LISTS
from checkpoint_ld.errors import WriteError
from tests.benchmark.editing import METAL, load, strange
from tests.documents import Json, canonical, item, rating, setting
from tests.mapping import traits
from tests.trials import examples

Place = tuple[str | None, bool]
"""The identifier of a question, None for the benchmark, and whether its dynamic rubric is meant."""

SECOND = "urn:uuid:question-metal-2"
SOURCES = [
    f"class Answer(BaseAnswer):\n    def verify(self):\n        return {value}\n" for value in ("True", "'\\u2028é'")
]


@dataclass
class Model:
    """The traits of every rubric in their order, what is stated of them beyond that, and the templates."""

    rubrics: dict[Place, list[AnyTrait]]
    sources: dict[str, str | None]
    unknown: dict[tuple[Place, str], Json] = field(default_factory=dict)

    @classmethod
    def of(cls, benchmark: Benchmark) -> Model:
        names = benchmark.get_question_ids()
        held: dict[Place, Rubric | DynamicRubric | None] = {
            (None, False): benchmark.get_global_rubric(),
            (None, True): benchmark.get_global_dynamic_rubric(),
            **{(name, False): benchmark.get_question_rubric(name) for name in names},
            **{(name, True): benchmark.get_question_dynamic_rubric(name) for name in names},
        }
        return cls(
            {place: [encoded(one) for one in rubric.traits()] if rubric else [] for place, rubric in held.items()},
            {name: benchmark.get_template(name) if benchmark.has_template(name) else None for name in names},
            dict(_unknown(benchmark)),
        )

    def names(self, place: Place) -> list[str]:
        return [trait.name for trait in self.rubrics[place]]

    def hold(self, place: Place, wanted: list[AnyTrait]) -> None:
        order = list(TRAIT_LISTS.values())
        self.rubrics[place] = sorted(map(encoded, wanted), key=lambda trait: order.index(type(trait)))
        kept = {(place, name) for name in self.names(place)}
        self.unknown = {key: stated for key, stated in self.unknown.items() if key[0] != place or key in kept}


def encoded(trait: AnyTrait) -> AnyTrait:
    """Return a trait with its code in base64, as a file has it that was edited."""
    if not isinstance(trait, CallableRubricTrait) or trait.callable_code is None:
        return trait
    return trait.model_copy(update={"callable_code": CallableCode(bytes(trait.callable_code))})


def _unknown(benchmark: Benchmark) -> Json:
    """Yield what the ratings of a benchmark say that nobody knows, by rubric and by the name of the trait."""
    tree = benchmark.to_jsonld("plain")
    requested = [element["item"] for element in tree["dataFeedElement"]]
    for name, holder in ((None, tree), *zip(benchmark.get_question_ids(), requested, strict=True)):
        for one in holder.get("rating", ()):
            stated = [one["ex:since"]] if "ex:since" in one else []
            stated += [entry for entry in one["additionalProperty"] if entry["name"] == "licence"]
            if stated:
                yield ((name, "Dynamic" in one["additionalType"]), one["name"]), stated


# --- the edits, on a benchmark and on the model


def add(benchmark: Benchmark, model: Model, *, at: str | None, trait: AnyTrait) -> None:
    def edit() -> None:
        if at is None:
            benchmark.add_global_rubric_trait(trait)
        else:
            benchmark.add_question_rubric_trait(at, trait)

    if trait.name in model.names((at, False)):
        with pytest.raises(WriteError):
            edit()
        return
    edit()
    model.hold((at, False), [*model.rubrics[at, False], trait])


def replace(benchmark: Benchmark, model: Model, *, at: str | None, wanted: list[AnyTrait], kept: list[int]) -> None:
    held = model.rubrics[at, False]
    mixed = _distinct([*(held[index % len(held)] for index in kept if held), *wanted])
    rubric = Rubric.from_traits(mixed)
    if at is None:
        benchmark.set_global_rubric(rubric)
    else:
        benchmark.set_question_rubric(at, rubric)
    model.hold((at, False), mixed)


def replace_dynamic(
    benchmark: Benchmark, model: Model, *, at: str | None, wanted: list[AnyTrait], kept: list[int]
) -> None:
    held = model.rubrics[at, True]
    mixed = _distinct([*(held[index % len(held)] for index in kept if held), *map(_summed_up, wanted)])
    rubric = DynamicRubric.from_traits(mixed) if mixed else None
    if at is None:
        benchmark.set_global_dynamic_rubric(rubric)
    else:
        benchmark.set_question_dynamic_rubric(at, rubric)
    model.hold((at, True), mixed)


def update(benchmark: Benchmark, model: Model, *, which: str, trait: AnyTrait) -> None:
    place: Place = (None, False)
    if trait.name != which and {trait.name, which} <= set(model.names(place)):
        with pytest.raises(WriteError):
            benchmark.update_global_rubric_trait(which, trait)
        return
    there = which in model.names(place)
    assert benchmark.update_global_rubric_trait(which, trait) is there
    if there:
        if (place, which) in model.unknown:
            model.unknown[place, trait.name] = model.unknown.pop((place, which))
        held = model.rubrics[place]
        if any(one.name == which and type(one) is type(trait) for one in held):
            model.hold(place, [trait if one.name == which else one for one in held])
        else:
            model.hold(place, [*(one for one in held if one.name != which), trait])


def remove(benchmark: Benchmark, model: Model, *, which: str) -> None:
    there = which in model.names((None, False))
    assert benchmark.remove_global_rubric_trait(which) is there
    model.hold((None, False), [one for one in model.rubrics[None, False] if one.name != which])


def clear(benchmark: Benchmark, model: Model, *, at: str | None) -> None:
    there = bool(model.rubrics[at, False])
    assert (benchmark.clear_global_rubric() if at is None else benchmark.remove_question_rubric(at)) is there
    model.hold((at, False), [])


def clear_all(benchmark: Benchmark, model: Model) -> None:
    static = [place for place in model.rubrics if not place[1]]
    assert benchmark.clear_all_rubrics() == sum(bool(model.rubrics[place]) for place in static)
    for place in static:
        model.hold(place, [])


def give(benchmark: Benchmark, model: Model, *, at: str, source: str) -> None:
    benchmark.add_answer_template(at, source)
    model.sources[at] = source


def give_all(benchmark: Benchmark, model: Model, *, source: str) -> None:
    missing = [name for name, held in model.sources.items() if held is None]
    assert benchmark.apply_global_template(source) == missing
    model.sources.update(dict.fromkeys(missing, source))


def _distinct(wanted: list[AnyTrait]) -> list[AnyTrait]:
    return list({trait.name: trait for trait in reversed(wanted)}.values())[::-1]


def _summed_up(trait: AnyTrait) -> AnyTrait:
    return trait.model_copy(update={"summary": trait.summary or "a concept"})


EDITS: dict[str, Callable[..., None]] = {
    one.__name__: one for one in (add, replace, replace_dynamic, update, remove, clear, clear_all, give, give_all)
}

names = st.sampled_from(["tone", "cites", "a", "é\n", 'q"'])
ours = st.builds(lambda trait, name: trait.model_copy(update={"name": name}), traits, names)
places = st.sampled_from([None, METAL, SECOND])
sources = st.sampled_from(SOURCES)
setting_edits = st.fixed_dictionaries(
    {"at": places, "wanted": st.lists(ours, max_size=3), "kept": st.lists(st.integers(0, 5), max_size=3)}
)
edits = st.one_of(
    st.tuples(st.just("add"), st.fixed_dictionaries({"at": places, "trait": ours})),
    st.tuples(st.just("replace"), setting_edits),
    st.tuples(st.just("replace_dynamic"), setting_edits),
    st.tuples(st.just("update"), st.fixed_dictionaries({"which": names, "trait": ours})),
    st.tuples(st.just("remove"), st.fixed_dictionaries({"which": names})),
    st.tuples(st.just("clear"), st.fixed_dictionaries({"at": places})),
    st.tuples(st.just("clear_all"), st.just({})),
    st.tuples(st.just("give"), st.fixed_dictionaries({"at": st.sampled_from([METAL, SECOND]), "source": sources})),
    st.tuples(st.just("give_all"), st.fixed_dictionaries({"source": sources})),
)


def dynamic(name: str, scope: str) -> Json:
    made = rating(name, scope, pattern="x", dynamic_trait_type="regex", summary="a dose")
    return {**made, "additionalType": f"karenina:{scope}DynamicRubricTrait"}


def unusual() -> Json:
    """Return a benchmark with unknown members everywhere, dynamic traits, and traits in an older place."""
    tree = strange(item(), item("Which metal is lightest?", SECOND))
    requested = [element["item"] for element in tree["dataFeedElement"]]
    del requested[1]["hasPart"]
    for scope, holder in (("Global", tree), *(("QuestionSpecific", one) for one in requested)):
        holder["rating"] += [rating("a", scope, pattern="b"), dynamic("tone", scope), dynamic("cites", scope)]
        for at, one in enumerate(holder["rating"]):
            one["ex:since"] = {"@type": "ex:Date", "ex:year": [1.0, at]}
            one["additionalProperty"].append({**setting("licence", [1, {"@id": None}]), "ex:by": scope})
    older = [{"name": "a", "pattern": "no"}, {"name": 'q"', "pattern": "x", "invert": True}]
    tree["additionalProperty"].append(setting("global_regex_rubric_traits", older))
    return tree


STARTS: dict[str, Callable[[], Benchmark]] = {
    "usual": lambda: load(canonical(item(), item("Which metal is lightest?", SECOND))),
    "odd": lambda: load(unusual()),
    "turtle": lambda: Benchmark.load(load(unusual()).to_turtle().encode(), syntax="turtle"),
}


@pytest.mark.slow
@settings(max_examples=examples(30))
@given(start=st.sampled_from(sorted(STARTS)), script=st.lists(edits, min_size=1, max_size=5))
def test_edits_do_what_a_plain_model_does_and_every_step_is_saved(start: str, script: list[tuple[str, Json]]) -> None:
    benchmark = STARTS[start]()
    model = Model.of(benchmark)
    beyond = _beyond(benchmark)
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in script:
            EDITS[name](benchmark, model, **copy.deepcopy(arguments))
            path = Path(folder, "benchmark.jsonld")
            benchmark.save(path, save_deep_judgment_config=True)
            for one in (benchmark, Benchmark.load(path), _through_statements(benchmark)):
                assert Model.of(one) == model
                assert _beyond(one) == beyond


def _beyond(benchmark: Benchmark) -> Json:
    """Return all that is stated of the benchmark and its questions beside rubrics, templates and dates."""
    tree = benchmark.to_jsonld("plain")
    elements = tree.pop("dataFeedElement")
    for holder in (tree, *elements, *(element["item"] for element in elements)):
        for key in ("rating", "dateModified", "hasPart"):
            holder.pop(key, None)
    tree["additionalProperty"] = [one for one in tree["additionalProperty"] if one["name"].startswith("benchmark")]
    return [tree, *elements]


def _through_statements(benchmark: Benchmark) -> Benchmark:
    return Benchmark.load(benchmark.to_ntriples().encode(), syntax="nt")
