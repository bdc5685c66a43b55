"""The API server's OpenAPI documents. It builds them at the first request, for which clients wait only 32 s."""

from tools.cluster.api import Api
from tools.cluster.waiting import Progress, wait_for

V2 = {"Accept": "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"}
"""The format that Go clients request, including the Kubernetes provider."""


def publish(api: Api, progress: Progress) -> None:
    """Makes the server build the documents, including every CRD."""
    wait_for("the schema of the CRDs", lambda: _undescribed(api), progress)
    api.request("GET", "/openapi/v2", headers=V2)


def _undescribed(api: Api) -> str:
    """The served API versions that the OpenAPI documents still lack."""
    served = {
        f"apis/{version['groupVersion']}" for group in api.get("/apis")["groups"] for version in group["versions"]
    }
    return ", ".join(sorted(served - api.get("/openapi/v3")["paths"].keys()))
