"""What a program shows, as it tells it to screen readers: AT-SPI, over a D-Bus of its own.

Source: at-spi2-core, ``xml/Accessible.xml``, ``xml/Text.xml``, and ``atspi-constants.h`` for states.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.util
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

HAS_DBUS = importlib.util.find_spec("jeepney") is not None
"""Whether the client of D-Bus is here, which comes with the keyring on Linux."""

_jeepney: Any = importlib.import_module("jeepney") if HAS_DBUS else None
_jeepney_io: Any = importlib.import_module("jeepney.io.asyncio") if HAS_DBUS else None

FOCUSED, SHOWING = 12, 25
"""Bits of an element's state."""

_INTERFACE = "org.a11y.atspi."
_DAEMON = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
_ROOT = "/org/a11y/atspi/accessible/root"


class BusError(Exception):
    """The other side answered with an error: what was asked about may be gone."""


class Bus:
    """One message bus."""

    def __init__(self, router: Any) -> None:
        self._router = router

    async def call(
        self, name: str, path: str, interface: str, method: str, signature: str = "", *values: object
    ) -> Any:
        """Call a method; give the first value of its result."""
        message = _jeepney.new_method_call(
            _jeepney.DBusAddress(path, name, interface), method, signature or None, tuple(values)
        )
        asked = asyncio.ensure_future(self._router.send_and_get_reply(message))
        reply = await asyncio.shield(asked)  # the router cannot end with a reply that nobody waits for
        if reply.header.message_type is _jeepney.MessageType.error:
            raise BusError(f"{interface}.{method}: {reply.body}")
        return reply.body[0] if reply.body else None


@dataclass(frozen=True, slots=True)
class Element:
    """Something on the screen."""

    bus: Bus
    name: str
    path: str

    async def _call(self, interface: str, method: str, signature: str = "", *values: object) -> Any:
        return await self.bus.call(
            self.name, self.path, f"{_INTERFACE}{interface}", method, signature, *values
        )

    async def children(self) -> list[Element]:
        """Give what is directly in it."""
        return [Element(self.bus, *each) for each in await self._call("Accessible", "GetChildren")]

    async def role(self) -> str:
        """Tell what it is, such as ``menu item``."""
        role: str = await self._call("Accessible", "GetRoleName")
        return role

    async def label(self) -> str:
        """Give the words on it."""
        properties = "org.freedesktop.DBus.Properties"
        _, label = await self.bus.call(
            self.name, self.path, properties, "Get", "ss", f"{_INTERFACE}Accessible", "Name"
        )
        return str(label)

    async def has(self, state: int) -> bool:
        """Tell whether it is in a state."""
        words = await self._call("Accessible", "GetState")
        return bool(words[state // 32] >> state % 32 & 1)

    async def can(self, interface: str) -> bool:
        """Tell whether it has an interface, such as ``EditableText``."""
        return f"{_INTERFACE}{interface}" in await self._call("Accessible", "GetInterfaces")

    async def text(self) -> str:
        """Give all of its text."""
        text: str = await self._call("Text", "GetText", "ii", 0, -1)
        return text

    async def put_caret(self, offset: int) -> None:
        """Put the caret before a UTF-16 unit of its text."""
        await self._call("Text", "SetCaretOffset", "i", offset)

    async def everything(self) -> AsyncIterator[Element]:
        """Give it and all that is in it, the outermost first; what goes meanwhile is left out."""
        waiting = [self]
        while waiting:
            element = waiting.pop(0)
            yield element
            with contextlib.suppress(BusError):
                waiting += await element.children()


@contextlib.asynccontextmanager
async def bus(address: str) -> AsyncIterator[Bus]:
    """Connect to a message bus, until the block is left."""
    async with _jeepney_io.open_dbus_router(address) as router:
        yield Bus(router)


@contextlib.asynccontextmanager
async def readers(session: Bus) -> AsyncIterator[Bus]:
    """Connect to the bus of screen readers that a session has; it is there from then on."""
    where = ("org.a11y.Bus", "/org/a11y/bus")
    address = await session.call(*where, "org.a11y.Bus", "GetAddress")
    for name in ("IsEnabled", "ScreenReaderEnabled"):  # else programs may not come
        setting = ("org.a11y.Status", name, ("b", True))
        await session.call(*where, "org.freedesktop.DBus.Properties", "Set", "ssv", *setting)
    async with bus(address) as found:
        yield found


async def program(of: Bus, pid: int) -> Element | None:
    """Find a program on the bus of screen readers: all that it shows.

    The registry there, which lists programs, misses those that come while it starts; so it is not asked.
    """
    for name in await of.call(*_DAEMON, "ListNames"):
        with contextlib.suppress(BusError):  # another line of the program, or one that is gone
            found = Element(of, name, _ROOT)
            if (
                await of.call(*_DAEMON, "GetConnectionUnixProcessID", "s", name) == pid
                and await found.children()
            ):
                return found
    return None
