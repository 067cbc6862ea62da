"""The exceptions of checkpoint-ld.

    CheckpointLdError
    ├── ReadError (ValueError)                a document cannot be read; carries the findings that say why
    │   ├── JsonSyntaxError (json.JSONDecodeError)   a text is no JSON
    │   ├── SourceMissingError (FileNotFoundError)
    │   ├── ShapeError                        neither shape of an agent checkpoint, or a file of the other family
    │   └── UnsupportedVersion                an agent checkpoint of a version that cannot be read
    ├── WriteError (ValueError)               a checkpoint cannot be written as asked; nothing was written
    │   ├── TargetExistsError (FileExistsError)
    │   ├── TargetUnwritableError (OSError)   a folder that is not there, a disk that is full
    │   └── WrongTypeError (TypeError)
    ├── FindingsError (ValueError)            a validated document has findings that weigh too much; carries them
    │   └── InvalidCheckpoint                 an agent checkpoint that breaks rules; carries the report
    ├── SettingsError (ValueError)            what was asked for makes no sense: a profile, a rule, a shape, a setting
    │   ├── QueryError                        a query that is refused, or is none
    │   └── ShapesError                       a SHACL shapes graph that is ill-formed, or cannot be applied
    ├── LookupFailedError (KeyError, ValueError)   a question, trait or property that is not there
    ├── EvaluationError (RuntimeError)        a trait or an answer cannot be evaluated, or its result does not fit it
    │   ├── EvaluationValueError (ValueError)   a value that cannot be judged, a normaliser that does not exist
    │   ├── EvaluationTypeError (TypeError)   a value of a type that cannot be judged
    │   ├── NotVerifiableError (NotImplementedError)   nothing says how an answer or a value is verified
    │   └── QueryFailedError                  a query could not be answered, or not in time
    └── StoreError                            a store did not do what was asked of it
        ├── CheckpointNotFound (KeyError)     no agent checkpoint of that id is there
        ├── CheckpointExists (FileExistsError)   the id is taken by an agent checkpoint with other content
        ├── IntegrityError                    what is stored does not fit its hash
        ├── DatabaseSyncError                 the file is written, the database could not follow; carries the path
        ├── GraphSyncError                    the file is written, the graph store could not follow; carries the path
        ├── StoreFull (OSError)               no room is left; nothing was changed
        ├── StoreBusyError (BlockingIOError)  another process writes to the store
        ├── ServerUnreachableError (ConnectionError)
        ├── ServerRefusedError                carries the HTTP status
        │   └── AuthFailedError (PermissionError)
        ├── TruncatedResultError              an answer that was cut; nothing of it is used
        └── CountMismatchError                another number of triples is there than was sent

What a document says wrongly but readably is no exception: it is a `Finding`. `FindingsWarning` (UserWarning) says that
a benchmark that was asked to be validated has some, `StoredCodeWarning` (UserWarning) that stored code runs,
`CheckpointWarning` (UserWarning) that a checkpoint which an agent makes by itself could not be saved.
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
    """What was found weighs too much to go on; `findings` holds all of it, in order of place."""

    def __init__(self, message: str, findings: Iterable[Finding] = ()) -> None:
        super().__init__(message)
        self.findings = tuple(findings)

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> Self:
        """Build the error whose text lists `findings`, one to a line."""
        found = tuple(findings)
        return cls("\n".join(str(finding) for finding in found), found)


class ReadError(_FoundError):
    """A document cannot be read as a checkpoint.

    `findings` holds everything that is wrong with it, in order of place, not only the first fault.
    """


class JsonSyntaxError(ReadError, JSONDecodeError):
    """A text is no JSON. `msg`, `lineno` and `colno` say why and where; `doc` is empty, as the text may be large."""

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


class UnsupportedVersion(ReadError):  # noqa: N818 - what an agent's programmer reads is the state, not the suffix
    """An agent checkpoint states no version, one that is newer than this package, or one that it has no way from."""


class WriteError(CheckpointLdError, ValueError):
    """A checkpoint cannot be written as asked; the target is as it was."""


class TargetExistsError(WriteError, FileExistsError):
    """The file to write exists already and overwriting was not asked for."""


class TargetUnwritableError(WriteError, OSError):
    """The system refuses to write a file: the folder is not there, may not be written to, or has no room."""


class WrongTypeError(WriteError, TypeError):
    """A value is of another type than the one that is asked for; nothing was changed."""


class FindingsError(_FoundError):
    """Validation found something that weighs at least as much as was asked for; `findings` holds all of that."""


class InvalidCheckpoint(FindingsError):  # noqa: N818 - as for UnsupportedVersion
    """An agent checkpoint breaks rules, so that it is neither saved nor restored; `report` is the `Report` on it."""

    def __init__(self, message: str, findings: Iterable[Finding] = (), report: Any = None) -> None:
        super().__init__(message, findings)
        self.report = report


class SettingsError(CheckpointLdError, ValueError):
    """A profile, rule or setting that does not exist, or a shapes file that is none; nothing was validated."""


class QueryError(SettingsError):
    """A query that is refused or is none: an update, SERVICE, a graph that was not loaded, a missing parameter."""


class ShapesError(SettingsError):
    """A SHACL shapes graph is ill-formed (SHACL 1.0 §3.4.1), or holds what cannot be applied."""


class LookupFailedError(CheckpointLdError, KeyError, ValueError):
    """What was asked for by name or identifier is not in the benchmark."""


class EvaluationError(CheckpointLdError, RuntimeError):
    """A trait or a primitive cannot be evaluated on an answer, or what came out is no result of it."""


class EvaluationValueError(EvaluationError, ValueError):
    """A value cannot be judged: a text that is no number, a response that is not attached, an unknown normaliser."""


class EvaluationTypeError(EvaluationError, TypeError):
    """A value is of a type that cannot be judged: null that should be a number, an object that should be a list."""


class NotVerifiableError(EvaluationError, NotImplementedError):
    """Nothing says how to verify: answers without verified fields, a primitive that cannot compare values."""


class QueryFailedError(EvaluationError):
    """A query could not be answered: the time was over, or the engine failed."""


class StoreError(CheckpointLdError):
    """A store did not do what was asked of it."""


class CheckpointNotFound(StoreError, KeyError):  # noqa: N818 - as for UnsupportedVersion
    """No agent checkpoint of that id is in the store; the message names ids that are near."""


class CheckpointExists(StoreError, FileExistsError):  # noqa: N818 - as for UnsupportedVersion
    """The id belongs to an agent checkpoint with other content; nothing was changed. Both hashes are in the message."""


class IntegrityError(StoreError):
    """What is stored does not fit the hash that was stored with it, so that it is not what was saved."""


class _SyncError(StoreError):
    """A checkpoint's file is written, but a store that follows the files could not; `path` is that of the file."""

    def __init__(self, message: str, path: str | None = None) -> None:
        super().__init__(message)
        self.path = path


class DatabaseSyncError(_SyncError):
    """The database could not follow the files; `reindex` brings it up to date."""


class GraphSyncError(_SyncError):
    """The graph store could not follow the files; `reindex` brings it up to date."""


class StoreFull(StoreError, OSError):  # noqa: N818 - as for UnsupportedVersion
    """No room is left where a checkpoint was to be written; what was there before is as it was."""


class StoreBusyError(StoreError, BlockingIOError):
    """Another process writes to a collection or a database; nothing was changed."""


class ServerUnreachableError(StoreError, ConnectionError):
    """A server does not answer, not in time, or closes the connection, however often it is asked."""


class ServerRefusedError(StoreError):
    """A server answers that it does not do what was asked; `status` is its HTTP status, 0 where there was none."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class AuthFailedError(ServerRefusedError, PermissionError):
    """A server wants other credentials than those given, or some at all."""


class TruncatedResultError(StoreError):
    """A server's answer ends before its end, or was cut at the server's limit; nothing of it may be used."""


class CountMismatchError(StoreError):
    """A server holds another number of triples, or other values, than were sent; `graphs` names the graphs."""

    def __init__(self, message: str, graphs: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.graphs = graphs


class FindingsWarning(UserWarning):
    """A benchmark was loaded and validated, and has findings: they are in its `findings`."""


class StoredCodeWarning(UserWarning):
    """Code that is stored in a checkpoint is run, as it was asked for."""


class CheckpointWarning(UserWarning):
    """A checkpoint that is made by itself could not be saved; the agent goes on without it."""


_PASSED: Final = frozenset({__name__.partition(".")[0], "contextlib"})
"""The packages whose lines no warning points at; `contextlib` stands between a `with` block and its end."""


def warn(warning: UserWarning) -> None:
    """Give a warning that points at the line outside of this package from which it was reached."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the only cheap way to the frames
    depth = 2
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _PASSED:
        frame, depth = frame.f_back, depth + 1
    warnings.warn(warning, stacklevel=depth)
