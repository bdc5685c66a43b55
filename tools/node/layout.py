"""The files, sockets, addresses and control groups of a real node."""

import json
from dataclasses import dataclass
from pathlib import Path

from tools import cache

NAME = "real"
"""The node's name in the cluster."""
ADDRESS = "10.250.0.1"
PODS = "10.245.0.0/24"
API_PORT = 6443
API_SERVICE = "10.0.0.1"
FILES_PORT = 5000
"""The port on which the node serves images and models."""
GPUS = 8
CPUS = 64
MEMORY = 1 << 40
"""The capacity that the node reports, so that a small machine accepts pods with large requests; only the scheduler uses
it."""

_SOCKETS = Path("/tmp")  # a socket's path has at most 107 characters, and a run folder may be deep


@dataclass(frozen=True)
class Layout:
    """The files of a control plane's real node."""

    run_dir: Path

    @property
    def folder(self) -> Path:
        """All files that the node writes except its logs; removed when it stops."""
        return self.run_dir / "node"

    @property
    def name(self) -> str:
        """The node's name on the machine, unique for each run folder."""
        return f"modelservices-{cache.key(str(self.run_dir))}"

    @property
    def sockets(self) -> Path:
        """Holds the sockets between both sides."""
        return _SOCKETS / self.name

    @property
    def api_socket(self) -> Path:
        """Connects the node to the API server."""
        return self.sockets / "api.sock"

    @property
    def egress_socket(self) -> Path:
        """Connects the API server to addresses that only the node can reach."""
        return self.sockets / "egress.sock"

    @property
    def programs(self) -> Path:
        """The folder of the node's programs, first on its PATH."""
        return self.folder / "bin"

    @property
    def volumes(self) -> Path:
        """Holds the persistent volumes."""
        return self.folder / "volumes"

    @property
    def files(self) -> Path:
        """What the node serves over HTTP: models, and images below `v2`."""
        return self.folder / "files"

    def log(self, program: str) -> Path:
        """A program's log, which stays when the node stops."""
        return self.run_dir / f"{program}.log"

    def egress_configuration(self) -> str:
        """Configures how an API server reaches nodes, pods and Services."""
        connection = {"proxyProtocol": "HTTPConnect", "transport": {"uds": {"udsName": str(self.egress_socket)}}}
        return json.dumps(
            {
                "apiVersion": "apiserver.k8s.io/v1beta1",
                "kind": "EgressSelectorConfiguration",
                "egressSelections": [{"name": "cluster", "connection": connection}],
            }
        )
