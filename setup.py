"""The import name is ``modelservices``, whatever the folders are called: a user's own repository may well have a folder
``components`` or ``policy``."""

from setuptools import find_namespace_packages, setup

FOLDERS = {
    "components": "modelservices",
    "policy": "modelservices.policy",
    "schemas": "modelservices.schemas",
    "examples": "modelservices.examples",
}
"""Folder of this repository to the package that it is installed as."""


def packages() -> list[str]:
    """Every package of the wheel, by its import name."""
    names = find_namespace_packages(include=[pattern for folder in FOLDERS for pattern in (folder, f"{folder}.*")])
    return [FOLDERS[folder] + dot + rest for folder, dot, rest in (name.partition(".") for name in names)]


setup(packages=packages(), package_dir={name: folder for folder, name in FOLDERS.items()})
