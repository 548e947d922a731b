"""The worked example of the noise between runs comes out of the site's code."""

from math import exp, log, sqrt
from pathlib import Path
from statistics import fmean, variance

from submissions.analysis.comparison.noise import Runs, WorkloadNoise
from submissions.analysis.comparison.significance import LEVEL, t_of
from submissions.analysis.comparison.verdicts import Side, Verdict, judge

TEXT = " ".join((Path(__file__).resolve().parents[2] / "docs" / "methodology.md").read_text(encoding="utf-8").split())
AWS, GOOGLE = (90_748.0,), (111_394.0, 109_583.0, 101_886.0)


def test_the_example_of_the_noise_between_runs():
    logs = [log(figure) for figure in GOOGLE]
    runs = Runs(3, fmean(logs), variance(logs))

    found = judge(Side(AWS[0], AWS), Side(GOOGLE[0], GOOGLE[:1], runs), WorkloadNoise())

    low, high = found.interval
    half = log(high / low) / 2
    assert found.verdict == Verdict.INCONCLUSIVE
    for words in (
        f"are {log(AWS[0]):.4f} and {fmean(logs):.4f}",
        f"exp({log(found.ratio_over_runs):.4f}) = {found.ratio_over_runs:.3f}",
        f"s² = {variance(logs):.6f}",
        f"= {found.plan.variance:.6f}, or {100 * sqrt(exp(found.plan.variance) - 1):.1f} %",
        f"= {half / t_of(LEVEL, 4):.4f}; with t(4) = {t_of(LEVEL, 4):.3f}",
        f"{log(found.ratio_over_runs):.4f} ± {half:.4f}: {100 * (1 - low):.1f} % slower",
        f"% slower to {100 * (high - 1):.1f} % faster",
        "The verdict is *inconclusive*",
    ):
        assert words in TEXT, words
