"""What one submission shows, in sentences."""

from datetime import datetime

from submissions.choices import DateSource, LoadMode, Trust
from submissions.formatting.load import held_by
from submissions.formatting.names import cluster_name, place_name, service_name
from submissions.formatting.numbers import hourly, ops_per_usd, ops_s, significant
from submissions.formatting.p99_words import p99_latency
from submissions.formatting.text import plural, trials_words
from submissions.models import ModerationDecision, Submission
from submissions.pricing.bill import Bill
from submissions.pricing.book.confirmation import PriceDates
from submissions.pricing.book.dating import price_words
from submissions.records.detail.load_curve import LoadCurve

DATA_EXCEEDS_MEMORY = "more data than memory"
NO_AMOUNT_OF_DATA = "the load tool does not state how much data was loaded"
NO_REPLICATION_FACTOR = "the replication factor is not stated"
NO_MEMORY = "the memory of the nodes is not known"

_NUMBERS = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six", 7: "Seven", 8: "Eight", 9: "Nine"}


def finding(submission: Submission, curve: LoadCurve | None = None) -> str:
    system = system_words(submission)
    if curve and curve.is_of_search:
        return f"{system}. {curve.finding}"
    if submission.throughput_ops_s is None:
        return _relative_finding(submission, system)
    if submission.is_throttled:
        return _throttled_finding(submission, system)
    p99 = p99_latency(submission)
    at_p99 = f" at a p99 of {p99}" if p99 else ""
    rate = ops_s(submission.throughput_ops_s)
    if submission.load_mode == LoadMode.CURVE:
        # a document that was stored before there were curves has no points: its figures are those of all loads
        rate += " at the peak of its load curve" if submission.at_slo else " on average over several loads"
        at_p99 = f", with a p99 of {p99}," if p99 else ""
    return f"{system} reached {rate}{at_p99}{_value_words(submission)}. {_trials_words(submission)}"


def system_words(submission: Submission) -> str:
    """ "Apache Cassandra 2.1.8 on 3× m3.2xlarge with 4 cache nodes · AWS us-east-1"."""
    service = " ".join(part for part in (service_name(submission.service), submission.service_version) if part)
    cluster = cluster_name(submission.node_count, submission.instance_type)
    if submission.cache_node_count:
        cluster += f" with {plural(submission.cache_node_count, 'cache node')}"
    return f"{service} on {cluster} · {place_name(submission.provider, submission.region)}"


def date_note(submission: Submission) -> str:
    """Where the date comes from, in brackets beside it; "" where there is none, or where that is not known."""
    if submission.measured_at is None or not submission.measured_at_source:
        return ""
    source = DateSource(submission.measured_at_source)
    if source in (DateSource.FILE, DateSource.RECEIVED):
        return f"({source.label}: no date was stated, so the prices of this date are used)"
    return f"({source.label})"


def bill_note(submission: Submission, bill: Bill) -> str:
    """What the bill contains, whose it is, and at which prices."""
    is_run = Trust(submission.own_trust or submission.trust) in (Trust.RUN_BY_OWNER, Trust.RUN_BY_US)
    source = "From the machines of the run" if is_run else "Stated by the source"
    terms = [
        bill.basis.label if bill.basis else "",
        price_words([PriceDates(submission.provider, bill.price_date, None)]),
    ]
    words = ", ".join(term for term in terms if term)
    contents = "Set-up and run of every machine, load clients included, with storage and traffic between zones."
    return f"{contents} {source}{f': {words}' if words else ''}. {bill.missing}".strip()


def data_changes(start: float, end: float) -> str:
    """Of the ratio of data to memory, which is a mean where the workload inserts or deletes."""
    return f"on average, {significant(start)} at the start and {significant(end)} at the end"


def description(submission: Submission) -> str:
    """For search engines and previews of links."""
    return f"{system_words(submission)}: throughput, latency and cost, benchmark result {submission.pk}."


def moderation(submission: Submission, decision: ModerationDecision | None, now: datetime) -> str:
    """What moderation means for its reader; empty for a result that is ranked as any other."""
    reason = f" Reason: {decision.reason}" if decision else ""
    if submission.hidden_at:
        return f"A moderator has hidden this result: only its owner and moderators see this page.{reason}"
    if submission.unranked_at:
        return f"A moderator has taken this result off the leaderboards.{reason}"
    if submission.unranked_until and submission.unranked_until > now:
        return (
            "The first results of an account join the leaderboards after a review: this one on "
            f"{submission.unranked_until:%Y-%m-%d}, or earlier once reviewed."
        )
    return ""


def agreement(accounts: int) -> str:
    """ "Two accounts agree"; empty for 0."""
    return f"{_NUMBERS.get(accounts, f'{accounts:,}')} accounts agree" if accounts else ""


def percentile_label(submission: Submission) -> str:
    return f"Latency by percentile of result #{submission.pk}: {system_words(submission)}."


def over_time_label(submission: Submission) -> str:
    return f"Throughput and p99 over time of result #{submission.pk}: {system_words(submission)}."


def _relative_finding(submission: Submission, system: str) -> str:
    figure = "" if submission.relative_throughput is None else significant(submission.relative_throughput)
    return (
        f"{system} is known only relative to a baseline: {figure} (baseline: {submission.relative_base}). "
        f"Relative results are never ranked.{' ' + _trials_words(submission) if submission.averaged_over else ''}"
    )


def _throttled_finding(submission: Submission, system: str) -> str:
    p99 = p99_latency(submission)
    at_p99 = f", with a p99 of {p99}" if p99 else ""
    cost = "" if submission.hourly_usd is None else f" It cost {hourly(submission.hourly_usd)}."
    return (
        f"{system} was {held_by(submission)}{at_p99}: its maximum was not measured.{cost} {_trials_words(submission)}"
    )


def _value_words(submission: Submission) -> str:
    if submission.hourly_usd is None or submission.ops_per_usd is None:
        return "; the cluster cost is unknown"
    return f" for {hourly(submission.hourly_usd)}: {ops_per_usd(submission.ops_per_usd)}"


def _trials_words(submission: Submission) -> str:
    if submission.averaged_over:
        return f"{trials_words(submission.trials_count, submission.averaged_over)}."
    return "Single trial." if submission.trials_count == 1 else f"{plural(submission.trials_count, 'trial')}."
