"""Connection: one that says what it wants within some seconds, or is closed."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

SLOWEST_HEAD = 10.0
"""Seconds in which the lines and headers of a request must have come; the guard times the body."""


class Connection(H11Protocol):
    """A connection that is not kept for a request that comes byte by byte, so that such ones do not fill a server."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._awaited: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._awaited = self.loop.call_later(SLOWEST_HEAD, transport.close)

    def data_received(self, data: bytes) -> None:
        """Wait no more once there is a request to be answered, and again for the next one when its first byte comes."""
        super().data_received(data)
        answering: RequestResponseCycle | None = self.cycle  # None before the first one
        if answering is not None and not answering.response_complete:
            self._wait_no_more()
        elif self._awaited is None:
            self._awaited = self.loop.call_later(SLOWEST_HEAD, self.transport.close)

    def _should_upgrade(self) -> bool:
        """No: who asks for a WebSocket gets a page, and no log fills with what to install for it."""
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait_no_more(self) -> None:
        if self._awaited is not None:
            self._awaited.cancel()
            self._awaited = None
