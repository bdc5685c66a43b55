"""The pack's program, which the engine starts: `pulumi preview --policy-pack policy/run` (or `policy`, see README)."""

import sys
from pathlib import Path

# Started as a folder or a file, Python looks for modules in this folder; they are in the one above.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from policy.pack import serve  # noqa: E402

serve()
