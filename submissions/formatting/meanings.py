"""What trust levels, flags and latency kinds mean, in words for readers of a page."""

from submissions.choices import Flag, LatencyKind, Trust

TRUST_MEANINGS = {
    Trust.HISTORICAL: "Taken from a published article; the raw logs are not available here.",
    Trust.UPLOADED: "Numbers stated by the submitter, without a raw log.",
    Trust.LOG_VERIFIED: "The numbers were read from the raw log, which can be downloaded.",
    Trust.RUN_BY_OWNER: "This site ran the benchmark on machines of the submitter's own cloud account.",
    Trust.RUN_BY_US: "The cluster was launched and measured by this site.",
    Trust.REPRODUCED: "Accounts of different organisations measured the same workload on equal clusters and agree.",
}

FLAG_MEANINGS = {
    Flag.RATE_MISMATCH: "The rate that the tool printed differs by more than 5 % from operations"
    " divided by measured time.",
    Flag.LITTLES_LAW: "Threads, throughput and mean latency disagree by more than a factor of two (Little's law).",
    Flag.ERRORS: "More than 0.1 % of the operations failed, which distorts the percentiles of the others.",
    Flag.PERCENTILE_ORDER: "The percentiles are not in rising order.",
    Flag.SHORT: "Less than 60 seconds were measured.",
    Flag.MIXED_CPUS: "Nodes of one group have different CPU models.",
    Flag.TRUNCATED: "The log ends before its summary; the figures come from its intervals.",
    Flag.FAILED: "The load tool itself reported that the run failed.",
    Flag.INCOMPLETE: "The log is complete, but the load tool did far fewer operations than requested,"
    " and no time limit ended the run.",
    Flag.NOT_MERGEABLE: "Several clients gave only summaries: their percentiles cannot be merged,"
    " the highest is shown with the range.",
    Flag.RATE_IMPLAUSIBLE: "The rate is more than ten times the best one of this workload, or more than any node does;"
    " a moderator has not confirmed it.",
    Flag.STATED_PRICE_OFF: "The submitter's price is less than half or more than twice the list price,"
    " or makes the value more than ten times the best one of this workload.",
    Flag.WITHOUT_STORAGE: "No disk was stated, and machines of this type come without one. The price has no storage,"
    " and the result leads no board of money.",
    Flag.THROTTLED: "The load tool limited the rate, and the database kept up: its capacity is higher, by an unknown"
    " amount. It is ranked by latency among results at the same rate.",
    Flag.STALE_PRICE: "The list price that was used had last been seen more than 12 months before the measurement.",
    Flag.NOT_FOUND: "More than 0.1 % of the operations asked for records that the workload itself had deleted."
    " They count as errors, neither in the rate nor in the percentiles.",
    Flag.SECRETS_MASKED: "Passwords or keys were masked in the raw log before it was stored.",
}

LATENCY_KIND_MEANINGS = {
    LatencyKind.SERVICE_TIME: "from sending a request to its answer; excludes the wait of a late request",
    LatencyKind.RESPONSE_TIME: "from the moment at which the request was due to its answer"
    " (corrected for coordinated omission)",
    LatencyKind.UNKNOWN: "the source does not say whether it is service or response time",
}
