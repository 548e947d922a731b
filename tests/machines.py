"""Results on a machine type, by its name."""

from typing import Any

from submissions.models import Submission
from tests.factories import SubmissionFactory


def measured(name: str = "i4i.2xlarge", provider: str = "aws", **fields: Any) -> Submission:
    """In the reference region of the cloud."""
    region = "us-east-1" if provider == "aws" else "us-central1"
    return SubmissionFactory(provider=provider, instance_type=name, region=region, **fields)
