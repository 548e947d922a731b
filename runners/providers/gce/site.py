"""What a site's settings say about GCE."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Site:
    id: str  # keeps sites in one project apart
    project: str
    image: str = "ubuntu-2404-lts-amd64"  # see shapes.find_image; cloud-init must be in it
    network: str = "default"
    subnetwork: str | None = None  # only a network in custom mode needs one
    root_gib: int = 40
    impersonate: str | None = None  # a service account to act as
    endpoint: str | None = None  # of a lab; nothing is signed then


def project_of(service_account: str) -> str:
    """The project of `<name>@<project>.iam.gserviceaccount.com`, in which its machines stand."""
    return service_account.partition("@")[2].removesuffix(".iam.gserviceaccount.com")
