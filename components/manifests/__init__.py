"""Reads manifests: YAML to documents, and documents to the models of their families, with all problems."""
