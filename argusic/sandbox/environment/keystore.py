"""Writes Java's store of certificates the same each time: it holds when each one was entered, and in no fixed order.

Run by the Python of an image while that is built, so it needs the standard library alone. Its arguments are the store
and the time, in seconds since 1970, that every entry gets.
"""

from __future__ import annotations

import hashlib
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

_MAGIC = 0xFEEDFEED
#: A trusted certificate. A store of the system's authorities holds nothing else.
_TRUSTED = 2
#: What the digest at the end is salted with: the password that Java documents for this store, and a constant of the
#: format. Neither protects anything.
_SALT = "changeit".encode("utf-16-be") + b"Mighty Aphrodite"
_DIGEST_BYTES = 20


def rewritten(store: bytes, seconds: int) -> bytes:
    """Return a store with the same certificates, sorted by name, each entered at the given time.

    Raises:
        ValueError: It is no store of trusted certificates under the usual password.
    """
    content, digest = store[:-_DIGEST_BYTES], store[-_DIGEST_BYTES:]
    magic, version, count = struct.unpack_from(">III", content)
    if magic != _MAGIC or version != 2 or hashlib.sha1(_SALT + content).digest() != digest:
        raise ValueError("no Java key store of version 2 under the usual password")
    entries = sorted(_entries(content, count))
    time = struct.pack(">q", seconds * 1000)
    body = b"".join(
        struct.pack(">I", _TRUSTED) + name + time + certificate  # A name and a certificate carry their lengths.
        for name, certificate in entries
    )
    written = content[:12] + body
    return written + hashlib.sha1(_SALT + written).digest()


def _entries(content: bytes, count: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield the name and the certificate of each entry, as they are encoded."""
    at = 12
    for _ in range(count):
        (tag,) = struct.unpack_from(">I", content, at)
        if tag != _TRUSTED:
            raise ValueError("holds something else than trusted certificates")
        end = at + 4
        end += 2 + struct.unpack_from(">H", content, end)[0]
        name = content[at + 4 : end]
        start = end = end + 8
        end += 2 + struct.unpack_from(">H", content, end)[0]
        end += 4 + struct.unpack_from(">I", content, end)[0]
        yield name, content[start:end]
        at = end
    if at != len(content):
        raise ValueError("holds more than its entries")


if __name__ == "__main__":
    _file = Path(sys.argv[1])
    if _file.exists():
        _file.write_bytes(rewritten(_file.read_bytes(), int(sys.argv[2])))
