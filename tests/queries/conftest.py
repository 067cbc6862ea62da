"""The algebra of each query is made once: rdflib takes a tenth of a second to parse one, and evaluates it unchanged."""

from collections.abc import Iterator
from functools import cache

import pytest

from checkpoint_ld.guard.checking import GuardedQuery


@pytest.fixture(scope="module", autouse=True)
def _translated_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GuardedQuery, "algebra", cache(GuardedQuery.algebra))
        yield
