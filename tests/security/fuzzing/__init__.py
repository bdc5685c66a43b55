"""Fuzzing: the seeds, their mutations, and the invariants for each input."""
