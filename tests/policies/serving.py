"""A policy server in a thread, for tests."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator

from policies.base import Policy
from policies.serve import Address, PolicyServer


@contextlib.contextmanager
def serving(make: Callable[[], Policy], **address) -> Iterator[str]:
    """Host and port of a server in a thread of this process."""
    server: list[PolicyServer] = []
    loop, ready, stop = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    async def body():
        async with PolicyServer(make, Address(**address)) as running:
            server.append(running)
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(body(),))
    thread.start()
    assert ready.wait(10)
    try:
        yield f"127.0.0.1:{server[0].port}"
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        assert not thread.is_alive()
