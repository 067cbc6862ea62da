"""A benchmark as CITATION.cff: metadata for citation (Citation File Format 1.2.0, doi:10.5281/zenodo.5171937)."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checkpoint_ld.benchmark.editing import PUBLISHED, published_text
from checkpoint_ld.benchmark.exports import no_encoding
from checkpoint_ld.benchmark.question_columns import lost
from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.documents.values import is_iso_8601
from checkpoint_ld.errors import WriteError
from checkpoint_ld.phrases import shown

if TYPE_CHECKING:
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.entities.question import Creator
    from checkpoint_ld.findings import Finding

_DOI = re.compile(r"(?i)(?:doi:|https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}(?:\.\d+)?/[A-Za-z0-9:/_;\-.()\[\]\\]+)")
_SPDX = re.compile(r"(?i)(?:https?://spdx\.org/licenses/)?([a-z0-9.+-]+?)(?:\.html|\.json)?")
_CREATIVE_COMMONS = re.compile(r"(?i)https?://creativecommons\.org/licenses/([a-z-]+)/([\d.]+)/?(?:legalcode|deed)?.*")
_WEB = re.compile(r"(?:https?|ftp)://[^\s]+")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def file(benchmark: Benchmark) -> tuple[bytes, tuple[Finding, ...]]:
    """Return the file, and findings about the losses. Raises WriteError for a benchmark without authors."""
    findings: list[Finding] = []
    makers = [_author(creator, findings) for creator in as_list(benchmark.creator)]
    authors = [maker for maker in makers if {"name", "family-names"} & maker.keys()]
    if not authors:
        raise WriteError("the benchmark has no creator, and a citation needs an author: set its creator")
    if len(authors) < len(makers):
        findings.append(lost("a creator without a name has no place in CITATION.cff", remedy="give each one a name"))
    published, unfit = published_on(benchmark, "CITATION.cff")
    findings += unfit
    held: dict[str, Any] = {
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
    }
    findings += [
        lost(f"the {name} ({published_text(value)}) has no place in CITATION.cff")
        for name in PUBLISHED
        if name in {"citation", "funder"} and (value := getattr(benchmark, name))
    ]
    # JSON values are YAML, except for characters that YAML requires to be escaped.
    lines = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in held.items() if value)
    try:
        return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", lines).encode(), tuple(findings)
    except UnicodeEncodeError as error:
        raise no_encoding(error) from None


def _author(creator: Creator, findings: list[Finding]) -> dict[str, Any]:
    if isinstance(creator, str):
        return {"name": creator} if creator else {}
    more = creator.model_dump(by_alias=True, exclude_none=True)
    given, family, site = (more.pop(name, None) for name in ("givenName", "familyName", "url"))
    name = {"given-names": given, "family-names": family} if isinstance(family, str) else {"name": creator.name}
    held = {**name, "website": site if _WEB.fullmatch(site or "") else None, "email": more.pop("email", None)}
    left = [member for member in more if member not in {"@type", "name"}]
    if left:
        findings.append(lost(f"of the author {creator.name}, {', '.join(left)} has no place in CITATION.cff"))
    return {member: value for member, value in held.items() if isinstance(value, str) and value}


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
    if found := _CREATIVE_COMMONS.fullmatch(license_):
        license_ = f"CC-{found[1]}-{found[2]}"
    listed = Path(__file__).with_name("spdx_licenses.txt").read_text(encoding="ascii").split()
    names = {name.lower(): name for name in listed}
    found = _SPDX.fullmatch(license_)
    return names.get(found[1].lower()) if found else None


def doi_of(benchmark: Benchmark) -> str | None:
    """Return the first DOI among the identifiers of a benchmark, as 10.…/…; None where there is none."""
    found = (_DOI.fullmatch(published_text(identifier) or "") for identifier in as_list(benchmark.identifier))
    return next((match[1] for match in found if match), None)


def _license(benchmark: Benchmark, findings: list[Finding]) -> dict[str, Any]:
    stated = [_licence(value) for value in as_list(benchmark.license)]
    names = [name for licence in stated if (name := spdx_name(licence))]
    others = [licence for licence in stated if not spdx_name(licence)]
    address = next((other for other in others if _WEB.fullmatch(other)), None) if not names else None
    findings += [
        lost(f"the licence {other!r} has no place in CITATION.cff", remedy="give one of SPDX's list")
        for other in others
        if other != address
    ]
    return {"license": names[0] if len(names) == 1 else names, "license-url": address}


def _licence(value: Any) -> str:
    """Return the text that names a licence: its name in SPDX's list, or else its address, or else any name."""
    members = [value.get(name) for name in ("@id", "url", "name")] if isinstance(value, dict) else [value]
    texts = [text for text in members if isinstance(text, str) and text]
    listed, addresses = filter(spdx_name, texts), filter(_WEB.fullmatch, texts)
    return next(iter((*listed, *addresses, *texts)), "")


def _identifiers(benchmark: Benchmark, findings: list[Finding]) -> dict[str, Any]:
    doi, others = doi_of(benchmark), list[dict[str, str]]()
    for identifier in as_list(benchmark.identifier):
        text = published_text(identifier) or ""
        found = _DOI.fullmatch(text)
        if not text:
            findings.append(lost("an identifier without a value has no place in CITATION.cff"))
        elif not found or found[1] != doi:
            kind = "doi" if found else "url" if _WEB.fullmatch(text) else "other"
            others.append({"type": kind, "value": found[1] if found else text})
    return {"doi": doi, "identifiers": others}
