"""Registers rendered objects with Pulumi: resources and their options, arguments, outputs."""
