"""Starts the plugin: the engine runs this folder, with the engine's address as the argument."""

import sys

from host import serve  # Python searches the folder that it runs for modules first

if __name__ == "__main__":
    serve(sys.argv[1:])
