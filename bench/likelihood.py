"""How often a likelihood that the site shows holds, where the best of several is shown: python -m bench.likelihood

Clusters are simulated with noise between runs, the best one is chosen as a recommendation does, and the code of the
pages is asked how likely its next run keeps a limit near its figure: *told*. *True* is how likely that is.
Everything is seeded: the same command prints the same table.
"""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, hypot, log
from random import Random
from statistics import NormalDist, fmean, variance

from submissions.analysis.comparison.likelihood import of_next_run
from submissions.analysis.comparison.noise import USUAL_P99, USUAL_THROUGHPUT, USUAL_TRIAL, Runs, WorkloadNoise

COUNTS = (1, 2, 3, 5, 15)  # clusters of which the best is shown
BETWEEN_CLUSTERS = (0.0, 0.03, 0.06, 0.2)
MARGIN = 0.95  # the limit: 5 % below the throughput of the best
P99_MARGIN = 0.90  # and as far from a p99, whose noise is twice that


@dataclass(frozen=True)
class World:
    """How much runs of one cluster vary, and how much clusters do."""

    name: str
    clusters: float = 0.0
    noise: float = USUAL_THROUGHPUT  # between runs of one cluster
    runs: int = 1  # of each cluster
    far: float = 0.0  # how far above the others the first one truly is
    is_p99: bool = False

    def group(self, draw: Random, count: int) -> list["Cluster"]:
        """Of `count` clusters; the best one first. Figures are logarithms."""
        clusters = [self._cluster(draw, self.far * (number == 0)) for number in range(count)]
        return sorted(clusters, key=lambda cluster: cluster.figures.mean, reverse=not self.is_p99)

    def _cluster(self, draw: Random, above: float) -> "Cluster":
        true = above + draw.gauss(0, self.clusters)
        figures = [true + draw.gauss(0, self.noise) for _ in range(self.runs)]
        between = variance(figures) if self.runs > 1 else None
        return Cluster(true, Runs(self.runs, fmean(figures), between))


@dataclass(frozen=True)
class Cluster:
    true: float
    figures: Runs


@dataclass(frozen=True)
class Shares:
    alone: float  # told without the others of the group
    told: float
    true: float


def shares(world: World, count: int, draws: int, *, seed: int = 1) -> Shares:
    """Means of so many draws."""
    draw = Random(f"{world.name} {count} {seed}")
    every = [_of_best(world, world.group(draw, count)) for _ in range(draws)]
    return Shares(*(fmean(column) for column in zip(*every, strict=True)))


def _of_best(world: World, group: Sequence[Cluster]) -> tuple[float, float, float]:
    best, *others = group
    margin = -log(P99_MARGIN) if world.is_p99 else log(MARGIN)
    limit = best.figures.mean + margin
    noise = WorkloadNoise(usual=USUAL_P99 if world.is_p99 else USUAL_THROUGHPUT)
    runs = [cluster.figures for cluster in others]
    is_higher = not world.is_p99
    alone, _ = of_next_run(best.figures, None, noise, exp(limit), higher_is_better=is_higher)
    told, _ = of_next_run(best.figures, None, noise, exp(limit), others=runs, higher_is_better=is_higher)
    above = NormalDist(best.true, world.noise).cdf(limit)
    return alone, told, above if world.is_p99 else 1 - above


WORLDS = (
    *(World(f"clusters differ by {share:.0%}", share) for share in BETWEEN_CLUSTERS),
    World("noise as assumed, by 6%", 0.06, noise=hypot(USUAL_THROUGHPUT, USUAL_TRIAL)),
    *(World(f"3 runs each, by {share:.0%}", share, runs=3) for share in (0.0, 0.06)),
    *(World(f"p99, by {share:.0%}", share, noise=USUAL_P99, is_p99=True) for share in (0.0, 0.2)),
    World("equal but one, twice as fast", far=log(2)),
)


def table(draws: int) -> Iterator[str]:
    yield f"Told and true likelihood of the best of several, {draws:,} draws each; in brackets: told without the others"
    yield _row("best of", [f"{count}" for count in COUNTS])
    for world in WORLDS:
        cells = (shares(world, count, draws) for count in COUNTS)
        yield _row(world.name, [f"{cell.told:.2f} {cell.true:.2f} ({cell.alone:.2f})" for cell in cells])


def _row(title: str, cells: Sequence[str]) -> str:
    return f"{title:<30}" + "".join(f"{cell:>18}" for cell in cells)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=6_000)
    for line in table(parser.parse_args().draws):
        print(line, flush=True)


if __name__ == "__main__":
    main()
