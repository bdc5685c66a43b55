"""Builds what the tests and examples run on (the engine, its provider, a control plane) from pinned Go modules."""
