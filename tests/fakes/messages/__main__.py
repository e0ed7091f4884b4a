"""The server as a program: prints its base URL and serves until it is interrupted."""

import argparse
import asyncio
import contextlib

from tests.fakes.messages.server import MessagesServer


async def _serve(port: int, api_key: str | None) -> None:
    server = MessagesServer(api_key=api_key, echoes=True)
    await server.start(port)
    print(server.base_url, flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        await server.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A Messages API that echoes.")
    parser.add_argument("--port", type=int, default=0, help="0 is any free port")
    parser.add_argument("--api-key", help="refuse requests without this key")
    options = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(options.port, options.api_key))
