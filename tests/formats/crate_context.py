"""A program that puts RO-Crate's context into the cache of `rocrate-validator`, which then needs no network.

Called as `python crate_context.py CACHE CONTEXT`. It answers the one request itself.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

from requests import Response
from requests.adapters import BaseAdapter
from requests_cache import CachedSession  # type: ignore[import-not-found] # is beside the validator
from urllib3 import HTTPResponse

ADDRESS = "https://w3id.org/ro/crate/1.2/context"


class Here(BaseAdapter):
    """What answers with the content of a file."""

    def send(self, request: Any, *_: Any, **__: Any) -> Response:
        """Answer a request."""
        headers = {"Content-Type": "application/ld+json"}
        answer = Response()
        answer.status_code, answer.url, answer.request = 200, request.url, request
        answer.raw = HTTPResponse(io.BytesIO(Path(sys.argv[2]).read_bytes()), headers, 200, preload_content=False)
        answer.headers.update(headers)
        return answer

    def close(self) -> None:
        """Close nothing: nothing is open."""


if __name__ == "__main__":
    session = CachedSession(sys.argv[1], backend="sqlite", expire_after=-1)
    session.mount("https://", Here())
    session.get(ADDRESS)
