"""Names of the parts of agent checkpoints: an IRI for any id, and the id again."""

from __future__ import annotations

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.agents import schema
from checkpoint_ld.graph import literals

KINDS = st.sampled_from(schema.KINDS)
ANY_TEXT = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("kind", "identifier", "expected"),
    [
        ("checkpoint", "ckpt_abc-1.2~3", "urn:caf:checkpoint/ckpt_abc-1.2~3"),
        ("thought", 'th 3 "x" <y>', "urn:caf:thought/th%203%20%22x%22%20%3Cy%3E"),
        ("tool-call", "_:b0", "urn:caf:tool-call/_%3Ab0"),
        ("tool-call", "../x", "urn:caf:tool-call/..%2Fx"),
        ("tool", "/x", "urn:caf:tool/%2Fx"),
        ("agent", "naïve", "urn:caf:agent/na%C3%AFve"),
        ("execution", "a%20b#/c", "urn:caf:execution/a%2520b%23%2Fc"),
        ("thought", "", "urn:caf:thought/"),
    ],
)
def test_an_id_is_percent_encoded_in_the_namespace_of_its_kind(
    kind: schema.Kind, identifier: str, expected: str
) -> None:
    assert schema.iri(kind, identifier) == expected
    assert schema.identifier(expected) == (kind, identifier)


@given(KINDS, ANY_TEXT)
def test_every_id_comes_back_from_its_iri_which_every_library_accepts(kind: schema.Kind, identifier: str) -> None:
    iri = schema.iri(kind, identifier)
    assert schema.identifier(iri) == (kind, identifier)
    assert literals.is_iri(iri)
    assert not literals.is_minted(iri)
    assert pyoxigraph.NamedNode(iri).value == iri


@given(KINDS, ANY_TEXT, KINDS, ANY_TEXT)
def test_two_ids_never_share_a_name(kind: schema.Kind, one: str, other_kind: schema.Kind, other: str) -> None:
    assert (schema.iri(kind, one) == schema.iri(other_kind, other)) == ((kind, one) == (other_kind, other))


@pytest.mark.parametrize(
    "iri",
    [
        "https://example.org/agent",
        "urn:caf:thoughts/a",
        "urn:caf:thought",
        "urn:caf:checkpoint/a#/snapshot",
        "urn:caf:agent/%FF",
    ],
)
def test_other_iris_have_no_id(iri: str) -> None:
    assert schema.identifier(iri) is None


@given(ANY_TEXT)
def test_every_unknown_key_comes_back_from_its_predicate_and_from_no_other(key: str) -> None:
    predicate = schema.extension_iri(key)
    assert schema.extension_key(predicate) == key
    assert literals.is_iri(predicate)
    others = ("urn:caf:vocab:thought", "urn:caf:ext:%FF", "https://schema.org/name")
    assert [*map(schema.extension_key, others)] == [None] * 3
