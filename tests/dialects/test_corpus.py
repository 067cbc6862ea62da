"""What a reader finds in real documents of all dialects, and where it says that something is odd."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld.data import text
from checkpoint_ld.dialects import detect, dialect, source_pointer
from checkpoint_ld.dialects.datafeed import clean
from tests.dialects import DIALECT_FOLDERS, Json, documents, expectations, lacking
from tests.dialects.records import record_of

SEEN_BY_THE_UPGRADE = {"W-ANSWER-MISSING", "W-LEGACY-PROPERTY"}


def expected_record(case: dict[str, Any]) -> dict[str, Any]:
    """Return the record of a case in the words of the canonical dialect, where it uses those of the document."""
    record: dict[str, Any] = case["record"]
    if case["dialect"].startswith("v2"):
        creator = record.get("creator")
        if creator and set(creator) == {"@type", "name"} and creator["@type"] == "Person":
            record["creator"] = creator["name"]
        for question in record["questions"]:
            question["id"] = "urn:uuid:" + question["id"].removeprefix("urn:uuid:")
            if "category" in question:
                question["custom"] = {"category": question.pop("category"), "hasGeneratedTemplate": True}
    return record


@pytest.mark.parametrize("name", DIALECT_FOLDERS)
def test_the_records_of_real_documents_are_found(corpus: Path, name: str) -> None:
    cases = [case for case in expectations(corpus) if case["dialect"] == name]
    for case in cases:
        document = json.loads((corpus / case["file"]).read_text(encoding="utf-8-sig"))
        tree = dialect(name).upgrade(document).tree
        for read in (tree, clean(tree)):
            record = record_of(read)
            assert not list(lacking(expected_record(case), record)), case["file"]
            assert len(record["questions"]) == len(case["record"]["questions"]), case["file"]
    assert cases


def test_what_only_an_upgrade_can_see_is_reported_at_its_place(corpus: Path) -> None:
    for case in expectations(corpus):
        document = json.loads((corpus / case["file"]).read_text(encoding="utf-8-sig"))
        upgrade = dialect(case["dialect"]).upgrade(document)
        found = {(one.condition, one.place.pointer) for one in upgrade.findings if one.condition}
        wanted = {(code, place) for code, place in case["warnings"]}
        assert found <= wanted, case["file"]
        assert {pair for pair in wanted if pair[0] in SEEN_BY_THE_UPGRADE} <= found, case["file"]


def test_every_place_in_a_tree_leads_to_a_place_in_its_document(corpus: Path) -> None:
    """A place that an upgrade made up leads to what it was made from, or to a member that is missing there."""
    for name in DIALECT_FOLDERS:
        for file, document in documents(corpus, name):
            upgrade = dialect(name).upgrade(document)
            known = set(pointers(document))
            for pointer, source in upgrade.origins.items():
                parent = source[: source.rfind("/")]
                grandparent = parent[: parent.rfind("/")]
                assert {source, parent, grandparent} & known, f"{file} {pointer} {source}"


@pytest.mark.parametrize("name", [name for name in DIALECT_FOLDERS if name != "datafeed-ns-v3"])
def test_texts_are_found_again_at_their_places(corpus: Path, name: str) -> None:
    """Whatever text of a question, answer or template is in the tree stands in the document where the tree says."""
    compared = 0
    for file, document in documents(corpus, name):
        upgrade = dialect(name).upgrade(document)
        for index in range(len(upgrade.tree.get("dataFeedElement", []))):
            for inner in ("item/text", "item/acceptedAnswer/text", "item/hasPart/text"):
                pointer = f"/dataFeedElement/{index}/{inner}"
                stated = at(upgrade.tree, pointer)
                if stated:
                    assert at(document, source_pointer(upgrade.origins, pointer)) == stated, f"{file} {pointer}"
                    compared += 1
    assert compared


def test_reading_twice_gives_the_same(corpus: Path) -> None:
    for name in DIALECT_FOLDERS:
        for file, document in documents(corpus, name):
            before = json.dumps(document)
            assert dialect(name).upgrade(document) == dialect(name).upgrade(document), file
            assert json.dumps(document) == before, file


def test_documents_that_are_refused_later_can_still_be_upgraded(corpus: Path) -> None:
    upgraded = 0
    for folder in ("rejected", "tricky"):
        for path in sorted((corpus / folder).glob("*.json*")):
            try:
                document = json.loads(path.read_text(encoding="utf-8-sig"))
            except ValueError:
                continue
            found = detect(document)
            if found is not None:
                assert found.upgrade(document).tree
                upgraded += 1
    assert upgraded > 30


@pytest.mark.parametrize(
    ("shipped", "file"),
    [
        ("gui-datafeed", "gui-datafeed/gui-2026-01-v2ToJsonLd-out-698d32.json"),
        ("dataset", "dataset-1/gui-2025-08-v2ToJsonLd-out-0fb6eb.json"),
        ("karenina-plain", "datafeed-ns-v3/gen-simple-10.jsonld"),
    ],
)
def test_the_shipped_contexts_are_those_of_real_documents(corpus: Path, shipped: str, file: str) -> None:
    document = json.loads((corpus / file).read_text(encoding="utf-8"))

    assert json.dumps(json.loads(text("contexts", f"{shipped}.jsonld"))) == json.dumps(
        {"@context": document["@context"]}
    )


def at(value: Json, pointer: str) -> Json:
    """Return what stands at `pointer`, None if there is nothing."""
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            value = value[int(key)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            return None
    return value


def pointers(value: Json, pointer: str = "") -> Iterator[str]:
    yield pointer
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, held in inner:
        yield from pointers(held, f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}")
