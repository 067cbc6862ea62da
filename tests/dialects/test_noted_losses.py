"""What is lost in another dialect: writers know it of usual objects, and find it by reading back everything else."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import settings as trial
from hypothesis import strategies as st

from checkpoint_ld.dialects import DIALECTS, Dialect, Downgrade, detect, leftovers, traits
from tests.dialects import DIALECT_FOLDERS, documents
from tests.dialects.test_nothing_vanishes import UNUSUAL, at, places, rich
from tests.dialects.test_totality import mutilated
from tests.trials import examples

WRITERS = [one for one in DIALECTS if one.downgrade is not None]
NOW = {"now": "2026-01-01T00:00:00.000Z"}
SPOTS = [path for path, _ in places(rich()) if path and "@context" not in path]


def read_back(dialect: Dialect, tree: dict[str, Any]) -> Downgrade:
    """Write a document in a dialect as if nothing in it was usual, so that all of it is read again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leftovers, "_is_usual", lambda *_, **__: False)
        patch.setattr(traits, "_is_complete", lambda *_: False)
        return written(dialect, tree)


def written(dialect: Dialect, tree: dict[str, Any]) -> Downgrade:
    assert dialect.downgrade is not None
    options = {} if dialect.name == "datafeed-ns-v3" else NOW
    return dialect.downgrade(tree, **options)


def assert_noted_as_read_back(tree: dict[str, Any], where: object = None) -> None:
    for dialect in WRITERS:
        noted, found = written(dialect, tree), read_back(dialect, tree)
        assert json.dumps(noted.value) == json.dumps(found.value), (dialect.name, where)
        assert noted.findings == found.findings, (dialect.name, where)


@pytest.mark.slow
@pytest.mark.parametrize("folder", DIALECT_FOLDERS)
def test_of_real_documents_as_much_is_noted_as_is_found(corpus: Path, folder: str) -> None:
    for file, document in documents(corpus, folder):
        found = detect(document)
        if found is not None:
            assert_noted_as_read_back(found.upgrade(document).tree, file)


@trial(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], deadline=None, max_examples=examples(200)
)
@given(mutilated())
def test_of_mutilated_documents_as_much_is_noted_as_is_found(document: dict[str, Any]) -> None:
    found = detect(document)
    assume(found is not None)
    assert found is not None
    assert_noted_as_read_back(found.upgrade(document).tree)


@trial(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=examples(300))
@given(st.dictionaries(st.sampled_from(SPOTS), st.sampled_from([..., None, True, 1, *UNUSUAL]), max_size=3))
def test_of_changed_documents_as_much_is_noted_as_is_found(changes: dict[tuple[str | int, ...], Any]) -> None:
    document = rich()
    for path, value in changes.items():
        other = copy.deepcopy(document)
        try:
            holder = at(other, path[:-1])
            if value is ...:
                del holder[path[-1]]
            else:
                holder[path[-1]] = value
            document = other
        except (KeyError, IndexError, TypeError):  # what the change is about is gone
            continue
    assert_noted_as_read_back(document)
