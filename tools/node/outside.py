"""The process of a node that the control plane starts and stops: creates its namespaces and stays outside them.

    python3 -m tools.node.outside RUN_DIR

However it ends, the node ends with it: the first process inside reads its input, which is then closed.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from tools.cluster.ports import known_ports
from tools.node import relays
from tools.node.layout import Layout

_UNSHARE = ("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation=private")


async def run(run_dir: Path) -> int:
    """Runs until the node ends or SIGTERM stops it."""
    layout = Layout(run_dir)
    await relays.to_tcp(layout.api_socket, known_ports(run_dir)["apiserver"])
    node = await asyncio.create_subprocess_exec(
        *_UNSHARE, sys.executable, "-m", "tools.node.inside", str(run_dir), stdin=asyncio.subprocess.PIPE
    )
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, node.kill)
    return await node.wait()


if __name__ == "__main__":
    os._exit(asyncio.new_event_loop().run_until_complete(run(Path(sys.argv[1]))))  # doesn't wait for connections
