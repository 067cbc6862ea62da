"""The differences between two versions of a benchmark as an entry of a changelog (https://keepachangelog.com)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.benchmark.difference import semantic_diff
from checkpoint_ld.phrases import head
from checkpoint_ld.tables import line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld.benchmark.benchmark import Benchmark
    from checkpoint_ld.benchmark.difference import Change, Comparable, PartsDiff, QuestionDiff, SemanticDiff

_NAMES = {
    "raw_answer": "reference answer",
    "question": "text",
    "keywords": "keywords",
    "finished": "state",
    "answer_notes": "notes on the answer",
    "higher_is_better": "direction",
    "min_score": "lowest score",
    "max_score": "highest score",
}
_ROOM = 80
_SECTIONS = ("Added", "Changed", "Removed")


def changelog(before: Benchmark | Comparable, after: Benchmark | Comparable) -> str:
    """Return what changed between two versions as Markdown, in the words of their authors: texts, not identifiers.

    The heading has the new version and the date of its last change, or says that the version is still the same. Raises
    WrongTypeError as `semantic_diff` does.
    """
    found = semantic_diff(before, after)
    old, new = (_about(each.graph) for each in (before, after))
    is_same = old["version"] == new["version"]
    title = f"{line(new['version'])} - {new['date']}" if not is_same else "Unreleased"
    lines = [f"# Changes of {line(new['name'])}", "", f"## {title}", ""]
    what = f"The version is {line(old['version'])}, as before." if is_same else f"Since {line(old['version'])}:"
    lines += [what if found else f"{what} Nothing else changed." if not is_same else f"{what} Nothing changed."]
    entries = [*_entries(found)]
    for section in _SECTIONS:
        if held := [text for name, text in entries if name == section]:
            lines += ["", f"### {section}", "", *(f"- {text}" for text in held)]
    return "\n".join(lines) + "\n"


def _about(graph: Any) -> dict[str, str]:
    held = {name: graph.content(graph.root, name) for name in ("name", "version", "dateModified", "datePublished")}
    texts = {name: value if isinstance(value, str) else "" for name, value in held.items()}
    date = texts["datePublished"] or texts["dateModified"]
    return {"name": texts["name"] or "the benchmark", "version": texts["version"] or "no version", "date": date[:10]}


def _entries(found: SemanticDiff) -> Iterator[tuple[str, str]]:
    yield from (("Added", f"Question {_quoted(one.question)}") for one in found.questions_added)
    yield from (("Removed", f"Question {_quoted(one.question)}") for one in found.questions_removed)
    changes = (*found.metadata, *found.properties)
    yield from (("Changed", _sentence("The benchmark", one)) for one in changes if one.member != "version")
    yield from _of_parts(found.global_rubric, "Trait", "for all questions")
    yield from _of_parts(found.global_dynamic_rubric, "Dynamic trait", "for all questions")
    yield from _of_parts(found.scenarios, "Scenario")
    yield from (("Changed", text) for question in found.questions_changed for text in _of_question(question))
    if found.questions_reordered:
        yield "Changed", "The order of the questions"


def _of_question(found: QuestionDiff) -> Iterator[str]:
    name = f"Question {_quoted(found.question)}"
    yield from (_sentence(name, change) for change in found.changes)
    if found.template is not None:
        words = {"added": "has a template now", "removed": "has no template any more"}
        fields = [*found.template.fields.added, *found.template.fields.removed]
        fields += [part.name for part in found.template.fields.changed]
        which = f" (fields {', '.join(map(line, fields))})" if fields else ""
        yield f"{name} {words.get(found.template.source.kind, f'has another template{which}')}"
    for parts, kind in ((found.rubric, "trait"), (found.dynamic_rubric, "dynamic trait")):
        for section, text in _of_parts(parts, kind):
            yield f"{name}: {text}{'' if section == 'Changed' else f' {section.lower()}'}"


def _of_parts(found: PartsDiff, kind: str, where: str = "") -> Iterator[tuple[str, str]]:
    def named(name: str) -> str:
        return " ".join(filter(None, (kind, _quoted(name), where)))

    yield from (("Added", named(name)) for name in found.added)
    yield from (("Removed", named(name)) for name in found.removed)
    yield from (("Changed", _sentence(named(part.name), change)) for part in found.changed for change in part.changes)
    if found.reordered:
        yield "Changed", f"The order of the {kind.lower()}s"


def _sentence(subject: str, change: Change) -> str:
    member = change.member.removeprefix("custom.")
    name = line(_NAMES.get(member, member.replace("_", " ")))
    match change.kind:
        case "added":
            return f"{subject}: {name} is {_value(change.after)}"
        case "removed":
            return f"{subject}: no {name} any more (was {_value(change.before)})"
    return f"{subject}: {name} is {_value(change.after)} (was {_value(change.before)})"


def _value(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case str():
            return _quoted(value)
        case list() if all(isinstance(one, str) for one in value):
            return _listed(value)
        case dict() if isinstance(value.get("name"), str):
            return _quoted(value["name"])
        case int() | float():
            return f"{value:g}"
    return "another value" if isinstance(value, dict | list) else "nothing"


def _listed(values: Iterable[str]) -> str:
    return line(", ".join(values)) or "nothing"


def _quoted(text: str) -> str:
    return f"“{line(head(' '.join(text.split()), _ROOM))}”"
