"""A leaderboard as the API, the page and its files tell it."""

from collections.abc import Iterator
from typing import Any

from submissions.choices import LatencyKind
from submissions.formatting.numbers import significant
from submissions.metrics import LATENCY_P99, OPS_PER_USD, THROUGHPUT
from submissions.models import Workload
from submissions.questions.leaderboard.query import Counts, Leaderboard, Place
from submissions.questions.workload import leader as leading

MILLION = 1_000_000

COLUMNS = (
    "rank",
    "rank_first",
    "rank_last",
    "name",
    "figure",
    "low",
    "high",
    "n",
    "submissions",
    "submission",
    "ratio_to_leader",
    "ratio_low",
    "ratio_high",
    "verdict",
    "throughput_ops_s",
    "latency_p99_ms",
    "latency_kind",
    "hourly_usd",
    "ops_per_usd",
    "price_date",
    "trust",
)


def sentence(board: Leaderboard) -> str:
    """Who leads, as far as noise allows to say."""
    if not board.places:
        return "Nothing of this workload can be ranked."
    return f"{leading.sentence([(place.name, place.standing) for place in board.places], _words(board))}."


def answer(workload: Workload, board: Leaderboard, counts: Counts) -> dict[str, Any]:
    """The body of GET leaderboard/."""
    return {
        "workload": workload.fingerprint,
        "workload_title": workload.title,
        "by": board.by.value,
        "metric": board.metric.key,
        "unit": board.metric.unit,
        "higher_is_better": board.metric.higher_is_better,
        "latency_kind": board.latency_kind,
        "sentence": sentence(board),
        "spread_cv": board.spread and board.spread.cv,
        "groups_count": board.groups,
        "groups": [_group(place) for place in board.places],
        "not_ranked": not_ranked(board, counts),
    }


def rows(board: Leaderboard) -> Iterator[tuple[Any, ...]]:
    """A row for each place, in the order of COLUMNS; money exact."""
    for place in board.places:
        values = {**_group(place)}
        values["low"], values["high"] = values.pop("interval") or (None, None)
        values["ratio_low"], values["ratio_high"] = values.pop("ratio_interval") or (None, None)
        yield tuple(values[column] for column in COLUMNS)


def not_ranked(board: Leaderboard, counts: Counts) -> dict[str, int]:
    """Submissions of the workload that the board leaves out, by reason; each counted once."""
    unpriced = other_kind = unknown_p99 = 0
    if board.metric == OPS_PER_USD:
        unpriced = counts.sound - counts.priced
    if board.metric == LATENCY_P99:
        known = sum(counts.p99_by_kind.values())
        unknown_p99 = counts.sound - known
        other_kind = known - counts.p99_by_kind.get(board.latency_kind or LatencyKind.UNKNOWN, 0)
    return {
        "relative": counts.relative,
        "doubtful": counts.doubtful,
        "retracted": counts.retracted,
        "unpriced": unpriced,
        "unknown_p99": unknown_p99,
        "other_latency_kind": other_kind,
    }


def left_out(board: Leaderboard, counts: Counts) -> list[str]:
    """The same in words; nothing for what is none."""
    kind = board.latency_kind.label if board.latency_kind else ""
    reasons = {
        "relative": "only relative to something else",
        "doubtful": "with a flag that puts the rate in doubt",
        "retracted": "retracted",
        "unpriced": "without a known price",
        "unknown_p99": "without a known p99",
        "other_latency_kind": f"with a p99 that is not known to be {kind}",
    }
    return [f"{number:,} {reasons[name]}" for name, number in not_ranked(board, counts).items() if number]


def shown(board: Leaderboard, figure: float) -> str:
    """A figure of the board in words."""
    if board.metric == OPS_PER_USD:
        return f"{significant(figure / MILLION)} million operations per dollar"
    if board.metric == LATENCY_P99:
        return f"a p99 {board.latency_kind.label if board.latency_kind else ''} of {significant(figure)} ms"
    return f"{significant(figure)} operations a second"


def _words(board: Leaderboard) -> leading.Words:
    superlatives = {THROUGHPUT: "highest throughput", OPS_PER_USD: "best value", LATENCY_P99: "lowest latency"}
    return leading.Words(
        what=board.by.label,
        figure=lambda figure: shown(board, figure),
        higher_is_better=board.metric.higher_is_better,
        superlative=superlatives[board.metric],
    )


def _group(place: Place) -> dict[str, Any]:
    best, standing = place.best, place.standing
    return {
        "rank": standing.rank,
        "rank_first": standing.first,
        "rank_last": standing.last,
        "name": place.name,
        "figure": place.figure,
        "interval": None if place.low is None or place.high is None else [place.low, place.high],
        "n": place.trials,
        "submissions": place.submissions,
        "submission": best.pk,
        "ratio_to_leader": standing.ratio,
        "ratio_interval": standing.interval and list(standing.interval),
        "verdict": standing.verdict and standing.verdict.value,
        "throughput_ops_s": best.throughput_ops_s,
        "latency_p99_ms": best.latency_p99_ms,
        "latency_kind": best.latency_kind,
        "hourly_usd": None if best.hourly_usd is None else f"{best.hourly_usd.normalize():f}",
        "ops_per_usd": None if best.ops_per_usd is None else f"{best.ops_per_usd.normalize():f}",
        "price_date": best.price_date and best.price_date.isoformat(),
        "trust": best.trust,
    }
