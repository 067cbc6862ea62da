"""Identity of content: the fingerprint of a checkpoint's statements, and signatures over it.

The fingerprint is the SHA-256 of the asserted graph in canonical N-Quads (W3C RDF Dataset Canonicalization,
RDFC-1.0). It does not depend on the syntax, the form of JSON-LD, the context or the layout of a file; the context in
the residue of the root is left out. It can be computed from the output of `convert --to nq`.
"""

from __future__ import annotations

import base64
import io
import re
from typing import TYPE_CHECKING, Any

from checkpoint_ld import families
from checkpoint_ld.agents.schema import CAF_EXTENSION
from checkpoint_ld.data import library
from checkpoint_ld.errors import BadKeyError, BadSignatureError, ReadError
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.contexts import named
from checkpoint_ld.graph.residue import put_residue, residue_of
from checkpoint_ld.workers.canonical import canonical_hash

if TYPE_CHECKING:
    import os
    from typing import BinaryIO

    Source = str | os.PathLike[str] | BinaryIO | bytes

EXTRA = "signing"
_AGENTS_CONTEXT = named(CAF_EXTENSION + "%40context")
_LENGTH = 64
"""Bytes of an Ed25519 signature (RFC 8032 §5.1.6)."""


def fingerprint(source: Source, *, syntax: str | None = None) -> str:
    """Return the fingerprint of a checkpoint of either family: 64 hexadecimal digits.

    `source` is a path, an open binary file or bytes. Two sources have the same fingerprint if and only if they assert
    the same statements. Raises ReadError for what cannot be read, SourceMissingError where there is no such file.
    """
    graph = families.graph_of(families.read(source, syntax=syntax), prov=False)
    # The context of a benchmark is in its residue, that of an agent checkpoint in a statement.
    left = residue_of(graph.index, graph.root)
    if isinstance(graph, CheckpointGraph) and "@context" in left.members:
        put_residue(graph.index, graph.root, left.without("@context"))
    graph.index.get(graph.root, {}).pop(_AGENTS_CONTEXT, None)
    return canonical_hash(emission.ntriples_of(graph))


def sign(source: Source, key: bytes, *, password: bytes | None = None, syntax: str | None = None) -> str:
    """Return a detached signature of a checkpoint's fingerprint: Ed25519 (RFC 8032) in Base64, one line.

    `key` is a private key in PEM (RFC 8410), `password` the password that encrypts it. The signature is over the digits
    of the fingerprint in ASCII. Raises BadKeyError for a key that cannot be used, SettingsError where the extra
    `signing` is not installed, ReadError as `fingerprint`.
    """
    ed25519, serialization = _cryptography()
    held = _loaded(lambda: serialization.load_pem_private_key(key, password), "private")
    if not isinstance(held, ed25519.Ed25519PrivateKey):
        raise BadKeyError("the key is no Ed25519 key: make one with openssl genpkey -algorithm ed25519")
    signature: bytes = held.sign(fingerprint(source, syntax=syntax).encode())
    return base64.b64encode(signature).decode() + "\n"


def verify_signature(source: Source, signature: str | bytes, key: bytes, *, syntax: str | None = None) -> bool:
    """Return whether a signature of `sign` fits this checkpoint and a key.

    `key` is the public key in PEM. Raises BadKeyError or BadSignatureError for an invalid one, SettingsError where the
    extra `signing` is not installed, ReadError as `fingerprint`.
    """
    ed25519, serialization = _cryptography()
    held = _loaded(lambda: serialization.load_pem_public_key(key), "public")
    if not isinstance(held, ed25519.Ed25519PublicKey):
        raise BadKeyError("the key is no Ed25519 key: give the public key of the one that signed, in PEM")
    try:
        content = base64.b64decode(signature.strip(), validate=True)
    except ValueError as error:
        raise BadSignatureError("this is no signature: it is no Base64; give what sign wrote") from error
    if len(content) != _LENGTH:
        raise BadSignatureError(f"this is no signature: {len(content)} bytes are not {_LENGTH}; give what sign wrote")
    try:
        held.verify(content, fingerprint(source, syntax=syntax).encode())
    except library("cryptography.exceptions", EXTRA).InvalidSignature:
        return False
    return True


def _cryptography() -> tuple[Any, Any]:
    library("cryptography", EXTRA)
    package = "cryptography.hazmat.primitives"
    return library(f"{package}.asymmetric.ed25519", EXTRA), library(f"{package}.serialization", EXTRA)


_REMEDIES = {
    "private": "give one in PEM, and a password (password=, or CHECKPOINT_LD_KEY_PASSWORD) only if it is encrypted",
    "public": "give the public one in PEM, such as openssl pkey -pubout writes",
}


def _loaded(load: Any, kind: str) -> Any:
    try:
        return load()
    except (ValueError, TypeError) as error:  # no PEM, another kind of key, a password that is wrong or missing
        raise BadKeyError(f"the {kind} key cannot be read: {_REMEDIES[kind]}") from error


_ESCAPED = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r"})
_UNESCAPED = {escaped: chr(code) for code, escaped in _ESCAPED.items()}


def sum_line(digits: str, file: str) -> str:
    """Return a line of a list, as sha256sum has it: a backslash before the digits says that the name is escaped."""
    escaped = file.translate(_ESCAPED)
    return f"{digits}  {file}\n" if escaped == file else f"\\{digits}  {escaped}\n"


def read_sums(text: str, name: str) -> list[tuple[str, str]]:
    """Return the fingerprints and files of a list of lines of `sum_line`.

    Raises ReadError for an empty list, and with the first line that has another form.
    """
    sums = []
    for number, line in enumerate(io.StringIO(text, newline="\n"), 1):  # other line breaks stand in names
        digits, _, file = line.rstrip("\r\n").partition("  ")
        if digits.startswith("\\"):
            digits, file = digits[1:], re.sub(r"\\[\\nr]", lambda found: _UNESCAPED[found[0]], file)
        if len(digits) != _LENGTH or not set(digits.lower()) <= set("0123456789abcdef") or not file:
            raise ReadError(f"{name}:{number}:1: this is no line of fingerprints; write 64 digits, two spaces, a file")
        sums.append((digits.lower(), file))
    if not sums:
        raise ReadError(f"{name}: the list is empty; give one that fingerprint printed")
    return sums
