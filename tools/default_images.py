"""The families' default images, checked against the known releases: a new default needs its release's data."""

from __future__ import annotations

from collections.abc import Iterator

from modelservices.engines.companions import COMPANIONS
from modelservices.engines.flag import Launch
from modelservices.engines.known import ENGINES
from modelservices.engines.releases import program
from modelservices.engines.tool import Tool
from modelservices.families.kserve.settings import ImageSettings
from modelservices.families.otterscale.settings import DefaultImages

_LAUNCHES = [
    {},
    {"enabled": True},
    {"vendor": "amd"},
    {"vendor": "amd", "runtime": "vulkan"},
    {"enabled": True, "vendor": "intel"},
]


def default_images() -> Iterator[str]:
    """The default images of LLMKube's engines and of OtterScale's and KServe's settings."""
    for engine in ENGINES:
        yield from {engine.default_image(Launch({}, engine.port, gpu=gpu)) for gpu in _LAUNCHES} - {""}
    for settings in (DefaultImages(), ImageSettings()):
        yield from (str(image) for image in settings.model_dump().values() if image)


def images_without_data() -> Iterator[str]:
    """A sentence for each default image whose release is unknown or missing."""
    tools: list[Tool] = [*ENGINES, *COMPANIONS]
    for image in sorted(set(default_images())):
        tool = next((tool for tool in tools if tool.is_in(image)), None)
        if tool is not None and "@" not in image and not program(tool.table).knows(image):
            yield f"{image}: add its release to {tool.table}.tsv with tools.engine_releases"
