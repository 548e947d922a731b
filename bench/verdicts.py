"""How often the site's verdicts are wrong, and how often they detect what is there: python -m bench.verdicts

Runs are simulated with noise between the trials of one run and between runs, and judged by the code of the pages.
Everything is seeded: the same command prints the same table.
"""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import exp, log
from random import Random
from statistics import fmean, variance

from submissions.analysis.comparison.compare import Measured, Noise, compare
from submissions.analysis.comparison.noise import Runs, WorkloadNoise, pooled
from submissions.analysis.comparison.ranking import Entry, ranked
from submissions.analysis.comparison.significance import pooled_spread
from submissions.analysis.comparison.verdicts import Judgement

INSIDE = 0.03  # noise between the trials of one run
BETWEEN = (0.0, 0.03, 0.06)  # noise between runs
SIZES = ((1, 1), (2, 2), (3, 3), (5, 5), (2, 10))  # trials, or runs, of each side
TRIALS = 3  # of a run, where runs are counted
ENTRIES = 10  # of a board
OTHERS = 8  # configurations of a workload whose noise is known, with OTHER_RUNS runs each
OTHER_RUNS = 4
EACH = 20  # pairs are judged by one workload: what it says about noise varies too
DISTANCES = (1.1, 1.2, 1.3)  # true ratios whose detection is planned


@dataclass(frozen=True)
class World:
    """How much equal runs vary."""

    draw: Random
    between: float
    inside: float = INSIDE

    def result(self, name: str, *, runs: int = 1, trials: int = TRIALS, times: float = 1.0) -> Measured:
        """The first of `runs` submissions of one configuration."""
        every = [self._run(trials, times) for _ in range(runs)]
        return Measured(name, "w", every[0], configuration=name, runs=self._summary(every, trials))

    def noise(self, *, configurations: int = 2) -> Noise:
        """Of a workload with other configurations that were measured repeatedly."""
        parts = [self.result(str(number), runs=OTHER_RUNS) for number in range(OTHERS)]
        of_runs, trials = pooled(part.runs for part in parts if part.runs)
        of_trials = pooled_spread([part.throughputs for part in parts])
        return Noise(WorkloadNoise(of_trials, of_runs, trials, configurations))

    def _run(self, trials: int, times: float) -> tuple[float, ...]:
        run = self.draw.gauss(0, self.between)
        return tuple(1000 * times * exp(run + self.draw.gauss(0, self.inside)) for _ in range(trials))

    def _summary(self, runs: Sequence[tuple[float, ...]], trials: int) -> Runs | None:
        logs = [log(fmean(run)) for run in runs]
        return Runs(len(runs), fmean(logs), variance(logs), trials) if len(runs) > 1 else None


def judged(a: Measured, b: Measured, noise: Noise | None = None) -> Judgement:
    ratio = compare(a, b, noise).throughput
    if ratio is None or ratio.judgement is None:
        raise ValueError("absolute figures of one workload always have a verdict")
    return ratio.judgement


def false_verdicts_by_trials(world: World, sizes: tuple[int, int], pairs: int, *, knows_workload: bool) -> float:
    """One run a side, with so many trials."""
    wrong = 0
    for number in range(pairs):
        if number % EACH == 0:
            noise = world.noise() if knows_workload else None
        a, b = (world.result(name, trials=trials) for name, trials in zip("ab", sizes, strict=True))
        wrong += judged(a, b, noise).is_conclusive
    return wrong / pairs


def false_verdicts_by_runs(world: World, sizes: tuple[int, int], pairs: int, *, trials: int = TRIALS) -> float:
    """So many runs a side."""
    wrong = 0
    for _ in range(pairs):
        a, b = (world.result(name, runs=runs, trials=trials) for name, runs in zip("ab", sizes, strict=True))
        wrong += judged(a, b).is_conclusive
    return wrong / pairs


def false_boards(world: World, boards: int, *, runs: int, knows_workload: bool) -> float:
    """Boards of equal systems with any verdict other than a tie or an open one, against the leader or in a rank."""
    wrong = 0
    for _ in range(boards):
        noise = WorkloadNoise(configurations=ENTRIES)
        if knows_workload:
            noise = world.noise(configurations=ENTRIES).throughput
        results = [world.result(f"{number:02}", runs=runs) for number in range(ENTRIES)]
        entries = [Entry(result.name, side) for result in results if (side := result.throughput)]
        ranking = ranked(entries, noise, higher_is_better=True)
        wrong += any(row.last - row.first < ENTRIES - 1 for row in ranking)
    return wrong / boards


def power(world: World, times: float, pairs: int, *, knows_workload: bool) -> tuple[float, float]:
    """(mean of runs a side, share of pairs detected) with what one run of each, of exactly this ratio, needs."""
    planned, detected = [], 0
    for number in range(pairs):
        if number % EACH == 0:
            noise = world.noise() if knows_workload else None
            one = judged(_of_one_run(1), _of_one_run(times), noise)
            planned.append(1 + (one.runs_needed or 0))
        a, b = world.result("a", runs=planned[-1]), world.result("b", runs=planned[-1], times=times)
        detected += one.is_conclusive or judged(a, b, noise).is_conclusive
    return fmean(planned), detected / pairs


def _of_one_run(times: float) -> Measured:
    return Measured(f"{times}", "w", (1000.0 * times,) * TRIALS)


def table(pairs: int, boards: int) -> Iterator[str]:
    yield f"False verdicts, {pairs:,} pairs of equal systems each, {INSIDE:.0%} between the trials of a run"
    yield _row("between runs", [f"{a}-{b}" for a, b in SIZES])
    for title, share in _CASES:
        for between in BETWEEN:
            shares = [share(World(Random(f"{title}{between}{sizes}"), between), sizes, pairs) for sizes in SIZES]
            yield _row(f"{title}, {between:.0%}", [f"{share:.1%}" for share in shares])
    yield f"False boards, {boards:,} boards of {ENTRIES} equal systems each"
    yield _row("between runs", ["1 run", "3 runs", "5 runs", "1, workload"])
    for between in BETWEEN:
        world = World(Random(f"boards {between}"), between)
        known = false_boards(world, boards, runs=1, knows_workload=True)
        shares = [*(false_boards(world, boards, runs=runs, knows_workload=False) for runs in (1, 3, 5)), known]
        yield _row(f"{between:.0%}", [f"{share:.1%}" for share in shares])
    yield f"Power with the runs that are asked for, {pairs:,} pairs each"
    yield _row("true ratio", ["clouds", "workload"])
    for times in DISTANCES:
        for between in BETWEEN:
            world = World(Random(f"power {times} {between}"), between)
            found = [power(world, times, pairs, knows_workload=knows) for knows in (False, True)]
            yield _row(f"{times}, {between:.0%}", [f"{runs:.1f} runs: {share:.1%}" for runs, share in found])


Share = Callable[[World, tuple[int, int], int], float]
_CASES: tuple[tuple[str, Share], ...] = (
    ("trials, usual noise", lambda *args: false_verdicts_by_trials(*args, knows_workload=False)),
    ("trials, workload's noise", lambda *args: false_verdicts_by_trials(*args, knows_workload=True)),
    ("runs of 3 trials", false_verdicts_by_runs),
    ("runs of 1 trial", lambda *args: false_verdicts_by_runs(*args, trials=1)),
)


def _row(title: str, cells: Sequence[str]) -> str:
    return f"{title:<30}" + "".join(f"{cell:>16}" for cell in cells)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=4_000)
    parser.add_argument("--boards", type=int, default=1_000)
    options = parser.parse_args()
    for line in table(options.pairs, options.boards):
        print(line, flush=True)


if __name__ == "__main__":
    main()
