"""A benchmark as CITATION.cff: metadata for citation (Citation File Format 1.2.0, doi:10.5281/zenodo.5171937)."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checkpoint_ld.benchmark.editing import published_text
from checkpoint_ld.benchmark.exports import no_encoding
from checkpoint_ld.benchmark.question_columns import lost
from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.documents.values import is_iso_8601
from checkpoint_ld.integrations.formats.credit import DOI, WEB, makers_of, publications_of, required_makers
from checkpoint_ld.phrases import shown

if TYPE_CHECKING:
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.integrations.formats.credit import Maker

_SPDX = re.compile(r"(?i)(?:https?://spdx\.org/licenses/)?([a-z0-9.+-]+?)(?:\.html|\.json)?")
_CREATIVE_COMMONS = re.compile(r"(?i)https?://creativecommons\.org/licenses/([a-z-]+)/([\d.]+)/?(?:legalcode|deed)?.*")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def file(benchmark: Benchmark) -> tuple[bytes, tuple[Finding, ...]]:
    """Return the file, and findings about the losses. Raises WriteError for a benchmark without authors."""
    findings: list[Finding] = []
    makers = required_makers(benchmark, "a citation")
    authors = [_author(maker, findings) for maker in makers]
    if len(authors) < len(makers_of(benchmark)):
        findings.append(lost("a creator without a name has no place in CITATION.cff", remedy="give each one a name"))
    published, unfit = published_on(benchmark, "CITATION.cff")
    findings += unfit
    members: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use this benchmark, please cite it as below.",
        "type": "dataset",
        "title": benchmark.name,
        "authors": authors,
        "version": benchmark.version,
        "abstract": benchmark.description,
        "date-released": published and datetime.fromisoformat(published).date().isoformat(),
        "keywords": [*dict.fromkeys(filter(None, map(published_text, as_list(benchmark.keywords))))],
        **_license(benchmark, findings),
        **_identifiers(benchmark, findings),
        **_cited(benchmark, authors, findings),
    }
    if benchmark.funder:
        findings.append(lost(f"the funder ({published_text(benchmark.funder)}) has no place in CITATION.cff"))
    # JSON values are YAML, except for characters that YAML requires to be escaped.
    lines = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in members.items() if value)
    try:
        return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", lines).encode(), tuple(findings)
    except UnicodeEncodeError as error:
        raise no_encoding(error) from None


def _author(maker: Maker, findings: list[Finding]) -> dict[str, Any]:
    # An entity has no affiliation, so that a person who has one needs the parts of a name.
    is_person = maker.is_person and bool(maker.family) and (not maker.is_split or bool(maker.affiliations))
    left = [*maker.left, *(["affiliation"] if maker.affiliations and not is_person else [])]
    if left:
        findings.append(lost(f"of the author {maker.name}, {', '.join(left)} has no place in CITATION.cff"))
    name = {"given-names": maker.given, "family-names": maker.family} if is_person else {"name": maker.name}
    members = {
        **name,
        "website": maker.website,
        "email": maker.email,
        "orcid": maker.orcid and f"https://orcid.org/{maker.orcid}",
        "affiliation": "; ".join(maker.affiliations) if is_person else None,
    }
    return {member: value for member, value in members.items() if value}


def _cited(benchmark: Benchmark, authors: list[dict[str, Any]], findings: list[Finding]) -> dict[str, Any]:
    """Return the first publication of the benchmark as `preferred-citation`, and others as `references`."""
    cited = []
    for publication in publications_of(benchmark):
        if not (publication.title or publication.doi or publication.url):
            findings.append(lost("a citation without a title and an address has no place in CITATION.cff"))
            continue
        if not publication.title:
            stated = publication.doi or publication.url
            message = f"the citation {stated} states no title: CITATION.cff has that of the benchmark"
            remedy = "give an object with @type ScholarlyArticle, name, author and identifier"
            findings.append(lost(message, remedy=remedy))
        members: dict[str, Any] = {
            "type": publication.kind,
            "title": publication.title or benchmark.name,
            "authors": [_author(maker, findings) for maker in publication.authors if maker.name] or authors,
            "year": publication.year,
            "journal": publication.journal,
            "doi": publication.doi,
            "url": publication.url,
        }
        cited.append({name: value for name, value in members.items() if value})
    return {"preferred-citation": cited[0], "references": cited[1:]} if cited else {}


def published_on(benchmark: Benchmark, place: str) -> tuple[str | None, tuple[Finding, ...]]:
    """Return the date of publication in ISO 8601, None where there is none, and a finding about any other value.

    `place` is the format that has no place for it.
    """
    stated = benchmark.graph.content(benchmark.graph.root, "datePublished")
    if stated is None or is_iso_8601(stated):
        return stated, ()
    message = f"the date of publication {shown(stated)} has no place in {place}"
    return None, (lost(message, remedy="write one date in ISO 8601, such as 2026-03-01"),)


def spdx_name(license_: str) -> str | None:
    """Return the name of a licence in SPDX's list (https://spdx.org/licenses/), None if it is not in the list."""
    if match := _CREATIVE_COMMONS.fullmatch(license_):
        license_ = f"CC-{match[1]}-{match[2]}"
    listed = Path(__file__).with_name("spdx_licenses.txt").read_text(encoding="ascii").split()
    names = {name.lower(): name for name in listed}
    match = _SPDX.fullmatch(license_)
    return names.get(match[1].lower()) if match else None


def doi_of(benchmark: Benchmark) -> str | None:
    """Return the first DOI among the identifiers of a benchmark, as 10.…/…; None where there is none."""
    matches = (DOI.fullmatch(published_text(identifier) or "") for identifier in as_list(benchmark.identifier))
    return next((match[1] for match in matches if match), None)


def _license(benchmark: Benchmark, findings: list[Finding]) -> dict[str, Any]:
    stated = [license_name(value) for value in as_list(benchmark.license)]
    names = [name for licence in stated if (name := spdx_name(licence))]
    others = [licence for licence in stated if not spdx_name(licence)]
    address = next((other for other in others if WEB.fullmatch(other)), None) if not names else None
    findings += [
        lost(f"the licence {other!r} has no place in CITATION.cff", remedy="give one of SPDX's list")
        for other in others
        if other != address
    ]
    return {"license": names[0] if len(names) == 1 else names, "license-url": address}


def license_name(value: Any) -> str:
    """Return the text that names a licence: its name in SPDX's list, or else its address, or else any name."""
    members = [value.get(name) for name in ("@id", "url", "name")] if isinstance(value, dict) else [value]
    texts = [text for text in members if isinstance(text, str) and text]
    listed, addresses = filter(spdx_name, texts), filter(WEB.fullmatch, texts)
    return next(iter((*listed, *addresses, *texts)), "")


def _identifiers(benchmark: Benchmark, findings: list[Finding]) -> dict[str, Any]:
    doi, others = doi_of(benchmark), list[dict[str, str]]()
    for identifier in as_list(benchmark.identifier):
        text = published_text(identifier) or ""
        match = DOI.fullmatch(text)
        if not text:
            findings.append(lost("an identifier without a value has no place in CITATION.cff"))
        elif not match or match[1] != doi:
            kind = "doi" if match else "url" if WEB.fullmatch(text) else "other"
            others.append({"type": kind, "value": match[1] if match else text})
    return {"doi": doi, "identifiers": others}
