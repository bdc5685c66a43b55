"""Converts values of the Helm chart llm-d-modelservice to a ModelService that serves the same model in the same way."""
