"""Documents that no parser could read back, and graphs whose work would grow without bound, are refused at once."""

import json
from pathlib import Path

import pytest

from checkpoint_ld import ReadError, WriteError, fingerprint, validate
from checkpoint_ld.workers import canonical
from tests.cli.conftest import Run
from tests.documents import canonical as document
from tests.documents import item

LIMIT = 2**24
SYNTAXES = ("nt", "nq", "ttl", "trig", "rdf")


def written(folder: Path, text: str) -> Path:
    file = folder / "long.jsonld"
    content = document(item())
    content["dataFeedElement"][0]["item"]["acceptedAnswer"]["text"] = text
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


@pytest.mark.parametrize("extension", SYNTAXES)
def test_a_text_too_long_to_be_read_back_is_refused_when_written(run: Run, tmp_path: Path, extension: str) -> None:
    target = tmp_path / f"out.{extension}"
    outcome = run("convert", written(tmp_path, "x" * LIMIT), "-o", target)
    assert outcome.code == 2
    assert "16 MiB" in outcome.err
    assert "schema.org/text" in outcome.err
    assert "fault of checkpoint-ld" not in outcome.err
    assert not target.exists()


@pytest.mark.parametrize("text", ["x" * (LIMIT - 1000), "é" * (LIMIT // 2 - 1000)])
@pytest.mark.parametrize("extension", ["nt", "ttl"])
def test_a_text_below_the_limit_comes_back(run: Run, tmp_path: Path, text: str, extension: str) -> None:
    target, back = tmp_path / f"out.{extension}", tmp_path / "back.jsonld"
    assert run("convert", written(tmp_path, text), "-o", target).code == 0
    assert run("convert", target, "-o", back).code == 0
    question = json.loads(back.read_text(encoding="utf-8"))["dataFeedElement"][0]["item"]
    assert question["acceptedAnswer"]["text"] == text


@pytest.mark.parametrize("text", ["x" * LIMIT, "\x01" * (LIMIT // 5), "é" * (LIMIT // 2)])
def test_the_limit_is_one_of_bytes_as_they_are_written(tmp_path: Path, text: str) -> None:
    with pytest.raises(WriteError, match="16 MiB"):
        fingerprint(written(tmp_path, text))
    assert validate(written(tmp_path, text)).findings is not None


@pytest.mark.parametrize("syntax", ["nt", "nq", "turtle", "trig"])
def test_a_longer_statement_of_others_is_refused_with_the_limit(syntax: str) -> None:
    data = b'<urn:a> <urn:b> "' + b"x" * LIMIT + b'" .\n'
    with pytest.raises(ReadError, match="16 MiB"):
        fingerprint(data, syntax=syntax)


def clique(size: int, node: str) -> str:
    """Return a root with `size` nodes that all refer to one another."""
    names = [node.format(at) for at in range(size)]
    links = "".join(f"{one} <urn:p> {other} .\n" for one in names for other in names if one != other)
    return (
        "<urn:uuid:root> a <https://schema.org/DataFeed> ; <https://schema.org/name> 'n' ; "
        f"<https://schema.org/about> {names[0]} .\n{links}"
    )


def ladder(size: int) -> str:
    """Return a root with a chain of nodes, each of which refers twice to the next."""
    links = "".join(f"_:b{at} <urn:p> _:b{at + 1} ; <urn:q> _:b{at + 1} .\n" for at in range(size))
    return f"<urn:uuid:root> a <https://schema.org/DataFeed> ; <https://schema.org/about> _:b0 .\n{links}"


@pytest.mark.parametrize("command", ["inspect", "validate", "convert", "fingerprint"])
@pytest.mark.parametrize("graph", [clique(12, "_:b{}"), ladder(60)], ids=["clique", "ladder"])
def test_blank_nodes_that_refer_to_one_another_are_read_or_refused_at_once(
    run: Run, tmp_path: Path, command: str, graph: str
) -> None:
    """Time would grow factorially, or double with each node."""
    file = tmp_path / "tangled.ttl"
    file.write_text(graph, encoding="utf-8")
    more = ("-o", tmp_path / "out.nt") if command == "convert" else ()
    outcome = run(command, file, *more)
    assert outcome.code in (0, 1, 2)
    assert "fault of checkpoint-ld" not in outcome.err


def test_a_small_clique_and_one_of_names_are_read() -> None:
    report = validate(clique(4, "_:b{}").encode(), syntax="turtle")
    assert {finding.code for finding in report.findings} == {"KB006", "KB007", "KB008", "KB016", "KB023", "KN005"}
    assert fingerprint(clique(12, "<urn:n:{}>").encode(), syntax="turtle")


def test_canonical_labels_have_a_limit_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert canonical.canonical_hash(b"_:a <urn:p> _:b .\n") == canonical.canonical_hash(b"_:c <urn:p> _:d .\n")
    monkeypatch.setattr(canonical, "SECONDS", 0.5)
    lines = "".join(f"_:b{one} <urn:p> _:b{other} .\n" for one in range(12) for other in range(12) if one != other)
    with pytest.raises(ReadError, match="canonical labels take more than"):
        canonical.canonical_hash(lines.encode())
