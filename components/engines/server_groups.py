"""What keeps servers in several pods from working together: pods of a group, and prefill with decode.

Paths are relative to one of the two containers that are compared.
"""

import re
from collections.abc import Iterator

from ..findings import Problem
from ..kubernetes.resources import accelerators
from ..kubernetes.values import mapping
from .gpus import gpus_wanted
from .server import Container, Server, server_of

_CONNECTOR = re.compile(r'"kv_connector"\s*:\s*"(\w+)"')
_CONNECTOR_PART = re.compile(r"--kv[-_]transfer[-_]config\.kv[-_]connector[= ](\w+)")
_TWICE = "no KV blocks get across, so every prompt is computed twice; use the same setting on both sides"


def transfer_problems(prompts: Container, tokens: Container) -> Iterator[Problem]:
    """Servers that compute prompts and servers that continue from there, without the same transfer of KV blocks. Paths
    are relative to the second container."""
    servers = [server_of(container) for container in (prompts, tokens)]
    if not all(server is not None and server.engine.transfer_flag for server in servers):
        return
    ways = [_transfer(server) for server in servers if server]
    flag = next(server.engine.transfer_flag for server in servers if server)
    if not any(ways):
        message = f"{flag} is missing on both sides: {_TWICE}"
        yield Problem("args", message, "warning", "no-kv-transfer")
    elif not all(ways):
        there = "is missing here but set on the other side" if ways[0] else "is set here but missing on the other side"
        message = f"{flag} {there}: {_TWICE}"
        yield Problem("args", message, "warning", "kv-transfer-on-one-side")
    elif ways[0] != ways[1] and flag not in ways:
        message = (
            f"the KV connector is {ways[1]}, but the other side's is {ways[0]}, so no KV blocks get across; use the "
            "same connector on both sides"
        )
        yield Problem("args", message, "warning", "connectors-differ")


def _transfer(server: Server) -> str:
    """The connector with which a server transfers KV blocks, or the flag if it is not known; empty without one."""
    value = server.engine.value_of(server.words, server.engine.transfer_flag)
    if value is None or value == "null":
        return ""
    connector = _CONNECTOR.search(value) or _CONNECTOR_PART.search(" ".join(map(str, server.words)))
    return connector[1] if connector else server.engine.transfer_flag


def group_problems(leader: Container, worker: Container, size: int | None) -> Iterator[Problem]:
    """What differs between the pods of a group but must be equal; paths are relative to the worker's container.

    ``size`` is the number of pods; None if it is not known.
    """
    first, other = server_of(leader), server_of(worker)
    if first is None or other is None or first.engine is not other.engine:
        return
    images = (leader.get("image"), worker.get("image"))
    if all(isinstance(image, str) for image in images) and images[0] != images[1]:
        message = f"is {images[1]}, but the leader's image is {images[0]}; all servers of a group need the same release"
        yield Problem("image", message, "warning", "images-differ")
    for flag in other.engine.group_addresses:
        mine, its = other.engine.value_of(other.words, flag), first.engine.value_of(first.words, flag)
        if mine is not None and its is not None and _plain(mine) != _plain(its):
            message = (
                f"{flag} is {mine}, but {its} on the leader, so the pods of the group never find each other; use the "
                "same address"
            )
            yield Problem("args", message, "warning", "group-differs")
    if other.engine.transfer_flag and _transfer(first) and not _transfer(other):
        message = f"{other.engine.transfer_flag} is missing here but set on the leader: {_TWICE}"
        yield Problem("args", message, "warning", "kv-transfer-on-one-side")
    yield from _size_problems(other, worker, size)


def _plain(text: str) -> str:
    """An address without quotes; the leader's IP becomes the name by which the workers know it."""
    return text.strip("'\"").replace("$(POD_IP)", "$(LWS_LEADER_ADDRESS)")


def _size_problems(server: Server, container: Container, size: int | None) -> Iterator[Problem]:
    nodes = server.value("--nnodes")
    if size is None or not nodes.isdecimal():
        return
    if int(nodes) != size:
        message = (
            f"--nnodes is {nodes}, but the group has {size} pods, so the servers wait for each other forever; write "
            "the number of pods"
        )
        yield Problem("args", message, "warning", "group-differs")
        return
    requested, wanted = accelerators(mapping(container.get("resources"))), gpus_wanted(server.engine, server.flags)
    if requested is not None and wanted > requested * size:
        message = (
            f"the model is split over {wanted} GPUs, but the group's {size} pods have {requested * size}, so the "
            "servers do not start; request more GPUs or lower the parallelism"
        )
        yield Problem("args", message, "warning", "too-few-accelerators")
