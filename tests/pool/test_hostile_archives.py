"""Published archives that a stranger made to stop whoever reads them: each ends in one sentence, soon."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from argusic.pool import archives
from argusic.pool.archives import ArchiveUnusable, described, members
from argusic.pool.images.layers import Room, content_of
from argusic.pool.images.manifests import ImageUnusable


def head(name: str, kind: bytes, size: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT)


def long_description(path: Path) -> None:
    """What describes the first file is 6 GB long."""
    with gzip.open(path, "wb", compresslevel=1) as out:
        out.write(head("long", tarfile.XHDTYPE, 6 << 30))
        out.write(bytes(4 << 20))


def nested_names(path: Path) -> None:
    with gzip.open(path, "wb", compresslevel=1) as out:
        out.write((head("././@LongLink", tarfile.GNUTYPE_LONGNAME, 4) + b"abc".ljust(512, b"\0")) * 900)
        out.write(bytes(1024))


def holes(path: Path) -> None:
    """A file of a terabyte that has nothing in it."""
    block = bytearray(head("a-1/big", tarfile.GNUTYPE_SPARSE, 0))
    block[483:495] = b"%011o\0" % (8**11 - 1)
    block[148:156] = b"%06o\0 " % (sum(block[:148]) + 8 * 32 + sum(block[156:]))
    path.write_bytes(bytes(block) + bytes(1024))


def damaged_tar(path: Path) -> None:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as out:
        info = tarfile.TarInfo("a-1/PKG-INFO")
        info.size = 300_000
        out.addfile(info, io.BytesIO(os.urandom(info.size)))
    packed = bytearray(lzma.compress(plain.getvalue()))
    packed[len(packed) // 2] ^= 0xFF
    path.write_bytes(packed)


@pytest.mark.parametrize("make", [long_description, nested_names, holes, damaged_tar])
def test_a_hostile_tar(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "a-1.tar"
    make(path)
    with pytest.raises(ArchiveUnusable):
        for member in members(path):
            member.content.read()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_a_damaged_wheel(tmp_path: Path, method: int) -> None:
    path = tmp_path / "a-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", method) as out:
        out.writestr("a-1.dist-info/METADATA", os.urandom(2_000).hex())
    whole = bytearray(path.read_bytes())
    whole[500] ^= 0xFF
    path.write_bytes(whole)
    with pytest.raises(ArchiveUnusable, match=r"a-1-py3-none-any\.whl cannot be read"):
        described(path)


def test_an_archive_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_UNPACKED", 1_000_000)
    for path in (tmp_path / "a.tar.gz", tmp_path / "a.zip"):
        if path.suffix == ".zip":
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
                for number in range(3):
                    packed.writestr(f"a-1/{number}", bytes(400_000))
        else:
            with tarfile.open(path, "w:gz") as out:
                for number in range(3):
                    info = tarfile.TarInfo(f"a-1/{number}")
                    info.size = 400_000
                    out.addfile(info, io.BytesIO(bytes(info.size)))
        with pytest.raises(ArchiveUnusable, match="unpacks to more than"):
            list(members(path))


def test_halves_of_characters_are_not_passed_on(tmp_path: Path) -> None:
    path = tmp_path / "a-1.0.0.tgz"
    manifest = json.dumps({"name": "a", "version": "1.0.0", "description": "a \ud800 b"}).encode()
    with tarfile.open(path, "w:gz") as out:
        info = tarfile.TarInfo("package/package.json")
        info.size = len(manifest)
        out.addfile(info, io.BytesIO(manifest))
    assert described(path).summary == "a ? b"


def test_a_layer_of_nested_names(tmp_path: Path) -> None:
    nested_names(tmp_path / "layer")
    with pytest.raises(ImageUnusable, match="cannot be read"):
        content_of(tmp_path / "layer", packed=True, room=Room())
