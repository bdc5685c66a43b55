"""OtterScale: the family's models, rules and rendering. Nothing here imports Pulumi."""
