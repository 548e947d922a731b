"""A verdict in words, the same on every page: where its noise comes from, and which runs are missing."""

from submissions.analysis.comparison.noise import NoiseFrom
from submissions.analysis.comparison.verdicts import Judgement
from submissions.formatting.numbers import percent
from submissions.formatting.text import plural

SEPARATELY = "separate launches, on another day"


def noise_words(judgement: Judgement) -> str:
    """ "assuming the usual noise of clouds, 6 % from run to run"; the start of no sentence."""
    noise = percent(judgement.noise)
    if judgement.noise_from == NoiseFrom.SERIES:
        return f"measured in turns and compared round by round ({plural(judgement.runs[0], 'round')})"
    if judgement.noise_from == NoiseFrom.OWN_RUNS:
        return f"runs of these configurations vary by {noise}"
    if judgement.noise_from == NoiseFrom.WORKLOAD:
        return f"runs of other configurations of this workload vary by {noise}"
    return f"assuming the usual noise of clouds, {percent(judgement.usual)} from run to run"


def noise_sentence(judgement: Judgement) -> str:
    words = noise_words(judgement)
    return f"{words[0].upper()}{words[1:]}."


def more_runs(judgement: Judgement) -> str:
    """ "2 more runs of each"; empty where the verdict needs none, or too many to plan."""
    needed = judgement.runs_needed
    if needed is None:
        return ""
    noun = "more round" if judgement.noise_from == NoiseFrom.SERIES else "more run"
    return f"{plural(needed, noun)} of each"


def runs_words(judgement: Judgement) -> str:
    """ "one run each", "3 and 2 runs"; of b, then of a."""
    a, b = judgement.runs
    if a == b:
        return "one run each" if a == 1 else f"{a} runs each"
    return f"{b} and {plural(a, 'run')}"
