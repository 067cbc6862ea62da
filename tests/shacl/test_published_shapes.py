"""Shapes that others have published: our engine finds what pySHACL finds."""

import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

import pyshacl
import pytest

from checkpoint_ld import shacl
from tests.conftest import REPOSITORY
from tests.parsed_once import parsed_once
from tests.trials import some

FOLDER = REPOSITORY / ".venv" / "published-shapes"
needs_published_shapes = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="needs the shapes of RO-Crate and Brick: make .venv/.published-shapes installs them"
)


pytestmark = [
    needs_published_shapes,
    # Those of RO-Crate have sh:dataType, which is no term of SHACL.
    pytest.mark.filterwarnings("ignore::checkpoint_ld.errors.ShapesWarning"),
]


@pytest.fixture(scope="module")
def engines() -> Iterator[ModuleType]:
    """The benchmark of engines, which has the data."""
    sys.path.insert(0, str(REPOSITORY / "benchmarks"))
    yield import_module("shacl_engines")
    sys.path.remove(str(REPOSITORY / "benchmarks"))
    sys.modules.pop("shacl_engines", None)


@pytest.mark.slow
@pytest.mark.parametrize("name", some(["ro-crate/1.2", "ro-crate/1.1"], 2))
def test_all_shapes_of_ro_crate_give_equal_results(engines: ModuleType, name: str) -> None:
    whole, data = engines.material(FOLDER, name, some((1, 4, 7), 2))
    shapes = shacl.compile_shapes(whole, advanced=True)
    assert shapes.rules
    assert shapes.target_queries

    for one in data:
        with parsed_once():
            expected = engines.results_of(pyshacl.validate(one, shacl_graph=whole, advanced=True))
        assert engines.results_of(shacl.validate(one, shapes)) == expected
        assert expected


@pytest.mark.slow
def test_the_core_shapes_of_brick_give_equal_results(engines: ModuleType) -> None:
    whole, data = engines.material(FOLDER, "brick/1.3", some((1, 5), 2))
    core = engines.core_of(whole)
    shapes = shacl.compile_shapes(core)

    for one in data:
        expected = engines.results_of(pyshacl.validate(one, shacl_graph=core))
        assert engines.results_of(shacl.validate(one, shapes)) == expected
        assert expected
