"""Registering with Pulumi what was rendered: resources and their options, arguments, outputs."""
