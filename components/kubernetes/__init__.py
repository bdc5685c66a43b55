"""What the families share: one rule, one module. Nothing here imports Pulumi."""
