"""The arguments of the components with their keys in snake case."""
