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
import sys

__all__ = ["main"]

EXIT_FAILED = 2
"""The exit code of a failure."""
TRACEBACK = "CHECKPOINT_LD_TRACEBACK"
"""The environment variable that lets a traceback through."""
PROGRAM = "checkpoint-ld"
VARIABLE = "_CHECKPOINT_LD_COMPLETE"
"""The environment variable by which a shell's script requests completions; `completion` prints the scripts."""
_INTERRUPTED = 130
_MANY = 200_000
"""The threshold of the garbage collector: nearly all objects of an import stay."""


def main() -> None:
    """Run the command that the arguments name."""
    _relax_garbage_collection()
    from checkpoint_ld.cli.streams import prepare
    from checkpoint_ld.errors import CheckpointLdError

    prepare()
    try:
        code = _run()
    except CheckpointLdError as error:
        fail(str(error))
    except BrokenPipeError:
        _forget_output()
        sys.exit(EXIT_FAILED)
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except OSError as error:
        if os.environ.get(TRACEBACK):
            raise
        fail(_unavailable(error))
    except Exception as error:  # a traceback helps developers only, who can switch it on
        if os.environ.get(TRACEBACK):
            raise
        fail(_fault(error))
    if code:
        sys.exit(code)


def _run() -> int:
    from click.exceptions import ClickException, Exit

    from checkpoint_ld.cli.app import app

    if VARIABLE in os.environ:
        from click.shell_completion import shell_complete

        return shell_complete(app, {}, PROGRAM, VARIABLE, os.environ[VARIABLE])
    try:
        with app.make_context(PROGRAM, sys.argv[1:]) as context:
            app.invoke(context)
    except Exit as end:
        return end.exit_code
    except ClickException as error:
        error.show()
        return error.exit_code
    finally:
        sys.stdout.flush()
    return 0


def _unavailable(error: OSError) -> str:
    if error.filename is not None:
        return _fault(error)
    if error.errno == errno.ENOENT:  # without a file name, only the working directory can be missing
        return "the folder that this runs in does not exist any more: change to another one"
    _forget_output()
    return f"standard output cannot be written: {error.strerror or error}; no more of it was written"


def _fault(error: Exception) -> str:
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
