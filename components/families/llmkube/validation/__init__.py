"""Checks of manifests beyond their types: within a service, within a Model, and between the two."""
