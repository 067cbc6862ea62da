"""`rocrate-validator` without a network: RO-Crate's context is in its cache.

Called as `python -m tests.formats.crate_validator CACHE CONTEXT` and the arguments of `rocrate-validator`. It answers
the one request itself.
"""

import io
import sys
from pathlib import Path
from typing import Any

from requests import Response
from requests.adapters import BaseAdapter
from requests_cache import CachedSession  # type: ignore[import-not-found] # is beside the validator
from rocrate_validator.cli import cli  # type: ignore[import-not-found] # as well
from urllib3 import HTTPResponse

from tests.parsed_once import parsed_once

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
    with parsed_once():
        cli(sys.argv[3:])
