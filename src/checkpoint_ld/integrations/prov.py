"""The provenance of agents for the library `prov`: PROV-JSON, PROV-N and its pictures.

`prov_document` hands over the layer of PROV-O (https://www.w3.org/TR/prov-o/) of checkpoints, which `prov` reads
(https://prov.readthedocs.io). The module imports `prov`, which the extra `prov` installs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import rdflib

from checkpoint_ld.data import library
from checkpoint_ld.errors import ReadError
from checkpoint_ld.host import without_warnings

library("prov.model", extra="prov")  # raises SettingsError, with the extra to install, where it is absent

from prov.identifier import Namespace, QualifiedName  # noqa: E402 - after that check
from prov.model import ProvDocument, ProvException  # noqa: E402 - as above

if TYPE_CHECKING:
    from collections.abc import Iterable

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint

_PROV: Final = rdflib.Namespace("http://www.w3.org/ns/prov#")
_STEM: Final = re.compile(r".*[/#:]")
_KINDS: Final = {_PROV.SoftwareAgent: _PROV.Agent}
"""Classes and their superclasses, which `prov` requires: it infers nothing."""


def prov_document(checkpoints: AgentCheckpoint | Iterable[AgentCheckpoint]) -> Any:
    """Return the provenance of checkpoints as one `prov.model.ProvDocument`.

    It has entities (checkpoints and thoughts), activities (executions and calls of tools), agents and their relations.
    `serialize(format="json")` writes PROV-JSON, `prov.dot.prov_to_dot` draws. Raises ReadError for provenance that
    `prov` finds invalid.
    """
    from checkpoint_ld.agents.checkpoint import AgentCheckpoint  # noqa: PLC0415 - loads pydantic's models

    merged = rdflib.Graph(bind_namespaces="none")
    for checkpoint in (checkpoints,) if isinstance(checkpoints, AgentCheckpoint) else checkpoints:
        for subject, predicate, term in checkpoint.to_graph():
            if str(predicate if predicate != rdflib.RDF.type else term).startswith(_PROV):
                merged.add((subject, predicate, term))
                if isinstance(term, rdflib.URIRef) and term in _KINDS:
                    merged.add((subject, rdflib.RDF.type, _KINDS[term]))
    names = {term for triple in merged for term in triple if isinstance(term, rdflib.URIRef)}
    stems = {found[0] for name in names if not name.startswith(_PROV) and (found := _STEM.match(name))}
    for number, stem in enumerate(sorted(stems)):
        merged.bind(f"n{number}", stem)  # `prov` knows names by prefixes alone
    try:
        with without_warnings():  # `prov` warns of each prefix that it mints
            read = ProvDocument.deserialize(
                content=merged.serialize(format="turtle"), format="rdf", rdf_format="turtle"
            )
    except ProvException as error:
        raise ReadError(f"the library prov finds the provenance invalid: {error}") from error
    return _with_stems(read)


def _with_stems(document: Any) -> Any:
    """Return a document whose names are split at their last `/`, `#` or `:`.

    `prov` splits a name where a name of XML may begin, as in `urn:caf:thought/%` and `C3%BC`, and then refuses the
    first part as the namespace of PROV-XML.
    """
    made, prefixes = ProvDocument(), dict[str, Namespace]()

    def named(value: Any) -> Any:
        if not isinstance(value, QualifiedName) or value.uri.startswith(_PROV):
            return value
        found = _STEM.match(value.uri)
        stem = found[0] if found else value.uri
        if stem not in prefixes:
            prefixes[stem] = made.add_namespace(f"n{len(prefixes)}", stem)
        return prefixes[stem][value.uri.removeprefix(stem)]

    for record in document.get_records():
        held = [(name, named(value)) for name, value in record.attributes]
        made.new_record(record.get_type(), named(record.identifier), held)
    return made
