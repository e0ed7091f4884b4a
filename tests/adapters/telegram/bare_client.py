"""The Bot API asked without the client, to see the fake's own answers."""

from typing import Any

import httpx

from tests.fakes.telegram import FakeTelegram

Call = dict[str, Any]


class Client:
    """Calls methods with JSON bodies and returns the envelope."""

    def __init__(self, fake: FakeTelegram, http: httpx.AsyncClient) -> None:
        self._fake = fake
        self._http = http

    async def call(self, method: str, token: str | None = None, **arguments: Any) -> Call:
        """The whole answer."""
        url = f"{self._fake.base_url}{token or self._fake.token}/{method}"
        envelope: Call = (await self._http.post(url, json=arguments, timeout=10)).json()
        return envelope

    async def refusal(self, method: str, **arguments: Any) -> str:
        """The description of an error."""
        answer = await self.call(method, **arguments)
        assert answer["ok"] is False
        return str(answer["description"])

    async def upload(self, method: str, name: str, content: bytes, **arguments: Any) -> Call:
        """The same with a file, as a form."""
        return await self.upload_all(method, {name: content}, **arguments)

    async def upload_all(self, method: str, files: dict[str, bytes], **arguments: Any) -> Call:
        """The same with several files, by the names of their fields."""
        url = f"{self._fake.base_url}{self._fake.token}/{method}"
        answer = await self._http.post(url, data=arguments, files=files, timeout=10)
        envelope: Call = answer.json()
        return envelope
