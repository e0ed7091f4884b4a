"""How late the event loop is: whatever blocks it, every chat feels."""

import asyncio

from gateway.metrics import Metrics

INTERVAL_S = 0.5


async def measure_lag(metrics: Metrics) -> None:
    """Note it twice a second, until cancelled."""
    now = asyncio.get_running_loop().time
    while True:
        due = now() + INTERVAL_S
        await asyncio.sleep(INTERVAL_S)
        metrics.loop_lagged(max(0.0, now() - due))
