"""The pack's program, which the engine starts: `pulumi preview --policy-pack policy/run` (or `policy`, see README)."""

import importlib
import sys
from pathlib import Path

# Started as a folder or a file, Python looks for modules in this folder. The pack is a package of the one above, or,
# installed, of the package `modelservices` there.
folder = Path(__file__).resolve().parent
package = "modelservices.policy" if folder.parent.name == "modelservices" else "policy"
sys.path[0] = str(folder.parents[package.count(".")])

importlib.import_module(f"{package}.pack").serve()
