"""Hugging Face: its own loader and card reader over what is exported, and folders of others read, offline."""

import importlib
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import checkpoint_ld
from checkpoint_ld import Benchmark, export_benchmark, import_benchmark
from checkpoint_ld.benchmark.question_columns import DRAFT_ANSWER
from checkpoint_ld.errors import LookupFailedError, ReadError, WriteError
from tests.formats.benchmarks import made
from tests.trials import examples

METALS = Path(__file__).resolve().parents[2] / "docs" / "examples" / "metals.jsonld"


@pytest.fixture(scope="module", autouse=True)
def _quiet() -> None:
    # Not above: to import it takes seconds, in each process that collects tests.
    datasets = pytest.importorskip("datasets", reason="datasets is not installed: make .venv/.integrations-group")
    datasets.disable_progress_bars()


def loaded(folder: Path, cache: Path, name: str = "questions", split: str = "test") -> Any:
    return importlib.import_module("datasets").load_dataset(str(folder), name, split=split, cache_dir=str(cache))


def test_datasets_loads_the_folder_and_its_card_is_valid(tmp_path: Path) -> None:
    from huggingface_hub import DatasetCard, DatasetCardData

    benchmark = checkpoint_ld.load(METALS)
    findings = export_benchmark(benchmark, tmp_path / "metals", format="hugging-face")
    held = loaded(tmp_path / "metals", tmp_path / "cache")
    card = DatasetCard.load(tmp_path / "metals" / "README.md")

    assert held["question"] == [one.question for one in benchmark.questions]
    assert held["answer"] == [one.raw_answer for one in benchmark.questions]
    assert held["custom.tested"][0] == [2024, 2025]
    assert len(loaded(tmp_path / "metals", tmp_path / "cache", "fields")) == len(benchmark.fields_records())
    assert len(loaded(tmp_path / "metals", tmp_path / "cache", "traits")) == len(benchmark.traits_records())
    assert isinstance(card.data, DatasetCardData)
    assert card.data.pretty_name == "Metals"
    assert [one.condition for one in findings] == ["W-LOSS"]
    assert checkpoint_ld.load(tmp_path / "metals" / "checkpoint.jsonld") == benchmark


def test_the_questions_come_back(tmp_path: Path) -> None:
    benchmark = checkpoint_ld.load(METALS)
    export_benchmark(benchmark, tmp_path / "metals", format="hugging-face")
    again, findings = import_benchmark(tmp_path / "metals")

    assert [one.model_dump(exclude={"question_rubric"}) for one in again.questions] == [
        one.model_dump(exclude={"question_rubric"}) for one in benchmark.questions
    ]
    assert again.get_question_ids() == benchmark.get_question_ids()
    found = " ".join(map(str, findings))
    assert "of the configurations, fields, traits are not read" in found
    assert "checkpoint.jsonld to have all of it" in found


def test_the_card_states_what_is_published(tmp_path: Path) -> None:
    from huggingface_hub import DatasetCard

    benchmark = checkpoint_ld.load(METALS)
    benchmark.set_metadata(
        description='What "metals" are:\n- hard\n- shiny',
        version="1.10",
        license="https://creativecommons.org/licenses/by/4.0/",
        citation="On metals",
        funder={"@type": "Organization", "name": "The Fund", "email": "fund@example.org"},
        keywords=["metals", "chemistry"],
        identifier="doi:10.5281/zenodo.1234",
    )
    benchmark.set_custom_property("level", "easy")
    findings = export_benchmark(benchmark, tmp_path / "metals", format="hugging-face")
    card = DatasetCard.load(tmp_path / "metals" / "README.md")
    again = import_benchmark(tmp_path / "metals").benchmark

    assert (card.data.license, card.data.tags[-2:]) == ("cc-by-4.0", ["metals", "chemistry"])
    for stated in ("Version: 1.10", "Made by: Ada Smith", "Cite as: On metals", "Funded by: The Fund", "zenodo.1234"):
        assert stated in card.text
    assert (again.license, again.keywords) == ("CC-BY-4.0", ["metals", "chemistry"])
    assert (again.name, again.description, again.version) == ("Metals", benchmark.description, "1.10")
    assert [one.message for one in findings][1:] == [
        "the custom properties level have no place in a data set",
        "of the funder, the card has names only",
    ]


@pytest.mark.parametrize(
    ("licence", "head", "again"),
    [
        ("MIT", {"license": "mit"}, "MIT"),
        (["MIT", "CC0-1.0"], {"license": ["mit", "cc0-1.0"]}, ["MIT", "CC0-1.0"]),
        ("ODbL-1.0", {"license": "odbl"}, "odbl"),
        ("GPL-3.0-or-later", {"license": "gpl-3.0"}, "GPL-3.0"),
        ("ask us", {"license": "other", "license_name": "ask us"}, "ask us"),
        (
            "https://example.org/terms",
            {
                "license": "other",
                "license_name": "https://example.org/terms",
                "license_link": "https://example.org/terms",
            },
            "https://example.org/terms",
        ),
        (None, {}, None),
    ],
)
def test_licences_are_called_as_the_hub_calls_them(licence: Any, head: Any, again: Any, tmp_path: Path) -> None:
    from huggingface_hub import metadata_load

    benchmark = made(1)
    benchmark.set_metadata(license=licence)
    findings = export_benchmark(benchmark, tmp_path / "one", format="hugging-face")
    held = metadata_load(tmp_path / "one" / "README.md")
    assert {name: value for name, value in (held or {}).items() if name.startswith("license")} == head
    assert import_benchmark(tmp_path / "one").benchmark.license == again
    renamed = again != licence
    assert [f"the licence {licence} is called" in one.message for one in findings] == ([True] if renamed else [])


def test_values_of_several_types_are_loaded_as_they_are_or_named(tmp_path: Path) -> None:
    benchmark = Benchmark("Odd")
    benchmark.add_question(
        "A?", "a", custom_metadata={"level": 1, "about": {"x": 1}, "big": 10**30, "odd": [0.1 + 0.7]}
    )
    benchmark.add_question("B?", "b", custom_metadata={"level": "1", "odd": 7})
    findings = export_benchmark(benchmark, tmp_path / "odd", format="hugging-face")
    held = loaded(tmp_path / "odd", tmp_path / "cache")

    assert held["custom.level"] == [1, "1"]
    assert held["custom.about"] == [{"x": 1}, None]
    assert held["custom.big"] == ["1000000000000000000000000000000", None]
    assert held["custom.odd"] == ["[0.7999999999999999]", "7"]
    assert [str(one).split("'")[1] for one in findings] == ["custom.big", "custom.odd"]


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=2**62, max_value=2**65),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
    st.sampled_from(["1", "007", "true", "null", "[1]", '"x"', "1.0", "2026-01-01", "NaN", ""]),
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=5
)


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None)
@given(columns=st.lists(st.lists(VALUES, min_size=2, max_size=2), min_size=1, max_size=4))
def test_what_is_exported_is_loaded_with_the_same_values_or_named(columns: list[list[Any]]) -> None:
    benchmark = Benchmark("Odd")
    for row in range(2):
        kept = {f"c{at}": column[row] for at, column in enumerate(columns) if column[row] not in (None, "", [], {})}
        benchmark.add_question(f"{row}?", "a", custom_metadata=kept or None)
    stated = [question["custom_metadata"] or {} for question in benchmark.get_all_questions()]
    with tempfile.TemporaryDirectory() as folder:
        try:
            findings = export_benchmark(benchmark, Path(folder, "odd"), format="hugging-face")
        except WriteError:  # of a text that UTF-8 cannot hold
            return
        held = loaded(Path(folder, "odd"), Path(folder, "cache"))
        again = [one.custom_metadata or {} for one in import_benchmark(Path(folder, "odd")).benchmark.questions]
    named = [str(one).split("'")[1] for one in findings]
    for name in dict.fromkeys(name for row in stated for name in row):
        if f"custom.{name}" not in named:
            assert json.dumps(held[f"custom.{name}"][:]) == json.dumps([row.get(name) for row in stated])
            assert json.dumps([row.get(name) for row in again]) == json.dumps([row.get(name) for row in stated])


def test_features_of_others_are_decoded(tmp_path: Path) -> None:
    datasets = importlib.import_module("datasets")
    arrow = importlib.import_module("pyarrow")
    label = datasets.ClassLabel(names=["no", "yes"])
    features = {
        "question": datasets.Value("string"),
        "answer": label,
        "keywords": datasets.List(label),
        "about": {"sure": label, "all": datasets.List({"is": label, "any": datasets.Json()})},
        "any": datasets.Json(),
        "several": datasets.List(datasets.Json()),
    }
    inner = {"sure": 1, "all": [{"is": 0, "any": '"x"'}]}
    row = {
        "question": "Q",
        "answer": 1,
        "keywords": [0, 1],
        "about": inner,
        "any": '{"a": "b"}',
        "several": ['"c"', "1"],
    }
    data = datasets.Dataset.from_list(
        [row, {**row, "question": "R", "answer": -1}], features=datasets.Features(features)
    )
    (tmp_path / "a").mkdir()
    data.to_parquet(tmp_path / "a" / "train.parquet")
    data.save_to_disk(str(tmp_path / "b"))
    table = arrow.table(
        {
            "question": ["Q"],
            "answer": ["a"],
            "oslo": arrow.array([0], arrow.timestamp("us", "Europe/Oslo")),
            "utc": arrow.array([1], arrow.timestamp("ns", "+00:00")),
        }
    )
    importlib.import_module("pyarrow.parquet").write_table(table, tmp_path / "c.parquet")
    for source in (tmp_path / "a" / "train.parquet", tmp_path / "a", tmp_path / "b"):
        benchmark, findings = import_benchmark(source, format="hugging-face")
        question, draft = benchmark.questions
        assert draft.raw_answer == DRAFT_ANSWER
        assert (question.raw_answer, question.keywords) == ("yes", ["no", "yes"])
        assert question.custom_metadata == {
            "about": {"sure": "yes", "all": [{"is": "no", "any": "x"}]},
            "any": {"a": "b"},
            "several": ["c", 1],
        }
        assert "row 2 of train: no answer" in str(findings[0])
    benchmark, findings = import_benchmark(tmp_path / "c.parquet")
    assert benchmark.questions[0].custom_metadata == {
        "oslo": "1970-01-01T01:00:00+01:00",
        "utc": "1970-01-01T00:00:00.000000001+00:00",
    }
    assert [
        "of the dates in 'oslo', the offsets are kept, not the zone Europe/Oslo" in str(one) for one in findings
    ] == [True]


def test_the_features_of_a_card_hold_for_its_tables_of_text(tmp_path: Path) -> None:
    card = {
        "features": [
            {"name": "question", "dtype": "string"},
            {"name": "answer", "dtype": {"class_label": {"names": {"0": "no", "1": "yes"}}}},
            {"name": "tags", "list": {"class_label": {"names": {"0": "easy", "1": "hard"}}}},
        ]
    }
    (tmp_path / "README.md").write_text(f"---\ndataset_info: {json.dumps(card)}\n---\n", encoding="utf-8")
    (tmp_path / "train.jsonl").write_text('{"question": "Q", "answer": 1, "tags": [1, 0]}\n', encoding="utf-8")
    [question] = import_benchmark(tmp_path).benchmark.questions
    assert (question.raw_answer, question.keywords) == ("yes", ["easy", "hard"])
    assert loaded(tmp_path, tmp_path.parent / "cache", "default", "train").features["answer"].names == ["no", "yes"]
    (tmp_path / "train.jsonl").unlink()
    (tmp_path / "train.csv").write_text("question,answer\nQ,1\nR,no\n", encoding="utf-8")
    assert [each.raw_answer for each in import_benchmark(tmp_path).benchmark.questions] == ["yes", "no"]


def test_folders_of_others_are_read_with_their_splits(tmp_path: Path) -> None:
    for split, count in (("train", 2), ("test", 1)):
        rows = [{"question": f"{split} {number}?", "answer": "x"} for number in range(count)]
        (tmp_path / f"{split}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    every = import_benchmark(tmp_path, format="hugging-face").benchmark
    assert sorted(str(one.custom_metadata["split"]) for one in every.questions if one.custom_metadata) == [
        "test",
        "train",
        "train",
    ]
    assert len(import_benchmark(tmp_path, format="hugging-face", split="test").benchmark) == 1
    with pytest.raises(LookupFailedError, match='there is no split "dev"; use one of'):
        import_benchmark(tmp_path, split="dev")


@pytest.mark.parametrize(
    ("head", "settings", "fault"),
    [
        ("data_files: http://example.org/x.parquet", {}, (ReadError, "points to 'http://example.org/x.parquet'")),
        ("data_files: ../x.parquet", {}, (ReadError, "not in the folder: fetch it yourself")),
        ("data_files: /etc/x.parquet", {}, (ReadError, "not in the folder")),
        ("data_files: hf://datasets/x/y.parquet", {}, (ReadError, "not in the folder")),
        ("data_files: x.pkl", {}, (ReadError, r"has files \.pkl: \.parquet, .* can be read")),
        ("data_files: x.parquet", {}, (ReadError, "the data cannot be read")),
        ("data_files: none.parquet", {}, (ReadError, "there is no data set in it")),
        ("data_files: x.parquet", {"part": "z"}, (LookupFailedError, 'no configuration "z"; use one of c')),
        ("data_files: [", {}, (ReadError, "its YAML head cannot be read")),
        ("data_files: 5", {}, (ReadError, "data_files of the card cannot be read: .*; see https://huggingface.co/")),
        ("data_files: [{split: test}]", {}, (ReadError, "data_files of the card cannot be read: ")),
        ("data_files: {test: [5]}", {}, (ReadError, "data_files of the card cannot be read: ")),
        ("data_dir: ../x", {}, (ReadError, "points to '../x', which is not in the folder")),
    ],
)
def test_cards_that_lead_elsewhere_or_nowhere_are_refused(
    tmp_path: Path, head: str, settings: dict[str, Any], fault: tuple[type[Exception], str]
) -> None:
    (tmp_path / "x.pkl").write_bytes(b"cos\nsystem\n")
    (tmp_path / "x.parquet").write_bytes(b"no parquet")
    (tmp_path / "README.md").write_text(f"---\nconfigs:\n- config_name: c\n  {head}\n---\n# X\n", encoding="utf-8")
    with pytest.raises(fault[0], match=fault[1]):
        import_benchmark(tmp_path, **settings)


def test_a_configuration_has_the_files_of_its_folder(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.jsonl").write_text(json.dumps({"question": f"{name}?", "answer": "A"}) + "\n")
    card = "configs:\n- {config_name: a, data_dir: a}\n- {config_name: b, data_dir: b, data_files: x.jsonl}"
    (tmp_path / "README.md").write_text(f"---\n{card}\n---\n", encoding="utf-8")
    for name in ("a", "b"):
        assert [one.question for one in import_benchmark(tmp_path, part=name).benchmark.questions] == [f"{name}?"]


ROWS = [{"question": "Q", "answer": "007", "day": "2026-01-02"}, {"question": "R", "answer": "NA", "day": "x"}]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("train.csv", "question,answer,day\nQ,007,2026-01-02\nR,NA,x\n"),
        ("train.jsonl", "".join(json.dumps(row) + "\n" for row in ROWS)),
        ("train.json", "".join(json.dumps(row) + "\n" for row in ROWS)),  # as to_json of a data set writes it
        ("train.json", json.dumps(ROWS)),
    ],
)
def test_values_of_text_files_are_those_that_the_file_has(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    for source in (tmp_path, tmp_path / name):
        read, findings = import_benchmark(source)
        assert findings == ()
        assert [(one.raw_answer, one.custom_metadata) for one in read.questions] == [
            ("007", {"day": "2026-01-02"}),
            ("NA", {"day": "x"}),
        ]


def test_an_answer_is_no_other_one_where_a_column_has_several_types(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text('{"question": "Q", "answer": "A"}\n{"question": "R", "answer": 5}\n')
    assert [one.raw_answer for one in import_benchmark(tmp_path).benchmark.questions] == ["A", "5"]


def test_a_data_set_saved_to_disk_and_maps_are_read(tmp_path: Path) -> None:
    arrow, datasets = (importlib.import_module(name) for name in ("pyarrow", "datasets"))
    datasets.Dataset.from_list(ROWS).save_to_disk(tmp_path / "saved")
    read, findings = import_benchmark(tmp_path / "saved")
    assert (len(read), findings) == (2, ())

    pairs = arrow.array([[("a", b"x")], [("b", b"y")]], arrow.map_(arrow.string(), arrow.binary()))
    table = {"question": ["Q", "R"], "answer": ["A", "B"], "pictures": pairs}
    importlib.import_module("pyarrow.parquet").write_table(arrow.table(table), tmp_path / "x.parquet")
    read, (binary,) = import_benchmark(tmp_path / "x.parquet")
    assert "the column 'pictures' holds binary data, which is left out" in str(binary)


@pytest.mark.parametrize("name", ["questions.csv", "deep/er/questions.jsonl"])
def test_one_file_of_any_name_is_a_data_set_whatever_lies_beside_it(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        "question,answer\nWhich?,Au\n" if file.suffix == ".csv" else '{"question": "Which?", "answer": "Au"}\n'
    )
    (tmp_path / "README.md").write_text("---\nlicense: mit\n---\n")
    (tmp_path / "LICENSE").write_text("MIT")
    [question] = import_benchmark(tmp_path).benchmark.questions
    assert (question.question, question.raw_answer) == ("Which?", "Au")


def test_a_folder_without_data_states_so(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="there is no data set in it"):
        import_benchmark(tmp_path)


@pytest.mark.parametrize("name", ["train.jsonl", "README.md", "data"])
def test_links_out_of_the_folder_are_refused(tmp_path: Path, name: str) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir()
    folder.mkdir()
    (outside / "train.jsonl").write_text('{"question": "private", "answer": "private"}\n', encoding="utf-8")
    (outside / "README.md").write_text("---\nlicense: mit\n---\n", encoding="utf-8")
    (folder / "test.jsonl").write_text('{"question": "Which?", "answer": "this"}\n', encoding="utf-8")
    (folder / name).symlink_to(outside if name == "data" else outside / name)
    if name == "data":
        card = "---\nconfigs:\n- config_name: default\n  data_files: data/train.jsonl\n---\n"
        (folder / "README.md").write_text(card, encoding="utf-8")
    with pytest.raises(ReadError, match="is a link out of"):
        import_benchmark(folder, format="hugging-face")


def test_the_links_of_the_cache_of_the_hub_are_followed(tmp_path: Path) -> None:
    blobs, folder = (tmp_path / "datasets--who--what" / name for name in ("blobs", "snapshots/123"))
    blobs.mkdir(parents=True)
    folder.mkdir(parents=True)
    (blobs / "456").write_text('{"question": "Which?", "answer": "this"}\n', encoding="utf-8")
    (folder / "train.jsonl").symlink_to("../../blobs/456")
    assert len(import_benchmark(folder).benchmark) == 1
