"""Tests of the toolchain without building anything."""
