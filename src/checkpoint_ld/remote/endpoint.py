"""Endpoints: where a triple store listens for what, and what is particular about it."""

from __future__ import annotations

import ipaddress
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from checkpoint_ld.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

GENERIC = "generic"
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Profile:
    """What is particular about one kind of triple store: an entry of `profiles.toml`.

    `quads` says that its graph store takes N-Quads of many graphs at once.
    `query`, `update` and `store` are paths below the store's URL, None where there is no such operation. `signs` are
    words by which its answers give it away. `most_rows` is the number of rows above which it cuts results silently,
    `largest_integer` the largest that it takes. `checked` says whether we have seen it run.
    """

    name: str
    title: str
    signs: tuple[str, ...] = ()
    query: str | None = None
    update: str | None = None
    store: str | None = None
    graph_parameter: str = "graph"
    form_encoded: bool = False
    names: str = "constant"
    authentication: str = "basic"
    gzip: bool = False
    quads: bool = False
    most_rows: int | None = None
    largest_integer: int | None = None
    checked: bool = False


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One triple store: the URLs of its services, None for one that is not there.

    They are those of the SPARQL 1.1 Protocol and of the Graph Store HTTP Protocol.
    """

    profile: Profile
    query: str
    update: str | None = None
    store: str | None = None

    @property
    def origin(self) -> str:
        """Scheme, host and port: to whom credentials may be sent (RFC 6454 §4)."""
        return origin_of(self.query)

    @property
    def host(self) -> str:
        """The host's name without the port, as netrc files have it."""
        return urlsplit(self.query).hostname or ""


@cache
def profiles() -> Mapping[str, Profile]:
    """Return the profiles that are shipped, by name."""
    text = (resources.files(__package__) / "profiles.toml").read_text(encoding="utf-8")
    told = tomllib.loads(text)
    return MappingProxyType(
        {name: Profile(name, **{**entry, "signs": tuple(entry.get("signs", ()))}) for name, entry in told.items()}
    )


def endpoint(
    url: str,
    profile: str,
    *,
    query: str | None = None,
    update: str | None = None,
    store: str | None = None,
) -> Endpoint:
    """Return the endpoint of the triple store at `url`.

    `query`, `update` and `store` are the URLs of services that are not where the profile has them.

    Raises SettingsError for a profile that does not exist, a URL that is none or holds a password, and URLs of more
    than one origin.
    """
    chosen = profiles().get(profile)
    if chosen is None:
        raise SettingsError(f"there is no profile {profile!r}: use one of {', '.join(profiles())}")
    base = checked_url(url).rstrip("/")

    def place(given: str | None, path: str | None) -> str | None:
        return checked_url(given) if given else None if path is None else base + path

    queried = place(query, chosen.query) or checked_url(url)
    found = Endpoint(chosen, queried, place(update, chosen.update), place(store, chosen.store))
    origins = {origin_of(one) for one in (url, found.query, found.update, found.store) if one}
    if len(origins) > 1:
        raise SettingsError(
            f"the URLs of one store are at several servers ({', '.join(sorted(origins))}): "
            "name services of one server, for credentials go to one alone"
        )
    return found


def recognized(server: str, body: str) -> Profile | None:
    """Return the profile whose signs are in a store's `Server` header, or else in what it says about itself."""
    for text in (server.lower(), body.lower()):
        for profile in profiles().values():
            if any(sign in text for sign in profile.signs):
                return profile
    return None


def checked_url(url: str) -> str:
    """Return `url`; raise SettingsError unless it is one of a web server, without password, query and fragment."""
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_usable = False
    if "@" in url.partition("://")[2].partition("/")[0]:
        raise SettingsError(
            "a URL with a name or password in it ends up in logs and histories: "
            "give them by environment variables, a file or netrc"
        )
    shown = url.partition("?")[0].partition("#")[0]  # what follows may be a token
    if not is_usable or not url.isascii() or any(one <= " " for one in url):
        raise SettingsError(f"{shown!r} is no URL of a server: it should look like http://127.0.0.1:7878")
    if parts.query or parts.fragment:
        raise SettingsError(f"{shown!r} is followed by a query or a fragment: give the URL of the store alone")
    return url


def origin_of(url: str) -> str:
    """Return scheme, host and port of a URL, the port always said."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    host = parts.hostname or ""
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine itself."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
