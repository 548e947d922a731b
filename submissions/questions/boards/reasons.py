"""Why a result of a workload takes no part in an answer: the reasons, and which exclusion profiles have them."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from submissions.aggregates.profile import ExclusionProfile
from submissions.choices import Choice, Trust


class Reason(Choice):
    """The values are keys of JSON answers."""

    RETRACTED = "retracted"
    RELATIVE = "relative"
    FLAGGED = "doubtful"  # with a flag that excludes it
    THROTTLED = "throttled"  # its rate is the load tool's limit, not a capacity
    OTHER_RATE = "other_rate"
    UNRANKED = "unranked"  # awaits a moderator, or one took it from the boards
    UPLOADED = "uploaded"  # without a log
    HISTORICAL = "historical"  # from an article
    WITH_LOG = "with_log"  # beside historical ones
    LOW_TRUST = "low_trust"
    PRICE_OFF = "stated_price_off"
    WITHOUT_STORAGE = "without_storage"
    UNPRICED = "unpriced"
    UNDATED = "undated"
    AGED = "aged"  # with an age mark that the reader leaves out
    WITH_CACHE = "with_cache"
    MIXED_MACHINES = "mixed_machines"
    UNKNOWN_P99 = "unknown_p99"
    OTHER_LATENCY_KIND = "other_latency_kind"
    ABOVE_LIMIT = "above_limit"


# Of the trust levels that a board leaves to others: see `board_reasons`.
_OF_PROFILES: Mapping[Reason, Callable[[ExclusionProfile], bool]] = {
    Reason.RETRACTED: lambda profile: profile.is_retracted,
    Reason.RELATIVE: lambda profile: profile.is_relative,
    Reason.FLAGGED: lambda profile: profile.is_unreliable,
    Reason.THROTTLED: lambda profile: profile.is_throttled,
    Reason.UNRANKED: lambda profile: profile.is_unranked,
    Reason.UPLOADED: lambda profile: profile.trust == Trust.UPLOADED,
    Reason.WITH_LOG: lambda profile: profile.trust != Trust.HISTORICAL,
    Reason.PRICE_OFF: lambda profile: profile.is_price_off,
    Reason.WITHOUT_STORAGE: lambda profile: profile.is_without_storage,
    Reason.UNPRICED: lambda profile: profile.is_unpriced,
    Reason.UNDATED: lambda profile: profile.is_undated,
    Reason.WITH_CACHE: lambda profile: profile.has_caches,
    Reason.MIXED_MACHINES: lambda profile: profile.has_mixed_machines,
}


# What a board of money leaves out beside those without a price.
MONEY_REASONS = (Reason.PRICE_OFF, Reason.WITHOUT_STORAGE)


def board_reasons(trust: Trust | None) -> list[Reason]:
    """What no board takes, and what this one leaves to those of other trust filters, in the order of application."""
    reasons = [Reason.FLAGGED, Reason.THROTTLED, Reason.UNRANKED]
    if trust == Trust.HISTORICAL:
        return [*reasons, Reason.UPLOADED, Reason.WITH_LOG]
    reasons.append(Reason.HISTORICAL)
    if trust != Trust.UPLOADED:
        reasons.append(Reason.UPLOADED)
    if trust is not None and trust.rank > Trust.LOG_VERIFIED.rank:
        reasons.append(Reason.LOW_TRUST)
    return reasons


def first_reason(
    profile: ExclusionProfile,
    reasons: Sequence[Reason],
    trust: Trust | None,
    *,
    has_proven: bool,
    holding: Iterable[Reason] = (),
) -> Reason | None:
    """`has_proven`: its workload has ranked results with a raw log. `holding`: reasons that no profile knows."""
    for reason in reasons:
        if reason == Reason.HISTORICAL:
            applies = profile.trust == Trust.HISTORICAL and (trust is not None or has_proven)
        elif reason == Reason.LOW_TRUST:
            applies = trust is not None and profile.trust not in trust.and_higher
        elif reason in _OF_PROFILES:
            applies = _OF_PROFILES[reason](profile)
        else:
            applies = reason in holding
        if applies:
            return reason
    return None
