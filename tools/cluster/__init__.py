"""The parts of a local control plane; `tools.control_plane` puts them together."""
