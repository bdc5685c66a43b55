"""The API server's OpenAPI documents: put together at their first request, for which clients wait 32 s at most."""

from tools.cluster.api import Api
from tools.cluster.waiting import Progress, wait_for

V2 = {"Accept": "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"}
"""The form in which Go clients ask, the Kubernetes provider among them."""


def publish(api: Api, progress: Progress) -> None:
    """Has the server put the documents together, with every CRD in them."""
    wait_for("the schema of the CRDs", lambda: _undescribed(api), progress)
    api.request("GET", "/openapi/v2", headers=V2)


def _undescribed(api: Api) -> str:
    """The API versions that are served and not described yet."""
    served = {
        f"apis/{version['groupVersion']}" for group in api.get("/apis")["groups"] for version in group["versions"]
    }
    return ", ".join(sorted(served - api.get("/openapi/v3")["paths"].keys()))
