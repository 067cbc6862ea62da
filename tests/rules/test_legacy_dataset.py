"""The profile `legacy-dataset`: the description of the Dataset dialect, rule by rule."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import families
from checkpoint_ld.findings import Severity
from checkpoint_ld.rules import example, patch
from checkpoint_ld.validation import profiles, validator
from tests.trials import some

ITEM = "/hasPart/0"
QUESTION = f"{ITEM}/item"
TEMPLATE = f"{QUESTION}/hasPart"
RATINGS = ("/rating/0", f"{QUESTION}/rating/0")
PROPERTIES = ("/additionalProperty/0", f"{QUESTION}/additionalProperty/0")
OBJECTS = (ITEM, QUESTION, f"{QUESTION}/acceptedAnswer", TEMPLATE, *RATINGS, *PROPERTIES)

MISSING = [
    ("/@context", "KD025"),
    ("/name", "KB001"),
    ("/version", "KB023"),
    ("/hasPart", "KB013"),
    *((f"{path}/@type", "KN004") for path in OBJECTS),
    (f"{ITEM}/dateModified", "KQ010"),
    (f"{ITEM}/item", "KQ002"),
    (f"{QUESTION}/text", "KQ003"),
    (f"{QUESTION}/acceptedAnswer", "KQ005"),
    (f"{QUESTION}/acceptedAnswer/text", "KQ006"),
    (f"{QUESTION}/hasPart", "KT001"),
    (f"{TEMPLATE}/text", "KT015"),
    (f"{TEMPLATE}/programmingLanguage", "KT014"),
    *(
        (f"{path}/{member}", code)
        for path in RATINGS
        for member, code in (
            *(("name", "KR002"), ("bestRating", "KR010"), ("worstRating", "KR011"), ("additionalType", "KR007")),
        )
    ),
    *((f"{path}/{member}", code) for path in PROPERTIES for member, code in (("name", "KP002"), ("value", "KP015"))),
]
FORBIDDEN = [
    ("/version", "1.0.0", "KL002"),
    ("/version", "", "KL002"),
    *((f"{path}/@type", "Thing", "KN003") for path in OBJECTS if path != TEMPLATE),
    (f"{TEMPLATE}/@type", "Thing", "KT003"),
    (f"{TEMPLATE}/programmingLanguage", "python", "KT005"),
    (f"{TEMPLATE}/programmingLanguage", "JavaScript", "KT004"),
    ("/dateModified", "yesterday", "KB009"),
    (f"{ITEM}/dateCreated", "2025-13-01", "KQ011"),
    *((f"{path}/bestRating", "five", "KR014") for path in RATINGS),
    *((f"{path}/bestRating", "5", "KR015") for path in RATINGS),
    ("/rating/0/additionalType", "GlobalLLMRubricTrait", "KL004"),
    ("/rating/0/additionalType", "Trait", "KR007"),
    (f"{RATINGS[1]}/additionalType", "QuestionSpecificLLMRubricTrait", "KL004"),
]


def dataset() -> Any:
    """Return a document that the description accepts, with a trait of each scope."""
    located = example("KL004")
    assert located is not None
    tree = json.loads(located.valid)
    own = {**tree["rating"][0], "@id": "urn:uuid:rating-depth", "name": "depth", "bestRating": 3, "worstRating": 1}
    tree["hasPart"][0]["item"]["rating"] = [own | {"additionalType": "QuestionSpecificRubricTrait"}]
    return tree


def changed(op: str, path: str, value: Any = None) -> Any:
    tree = dataset()
    patch(tree, [{"op": op, "path": path, "value": value}])
    return tree


def located(tree: Any, profile: str = "legacy-dataset", engine: str = validator.COMPILED) -> list[tuple[str, str, str]]:
    text = json.dumps(tree).encode()
    found = families.check(text, profiles.profile(profile), engine=engine).findings
    return [(one.code, one.severity.name.lower(), one.place.pointer or "") for one in found]


def assert_violates(tree: Any, code: str, pointer: str) -> None:
    """Hold that the description is broken in this one way, and that other profiles know it too."""
    found = located(tree)
    assert (code, "violation", pointer) in found
    assert {one for one, severity, _ in found if severity == "violation"} == {code}
    if not code.startswith("KL"):
        assert [one[::2] for one in located(tree, "karenina") if one[0] == code and one[1] != "info"] == [
            (code, pointer)
        ]


def test_the_description_accepts_its_own_kind_of_document() -> None:
    assert located(dataset()) == []


@pytest.mark.slow
@pytest.mark.parametrize(("path", "code"), MISSING)
def test_what_the_description_requires_is_missed(path: str, code: str) -> None:
    assert_violates(changed("remove", path), code, path)


@pytest.mark.slow
@pytest.mark.parametrize(("path", "value", "code"), FORBIDDEN)
def test_what_the_description_forbids_is_found(path: str, value: Any, code: str) -> None:
    assert_violates(changed("replace", path, value), code, path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        ("add", "/@id", "rq 1"),
        *some([("remove", path) for path, _ in MISSING], 4),
        *some([("replace", path, value) for path, value, _ in FORBIDDEN], 4),
    ],
)
def test_pyshacl_finds_the_same(change: tuple[str, ...]) -> None:
    tree = changed(*change)
    assert located(tree, engine=validator.PYSHACL) == located(tree)


@pytest.mark.parametrize("path", RATINGS)
def test_the_worst_rating_is_below_the_best(path: str) -> None:
    assert_violates(changed("replace", f"{path}/worstRating", 9), "KR016", f"{path}/worstRating")


@pytest.mark.parametrize("root", ["DataFeed", "Question", None])
def test_only_a_dataset_is_of_this_dialect(root: str | None) -> None:
    tree = changed("replace", "/@type", root) if root else changed("remove", "/@type")

    assert any(severity == "violation" for _, severity, _ in located(tree))


@pytest.mark.parametrize("member", ["hasPart", "rating", "additionalProperty"])
def test_what_the_description_has_as_an_array_is_one(member: str) -> None:
    tree = dataset()
    [tree[member]] = tree[member]

    assert_violates(tree, "KD012", "")


def test_elements_stand_in_has_part() -> None:
    tree = dataset()
    tree["dataFeedElement"] = tree.pop("hasPart")

    assert_violates(tree, "KD012", "/dataFeedElement")


def test_an_author_is_no_type() -> None:
    tree = changed("remove", "/rating/0/additionalType")
    tree["rating"][0]["author"] = "Global Rubric"

    assert [one for one in located(tree) if one[1] != "info"] == [("KD024", "violation", "/rating/0")]


@pytest.mark.slow
@pytest.mark.parametrize("path", ["", ITEM, QUESTION, f"{QUESTION}/acceptedAnswer", TEMPLATE, *RATINGS])
@pytest.mark.parametrize(
    ("identifier", "is_urn"), [("https://example.org/1", False), ("rq 1", False), ("urn:isbn:1", True)]
)
def test_own_identifiers_are_urns(path: str, identifier: str, is_urn: bool) -> None:
    tree = changed("add", f"{path}/@id", identifier)
    found = [one for one in located(tree) if one[1] != "info"]

    assert found == ([] if is_urn else [("KL003", "warning", f"{path}/@id")])


def test_a_trait_without_a_direction_may_have_no_value_for_it() -> None:
    tree = dataset()
    feed = {**tree, "@type": "DataFeed", "dataFeedElement": tree["hasPart"]}
    del feed["hasPart"]
    setting = {"@type": "PropertyValue", "name": "higher_is_better"}
    feed["rating"][0]["additionalProperty"] = [setting]
    given = copy.deepcopy(feed)
    given["rating"][0]["additionalProperty"] = [{**setting, "name": "summary"}]

    for engine in validator.ENGINES:
        assert [one for one in located(feed, "karenina", engine) if one[0] == "KP015"] == []
        assert ("KP015", "warning", "/rating/0/additionalProperty/0/value") in located(given, "karenina", engine)


def test_the_verdicts_of_the_validators_of_2025_are_kept(corpus: Path) -> None:
    """The second validator no longer requested a version that names the format."""
    judged = 0
    for case in map(json.loads, (corpus / "gui-conversion-cases.jsonl").read_text().splitlines()):
        if case["op"] != "validate" or case["source"] not in ("gui-2025-07", "gui-2025-08"):
            continue
        judged += 1
        violations = {code for code, severity, _ in located(case["input"]) if severity == "violation"}
        if case["use"] == "validate-error":
            assert violations, case["id"]
        else:
            assert violations <= {"KL002"}, case["id"]
    assert judged


def test_the_example_of_the_description_has_no_violation(corpus: Path) -> None:
    found = families.check(
        corpus / "dataset-1" / "seed-002-example.jsonld", profiles.profile("legacy-dataset")
    ).findings

    assert [one for one in found if one.severity is Severity.VIOLATION] == []
