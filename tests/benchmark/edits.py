"""Edits of a benchmark, by every way in which somebody may change one, for tests of what follows from them."""

import contextlib
from collections.abc import Callable
from typing import Any

from rdflib import RDF, Literal, URIRef

from checkpoint_ld import Benchmark
from checkpoint_ld.entities import LLMRubricTrait, RegexRubricTrait
from checkpoint_ld.errors import CheckpointLdError
from checkpoint_ld.vocabulary import KARENINA, SCHEMA

_TEMPLATE = """from karenina.schemas.domain import BaseAnswer

class Answer(BaseAnswer):
    value: str

    def verify(self) -> bool:
        return self.value == "x"
"""
_NAME, _TEXT, _ITEM, _AUTHOR = (URIRef(SCHEMA + name) for name in ("name", "text", "item", "author"))


def sample(questions: int = 4) -> Benchmark:
    """Return a benchmark with traits, templates and a fault in every third question."""
    benchmark = Benchmark("Sample", "Some questions", creator="Ada")
    for number in range(questions):
        identifier = benchmark.add_question(
            f"What is {number}?", f"{number}", keywords=["a", "b"] if number % 2 else None
        )
        benchmark.add_answer_template(identifier, _TEMPLATE)
        if number % 3 == 0:
            benchmark.add_question_rubric_trait(
                identifier, RegexRubricTrait(name="short", pattern="x{1,3}", description="It is short.")
            )
            benchmark.set_question_custom_property(identifier, "due", "tomorrow")
            benchmark.graph.set((_question(benchmark, number), URIRef(SCHEMA + "dateModified"), Literal("yesterday")))
    benchmark.add_global_rubric_trait(
        LLMRubricTrait(name="clear", description="It is clear.", kind="boolean", higher_is_better=True)
    )
    return benchmark


def _id(benchmark: Benchmark, at: int) -> str | None:
    ids = benchmark.get_question_ids()
    return ids[at % len(ids)] if ids else None


def _question(benchmark: Benchmark, at: int) -> Any:
    questions = sorted(benchmark.graph.objects(None, _ITEM), key=str)
    return questions[at % len(questions)] if questions else benchmark.graph.root


def _of_question(edit: Callable[[Benchmark, str, int], object]) -> Callable[[Benchmark, int], None]:
    def applied(benchmark: Benchmark, at: int) -> None:
        identifier = _id(benchmark, at)
        if identifier is not None:
            edit(benchmark, identifier, at)

    return applied


def _removed(benchmark: Benchmark, at: int) -> None:
    triples = sorted(benchmark.graph, key=lambda triple: [str(one) for one in triple])
    subject, predicate, term = triples[at * 7 % len(triples)]
    if subject != benchmark.graph.root:
        benchmark.graph.remove((subject, predicate, term))


def _undone(benchmark: Benchmark, at: int) -> None:
    triples = sorted(benchmark.graph, key=str)
    subject, predicate, term = triples[at % min(20, len(triples))]
    benchmark.graph.remove((subject, predicate, term))
    benchmark.validate()
    benchmark.graph.add((subject, predicate, term))


def _moved(benchmark: Benchmark, at: int) -> None:
    graph, element = benchmark.graph, URIRef(SCHEMA + "dataFeedElement")
    items = sorted(graph.objects(graph.root, element), key=str)
    for place, item in enumerate(items):
        graph.set((item, URIRef(SCHEMA + "position"), Literal((place + at) % len(items))))


def _swapped(benchmark: Benchmark, at: int) -> None:
    first, second = _question(benchmark, at), _question(benchmark, at + 1)
    texts = [benchmark.graph.value(one, _TEXT) for one in (first, second)]
    for node, text in zip((second, first), texts, strict=True):
        if text is not None:
            benchmark.graph.set((node, _TEXT, text))


_ORCID = "0000-0002-1825-0097"


def _toggled(benchmark: Benchmark, triple: tuple[Any, Any, Any]) -> None:
    (benchmark.graph.remove if triple in benchmark.graph else benchmark.graph.add)(triple)


EDITS: dict[str, Callable[[Benchmark, int], object]] = {
    "metadata": _of_question(
        lambda benchmark, one, at: benchmark.update_question_metadata(one, raw_answer=f"answer {at}")
    ),
    "text": _of_question(
        lambda benchmark, one, at: benchmark.update_question_metadata(one, question=f"What is {at % 3}?")
    ),
    "keywords": _of_question(lambda benchmark, one, at: benchmark.update_question_metadata(one, keywords=[f"k{at}"])),
    "author": _of_question(
        lambda benchmark, one, at: benchmark.set_question_author(
            one, {"name": f"Ada {at % 2}", "orcid": _ORCID} if at % 3 else None
        )
    ),
    "sources": _of_question(
        lambda benchmark, one, at: benchmark.update_question_metadata(
            one, sources=[{"name": f"Work {at % 3}"}, {"doi": f"10.1000/{at % 2}", "year": 1900 + at}]
        )
    ),
    "author elsewhere": lambda benchmark, at: _toggled(
        benchmark, (_question(benchmark, at), _AUTHOR, URIRef(f"https://orcid.org/{_ORCID}"))
    ),
    "inferred member": lambda benchmark, at: _toggled(
        benchmark, (_question(benchmark, at), URIRef(KARENINA + "finished"), Literal(at % 2 == 0))
    ),
    "inferred class": lambda benchmark, at: _toggled(
        benchmark, (_question(benchmark, at), RDF.type, URIRef(KARENINA + "Trait"))
    ),
    "authority": lambda benchmark, at: _toggled(
        benchmark, (URIRef(f"https://orcid.org/{_ORCID}"), _NAME, Literal(f"Ada {at}"))
    ),
    "finished": _of_question(lambda benchmark, one, _: benchmark.toggle_finished(one)),
    "property": _of_question(lambda benchmark, one, at: benchmark.set_question_custom_property(one, f"p{at % 4}", at)),
    "template": _of_question(
        lambda benchmark, one, at: benchmark.add_answer_template(one, _TEMPLATE.replace('"x"', f'"{at}"'))
    ),
    "trait": _of_question(
        lambda benchmark, one, at: benchmark.add_question_rubric_trait(
            one,
            RegexRubricTrait(name=("clear", f"t{at}")[at % 2], pattern="y", description="It has a y."),
        )
    ),
    "no rubric": _of_question(lambda benchmark, one, _: benchmark.remove_question_rubric(one)),
    "question": lambda benchmark, at: benchmark.add_question(f"What is new {at}?", "new"),
    "same question": lambda benchmark, at: benchmark.add_question(f"What is {at % 4}?", "again"),
    "no question": _of_question(lambda benchmark, one, _: benchmark.remove_question(one)),
    "description": lambda benchmark, at: setattr(benchmark, "description", f"Now {at}"),
    "no name": lambda benchmark, _: benchmark.graph.remove((benchmark.graph.root, _NAME, None)),
    "global trait": lambda benchmark, at: benchmark.add_global_rubric_trait(
        RegexRubricTrait(name=f"t{at}", pattern="z", description="It has a z.")
    ),
    "no global rubric": lambda benchmark, _: benchmark.clear_global_rubric(),
    "statement": lambda benchmark, at: (
        benchmark.graph.set((_question(benchmark, at), _TEXT, Literal(f"set {at}"))) and None
    ),
    "unknown member": lambda benchmark, at: (
        benchmark.graph.add((_question(benchmark, at), URIRef(SCHEMA + "txet"), Literal("misspelt"))) and None
    ),
    "typed member": lambda benchmark, at: (
        benchmark.graph.add((_question(benchmark, at), _NAME, Literal("nom", lang="fr"))) and None
    ),
    "second type": lambda benchmark, at: (
        benchmark.graph.add(
            (
                _question(benchmark, at),
                URIRef("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"),
                URIRef(SCHEMA + "Thing"),
            )
        )
        and None
    ),
    "elsewhere": lambda benchmark, at: benchmark.graph.add((URIRef(f"urn:else:{at}"), _NAME, Literal("else"))),
    "link": lambda benchmark, at: (
        benchmark.graph.add((_question(benchmark, at), URIRef(KARENINA + "next"), _question(benchmark, at + 1)))
        and None
    ),
    "identifier": lambda benchmark, at: benchmark.set_metadata(id=f"urn:example:{at}"),
    "undone": _undone,
    "removed": _removed,
    "moved": _moved,
    "swapped": _swapped,
    "update": lambda benchmark, at: benchmark.graph.update(
        f'DELETE {{ ?q <{_TEXT}> ?t }} INSERT {{ ?q <{_TEXT}> "by SPARQL {at}" }} '
        f"WHERE {{ ?i <{_ITEM}> ?q . ?q <{_TEXT}> ?t }}"
    ),
    "parsed": lambda benchmark, at: (
        benchmark.graph.parse(data=f'<{_question(benchmark, at)}> <{_TEXT}> "parsed {at}" .', format="turtle") and None
    ),
}
"""The edits by name; each gets a number that chooses what it changes."""


def applied(benchmark: Benchmark, name: str, at: int) -> None:
    """Apply an edit, which the benchmark may refuse."""
    with contextlib.suppress(CheckpointLdError):
        EDITS[name](benchmark, at)
