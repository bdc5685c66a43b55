"""Ports for processes that tests start."""

import socket


def free_port() -> int:
    """A port that is free on IPv4 and IPv6."""
    with socket.socket(socket.AF_INET6) as probe:
        probe.bind(("::", 0))
        return probe.getsockname()[1]
