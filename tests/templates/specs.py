"""Template specifications of every kind, for properties: valid ones, in the form in which they are read."""

from functools import cache
from typing import Any

from hypothesis import strategies as st

from checkpoint_ld.entities.template_spec import TemplateFieldSpec, TemplateSpec, VerifyStrategySpec
from checkpoint_ld.templates.primitives import FLAGS, NORMALIZERS, Primitive, PrimitiveParameter, registry

HOSTILE = (
    *('"""', "'''", "'", '"', "\\", "\\'", "\n", "\r\n", "\x00", "\u2028", "\x85", "{x}", "{", "%s", "# ", "\\N{DASH}"),
    *("'), verify_with=evil(),", '"\nimport os\n', "\\\n", "f'{1}'", "\u202e", "\U0001f600", "\x1b[0m", " ", "\t"),
)
NAMES = ("gene", "x", "type", "match", "größe", "名", "json", "answer", "Field", "l0", "a_b", "date", "source", "n")

texts = st.one_of(st.text(max_size=20), st.lists(st.sampled_from(HOSTILE), max_size=4).map("".join))
filled = texts.map(lambda text: text if text.strip() else f"{text}?")
numbers = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
scalars = st.one_of(st.none(), st.booleans(), numbers, texts, st.just(-0.0), st.just(2**4096 - 1))
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)
patterns = st.sampled_from([r"\d+", "(?i)a|b", r"'\"\\", "[^\n]", ""])
synonyms = st.dictionaries(texts, texts, max_size=2).map(lambda mapping: {"mapping": mapping})


def lists(items: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(items, max_size=3)


TRUTHS: dict[str, st.SearchStrategy[Any]] = {
    "number": numbers | st.sampled_from(["1.5", "1e3"]),
    "boolean": st.booleans() | st.sampled_from(["yes", "False", 0, 1]),
    "flag": st.booleans(),
    "list": lists(values),
    "date": st.dates().map(lambda date: date.isoformat()),
}


def _parameter(parameter: PrimitiveParameter) -> st.SearchStrategy[Any]:
    least = max(parameter.above or 0.0, parameter.at_least or 0.0)
    bounded = parameter.above is not None or parameter.at_least is not None
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "text": texts,
        "texts": lists(texts),
        "pattern": patterns,
        "flags": lists(st.sampled_from(sorted(FLAGS))),
        "normalizers": lists(st.sampled_from(NORMALIZERS) | synonyms),
        "number": st.floats(least, 1e9, exclude_min=parameter.above is not None) if bounded else st.floats(-1e9, 1e9),
        "integer": st.integers(),
        "boolean": st.booleans(),
        "choice": st.sampled_from(parameter.choices) if parameter.choices else st.nothing(),
    }
    given = kinds[parameter.kind]
    return given | st.none() if (not parameter.required and parameter.default is None) else given


def _ordered(primitive: Primitive, expected: dict[str, Any]) -> bool:
    bounds = [(expected[one.name], expected[one.below]) for one in primitive.parameters if one.below]
    return all(low is None or high is None or low < high for low, high in bounds)


@cache
def primitives(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Return a primitive in serialised form, with all its parameters in their order."""
    primitive = registry()[name]
    if name == "DateMatch":
        return st.sampled_from([None, "%Y-%m-%d"]).map(lambda form: {"format": form, "type": "DateMatch"})
    names = [one.name for one in primitive.parameters]
    stated = st.tuples(*(_parameter(one) for one in primitive.parameters)).map(
        lambda given: dict(zip(names, given, strict=True))
    )
    return stated.filter(lambda given: _ordered(primitive, given)).map(lambda given: {**given, "type": name})


def truths(primitive: Primitive, literals: list[str] | None) -> st.SearchStrategy[Any]:
    """Return ground truths that fit a primitive."""
    if literals:
        return st.sampled_from(literals)
    return TRUTHS.get(primitive.truth, values)


@st.composite
def fields(draw: st.DrawFn, name: str, *, primitive_name: str | None = None) -> TemplateFieldSpec:
    """Return a field; one that is compared as a date has the type date."""
    known = registry()
    primitive = known[primitive_name or draw(st.sampled_from(sorted(known)))]
    type_ = "date" if "date" in primitive.types else draw(st.sampled_from(primitive.types))
    literals = draw(st.lists(texts, min_size=1, max_size=3, unique=True)) if type_ == "literal" else None
    truth = draw(truths(primitive, literals))
    if draw(st.integers(0, 3)) == 0:
        fitting = [one for one in known.values() if type_ in one.types and one.trace == primitive.trace]
        truth = draw(_conditional(primitive, fitting, literals))
    return TemplateFieldSpec(
        name=name,
        type=type_,
        description=draw(filled),
        extraction_hint=draw(st.none() | filled),
        ground_truth=truth,
        literal_values=literals,
        verify_with=draw(primitives(primitive.name)),
        weight=draw(st.sampled_from([1.0, 0.0, 2.0]) | st.floats(0, 1e300)),
        is_trace=primitive.trace,
    )


@st.composite
def _conditional(
    draw: st.DrawFn, primitive: Primitive, fitting: list[Primitive], literals: list[str] | None
) -> dict[str, Any]:
    def case() -> dict[str, Any]:
        other = draw(st.none() | st.sampled_from(fitting))
        verify_with = None if other is None else draw(primitives(other.name))
        return {"value": draw(truths(other or primitive, literals)), "verify_with": verify_with}

    cases = {name: case() for name in draw(st.lists(texts, max_size=2, unique=True))}
    return {"source": draw(texts), "cases": cases, "default": case(), "__conditional__": True}


@cache
def strategies(names: tuple[str, ...]) -> st.SearchStrategy[VerifyStrategySpec]:
    """Return trees over the named fields."""
    leaves = st.builds(VerifyStrategySpec, type=st.just("field_check"), field_name=st.sampled_from(names))

    def composed(inner: st.SearchStrategy[VerifyStrategySpec]) -> st.SearchStrategy[VerifyStrategySpec]:
        plain = st.builds(VerifyStrategySpec, type=st.sampled_from(["all_of", "any_of"]), conditions=lists(inner))
        counted = st.builds(
            VerifyStrategySpec, type=st.just("at_least_n"), n=st.integers(0, 4), conditions=lists(inner)
        )
        return plain | counted

    return st.recursive(leaves, composed, max_leaves=5)


@st.composite
def specs(draw: st.DrawFn) -> TemplateSpec:
    """Return a valid specification of one to four fields."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    return TemplateSpec(
        fields=[draw(fields(name)) for name in names],
        verify_strategy=draw(st.none() | strategies(tuple(names))),
        class_name=draw(st.sampled_from(["Answer", "Antwort", "_Ü"])),
    )
