"""Tests against the real engine and a real API server."""
