"""The parts of a local control plane, which `tools.control_plane` combines."""
