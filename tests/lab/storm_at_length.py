"""`make storm`: hundreds of runs in storms of a few dozen, and a table of what happened.

make storm ARGS="--seed 7 --aws 300 --gce 100 --local 30"
"""

import argparse
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest

LENGTH = {"aws": 300, "gce": 100, "local": 30, "series": 40}
AT_ONCE = 24  # runs of one storm: what a cloud has to remember makes every list slower
HERE_AT_ONCE = 5  # on this machine they run one after another


def parts(wanted: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Storms of at most AT_ONCE runs, those for this machine apart; `series` are as many in each cloud.

    Those of the clouds are the same again with the same seed.
    """
    count = -(-(wanted["aws"] + wanted["gce"]) // AT_ONCE)
    for number in range(count):
        share = {slug: (wanted[slug] + number) // count for slug in ("aws", "gce")}
        share["series"] = (wanted["series"] + number) // count
        yield {**share, "local": 0, "seed": wanted["seed"] + number}
    here = -(-wanted["local"] // HERE_AT_ONCE)
    for number in range(here):
        local = (wanted["local"] + number) // here
        yield {"aws": 0, "gce": 0, "local": local, "series": 0, "seed": wanted["seed"] + count + number}


def table(storms: Iterable[Any]) -> str:
    """What the storms did, and what they found."""
    from runners.models import RunNode  # Django is not ready when this file is read

    storms = list(storms)
    counts, kills = Counter[str](), Counter[tuple[str, str]]()
    reasons, machines, runs = Counter[tuple[str, str]](), Counter[str](), Counter[str]()
    for storm in storms:
        counts.update(storm.counts)
        kills.update(storm.kills)
        for its in storm.runs.values():
            its.run.refresh_from_db()
            runs[its.run.provider] += 1
            reasons[its.run.provider, str(its.run.end_reason)] += 1
        replaced = RunNode.objects.filter(run__in=storm.runs).exclude(replaced_at=None)
        counts["machines replaced"] += replaced.count()
        counts["runs that took machines over"] += sum(
            its.run.took_over_from_id is not None for its in storm.runs.values()
        )
        counts["other instance types taken"] += sum("instance_types" in its.run.progress for its in storm.runs.values())
        machines.update({cloud.slug: len(cloud.lives()) for cloud in storm.clouds})
    lines = [f"seeds {storms[0].seed} to {storms[-1].seed}", ""]
    for slug, count in runs.items():
        ends = ", ".join(f"{reason} {n}" for (its, reason), n in reasons.most_common() if its == slug)
        lines.append(f"{slug:<8}{count:>5} runs, {machines[slug]:>5} machines: {ends}")
    lines += ["", *(f"{count:>7}  {name}" for name, count in counts.most_common())]
    lines += ["", f"{kills.total():>7}  workers killed, at {len(kills)} places:"]
    lines += [f"{count:>7}  {when} {what}" for (what, when), count in sorted(kills.items())]
    return "\n".join(lines)


def show(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(prog="make storm", description=__doc__)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    for slug, count in LENGTH.items():
        parser.add_argument(f"--{slug}", type=int, default=count, metavar="RUNS")
    wanted = vars(parser.parse_args())
    os.environ["STORM"] = json.dumps(wanted)
    os.environ.setdefault("TEST_DATA_DIR", ".data-storm")  # a test run may go on beside it
    storms = ["tests/lab/test_storm.py", "tests/runners/series/test_storm.py"]
    return pytest.main([*storms, "-n", "0", "-q", "-s", "--timeout=0", "-p", "no:cacheprovider"])


if __name__ == "__main__":
    sys.exit(main())
