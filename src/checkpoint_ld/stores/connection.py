"""The connection to a server: requests sent within limits, repeated where that is safe, and refusals explained.

The boundary to httpx: none of its types and exceptions goes further.
"""

from __future__ import annotations

import random
import ssl
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Self

from checkpoint_ld.errors import (
    AuthFailedError,
    ServerRefusedError,
    ServerUnreachableError,
    StoreError,
    TruncatedResultError,
)
from checkpoint_ld.stores.backend import software
from checkpoint_ld.stores.endpoint import PASSWORD, TOKEN, USER, Credentials, is_loopback, origin_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import httpx

    from checkpoint_ld.stores.request import Request

REPEATED = frozenset((408, 425, 429, 502, 503, 504))
"""Statuses that say: later, perhaps (RFC 9110 §15, RFC 6585 §4, RFC 8470 §5.2)."""
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds to wait before each repetition."""
LONGEST_PAUSE = 60.0
TIMEOUT = 30.0
"""Seconds that a server has for one answer."""
MOST_BYTES = 1 << 30
"""The size of the largest answer that is taken."""
_SHOWN = 300


@dataclass(frozen=True)
class Answer:
    """What a server answered: the status, the headers with their names in lower case, the body."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    @property
    def text(self) -> str:
        """The body as text, for messages."""
        return self.body.decode("utf-8", "replace")


class Connection:
    """Sends requests to one server, whose `origin` alone gets to know the credentials.

    `timeout` is the time in seconds that one answer may take, all of it. `wait` is how to wait, for tests.
    """

    def __init__(
        self,
        origin: str,
        credentials: Credentials | None = None,
        *,
        timeout: float = TIMEOUT,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.origin = origin
        self.credentials = credentials or Credentials()
        self._timeout = timeout
        self._wait = wait
        self._client: httpx.Client | None = None
        self._auth: httpx.Auth | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close what is open; the next request opens a new connection."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def send(self, request: Request) -> Answer:
        """Send a request and return the answer.

        Raises ServerUnreachableError where none comes, AuthFailedError and ServerRefusedError for what the server
        refuses, TruncatedResultError for an answer that broke off. What may pass by itself is tried six times.
        """
        for attempt in range(len(PAUSES) + 1):
            is_last, pause = attempt == len(PAUSES), None
            try:
                answer = self._exchange(request)
            except _BrokenOffError as broken:
                self.close()
                if is_last or not broken.may_pass:
                    where, reason = _shown(request), printable(self.credentials.hide(broken.reason))
                    if broken.begun:
                        message = f"{where}: the answer broke off: {reason}; nothing of it is used"
                        raise TruncatedResultError(message) from None
                    message = f"{where}: {reason}; is the server running at {self.origin}?"
                    raise ServerUnreachableError(message) from None
            else:
                if is_last or answer.status not in REPEATED:
                    return self._checked(request, answer)
                pause = _pause_of(answer.headers.get("retry-after"))
            # Chance keeps many clients from coming back at the same moment.
            self._wait(PAUSES[attempt] * random.uniform(0.75, 1.25) if pause is None else pause)  # noqa: S311 - no secret
        raise AssertionError  # the last attempt returns or raises

    def _exchange(self, request: Request) -> Answer:
        import httpx  # noqa: PLC0415 - only who speaks to a server waits for it

        headers = {**request.headers, "User-Agent": f"checkpoint-ld/{software()}"}
        is_known = origin_of(request.url) == self.origin
        if is_known and self.credentials.method == "bearer":
            headers["Authorization"] = f"Bearer {self.credentials.secret}"
        if request.body:
            headers["Content-Length"] = str(len(request.body))
        until = time.monotonic() + self._timeout
        begun = False
        try:
            client = self._opened()
            content = request if request.body else None
            auth = self._auth if is_known else None
            with client.stream(request.method, request.url, headers=headers, content=content, auth=auth) as response:
                begun = response.is_success
                body = bytearray()
                for part in response.iter_bytes():
                    body += part
                    if len(body) > MOST_BYTES:
                        raise StoreError(f"{_shown(request)}: the answer is larger than {MOST_BYTES >> 20} MiB")
                    if time.monotonic() > until:
                        raise httpx.ReadTimeout("")
                return Answer(response.status_code, {k.lower(): v for k, v in response.headers.items()}, bytes(body))
        except httpx.TimeoutException:
            raise _BrokenOffError(f"no answer within {self._timeout:g} s") from None
        except (httpx.RequestError, httpx.StreamError) as error:
            raise _BrokenOffError(str(error) or type(error).__name__, begun=begun, may_pass=_may_pass(error)) from None

    def _opened(self) -> httpx.Client:
        if self._client is None:
            import httpx  # noqa: PLC0415 - as above

            given = self.credentials
            if given.method == "basic":
                self._auth = httpx.BasicAuth(given.user, given.secret)
            elif given.method == "digest" and self._auth is None:  # it remembers the challenge of the server
                self._auth = httpx.DigestAuth(given.user, given.secret)
            host = httpx.URL(self.origin).host
            # No proxy has a part in what this machine says to itself. Redirects are never followed.
            is_local = is_loopback(host)
            # Without TLS no certificates are needed, and reading them takes 40 ms.
            is_plain = is_local and httpx.URL(self.origin).scheme == "http"
            verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if is_plain else True
            self._client = httpx.Client(
                timeout=self._timeout, trust_env=not is_local, follow_redirects=False, verify=verify
            )
        return self._client

    def _checked(self, request: Request, answer: Answer) -> Answer:
        if answer.status in request.accepted:
            return answer
        where = _shown(request)
        if 300 <= answer.status < 400:
            target = printable(self.credentials.hide(answer.headers.get("location", "nowhere")))
            message = (
                f"{where}: the server sends us to {target} instead; "
                "redirects are not followed: if you trust that place, give its URL"
            )
            raise ServerRefusedError(message, answer.status)
        lines = filter(None, map(str.strip, self.credentials.hide(answer.text).splitlines()))
        reason = printable(next(lines, "")[:_SHOWN])
        message = f"{where}: the server answers {answer.status}" + (f": {reason}" if reason else "")
        if answer.status == 401:
            raise AuthFailedError(f"{message}; {self._auth_remedy(answer)}", answer.status)
        if answer.status == 403:
            message += "; it does not let us do that: is it read-only, or are other credentials needed?"
        raise ServerRefusedError(message, answer.status)

    def _auth_remedy(self, answer: Answer) -> str:
        wanted = answer.headers.get("www-authenticate", "").partition(" ")[0].lower()
        if self.credentials.method == "none":
            return f"it wants to know who asks: set {TOKEN}, or {USER} and {PASSWORD}, or give a file or a netrc entry"
        if wanted.isalpha() and wanted != self.credentials.method:
            return f"it wants {wanted} authentication, not {self.credentials.method}: choose that by --auth {wanted}"
        return f"the credentials of {self.credentials.origin} are not accepted: check them"


class _BrokenOffError(Exception):
    """No answer, or only the beginning of one (`begun`); `may_pass` says whether to try again."""

    def __init__(self, reason: str, *, begun: bool = False, may_pass: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.begun = begun
        self.may_pass = may_pass


def _may_pass(error: BaseException | None) -> bool:
    """Tell whether an error may be gone the next time: a certificate does not become right by itself."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return False
        error = error.__cause__ or error.__context__
    return True


def _pause_of(value: str | None) -> float | None:
    """Return the seconds for which a server has us wait (RFC 9110 §10.2.3), at most a minute; None if it does not."""
    if not value:
        return None
    if value.isdigit():
        return min(float(value), LONGEST_PAUSE)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    seconds = (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.0), LONGEST_PAUSE)


def _shown(request: Request) -> str:
    return f"cannot {request.purpose} ({request.method} {request.url})"


def printable(text: str) -> str:
    """Return a text of a server without what a terminal would obey."""
    return "".join(one if one.isprintable() else " " for one in text)
