"""Nothing vanishes without a word: members and values that nobody knows, one at a time, in and out of every dialect."""

import copy
import json
import tempfile
from collections.abc import Collection, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as trial
from hypothesis import strategies as st

from checkpoint_ld import Benchmark, ReadError, dialects, families
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.findings import Finding, Severity
from checkpoint_ld.validation import profiles
from tests.dialects import (
    DIALECT_FOLDERS,
    HTTPS,
    Json,
    dataset,
    documents,
    element,
    feed,
    prop,
    question,
    rating,
    settings,
    state,
)
from tests.dialects.test_totality import SEEDS
from tests.trials import CI, examples

Path_ = tuple[str | int, ...]

TARGETS = ("v2.0", "gui-datafeed", "dataset-1")
UNKNOWN: dict[str, Json] = {
    "zz": "MARK",
    "zz_object": {"a": [1, None, "MARK"]},
    "description": "MARK",
    "x_v2": {"M": 1},
}
UNUSUAL: tuple[Json, ...] = ("", "MARK", 0.5, {"note": "MARK"}, ["MARK"])
OWN = "karenina:QuestionSpecific"
DEEP = [prop("deep_judgment_enabled", False), prop("min_score", 1), prop("max_score", 5)]


def rich() -> dict[str, Any]:
    """Return a canonical document with every kind of object that the older dialects treat in their own way."""
    own = [
        rating("depth", f"{OWN}RubricTrait", bestRating=5, worstRating=1, description="how deep"),
        rating("unit", f"{OWN}RubricTrait", additionalProperty=[prop("kind", "score"), *DEEP[:1]]),
        rating("cites", f"{OWN}RegexTrait", additionalProperty=[prop("pattern", "x"), prop("higher_is_better", True)]),
        rating(
            "names",
            f"{OWN}MetricRubricTrait",
            additionalProperty=[prop("metrics", ["f1"]), prop("tp_instructions", ["a"]), prop("summary", "s")],
        ),
        rating("acts", f"{OWN}AgenticRubricTrait", description="d", additionalProperty=[prop("max_turns", 3)]),
    ]
    classes = [prop("higher_is_better", True), prop("kind", "literal"), prop("classes", {"a": "b", "c": "d"})]
    entries = [
        *(prop("finished", True), prop("author", '{"name": "A"}'), prop("custom_year", 2020)),
        *(prop("sources", '[{"name": "S"}]'), prop("answer_notes", "n")),
    ]
    return feed(
        **{"@context": HTTPS},
        description="d",
        version="0.2.0",
        creator={"@type": "Person", "name": "A", "email": "a@example.org"},
        rating=[
            rating(kind="karenina:GlobalRubricTrait", additionalProperty=[prop("higher_is_better", False), *DEEP]),
            rating("warmth", "karenina:GlobalLLMRubricTrait", additionalProperty=classes),
        ],
        dataFeedElement=[element(item=question(rating=own, additionalProperty=entries, keywords=["k"]))],
        additionalProperty=[prop("benchmark_format_version", "3.0.0-jsonld"), prop("own", {"a": 1})],
    )


def places(value: Json, path: Path_ = ()) -> Iterator[tuple[Path_, Json]]:
    """Yield all places of a document but for its context and for what may be any JSON."""
    yield path, value
    if isinstance(value, dict | list) and path[-1:] not in (("@context",), ("value",)):
        for key, held in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(held, (*path, key))


def at(value: Json, path: Path_) -> Json:
    for key in path:
        value = value[key]
    return value


def changed(document: Json, path: Path_, value: Json) -> Json:
    other = copy.deepcopy(document)
    at(other, path[:-1])[path[-1]] = value
    return other


def comparable(value: Json, member: str = "") -> Json:
    """Return a tree with ratings and properties by name, in any order, and JSON text as what it spells."""
    if isinstance(value, str) and value.startswith(("{", "[")):
        return comparable(json.loads(value))
    if isinstance(value, dict):
        return {name: comparable(held, name) for name, held in value.items() if name != "@context"}
    if not isinstance(value, list):
        return value
    if member not in ("rating", "additionalProperty"):
        return [comparable(one) for one in value]
    names = {one["name"]: [comparable(other) for other in value if other["name"] == one["name"]] for one in value}
    return names or None


def lacking(want: Json, have: Json, path: Path_ = ()) -> Iterator[Path_]:
    """Yield the places of what `want` says and `have` does not; an empty list says nothing."""
    if isinstance(want, dict) and isinstance(have, dict):
        for key, held in want.items():
            if key in have:
                yield from lacking(held, have[key], (*path, key))
            elif held not in (None, []) or key in UNKNOWN:
                yield (*path, key)
    elif isinstance(want, list) and isinstance(have, list) and len(want) == len(have):
        for index, pair in enumerate(zip(want, have, strict=True)):
            yield from lacking(*pair, (*path, index))
    elif want != have or isinstance(want, bool) != isinstance(have, bool):
        yield path


def named(findings: tuple[Finding, ...], tree: Json) -> set[Path_]:
    """Return the places that losses name, with entries of ratings and properties by their names."""
    found = set()
    for one in findings:
        assert one.condition == "W-LOSS"
        path: Path_ = ()
        value, members = tree, (one.place.pointer or "").split("/")[1:]
        for key in (member.replace("~1", "/").replace("~0", "~") for member in members):
            if isinstance(value, list):
                value = value[int(key)]
                by_name = path[-1:] in (("rating",), ("additionalProperty",))
                path = (*path, value["name"], 0) if by_name else (*path, int(key))
            else:
                value = value.get(key) if isinstance(value, dict) else None
                path = (*path, key)
        found.add(path)
    return found


def unsaid(document: Json, target: str, folder: Path) -> list[Path_] | None:
    """Return what neither a file of another dialect says nor a finding names; None if the document cannot be loaded."""
    try:
        benchmark = Benchmark.load(json.dumps(document).encode())
    except ReadError:
        return None
    file = folder / "other.json"
    findings = benchmark.save(file, dialect=target, save_deep_judgment_config=True)
    again = Benchmark.load(file)
    assert again.dialect == target
    tree = json.loads(json.dumps(benchmark.to_jsonld()))
    losses = named(findings, tree)
    return [
        place
        for place in lacking(comparable(tree), comparable(made(again.to_jsonld())))
        if not any(place[: len(one)] == one or one[: len(place)] == place for one in losses)
    ]


def made(tree: Json) -> Json:
    """Return a tree with its creator as a whole, who may be in two places."""
    return {**tree, "creator": settings(tree).get("creator_details", tree.get("creator"))}


IDLE = {
    "v2.0": {"min_score", "max_score", "benchmark_format_version"},
    "gui-datafeed": {"deep_judgment_enabled", "min_score", "max_score"},
    "dataset-1": set(),
}
"""Properties of the document that say nothing, and that a dialect does without."""


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_a_member_that_nobody_knows_is_kept_or_named(target: str, tmp_path: Path) -> None:
    document = rich()
    usual = set(unsaid(document, target, tmp_path) or ())
    assert {place[-1] for place in usual} <= IDLE[target]
    tried = 0
    for at, (path, value) in enumerate(places(document)):
        unknown = [*UNKNOWN.items()][at % 2 :: 2] if CI else [*UNKNOWN.items()]
        for name, content in unknown if isinstance(value, dict) and path[-1:] != ("value",) else ():
            if name not in value and "@context" not in path:
                left = unsaid(changed(document, (*path, name), content), target, tmp_path)
                assert left is None or set(left) <= usual, (path, name)
                tried += left is not None
    assert tried > 60


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_a_value_that_nobody_expects_is_kept_or_named(target: str, tmp_path: Path) -> None:
    document = rich()
    usual = set(unsaid(document, target, tmp_path) or ())
    tried = 0
    for at, (path, value) in enumerate(places(document)):
        if not path or "@context" in path or isinstance(value, dict | list) or path[-1] == "name":
            continue
        for other in (UNUSUAL[at % 5],) if CI else UNUSUAL:
            if other == "" and path[-1] == "value":
                continue  # an empty author or source is none
            left = unsaid(changed(document, path, other), target, tmp_path)
            assert left is None or set(left) <= usual, (path, other)
            tried += left is not None
    assert tried > 50


LEGACY = [
    {"name": "a", "kind": "score", "min_score": 1, "max_score": 3},
    {"name": "tone", "kind": "boolean", "weight": 2},
]
OLD = (
    *SEEDS,
    feed(rating=[rating()], additionalProperty=[prop("global_rubric_traits", json.dumps(LEGACY))]),
    dataset(
        hasPart=[element(item=question(rating=[rating()])), element(item=question("Other?", rating=[rating()]))],
        additionalProperty=[prop("global_rubric_traits", json.dumps(LEGACY))],
    ),
    feed(
        creator="A",
        additionalProperty=[
            prop("checkpoint_format_version", "3.0.0-jsonld"),
            prop("creator_details", {"@type": "Person", "name": "A", "email": "e"}),
        ],
    ),
    {
        "version": "2.0",
        "questions": [{"id": "q1", "question": "Which?", "category": "c", "isFinished": True, "rubric": None}],
        "templates": {"q1": {"template": "class Answer: ..."}, "q2": {}},
        "progress": {"finished": 1, "total": 1},
    },
)
NAMES = ("zz", "value", "text", "type", "description", "finished", "rubric", "x_v2", "invert", "programmingLanguage")


def marked(document: Json) -> Iterator[tuple[Path_, Json]]:
    """Yield copies of a document with a mark in one place: in a member more, or for a scalar; within JSON text too."""
    for path, value in places(document):
        if "@context" in path:
            continue
        if isinstance(value, dict):
            for name in NAMES:
                if name not in value:
                    yield (*path, name), changed(document, (*path, name), "MARK")
        elif path and not isinstance(value, list):
            yield path, changed(document, path, "MARK")
            if isinstance(value, str) and value.startswith("["):
                for inner, other in marked(json.loads(value)):
                    yield (*path, *inner), changed(document, path, json.dumps(other))


@pytest.mark.slow
@pytest.mark.parametrize("document", OLD)
def test_whatever_an_older_document_states_is_in_the_canonical_one(document: Json) -> None:
    tried = 0
    for path, other in marked(document):
        found = dialects.detect(other)
        if found is not None:
            upgrade = found.upgrade(other)
            assert "MARK" in json.dumps(upgrade.tree) + "".join(map(str, upgrade.findings)), path
            tried += 1
    assert tried > 50


def texts(holder: Json, *names: str) -> bool:
    return all(isinstance(holder.get(name), str) for name in names)


def is_state(value: Json) -> bool:
    """Tell whether a document is as the description of the GUI's state asks, but for traits that are incomplete."""
    metadata, items = value.get("dataset_metadata", {}), value["checkpoint"].values()
    rubrics = [value["global_rubric"], *(one.get("question_rubric") for one in items)]
    traits = [one for rubric in rubrics if rubric is not None for one in rubric["llm_traits"]]
    return (
        value["version"] == "2.0"
        and all(isinstance(one, str) for name, one in metadata.items() if name in ("name", "version", "dateModified"))
        and texts(metadata.get("creator", {"name": "A"}), "name")
        and all(texts(one, *ITEM_TEXTS) and isinstance(one["finished"], bool) for one in items)
        and all(texts(one, "name") and one["kind"] in ("boolean", "score", "literal") for one in traits)
        and all(("min_score" in one and "max_score" in one) == (one["kind"] == "score") for one in traits)
    )


ITEM_TEXTS = ("question", "raw_answer", "original_answer_template", "answer_template", "last_modified")


def is_gui_feed(value: Json) -> bool:
    """Tell whether a document is as the description of the GUI's DataFeed asks."""
    elements, questions = value["dataFeedElement"], [one["item"] for one in value["dataFeedElement"]]
    typed = [("DataFeed", [value]), ("DataFeedItem", elements), ("Question", questions)]
    typed += [("Answer", [one["acceptedAnswer"] for one in questions])]
    typed += [("SoftwareSourceCode", [one["hasPart"] for one in questions])]
    ratings = {"Global": value.get("rating", []), "QuestionSpecific": []}
    for one in questions:
        ratings["QuestionSpecific"] += one.get("rating", [])
    every = [*ratings["Global"], *ratings["QuestionSpecific"]]
    holders = [value, *questions, *every]
    entries = [entry for one in holders for entry in one.get("additionalProperty", [])]
    typed += [("Rating", every), ("PropertyValue", entries)]
    return (
        texts(value, "@id", "name", "description", "version", "creator", "dateCreated", "dateModified")
        and [one["name"] for one in value["additionalProperty"][:2]] == ["checkpoint_format_version", CONVERSION]
        and all(one["@type"] == kind for kind, objects in typed for one in objects)
        and all(texts(one, "dateCreated", "dateModified") for one in elements)
        and all(texts(one, "text") and texts(one["acceptedAnswer"], "text") for one in questions)
        and all(texts(one["hasPart"], "name", "text", "codeRepository") for one in questions)
        and all(one["hasPart"]["programmingLanguage"] == "Python" for one in questions)
        and all(one["additionalType"].startswith(scope) for scope, found in ratings.items() for one in found)
        and all(texts(one, "@id", "name", "additionalType") for one in every)
        and "keywords" not in {name for one in questions for name in one}
    )


CONVERSION = "conversion_metadata"


def is_dataset(value: Json) -> bool:
    checked = families.check(json.dumps(value).encode(), profiles.profile("legacy-dataset"))
    return all(one.severity < Severity.VIOLATION for one in checked.findings)


DESCRIBED = {"v2.0": is_state, "gui-datafeed": is_gui_feed, "dataset-1": is_dataset}


def is_described(benchmark: Benchmark, target: str, folder: Path) -> bool:
    file = folder / "other.json"
    benchmark.save(file, dialect=target)
    return DESCRIBED[target](json.loads(file.read_bytes()))


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("folder", [name for name in DIALECT_FOLDERS if name not in TARGETS])
def test_real_documents_are_written_as_descriptions_ask(corpus: Path, folder: str, target: str, tmp_path: Path) -> None:
    for file, document in documents(corpus, folder):
        if "100" not in file:
            try:
                benchmark = Benchmark.load(json.dumps(document).encode())
            except ReadError:
                continue
            assert is_described(benchmark, target, tmp_path), file


SPOTS = [path for path, value in places(rich()) if path and "@context" not in path]


@trial(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=examples(40), derandomize=True)
@given(st.dictionaries(st.sampled_from(SPOTS), st.sampled_from([..., None, *UNUSUAL]), max_size=3))
def test_whatever_is_saved_is_as_descriptions_ask(changes: dict[Path_, Json]) -> None:
    benchmark = Benchmark.load(json.dumps(rich()).encode())
    document = rich()
    for path, value in changes.items():
        other = copy.deepcopy(document)
        try:
            holder = at(other, path[:-1])
            if value is ...:
                del holder[path[-1]]
            else:
                holder[path[-1]] = value
            benchmark, document = Benchmark.load(json.dumps(other).encode()), other
        except (ReadError, KeyError, IndexError, TypeError):  # the change before stays
            continue
    with tempfile.TemporaryDirectory() as folder:
        for target in TARGETS:
            assert is_described(benchmark, target, Path(folder)), (target, document)


# --- Members that nobody knows, in every object of a document of every dialect: each is kept, or reported as a loss.


MARK = "mark"
CODE = "class Answer(BaseAnswer):\n    x: str\n"
REFUSED: set[Path_] = {("checkpoint",)}
"""Where any member is a question."""
WRITABLE = ("datafeed-ns-v3", "v2.0", "gui-datafeed", "dataset-1")

LLM = {"name": "clear", "description": "d", "kind": "score", "min_score": 1, "max_score": 5, "higher_is_better": True}
REGEX = {"name": "cites", "pattern": "a", "case_sensitive": True, "invert_result": False, "higher_is_better": True}
SCALE = {"traits": [{"name": "deep", "description": "e", "scale": [1, 2, 3]}]}
QUESTION = {
    "question": "What?",
    "raw_answer": "this",
    "answer_template": CODE,
    "last_modified": "2025-01-01T00:00:00Z",
    "finished": True,
    "few_shot_examples": [{"question": "a", "answer": "b"}],
    "custom_metadata": {"k": {"deep": 1}},
    "author": {"@type": "Person", "name": "x"},
    "sources": [{"@type": "CreativeWork", "name": "s"}],
}
METADATA = {"name": "n", "creator": {"@type": "Person", "name": "me"}, "custom_properties": {"p": {"q": 1}}}

DOCUMENTS: dict[str, dict[str, Any]] = {
    "v2.0": state(
        {**QUESTION, "question_rubric": {"llm_traits": [{**LLM, "name": "own"}], "regex_traits": []}},
        global_rubric={"llm_traits": [LLM], "regex_traits": [REGEX]},
        dataset_metadata=METADATA,
    ),
    "v2.0-traits-key": state({**QUESTION, "question_rubric": {"traits": [LLM]}}, global_rubric={"traits": [LLM]}),
    "v2.0-other": {
        "version": "2.0",
        "questions": [{"id": "q1", "question": "Which?", "category": "c", "isFinished": True, "rubric": SCALE}],
        "templates": {"q1": {"template": CODE}},
        "globalRubric": SCALE,
    },
}

MEMBERS: tuple[tuple[str, Any], ...] = (
    *((name, MARK) for name in ("note", "@note", "@direction", "@json", "@value", "@list", "@graph", "@index", "@id")),
    ("@type", MARK),
    ("x_v2", MARK),
    ("x_v2", {"@id": {"a": MARK}}),
    ("extra", {"@note": MARK}),
    ("extra", {"@list": [MARK]}),
    ("extra", [{"@value": {"a": MARK}}]),
    ("extra", {"@context": {"a": MARK}}),
)


def objects(value: Any, place: Path_ = ()) -> Iterator[Path_]:
    """Yield the places of all objects."""
    if isinstance(value, dict):
        yield place
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from objects(one, (*place, key))


def marked_with(
    document: dict[str, Any], name: str, value: Any, but: Collection[Path_]
) -> tuple[dict[str, Any], list[str]]:
    """Return a document with one more member in every object that lacks it, each with a mark of its own; the marks."""
    changed = copy.deepcopy(document)
    marks = []
    for place in [one for one in objects(document) if one not in but]:
        inner: Any = changed
        for step in place:
            inner = inner[step]
        if name not in inner:
            marks.append("/".join(map(str, (MARK, *place, "."))))
            inner[name] = json.loads(json.dumps(value).replace(MARK, marks[-1]))
    return changed, marks


def read(data: str | bytes, **options: Any) -> Benchmark:
    return Benchmark.load(BytesIO(data if isinstance(data, bytes) else data.encode()), **options)


def missing(marks: list[str], benchmark: Benchmark) -> list[str]:
    text = json.dumps(benchmark.to_jsonld("plain"))
    return [mark for mark in marks if mark not in text]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), MEMBERS, ids=[f"{name}={value}" for name, value in MEMBERS])
@pytest.mark.parametrize("dialect", DOCUMENTS)
def test_no_member_vanishes_without_a_word(dialect: str, name: str, value: Any, tmp_path: Path) -> None:
    document = DOCUMENTS[dialect]
    but = REFUSED | ({()} if name == "@type" else set())
    changed, marks = marked_with(document, name, value, but)
    benchmark = read(json.dumps(changed))

    assert len(marks) >= 5
    assert len(benchmark) == len(read(json.dumps(document)))
    assert missing(marks, benchmark) == []
    for context in ("improved", "plain"):
        assert read(json.dumps(benchmark.to_jsonld(context))) == benchmark
    assert read(benchmark.to_ntriples(), syntax="nt").to_jsonld("plain") == benchmark.to_jsonld("plain")

    for written in WRITABLE:
        losses = benchmark.save(tmp_path / "out.json", dialect=written)
        again = read((tmp_path / "out.json").read_bytes())
        assert len(again) == len(benchmark)
        assert len(missing(marks, again)) <= len(losses), written

    edited = benchmark.clone()
    edited.add_question("Really new?", "yes")
    edited.save(tmp_path / "out.json", dialect="datafeed-ns-v3")
    again = read((tmp_path / "out.json").read_bytes())
    assert len(again) == len(benchmark) + 1
    assert missing(marks, again) == []


@pytest.mark.parametrize("traits", [{"@list": []}, {"a": 1, "@value": "x"}, {"@set": []}, {"a": 1}, 5])
@pytest.mark.parametrize("holder", [("global_rubric",), ("checkpoint", "k0", "question_rubric")])
def test_traits_that_are_no_list_are_refused(holder: tuple[str, ...], traits: Json) -> None:
    document = copy.deepcopy(DOCUMENTS["v2.0"])
    inner: Any = document
    for step in holder:
        inner = inner[step]
    inner["regex_traits"] = traits
    with pytest.raises(ReadError, match=f"{'/'.join(holder)}/regex_traits.* E-RATING "):
        read(json.dumps(document))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("is_property", [True, False])
@pytest.mark.parametrize("left", [5, "depth", None, {"x": 1}, ["a"]])
def test_what_is_no_trait_in_an_older_place_is_written_as_a_property(
    left: Json, is_property: bool, target: str, tmp_path: Path
) -> None:
    document, trait = rich(), {"name": "old", "kind": "boolean", "higher_is_better": True}
    entry = prop("global_rubric_traits", [left, trait])
    if is_property:
        document["additionalProperty"].append(entry)
    else:
        document["globalRubric"] = {"llm_traits": entry["value"]}
    read(json.dumps(document)).save(tmp_path / "out.json", dialect=target)
    again = Benchmark.load(tmp_path / "out.json")

    name = "rubric_global_rubric_traits" if is_property else "rubric_llm_traits"
    assert again.get_custom_property(name) == [left]
    rubric = again.get_global_rubric()
    assert rubric is not None
    assert "old" in [one.name for one in rubric.llm_traits]


IN_TEXTS: dict[Path_, str | None] = {
    ("dataset_metadata", "description"): "KB002",
    ("dataset_metadata", "license"): None,
    ("dataset_metadata", "creator"): "KB012",
    ("checkpoint", "k", "keywords"): "KQ017",
    ("global_rubric", "regex_traits", 0, "description"): "KR006",
}
"""Places of texts in the state, with the rule that any other value breaks."""


@pytest.mark.parametrize("target", WRITABLE)
@pytest.mark.parametrize("value", [{"@value": "x", "@language": "en"}, {"@value": "x", "a": 1}, [{"@id": 5}]])
def test_a_text_of_the_state_that_is_an_object_with_keywords_comes_back(
    target: str, value: Json, tmp_path: Path
) -> None:
    document = {**copy.deepcopy(DOCUMENTS["v2.0"]), "checkpoint": {"k": {**QUESTION}}}
    for place in IN_TEXTS:
        holder: Any = document
        for step in place[:-1]:
            holder = holder[step]
        holder[place[-1]] = value
    benchmark = read(json.dumps(document))
    benchmark.name = "Another"
    benchmark.save(tmp_path / "between.json", dialect=target)
    losses = Benchmark.load(tmp_path / "between.json").save(tmp_path / "out.json", dialect="v2.0")
    again = json.loads((tmp_path / "out.json").read_text())

    found = {(one.code, one.place.pointer) for one in benchmark.findings}
    assert {(code, pointer(place)) for place, code in IN_TEXTS.items() if code} <= found
    for place in IN_TEXTS:
        holder = again
        for step in place:
            holder = holder[step]
        is_kept = "/x_v2" in {one.place.pointer for one in losses}  # beside a default that a dialect demands
        assert holder == value or (is_kept and again["x_karenina"]["x_v2"]["@value"][place[0]][place[1]] == value)


ELEMENT = element(
    item=question(
        hasPart={"@type": "SoftwareSourceCode", "name": "t", "text": CODE, "programmingLanguage": "Python"},
        rating=[rating("deep", "QuestionSpecificRubricTrait", additionalProperty=[prop("kind", "boolean")])],
        additionalProperty=[prop("finished", True), prop("custom_a", {"deep": 1})],
    )
)
JSON_LD: dict[str, dict[str, Any]] = {
    "datafeed-legacy": feed(dataFeedElement=[ELEMENT], rating=[rating()], creator={"@type": "Person", "name": "me"}),
    "datafeed-ns-v3": feed(**{"@context": HTTPS}, dataFeedElement=[ELEMENT], additionalProperty=[prop("own", 1)]),
    "gui-datafeed": feed(dataFeedElement=[ELEMENT], additionalProperty=[prop("conversion_metadata", "{}")]),
    "dataset-1": dataset(hasPart=[ELEMENT], rating=[rating()]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["note", "@note", "@json", "@comment", "@list", "@set"])
@pytest.mark.parametrize("dialect", JSON_LD)
def test_no_member_of_json_ld_takes_a_question_with_it(dialect: str, name: str, tmp_path: Path) -> None:
    contexts = {place for place in objects(JSON_LD[dialect]) if "@context" in place}
    changed, marks = marked_with(JSON_LD[dialect], name, MARK, contexts)
    benchmark = read(json.dumps(changed))
    assert len(benchmark) == 1
    assert missing(marks, benchmark) == []
    for context in ("improved", "plain"):
        assert read(json.dumps(benchmark.to_jsonld(context))) == benchmark
    assert read(benchmark.to_ntriples(), syntax="nt").to_jsonld("plain") == benchmark.to_jsonld("plain")
    for written in WRITABLE:
        losses = benchmark.save(tmp_path / "out.json", dialect=written)
        again = read((tmp_path / "out.json").read_bytes())
        assert len(again) == 1
        assert len(missing(marks, again)) <= len(losses), written
