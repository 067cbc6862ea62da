"""The pages about entities and schemas say what is so."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest
from pydantic import BaseModel

from checkpoint_ld import entities
from checkpoint_ld.entities.json_schemas import described, json_schema, summaries

DOCS = Path(__file__).parents[2] / "docs"
ENTITIES = (DOCS / "entities.md").read_text(encoding="utf-8")
SCHEMAS = ENTITIES.partition("\n## JSON Schemas\n")[2]


def test_the_tables_of_fields_are_what_the_models_state() -> None:
    rendered = runpy.run_path(str(DOCS / "entity_pages.py"))["with_tables"](ENTITIES)
    assert rendered == ENTITIES, "run python docs/entity_pages.py"


def test_the_page_of_parameters_is_what_the_source_states() -> None:
    made = runpy.run_path(str(DOCS / "parameter_pages.py"))["page"]()
    assert made == (DOCS / "parameters.md").read_text(encoding="utf-8"), "run python docs/parameter_pages.py"
    for name in ("extract_questions_from_file", "CallableRubricTrait.from_callable", "Benchmark.save"):
        assert f"### `{name}`" in made


@pytest.mark.parametrize(
    "name", [one.type.__name__ for one in described().values() if isinstance(one.type, type)], ids=str
)
def test_each_entity_has_a_section_with_its_fields(name: str) -> None:
    sections = re.split(r"^#{2,4} ", ENTITIES, flags=re.MULTILINE)
    (section,) = (one for one in sections if one.startswith(f"`{name}`\n"))
    model: type[BaseModel] = getattr(entities, name)
    assert f"<!-- fields: {name} -->" in section
    for field in model.model_fields.keys() - {"type"}:
        assert f"| `{field}` |" in section


@pytest.mark.parametrize("name", list(entities.PRIMITIVES))
def test_each_primitive_is_shown_at_work(name: str) -> None:
    (section,) = re.findall(rf"^#### `{name}`\n(.*?)(?=^#|\Z)", ENTITIES, re.MULTILINE | re.DOTALL)
    assert re.search(rf"^```python\n.*print\({name}\(.*^```\n\n```text\n.+\n```$", section, re.MULTILINE | re.DOTALL)


def test_the_page_of_schemas_names_what_there_is() -> None:
    for name in re.findall(r"^\| `([\w-]+)`", SCHEMAS, re.MULTILINE):
        assert name in summaries()
    assert json_schema("checkpoint")["$schema"].startswith("https://json-schema.org/draft/2020-12")
    assert "draft 2020-12" in SCHEMAS


def test_the_settings_for_an_editor_are_json() -> None:
    (block,) = re.findall(r"^~~~~json\n(.*?)^~~~~$", SCHEMAS, re.MULTILINE | re.DOTALL)
    (schema,) = json.loads(block)["json.schemas"]
    assert schema["url"].removeprefix("./") in re.findall(r"--output (\S+)", SCHEMAS)
