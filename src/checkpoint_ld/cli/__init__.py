"""The command line, the only package that prints or exits: `main` runs the command that the arguments name.

`app` lists the commands, `options` declares their options, and `streams` reads and writes for all of them. Each of the
other modules has one command, or several that belong together.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import gc
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["main"]

EXIT_FAILED = 2
"""The exit code of a failure."""
TRACEBACK = "CHECKPOINT_LD_TRACEBACK"
"""The environment variable that lets a traceback through."""
PROGRAM = "checkpoint-ld"
VARIABLE = "_CHECKPOINT_LD_COMPLETE"
"""The environment variable by which a shell's script requests completions; `completion` prints the scripts."""
_INTERRUPTED = 130
_TERMINATED = 143
_MANY = 200_000
"""The threshold of the garbage collector: nearly all objects of an import stay."""


def main() -> None:
    """Run the command that the arguments name."""
    _relax_garbage_collection()
    from checkpoint_ld.cli.streams import StandardOutputError, prepare
    from checkpoint_ld.errors import CheckpointLdError

    prepare()
    try:
        with _ending_in_order():
            code = _run()
    except BrokenPipeError:
        _forget_output()
        sys.exit(EXIT_FAILED)
    except KeyboardInterrupt as end:
        sys.exit(_TERMINATED if isinstance(end, _Terminated) else _INTERRUPTED)
    except (CheckpointLdError, StandardOutputError) as error:
        fail(_message(error))
    except Exception as error:  # a traceback helps developers only, who can switch it on
        if os.environ.get(TRACEBACK):
            raise
        if isinstance(error.__context__, _Terminated):  # what was under way is not there any more
            sys.exit(_TERMINATED)
        fail(_message(error))
    if code:
        sys.exit(code)


def _run() -> int:
    from click.exceptions import ClickException, Exit

    from checkpoint_ld.cli.app import app
    from checkpoint_ld.cli.streams import UNREADABLE

    if VARIABLE in os.environ:
        from click.shell_completion import shell_complete

        return shell_complete(app, {}, PROGRAM, VARIABLE, os.environ[VARIABLE])
    code = 0
    try:
        with app.make_context(PROGRAM, sys.argv[1:]) as context:
            try:
                app.invoke(context)
            except Exit as end:
                code = end.exit_code
            if context.meta.get(UNREADABLE):
                code = EXIT_FAILED
    except Exit as end:
        return end.exit_code
    except ClickException as error:
        error.show()
        return error.exit_code
    finally:
        sys.stdout.flush()
    return code


class _Terminated(KeyboardInterrupt):
    """The system asks the process to end; everything is cleaned up as after Ctrl-C."""


@contextlib.contextmanager
def _ending_in_order() -> Iterator[None]:
    """Clean up before SIGTERM, or the end of the terminal, ends the process; without this it ends at once."""

    def end(*_: object) -> None:
        raise _Terminated

    is_main = threading.current_thread() is threading.main_thread()
    names = ("SIGTERM", "SIGHUP") if is_main else ()
    signals = [getattr(signal, name) for name in names if hasattr(signal, name)]
    taken = [number for number in signals if signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


_NO_MEMORY = (
    "not enough memory{}: give the process more, or fewer and smaller files; convert and validate process a large file "
    "in parts with --jobs"
)


def _refusal(error: OSError) -> str:
    if error.filename is None and error.errno == errno.ENOENT:
        try:
            os.getcwd()  # noqa: PTH109 - only this call tells whether the folder is there
        except OSError:
            return "the folder that this runs in does not exist any more: change to another one"
    names = " and ".join(str(name) for name in (error.filename, error.filename2) if name is not None)
    reason = error.strerror or str(error) or type(error).__name__
    return f"{names}: the system refuses: {reason}" if names else f"the system refuses an operation: {reason}"


def _message(error: Exception) -> str:
    from checkpoint_ld.cli.streams import StandardOutputError
    from checkpoint_ld.errors import CheckpointLdError

    if isinstance(error, CheckpointLdError):
        return str(error)
    if isinstance(error, StandardOutputError):
        _forget_output()
        return f"standard output cannot be written: {error.strerror}; no more of it was written"
    if isinstance(error, OSError):
        return _refusal(error)
    if isinstance(error, MemoryError):
        return _NO_MEMORY.format(f" ({error})" if str(error) else "")
    return f"a fault of checkpoint-ld itself: {error!r}; please report it, with the output under {TRACEBACK}=1"


def fail(message: str) -> None:
    """Print an error on standard error, and exit."""
    from checkpoint_ld.cli.streams import note

    with contextlib.suppress(OSError):  # if that cannot be written, the exit code remains
        note(message)
    sys.exit(EXIT_FAILED)


def _forget_output() -> None:
    """Discard unflushed output, which would raise again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _relax_garbage_collection() -> None:
    """Collect garbage rarely while a command runs, and not at all when its process ends.

    Python collects twice before it ends, though the system frees all memory then. Together this saves a quarter of the
    time of `validate` for ten questions.
    """
    gc.set_threshold(_MANY, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)
