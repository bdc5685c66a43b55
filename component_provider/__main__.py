"""Starts the plugin: the engine runs this folder, with its own address as the argument."""

import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))  # the packages stand beside this folder, and nobody has installed them

from component_provider.host import serve  # noqa: E402

if __name__ == "__main__":
    serve(sys.argv[1:])
