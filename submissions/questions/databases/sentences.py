"""Databases under the same load, in words."""

from submissions.analysis.comparison.compare import Ratio
from submissions.analysis.comparison.verdicts import Verdict
from submissions.formatting.names import cluster_name, provider_name, service_name
from submissions.formatting.numbers import ops_s, significant
from submissions.formatting.text import join_and, plural
from submissions.pricing.book.dating import price_words
from submissions.pricing.reprice import price_dates
from submissions.questions.boards.noise_words import more_runs, runs_words
from submissions.questions.databases.consistency import Waits
from submissions.questions.databases.query import (
    MOST_CLUSTERS,
    DatabaseRow,
    DatabasesResult,
    Obstacle,
    Pair,
)

NO_LOAD = "No load has been measured on two databases yet."
_VERDICTS = {
    Verdict.BETTER: "faster",
    Verdict.WORSE: "slower",
    Verdict.WITHIN_NOISE: "as fast, within noise",
    Verdict.INCONCLUSIVE: "not yet conclusive",
}


def finding(result: DatabasesResult) -> str:
    """The fastest cluster of each database, then what the verdicts say."""
    if result.load is None:
        return NO_LOAD
    if not result.rows:
        return "No result under this load can be ranked."
    fastest = {row.service: row for row in reversed(result.rows)}
    best = [fastest[service] for service in result.databases]
    if len(best) == 1:
        return f"Under this load only {service_name(best[0].service)} has results that can be ranked."
    words = join_and([f"{service_name(row.service)} {_rate(row)} with {cluster_words(row)}" for row in best])
    first = next((pair for pair in result.pairs if pair.comparison), None) or result.pairs[0]
    return f"Highest throughput: {words}. {pair_sentence(first)}"


def pair_sentence(pair: Pair) -> str:
    a, b = service_name(pair.a.service), service_name(pair.b.service)
    if pair.obstacle is not None:
        return f"No verdict on {b} and {a}: {obstacle_words(pair)}."
    ratio = pair.comparison.throughput if pair.comparison else None
    if ratio is None:
        return f"No verdict on {b} and {a}: their rates cannot be compared."
    where = (
        f"With {cluster_words(pair.a)} each" if pair.is_one_cluster else f"On different clusters ({_clusters(pair)})"
    )
    waits = pair.a.consistency.waits or Waits.ONE
    return (
        f"{where}, both waiting for {waits.label}, {b} does {significant(ratio.ratio)} times the "
        f"throughput of {a}: {verdict_words(ratio)}."
    )


def verdict_words(ratio: Ratio) -> str:
    """ "faster (one run each)"; where it is not conclusive, how many more runs would be."""
    judgement = ratio.judgement
    if judgement is None:
        return "no verdict"
    missing = more_runs(judgement)
    more = f"; {missing} would detect the difference" if missing else ""
    return f"{_VERDICTS[judgement.verdict]} ({runs_words(judgement)}{more})"


def obstacle_words(pair: Pair) -> str:
    """Why there is no verdict; no whole sentence."""
    sides = (pair.a, pair.b)
    match pair.obstacle:
        case Obstacle.NOT_STATED:
            silent = [service_name(side.service) for side in sides if not side.consistency.words]
            does = "does" if len(silent) == 1 else "do"
            its = "its" if len(silent) == 1 else "their"
            return f"the result of {join_and(silent)} {does} not state {its} consistency"
        case Obstacle.NO_CLASS:
            levels = [side.consistency.words for side in sides if not side.consistency.waits]
            return f"{join_and(levels)} waits for neither one replica, a majority nor all of them"
        case _:
            words = [
                f"{service_name(side.service)} waits for {side.consistency.waits.label} ({side.consistency.words})"
                for side in sides
                if side.consistency.waits
            ]
            return join_and(words)


def caveats(result: DatabasesResult) -> list[str]:
    """What a reader has to know before choosing by these figures."""
    found = []
    durable = {row.durability or "not stated" for row in result.rows}
    if len(durable) > 1:
        found.append("Durability differs, or is not stated: a write that waits for the disk takes longer.")
    if result.clusters > len(result.rows):
        number = f"{len(result.rows)} of {result.clusters:,}"
        found.append(f"Only the {MOST_CLUSTERS} fastest clusters of each workload are shown: {number}.")
    unpriced = sum(row.submission.hourly_usd is None for row in result.rows)
    if unpriced:
        found.append(f"The price of {plural(unpriced, 'cluster')} is unknown.")
    dated = price_words(price_dates(row.submission for row in result.rows))
    if dated:
        found.append(f"Costs are those when measured: {dated}.")
    return found


def cluster_words(row: DatabaseRow) -> str:
    """ "3× i3.xlarge (AWS)"."""
    shown = row.submission
    return f"{cluster_name(shown.node_count, shown.instance_type)} ({provider_name(shown.provider)})"


def _clusters(pair: Pair) -> str:
    return f"{cluster_words(pair.b)} against {cluster_words(pair.a)}"


def _rate(row: DatabaseRow) -> str:
    return ops_s(row.submission.throughput_ops_s or 0.0)
