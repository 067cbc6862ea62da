"""A benchmark as a folder of texts, to review and to edit: `unpack` writes it, `pack` makes the file of it again.

`benchmark.yaml` has the members of the root, the order of the questions and the layout of the file, `rubric.yaml` the
traits for all questions. Each question is a Markdown file in `questions/`, with its other members in front matter, and
a Python file of the same name with its template. What was not edited comes back byte for byte.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checkpoint_ld import families, writing
from checkpoint_ld.data import library
from checkpoint_ld.dialects.reading import CANONICAL, Reading
from checkpoint_ld.documents.document import Document
from checkpoint_ld.documents.files import read_bytes, replace_file
from checkpoint_ld.documents.text import Layout, dump_json
from checkpoint_ld.documents.values import copied, now
from checkpoint_ld.errors import ReadError, TargetExistsError, WriteError
from checkpoint_ld.phrases import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

Json = dict[str, Any]

ROOT, RUBRIC, QUESTIONS = "benchmark.yaml", "rubric.yaml", "questions"
"""The files of the root and of its rubric, and the folder of the questions."""
_TEXT, _ANSWER, _TEMPLATE = "(below)", "(below, after the line answer)", "(in the Python file)"
"""What stands in the front matter for a text that stands elsewhere."""
_LINE = "<!-- answer -->"
_FENCE = "---\n"
_ORDER, _LAYOUT, _BENCHMARK = "questions", "layout", "benchmark"
_UNSAFE = re.compile("[\r\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ud800-\udfff\ufeff]")
"""Characters that editors and YAML change."""
_LONGEST_NAME = 48


@dataclass(frozen=True, slots=True)
class UnpackedBenchmark:
    """The folder that was written: the number of questions, and whether `pack` gives the bytes of the file again."""

    folder: str
    questions: int
    is_exact: bool
    remarks: tuple[str, ...] = field(default=())


def unpack(
    source: Any, folder: str | os.PathLike[str], *, syntax: str | None = None, overwrite: bool = False
) -> UnpackedBenchmark:
    """Write a benchmark as a folder of texts.

    With `overwrite`, the files of an older one are replaced or removed; others stay. A benchmark in another dialect or
    syntax is unpacked as canonical JSON-LD. Raises ReadError for what is no benchmark, TargetExistsError for a folder
    with something in it, and SettingsError without the extra `text`.
    """
    data, name = read_bytes(source)
    read = families.refusing(families.examine_bytes(data, name, syntax=syntax))
    if not isinstance(read, Reading):
        raise ReadError(f"{name or 'the source'} is a checkpoint of an agent: only benchmarks are unpacked")
    document, remarks = read.document, []
    if document is None or read.dialect != CANONICAL or not isinstance(document.value, dict):
        data = writing.write(read.graph, dialect=CANONICAL, now=now()).data
        document = Document(None, data, families.examine_bytes(data).document.value)  # type: ignore[union-attr]
        remarks.append(f"it was {read.dialect}; what is packed again is canonical JSON-LD")
    made = files_of(document)
    target = Path(folder)
    _make_room(target, made, overwrite=overwrite)
    for path, text in made.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        replace_file(target / path, text)
    is_exact = _packed(made) == data
    if not is_exact:
        remarks.append("its layout is not that of any program, so that what is packed again has another one")
    count = sum(path.endswith(".md") for path in made)
    return UnpackedBenchmark(os.fspath(folder), count, is_exact, tuple(remarks))


def pack(folder: str | os.PathLike[str]) -> bytes:
    """Return the JSON-LD of a benchmark that was unpacked into a folder.

    Questions that the list in `benchmark.yaml` does not have come last; those without a file are left out. Raises
    ReadError, with the file and the line, for a folder that is none and for a benchmark that could not be read.
    """
    data = _packed(_held(Path(folder)), Path(folder))
    try:
        families.refusing(families.examine_bytes(data))
    except ReadError as error:
        raise ReadError(f"{os.fspath(folder)}: what it holds is no benchmark: {error}") from error
    return data


def files_of(document: Document) -> dict[str, bytes]:
    """Return the texts of a benchmark by their paths in the folder."""
    root: Json = copied(document.value)
    elements = root.get("dataFeedElement")
    made: dict[str, bytes] = {}
    order: list[str] = []
    for element in elements if isinstance(elements, list) else ():
        name = _name_of(element, order)
        order.append(name)
        made |= _question(element, f"{QUESTIONS}/{name}")
    if isinstance(elements, list):
        root["dataFeedElement"] = f"({QUESTIONS})"
    if isinstance(root.get("rating"), list):
        made[RUBRIC] = _yaml(root["rating"])
        root["rating"] = f"({RUBRIC})"
    head = {_LAYOUT: asdict(document.layout), _ORDER: order, _BENCHMARK: root}
    return {ROOT: _yaml(head), **made}


def _name_of(element: Any, taken: list[str]) -> str:
    item = element.get("item") if isinstance(element, dict) else None
    text = item.get("text") if isinstance(item, dict) else None
    identifier = str(element.get("@id") or text) if isinstance(element, dict) else ""
    words = re.sub(r"[^a-z0-9]+", "-", str(text or "question").lower())[:_LONGEST_NAME].strip("-") or "question"
    digest = hashlib.sha256(identifier.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    name, number = f"{words}-{digest}", 2
    while name in taken:
        name, number = f"{words}-{digest}-{number}", number + 1
    return name


def _question(element: Any, path: str) -> dict[str, bytes]:
    """Return the Markdown and the Python of a question; what they cannot hold stays in the front matter."""
    made: dict[str, bytes] = {}
    item = element.get("item") if isinstance(element, dict) else None
    body = ""
    if isinstance(item, dict):
        answer, part = item.get("acceptedAnswer"), item.get("hasPart")
        text = item.get("text")
        if _is_movable(text):
            item["text"] = _TEXT
            body = f"\n{text}\n"
            if isinstance(answer, dict) and _is_movable(answer.get("text")):
                body += f"\n{_LINE}\n\n{answer['text']}\n"
                answer["text"] = _ANSWER
        if isinstance(part, dict) and isinstance(part.get("text"), str) and _is_utf8(part["text"]):
            made[f"{path}.py"] = part["text"].encode()
            part["text"] = _TEMPLATE
    return {f"{path}.md": _FENCE.encode() + _yaml(element) + _FENCE.encode() + body.encode(), **made}


def _is_movable(text: Any) -> bool:
    return isinstance(text, str) and _UNSAFE.search(text) is None and _LINE not in text.split("\n")


def _is_utf8(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _packed(held: Mapping[str, bytes], folder: Path | None = None) -> bytes:
    head = _mapping(held.get(ROOT), ROOT, folder)
    root = head.get(_BENCHMARK)
    if not isinstance(root, dict):
        raise ReadError(f"{_place(ROOT, folder)}: there is no object {_BENCHMARK!r}: it is no unpacked benchmark")
    listed = [name for name in head.get(_ORDER) or () if isinstance(name, str)]
    there = sorted(
        path[len(QUESTIONS) + 1 : -3] for path in held if path.startswith(QUESTIONS) and path.endswith(".md")
    )
    names = [name for name in listed if name in there] + [name for name in there if name not in listed]
    if root.get("dataFeedElement") == f"({QUESTIONS})":
        root["dataFeedElement"] = [_element(held, f"{QUESTIONS}/{name}", folder) for name in names]
    if root.get("rating") == f"({RUBRIC})":
        root["rating"] = _loaded(held.get(RUBRIC, b"[]"), RUBRIC, folder)
    try:
        layout = Layout(**{**head.get(_LAYOUT, {}), "separators": _pair(head.get(_LAYOUT, {}).get("separators"))})
        return dump_json(root, layout)
    except (TypeError, WriteError) as error:
        raise ReadError(f"{_place(ROOT, folder)}: it cannot be written as JSON: {error}") from error


def _pair(value: Any) -> tuple[str, str] | None:
    return (str(value[0]), str(value[1])) if isinstance(value, list) and len(value) == 2 else None


def _element(held: Mapping[str, bytes], path: str, folder: Path | None) -> Any:
    """Return the feed element of a question from its files."""
    name = f"{path}.md"
    text = _text(held[name], name, folder)
    _, fence, rest = text.partition(_FENCE)
    front, end, body = rest.partition(f"\n{_FENCE}")
    if not fence or not end or not text.startswith(_FENCE):
        raise ReadError(f"{_place(name, folder)}:1: there is no front matter between two lines of ---")
    element = _loaded(front.encode(), name, folder, first=2)
    item = element.get("item") if isinstance(element, dict) else None
    if not isinstance(item, dict):
        return element
    question, line, answer = body.partition(f"\n{_LINE}\n")
    if item.get("text") == _TEXT:
        item["text"] = _between(question)
    accepted, part = item.get("acceptedAnswer"), item.get("hasPart")
    if isinstance(accepted, dict) and accepted.get("text") == _ANSWER:
        if not line:
            raise ReadError(f"{_place(name, folder)}: there is no line {_LINE} before the answer: add it")
        accepted["text"] = _between(answer)
    if isinstance(part, dict) and part.get("text") == _TEMPLATE:
        if f"{path}.py" not in held:
            raise ReadError(f"{_place(f'{path}.py', folder)}: the template is missing: write it, or take out hasPart")
        part["text"] = _text(held[f"{path}.py"], f"{path}.py", folder)
    return element


def _between(text: str) -> str:
    """Return a text without the one empty line before it and the end of its last line."""
    return text.removeprefix("\n").removesuffix("\n")


def _text(data: bytes, name: str, folder: Path | None) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ReadError(f"{_place(name, folder)}: it is not UTF-8: save it as UTF-8") from None


def _place(name: str, folder: Path | None) -> str:
    return name if folder is None else str(folder / name)


def _held(folder: Path) -> dict[str, bytes]:
    """Return the texts of a folder that was unpacked."""
    if not (folder / ROOT).is_file():
        raise ReadError(f"{folder}: there is no {ROOT} in it: it is no unpacked benchmark")
    paths = [folder / ROOT, folder / RUBRIC, *sorted((folder / QUESTIONS).glob("*.md"))]
    paths += sorted((folder / QUESTIONS).glob("*.py"))
    return {path.relative_to(folder).as_posix(): read_bytes(path)[0] for path in paths if path.is_file()}


def _make_room(target: Path, made: Mapping[str, bytes], *, overwrite: bool) -> None:
    """Remove the questions of an older folder; refuse one that is not empty."""
    is_filled = target.is_dir() and any(target.iterdir())
    if is_filled and not (overwrite and (target / ROOT).is_file()):
        remedy = "name another folder" if overwrite else "name another folder, or replace an older one by --force"
        raise TargetExistsError(f"{target}: exists already, and is not empty; {remedy}")
    for path in _held(target) if is_filled else ():
        if path not in made:
            (target / path).unlink()


def _yaml(value: Any) -> bytes:
    yaml = library("yaml", extra="text")

    class Dumper(yaml.SafeDumper):  # type: ignore[misc, name-defined]
        def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's signature
            return True

    def text(dumper: Any, value: str) -> Any:
        is_block = "\n" in value and _UNSAFE.search(value) is None
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if is_block else None)

    Dumper.add_representer(str, text)
    written: bytes = yaml.dump(
        value, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=120, encoding="utf-8", default_flow_style=False
    )
    return written


def _loaded(data: bytes, name: str, folder: Path | None, first: int = 1) -> Any:
    yaml = library("yaml", extra="text")
    text = _text(data, name, folder)
    try:
        return yaml.load(text, Loader=_loader())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        at = f":{mark.line + first}:{mark.column + 1}" if mark is not None else ""
        raise ReadError(f"{_place(name, folder)}{at}: it is no YAML: {getattr(error, 'problem', error)}") from None
    except RecursionError:
        raise ReadError(f"{_place(name, folder)}: it is nested too deeply") from None


def _loader() -> Any:
    """Return the loader of plain values: without aliases, which could grow, and without dates."""
    yaml = library("yaml", extra="text")

    class Loader(yaml.SafeLoader):  # type: ignore[misc, name-defined]
        yaml_implicit_resolvers = {  # noqa: RUF012 - as PyYAML has it
            first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
            for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.events.AliasEvent):
                event = self.peek_event()
                raise yaml.composer.ComposerError(None, None, "there is an alias: write the value", event.start_mark)
            return super().compose_node(parent, index)

    return Loader


def _mapping(data: bytes | None, name: str, folder: Path | None) -> Json:
    held = None if data is None else _loaded(data, name, folder)
    if not isinstance(held, dict):
        raise ReadError(f"{_place(name, folder)}: {shown(held)} is no object: it is no unpacked benchmark")
    return held


def require_pairs(pairs: Mapping[str, str]) -> list[str]:
    """Return a sentence for each file that differs from the folder it is unpacked in."""
    found = []
    for file, folder in pairs.items():
        try:
            is_same = read_bytes(file)[0] == pack(folder)
        except ReadError as error:
            found.append(str(error))
            continue
        if not is_same:
            found.append(
                f"{file} and {folder} differ: run `checkpoint-ld pack {folder} -o {file} --force` to keep the texts, "
                f"or `checkpoint-ld unpack {file} {folder} --force` to keep the file"
            )
    return found
