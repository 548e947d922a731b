"""What Compute Engine answers, as the errors that every provider raises."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import requests
from google.api_core.exceptions import GoogleAPICallError, RetryError
from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError, TransportError
from google.cloud.compute_v1 import Operation

from runners.providers.base import NoCapacity, NotAllowed, ProviderError, QuotaExceeded, TryAgain

# Codes of operations are in capitals, reasons of refused requests are not; each cause has both.
# https://cloud.google.com/compute/docs/troubleshooting/troubleshooting-resource-availability
_TOO_FEW = "VM_MIN_COUNT_NOT_REACHED"
_NO_CAPACITY = (
    "RESOURCE_POOL_EXHAUSTED",  # ZONE_..., REGION_..., ..._WITH_DETAILS
    "STOCKOUT",
    _TOO_FEW,  # where nothing else says why
)
# Before the quotas: these are limits a minute, not of the project's size.
_TRY_AGAIN = (
    "RATE_LIMIT_EXCEEDED",
    "RATELIMITEXCEEDED",  # also userRateLimitExceeded
    "RATE_EXCEEDED",  # RESOURCE_OPERATION_RATE_EXCEEDED
    "CONCURRENT_OPERATIONS_QUOTA_EXCEEDED",
    "INTERNAL_ERROR",
    "INTERNALERROR",
    "BACKENDERROR",
    # what we have just made is not known everywhere yet, or what we saw is going
    "RESOURCE_NOT_READY",
    "RESOURCENOTREADY",
    "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE",
    "RESOURCEINUSEBYANOTHERRESOURCE",
    "RESOURCE_ALREADY_EXISTS",
    "ALREADYEXISTS",
)
_QUOTA = ("QUOTA_EXCEEDED", "QUOTAEXCEEDED", "LIMIT_EXCEEDED", "LIMITEXCEEDED", "IP_SPACE_EXHAUSTED")
_NOT_ALLOWED = ("PERMISSION", "FORBIDDEN", "ACCESSNOTCONFIGURED", "CONDITION_NOT_MET", "CONDITIONNOTMET")
_KINDS: Sequence[tuple[tuple[str, ...], type[ProviderError]]] = (
    (_NO_CAPACITY, NoCapacity),
    (_TRY_AGAIN, TryAgain),
    (_QUOTA, QuotaExceeded),
    (_NOT_ALLOWED, NotAllowed),
)


@contextmanager
def translated() -> Iterator[None]:
    """Raise ProviderError, and nothing else, for whatever the SDK raises inside."""
    try:
        yield
    except GoogleAPICallError as error:
        raise of_answer(error) from error
    except (requests.ConnectionError, requests.Timeout, TransportError, RetryError) as error:
        # refused, timed out, cut off: the call may have gone through
        raise TryAgain(f"GCE did not answer: {type(error).__name__}") from error
    except DefaultCredentialsError as error:
        raise NotAllowed("this site has no usable Google Cloud credentials") from error
    except GoogleAuthError as error:  # its text may hold the answer of the token's issuer
        if getattr(error, "retryable", False):
            raise TryAgain(f"no access token from Google Cloud now: {type(error).__name__}") from error
        raise NotAllowed(f"Google Cloud gives this site no access token: {type(error).__name__}") from error
    except requests.RequestException as error:
        raise ProviderError(f"the request to GCE could not be made: {type(error).__name__}") from error


def of_answer(error: GoogleAPICallError) -> ProviderError:
    """The provider's error of a refused request; its text names the reason, for the run's owner."""
    reason = reason_of(error)
    kind = kind_of(reason, int(error.code or 0))
    return kind(f"{reason or error.code}: {_message(error)}")


def reason_of(error: GoogleAPICallError) -> str:
    """Compute Engine's word for why: quotaExceeded, notFound, ..."""
    listed = [one.get("reason", "") for one in error.errors or () if isinstance(one, dict)]
    return str(next(filter(None, listed), error.reason or ""))


def of_operation(operation: Operation) -> ProviderError | None:
    """Why a finished operation failed; None when it did not. Of several reasons the most telling one decides."""
    errors = list(operation.error.errors)
    if not errors:
        status = operation.http_error_status_code
        if status < 400:
            return None
        return kind_of("", status)(f"{operation.operation_type}: {operation.http_error_message}")
    # says that there are too few machines, while the errors beside it say why
    errors = [one for one in errors if one.code != _TOO_FEW] or errors
    kinds = [kind_of(one.code, 400) for one in errors]
    telling = next((kind for _, kind in _KINDS if kind in kinds), ProviderError)
    said = errors[kinds.index(telling)]
    return telling(f"{operation.operation_type}: {said.code}: {said.message[:300]}")


def kind_of(code: str, status: int) -> type[ProviderError]:
    """The class of an error's code or reason; without a known one the HTTP status decides."""
    for words, kind in _KINDS:
        if any(word in code.upper() for word in words):
            return kind
    if status >= 500 or status in (408, 429):
        return TryAgain
    return NotAllowed if status in (401, 403) else ProviderError


def _message(error: GoogleAPICallError) -> str:
    """Without the method and address that the SDK puts before Google's own words."""
    listed = [one.get("message", "") for one in error.errors or () if isinstance(one, dict)]
    return str(next(filter(None, listed), error.message))[:300]
