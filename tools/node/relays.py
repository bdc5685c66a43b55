"""Forwards connections between sockets of the machine and of the node."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
_BLOCK = 1 << 16
_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
_UNREACHABLE = b"HTTP/1.1 502 Bad Gateway\r\n\r\n"


async def to_tcp(socket: Path, port: int) -> None:
    """Forwards connections to a socket to a port on this side's loopback."""
    await asyncio.start_unix_server(_passed_on(lambda: asyncio.open_connection("127.0.0.1", port)), socket)


async def to_socket(addresses: list[str], port: int, socket: Path) -> None:
    """Forwards connections to a port on this side to a socket."""
    await asyncio.start_server(_passed_on(lambda: asyncio.open_unix_connection(socket)), addresses, port)


async def connect_proxy(socket: Path) -> None:
    """Serves HTTP CONNECT on a socket: forwards each connection to HOST:PORT, as seen from this side."""
    await asyncio.start_unix_server(_connect, socket)


def _passed_on(target: Callable[[], Awaitable[Streams]]) -> Callable[..., Awaitable[None]]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            other = await target()
        except OSError:
            writer.close()
            return
        await _join((reader, writer), other)

    return serve


async def _connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        host, _, port = head.split()[1].decode().rpartition(":")
        other = await asyncio.open_connection(host.strip("[]"), int(port))
    except (OSError, asyncio.IncompleteReadError):
        writer.write(_UNREACHABLE)
        writer.close()
        return
    writer.write(_ESTABLISHED)
    await _join((reader, writer), other)


async def _join(one: Streams, other: Streams) -> None:
    await asyncio.gather(_copy(one[0], other[1]), _copy(other[0], one[1]))
    for _, writer in (one, other):
        writer.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copies until one side has sent everything; the other direction may continue."""
    try:
        while data := await reader.read(_BLOCK):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.close()
