"""Where the parts of a real node are: its files, sockets, addresses and control groups."""

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
"""The port at which the node serves images and models."""
GPUS = 8
CPUS = 64
MEMORY = 1 << 40
"""What the node says it has, so that a small machine takes pods that ask for much; only the scheduler sees it."""

_SOCKETS = Path("/tmp")  # a socket's path has 107 characters at most, and a run folder may lie deep


@dataclass(frozen=True)
class Layout:
    """The files of the real node of a control plane."""

    run_dir: Path

    @property
    def folder(self) -> Path:
        """All that the node writes but its logs; gone when it is stopped."""
        return self.run_dir / "node"

    @property
    def name(self) -> str:
        """What the machine calls this node: the same for the same run folder, another one for each."""
        return f"modelservices-{cache.key(str(self.run_dir))}"

    @property
    def sockets(self) -> Path:
        """Holds the sockets between both sides."""
        return _SOCKETS / self.name

    @property
    def api_socket(self) -> Path:
        """Leads from the node to the API server."""
        return self.sockets / "api.sock"

    @property
    def egress_socket(self) -> Path:
        """Leads from the API server to what only the node sees."""
        return self.sockets / "egress.sock"

    @property
    def programs(self) -> Path:
        """The only folder with the node's programs, and first on its PATH."""
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
        """Where a program's output goes; it stays when the node is stopped."""
        return self.run_dir / f"{program}.log"

    def egress_configuration(self) -> str:
        """Tells an API server the way to nodes, pods and Services."""
        connection = {"proxyProtocol": "HTTPConnect", "transport": {"uds": {"udsName": str(self.egress_socket)}}}
        return json.dumps(
            {
                "apiVersion": "apiserver.k8s.io/v1beta1",
                "kind": "EgressSelectorConfiguration",
                "egressSelections": [{"name": "cluster", "connection": connection}],
            }
        )
