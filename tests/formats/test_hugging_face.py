"""Hugging Face: its own loader and card reader over what is exported, and folders of others read, offline."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

import checkpoint_ld
from checkpoint_ld import Benchmark, export_benchmark, import_benchmark
from checkpoint_ld.errors import LookupFailedError, ReadError
from tests.formats.benchmarks import made

METALS = Path(__file__).resolve().parents[2] / "docs" / "examples" / "metals.jsonld"


@pytest.fixture(scope="module", autouse=True)
def _quiet() -> None:
    # Not above: to import it takes seconds, in each process that collects tests.
    datasets = pytest.importorskip("datasets", reason="datasets is not installed: make .venv/.integrations-group")
    datasets.disable_progress_bars()


def loaded(folder: Path, cache: Path, name: str = "questions") -> Any:
    return importlib.import_module("datasets").load_dataset(str(folder), name, split="test", cache_dir=str(cache))


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


def test_values_of_several_types_become_texts_and_are_named(tmp_path: Path) -> None:
    benchmark = Benchmark("Odd")
    benchmark.add_question("A?", "a", custom_metadata={"level": 1, "about": {"x": 1}})
    benchmark.add_question("B?", "b", custom_metadata={"level": "hard"})
    findings = export_benchmark(benchmark, tmp_path / "odd", format="hugging-face")
    held = loaded(tmp_path / "odd", tmp_path / "cache")

    assert held["custom.level"] == ["1", "hard"]
    assert held["custom.about"] == ['{"x": 1}', None]
    assert [str(one).split("'")[1] for one in findings] == ["custom.level", "custom.about"]


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
