"""What the tests of the mapping share: entities of every kind, and the way of a trait through a graph."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

from hypothesis import strategies as st

from checkpoint_ld import Benchmark
from checkpoint_ld.entities import (
    AgenticRubricTrait,
    AnyTrait,
    CallableRubricTrait,
    DynamicRubric,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
    Rubric,
)
from tests.documents import canonical, item

Json = Any
Traits = TypeVar("Traits", Rubric, DynamicRubric)

texts = st.text(st.characters(codec="utf-8"), max_size=12)
names = texts.filter(lambda text: text != "" and "." not in text)
directions = st.sampled_from([True, False, None])
json_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
templates = st.fixed_dictionaries(
    {"type": st.just("template"), "schema": st.dictionaries(texts, json_values, max_size=3)}
)
class_maps = st.lists(
    st.tuples(texts.filter(str.strip), texts.filter(str.strip)),
    min_size=2,
    max_size=5,
    unique_by=lambda one: one[0].lower(),
).map(dict)


def bounds(
    *, lowest: int = -(2**60), open_below: int = 0, open_above: int = 5
) -> st.SearchStrategy[dict[str, int | None]]:
    """Return ranges, either end of which may be open and then stands for a number that the range has to suit."""
    ends = st.tuples(st.none() | st.integers(lowest, 2**60), st.none() | st.integers(lowest, 2**60))
    suiting = ends.filter(
        lambda one: (open_below if one[0] is None else one[0]) < (open_above if one[1] is None else one[1])
    )
    return suiting.map(lambda one: {"min_score": one[0], "max_score": one[1]})


def described(required: bool) -> dict[str, st.SearchStrategy[Json]]:
    found = texts.filter(bool) if required else st.none() | texts
    return {"name": names, "description": found, "summary": st.none() | texts}


def kinds_of(model: Callable[..., AnyTrait], **others: st.SearchStrategy[Json]) -> st.SearchStrategy[AnyTrait]:
    """Return traits of the four kinds that a judge can be requested."""
    scalar = {**others, "higher_is_better": directions}
    boolean = st.builds(model, kind=st.just("boolean"), **scalar)
    literal = st.builds(model, kind=st.just("literal"), classes=class_maps, **scalar)
    template = st.builds(model, kind=templates, higher_is_better=st.none(), **others)
    score = st.builds(
        lambda ends, **members: model(kind="score", **ends, **members),
        bounds(),
        classes=st.none() | class_maps,
        **scalar,
    )
    return boolean | literal | template | score


deep_judgment = {
    "deep_judgment_excerpt_enabled": st.booleans(),
    "deep_judgment_max_excerpts": st.none() | st.integers(0, 9),
    "deep_judgment_fuzzy_match_threshold": st.none() | st.floats(0, 1),
    "deep_judgment_excerpt_retry_attempts": st.none() | st.integers(0, 9),
    "deep_judgment_search_enabled": st.booleans(),
    "include_ground_truth": st.booleans(),
}
regex_traits = st.builds(
    RegexRubricTrait,
    **described(required=False),
    pattern=st.sampled_from(["", "a", r"\[\d+\]", "é+", "(?i)x"]),
    case_sensitive=st.booleans(),
    invert_result=st.booleans(),
    higher_is_better=directions,
)
metric_traits = st.builds(
    MetricRubricTrait,
    **described(required=False),
    evaluation_mode=st.just("full_matrix"),
    metrics=st.lists(st.sampled_from(["precision", "recall", "f1", "accuracy"]), min_size=1, max_size=3),
    tp_instructions=st.lists(texts, min_size=1, max_size=3),
    tn_instructions=st.lists(texts, min_size=1, max_size=3),
    repeated_extraction=st.booleans(),
    higher_is_better=directions,
)
codes = st.binary(max_size=9) | st.sampled_from(["lambda text: True", "bGFtYmRh", "%%%", "def f(x):\n    return 1\n"])
functions = {**described(required=False), "callable_code": codes, "higher_is_better": directions}
callable_traits = st.one_of(
    st.builds(
        lambda ends, **members: CallableRubricTrait(kind="boolean", **ends, **members),
        bounds(),
        invert_result=st.booleans(),
        **functions,
    ),
    st.builds(lambda ends, **members: CallableRubricTrait(kind="score", **ends, **members), bounds(), **functions),
    st.builds(CallableRubricTrait, kind=st.just("literal"), classes=class_maps, **functions),
)
agentic_traits = kinds_of(
    AgenticRubricTrait,
    **described(required=True),
    context_mode=st.sampled_from(["trace_and_workspace", "trace_only"]),
    materialize_trace=st.booleans(),
    persist_trace=st.booleans(),
    max_turns=st.integers(1, 99),
    timeout_seconds=st.integers(1, 9999),
    model_override=st.none() | st.dictionaries(texts.filter(lambda one: one != "interface"), json_values, max_size=2),
)
llm_traits = kinds_of(LLMRubricTrait, **described(required=False), **deep_judgment)
traits = llm_traits | regex_traits | metric_traits | callable_traits | agentic_traits


def through_a_graph(tree: dict[str, Json]) -> Benchmark:
    """Return the benchmark that a document says, read back from statements alone."""
    statements = Benchmark.load(json.dumps(tree).encode()).to_ntriples()
    return Benchmark.load(statements.encode(), syntax="nt")


def with_ratings(ratings: list[Json], *, in_question: bool) -> dict[str, Json]:
    tree: dict[str, Json] = canonical(item())
    holder = tree["dataFeedElement"][0]["item"] if in_question else tree
    holder["rating"] = ratings
    return tree
