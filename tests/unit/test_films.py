"""The parts of a film: its length, its size, its requirements."""

from pathlib import Path
from typing import Any, cast

import pytest
from PIL import Image

from ocd.api.errors import OcdError
from ocd.recording.film import encoder
from ocd.recording.film.camera import MAX_STILL_S, Camera, FilmClock, check_video_extra
from ocd.recording.film.drawing import CAPTION_HEIGHT, Canvas
from ocd.recording.film.encoder import FilmFile
from ocd.recording.film.picture import Box, Picture
from support.films import BLUE, RED, pictures, share_of


def jpeg_of(colour: tuple[int, int, int], folder: Path, size: tuple[int, int] = (65, 48)) -> bytes:
    path = folder / "page.jpeg"
    Image.new("RGB", size, colour).save(path)
    return path.read_bytes()


def test_long_still_periods_are_shortened() -> None:
    clock = FilmClock(100.0)
    assert clock.at(102.5) == 2.5
    assert clock.at(1000.0) == 2.5 + MAX_STILL_S
    assert clock.at(1001.0) == 3.5 + MAX_STILL_S


def test_without_the_extra_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ocd.recording.film.camera.find_spec", lambda _name: None)
    with pytest.raises(OcdError) as raised:
        check_video_extra()
    assert raised.value.code == "disabled"
    assert 'pip install "openchrome[video]"' in raised.value.hint


def test_the_last_picture_is_never_dropped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A tab of another size is scaled to fit; the canvas keeps its first size, in even numbers."""
    monkeypatch.setattr(encoder, "BURST_BYTES", 0)
    monkeypatch.setattr(encoder, "BYTES_PER_S", 0)
    first = Picture(0, jpeg_of(RED, tmp_path), 65.0)
    film = FilmFile(tmp_path / "film.webm", first)
    film.add(first)
    for at in range(1, 5):
        film.add(Picture(at * 100, jpeg_of(BLUE, tmp_path, (130, 96)), 130.0))
    film.close()
    shown = list(pictures(tmp_path / "film.webm"))
    assert [at for at, _ in shown] == [0.0, 0.4]
    assert shown[0][1].size == (64, 48 + CAPTION_HEIGHT)
    assert share_of(shown[0][1], RED) > 0.4
    assert share_of(shown[1][1], BLUE) > 0.4


def test_a_larger_picture_is_made_smaller_and_centred(tmp_path: Path) -> None:
    """All of it is in the film, between bars, with nothing cut off below."""
    canvas = Canvas(Picture(0, jpeg_of(RED, tmp_path, (200, 100)), 200.0))
    image = canvas.draw(Picture(1, jpeg_of(BLUE, tmp_path, (300, 300)), 300.0))
    assert image.size == (200, 100 + CAPTION_HEIGHT)
    rows = {y: [x for x in range(200) if _is_blue(image, x, y)] for y in (50, 101)}
    assert 90 <= len(rows[50]) <= 100
    assert abs(rows[50][0] + rows[50][-1] - 199) <= 2
    assert rows[101] == []


def _is_blue(image: Image.Image, x: int, y: int) -> bool:
    red, _, blue = image.convert("RGB").crop((x, y, x + 1, y + 1)).tobytes()
    return blue > 200 and red < 60


async def test_a_frame_from_before_a_password_field_moved_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may show the field where it was meanwhile; the next one is looked at instead."""
    here, there = (0.0, 0.0, 200.0, 40.0), (0.0, 80.0, 200.0, 40.0)
    places = iter([[], [here], [here], [there], [there], []])
    shown: list[Picture] = []

    async def boxes(_tab: object) -> list[Box]:
        return next(places)

    async def send(_camera: Camera, _process: object, picture: Picture) -> None:
        shown.append(picture)

    monkeypatch.setattr("ocd.recording.film.camera.password_boxes", boxes)
    monkeypatch.setattr(Camera, "_send", send)
    camera = Camera(tmp_path / "film.webm")
    for name in "abcdef":
        camera.take_frame(b"{}\n" + name.encode())
        await camera._take_picture(cast("Any", None), cast("Any", None))
    assert [(picture.jpeg, picture.covered) for picture in shown] == [
        (b"a", []), (b"c", [here, here]), (b"e", [there, there]), (b"f", [there]),
    ]  # fmt: skip
