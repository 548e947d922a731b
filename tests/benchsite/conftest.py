"""A bucket for the files of a site."""

import boto3
import pytest
from moto import mock_aws


@pytest.fixture
def bucket(settings, monkeypatch):
    """The site's files are in S3; moto answers for it."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    options = {"bucket_name": "artifacts-of-tests", "location": "artifacts", "file_overwrite": False}
    storage = {
        "BACKEND": "benchsite.storage.bucket.BucketStorage",
        "OPTIONS": {**options, "region_name": "us-east-1"},
    }
    settings.STORAGES = {**settings.STORAGES, "default": storage}
    with mock_aws():
        boto3.client("s3", region_name="us-east-1").create_bucket(Bucket="artifacts-of-tests")
        yield
