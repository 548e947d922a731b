"""The load of a result in words."""

from types import SimpleNamespace

import pytest

from submissions.formatting.load import held, held_by, load_words, shows_load


def row(tool="ycsb", *, threads=20, throttle=None, fixed=None, is_throttled=True, mode="threads"):
    return SimpleNamespace(
        tool=tool,
        threads=threads,
        fixed_rate_ops_s=fixed,
        limit_ops_s=fixed or throttle,
        is_throttled=is_throttled,
        load_mode=mode,
    )


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (row(throttle=7000.0), "limited to 7,000 ops/s by -target"),
        (row(fixed=7000.0), "limited to 7,000 ops/s by -target"),
        (row("cassandra-stress", throttle=200.0), "limited to 200 ops/s by throttle="),
        (row("cassandra-stress", fixed=12_345.0), "limited to 12,345 ops/s by fixed="),
        (row("latte", throttle=5000.0), "limited to 5,000 ops/s by --rate"),
        (row("pgbench", fixed=0.5), "limited to 0.5 ops/s by -R"),
        (row("pgbench"), "limited to a rate that is not stated by -R"),
        (row(throttle=7000.0, is_throttled=False), ""),
        (row(mode="curve"), "limited to each rate of its load curve"),
    ],
)
def test_what_held_a_result_to_which_rate(result, words):
    assert held_by(result) == words
    assert words.startswith(held(result))


def test_the_load_of_a_row():
    assert load_words(row(throttle=7000.0)) == "20 threads, limited to 7,000 ops/s"
    assert load_words(row(threads=1, fixed=50.0)) == "1 thread, fixed rate 50 ops/s"
    assert load_words(row(threads=None)) == ""


def test_a_table_shows_loads_where_they_differ():
    assert shows_load([row(threads=4), row(threads=8)])
    assert shows_load([row(throttle=1.0), row(throttle=2.0)])
    assert not shows_load([row(), row()])
    assert not shows_load([])
