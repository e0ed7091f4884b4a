"""The local HTTP port: `/healthz`, `/readyz`, `/metrics`. Nothing can be changed through it.

What is true is the business of `readiness.py` and `prometheus.py`. Imported only where the port
is on.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from config.settings import HttpSettings
from gateway.errors import StartupError
from gateway.operations.prometheus import CONTENT_TYPE, PrometheusMetrics
from gateway.operations.readiness import Readiness

_GRACE_S = 1.0  # for requests under way when the gateway ends


@asynccontextmanager
async def http_port(
    settings: HttpSettings, readiness: Readiness, metrics: PrometheusMetrics
) -> AsyncIterator[str]:
    """Answer for as long as the context lasts; gives the address. Raises `StartupError`."""

    async def health(_: web.Request) -> web.Response:
        # That somebody answers is the answer: it comes from the event loop.
        return web.json_response({"status": "alive"})

    async def ready(_: web.Request) -> web.Response:
        reasons = await readiness.reasons()
        body = {"status": "not ready", "reasons": reasons} if reasons else {"status": "ready"}
        return web.json_response(body, status=503 if reasons else 200)

    async def figures(_: web.Request) -> web.Response:
        return web.Response(body=await metrics.text(), headers={"Content-Type": CONTENT_TYPE})

    application = web.Application()
    application.add_routes(
        [web.get("/healthz", health), web.get("/readyz", ready), web.get("/metrics", figures)]
    )
    # Probes come every few seconds: a line for each would drown the rest of the log.
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=_GRACE_S)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, settings.host, settings.port).start()
        except OSError as error:
            raise StartupError(
                f"The HTTP port {settings.host}:{settings.port} can't be opened: "
                f"{error.strerror}. Choose another http.port or http.host."
            ) from error
        host, port = runner.addresses[0][:2]
        yield f"http://{f'[{host}]' if ':' in host else host}:{port}"
    finally:
        await runner.cleanup()
