"""Run the fake on its own: `python -m tests.fakes.telegram --port 8081`.

Point a gateway at it with the printed base_url and token, and speak with it through control.py's
interface, for instance with curl.
"""

import argparse
import asyncio
import json
import sys

from tests.fakes.telegram.control import add_control
from tests.fakes.telegram.server import TOKEN, FakeTelegram


async def _serve(port: int, token: str) -> None:
    fake = FakeTelegram(token=token, port=port)
    add_control(fake)
    async with fake:
        control = fake.base_url.removesuffix("bot") + "control"
        ready = {"base_url": fake.base_url, "token": token, "control": control}
        sys.stdout.write(json.dumps(ready) + "\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


def main() -> None:
    """Serve until interrupted; the first line printed is JSON with base_url, token and control."""
    parser = argparse.ArgumentParser(prog="tests.fakes.telegram", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--token", default=TOKEN)
    arguments = parser.parse_args()
    try:
        asyncio.run(_serve(arguments.port, arguments.token))
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")


if __name__ == "__main__":
    main()
