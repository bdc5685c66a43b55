"""A real node beside a local control plane's simulated ones: kubelet, kube-proxy, containerd and CoreDNS in namespaces.

Outside its namespaces a node has a folder, a folder of sockets, a process and control groups. All traffic between the
two sides goes through the sockets, so that the machine's own network stays unchanged:

    API server ── egress.sock ──▶ kubelet, pods and Services of the node
    node ──────── api.sock ─────▶ API server

`layout` has all names and paths, `lifetime` starts and stops the node, `outside` and `inside` are its first two
processes.
"""
