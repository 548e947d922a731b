"""How long a step lasts: long enough for its percentile, within the time of the run."""

import math

SHARE_OF_RUN = 0.75  # of the time until the deadline, for all steps together: the rest is for what is around them
OVERHEAD_SECONDS = 15.0  # of a step beside its load: a checkpoint, connecting, reading its outputs
_SPARE = 1.05  # a schedule of random arrivals offers a little less or more


def step_seconds(
    *, usual_seconds: int, rate_ops_s: float | None, fewest_operations: int, deadline_seconds: float, steps: int
) -> int:
    """The plan's duration of a step, or more, until `fewest_operations` come at this rate.

    A step never takes more than its share of the time until the deadline for so many `steps`, unless the plan's
    own duration is longer.
    """
    if rate_ops_s is None:
        return usual_seconds
    needed = math.ceil(fewest_operations * _SPARE / rate_ops_s)
    longest = math.floor(deadline_seconds * SHARE_OF_RUN / steps - OVERHEAD_SECONDS)
    return max(usual_seconds, min(needed, longest))
