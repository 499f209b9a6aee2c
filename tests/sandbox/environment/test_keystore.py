"""Java's store of certificates: the same certificates, always in the same bytes."""

from __future__ import annotations

import hashlib
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from argusic.sandbox.environment import keystore
from argusic.sandbox.environment.keystore import rewritten


def store(*entries: tuple[str, int, bytes]) -> bytes:
    """Return a store with entries of a name, a time in ms and a certificate."""
    body = struct.pack(">III", 0xFEEDFEED, 2, len(entries))
    for name, time, certificate in entries:
        body += struct.pack(">IH", 2, len(name)) + name.encode() + struct.pack(">q", time)
        body += struct.pack(">H", 5) + b"X.509" + struct.pack(">I", len(certificate)) + certificate
    return body + hashlib.sha1("changeit".encode("utf-16-be") + b"Mighty Aphrodite" + body).digest()


def test_time_and_order_of_entering_leave_no_trace() -> None:
    one = rewritten(store(("b", 17, b"second"), ("a", 4, b"first")), 1_000)
    assert one == rewritten(store(("a", 99, b"first"), ("b", 98, b"second")), 1_000)
    assert one == store(("a", 1_000_000, b"first"), ("b", 1_000_000, b"second"))


@pytest.mark.parametrize(
    "broken",
    [b"x" * 40, store(("a", 4, b"first"))[:-1] + b"?", store(("a", 4, b"first")).replace(b"first", b"other")],
    ids=["no store", "another digest", "another certificate"],
)
def test_what_is_no_store_is_refused(broken: bytes) -> None:
    with pytest.raises(ValueError, match="no Java key store"):
        rewritten(broken, 1_000)


def test_an_image_without_java_has_nothing_to_write(tmp_path: Path) -> None:
    program, missing = Path(keystore.__file__), tmp_path / "cacerts"
    subprocess.run([sys.executable, "-I", "-B", "-", missing, "1"], input=program.read_bytes(), check=True)
    assert not missing.exists()


@pytest.mark.skipif(shutil.which("keytool") is None, reason="Java's keytool is not here")
def test_java_reads_what_was_written(tmp_path: Path) -> None:
    made = tmp_path / "made"
    generate: list[str | Path] = [
        "keytool",
        "-genkeypair",
        "-alias",
        "own",
        "-keyalg",
        "EC",
        "-dname",
        "CN=own",
        "-storepass",
        "changeit",
    ]
    subprocess.run([*generate, "-keystore", tmp_path / "keys", "-validity", "2"], check=True, capture_output=True)
    words: tuple[str, ...] = ("-alias", "own", "-storepass", "changeit")
    certificate = subprocess.run(
        ["keytool", "-exportcert", *words, "-keystore", tmp_path / "keys"], check=True, capture_output=True
    ).stdout
    enter: list[str | Path] = ["keytool", "-importcert", "-noprompt", *words, "-storetype", "JKS", "-keystore", made]
    subprocess.run(enter, input=certificate, check=True, capture_output=True)
    made.write_bytes(rewritten(made.read_bytes(), 1_795_996_800))
    listed = subprocess.run(
        ["keytool", "-list", "-storepass", "changeit", "-keystore", made], check=True, capture_output=True, text=True
    ).stdout
    assert "2026, trustedCertEntry" in listed
