"""What one fact costs, in sentences."""

from collections import Counter
from collections.abc import Sequence

from submissions.analysis.comparison.verdicts import Verdict
from submissions.choices import Trust
from submissions.formatting.names import system_name
from submissions.formatting.numbers import significant
from submissions.formatting.text import join_and, trials_words
from submissions.questions.boards.counts import excluded_sentence
from submissions.questions.boards.noise_words import SEPARATELY, more_runs, noise_sentence, runs_words
from submissions.questions.grid.parameters import FactValue
from submissions.questions.one_fact.query import FactPair, OneFactResult, OwnBaselines
from submissions.questions.one_fact.rows import MOST_ROWS, FactRow
from submissions.records.caveats import from_articles

_VERBS = {"write": "writes", "insert": "writes", "read": "reads"}
_OF_SEVERAL = {"writes": "write", "reads": "read", "does": "do"}
_AS_MULTIPLE = 2.0
VERDICT_WORDS = {
    Verdict.BETTER: "faster",
    Verdict.WORSE: "slower",
    Verdict.WITHIN_NOISE: "within noise",
    Verdict.INCONCLUSIVE: "inconclusive",
}


def heading(result: OneFactResult) -> str:
    """ "Replication factor: RF 3 vs. RF 1"."""
    label = result.parameter.fact.label
    if result.baseline is None or result.variant is None:
        return label
    return f"{label}: {_words(result, result.variant)} vs. {_words(result, result.baseline)}"


def finding(result: OneFactResult) -> str:
    noun = result.parameter.fact.noun
    if result.baseline is None:
        return f"No result states the {noun}."
    if result.variant is None:
        return f"No two results differ in the {noun}: all results that state it have {_words(result, result.baseline)}."
    if len(result.pairs) == 1:
        return pair_sentence(result, result.pairs[0])
    if result.pairs:
        return _of_several(result)
    if result.own_baselines:
        return f"{_not_known(result)} {own_sentence(result)}"
    return (
        f"No two results differ in the {noun} alone, "
        f"{_words(result, result.variant)} on one side and {_words(result, result.baseline)} on the other."
    )


def pair_sentence(result: OneFactResult, pair: FactPair) -> str:
    """The difference with its interval, the system, and how sure it is."""
    assert result.variant is not None  # noqa: S101 - a pair has both
    judgement = pair.judgement
    text = (
        f"{_words(result, result.variant)} {difference(result, pair)} "
        f"(95 % interval: {interval_words(pair)}), all else equal: {context(pair)}."
    )
    if judgement.verdict == Verdict.WITHIN_NOISE:
        text += " The difference is within noise."
    elif judgement.verdict == Verdict.INCONCLUSIVE:
        missing = more_runs(judgement)
        would = f"; {missing} ({SEPARATELY}) would detect a difference of this size" if missing else ""
        text += f" With {runs_words(judgement)} this is inconclusive{would}."
    return f"{text} {noise_sentence(judgement)}"


def difference(result: OneFactResult, pair: FactPair) -> str:
    """ "writes 31.2 % fewer ops/s than RF 1"."""
    assert result.baseline is not None  # noqa: S101 - a pair has both
    verb = _VERBS.get(pair.baseline[0].submission.operation, "does")
    if result.parameter.pattern.endswith("s"):  # "15 nodes write"
        verb = _OF_SEVERAL[verb]
    ratio, other = pair.judgement.ratio, _words(result, result.baseline)
    unit = "the throughput" if pair.is_relative else "the ops/s"
    if ratio >= _AS_MULTIPLE:
        return f"{verb} {significant(ratio)} times {unit} of {other}"
    if round(ratio - 1, 3) == 0:
        return f"{verb} as many ops/s as {other}"
    return f"{verb} {abs(ratio - 1) * 100:.1f} % {'more' if ratio > 1 else 'fewer'} ops/s than {other}"


def interval_words(pair: FactPair) -> str:
    low, high = ((end - 1) * 100 for end in pair.judgement.interval)
    if high <= 0:
        return f"{-high:.1f} to {-low:.1f} % fewer"
    if low >= 0:
        return f"{low:.1f} to {high:.1f} % more"
    return f"{-low:.1f} % fewer to {high:.1f} % more"


def context(pair: FactPair) -> str:
    """The system and its workload, and how often it was measured."""
    submission = pair.baseline[0].submission
    return f"{system_name(submission)}, {submission.tool} {submission.operation}, {pair_n(pair)}"


def pair_n(pair: FactPair) -> str:
    """Of the variant, then of the baseline: trials of one result each, else results."""
    if len(pair.baseline) > 1 or len(pair.variant) > 1:
        return f"{len(pair.variant)} vs. {len(pair.baseline)} results"
    a, b = (_n(side) for side in (pair.baseline, pair.variant))
    return a if a == b else f"{b} vs. {a}"


def own_n(own: OwnBaselines) -> str:
    return join_and(sorted({_n([row]) for row in own.rows}))


def own_sentence(result: OneFactResult) -> str:
    """What the relative figures say."""
    parts = [own_words(result, own) for own in result.own_baselines]
    return f"They show how far the source's variant is from its baseline at either value: {'; '.join(parts)}."


def own_words(result: OneFactResult, own: OwnBaselines) -> str:
    """ "virtual network, encryption: none: −3.7 % at RF 1 and −4.2 % at RF 3"."""
    assert result.baseline is not None and result.variant is not None  # noqa: S101, PT018 - rows of both
    return (
        f"{', '.join(own.headings)}: {signed_percent(own.baseline_percent)} at {_words(result, result.baseline)} and "
        f"{signed_percent(own.variant_percent)} at {_words(result, result.variant)}"
    )


def caveats(result: OneFactResult) -> list[str]:
    rows = _rows(result)
    sentences = []
    if result.pairs and result.own_baselines:
        sentences.append(f"Other figures do not show it: {_not_known(result)} {own_sentence(result)}")
    if result.own_baselines:
        sentences.append("Their differences are unweighted means over the workloads of each row, without an interval.")
    if averaged := Counter(_n([row]) for row in rows if row.submission.averaged_over):
        sentences.append(f"{join_and(sorted(averaged))}: the spread of the single trials is not published.")
    if any(pair.is_relative for pair in result.pairs):
        sentences.append("Some figures are relative to a baseline of their source, not operations per second.")
    if historical := sum(row.submission.trust == Trust.HISTORICAL for row in rows):
        sentences.append(from_articles(historical, len(rows)))
    if unknown := _unknown(rows):
        sentences.append(f"Not stated on either side, and therefore possibly different: {join_and(unknown)}.")
    return sentences


def notes(result: OneFactResult) -> list[str]:
    """What was asked for and is not there."""
    noun = result.parameter.fact.noun
    sentences = [f"No result has the {noun} “{value}”, so another one is shown." for value in result.unknown]
    if excluded := excluded_sentence(result.counts):
        sentences.append(excluded)
    if result.is_cut:
        sentences.append(f"Only the newest {MOST_ROWS:,} results are used.")
    return sentences


def signed_percent(percent: float) -> str:
    digits = f"{abs(percent):,.1f}"
    return f"{'±' if digits == '0.0' else '+' if percent > 0 else '−'}{digits} %"


def _of_several(result: OneFactResult) -> str:
    assert result.baseline is not None and result.variant is not None  # noqa: S101, PT018 - there are pairs
    percents = [(pair.judgement.ratio - 1) * 100 for pair in result.pairs]
    verdicts = Counter(pair.judgement.verdict for pair in result.pairs)
    words = [f"{VERDICT_WORDS[verdict]} in {verdicts[verdict]}" for verdict in Verdict if verdicts[verdict]]
    lowest, highest = signed_percent(min(percents)), signed_percent(max(percents))
    return (
        f"{_words(result, result.variant)} against {_words(result, result.baseline)}: {lowest} to {highest} throughput "
        f"in {len(percents)} pairs of results that differ in nothing else: {join_and(words)}."
    )


def _not_known(result: OneFactResult) -> str:
    assert result.baseline is not None and result.variant is not None  # noqa: S101, PT018 - rows of both
    variant, baseline = _words(result, result.variant), _words(result, result.baseline)
    return (
        f"How many ops/s {variant} costs against {baseline} is not known: the published figures are relative, and "
        f"those at {variant} and at {baseline} have baselines of their own."
    )


def _rows(result: OneFactResult) -> list[FactRow]:
    of_pairs = [row for pair in result.pairs for row in pair.rows]
    return of_pairs + [row for own in result.own_baselines for row in own.rows]


def _unknown(rows: Sequence[FactRow]) -> list[str]:
    """What no row states."""
    always = set.intersection(*(set(row.unknown) for row in rows)) if rows else set()
    return [noun for noun in rows[0].unknown if noun in always] if rows else []


def _n(rows: Sequence[FactRow]) -> str:
    return trials_words(rows[0].submission.trials_count, rows[0].submission.averaged_over)


def _words(result: OneFactResult, value: FactValue) -> str:
    return result.parameter.heading(value)
