"""One use of a tool, as a `with` block that records how it went, whatever happens in it."""

from __future__ import annotations

import asyncio
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any, Self, TypeVar

from checkpoint_ld.documents.values import ABSENT
from checkpoint_ld.errors import WriteError
from checkpoint_ld.phrases import told_error
from checkpoint_ld.runtime.changes import new_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from checkpoint_ld.runtime.changes import Changes
    from checkpoint_ld.runtime.tool_state import ToolState

Done = TypeVar("Done")


class ToolUse:
    """A call that begins with its `with` block and ends with it, for `RuntimeState.tool`; of one use.

    Give `result` what the tool returned, if anything. The call is completed where the block ends, failed where it
    raises, and cancelled where it is given up: by what is no `Exception`, such as KeyboardInterrupt or the
    CancelledError of asyncio, and by the CancelledError of a future. Exceptions go on to the caller. A call that the
    block has ended itself, by `tool_state`, stays as it is.
    """

    def __init__(self, changes: Changes, calls: ToolState, tool_id: str, args: Mapping[str, Any]) -> None:
        self.id = new_id("call_")
        """The id of the call."""
        self.tool_id = tool_id
        self.args = args
        self.result: Any = ABSENT
        """What the tool returned; ABSENT as long as nobody says, which is not null."""
        self._changes = changes
        self._calls = calls

    def __enter__(self) -> Self:
        self.args = self._calls.start(self.tool_id, self.args, id=self.id).args or {}
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if not self._calls.get(self.id).is_in_flight:
            return
        if error is None:
            self._complete()
        elif isinstance(error, Exception) and not isinstance(error, CancelledError):
            self._calls.fail(self.id, told_error(error))
        else:
            self._calls.cancel(self.id)

    async def __aenter__(self) -> Self:
        try:
            return await self._in_thread(self.__enter__)
        except asyncio.CancelledError:  # no block will end the call
            await self._in_thread(lambda: self._calls.cancel(self.id))
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._in_thread(lambda: self.__exit__(kind, error, trace))

    def _complete(self) -> None:
        try:
            self._calls.complete(self.id, self.result)
        except WriteError as error:  # the result is no JSON; no call is left behind for that
            self._calls.fail(self.id, told_error(error))
            raise

    async def _in_thread(self, step: Callable[[], Done]) -> Done:
        """Take a step while others run, since it may write a checkpoint; it comes to its end even if this is cancelled.

        It is taken here where there is no loop of asyncio, and within `change()`, whose lock is this thread's.
        """
        if self._changes.is_mine or not _has_loop():
            return step()
        work = asyncio.ensure_future(asyncio.to_thread(step))
        cancelled: asyncio.CancelledError | None = None
        while not work.done():
            try:
                await asyncio.wait((work,))
            except asyncio.CancelledError as error:
                cancelled = error
        done = work.result()
        if cancelled is not None:
            raise cancelled
        return done


def _has_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
