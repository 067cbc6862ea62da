"""Benchmarks as folders of texts: byte for byte there and back, edits that count, and faults with their places."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import Benchmark, ReadError
from checkpoint_ld.errors import TargetExistsError
from checkpoint_ld.families.benchmark_folder import pack, unpack
from tests.cli.conftest import Run, run  # noqa: F401 - a fixture
from tests.merging.test_git import FILE, Git, git, home, save  # noqa: F401 - fixtures
from tests.merging.test_merge import edited, tree
from tests.trials import examples

pytest.importorskip("yaml", reason="folders of texts need the extra text")
EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"


@pytest.mark.parametrize("name", ["metals.jsonld", "elements.jsonld"])
def test_a_benchmark_comes_back_byte_for_byte(tmp_path: Path, name: str) -> None:
    found = unpack(EXAMPLES / name, tmp_path / "metals")
    assert found.is_exact
    assert pack(tmp_path / "metals") == (EXAMPLES / name).read_bytes()
    assert len([*tmp_path.glob("metals/questions/*.md")]) == found.questions


def test_the_corpus_comes_back_byte_for_byte(corpus: Path, tmp_path: Path) -> None:
    files = sorted((corpus / "datafeed-ns-v3").glob("*.jsonld"))
    exact = 0
    for number, file in enumerate(files):
        found = unpack(file, tmp_path / str(number))
        packed = pack(tmp_path / str(number))
        assert found.is_exact is (packed == file.read_bytes())
        assert json.loads(packed) == json.loads(file.read_bytes())
        exact += found.is_exact
    assert exact > 0.9 * len(files)


TEXTS = st.text(max_size=30) | st.sampled_from(
    (
        "yes",
        "null",
        "2026-01-01",
        "1e5",
        "0x1f",
        "---\n",
        "a: b",
        " x ",
        "x\n\n",
        "\n<!-- answer -->\n",
        "\r\n",
        "# a",
        "(below)",
    )
)


@settings(max_examples=examples(60))
@given(TEXTS, TEXTS, TEXTS, st.dictionaries(TEXTS, st.none() | st.booleans() | st.floats(allow_nan=False) | TEXTS))
def test_any_text_comes_back(
    tmp_path_factory: pytest.TempPathFactory, text: str, answer: str, code: str, more: Any
) -> None:
    value: Any = tree()
    element = value["dataFeedElement"][0]
    element["item"]["hasPart"] = {"@type": "SoftwareSourceCode"}
    element["item"] |= {"text": text, "acceptedAnswer": {"@type": "Answer", "text": answer}}
    element["item"]["hasPart"]["text"] = code
    element["item"]["additionalProperty"] = [{"@type": "PropertyValue", "name": "custom_x", "value": more}]
    folder = tmp_path_factory.mktemp("any")
    written = json.dumps(value, ensure_ascii=False, indent=2).encode()
    try:
        unpack(written, folder / "x")
    except ReadError:  # such as a question without text
        return
    assert pack(folder / "x") == written
    shutil.rmtree(folder)


def test_edits_of_the_texts_are_edits_of_the_benchmark(tmp_path: Path) -> None:
    folder = tmp_path / "metals"
    unpack(EXAMPLES / "metals.jsonld", folder)
    first = next(folder.glob("questions/which-metal-is-liquid*.md"))
    first.write_text(first.read_text().replace("Which metal is liquid", "Which metal flows"))
    code = first.with_suffix(".py")
    code.write_text(code.read_text().replace("mercury", "gallium"))
    other = next(path for path in sorted(folder.glob("questions/*.md")) if path != first)
    other.with_name("added.md").write_text(
        "---\n'@type': DataFeedItem\n'@id': urn:q:new\n"
        "dateCreated: 2026-01-01T00:00:00\ndateModified: 2026-01-01T00:00:00\n"
        "item:\n  '@type': Question\n  text: (below)\n  acceptedAnswer:\n    '@type': Answer\n"
        "    text: (below, after the line answer)\n---\n\nWhich metal rusts?\n\n<!-- answer -->\n\nIron\n"
    )
    other.unlink()
    before, after = Benchmark.load(EXAMPLES / "metals.jsonld"), Benchmark.load(pack(folder))
    assert len(after) == len(before)
    [question] = [each for each in after.questions if each.question.startswith("Which metal flows")]
    assert "gallium" in (question.answer_template or "")
    assert after.questions[len(after) - 1].raw_answer == "Iron"


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("benchmark.yaml", "[1]", "it is no unpacked benchmark"),
        ("benchmark.yaml", "a: [", r"benchmark.yaml:1:5: it is no YAML"),
        ("benchmark.yaml", "a: &x 1\nb: *x", "there is an alias"),
        ("questions/x.md", "Which?", r"x.md:1: there is no front matter"),
        ("questions/x.md", "---\na: b: c\n---\n", r"x.md:2:5: it is no YAML"),
        ("rubric.yaml", "!!python/object/apply:os.system ['true']", "it is no YAML"),
    ],
)
def test_a_fault_has_its_file_and_line(tmp_path: Path, file: str, text: str, words: str) -> None:
    unpack(EXAMPLES / "metals.jsonld", tmp_path / "x")
    (tmp_path / "x" / file).write_text(text)
    with pytest.raises(ReadError, match=words):
        pack(tmp_path / "x")


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    unpack(EXAMPLES / "metals.jsonld", tmp_path / "x")
    next(tmp_path.glob("x/questions/*.py")).unlink()
    with pytest.raises(ReadError, match="the template is missing"):
        pack(tmp_path / "x")
    with pytest.raises(ReadError, match="it is no unpacked benchmark"):
        pack(tmp_path)
    with pytest.raises(TargetExistsError, match="--force"):
        unpack(EXAMPLES / "metals.jsonld", tmp_path / "x")
    with pytest.raises(ReadError, match="agent"):
        unpack(EXAMPLES.parents[1] / "shapes" / "examples" / "agent.jsonld", tmp_path / "y")
    unpack(EXAMPLES / "elements.jsonld", tmp_path / "x", overwrite=True)
    assert pack(tmp_path / "x") == (EXAMPLES / "elements.jsonld").read_bytes()


def test_other_dialects_become_canonical(tmp_path: Path, run: Run) -> None:  # noqa: F811
    found = run("unpack", EXAMPLES / "metals-v2.json", tmp_path / "x")
    assert "what is packed again is canonical JSON-LD" in found.err
    assert run("pack", tmp_path / "x", "-o", tmp_path / "out.jsonld").code == 0
    assert len(Benchmark.load(tmp_path / "out.jsonld")) == len(Benchmark.load(EXAMPLES / "metals-v2.json"))


@pytest.mark.slow
def test_git_refuses_a_commit_where_file_and_folder_differ(git: Git, run: Run) -> None:  # noqa: F811
    assert run("unpack", FILE, "metals").code == 0
    assert run("git", "install", "--unpacked", f"{FILE}=metals").code == 0
    git("add", "metals")
    git("commit", "-q", "-m", "texts")
    Path(FILE).write_bytes(json.dumps(edited(name="Other"), indent=2).encode())
    assert "metals.jsonld and" in git("commit", "-a", "-m", "edit", code=1)
    assert run("unpack", FILE, "metals", "--force").code == 0
    git("commit", "-q", "-a", "-m", "edit")
    assert run("git", "install", "--unpacked", "metals").code == 2
    assert run("git", "uninstall").code == 0
    assert "checkpoint-ld" not in git("config", "--local", "--list")
    assert tree()["name"] != "Other"
