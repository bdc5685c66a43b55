"""A real node beside a local control plane's simulated ones: kubelet, kube-proxy, containerd and CoreDNS in namespaces.

Outside of its namespaces a node has one folder, one folder of sockets, one process and its control groups. All traffic
between the two sides goes through the sockets, so that the machine's own network stays as it is:

    API server ── egress.sock ──▶ kubelet, pods and Services of the node
    node ──────── api.sock ─────▶ API server

`layout` names all of it, `lifetime` starts and ends it, `outside` and `inside` are its two first processes.
"""
