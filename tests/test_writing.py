"""Writing: what a file holds after saving, with and without an edit, in every dialect."""

import base64
import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import checkpoint_ld
from checkpoint_ld import Benchmark, ReadError, WriteError, writing
from checkpoint_ld.entities import AgenticRubricTrait, CallableCode, LLMRubricTrait, RegexRubricTrait
from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.header import read_header
from checkpoint_ld.mapping.traits import rating_of
from checkpoint_ld.validation import validator
from tests.documents import Json, canonical, item, scenario, setting

QUESTION = "Which letter is the last one?"
HTTP = {"@version": 1.1, "@vocab": "http://schema.org/"}


def state() -> Json:
    """Return a document of the GUI's state, with members that our writer would leave out or add."""
    entry = {
        "question": "Which?",
        "raw_answer": "This",
        "original_answer_template": "",
        "answer_template": "class Answer: ...",
        "last_modified": "2026-01-02",
        "finished": True,
        "sources": [],
        "question_rubric": {"llm_traits": [{"name": "t", "kind": "score", "min_score": 0, "max_score": 9}]},
    }
    return {"version": "2.0", "global_rubric": {"llm_traits": []}, "checkpoint": {"urn:uuid:k0": entry}, "odd": [1.0]}


def old_item(**members: Json) -> Json:
    whole = item() | members
    whole["item"]["rating"] = [
        {
            "@type": "Rating",
            "name": "t",
            "bestRating": 9,
            "worstRating": 0,
            "additionalType": "QuestionSpecificRubricTrait",
        }
    ]
    whole["keywords"] = whole["item"].pop("keywords")
    return whole


def gui() -> Json:
    """Return a document of the GUI without the identifiers and the note that our writer adds."""
    tree = canonical(old_item()) | {"@context": HTTP}
    tree["rating"] = [
        {"@type": "Rating", "name": "g", "bestRating": 1, "worstRating": 0, "additionalType": "GlobalRubricTrait"}
    ]
    tree["additionalProperty"] = [setting("checkpoint_format_version", "3.0.0-jsonld"), setting("licence", "MIT")]
    return tree


def dataset() -> Json:
    tree = gui() | {"@type": "Dataset", "additionalProperty": []}
    tree["hasPart"] = tree.pop("dataFeedElement")
    return tree


def unusual() -> Json:
    """Return a canonical document in another order of members, with members and a term that nobody knows."""
    tree = dict(reversed(canonical().items()))
    tree["@context"] = tree["@context"] | {"licence": "https://example.org/licence"}
    tree["dataFeedElement"][0] = dict(sorted(tree["dataFeedElement"][0].items(), reverse=True)) | {"licence": "MIT"}
    return tree


DOCUMENTS = {
    "datafeed-ns-v3": canonical,
    "odd order": unusual,
    "v2.0": state,
    "gui-datafeed": gui,
    "dataset-1": dataset,
}
LAYOUTS: dict[str, Callable[[Json], str]] = {
    "indented": lambda value: json.dumps(value, indent=2, ensure_ascii=False),
    "with mark and returns": lambda value: "\ufeff" + json.dumps(value, indent=1).replace("\n", "\r\n") + "\r\n",
    "with tabs": lambda value: json.dumps(value, indent="\t", ensure_ascii=False) + "\n",
    "minified": lambda value: json.dumps(value, separators=(",", ":")),
    "on one line": json.dumps,
}
each_document = pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
each_layout = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)


def written(benchmark: Benchmark, folder: Path, **options: Json) -> bytes:
    target = folder / "written.json"
    benchmark.save(target, **options)
    return target.read_bytes()


# --- what was read is written again


@each_document
@each_layout
def test_without_an_edit_no_byte_changes(
    document: Callable[[], Json], layout: Callable[[Json], str], tmp_path: Path
) -> None:
    data = layout(document()).encode()
    benchmark = Benchmark.load(data)
    assert written(benchmark, tmp_path) == data
    assert written(benchmark, tmp_path, dialect=benchmark.dialect) == data


@each_document
@each_layout
def test_an_edit_changes_nothing_else(
    document: Callable[[], Json], layout: Callable[[Json], str], tmp_path: Path
) -> None:
    text = layout(document())
    benchmark = Benchmark.load(text.encode())
    template = "class Answer(BaseAnswer):\n    letter: str\n"
    added = benchmark.add_question(QUESTION, "Z", template, question_id="urn:uuid:last", finished=False)
    result = written(benchmark, tmp_path)
    again = Benchmark.load(result)
    assert again.dialect == benchmark.dialect
    assert again[added] == benchmark[added]
    assert again.get_question_ids() == benchmark.get_question_ids()
    value = json.loads(result.removeprefix(b"\xef\xbb\xbf"))
    assert layout(value).encode() == result
    assert without_the_edit(value, document()) == json.dumps(document())


def without_the_edit(value: Json, before: Json) -> str:
    """Return the text of a document after the last question and the date of the edit were taken out."""
    for member in ("dataFeedElement", "hasPart"):
        if member in value:
            value[member].pop()
    if "checkpoint" in value:
        value["checkpoint"].popitem()
        assert list(value.pop("dataset_metadata"))[-1] == "dateModified"
    else:
        assert value["dateModified"] > before["dateModified"]
        value["dateModified"] = before["dateModified"]
    return json.dumps(value)


def test_an_edit_is_dated(tmp_path: Path) -> None:
    benchmark = Benchmark.load(json.dumps(canonical()).encode())
    benchmark.version = "0.3.0"
    saved = json.loads(written(benchmark, tmp_path))
    assert saved == canonical() | {"version": "0.3.0", "dateModified": benchmark.modified_at}


def test_an_edit_that_the_words_of_a_document_cannot_state_is_written_in_ours() -> None:
    document = gui()
    document["additionalProperty"].append(
        setting("global_regex_rubric_traits", '[{"name": "old", "pattern": "x"}, {"name": "kept", "pattern": "y"}]')
    )
    read = validator.read(json.dumps(document).encode())
    tree = json.loads(json.dumps(read.tree))
    tree["rating"] = [one for one in tree["rating"] if one["name"] != "old"]
    result = writing.write(CheckpointGraph.of_tree(tree), dialect="gui-datafeed", source=read, now="2026-03-01")
    rubric = Benchmark.load(result.data).global_rubric
    assert rubric is not None
    assert rubric.get_trait_names() == ["g", "kept"]


def test_a_form_that_karenina_refuses_is_left_behind_by_an_edit(tmp_path: Path) -> None:
    document = canonical() | {"@context": "https://schema.org", "version": 1.5}
    document["dataFeedElement"][0]["item"]["hasPart"] = [document["dataFeedElement"][0]["item"]["hasPart"]]
    del document["dataFeedElement"][0]["dateCreated"]
    benchmark = Benchmark.load(json.dumps(document).encode())
    benchmark.name = "Alloys"
    saved = json.loads(written(benchmark, tmp_path))
    assert isinstance(saved["@context"], dict)
    assert saved["version"] == "1.5"
    assert saved["dataFeedElement"][0]["dateCreated"] == "2026-01-02T00:00:00.123456"
    assert saved["dataFeedElement"][0]["item"]["hasPart"]["programmingLanguage"] == "Python"


# --- other dialects


def test_a_dialect_that_is_only_read_is_written_as_the_canonical_one(tmp_path: Path) -> None:
    flat = {
        "@context": "https://schema.org",
        "@type": "DataFeed",
        "name": "tiny",
        "version": "1.0.0",
        "rubric": {"traits": [{"type": "LLMRubricTrait", "name": "grounded", "higher_is_better": True}]},
        "dataFeedElement": [
            {
                "@type": "Question",
                "identifier": "q1",
                "name": "What is 2+2?",
                "acceptedAnswer": {"@type": "Answer", "text": "4"},
            }
        ],
    }
    benchmark = Benchmark.load(json.dumps(flat).encode())
    assert benchmark.dialect == "flat"
    assert "hasPart" not in json.loads(written(benchmark, tmp_path))["dataFeedElement"][0]["item"]
    saved = json.loads(written(benchmark, tmp_path, placeholders=True))
    (element,) = saved["dataFeedElement"]
    assert saved["dateCreated"] == saved["dateModified"] == element["dateCreated"] == element["dateModified"]
    assert element["item"]["hasPart"]["text"].startswith("class Answer(BaseAnswer):")
    assert saved["@context"] == contexts.improved()
    again = Benchmark.load(json.dumps(saved).encode(), strict=True)
    assert again.dialect == "datafeed-ns-v3"
    assert again.global_rubric == benchmark.global_rubric
    with pytest.raises(WriteError, match=r"flat can be read but not written: write one of v2\.0, datafeed-ns-v3, gui-"):
        written(benchmark, tmp_path, dialect="flat")


@pytest.mark.parametrize("dialect", ["v2.0", "gui-datafeed", "dataset-1", "datafeed-ns-v3"])
@each_document
def test_every_dialect_is_written_from_every_other(document: Callable[[], Json], dialect: str, tmp_path: Path) -> None:
    benchmark = Benchmark.load(json.dumps(document()).encode())
    again = Benchmark.load(written(benchmark, tmp_path, dialect=dialect))
    assert again.dialect == dialect
    assert again.get_all_questions_as_objects() == benchmark.get_all_questions_as_objects()
    assert again.global_rubric == benchmark.global_rubric
    assert again.name == benchmark.name


@pytest.mark.parametrize("dialect", ["v2.0", "gui-datafeed", "dataset-1"])
def test_traits_of_mixed_kinds_keep_their_order_and_their_places(dialect: str, tmp_path: Path) -> None:
    tree = canonical()
    whole, own = (
        [
            rating_of(trait, scope)
            for trait in (
                AgenticRubricTrait(name="a", description="d", kind="boolean"),
                RegexRubricTrait(name="p", pattern="marked"),
                LLMRubricTrait(name="l", kind="literal", classes={"x": "1", "y": "2"}),
                LLMRubricTrait(name="s", kind="score", min_score=1, max_score=5),
                RegexRubricTrait(name="r", pattern="x"),
                LLMRubricTrait(name="b", kind="boolean"),
            )
        ]
        for scope in ("Global", "QuestionSpecific")
    )
    tree["rating"], tree["dataFeedElement"][0]["item"]["rating"] = whole, own
    path = tmp_path / "saved.json"
    findings = Benchmark.load(json.dumps(tree).encode()).save(path, dialect=dialect)
    assert not [found for found in findings if "order" in found.message]
    again = Benchmark.load(path).to_jsonld()
    for before, after in ((whole, again["rating"]), (own, again["dataFeedElement"][0]["item"]["rating"])):
        assert [trait["name"] for trait in after] == [trait["name"] for trait in before]
    lines = path.read_text(encoding="utf-8").replace('"marked"', '"["').splitlines()
    found = checkpoint_ld.validate("\n".join(lines).encode()).findings
    places = [one.place.line for one in found if one.code == "KR034" and one.place.line]
    assert [lines[line - 1].partition(":")[2].strip(" ,") for line in places] == ['"["'] * 2


@pytest.mark.parametrize("dialect", ["v2.0", "gui-datafeed", "dataset-1"])
def test_a_static_and_a_dynamic_trait_of_one_name_keep_their_order(dialect: str, tmp_path: Path) -> None:
    benchmark = Benchmark("Metals")
    benchmark.set_global_dynamic_rubric([RegexRubricTrait(name=name, pattern="x", summary=name) for name in "ab"])
    benchmark.set_global_rubric([LLMRubricTrait(name=name, kind="boolean") for name in "bac"])
    again = Benchmark.load(written(benchmark, tmp_path, dialect=dialect))
    assert again.global_rubric == benchmark.global_rubric
    assert again.get_global_dynamic_rubric() == benchmark.get_global_dynamic_rubric()


def test_an_order_of_traits_may_have_names_alone(tmp_path: Path) -> None:
    benchmark = Benchmark("Metals")
    benchmark.set_global_dynamic_rubric([RegexRubricTrait(name="a", pattern="x", summary="a")])
    benchmark.set_global_rubric([LLMRubricTrait(name=name, kind="boolean") for name in "ab"])
    document = json.loads(written(benchmark, tmp_path, dialect="v2.0"))
    kept = document["x_karenina"]
    kept["rating_order"] = ["b", "a", "a", None, [], [{}]]
    again = Benchmark.load(json.dumps(document).encode())
    assert again.get_rubric_trait_names() == ["b", "a"]
    assert [rating["name"] for rating in again.to_jsonld()["rating"]] == ["b", "a", "a"]


def test_what_a_dialect_cannot_state_is_reported(tmp_path: Path) -> None:
    agentic = AgenticRubricTrait(name="agent", description="d", kind="boolean")
    tree = canonical() | {"rating": [rating_of(agentic, "Global")]}
    findings = Benchmark.load(json.dumps(tree).encode()).save(tmp_path / "state.json", dialect="v2.0")
    assert {one.condition for one in findings} == {"W-LOSS"}
    (shown,) = [one for one in findings if one.place.pointer == "/rating/0"]
    assert '"agent"' in shown.message


def test_a_dialect_or_syntax_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    benchmark = Benchmark.load(json.dumps(canonical()).encode())
    with pytest.raises(ValueError, match="no dialect is called 'v3'"):
        written(benchmark, tmp_path, dialect="v3")
    with pytest.raises(WriteError, match='there is no syntax "yaml"; use one of jsonld, turtle'):
        writing.write(benchmark.graph, syntax="yaml")
    with pytest.raises(ValueError, match="fancy"):
        written(benchmark, tmp_path, context="fancy")


FRACTION = {"bestRating": 2.5, "worstRating": 0.5}


def test_scores_that_karenina_cannot_hold_are_refused_or_rounded(tmp_path: Path) -> None:
    document = dataset()
    document["rating"][0] |= FRACTION
    benchmark = Benchmark.load(json.dumps(document).encode())
    assert written(benchmark, tmp_path) == json.dumps(document).encode()
    with pytest.raises(WriteError, match=r"min_score at /rating/0/additionalProperty/\d is 0\.5.*allow rounding"):
        benchmark.save(tmp_path / "canonical.json", dialect="datafeed-ns-v3")
    assert not (tmp_path / "canonical.json").exists()
    findings = benchmark.save(tmp_path / "canonical.json", dialect="datafeed-ns-v3", round_scores=True)
    assert [one.condition for one in findings] == ["W-LOSS", "W-LOSS"]
    assert Benchmark.load(tmp_path / "canonical.json").global_rubric == benchmark.global_rubric


SOURCE = "def short(text: str) -> bool:\n    return len(text) < 80\n"
CODED = {"callable_traits": [{"name": "short", "kind": "boolean", "callable_code": SOURCE}]}
FEED = {"@context": HTTP, "@type": "DataFeed", "name": "n", "dateCreated": "2025-10-01", "dateModified": "2025-10-01"}
FLAT = {
    "@type": "Question",
    "name": "Which?",
    "acceptedAnswer": {"text": "this"},
    "answerTemplate": "class Answer: ...",
}
IN_TEXT = setting("global_callable_rubric_traits", json.dumps(CODED["callable_traits"]))
OLD_RATING = {
    "@type": "Rating",
    "name": "short",
    "bestRating": 1,
    "worstRating": 0,
    "additionalType": "GlobalCallableTrait",
    "additionalProperty": [setting("callable_code", SOURCE), setting("kind", "boolean")],
}


@pytest.mark.parametrize(
    "document",
    [
        FEED | {"dataFeedElement": [], "globalRubric": CODED},
        FEED | {"dataFeedElement": [], "additionalProperty": [IN_TEXT]},
        FEED | {"dataFeedElement": [], "rating": [OLD_RATING]},
        FEED | {"dataFeedElement": [FLAT], "rubric": CODED},
        FEED | {"@type": "Dataset", "hasPart": [], "version": "3.0.0-jsonld", "rating": [OLD_RATING]},
        state() | {"global_rubric": CODED},
    ],
    ids=["legacy", "legacy-property", "legacy-rating", "flat", "dataset", "v2.0"],
)
def test_source_text_of_a_callable_is_written_as_base64_as_karenina_reads_it(document: Json, tmp_path: Path) -> None:
    benchmark = Benchmark.load(json.dumps(document).encode())
    assert code_of(benchmark).text == SOURCE
    findings = benchmark.save(tmp_path / "today.jsonld", dialect="datafeed-ns-v3")
    assert [(one.rule, one.condition, one.subject) for one in findings] == [
        ("callable-code-encoded", "W-CODE", 'trait "short"')
    ]
    saved = Benchmark.load(tmp_path / "today.jsonld")
    assert base64.b64decode(code_of(saved).text, validate=True).decode() == SOURCE
    assert saved.save(tmp_path / "again.jsonld") == ()
    assert (tmp_path / "again.jsonld").read_bytes() == (tmp_path / "today.jsonld").read_bytes()


def test_a_canonical_file_keeps_source_text_until_it_is_edited(tmp_path: Path) -> None:
    whole = OLD_RATING | {"additionalType": "karenina:GlobalCallableTrait", "bestRating": 1.0, "worstRating": 0.0}
    benchmark = Benchmark.load(json.dumps(canonical() | {"rating": [whole]}).encode())
    assert SOURCE in json.loads(written(benchmark, tmp_path))["rating"][0]["additionalProperty"][0]["value"]
    benchmark.name = "Alloys"
    assert [one.rule for one in benchmark.save(tmp_path / "edited.jsonld")] == ["callable-code-encoded"]
    assert code_of(Benchmark.load(tmp_path / "edited.jsonld")).form == "base64-source"


def code_of(benchmark: Benchmark) -> CallableCode:
    assert benchmark.global_rubric is not None
    (trait,) = benchmark.global_rubric.callable_traits
    assert trait.callable_code is not None
    return trait.callable_code


# --- contexts, deep judgment, syntaxes


def test_the_context_is_that_of_the_document_unless_another_one_is_requested(tmp_path: Path) -> None:
    karenina = Benchmark.load(json.dumps(canonical()).encode())
    karenina.name = "Alloys"
    assert json.loads(written(karenina, tmp_path))["@context"] == contexts.plain()
    assert json.loads(written(karenina, tmp_path, context="improved"))["@context"] == contexts.improved()
    ours = Benchmark.load(json.dumps(karenina.to_jsonld()).encode())
    ours.name = "Metals"
    assert json.loads(written(ours, tmp_path))["@context"] == contexts.improved()
    assert json.loads(written(ours, tmp_path, context="plain"))["@context"] == contexts.plain()
    assert json.loads(written(Benchmark("New"), tmp_path))["@context"] == contexts.improved()


def test_settings_of_deep_judgment_that_nobody_set_are_no_loss(tmp_path: Path) -> None:
    benchmark = Benchmark("Metals")
    benchmark.set_global_rubric([LLMRubricTrait(name="plain", kind="boolean")])
    assert benchmark.save(tmp_path / "plain.jsonld") == ()
    assert "deep_judgment" not in (tmp_path / "plain.jsonld").read_text(encoding="utf-8")
    benchmark.add_global_rubric_trait(LLMRubricTrait(name="deep", kind="boolean", deep_judgment_search_enabled=True))
    (finding,) = benchmark.save(tmp_path / "plain.jsonld")
    assert "of 1 LLM traits" in finding.message


def test_another_context_leaves_the_rest_alone(tmp_path: Path) -> None:
    data = json.dumps(canonical(), indent=2, ensure_ascii=False).encode()
    benchmark = Benchmark.load(data)
    improved = written(benchmark, tmp_path, context="improved")
    assert written(Benchmark.load(improved), tmp_path) == improved
    assert written(Benchmark.load(improved), tmp_path, context="plain") == data


def test_deep_judgment_is_left_out_unless_that_is_wanted_but_not_of_dynamic_traits(tmp_path: Path) -> None:
    deep = LLMRubricTrait(
        name="deep", kind="boolean", deep_judgment_enabled=True, deep_judgment_max_excerpts=3, summary="s"
    )
    regex = RegexRubricTrait(name="cites", pattern="x")
    whole = item()
    whole["item"]["rating"] = [rating_of(deep, "QuestionSpecific"), rating_of(regex, "QuestionSpecific")]
    tree = canonical(whole) | {"rating": [rating_of(deep, "Global"), rating_of(deep, "Global", dynamic=True)]}
    benchmark = Benchmark.load(json.dumps(tree).encode())
    (finding,) = benchmark.save(tmp_path / "stripped.jsonld")
    count = sum("deep_judgment_" in one["name"] for one in rating_of(deep, "Global")["additionalProperty"])
    assert finding.condition == "W-LOSS"
    assert f"{2 * count} settings of deep judgment are left out, of 2 LLM traits" in finding.message
    stripped = Benchmark.load(tmp_path / "stripped.jsonld")
    assert stripped.global_rubric is not None
    shallow = LLMRubricTrait(name="deep", kind="boolean", summary="s")
    assert list(stripped.global_rubric.traits()) == [shallow]
    of_question = stripped.get_question_rubric("urn:uuid:question-metal-1")
    assert of_question is not None
    assert list(of_question.traits()) == [shallow, regex]
    assert stripped.get_global_dynamic_rubric() == benchmark.get_global_dynamic_rubric()
    assert written(benchmark, tmp_path, save_deep_judgment_config=True) == json.dumps(tree).encode()
    for dialect in ("v2.0", "gui-datafeed", "dataset-1"):
        found = benchmark.save(tmp_path / "older.json", dialect=dialect)
        assert [one.message for one in found if "deep judgment" in one.message] == [finding.message]
        assert Benchmark.load(tmp_path / "older.json").global_rubric == stripped.global_rubric
    for name in ("a.ttl", "a.nt", "a.nq", "a.trig"):
        assert benchmark.save(tmp_path / name) == ()
        assert Benchmark.load(tmp_path / name) == benchmark
    assert benchmark.clone() == benchmark


def test_settings_of_deep_judgment_go_and_everything_else_stays_as_it_stands(tmp_path: Path) -> None:
    tree = unusual()  # Karenina wants whole numbers and dates; what nobody edited is not completed
    settings = [setting("deep_judgment_enabled", False), setting("min_score", 0.5), setting("deep_judgment_new", 1)]
    trait = {"@type": "Rating", "name": "depth", "bestRating": 5, "worstRating": 0.5}
    trait["additionalType"] = "karenina:GlobalRubricTrait"
    with_settings = tree | {"rating": [trait | {"deep_judgment_odd": 2, "additionalProperty": settings}]}
    without = tree | {"rating": [trait | {"additionalProperty": settings[1:2]}]}
    benchmark = Benchmark.load(json.dumps(with_settings, indent="\t").encode())
    assert written(benchmark, tmp_path) == json.dumps(without, indent="\t").encode()
    assert "3 settings" in benchmark.save(tmp_path / "again.json")[0].message


@pytest.mark.parametrize(
    ("path", "syntax"),
    [
        ("a.ttl", "turtle"),
        ("a.b.NT", "nt"),
        ("a.nq", "nq"),
        ("a.trig", "trig"),
        ("a.json", "jsonld"),
        ("a.jsonld", "jsonld"),
        ("a.rdf", "xml"),
        ("a.OWL.gz", "xml"),
        ("a.nt.gz", "nt"),
        ("a.gz", "jsonld"),
        ("a", "jsonld"),
        ("a.v1", "jsonld"),
        ("a-1.0", "jsonld"),
    ],
)
def test_the_extension_shows_the_syntax(path: str, syntax: str) -> None:
    assert writing.syntax_of(path) == syntax


@pytest.mark.parametrize("extension", [".csv", ".html", ".n4", ".yaml", ".parquet", ".jsonl", ".csv.gz"])
def test_an_extension_that_cannot_be_written_is_an_error_with_those_that_can(extension: str, tmp_path: Path) -> None:
    benchmark = Benchmark("Metals")
    for method, name in ((benchmark.save, f"a{extension}"), (benchmark.export_to_file, "a.txt")):
        with pytest.raises(WriteError, match=r"cannot be written with the extension .*: use one of \.json, .*\.jsonld"):
            method(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("extension", [".json", ".jsonld", ".ttl", ".nt", ".nq", ".trig", ".rdf", ".n3"])
def test_every_syntax_is_packed_and_read_again(extension: str, tmp_path: Path) -> None:
    benchmark = Benchmark.load(json.dumps(canonical(item())).encode())
    plain, packed = tmp_path / f"a{extension}", tmp_path / f"a{extension}.gz"
    benchmark.save(plain)
    benchmark.save(packed)
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    for load in (Benchmark.load, checkpoint_ld.load):
        assert load(packed).to_jsonld() == load(plain).to_jsonld() == benchmark.to_jsonld()
    assert read_header(packed) == replace(read_header(plain), source=str(packed))
    benchmark.export_to_file(tmp_path / "a.csv.gz")
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()).decode() == benchmark.to_csv()
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(ReadError, match="AD009"):
        Benchmark.load(packed)


@pytest.mark.parametrize("document", [canonical(), scenario()], ids=["questions", "scenario"])
def test_expanded_json_ld_is_read_again(document: Json) -> None:
    benchmark = Benchmark.load(json.dumps(document).encode())
    expanded = writing.write(benchmark.graph, syntax="expanded").data
    assert isinstance(json.loads(expanded), list)
    assert Benchmark.load(expanded).get_all_questions() == benchmark.get_all_questions()
    assert Benchmark.load(expanded).scenarios == benchmark.scenarios


def test_statements_that_were_read_are_written_as_they_are(tmp_path: Path) -> None:
    bare = canonical()
    del bare["dateCreated"]
    del bare["dataFeedElement"][0]["item"]["hasPart"]
    statements = Benchmark.load(json.dumps(bare).encode()).to_ntriples().encode()
    assert json.loads(written(Benchmark.load(statements), tmp_path, context="plain")) == bare


# --- what another dialect did not say


@pytest.mark.parametrize("document", [state, gui, dataset], ids=["v2.0", "gui-datafeed", "dataset-1"])
def test_a_document_of_another_dialect_becomes_what_a_new_benchmark_is(
    document: Callable[[], Json], tmp_path: Path
) -> None:
    source = document()
    for member in ("@id", "version", "creator", "additionalProperty") if "@type" in source else ():
        del source[member]
    source |= {} if "@type" in source else {"dataset_metadata": {"dateCreated": "2026-01-01"}}
    benchmark = Benchmark.load(json.dumps(source).encode())
    first, second = (written(benchmark, tmp_path, dialect="datafeed-ns-v3") for _ in range(2))
    value, new = json.loads(first), Benchmark.create("new")

    assert first == second
    assert value["@id"].startswith("urn:uuid:karenina-checkpoint-")
    assert float(value["@id"].removeprefix("urn:uuid:karenina-checkpoint-")) > 1e9
    assert (value["version"], value["creator"]) == (new.version, new.creator)
    assert value["additionalProperty"] == new.to_jsonld()["additionalProperty"]


def test_documents_of_one_moment_become_benchmarks_with_identifiers_of_their_own(tmp_path: Path) -> None:
    documents = [state() | {"dataset_metadata": {"name": name, "dateCreated": "2026-01-01"}} for name in "AB"]
    made = [
        json.loads(written(Benchmark.load(json.dumps(one).encode()), tmp_path, dialect="datafeed-ns-v3"))["@id"]
        for one in documents
    ]

    assert len(set(made)) == 2
    assert all(one.startswith("urn:uuid:karenina-checkpoint-1767225600.") for one in made)


def test_what_another_dialect_states_of_a_benchmark_stays(tmp_path: Path) -> None:
    value = json.loads(written(Benchmark.load(json.dumps(gui()).encode()), tmp_path, dialect="datafeed-ns-v3"))

    assert [value[member] for member in ("@id", "version", "creator")] == [
        canonical()[member] for member in ("@id", "version", "creator")
    ]
    assert [one["name"] for one in value["additionalProperty"]] == ["checkpoint_format_version", "licence"]


@pytest.mark.parametrize("members", [{}, {"dateCreated": None}], ids=["dated", "without a date of creation"])
@pytest.mark.parametrize("version", ["1.0.0", "3.0.0-jsonld"])
def test_an_edited_answer_changes_nothing_else_of_a_dataset(members: Json, version: str, tmp_path: Path) -> None:
    source = dataset() | {"version": version}
    source["hasPart"][0] = {key: one for key, one in (source["hasPart"][0] | members).items() if one is not None}
    before = json.dumps(source, indent=2).splitlines()
    benchmark = Benchmark.load("\n".join(before).encode())
    benchmark.update_question_metadata(benchmark.get_question_ids()[0], raw_answer="Silver")
    after = written(benchmark, tmp_path).decode().splitlines()

    gone, come = (
        [line.strip().split(":")[0] for line in one if line not in other]
        for one, other in ((before, after), (after, before))
    )
    dates = ['"dateModified"', '"dateModified"']
    assert gone == [*dates, '"text"']
    assert sorted(come) == [*(['"dateCreated"'] if members else []), *dates, '"text"']
    assert Benchmark.load("\n".join(after).encode())[0].raw_answer == "Silver"


@pytest.mark.parametrize("dialect", ["v2.0", "gui-datafeed", "dataset-1"])
def test_terms_of_a_document_s_own_context_survive_every_dialect(dialect: str, tmp_path: Path) -> None:
    benchmark = Benchmark.load(json.dumps(unusual()).encode())
    data = written(benchmark, tmp_path, dialect=dialect)

    assert Benchmark.load(data).to_jsonld()["@context"]["licence"] == "https://example.org/licence"


# --- what is taken can be written


@pytest.mark.parametrize("document", [canonical, gui, dataset, state])
@pytest.mark.parametrize(("levels", "of_question"), [(197, False), (194, True)])
def test_a_value_is_as_deep_as_a_file_can_hold_it_or_refused_at_once(
    document: Callable[[], Json], levels: int, of_question: bool, tmp_path: Path
) -> None:
    benchmark = Benchmark.load(json.dumps(document()).encode())
    value: Json = 1
    for _ in range(levels):
        value = [value]

    def give(held: Json) -> None:
        if of_question:
            benchmark.set_question_custom_property(benchmark.get_question_ids()[0], "deep", held)
        else:
            benchmark.set_custom_property("deep", held)

    give(value)
    for dialect in (benchmark.dialect, "datafeed-ns-v3", "dataset-1"):
        assert len(Benchmark.load(written(benchmark, tmp_path, dialect=dialect))) == len(benchmark)
    with pytest.raises(WriteError, match="nested deeper"):
        give([value])
    assert len(Benchmark.load(written(benchmark, tmp_path))) == len(benchmark)


def test_the_kind_binary_is_written_as_the_boolean_that_karenina_knows_once_a_file_is_edited(tmp_path: Path) -> None:
    old: Json = OLD_RATING | {"additionalType": "karenina:GlobalCallableTrait", "bestRating": 1.0, "worstRating": 0.0}
    old["additionalProperty"] = [*old["additionalProperty"], {"name": "kind", "value": "binary"}]
    benchmark = Benchmark.load(json.dumps(canonical() | {"rating": [old]}).encode())
    benchmark.name = "Alloys"
    settings = json.loads(written(benchmark, tmp_path))["rating"][0]["additionalProperty"]
    assert {"name": "kind", "value": "boolean"} in settings
