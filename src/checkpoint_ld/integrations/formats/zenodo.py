"""A benchmark as .zenodo.json: metadata of a deposit at Zenodo (https://developers.zenodo.org/#representation)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from checkpoint_ld.benchmark.editing import published_text
from checkpoint_ld.benchmark.question_columns import lost
from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.integrations.formats.citation import license_name, published_on, spdx_name
from checkpoint_ld.integrations.formats.credit import publications_of, required_makers

if TYPE_CHECKING:
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.integrations.formats.credit import Maker

_PLACE = ".zenodo.json"


def file(benchmark: Benchmark) -> tuple[bytes, tuple[Finding, ...]]:
    """Return the file, and findings about the losses. Raises WriteError for a benchmark without authors."""
    findings: list[Finding] = []
    creators = [_creator(maker, findings) for maker in required_makers(benchmark, _PLACE)]
    published, unfit = published_on(benchmark, _PLACE)
    findings += unfit
    licences = [license_name(value) for value in as_list(benchmark.license)]
    names = [name for licence in licences if (name := spdx_name(licence))]
    if not names:
        unlisted = f"the licence {licences[0]!r} has no place in {_PLACE}" if licences else ""
        what = unlisted or "the benchmark states no licence"
        findings.append(lost(what, remedy="give one of SPDX's list, such as CC-BY-4.0"))
    members: dict[str, Any] = {
        "upload_type": "dataset",
        "title": benchmark.name,
        "creators": creators,
        "description": benchmark.description or benchmark.name,
        "version": benchmark.version,
        "publication_date": published and datetime.fromisoformat(published).date().isoformat(),
        "license": names[0].lower() if names else None,
        "access_right": "open",
        "keywords": [*dict.fromkeys(filter(None, map(published_text, as_list(benchmark.keywords))))],
        **_related(benchmark, findings),
    }
    if benchmark.funder:
        funders = f"the funder ({published_text(benchmark.funder)}) has no place in {_PLACE}"
        findings.append(lost(funders, remedy="state it in the form of Zenodo"))
    return dump_json({name: value for name, value in members.items() if value}), tuple(findings)


def _creator(maker: Maker, findings: list[Finding]) -> dict[str, str]:
    if maker.left:
        findings.append(lost(f"of the author {maker.name}, {', '.join(maker.left)} has no place in {_PLACE}"))
    name = ", ".join(filter(None, (maker.family, maker.given))) if maker.is_person else maker.name
    members = {"name": name, "affiliation": "; ".join(maker.affiliations), "orcid": maker.orcid}
    return {member: value for member, value in members.items() if value}


def _related(benchmark: Benchmark, findings: list[Finding]) -> dict[str, Any]:
    related, references = [], []
    for publication in publications_of(benchmark):
        if address := publication.doi or publication.url:
            kind = "publication-article" if publication.kind == "article" else "publication"
            related.append({"identifier": address, "relation": "isSupplementTo", "resource_type": kind})
        elif publication.title:
            references.append(publication.title)
        else:
            findings.append(lost(f"a citation without a title and an address has no place in {_PLACE}"))
    return {"related_identifiers": related, "references": references}
