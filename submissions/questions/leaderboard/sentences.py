"""A leaderboard in words: who leads, what the chart shows, how much equal runs vary."""

from collections import Counter

from submissions.formatting import currency
from submissions.formatting.load import rate_words
from submissions.formatting.text import HAS, plural, share_of
from submissions.metrics import LATENCY_P99, OPS_PER_USD
from submissions.pricing.book.dating import price_words
from submissions.pricing.reprice import price_dates
from submissions.questions.boards.counts import Counts, unknown_p99_sentence
from submissions.questions.boards.leader_sentence import leader_sentence, ranking_terms
from submissions.questions.boards.likeness import circumstances_of
from submissions.questions.boards.noise_words import noise_words
from submissions.questions.boards.reasons import Reason
from submissions.questions.boards.trust_filter import Address, Chip
from submissions.questions.leaderboard.query import Leaderboard, LeaderboardResult


def finding(board: Leaderboard, counts: Counts | None = None) -> str:
    """Who leads, as far as noise allows a claim."""
    if not board.groups and counts and counts.p99_unknown:
        return f"No result of this workload is known to have a {_limit(board)}. {unknown_p99_sentence(counts)}"
    if not board.groups:
        return f"No result of this workload {'has a ' + _limit(board) if _limit(board) else 'can be ranked'}."
    conditions = f"at {rate_words(board.rate_ops_s)}" if board.rate_ops_s else _limit(board)
    terms = ranking_terms(board.metric, board.latency_kind, conditions)
    known = {str(group.best.pk): circumstances_of(group.best, board.metric) for group in board.groups}
    return leader_sentence([(group.name, group.entry) for group in board.groups], terms, known)


def _limit(board: Leaderboard) -> str:
    """ "p99 service time of at most 10 ms"; empty without a limit."""
    if board.max_p99_ms is None or board.latency_kind is None:
        return ""
    return f"p99 {board.latency_kind.label} of at most {board.max_p99_ms:g} ms"


def caveats(board: Leaderboard) -> list[str]:
    """For the chart and its picture."""
    line = (
        ", the band the 95 % interval of its mean in these runs"
        if any(group.interval for group in board.groups)
        else ""
    )
    once = sum(group.trials == 1 for group in board.groups)
    dated = price_words(price_dates(group.best for group in board.groups))
    sentences = [
        f"Each dot is a group's best result; the line spans its trials, the tick is their median{line}.",
    ]
    if any(group.best.shown_load for group in board.groups):
        sentences.append("A load curve is ranked at its highest load that keeps the limit.")
    if board.metric == LATENCY_P99 and any(group.best.latency_p99_is_bound for group in board.groups):
        sentences.append(
            "A p99 with ≤ is that of the slowest type of operation, which the p99 over all types does not exceed: "
            "it gets no verdict against a p99 of other operations."
        )
    if once:
        sentences.append(f"{share_of(once, len(board.groups), 'group', HAS)} a single trial.")
    if board.metric == OPS_PER_USD and dated:
        is_plain = board.terms.are_stored and currency.current().is_usd
        sentences.append(f"{'Prices when measured' if is_plain else f'Value {board.terms.words}'}: {dated}.")
    return sentences


def noise_note(board: Leaderboard) -> str:
    """Which noise between runs the verdicts on the groups allow for; empty without any."""
    sources = Counter(group.entry.judgement.noise_from for group in board.groups if group.entry.judgement)
    by_source = {
        group.entry.judgement.noise_from: group.entry.judgement for group in board.groups if group.entry.judgement
    }
    if not sources:
        return ""
    words = [
        noise_words(by_source[source]) + (f" ({plural(count, 'group')})" if len(sources) > 1 else "")
        for source, count in sources.most_common()
    ]
    return f"Verdicts allow for the noise between runs: {'; '.join(words)}."


def held_chips(result: LeaderboardResult, address: Address) -> list[Chip]:
    """A link to the ranking at each rate that load tools held results to; at such a rate, one back to the capacity."""
    if result.board.rate_ops_s:
        text = f"Results at {rate_words(result.board.rate_ops_s)}, ranked by latency."
        return [Chip(text, "Rank by throughput", address(rate=None, metric="", latency_kind=""))]
    return [
        Chip(
            f"{plural(number, 'result')} limited to {rate_words(rate)} by the load tool "
            f"{'is' if number == 1 else 'are'} not ranked: this is not {'its' if number == 1 else 'their'} capacity.",
            "Rank by latency at this rate",
            address(rate=rate, metric=LATENCY_P99.key, latency_kind="", max_p99_ms=None),
        )
        for rate, number in result.held_rates
    ]


def nothing_ranked(result: LeaderboardResult) -> str:
    """Why the board is empty although the workload has results; empty where it has none."""
    board = result.board
    if board.rate_ops_s and board.latency_kind:
        return f"No result at {rate_words(board.rate_ops_s)} has a p99 {board.latency_kind.label}."
    if result.counts.own_reasons.get(Reason.THROTTLED) and not result.counts.usable:
        return "The load tool limited every result to a rate, so no capacity is known."
    if board.metric == LATENCY_P99 and board.latency_kind and board.max_p99_ms is None:
        return f"No result of this workload has a p99 {board.latency_kind.label}."
    if board.max_p99_ms is not None and result.published:
        return finding(board, result.counts)
    if board.metric == OPS_PER_USD and result.published:
        return "No result of this workload has a known price."
    return ""
