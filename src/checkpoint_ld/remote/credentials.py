"""Credentials: who we are to a server. They never come from the command line and never go into any text of ours."""

from __future__ import annotations

import base64
import netrc
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from checkpoint_ld.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

USER = "CHECKPOINT_LD_USER"
PASSWORD = "CHECKPOINT_LD_PASSWORD"  # noqa: S105 - the name of the variable, not what is in it
TOKEN = "CHECKPOINT_LD_TOKEN"  # noqa: S105 - as above
"""Environment variables that hold credentials."""
METHODS = ("auto", "none", "basic", "digest", "bearer")
MASK = "***"


@dataclass(frozen=True, slots=True)
class Credentials:
    """How to tell a server who we are: `method` is none, basic (RFC 7617), digest (RFC 7616) or bearer (RFC 6750).

    `secret` is a password or a token. `origin` says in words where they come from, such as the name of a file, and
    `for_shell` are the options by which curl would find them in the same place.
    """

    method: str = "none"
    user: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)
    origin: str = "none"
    for_shell: str = ""

    @property
    def masked(self) -> str:
        """The header `Authorization` as it may be shown, empty where there is none."""
        return f"{self.method.capitalize()} {MASK}" if self.method != "none" else ""

    def hide(self, text: str) -> str:
        """Return a text with whatever is secret in it replaced by asterisks."""
        if not self.secret:
            return text
        pair = f"{self.user}:{self.secret}"
        encoded = base64.b64encode(pair.encode()).decode()
        for one in (encoded, pair, self.secret, quote(self.secret, safe="")):
            text = text.replace(one, MASK)
        return text


def credentials(
    host: str,
    method: str = "auto",
    *,
    preferred: str = "basic",
    file: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Credentials:
    """Find the credentials for `host`: in `file`, in environment variables, or in a netrc file; the first that has any.

    `file` holds `NAME:PASSWORD` or a token in its first line. With the method `auto`, a token is a bearer's and a
    password is given as `preferred`; where there is nothing, nobody asks. The netrc file is the one that the variable
    NETRC names, or `~/.netrc`; only its entry for this very host counts. Raises SettingsError for a method that does
    not exist, for credentials that are not there although a method was asked for, and for a file that cannot be read.
    """
    if method not in METHODS:
        raise SettingsError(f"there is no authentication {method!r}: use one of {', '.join(METHODS)}")
    if method == "none":
        return Credentials()
    variables = os.environ if environment is None else environment
    user, secret, origin, shell = (
        _of_file(file) if file else _of_variables(variables) or _of_netrc(host, variables) or ("", "", "", "")
    )
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
    return Credentials(chosen, user, secret, origin, _for_shell(chosen, shell))


Found = tuple[str, str, str, str]
"""Name, secret, where they come from, and how a shell gets at them."""


def _of_file(file: str) -> Found:
    try:
        line = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise SettingsError(f"{file}: credentials cannot be read: {reason}") from None
    name, colon, secret = line.partition(":")
    shell = f'"$(cat {_quoted(file)})"'
    return (name, secret, file, shell) if colon else ("", line, file, shell)


def _of_variables(variables: Mapping[str, str]) -> Found | None:
    if variables.get(TOKEN):
        return "", variables[TOKEN], TOKEN, f'"${TOKEN}"'
    if variables.get(USER) and variables.get(PASSWORD):
        return variables[USER], variables[PASSWORD], f"{USER} and {PASSWORD}", f'"${USER}:${PASSWORD}"'
    return None


def _of_netrc(host: str, variables: Mapping[str, str]) -> Found | None:
    named = variables.get("NETRC")
    file = Path(named) if named else Path("~/.netrc").expanduser()
    try:
        entry = netrc.netrc(str(file)).hosts.get(host)
    except FileNotFoundError:
        return None
    except netrc.NetrcParseError as error:
        raise SettingsError(f"{file}: this is no netrc file: {error.msg}, line {error.lineno}") from None
    except (OSError, ValueError):
        raise SettingsError(f"{file}: cannot be read; ask for permission, or set NETRC to another file") from None
    if entry is None or not entry[2]:
        return None
    return entry[0], entry[2], str(file), f"--netrc-file {_quoted(str(file))}"


def _for_shell(method: str, source: str) -> str:
    if method == "bearer":
        return f'-H "Authorization: Bearer {source.strip(chr(34))}"'
    scheme = "--digest" if method == "digest" else "--basic"
    return f"{scheme} {source}" if source.startswith("--netrc") else f"{scheme} --user {source}"


def _quoted(file: str) -> str:
    return "'" + file.replace("'", "'\\''") + "'"
