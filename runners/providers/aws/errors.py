"""Errors of AWS as the errors that every provider raises."""

import re
from collections.abc import Iterator
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

from runners.providers.base import NoCapacity, NotAllowed, ProviderError, QuotaExceeded, TryAgain

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
_NO_CREDENTIALS = (
    CredentialRetrievalError,
    MissingDependencyException,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    SSOError,
)
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
        raise NotAllowed(f"this site has no usable AWS credentials: {error}") from error
    except NoRegionError as error:
        raise ProviderError("AWS needs a region") from error
    except (ConnectionError, HTTPClientError) as error:  # refused, timed out, cut off: the call may have gone through
        raise TryAgain(f"AWS did not answer: {type(error).__name__}") from error
    except BotoCoreError as error:
        raise ProviderError(f"the request to AWS could not be made: {error}") from error


def of_answer(error: ClientError) -> ProviderError:
    """The ProviderError of an error response; its text names the call and the code, for the owner of the run."""
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    text = f"{error.operation_name}: {code_of(error)}: {_message(error)}"
    return kind_of(code_of(error), status)(text)


def kind_of(code: str, status: int = 400) -> type[ProviderError]:
    """The class of an error code, which may also come from the state reason of an instance."""
    if code in _NO_CAPACITY:
        return NoCapacity
    if code in _TRY_AGAIN or status >= 500 or status == 429:
        return TryAgain
    if code in _NOT_ALLOWED or status in (401, 403):
        return NotAllowed
    # VcpuLimitExceeded, InstanceLimitExceeded, VolumeLimitExceeded, SecurityGroupLimitExceeded, ...
    if code in _QUOTA or code.endswith("LimitExceeded"):
        return QuotaExceeded
    return ProviderError


def code_of(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _message(error: ClientError) -> str:
    message = str(error.response.get("Error", {}).get("Message", ""))
    return _ENCODED.sub("", message)[:300]
