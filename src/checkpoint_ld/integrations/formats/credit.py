"""Who made a benchmark, and which publication it belongs to, for citations and deposits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.benchmark.editing import published_text
from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.dialects.state import DEFAULT_CREATOR
from checkpoint_ld.errors import WriteError

if TYPE_CHECKING:
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.entities.question import Creator

Json = dict[str, Any]

NOBODY = (DEFAULT_CREATOR, "Unknown")
"""What Karenina writes where nobody named a creator: these are no authors."""
DOI = re.compile(r"(?i)(?:doi:|https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}(?:\.\d+)?/[A-Za-z0-9:/_;\-.()\[\]\\]+)")
WEB = re.compile(r"(?:https?|ftp)://[^\s]+")
_ORCID = re.compile(r"(?i)(?:https?://)?(?:orcid\.org/|orcid:)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])/?")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_NAMING = ("@id", "orcid", "identifier", "sameAs", "url")
_DOI_END = re.compile(r"[\s.,;:]*(?:doi:|https?://(?:dx\.)?doi\.org/)?10\.\d{4,9}/\S+\s*$", re.IGNORECASE)
_ELEVEN, _TEN = 11, 10


class Maker(NamedTuple):
    """A creator of a benchmark, or the author of a publication.

    `given` and `family` are the parts of a person's name, split at its last space where it is one text; for an
    organization both are empty. `left` are the names of members that citations and deposits have no place for.
    """

    name: str
    given: str = ""
    family: str = ""
    orcid: str | None = None
    affiliations: tuple[str, ...] = ()
    email: str | None = None
    website: str | None = None
    is_person: bool = True
    is_split: bool = False
    left: tuple[str, ...] = ()


def makers_of(benchmark: Benchmark) -> list[Creator]:
    """Return the creators of a benchmark, without what Karenina writes where there is none."""
    return [creator for creator in as_list(benchmark.creator) if creator not in NOBODY]


def required_makers(benchmark: Benchmark, target: str) -> list[Maker]:
    """Return the creators of a benchmark that have a name. Raises WriteError for a benchmark without any."""
    makers = [maker_of(creator) for creator in makers_of(benchmark)]
    named = [maker for maker in makers if maker.name]
    if not named:
        remedy = 'set its creator, as in benchmark.creator = "Ada Smith", or import --creator "Ada Smith"'
        raise WriteError(f"the benchmark has no creator, and {target} needs an author: {remedy}")
    return named


def maker_of(creator: Creator | Json) -> Maker:
    """Return a creator, or the author of a publication, for a citation."""
    if isinstance(creator, str):
        return Maker(creator, *split_name(creator), is_split=True)
    more = creator if isinstance(creator, dict) else creator.model_dump(by_alias=True, exclude_none=True)
    more = {name: value for name, value in more.items() if value not in (None, "", [], {})}
    kind, name = more.pop("@type", "Person"), more.pop("name", "")
    given, family = more.pop("givenName", None), more.pop("familyName", None)
    orcid = next((iri for member in _NAMING for text in _texts(more.get(member)) if (iri := orcid_in(text))), None)
    affiliations = tuple(filter(None, map(published_text, as_list(more.pop("affiliation", None)))))
    website = next((text for text in _texts(more.get("url")) if WEB.fullmatch(text) and not orcid_in(text)), None)
    email = more.pop("email", None)
    left = [
        member
        for member, value in more.items()
        if any(not orcid_in(text) and text != website for text in _texts(value) or ["?"])
    ]
    is_named = isinstance(family, str)
    parts = (str(given or ""), str(family)) if is_named else split_name(str(name))
    full = str(name) or " ".join(filter(None, parts))
    is_person = kind != "Organization"
    return Maker(
        full,
        *(parts if is_person else ("", "")),
        orcid=orcid,
        affiliations=affiliations,
        email=email if isinstance(email, str) else None,
        website=website,
        is_person=is_person,
        is_split=not is_named,
        left=tuple(left),
    )


def split_name(name: str) -> tuple[str, str]:
    """Return the given names and the family name in a name, split at its comma or else at its last space."""
    family, comma, given = name.partition(",")
    if comma:
        return given.strip(), family.strip()
    given, _, family = name.strip().rpartition(" ")
    return given.strip(), family.strip()


def orcid_in(text: str) -> str | None:
    """Return the ORCID iD that a text is, such as 0000-0002-1825-0097, if its check digit is right (ISO 7064)."""
    if not (match := _ORCID.fullmatch(text.strip())):
        return None
    orcid = match[1].upper()
    total = 0
    for digit in orcid.replace("-", "")[:-1]:
        total = (total + int(digit)) * 2
    check = (_ELEVEN + 1 - total % _ELEVEN) % _ELEVEN
    return orcid if orcid[-1] == ("X" if check == _TEN else str(check)) else None


def _texts(value: Any) -> list[str]:
    """Return the texts in a member: itself, those of a list, or the value or address of an object."""
    texts = []
    for item in as_list(value):
        parts = [item.get("value"), item.get("@id"), item.get("url")] if isinstance(item, dict) else [item]
        texts += [text for text in parts if isinstance(text, str)]
    return texts


class Publication(NamedTuple):
    """A publication that a benchmark is to be cited by: `title` is empty where only its address is stated."""

    title: str
    authors: tuple[Maker, ...] = ()
    doi: str | None = None
    url: str | None = None
    year: int | None = None
    journal: str = ""
    kind: str = "generic"


def publications_of(benchmark: Benchmark) -> list[Publication]:
    """Return the publications in the member `citation` of a benchmark: texts, addresses, or objects of schema.org."""
    return [_publication(value) for value in as_list(benchmark.citation)]


def _publication(value: Any) -> Publication:
    if isinstance(value, str):
        text = value.strip()
        if whole := DOI.fullmatch(text):
            return Publication("", doi=whole[1])
        if WEB.fullmatch(text):
            return Publication("", url=text)
        doi = DOI.search(text)
        year = _YEAR.search(text)
        title = _DOI_END.sub("", text) if doi else text
        return Publication(title, doi=doi[1].rstrip(".") if doi else None, year=int(year[0]) if year else None)
    members = value if isinstance(value, dict) else {}
    texts = [text for name in ("identifier", "@id", "url", "sameAs") for text in _texts(members.get(name))]
    dois = [match[1] for match in map(DOI.fullmatch, texts) if match]
    web = (text for text in texts if WEB.fullmatch(text) and not DOI.fullmatch(text))
    year = _YEAR.search(str(members.get("datePublished") or ""))
    return Publication(
        title=next((text for name in ("headline", "name") for text in _texts(members.get(name))), ""),
        authors=tuple(maker_of(author) for author in as_list(members.get("author")) if isinstance(author, str | dict)),
        doi=dois[0] if dois else None,
        url=next(web, None),
        year=int(year[0]) if year else None,
        journal=published_text(members.get("isPartOf")) or published_text(members.get("publisher")) or "",
        kind="article" if "Article" in str(members.get("@type")) else "generic",
    )
