"""Detection of secrets: access keys of services, which must not be in a shared file, by their form or their name."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from checkpoint_ld.documents.values import walk

if TYPE_CHECKING:
    from collections.abc import Iterable


_SECRET_KEY = re.compile(
    r"(?:^|_|-)(?:api_?key|apikey|secret|password|passwd|token|access_?key|private_?key|authorization|credentials?)\Z",
    re.IGNORECASE,
)
_ENDS_OF_KEYS = (
    *('_key":', 'ikey":', '\u0131key":', '\u0307key":', 'skey":', 'ekey":', 'secret":', "passw", 'token":'),
    *("authori", "author\u0131", "credent"),
)
"""Each suspicious key, case-folded and as JSON has it, holds one of these; dotted and undotted letters count as one."""
_SECRET_VALUE = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16}"
    r"|AIza[0-9A-Za-z_-]{30,}|hf_[A-Za-z0-9]{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|Bearer\s+[A-Za-z0-9._~+/-]{16,})"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
)
_PLACEHOLDER = re.compile(
    r"\$\{?\w+\}?|<[^<>]*>|\{\{.*\}\}|\*+|x+|none|null|env:.*"
    r"|\(withheld: .*\)|\[redacted\]",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST = 10_000
_BEFORE, _AFTER = 16, 128
"""A suspicious value begins at most so many characters before its suspicious part, and is told by so many after it."""

_SUSPICIOUS_PART = re.compile(
    r"[-_ABx](?:(?<=[spr]k-)|(?<=gh[pousr]_)|(?<=hf_)|(?<=A)(?:KIA|Iza)|(?<=B)earer|(?<=x)ox|(?<=-)----BEGIN)"
)
"""A part of each suspicious value; it starts with a rare character, so that the search is fast."""

WITHHELD = "(withheld: it looks like a secret)"
"""The text that replaces a probable secret."""


def secret(value: Any) -> str | None:
    """Return a phrase with the place of the first probable secret in the settings of a model, without its value."""
    if is_harmless(value):
        return None
    for path, text in walk(value):
        if not isinstance(text, str) or not text:
            continue
        key = next((step for step in reversed(path) if isinstance(step, str)), "")
        is_named, is_secret = _names_secret(key[:_LONGEST]), _is_secret(text)
        if (is_named or is_secret) and not _is_placeholder(text):
            where = "/".join(map(str, path)) or "the value"
            return f"{where} has a value" if is_named else f"{where} looks like an access key"
    return None


def without_secrets(value: Any, key: str = "", path: tuple[str, ...] = (), places: list[str] | None = None) -> Any:
    """Return JSON with WITHHELD in place of texts that look like secrets; containers without any are not copied.

    `key` is the name of the value, `path` the way to it. The places of what is withheld are added to `found` as JSON
    Pointers (RFC 6901).
    """
    if isinstance(value, str):
        is_suspicious = value and (_names_secret(key[:_LONGEST]) or _is_secret(value))
        if not is_suspicious or _is_placeholder(value):
            return value
        if places is not None:
            places.append("".join("/" + step.replace("~", "~0").replace("/", "~1") for step in path))
        return WITHHELD
    if isinstance(value, dict):
        inner = {name: without_secrets(item, name, (*path, name), places) for name, item in value.items()}
        return inner if any(inner[name] is not item for name, item in value.items()) else value
    if isinstance(value, (list, tuple)):
        items = [without_secrets(item, key, (*path, str(number)), places) for number, item in enumerate(value)]
        return items if any(after is not before for after, before in zip(items, value, strict=True)) else value
    return value


def are_harmless(values: Iterable[object]) -> bool:
    """Return whether there is certainly no secret in any of several values, which are searched together."""
    texts = [value for value in values if type(value) is str]
    containers = [value for value in values if type(value) in (list, dict)]
    return _SUSPICIOUS_PART.search("\n".join(texts)) is None and (not containers or is_harmless(containers))


def is_harmless(value: Any) -> bool:
    """Return whether there is certainly no secret in a value; fast, since hardly any setting has one."""
    if not isinstance(value, (dict, list)):
        return not isinstance(value, str) or not _is_secret(value)
    try:
        text = orjson.dumps(value).decode()
    except TypeError:  # it is no JSON, or numbers are too large
        return False
    folded = text.casefold()
    return _SUSPICIOUS_PART.search(text) is None and not any(map(folded.__contains__, _ENDS_OF_KEYS))


def _is_placeholder(text: str) -> bool:
    return len(text) <= _LONGEST and _PLACEHOLDER.fullmatch(text) is not None


def _is_secret(text: str) -> bool:
    return any(
        _SECRET_VALUE.search(text[max(part.start() - _BEFORE, 0) : part.end() + _AFTER])
        for part in _SUSPICIOUS_PART.finditer(text)
    )


@lru_cache(maxsize=1024)
def _names_secret(key: str) -> bool:
    return _SECRET_KEY.search(key) is not None
