"""Each error of Compute Engine is one of ours, and its text says what happened without saying too much."""

import pytest
import requests
from google.api_core.exceptions import GoogleAPICallError, from_http_status
from google.auth.exceptions import DefaultCredentialsError, RefreshError, TransportError
from google.cloud.compute_v1 import Error, Errors, Operation

from runners.providers.base import (
    InvalidPlan,
    NoCapacity,
    NoCredentials,
    NotAllowed,
    ProviderError,
    QuotaExceeded,
    TryAgain,
)
from runners.providers.gce.errors import of_operation, translated


def answered(status, reason, message="Because."):
    listed = [{"message": message, "domain": "global", "reason": reason}] if reason else []
    return from_http_status(status, f"POST https://compute.googleapis.com/x: {message}", errors=listed)


def raised(error):
    with pytest.raises(ProviderError) as caught, translated():
        raise error
    return type(caught.value), str(caught.value)


def failed(*codes, kind="bulkInsert", status=400):
    errors = [Errors(code=code, message=f"Why {number}.") for number, code in enumerate(codes)]
    return Operation(operation_type=kind, status="DONE", error=Error(errors=errors), http_error_status_code=status)


@pytest.mark.parametrize(
    ("status", "reason", "kind"),
    [
        (403, "rateLimitExceeded", TryAgain),
        (403, "userRateLimitExceeded", TryAgain),
        (429, "rateLimitExceeded", TryAgain),
        (429, "somethingNew", TryAgain),
        (403, "quotaExceeded", QuotaExceeded),
        (403, "dailyLimitExceeded", QuotaExceeded),
        (403, "forbidden", NotAllowed),
        (403, "accessNotConfigured", NotAllowed),
        (403, "somethingNew", NotAllowed),
        (401, "authError", NotAllowed),
        (401, "loginRequired", NotAllowed),
        (412, "conditionNotMet", NotAllowed),
        (400, "resourceNotReady", TryAgain),
        (400, "resourceInUseByAnotherResource", TryAgain),
        (409, "alreadyExists", TryAgain),
        (500, "internalError", TryAgain),
        (503, "backendError", TryAgain),
        (502, "somethingNew", TryAgain),
        (400, "invalid", InvalidPlan),
        (404, "notFound", InvalidPlan),
    ],
)
def test_a_refused_request_is_the_error_that_it_means(status, reason, kind):
    assert raised(answered(status, reason)) == (kind, f"{reason}: Because.")


def test_a_refusal_without_a_reason_goes_by_its_status():
    assert raised(answered(503, "")) == (TryAgain, "503: POST https://compute.googleapis.com/x: Because.")


@pytest.mark.parametrize(
    ("codes", "kind", "text"),
    [
        (["ZONE_RESOURCE_POOL_EXHAUSTED"], NoCapacity, "bulkInsert: ZONE_RESOURCE_POOL_EXHAUSTED: Why 0."),
        (
            ["ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS"],
            NoCapacity,
            "bulkInsert: ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS: Why 0.",
        ),
        (
            ["VM_MIN_COUNT_NOT_REACHED", "ZONE_RESOURCE_POOL_EXHAUSTED"],
            NoCapacity,
            "bulkInsert: ZONE_RESOURCE_POOL_EXHAUSTED: Why 1.",
        ),
        (["VM_MIN_COUNT_NOT_REACHED", "QUOTA_EXCEEDED"], QuotaExceeded, "bulkInsert: QUOTA_EXCEEDED: Why 1."),
        (["VM_MIN_COUNT_NOT_REACHED"], NoCapacity, "bulkInsert: VM_MIN_COUNT_NOT_REACHED: Why 0."),
        (["LIMIT_EXCEEDED"], QuotaExceeded, "bulkInsert: LIMIT_EXCEEDED: Why 0."),
        (["IP_SPACE_EXHAUSTED"], QuotaExceeded, "bulkInsert: IP_SPACE_EXHAUSTED: Why 0."),
        (["RATE_LIMIT_EXCEEDED"], TryAgain, "bulkInsert: RATE_LIMIT_EXCEEDED: Why 0."),
        (["RESOURCE_OPERATION_RATE_EXCEEDED"], TryAgain, "bulkInsert: RESOURCE_OPERATION_RATE_EXCEEDED: Why 0."),
        (
            ["CONCURRENT_OPERATIONS_QUOTA_EXCEEDED"],
            TryAgain,
            "bulkInsert: CONCURRENT_OPERATIONS_QUOTA_EXCEEDED: Why 0.",
        ),
        (["INTERNAL_ERROR"], TryAgain, "bulkInsert: INTERNAL_ERROR: Why 0."),
        (["RESOURCE_ALREADY_EXISTS"], TryAgain, "bulkInsert: RESOURCE_ALREADY_EXISTS: Why 0."),
        (["PERMISSIONS_ERROR"], NotAllowed, "bulkInsert: PERMISSIONS_ERROR: Why 0."),
        (["UNSUPPORTED_OPERATION"], InvalidPlan, "bulkInsert: UNSUPPORTED_OPERATION: Why 0."),
    ],
)
def test_a_failed_operation_is_the_error_that_it_means(codes, kind, text):
    error = of_operation(failed(*codes))

    assert (type(error), str(error)) == (kind, text)


def test_an_operation_that_went_well_is_no_error():
    assert of_operation(Operation(operation_type="insert", status="DONE")) is None


def test_an_operation_that_failed_without_a_code_goes_by_its_status():
    error = of_operation(
        Operation(operation_type="insert", status="DONE", http_error_status_code=503, http_error_message="UNAVAILABLE")
    )

    assert (type(error), str(error)) == (TryAgain, "insert: UNAVAILABLE")


SECRET = "ya29.a-token"


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (requests.ConnectionError(SECRET), TryAgain, "GCE did not answer: ConnectionError"),
        (requests.ReadTimeout(SECRET), TryAgain, "GCE did not answer: ReadTimeout"),
        (TransportError(SECRET), TryAgain, "GCE did not answer: TransportError"),
        (requests.TooManyRedirects(SECRET), ProviderError, "the request to GCE could not be made: TooManyRedirects"),
        (DefaultCredentialsError("x"), NoCredentials, "this site has no usable Google Cloud credentials"),
        (RefreshError(SECRET), NotAllowed, "Google Cloud refuses an access token to this site: RefreshError"),
        (RefreshError(SECRET, retryable=True), TryAgain, "no access token from Google Cloud now: RefreshError"),
    ],
)
def test_an_error_of_the_sdk_is_translated_and_tells_no_secret(error, kind, text):
    assert raised(error) == (kind, text)


def test_our_own_errors_pass_as_they_are():
    assert raised(QuotaExceeded("enough")) == (QuotaExceeded, "enough")


def test_the_sdk_raises_what_we_translate():
    assert isinstance(answered(403, "quotaExceeded"), GoogleAPICallError)
