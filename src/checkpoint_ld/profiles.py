"""Profiles: which rules count, and how much. They are described in `shapes/profiles.ttl`."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from rdflib import URIRef

from checkpoint_ld import data, rdf, rules, shape_files
from checkpoint_ld.errors import ReadError, SettingsError, ShapesError
from checkpoint_ld.findings import Severity
from checkpoint_ld.graph.store import Index, put, terms_of
from checkpoint_ld.shape_files import FOLDER
from checkpoint_ld.suggestion import unknown
from checkpoint_ld.vocabulary import SHACL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from checkpoint_ld.rules import Rule

DEFAULT = "karenina"
AGENT = "agent"
LOAD = "load"
"""The profile of the rules that a benchmark is held against when it is loaded."""
FAMILIES = (DEFAULT, AGENT)
"""The families of documents, each called as the profile that its documents are held against by default."""

_FILE = "profiles.ttl"
_PATH, _SEVERITY = URIRef(SHACL + "path"), URIRef(SHACL + "severity")
_SEVERITIES = {severity: URIRef(iri) for iri, severity in rules.SEVERITIES.items()}
_NAMESPACE = "urn:checkpoint-ld:profile:"


@dataclass(frozen=True)
class Profile:
    """A choice of rules: its name, what it is for, the rules by code, and the files whose shapes are held.

    Rules have the severities of the profile. `dialect` is the beginning of the names of the dialects that it is about,
    empty for all. `own_shapes` are the user's files, `own_statements` what they said when the profile was made.
    `family` is that of the documents that it is for. `left_out` are shapes in the files that are no rules of it.
    """

    name: str
    comment: str
    rules: Mapping[str, Rule] = field(repr=False)
    files: tuple[Path, ...] = field(repr=False)
    dialect: str = ""
    own_shapes: tuple[Path, ...] = ()
    own_statements: tuple[Index, ...] = field(default=(), repr=False)
    family: str = DEFAULT
    left_out: tuple[URIRef, ...] = field(default=(), repr=False)

    def rule(self, slug: str) -> Rule | None:
        """Return the rule called `slug`, None where the profile has none."""
        return self._by_slug.get(slug)

    def of_shape(self, iri: str) -> Rule | None:
        """Return the rule whose shape is `iri`."""
        return _by_shape(self).get(iri)

    @property
    def _by_slug(self) -> Mapping[str, Rule]:
        return _by_slug(self)

    @contextmanager
    def applying(self) -> Iterator[None]:
        """Raise SettingsError for what goes wrong while the user's own shapes are applied: it says where they are."""
        try:
            yield
        except ShapesError as error:
            files = ", ".join(map(str, self.own_shapes))
            raise ShapesError(f"your shapes cannot be applied: {error}; correct them, they are in {files}") from error

    __hash__ = object.__hash__

    def statements(self) -> Index:
        """Return the shapes of all files as statements."""
        index: Index = {}
        for said in (*map(shipped_statements, self.files), *self.own_statements):
            for subject, predicates in said.items():
                if subject not in index:
                    index[subject] = {
                        name: list(held) if isinstance(held, list) else held for name, held in predicates.items()
                    }
                    continue
                for predicate, held in predicates.items():
                    for term in terms_of(held):
                        put(index, subject, predicate, term)
        return index

    def shapes(self) -> Index:
        """Return the shapes of all files as statements, with the severities of the profile."""
        index = self.statements()
        for rule in self.rules.values():
            said = index.get(URIRef(rule.shape), {})
            if _PATH in said or _SEVERITY in said:
                said[_SEVERITY] = _SEVERITIES[rule.severity]
        for shape in self.left_out:
            del index[shape]
        return index


def names(family: str = DEFAULT) -> tuple[str, ...]:
    """Return the names of the profiles that are shipped for a family of documents."""
    return tuple(name for name in _described() if _family_of(name) == family)


def of_family(name: str, family: str) -> str:
    """Return the name of the profile that `name` means for documents of a family.

    The profiles of agents have short names, such as `strict` for `agent-strict`; the default of one family is that of
    the other. Raises SettingsError for a name that means nothing there.
    """
    fitting = {one: one for one in names(family)}
    short = {about["short"][0]: one for one, about in _described().items() if "short" in about and one in fitting}
    found = {**dict.fromkeys(FAMILIES, family), **short, **fitting}
    if name not in found:
        raise SettingsError(unknown("profile", name, (*short, *fitting), _advice(name, family)))
    return found[name]


def profile(name: str = DEFAULT, shapes: Sequence[str | Path] = ()) -> Profile:
    """Return the profile `name` together with the user's own `shapes`, files or folders of Turtle.

    Raises SettingsError for a profile that does not exist and for shapes that cannot be read.
    """
    if name not in _described():
        raise SettingsError(unknown("profile", name, _described()))
    found = _shipped(name)
    own = tuple(file for one in shapes for file in _turtle_files(Path(one)))
    if not own:
        return found
    statements = tuple(map(_parsed, own))
    added = {rule.code: rule for file in own for rule in rules.rules_of(file, named=True)}
    taken = sorted(added.keys() & rules.catalogue().keys())
    if taken:
        raise SettingsError(f"the code {taken[0]} of your own shapes is one of ours: use another family of letters")
    return replace(found, rules=MappingProxyType({**found.rules, **added}), own_shapes=own, own_statements=statements)


def _family_of(name: str) -> str:
    return AGENT if "family" in _described()[name] else DEFAULT


def _advice(name: str, family: str) -> str:
    if name not in _described():
        return ""
    noun = "benchmarks" if family == AGENT else "agent checkpoints"
    return f"the one that is called so is for {noun}"


@cache
def _described() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return what is said about each profile, by the local name of the predicate."""
    said = shape_files.said_in(data.folder(FOLDER) / _FILE)
    return MappingProxyType({iri.removeprefix(_NAMESPACE): _by_local_name(about) for iri, about in said.items()})


def _by_local_name(about: Mapping[str, list[shape_files.Term]]) -> Mapping[str, tuple[str, ...]]:
    return {key.rpartition("#")[2]: tuple(map(shape_files.text_of, values)) for key, values in about.items()}


@cache
def _shipped(name: str) -> Profile:
    about = _described()[name]
    folders = [data.folder(FOLDER) / folder for folder in about.get("folder", ())]
    single = [data.folder(FOLDER) / file for file in about.get("file", ())]
    files = tuple(file for folder in folders for file in sorted(folder.glob("*.ttl"))) + tuple(sorted(single))
    chosen = {rule.code: rule for file in files for rule in rules.shipped_in(file)}
    left_out: tuple[URIRef, ...] = ()
    if "rule" in about:
        left_out = tuple(URIRef(one.shape) for one in chosen.values() if one.shape not in about["rule"])
        chosen = {code: rule for code, rule in chosen.items() if rule.shape in about["rule"]}
    also = {rule.code: rule for rule in _of_shapes(about.get("also", ()))}
    weights = {shape: severity for severity in Severity for shape in about.get(severity.name.lower(), ())}
    if "raises" in about:
        warnings = (rule for rule in {**chosen, **also}.values() if rule.severity is Severity.WARNING)
        weights |= {rule.shape: Severity.VIOLATION for rule in warnings}
    weighed = {
        code: one._replace(severity=weights.get(one.shape, one.severity)) for code, one in {**chosen, **also}.items()
    }
    return Profile(
        name=name,
        comment=about["comment"][0],
        rules=MappingProxyType(dict(sorted(weighed.items()))),
        files=files,
        dialect=about.get("dialect", ("",))[0],
        family=_family_of(name),
        left_out=left_out,
    )


def _of_shapes(shapes: Sequence[str]) -> list[Rule]:
    return [rule for rule in rules.catalogue().values() if rule.shape in shapes] if shapes else []


@lru_cache(maxsize=8)
def _by_shape(of: Profile) -> Mapping[str, Rule]:
    return {rule.shape: rule for rule in of.rules.values()}


@lru_cache(maxsize=8)
def _by_slug(of: Profile) -> Mapping[str, Rule]:
    return {rule.slug: rule for rule in of.rules.values()}


@cache
def shipped_statements(file: Path) -> Index:
    """Return the statements of one of our files, which nobody may change."""
    return _parsed(file)


def _parsed(file: Path) -> Index:
    said = shape_files.said_beforehand(file)
    if said is not None:
        return rdf.index_of(said)
    try:
        return rdf.parse(file.read_bytes(), "turtle")
    except (ReadError, OSError) as error:
        raise SettingsError(f"the shapes in {file} cannot be read: {error}") from error


def _turtle_files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        found = sorted(path.rglob("*.ttl"))
        if not found:
            raise SettingsError(f"there are no shapes in {path}: it holds no file with the extension .ttl")
        yield from found
    elif path.is_file():
        yield path
    else:
        raise SettingsError(f"there are no shapes at {path}: no such file or folder")
