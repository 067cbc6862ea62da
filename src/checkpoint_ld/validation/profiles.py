"""Profiles: choices of rules, with severities. They are described in `shapes/profiles.ttl`.

`shapes_graph` gives the shapes of a profile to other tools. Our own shapes call Python functions where SHACL Core is
not enough. In the published form, a form of values is a node shape (`shapes/published/value-forms.ttl`), a relation is
SPARQL alone (`sparql-components.ttl`), and what only Python can check is a predicate that inference adds
(`python-only.ttl`). With them come the SHACL-AF rules that infer roles, settings and links (`karenina-rules.ttl`,
`agent-rules.ttl`), and guards, which report a graph that has none of these.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from rdflib import Graph, Literal, URIRef

from checkpoint_ld import data, rules
from checkpoint_ld.documents.files import files_below, reading
from checkpoint_ld.errors import SettingsError, ShapesError
from checkpoint_ld.findings import Severity
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.store import Index, put, terms_of, triples_of
from checkpoint_ld.phrases import shown, unknown
from checkpoint_ld.rules import FOLDER
from checkpoint_ld.shacl.shape import QUERIES
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, KARENINA, RDF, SHACL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.rules import Rule


DEFAULT = "karenina"
AGENT = "agent"
LOAD = "load"
"""The profile with which a benchmark is validated when it is loaded."""
FAMILIES = (DEFAULT, AGENT)
"""The families of documents; each is also the name of the default profile for its documents."""

_FILE = "profiles.ttl"
_TARGET_CLASS = URIRef(SHACL + "targetClass")
_PATH, _SEVERITY, _PATTERN = (URIRef(SHACL + name) for name in ("path", "severity", "pattern"))
_SEVERITIES = {severity: URIRef(iri) for iri, severity in rules.SEVERITIES.items()}
_NAMESPACE = "urn:checkpoint-ld:profile:"


@dataclass(frozen=True)
class Profile:
    """A choice of rules: its name, its purpose, the rules by code, and the files with their shapes.

    Rules have the severities of the profile. `dialect` is the beginning of the names of the dialects that it is about,
    empty for all. `own_shapes` are the user's files, `own_statements` their statements when the profile was made.
    `family` is that of the documents that it is for. `left_out` are shapes in the files that do not belong to the
    profile. `read` are the classes of traits of which the profile is only about those that Karenina reads. `describes`
    is the program, with its version, whose behaviour the profile states.
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
    read: frozenset[URIRef] = field(default=frozenset(), repr=False)
    describes: str = ""

    def rule(self, slug: str) -> Rule | None:
        """Return the rule called `slug`, None if the profile does not have it."""
        return self._by_slug.get(slug)

    def of_shape(self, iri: str) -> Rule | None:
        """Return the rule whose shape is `iri`."""
        return self._by_shape.get(iri)

    def own_patterns(self) -> frozenset[str]:
        """Return the regular expressions in the files that are shipped."""
        held = (one for file in self.files for one in shipped_statements(file).values())
        return frozenset(str(term) for one in held for term in terms_of(one.get(_PATTERN)))

    @property
    def has_queries(self) -> bool:
        """Whether the user's shapes have queries (SHACL 1.0 §5)."""
        return any(not held.keys().isdisjoint(QUERIES) for one in self.own_statements for held in one.values())

    @cached_property
    def _by_slug(self) -> Mapping[str, Rule]:
        return {rule.slug: rule for rule in self.rules.values()}

    @cached_property
    def _by_shape(self) -> Mapping[str, Rule]:
        return {rule.shape: rule for rule in self.rules.values()}

    @contextmanager
    def applying(self) -> Iterator[None]:
        """Raise SettingsError, with the names of the user's files, if the user's own shapes cannot be applied."""
        try:
            yield
        except ShapesError as error:
            files = ", ".join(map(str, self.own_shapes))
            raise ShapesError(f"your shapes cannot be applied: {error}; correct them, they are in {files}") from error

    __hash__ = object.__hash__

    def statements(self) -> Index:
        """Return the shapes of all files as statements."""
        index: Index = {}
        for held in (*map(shipped_statements, self.files), *self.own_statements):
            for subject, predicates in held.items():
                if subject not in index:
                    index[subject] = {
                        name: list(values) if isinstance(values, list) else values
                        for name, values in predicates.items()
                    }
                    continue
                for predicate, values in predicates.items():
                    for term in terms_of(values):
                        put(index, subject, predicate, term)
        return index

    def shapes(self) -> Index:
        """Return the shapes of all files as statements, with the severities of the profile."""
        index = self.statements()
        for rule in self.rules.values():
            held = index.get(URIRef(rule.shape), {})
            if _PATH in held or _SEVERITY in held:
                held[_SEVERITY] = _SEVERITIES[rule.severity]
        for shape in self.left_out:
            index.pop(shape, None)  # a rule of reading has none
        for held in index.values() if self.read else ():
            if not self.read.isdisjoint(targets := terms_of(held.get(_TARGET_CLASS))):
                held[_TARGET_CLASS] = [_as_read(one) if one in self.read else one for one in targets]
        return index


def names(family: str = DEFAULT) -> tuple[str, ...]:
    """Return the names of the shipped profiles for a family of documents."""
    return tuple(name for name in _described() if _family_of(name) == family)


def of_family(name: str, family: str) -> str:
    """Return the name of the profile that `name` means for documents of a family.

    The profiles of agents have short names, such as `strict` for `agent-strict`. The default of one family stands for
    the default of the other. A name may end with `@` and an edition of the rules, such as `karenina@2026.11`.

    Raises SettingsError for an unknown name, and for one of the other family.
    """
    fitting = _called(family)
    name, at, edition = name.partition("@")
    if name in fitting:
        return f"{fitting[name]}{at}{edition}"
    if any(name in _called(other) for other in FAMILIES):
        ours, theirs = ("agent checkpoints", "benchmarks") if family == AGENT else ("benchmarks", "agent checkpoints")
        listed = ", ".join(names(family))
        raise SettingsError(f"the profile {shown(name)} is for {theirs}; for {ours} use one of {listed}")
    raise SettingsError(unknown("profile", name, fitting))


def _called(family: str) -> dict[str, str]:
    """Return the names of the profiles for a family by all that they are called there."""
    fitting = names(family)
    short = {_described()[one]["short"][0]: one for one in fitting if "short" in _described()[one]}
    return {**dict.fromkeys(FAMILIES, family), **short, **{one: one for one in fitting}}


def profile(name: str = DEFAULT, shapes: Sequence[str | Path] = ()) -> Profile:
    """Return the profile `name`, with the user's own `shapes` added, which are files or folders of Turtle.

    With `@` and an edition at the end of the name, it has no rules that later editions added. Raises SettingsError for
    an unknown profile or edition, and for shapes that cannot be read.
    """
    shipped, at, edition = name.partition("@")
    if shipped not in _described():
        raise SettingsError(unknown("profile", shipped, _described()))
    found = _of_edition(_shipped(shipped), edition) if at else _shipped(shipped)
    own = tuple(file for one in shapes for file in _turtle_files(Path(one)))
    if not own:
        return found
    statements = tuple(map(_parsed, own))
    added: dict[str, Rule] = {}
    for rule in (rule for file in own for rule in rules.rules_of(file, named=True)):
        if added.setdefault(rule.code, rule).shape != rule.shape and rule.code != rule.slug:
            raise SettingsError(
                f"two of your own shapes have the code {rule.code}: give each constraint a code of its own"
            )
    taken = sorted(added.keys() & {*rules.catalogue(), *rules.ABOUT_SHAPES})
    if taken:
        raise SettingsError(f"the code {taken[0]} of your own shapes is one of ours: use another family of letters")
    known = MappingProxyType({**found.rules, **rules.ABOUT_SHAPES, **added})
    return replace(found, rules=known, own_shapes=own, own_statements=statements)


def _of_edition(found: Profile, edition: str) -> Profile:
    """Return a shipped profile without the rules that were added after an edition."""
    known = [*rules.editions()]
    if edition not in known:
        raise SettingsError(unknown("edition of the rules", edition, known))
    later = known[known.index(edition) + 1 :]
    left_out = {code: rule for code, rule in found.rules.items() if rules.since(code) in later}
    return replace(
        found,
        name=f"{found.name}@{edition}",
        rules=MappingProxyType({code: rule for code, rule in found.rules.items() if code not in left_out}),
        left_out=(*found.left_out, *(URIRef(rule.shape) for rule in left_out.values())),
    )


_of_name = profile  # where a parameter has its name


def _family_of(name: str) -> str:
    return AGENT if "family" in _described()[name] else DEFAULT


@cache
def _described() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return what the data states about each profile, by the local name of the predicate."""
    return {
        iri.removeprefix(_NAMESPACE): {
            key.rpartition("#")[2]: tuple(map(rules.text_of, values)) for key, values in about.items()
        }
        for iri, about in rules.statements_in(data.folder(FOLDER) / _FILE).items()
    }


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
    if "also" in about:
        chosen |= {rule.code: rule for rule in rules.catalogue().values() if rule.shape in about["also"]}
    weights = {shape: severity for severity in Severity for shape in about.get(severity.label, ())}
    if "raises" in about:
        warnings = (rule for rule in chosen.values() if rule.severity is Severity.WARNING)
        weights |= {rule.shape: Severity.VIOLATION for rule in warnings}
    weighed = {code: one._replace(severity=weights.get(one.shape, one.severity)) for code, one in chosen.items()}
    return Profile(
        name=name,
        comment=about["comment"][0],
        rules=MappingProxyType(dict(sorted(weighed.items()))),
        files=files,
        dialect=about.get("dialect", ("",))[0],
        family=_family_of(name),
        left_out=left_out,
        read=frozenset(map(URIRef, about.get("read", ()))),
        describes=about.get("describes", ("",))[0],
    )


def _as_read(kind: Node) -> URIRef:
    """Return the class of those traits of a class that Karenina reads: `karenina:ReadRegexTrait`."""
    return URIRef(f"{KARENINA}Read{str(kind).removeprefix(KARENINA)}")


@cache
def shipped_statements(file: Path) -> Index:
    """Return the statements of one of our files, which must not be changed."""
    return _parsed(file)


def _parsed(file: Path) -> Index:
    try:
        return emission.index_of(rules.statements_in(file))
    except (SyntaxError, OSError) as error:
        raise SettingsError(f"the shapes in {file} cannot be read: {error}") from error


def _turtle_files(path: Path) -> Iterator[Path]:
    with reading(str(path)):
        is_folder, is_file = path.is_dir(), path.is_file()
    if is_folder:
        found = files_below(str(path), (".ttl",), most=_MOST_ENTRIES)
        if not found:
            raise SettingsError(f"there are no shapes in {path}: it holds no file with the extension .ttl")
        yield from found
    elif is_file:
        yield path
    else:
        raise SettingsError(f"there are no shapes at {path}: no such file or folder")


_MOST_ENTRIES = 10_000
"""The files and folders in a folder of shapes."""
PUBLISHED = "published"
"""The folder in `shapes/` with the published forms."""

_COMPONENTS = "components.ttl"
_RULES = {DEFAULT: "karenina-rules.ttl", AGENT: "agent-rules.ttl"}
_PREFIXES = {
    "sh": SHACL,
    "ck": CHECKPOINT_SHACL,
    "form": "urn:checkpoint-ld:form:",
    "shape": "urn:karenina:shape:",
    "agent": "urn:caf:shape:",
    "karenina": "urn:karenina:vocab:",
    "caf": "urn:caf:vocab:",
    "cafd": "urn:caf:derived:",
    "schema": "https://schema.org/",
    "prov": "http://www.w3.org/ns/prov#",
}


INFERRED_AS, WELL_FORMED, _FORM = (URIRef(CHECKPOINT_SHACL + name) for name in ("inferredAs", "wellFormed", "form"))
_PYTHON = (
    WELL_FORMED,
    *(URIRef(CHECKPOINT_SHACL + name) for name in ("identifies", "spelling", "accordsWith", "sameAnswerAs")),
)
"""The constraints that only Python can check, all or some of them."""
_IN, _NODE = URIRef(SHACL + "in"), URIRef(SHACL + "node")
_MESSAGE, _NAME, _DESCRIPTION = (URIRef(SHACL + name) for name in ("message", "name", "description"))
_NOTHING = URIRef(RDF + "nil")
_COMMENT = URIRef("http://www.w3.org/2000/01/rdf-schema#comment")


def shapes_graph(*, profile: str = DEFAULT, python: bool = False) -> Graph:
    """Return the shapes of a profile, the rules that infer what they use, and guards, as one graph.

    The shapes have the severities of the profile. They are SHACL Core, with SPARQL-based constraints where two values
    are compared (SHACL 1.0 §5, §6); the rules are those of SHACL Advanced Features (§8). With `python`, the shapes are
    those that checkpoint-ld itself applies: their constraint components call functions that it registers with rdflib,
    and there are neither rules nor guards. Raises SettingsError for a profile that does not exist.
    """
    chosen = _of_name(profile)
    index = chosen.shapes() if python else _published(chosen)
    graph = Graph(bind_namespaces="none")
    for prefix, namespace in _PREFIXES.items():
        graph.bind(prefix, namespace)
    for triple in triples_of(index):
        graph.add(triple)
    return graph


@cache
def python_only() -> Mapping[Node, URIRef]:
    """Return the predicates that state the faults which only Python finds, by shape."""
    held = _beside("python-only.ttl")
    return {shape: URIRef(str(terms_of(one[INFERRED_AS])[0])) for shape, one in held.items() if INFERRED_AS in one}


def reasons() -> Mapping[Node, str]:
    """Return why rules of inference in SPARQL cannot infer what a shape uses, by shape."""
    held = _beside("python-only.ttl")
    return {shape: str(terms_of(one[_COMMENT])[0]) for shape, one in held.items() if _COMMENT in one}


def _published(profile: Profile) -> Index:
    """Return the shapes of a profile without functions of Python, with rules and guards."""
    index = profile.shapes()
    replaced = [shipped_statements(file) for file in profile.files if file.name == _COMPONENTS]
    index = {subject: held for subject, held in index.items() if not any(subject in one for one in replaced)}
    forms = _beside("value-forms.ttl")
    by_name = {str(terms_of(held[_FORM])[0]): form for form, held in forms.items() if _FORM in held}
    for shape, held in index.items():
        if any("{?" in str(text) for text in terms_of(held.get(_MESSAGE))):  # no engine fills the message of a shape
            held[_MESSAGE] = Literal(f"{terms_of(held[_NAME])[0]}: {terms_of(held[_DESCRIPTION])[0]}")
        if shape in python_only():
            for predicate in _PYTHON:
                held.pop(predicate, None)
            held[_PATH] = python_only()[shape]
            held[_IN] = _NOTHING
        for form in terms_of(held.pop(WELL_FORMED, None)):
            put(index, shape, _NODE, by_name[str(form)])
    for name in ("sparql-components.ttl", "value-forms.ttl", _RULES[profile.family]):
        for subject, held in _beside(name).items():
            index[subject] = {**index.get(subject, {}), **held}
    return index


def _beside(name: str) -> Index:
    return shipped_statements(data.folder(FOLDER) / PUBLISHED / name)
