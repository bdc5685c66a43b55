"""What is on PATH wins, suite by suite. That foreign versions work together with ours is not proven here."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tools import cache, toolchain
from tools.go_command import ToolchainError
from tools.on_path import find, is_left_to_suite
from tools.versions import TOOLS

Put = Callable[[str, str], Path]

BY_NAME = {tool.name: tool for tool in TOOLS}


def _says(version: str) -> str:
    return f"#!/bin/sh\necho {version}\n"


def test_etcd_on_path_is_used(executable: Put) -> None:
    path = executable("etcd", _says("etcd Version: 3.5.0"))

    assert find(BY_NAME["etcd"]) == path
    assert toolchain.ensure("etcd", progress=lambda line: None) == {"etcd": path}


def test_too_old_etcd_is_passed_over(executable: Put) -> None:
    executable("etcd", _says("etcd Version: 3.4.30"))

    assert find(BY_NAME["etcd"]) is None


def test_kubernetes_is_used_only_when_complete(executable: Put) -> None:
    for name in ("kube-apiserver", "kube-scheduler"):
        executable(name, _says("Kubernetes v1.36.0"))
    assert find(BY_NAME["kube-apiserver"]) is None

    executable("kube-controller-manager", _says("Kubernetes v1.36.0"))
    assert find(BY_NAME["kube-apiserver"]) is not None


def test_installed_engine_brings_its_plugins(executable: Put) -> None:
    for name in ("pulumi", "pulumi-language-python"):
        executable(name, _says("v3.300.0"))

    assert is_left_to_suite(BY_NAME["pulumi-resource-kubernetes"])
    assert toolchain.ensure("pulumi-resource-kubernetes", progress=lambda line: None) == {}


def test_installed_engine_keeps_its_own_home(executable: Put) -> None:
    for name in ("pulumi", "pulumi-language-python"):
        executable(name, _says("v3.300.0"))

    environment = toolchain.engine_environment(progress=lambda line: None)

    assert set(environment) == {"PATH", "PULUMI_SKIP_UPDATE_CHECK"}


def test_engine_without_language_host_is_passed_over(executable: Put) -> None:
    executable("pulumi", _says("v3.300.0"))

    assert find(BY_NAME["pulumi"]) is None
    assert not is_left_to_suite(BY_NAME["pulumi-resource-kubernetes"])


def test_our_own_cache_on_path_is_not_taken_for_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = cache.folder() / "engine-x" / "bin"
    ours.mkdir(parents=True)
    for name in ("pulumi", "pulumi-language-python"):
        (ours / name).write_text(_says("v3.276.0"))
        (ours / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{ours}:/usr/bin:/bin")

    assert find(BY_NAME["pulumi"]) is None


def test_unknown_tool_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ToolchainError, match="there is no tool minikube; there are certificates, etcd, kube-apiserver"):
        toolchain.ensure("minikube")
