"""Errors of Compute Engine as the errors that every provider raises."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import requests
from google.api_core.exceptions import GoogleAPICallError, RetryError
from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError, TransportError
from google.cloud.compute_v1 import Operation

from runners.providers.base import (
    InvalidPlan,
    NoCapacity,
    NoCredentials,
    NotAllowed,
    ProviderError,
    QuotaExceeded,
    TryAgain,
)

# Codes of operations are in capitals, reasons of refused requests in camel case; each cause has both.
# https://cloud.google.com/compute/docs/troubleshooting/troubleshooting-resource-availability
_TOO_FEW = "VM_MIN_COUNT_NOT_REACHED"
_NO_CAPACITY = (
    "RESOURCE_POOL_EXHAUSTED",  # ZONE_..., REGION_..., ..._WITH_DETAILS
    "STOCKOUT",
    _TOO_FEW,  # where no other error gives the cause
)
# Checked before the quotas: these limit the rate of requests, not the size of the project.
_TRY_AGAIN = (
    "RATE_LIMIT_EXCEEDED",
    "RATELIMITEXCEEDED",  # also userRateLimitExceeded
    "RATE_EXCEEDED",  # RESOURCE_OPERATION_RATE_EXCEEDED
    "CONCURRENT_OPERATIONS_QUOTA_EXCEEDED",
    "INTERNAL_ERROR",
    "INTERNALERROR",
    "BACKENDERROR",
    # eventually consistent: just created, or being deleted
    "RESOURCE_NOT_READY",
    "RESOURCENOTREADY",
    "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE",
    "RESOURCEINUSEBYANOTHERRESOURCE",
    "RESOURCE_ALREADY_EXISTS",
    "ALREADYEXISTS",
)
_QUOTA = ("QUOTA_EXCEEDED", "QUOTAEXCEEDED", "LIMIT_EXCEEDED", "LIMITEXCEEDED", "IP_SPACE_EXHAUSTED")
_NOT_ALLOWED = (
    "PERMISSION",
    "FORBIDDEN",
    "ACCESSNOTCONFIGURED",
    "CONDITION_NOT_MET",
    "CONDITIONNOTMET",
    "LOGINREQUIRED",
)
# What a request names does not exist, or cannot be combined.
_INVALID = ("INVALID", "NOTFOUND", "NOT_FOUND", "BADREQUEST", "REQUIRED", "UNSUPPORTED")
_KINDS: Sequence[tuple[tuple[str, ...], type[ProviderError]]] = (
    (_NO_CAPACITY, NoCapacity),
    (_TRY_AGAIN, TryAgain),
    (_QUOTA, QuotaExceeded),
    (_NOT_ALLOWED, NotAllowed),
    (_INVALID, InvalidPlan),
)


@contextmanager
def translated() -> Iterator[None]:
    """Turn every exception of the SDK into a ProviderError."""
    try:
        yield
    except GoogleAPICallError as error:
        raise of_answer(error) from error
    except (requests.ConnectionError, requests.Timeout, TransportError, RetryError) as error:
        # refused, timed out, cut off: the call may have gone through
        raise TryAgain(f"GCE did not answer: {type(error).__name__}") from error
    except DefaultCredentialsError as error:
        raise NoCredentials("this site has no usable Google Cloud credentials") from error
    except GoogleAuthError as error:  # its text may contain the answer of the token's issuer
        if getattr(error, "retryable", False):
            raise TryAgain(f"no access token from Google Cloud now: {type(error).__name__}") from error
        raise NotAllowed(f"Google Cloud refuses an access token to this site: {type(error).__name__}") from error
    except requests.RequestException as error:
        raise ProviderError(f"the request to GCE could not be made: {type(error).__name__}") from error


def of_answer(error: GoogleAPICallError) -> ProviderError:
    """The ProviderError of a refused request; its text names the reason, for the owner of the run."""
    reason = reason_of(error)
    kind = kind_of(reason, int(error.code or 0))
    return kind(f"{reason or error.code}: {_message(error)}")


def reason_of(error: GoogleAPICallError) -> str:
    """Compute Engine's code of the reason: quotaExceeded, notFound, ..."""
    reasons = [each.get("reason", "") for each in error.errors or () if isinstance(each, dict)]
    return str(next(filter(None, reasons), error.reason or ""))


def of_operation(operation: Operation) -> ProviderError | None:
    """Why a finished operation failed; None when it did not. Of several reasons, the most specific one counts."""
    errors = list(operation.error.errors)
    if not errors:
        status = operation.http_error_status_code
        if status < 400:
            return None
        return kind_of("", status)(f"{operation.operation_type}: {operation.http_error_message}")
    # this code only reports too few machines; the other errors give the cause
    errors = [error for error in errors if error.code != _TOO_FEW] or errors
    kinds = [kind_of(error.code, 400) for error in errors]
    kind = next((kind for _, kind in _KINDS if kind in kinds), ProviderError)
    error = errors[kinds.index(kind)]
    return kind(f"{operation.operation_type}: {error.code}: {error.message[:300]}")


def kind_of(code: str, status: int) -> type[ProviderError]:
    """The class of an error's code or reason; if it is unknown, the HTTP status decides."""
    for words, kind in _KINDS:
        if any(word in code.upper() for word in words):
            return kind
    if status >= 500 or status in (408, 429):
        return TryAgain
    return NotAllowed if status in (401, 403) else ProviderError


def _message(error: GoogleAPICallError) -> str:
    """Google's message, without the method and URL that the SDK puts before it."""
    messages = [each.get("message", "") for each in error.errors or () if isinstance(each, dict)]
    return str(next(filter(None, messages), error.message))[:300]
