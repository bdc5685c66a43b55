"""Reading manifests: YAML to documents, documents to the models of their families, with everything that is wrong."""
