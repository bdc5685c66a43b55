"""What the team runs: a chat model on CPU in a namespace of its own, with the image tag from the stack's config."""

import pulumi

from modelservices import InferenceServiceComponent


def deploy() -> InferenceServiceComponent:
    """Register the team's services and export where the chat model answers."""
    config = pulumi.Config()
    chat = InferenceServiceComponent(
        "chat",
        {
            "namespace": config.get("namespace") or "team-a",
            "model": {"source": "https://models.example.com/team/chat-q4.gguf"},
            "spec": {
                "modelRef": "chat",
                "replicas": config.get_int("replicas") or 1,
                # A value that is only passed on may come from anywhere, another stack's output for instance.
                "image": pulumi.Output.concat("registry.example.com/llama.cpp:", config.get("tag") or "server"),
                "contextSize": 8192,
                "resources": {"cpu": "4", "memory": "8Gi"},
                "podLabels": {"cost-center": "team-a"},
            },
        },
    )
    pulumi.export("chatEndpoint", chat.endpoint)
    return chat
