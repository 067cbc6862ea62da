"""What checkpoint-ld does, job by job."""

from __future__ import annotations

import re
import sysconfig
import tempfile
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ways import OURS, RICH, Command, Way, same

from checkpoint_ld import Benchmark, families
from checkpoint_ld.dialects import reading
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.graph import emission
from checkpoint_ld.validation import profiles, validator
from checkpoint_ld.validation.constraints import forms, templates
from documents import Draw, document, question, rubric

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph

QUERIES = {file.stem: file.read_text(encoding="utf-8") for file in sorted(Path(__file__).parent.glob("queries/*.rq"))}
SEEN = 10
"""How many questions were validated before: their templates are known, and no others."""
ADDED = 1_000
COMMAND = str(Path(sysconfig.get_path("scripts")) / "checkpoint-ld")


def examined(path: Path) -> reading.Reading:
    """Read a file as a graph, and leave it to SHACL to find what is wrong with it."""
    source = reading.examine(path)
    assert source.graph  # noqa: S101 - the graph is built when it is first asked for
    return source


def graph_of(path: Path) -> CheckpointGraph:
    """Return the graph of a file."""
    return examined(path).graph


def forgotten() -> None:
    """Forget all templates and patterns that were seen."""
    for known in (forms._python_fault, forms._pattern_fault):  # noqa: SLF001 - no user has a reason to
        known.cache_clear()
    templates.forget()


def anew(path: Path) -> Path:
    """Forget what earlier runs have seen, but for what a run on few questions would have."""
    forgotten()
    verdict(reading.examine_bytes(_few()))
    return path


@cache
def _few() -> bytes:
    return document(SEEN)


def examined_anew(path: Path) -> reading.Reading:
    """Read a file as a graph, to hold it against the rules."""
    return examined(anew(path))


def read_anew(path: Path) -> reading.Reading:
    """Read a file as a graph, and hold it against the rules at load."""
    source = validator.refusing(reading.examine(anew(path)))
    assert source.graph  # noqa: S101 - the graph is built when it is first asked for
    return source


def checked(path: Path) -> bool:
    """Hold a file against the rules, with or without a graph of it."""
    profile = profiles.profile()
    return validator.report_of([families.check(path, profile)], profile).conforms


def verdict(source: reading.Reading) -> bool:
    """Hold what was read against the rules."""
    profile = profiles.profile()
    return validator.report_of([validator.check_reading(source, profile)], profile).conforms


def everything(path: Path) -> object:
    """Read a file as a graph, hold it against the rules, and make entities of it."""
    source = examined(path)
    return verdict(source), list(Benchmark.of_reading(source).questions)


def validated(path: Path) -> object:
    """Load a benchmark with all that is found about it."""
    return Benchmark.load(path, validate="warn")


def ntriples_of(path: Path) -> bytes:
    """Return a file as N-Triples."""
    return emission.ntriples_of(reading.examine(path).graph)


def text_of(graph: CheckpointGraph) -> bytes:
    """Return a graph as the text of a JSON-LD document."""
    return dump_json(emission.jsonld_of(graph))


def asked(query: str, path: Path) -> tuple[CheckpointGraph, str]:
    """Return the graph of a file, with a query."""
    return graph_of(path), query


def answers(asked: tuple[Any, str]) -> list[Any]:
    """Return the rows that answer a query."""
    graph, query = asked
    return list(graph.query(query))


def added(number: int) -> dict[str, Any]:
    """Return a question with its rubric, as a user gives one."""
    draw = Draw.of(2, number)
    return {**question(draw).model_dump(mode="json", exclude={"id"}), "question_rubric": rubric(draw)}


def one_more(benchmark: Benchmark) -> str:
    """Add one question to a benchmark."""
    return benchmark.add_question(f"Which is question number {len(benchmark)}?", "This one", keywords=["new"])


def edited(path: Path) -> Benchmark:
    """Return a benchmark to which a question was added already, so that its questions are known by identifier."""
    benchmark = Benchmark.load(path)
    one_more(benchmark)
    return benchmark


def with_additions(path: Path) -> tuple[Benchmark, list[dict[str, Any]]]:
    """Return a benchmark, and questions to add to it."""
    return edited(path), [added(number) for number in range(ADDED)]


def add_several(given: tuple[Benchmark, list[dict[str, Any]]]) -> list[str]:
    """Add questions one by one."""
    benchmark, several = given
    return [benchmark.add_question(one) for one in several]


def somewhere(name: str) -> str:
    """Return a path to write to."""
    return str(Path(tempfile.gettempdir()) / name)


def loaded(path: Path) -> Benchmark:
    """Return a file as a benchmark."""
    return Benchmark.load(path)


def in_dialect(dialect: str, path: Path) -> Path:
    """Return the checkpoint in a file of another dialect."""
    other = path.with_name(f"{path.stem}-{dialect}.json")
    if not other.exists():
        Benchmark.load(path).save(other, save_deep_judgment_config=True, dialect=dialect)
    return other


def converted(dialect: str, path: Path) -> object:
    """Write a file in another dialect."""
    return Benchmark.load(path).save(somewhere("converted.json"), save_deep_judgment_config=True, dialect=dialect)


CONVERSIONS = (
    ("v2.0", reading.CANONICAL),
    ("v2.0", "dataset-1"),
    ("dataset-1", reading.CANONICAL),
    (reading.CANONICAL, "v2.0"),
    (reading.CANONICAL, "dataset-1"),
    ("dataset-1", "v2.0"),
    (reading.CANONICAL, "gui-datafeed"),
)

_WAYS: tuple[Way | Command, ...] = (
    Way("file → graph", OURS, same, graph_of),
    Way("graph → verdict", OURS, examined_anew, verdict),
    Way("graph → verdict, after read()", OURS, read_anew, verdict),
    Way("file → verdict", OURS, anew, checked),
    Way("file → graph and verdict", OURS, anew, lambda path: verdict(examined(path))),
    Way("graph → entities", OURS, loaded, lambda benchmark: list(benchmark.questions)),
    Way("file → graph, verdict and entities", OURS, anew, everything),
    Way("file → Benchmark", OURS, same, loaded),
    Way("file → Benchmark", f"{OURS}, validate", anew, validated),
    Way("file → N-Triples", OURS, same, ntriples_of),
    Way("graph → N-Triples", OURS, graph_of, emission.ntriples_of),
    Way("graph → N-Quads", OURS, graph_of, emission.nquads_of),
    Way("graph → Turtle", OURS, graph_of, emission.turtle_of),
    Way("graph → TriG", OURS, graph_of, emission.trig_of),
    Way("graph → JSON-LD", OURS, graph_of, text_of),
    *(Way(f"query: {name}", OURS, partial(asked, query), answers) for name, query in QUERIES.items()),
    *(
        Way(f"convert: {one} → {other}", OURS, partial(in_dialect, one), partial(converted, other))
        for one, other in CONVERSIONS
    ),
    Way("add one question", OURS, edited, one_more, is_fresh=False),
    Way(f"add {ADDED:,} questions with traits", OURS, with_additions, add_several),
    Command("command: --version", OURS, lambda _: [COMMAND, "--version"]),
    Command("command: validate", OURS, lambda path: [COMMAND, "validate", "--quiet", str(path)]),
    Command(
        "command: convert to N-Triples",
        OURS,
        lambda path: [COMMAND, "convert", "--quiet", str(path), "--force", "--output", somewhere("converted.nt")],
    ),
)

_WITH_RICH = re.compile(
    "file → (graph|graph, verdict and entities|Benchmark)|graph → verdict|"
    "convert: .*|add one question|command: validate"
)
"""The jobs that are done with rich documents as well."""


def _ways() -> Iterator[Way | Command]:
    for way in _WAYS:
        yield way
        if _WITH_RICH.fullmatch(way.job):
            yield replace(way, job=way.job + RICH, is_rich=True)


WAYS = tuple(_ways())
