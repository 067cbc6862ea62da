"""Endpoints: the services of a triple store, the profile of its product, and the credentials for it.

Credentials never come from the command line and never appear in a message.
"""

from __future__ import annotations

import base64
import netrc
import os
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from checkpoint_ld.data import packaged
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.phrases import unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

USER = "CHECKPOINT_LD_USER"
PASSWORD = "CHECKPOINT_LD_PASSWORD"  # noqa: S105 - the name of the variable, not what is in it
TOKEN = "CHECKPOINT_LD_TOKEN"  # noqa: S105 - as above
"""Environment variables that hold credentials."""
METHODS = ("auto", "none", "basic", "digest", "bearer")
MASK = "***"
GENERIC = "generic"
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class EndpointProfile:
    """The profile of one kind of triple store: an entry of `profiles.toml`.

    `query`, `update` and `store` are paths below the store's URL, None for a missing operation. `signs` are words by
    which its answers are recognised. `quads` is whether its graph store takes N-Quads of many graphs at once.
    `most_rows` is the number of rows above which it cuts results silently. `exact_in` is the syntax of graphs in which
    it writes numbers in full. `alters` are rules about literals whose value it changes: names of datatypes of XML
    Schema, a pattern of the lexical form, and what becomes of it. `checked` is whether the profile was tested with the
    product.
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
    exact_in: str = "ntriples"
    alters: tuple[Mapping[str, Any], ...] = ()
    checked: bool = False


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A triple store: the URLs of its services, None for a missing service.

    The services are those of the SPARQL 1.1 Protocol and of the Graph Store HTTP Protocol.
    """

    profile: EndpointProfile
    query: str
    update: str | None = None
    store: str | None = None

    @property
    def host(self) -> str:
        """The host's name without the port, as netrc files have it."""
        return urlsplit(self.query).hostname or ""


@cache
def profiles() -> Mapping[str, EndpointProfile]:
    """Return the profiles that are shipped, by name."""
    entries: dict[str, dict[str, Any]] = tomllib.loads(packaged("stores/profiles.toml"))
    for entry in entries.values():
        entry |= {key: tuple(one) for key, one in entry.items() if isinstance(one, list)}
    return MappingProxyType({name: EndpointProfile(name, **entry) for name, entry in entries.items()})


def endpoint(
    url: str, profile: str, *, query: str | None = None, update: str | None = None, store: str | None = None
) -> Endpoint:
    """Return the endpoint of the triple store at `url`, which may also be the URL of its service for queries.

    `query`, `update` and `store` are the URLs of services that differ from the profile.

    Raises SettingsError for a profile that does not exist, a URL that is invalid or holds a password, and URLs of more
    than one origin.
    """
    chosen = profiles().get(profile)
    if chosen is None:
        raise SettingsError(unknown("profile", profile, profiles()))
    base = checked_url(url).rstrip("/").removesuffix(chosen.query or "")

    def place(given: str | None, path: str | None) -> str | None:
        return checked_url(given) if given else None if path is None else base + path

    queried = place(query, chosen.query) or checked_url(url)
    found = Endpoint(chosen, queried, place(update, chosen.update), place(store, chosen.store))
    origins = {origin_of(address) for address in (url, found.query, found.update, found.store) if address}
    if len(origins) > 1:
        raise SettingsError(
            f"the URLs of one store are at several servers ({', '.join(sorted(origins))}): "
            "name services of one server, for credentials go to one alone"
        )
    return found


def recognized(server: str, body: str) -> EndpointProfile | None:
    """Return the profile whose signs are in a store's `Server` header or in the body of its answer, or None."""
    for text in (server.lower(), body.lower()):
        for profile in profiles().values():
            if any(sign in text for sign in profile.signs):
                return profile
    return None


def checked_url(url: str) -> str:
    """Return `url`; raise SettingsError unless it is an HTTP URL without password, query and fragment."""
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
    shown = url.partition("?")[0].partition("#")[0]  # the rest may be a token
    if not is_usable or not url.isascii() or any(character <= " " for character in url):
        raise SettingsError(f"{shown!r} is no URL of a server: it should look like http://127.0.0.1:7878")
    if parts.query or parts.fragment:
        raise SettingsError(f"{shown!r} is followed by a query or a fragment: give the URL of the store alone")
    return url


def origin_of(url: str) -> str:
    """Return scheme, host and port of a URL, always with the port."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    host = parts.hostname or ""
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{port}"


@dataclass(frozen=True, slots=True)
class Credentials:
    """Credentials for a server: `method` is none, basic (RFC 7617), digest (RFC 7616) or bearer (RFC 6750).

    `secret` is a password or a token. `origin` describes their source, such as the name of a file. `for_shell` are the
    options with which curl reads them from the same source.
    """

    method: str = "none"
    user: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)
    origin: str = "none"
    for_shell: str = ""

    @property
    def masked(self) -> str:
        """The header `Authorization` without the secret, empty without credentials."""
        return f"{self.method.capitalize()} {MASK}" if self.method != "none" else ""

    def hide(self, text: str) -> str:
        """Return a text with secrets replaced by asterisks."""
        if not self.secret:
            return text
        pair = f"{self.user}:{self.secret}"
        encoded = base64.b64encode(pair.encode()).decode()
        for form in (encoded, pair, self.secret, quote(self.secret, safe="")):
            text = text.replace(form, MASK)
        return text


def credentials(
    host: str,
    method: str = "auto",
    *,
    preferred: str = "basic",
    file: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Credentials:
    """Return the credentials for `host` from `file`, environment variables or a netrc file, in this order.

    `file` holds `NAME:PASSWORD` or a token in its first line. With the method `auto`, a token is a bearer token, the
    method of a password is `preferred`, and missing credentials are allowed. The netrc file is that of the variable
    NETRC, or `~/.netrc`; only its entry for exactly this host counts. Raises SettingsError for a method that does not
    exist, for missing credentials of another method, for a name without a password or the reverse, and for a file that
    cannot be read.
    """
    if method not in METHODS:
        raise SettingsError(unknown("authentication", method, METHODS))
    if method == "none":
        return Credentials()
    user, secret, origin, shell = _found(host, file, os.environ if environment is None else environment)
    if not secret:
        if method == "auto":
            return Credentials()
        raise SettingsError(
            f"authentication {method} needs credentials: set {TOKEN}, or {USER} and {PASSWORD}, "
            f"or give a file of them, or an entry for {host} in ~/.netrc"
        )
    is_token = not user
    chosen = ("bearer" if is_token else preferred) if method == "auto" else method
    if is_token != (chosen == "bearer"):
        wanted = "a token" if chosen == "bearer" else "a name and a password"
        raise SettingsError(f"authentication {chosen} needs {wanted}, which {origin} does not hold")
    if not (user + secret).isprintable():
        raise SettingsError(f"the credentials of {origin} hold line breaks or other control characters")
    if is_token:
        options = f'-H "Authorization: Bearer {shell.strip(chr(34))}"'
    else:
        scheme = "--digest" if chosen == "digest" else "--basic"
        options = f"{scheme} {shell}" if shell.startswith("--netrc") else f"{scheme} --user {shell}"
    return Credentials(chosen, user, secret, origin, options)


def _found(host: str, file: str | None, variables: Mapping[str, str]) -> tuple[str, str, str, str]:
    """Return name, secret, their source, and the shell expression that reads them; empty texts without credentials."""
    if file:
        try:
            line = Path(file).read_text(encoding="utf-8").partition("\n")[0].strip()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
            raise SettingsError(f"{file}: credentials cannot be read: {reason}") from None
        name, colon, secret = line.partition(":")
        if not (secret if colon else line):
            raise SettingsError(f"{file}: its first line holds no credentials: write NAME:PASSWORD, or a token")
        shell = f'"$(head -n 1 {_quoted(file)})"'
        return (name, secret, file, shell) if colon else ("", line, file, shell)
    if variables.get(TOKEN):
        return "", variables[TOKEN], TOKEN, f'"${TOKEN}"'
    missing = [name for name in (USER, PASSWORD) if not variables.get(name)]
    if not missing:
        return variables[USER], variables[PASSWORD], f"{USER} and {PASSWORD}", f'"${USER}:${PASSWORD}"'
    if len(missing) == 1:
        raise SettingsError(f"{missing[0]} is not set or is empty: set both {USER} and {PASSWORD}, or neither")
    return _of_netrc(host, variables)


def _of_netrc(host: str, variables: Mapping[str, str]) -> tuple[str, str, str, str]:
    named = variables.get("NETRC")
    entries = Path(named) if named else Path("~/.netrc").expanduser()
    try:
        entry = netrc.netrc(str(entries)).hosts.get(host)
    except FileNotFoundError:
        entry = None
    except netrc.NetrcParseError as error:
        raise SettingsError(f"{entries}: this is no netrc file: {error.msg}, line {error.lineno}") from None
    except (OSError, ValueError):
        raise SettingsError(f"{entries}: cannot be read; ask for permission, or set NETRC to another file") from None
    if entry is None or not entry[2]:
        return "", "", "", ""
    return entry[0], entry[2], str(entries), f"--netrc-file {_quoted(str(entries))}"


def _quoted(file: str) -> str:
    return "'" + file.replace("'", "'\\''") + "'"
