"""Calls go where the settings say, as people write it there."""

import httpx
import pytest

from gateway.llm.openai import completions_url


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
        ("http://localhost:11434/v1/", "http://localhost:11434/v1/chat/completions"),
        ("http://localhost:8080", "http://localhost:8080/chat/completions"),
        ("https://x.example/v1/chat/completions", "https://x.example/v1/chat/completions"),
        (
            "https://x.example/gpt?api-version=1",
            "https://x.example/gpt/chat/completions?api-version=1",
        ),
    ],
)
def test_calls_go_below_the_base_url(base: str, url: str) -> None:
    assert str(completions_url(httpx.URL(base))) == url
