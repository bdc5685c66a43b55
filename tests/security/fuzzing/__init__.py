"""Inputs that nobody would write on purpose: where they come from, how they are changed, what must hold for each."""
