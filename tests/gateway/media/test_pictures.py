"""Pictures become small JPEGs, whatever was sent."""

from io import BytesIO

import pytest
from PIL import Image

from gateway.media.errors import NotSeen
from gateway.media.pictures import MAX_BYTES, MAX_EDGE_PIXELS, MAX_SOURCE_PIXELS, shrink
from tests.gateway.media.pictures import bomb, colour_of, drawn, noise, size_of


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
def test_every_common_kind_of_picture_becomes_a_jpeg(form: str) -> None:
    picture = shrink(BytesIO(drawn(form=form)))
    assert (picture.width, picture.height) == (40, 20)
    assert size_of(picture.jpeg) == (40, 20)


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
def test_a_large_picture_is_made_smaller_and_keeps_its_shape(form: str) -> None:
    picture = shrink(BytesIO(drawn(4_000, 2_000, form=form)))
    assert (picture.width, picture.height) == (4_000, 2_000)
    assert size_of(picture.jpeg) == (MAX_EDGE_PIXELS, MAX_EDGE_PIXELS // 2)


def test_no_picture_is_ever_large_in_bytes() -> None:
    picture = shrink(BytesIO(noise(1_600)))
    assert len(picture.jpeg) <= MAX_BYTES
    assert min(size_of(picture.jpeg)) > 300


def test_a_picture_is_turned_as_its_camera_noted_and_the_rest_of_that_stays_behind() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees
    exif[0x010E] = "taken at home"
    picture = shrink(BytesIO(drawn(form="JPEG", exif=exif)))
    assert size_of(picture.jpeg) == (20, 40)
    assert b"home" not in picture.jpeg


def test_what_is_transparent_is_shown_on_white() -> None:
    assert colour_of(shrink(BytesIO(drawn(mode="RGBA"))).jpeg) == (255, 255, 255)


def test_the_first_picture_of_one_that_moves_is_shown() -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("white", "black")]
    written = BytesIO()
    frames[0].save(written, "GIF", save_all=True, append_images=frames[1:])
    assert min(colour_of(shrink(BytesIO(written.getvalue())).jpeg)) > 250


def test_a_decompression_bomb_is_refused_before_it_is_decoded() -> None:
    edge = int(MAX_SOURCE_PIXELS**0.5) + 1
    for width, height in [(edge, edge), (60_000, 60_000), (MAX_SOURCE_PIXELS + 1, 1)]:
        sent = bomb(width, height)
        assert len(sent) < 200
        with pytest.raises(NotSeen, match="pixels"):
            shrink(BytesIO(sent))


def test_the_limit_that_others_rely_on_is_left_alone() -> None:
    assert Image.MAX_IMAGE_PIXELS is not None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0",
        bomb(100, 100),
        drawn(200, 200)[:-30],
        drawn(form="TIFF"),
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n",
    ],
)
def test_what_is_no_picture_or_a_broken_one_is_refused(content: bytes) -> None:
    with pytest.raises(NotSeen):
        shrink(BytesIO(content))
