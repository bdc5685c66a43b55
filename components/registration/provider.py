"""The one Kubernetes provider of a stack: configured as the default one would be, but for what we rely on."""

from __future__ import annotations

from typing import Any

import pulumi
from pulumi.runtime import config as runtime_config

from .apply import provider_version

DEFAULTS = {"enableConfigMapMutable": "true", "enableSecretMutable": "true"}
"""A changed ConfigMap or Secret is updated in place: by default the provider deletes it and makes it anew, under
running pods."""


def stack_provider() -> pulumi.ProviderResource:
    """The provider with every ``kubernetes:`` key of the stack's config."""
    prefix = "kubernetes:"
    given: dict[str, Any] = {
        name.removeprefix(prefix): pulumi.Output.secret(value) if runtime_config.is_config_secret(name) else value
        for name, value in runtime_config.CONFIG.get().items()
        if name.startswith(prefix)
    }
    opts = pulumi.ResourceOptions(version=provider_version())
    return pulumi.ProviderResource("kubernetes", "kubernetes", {**DEFAULTS, **given}, opts)
