"""The program that reads: `python -m gateway.reading.worker`, started by `readers.py`.

Each request on its standard input is a line of JSON, a `Source` with "size" in place of its bytes,
and then so many bytes; each answer is a line, a `Text` or {"error"}. What it reads is hostile: it
has no keys, little memory and the least of the machine's time, and before the first byte of that
comes it shuts itself in (`shutting`).
"""

import contextlib
import json
import logging
import os
import resource
import signal
import sys
from dataclasses import asdict

from gateway.reading.errors import NoText
from gateway.reading.shutting import shut_in
from gateway.reading.source import Source
from gateway.reading.texts import prepare, read

MAX_MEMORY_BYTES = 1024**3
NICENESS = 19
"""Chats go before pages (nice(2))."""

GIVEN_UP_AFTER_S = 60
"""Whoever asked has ended this long before, unless it was killed itself."""


def main() -> None:
    """Answer until the input ends."""
    logging.disable(logging.CRITICAL)  # parsers have much to say about pages
    os.nice(NICENESS)
    with contextlib.suppress(ValueError, OSError):  # not every system has this limit
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # it would hold what people sent
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    is_shut_in = False
    while line := requests.readline():
        signal.alarm(GIVEN_UP_AFTER_S)  # ends the process in the middle of a parser, too
        request = json.loads(line)
        if not is_shut_in:
            prepare(request["media_type"])
            shut_in()
            is_shut_in = True
        content = requests.read(request.pop("size"))
        answer = _answer(Source(content=content, **request))
        answers.write(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        answers.flush()
        signal.alarm(0)


def _answer(source: Source) -> dict[str, object]:
    try:
        return asdict(read(source))
    except NoText as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "It is too much to be read."}
    except ImportError:
        return {"error": "What could read it is not installed here."}
    except Exception:  # noqa: BLE001 - parsers break down in many ways on hostile input
        return {"error": "It could not be read: it is broken, or too much."}


if __name__ == "__main__":
    main()
