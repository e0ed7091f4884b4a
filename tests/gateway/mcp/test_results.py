"""What a result becomes: text for the model, files for the workspace."""

from typing import Any

import mcp_types as types
import pytest

from gateway.mcp.results import MAX_FILES, Brought, File, brought


def result(*blocks: dict[str, Any], **more: Any) -> Brought:
    return brought(types.CallToolResult.model_validate({"content": list(blocks), **more}))


def test_texts_stand_one_below_the_other() -> None:
    assert result({"type": "text", "text": "a"}, {"type": "text", "text": "b"}).text == "a\n\nb"


def test_errors_stay_errors() -> None:
    assert result({"type": "text", "text": "no"}, isError=True).is_error


def test_structured_content_is_shown_where_there_is_no_other() -> None:
    assert result(structuredContent={"a": "ä"}).text == '{\n "a": "ä"\n}'
    assert result({"type": "text", "text": "a"}, structuredContent={"b": 1}).text == "a"


@pytest.mark.parametrize(
    ("block", "file"),
    [
        (
            {"type": "image", "data": "AQI=", "mimeType": "image/png"},
            File("file.png", "image/png", b"\1\2"),
        ),
        (
            {"type": "audio", "data": "AQI=", "mimeType": "audio/wav; x"},
            File("file.wav", "audio/wav", b"\1\2"),
        ),
        (
            {"type": "image", "data": "AQI=", "mimeType": "../../x\n"},
            File("file.bin", "../../x", b"\1\2"),
        ),
        (
            {"type": "resource", "resource": {"uri": "file:///a", "blob": "AQI="}},
            File("file.bin", "", b"\1\2"),
        ),
    ],
)
def test_what_is_no_text_is_a_file(block: dict[str, Any], file: File) -> None:
    assert result(block).files == (file,)


def test_resources_are_read_or_named() -> None:
    read = {"type": "resource", "resource": {"uri": "file:///a", "text": "inside"}}
    named = {"type": "resource_link", "uri": "file:///b", "name": "b"}
    assert result(read, named).text == "inside\n\n[a resource: file:///b]"


def test_a_broken_file_is_told() -> None:
    found = result({"type": "image", "data": "%%%", "mimeType": "image/png"})
    assert (found.text, found.files) == ("[a file that is broken]", ())


def test_there_are_only_so_many_files() -> None:
    picture = {"type": "image", "data": "AQI=", "mimeType": "image/png"}
    assert len(result(*[picture] * 50).files) == MAX_FILES
