"""Inference engines: flags as tables, ports, probes, metric names. Nothing here imports Pulumi."""
