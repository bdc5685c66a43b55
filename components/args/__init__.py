"""The arguments of the components as TypedDicts. Generated from the models of the manifests: `make generate`."""
