"""The image that a machine boots from: the newest of a distribution from SSM's public parameters, or one by id."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runners.providers.base import InvalidPlan

# https://wiki.debian.org/Cloud/AmazonEC2Image and https://documentation.ubuntu.com/aws/aws-how-to/instances/find-ubuntu-images/
PARAMETERS: Mapping[str, str] = {
    "debian-12": "/aws/service/debian/release/12/latest/{arch}",
    "debian-13": "/aws/service/debian/release/13/latest/{arch}",
    "ubuntu-22.04": "/aws/service/canonical/ubuntu/server/22.04/stable/current/{arch}/hvm/ebs-gp2/ami-id",
    "ubuntu-24.04": "/aws/service/canonical/ubuntu/server/24.04/stable/current/{arch}/hvm/ebs-gp3/ami-id",
}
# EC2's name -> the distributions' name
ARCHITECTURES: Mapping[str, str] = {"x86_64": "amd64", "arm64": "arm64"}


@dataclass(frozen=True, slots=True)
class Image:
    id: str
    architecture: str
    root_device: str
    root_gib: int  # a root volume cannot be smaller


def architecture_of(instance_type: Mapping[str, Any]) -> str:
    """EC2's name of the type's architecture. Raises InvalidPlan when there is no image for it."""
    supported = instance_type["ProcessorInfo"]["SupportedArchitectures"]
    for architecture in ARCHITECTURES:
        if architecture in supported:
            return architecture
    raise InvalidPlan(f"{instance_type['InstanceType']} runs {', '.join(supported)}: there is no image for it")


def find(ec2: Any, ssm: Any, choice: str, architectures: Sequence[str]) -> dict[str, Image]:
    """The image for each architecture (EC2's names).

    `choice`: a name of PARAMETERS, the path of an SSM parameter (with {arch} for amd64 or arm64), or an image id.
    Raises InvalidPlan when the region has none.
    """
    if choice.startswith("ami-"):
        ids = dict.fromkeys(architectures, choice)
    else:
        ids = _by_parameter(ssm, PARAMETERS.get(choice, choice), architectures)
    described = ec2.describe_images(ImageIds=sorted(set(ids.values())))["Images"]
    images = {image["ImageId"]: _image(image) for image in described}
    for architecture, image_id in ids.items():
        if image_id not in images:
            raise InvalidPlan(f"the image {image_id} does not exist in this region")
        if images[image_id].architecture != architecture:
            raise InvalidPlan(f"the image {image_id} is for {images[image_id].architecture}, not {architecture}")
    return {architecture: images[image_id] for architecture, image_id in ids.items()}


def _by_parameter(ssm: Any, path: str, architectures: Sequence[str]) -> dict[str, str]:
    if not path.startswith("/"):
        known = ", ".join(PARAMETERS)
        raise InvalidPlan(f"AWS_IMAGE={path} is not one of {known}, an SSM path or the id of an image")
    paths = {arch: path.replace("{arch}", ARCHITECTURES[arch]) for arch in architectures}
    answer = ssm.get_parameters(Names=sorted(set(paths.values())))
    values = {parameter["Name"]: parameter["Value"] for parameter in answer["Parameters"]}
    missing = sorted(set(paths.values()) - set(values))
    if missing:
        raise InvalidPlan(f"this region does not have the SSM parameter {', '.join(missing)} with the image")
    return {arch: values[paths[arch]] for arch in architectures}


def _image(described: Mapping[str, Any]) -> Image:
    root = described["RootDeviceName"]
    sizes = [
        mapping["Ebs"].get("VolumeSize", 0)
        for mapping in described.get("BlockDeviceMappings", ())
        if mapping.get("DeviceName") == root and "Ebs" in mapping
    ]
    return Image(described["ImageId"], described["Architecture"], root, max(sizes, default=0))
