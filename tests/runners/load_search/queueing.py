"""A system whose knee is known: an M/M/c queue, whose capacity varies from step to step."""

import math
from dataclasses import dataclass
from functools import cached_property
from random import Random

from runners.load_search.search import Ended, Search, Step, next_step


@dataclass(frozen=True)
class Queue:
    """`servers` that need 1/`rate` s for an operation on average; the limit is on the response time's p99."""

    servers: int
    rate: float
    limit_s: float

    @cached_property
    def knee_ops_s(self) -> float:
        """The highest rate of arrivals that keeps the limit, by bisection."""
        low, high = 0.0, self.capacity_ops_s()
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.keeps_limit(middle) else (low, middle)
        return low

    def capacity_ops_s(self, factor: float = 1.0) -> float:
        return self.servers * self.rate * factor

    def keeps_limit(self, arrivals: float, factor: float = 1.0) -> bool:
        """Whether p99 is at most the limit when the servers are `factor` times as fast as usual."""
        return self._share_over_limit(arrivals, self.rate * factor) <= 0.01

    def _share_over_limit(self, arrivals: float, rate: float) -> float:
        """P(response time > limit) of M/M/c: Gross and Harris, "Fundamentals of Queueing Theory", 2.3."""
        load = arrivals / rate
        if load >= self.servers:
            return 1.0
        blocked = 1.0  # Erlang's B, by its recursion
        for count in range(1, self.servers + 1):
            blocked = load * blocked / (count + load * blocked)
        waiting = blocked / (1 - load / self.servers * (1 - blocked))
        spare = self.servers * rate - arrivals
        spare *= 1 + 1e-6 * (abs(spare - rate) < 1e-9 * rate)
        served, queued = math.exp(-rate * self.limit_s), math.exp(-spare * self.limit_s)
        return (1 - waiting) * served + waiting * (spare * served - rate * queued) / (spare - rate)


def a_queue(random: Random) -> Queue:
    """8 to 64 servers of 0.5 to 5 ms; a limit of 2 to 10 times the p99 of an operation that never waits."""
    rate = 1000 / random.uniform(0.5, 5)
    return Queue(random.choice([8, 16, 32, 64]), rate, math.log(100) / rate * random.choice([2, 3, 5, 10]))


def searched(queue: Queue, random: Random, *, noise: float, search: Search) -> tuple[Ended, list[Step]]:
    """A whole search; each step has a capacity of its own."""
    steps: list[Step] = []
    while not isinstance(decided := next_step(steps, search), Ended):
        factor = max(0.3, random.gauss(1, noise))
        capacity, rate = queue.capacity_ops_s(factor), decided.offered_ops_s
        if rate is None:
            steps.append(Step(None, capacity, keeps_limit=False))
        else:
            steps.append(Step(rate, min(rate, capacity), queue.keeps_limit(rate, factor)))
    return decided, steps
