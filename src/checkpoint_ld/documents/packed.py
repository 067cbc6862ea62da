"""Packed files: many similar JSON texts in one SQLite file beside them, each of their parts kept once, by content.

A text is cut at the elements of its inner arrays and objects, as the text form of agent checkpoints has them: a line
that begins with six or eight spaces begins a part. A text is kept as the numbers of its parts with what is between
them, compressed, so that a text that differs little from another one takes a few hundred bytes. It comes back byte for
byte, which its hash proves. Each call is one transaction, which is flushed to the disk.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import threading
import zlib
from contextlib import closing, contextmanager, suppress
from itertools import accumulate
from operator import sub
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self
from urllib.parse import quote

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

PACK: Final = "packed.db"
"""The name of the file with packed texts, in the folder of the others."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS parts (number INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, body ANY NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS texts (name TEXT PRIMARY KEY, about TEXT NOT NULL, hash BLOB NOT NULL, layout BLOB NOT NULL)
  STRICT, WITHOUT ROWID;
PRAGMA user_version = 1;
"""
_CUT = re.compile(rb"\n(?= {8}[^ \]}]| {2,6}[^ {])")
_CHAIN = re.compile(rb"\n(?= {6}\{\n)")
_CHAIN_ENDS = b"\n    ]"
_COMMA = b",\n"
DIGEST = 20
"""The bytes of hashes."""
_SHORT = 64
"""Parts below this many bytes are not worth a row."""
_LONG = 1 << 16
"""Parts above this many bytes take longer to compress than to look for."""
_REMEMBERED = 64 << 20
"""The most bytes of parts that are remembered with their numbers."""
_PATIENCE_S = 5.0


Piece = bytes | list[bytes]
"""A text, or texts with a comma and a line break between them."""


Layout = list[str | list[int]]
"""Pieces of a text with the numbers of parts in place of their texts."""


class PackedText(NamedTuple):
    """A text in pieces, with its name and a JSON value about it."""

    name: str
    pieces: Iterable[Piece]
    about: Any

    @classmethod
    def of(cls, name: str, text: bytes, about: Any) -> Self:
        """Return a text."""
        return cls(name, cut(text), about)


class PackedParts:
    """The table `parts` of a database: texts by their numbers, each once. With `packed` they are compressed.

    Numbers are remembered until another process deletes parts, which `application_id` counts.
    """

    def __init__(self, *, packed: bool) -> None:
        self.packed = packed
        self._numbers: dict[bytes, int] = {}
        self._hashes: dict[int, bytes] = {}
        self._size = 0
        self._cleared = 0

    def layout(self, driver: sqlite3.Connection, pieces: Iterable[Piece]) -> Layout:
        """Return pieces with the numbers of parts in place of their texts, in the transaction of `driver`."""
        cleared = driver.execute("PRAGMA application_id").fetchone()[0]
        if cleared != self._cleared or self._size > _REMEMBERED:
            self.forget()
            self._cleared = cleared
        return [piece.decode() if isinstance(piece, bytes) else self.numbers(driver, piece) for piece in pieces]

    def numbers(self, driver: sqlite3.Connection, bodies: Iterable[bytes]) -> list[int]:
        """Return the numbers of parts, which are added as far as they are new."""
        found: list[Any] = [*map(self._numbers.get, bodies := [*bodies])]
        new = -1
        for _ in range(found.count(None)):  # which are few, where a text is like the one before
            new = found.index(None, new + 1)
            found[new] = self._number(driver, bodies[new])
        return found

    def hash(self, layout: Layout) -> bytes:
        """Return the hash of a text, by the hashes of its parts, whose layout was made just now."""
        return _hash_of(layout, self._hashes)

    def forget(self) -> None:
        """Forget all numbers."""
        self._numbers, self._hashes, self._size = {}, {}, 0

    def _number(self, driver: sqlite3.Connection, body: bytes) -> int:
        hashed, row = digest(body), None
        if len(body) > _LONG:  # it is worth a look before it is compressed
            row = driver.execute(_KNOWN, [hashed]).fetchone()
        if row is None:
            stored: bytes | str = body.decode()
            if self.packed:
                packed = zlib.compress(body, 1)
                stored = b"z" + packed if len(packed) < len(body) else b"=" + body
            row = driver.execute(_NEW, [hashed, stored]).fetchone() or driver.execute(_KNOWN, [hashed]).fetchone()
        self._size += len(body)
        number = self._numbers[body] = int(row[0])
        self._hashes[number] = hashed
        return number


def clear_parts(driver: sqlite3.Connection, layouts: Iterable[Layout]) -> int:
    """Delete the parts that none of the layouts has, and return how many they were."""
    kept = {number for layout in layouts for piece in layout if isinstance(piece, list) for number in piece}
    gone = [[number] for (number,) in driver.execute("SELECT number FROM parts") if number not in kept]
    if gone:
        driver.executemany("DELETE FROM parts WHERE number = ?", gone)
        cleared = driver.execute("PRAGMA application_id").fetchone()[0]
        driver.execute(f"PRAGMA application_id = {cleared % 2**30 + 1:d}")
    return len(gone)


class Pack:
    """The packed texts in the folder at `folder`; nothing is made before the first `add`.

    All methods raise `sqlite3.Error` and OSError, `add` and `remove` leave everything as it was then. Any thread may
    use it.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / PACK
        self._guard = threading.RLock()
        self._opened: tuple[sqlite3.Connection, int, int] | None = None
        self._parts = PackedParts(packed=True)
        self._seen: tuple[int, int] | None = None
        self._abouts: dict[str, Any] = {}
        self._wants_room = False

    def add(self, texts: Iterable[PackedText], *, replace: bool = False) -> int:
        """Add texts, and return how many were new; those whose names are there stay unless `replace`."""
        added = 0
        with self._guard, self._transaction() as driver:
            for one in texts:
                known = driver.execute("SELECT 1 FROM texts WHERE name = ?", [one.name]).fetchone()
                if known is None or replace:
                    layout = self._parts.layout(driver, one.pieces)
                    row = [one.name, orjson.dumps(one.about).decode(), self._parts.hash(layout), _encoded(layout)]
                    driver.execute("INSERT OR REPLACE INTO texts VALUES (?, ?, ?, ?)", row)
                    added += known is None
        return added

    def text(self, name: str) -> bytes | None:
        """Return a text, None if there is none of that name. Raises ValueError for a damaged one."""
        with self._guard:
            driver = self._reader()
            row = None if driver is None else driver.execute(_TEXT, [name]).fetchone()
            if driver is None or row is None:
                return None
            layout = _decoded(row[1])
            bodies = _bodies(driver, layout)
        if _hash_of(layout, {number: digest(body) for number, body in bodies.items()}) != row[0]:
            raise ValueError(f"{self.path}: what it holds of {name} is damaged")
        joined = (
            piece.encode() if isinstance(piece, str) else _COMMA.join(map(bodies.__getitem__, piece))
            for piece in layout
        )
        return b"".join(joined)

    def abouts(self) -> Mapping[str, Any]:
        """Return the names of all texts, with the values about them."""
        with self._guard:
            driver = self._reader()
            if driver is None:
                return {}
            state = driver.execute("PRAGMA data_version").fetchone()[0], driver.total_changes
            if state != self._seen:
                rows = driver.execute("SELECT name, about FROM texts")
                before = self._abouts
                self._abouts = {name: before.get(name) or orjson.loads(about) for name, about in rows}
                self._seen = state
            return self._abouts

    def remove(self, names: Iterable[str]) -> bool:
        """Remove texts; return whether there were any. Their parts go when the pack is closed or cleared."""
        with self._guard:
            if self._reader() is None:
                return False
            with self._transaction() as driver:
                removed = driver.executemany("DELETE FROM texts WHERE name = ?", [[name] for name in names]).rowcount
            for name in names:
                self._abouts.pop(name, None)
            self._wants_room = self._wants_room or removed > 0
            return removed > 0

    def clear(self) -> None:
        """Delete the parts that no text has any more, and give their room back."""
        with self._guard:
            if self._reader() is None:
                return
            with self._transaction() as driver:
                layouts = (_decoded(row[0]) for row in driver.execute("SELECT layout FROM texts"))
                gone = clear_parts(driver, layouts)
            self._parts.forget()
            if gone:
                driver.execute("VACUUM")
            self._wants_room = False

    def close(self) -> None:
        """Close the file; what was removed is deleted before."""
        with self._guard:
            if self._wants_room:
                self.clear()
            if self._opened is not None and self._opened[1] == os.getpid():
                self._opened[0].close()
            self._opened = None

    def faults(self) -> list[str]:
        """Return what SQLite says about the file; nothing if it is whole."""
        with self._guard:
            driver = self._reader()
            rows = [] if driver is None else driver.execute("PRAGMA quick_check(5)").fetchall()
            return [str(row[0]) for row in rows if row[0] != "ok"]

    def _reader(self) -> sqlite3.Connection | None:
        """Return a connection, None if there is no file yet."""
        if self._opened is not None:
            driver, process, node = self._opened
            with suppress(FileNotFoundError):
                if process == os.getpid() and self.path.stat().st_ino == node:
                    return driver
            if process == os.getpid():
                driver.close()
            self._opened, self._seen = None, None
            self._parts.forget()
            self._abouts = {}
        return self._open() if self.path.exists() else None

    def _open(self) -> sqlite3.Connection:
        folder = self.path.parent
        is_read_only = self.path.exists() and not (os.access(self.path, os.W_OK) and os.access(folder, os.W_OK))
        mode = "rwc"
        if is_read_only:
            mode = "ro" if self.path.with_name(f"{PACK}-wal").exists() else "ro&immutable=1"
        address = f"file:{quote(str(self.path.absolute()))}?mode={mode}"
        driver = sqlite3.connect(address, uri=True, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False)
        try:
            if not is_read_only:
                driver.execute("PRAGMA synchronous = FULL")
                driver.execute("PRAGMA secure_delete = ON")
                driver.execute("PRAGMA wal_autocheckpoint = 256")
                driver.execute("PRAGMA journal_size_limit = 1048576")
                driver.executescript(f"PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
        except BaseException:
            driver.close()
            raise
        self._opened = driver, os.getpid(), self.path.stat().st_ino
        return driver

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        driver = self._reader() or self._open()
        driver.execute("BEGIN IMMEDIATE")
        try:
            yield driver
            driver.execute("COMMIT")
        except BaseException:
            self._parts.forget()  # some of them are not there
            if driver.in_transaction:
                driver.execute("ROLLBACK")
            raise


_NEW = "INSERT INTO parts (hash, body) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING RETURNING number"
_KNOWN = "SELECT number FROM parts WHERE hash = ?"
_BODIES = "SELECT number, body FROM parts WHERE number IN (SELECT value FROM json_each(?))"
_TEXT = "SELECT hash, layout FROM texts WHERE name = ?"


def is_in_pack(path: Path) -> bool:
    """Return whether a path is one of a packed text, such as `checkpoints/packed.db/ckpt_1.json`."""
    return path.parent.name == PACK and path.parent.is_file()


def text_in(path: Path) -> bytes | None:
    """Return the packed text at a path such as `checkpoints/packed.db/ckpt_1.json`; None for any other path.

    Raises OSError and ValueError for a file that cannot be read.
    """
    if not is_in_pack(path):
        return None
    with _as_os_errors(), closing(Pack(path.parent.parent)) as pack:
        return pack.text(path.name)


def names_in(folder: Path) -> list[str]:
    """Return the names of the packed texts of a folder. Raises OSError for a file that cannot be read."""
    with _as_os_errors(), closing(Pack(folder)) as pack:
        return sorted(pack.abouts())


@contextmanager
def _as_os_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise OSError(f"the packed texts cannot be read: {error}") from error


def digest(text: bytes) -> bytes:
    """Return the hash of a text or part."""
    return hashlib.sha256(text).digest()[:DIGEST]


def cut(text: bytes) -> Iterator[bytes | list[bytes]]:
    """Yield the parts of a text, several of which follow one another in a list, and what is between the lists."""
    ends = text.find(_CHAIN_ENDS)  # of the thoughts, whose members have the eight spaces of other elements
    between: list[bytes] = []
    parts: list[bytes] = []
    thoughts = _CHAIN.split(text[:ends]) if ends >= 0 else ()
    lines = [*thoughts, *_CUT.split(text[ends + 1 :])]
    for number, line in enumerate(lines, 1):
        piece = line + b"\n" * (number < len(lines))
        body = piece.rstrip(_COMMA)
        is_part = len(body) >= _SHORT and piece.startswith(b"      ")
        if is_part:
            if between:
                yield b"".join(between)
                between = []
            parts.append(body)
            tail = piece[len(body) :]
            if tail == _COMMA:
                continue
            yield parts
            parts, between = [], [tail]
        else:
            if parts:
                yield parts
                parts, between = [], [_COMMA]
            between.append(piece)
    if parts:
        yield parts
        between = [_COMMA]
    yield b"".join(between)


def _encoded(pieces: Layout) -> bytes:
    """Return a layout in few bytes: numbers as differences to the one before."""
    less = [piece if isinstance(piece, str) else [*map(sub, piece, [0, *piece])] for piece in pieces]
    return zlib.compress(orjson.dumps(less), 6)


def _decoded(layout: bytes) -> Layout:
    pieces = orjson.loads(zlib.decompress(layout))
    return [[*accumulate(piece)] if isinstance(piece, list) else piece for piece in pieces]


def _bodies(driver: sqlite3.Connection, layout: Layout) -> dict[int, bytes]:
    wanted = orjson.dumps([number for piece in layout if isinstance(piece, list) for number in piece]).decode()
    rows = driver.execute(_BODIES, [wanted])
    return {number: zlib.decompress(body[1:]) if body[:1] == b"z" else body[1:] for number, body in rows}


def _hash_of(layout: Layout, hashes: Mapping[int, bytes]) -> bytes:
    """Return the hash of what is between the parts of a text, and of the hashes of these."""
    try:
        return digest(
            b"\n".join(
                piece.encode() if isinstance(piece, str) else b"".join(map(hashes.__getitem__, piece))
                for piece in layout
            )
        )
    except KeyError as error:
        raise ValueError(f"part {error} of a packed text is missing") from None
