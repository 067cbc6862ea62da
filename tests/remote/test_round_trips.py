"""What each store makes of checkpoints and literals: the table in docs/collections.md."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from checkpoint_ld.stores.backend import Outgoing, blocks
from checkpoint_ld.stores.endpoint import profiles
from checkpoint_ld.stores.literals import altered, values_of
from tests.remote import odd_values, peers

Trip = Callable[[Sequence[Outgoing], Path], peers.Graphs]
MERGED = b"".join(
    f'<urn:s> <urn:p> "{text}"^^<http://www.w3.org/2001/XMLSchema#{kind}> .\n'.encode()
    for text, kind in (("1", "integer"), ("1.0E0", "double"), ("true", "boolean"), ("01", "integer"))
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trip", "changed", "merged"),
    [
        (peers.of_oxigraph, set(), 3),
        (peers.of_virtuoso, {"0", "1", "2", "3", "4", "5", "6"}, 1),
        (peers.of_rdflib_endpoint, set(), 4),
        (peers.of_comunica, set(), 4),
        (peers.of_tdb2, {"2", "7", "8"}, 3),
    ],
)
def test_what_comes_back_is_what_was_sent(trip: Trip, changed: set[str], merged: int, tmp_path: Path) -> None:
    checkpoints = [odd_values.benchmark(), *odd_values.agents()]
    valid = odd_values.literals(odd_values.LITERALS, odd_values.TEXTS)
    invalid = odd_values.literals(odd_values.CHANGED)
    one = Outgoing("urn:merged", MERGED, 4, "0")

    found = trip([*checkpoints, valid, invalid, one], tmp_path)

    for sent in (*checkpoints, valid):
        assert values_of(found[sent.graph]).keys() == values_of(sent.triples).keys(), sent.graph
    lost = values_of(invalid.triples).keys() - values_of(found[invalid.graph]).keys()
    assert {predicate[1].rpartition(":")[2].rstrip(">") for _, predicate, _ in lost} == changed
    assert len(set(found["urn:merged"].splitlines())) == merged


def test_literals_that_virtuoso_changes_are_those_that_are_warned_about() -> None:
    virtuoso = profiles()["virtuoso"]

    assert altered(odd_values.literals(odd_values.LITERALS, odd_values.TEXTS).triples, virtuoso) == {}
    assert [*altered(odd_values.literals(odd_values.CHANGED).triples, virtuoso)] == [
        text for _, text in odd_values.CHANGED[:7]
    ]
    for sent in (odd_values.benchmark(), *odd_values.agents()):
        assert altered(sent.triples, virtuoso) == {}
        assert b"E" in b"".join(blocks(sent.triples))
