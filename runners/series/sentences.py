"""What a series found, in sentences for readers who know no statistics."""

from runners.choices import CellOrder, Clusters, SeriesStatus
from runners.series.report import Combined, Report
from submissions.analysis.comparison.verdicts import Judgement, Verdict
from submissions.formatting.numbers import percent, significant
from submissions.formatting.text import plural

_MUCH = 3.0  # times: an interval that reaches so far is no matter of percent


def finding(report: Report) -> str:
    """Which combination leads, and how sure that is."""
    fastest, reference = report.fastest, report.reference
    if fastest is None:
        return _without_results(report)
    rate = f"{significant(fastest.throughput_ops_s or 0)} ops/s"
    if len(report.with_figures) == 1:
        return f"So far only {fastest.words} has a result: {rate}."
    lead = f"{fastest.words[0].upper()}{fastest.words[1:]} is the fastest: {rate}"
    if fastest.number == reference.number:
        others = [each for each in report.with_figures if each.number != reference.number]
        second = max(others, key=lambda each: each.throughput_ops_s or 0)
        return f"{lead}. Next is {second.words}: {_verdict_words(second.verdict)}{_by(second)}."
    return f"{lead}, {_verdict_words(fastest.verdict, f' than {reference.words}')}{_by(fastest)}."


def value_finding(report: Report) -> str:
    """Which combination gives the most operations per dollar; "" where prices are unknown or nothing differs."""
    best = report.best_value
    if best is None or best.ops_per_usd is None:
        return ""
    lead = f"{best.words[0].upper()}{best.words[1:]}"
    return f"{lead} offers the best value: {significant(float(best.ops_per_usd) / 1e6)} M ops/$."


def _without_results(report: Report) -> str:
    if report.series.is_final:
        return "No cell of this series has a result."
    if report.series.status == SeriesStatus.QUEUED:
        return "The series is waiting for its first run."
    return "The first run is being measured: there is no result yet."


def _by(each: Combined) -> str:
    if each.paired is not None:
        return f" (compared round by round, {plural(each.paired.runs[0], 'round')})"
    return " (unpaired)" if each.unpaired is not None else ""


def _verdict_words(judgement: Judgement | None, than: str = "") -> str:
    if judgement is None:
        return "not compared"
    change = f"{change_words(judgement)}{than}"
    return {
        Verdict.BETTER: f"{change}, conclusive",
        Verdict.WORSE: f"{change}, conclusive",
        Verdict.WITHIN_NOISE: f"{change}, within noise",
        Verdict.INCONCLUSIVE: f"{change}, not yet conclusive",
    }[judgement.verdict]


def change_words(judgement: Judgement) -> str:
    """ "12 % faster", "3 % slower": by the runs that the interval is about."""
    change = judgement.ratio_over_runs - 1
    return f"{percent(abs(change))} {'slower' if change < 0 else 'faster'}"


def interval_words(judgement: Judgement) -> str:
    """ "-2 % to +15 %"; "0.1 to 20 times" where percent would say little."""
    if judgement.interval[1] > _MUCH or judgement.interval[0] < 1 / _MUCH:
        return f"{significant(judgement.interval[0])} to {significant(judgement.interval[1])} times"
    low, high = (f"{'+' if end >= 1 else '-'}{percent(abs(end - 1))}" for end in judgement.interval)
    return f"{low} to {high}"


def machines(report: Report) -> str:
    """Who launched which machines, for the order of the series."""
    shared = report.on_shared_machines
    if report.series.clusters == Clusters.SEPARATE:
        return "separate: each run launches its own"
    launched = sum(each.run is not None for each in report.attempts) - shared
    took = f"; {plural(launched, 'run')} launched machines, {shared} took them over" if shared else ""
    return f"shared within a round, where the cells need the same{took}"


def caveats(report: Report) -> list[str]:
    """What a reader of the verdicts must know."""
    series = report.series
    in_turns = series.order == CellOrder.INTERLEAVED
    alone = sum(cell.cell.round is None for cell in report.current)
    one_round = [each for each in report.with_figures if each.number != report.reference.number and not each.paired]
    workloads = {result.workload_id for each in report.combined for result in each.results}
    sentences = (
        (not in_turns, "The repetitions of a cell ran one after the other: drift looks like a difference."),
        (
            in_turns and one_round,
            "A verdict by round needs three rounds that both sides have; all other verdicts are unpaired.",
        ),
        (in_turns and alone, f"Runs that were repeated alone, and therefore count in no round: {alone}."),
        (
            len(workloads) > 1,
            "The varied facts change the workload: the cells are different workloads, and share no leaderboard.",
        ),
        (
            any(each.paired for each in report.combined),
            "Changes compare geometric means, by round only of rounds that both have: means of all runs may differ.",
        ),
        (not report.on_shared_machines, "Each run has its own machines: cells share no cluster."),
        (
            report.on_shared_machines,
            f"{plural(report.on_shared_machines, 'run')} took over the machines of the previous run in the same round: "
            "a verdict by round compares those within one cluster, without the noise between launches, which is the "
            "same for both. Rounds, and so the repetitions of a cell, have their own machines.",
        ),
        (
            report.with_figures and report.best_value is None,
            "No value per dollar: the machines have no known price.",
        ),
    )
    return [sentence for applies, sentence in sentences if applies]
