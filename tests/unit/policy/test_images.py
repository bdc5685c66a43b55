"""Rules on images. Not proven: that an image exists, or that its registry can be reached."""

import pytest

from modelservices.kubernetes.scalars import Opaque
from modelservices.policy.rules.images import IMAGE_REGISTRY, IMAGE_TAG
from tests.unit.policy.helpers import MAIN, container, obj, pod_of, said, workload

DIGEST = "sha256:" + "0" * 64


def test_a_moving_tag() -> None:
    assert said(IMAGE_TAG, workload(container(image="vllm/vllm-openai:latest"))) == [
        f"Deployment n/web: {MAIN}.image: the image vllm/vllm-openai:latest moves with its tag latest; name a "
        "version, or a digest (@sha256:…)"
    ]


def test_no_tag() -> None:
    assert said(IMAGE_TAG, workload(container(image="ghcr.io/team/server"))) == [
        f"Deployment n/web: {MAIN}.image: the image ghcr.io/team/server has no tag, which means latest; name a "
        "version, or a digest (@sha256:…)"
    ]


@pytest.mark.parametrize("image", ["server:1", f"server@{DIGEST}", f"server:latest@{DIGEST}", Opaque(None), None])
def test_a_version_a_digest_or_what_is_not_known_yet_is_fine(image: object) -> None:
    assert said(IMAGE_TAG, workload(container(image=image))) == []


def test_which_tags_move_is_a_parameter() -> None:
    assert said(IMAGE_TAG, workload(container(image="a:latest")), {"moving": ["main"]}) == []
    assert len(said(IMAGE_TAG, workload(container(image="a:main")), {"moving": ["main"]})) == 1


def test_a_digest_may_be_asked_for() -> None:
    assert said(IMAGE_TAG, workload(container(image=f"a:1@{DIGEST}")), {"digests": True}) == []
    assert said(IMAGE_TAG, workload(container(image="a:1")), {"digests": True}) == [
        f"Deployment n/web: {MAIN}.image: the image a:1 has no digest; list it under settings.images.digests"
    ]


def test_the_image_of_a_train_job() -> None:
    thing = obj("TrainJob", trainer={"image": "trainer"})
    assert [sentence.split(": ")[1] for sentence in said(IMAGE_TAG, thing)] == ["spec.trainer.image"]


def test_init_containers_and_image_volumes_count() -> None:
    volumes = [{"name": "cache"}, {"name": "weights", "image": {"reference": "ghcr.io/team/weights"}}]
    thing = pod_of(initContainers=[container("fetch", image="curl")], volumes=volumes)
    paths = [sentence.split(": ")[1] for sentence in said(IMAGE_TAG, thing)]
    assert paths == ["spec.template.spec.initContainers[0].image", "spec.template.spec.volumes[1].image.reference"]


ALLOWED = {"registries": ["ghcr.io/team", "docker.io"]}


@pytest.mark.parametrize("image", ["ghcr.io/team/server:1", "ghcr.io/team/deep/er:1", "nginx:1", "vllm/vllm-openai:v1"])
def test_images_of_allowed_registries(image: str) -> None:
    assert said(IMAGE_REGISTRY, workload(container(image=image)), ALLOWED) == []


@pytest.mark.parametrize("image", ["ghcr.io/teammate/server:1", "quay.io/x/y:1", "ghcr.io/team.evil/x:1"])
def test_images_of_other_registries(image: str) -> None:
    assert said(IMAGE_REGISTRY, workload(container(image=image)), ALLOWED) == [
        f"Deployment n/web: {MAIN}.image: the image {image} is not from an allowed registry (ghcr.io/team, "
        "docker.io); mirror it into one"
    ]


def test_any_registry_is_fine_where_none_is_named() -> None:
    assert said(IMAGE_REGISTRY, workload(container(image="anywhere.example/x:1"))) == []
