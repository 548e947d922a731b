"""What a grid of differences shows, in sentences."""

from collections import Counter
from collections.abc import Sequence

from submissions.analysis.comparison.grid import Cell
from submissions.analysis.comparison.noise import USUAL_THROUGHPUT, NoiseFrom
from submissions.analysis.comparison.verdicts import Verdict
from submissions.formatting.numbers import percent
from submissions.formatting.text import AVERAGED, join_and, plural
from submissions.questions.boards.likeness import in_brackets, mixed_trust
from submissions.questions.boards.reasons import Reason
from submissions.questions.grid.families import FamilyChoice
from submissions.questions.grid.query import MOST_ROWS, GridChoice, GridResult
from submissions.records.caveats import from_articles

VERDICT_WORDS = {
    Verdict.BETTER: "faster",
    Verdict.WORSE: "slower",
    Verdict.WITHIN_NOISE: "within noise",
    Verdict.INCONCLUSIVE: "inconclusive",
}


METHOD = (
    "Percent of the baseline's throughput: + is faster, − is slower. The counts are trials of the variant and of the "
    "baseline, or the results where a side has several. Means are unweighted. Each cell links to the comparison of "
    "its results."
)


def heading(choice: GridChoice) -> str:
    """ "Network: virtual vs. native, by replication factor, network encryption and column size"."""
    by = join_and([parameter.fact.noun for parameter in choice.layout.axes])
    return f"{choice.layout.varied.fact.label}: {sides(choice)}, by {by}"


def sides(choice: GridChoice) -> str:
    varied = choice.layout.varied
    return f"{varied.words(choice.variant)} vs. {varied.words(choice.baseline)}"


def finding(result: GridResult) -> str:
    compared = f"{result.choice.layout.varied.fact.label}: {sides(result.choice)}."
    percents = [cell.percent for cell in result.cells]
    if not percents:
        return f"{compared} No cell of this grid has results with both."
    trust = in_brackets(mixed_trust(result.trusts))
    if len(percents) == 1:
        only = f"{signed_percent(percents[0])} in the only cell that has both"
        return f"{compared} The throughput difference is {only}{trust}."
    extent = f"{signed_percent(min(percents))} to {signed_percent(max(percents))} over {len(percents)} cells"
    return f"{compared} Throughput differences range from {extent}; {_means(result)}{trust}."


def caveats(result: GridResult) -> list[str]:
    """What a reader of the chart has to know."""
    if not result.cells:
        return []
    sentences = [_noise(result.cells)]
    if result.relative_bases:
        sentences.append(
            "The figures are relative: each cell uses the baseline of its own source, not operations per second."
        )
    if result.historical:
        sentences.append(from_articles(result.historical, result.used))
    return [sentence for sentence in (*sentences, _differences(result), _not_stated(result)) if sentence]


def notes(result: GridResult) -> list[str]:
    """What was asked for and is not there, and what is excluded."""
    varied = result.choice.layout.varied.fact
    sentences = [
        f"No result of these workloads has the {varied.noun} “{value}”, so another one is shown."
        for value in result.choice.unknown
    ]
    if excluded := _excluded(result):
        sentences.append(excluded)
    if result.is_cut:
        sentences.append(f"Only the newest {MOST_ROWS:,} results are used.")
    return sentences


def not_shown(rows: int, columns: int) -> str:
    """What the table leaves to the export; empty where it has everything."""
    parts = [plural(count, noun) for count, noun in ((rows, "row"), (columns, "column")) if count]
    return f"The CSV and JSON have {join_and(parts)} more. The means include them." if parts else ""


def family_words(family: FamilyChoice) -> str:
    return f"{family.title} (up to {plural(family.most_cells, 'cell')})"


def cell_details(cell: Cell) -> list[str]:
    """The interval, the verdict and the number of measurements of a cell."""
    return [f"95 % interval {interval_words(cell)}", VERDICT_WORDS[cell.verdict], counts_words(cell)]


def interval_words(cell: Cell) -> str:
    return f"{signed_percent(cell.interval[0])} to {signed_percent(cell.interval[1])}"


def counts_words(cell: Cell) -> str:
    """ "3 trials each", "4 vs. 1 results": of the variant, then of the baseline, as the heading names them."""
    baseline, variant = cell.n
    noun = "trial" if cell.counts_trials or cell.is_averaged else "result"
    counts = f"{plural(variant, noun)} each" if variant == baseline else f"{variant:,} vs. {baseline:,} {noun}s"
    return f"{counts}, {AVERAGED}" if cell.is_averaged else counts


def signed_percent(percent: float) -> str:
    """60 -> "+60.0 %"."""
    return f"{signed(percent)} %"


def signed(number: float) -> str:
    """With one decimal, as in all cells of a grid: 60 -> "+60.0"."""
    digits = f"{abs(number):,.1f}"
    if digits == "0.0":
        return "±0.0"
    return f"{'+' if number > 0 else '−'}{digits}"


def _means(result: GridResult) -> str:
    means = sorted(result.grid.row_means.items(), key=lambda pair: pair[1].percent)
    (low_row, lowest), (high_row, highest) = means[0], means[-1]
    if len(means) == 1:
        return f"their mean is {signed_percent(lowest.percent)}"
    return (
        f"row means range from {signed_percent(lowest.percent)} ({result.row_heading(low_row)}) "
        f"to {signed_percent(highest.percent)} ({result.row_heading(high_row)})"
    )


def _noise(cells: Sequence[Cell]) -> str:
    """How many cells show a difference beyond noise, and whose noise it is."""
    beyond = sum(cell.judgement.is_conclusive for cell in cells)
    assumed = sum(cell.judgement.noise_from == NoiseFrom.CLOUDS for cell in cells)
    sentence = f"Beyond the noise between runs: {beyond} of {plural(len(cells), 'cell')}."
    if all(cell.is_averaged for cell in cells):
        sentence = f"Each figure is a mean that the source took over its trials without giving their spread. {sentence}"
    if not assumed:
        return sentence
    share = "" if assumed == len(cells) else f" in {assumed} of them"
    return f"{sentence} The usual noise of clouds, {percent(USUAL_THROUGHPUT)} from run to run, is assumed{share}."


def _differences(result: GridResult) -> str:
    """What else the two sides of a cell are known to differ in."""
    differing = Counter(index for cell in result.cells for index in cell.differs)
    if not differing:
        return "Nothing else is known to differ between the two sides of a cell."
    total = plural(len(result.cells), "cell")
    facts = [f"{result.fact_names[index]} ({count:,} of {total})" for index, count in differing.items()]
    return f"The two sides of a cell also differ in {join_and(facts)}."


def _not_stated(result: GridResult) -> str:
    """What is not known on both sides of any cell."""
    unknown = Counter(index for cell in result.cells for index in cell.unknown)
    always = sorted(index for index, count in unknown.items() if count == len(result.cells))
    return f"Not stated, and therefore possibly different: {join_and(result.names(always))}." if always else ""


def _excluded(result: GridResult) -> str:
    less_similar = sum(cell.excluded for cell in result.cells)
    reasons = [
        (result.counts.excluded[Reason.FLAGGED], "with a data-quality flag"),
        (result.counts.excluded[Reason.THROTTLED], "limited to a rate by the load tool"),
        (result.counts.excluded[Reason.UNRANKED], "awaiting a moderator"),
        (result.choice.family.unplaced, "without a stated value for a fact of this grid"),
        (less_similar, "less similar to the other side of the cell"),
    ]
    parts = [f"{count:,} {words}" for count, words in reasons if count]
    if not parts:
        return ""
    sentence = f"Excluded results: {join_and(parts)}."
    return f"{sentence} Another row parameter would show more of them." if less_similar else sentence
