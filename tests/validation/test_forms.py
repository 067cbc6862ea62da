"""Forms and relations judge any value at all without raising."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import URIRef

from checkpoint_ld.constraints import names, relations
from checkpoint_ld.constraints.forms import FORMS
from checkpoint_ld.constraints.values import value_of
from checkpoint_ld.graph.literals import literal_of

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20)
)
JSON: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)


@pytest.mark.parametrize("name", FORMS)
@given(value=JSON)
def test_a_form_says_what_is_wrong_with_any_value_or_nothing(name: str, value: Any) -> None:
    fault = FORMS[name](value)

    assert fault is None or (isinstance(fault, str) and fault)


@pytest.mark.parametrize("name", FORMS)
def test_a_form_judges_nodes_too(name: str) -> None:
    fault = FORMS[name](value_of(URIRef("urn:example:node")))

    assert fault is None or fault


@given(JSON, JSON)
def test_relations_hold_or_not_for_any_two_values(one: Any, other: Any) -> None:
    for relation in (relations.is_before, relations.is_below, relations.is_same_number, relations.is_identifier_of):
        assert relation(one, other) in (True, False)


@given(JSON.filter(lambda value: value is not None))
def test_a_literal_stands_for_the_value_that_it_was_made_of(value: Any) -> None:
    coercion = "@json" if isinstance(value, (list, dict)) else None

    assert value_of(literal_of(value, coercion)) == value


@pytest.mark.parametrize(
    ("name", "meant"),
    [("acceptedAnser", "acceptedAnswer"), ("Keywords", "keywords"), ("licence", None), ("x" * 1000, None)],
)
def test_the_nearest_name_is_suggested_only_where_it_is_near(name: str, meant: str | None) -> None:
    assert names.nearest(name, ("text", "acceptedAnswer", "keywords")) == meant
