"""Errors of AWS as the errors that every provider raises."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from botocore.exceptions import (  # type: ignore[import-untyped]
    BotoCoreError,
    ClientError,
    ConnectionError,
    CredentialRetrievalError,
    HTTPClientError,
    MissingDependencyException,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
    ProfileNotFound,
    SSOError,
)

from runners.providers.base import (
    InvalidPlan,
    NoCapacity,
    NoCredentials,
    NotAllowed,
    ProviderError,
    QuotaExceeded,
    TryAgain,
)

# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
_NO_CAPACITY = frozenset(
    {
        "InsufficientCapacity",
        "InsufficientHostCapacity",
        "InsufficientInstanceCapacity",
        "InsufficientReservedInstanceCapacity",
        "InsufficientVolumeCapacity",
        "SpotMaxPriceTooLow",
        "Unsupported",  # the zone does not have the type
    }
)
_QUOTA = frozenset({"InsufficientFreeAddressesInSubnet", "MaxSpotInstanceCountExceeded"})
_NOT_ALLOWED = frozenset(
    {
        "AccessDenied",
        "AccessDeniedException",
        "AuthFailure",
        "Blocked",
        "ExpiredToken",
        "ExpiredTokenException",
        "InvalidClientTokenId",
        "OperationNotPermitted",
        "OptInRequired",
        "PendingVerification",
        "RequestExpired",  # the clock of this machine is wrong
        "SignatureDoesNotMatch",
        "UnauthorizedOperation",
        "UnrecognizedClientException",
    }
)
_TRY_AGAIN = frozenset(
    {
        "BandwidthLimitExceeded",
        "ConcurrentTagAccess",
        "EC2ThrottledException",
        "IdempotentParameterMismatch",  # already created with another image: it will be listed soon
        "InternalError",
        "InternalFailure",
        # eventually consistent: just created, or being deleted
        "InvalidGroup.NotFound",
        "InvalidInstanceID.NotFound",
        "InvalidKeyPair.NotFound",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "RequestTimeout",
        "ServiceUnavailable",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
        "Unavailable",
    }
)
_INVALID = frozenset({"MissingParameter", "UnsupportedOperation", "VPCIdNotSpecified"})  # and Invalid...
_KMS = "the account's default key for EBS must be usable by whoever launches machines"
# Why a machine goes from pending to terminated: the codes of its state reason.
_NEVER_STARTED: Mapping[str, tuple[type[ProviderError], str]] = {
    "Client.InternalError": (NotAllowed, _KMS),
    "Client.InvalidKMSKey": (NotAllowed, _KMS),
    "Client.InvalidSnapshot": (InvalidPlan, "the image's snapshot does not exist"),
    "Server.InternalError": (NoCapacity, ""),
}
_NO_CREDENTIALS = (
    CredentialRetrievalError,
    MissingDependencyException,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    SSOError,
)
_NO_SPOT_ROLE = "AuthFailure.ServiceLinkedRoleCreationNotPermitted"  # at an account's first spot machine
# A kilobyte of encoded text that is useless to readers.
_ENCODED = re.compile(r"\s*Encoded authorization failure message:.*", re.DOTALL)


@contextmanager
def translated() -> Iterator[None]:
    """Turn every exception of the SDK into a ProviderError."""
    try:
        yield
    except ClientError as error:
        raise of_answer(error) from error
    except _NO_CREDENTIALS as error:
        raise NoCredentials(f"this site has no usable AWS credentials: {error}") from error
    except NoRegionError as error:
        raise InvalidPlan("AWS needs a region") from error
    except (ConnectionError, HTTPClientError) as error:  # refused, timed out, cut off: the call may have gone through
        raise TryAgain(f"AWS did not answer: {type(error).__name__}") from error
    except BotoCoreError as error:
        raise ProviderError(f"the request to AWS could not be made: {error}") from error


def of_answer(error: ClientError) -> ProviderError:
    """The ProviderError of an error response; its text names the call and the code, for the owner of the run."""
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    text = f"{error.operation_name}: {code_of(error)}: {_message(error)}"
    if code_of(error) == _NO_SPOT_ROLE:
        text += " Launch one spot instance by hand, or create the role AWSServiceRoleForEC2Spot in IAM."
    return kind_of(code_of(error), status)(text)


def kind_of(code: str, status: int = 400) -> type[ProviderError]:
    """The class of an error code."""
    if code in _NO_CAPACITY:
        return NoCapacity
    if code in _TRY_AGAIN or status >= 500 or status == 429:
        return TryAgain
    if code in _NOT_ALLOWED or code.startswith("AuthFailure.") or status in (401, 403):
        return NotAllowed
    # VcpuLimitExceeded, InstanceLimitExceeded, VolumeLimitExceeded, SecurityGroupLimitExceeded, ...
    if code in _QUOTA or code.endswith("LimitExceeded"):
        return QuotaExceeded
    if code in _INVALID or code.startswith("Invalid"):
        return InvalidPlan
    return ProviderError


def of_state(reason: Mapping[str, str]) -> ProviderError | None:
    """Why a terminated machine was never started, from its state reason; None when it was."""
    code, text = reason.get("Code", ""), reason.get("Message", "")[:300]
    for known, (kind, hint) in _NEVER_STARTED.items():
        if code == known or code.startswith(f"{known}."):
            return kind(f"{text} ({hint})" if hint else text)
    kind = kind_of(code.rpartition(".")[2])
    return kind(text) if kind in (NoCapacity, QuotaExceeded) else None


def code_of(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _message(error: ClientError) -> str:
    message = str(error.response.get("Error", {}).get("Message", ""))
    return _ENCODED.sub("", message)[:300]
