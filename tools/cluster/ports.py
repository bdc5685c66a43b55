"""Free ports for a control plane; a restart in the same run folder reuses them."""

import json
import random
import socket
from pathlib import Path

# Below the range for outgoing connections and below the node ports, so that no other program takes a port by chance
# between choosing and listening.
_RANGE = range(16000, 29000)
_MEMORY = "ports.json"


def ports_for(run_dir: Path, names: list[str]) -> dict[str, int]:
    """A port for each name, stored in the run folder so that existing kubeconfigs stay valid."""
    known = known_ports(run_dir)
    ports: dict[str, int] = {}
    for name in names:
        others = {port for other, port in (known | ports).items() if other != name}
        ports[name] = _free_port(known.get(name), others)
    (run_dir / _MEMORY).write_text(json.dumps(known | ports))
    return ports


def known_ports(run_dir: Path) -> dict[str, int]:
    """The ports chosen so far."""
    memory = run_dir / _MEMORY
    return json.loads(memory.read_text()) if memory.exists() else {}


def _free_port(preferred: int | None, taken: set[int]) -> int:
    candidates = ([preferred] if preferred else []) + random.sample(_RANGE, 200)
    for port in candidates:
        if port not in taken and _is_free(port):
            return port
    raise OSError(f"no free port among 200 in {_RANGE.start} to {_RANGE.stop}")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
