"""Values that are the same however a store writes them, and values that are not."""

from __future__ import annotations

import pytest

from checkpoint_ld.stores.request import large_integers, values_of

XSD = "http://www.w3.org/2001/XMLSchema#"


def triple(text: str, kind: str) -> bytes:
    suffix = f"^^<{XSD}{kind}>" if not kind.startswith("@") else kind
    return f'<urn:s> <urn:p> "{text}"{suffix} .\n'.encode()


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("true", "1", "boolean"),
        ("01", "1", "integer"),
        ("+1", "1", "int"),
        ("1.0", "1", "decimal"),
        ("-0.50", "-.5", "decimal"),
        ("-0", "0", "integer"),
        ("100", "0100", "integer"),
        ("8.5E-1", "0.85", "double"),
        ("1.0E0", "1", "double"),
        ("2026-01-02T00:00:00.120", "2026-01-02T00:00:00.12", "dateTime"),
        ("2026-01-02T00:00:00.000Z", "2026-01-02T00:00:00+00:00", "dateTime"),
    ],
)
def test_one_value_in_two_ways(one: str, other: str, kind: str) -> None:
    assert values_of(triple(one, kind)) == values_of(triple(other, kind))


def test_languages_are_the_same_in_any_case() -> None:
    assert values_of(triple("x", "@EN-us")) == values_of(triple("x", "@en-us"))


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("true", "false", "boolean"),
        ("1", "2", "integer"),
        ("9007199254740993", "9007199254740992", "integer"),
        (f"{10**40}", f"{10**40 + 1}", "integer"),
        ("10", "1", "integer"),
        ("-1.5", "1.5", "decimal"),
        ("0.1", "0.10000000000000002", "double"),
        ("01", "1", "string"),
        ("not a number", "another", "double"),
        ("2026-01-02T00:00:00.12", "2026-01-02T00:00:00.13", "dateTime"),
        ("2026-01-02T00:00:10", "2026-01-02T00:00:01", "dateTime"),
        ("2026-01-02T00:00:00", "2026-01-02T00:00:00Z", "dateTime"),
    ],
)
def test_two_values(one: str, other: str, kind: str) -> None:
    assert values_of(triple(one, kind)) != values_of(triple(other, kind))


def test_integers_beyond_a_limit_are_found_however_long() -> None:
    limit = 2**63 - 1
    numbers = [str(limit), str(limit + 1), str(-limit - 1), "0" * 30 + "7", "9" * 5000]
    triples = b"".join(triple(one, "integer") for one in numbers) + triple("9" * 30, "string")

    assert large_integers(triples, limit) == [numbers[1], numbers[2], numbers[4]]
