"""The exceptions of checkpoint-ld.

    CheckpointLdError
    ├── ReadError (ValueError)                a document cannot be read; carries the findings
    │   ├── JsonSyntaxError (json.JSONDecodeError)   a text is no JSON
    │   ├── SourceMissingError (FileNotFoundError)
    │   ├── ShapeError                        neither shape of an agent checkpoint, or a file of the other family
    │   └── UnsupportedVersion                an agent checkpoint of a version that cannot be read
    ├── WriteError (ValueError)               a checkpoint cannot be written as requested; nothing was written
    │   ├── TargetExistsError (FileExistsError)
    │   ├── TargetUnwritableError (OSError)   a missing folder, a full disk
    │   └── WrongTypeError (TypeError)
    ├── FindingsError (ValueError)            a validated document has findings that are too severe; carries them
    │   └── InvalidCheckpoint                 an agent checkpoint that breaks rules; carries the report
    ├── SettingsError (ValueError)            an invalid or unknown profile, rule, shape or setting
    │   ├── BadKeyError                       a key of a signature that cannot be used
    │   ├── BadSignatureError                 a text that is no signature
    │   ├── QueryError                        a query that is refused or invalid
    │   └── ShapesError                       a SHACL shapes graph that is ill-formed, or cannot be applied
    ├── LookupFailedError (KeyError, ValueError)   a missing question, trait or property
    ├── EvaluationError (RuntimeError)        a trait or an answer cannot be evaluated, or its result does not fit it
    │   ├── EvaluationValueError (ValueError)   a value that cannot be judged, a normaliser that does not exist
    │   ├── EvaluationTypeError (TypeError)   a value of a type that cannot be judged
    │   ├── NotVerifiableError (NotImplementedError)   there is no way to verify an answer or a value
    │   └── QueryFailedError                  a query could not be answered, or not in time
    └── StoreError                            an operation of a store failed
        ├── CheckpointNotFound (KeyError)     there is no agent checkpoint of that id
        ├── CheckpointExists (FileExistsError)   an agent checkpoint of that id has other content
        ├── IntegrityError                    stored content does not match its hash
        ├── DatabaseSyncError                 the file is written, the database could not follow; carries the path
        ├── GraphSyncError                    the file is written, the graph store could not follow; carries the path
        ├── StoreFull (OSError)               no room is left; nothing was changed
        ├── StoreBusyError (BlockingIOError)  another process writes to the store
        ├── ServerUnreachableError (ConnectionError)
        ├── ServerRefusedError                carries the HTTP status
        │   └── AuthFailedError (PermissionError)
        ├── TruncatedResultError              an incomplete answer, which is not used
        └── CountMismatchError                the number of triples in a store differs from the number sent

A fault of a readable document is no exception but a `Finding`. `FindingsWarning` (UserWarning) is for a benchmark that
has findings, `StoredCodeWarning` (UserWarning) for stored code that runs, `CheckpointWarning` (UserWarning) for an
automatic checkpoint that could not be saved, `ShapesWarning` (UserWarning) for shapes of which a part has no effect.
"""

from __future__ import annotations

import sys
import warnings
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType

    from checkpoint_ld.findings import Finding


class CheckpointLdError(Exception):
    """Every exception that checkpoint-ld raises on purpose derives from this one."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class _FoundError(CheckpointLdError, ValueError):
    """The findings are too severe to continue; `findings` has all of them, in order of place."""

    def __init__(self, message: str, findings: Iterable[Finding] = ()) -> None:
        super().__init__(message)
        self.findings = tuple(findings)

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> Self:
        """Build the error whose text lists `findings`, one per line."""
        given = tuple(findings)
        return cls("\n".join(str(finding) for finding in given), given)


class ReadError(_FoundError):
    """A document cannot be read as a checkpoint.

    `findings` has all of its faults, in order of place.
    """


class JsonSyntaxError(ReadError, JSONDecodeError):
    """A text is no JSON. `msg` is the reason, `lineno` and `colno` the place; `doc` is empty, as texts may be large."""

    def __init__(self, message: str, findings: Iterable[Finding] = ()) -> None:
        ValueError.__init__(self, message)
        self.findings = tuple(findings)
        place = self.findings[0].place if self.findings else None
        self.msg, self.doc, self.pos = message, "", 0
        self.lineno, self.colno = (place and place.line) or 1, (place and place.column) or 1

    __reduce__ = ValueError.__reduce__


class SourceMissingError(ReadError, FileNotFoundError):
    """The file to read does not exist, is a folder, or may not be opened."""


class ShapeError(ReadError):
    """A document is no agent checkpoint of either shape, is one of both, or is a benchmark; the keys seen are named."""


class UnsupportedVersion(ReadError):  # noqa: N818 - the name of a state, for the programmers of agents
    """An agent checkpoint states no version, a version newer than this package, or one that it cannot convert."""


class WriteError(CheckpointLdError, ValueError):
    """A checkpoint cannot be written as requested; the target is unchanged."""


class TargetExistsError(WriteError, FileExistsError):
    """The file to write exists, and overwriting was not requested."""


class TargetUnwritableError(WriteError, OSError):
    """The system refuses to write a file: the folder is missing, read only, or full."""

    @classmethod
    def of(cls, message: str, error: Exception) -> Self:
        """Build the error for a refusal of the system, whose number it has."""
        refused = cls(message)
        if isinstance(error, OSError):
            refused.errno, refused.strerror = error.errno, error.strerror
        return refused

    def __reduce__(self) -> tuple[Any, ...]:  # that of OSError keeps what was given to it, and not what was set
        return type(self), self.args, {**vars(self), "errno": self.errno, "strerror": self.strerror}


class WrongTypeError(WriteError, TypeError):
    """A value is of another type than the required one; nothing was changed."""


class FindingsError(_FoundError):
    """Validation has findings of at least the requested severity; `findings` has all of these."""


class InvalidCheckpoint(FindingsError):  # noqa: N818 - as for UnsupportedVersion
    """An agent checkpoint breaks rules, so that it is neither saved nor restored; `report` is the `Report` on it."""

    def __init__(self, message: str, findings: Iterable[Finding] = (), report: Any = None) -> None:
        super().__init__(message, findings)
        self.report = report


class SettingsError(CheckpointLdError, ValueError):
    """An unknown or invalid profile, rule, setting or shapes file; nothing was validated."""


class QueryError(SettingsError):
    """A query that is refused or invalid: an update, SERVICE, a graph that was not loaded, a missing parameter."""


class BadKeyError(SettingsError):
    """A key of a signature cannot be read, or is none of its kind."""


class BadSignatureError(SettingsError):
    """A text is no signature."""


class ShapesError(SettingsError):
    """A SHACL shapes graph is ill-formed (SHACL 1.0 §3.4.1), or has constraints that cannot be applied."""


class LookupFailedError(CheckpointLdError, KeyError, ValueError):
    """The benchmark has nothing of the given name or identifier."""


class EvaluationError(CheckpointLdError, RuntimeError):
    """A trait or a primitive cannot be evaluated on an answer, or has an invalid result."""


class EvaluationValueError(EvaluationError, ValueError):
    """A value cannot be judged: a text that is no number, a response that is not attached, an unknown normaliser."""


class EvaluationTypeError(EvaluationError, TypeError):
    """A value is of a type that cannot be judged: null that should be a number, an object that should be a list."""


class NotVerifiableError(EvaluationError, NotImplementedError):
    """There is no way to verify: answers without verified fields, a primitive that cannot compare values."""


class QueryFailedError(EvaluationError):
    """A query could not be answered: it took too long, or the engine failed."""


class StoreError(CheckpointLdError):
    """An operation of a store failed."""


class CheckpointNotFound(StoreError, KeyError):  # noqa: N818 - as for UnsupportedVersion
    """No agent checkpoint of that id is in the store; the message names similar ids."""


class CheckpointExists(StoreError, FileExistsError):  # noqa: N818 - as for UnsupportedVersion
    """An agent checkpoint of that id has other content; nothing was changed. Both hashes are in the message."""


class IntegrityError(StoreError):
    """Stored content does not match its stored hash."""


class _SyncError(StoreError):
    """A checkpoint's file is written, but a store that follows the files failed; `path` is that of the file."""

    def __init__(self, message: str, path: str | None = None) -> None:
        super().__init__(message)
        self.path = path


class DatabaseSyncError(_SyncError):
    """The database could not follow the files; `reindex` brings it up to date."""


class GraphSyncError(_SyncError):
    """The graph store could not follow the files; `reindex` brings it up to date."""


class StoreFull(StoreError, OSError):  # noqa: N818 - as for UnsupportedVersion
    """No room is left for a checkpoint; the store is unchanged."""


class StoreBusyError(StoreError, BlockingIOError):
    """Another process writes to a collection or a database; nothing was changed."""


class ServerUnreachableError(StoreError, ConnectionError):
    """A server does not answer, not in time, or closes the connection, after all repetitions."""


class ServerRefusedError(StoreError):
    """A server refuses a request; `status` is its HTTP status, 0 if there was none."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class AuthFailedError(ServerRefusedError, PermissionError):
    """A server requires credentials, or refuses the given ones."""


class TruncatedResultError(StoreError):
    """A server's answer is incomplete, or was cut at the server's limit; it must not be used."""


class CountMismatchError(StoreError):
    """A server holds another number of triples, or other values, than were sent.

    `graphs` names the graphs, `warnings` says what the store changes.
    """

    def __init__(self, message: str, graphs: tuple[str, ...] = (), warnings: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.graphs = graphs
        self.warnings = warnings


class FindingsWarning(UserWarning):
    """A benchmark was loaded and validated, and has findings, which are in its `findings`."""


class StoredCodeWarning(UserWarning):
    """Code that is stored in a checkpoint is run on request."""


class ShapesWarning(UserWarning):
    """A shapes graph has a term without effect, or a shape that is left out."""


class CheckpointWarning(UserWarning):
    """An automatic checkpoint could not be saved; the agent continues without it."""


_PASSED: Final = frozenset({__name__.partition(".")[0], "contextlib"})
"""The packages whose frames `warn` skips; `contextlib` calls the end of a `with` block."""


def warn(warning: UserWarning) -> None:
    """Issue a warning with the line of the caller outside of this package."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the only cheap way to the frames
    depth = 2
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _PASSED:
        frame, depth = frame.f_back, depth + 1
    warnings.warn(warning, stacklevel=depth)
