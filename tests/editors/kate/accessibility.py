"""A screen reader: the content of a program's windows by AT-SPI, over a separate D-Bus.

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
"""Whether the D-Bus client is installed, a dependency of keyring on Linux."""

_jeepney: Any = importlib.import_module("jeepney") if HAS_DBUS else None
_jeepney_io: Any = importlib.import_module("jeepney.io.asyncio") if HAS_DBUS else None

FOCUSED, SHOWING = 12, 25
"""Bits of the state of an element."""

_INTERFACE = "org.a11y.atspi."
_DAEMON = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
_ROOT = "/org/a11y/atspi/accessible/root"


class BusError(Exception):
    """The other program answered with an error: the element may no longer exist."""


class Bus:
    """One message bus."""

    def __init__(self, router: Any) -> None:
        self._router = router

    async def call(
        self, name: str, path: str, interface: str, method: str, signature: str = "", *values: object
    ) -> Any:
        """Call a method; return the first value of its result."""
        message = _jeepney.new_method_call(
            _jeepney.DBusAddress(path, name, interface), method, signature or None, tuple(values)
        )
        call = asyncio.ensure_future(self._router.send_and_get_reply(message))
        reply = await asyncio.shield(call)  # the router cannot close while a reply has no receiver
        if reply.header.message_type is _jeepney.MessageType.error:
            raise BusError(f"{interface}.{method}: {reply.body}")
        return reply.body[0] if reply.body else None


@dataclass(frozen=True, slots=True)
class Element:
    """An element of the user interface."""

    bus: Bus
    name: str
    path: str

    async def _call(self, interface: str, method: str, signature: str = "", *values: object) -> Any:
        return await self.bus.call(
            self.name, self.path, f"{_INTERFACE}{interface}", method, signature, *values
        )

    async def children(self) -> list[Element]:
        """Return its direct children."""
        return [Element(self.bus, *each) for each in await self._call("Accessible", "GetChildren")]

    async def role(self) -> str:
        """Return its role, such as ``menu item``."""
        role: str = await self._call("Accessible", "GetRoleName")
        return role

    async def label(self) -> str:
        """Return its label."""
        properties = "org.freedesktop.DBus.Properties"
        _, label = await self.bus.call(
            self.name, self.path, properties, "Get", "ss", f"{_INTERFACE}Accessible", "Name"
        )
        return str(label)

    async def has(self, state: int) -> bool:
        """Return whether it has a state."""
        words = await self._call("Accessible", "GetState")
        return bool(words[state // 32] >> state % 32 & 1)

    async def can(self, interface: str) -> bool:
        """Return whether it has an interface, such as ``EditableText``."""
        return f"{_INTERFACE}{interface}" in await self._call("Accessible", "GetInterfaces")

    async def text(self) -> str:
        """Return its complete text."""
        text: str = await self._call("Text", "GetText", "ii", 0, -1)
        return text

    async def put_caret(self, offset: int) -> None:
        """Put the caret before a UTF-16 code unit of its text."""
        await self._call("Text", "SetCaretOffset", "i", offset)

    async def walk(self) -> AsyncIterator[Element]:
        """Yield it and its descendants, breadth first; skip elements that disappear."""
        waiting = [self]
        while waiting:
            element = waiting.pop(0)
            yield element
            with contextlib.suppress(BusError):
                waiting += await element.children()


@contextlib.asynccontextmanager
async def bus(address: str) -> AsyncIterator[Bus]:
    """Connect to a message bus while the context is open."""
    async with _jeepney_io.open_dbus_router(address) as router:
        yield Bus(router)


@contextlib.asynccontextmanager
async def accessibility_bus(session: Bus) -> AsyncIterator[Bus]:
    """Connect to the accessibility bus of a session, which this call starts."""
    service = ("org.a11y.Bus", "/org/a11y/bus")
    address = await session.call(*service, "org.a11y.Bus", "GetAddress")
    for name in ("IsEnabled", "ScreenReaderEnabled"):  # else programs may not connect to it
        setting = ("org.a11y.Status", name, ("b", True))
        await session.call(*service, "org.freedesktop.DBus.Properties", "Set", "ssv", *setting)
    async with bus(address) as accessible:
        yield accessible


async def program(of: Bus, pid: int) -> Element | None:
    """Return the root element of a program on the accessibility bus, None if it has no window yet.

    The registry of the bus misses programs that connect while it starts, so this lists the names on the bus.
    """
    for name in await of.call(*_DAEMON, "ListNames"):
        with contextlib.suppress(BusError):  # another connection of the program, or a closed one
            found = Element(of, name, _ROOT)
            if (
                await of.call(*_DAEMON, "GetConnectionUnixProcessID", "s", name) == pid
                and await found.children()
            ):
                return found
    return None
