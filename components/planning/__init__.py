"""Plans a stack: its config and settings, what its manifests become, and what may not change. Does not use Pulumi."""
