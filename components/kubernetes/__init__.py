"""Code that the families share, one rule for each module. Nothing here imports Pulumi."""
