"""The records of a Croissant data set, read from its folder (https://docs.mlcommons.org/croissant/docs/croissant-spec.html).

The description is expanded by PyLD with a loader that fetches nothing, so that contexts mean what they mean to any
processor. Rows are read from the files an object at a time: a value that an object lacks is missing in its record.
(`mlcroissant` 1.1 reads the values of each path as a column of its own, in which later values move up.) Archives are
read in memory. Nothing is fetched, unpacked to the disk, or read outside of the folder.
"""

from __future__ import annotations

import fnmatch
import glob
import hashlib
import io
import json
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final

from checkpoint_ld.benchmark.table_import import text_rows, workbook_rows
from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.files import extension_of, read_bytes, unpacked
from checkpoint_ld.documents.values import DEFAULT_LIMITS
from checkpoint_ld.errors import EvaluationError, ReadError
from checkpoint_ld.graph.contexts import expand
from checkpoint_ld.integrations.formats import json_paths
from checkpoint_ld.integrations.formats.arrow_rows import parquet_rows
from checkpoint_ld.phrases import BOOLEAN_WORDS, unknown
from checkpoint_ld.vocabulary import ID_BASE
from checkpoint_ld.workers.patterns import first_group

Node = dict[str, Any]

_PREFIXES: Final = {
    "http://mlcommons.org/croissant/": "cr:",
    "https://mlcommons.org/croissant/": "cr:",
    "https://schema.org/": "sc:",
    "http://schema.org/": "sc:",
}
_OLD = "http://mlcommons.org/schema/"
_LFS = b"version https://git-lfs"
_FORMATS: Final = {
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "application/json": ".json",
    **dict.fromkeys(("application/jsonlines", "application/jsonl", "application/x-ndjson"), ".jsonl"),
    **dict.fromkeys(("application/x-jsonlines", "application/ndjson", "application/json-lines"), ".jsonl"),
    **dict.fromkeys(("application/x-parquet", "application/vnd.apache.parquet", "application/parquet"), ".parquet"),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "text/plain": ".txt",
}
"""The formats of files that are read, by media type."""
_DAMAGED = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError),
    *(NotImplementedError, RuntimeError),
)
"""What archives raise that are damaged, encrypted, or compressed in a way that Python cannot read."""
_KNOWN_TRANSFORMS = ("regex", "jsonPath", "separator", "delimiter", "replace")


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record set: where its values are, and what they become."""

    name: str
    identifier: str
    source: str | None = None
    way: str = ""
    """How a value is found: `column`, `jsonPath`, `fileProperty`, or empty for one that has a constant value."""
    where: str = ""
    transforms: tuple[tuple[str, str], ...] = ()
    type: str = ""
    is_repeated: bool = False
    value: Any = None
    parts: tuple[Field, ...] = ()

    def leaves(self) -> Iterator[Field]:
        """Yield the field, or the fields that it is made of."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()


@dataclass(slots=True)
class Description:
    """A description of a data set: its nodes by identifier, and findings as sentences."""

    file: Path
    nodes: dict[str, Node] = field(default_factory=dict)
    dataset: Node = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> Description:
        """Return the description in a file. Raises ReadError for one that is none, or is not complete."""
        value = read_json(*read_bytes(str(file))).value
        description = cls(file)
        try:
            expanded = expand(value, {})
        except RecursionError:
            raise ReadError(f"{file}: its JSON-LD is nested too deeply") from None
        except ReadError as error:
            raise ReadError(f"{file}: cannot be read: {error}") from error
        description._add(expanded)
        sets = [node for node in description.nodes.values() if "sc:Dataset" in node.get("@type", ())]
        if not sets:
            raise ReadError(f"{file}: it is no description of Croissant: nothing in it is a schema.org Dataset")
        description.dataset = next(
            (node for node in sets if node.get("cr:recordSet") or node.get("sc:distribution")), sets[0]
        )
        return description

    def _fault(self, message: str) -> ReadError:
        return ReadError(f"{self.file}: {message}")

    def _add(self, value: Any) -> Any:
        """Add expanded nodes; return a value, in which a node is its identifier."""
        if isinstance(value, list):
            return [self._add(item) for item in value]
        if "@value" in value:
            return value["@value"]
        identifier = value.get("@id", f"_:{len(self.nodes)}").removeprefix(ID_BASE)
        node = self.nodes.setdefault(identifier, {"@id": identifier})
        for key, values in value.items():
            if key == "@type":
                node.setdefault(key, []).extend(map(_short, values))
            elif key in ("@graph", "@included"):
                self._add(values)
            elif not key.startswith("@"):
                if key.startswith(_OLD):
                    raise self._fault("is Croissant 0.8; convert it to 1.0 or newer with mlcroissant migrate")
                items = [item for part in as_list(values) for item in part.get("@list", [part])]
                node.setdefault(_short(key), []).extend(self._add(item) for item in items)
        return identifier

    def of(self, node: Node, key: str) -> list[Node]:
        """Return the nodes that are values of a member."""
        return [self.nodes.get(value, {"@id": value}) for value in node.get(key, ()) if isinstance(value, str)]

    def record_sets(self) -> dict[str, Node]:
        """Return the record sets by identifier."""
        return {node["@id"]: node for node in self.of(self.dataset, "cr:recordSet")}

    def fields(self, record_set: Node, key: str = "cr:field") -> tuple[Field, ...]:
        """Return the fields of a record set, or the parts of a field."""
        return tuple(self._field(node, record_set["@id"]) for node in self.of(record_set, key))

    def types(self, node: Node) -> list[str]:
        """Return the data types of a field or a record set, with the prefixes `cr:` and `sc:`."""
        return [_short(str(value)) for value in node.get("cr:dataType", ())]

    def _field(self, node: Node, owner: str) -> Field:
        identifier = node["@id"]
        name = identifier.removeprefix(f"{owner}/")
        if name == identifier:
            name = _text(node, "sc:name") or identifier
        parts = self.fields(node, "cr:subField")
        is_repeated = any(
            value in (True, "true", "True") for key in ("cr:repeated", "cr:isArray") for value in node.get(key, ())
        )
        types = self.types(node)
        about: Node = {"type": types[0] if types else "", "is_repeated": is_repeated, "parts": parts}
        if "sc:value" in node or "cr:value" in node:
            values = node.get("cr:value") or node["sc:value"]
            return Field(name, identifier, value=values[0] if len(values) == 1 else values, **about)
        transforms, source = list[tuple[str, str]](), next(iter(self.of(node, "cr:source")), None)
        seen = set[str]()
        while source is not None and (others := self.of(source, "cr:field")):
            if others[0]["@id"] in seen:
                raise self._fault(f"the field {identifier!r} comes from itself")
            seen.add(others[0]["@id"])
            transforms = [*self._transforms(source, identifier), *transforms]
            source = next(iter(self.of(others[0], "cr:source")), None)
        if source is None:
            return Field(name, identifier, **about)
        transforms = [*self._transforms(source, identifier), *transforms]
        origin = next(
            (value for key in ("cr:fileObject", "cr:fileSet", "cr:distribution") for value in source.get(key, ())), None
        )
        extract = next(iter(self.of(source, "cr:extract")), {})
        way = next((way for way in ("column", "jsonPath", "fileProperty") if extract.get(f"cr:{way}")), "")
        where = _text(extract, f"cr:{way}")
        if origin is None or not way:
            raise self._fault(f"the source of the field {identifier!r} states no file, or nothing of it to read")
        return Field(name, identifier, str(origin), way, where, tuple(transforms), **about)

    def _transforms(self, source: Node, identifier: str) -> list[tuple[str, str]]:
        transforms = []
        for node in self.of(source, "cr:transform"):
            for key, values in node.items():
                if not key.startswith("@"):
                    if key.removeprefix("cr:") not in _KNOWN_TRANSFORMS:
                        message = f"the field {identifier!r} is made by the transformation {key.partition(':')[2]}"
                        raise self._fault(f"{message}, which is not read; read are {', '.join(_KNOWN_TRANSFORMS)}")
                    transforms.append((key.removeprefix("cr:"), str(values[0])))
        return transforms

    def records(self, record_set: Node) -> Iterator[dict[str, Any]]:
        """Yield the records of a record set, by names of fields. Raises ReadError for what cannot be read exactly."""
        fields = self.fields(record_set)
        if data := record_set.get("cr:data"):
            yield from self._stated(data, record_set["@id"])
            return
        leaves = [leaf for each in fields for leaf in each.leaves()]
        origins = dict.fromkeys(leaf.source for leaf in leaves if leaf.source is not None)
        if len(origins) > 1:
            named = ", ".join(map(repr, origins))
            message = f"the fields of {record_set['@id']!r} come from {named}"
            raise self._fault(f"{message}: record sets that join several files are not read")
        if not origins:
            raise self._fault(f"the record set {record_set['@id']!r} has no data, and its fields have no source")
        for name, data, kind in self.files(next(iter(origins))):
            for raw in self._rows(name, data, kind, leaves):
                values = {leaf.identifier: self._value(leaf, raw.get(leaf.identifier)) for leaf in leaves}
                yield {each.name: self._whole(each, values) for each in fields}

    def _stated(self, data: list[Any], owner: str) -> Iterator[dict[str, Any]]:
        for row in as_list(data[0]) if len(data) == 1 else data:
            if not isinstance(row, Mapping):
                raise self._fault(f"the data of {owner!r} are no objects, or their context does not type them as @json")
            yield {str(name).removeprefix(f"{owner}/"): value for name, value in row.items()}

    def files(self, identifier: str, above: tuple[str, ...] = ()) -> Iterator[tuple[str, bytes, str]]:
        """Yield the files that a file object or a set of files is: name, content, and kind as an extension."""
        node = self.nodes.get(identifier)
        if node is None or identifier in above:
            raise self._fault(f"{identifier!r} is no file of its distribution")
        containers = [str(value) for value in (node.get("sc:containedIn") or node.get("cr:containedIn", ()))]
        kinds = [str(value) for value in node.get("sc:encodingFormat", ())]
        patterns = [str(value) for value in (node.get("cr:includes") or node.get("sc:includes", ()))]
        left = [str(value) for value in (node.get("cr:excludes") or node.get("sc:excludes", ()))]
        name = _text(node, "sc:contentUrl")
        if not patterns and not name:
            raise self._fault(f"{identifier!r} has no contentUrl")
        if containers:
            inner = [
                inside
                for container in containers
                for archive, data, _ in self.files(container, (*above, identifier))
                for inside in self._members(archive, data)
            ]
        else:
            inner = [(local, None) for local in (self._local_names() if patterns else [name])]
        wanted = patterns or [glob.escape(name)]
        chosen = [inside for inside in inner if _matches(inside[0], wanted) and not _matches(inside[0], left)]
        if not chosen or (len(chosen) > 1 and not patterns):
            where = f"in {', '.join(containers)}" if containers else "in the folder"
            many = "several files are" if chosen else "no file is"
            raise self._fault(f"{many} called {', '.join(patterns or [name])} {where}: fetch it yourself")
        for inside, content in chosen:
            data = self._local(inside) if content is None else content
            self._check_hash(node, inside, data)
            yield inside, data, next((_FORMATS[kind] for kind in kinds if kind in _FORMATS), extension_of(inside))

    def _check_hash(self, node: Node, name: str, data: bytes) -> None:
        for method in ("sha256", "md5"):
            stated = _text(node, f"sc:{method}") or _text(node, f"cr:{method}")
            if stated and hashlib.new(method, data, usedforsecurity=False).hexdigest() != stated.lower():
                message = f"{name!r} is not the file that was described: its {method} is another one"
                raise self._fault(message)

    def _local_names(self) -> list[str]:
        root = self.file.parent
        return sorted(
            (Path(folder) / name).relative_to(root).as_posix() for folder, _, names in os.walk(root) for name in names
        )

    def _local(self, name: str) -> bytes:
        folder, path = self.file.parent.resolve(), PurePosixPath(name)
        is_elsewhere = ":" in name or "\\" in name or path.is_absolute() or ".." in path.parts or "\0" in name
        if is_elsewhere or not (folder / path).resolve().is_relative_to(folder):
            raise self._fault(f"it points to {name!r}, which is not in the folder: fetch it yourself")
        if not (folder / path).is_file():
            raise self._fault(f"it points to {name!r}, and there is no such file: fetch it yourself")
        data = read_bytes(str(folder / path))[0]
        if data.startswith(_LFS):
            raise self._fault(f"{name!r} is a pointer of Git LFS: run git lfs pull")
        return data

    def _members(self, archive: str, data: bytes) -> Iterator[tuple[str, bytes | None]]:
        """Yield the files in an archive. What it states about their size is not believed."""
        room = DEFAULT_LIMITS.size
        try:
            for name, opened in _opened(data):
                with opened:
                    content = opened.read(room + 1)
                room -= len(content)
                if room < 0:
                    raise self._fault(f"{archive!r} holds more than {DEFAULT_LIMITS.size:,} bytes")
                yield name, content
        except ReadError:
            raise
        except _DAMAGED as error:
            raise self._fault(f"the archive {archive!r} cannot be read: {error}") from error

    def _rows(self, name: str, data: bytes, kind: str, leaves: Sequence[Field]) -> Iterator[dict[str, Any]]:
        """Yield the values of fields in a file as they stand there, by identifier."""
        ways = {leaf.way for leaf in leaves if leaf.way in ("column", "jsonPath")}
        lines = any(leaf.where in ("lines", "lineNumbers") for leaf in leaves if leaf.way == "fileProperty")
        if len(ways) + lines > 1:
            raise self._fault(f"the fields of {name!r} are read in several ways: by {' and '.join(sorted(ways))}")
        data = unpacked(data, name)
        of_file = {"filename": PurePosixPath(name).name, "filepath": name, "fullpath": name}
        if lines or not ways:
            texts = self._decoded(name, data).splitlines() if lines else [""]
            for number, text in enumerate(texts):
                of_line = {
                    **of_file,
                    "lines": text,
                    "lineNumbers": number,
                    "content": lambda: self._decoded(name, data),
                }
                yield {leaf.identifier: self._property(leaf, of_line) for leaf in leaves if leaf.way == "fileProperty"}
            return
        properties = {leaf.identifier: self._property(leaf, of_file) for leaf in leaves if leaf.way == "fileProperty"}
        chosen = [leaf for leaf in leaves if leaf.way in ways]
        if ways == {"jsonPath"}:
            roots = self._values(name, data, kind) if kind == ".jsonl" else [read_json(data, name).value]
            for row in self._by_paths(name, roots, chosen):
                yield {**properties, **row}
            return
        rows = [*self._table(name, data, kind)]
        for leaf in chosen:
            if rows and not any(leaf.where in row for row in rows):
                known = dict.fromkeys(key for row in rows for key in row)
                raise self._fault(f"{name!r}: {unknown('column', leaf.where, [*known])}")
        for record in rows:
            yield {**properties, **{leaf.identifier: record.get(leaf.where) for leaf in chosen}}

    def _property(self, leaf: Field, row: Mapping[str, Any]) -> Any:
        if leaf.where not in row:
            raise self._fault(f"the field {leaf.identifier!r} is the {leaf.where} of a file, which is not read")
        value = row[leaf.where]
        return value() if callable(value) else value

    def _decoded(self, name: str, data: bytes) -> str:
        try:
            return data.decode().removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            raise self._fault(f"{name!r} is no UTF-8 at byte {error.start}") from None

    def _table(self, name: str, data: bytes, kind: str) -> Iterable[Mapping[str, Any]]:
        place = f"{self.file}: {name}"
        if kind == ".parquet":
            return parquet_rows(io.BytesIO(data), place)
        if kind in (".json", ".jsonl"):
            values = self._values(name, data, kind)
            if not all(isinstance(value, dict) for value in values):
                raise ReadError(f"{place}: is no list of objects: its fields have to state paths (jsonPath)")
            return values
        if kind in (".csv", ".tsv", ".xlsx"):
            faults = list[str]()
            is_book, mark = kind == ".xlsx", "\t" if kind == ".tsv" else ","
            rows = workbook_rows(place, data, None, faults) if is_book else text_rows(place, data, mark)
            self.notes |= dict.fromkeys(faults)
            header = [str(cell) for cell in rows[0]] if rows else []
            filled = (row for row in rows[1:] if any(cell not in ("", None) for cell in row))
            return [dict(zip(header, row, strict=False)) for row in filled]
        known = ", ".join(sorted({*_FORMATS.values()}))
        raise ReadError(f"{place}: has a format that is not read by columns; read are {known}")

    def _values(self, name: str, data: bytes, kind: str) -> list[Any]:
        if kind == ".json":
            value = read_json(data, name).value
            return value if isinstance(value, list) else [value]
        return [read_json(line, name).value for line in data.split(b"\n") if line.strip()]

    def _by_paths(self, name: str, roots: Iterable[Any], leaves: Sequence[Field]) -> Iterator[dict[str, Any]]:
        place = f"{self.file}: the field"
        paths = {leaf.identifier: json_paths.parsed(leaf.where, f"{place} {leaf.identifier!r}") for leaf in leaves}
        levels = {identifier: json_paths.level(path) for identifier, path in paths.items()}
        wanted = {level for leaf in leaves for level in [levels[leaf.identifier]] if not leaf.is_repeated}
        if len(wanted) > 1:
            first, *_, other = sorted(leaves, key=lambda leaf: len(levels[leaf.identifier]))
            message = f"the fields {first.identifier!r} and {other.identifier!r} are read from different levels"
            raise self._fault(f"{message} of {name!r} ({first.where}, {other.where}): they make no records")
        shared = next(iter(wanted), None)
        if shared is None:
            shared = json_paths.level(
                json_paths.common([path[:-1] if path[-1:] == (json_paths.ALL,) else path for path in paths.values()])
            )
        for leaf in leaves:
            if paths[leaf.identifier][: len(shared)] != shared:
                raise self._fault(f"the path {leaf.where!r} leads out of the records at {name!r}")
        for root in roots:
            for record in json_paths.find(root, shared):
                values_of = {leaf: json_paths.find(record, paths[leaf.identifier][len(shared) :]) for leaf in leaves}
                yield {
                    leaf.identifier: [*values]
                    if json_paths.ALL in paths[leaf.identifier][len(shared) :]
                    else next(values, None)
                    for leaf, values in values_of.items()
                }

    def _value(self, leaf: Field, raw: Any) -> Any:
        if not leaf.way:
            return leaf.value
        for method, setting in leaf.transforms:
            if isinstance(raw, list):
                raw = [self._transformed(leaf, method, setting, item) for item in raw]
            else:
                raw = self._transformed(leaf, method, setting, raw)
        return [_cast(item, leaf.type) for item in raw] if isinstance(raw, list) else _cast(raw, leaf.type)

    def _transformed(self, leaf: Field, method: str, setting: str, value: Any) -> Any:
        place = f"{self.file}: the field {leaf.identifier!r}"
        if value is None:
            return None
        if method == "jsonPath":
            document = read_json(value.encode(), place).value if isinstance(value, str) else value
            return next(json_paths.find(document, json_paths.parsed(setting, place)), None)
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if method in ("separator", "delimiter"):
            return text.split(setting)
        if method == "replace":
            old, _, new = setting.partition("/")
            return text.replace(old, new)
        try:
            group = first_group(setting, text)
        except EvaluationError as error:
            raise ReadError(f"{place}: {error}") from error
        if group is None:
            self.notes[f"values of {leaf.name!r} do not match its pattern {setting!r}, and are kept as they are"] = None
        return value if group is None else group

    def _whole(self, each: Field, values: Mapping[str, Any]) -> Any:
        """Return the value of a field, which for one with parts is an object, or a list of objects."""
        if not each.parts:
            return values[each.identifier]
        parts = {part.name: self._whole(part, values) for part in each.parts}
        if all(value in (None, []) for value in parts.values()):
            return None
        if not each.is_repeated:
            return parts
        columns = {name: as_list(value) for name, value in parts.items() if value is not None}
        if len({*map(len, columns.values())}) > 1:
            raise self._fault(f"the parts of {each.identifier!r} have different lengths in a record")
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _opened(data: bytes) -> Iterator[tuple[str, Any]]:
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                if not entry.is_dir():
                    yield entry.filename, archive.open(entry)
        return
    with tarfile.open(fileobj=io.BytesIO(data)) as opened:
        for member in opened:
            if member.isfile() and (content := opened.extractfile(member)):
                yield member.name.removeprefix("./"), content


def _matches(name: str, patterns: Sequence[str]) -> bool:
    """Return whether a name fits a pattern, whose `*` also stands for folders, as in `mlcroissant`."""
    return any(fnmatch.fnmatchcase(name, pattern.removeprefix("./")) for pattern in patterns)


def _short(iri: str) -> str:
    return next((short + iri[len(long) :] for long, short in _PREFIXES.items() if iri.startswith(long)), iri)


def _text(node: Node, key: str) -> str:
    return next((value for value in node.get(key, ()) if isinstance(value, str)), "")


def _cast(value: Any, kind: str) -> Any:
    """Return a text as a value of the type that its field states; a text that is none stays as it is."""
    if not isinstance(value, str):
        return value
    with suppress(ValueError):
        if kind in ("sc:Integer", "cr:Int64", "cr:Int32"):
            return int(value)
        if kind in ("sc:Float", "sc:Number"):
            number = float(value)
            return number if abs(number) < float("inf") else value
    return BOOLEAN_WORDS.get(value.strip().lower(), value) if kind == "sc:Boolean" else value
