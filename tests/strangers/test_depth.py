"""What is nested deeply, or repeats itself by aliases, is refused at once."""

import json
from pathlib import Path

import pytest

from checkpoint_ld import ReadError, SettingsError, import_benchmark, validate
from checkpoint_ld.documents.values import is_small
from tests.cli.conftest import Run
from tests.documents import canonical, item

DOCUMENT = json.dumps(canonical(item())).encode()
HEAD = (
    "@prefix sh: <http://www.w3.org/ns/shacl#> .\n"
    "<urn:s> a sh:NodeShape ; sh:targetClass <https://schema.org/DataFeed> ; sh:node <urn:s:0> .\n"
)


@pytest.mark.parametrize("nested", ["exclude = " + "[" * 3000 + "]" * 3000, "a = " + "{b = " * 3000 + "1" + "}" * 3000])
def test_a_deep_configuration_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nested: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".checkpoint-ld.toml").write_text(nested, encoding="utf-8")
    Path("one.jsonld").write_bytes(DOCUMENT)
    outcome = run("validate", "one.jsonld")
    assert outcome.code == 2
    assert "nested too deeply; nest them less" in outcome.err


def chain(tmp_path: Path, length: int, by: str, *, is_circle: bool = False) -> str:
    links = "".join(f"<urn:s:{at}> {by.format(f'<urn:s:{at + 1}>')} .\n" for at in range(length))
    end = "sh:node <urn:s:0>" if is_circle else "sh:nodeKind sh:IRI"
    file = tmp_path / "shapes.ttl"
    file.write_text(f"{HEAD}{links}<urn:s:{length}> {end} .\n", encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    "by", ["sh:node {}", "sh:not {}", "sh:and ( {} )", "sh:property [ sh:path <urn:p> ; sh:node {} ]"]
)
@pytest.mark.parametrize("length", [200, 1600, 20_000])
def test_shapes_that_refer_to_one_another_deeply_are_refused_at_once(tmp_path: Path, by: str, length: int) -> None:
    with pytest.raises(SettingsError, match="refer to one another more than 100 deep: nest them less"):
        validate(DOCUMENT, shapes=[chain(tmp_path, length, by)])


@pytest.mark.parametrize("by", ["sh:node {}", "sh:not {}", "sh:and ( {} )"])
def test_shapes_as_deep_as_the_limit_are_applied(tmp_path: Path, by: str) -> None:
    assert validate(DOCUMENT, shapes=[chain(tmp_path, 97, by)]).findings is not None
    circle = chain(tmp_path, 300, "sh:node {}", is_circle=True)  # which is no depth
    assert validate(DOCUMENT, shapes=[circle]).findings is not None


def test_deep_values_of_spans_are_called_deep(run: Run, tmp_path: Path) -> None:
    value = '{"stringValue":"x"}'
    for _ in range(700):
        value = f'{{"arrayValue":{{"values":[{value}]}}}}'
    span = (
        '{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"chat",'
        f'"attributes":[{{"key":"gen_ai.input.messages","value":{value}}}]}}'
    )
    file = tmp_path / "spans.json"
    file.write_text(f'{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{span}]}}]}}]}}', encoding="utf-8")
    outcome = run("agent", "import", "--from", "otlp", file, "--dir", tmp_path / "store")
    assert "nested too deeply to be read" in outcome.err
    assert "half written" not in outcome.err


def aliases(levels: int) -> str:
    """Return YAML that stands for ten times as many values with each level."""
    lines = [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 10)}]\n" for at in range(1, levels)]
    return f"a0: &a0 [{', '.join('x' * 10)}]\n{''.join(lines)}"


@pytest.mark.parametrize(
    "head",
    [
        f"{aliases(9)}configs:\n- config_name: *a8\n  data_files: '*.jsonl'\n",
        f"{aliases(9)}license: *a8\n",
        "license: &a [*a]\n",
    ],
)
def test_a_card_whose_aliases_repeat_one_another_is_refused(tmp_path: Path, head: str) -> None:
    pytest.importorskip("datasets")
    (tmp_path / "README.md").write_text(f"---\n{head}---\n# Card\n", encoding="utf-8")
    (tmp_path / "train.jsonl").write_text('{"question": "q", "answer": "a"}\n', encoding="utf-8")
    with pytest.raises(ReadError, match="write it without aliases"):
        import_benchmark(tmp_path)


def test_parts_count_as_often_as_they_are_repeated() -> None:
    shared = [1, 2, 3]
    assert is_small({"a": shared, "b": [shared, shared]}, 15)
    assert not is_small({"a": shared, "b": [shared, shared]}, 10)
    ring: list[object] = []
    ring.append({"ring": ring})
    assert not is_small(ring, 10**9)
    assert is_small("text", 0)
