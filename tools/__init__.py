"""What the tests and examples run on: the engine, its provider, and a control plane, built from pinned Go modules."""
