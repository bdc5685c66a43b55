"""Starts the plugin: the engine runs this folder, with its own address as the argument."""

import sys

from host import serve  # the folder that is run is the first one in which Python looks for modules

if __name__ == "__main__":
    serve(sys.argv[1:])
