"""The endpoint picker (EPP): which pod gets a request. One module for each Kubernetes object, usable alone."""
