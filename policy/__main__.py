"""The pack's program, which the engine starts: `pulumi preview --policy-pack policy/run` (or `policy`, see README)."""

from modelservices.policy.pack import serve  # pyright: ignore[reportMissingImports]  # a package of the installation

serve()
