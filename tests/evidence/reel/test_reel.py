from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageDraw

from argusic.database.codec import dump
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.reel import agg, video
from argusic.evidence.reel.cast import write_cast
from argusic.evidence.reel.gif import GifWriter, read_gif
from argusic.evidence.reel.planning import plan
from argusic.evidence.reel.rendering import write_reel
from argusic.evidence.reel.typeface import drawable
from argusic.evidence.reel.verifying import VerifiedReel, read_list, verify_reel
from argusic.records.reel import EditList, ReelFile
from tests.evidence.reel.sessions import Recorded, recorded
from tests.site.fixture_database import Command


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return recorded(tmp_path_factory.mktemp("reel") / "referee")


@pytest.fixture(scope="module")
def made(run: Recorded, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a reel with a trim in it."""
    folder = tmp_path_factory.mktemp("made")
    source = run.source()
    write_reel(source, plan(source, length=12, speed=2.0, pause=60.0), folder, ("gif", "card"))
    return folder


@pytest.fixture
def reel(made: Path, tmp_path: Path) -> Path:
    """Return a copy of that, to be changed."""
    return Path(shutil.copytree(made, tmp_path / "reel"))


def of(folder: Path, ending: str) -> Path:
    (path,) = folder.glob(f"*{ending}")
    return path


def checked(run: Recorded, folder: Path) -> VerifiedReel:
    return verify_reel(run.database, read_list(of(folder, ".reel.yaml")), run.folder)


def said(run: Recorded, folder: Path) -> list[str]:
    return [str(finding) for finding in checked(run, folder).findings]


def relist(folder: Path, **fields: object) -> None:
    """Change an edit list so that it names the files as they are now."""
    path = of(folder, ".reel.yaml")
    edits = read_list(path).edits
    files = []
    for file in edits.files:
        found = fingerprint(folder / file.name)
        files.append(ReelFile(name=file.name, kind=file.kind, size=found.size, sha256=found.sha256))
    path.write_bytes(dump(EditList.model_validate({**edits.model_dump(), "files": files, **fields})))


def redraw(path: Path, number: int, place: tuple[int, int], text: str, lasts: int | None = None) -> None:
    """Write something into one picture of a GIF, as a forger would."""
    pictures = [(image, stays) for image, _, stays, _ in read_gif(path)]
    path.unlink()
    with GifWriter(path) as writer:
        for index, (image, stays) in enumerate(pictures):
            if index == number:
                ImageDraw.Draw(image).text(place, text, "#d7dae0")
                stays = stays if lasts is None else lasts
            writer.add(image, stays)


def moments(path: Path) -> Iterator[tuple[int, int]]:
    for _, starts, lasts, _ in read_gif(path):
        yield starts, lasts


def test_a_reel_is_as_long_as_its_list_says_and_its_pictures_follow_each_other(run: Recorded, made: Path) -> None:
    edits = read_list(of(made, ".reel.yaml")).edits
    times = list(moments(of(made, ".gif")))
    assert [trim.says for trim in edits.trims] == ["Command 3 left out: it succeeded, in 40 s"]
    assert sum(times[-1]) == pytest.approx(1000 * edits.reel_seconds + 2000, abs=20)
    assert all(lasts >= 100 for _, lasts in times)


def test_what_was_rendered_verifies_byte_for_byte(run: Recorded, made: Path) -> None:
    verified = checked(run, made)
    assert verified.findings == []
    assert verified.other_program is None
    assert verified.pictures == len(list(moments(of(made, ".gif"))))


def test_every_byte_of_output_is_in_the_edited_recording_in_order(run: Recorded, tmp_path: Path) -> None:
    import json

    source = run.source()
    write_cast(source, plan(source, length=12).times, tmp_path / "edited.cast")
    before = [json.loads(line) for line in source.recording.read_text().splitlines()[1:]]
    after = [json.loads(line) for line in (tmp_path / "edited.cast").read_text().splitlines()[1:]]
    assert "".join(data for _, _, data in after) == "".join(data for _, kind, data in before if kind == "o")
    assert [when for when, _, _ in after] == sorted(when for when, _, _ in after)


def test_the_bar_is_not_the_recordings_to_write_in(tmp_path: Path) -> None:
    clear = "\x1b[2J\x1b[999;1HAll is well\x1b[r\x1b[999B\r\nAll is well"
    run = recorded(tmp_path / "referee", [Command("false", clear, 1, 3.0)])
    source = run.source()
    write_reel(source, plan(source), tmp_path / "one", ("gif",))
    plainly = recorded(tmp_path / "other", [Command("false", "", 1, 3.0)]).source()
    write_reel(plainly, plan(plainly), tmp_path / "two", ("gif",))
    ends = []
    for folder in ("one", "two"):
        last = [image for image, _, _, _ in read_gif(of(tmp_path / folder, ".gif"))][-1]
        ends.append(last.crop((0, last.height - 72, last.width, last.height - 26)).tobytes())
    assert ends[0] == ends[1]


def test_one_letter_written_into_one_picture_is_named(run: Recorded, reel: Path) -> None:
    redraw(of(reel, ".gif"), 3, (300, 300), "0")
    relist(reel)
    (finding,) = said(run, reel)
    assert "picture 4, at " in finding
    assert finding.endswith("shows something else than the recording comes to")


def test_a_picture_that_stays_for_longer_is_named(run: Recorded, reel: Path) -> None:
    redraw(of(reel, ".gif"), 3, (0, 0), "", lasts=50)
    relist(reel)
    (finding,) = said(run, reel)
    assert "picture 4 comes at " in finding and " for 50 ms; by the list " in finding


def test_pictures_that_were_encoded_otherwise_are_still_the_same(run: Recorded, reel: Path) -> None:
    redraw(of(reel, ".gif"), 0, (0, 0), "")
    with of(reel, ".gif").open("r+b") as file:
        file.seek(10)
        file.write(b"\x71")  # another flag of the header, without meaning
    relist(reel)
    assert said(run, reel) == []


def test_a_failure_cut_out_of_the_pictures_is_named(run: Recorded, reel: Path) -> None:
    path = of(reel, ".gif")
    pictures = [(image, stays) for image, _, stays, _ in read_gif(path)]
    path.unlink()
    with GifWriter(path) as writer:
        for number, (image, stays) in enumerate(pictures):
            if number not in (4, 5, 6):
                writer.add(image, stays)
    relist(reel)
    (finding,) = said(run, reel)
    assert ".gif: picture " in finding


def test_a_file_that_is_another_than_listed_is_named_with_its_line(run: Recorded, reel: Path) -> None:
    with of(reel, ".gif").open("ab") as file:
        file.write(b"\x00")
    (finding,) = said(run, reel)
    assert "files[0].size: " in finding
    assert ".reel.yaml:" in finding


def test_files_beside_the_list_are_never_links(run: Recorded, reel: Path) -> None:
    path = of(reel, ".gif")
    path.rename(reel / "elsewhere")
    path.symlink_to(reel / "elsewhere")
    (finding,) = said(run, reel)
    assert "files[0]." in finding


def drawn(image: Image.Image, how: str) -> Image.Image:
    """Return a picture that says more than it did, in one of the ways that go unnoticed most easily."""
    mask = Image.new("L", image.size)
    ImageDraw.Draw(mask).text((40, 40), "EXIT STATUS 0", 255, font_size=40)
    match how:
        case "plain":
            return Image.composite(Image.new("RGB", image.size, "#d7dae0"), image, mask)
        case "faint":
            return ImageChops.add(image, Image.merge("RGB", [mask.point(lambda level: level * 23 // 255)] * 3))
        case _:
            dots = Image.new("L", image.size)
            for x in range(0, image.width, 4):
                for y in range(0, image.height, 4):
                    dots.putpixel((x, y), 255)
            return Image.composite(Image.new("RGB", image.size, "white"), image, ImageChops.multiply(mask, dots))


@pytest.mark.parametrize("how", ["plain", "faint", "dotted"])
def test_a_card_that_was_drawn_on_is_named(run: Recorded, reel: Path, how: str) -> None:
    path = of(reel, ".png")
    with Image.open(path) as image:
        card = drawn(image.convert("RGB"), how)
    card.save(path)
    relist(reel)
    assert any("it shows something else than the recording comes to" in line for line in said(run, reel))


@pytest.mark.parametrize("how", ["plain", "faint", "dotted"])
def test_a_picture_that_was_drawn_on_is_named(run: Recorded, reel: Path, how: str) -> None:
    path = of(reel, ".gif")
    pictures = [(image.copy(), stays) for image, _, stays, _ in read_gif(path)]
    path.unlink()
    with GifWriter(path) as writer:
        for index, (image, stays) in enumerate(pictures):
            writer.add(drawn(image.convert("RGB"), how) if index == 1 else image, stays)
    relist(reel)
    assert any("picture 2" in line and "shows something else" in line for line in said(run, reel))


@pytest.mark.parametrize("content", [b"no picture at all", b"GIF89a" + b"\xff\xff\xff\xff" + b"\x00" * 40])
def test_what_is_no_picture_is_named(run: Recorded, reel: Path, content: bytes) -> None:
    of(reel, ".gif").write_bytes(content)
    relist(reel)
    (finding,) = said(run, reel)
    assert ".gif: " in finding


def test_a_result_that_is_not_what_the_edits_come_to_is_named(run: Recorded, reel: Path) -> None:
    relist(reel, cast_sha256="0" * 64, reel_seconds=3.0)
    first, second = said(run, reel)
    assert "reel_seconds: these edits come to " in first
    assert "cast_sha256: these edits of the recording come to " in second


@pytest.mark.ffmpeg
def test_an_mp4_has_the_pictures_of_the_gif_and_a_forged_one_is_named(run: Recorded, tmp_path: Path) -> None:
    source = run.source()
    write_reel(source, plan(source, length=8), tmp_path / "reel", ("gif", "mp4"))
    gif, mp4 = of(tmp_path / "reel", ".gif"), of(tmp_path / "reel", ".mp4")
    assert video.moments(mp4) == [starts for starts, _ in moments(gif)]
    assert said(run, tmp_path / "reel") == []
    shutil.copy(gif, tmp_path / "forged.gif")
    redraw(tmp_path / "forged.gif", 2, (300, 300), "ALL TESTS PASSED")
    mp4.unlink()
    video.encode(tmp_path / "forged.gif", mp4)
    relist(tmp_path / "reel")
    (finding,) = said(run, tmp_path / "reel")
    assert ".mp4: picture 3, at " in finding


@pytest.mark.ffmpeg
def test_what_is_no_mp4_is_named(run: Recorded, tmp_path: Path) -> None:
    source = run.source()
    write_reel(source, plan(source, length=8), tmp_path, ("gif", "mp4"))
    of(tmp_path, ".mp4").write_bytes(b"#EXTM3U\n/etc/passwd\n")
    relist(tmp_path)
    (finding,) = said(run, tmp_path)
    assert ".mp4: ffprobe failed" in finding


def test_a_letter_that_the_typeface_lacks_is_a_box_of_its_width() -> None:
    assert drawable("✓ é → █ ok") == "✓ é → █ ok"
    assert drawable("🎉x日本") == "□ x□ □ "
    assert drawable("\x1b[1mbold\x1b[0m\u202e") == "\x1b[1mbold\x1b[0m"


def test_rendering_the_same_twice_gives_the_same_bytes(run: Recorded, tmp_path: Path) -> None:
    source = run.source()
    times = plan(source, length=8).times
    write_cast(source, times, tmp_path / "edited.cast")
    for name in ("one.gif", "two.gif"):
        agg.render(tmp_path / "edited.cast", tmp_path / name, times.length)
    assert fingerprint(tmp_path / "one.gif") == fingerprint(tmp_path / "two.gif")
