"""Packs: the same to the byte whoever makes them, readable by any unzip, and each file by its range."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.errors import CheckFailed
from argusic.evidence.stores.elsewhere import Here
from argusic.evidence.stores.pack import cut, packed_size, plan_packs, read_index, runs_of_bytes, write_pack
from tests.evidence.stores.places import digest

CONTENTS = st.lists(st.binary(max_size=400), max_size=20, unique=True)


def pack_of(contents: list[bytes]) -> bytes:
    made = io.BytesIO()
    write_pack({digest(one): (len(one), partial(io.BytesIO, one)) for one in contents}, made)
    return made.getvalue()


def part(pack: bytes, start: int, size: int) -> bytes:
    return pack[start : start + size]


@given(CONTENTS, st.randoms())
def test_the_same_files_make_the_same_pack_in_any_order(contents: list[bytes], random: Random) -> None:
    pack = pack_of(contents)
    random.shuffle(contents)
    assert pack_of(contents) == pack
    assert len(pack) == 22 + sum(packed_size(len(one)) for one in contents)


@given(CONTENTS)
def test_the_index_says_where_each_file_lies(contents: list[bytes]) -> None:
    pack = pack_of(contents)
    index = read_index(len(pack), partial(part, pack))
    assert {sha256: part(pack, *span) for sha256, span in index.items()} == {digest(one): one for one in contents}


@given(CONTENTS, st.data(), st.integers(0, 2000), st.integers(1, 300))
def test_any_choice_of_files_is_cut_out_of_few_streams(
    contents: list[bytes], data: st.DataObject, waste: int, piece: int
) -> None:
    pack = pack_of(contents)
    index = read_index(len(pack), partial(part, pack))
    chosen = data.draw(st.sets(st.sampled_from(sorted(index)))) if index else set()
    got = {}
    for group in runs_of_bytes({one: index[one] for one in chosen}, waste):
        start, last = group[0][1].start, group[-1][1]
        stream = part(pack, start, last.start + last.size - start)
        pieces = [stream[at : at + piece] for at in range(0, len(stream), piece)]
        for sha256, content in cut(pieces, start, group):
            got[sha256] = b"".join(content)
    assert got == {one: part(pack, *index[one]) for one in chosen}


@given(st.lists(st.integers(0, 5000), max_size=40), st.integers(300, 6000))
def test_packs_are_planned_within_the_limit_and_leave_nothing_out_that_fits(sizes: list[int], most: int) -> None:
    files = [Here(digest(str(number).encode()), size, Path("/nowhere")) for number, size in enumerate(sizes)]
    planned = list(plan_packs(files, most))
    assert all(22 + sum(packed_size(one.size) for one in members) <= most for members in planned)
    assert {one for members in planned for one in members} == {
        one for one in files if packed_size(one.size) + 22 <= most
    }
    assert sum(map(len, planned)) == len({one for members in planned for one in members})


@given(CONTENTS.filter(bool), st.data())
def test_a_damaged_index_is_refused_or_leads_nowhere_outside(contents: list[bytes], data: st.DataObject) -> None:
    pack = bytearray(pack_of(contents))
    for _ in range(data.draw(st.integers(1, 4))):
        pack[data.draw(st.integers(0, len(pack) - 1))] = data.draw(st.integers(0, 255))
    try:
        index = read_index(len(pack), partial(part, bytes(pack)))
    except CheckFailed:
        return
    assert all(span.start >= 0 and span.start + span.size <= len(pack) for span in index.values())


def test_a_pack_whose_names_are_no_text_is_none() -> None:
    pack = bytearray(pack_of([b"some"]))
    entry = pack.index(b"PK\x01\x02")
    pack[entry + 9] |= 0x08  # its names are UTF-8, it says
    pack[entry + 46] = 0x80
    with pytest.raises(CheckFailed, match="it is no pack of evidence"):
        read_index(len(pack), partial(part, bytes(pack)))


def test_a_compressed_pack_or_one_with_other_names_is_none() -> None:
    for name, method in ((digest(b"a" * 99), zipfile.ZIP_DEFLATED), ("../evil", zipfile.ZIP_STORED)):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", method) as pack:
            pack.writestr(name, b"a" * 99)
        with pytest.raises(CheckFailed, match="it is no pack of evidence"):
            read_index(len(made.getvalue()), partial(part, made.getvalue()))


def test_a_file_that_changes_while_it_is_packed_is_noticed() -> None:
    with pytest.raises(CheckFailed, match="has 3 bytes, not 4; it is not packed"):
        write_pack({digest(b"four"): (4, partial(io.BytesIO, b"thr"))}, io.BytesIO())


def test_anybody_can_take_a_pack_apart(tmp_path: Path) -> None:
    (tmp_path / "pack.zip").write_bytes(pack_of([b"one", b"", b"two" * 900]))
    subprocess.run([sys.executable, "-m", "zipfile", "-e", "pack.zip", "out"], cwd=tmp_path, check=True)
    assert {path.name: digest(path.read_bytes()) for path in (tmp_path / "out").iterdir()} == {
        digest(one): digest(one) for one in (b"one", b"", b"two" * 900)
    }
