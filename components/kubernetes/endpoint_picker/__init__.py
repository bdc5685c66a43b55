"""The endpoint picker (EPP), which chooses a pod for each request. Each object has its own module, usable alone."""
