"""Values of the Helm chart llm-d-modelservice, and the ModelService that serves the same model in the same way."""
