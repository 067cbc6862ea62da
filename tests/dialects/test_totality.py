"""Any document that a dialect recognises can be upgraded and written, however mutilated it is."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import settings as trial
from hypothesis import strategies as st

from checkpoint_ld import validate
from checkpoint_ld.data import text
from checkpoint_ld.dialects import DIALECTS, detect, dialect, source_pointer
from checkpoint_ld.dialects.datafeed import clean
from checkpoint_ld.errors import LookupFailedError
from tests.dialects import (
    DIALECT_FOLDERS,
    HTTPS,
    ITEM,
    Json,
    conversions,
    dataset,
    documents,
    element,
    expectations,
    feed,
    lacking,
    masked,
    prop,
    question,
    rating,
    state,
)
from tests.dialects.records import record_of
from tests.trials import examples

NAMES = st.sampled_from(
    [
        *(
            "@id",
            "@type",
            "name",
            "value",
            "kind",
            "classes",
            "text",
            "item",
            "rating",
            "additionalProperty",
            "keywords",
        ),
        *(
            "x_karenina",
            "x_v2",
            "traits",
            "scale",
            "min_score",
            "bestRating",
            "creator_details",
            "type",
            "metrics",
            "é/~",
        ),
        *("finished", "hasPart", "creator", "rubric", "globalRubric", "dataFeedElement", "acceptedAnswer", "invert"),
    ]
)
TEXTS = st.sampled_from(
    [
        *("", "a", "tone", "literal", "score", "boolean", "template", "tp_and_tn", "Person", "Question", "DataFeed"),
        *("{}", "[]", '[{"name": "x"}]', '{"a": 1, "a": 2}', "NaN", "karenina:GlobalRubricTrait", "Global Rubric"),
        *(
            "GlobalRegexTrait",
            "QuestionSpecificMetricRubricTrait",
            "urn:uuid:q1",
            "RegexTrait",
            "true",
            "\U0001f600" * 40,
        ),
    ]
)
NUMBERS = st.integers(-3, 10) | st.floats(allow_nan=False, allow_infinity=False) | st.just(10**400)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)

_GLOBAL = [rating(), rating("cites", "GlobalRegexTrait", additionalProperty=[prop("pattern", "x")])]
_OWN = [
    rating("depth", "QuestionSpecificRubricTrait", bestRating=5, worstRating=1, deep_judgment_enabled=True),
    rating("m", "QuestionSpecificMetricRubricTrait", additionalProperty=[prop("evaluation_mode", "tp_and_tn")]),
]
_PROPERTIES = [
    prop("finished", True),
    prop("author", '{"name": "A"}'),
    prop("custom_level", "easy"),
    prop("answer_notes", "n"),
]
_LEGACY = [prop("global_regex_rubric_traits", '[{"name": "r", "pattern": "x", "invert": true}]'), prop("own", 1)]
_ELEMENT = element(item=question(rating=_OWN, additionalProperty=_PROPERTIES, keywords=["a"]), keywords=["b"])
_RUBRIC = {
    "name": "R",
    "llm_traits": [{"name": "t", "kind": "score", "scale": [1, 2, 3]}],
    "regex_traits": [{"name": "r", "pattern": "x", "weight": 1}],
    "callable_traits": [{"name": "c", "callable_code": "AAAA"}],
    "metric_traits": [{"name": "m", "metrics": ["f1"], "tp_instructions": ["x"]}],
}
_METADATA = {"name": "Metals", "creator": {"@type": "Organization", "name": "O"}, "custom_properties": {"a": "b"}}
_ITEM: dict[str, Json] = {
    "question_rubric": _RUBRIC,
    "author": {"name": "A"},
    "custom_metadata": {"level": "easy"},
    "foo": 1,
}
_LEFT = {"@id": "q", "item": {"additionalProperty": [prop("answer_notes", "n")], "rating": [rating()]}}
SEEDS: tuple[dict[str, Json], ...] = (
    feed(rating=_GLOBAL, additionalProperty=_LEGACY, globalRubric=_RUBRIC),
    feed(rating=_GLOBAL, dataFeedElement=[_ELEMENT], additionalProperty=_LEGACY, globalRubric=_RUBRIC),
    feed(dataFeedElement=[_ELEMENT], additionalProperty=[prop("checkpoint_format_version", "3.0.0-jsonld")]),
    feed(**{"@context": HTTPS}, rating=_GLOBAL, dataFeedElement=[_ELEMENT], hasPart=[{"@type": "karenina:Scenario"}]),
    dataset(rating=_GLOBAL, hasPart=[_ELEMENT]),
    dataset(hasPart=[element(item=question(rating=[rating(ratingValue=1), *_OWN]))], dataFeedElement=[element()]),
    feed(
        dataFeedElement=[
            {"@type": "Question", "name": "Which?", "answerTemplate": "", "rubric": _RUBRIC, "scenario": "s"}
        ]
    ),
    state({**_ITEM, "x_karenina": _LEFT}, global_rubric=_RUBRIC, dataset_metadata=_METADATA, extra=[1]),
    state(_ITEM, global_rubric={"traits": [{"name": "t", "type": "RegexTrait"}]}),
    {
        "version": "2.0",
        "questions": [{"id": "q1", "question": "Which?", "category": "c", "isFinished": True, "rubric": _RUBRIC}],
        "templates": {"q1": {"template": "class Answer: ..."}, "q2": {}},
        "globalRubric": _RUBRIC,
    },
)


def places(value: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, held in inner for place in places(held, (*path, key)))]


@st.composite
def mutilated(draw: st.DrawFn) -> dict[str, Any]:
    """A document of some dialect in which a few places were overwritten, emptied, or given a member more."""
    document = copy.deepcopy(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 4))):
        *path, last = draw(st.sampled_from(places(document)[1:]))
        holder: Any = document
        for key in path:
            holder = holder[key]
        deed = draw(st.sampled_from(["overwrite", "remove", "add"]))
        if deed == "remove":
            del holder[last]
        elif deed == "add" and isinstance(holder[last], dict):
            holder[last][draw(NAMES)] = draw(VALUES)
        elif deed == "add" and isinstance(holder[last], list):
            holder[last].append(draw(VALUES))
        else:
            holder[last] = draw(VALUES)
        assume(len(document) > 1)
    return document


@trial(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], deadline=None, max_examples=examples(300)
)
@given(mutilated())
def test_whatever_is_recognised_can_be_upgraded_and_written(document: dict[str, Any]) -> None:
    found = detect(document)
    assume(found is not None)
    assert found is not None
    before = copy.deepcopy(document)

    upgrade = found.upgrade(document)

    assert document == before
    assert upgrade == found.upgrade(document)
    assert all(not place or place.startswith("/") for pair in upgrade.origins.items() for place in pair)
    for writable in DIALECTS:
        if writable.downgrade is not None:
            now = {"now": "2026-01-01T00:00:00.000Z"} if writable.name == "gui-datafeed" else {}
            written = writable.downgrade(upgrade.tree, **now)
            again = detect(written.value)
            assert again is not None
            again.upgrade(written.value)
    assert document == before


@pytest.mark.parametrize("document", SEEDS)
def test_the_documents_to_mutilate_are_of_some_dialect(document: dict[str, Any]) -> None:
    found = detect(document)

    assert found is not None
    assert found.upgrade(document).tree["dataFeedElement"]


def test_the_documents_to_mutilate_cover_all_dialects() -> None:
    assert {found.name for document in SEEDS if (found := detect(document))} == {one.name for one in DIALECTS}


def test_items_of_the_state_may_be_anything() -> None:
    document = state()
    document["checkpoint"] = {"a": 1, "b": None, "c": [], "d": {**ITEM, "question_rubric": "x"}}
    found = detect(document)

    assert found is not None
    assert [entry for entry in found.upgrade(document).tree["dataFeedElement"] if not isinstance(entry, dict)] == [
        1,
        None,
        [],
    ]


# --- How dialects are distinguished.


BARE = {"@type": "Question", "name": "Which?", "answerTemplate": "class Answer: ..."}
GUI = [prop("checkpoint_format_version", "3.0.0-jsonld")]


def name_of(document: Json) -> str | None:
    found = detect(document)
    return found.name if found else None


def without(document: dict[str, Json], *names: str) -> dict[str, Json]:
    return {name: value for name, value in document.items() if name not in names}


@pytest.mark.parametrize(
    ("document", "name"),
    [
        (state(), "v2.0"),
        (state(global_rubric={"llm_traits": []}), "v2.0"),
        (state(global_rubric={"traits": []}), "v2.0-traits-key"),
        (state({"question_rubric": {"traits": []}}), "v2.0-traits-key"),
        ({"version": "2.0", "questions": [], "templates": {}}, "v2.0-other"),
        (feed(), "datafeed-legacy"),
        (feed(**{"@context": "https://schema.org"}), "datafeed-legacy"),
        (feed(**{"@context": HTTPS}), "datafeed-ns-v3"),
        (feed(**{"@context": {"@vocab": "https://schema.org/"}}), "datafeed-ns-v3"),
        (feed(**{"@context": ["x", {"karenina": "urn:karenina:vocab:"}]}), "datafeed-ns-v3"),
        (feed(rating=[rating(kind="karenina:GlobalRubricTrait")]), "datafeed-ns-v3"),
        (feed(hasPart=[{"@type": "karenina:Scenario"}]), "datafeed-ns-v3"),
        (feed(additionalProperty=GUI), "gui-datafeed"),
        (feed(additionalProperty=[prop("conversion_metadata", "{}")]), "gui-datafeed"),
        (feed(rating=[rating(deep_judgment_enabled=True)]), "gui-datafeed"),
        (feed(**{"@context": HTTPS}, additionalProperty=GUI), "datafeed-ns-v3"),
        (feed(dataFeedElement=[BARE]), "flat"),
        (feed(**{"@context": HTTPS}, dataFeedElement=[BARE]), "flat"),
        (feed(dataFeedElement=[BARE, element()]), "datafeed-legacy"),
        (dataset(), "dataset-1"),
        (dataset(additionalProperty=[prop("global_rubric_traits", "[]")]), "dataset-0"),
        (dataset(hasPart=[element(item=question(rating=[rating()]))]), "dataset-0"),
        (dataset(rating=[rating()]), "dataset-1"),
        (dataset(hasPart=[], dataFeedElement=[element()]), "dataset-1"),
    ],
)
def test_a_document_is_known_by_its_signs(document: dict[str, Json], name: str) -> None:
    assert name_of(document) == name


def test_a_rating_without_a_type_is_a_sign_of_the_first_dataset() -> None:
    untyped = without(rating("tone"), "additionalType")

    assert name_of(dataset(hasPart=[element(item=question(rating=[untyped]))])) == "dataset-0"
    assert (
        name_of(dataset(hasPart=[element(item=question(rating=[rating(kind="QuestionSpecificRubricTrait")]))]))
        == "dataset-1"
    )


def test_a_datafeed_may_leave_out_its_type_and_context_but_not_its_elements() -> None:
    assert name_of(without(feed(), "@type")) == "datafeed-legacy"
    assert name_of(without(feed(), "@type", "@context")) == "datafeed-legacy"
    assert name_of(without(feed(), "@type", "@context", "dataFeedElement")) is None
    assert name_of(without(feed(), "dataFeedElement")) == "datafeed-legacy"


@pytest.mark.parametrize(
    "kind", ["https://schema.org/DataFeed", "http://schema.org/DataFeed", "schema:DataFeed", ["DataFeed"]]
)
def test_a_type_may_be_written_out(kind: Json) -> None:
    assert name_of(feed(**{"@type": kind})) == "datafeed-legacy"


def test_a_benchmark_in_its_version_2_0_is_not_taken_for_the_state() -> None:
    assert name_of(feed(version="2.0")) == "datafeed-legacy"
    assert name_of({**state(), "@type": "Thing"}) is None
    assert name_of({**state(), "@context": HTTPS}) is None


@pytest.mark.parametrize(
    "document",
    [
        *(None, 1, "text", [], {}, [feed()], {"@type": "Thing"}, {"name": "x"}),
        *(state(checkpoint=None), state(version="3.0"), {"version": "2.0"}),
    ],
)
def test_anything_else_is_of_no_dialect(document: Json) -> None:
    assert detect(document) is None


def test_the_order_of_detection_goes_from_the_special_to_the_general() -> None:
    names = [one.name for one in DIALECTS]

    assert names[:3] == ["v2.0-other", "v2.0-traits-key", "v2.0"]
    assert names[3:7] == ["flat", "datafeed-ns-v3", "gui-datafeed", "datafeed-legacy"]
    assert names[7:] == ["dataset-0", "dataset-1"]


def test_a_dialect_is_found_by_name() -> None:
    assert dialect("flat") in DIALECTS
    with pytest.raises(LookupFailedError, match=r"no dialect is called 'v3': choose one of v2.0-other, .*, dataset-1"):
        dialect("v3")


def test_every_dialect_states_what_it_is_and_what_gives_it_away() -> None:
    assert len({one.title for one in DIALECTS} | {one.signs for one in DIALECTS}) == 2 * len(DIALECTS)


def test_the_writable_dialects() -> None:
    writable = {one.name for one in DIALECTS if one.downgrade}

    assert writable == {"v2.0", "gui-datafeed", "dataset-1", "datafeed-ns-v3"}


def test_real_documents_are_distinguished(corpus: Path) -> None:
    wrong = [
        (case["file"], name)
        for case in expectations(corpus)
        if (name := name_of(json.loads((corpus / case["file"]).read_text(encoding="utf-8-sig")))) != case["dialect"]
    ]

    assert not wrong


@pytest.mark.parametrize(
    ("document", "is_loaded"),
    [
        (feed(), True),
        (feed(additionalProperty=[prop("checkpoint_format_version", "3.0.0-jsonld")]), True),
        (dataset(), False),
        (state(), False),
    ],
    ids=["datafeed-legacy", "gui-datafeed", "dataset-1", "v2.0"],
)
def test_a_dialect_that_karenina_does_not_load_is_a_finding(document: dict[str, Json], is_loaded: bool) -> None:
    codes = {one.code for one in validate(json.dumps(document).encode()).findings}

    assert ("KD021" not in codes) == is_loaded


# --- Conversions that were observed in the Karenina GUI, done by us.


def read(document: dict[str, Any]) -> dict[str, Any]:
    """Return the canonical tree of a document."""
    found = detect(document)
    assert found is not None
    return found.upgrade(document).tree


def converted(case: dict[str, Any]) -> dict[str, Any]:
    """Do the conversion of a case: from the state to the GUI's DataFeed, or from any JSON-LD to the state."""
    tree = read(case["input"])
    given = case.get("options") or {}
    options = {
        "preserve_ids": given.get("preserveIds", True),
        "include_metadata": given.get("includeMetadata", True),
        "is_creation": given.get("isCreation", False),
    }
    target = dialect("gui-datafeed" if case["op"] == "v2ToJsonLd" else "v2.0")
    assert target.downgrade is not None
    return target.downgrade(tree, **(options if target.name == "gui-datafeed" else {})).value


def known(record: dict[str, Any], *, identified: bool) -> Json:
    """Return what a record says: without what is empty, without identifiers if they were not requested."""
    empty: tuple[Json, ...] = (None, [], {}, "")
    hidden = () if identified else ("id",)

    def bare(value: Json) -> Json:
        if isinstance(value, list):
            return [bare(one) for one in value]
        if isinstance(value, dict):
            return {name: bare(held) for name, held in value.items() if held not in empty and name not in hidden}
        return value

    return bare(record)


@pytest.mark.parametrize("op", ["v2ToJsonLd", "jsonLdToV2"])
def test_the_newest_gui_s_conversions_are_matched(corpus: Path, op: str) -> None:
    cases = [case for case in conversions(corpus, "convert") if case["op"] == op]
    wrong = [
        case["id"]
        for case in cases
        if masked(converted(case), case.get("mask")) != masked(case["output"], case.get("mask"))
    ]

    assert len(cases) >= 30
    assert not wrong


def test_older_conversions_are_read_alike_on_both_sides(corpus: Path) -> None:
    cases = list(conversions(corpus, "read-both"))
    for case in cases:
        identified = (case.get("options") or {}).get("preserveIds", True)
        before, after = (record_of(read(case[side])) for side in ("input", "output"))
        assert not list(lacking(known(before, identified=identified), after)), case["id"]

    assert len(cases) >= 60


def test_nothing_that_the_gui_loses_is_lost(corpus: Path) -> None:
    cases = list(conversions(corpus, "better", "read-both", "convert"))
    for case in cases:
        identified = (case.get("options") or {}).get("preserveIds", True)
        before, after = record_of(read(case["input"])), record_of(read(converted(case)))
        if case["op"] == "v2ToJsonLd" and before.get("description") == "":
            del before["description"], before["version"]  # the GUI's defaults stand in for empty texts
        missing = list(lacking(known(before, identified=identified), after))
        assert not missing, case["id"]

    assert len(cases) >= 180


def test_what_the_gui_refuses_although_it_can_be_read_is_converted(corpus: Path) -> None:
    refused = [case for case in conversions(corpus, "better") if "output" not in case]

    for case in refused:
        assert detect(converted(case)) is not None, case["id"]
    assert refused


def test_members_that_the_gui_drops_are_still_there(corpus: Path) -> None:
    (case,) = (case for case in conversions(corpus, "better") if case["id"] == "extra/gui-2026-01/101")
    value = converted(case)

    assert value["extra_root"] == [1, 2]
    assert value["dataFeedElement"][0]["foo"] == {"a": [1, None]}
    assert value["rating"][0]["weight"] == 2


# --- What a reader finds in real documents of all dialects, and where it says that something is odd.


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
