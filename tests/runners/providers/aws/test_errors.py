"""Each error of AWS is one of ours, and its text says what happened without saying too much."""

import pytest
from botocore.exceptions import (
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    ReadTimeoutError,
)

from runners.providers.aws.errors import of_state, translated
from runners.providers.base import (
    InvalidPlan,
    NoCapacity,
    NoCredentials,
    NotAllowed,
    ProviderError,
    QuotaExceeded,
    TryAgain,
)


def answered(code, *, status=400, message="Because.", call="RunInstances"):
    return ClientError(
        {"Error": {"Code": code, "Message": message}, "ResponseMetadata": {"HTTPStatusCode": status}}, call
    )


def raised(error):
    with pytest.raises(ProviderError) as caught, translated():
        raise error
    return type(caught.value), str(caught.value)


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("InsufficientInstanceCapacity", 500, NoCapacity),
        ("InsufficientCapacity", 400, NoCapacity),
        ("Unsupported", 400, NoCapacity),
        ("VcpuLimitExceeded", 400, QuotaExceeded),
        ("InstanceLimitExceeded", 400, QuotaExceeded),
        ("VolumeLimitExceeded", 400, QuotaExceeded),
        ("SecurityGroupLimitExceeded", 400, QuotaExceeded),
        ("MaxSpotInstanceCountExceeded", 400, QuotaExceeded),
        ("InsufficientFreeAddressesInSubnet", 400, QuotaExceeded),
        ("RequestLimitExceeded", 503, TryAgain),
        ("RequestLimitExceeded", 400, TryAgain),
        ("Throttling", 400, TryAgain),
        ("InternalError", 500, TryAgain),
        ("SomethingNew", 502, TryAgain),
        ("SomethingNew", 429, TryAgain),
        ("IdempotentParameterMismatch", 400, TryAgain),
        ("InvalidGroup.NotFound", 400, TryAgain),
        ("UnauthorizedOperation", 403, NotAllowed),
        ("AccessDenied", 403, NotAllowed),
        ("AuthFailure", 401, NotAllowed),
        ("ExpiredToken", 400, NotAllowed),
        ("OptInRequired", 401, NotAllowed),
        ("SomethingNew", 403, NotAllowed),
        ("AuthFailure.SomethingNew", 400, NotAllowed),
        ("InvalidAMIID.NotFound", 400, InvalidPlan),
        ("InvalidParameterValue", 400, InvalidPlan),
        ("InvalidInstanceType", 400, InvalidPlan),
        ("UnsupportedOperation", 400, InvalidPlan),
        ("SomethingNew", 400, ProviderError),
    ],
)
def test_an_answer_is_the_error_that_it_means(code, status, kind):
    assert raised(answered(code, status=status)) == (kind, f"RunInstances: {code}: Because.")


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (ConnectTimeoutError(endpoint_url="https://x"), TryAgain, "AWS did not answer: ConnectTimeoutError"),
        (ReadTimeoutError(endpoint_url="https://x"), TryAgain, "AWS did not answer: ReadTimeoutError"),
        (EndpointConnectionError(endpoint_url="https://x"), TryAgain, "AWS did not answer: EndpointConnectionError"),
        (
            NoCredentialsError(),
            NoCredentials,
            "this site has no usable AWS credentials: Unable to locate credentials",
        ),
        (NoRegionError(), InvalidPlan, "AWS needs a region"),
        (
            ParamValidationError(report="bad"),
            ProviderError,
            "the request to AWS could not be made: Parameter validation failed:\nbad",
        ),
    ],
)
def test_an_error_of_the_sdk_is_translated(error, kind, text):
    assert raised(error) == (kind, text)


def test_a_refusal_names_the_missing_right_without_the_encoded_blob():
    message = (
        "You are not authorized to perform this operation. User: arn:aws:iam::123456789012:user/bench is not "
        "authorized to perform: ec2:RunInstances. Encoded authorization failure message: 8gFf9sX0b"
    )

    assert raised(answered("UnauthorizedOperation", status=403, message=message)) == (
        NotAllowed,
        "RunInstances: UnauthorizedOperation: You are not authorized to perform this operation. User: "
        "arn:aws:iam::123456789012:user/bench is not authorized to perform: ec2:RunInstances.",
    )


def test_our_own_errors_pass_as_they_are():
    assert raised(QuotaExceeded("enough")) == (QuotaExceeded, "enough")


def test_the_first_spot_machine_of_an_account_says_what_to_create():
    kind, text = raised(answered("AuthFailure.ServiceLinkedRoleCreationNotPermitted", status=403))

    assert kind is NotAllowed
    assert text.endswith("create the role AWSServiceRoleForEC2Spot in IAM.")


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("Client.InternalError", NotAllowed),
        ("Client.InvalidKMSKey.InvalidState", NotAllowed),
        ("Client.InvalidSnapshot.NotFound", InvalidPlan),
        ("Client.VolumeLimitExceeded", QuotaExceeded),
        ("Server.InsufficientInstanceCapacity", NoCapacity),
        ("Server.InternalError", NoCapacity),
    ],
)
def test_a_machine_that_never_started_says_why(code, kind):
    error = of_state({"Code": code, "Message": "Why."})

    assert type(error) is kind
    assert str(error).startswith("Why.")


@pytest.mark.parametrize("code", ["Client.UserInitiatedShutdown", "Server.SpotInstanceTermination", ""])
def test_a_machine_that_ran_is_no_error(code):
    assert of_state({"Code": code, "Message": "Why."}) is None
