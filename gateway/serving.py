"""The running of a gateway that is made: all platforms at once, until it is told to stop.

Owns the signals, and the order in which things end. What there is to run is made in `app.py`.
"""

import asyncio
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import structlog

from adapters.base import Adapter, AdapterError
from gateway.chats.directory import Chats
from gateway.operations.watch import Watch
from gateway.platforms import console_among
from gateway.reload import Reload
from gateway.router import Router
from gateway.schedule.scheduler import Scheduler

_log = structlog.get_logger()


async def serve_all(
    adapters: dict[str, Adapter],
    router: Router,
    chats: Chats,
    watch: Watch,
    *,
    reload: Reload,
    scheduler: Scheduler | None,
) -> int:
    """Run all platforms until a signal comes or none is left; then end what runs, in order.

    Returns the exit code: 1 if every platform had to be given up.
    """
    failures: list[str] = []
    console = console_among(adapters)
    stop = asyncio.Event()
    this_task = asyncio.current_task()

    async def serve(adapter: Adapter) -> None:
        try:
            await adapter.run(router.receive)
        except AdapterError as error:
            failures.append(adapter.name)
            watch.platform_lost(adapter.name, str(error))
            _log.error("platform given up", platform=adapter.name, reason=str(error))
        except Exception:  # noqa: BLE001 - logged with its traceback; the other platforms go on
            failures.append(adapter.name)
            watch.platform_lost(adapter.name, "it broke down; the log has the rest")
            _log.exception("platform broke down", platform=adapter.name)

    async def wait_for_all() -> None:
        await asyncio.wait(tasks)
        stop.set()

    def on_ctrl_c() -> None:
        if console is None or not console.interrupt():
            on_signal()

    def on_signal() -> None:
        if stop.is_set() and this_task is not None:
            this_task.cancel()  # asked twice: at once
        stop.set()

    def on_hang_up() -> None:
        reloads.add(reading := group.create_task(reload()))
        reading.add_done_callback(reloads.discard)

    reloads: set[asyncio.Task[str]] = set()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(serve(adapter)) for adapter in adapters.values()]
        waiting = group.create_task(wait_for_all())
        scheduling = group.create_task(scheduler.run()) if scheduler else None
        handlers = {
            signal.SIGINT: on_ctrl_c,
            signal.SIGTERM: on_signal,
            signal.SIGHUP: on_hang_up,
        }
        with _signals(handlers):
            for adapter in adapters.values():
                watch.platform(adapter)
            watch.serving()
            await stop.wait()
            watch.stopping()
            _log.info("stopping")
            if scheduling:
                scheduling.cancel()
            router.close()
            await chats.close()
        waiting.cancel()
        for task in tasks:
            task.cancel()
    return 1 if len(failures) == len(adapters) else 0


@contextmanager
def _signals(handlers: Mapping[signal.Signals, Callable[[], None]]) -> Iterator[None]:
    """Have signals handled on the event loop."""
    loop = asyncio.get_running_loop()
    for number, handle in handlers.items():
        loop.add_signal_handler(number, handle)
    try:
        yield
    finally:
        for number in handlers:
            loop.remove_signal_handler(number)
